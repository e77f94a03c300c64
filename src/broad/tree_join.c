/* Broad phase `tree`: pairs of boxes of one part or two, on all workers. */
#include "broad/tree.h"

enum
{
    MIN_RANGE = 4,   /* groups of level 1 that are worth handing to another worker */
    MIN_SWEPT = 1024 /* boxes, as well */
};

/* ---- what is found ---- */

/* Of a worker's pairs from `first` on, keeps those that may pair. */
static void filter_pairs(tree_worker *worker, size_t first)
{
    const tree_state *tree = worker->state;
    const broad_classes *classes = &tree->classes;
    const broad_input *input = worker->input;
    uint64_t *items = worker->pairs.items;
    size_t count = first;
    for (size_t i = first; i < worker->pairs.count; i++)
    {
        uint32_t a = (uint32_t)(items[i] >> 32), b = (uint32_t)items[i];
        uint32_t class_a = tree->class_of.items[a], class_b = tree->class_of.items[b];
        bool pair = classes->may_pair[class_a] >> class_b & 1;
        if (BASE_UNLIKELY(classes->ask[class_a] >> class_b & 1))
            pair = broad_may_pair(&input->traits[a], &input->traits[b]);
        else if (!input->distinct_owners)
            pair = pair && input->traits[a].owner != input->traits[b].owner;
        items[count] = items[i];
        count += pair;
    }
    worker->pairs.count = count;
}

/* Adds those of the unsure pairs that are within the margin. */
static void add_near(tree_worker *worker)
{
    const broad_join *join = &worker->join;
    const broad_input *input = worker->input;
    for (uint32_t i = 0; i < join->unsure_count; i++)
    {
        uint64_t pair = join->unsure[i];
        worker->pairs.items[worker->pairs.count] = pair;
        worker->pairs.count += broad_near(&input->boxes[pair >> 32], &input->boxes[(uint32_t)pair], input->margin);
    }
}

/* Room behind the pairs for all that may come before the next call, sure or not. */
static void take_pairs(broad_join *join)
{
    tree_worker *worker = (tree_worker *)join;
    size_t first = worker->pairs.count;
    if (worker->out_of_memory) /* what comes now is written where there was room before */
        return;
    worker->pairs.count += join->pair_count;
    add_near(worker);
    if (!worker->plain)
        filter_pairs(worker, first);
    worker->out_of_memory = !base_array_reserve(worker->state->context, &worker->pairs, 2 * BROAD_PAIRS + BROAD_LANES);
    if (worker->out_of_memory)
        worker->pairs.count = first;
    join->pairs = worker->pairs.items + worker->pairs.count;
}

void tree_begin_pairs(tree_state *tree, broad_pairs *pairs)
{
    for (uint32_t i = 0; i < base_worker_count(tree->context); i++)
        tree->workers[i]->pairs.count = 0, tree->workers[i]->join.tested = 0, tree->workers[i]->out_of_memory = false;
    tree->workers[0]->pairs = *pairs; /* whose own are none */
    *pairs = (broad_pairs){0};
}

bool tree_end_pairs(tree_state *tree, broad_pairs *pairs, uint64_t *boxes_tested)
{
    bool enough = true;
    *pairs = tree->workers[0]->pairs;
    tree->workers[0]->pairs = (broad_pairs){0};
    for (uint32_t i = 0; i < base_worker_count(tree->context); i++)
    {
        const tree_worker *own = tree->workers[i];
        *boxes_tested += own->join.tested * BROAD_LANES;
        enough = enough && !own->out_of_memory && base_array_reserve(tree->context, pairs, own->pairs.count);
        if (!enough || own->pairs.count == 0)
            continue;
        memcpy(pairs->items + pairs->count, own->pairs.items, own->pairs.count * sizeof *pairs->items);
        pairs->count += own->pairs.count;
    }
    return enough;
}

/* ---- joins ---- */

/* Which boxes of two parts may pair, by their classes: all (unless they have one owner), none, or some. */
typedef enum tree_allowed
{
    TREE_NONE,
    TREE_SOME,
    TREE_ALL
} tree_allowed;

static tree_allowed allowed(const broad_classes *classes, uint64_t a, uint64_t b)
{
    bool all = true, none = true;
    for (; a; a &= a - 1)
    {
        int class = __builtin_ctzll(a);
        all = all && (classes->may_pair[class] & ~classes->ask[class] & b) == b;
        none = none && !(classes->may_pair[class] & b);
    }
    return none ? TREE_NONE : all ? TREE_ALL : TREE_SOME;
}

/* Sets what is below all bounds of a part, unless that was done in this call. Many boxes in one place cost time for the
 * pairs that may be, not for those that may not. */
static void set_classes(tree_state *tree, tree_part *part)
{
    if (part->classed == tree->call)
        return;
    part->classed = tree->call;
    for (uint32_t i = 0; i < BROAD_CLASS_BITS; i++)
    {
        uint64_t all = tree->classes.may_pair[i] | tree->classes.may_pair[i + BROAD_CLASS_BITS];
        tree->partners.of[i] = (uint32_t)(all | all >> BROAD_CLASS_BITS);
    }
    for (uint32_t level = 1; level < part->groups.level_count; level++)
    {
        for (size_t i = 0; i < part->groups.levels[level].count; i++)
            memset(part->groups.levels[level].items[i].classes, 0, sizeof part->groups.levels[level].items[i].classes);
        for (size_t i = 0; i < part->groups.levels[level - 1].count; i++)
        {
            const broad_group *group = &part->groups.levels[level - 1].items[i];
            uint32_t *all = &part->groups.levels[level].items[i / BROAD_LANES].classes[i % BROAD_LANES];
            for (int lane = 0; lane < BROAD_LANES; lane++)
                *all |= level > 1                            ? group->classes[lane]
                        : group->slot[lane] == BROAD_NO_SLOT ? 0
                                                             : 1u << tree->class_of.items[group->slot[lane]] % 32;
        }
    }
}

