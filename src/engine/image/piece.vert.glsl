#version 450 core
// Positions in pixels and depth.
layout(location = 0) in vec4 position;

uniform float side;

void main()
{
    gl_Position = vec4(2.0 * position.xy / side - 1.0, position.zw);
}
