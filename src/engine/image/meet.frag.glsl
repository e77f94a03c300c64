#version 450 core
// A pixel per block of a tile: do the intervals of the two bodies meet anywhere in it? The twin is image_meets_twin.
layout(binding = 0) uniform sampler2D depths;
uniform int side;   // of a tile
uniform int block;  // side of a block
uniform int blocks; // along a side of a tile; the last one may be cut off

layout(location = 0) out uint meets;

void main()
{
    ivec2 at = ivec2(floor(gl_FragCoord.xy)), tile = at / blocks * side;
    ivec2 first = tile + at % blocks * block, end = min(first + block, tile + side);
    bool found = false;
    for (int row = first.y; row < end.y && !found; row++)
        for (int column = first.x; column < end.x && !found; column++)
        {
            vec4 depth = texelFetch(depths, ivec2(column, row), 0);
            found = depth.y >= -depth.z && depth.w >= -depth.x;
        }
    meets = found ? 1u : 0u;
}