/* Whatever a worker finds from here on is about these boxes; plain: any two may pair. */
static void begin_search(tree_worker *worker, const broad_input *input, bool plain)
{
    broad_join *join = &worker->join;
    worker->input = input, worker->plain = plain;
    join->margin = (float)input->margin;
    join->take = take_pairs, join->pair_count = join->unsure_count = 0;
    take_pairs(join); /* makes room */
}

static bool is_plain(const tree_state *tree, const broad_input *input, uint64_t a, uint64_t b)
{
    return input->distinct_owners && allowed(&tree->classes, a, b) == TREE_ALL;
}

static void join_range(uint32_t first, uint32_t last, uint32_t number, void *data)
{
    const tree_task *task = data;
    tree_worker *worker = task->tree->workers[number];
    broad_join *join = &worker->join;
    join->a = &task->a->groups, join->b = &task->b->groups, join->self = task->self;
    join->b_first = task->b_first, join->b_last = task->b_last;
    join->partners = task->filters ? &task->tree->partners : NULL;
    begin_search(worker, task->input, is_plain(task->tree, task->input, task->a->classes, task->b->classes));
    if (worker->out_of_memory)
        return;
    if (task->by_box)
        BASE_PICK_ISA(task->tree->context, broad_join_boxes)(join, first, last);
    else
        BASE_PICK_ISA(task->tree->context, broad_join_range)(join, task->first + first, task->first + last);
}

void tree_join(tree_task task)
{
    uint32_t count = (uint32_t)task.a->groups.levels[task.by_box ? 0 : 1].count;
    tree_allowed pairs = allowed(&task.tree->classes, task.a->classes, task.b->classes);
    if (count <= task.first || !(task.self || task.b_last > task.b_first) || pairs == TREE_NONE)
        return;
    task.filters = pairs == TREE_SOME && (task.a->crowded || task.b->crowded);
    if (task.filters)
        set_classes(task.tree, task.a), set_classes(task.tree, task.b);
    base_parallel_for(task.tree->context, count - task.first, MIN_RANGE, join_range, &task);
}

/* ---- long thin boxes ---- */

/* How many groups meet one of a part's, of the part and of another one. */
static double crowd_of(tree_state *tree, const tree_part *part, const tree_part *other, const broad_partners *partners)
{
    enum
    {
        SAMPLES = 16
    };
    broad_crowd crowd = {&part->groups, &part->groups, partners, SAMPLES};
    double count = BASE_PICK_ISA(tree->context, broad_groups_crowd)(&crowd);
    if (other)
        crowd.b = &other->groups, count += BASE_PICK_ISA(tree->context, broad_groups_crowd)(&crowd);
    return count;
}

/* A sweep tests all boxes, a join leaves out groups whose boxes may not pair. */
bool tree_must_split(tree_state *tree, tree_part *part, tree_part *other)
{
    const double worth_it = 0.125; /* groups that may pair, of those that meet */
    if (!part->crowded && !(other && other->crowded && part->used > other->used / 8))
        return false;
    if (allowed(&tree->classes, part->classes, part->classes | (other ? other->classes : 0)) == TREE_ALL)
        return true;
    set_classes(tree, part);
    if (other)
        set_classes(tree, other);
    return crowd_of(tree, part, other, &tree->partners) > worth_it * crowd_of(tree, part, other, NULL);
}

typedef struct sweep_task
{
    tree_state *tree;
    const broad_pass *sweep;
} sweep_task;

static void sweep_range(uint32_t first, uint32_t last, uint32_t number, void *data)
{
    const sweep_task *task = data;
    tree_worker *worker = task->tree->workers[number];
    if (!worker->out_of_memory)
        BASE_PICK_ISA(task->tree->context, broad_split_sweep)(&worker->join, task->sweep, first, last);
}

static void sweep_all(broad_split *split, const broad_pass *sweep)
{
    sweep_task task = {split->user, sweep};
    base_parallel_for(split->context, sweep->count, MIN_SWEPT, sweep_range, &task);
}

static bool open_split(tree_state *tree)
{
    if (tree->split)
        return true;
    tree->split = base_allocate(tree->context, 1, sizeof *tree->split, BASE_CACHE_LINE);
    if (!tree->split)
        return false;
    memset(tree->split, 0, sizeof *tree->split);
    tree->split->context = tree->context, tree->split->sweep = sweep_all, tree->split->user = tree;
    tree->split->keys = &tree->order.items, tree->split->sorted = &tree->order.sorted;
    return true;
}

void tree_join_by_split(tree_state *tree, const broad_input *input, const tree_part *part, const tree_part *other)
{
    uint64_t others = part->classes | (other ? other->classes : 0);
    bool plain = is_plain(tree, input, part->classes, others), enough = open_split(tree);
    for (uint32_t i = 0; i < base_worker_count(tree->context); i++)
        begin_search(tree->workers[i], input, plain);
    enough = enough && broad_split_join(tree->split, &part->groups, other ? &other->groups : NULL);
    for (uint32_t i = 0; i < base_worker_count(tree->context); i++)
    {
        broad_join *join = &tree->workers[i]->join;
        take_pairs(join);
        join->pair_count = join->unsure_count = 0;
    }
    if (!enough)
        tree->workers[0]->out_of_memory = true;
}
