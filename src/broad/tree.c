/* Broad phase `tree`: groups of eight boxes along a space-filling curve, joined with each other.
 *
 * Boxes that move are in one tree, which is refitted while its order is good and sorted again when it has decayed. What
 * is static, or has not moved for a while, is in another one; its own pairs are kept. Where groups meet too many others
 * (long thin boxes), space is halved instead. */
#include "broad/classes.h"
#include "broad/groups.h"
#include "broad/split.h"

enum
{
    MAX_AGE = 64,           /* calls until the boxes that move are sorted again */
    RETRY = 16,             /* calls after which it is tried again whether an order lasts */
    REST = 8,               /* calls without a change after which a box counts as still */
    PARENT = 64,            /* lanes below a group of level 1 */
    MIN_RANGE = 4,          /* groups of level 1 that are worth handing to another worker */
    STILL = (int)(1u << 30) /* in a place: a lane of the still boxes */
};
#define DECAY 1.12  /* growth of the groups' extents after which boxes are sorted again */
#define CROWD 700.0 /* groups that meet one, beyond which halving space is faster */

typedef struct tree_slot
{
    uint32_t place;   /* a lane, with STILL; BROAD_NO_SLOT: none, the box is empty */
    uint32_t changed; /* in which call */
} tree_slot;

/* A tree that is filled from its end. */
typedef struct tree_part
{
    broad_groups groups;
    uint32_t next;         /* the lane for the next box */
    uint32_t sorted;       /* lanes up to here were sorted together */
    uint32_t changed;      /* boxes that came or went since */
    uint32_t used;         /* boxes */
    uint32_t age;          /* calls since they were sorted */
    double sorted_extents; /* of the groups, then */
    bool hurried;          /* they had decayed by the call after that */
    uint32_t skipped;      /* calls since in which they were sorted without asking */
    bool crowded;          /* groups met too many others, then */
} tree_part;

typedef struct tree_state tree_state;

/* One worker's search and its pairs. */
typedef struct tree_worker
{
    broad_join join; /* first: what it finds is for this worker */
    const tree_state *state;
    const broad_input *input;
    broad_pairs pairs;
    bool out_of_memory;
} tree_worker;

struct tree_state
{
    carom_context *context;
    tree_part moving, still;
    broad_order order;
    BASE_ARRAY(tree_slot) slots;
    broad_classes classes;
    broad_pairs kept; /* of still boxes */
    double margin;
    uint32_t call;
    broad_split *split; /* null until it is needed */
    bool is_current;    /* holds the boxes of the last call, which succeeded */
    tree_worker *workers[];
};

static void destroy(void *state)
{
    tree_state *tree = state;
    carom_context *context = tree->context;
    uint32_t worker_count = base_worker_count(context);
    for (uint32_t i = 0; i < worker_count; i++)
    {
        if (tree->workers[i])
            base_array_free(context, &tree->workers[i]->pairs);
        base_release(context, tree->workers[i], 1, sizeof *tree->workers[i]);
    }
    broad_groups_free(&tree->moving.groups);
    broad_groups_free(&tree->still.groups);
    base_array_free(context, &tree->order.items);
    base_array_free(context, &tree->order.sorted);
    if (tree->split)
        base_array_free(context, &tree->split->boxes);
    base_release(context, tree->split, 1, sizeof *tree->split);
    base_array_free(context, &tree->slots);
    base_array_free(context, &tree->kept);
    base_release(context, tree, 1, sizeof *tree + worker_count * sizeof(tree_worker *));
}

static carom_status create(carom_context *context, void **out)
{
    uint32_t worker_count = base_worker_count(context);
    size_t size = sizeof(tree_state) + worker_count * sizeof(tree_worker *);
    tree_state *tree = base_allocate(context, 1, size, BASE_CACHE_LINE);
    bool enough = tree != NULL;
    *out = NULL;
    if (tree)
        memset(tree, 0, size), tree->context = tree->moving.groups.context = tree->still.groups.context = context;
    for (uint32_t i = 0; enough && i < worker_count; i++)
    {
        tree_worker *worker = tree->workers[i] = base_allocate(context, 1, sizeof *worker, BASE_CACHE_LINE);
        enough = worker != NULL;
        if (enough)
            memset(worker, 0, sizeof *worker), worker->state = tree;
    }
    if (!enough)
    {
        if (tree)
            destroy(tree);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase tree: no memory");
    }
    broad_curve_fill(&tree->order.curve);
    *out = tree;
    return CAROM_OK;
}

/* ---- joins ---- */

