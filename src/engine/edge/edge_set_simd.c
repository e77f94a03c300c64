/* Eight edges against one box: separating axes, the box's own three and their cross products with the edge. Every
 * version is conservative, so the pairs that come out in the end are the same. */
#include "base/simd.h"
#include "engine/edge/edge.h"

typedef struct box_lanes
{
    f8 centre[3], half[3], slack;
} box_lanes;

/* The bits of the edges that a direction across axis i separates from the box. */
static BASE_ALWAYS_INLINE f8 apart_across(const box_lanes *box, const f8 way[3], const f8 half[3], int i)
{
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    f8 distance = f8_abs(f8_msub(way[j], half[k], f8_mul(way[k], half[j])));
    f8 reach = f8_madd(box->half[j], f8_abs(half[k]), f8_madd(box->half[k], f8_abs(half[j]), box->slack));
    return f8_gt(distance, reach);
}

static BASE_ALWAYS_INLINE uint32_t find_near(const edge_group *group, const box_lanes *box)
{
    f8 way[3], half[3], apart = f8_zero();
    for (int i = 0; i < 3; i++)
    {
        half[i] = f8_load(group->half[i]);
        way[i] = f8_sub(f8_load(group->middle[i]), box->centre[i]);
        apart = f8_or(apart, f8_gt(f8_abs(way[i]), f8_add(box->half[i], f8_abs(half[i]))));
    }
    if (f8_bits(apart) == 0xff)
        return 0;
    for (int i = 0; i < 3; i++)
        apart = f8_or(apart, apart_across(box, way, half, i));
    return ~f8_bits(apart) & 0xff;
}

uint32_t BASE_ISA(edge_find) EDGE_FIND_PARAMETERS
{
    box_lanes lanes = {.slack = f8_set1(box->slack)};
    for (int i = 0; i < 3; i++)
        lanes.centre[i] = f8_set1(box->centre[i]), lanes.half[i] = f8_set1(box->half[i]);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count && found < limit; i++)
    {
        uint32_t near = find_near(&groups[i], &lanes);
        if (near != 0)
            hits[found++] = (uint64_t)i << 8 | near;
    }
    return found;
}
