#version 450 core
// A rectangle of whole pixels per triangle; see image_surface.h and interval.vert.glsl.
layout(location = 0) in vec4 rect;
layout(location = 1) in vec4 edges_0;
layout(location = 2) in vec4 edges_1;
layout(location = 3) in vec4 edges_2; // the last is the plane's first
layout(location = 4) in vec4 plane_range;
layout(location = 5) in uint number;

uniform vec2 target_size;

flat out vec4 f_edges_0;
flat out vec4 f_edges_1;
flat out vec4 f_edges_2;
flat out vec4 f_plane_range;
flat out uint f_number;

void main()
{
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    gl_Position = vec4(2.0 * mix(rect.xy, rect.zw, corner) / target_size - 1.0, 0.0, 1.0);
    f_edges_0 = edges_0;
    f_edges_1 = edges_1;
    f_edges_2 = edges_2;
    f_plane_range = plane_range;
    f_number = number;
}
