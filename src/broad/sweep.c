/* Broad phase `sweep`: boxes sorted by their low ends along one axis, each tested against those that begin before it
 * ends, eight at a time.
 *
 * The chapter's 25.1 has it as sweep and prune along one axis; the axis is the one along which the boxes are spread
 * most. The order of the last call is nearly right when boxes move little, so insertion sort repairs it; when that
 * takes too long, boxes are sorted afresh. Each role has a list of its own, and those of boxes that may not pair are
 * never tested against each other.
 *
 * It pays off for up to some thousand boxes, or when they lie along a line; each box meets about n^(2/3) others. */
#include "broad/rows.h"

#define TURN 1.25 /* a spread this many times as large is worth sorting along another axis */

/* Slots in the order of their low ends. */
typedef struct sweep_list
{
    BASE_ARRAY(uint64_t) items; /* the low end in the upper half, as an unsigned number; a slot in the lower */
} sweep_list;

typedef struct sweep_state
{
    broad_rows rows;
    sweep_list lists[BROAD_ROLES];
    BASE_ARRAY(uint64_t) space; /* for sorting */
    BASE_ARRAY(bool) listed;    /* by slot */
    uint32_t axis;
} sweep_state;

static void destroy(void *state)
{
    sweep_state *sweep = state;
    carom_context *context = sweep->rows.context;
    for (int i = 0; i < BROAD_ROLES; i++)
        base_array_free(context, &sweep->lists[i].items);
    base_array_free(context, &sweep->space);
    base_array_free(context, &sweep->listed);
    broad_rows_close(&sweep->rows);
    base_release(context, sweep, 1, sizeof *sweep);
}

static carom_status create(carom_context *context, void **out)
{
    sweep_state *sweep = base_allocate(context, 1, sizeof *sweep, BASE_CACHE_LINE);
    *out = NULL;
    if (sweep)
        memset(sweep, 0, sizeof *sweep);
    if (!sweep || !broad_rows_open(&sweep->rows, context))
    {
        if (sweep)
            destroy(sweep);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase sweep: no memory");
    }
    *out = sweep;
    return CAROM_OK;
}

/* ---- the axis ---- */

/* Along which the middle half of the boxes is spread most. */
static void choose_axis(sweep_state *sweep)
{
    carom_vec3 spread = broad_spread(&sweep->rows.places);
    for (uint32_t axis = 0; axis < 3; axis++)
        if (vec3_at(&spread, (int)axis) > TURN * vec3_at(&spread, (int)sweep->axis))
            sweep->axis = axis;
}

/* ---- order ---- */

/* An unsigned number that sorts as the low end does. */
static uint64_t low_end(const sweep_state *sweep, const carom_aabb *box)
{
    float low = (float)(vec3_at(&box->min, (int)sweep->axis) - vec3_at(&sweep->rows.origin, (int)sweep->axis)) + 0.0f;
    uint32_t bits;
    memcpy(&bits, &low, sizeof bits);
    return bits >> 31 ? ~bits : bits | 1u << 31;
}

/* Keeps the slots that are still in the list and adds those that are new to it. */
static bool update_list(sweep_state *sweep, const broad_input *input, broad_role role)
{
    sweep_list *list = &sweep->lists[role];
    size_t kept = 0;
    for (size_t i = 0; i < list->items.count; i++)
    {
        uint32_t slot = (uint32_t)list->items.items[i];
        if (slot >= input->slot_count || broad_rows_role(&sweep->rows, slot) != role)
            continue;
        sweep->listed.items[slot] = true;
        list->items.items[kept++] = low_end(sweep, &input->boxes[slot]) << 32 | slot;
    }
    list->items.count = kept;
    if (!base_array_reserve(sweep->rows.context, &list->items, input->slot_count - kept))
        return false;
    for (uint32_t slot = 0; slot < input->slot_count && list->items.count < sweep->rows.roles.counts[role]; slot++)
        if (!sweep->listed.items[slot] && broad_rows_role(&sweep->rows, slot) == role)
            list->items.items[list->items.count++] = low_end(sweep, &input->boxes[slot]) << 32 | slot;
    return true;
}

/* Insertion sort, given up after some steps per item. */
static bool repair(uint64_t *items, size_t count)
{
    enum
    {
        STEPS = 8
    };
    size_t steps = STEPS * count;
    for (size_t i = 1; i < count; i++)
    {
        uint64_t item = items[i];
        size_t at = i;
        for (; at > 0 && items[at - 1] > item && steps > 0; at--, steps--)
            items[at] = items[at - 1];
        items[at] = item;
        if (steps == 0)
            return false;
    }
    return true;
}

static bool sort_list(sweep_state *sweep, sweep_list *list)
{
    if (repair(list->items.items, list->items.count))
        return true;
    if (!base_array_reserve(sweep->rows.context, &sweep->space, list->items.count))
        return false;
    base_sort_words(sweep->rows.context, list->items.items, sweep->space.items, list->items.count);
    return true;
}

static bool set_order(sweep_state *sweep, const broad_input *input)
{
    sweep->listed.count = 0;
    if (!base_array_reserve(sweep->rows.context, &sweep->listed, input->slot_count))
        return false;
    if (input->slot_count > 0)
        memset(sweep->listed.items, 0, input->slot_count * sizeof *sweep->listed.items);
    for (broad_role role = 0; role < BROAD_ROLES; role++)
    {
        sweep_list *list = &sweep->lists[role];
        if (!update_list(sweep, input, role) || !sort_list(sweep, list))
            return false;
        for (size_t k = 0; k < list->items.count; k++)
            broad_rows_add(&sweep->rows, input, (uint32_t)list->items.items[k]);
        sweep->rows.starts[role + 1] = (uint32_t)sweep->rows.boxes.count;
    }
    return true;
}

/* ---- runs ---- */

static void add_runs(broad_search *search, uint32_t first, uint32_t last, const void *data)
{
    (void)data;
    broad_add_sorted_runs(search, first, last);
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    sweep_state *sweep = state;
    out->count = 0;
    bool enough = broad_rows_begin(&sweep->rows, input);
    if (enough)
        choose_axis(sweep);
    enough = enough && set_order(sweep, input) && broad_rows_load(&sweep->rows, input);
    broad_visit visit = {add_runs, NULL, (uint32_t)sweep->rows.boxes.count, sweep->axis};
    if (!enough || !broad_rows_search(&sweep->rows, input, &visit, out, boxes_tested))
        return base_fail(sweep->rows.context, CAROM_OUT_OF_MEMORY, "broad phase sweep: no memory for %u boxes",
                         input->slot_count);
    return CAROM_OK;
}

const broad_kind broad_sweep = {
    {"sweep", "sorted along one axis: for up to some thousand boxes, or boxes along a line"},
    create,
    find_pairs,
    destroy};
