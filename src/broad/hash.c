/* Broad phase `hash`: a uniform grid over an unbounded world, whose cells are found by a hash of their coordinates (the
 * chapter's 25.1).
 *
 * Only as many numbers of cells as there are boxes are needed, however large the world is. Cells that share a number
 * cost tests, not answers. Neighbours along x have consecutive numbers; only the other two coordinates are hashed.
 *
 * It pays off for boxes of similar sizes in a large, mostly empty world; boxes of many sizes are slow. */
#include "broad/cells.h"

static carom_status create(carom_context *context, void **out) { return broad_cells_create(context, "hash", out); }

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    broad_cells *cells = state;
    out->count = 0;
    bool enough = broad_cells_begin(cells, input);
    if (enough)
    {
        broad_statistics statistics = broad_cells_measure(&cells->rows, input);
        broad_part part = {.origin = statistics.low, .scale = 1.0 / statistics.cell};
        enough = broad_cells_one_size(cells, input, &part);
    }
    if (!enough || !broad_cells_find(cells, input, out, boxes_tested))
        return base_fail(cells->rows.context, CAROM_OUT_OF_MEMORY, "broad phase hash: no memory for %u boxes",
                         input->slot_count);
    return CAROM_OK;
}

const broad_kind broad_hash = {
    {"hash", "a uniform grid without bounds, hashed: for boxes of similar sizes in a large, mostly empty world"},
    create,
    find_pairs,
    broad_cells_destroy};
