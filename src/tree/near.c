/* Which triangles of a tree are near a segment? A walk over any layout, with a limit that may shrink on the way. */
#include "tree/binary_view.h"

typedef struct near_walk
{
    const tree_near_task *task;
    carom_vec3 centre, half; /* of the segment, in the frame of the tree's boxes */
    double pad;              /* what placing it there may err by, and what boxes are rounded by */
    double limit;
} near_walk;

static double largest_coordinate(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

/* A world point in the frame of the tree's boxes; *error is raised to what it may be off by. */
static carom_vec3 place_point(const tree_placed *placed, carom_vec3 point, double *error)
{
    double extent = placed->mesh->extent;
    carom_pose at_point = carom_pose_translation(point.x, point.y, point.z);
    math_relative relative = math_relative_pose(placed->pose, &at_point, extent, 0.0);
    carom_vec3 in_mesh = relative.translation;
    *error = fmax(*error, relative.error + 0x1p-50 * (extent + largest_coordinate(in_mesh)));
    return vec3_sub(in_mesh, placed->tree->origin);
}

static void place_segment(near_walk *walk)
{
    const tree_placed *placed = walk->task->placed;
    double error = 0.0;
    carom_vec3 from = place_point(placed, walk->task->ends[0], &error);
    carom_vec3 to = place_point(placed, walk->task->ends[1], &error);
    walk->centre = vec3_scale(vec3_add(from, to), 0.5);
    walk->half = vec3_scale(vec3_sub(to, from), 0.5);
    double reach = largest_coordinate(from) + largest_coordinate(to) + placed->mesh->extent;
    walk->pad = 2.0 * error + 0x1p-48 * reach;
}

/* The square of a lower bound of the distance from the node's box to the segment: gaps along the axes of the box. */
static double gap_square(const near_walk *walk, uint32_t node)
{
    volume_box box;
    view_box(walk->task->placed->tree, node, &box);
    carom_vec3 between = vec3_sub(walk->centre, box.centre);
    double square = 0.0, slack = walk->pad + box.radius;
    for (int k = 0; k < 3; k++)
    {
        /* Axes stored in floats are unit vectors to 2^-20 or better, and so nearly at right angles. */
        double along = fabs(vec3_dot(between, box.axis[k])) * (1.0 - 0x1p-18);
        double gap = along - (box.half[k] + fabs(vec3_dot(walk->half, box.axis[k]))) * (1.0 + 0x1p-18) - slack;
        if (gap > 0.0)
            square += gap * gap;
    }
    return square * (1.0 - 0x1p-16);
}

static bool push(const tree_near_task *task, uint32_t node, double square)
{
    if (!base_array_reserve(task->context, &task->scratch->stack, 1))
        return false;
    task->scratch->stack.items[task->scratch->stack.count++] =
        (tree_stack_entry){.node_a = node, .key = math_float_down(square)};
    return true;
}

/* The children that are near enough, the nearest last and so next. False: out of memory. */
static bool open_node(near_walk *walk, uint32_t node)
{
    const tree_near_task *task = walk->task;
    uint32_t child[VIEW_CHILDREN_MAX], count = view_children(task->placed->tree, node, child);
    size_t bottom = task->scratch->stack.count;
    task->counters->boxes_tested += count;
    for (uint32_t i = 0; i < count; i++)
    {
        double square = gap_square(walk, child[i]);
        if (square > walk->limit * walk->limit)
            continue;
        if (!push(task, child[i], square))
            return false;
        tree_stack_entry *items = task->scratch->stack.items;
        for (size_t at = task->scratch->stack.count - 1; at > bottom && items[at - 1].key < items[at].key; at--)
        {
            tree_stack_entry swap = items[at];
            items[at] = items[at - 1], items[at - 1] = swap;
        }
    }
    return true;
}

static carom_status out_of_memory(const tree_near_task *task)
{
    return base_fail(task->context, CAROM_OUT_OF_MEMORY, "traversal: out of memory");
}

static carom_status visit(near_walk *walk, tree_stack_entry entry, tree_near_fn *on_triangle, void *user)
{
    const tree_near_task *task = walk->task;
    uint32_t node = entry.node_a, count;
    const uint32_t *triangles = view_triangles(task->placed->tree, node, &count);
    if (!base_budget_spend(task->budget, triangles ? count : VIEW_CHILDREN_MAX))
    {
        task->scratch->stack.items[task->scratch->stack.count++] = entry; /* where it was: there is room */
        return CAROM_UNKNOWN;
    }
    if (!triangles)
        return open_node(walk, node) ? CAROM_OK : out_of_memory(task);
    for (uint32_t i = 0; i < count; i++)
    {
        walk->limit = on_triangle(triangles[i], user);
        if (walk->limit < 0.0)
            return CAROM_STOPPED;
    }
    return CAROM_OK;
}

/* Puts what the front holds, or the root, on the stack. False: out of memory. */
static bool begin_stack(const tree_near_task *task)
{
    const narrow_part_pair root = {VIEW_ROOT, 0, 0.0f};
    bool resumed = task->front && task->front->count > 0;
    const narrow_part_pair *from = resumed ? task->front->items : &root;
    task->scratch->stack.count = 0;
    for (size_t i = resumed ? task->front->count : 1; i-- > 0;)
        if (!push(task, from[i].part_a, (double)from[i].bound))
            return false;
    return true;
}

/* What is left on the stack goes into the front, what would have been next first. False: out of memory. */
static bool leave_front(const tree_near_task *task, bool open)
{
    if (!task->front)
        return true;
    size_t left = open ? task->scratch->stack.count : 0;
    task->front->count = 0;
    if (!base_array_reserve(task->context, task->front, left))
        return false;
    while (left-- > 0)
    {
        const tree_stack_entry *entry = &task->scratch->stack.items[left];
        task->front->items[task->front->count++] = (narrow_part_pair){entry->node_a, 0, entry->key};
    }
    return true;
}

carom_status tree_near_segment(const tree_near_task *task, tree_near_fn *on_triangle, void *user)
{
    near_walk walk = {.task = task, .limit = task->limit};
    if (view_is_empty(task->placed->tree))
        return CAROM_OK;
    place_segment(&walk);
    if (!begin_stack(task))
        return out_of_memory(task);
    carom_status status = CAROM_OK;
    while (status == CAROM_OK && task->scratch->stack.count > 0)
    {
        tree_stack_entry entry = task->scratch->stack.items[--task->scratch->stack.count];
        if ((double)entry.key <= walk.limit * walk.limit)
            status = visit(&walk, entry, on_triangle, user);
    }
    if (!carom_failed(status) && !leave_front(task, status == CAROM_UNKNOWN))
        return out_of_memory(task);
    return status;
}
