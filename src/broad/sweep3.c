/* Broad phase `sweep3`: the ends of all boxes, sorted along three axes, and the pairs that overlap, kept from call to
 * call.
 *
 * Cohen, Lin, Manocha, Ponamgi, "I-COLLIDE: an interactive and exact collision detection system for large-scale
 * environments" (1995); the chapter's 25.1. Insertion sort repairs the three lists, and where a low end passes a high
 * one, a pair begins or ends to overlap along that axis: only then it is tested. When too many ends pass each other,
 * the lists are sorted afresh and all pairs are found as by `sweep`.
 *
 * It pays off when boxes move little from call to call: less than the distance from one box's end to the next. */
#include "broad/pair_set.h"
#include "broad/rows.h"

#include <float.h>

typedef struct sweep3_end
{
    double at;
    uint32_t slot;
    uint32_t is_high;
} sweep3_end;

typedef struct sweep3_state
{
    broad_rows rows; /* while all pairs are found */
    BASE_ARRAY(sweep3_end) ends[3];
    BASE_ARRAY(base_key_value) keys, space; /* for sorting */
    BASE_ARRAY(carom_aabb) boxes;           /* by slot: grown by half the margin, and finite; empty: in no list */
    BASE_ARRAY(broad_traits) traits;        /* by slot */
    BASE_ARRAY(bool) dropped;               /* by slot: its pairs and ends are to be removed, in this call */
    BASE_ARRAY(uint32_t) added;             /* slots whose ends are to be added */
    broad_pair_set set;                     /* pairs of boxes that meet, as they are in `boxes` */
    double margin, half_margin;
    uint32_t count;    /* boxes in the lists */
    uint32_t axis;     /* to find all pairs along */
    uint32_t failures; /* calls in a row that had to sort afresh */
    uint32_t skip;     /* calls that sort afresh without trying */
    bool is_infinite;  /* a box was, so that those in `boxes` say less */
    bool is_current;   /* holds the boxes of the last call, which succeeded */
    uint64_t tested;
} sweep3_state;

static void destroy(void *state)
{
    sweep3_state *own = state;
    carom_context *context = own->rows.context;
    for (int axis = 0; axis < 3; axis++)
        base_array_free(context, &own->ends[axis]);
    base_array_free(context, &own->keys);
    base_array_free(context, &own->space);
    base_array_free(context, &own->boxes);
    base_array_free(context, &own->traits);
    base_array_free(context, &own->dropped);
    base_array_free(context, &own->added);
    broad_pair_set_free(&own->set);
    broad_rows_close(&own->rows);
    base_release(context, own, 1, sizeof *own);
}

static carom_status create(carom_context *context, void **out)
{
    sweep3_state *own = base_allocate(context, 1, sizeof *own, BASE_CACHE_LINE);
    *out = NULL;
    if (own)
        memset(own, 0, sizeof *own), own->set.context = context;
    if (!own || !broad_rows_open(&own->rows, context))
    {
        if (own)
            destroy(own);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase sweep3: no memory");
    }
    *out = own;
    return CAROM_OK;
}

/* ---- boxes ---- */

/* Grown by half the margin, with large numbers for infinite ones, and 0 for -0: each end has one place in a list. */
static carom_aabb grown_box(sweep3_state *own, const carom_aabb *box)
{
    if (broad_is_empty(box))
        return aabb_empty();
    carom_aabb grown = broad_grow(box, own->half_margin);
    double *at[6] = {&grown.min.x, &grown.min.y, &grown.min.z, &grown.max.x, &grown.max.y, &grown.max.z};
    for (int i = 0; i < 6; i++)
    {
        own->is_infinite = own->is_infinite || !(fabs(*at[i]) <= DBL_MAX);
        *at[i] = fmax(-DBL_MAX, fmin(DBL_MAX, *at[i])) + 0.0;
    }
    return grown;
}

static double end_of(const sweep3_state *own, uint32_t axis, uint32_t slot, uint32_t is_high)
{
    const carom_aabb *box = &own->boxes.items[slot];
    return is_high ? vec3_at(&box->max, (int)axis) : vec3_at(&box->min, (int)axis);
}

