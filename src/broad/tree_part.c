/* Broad phase `tree`: which box is in which lane, and when lanes are sorted. */
#include "broad/tree.h"

#define CROWD 150.0 /* groups that meet one, beyond which sweeping by classes is faster */

enum
{
    CROWD_SAMPLES = 64
};

void tree_part_clear(tree_part *part)
{
    for (int level = 0; level < BROAD_LEVELS; level++)
        part->groups.levels[level].count = 0;
    part->groups.level_count = 0;
    part->next = part->changed = part->used = part->age = part->classed = 0;
    part->sorted_extents = 0.0;
    part->crowded = part->has_empty = false;
    part->classes = 0;
}

/* ---- lanes ---- */

static bool append(tree_state *tree, tree_part *part, uint32_t slot)
{
    if (part->next == broad_lane_count(&part->groups) &&
        (part->next >= TREE_STILL - TREE_PARENT || !broad_groups_add(&part->groups)))
        return false;
    *broad_slot_of(&part->groups, part->next) = slot;
    tree->places.items[slot] = part->next++ | (part == &tree->still ? TREE_STILL : 0);
    part->classes |= (uint64_t)1 << tree->class_of.items[slot];
    part->used++, part->changed++;
    return true;
}

static void vacate(tree_state *tree, uint32_t slot)
{
    uint32_t place = tree->places.items[slot], lane = place & ~TREE_STILL;
    if (place == BROAD_NO_SLOT)
        return;
    tree_part *part = place & TREE_STILL ? &tree->still : &tree->moving;
    broad_group *group = &part->groups.levels[0].items[lane / BROAD_LANES];
    group->slot[lane % BROAD_LANES] = BROAD_NO_SLOT;
    broad_group_clear(group, lane % BROAD_LANES); /* bounds above stay too large for a while */
    part->used--, part->changed++;
    tree->woken += part == &tree->still;
    tree->places.items[slot] = BROAD_NO_SLOT;
}

static bool is_moving(uint32_t place) { return place < TREE_STILL; }

static bool update_slot(tree_state *tree, const broad_input *input, uint32_t slot)
{
    const broad_traits *traits = &input->traits[slot];
    uint32_t class = tree->class_of.items[slot];
    tree->changed.items[slot] = tree->call;
    if (!broad_has_class(&tree->classes, class, traits))
        class = broad_class_of(&tree->classes, traits), tree->class_of.items[slot] = (uint8_t) class;
    if (is_moving(tree->places.items[slot]) && !traits->is_static)
    {
        tree->moving.classes |= (uint64_t)1 << class;
        return true;
    }
    vacate(tree, slot);
    return broad_is_empty(&input->boxes[slot]) || append(tree, traits->is_static ? &tree->still : &tree->moving, slot);
}

/* Boxes that move are only looked at when they are loaded. */
static bool update_boxes(tree_state *tree, const broad_input *input)
{
    const uint32_t *places = tree->places.items;
    for (uint32_t i = 0; i < input->changed_count; i++)
    {
        uint32_t slot = input->changed[i];
        tree->changed.items[slot] = tree->call;
        if (!is_moving(places[slot]) && !update_slot(tree, input, slot))
            return false;
    }
    return true;
}

/* Slots that are new have no lane yet. */
static bool add_slots(tree_state *tree, uint32_t count)
{
    size_t known = tree->places.count, fresh = count - known;
    if (!base_array_reserve(tree->context, &tree->places, fresh) ||
        !base_array_reserve(tree->context, &tree->changed, fresh) ||
        !base_array_reserve(tree->context, &tree->class_of, fresh))
        return false;
    for (size_t i = known; i < count; i++)
        tree->places.items[i] = BROAD_NO_SLOT, tree->changed.items[i] = 0, tree->class_of.items[i] = 0;
    tree->places.count = tree->changed.count = tree->class_of.count = count;
    return true;
}

/* With the lanes that the next call leaves free: one more group than there is room for would make them all grow. */
static bool reserve_still(tree_state *tree, size_t count)
{
    return count == 0 || broad_groups_reserve(&tree->still.groups, count + TREE_PARENT);
}

/* Memory for all boxes at once, which takes less of it than growing step by step. */
static bool reserve_lanes(tree_state *tree, const broad_input *input)
{
    size_t count[2] = {0, 0}; /* that move, and static ones */
    for (uint32_t i = 0; i < input->slot_count; i++)
        count[input->traits[i].is_static] += !broad_is_empty(&input->boxes[i]);
    return broad_groups_reserve(&tree->moving.groups, count[0]) && reserve_still(tree, count[1]);
}

