/* Codes of boxes along Hilbert's curve: cells of four boxes at a time. */
#include "base/simd.h"
#include "broad/order.h"

/* The cells of four boxes along an axis; 0 where not a number. */
static BASE_ALWAYS_INLINE void find_cells(double *cells, d4 low, d4 high, double begin, double scale)
{
    d4 at = d4_mul(d4_sub(d4_add(low, high), d4_set1(begin)), d4_set1(scale));
    d4_storeu(cells, d4_min(d4_max(at, d4_set1(0.0)), d4_set1(BROAD_CURVE_SIDE - 1.0)));
}

static BASE_ALWAYS_INLINE void set_four(const broad_curve *curve, const broad_cube *cube, const carom_aabb *boxes,
                                        uint64_t *items)
{
    d4 first[4], second[4]; /* low x, y, z, high x; low z, high x, y, z */
    double x[4], y[4], z[4];
    for (int i = 0; i < 4; i++)
    {
        const carom_aabb *box = &boxes[(uint32_t)items[i]];
        first[i] = d4_loadu(&box->min.x), second[i] = d4_loadu(&box->min.z);
    }
    d4_transpose(first);
    d4_transpose(second);
    find_cells(x, first[0], first[3], cube->low.x, cube->scale);
    find_cells(y, first[1], second[2], cube->low.y, cube->scale);
    find_cells(z, first[2], second[3], cube->low.z, cube->scale);
    for (int i = 0; i < 4; i++)
    {
        uint32_t code =
            broad_curve_code(curve, (uint32_t)(int32_t)x[i], (uint32_t)(int32_t)y[i], (uint32_t)(int32_t)z[i]);
        items[i] = (uint64_t)code << 32 | (uint32_t)items[i];
    }
}

void BASE_ISA(broad_order_codes)(const broad_curve *curve, const broad_cube *cube, const carom_aabb *boxes,
                                 uint64_t *items, size_t count)
{
    size_t i = 0;
    for (; i + 4 <= count; i += 4)
        set_four(curve, cube, boxes, items + i);
    if (i == count)
        return;
    uint64_t rest[4] = {items[i], items[i], items[i], items[i]};
    for (size_t k = i; k < count; k++)
        rest[k - i] = items[k];
    set_four(curve, cube, boxes, rest);
    for (size_t k = i; k < count; k++)
        items[k] = rest[k - i];
}
