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

static inline bool round_is_ball(const narrow_round *round) { return vec3_equal(round->end[0], round->end[1]); }

#endif
