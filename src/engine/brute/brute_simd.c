/* One box against eight. Comparisons only, so every instruction set gives the same lanes. */
#include "base/simd.h"
#include "engine/brute/brute.h"

uint32_t BASE_ISA(brute_find_near) BRUTE_FIND_NEAR_PARAMETERS
{
    const f8 min_x = f8_set1(box[0]), min_y = f8_set1(box[1]), min_z = f8_set1(box[2]);
    const f8 max_x = f8_set1(box[3]), max_y = f8_set1(box[4]), max_z = f8_set1(box[5]);
    uint32_t found = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        const brute_group *group = &groups[i];
        f8 x = f8_and(f8_le(f8_load(group->min[0]), max_x), f8_ge(f8_load(group->max[0]), min_x));
        f8 y = f8_and(f8_le(f8_load(group->min[1]), max_y), f8_ge(f8_load(group->max[1]), min_y));
        f8 z = f8_and(f8_le(f8_load(group->min[2]), max_z), f8_ge(f8_load(group->max[2]), min_z));
        uint32_t lanes = f8_bits(f8_and(f8_and(x, y), z));
        if (lanes != 0)
            hits[found++] = (uint64_t)i << 8 | lanes;
    }
    return found;
}
