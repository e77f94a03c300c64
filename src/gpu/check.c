/* Comparisons of what a driver draws with what it should: the counting of differences, and the table of checks. */
#include "gpu/check.h"

#include <math.h>
#include <stdio.h>

static void note(gpu_check_result *result, const char *where, double drawn, double computed)
{
    if (result->wrong++ == 0)
        snprintf(result->detail, sizeof result->detail, "%s: drawn %.9g, computed %.9g", where, drawn, computed);
}

void gpu_compare_value(gpu_check_result *result, const char *where, double drawn, double computed)
{
    /* equal infinities differ by nothing */
    double difference = drawn == computed ? 0.0 : fabs(drawn - computed);
    result->compared++;
    if (!(difference <= result->difference))
        result->difference = difference;
    if (!(difference <= result->bound))
        note(result, where, drawn, computed);
}

void gpu_compare_bits(gpu_check_result *result, const char *where, uint32_t drawn, uint32_t computed)
{
    double difference = fabs((double)drawn - (double)computed);
    result->compared++;
    if (drawn == computed)
        return;
    if (difference > result->difference)
        result->difference = difference;
    if (result->wrong++ == 0)
        snprintf(result->detail, sizeof result->detail, "%s: drawn 0x%08x, computed 0x%08x", where, drawn, computed);
}

void gpu_compare_plane(gpu_check_result *result, const gpu_compared_plane *plane, const void *drawn,
                       const void *computed, size_t texels)
{
    size_t word = plane->bytes ? 1 : 4;
    for (size_t i = 0; i < texels * plane->components; i++)
    {
        uint32_t pair[2] = {0, 0}; /* bytes as numbers: little-endian or not does not matter, both are alike */
        memcpy(&pair[0], (const char *)drawn + i * word, word);
        memcpy(&pair[1], (const char *)computed + i * word, word);
        if (pair[0] == pair[1])
        {
            result->compared++;
            continue;
        }
        char where[96];
        size_t texel = i / plane->components;
        snprintf(where, sizeof where, "%s, texel (%u, %u), component %u", plane->name, (unsigned)(texel % plane->width),
                 (unsigned)(texel / plane->width), (unsigned)(i % plane->components));
        gpu_compare_bits(result, where, pair[0], pair[1]);
    }
}

static const gpu_check checks[] = {
    {"clear", check_clear},
};

const gpu_check *gpu_check_at(uint32_t index) { return index < sizeof checks / sizeof *checks ? &checks[index] : NULL; }
