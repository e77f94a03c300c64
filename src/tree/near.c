/* Which triangles of a tree are near a ball or capsule? A traversal of any layout in double, with a limit that may
 * shrink on the way. Wide trees have a faster one (wide_near.c); tests compare the two. */
#include "tree/near.h"
#include "tree/binary_view.h"

/* Of boxes whose axes are floats: docs/exactness.md, section 17. */
#define NEAR_OBLIQUE         (2.0 * 0x1p-24) /* of the sum of the halves */
#define NEAR_OBLIQUE_SQUARES 0x1p-21

typedef struct near_walk
{
    const tree_near_task *task;
    const narrow_near *near;
    carom_vec3 centre, half; /* of the segment, in the frame of the tree's boxes */
    double pad;              /* error of the placement and rounding of the boxes */
    double limit;
} near_walk;

static double greater(double a, double b) { return a > b ? a : b; }
static double largest_coordinate(carom_vec3 v) { return greater(fabs(v.x), greater(fabs(v.y), fabs(v.z))); }

/* ---- placing ---- */

static carom_vec3 turn_back(const double r[9], carom_vec3 v)
{
    return vec3(r[0] * v.x + r[3] * v.y + r[6] * v.z, r[1] * v.x + r[4] * v.y + r[7] * v.z,
                r[2] * v.x + r[5] * v.y + r[8] * v.z);
}

/* The error is derived in docs/exactness.md, section 19. */
near_place near_place_round(const tree_near_task *task, const narrow_round *round)
{
    const carom_pose *pose = task->placed->pose;
    const double rounding = 0x1p-53;
    carom_vec3 to[2] = {vec3_sub(round->end[0], pose->translation), vec3_sub(round->end[1], pose->translation)};
    double reach = task->placed->mesh->extent + greater(largest_coordinate(to[0]), largest_coordinate(to[1]));
    return (near_place){{turn_back(pose->rotation, to[0]), turn_back(pose->rotation, to[1])},
                        2.625 * task->defect * reach + 13.25 * rounding * reach +
                            1.75 * rounding * largest_coordinate(pose->translation) + 0x1p-1022};
}

static void place_segment(near_walk *walk, const near_place *place)
{
    const mesh_placed *placed = walk->task->placed;
    carom_vec3 from = vec3_sub(place->end[0], placed->tree->origin), to = vec3_sub(place->end[1], placed->tree->origin);
    walk->centre = vec3_scale(vec3_add(from, to), 0.5);
    walk->half = vec3_scale(vec3_sub(to, from), 0.5);
    double reach = largest_coordinate(place->end[0]) + largest_coordinate(place->end[1]) + placed->mesh->extent;
    walk->pad = place->error + 0x1p-48 * reach;
}

/* ---- the stack ---- */

static bool push(const tree_near_task *task, uint32_t node, double square)
{
    if (!base_array_reserve(task->context, &task->scratch->stack, 1))
        return false;
    task->scratch->stack.items[task->scratch->stack.count++] =
        (tree_stack_entry){.node_a = node, .key = math_float_down(square)};
    return true;
}

bool near_begin_stack(const tree_near_task *task)
{
    task->scratch->stack.count = 0;
    if (!task->front || task->front->count == 0)
        return push(task, VIEW_ROOT, 0.0);
    for (size_t i = task->front->count; i-- > 0;)
        if (!push(task, task->front->items[i].part_a, (double)task->front->items[i].bound))
            return false;
    return true;
}

bool near_leave_front(const tree_near_task *task, carom_status status)
{
    narrow_front *front = task->front;
    if (!front)
        return true;
    front->count = 0;
    size_t open = status == CAROM_UNKNOWN ? task->scratch->stack.count : 0;
    if (!base_array_reserve(task->context, front, open))
        return false;
    while (open-- > 0)
    {
        const tree_stack_entry *entry = &task->scratch->stack.items[open];
        front->items[front->count++] = (narrow_part_pair){entry->node_a, 0, entry->key};
    }
    return true;
}

