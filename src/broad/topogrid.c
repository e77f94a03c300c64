/* Broad phase `topogrid`: the grid paper's topological grid (Wang, Xu 2017, sections 2.2, 2.4 and 3.1).
 *
 * Each cell lists the boxes that have points in it, moving and static ones apart. A box that moves is listed anew only
 * when it enters or leaves a cell, so static boxes and most moving ones cost nothing but their bounds. In each cell
 * with movers, these are tested against each other and against the static boxes by their projections on x, y and z,
 * eight at a time. Two boxes with several cells in common are listed in the one with the largest of their lowest
 * coordinates. Boxes in more cells than MAX_CELLS are kept apart, and tested against all movers.
 *
 * The grid is chosen in the first call, and again when many boxes are outside of it or there are many more. The
 * engine's cut_size gives large static bodies as the parts that fit a cell.
 *
 * It pays off for some hundred movers, small against the scene, among static bodies; neither for one that is far away
 * nor for movers of very different sizes. */
#include "broad/rows.h"

enum
{
    MAX_CELLS = 64,
    PADDING = 8,     /* of a batch */
    MIN_CALLS = 16,  /* before the grid is chosen again */
    MANY_OUTSIDE = 8 /* one of so many boxes may be outside */
};

typedef enum slot_place
{
    NOWHERE = 0, /* empty */
    IN_CELLS,
    APART /* too large for cells */
} slot_place;

typedef struct grid_slot
{
    float bounds[6]; /* low x, y, z, high x, y, z, grown by half the margin, rounded outwards */
    broad_cell_range range;
    uint8_t place;
    bool is_static, is_outside;
} grid_slot;

typedef BASE_ARRAY(uint32_t) slot_list;

typedef struct grid_cell
{
    slot_list movers, statics;
} grid_cell;

typedef struct topogrid_state
{
    carom_context *context;
    broad_octree_grid grid;
    BASE_ARRAY(grid_cell) cells; /* by number */
    BASE_ARRAY(grid_slot) slots;
    slot_list apart;
    double margin, half_margin;
    uint32_t wanted_depth; /* 0: automatic */
    uint32_t used;         /* boxes that are not empty */
    uint32_t outside;      /* of these, outside the cube */
    uint32_t chosen_used;  /* when the grid was chosen */
    uint32_t calls;        /* since then */
    bool is_current;       /* holds the boxes of the last call, which succeeded */
    /* A batch: */
    slot_list batch, found;
    BASE_ARRAY(float) bounds;
} topogrid_state;

/* ---- life ---- */

static void free_cells(topogrid_state *own)
{
    for (size_t i = 0; i < own->cells.count; i++)
    {
        base_array_free(own->context, &own->cells.items[i].movers);
        base_array_free(own->context, &own->cells.items[i].statics);
    }
    base_array_free(own->context, &own->cells);
}

static void destroy(void *state)
{
    topogrid_state *own = state;
    carom_context *context = own->context;
    free_cells(own);
    base_array_free(context, &own->slots);
    base_array_free(context, &own->apart);
    base_array_free(context, &own->batch);
    base_array_free(context, &own->found);
    base_array_free(context, &own->bounds);
    base_release(context, own, 1, sizeof *own);
}

static carom_status create(carom_context *context, void **out)
{
    topogrid_state *own = base_allocate(context, 1, sizeof *own, BASE_CACHE_LINE);
    *out = own;
    if (!own)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase topogrid: no memory");
    memset(own, 0, sizeof *own);
    own->context = context;
    return CAROM_OK;
}

const broad_octree_grid *broad_topogrid_grid(const void *state) { return &((const topogrid_state *)state)->grid; }

const uint32_t *broad_topogrid_objects(const void *state, uint32_t cell, bool is_static, uint32_t *count)
{
    const topogrid_state *own = state;
    const grid_cell *at = &own->cells.items[cell];
    const slot_list *list = is_static ? &at->statics : &at->movers;
    *count = (uint32_t)list->count;
    return list->items;
}

/* ---- lists of slots ---- */

static bool add_to(topogrid_state *own, slot_list *list, uint32_t slot)
{
    if (!base_array_reserve(own->context, list, 1))
        return false;
    list->items[list->count++] = slot;
    return true;
}

static void remove_from(slot_list *list, uint32_t slot)
{
    for (size_t i = list->count; i-- > 0;)
        if (list->items[i] == slot)
        {
            list->items[i] = list->items[--list->count];
            return;
        }
}