/* ---- from scratch ---- */

/* All ends along an axis. Low ones come before high ones at the same place. */
static bool sort_ends(sweep3_state *own, uint32_t axis)
{
    carom_context *context = own->rows.context;
    size_t count = 2 * (size_t)own->count;
    own->keys.count = own->space.count = own->ends[axis].count = 0;
    if (!base_array_reserve(context, &own->keys, count) || !base_array_reserve(context, &own->space, count) ||
        !base_array_reserve(context, &own->ends[axis], count))
        return false;
    for (uint32_t is_high = 0; is_high < 2; is_high++)
        for (uint32_t slot = 0; slot < own->boxes.count; slot++)
            if (!broad_is_empty(&own->boxes.items[slot]))
                own->keys.items[own->keys.count++] =
                    (base_key_value){broad_sortable(end_of(own, axis, slot, is_high)), (uint64_t)slot << 1 | is_high};
    base_sort_keys(own->keys.items, own->space.items, count);
    for (size_t i = 0; i < count; i++)
    {
        uint32_t slot = (uint32_t)(own->keys.items[i].value >> 1), is_high = (uint32_t)own->keys.items[i].value & 1;
        own->ends[axis].items[i] = (sweep3_end){end_of(own, axis, slot, is_high), slot, is_high};
    }
    own->ends[axis].count = count;
    return true;
}

/* The axis along which the boxes overlap least: the one along which the middle half of them is spread most, in terms
 * of their mean extent. */
static void choose_axis(sweep3_state *own)
{
    double best = -1.0;
    carom_vec3 spread = broad_spread(&own->rows.places);
    for (uint32_t axis = 0; axis < 3; axis++)
    {
        double sum = 0.0, reach = vec3_at(&spread, (int)axis);
        for (uint32_t slot = 0; slot < own->boxes.count; slot++)
            if (broad_rows_role(&own->rows, slot) != BROAD_IDLE)
                sum += fmin(end_of(own, axis, slot, 1) - end_of(own, axis, slot, 0), 1e300);
        double ratio = sum > 0.0 ? reach / sum : reach > 0.0 ? INFINITY : 0.0;
        if (ratio > best)
            best = ratio, own->axis = axis;
    }
}

static void add_runs(broad_search *search, uint32_t first, uint32_t last, const void *data)
{
    (void)data;
    broad_add_sorted_runs(search, first, last);
}

/* Those of one role, in the order of their low ends. */
static void add_rows(sweep3_state *own, const broad_input *input, broad_role role)
{
    for (size_t i = 0; i < own->ends[own->axis].count; i++)
    {
        const sweep3_end *end = &own->ends[own->axis].items[i];
        if (!end->is_high && broad_rows_role(&own->rows, end->slot) == role)
            broad_rows_add(&own->rows, input, end->slot);
    }
    own->rows.starts[role + 1] = (uint32_t)own->rows.boxes.count;
}

static bool rebuild(sweep3_state *own, const broad_input *input)
{
    own->count = 0;
    own->is_infinite = false;
    for (uint32_t slot = 0; slot < input->slot_count; slot++)
    {
        own->boxes.items[slot] = grown_box(own, &input->boxes[slot]);
        own->traits.items[slot] = input->traits[slot];
        own->count += !broad_is_empty(&own->boxes.items[slot]);
    }
    for (uint32_t axis = 0; axis < 3; axis++)
        if (!sort_ends(own, axis))
            return false;
    broad_input grown = {.boxes = own->boxes.items, .traits = own->traits.items, .slot_count = input->slot_count};
    if (!broad_rows_begin(&own->rows, &grown))
        return false;
    choose_axis(own);
    for (broad_role role = 0; role < BROAD_ROLES; role++)
        add_rows(own, &grown, role);
    own->set.pairs.count = 0;
    broad_visit visit = {add_runs, NULL, (uint32_t)own->rows.boxes.count, own->axis};
    return broad_rows_load(&own->rows, &grown) &&
           broad_rows_search(&own->rows, &grown, &visit, &own->set.pairs, &own->tested) &&
           broad_pair_set_refresh(&own->set);
}