/* Which candidates are pairs. */
static size_t check_candidates(const tree_worker *worker, uint64_t *out)
{
    const broad_join *join = &worker->join;
    const broad_input *input = worker->input;
    const broad_classes *classes = &worker->state->classes;
    size_t count = 0;
    for (uint32_t i = 0; i < join->found; i++)
    {
        uint32_t lane_a = join->lane_a[i] & ~BROAD_UNSURE, lane_b = join->lane_b[i];
        const broad_lane *a = &join->a->lanes.items[lane_a], *b = &join->b->lanes.items[lane_b];
        uint32_t slot_a = *broad_slot_of(join->a, lane_a), slot_b = *broad_slot_of(join->b, lane_b);
        bool pair = (a->owner != b->owner) & (classes->may_pair[a->class] >> b->class & 1);
        if (BASE_UNLIKELY((classes->ask[a->class] >> b->class & 1) | join->lane_a[i] >> 31))
            pair = pair && broad_may_pair(&input->traits[slot_a], &input->traits[slot_b]) &&
                   broad_near(&input->boxes[slot_a], &input->boxes[slot_b], input->margin);
        out[count] = broad_pack(slot_a, slot_b);
        count += pair;
    }
    return count;
}

/* Room behind the pairs for all that may come before the next call. */
static void take_candidates(broad_join *join)
{
    tree_worker *worker = (tree_worker *)join;
    worker->pairs.count += join->pair_count;
    worker->pairs.count +=
        worker->out_of_memory ? 0 : check_candidates(worker, worker->pairs.items + worker->pairs.count);
    if (!base_array_reserve(worker->state->context, &worker->pairs, 2 * BROAD_PAIRS + BROAD_LANES))
        worker->out_of_memory = true, worker->pairs.count = 0,
        join->plain = false; /* candidates have room of their own */
    join->pairs = worker->pairs.items + worker->pairs.count;
}

typedef struct join_task
{
    tree_state *tree;
    const broad_groups *a, *b;
    const broad_input *input;
    bool self;                /* each box of a with those behind it */
    bool by_box;              /* without self, each box of a by itself */
    uint32_t first;           /* group of level 1 of a */
    uint32_t b_first, b_last; /* groups of b; without self */
} join_task;

/* May any two boxes pair? */
static bool is_plain(const tree_state *tree, const broad_input *input)
{
    return input->distinct_owners && tree->classes.count == 1 && (tree->classes.may_pair[0] & 1);
}

static void join_range(uint32_t first, uint32_t last, uint32_t number, void *data)
{
    const join_task *task = data;
    tree_worker *worker = task->tree->workers[number];
    broad_join *join = &worker->join;
    join->a = task->a, join->b = task->b, join->self = task->self;
    join->b_first = task->b_first, join->b_last = task->b_last;
    join->plain = is_plain(task->tree, task->input);
    join->take = take_candidates, join->found = join->pair_count = 0;
    take_candidates(join); /* makes room */
    if (worker->out_of_memory)
        return;
    worker->input = task->input;
    if (task->by_box)
        BASE_PICK_ISA(task->tree->context, broad_join_boxes)(join, first, last);
    else
        BASE_PICK_ISA(task->tree->context, broad_join_range)(join, task->first + first, task->first + last);
}

/* Adds pairs of the groups of a from `first` (of level 1) on. */
static void join_from(join_task task)
{
    uint32_t count = (uint32_t)task.a->levels[task.by_box ? 0 : 1].count;
    if (count > task.first && (task.self || task.b_last > task.b_first))
        base_parallel_for(task.tree->context, count - task.first, MIN_RANGE, join_range, &task);
}

static bool gather_pairs(tree_state *tree, broad_pairs *out, uint64_t *boxes_tested)
{
    bool enough = true;
    for (uint32_t i = 0; i < base_worker_count(tree->context); i++)
    {
        tree_worker *own = tree->workers[i];
        *boxes_tested += own->join.tested * BROAD_LANES;
        enough = enough && !own->out_of_memory && base_array_reserve(tree->context, out, own->pairs.count);
        if (enough && own->pairs.count > 0)
        {
            memcpy(out->items + out->count, own->pairs.items, own->pairs.count * sizeof *out->items);
            out->count += own->pairs.count;
        }
        own->pairs.count = 0, own->join.tested = 0;
    }
    return enough;
}

/* ---- halving space ---- */

