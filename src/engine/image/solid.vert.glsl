#version 450 core
// Facets of a closed body, see image_solid.h: three vertices each. Positions have four bits after the point and scales
// are powers of two, so that nothing is rounded on the way to the driver's grid. Every instance has a tile of its own.
layout(binding = 0) uniform samplerBuffer facets;

uniform ivec4 tiles; // pixels of a tile across and up, tiles per row, number of the first
uniform vec2 scale;

flat out vec4 f_a;
flat out vec4 f_b;
flat out vec4 f_c;
flat out vec4 f_rest;
flat out ivec3 f_tile;

void main()
{
    int facet = gl_VertexID / 3, corner = gl_VertexID % 3;
    f_a = texelFetch(facets, 4 * facet);
    f_b = texelFetch(facets, 4 * facet + 1);
    f_c = texelFetch(facets, 4 * facet + 2);
    f_rest = texelFetch(facets, 4 * facet + 3);
    f_tile = ivec3(ivec2(gl_InstanceID % tiles.z, gl_InstanceID / tiles.z) * tiles.xy, tiles.w + gl_InstanceID);
    vec2 own = corner == 0 ? f_a.xy : corner == 1 ? f_b.xy : f_c.xy;
    gl_Position = vec4((own + vec2(f_tile.xy)) * scale - 1.0, 0.0, 1.0);
}