/* ---- changes ---- */

static void update_slot(sweep3_state *own, const broad_input *input, uint32_t slot)
{
    carom_aabb box = grown_box(own, &input->boxes[slot]), *known = &own->boxes.items[slot];
    bool was_empty = broad_is_empty(known), is_empty = broad_is_empty(&box);
    bool same = broad_same_traits(&own->traits.items[slot], &input->traits[slot]);
    if (!was_empty && (is_empty || !same))
        own->dropped.items[slot] = true, own->dropped.count++;
    if (!is_empty && (was_empty || !same))
        own->added.items[own->added.count++] = slot;
    *known = box;
    own->traits.items[slot] = input->traits[slot];
}

/* Removes pairs and ends of dropped slots. */
static bool drop(sweep3_state *own)
{
    if (own->dropped.count == 0)
        return true;
    size_t kept = 0;
    for (size_t i = 0; i < own->set.pairs.count; i++)
    {
        uint64_t pair = own->set.pairs.items[i];
        own->set.pairs.items[kept] = pair;
        kept += !own->dropped.items[pair >> 32] && !own->dropped.items[(uint32_t)pair];
    }
    bool same = own->set.pairs.count == kept;
    own->set.pairs.count = kept;
    for (int axis = 0; axis < 3; axis++)
    {
        sweep3_end *ends = own->ends[axis].items;
        kept = 0;
        for (size_t i = 0; i < own->ends[axis].count; i++)
        {
            ends[kept] = ends[i];
            kept += !own->dropped.items[ends[i].slot];
        }
        own->ends[axis].count = kept;
    }
    own->count -= (uint32_t)own->dropped.count;
    return same || broad_pair_set_refresh(&own->set);
}

/* New ends come last, as if their boxes were far away. */
static bool append(sweep3_state *own)
{
    for (uint32_t axis = 0; axis < 3; axis++)
    {
        if (!base_array_reserve(own->rows.context, &own->ends[axis], 2 * own->added.count))
            return false;
        for (size_t i = 0; i < own->added.count; i++)
            for (uint32_t is_high = 0; is_high < 2; is_high++)
                own->ends[axis].items[own->ends[axis].count++] = (sweep3_end){0.0, own->added.items[i], is_high};
    }
    own->count += (uint32_t)own->added.count;
    return true;
}

/* One end has passed another on its way down. Whether a pair begins to overlap is decided by where both will be when
 * all lists are sorted; what overlaps then has no later end to its overlap. */
static bool pass(sweep3_state *own, const sweep3_end *down, const sweep3_end *up)
{
    if (down->is_high == up->is_high || down->slot == up->slot)
        return true;
    uint64_t pair = broad_pack(down->slot, up->slot);
    if (down->is_high)
    {
        broad_pair_set_remove(&own->set, pair);
        return true;
    }
    own->tested++;
    if (!broad_grown_meet(&own->boxes.items[down->slot], &own->boxes.items[up->slot]) ||
        !broad_may_pair(&own->traits.items[down->slot], &own->traits.items[up->slot]))
        return true;
    return broad_pair_set_add(&own->set, pair);
}

static inline bool comes_after(const sweep3_end *a, const sweep3_end *b)
{
    return a->at > b->at || (a->at == b->at && a->is_high > b->is_high);
}

/* Sorts the list of an axis. `steps` is how many ends may pass each other; fewer are left after it, or none: then the
 * list is not sorted. */
static bool repair(sweep3_state *own, uint32_t axis, uint64_t *steps)
{
    sweep3_end *ends = own->ends[axis].items;
    for (size_t i = 0; i < own->ends[axis].count; i++)
    {
        sweep3_end end = ends[i];
        end.at = end_of(own, axis, end.slot, end.is_high);
        size_t at = i;
        for (; at > 0 && comes_after(&ends[at - 1], &end) && *steps > 0; at--, --*steps)
        {
            if (!pass(own, &end, &ends[at - 1]))
                return false;
            ends[at] = ends[at - 1];
        }
        ends[at] = end;
        if (*steps == 0)
            return true;
    }
    return true;
}

