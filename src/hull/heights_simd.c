/* Heights of points over a plane, four at a time. No operation is fused, so every instruction set gives the same bits,
 * and equal points get equal heights. The error bound is derived in docs/exactness.md. */
#include "base/simd.h"
#include "hull/build.h"

void BASE_ISA(hull_heights)(carom_vec3 base, carom_vec3 normal, hull_batch *batch)
{
    const d4 bx = d4_set1(base.x), by = d4_set1(base.y), bz = d4_set1(base.z);
    const d4 nx = d4_set1(normal.x), ny = d4_set1(normal.y), nz = d4_set1(normal.z);
    for (uint32_t i = 0; i < batch->count; i += 4)
    {
        d4 x = d4_sub(d4_loadu(batch->x + i), bx), y = d4_sub(d4_loadu(batch->y + i), by),
           z = d4_sub(d4_loadu(batch->z + i), bz);
        d4_storeu(batch->height + i, d4_add(d4_add(d4_mul(nx, x), d4_mul(ny, y)), d4_mul(nz, z)));
    }
}