bool tree_update_slots(tree_state *tree, const broad_input *input)
{
    bool is_new = tree->places.count == 0;
    if (!add_slots(tree, input->slot_count) || (is_new && !reserve_lanes(tree, input)))
        return false;
    if (!is_new && input->same_traits)
        return update_boxes(tree, input);
    uint32_t count = is_new ? input->slot_count : input->changed_count;
    for (uint32_t i = 0; i < count; i++)
        if (!update_slot(tree, input, is_new ? i : input->changed[i]))
            return false;
    return true;
}

bool tree_begin_still(tree_state *tree, uint32_t *first)
{
    tree_part *part = &tree->still;
    while (part->next % TREE_PARENT && broad_lane_count(&part->groups) % TREE_PARENT)
        if (!broad_groups_add(&part->groups))
            return false;
    part->next = broad_lane_count(&part->groups);
    *first = part->next;
    return true;
}

/* ---- boxes and levels ---- */

typedef struct load_task
{
    tree_state *tree;
    broad_groups *groups;
    const broad_input *input;
    uint32_t first, level;
} load_task;

static void load_range(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const load_task *task = data;
    carom_context *context = task->groups->context;
    if (task->level > 1)
        BASE_PICK_ISA(context, broad_groups_bound)(task->groups, task->level, first, last);
    else if (BASE_PICK_ISA(context, broad_groups_load)(task->groups, task->first + first, task->first + last,
                                                       task->input) > 0)
        task->tree->workers[worker]->has_empty = true;
}

void tree_load(tree_state *tree, tree_part *part, const broad_input *input, uint32_t first)
{
    enum
    {
        MIN_GROUPS = 16
    };
    broad_groups *groups = &part->groups;
    load_task task = {tree, groups, input, first / BROAD_LANES, 0};
    size_t count = groups->levels[0].count;
    do
    {
        uint32_t begin = task.level == 0 ? task.first : 0;
        task.level++;
        count = (count + BROAD_LANES - 1) / BROAD_LANES;
        groups->levels[task.level].count = count;
        if (count > begin)
            base_parallel_for(groups->context, (uint32_t)count - begin, MIN_GROUPS, load_range, &task);
    } while (count > 1);
    groups->level_count = task.level + 1;
    for (uint32_t i = 0; i < base_worker_count(tree->context); i++)
    {
        part->has_empty = part->has_empty || tree->workers[i]->has_empty;
        tree->workers[i]->has_empty = false;
    }
}

double tree_extents(const tree_part *part)
{
    double sum = 0.0;
    for (size_t g = 0; g < part->groups.levels[1].count; g++)
        for (int axis = 0; axis < 3; axis++)
            for (int i = 0; i < BROAD_LANES; i++)
            {
                const broad_group *group = &part->groups.levels[1].items[g];
                float extent = group->high[axis][i] - group->low[axis][i];
                sum += extent >= 0.0f ? (double)extent : 0.0;
            }
    return sum;
}

/* ---- sorting ---- */

/* Boxes at rest go to the still ones. Their own part is filled anew after this, so that it can do without its memory
 * where the still ones need more. */
static bool settle(tree_state *tree, const uint64_t *resting, size_t count)
{
    tree_part *still = &tree->still;
    if (count == 0)
        return true;
    if ((still->next + count) / BROAD_LANES >= still->groups.room)
        broad_groups_free(&tree->moving.groups);
    if (!reserve_still(tree, still->next + count))
        return false;
    for (size_t i = count; i-- > 0;)
        if (!append(tree, still, (uint32_t)resting[i]))
            return false;
    return true;
}

/* The slots of a part in their own order, in which memory is read best. */
static bool collect_slots(tree_state *tree, const tree_part *part, const broad_input *input)
{
    broad_order *order = &tree->order;
    uint32_t mark = part == &tree->still ? TREE_STILL : 0;
    order->items.count = order->sorted.count = 0;
    /* What sweeps boxes by classes uses the same memory, for as many boxes as there are lanes. */
    if (!base_array_reserve(tree->context, &order->items, part->used + BROAD_LANES + 1) ||
        !base_array_reserve(tree->context, &order->sorted, part->used))
        return false;
    size_t count = 0, resting = part->used; /* those at rest from the end on, backwards */
    for (uint32_t slot = 0; slot < input->slot_count; slot++)
    {
        uint32_t place = tree->places.items[slot];
        if ((place & ~(TREE_STILL - 1)) != mark)
            continue;
        if (part->has_empty && broad_is_empty(&input->boxes[slot]))
            tree->places.items[slot] = BROAD_NO_SLOT;
        else if (mark || tree->call - tree->changed.items[slot] < TREE_REST)
            order->items.items[count++] = slot;
        else
            order->items.items[--resting] = slot;
    }
    order->items.count = count;
    return settle(tree, order->items.items + resting, part->used - resting);
}

