#version 450 core
// Hulls of many pairs: positions in pixels of the target, and where the tile of their pair begins; cut off at its border.
layout(location = 0) in vec4 position;

uniform float side;
uniform float width;

out float gl_ClipDistance[4];

void main()
{
    vec2 inside = position.xy - position.zw;
    gl_ClipDistance[0] = inside.x;
    gl_ClipDistance[1] = side - inside.x;
    gl_ClipDistance[2] = inside.y;
    gl_ClipDistance[3] = side - inside.y;
    gl_Position = vec4(2.0 * position.xy / width - 1.0, 0.5, 1.0);
}
