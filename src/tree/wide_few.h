/* Up to four triangles of a run, one per lane, straight from the builder's sorted corners. Private to the kernels. */
#ifndef TREE_WIDE_FEW_H
#define TREE_WIDE_FEW_H

#include "base/simd.h"
#include "tree/wide_build.h"

/* p[0], p[3], p[6], p[9] in either half: one corner's coordinate of four triangles. Loads that overlap are blended,
 * since a vector that was put together from single floats in memory would have to wait for them. */
static BASE_ALWAYS_INLINE f8 wide_few_lanes(const float *p)
{
    static const float LANE[4] = {0.0f, 1.0f, 2.0f, 3.0f};
    const f8 lane = f8_twice(LANE), one = f8_set1(1.0f), two = f8_set1(2.0f);
    f8 low = f8_select(f8_lt(lane, one), f8_twice(p), f8_twice(p + 2));
    f8 high = f8_select(f8_gt(lane, two), f8_twice(p + 6), f8_twice(p + 4));
    return f8_select(f8_lt(lane, two), low, high);
}

#endif
