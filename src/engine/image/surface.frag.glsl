#version 450 core
// Which triangle is at a pixel's centre, and its depth there; the twin is image_surface_draw_twin.
flat in vec4 f_edges_0;
flat in vec4 f_edges_1;
flat in vec4 f_edges_2;
flat in vec4 f_plane_range;
flat in uint f_number;

layout(location = 0) out uint number;

void main()
{
    vec2 at = floor(gl_FragCoord.xy) + 0.5;
    precise float side_0 = f_edges_0.x * at.x + f_edges_0.y * at.y + f_edges_0.z;
    precise float side_1 = f_edges_0.w * at.x + f_edges_1.x * at.y + f_edges_1.y;
    precise float side_2 = f_edges_1.z * at.x + f_edges_1.w * at.y + f_edges_2.x;
    if (!(side_0 >= 0.0 && side_1 >= 0.0 && side_2 >= 0.0))
        discard;
    precise float depth = f_edges_2.y * at.x + f_edges_2.z * at.y + f_edges_2.w;
    gl_FragDepth = min(max(depth, f_plane_range.x), f_plane_range.y);
    number = f_number;
}