static bool range_has(const broad_cell_range *range, uint32_t a, uint32_t b, uint32_t c)
{
    return a >= range->low[0] && a <= range->high[0] && b >= range->low[1] && b <= range->high[1] &&
           c >= range->low[2] && c <= range->high[2];
}

/* Adds the slot to, or removes it from, the cells of a range but not of another; null: none. */
static bool list_in_cells(topogrid_state *own, uint32_t slot, const broad_cell_range *range,
                          const broad_cell_range *except, bool adds)
{
    bool is_static = own->slots.items[slot].is_static;
    for (uint32_t c = range->low[2]; c <= range->high[2]; c++)
        for (uint32_t b = range->low[1]; b <= range->high[1]; b++)
            for (uint32_t a = range->low[0]; a <= range->high[0]; a++)
            {
                if (except && range_has(except, a, b, c))
                    continue;
                grid_cell *cell = &own->cells.items[broad_grid_number(&own->grid, a, b, c)];
                slot_list *list = is_static ? &cell->statics : &cell->movers;
                if (!adds)
                    remove_from(list, slot);
                else if (!add_to(own, list, slot))
                    return false;
            }
    return true;
}

/* ---- one box ---- */

/* Two units in the last place: one for the conversion, one for the difference. */
static float round_out(double at, double sign)
{
    double value = sign < 0.0 ? fmin(at, 1e38) : fmax(at, -1e38);
    return (float)(value + sign * (fabs(value) * 0x1p-22 + 1e-30));
}

static void set_bounds(const topogrid_state *own, grid_slot *slot, const carom_aabb *box)
{
    for (int axis = 0; axis < 3; axis++)
    {
        double origin = vec3_at(&own->grid.low, axis);
        slot->bounds[axis] = round_out(vec3_at(&box->min, axis) - origin, -1.0);
        slot->bounds[axis + 3] = round_out(vec3_at(&box->max, axis) - origin, 1.0);
    }
}

static bool is_outside(const broad_octree_grid *grid, const carom_aabb *box)
{
    double length = grid->cell * grid->side;
    for (int axis = 0; axis < 3; axis++)
        if (vec3_at(&box->min, axis) < vec3_at(&grid->low, axis) ||
            vec3_at(&box->max, axis) > vec3_at(&grid->low, axis) + length)
            return true;
    return false;
}

static bool same_range(const broad_cell_range *a, const broad_cell_range *b) { return memcmp(a, b, sizeof *a) == 0; }

static bool enter(topogrid_state *own, uint32_t slot, const broad_cell_range *except)
{
    const grid_slot *known = &own->slots.items[slot];
    if (known->place == APART)
        return add_to(own, &own->apart, slot);
    return known->place == NOWHERE || list_in_cells(own, slot, &known->range, except, true);
}

static void leave(topogrid_state *own, uint32_t slot, const broad_cell_range *except)
{
    const grid_slot *known = &own->slots.items[slot];
    if (known->place == APART)
        remove_from(&own->apart, slot);
    else if (known->place == IN_CELLS)
        list_in_cells(own, slot, &known->range, except, false);
}

/* Brings a slot's bounds and lists up to date. */
static bool update_slot(topogrid_state *own, const broad_input *input, uint32_t slot)
{
    grid_slot *known = &own->slots.items[slot], now = {.is_static = input->traits[slot].is_static};
    if (!broad_is_empty(&input->boxes[slot]))
    {
        carom_aabb box = broad_grow(&input->boxes[slot], own->half_margin);
        now.range = broad_grid_locate(&own->grid, &box);
        now.place = broad_range_cells(&now.range) > MAX_CELLS ? APART : IN_CELLS;
        now.is_outside = is_outside(&own->grid, &input->boxes[slot]);
        set_bounds(own, &now, &box);
    }
    own->used += (now.place != NOWHERE) - (uint32_t)(known->place != NOWHERE);
    own->outside += now.is_outside - (uint32_t)known->is_outside;
    bool same_lists = now.place == known->place && now.is_static == known->is_static;
    if (same_lists && (now.place != IN_CELLS || same_range(&now.range, &known->range)))
        return *known = now, true;
    bool stays = same_lists && now.place == IN_CELLS;
    broad_cell_range before = known->range;
    leave(own, slot, stays ? &now.range : NULL);
    *known = now;
    return enter(own, slot, stays ? &before : NULL);
}

