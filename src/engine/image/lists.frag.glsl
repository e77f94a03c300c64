#version 450 core
// Shinya: sorts the list of a pixel and looks for a depth at which both bodies are; see image_shinya.c, with its twin.
#define LONGEST 32

layout(std430, binding = 0) buffer Counts { uint counts[]; };
layout(std430, binding = 1) buffer Entries { uint entries[]; };
uniform ivec2 pixels;

layout(location = 0) out uint verdict;

void main()
{
    ivec2 at = ivec2(floor(gl_FragCoord.xy));
    if (at.x >= pixels.x || at.y >= pixels.y)
        discard;
    int pixel = at.y * pixels.x + at.x;
    uint count = counts[pixel];
    verdict = count > LONGEST ? 2u : 0u;
    uint sorted[LONGEST];
    for (uint i = 0u; i < count && verdict == 0u; i++)
    {
        uint entry = entries[pixel * LONGEST + int(i)];
        uint k = i;
        for (; k > 0u && sorted[k - 1u] > entry; k--)
            sorted[k] = sorted[k - 1u];
        sorted[k] = entry;
    }
    ivec2 inside = ivec2(0);
    for (uint i = 0u; i < count && verdict == 0u; i++)
    {
        inside[sorted[i] >> 1 & 1u] += (sorted[i] & 1u) != 0u ? -1 : 1;
        verdict = inside.x != 0 && inside.y != 0 ? 1u : 0u;
    }
    if (verdict == 0u && inside != ivec2(0))
        verdict = 3u;
    if (verdict == 0u)
        discard;
}
