/* Which triangles meet? Depth first over pairs of nodes whose volumes may overlap. */
#include "tree/binary_walk.h"

typedef struct collide_walk
{
    binary_walk walk;
    const narrow_search *options;
    double margin; /* the clearance until something is known to violate it, then 0 */
    bool violated;
    bool has_first; /* the remembered pair was reported already */
    tree_pair first;
} collide_walk;

/* One pair of triangles; false to stop. */
static bool certify(collide_walk *all, tree_pair pair, const narrow_triangle *a, const narrow_triangle *b)
{
    const narrow_search *options = all->options;
    narrow_counts *counts = &all->walk.counts;
    all->walk.task->counters->triangles_tested++;
    uint32_t meeting = options->need_meeting          ? narrow_meet(a, b, counts)
                       : narrow_touches(a, b, counts) ? (uint32_t)CAROM_MEET_TOUCHING
                                                      : (uint32_t)CAROM_MEET_NONE;
    if (meeting == CAROM_MEET_NONE)
    {
        if (all->margin > 0.0 && narrow_distance(a, b, counts).distance < options->clearance)
            all->violated = true, all->margin = 0.0;
        return true;
    }
    all->violated = true, all->margin = 0.0;
    tree_memory_remember(all->walk.task, pair);
    return options->on_pair(pair.a, pair.b, meeting, options->user);
}

/* What met last time is likely to meet again, where one pair is enough. */
static bool try_last(collide_walk *all)
{
    const tree_task *task = all->walk.task;
    if (all->options->every_pair || !tree_memory_last(task, &all->first))
        return true;
    all->has_first = true;
    narrow_triangle a = tree_world_triangle(task->a, all->first.a), b = tree_world_triangle(task->b, all->first.b);
    return certify(all, all->first, &a, &b);
}

/* Pays for a pair that was taken off the stack; false, and the pair back on it, when the budget ran out. */
static bool spend(collide_walk *all, tree_stack_entry pair, uint32_t work)
{
    const tree_task *task = all->walk.task;
    if (base_budget_spend(task->budget, work))
        return true;
    task->scratch->stack.items[task->scratch->stack.count++] = pair; /* where it was: there is room */
    return false;
}

static carom_status certify_leaves(collide_walk *all, tree_stack_entry leaves)
{
    binary_walk *walk = &all->walk;
    uint32_t still_count, moved_count;
    const uint32_t *still_ids = view_triangles(walk->still->tree, leaves.node_a, &still_count);
    const uint32_t *moved_ids = view_triangles(walk->moved->tree, leaves.node_b, &moved_count);
    uint64_t work = (uint64_t)still_count * moved_count;
    if (!spend(all, leaves, work < UINT32_MAX ? (uint32_t)work : UINT32_MAX))
        return CAROM_UNKNOWN;
    for (uint32_t i = 0; i < still_count; i++)
    {
        narrow_triangle still_triangle = tree_world_triangle(walk->still, still_ids[i]);
        for (uint32_t j = 0; j < moved_count; j++)
        {
            tree_pair pair = binary_walk_pair(walk, still_ids[i], moved_ids[j]);
            if (all->has_first && pair.a == all->first.a && pair.b == all->first.b)
                continue;
            narrow_triangle moved_triangle = tree_world_triangle(walk->moved, moved_ids[j]);
            bool go_on = walk->swapped ? certify(all, pair, &moved_triangle, &still_triangle)
                                       : certify(all, pair, &still_triangle, &moved_triangle);
            if (!go_on)
                return CAROM_STOPPED;
        }
    }
    return CAROM_OK;
}

/* Tests one pair of volumes and keeps it if it may hold something. */
static carom_status offer(collide_walk *all, tree_stack_entry pair)
{
    binary_walk *walk = &all->walk;
    if (binary_walk_apart(walk, pair.node_a, pair.node_b, all->margin))
        return CAROM_OK;
    if (!binary_walk_push(walk->task, pair))
        return base_fail(walk->task->context, CAROM_OUT_OF_MEMORY, "traversal: out of memory");
    return CAROM_OK;
}

static carom_status descend(collide_walk *all, tree_stack_entry pair)
{
    binary_opening opening = binary_walk_opening(&all->walk, pair.node_a, pair.node_b);
    if (opening == BINARY_OPEN_NONE)
        return certify_leaves(all, pair);
    tree_stack_entry child[VIEW_CHILDREN_MAX];
    uint32_t count = binary_walk_open(&all->walk, pair, opening, child);
    if (!spend(all, pair, count))
        return CAROM_UNKNOWN;
    carom_status status = CAROM_OK;
    while (count-- > 0 && status == CAROM_OK)
        status = offer(all, child[count]);
    return status;
}

/* The roots are tested before they are opened; what a front holds was tested when it was found. */
static carom_status begin(collide_walk *all)
{
    const tree_task *task = all->walk.task;
    if (task->front && task->front->count > 0)
        return binary_walk_begin_stack(&all->walk);
    if (!base_budget_spend(task->budget, 1))
    {
        BASE_TRY(binary_walk_begin_stack(&all->walk));
        return CAROM_UNKNOWN;
    }
    return offer(all, (tree_stack_entry){.node_a = VIEW_ROOT, .node_b = VIEW_ROOT});
}

carom_status binary_collide(const tree_task *task, const narrow_search *options, bool *violated)
{
    collide_walk all = {.options = options, .violated = *violated};
    all.margin = options->clearance > 0.0 && !all.violated ? options->clearance : 0.0;
    if (view_is_empty(task->a->tree) || view_is_empty(task->b->tree))
        return CAROM_OK;
    BASE_TRY(binary_walk_begin(&all.walk, task));
    carom_status status = try_last(&all) ? begin(&all) : CAROM_STOPPED;
    while (status == CAROM_OK && task->scratch->stack.count > 0)
    {
        tree_stack_entry entry = task->scratch->stack.items[--task->scratch->stack.count];
        status = descend(&all, entry);
    }
    binary_walk_end(&all.walk);
    *violated = all.violated;
    if (status < CAROM_FIRST_ERROR)
        BASE_TRY(binary_walk_leave_front(&all.walk, status != CAROM_UNKNOWN));
    return status;
}
