#version 450 core
/* A unit square, once per instance: its place in pixels and its value come with the instance. */
layout(location = 3) in vec4 place;
layout(location = 1) in vec4 value;
layout(location = 2) in uint number;
layout(location = 0) flat out vec4 flat_value;
layout(location = 1) flat out uint flat_number;
layout(std140, binding = 0) uniform canvas { vec4 pixel_scale; };
layout(location = 0) uniform float depth;

void main()
{
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1 & 1);
    gl_Position = vec4((place.xy + corner * place.zw) * pixel_scale.xy - 1.0, depth, 1.0);
    flat_value = value;
    flat_number = number;
}