/* ---- the grid ---- */

static bool choose_grid(topogrid_state *own, const broad_input *input)
{
    broad_grid_extent extent = broad_grid_no_extent();
    for (uint32_t i = 0; i < input->slot_count; i++)
        broad_grid_add_box(&extent, &input->boxes[i], input->traits[i].is_static);
    uint32_t depth = input->grid_depth ? input->grid_depth : broad_grid_choose_depth(&extent);
    broad_grid_make(&own->grid, &extent, depth < BROAD_GRID_MAX_DEPTH ? depth : BROAD_GRID_MAX_DEPTH);
    own->wanted_depth = input->grid_depth;
    own->chosen_used = extent.count, own->calls = 0;
    uint32_t count = broad_grid_cell_count(&own->grid);
    if (own->cells.count != count)
    {
        free_cells(own);
        if (!base_array_reserve(own->context, &own->cells, count))
            return false;
        memset(own->cells.items, 0, count * sizeof *own->cells.items);
        own->cells.count = count;
    }
    for (uint32_t i = 0; i < count; i++)
        own->cells.items[i].movers.count = own->cells.items[i].statics.count = 0;
    own->apart.count = own->slots.count = 0;
    own->used = own->outside = 0;
    return true;
}

static bool needs_grid(const topogrid_state *own, const broad_input *input)
{
    if (!own->is_current || own->margin != input->margin || input->slot_count < own->slots.count ||
        own->wanted_depth != input->grid_depth)
        return true;
    bool outgrown = own->outside > own->used / MANY_OUTSIDE || own->used / 8 > own->chosen_used;
    return own->calls >= MIN_CALLS && outgrown;
}

static bool update(topogrid_state *own, const broad_input *input)
{
    bool is_new = needs_grid(own, input);
    own->is_current = false;
    own->margin = input->margin, own->half_margin = broad_half_margin(input->margin);
    if (is_new && !choose_grid(own, input))
        return false;
    own->calls++;
    uint32_t first_new = (uint32_t)own->slots.count;
    if (!base_array_reserve(own->context, &own->slots, input->slot_count - first_new))
        return false;
    own->slots.count = input->slot_count;
    if (input->slot_count > first_new)
        memset(own->slots.items + first_new, 0, (input->slot_count - first_new) * sizeof *own->slots.items);
    for (uint32_t slot = first_new; slot < input->slot_count; slot++)
        if (!update_slot(own, input, slot))
            return false;
    for (uint32_t i = 0; i < input->changed_count; i++)
        if (input->changed[i] < first_new && !update_slot(own, input, input->changed[i]))
            return false;
    return true;
}

/* ---- pairs ---- */

/* Where a pair was found, and what has been found so far. */
typedef struct pair_search
{
    topogrid_state *own;
    const broad_input *input;
    broad_pairs *out;
    uint64_t *tested;
    bool in_cell;   /* false: of boxes apart */
    uint32_t at[3]; /* coordinates of the cell */
} pair_search;

/* A pair is found in each cell that both are in; one of these lists it. Of two movers apart, the
 * first one does. */
static bool is_listed_here(const pair_search *search, uint32_t own, uint32_t other)
{
    const grid_slot *a = &search->own->slots.items[own], *b = &search->own->slots.items[other];
    if (!search->in_cell)
        return own != other && !(b->place == APART && !b->is_static && other < own);
    for (int axis = 0; axis < 3; axis++)
        if (search->at[axis] != (a->range.low[axis] > b->range.low[axis] ? a->range.low[axis] : b->range.low[axis]))
            return false;
    return true;
}

/* Tests a box of the batch against those from `first` on. */
static bool add_pairs(const pair_search *search, const broad_batch *batch, uint32_t position, uint32_t first)
{
    topogrid_state *own = search->own;
    const broad_input *input = search->input;
    const uint32_t *slots = own->batch.items;
    uint32_t slot = slots[position];
    uint32_t found = BASE_PICK_ISA(own->context, broad_batch_meet)(batch, position, first, own->found.items);
    *search->tested += batch->count - first;
    if (!base_array_reserve(own->context, search->out, found))
        return false;
    for (uint32_t i = 0; i < found; i++)
    {
        uint32_t other = slots[own->found.items[i]];
        if (is_listed_here(search, slot, other) && broad_may_pair(&input->traits[slot], &input->traits[other]) &&
            broad_near(&input->boxes[slot], &input->boxes[other], input->margin))
            search->out->items[search->out->count++] = broad_pack(slot, other);
    }
    return true;
}

