/* One row of a quadtree at a time. A node is a vector: four lanes of smallest coordinates, four of largest ones. */
#include "base/simd.h"
#include "geoimage/quadtree.h"

/* ---- points ---- */

/* Two points; the last lane of each is not theirs, and becomes 0 as everything that would be denormal. */
static BASE_ALWAYS_INLINE f8 two_points(const d4 centre, const d4 scale, const double *low, const double *high)
{
    d4 one = d4_mul(d4_sub(d4_loadu(low), centre), scale), other = d4_mul(d4_sub(d4_loadu(high), centre), scale);
    f8 both = f8_and(f8_from_d4(one, other), f8_load(base_xyz_lanes.v));
    return f8_andnot(f8_lt(f8_abs(both), f8_set1(0x1p-126f)), both);
}

void BASE_ISA(geoimage_normalise_points)(const math_frame *frame, const carom_vec3 *points, size_t count, float *out)
{
    const double corner[4] = {frame->centre.x, frame->centre.y, frame->centre.z, frame->centre.x};
    const d4 centre = d4_loadu(corner), scale = d4_set1(frame->scale);
    size_t i = 0;
    for (; i + 2 < count; i += 2) /* the load of a point reads into the next */
        f8_storeu(out + 4 * i, two_points(centre, scale, (const double *)&points[i], (const double *)&points[i + 1]));
    for (; i < count; i++)
    {
        const double last[4] = {points[i].x, points[i].y, points[i].z, frame->centre.x};
        f8_store_low(out + 4 * i, two_points(centre, scale, last, last));
    }
}

/* ---- nodes ---- */

static BASE_ALWAYS_INLINE f8 join_boxes(f8 lower, f8 a, f8 b) { return f8_select(lower, f8_min(a, b), f8_max(a, b)); }

static BASE_ALWAYS_INLINE f8 lower_half(void) { return f8_lt(f8_two(-1.0f, 1.0f), f8_zero()); }

/* A row of cells. */
void BASE_ISA(geoimage_fit_cells)(const geoimage_levels *levels, const float *points, uint32_t row, float *nodes)
{
    const size_t width = (size_t)levels->columns + 1;
    const float *top = points + 4 * width * row, *bottom = top + 4 * width;
    const f8 lower = lower_half();
    float *out = nodes + 8 * (size_t)row * levels->columns;
    f8 left = join_boxes(lower, f8_twice(top), f8_twice(bottom));
    for (size_t x = 1; x < width; x++, out += 8)
    {
        f8 right = join_boxes(lower, f8_twice(top + 4 * x), f8_twice(bottom + 4 * x));
        f8_store(out, join_boxes(lower, left, right));
        left = right;
    }
}

/* A row of the level above `below`. Where there is no other child the last one counts twice. */
void BASE_ISA(geoimage_fit_parents)(const geoimage_levels *levels, uint32_t below, uint32_t row, float *nodes)
{
    const uint32_t columns = geoimage_level_side(levels->columns, below);
    const uint32_t rows = geoimage_level_side(levels->rows, below);
    const uint32_t next_row = 2 * row + 1 < rows ? 2 * row + 1 : 2 * row;
    const float *top = nodes + 8 * ((size_t)levels->first[below] + (size_t)2 * row * columns);
    const float *bottom = nodes + 8 * ((size_t)levels->first[below] + (size_t)next_row * columns);
    float *out = nodes + 8 * ((size_t)levels->first[below + 1] + (size_t)row * ((columns + 1) / 2));
    const f8 lower = lower_half();
    for (uint32_t x = 0; x < columns; x += 2, out += 8)
    {
        size_t left = 8 * (size_t)x, right = x + 1 < columns ? left + 8 : left;
        f8 one = join_boxes(lower, f8_load(top + left), f8_load(top + right));
        f8 other = join_boxes(lower, f8_load(bottom + left), f8_load(bottom + right));
        f8_store(out, join_boxes(lower, one, other));
    }
}
