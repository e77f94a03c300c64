/* brute: all triangles of one body against all of the other, behind boxes tested eight at a time. The reference. */
#ifndef ENGINE_BRUTE_H
#define ENGINE_BRUTE_H

#include "engine/engine.h"

/* World boxes of eight triangles, rounded outwards; unused lanes are empty (min > max). */
typedef struct brute_group
{
    float min[3][8], max[3][8];
} brute_group;

/* Groups with a box that overlaps `box` (min xyz, max xyz): group << 8 | lanes into hits, which has room for `count`.
 * Returns how many. */
#define BRUTE_FIND_NEAR_PARAMETERS (const brute_group *groups, uint32_t count, const float box[6], uint64_t *hits)
typedef uint32_t brute_find_near_fn BRUTE_FIND_NEAR_PARAMETERS;
BASE_DECLARE_ISA(uint32_t, brute_find_near, BRUTE_FIND_NEAR_PARAMETERS);

#endif
