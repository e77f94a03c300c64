/* Codes of boxes along Hilbert's curve: cells of four boxes at a time. */
#include "base/simd.h"
#include "broad/order.h"

/* The cells of four boxes along an axis; 0 where not a number. */
static BASE_ALWAYS_INLINE void find_cells(double *cells, d4 low, d4 high, double begin, const broad_cube *cube)
{
    d4 at = d4_mul(d4_sub(d4_add(low, high), d4_set1(begin)), d4_set1(cube->scale));
    double last = cube->is_fine ? BROAD_CURVE_SIDE - 1.0 : BROAD_COARSE_SIDE - 1.0;
    d4_storeu(cells, d4_min(d4_max(at, d4_set1(0.0)), d4_set1(last)));
}

static BASE_ALWAYS_INLINE void set_four(const broad_curve *curve, const broad_cube *cube, const carom_aabb *boxes,
                                        broad_items items, int steps)
{
    d4 first[4], second[4]; /* low x, y, z, high x; low z, high x, y, z */
    double x[4], y[4], z[4];
    for (int i = 0; i < 4; i++)
    {
        const carom_aabb *box = &boxes[(uint32_t)items.from[i]];
        first[i] = d4_loadu((const double *)box), second[i] = d4_loadu((const double *)box + 2);
    }
    d4_transpose(first);
    d4_transpose(second);
    find_cells(x, first[0], first[3], cube->low.x, cube);
    find_cells(y, first[1], second[2], cube->low.y, cube);
    find_cells(z, first[2], second[3], cube->low.z, cube);
    for (int i = 0; i < 4; i++)
    {
        uint32_t cell[3] = {(uint32_t)(int32_t)x[i], (uint32_t)(int32_t)y[i], (uint32_t)(int32_t)z[i]};
        items.to[i] = (uint64_t)broad_curve_walk(curve, cell, steps) << 32 | (uint32_t)items.from[i];
    }
}

static BASE_ALWAYS_INLINE void set_all(const broad_curve *curve, const broad_cube *cube, const carom_aabb *boxes,
                                       broad_items items, int steps)
{
    for (; items.count >= 4; items.from += 4, items.to += 4, items.count -= 4)
        set_four(curve, cube, boxes, items, steps);
    if (items.count == 0)
        return;
    uint64_t rest[4] = {items.from[0], items.from[0], items.from[0], items.from[0]};
    memcpy(rest, items.from, items.count * sizeof *rest);
    set_four(curve, cube, boxes, (broad_items){rest, rest, 4}, steps);
    memcpy(items.to, rest, items.count * sizeof *rest);
}

void BASE_ISA(broad_order_codes)(const broad_curve *curve, const broad_cube *cube, const carom_aabb *boxes,
                                 broad_items items)
{
    if (cube->is_fine)
        set_all(curve, cube, boxes, items, BROAD_FINE_STEPS);
    else
        set_all(curve, cube, boxes, items, BROAD_COARSE_STEPS);
}
