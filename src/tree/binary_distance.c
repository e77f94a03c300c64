/* How near do the surfaces come? Depth first, the nearer pair of volumes first, until nothing open can be nearer, or as
 * near with smaller ids. */
#include "tree/binary_walk.h"

typedef struct distance_walk
{
    binary_walk walk;
    tree_closest *best;
    bool stop_at_first;
} distance_walk;

static bool better(const tree_closest *best, double distance, binary_pair pair)
{
    if (distance != best->distance)
        return distance < best->distance;
    return pair.a != best->triangle_a ? pair.a < best->triangle_a : pair.b < best->triangle_b;
}

static void measure(distance_walk *all, binary_pair pair, const narrow_triangle *a, const narrow_triangle *b)
{
    tree_closest *best = all->best;
    /* Once something meets, only meeting pairs with smaller ids matter, and those are cheaper to rule out. */
    if (best->distance == 0.0)
    {
        if (!better(best, 0.0, pair))
            return;
        all->walk.task->counters->triangles_tested++;
        if (!narrow_touches(a, b, &all->walk.counts))
            return;
    }
    else
        all->walk.task->counters->triangles_tested++;
    narrow_distance_result found = narrow_distance(a, b, &all->walk.counts);
    if (!better(best, found.distance, pair))
        return;
    best->distance = found.distance;
    best->point_a = found.point_a, best->point_b = found.point_b;
    best->triangle_a = pair.a, best->triangle_b = pair.b;
}

static bool found_any(const tree_closest *best) { return best->triangle_a != CAROM_NO_TRIANGLE; }

static carom_status measure_leaves(distance_walk *all, tree_node still, tree_node moved)
{
    binary_walk *walk = &all->walk;
    for (uint32_t i = 0; i < still.count; i++)
    {
        uint32_t still_id = walk->still->tree->order[still.first + i];
        narrow_triangle still_triangle = tree_world_triangle(walk->still, still_id);
        for (uint32_t j = 0; j < moved.count; j++)
        {
            uint32_t moved_id = walk->moved->tree->order[moved.first + j];
            if (!base_budget_spend(walk->task->budget, 1))
                return CAROM_UNKNOWN;
            narrow_triangle moved_triangle = tree_world_triangle(walk->moved, moved_id);
            binary_pair pair = binary_walk_pair(walk, still_id, moved_id);
            if (walk->swapped)
                measure(all, pair, &moved_triangle, &still_triangle);
            else
                measure(all, pair, &still_triangle, &moved_triangle);
            if (all->stop_at_first && found_any(all->best))
                return CAROM_STOPPED;
        }
    }
    return CAROM_OK;
}

/* Lower bound of one pair of nodes, as a float that is not larger. */
static float bound(distance_walk *all, uint32_t still_node, uint32_t moved_node)
{
    binary_walk *walk = &all->walk;
    walk->task->counters->boxes_tested++;
    const volume_moved *moved = binary_walk_moved(walk, moved_node);
    double distance = volume_distance(&walk->frame, binary_walk_still(walk, still_node), moved);
    return distance > 0.0 ? math_float_down(distance) : 0.0f;
}

/* Puts both children's pairs on the stack, the nearer on top. */
static carom_status open_pair(distance_walk *all, tree_stack_entry parent)
{
    binary_walk *walk = &all->walk;
    const tree_task *task = walk->task;
    tree_stack_entry child[2] = {parent, parent};
    if (binary_walk_opening(walk, parent.node_a, parent.node_b) == BINARY_OPEN_STILL)
    {
        child[0].node_a = walk->still->tree->nodes[parent.node_a].first;
        child[1].node_a = child[0].node_a + 1;
    }
    else
    {
        child[0].node_b = walk->moved->tree->nodes[parent.node_b].first;
        child[1].node_b = child[0].node_b + 1;
    }
    if (!base_budget_spend(task->budget, 2))
        return CAROM_UNKNOWN;
    for (int i = 0; i < 2; i++)
        child[i].key = fmaxf(bound(all, child[i].node_a, child[i].node_b), parent.key);
    int nearer = child[1].key < child[0].key;
    for (int i = 0; i < 2; i++)
    {
        tree_stack_entry entry = child[i == 0 ? 1 - nearer : nearer];
        if ((double)entry.key > all->best->distance)
            continue;
        if (!binary_walk_push(task, entry))
            return base_fail(task->context, CAROM_OUT_OF_MEMORY, "traversal: out of memory");
    }
    return CAROM_OK;
}

/* Nothing that is still open can be nearer than this. */
static double open_bound(const distance_walk *all, float unfinished)
{
    double lowest = fmin(all->best->distance, (double)unfinished);
    const tree_scratch *scratch = all->walk.task->scratch;
    for (size_t i = 0; i < scratch->stack.count; i++)
        lowest = fmin(lowest, (double)scratch->stack.items[i].key);
    return lowest;
}

static carom_status search(distance_walk *all)
{
    const tree_task *task = all->walk.task;
    tree_stack_entry entry = {.node_a = 0, .node_b = 0, .key = 0.0f};
    carom_status status = base_budget_spend(task->budget, 1) ? CAROM_OK : CAROM_UNKNOWN;
    if (status == CAROM_OK)
    {
        entry.key = bound(all, 0, 0);
        if (!binary_walk_push(task, entry))
            return base_fail(task->context, CAROM_OUT_OF_MEMORY, "traversal: out of memory");
    }
    while (status == CAROM_OK && task->scratch->stack.count > 0)
    {
        entry = task->scratch->stack.items[--task->scratch->stack.count];
        if ((double)entry.key > all->best->distance)
            continue;
        tree_node still = all->walk.still->tree->nodes[entry.node_a];
        tree_node moved = all->walk.moved->tree->nodes[entry.node_b];
        status = still.count > 0 && moved.count > 0 ? measure_leaves(all, still, moved) : open_pair(all, entry);
    }
    all->best->lower_bound = status == CAROM_UNKNOWN ? open_bound(all, entry.key) : all->best->distance;
    return status;
}

static carom_status run(const tree_task *task, tree_closest *closest, bool stop_at_first)
{
    closest->triangle_a = closest->triangle_b = CAROM_NO_TRIANGLE;
    closest->lower_bound = closest->distance;
    if (task->a->tree->node_count == 0 || task->b->tree->node_count == 0)
        return CAROM_OK;
    distance_walk all = {.best = closest, .stop_at_first = stop_at_first};
    BASE_TRY(binary_walk_begin(&all.walk, task));
    binary_pair last;
    if (binary_walk_recall(task, &last))
    {
        narrow_triangle a = tree_world_triangle(task->a, last.a), b = tree_world_triangle(task->b, last.b);
        measure(&all, last, &a, &b);
    }
    carom_status status = stop_at_first && found_any(closest) ? CAROM_STOPPED : search(&all);
    if (found_any(closest))
        binary_walk_remember(task, (binary_pair){closest->triangle_a, closest->triangle_b});
    binary_walk_end(&all.walk);
    return status;
}

carom_status binary_distance(const tree_task *task, tree_closest *closest) { return run(task, closest, false); }

carom_status binary_within(const tree_task *task, double limit, bool *within)
{
    tree_closest closest = {.distance = limit};
    carom_status status = run(task, &closest, true);
    *within = found_any(&closest);
    return status == CAROM_STOPPED ? CAROM_OK : status;
}
