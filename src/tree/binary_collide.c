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
static bool certify(collide_walk *state, tree_pair pair, const narrow_triangle *a, const narrow_triangle *b)
{
    const narrow_search *options = state->options;
    narrow_counts *counts = &state->walk.counts;
    state->walk.task->counters->triangles_tested++;
    uint32_t meeting = options->need_meeting          ? narrow_meet(a, b, counts)
                       : narrow_touches(a, b, counts) ? (uint32_t)CAROM_MEET_TOUCHING
                                                      : (uint32_t)CAROM_MEET_NONE;
    if (meeting == CAROM_MEET_NONE)
    {
        if (state->margin > 0.0 && narrow_distance_sign(a, b, options->clearance, counts) < 0)
            state->violated = true, state->margin = 0.0;
        return true;
    }
    state->violated = true, state->margin = 0.0;
    tree_memory_remember(state->walk.task, pair);
    return options->on_pair(pair.a, pair.b, meeting, options->user);
}

/* If one pair is enough, try the one that met last time: it is likely to meet again. */
static bool try_last(collide_walk *state)
{
    const tree_task *task = state->walk.task;
    if (state->options->every_pair || !tree_memory_last(task, &state->first))
        return true;
    state->has_first = true;
    narrow_triangle a = tree_world_triangle(task->a, state->first.a), b = tree_world_triangle(task->b, state->first.b);
    return certify(state, state->first, &a, &b);
}

/* Charges the budget for a pair popped from the stack. False if the budget ran out; then the pair is pushed back. */
static bool spend(collide_walk *state, tree_stack_entry pair, uint32_t work)
{
    const tree_task *task = state->walk.task;
    if (base_budget_spend(task->budget, work))
        return true;
    task->scratch->stack.items[task->scratch->stack.count++] = pair; /* where it was: there is room */
    return false;
}

static carom_status certify_leaves(collide_walk *state, tree_stack_entry leaves)
{
    binary_walk *walk = &state->walk;
    uint32_t still_count, moved_count;
    const uint32_t *still_ids = view_triangles(walk->still->tree, leaves.node_a, &still_count);
    const uint32_t *moved_ids = view_triangles(walk->moved->tree, leaves.node_b, &moved_count);
    uint64_t work = (uint64_t)still_count * moved_count;
    if (!spend(state, leaves, work < UINT32_MAX ? (uint32_t)work : UINT32_MAX))
        return CAROM_UNKNOWN;
    for (uint32_t i = 0; i < still_count; i++)
    {
        narrow_triangle still_triangle = tree_world_triangle(walk->still, still_ids[i]);
        for (uint32_t j = 0; j < moved_count; j++)
        {
            tree_pair pair = binary_walk_pair(walk, still_ids[i], moved_ids[j]);
            if (state->has_first && pair.a == state->first.a && pair.b == state->first.b)
                continue;
            narrow_triangle moved_triangle = tree_world_triangle(walk->moved, moved_ids[j]);
            bool go_on = walk->swapped ? certify(state, pair, &moved_triangle, &still_triangle)
                                       : certify(state, pair, &still_triangle, &moved_triangle);
            if (!go_on)
                return CAROM_STOPPED;
        }
    }
    return CAROM_OK;
}

/* Tests one pair of volumes and keeps it if it may hold something. */
static carom_status offer(collide_walk *state, tree_stack_entry pair)
{
    binary_walk *walk = &state->walk;
    if (binary_walk_apart(walk, pair.node_a, pair.node_b, state->margin))
        return CAROM_OK;
    if (!binary_walk_push(walk->task, pair))
        return base_fail(walk->task->context, CAROM_OUT_OF_MEMORY, "traversal: out of memory");
    return CAROM_OK;
}

static carom_status descend(collide_walk *state, tree_stack_entry pair)
{
    binary_opening opening = binary_walk_opening(&state->walk, pair.node_a, pair.node_b);
    if (opening == BINARY_OPEN_NONE)
        return certify_leaves(state, pair);
    tree_stack_entry child[VIEW_CHILDREN_MAX];
    uint32_t count = binary_walk_open(&state->walk, pair, opening, child);
    if (!spend(state, pair, count))
        return CAROM_UNKNOWN;
    carom_status status = CAROM_OK;
    while (count-- > 0 && status == CAROM_OK)
        status = offer(state, child[count]);
    return status;
}

/* The roots are tested before they are opened; what a front holds was tested when it was found. */
static carom_status begin(collide_walk *state)
{
    const tree_task *task = state->walk.task;
    if (task->front && task->front->count > 0)
        return binary_walk_begin_stack(&state->walk);
    if (!base_budget_spend(task->budget, 1))
    {
        BASE_TRY(binary_walk_begin_stack(&state->walk));
        return CAROM_UNKNOWN;
    }
    return offer(state, (tree_stack_entry){.node_a = VIEW_ROOT, .node_b = VIEW_ROOT});
}

carom_status binary_collide(const tree_task *task, const narrow_search *options, bool *violated)
{
    collide_walk state = {.options = options, .violated = *violated};
    state.margin = options->clearance > 0.0 && !state.violated ? options->clearance : 0.0;
    if (view_is_empty(task->a->tree) || view_is_empty(task->b->tree))
        return CAROM_OK;
    BASE_TRY(binary_walk_begin(&state.walk, task));
    carom_status status = try_last(&state) ? begin(&state) : CAROM_STOPPED;
    while (status == CAROM_OK && task->scratch->stack.count > 0)
    {
        tree_stack_entry entry = task->scratch->stack.items[--task->scratch->stack.count];
        status = descend(&state, entry);
    }
    binary_walk_end(&state.walk);
    *violated = state.violated;
    if (!carom_failed(status))
        BASE_TRY(binary_walk_leave_front(&state.walk, status != CAROM_UNKNOWN));
    return status;
}
