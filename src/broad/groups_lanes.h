/* groups_lanes: a box against the eight of a group. Only for *_simd.c files. */
#ifndef BROAD_GROUPS_LANES_H
#define BROAD_GROUPS_LANES_H

#include "base/simd.h"
#include "broad/groups.h"

/* A box in all lanes. */
typedef struct box8
{
    f8 low[3], high[3];
} box8;

static BASE_ALWAYS_INLINE box8 lane_box(const broad_group *group, uint32_t lane)
{
    box8 box;
    for (int axis = 0; axis < 3; axis++)
    {
        box.low[axis] = f8_set1(group->low[axis][lane]);
        box.high[axis] = f8_set1(group->high[axis][lane]);
    }
    return box;
}

static BASE_ALWAYS_INLINE uint32_t meet(const broad_group *group, const box8 *box)
{
    f8 x = f8_and(f8_le(f8_load(group->low[0]), box->high[0]), f8_ge(f8_load(group->high[0]), box->low[0]));
    f8 y = f8_and(f8_le(f8_load(group->low[1]), box->high[1]), f8_ge(f8_load(group->high[1]), box->low[1]));
    f8 z = f8_and(f8_le(f8_load(group->low[2]), box->high[2]), f8_ge(f8_load(group->high[2]), box->low[2]));
    return f8_bits(f8_and(f8_and(x, y), z));
}

static BASE_ALWAYS_INLINE uint32_t popcount(uint32_t mask) { return (uint32_t)__builtin_popcount(mask); }

/* A group still to be visited. */
typedef struct group_visit
{
    uint32_t level, index;
} group_visit;

#endif