/* Makes room for a batch of so many boxes. */
static bool begin_batch(topogrid_state *own, size_t count, broad_batch *batch)
{
    own->batch.count = own->found.count = own->bounds.count = 0;
    batch->stride = count + PADDING, batch->count = 0;
    bool enough = base_array_reserve(own->context, &own->batch, count) &&
                  base_array_reserve(own->context, &own->found, count + PADDING) &&
                  base_array_reserve(own->context, &own->bounds, 6 * batch->stride);
    batch->bounds = own->bounds.items;
    return enough;
}

static void add_to_batch(topogrid_state *own, broad_batch *batch, uint32_t slot)
{
    uint32_t position = batch->count++;
    own->batch.items[position] = slot;
    for (size_t row = 0; row < 6; row++)
        own->bounds.items[row * batch->stride + position] = own->slots.items[slot].bounds[row];
}

/* What follows the last box meets nothing. */
static void end_batch(topogrid_state *own, const broad_batch *batch)
{
    for (size_t row = 0; row < 6; row++)
        for (size_t i = batch->count; i < batch->count + (size_t)PADDING; i++)
            own->bounds.items[row * batch->stride + i] = NAN;
}

static bool search_cell(pair_search *search, uint32_t number)
{
    topogrid_state *own = search->own;
    const broad_octree_grid *grid = &own->grid;
    const slot_list *movers = &own->cells.items[number].movers, *statics = &own->cells.items[number].statics;
    broad_batch batch;
    if (!begin_batch(own, movers->count + statics->count, &batch))
        return false;
    for (size_t i = 0; i < movers->count; i++)
        add_to_batch(own, &batch, movers->items[i]);
    for (size_t i = 0; i < statics->count; i++)
        add_to_batch(own, &batch, statics->items[i]);
    end_batch(own, &batch);
    search->in_cell = true;
    search->at[0] = number & (grid->side - 1), search->at[1] = number >> grid->depth & (grid->side - 1);
    search->at[2] = number >> 2 * grid->depth;
    bool enough = true;
    for (uint32_t i = 0; i < movers->count && enough; i++)
        enough = add_pairs(search, &batch, i, i + 1);
    return enough;
}

/* Boxes apart against all that move, or all that there are. They come first, so as to be in the batch. */
static bool search_apart(pair_search *search, bool statics)
{
    topogrid_state *own = search->own;
    broad_batch batch;
    uint32_t own_count = 0;
    if (!begin_batch(own, own->apart.count + own->slots.count, &batch))
        return false;
    for (size_t i = 0; i < own->apart.count; i++)
        if (own->slots.items[own->apart.items[i]].is_static == statics)
            add_to_batch(own, &batch, own->apart.items[i]), own_count++;
    for (uint32_t slot = 0; slot < own->slots.count && own_count > 0; slot++)
    {
        const grid_slot *known = &own->slots.items[slot];
        if (known->place != NOWHERE && !(statics && (known->is_static || known->place == APART)))
            add_to_batch(own, &batch, slot);
    }
    end_batch(own, &batch);
    search->in_cell = false;
    bool enough = true;
    for (uint32_t i = 0; i < own_count && enough; i++)
        enough = add_pairs(search, &batch, i, own_count);
    return enough;
}

static bool search_pairs(pair_search *search)
{
    topogrid_state *own = search->own;
    bool enough = true;
    for (uint32_t i = 0; i < own->cells.count && enough; i++)
        if (own->cells.items[i].movers.count > 0)
            enough = search_cell(search, i);
    return enough && (own->apart.count == 0 || (search_apart(search, false) && search_apart(search, true)));
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    topogrid_state *own = state;
    out->count = 0;
    pair_search search = {.own = own, .input = input, .out = out, .tested = boxes_tested};
    if (!update(own, input) || !search_pairs(&search))
        return base_fail(own->context, CAROM_OUT_OF_MEMORY, "broad phase topogrid: no memory for %u boxes",
                         input->slot_count);
    own->is_current = true;
    return CAROM_OK;
}

const broad_kind broad_topogrid = {
    {"topogrid", "the grid paper's topological grid: for some hundred small movers among static bodies"},
    create,
    find_pairs,
    destroy};
