#version 450 core
// The depth interval of a triangle over a whole pixel. `precise` keeps products and sums apart, as in the twins:
// image_draw_twin, image_layers_draw_twin and those of image_visible.c.
flat in vec4 f_tile_body_low;
flat in vec4 f_edges_0;
flat in vec4 f_edges_1;
flat in vec4 f_edges_2;
flat in vec4 f_plane_end;

// The smallest of the three edge functions; below 0 (or not a number): the triangle does not touch the pixel.
float side_here(vec2 at)
{
    precise float side_0 = f_edges_0.x * at.x + f_edges_0.y * at.y + f_edges_0.z;
    precise float side_1 = f_edges_0.w * at.x + f_edges_1.x * at.y + f_edges_1.y;
    precise float side_2 = f_edges_1.z * at.x + f_edges_1.w * at.y + f_edges_2.x;
    return side_0 >= 0.0 && side_1 >= 0.0 && side_2 >= 0.0 ? min(side_0, min(side_1, side_2)) : -1.0;
}

// -low and high.
vec2 interval_here(vec2 at)
{
    precise float depth = f_edges_2.z * at.x + f_edges_2.w * at.y + f_plane_end.x;
    precise float below = f_plane_end.y - depth;
    precise float above = depth + f_plane_end.y;
    return vec2(min(below, -f_tile_body_low.w), min(above, f_edges_2.y));
}

vec2 centre_here()
{
    return floor(gl_FragCoord.xy) - f_tile_body_low.xy + 0.5;
}

#ifdef PAIRS // Engine image: for MAX blending, the interval of body 0, then of body 1
layout(location = 0) out vec4 depths;

const float NOTHING = -3e38;

void main()
{
    vec2 at = centre_here();
    if (!(side_here(at) >= 0.0))
        discard;
    vec2 interval = interval_here(at);
    depths = f_tile_body_low.z > 0.5 ? vec4(NOTHING, NOTHING, interval) : vec4(interval, NOTHING, NOTHING);
}
#endif

#ifdef REACH // Certified visibility, see image_visible.h: for MAX blending, how far a body reaches
layout(location = 0) out float reach;
uniform float way; // 1: along the axis, -1: back

void main()
{
    vec2 at = centre_here();
    if (!(side_here(at) >= 0.0))
        discard;
    vec2 interval = interval_here(at);
    reach = way > 0.0 ? interval.y : interval.x;
}
#endif

#ifdef TESTS // The same: a fragment for each triangle that is not surely beyond what was drawn before
layout(binding = 0) uniform sampler2D reached;
uniform float way;

void main()
{
    vec2 at = centre_here();
    if (!(side_here(at) >= 0.0))
        discard;
    vec2 interval = interval_here(at);
    float nearest = way > 0.0 ? -interval.x : -interval.y;
    if (nearest > texelFetch(reached, ivec2(floor(gl_FragCoord.xy)), 0).x)
        discard;
}
#endif

#ifdef LAYERS // Appends to the list of fragments, in any order; past its end is only counted; see image_layers.h
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
    vec2 at = centre_here();
    float side = side_here(at);
    if (!(side >= 0.0))
        discard;
    precise float covered = 1.0 + f_plane_end.z;
    precise float inside = 0.5 + f_plane_end.z;
    precise float outside = 0.5 - f_plane_end.z;
    uint flag = side >= covered ? 3u : side >= inside ? 1u : side < outside ? 0u : 2u;
    uint pixel = uint(gl_FragCoord.y) * columns + uint(gl_FragCoord.x);
    uint place = atomicAdd(found, 1u);
    vec2 interval = interval_here(at);
    if (place < capacity)
        fragments[place] = uvec4(flag << 24 | pixel, uint(f_plane_end.w), floatBitsToUint(-interval.x),
                                 floatBitsToUint(interval.y));
}
#endif
