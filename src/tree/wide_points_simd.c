/* Support heights of points in the directions of a patch of the table (wide_support.c). A point that is not above the
 * patch's highest point at any corner of the patch is not above it anywhere in the patch, since heights are linear in
 * the direction; few points are left, and each of those is measured in every direction. */
#include "base/simd.h"
#include "tree/wide.h"

enum
{
    BLOCK = 512 /* points that are filtered at a time */
};

static BASE_ALWAYS_INLINE f8 along(const float u[3], f8 x, f8 y, f8 z)
{
    return f8_madd(f8_set1(u[0]), x, f8_madd(f8_set1(u[1]), y, f8_mul(f8_set1(u[2]), z)));
}

static void find_highest(const wide_points *points, const float u[3], float out[3])
{
    f8 best = f8_set1(-3e38f), x = f8_zero(), y = x, z = x;
    for (uint32_t i = 0; i < points->count; i += WIDE_LANES)
    {
        f8 px = f8_loadu(points->x + i), py = f8_loadu(points->y + i), pz = f8_loadu(points->z + i);
        f8 height = along(u, px, py, pz), higher = f8_gt(height, best);
        best = f8_max(height, best);
        x = f8_select(higher, px, x), y = f8_select(higher, py, y), z = f8_select(higher, pz, z);
    }
    float heights[WIDE_LANES], each[3][WIDE_LANES];
    f8_storeu(heights, best), f8_storeu(each[0], x), f8_storeu(each[1], y), f8_storeu(each[2], z);
    int lane = 0;
    for (int i = 1; i < WIDE_LANES; i++)
        lane = heights[i] > heights[lane] ? i : lane;
    for (int k = 0; k < 3; k++)
        out[k] = each[k][lane];
}

/* The points of [first, last) that are above `top` at a corner of the patch. */
static uint32_t keep_higher(const wide_points *points, uint32_t first, const wide_patch *patch, const float top[3],
                            float kept[3][BLOCK])
{
    uint32_t n = 0, last = points->count - first > BLOCK ? first + BLOCK : points->count;
    for (uint32_t i = first; i < last; i += WIDE_LANES)
    {
        f8 x = f8_sub(f8_loadu(points->x + i), f8_set1(top[0]));
        f8 y = f8_sub(f8_loadu(points->y + i), f8_set1(top[1]));
        f8 z = f8_sub(f8_loadu(points->z + i), f8_set1(top[2]));
        f8 above = f8_max(f8_max(along(patch->corner[0], x, y, z), along(patch->corner[1], x, y, z)),
                          f8_max(along(patch->corner[2], x, y, z), along(patch->corner[3], x, y, z)));
        for (uint32_t bits = f8_bits(f8_gt(above, f8_zero())); bits; bits &= bits - 1, n++)
        {
            uint32_t at = i + (uint32_t)__builtin_ctz(bits);
            kept[0][n] = points->x[at], kept[1][n] = points->y[at], kept[2][n] = points->z[at];
        }
    }
    return n;
}

/* Raises the heights in three vectors of directions to those of the points. */
static BASE_ALWAYS_INLINE void raise(float kept[3][BLOCK], uint32_t count, const wide_patch *patch, uint32_t at,
                                     float *heights)
{
    f8 ux[WIDE_PATCH_VECTORS], uy[WIDE_PATCH_VECTORS], uz[WIDE_PATCH_VECTORS], best[WIDE_PATCH_VECTORS];
    for (uint32_t v = 0; v < WIDE_PATCH_VECTORS; v++)
    {
        uint32_t first = at + v * WIDE_LANES;
        ux[v] = f8_loadu(patch->u[0] + first), uy[v] = f8_loadu(patch->u[1] + first);
        uz[v] = f8_loadu(patch->u[2] + first), best[v] = f8_loadu(heights + first);
    }
    for (uint32_t i = 0; i < count; i++)
    {
        f8 x = f8_set1(kept[0][i]), y = f8_set1(kept[1][i]), z = f8_set1(kept[2][i]);
        for (uint32_t v = 0; v < WIDE_PATCH_VECTORS; v++)
            best[v] = f8_max(f8_madd(ux[v], x, f8_madd(uy[v], y, f8_mul(uz[v], z))), best[v]);
    }
    for (uint32_t v = 0; v < WIDE_PATCH_VECTORS; v++)
        f8_storeu(heights + at + v * WIDE_LANES, best[v]);
}

void BASE_ISA(wide_patch_heights)(const wide_points *points, const wide_patch *patch, float heights[WIDE_PATCH_ENTRIES])
{
    enum
    {
        STEP = WIDE_PATCH_VECTORS * WIDE_LANES
    };
    float top[3], kept[3][BLOCK];
    find_highest(points, patch->centre, top);
    for (uint32_t i = 0; i < patch->count; i++)
        heights[i] = -3e38f;
    kept[0][0] = top[0], kept[1][0] = top[1], kept[2][0] = top[2];
    for (uint32_t at = 0; at < patch->count; at += STEP)
        raise(kept, 1, patch, at, heights);
    for (uint32_t first = 0; first < points->count; first += BLOCK)
    {
        uint32_t count = keep_higher(points, first, patch, top, kept);
        for (uint32_t at = 0; at < patch->count && count > 0; at += STEP)
            raise(kept, count, patch, at, heights);
    }
}