static bool take_split(broad_split *split)
{
    tree_worker *worker = split->user;
    const broad_input *input = worker->input;
    if (!base_array_reserve(worker->state->context, &worker->pairs, split->found))
        return false;
    uint64_t *out = worker->pairs.items + worker->pairs.count;
    for (uint32_t i = 0; i < split->found; i++)
    {
        uint32_t a = split->slot_a[i], b = split->slot_b[i];
        *out = broad_pack(a, b);
        out += broad_near(&input->boxes[a], &input->boxes[b], input->margin) &&
               broad_may_pair(&input->traits[a], &input->traits[b]);
    }
    worker->pairs.count = (size_t)(out - worker->pairs.items);
    return true;
}

static bool add_to_split(broad_split *split, const broad_input *input, const tree_part *part, uint32_t marks)
{
    if (!base_array_reserve(split->context, &split->boxes, part->used))
        return false;
    for (size_t i = 0; i < part->groups.lanes.count; i++)
    {
        uint32_t slot = *broad_slot_of(&part->groups, (uint32_t)i);
        if (slot != BROAD_NO_SLOT)
            broad_split_add(split, &input->boxes[slot], input->margin, slot, marks);
    }
    return true;
}

/* Pairs of a part's boxes, and with those of another one, if it is not null. */
static bool join_by_split(tree_state *tree, const broad_input *input, const tree_part *part, const tree_part *other)
{
    if (!tree->split)
    {
        tree->split = base_allocate(tree->context, 1, sizeof *tree->split, BASE_CACHE_LINE);
        if (!tree->split)
            return false;
        memset(tree->split, 0, sizeof *tree->split);
        tree->split->context = tree->context, tree->split->take = take_split, tree->split->user = tree->workers[0];
    }
    broad_split *split = tree->split;
    split->boxes.count = 0, split->tested = 0;
    tree->workers[0]->input = input;
    bool enough = add_to_split(split, input, part, 0) &&
                  (!other || add_to_split(split, input, other, BROAD_SPLIT_APART)) && broad_split_join(split);
    tree->workers[0]->join.tested += split->tested;
    return enough;
}

/* ---- lanes ---- */

static uint32_t *place_of(tree_state *tree, uint32_t slot) { return &tree->slots.items[slot].place; }

static void set_lane(tree_state *tree, const broad_input *input, tree_part *part, uint32_t lane, uint32_t slot)
{
    const broad_traits *traits = &input->traits[slot];
    broad_lane *to = &part->groups.lanes.items[lane];
    uint32_t class =
        broad_has_class(&tree->classes, to->class, traits) ? to->class : broad_class_of(&tree->classes, traits);
    *to = (broad_lane){traits->owner, class};
    *broad_slot_of(&part->groups, lane) = slot;
}

static bool append(tree_state *tree, const broad_input *input, tree_part *part, uint32_t slot)
{
    if (part->next == part->groups.lanes.count &&
        (part->next >= (uint32_t)STILL - PARENT || !broad_groups_add(&part->groups)))
        return false;
    set_lane(tree, input, part, part->next, slot);
    *place_of(tree, slot) = part->next++ | (part == &tree->still ? (uint32_t)STILL : 0);
    part->used++, part->changed++;
    return true;
}

static void vacate(tree_state *tree, uint32_t slot)
{
    uint32_t place = *place_of(tree, slot);
    if (place == BROAD_NO_SLOT)
        return;
    tree_part *part = place & (uint32_t)STILL ? &tree->still : &tree->moving;
    uint32_t lane = place & ~(uint32_t)STILL;
    broad_group *group = &part->groups.levels[0].items[lane / BROAD_LANES];
    group->slot[lane % BROAD_LANES] = BROAD_NO_SLOT;
    for (int axis = 0; axis < 3; axis++) /* bounds above stay too large for a while */
        group->low[axis][lane % BROAD_LANES] = INFINITY, group->high[axis][lane % BROAD_LANES] = -INFINITY;
    part->used--, part->changed++;
    *place_of(tree, slot) = BROAD_NO_SLOT;
}

static bool update_slot(tree_state *tree, const broad_input *input, uint32_t slot)
{
    bool is_empty = broad_is_empty(&input->boxes[slot]), is_static = input->traits[slot].is_static;
    uint32_t place = *place_of(tree, slot);
    tree->slots.items[slot].changed = tree->call;
    if (!is_empty && !is_static && place != BROAD_NO_SLOT && !(place & (uint32_t)STILL))
    {
        const broad_lane *lane = &tree->moving.groups.lanes.items[place];
        const broad_traits *traits = &input->traits[slot];
        if (!input->same_traits &&
            (lane->owner != traits->owner || !broad_has_class(&tree->classes, lane->class, traits)))
            set_lane(tree, input, &tree->moving, place, slot);
        return true;
    }
    vacate(tree, slot);
    return is_empty || append(tree, input, is_static ? &tree->still : &tree->moving, slot);
}

