#version 450 core
// The depth of a facet at the centre of a pixel, from its corners. Differences of positions and their products are exact
// in double. The twins are in image_solid.c and in the files of the methods.
#define UNITS 1073741823.0lf

flat in vec4 f_a;
flat in vec4 f_b;
flat in vec4 f_c;
flat in vec4 f_rest;
flat in ivec3 f_tile;

uint depth_here()
{
    dvec2 here = dvec2(ivec2(floor(gl_FragCoord.xy)) - f_tile.xy) + 0.5lf;
    dvec2 a = dvec2(f_a.xy) - here, b = dvec2(f_b.xy) - here, c = dvec2(f_c.xy) - here;
    precise double of_a = b.x * c.y - b.y * c.x;
    precise double of_b = c.x * a.y - c.y * a.x;
    precise double of_c = a.x * b.y - a.y * b.x;
    precise double depth_a = double(f_a.z) + double(f_a.w);
    precise double depth_b = double(f_b.z) + double(f_b.w);
    precise double depth_c = double(f_c.z) + double(f_c.w);
    precise double inverse = double(f_rest.x) + double(f_rest.y);
    precise double depth = (of_a * depth_a + of_b * depth_b + of_c * depth_c) * inverse;
    precise double units = min(max(depth, 0.0lf), 1.0lf) * UNITS;
    return uint(units);
}

#ifdef LISTS // Shinya: adds the depth to the list of the pixel
layout(std430, binding = 0) buffer Counts { uint counts[]; };
layout(std430, binding = 1) buffer Entries { uint entries[]; };
uniform ivec4 list; // pixels per row, longest list, body

void main()
{
    ivec2 at = ivec2(floor(gl_FragCoord.xy));
    uint pixel = uint(at.y * list.x + at.x);
    uint slot = atomicAdd(counts[pixel], 1u);
    if (slot < uint(list.y))
        entries[pixel * uint(list.y) + slot] = depth_here() << 2 | uint(list.z) << 1 | (f_rest.z > 0.5 ? 1u : 0u);
}
#endif

#ifdef SECTIONS // Rossignac: what is in front of the tile's section is clipped
uniform uint section_step;

void main()
{
    if (depth_here() < section_step * uint(f_tile.z) + section_step / 2u)
        discard;
}
#endif

#ifdef DEPTHS // Myszkowski
void main()
{
    gl_FragDepth = float(depth_here() >> 6) * 5.9604644775390625e-8; // 2^-24
}
#endif
