#version 450 core
// Certified visibility, see image_visible.h: how far a body reaches over a pixel, for MAX blending; or, with TESTS, a
// fragment for each triangle that is not surely beyond what was drawn before. The twins are in image_visible.c.
flat in vec4 f_tile_body_low;
flat in vec4 f_edges_0;
flat in vec4 f_edges_1;
flat in vec4 f_edges_2;
flat in vec4 f_plane_end;

uniform float way; // 1: along the axis, -1: back

#ifdef TESTS
layout(binding = 0) uniform sampler2D reached;
#else
layout(location = 0) out float reach;
#endif

void main()
{
    vec2 at = floor(gl_FragCoord.xy) + 0.5;
    precise float side_0 = f_edges_0.x * at.x + f_edges_0.y * at.y + f_edges_0.z;
    precise float side_1 = f_edges_0.w * at.x + f_edges_1.x * at.y + f_edges_1.y;
    precise float side_2 = f_edges_1.z * at.x + f_edges_1.w * at.y + f_edges_2.x;
    if (!(side_0 >= 0.0 && side_1 >= 0.0 && side_2 >= 0.0))
        discard;
    precise float depth = f_edges_2.z * at.x + f_edges_2.w * at.y + f_plane_end.x;
    precise float below = min(f_plane_end.y - depth, -f_tile_body_low.w);
    precise float above = min(depth + f_plane_end.y, f_edges_2.y);
#ifdef TESTS
    float nearest = way > 0.0 ? -below : -above;
    if (nearest > texelFetch(reached, ivec2(floor(gl_FragCoord.xy)), 0).x)
        discard;
#else
    reach = way > 0.0 ? above : below;
#endif
}
