/* Broad phase `topogrid`: the grid paper's topological grid (Wang, Xu 2017, sections 2.2, 2.4 and 3.1).
 *
 * Each cell lists the boxes that have points in it, moving and static ones apart. A box that moves is listed anew only
 * when it enters or leaves a cell, so static boxes and most moving ones cost nothing but their bounds. In each cell
 * with movers, these are tested against each other and against the static boxes by their projections on x, y and z,
 * eight at a time. Two boxes with several cells in common are listed in the one with the largest of their lowest
 * coordinates; in cells with few boxes (FEW_IN_CELL in topogrid_search.c), they are tested in the others, too. Boxes in
 * more cells than MAX_CELLS are kept apart, and tested against all that they may pair with.
 *
 * The grid is chosen in the first call, and again when many boxes are outside of it or there are many more, or when
 * boxes leave cells whose lists are so long that listing all boxes afresh takes less time (MANY_PASSED). The engine's
 * cut_size gives large static bodies as the parts that fit a cell.
 *
 * It pays off for some hundred movers, small against the scene, among static bodies; neither for one that is far away
 * nor for movers of very different sizes. */
#include "broad/topogrid_state.h"

enum
{
    MAX_CELLS = 64,
    MIN_CALLS = 16,   /* before the grid is chosen again */
    MANY_OUTSIDE = 8, /* one of so many boxes may be outside */
    MANY_PASSED = 64  /* in lists, per box: to list all afresh takes less time */
};

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
    base_array_free(context, &own->class_of);
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
    const grid_list *list = is_static ? &at->statics : &at->movers;
    *count = (uint32_t)list->count;
    return list->items;
}

/* ---- lists of slots ---- */

static bool add_to(topogrid_state *own, grid_list *list, uint32_t slot)
{
    if (!base_array_reserve(own->context, list, 1))
        return false;
    list->items[list->count++] = slot;
    return true;
}

static void remove_from(topogrid_state *own, grid_list *list, uint32_t slot)
{
    size_t count = list->count, i = count;
    while (i > 0 && list->items[i - 1] != slot)
        i--;
    own->passed += count - i;
    if (i > 0)
        list->items[i - 1] = list->items[--list->count];
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
                grid_list *list = is_static ? &cell->statics : &cell->movers;
                if (!adds)
                    remove_from(own, list, slot);
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
        double origin = vec3_at(&own->origin, axis);
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
        remove_from(own, &own->apart, slot);
    else if (known->place == IN_CELLS)
        list_in_cells(own, slot, &known->range, except, false);
}

/* Brings a slot's bounds and lists up to date. */
static bool update_slot(topogrid_state *own, const broad_input *input, uint32_t slot)
{
    const broad_traits *traits = &input->traits[slot];
    grid_slot *known = &own->slots.items[slot], now = {.is_static = traits->is_static, .class = known->class};
    if (!broad_has_class(&own->classes, now.class, traits))
        now.class = (uint8_t)broad_class_of(&own->classes, traits);
    if (!broad_is_empty(&input->boxes[slot]))
    {
        carom_aabb box = broad_grow(&input->boxes[slot], own->half_margin);
        now.range = broad_grid_locate(&own->grid, &box);
        now.place = broad_range_cells(&now.range) > MAX_CELLS ? APART : IN_CELLS;
        now.is_outside = is_outside(&own->grid, &input->boxes[slot]);
        set_bounds(own, &now, &box);
    }
    own->counts[known->class] -= known->place != NOWHERE, own->outside[known->class] -= known->is_outside;
    own->counts[now.class] += now.place != NOWHERE, own->outside[now.class] += now.is_outside;
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

static bool make_cells(topogrid_state *own)
{
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
    return true;
}

/* For the boxes that are not idle. */
static bool choose_grid(topogrid_state *own, const broad_input *input)
{
    broad_grid_extent extent = broad_grid_no_extent();
    if (!broad_classify(own->context, &own->classes, input, &own->class_of, &own->roles))
        return false;
    for (uint32_t i = 0; i < input->slot_count; i++)
        if (own->roles.of[own->class_of.items[i]] != BROAD_IDLE)
            broad_grid_add_box(&extent, &input->boxes[i], input->traits[i].is_static);
    uint32_t depth = input->grid_depth ? input->grid_depth : broad_grid_choose_depth(&extent);
    broad_grid_make(&own->grid, &extent, depth < BROAD_GRID_MAX_DEPTH ? depth : BROAD_GRID_MAX_DEPTH);
    own->wanted_depth = input->grid_depth;
    own->origin = broad_find_places(input, own->class_of.items, &own->roles).middle;
    own->chosen_used = extent.count, own->calls = 0;
    own->apart.count = own->slots.count = 0;
    memset(own->counts, 0, sizeof own->counts), memset(own->outside, 0, sizeof own->outside);
    return make_cells(own);
}

static bool is_outgrown(const topogrid_state *own)
{
    uint32_t used = 0, outside = 0;
    for (int class = 0; class < BROAD_MAX_CLASSES; class ++)
        if (own->roles.of[class] != BROAD_IDLE)
            used += own->counts[class], outside += own->outside[class];
    return outside > used / MANY_OUTSIDE || used / 8 > own->chosen_used;
}

static bool needs_grid(const topogrid_state *own, const broad_input *input)
{
    if (!own->is_current || own->margin != input->margin || input->slot_count < own->slots.count ||
        own->wanted_depth != input->grid_depth)
        return true;
    return own->calls >= MIN_CALLS && is_outgrown(own);
}

/* Lists the boxes of slots that have come. */
static bool add_slots(topogrid_state *own, const broad_input *input)
{
    uint32_t first = (uint32_t)own->slots.count;
    if (!base_array_reserve(own->context, &own->slots, input->slot_count - first))
        return false;
    own->slots.count = input->slot_count;
    if (input->slot_count > first)
        memset(own->slots.items + first, 0, (input->slot_count - first) * sizeof *own->slots.items);
    for (uint32_t slot = first; slot < input->slot_count; slot++)
        if (!update_slot(own, input, slot))
            return false;
    return true;
}

/* Where boxes leave long lists, all are listed afresh. */
static bool update_changed(topogrid_state *own, const broad_input *input, uint32_t known)
{
    own->passed = 0;
    for (uint32_t i = 0; i < input->changed_count && own->passed <= MANY_PASSED * (uint64_t)known; i++)
        if (input->changed[i] < known && !update_slot(own, input, input->changed[i]))
            return false;
    return own->passed <= MANY_PASSED * (uint64_t)known || (choose_grid(own, input) && add_slots(own, input));
}

static bool update(topogrid_state *own, const broad_input *input)
{
    bool is_new = needs_grid(own, input);
    own->is_current = false;
    own->margin = input->margin, own->half_margin = broad_half_margin(input->margin);
    if (is_new && !choose_grid(own, input))
        return false;
    own->calls++;
    uint32_t known = (uint32_t)own->slots.count;
    if (!add_slots(own, input) || !update_changed(own, input, known))
        return false;
    own->roles = broad_classes_roles(&own->classes, own->counts);
    return true;
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    topogrid_state *own = state;
    out->count = 0;
    if (!update(own, input) || !topogrid_search(own, input, out, boxes_tested))
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
