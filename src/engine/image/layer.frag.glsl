#version 450 core
// Appends a triangle over a pixel to the list of fragments; see image_layers.h. The order of the list is any, and past
// its end is only counted. The twin is image_layers_draw_twin.
flat in vec4 f_tile_body_low;
flat in vec4 f_edges_0;
flat in vec4 f_edges_1;
flat in vec4 f_edges_2;
flat in vec4 f_plane_end;

layout(std430, binding = 0) buffer counter_block
{
    uint found;
};
layout(std430, binding = 1) writeonly buffer list_block
{
    uvec4 fragments[];
};

uniform uint capacity;
uniform uint columns;

void main()
{
    vec2 at = floor(gl_FragCoord.xy) + 0.5;
    precise float side_0 = f_edges_0.x * at.x + f_edges_0.y * at.y + f_edges_0.z;
    precise float side_1 = f_edges_0.w * at.x + f_edges_1.x * at.y + f_edges_1.y;
    precise float side_2 = f_edges_1.z * at.x + f_edges_1.w * at.y + f_edges_2.x;
    float least = min(side_0, min(side_1, side_2));
    if (!(least >= 0.0))
        discard;
    precise float depth = f_edges_2.z * at.x + f_edges_2.w * at.y + f_plane_end.x;
    precise float below = f_plane_end.y - depth;
    precise float above = depth + f_plane_end.y;
    precise float covered = 1.0 + f_plane_end.z;
    precise float inside = 0.5 + f_plane_end.z;
    precise float outside = 0.5 - f_plane_end.z;
    uint flag = least >= covered ? 3u : least >= inside ? 1u : least < outside ? 0u : 2u;
    uint pixel = uint(gl_FragCoord.y) * columns + uint(gl_FragCoord.x);
    uint place = atomicAdd(found, 1u);
    if (place < capacity)
        fragments[place] = uvec4(flag << 24 | pixel, uint(f_plane_end.w), floatBitsToUint(-min(below, -f_tile_body_low.w)),
                                 floatBitsToUint(min(above, f_edges_2.y)));
}
