/* The broad phase `topogrid`: the projection test of one box against eight others. */
#include "base/simd.h"
#include "broad/topogrid.h"

uint32_t BASE_ISA(broad_batch_meet)(const broad_batch *batch, uint32_t own, broad_batch_range range, uint32_t *found)
{
    const float *bounds = batch->bounds;
    size_t stride = batch->stride;
    f8 low[3], high[3];
    uint32_t count = 0;
    for (size_t axis = 0; axis < 3; axis++)
    {
        low[axis] = f8_set1(bounds[own + axis * stride]);
        high[axis] = f8_set1(bounds[own + (axis + 3) * stride]);
    }
    for (uint32_t at = range.first; at < range.last; at += 8)
    {
        const float *other = bounds + at;
        f8 x = f8_and(f8_le(f8_loadu(other), high[0]), f8_ge(f8_loadu(other + 3 * stride), low[0]));
        f8 y = f8_and(f8_le(f8_loadu(other + stride), high[1]), f8_ge(f8_loadu(other + 4 * stride), low[1]));
        f8 z = f8_and(f8_le(f8_loadu(other + 2 * stride), high[2]), f8_ge(f8_loadu(other + 5 * stride), low[2]));
        uint32_t mask = f8_bits(f8_and(f8_and(x, y), z));
        simd_store_set_lanes(found + count, at, mask);
        count += (uint32_t)__builtin_popcount(mask);
    }
    while (count > 0 && found[count - 1] >= range.last) /* of the last eight, some may be behind the range */
        count--;
    return count;
}
