/* Comparisons of what a driver draws with what it should: the counting of differences, and the table of checks. */
#include "gpu/check.h"

#include <math.h>
#include <stdio.h>

void gpu_compare_value(gpu_check_result *result, const char *where, double drawn, double computed)
{
    /* equal infinities differ by nothing */
    double difference = drawn == computed ? 0.0 : fabs(drawn - computed);
    result->compared++;
    if (!(difference <= result->difference))
        result->difference = difference;
    if (!(difference <= result->bound) && result->wrong++ == 0)
        snprintf(result->detail, sizeof result->detail, "%s: drawn %.9g, computed %.9g", where, drawn, computed);
}

void gpu_compare_bits(gpu_check_result *result, const char *where, uint32_t drawn, uint32_t computed)
{
    result->compared++;
    if (drawn == computed)
        return;
    double difference = fabs((double)drawn - (double)computed);
    if (difference > result->difference)
        result->difference = difference;
    if (result->wrong++ == 0)
        snprintf(result->detail, sizeof result->detail, "%s: drawn 0x%x, computed 0x%x", where, drawn, computed);
}

enum
{
    PLACE_SIZE = 96
};

static const char *name_place(const gpu_compared *image, size_t component, char out[PLACE_SIZE])
{
    uint32_t components = image->components ? image->components : 1;
    size_t texel = component / components;
    snprintf(out, PLACE_SIZE, "%.40s, texel (%u, %u), component %u", image->name, (unsigned)(texel % image->width),
             (unsigned)(texel / image->width), (unsigned)(component % components));
    return out;
}

void gpu_compare_floats(gpu_check_result *result, const gpu_compared *image, const float *drawn, const float *computed)
{
    char place[PLACE_SIZE];
    for (size_t i = 0; i < image->texels * image->components; i++)
        if (drawn[i] == computed[i])
            result->compared++;
        else
            gpu_compare_value(result, name_place(image, i, place), drawn[i], computed[i]);
}

void gpu_compare_words(gpu_check_result *result, const gpu_compared *image, const void *drawn, const void *computed)
{
    char place[PLACE_SIZE];
    size_t size = image->components ? 4 : 1, count = image->texels * (image->components ? image->components : 1);
    for (size_t i = 0; i < count; i++)
    {
        const unsigned char *a = (const unsigned char *)drawn + i * size,
                            *b = (const unsigned char *)computed + i * size;
        uint32_t words[2] = {a[0], b[0]};
        if (memcmp(a, b, size) == 0)
        {
            result->compared++;
            continue;
        }
        if (size == 4)
            memcpy(&words[0], a, 4), memcpy(&words[1], b, 4);
        gpu_compare_bits(result, name_place(image, i, place), words[0], words[1]);
    }
}

static const gpu_check checks[] = {
    {"clear", check_clear},     {"fetch", check_fetch},   {"elements", check_elements}, {"coverage", check_coverage},
    {"seams", check_seams},     {"strips", check_strips}, {"tiles", check_tiles},       {"instances", check_instances},
    {"cull", check_cull},       {"depth", check_depth},   {"stencil", check_stencil},   {"blend", check_blend},
    {"queries", check_queries},
};

const gpu_check *gpu_check_at(uint32_t index) { return index < sizeof checks / sizeof *checks ? &checks[index] : NULL; }
