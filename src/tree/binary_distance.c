/* How close are the surfaces? Depth first, the nearer pair of volumes first, until no open pair can be nearer, or as
 * near with smaller ids. */
#include "tree/binary_walk.h"

typedef struct distance_walk
{
    binary_walk walk;
    narrow_closest *best;
    bool stop_at_first;
    bool strictly; /* a pair as near as the limit does not count */
} distance_walk;

static bool has_smaller_ids(tree_pair pair, const narrow_closest *best)
{
    return pair.a != best->triangle_a ? pair.a < best->triangle_a : pair.b < best->triangle_b;
}

static void measure(distance_walk *state, tree_pair pair, const narrow_triangle *a, const narrow_triangle *b)
{
    narrow_closest *best = state->best;
    /* Once a pair meets, only meeting pairs with smaller ids matter, and those are cheaper to rule out. */
    if (best->distance == 0.0)
    {
        if (!has_smaller_ids(pair, best))
            return;
        state->walk.task->counters->triangles_tested++;
        if (!narrow_touches(a, b, &state->walk.counts))
            return;
    }
    else
        state->walk.task->counters->triangles_tested++;
    if (state->strictly && narrow_distance_sign(a, b, best->distance, &state->walk.counts) >= 0)
        return;
    narrow_offer(best, a, b, (carom_pair){pair.a, pair.b, 0}, &state->walk.counts);
}

static bool found_any(const narrow_closest *best) { return best->triangle_a != CAROM_NO_TRIANGLE; }

static carom_status measure_leaves(distance_walk *state, tree_stack_entry leaves)
{
    binary_walk *walk = &state->walk;
    uint32_t still_count, moved_count;
    const uint32_t *still_ids = view_triangles(walk->still->tree, leaves.node_a, &still_count);
    const uint32_t *moved_ids = view_triangles(walk->moved->tree, leaves.node_b, &moved_count);
    if (!base_budget_spend(walk->task->budget, still_count * moved_count))
        return CAROM_UNKNOWN;
    for (uint32_t i = 0; i < still_count; i++)
    {
        narrow_triangle still_triangle = tree_world_triangle(walk->still, still_ids[i]);
        for (uint32_t j = 0; j < moved_count; j++)
        {
            narrow_triangle moved_triangle = tree_world_triangle(walk->moved, moved_ids[j]);
            tree_pair pair = binary_walk_pair(walk, still_ids[i], moved_ids[j]);
            if (walk->swapped)
                measure(state, pair, &moved_triangle, &still_triangle);
            else
                measure(state, pair, &still_triangle, &moved_triangle);
            if (state->stop_at_first && found_any(state->best))
                return CAROM_STOPPED;
        }
    }
    return CAROM_OK;
}

/* Lower bound of one pair of nodes, as a float that is not larger. */
static float bound(distance_walk *state, tree_stack_entry pair)
{
    double distance = binary_walk_bound(&state->walk, pair.node_a, pair.node_b);
    return distance > 0.0 ? math_float_down(distance) : 0.0f;
}

/* Puts the children's pairs on the stack, the nearest on top. */
static carom_status open_pair(distance_walk *state, tree_stack_entry pair, binary_opening opening)
{
    const tree_task *task = state->walk.task;
    tree_stack_entry child[VIEW_CHILDREN_MAX];
    uint32_t count = binary_walk_open(&state->walk, pair, opening, child);
    if (!base_budget_spend(task->budget, count))
        return CAROM_UNKNOWN;
    if (!base_array_reserve(task->scratch->context, &task->scratch->stack, count))
        return base_fail(task->context, CAROM_OUT_OF_MEMORY, "traversal: out of memory");
    tree_stack_entry *pushed = task->scratch->stack.items + task->scratch->stack.count;
    size_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        float key = fmaxf(bound(state, child[i]), pair.key);
        if ((double)key > state->best->distance)
            continue;
        size_t at = kept++;
        for (; at > 0 && pushed[at - 1].key <= key; at--)
            pushed[at] = pushed[at - 1];
        pushed[at] = child[i];
        pushed[at].key = key;
    }
    task->scratch->stack.count += kept;
    return CAROM_OK;
}

/* Nothing that is still open can be nearer than this. */
static double open_bound(const distance_walk *state)
{
    double lowest = narrow_closest_bound(state->best);
    const tree_scratch *scratch = state->walk.task->scratch;
    for (size_t i = 0; i < scratch->stack.count; i++)
        lowest = fmin(lowest, (double)scratch->stack.items[i].key);
    return lowest;
}

static carom_status search(distance_walk *state)
{
    const tree_task *task = state->walk.task;
    BASE_TRY(binary_walk_begin_stack(&state->walk));
    bool from_roots = !task->front || task->front->count == 0;
    carom_status status = !from_roots || base_budget_spend(task->budget, 1) ? CAROM_OK : CAROM_UNKNOWN;
    if (status == CAROM_OK && from_roots)
        task->scratch->stack.items[0].key = bound(state, task->scratch->stack.items[0]);
    while (status == CAROM_OK && task->scratch->stack.count > 0)
    {
        tree_stack_entry entry = task->scratch->stack.items[--task->scratch->stack.count];
        if ((double)entry.key > state->best->distance)
            continue;
        binary_opening opening = binary_walk_opening(&state->walk, entry.node_a, entry.node_b);
        status = opening == BINARY_OPEN_NONE ? measure_leaves(state, entry) : open_pair(state, entry, opening);
        if (status == CAROM_UNKNOWN) /* the budget does not cover it: back to where it was */
            task->scratch->stack.items[task->scratch->stack.count++] = entry;
    }
    if (!state->stop_at_first)
    {
        narrow_closest_settle(state->best, &state->walk.counts);
        state->best->lower_bound = status == CAROM_UNKNOWN ? open_bound(state) : narrow_closest_bound(state->best);
    }
    if (!carom_failed(status))
        BASE_TRY(binary_walk_leave_front(&state->walk, status != CAROM_UNKNOWN));
    return status;
}

static carom_status run(const tree_task *task, narrow_closest *closest, bool stop_at_first, bool strictly)
{
    closest->lower_bound = closest->distance;
    if (view_is_empty(task->a->tree) || view_is_empty(task->b->tree))
        return CAROM_OK;
    distance_walk state = {.best = closest, .stop_at_first = stop_at_first, .strictly = strictly};
    BASE_TRY(binary_walk_begin(&state.walk, task));
    tree_pair last;
    if (tree_memory_last(task, &last))
    {
        narrow_triangle a = tree_world_triangle(task->a, last.a), b = tree_world_triangle(task->b, last.b);
        measure(&state, last, &a, &b);
    }
    carom_status status = stop_at_first && found_any(closest) ? CAROM_STOPPED : search(&state);
    if (found_any(closest))
        tree_memory_remember(task, (tree_pair){closest->triangle_a, closest->triangle_b});
    binary_walk_end(&state.walk);
    return status;
}

carom_status binary_distance(const tree_task *task, narrow_closest *closest)
{
    return run(task, closest, false, false);
}

carom_status binary_within(const tree_task *task, double limit, bool strictly, bool *within)
{
    narrow_closest closest;
    narrow_closest_begin(&closest, limit);
    carom_status status = run(task, &closest, true, strictly);
    *within = found_any(&closest);
    return status == CAROM_STOPPED ? CAROM_OK : status;
}