/* ---- the walk ---- */

/* The square of a lower bound of the distance from the box to the segment: gaps along the axes of the box. */
static double gap_square(const near_walk *walk, const volume_box *box)
{
    carom_vec3 between = vec3_sub(walk->centre, box->centre);
    double square = 0.0, oblique = NEAR_OBLIQUE * (box->half[0] + box->half[1] + box->half[2]);
    double slack = walk->pad + box->radius * (1.0 + NEAR_OBLIQUE) + oblique;
    for (int k = 0; k < 3; k++)
    {
        double along = fabs(vec3_dot(between, box->axis[k]));
        double gap = along - (box->half[k] + fabs(vec3_dot(walk->half, box->axis[k]))) - slack;
        if (gap > 0.0)
            square += gap * gap;
    }
    return square * (1.0 - NEAR_OBLIQUE_SQUARES);
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
        volume_box box;
        view_box(task->placed->tree, child[i], &box);
        double square = gap_square(walk, &box);
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

static carom_status report_triangles(near_walk *walk, const uint32_t *triangles, uint32_t count)
{
    const narrow_near *near = walk->near;
    for (uint32_t i = 0; i < count; i++)
    {
        if (near->smallest && triangles[i] >= *near->smallest)
            continue;
        walk->task->counters->triangles_tested++;
        walk->limit = near->on_triangle(triangles[i], false, near->user);
        if (walk->limit < 0.0)
            return CAROM_STOPPED;
    }
    return CAROM_OK;
}

/* Visits what is on the stack. An entry leaves it only once the budget covers it, so that nothing open is lost. */
static carom_status visit_all(near_walk *walk)
{
    const tree_near_task *task = walk->task;
    carom_status status = CAROM_OK;
    while (status == CAROM_OK && task->scratch->stack.count > 0)
    {
        tree_stack_entry entry = task->scratch->stack.items[task->scratch->stack.count - 1];
        bool near_enough = (double)entry.key <= walk->limit * walk->limit;
        uint32_t count = 0;
        const uint32_t *triangles = view_triangles(task->placed->tree, entry.node_a, &count);
        if (near_enough && !base_budget_spend(task->budget, triangles ? count : VIEW_CHILDREN_MAX))
            return CAROM_UNKNOWN;
        task->scratch->stack.count--;
        if (!near_enough)
            continue;
        if (triangles)
            status = report_triangles(walk, triangles, count);
        else if (!open_node(walk, entry.node_a))
            return CAROM_OUT_OF_MEMORY;
    }
    return status;
}

carom_status near_in_any_layout(const tree_near_task *task, const narrow_near *near, const near_place *place)
{
    near_walk walk = {.task = task, .near = near, .limit = near->limit};
    place_segment(&walk, place);
    if (!near_begin_stack(task))
        return CAROM_OUT_OF_MEMORY;
    carom_status status = visit_all(&walk);
    if (status == CAROM_UNKNOWN && near->open_bound)
    {
        double smallest = INFINITY;
        for (size_t i = 0; i < task->scratch->stack.count; i++)
            smallest = fmin(smallest, (double)task->scratch->stack.items[i].key);
        *near->open_bound = sqrt(smallest);
    }
    return status;
}

carom_status tree_near(const tree_near_task *task, const narrow_near *near)
{
    if (view_is_empty(task->placed->tree))
        return CAROM_OK;
    near_place place = near_place_round(task, near->round);
    carom_status status = task->placed->tree->wide && !near->vanishing && wide_near_fits(task, near, &place)
                              ? wide_near(task, near, &place)
                              : near_in_any_layout(task, near, &place);
    if (status == CAROM_OUT_OF_MEMORY || !near_leave_front(task, status))
        return base_fail(task->context, CAROM_OUT_OF_MEMORY, "traversal: out of memory");
    return status;
}