/* But for whether it was in a hurry. */
static void empty_part(tree_part *part)
{
    part->groups.lanes.count = 0;
    for (int level = 0; level < BROAD_LEVELS; level++)
        part->groups.levels[level].count = 0;
    part->groups.level_count = 0;
    part->next = part->sorted = part->changed = part->used = part->age = 0;
    part->sorted_extents = 0.0;
    part->crowded = false;
}

/* ---- boxes and levels ---- */

typedef struct load_task
{
    tree_part *part;
    const broad_input *input;
    uint32_t first, level;
} load_task;

static void load_range(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    const load_task *task = data;
    carom_context *context = task->part->groups.context;
    if (task->level)
        BASE_PICK_ISA(context, broad_groups_bound)(&task->part->groups, task->level, first, last);
    else
        BASE_PICK_ISA(context, broad_groups_load)
    (&task->part->groups, task->first + first, task->first + last, task->input);
}

/* The boxes of the groups from `first` on, and all levels above. */
static void load(tree_part *part, const broad_input *input, uint32_t first)
{
    enum
    {
        MIN_GROUPS = 64
    };
    broad_groups *groups = &part->groups;
    load_task task = {part, input, first, 0};
    size_t count = groups->levels[0].count;
    if (count > first)
        base_parallel_for(groups->context, (uint32_t)count - first, MIN_GROUPS, load_range, &task);
    do
    {
        task.level++;
        count = (count + BROAD_LANES - 1) / BROAD_LANES;
        groups->levels[task.level].count = count;
        base_parallel_for(groups->context, (uint32_t)count, MIN_GROUPS, load_range, &task);
    } while (count > 1);
    groups->level_count = task.level + 1;
}

/* Sum of the extents of all groups of boxes. */
static double extents(const broad_groups *groups)
{
    double sum = 0.0;
    for (size_t g = 0; g < groups->levels[1].count; g++)
        for (int axis = 0; axis < 3; axis++)
            for (int i = 0; i < BROAD_LANES; i++)
            {
                const broad_group *group = &groups->levels[1].items[g];
                float extent = group->high[axis][i] - group->low[axis][i];
                sum += extent >= 0.0f ? (double)extent : 0.0;
            }
    return sum;
}

/* Sorts a part's boxes. Of those that move, the ones at rest go to the still ones. */
static bool sort_part(tree_state *tree, const broad_input *input, tree_part *part)
{
    broad_order *order = &tree->order;
    order->items.count = order->sorted.count = 0;
    if (!base_array_reserve(tree->context, &order->items, part->used) ||
        !base_array_reserve(tree->context, &order->sorted, part->used))
        return false;
    for (size_t i = 0; i < part->groups.lanes.count; i++)
    {
        uint32_t slot = *broad_slot_of(&part->groups, (uint32_t)i);
        if (slot == BROAD_NO_SLOT)
            continue;
        if (part == &tree->still || tree->call - tree->slots.items[slot].changed < REST)
            order->items.items[order->items.count++] = slot;
        else if (!append(tree, input, &tree->still, slot))
            return false;
    }
    broad_order_sort(tree->context, order, input->boxes);
    empty_part(part);
    for (size_t i = 0; i < order->sorted.count; i++)
        if (!append(tree, input, part, (uint32_t)order->sorted.items[i]))
            return false;
    load(part, input, 0);
    part->sorted = part->next, part->changed = 0;
    part->sorted_extents = extents(&part->groups);
    part->crowded = BASE_PICK_ISA(tree->context, broad_groups_crowd)(&part->groups) > CROWD;
    return true;
}

/* ---- a call ---- */

/* Forgets everything unless the input continues the last call's. */
static void begin_call(tree_state *tree, const broad_input *input)
{
    if (!tree->is_current || tree->margin != input->margin || input->slot_count < tree->slots.count)
    {
        empty_part(&tree->moving), empty_part(&tree->still);
        broad_classes_reset(&tree->classes);
        tree->slots.count = 0, tree->kept.count = 0, tree->call = 0;
    }
    tree->is_current = false;
    tree->margin = input->margin;
    tree->call++, tree->moving.age++, tree->still.age++;
}

static bool update_slots(tree_state *tree, const broad_input *input)
{
    size_t known = tree->slots.count;
    if (!base_array_reserve(tree->context, &tree->slots, input->slot_count - known))
        return false;
    for (size_t i = known; i < input->slot_count; i++)
        tree->slots.items[tree->slots.count++] = (tree_slot){BROAD_NO_SLOT, 0};
    bool enough = true;
    if (known == 0)
        for (uint32_t i = 0; i < input->slot_count && enough; i++)
            enough = update_slot(tree, input, i);
    else
        for (uint32_t i = 0; i < input->changed_count && enough; i++)
            enough = update_slot(tree, input, input->changed[i]);
    return enough;
}

