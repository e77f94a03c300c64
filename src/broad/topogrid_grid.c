/* The grid paper's octree grid: depth, planes, location of boxes, and the record of a cell.
 *
 * A cell is found by a product that rounding may move by one, then by comparing with the planes, which are the same
 * doubles for all. So a box is in exactly the cells that it has points in, wherever it is and however large. Neighbours
 * are found by integer coordinates: the paper's sums of cell numbers wrap around at the grid's sides, and repeat at two
 * cells per axis. */
#include "broad/broad.h"

/* ---- depth ---- */

static bool is_finite_box(const carom_aabb *box)
{
    const double limit = 1e300; /* so that no difference overflows */
    return !broad_is_empty(box) && box->min.x > -limit && box->min.y > -limit && box->min.z > -limit &&
           box->max.x < limit && box->max.y < limit && box->max.z < limit;
}

static double longest_side(const carom_aabb *box)
{
    return fmax(box->max.x - box->min.x, fmax(box->max.y - box->min.y, box->max.z - box->min.z));
}

broad_grid_extent broad_grid_no_extent(void) { return (broad_grid_extent){.box = aabb_empty()}; }

void broad_grid_add_box(broad_grid_extent *extent, const carom_aabb *box, bool is_static)
{
    if (broad_is_empty(box))
        return;
    extent->count++;
    if (!is_finite_box(box))
        return;
    extent->box = aabb_add_point(aabb_add_point(extent->box, box->min), box->max);
    if (!is_static)
        extent->largest_mover = fmax(extent->largest_mover, longest_side(box));
}

double broad_grid_length(const broad_grid_extent *extent)
{
    const double min_length = 1e-290; /* of which 1 / cell is finite */
    double length = broad_is_empty(&extent->box) ? 0.0 : longest_side(&extent->box);
    return length > min_length ? length : 0.0;
}

uint32_t broad_grid_max_depth(double length, double largest_mover)
{
    uint32_t depth = 0;
    while (depth < BROAD_GRID_MAX_DEPTH && largest_mover <= ldexp(length, -(int)depth - 1))
        depth++;
    return depth;
}

uint32_t broad_grid_choose_depth(const broad_grid_extent *extent)
{
    enum
    {
        MIN_DEPTH = 2, /* larger movers are in more cells than eight, which costs less than one cell for all */
        GOOD_DEPTH = 4
    };
    uint32_t max_depth = broad_grid_max_depth(broad_grid_length(extent), extent->largest_mover), depth = MIN_DEPTH;
    while (depth < max_depth && (depth < GOOD_DEPTH || extent->count > 8u << 3 * depth))
        depth++;
    return depth;
}

/* ---- cells ---- */

void broad_grid_make(broad_octree_grid *grid, const broad_grid_extent *extent, uint32_t depth)
{
    double length = broad_grid_length(extent);
    grid->depth = length > 0.0 ? depth : 0;
    grid->side = 1u << grid->depth;
    grid->low = length > 0.0 ? extent->box.min : (carom_vec3){0, 0, 0};
    grid->cell = ldexp(length, -(int)grid->depth);
    grid->scale = length > 0.0 ? 1.0 / grid->cell : 0.0;
    for (int axis = 0; axis < 3; axis++)
    {
        double *planes = grid->planes[axis];
        for (uint32_t i = 1; i < grid->side; i++)
            planes[i] = vec3_at(&grid->low, axis) + (double)i * grid->cell;
        planes[0] = -INFINITY, planes[grid->side] = INFINITY;
    }
}

/* Planes ascend, but two may be equal where cells are smaller than doubles can tell: the cell between them is empty. */
static uint8_t find_cell(const broad_octree_grid *grid, int axis, double at)
{
    const double *planes = grid->planes[axis];
    double guess = (at - vec3_at(&grid->low, axis)) * grid->scale, last = (double)(grid->side - 1);
    uint32_t cell = guess > 0.0 ? (uint32_t)(guess < last ? guess : last) : 0;
    while (at < planes[cell])
        cell--;
    while (cell + 1 < grid->side && at >= planes[cell + 1])
        cell++;
    return (uint8_t)cell;
}

broad_cell_range broad_grid_locate(const broad_octree_grid *grid, const carom_aabb *box)
{
    broad_cell_range range;
    for (int axis = 0; axis < 3; axis++)
    {
        range.low[axis] = find_cell(grid, axis, vec3_at(&box->min, axis));
        range.high[axis] = find_cell(grid, axis, vec3_at(&box->max, axis));
    }
    return range;
}

void broad_grid_record(const broad_octree_grid *grid, uint32_t number, broad_cell_record *out)
{
    uint32_t at[3] = {number & (grid->side - 1), number >> grid->depth & (grid->side - 1), number >> 2 * grid->depth};
    uint32_t low[3], high[3];
    out->number = number, out->neighbour_count = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        low[axis] = at[axis] > 0 ? at[axis] - 1 : 0;
        high[axis] = at[axis] + 1 < grid->side ? at[axis] + 1 : at[axis];
        *vec3_part(&out->box.min, axis) = grid->planes[axis][at[axis]];
        *vec3_part(&out->box.max, axis) = grid->planes[axis][at[axis] + 1];
    }
    for (uint32_t c = low[2]; c <= high[2]; c++)
        for (uint32_t b = low[1]; b <= high[1]; b++)
            for (uint32_t a = low[0]; a <= high[0]; a++)
                out->neighbours[out->neighbour_count++] = broad_grid_number(grid, a, b, c);
}
