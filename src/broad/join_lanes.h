/* join_lanes: pairs of a box and eight others, sure or not. Only for *_simd.c files. */
#ifndef BROAD_JOIN_LANES_H
#define BROAD_JOIN_LANES_H

#include "broad/groups_lanes.h"
#include "broad/join.h"

/* More than what rounding has added to two boxes of which one is within these bounds, and that are about there. The
 * other box's rounding need not be known, for where two coordinates differ by less than this they are about as large.
 * Near the largest floats, which stand for larger numbers, too, nothing is sure. */
static BASE_ALWAYS_INLINE f8 slack_of(const box8 *bounds, float margin)
{
    f8 size = f8_set1(margin);
    for (int axis = 0; axis < 3; axis++)
        size = f8_max(size, f8_max(f8_abs(bounds->low[axis]), f8_abs(bounds->high[axis])));
    f8 slack = f8_add(f8_mul(size, f8_set1(0x1p-18f)), f8_set1(1e-29f));
    return f8_select(f8_gt(size, f8_set1(1e37f)), f8_set1(INFINITY), slack);
}

/* Where what is found goes; copies of a join's fields, which stores through them would otherwise hide from the
 * compiler. */
typedef struct target
{
    uint64_t *pairs, *unsure;
} target;

static BASE_ALWAYS_INLINE target begin_target(broad_join *join)
{
    return (target){join->pairs + join->pair_count, join->unsure + join->unsure_count};
}

static BASE_ALWAYS_INLINE void end_target(broad_join *join, const target *to)
{
    join->pair_count = (uint32_t)(to->pairs - join->pairs);
    join->unsure_count = (uint32_t)(to->unsure - join->unsure);
}

static BASE_RARE uint64_t *add_unsure(uint64_t *to, const uint32_t *slots, uint32_t slot, uint32_t mask)
{
    for (; mask; mask &= mask - 1)
        *to++ = broad_pack(slots[__builtin_ctz(mask)], slot);
    return to;
}

/* A box against eight others, of which it is known by how much they meet. */
static BASE_ALWAYS_INLINE void add_pairs(target *to, f8 by, f8 slack, const uint32_t *slots, uint32_t slot)
{
    uint32_t sure = f8_bits(f8_gt(by, slack)), possible = f8_bits(f8_ge(by, f8_zero()));
    simd_store_pairs(to->pairs, slots, slot, sure);
    to->pairs += popcount(sure);
    if (BASE_UNLIKELY(sure != possible))
        to->unsure = add_unsure(to->unsure, slots, slot, possible & ~sure);
}

/* Room for all that some tests may find. */
static BASE_ALWAYS_INLINE void make_room(broad_join *join, uint32_t tests)
{
    uint32_t most = tests * BROAD_LANES;
    if (join->pair_count + most > BROAD_PAIRS || join->unsure_count + most > BROAD_PAIRS)
    {
        join->take(join);
        join->pair_count = join->unsure_count = 0;
    }
}

#endif
