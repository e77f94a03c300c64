/* Broad phase `grid`: a uniform grid over the place where most boxes are (the chapter's 25.1).
 *
 * Cells are as large as all but a few boxes, which are kept apart, and at most about two per box. Boxes outside the
 * grid are in its outermost cells. It is made anew in each call, by counting.
 *
 * It pays off for boxes of similar sizes, evenly spread; boxes of many sizes, or crowded in a few places of a large
 * world, are slow. */
#include "broad/cells.h"

static carom_status create(carom_context *context, void **out) { return broad_cells_create(context, "grid", out); }

/* How many cells of a size there are along each axis; larger cells if there were too many. */
static broad_part choose_grid(const broad_statistics *statistics)
{
    const double max_side = 0x1p20, max_cells = 2.0 * statistics->count + 64.0;
    broad_part part = {.origin = statistics->low};
    double cell = statistics->cell, cells;
    for (;;)
    {
        cells = 1.0;
        for (int axis = 0; axis < 3; axis++)
        {
            double side = (vec3_at(&statistics->high, axis) - vec3_at(&statistics->low, axis)) / cell;
            side = side > 1.0 ? (side < max_side ? ceil(side) : max_side) : 1.0;
            part.sides[axis] = (int64_t)side;
            cells *= side;
        }
        if (cells <= max_cells || !(cell < 1e290))
            break;
        cell *= fmax(1.05, fmin(cbrt(cells / max_cells), 1e10));
    }
    part.scale = 1.0 / cell;
    if (cells > max_cells)
        part.sides[0] = part.sides[1] = part.sides[2] = 1;
    return part;
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    broad_cells *cells = state;
    out->count = 0;
    bool enough = broad_cells_begin(cells, input);
    if (enough)
    {
        broad_statistics statistics = broad_cells_measure(&cells->rows, input);
        broad_part part = choose_grid(&statistics);
        enough = broad_cells_one_size(cells, input, &part);
    }
    if (!enough || !broad_cells_find(cells, input, out, boxes_tested))
        return base_fail(cells->rows.context, CAROM_OUT_OF_MEMORY, "broad phase grid: no memory for %u boxes",
                         input->slot_count);
    return CAROM_OK;
}

const broad_kind broad_grid = {{"grid", "a uniform grid: for boxes of similar sizes that are evenly spread"},
                               create,
                               find_pairs,
                               broad_cells_destroy};