/* A part anew, in the order of the slots. */
static bool fill(tree_state *tree, tree_part *part, const broad_order *order)
{
    uint32_t count = (uint32_t)order->sorted.count, mark = part == &tree->still ? TREE_STILL : 0;
    uint32_t groups = (count + BROAD_LANES - 1) / BROAD_LANES;
    uint64_t classes = 0, before = part->classes;
    bool one_class = !(before & (before - 1)); /* then there is no need to look */
    tree_part_clear(part);
    if (!(mark ? reserve_still(tree, count) : broad_groups_reserve(&part->groups, count)))
        return false;
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t slot = (uint32_t)order->sorted.items[i];
        *broad_slot_of(&part->groups, i) = slot;
        tree->places.items[slot] = i | mark;
        classes |= one_class ? before : (uint64_t)1 << tree->class_of.items[slot];
    }
    for (uint32_t i = count; i < groups * BROAD_LANES; i++)
        *broad_slot_of(&part->groups, i) = BROAD_NO_SLOT;
    part->groups.levels[0].count = groups;
    part->next = part->used = count;
    part->classes = classes;
    return true;
}

/* ---- the origin of floats ---- */

/* What some of the boxes to be sorted have in common along an axis. */
typedef struct sampled_axis
{
    double middle, quarters, extent; /* the low ends' middle and how far it is between their quarters */
} sampled_axis;

static sampled_axis sample_axis(const tree_state *tree, const carom_aabb *boxes, int axis)
{
    enum
    {
        MIN_SAMPLES = 15,
        MAX_SAMPLES = 127,
        BOXES_PER_SAMPLE = 128
    };
    double low[MAX_SAMPLES], extent[MAX_SAMPLES];
    uint32_t count = (uint32_t)tree->order.items.count, samples = count / BOXES_PER_SAMPLE;
    samples = samples < MIN_SAMPLES ? MIN_SAMPLES : samples > MAX_SAMPLES ? MAX_SAMPLES : samples;
    for (uint32_t i = 0; i < samples; i++)
    {
        const carom_aabb *box = &boxes[(uint32_t)tree->order.items.items[broad_sample_index(i, samples, count)]];
        low[i] = vec3_at(&box->min, axis), extent[i] = vec3_at(&box->max, axis) - low[i];
    }
    uint32_t middle = samples / 2;
    sampled_axis along = {.middle = broad_select(low, 0, samples, middle)};
    along.quarters = -broad_select(low, 0, middle + 1, samples / 4);
    along.quarters += broad_select(low, middle, samples, 3 * samples / 4);
    along.extent = broad_select(extent, 0, samples, middle);
    return along;
}

/* Floats tell boxes apart that are up to some thousand times their size or a few times their spread away from the
 * origin. Where the boxes to be sorted are farther away, the origin goes to the middle of some of them. */
static void choose_origin(tree_state *tree, const broad_input *input)
{
    carom_vec3 *origin = &tree->moving.groups.origin, middle;
    double size = 0.0, far = 0.0;
    for (int axis = 0; axis < 3 && tree->order.items.count > 0; axis++)
    {
        sampled_axis along = sample_axis(tree, input->boxes, axis);
        if (!(fabs(along.middle) < 1e300)) /* not a number, or without end */
            return;
        size = fmax(size, fmax(4096.0 * along.extent, 4.0 * along.quarters));
        far = fmax(far, fabs(along.middle - vec3_at(origin, axis)));
        *vec3_part(&middle, axis) = along.middle;
    }
    if (!(far > size))
        return;
    *origin = middle;
    tree->still.groups.origin = middle;
    if (tree->still.groups.levels[0].count > 0)
        tree_load(tree, &tree->still, input, 0);
}

bool tree_sort(tree_state *tree, tree_part *part, const broad_input *input)
{
    if (!collect_slots(tree, part, input))
        return false;
    if (part == &tree->moving)
        choose_origin(tree, input);
    broad_order_sort(tree->context, &tree->order, input->boxes);
    if (!fill(tree, part, &tree->order))
        return false;
    tree_load(tree, part, input, 0);
    part->sorted_extents = tree_extents(part);
    broad_crowd crowd = {&part->groups, &part->groups, NULL, CROWD_SAMPLES};
    part->crowded = BASE_PICK_ISA(tree->context, broad_groups_crowd)(&crowd) > CROWD;
    return true;
}
