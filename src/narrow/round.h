/* What the files about balls and capsules share. */
#ifndef NARROW_ROUND_H
#define NARROW_ROUND_H

#include "narrow/shape.h"

/* The segment or point inside, as the triangle without area that it is. The same for either order of the ends. */
static inline narrow_triangle round_core(const narrow_round *round)
{
    carom_vec3 low = round->end[0], high = round->end[1];
    shape_sort2(&low, &high);
    return (narrow_triangle){{low, high, high}};
}

/* Without branches: a list may hold both. */
static inline bool round_is_ball(const narrow_round *round)
{
    carom_vec3 p = round->end[0], q = round->end[1];
    return (p.x == q.x) & (p.y == q.y) & (p.z == q.z);
}

#endif