/* The boxes that move, refitted or sorted. */
static bool update_moving(tree_state *tree, const broad_input *input)
{
    tree_part *part = &tree->moving;
    bool many_rest = part->age >= REST && input->changed_count < part->used / 2;
    bool at_once = part->hurried && part->skipped < RETRY; /* as it was of no use before */
    if (part->age < MAX_AGE && part->changed <= part->used / 8 && !many_rest && !at_once)
    {
        load(part, input, 0);
        bool lasts = extents(&part->groups) <= DECAY * part->sorted_extents;
        part->hurried = !lasts && part->age == 1, part->skipped = 0;
        if (lasts)
            return true;
    }
    part->skipped += at_once;
    return sort_part(tree, input, part);
}

/* Pairs of still boxes: those from before whose boxes have not changed, and those of new ones, whose lanes begin at
 * `first`. */
static bool update_still(tree_state *tree, const broad_input *input, uint32_t first, uint64_t *boxes_tested)
{
    tree_part *part = &tree->still;
    bool sort = part->changed > PARENT / 4 && part->changed > part->used / 4;
    size_t kept = 0;
    if (sort && !sort_part(tree, input, part))
        return false;
    for (size_t i = 0; i < tree->kept.count && !sort; i++)
    {
        uint64_t pair = tree->kept.items[i];
        tree->kept.items[kept] = pair;
        kept += tree->slots.items[pair >> 32].changed != tree->call &&
                tree->slots.items[(uint32_t)pair].changed != tree->call;
    }
    tree->kept.count = kept;
    if (!sort && part->next == first)
        return true;
    if (!sort)
        load(part, input, first / BROAD_LANES);
    if (sort && part->crowded)
        return join_by_split(tree, input, part, NULL) && gather_pairs(tree, &tree->kept, boxes_tested);
    join_task task = {tree, &part->groups, &part->groups, input, true, false, sort ? 0 : first / PARENT, 0, 0};
    join_from(task);
    task.self = false, task.b_last = sort ? 0 : first / BROAD_LANES;
    join_from(task);
    return gather_pairs(tree, &tree->kept, boxes_tested);
}

/* New still boxes begin below a group of level 1 of their own. */
static bool begin_still(tree_state *tree, uint32_t *first)
{
    tree_part *part = &tree->still;
    while (part->next % PARENT && part->groups.lanes.count % PARENT)
        if (!broad_groups_add(&part->groups))
            return false;
    part->next = (uint32_t)part->groups.lanes.count;
    *first = part->next;
    return true;
}

static bool find(tree_state *tree, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    uint32_t first;
    begin_call(tree, input);
    if (!begin_still(tree, &first) || !update_slots(tree, input) || !update_moving(tree, input) ||
        !update_still(tree, input, first, boxes_tested))
        return false;
    if (!base_array_reserve(tree->context, out, tree->kept.count))
        return false;
    if (tree->kept.count)
        memcpy(out->items, tree->kept.items, tree->kept.count * sizeof *out->items);
    out->count = tree->kept.count;
    if (tree->moving.crowded || (tree->still.crowded && tree->moving.used > tree->still.used / 8))
        return join_by_split(tree, input, &tree->moving, &tree->still) && gather_pairs(tree, out, boxes_tested);
    join_task task = {tree, &tree->moving.groups, &tree->moving.groups, input, true, false, 0, 0, 0};
    join_from(task);
    task.self = false, task.by_box = tree->moving.used < tree->still.used / 16;
    task.b = &tree->still.groups, task.b_last = (uint32_t)tree->still.groups.levels[0].count;
    join_from(task);
    return gather_pairs(tree, out, boxes_tested);
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    tree_state *tree = state;
    out->count = 0;
    for (uint32_t i = 0; i < base_worker_count(tree->context); i++)
        tree->workers[i]->pairs.count = 0, tree->workers[i]->join.tested = 0, tree->workers[i]->out_of_memory = false;
    if (!find(tree, input, out, boxes_tested))
        return base_fail(tree->context, CAROM_OUT_OF_MEMORY, "broad phase tree: no memory for %u boxes",
                         input->slot_count);
    tree->is_current = true;
    return CAROM_OK;
}

const broad_kind broad_tree = {
    {"tree", "groups of eight boxes along a curve, refitted while that is good enough"}, create, find_pairs, destroy};
