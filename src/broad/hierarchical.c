/* Broad phase `hierarchical`: a hashed grid per size of boxes (the chapter's 25.1).
 *
 * The sizes of cells are powers of two, and each box is in the grid of the smallest cells that are larger than itself;
 * it is tested against boxes in its own grid and in those of larger cells. (The chapter wants cells smaller than the
 * box; then a box would be in many.) Grids with few boxes, in all or per cell, are merged with the next larger
 * one.
 *
 * It pays off for boxes of very different sizes; for boxes of one size it is `hash`. */
#include "broad/cells.h"

typedef struct hierarchical_state
{
    broad_cells cells;
    uint32_t counts[BROAD_CELL_LEVELS]; /* boxes by the exponent of their size */
    uint32_t part[BROAD_CELL_LEVELS];   /* of the first role among them; the other roles are in the next ones */
} hierarchical_state;

static void destroy(void *state)
{
    hierarchical_state *own = state;
    carom_context *context = own->cells.rows.context;
    broad_cells_close(&own->cells);
    base_release(context, own, 1, sizeof *own);
}

static carom_status create(carom_context *context, void **out)
{
    hierarchical_state *own = base_allocate(context, 1, sizeof *own, BASE_CACHE_LINE);
    *out = NULL;
    if (!own || !broad_cells_open(&own->cells, context))
    {
        if (own)
            destroy(own);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase hierarchical: no memory");
    }
    *out = own;
    return CAROM_OK;
}

/* The exponent, as a double has it, of the smallest cell larger than the box; BROAD_HUGE for what is infinite. A box
 * far from the origin is as large as what doubles can tell apart there: so the numbers of cells stay small. */
static uint32_t exponent_of(const carom_aabb *box)
{
    enum
    {
        LOWEST = 24, /* its inverse is finite */
        HIGHEST = 2020
    };
    double size = 0.0;
    for (int axis = 0; axis < 3; axis++)
    {
        double low = vec3_at(&box->min, axis), high = vec3_at(&box->max, axis);
        size = fmax(size, fmax(high - low, fmax(fabs(low), fabs(high)) * 0x1p-38));
    }
    uint64_t bits;
    memcpy(&bits, &size, sizeof bits);
    uint32_t exponent = (uint32_t)(bits >> 52) + 1;
    return exponent > HIGHEST ? BROAD_HUGE : exponent < LOWEST ? (uint32_t)LOWEST : exponent;
}

static double power_of_two(uint64_t exponent)
{
    uint64_t bits = exponent << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Lists the boxes; instead of its part, each has the exponent of its size, by which parts are chosen. */
static void list_boxes(hierarchical_state *own, const broad_input *input)
{
    broad_cells *cells = &own->cells;
    memset(own->counts, 0, sizeof own->counts);
    for (uint32_t i = 0; i < input->slot_count; i++)
    {
        if (broad_rows_role(&cells->rows, i) == BROAD_IDLE)
            continue;
        carom_aabb box = broad_grow(&input->boxes[i], cells->half_margin);
        uint32_t exponent = exponent_of(&box);
        if (exponent != BROAD_HUGE)
            own->counts[exponent]++;
        cells->items.items[cells->items.count++] = (broad_cell_item){i, exponent, 0};
    }
}

/* Boxes per cell if they were evenly spread. */
static double density(const broad_statistics *statistics, double side)
{
    double cells = 1.0;
    for (int axis = 0; axis < 3; axis++)
        cells *= fmax(1.0, (vec3_at(&statistics->high, axis) - vec3_at(&statistics->low, axis)) / side);
    return statistics->count / cells;
}

/* Which sizes of cells there are: cells much smaller than the distance from box to box save nothing. */
static bool choose_levels(hierarchical_state *own, const broad_input *input)
{
    const double min_density = 0.0625;
    broad_cells *cells = &own->cells;
    broad_statistics statistics = broad_cells_measure(&cells->rows, input);
    uint32_t min_count = 8 + (uint32_t)(cells->items.count / 32), waiting = 0, first = 0, last = 0;
    for (uint32_t i = 0; i < BROAD_CELL_LEVELS; i++)
        last = own->counts[i] ? i : last;
    for (uint32_t i = 0; i <= last; i++)
    {
        waiting += own->counts[i];
        if (i < last && (waiting < min_count || density(&statistics, power_of_two(i)) < min_density))
            continue;
        for (; first <= i; first++)
            own->part[first] = (uint32_t)cells->parts.count;
        if (!broad_cells_add_parts(cells, &(broad_part){.level = i, .scale = power_of_two(2 * 1023 - i)}))
            return false;
        waiting = 0;
    }
    return true;
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    hierarchical_state *own = state;
    broad_cells *cells = &own->cells;
    out->count = 0;
    bool enough = broad_cells_begin(cells, input);
    if (enough)
        list_boxes(own, input);
    enough = enough && choose_levels(own, input);
    for (size_t i = 0; i < cells->items.count && enough; i++)
    {
        broad_cell_item *item = &cells->items.items[i];
        if (item->part != BROAD_HUGE)
            item->part = own->part[item->part] + broad_rows_role(&cells->rows, item->slot);
    }
    if (!enough || !broad_cells_find(cells, input, out, boxes_tested))
        return base_fail(cells->rows.context, CAROM_OUT_OF_MEMORY, "broad phase hierarchical: no memory for %u boxes",
                         input->slot_count);
    return CAROM_OK;
}

const broad_kind broad_hierarchical = {
    {"hierarchical", "a hashed grid per size: for boxes of very different sizes"}, create, find_pairs, destroy};
