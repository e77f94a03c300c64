#version 450 core
// A rectangle of whole pixels per triangle; see image_interval.h. Its sides lie between pixels, half a pixel from all
// centres, so that no way of rounding changes which pixels it covers.
layout(location = 0) in vec4 rect;
layout(location = 1) in vec4 tile_body_low;
layout(location = 2) in vec4 edges_0;
layout(location = 3) in vec4 edges_1;
layout(location = 4) in vec4 edges_2;
layout(location = 5) in vec4 plane_end;

uniform vec2 target_size;

flat out vec4 f_tile_body_low;
flat out vec4 f_edges_0;
flat out vec4 f_edges_1;
flat out vec4 f_edges_2;
flat out vec4 f_plane_end;

void main()
{
    vec2 corner = vec2(gl_VertexID & 1, gl_VertexID >> 1);
    vec2 pixel = tile_body_low.xy + mix(rect.xy, rect.zw, corner);
    gl_Position = vec4(2.0 * pixel / target_size - 1.0, 0.0, 1.0);
    f_tile_body_low = tile_body_low;
    f_edges_0 = edges_0;
    f_edges_1 = edges_1;
    f_edges_2 = edges_2;
    f_plane_end = plane_end;
}