/* ---- a call ---- */

static bool begin_call(sweep3_state *own, const broad_input *input)
{
    carom_context *context = own->rows.context;
    size_t count = input->slot_count;
    if (own->margin != input->margin || count < own->boxes.count)
        own->is_current = false;
    own->margin = input->margin, own->half_margin = broad_half_margin(input->margin);
    size_t known = own->is_current ? own->boxes.count : 0;
    own->boxes.count = own->traits.count = known;
    own->dropped.count = own->added.count = 0;
    own->tested = 0;
    if (!base_array_reserve(context, &own->boxes, count - known) ||
        !base_array_reserve(context, &own->traits, count - known) ||
        !base_array_reserve(context, &own->dropped, count) || !base_array_reserve(context, &own->added, count))
        return false;
    for (size_t i = known; i < count; i++)
        own->boxes.items[i] = aabb_empty(), own->traits.items[i] = (broad_traits){0};
    own->boxes.count = own->traits.count = count;
    if (count > 0)
        memset(own->dropped.items, 0, count * sizeof *own->dropped.items);
    return true;
}

/* Updates lists and pairs by what changed. `steps` is 0 if that would take longer than to do all afresh. */
static bool update(sweep3_state *own, const broad_input *input, uint64_t *steps)
{
    for (uint32_t i = 0; i < input->changed_count; i++)
        update_slot(own, input, input->changed[i]);
    double n = own->count + (double)own->added.count, about_as_long = n * (12.0 + 0.02 * cbrt(n) * cbrt(n));
    *steps = 64 + (uint64_t)about_as_long;
    if (own->skip > 0 || 6 * (uint64_t)own->added.count * own->count > *steps)
    {
        own->skip -= own->skip > 0;
        *steps = 0;
        return true;
    }
    if (!drop(own) || !append(own))
        return false;
    for (uint32_t axis = 0; axis < 3 && *steps > 0; axis++)
        if (!repair(own, axis, steps))
            return false;
    if (*steps > 0)
        own->failures = 0;
    else /* try again in a while */
        own->failures += own->failures < 5, own->skip = (1u << own->failures) - 1;
    return true;
}

static bool report(const sweep3_state *own, const broad_input *input, broad_pairs *out)
{
    size_t count = own->set.pairs.count;
    if (!base_array_reserve(own->rows.context, out, count))
        return false;
    bool all = input->margin == 0.0 && !own->is_infinite;
    for (size_t i = 0; i < count; i++)
    {
        uint64_t pair = own->set.pairs.items[i];
        out->items[out->count] = pair;
        out->count += all || broad_near(&input->boxes[pair >> 32], &input->boxes[(uint32_t)pair], input->margin);
    }
    return true;
}

static bool find(sweep3_state *own, const broad_input *input, broad_pairs *out)
{
    bool was_current = own->is_current;
    uint64_t steps = 0;
    if (input->slot_count >= BROAD_UNSURE || !begin_call(own, input))
        return own->is_current = false;
    was_current = was_current && own->is_current;
    own->is_current = false;
    if (was_current && !update(own, input, &steps))
        return false;
    return (steps > 0 || rebuild(own, input)) && report(own, input, out);
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    sweep3_state *own = state;
    out->count = 0;
    if (!find(own, input, out))
        return base_fail(own->rows.context, CAROM_OUT_OF_MEMORY, "broad phase sweep3: no memory for %u boxes",
                         input->slot_count);
    *boxes_tested += own->tested;
    own->is_current = true;
    return CAROM_OK;
}

const broad_kind broad_sweep3 = {
    {"sweep3", "sorted along three axes, pairs kept: for boxes that move little from call to call"},
    create,
    find_pairs,
    destroy};
