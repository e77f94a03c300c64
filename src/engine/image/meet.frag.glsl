#version 450 core
// A pixel per tile: do the intervals of the two bodies meet anywhere in it? The twin is image_meets_twin.
layout(binding = 0) uniform sampler2D depths;
uniform int side;

layout(location = 0) out uint meets;

void main()
{
    ivec2 first = ivec2(floor(gl_FragCoord.xy)) * side;
    bool found = false;
    for (int row = 0; row < side && !found; row++)
        for (int column = 0; column < side && !found; column++)
        {
            vec4 at = texelFetch(depths, first + ivec2(column, row), 0);
            found = at.y >= -at.z && at.w >= -at.x;
        }
    meets = found ? 1u : 0u;
}
