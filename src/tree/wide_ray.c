/* Rays and lines through the collision layout. Plain double arithmetic: trees for rays have their own layout, so this
 * one only has to be right. */
#include "tree/near.h"

/* A line in a tree's normalised frame, with the uncertainty of every placement as `pad`. Its parameter is the ray's
 * times 2^exponent, so that no direction is too short or too long. */
typedef struct stab
{
    double origin[3], direction[3];
    double pad;
    double min_t, max_t;
    int exponent;
} stab;

static double largest_coordinate(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

/* Row k of the inverse rotation times v. */
static double turn_back(const double r[9], int k, carom_vec3 v) { return r[k] * v.x + r[3 + k] * v.y + r[6 + k] * v.z; }

/* The pad is derived in docs/exactness.md, section 15. */
static stab stab_begin(const mesh_placed *placed, carom_vec3 origin, carom_vec3 direction)
{
    const wide_tree *tree = placed->tree->wide;
    const double *r = placed->pose->rotation, unit = 0x1p-53, extent = placed->mesh->extent;
    const double centre[3] = {tree->centre.x, tree->centre.y, tree->centre.z};
    carom_vec3 to = vec3_sub(origin, placed->pose->translation);
    int exponent;
    frexp(largest_coordinate(direction), &exponent);
    carom_vec3 d = vec3(ldexp(direction.x, -exponent), ldexp(direction.y, -exponent), ldexp(direction.z, -exponent));
    double error = (5.25 * (math_rotation_defect(r) + 3.0 * unit) + 73.5 * unit) * extent;
    error += 31.5 * unit * largest_coordinate(to) + 1.75 * unit * largest_coordinate(placed->pose->translation);
    stab line = {.pad = error * tree->scale + 0x1p-120, .exponent = exponent};
    for (int k = 0; k < 3; k++)
    {
        line.origin[k] = (turn_back(r, k, to) - centre[k]) * tree->scale;
        line.direction[k] = turn_back(r, k, d) * tree->scale;
    }
    return line;
}

/* Along axis k of a lane's box: the origin seen from its centre, and the direction. */
static inline void stab_axis(const stab *line, const wide_node *node, int lane, int k, double at_along[2])
{
    at_along[0] = at_along[1] = 0.0;
    for (int j = 0; j < 3; j++)
    {
        double axis = (double)node->axis[k][j][lane];
        at_along[0] += (line->origin[j] - (double)node->centre[j][lane]) * axis;
        at_along[1] += line->direction[j] * axis;
    }
}

/* May the line meet the box of a lane? *enter: smallest parameter, not before min_t. */
static bool stab_box(const stab *line, const wide_node *node, int lane, double *enter)
{
    double low = line->min_t, high = line->max_t;
    for (int k = 0; k < 3; k++)
    {
        double at_along[2], half = (double)node->half[k][lane] + line->pad;
        stab_axis(line, node, lane, k, at_along);
        double at = at_along[0], along = at_along[1];
        if (along == 0.0)
        {
            if (fabs(at) > half)
                return false;
            continue;
        }
        double near = (-half - at) / along, far = (half - at) / along;
        if (near > far)
        {
            double swap = near;
            near = far, far = swap;
        }
        low = near > low ? near : low;
        high = far < high ? far : high;
    }
    *enter = low;
    return low <= high;
}

typedef struct stab_walk
{
    const tree_ray_task *task;
    stab line;
    double max_t;                                                   /* of the ray */
    bool (*on_leaf)(struct stab_walk *walk, const wide_leaf *leaf); /* false: stop */
    void *user;
    tree_ray_fn *on_hit;
    void (*on_triangle)(uint32_t triangle, void *user);
} stab_walk;

/* Pushes the children that the line may meet, the nearest last. */
static bool push_children(stab_walk *walk, uint32_t node_index)
{
    const wide_node *node = &walk->task->placed->tree->wide->nodes[node_index];
    tree_scratch *scratch = walk->task->scratch;
    if (!base_array_reserve(scratch->context, &scratch->stack, WIDE_LANES))
        return false;
    size_t first = scratch->stack.count;
    for (int lane = 0; lane < WIDE_LANES; lane++)
    {
        double enter;
        if (node->child[lane] == WIDE_NO_CHILD)
            continue;
        walk->task->counters->boxes_tested++;
        if (!stab_box(&walk->line, node, lane, &enter))
            continue;
        tree_stack_entry entry = {node->child[lane], 0, math_float_down(enter), 0};
        size_t at = scratch->stack.count++;
        for (; at > first && scratch->stack.items[at - 1].key < entry.key; at--)
            scratch->stack.items[at] = scratch->stack.items[at - 1];
        scratch->stack.items[at] = entry;
    }
    return true;
}

static carom_status stab_all(stab_walk *walk)
{
    const wide_tree *tree = walk->task->placed->tree->wide;
    tree_scratch *scratch = walk->task->scratch;
    scratch->stack.count = 0;
    if (tree->node_count == 0)
        return CAROM_OK;
    if (!push_children(walk, 0))
        return base_fail(walk->task->context, CAROM_OUT_OF_MEMORY, "ray: out of memory");
    while (scratch->stack.count > 0)
    {
        tree_stack_entry entry = scratch->stack.items[--scratch->stack.count];
        if ((double)entry.key > walk->line.max_t)
            continue;
        if (entry.node_a & WIDE_LEAF_FLAG)
        {
            if (!walk->on_leaf(walk, &tree->leaves[entry.node_a & ~WIDE_LEAF_FLAG]))
                return CAROM_STOPPED;
        }
        else if (!push_children(walk, entry.node_a))
            return base_fail(walk->task->context, CAROM_OUT_OF_MEMORY, "ray: out of memory");
    }
    return CAROM_OK;
}

/* From now on no larger t of the ray matters. */
static void set_max_t(stab_walk *walk, double t)
{
    walk->max_t = t;
    walk->line.max_t = nextafter(ldexp(t, walk->line.exponent), INFINITY);
}

static bool cast_at_leaf(stab_walk *walk, const wide_leaf *leaf)
{
    const tree_ray_task *task = walk->task;
    narrow_ray ray = {task->ray->origin, task->ray->direction};
    for (uint32_t i = 0; i < leaf->count; i++)
    {
        narrow_triangle triangle = tree_world_triangle(task->placed, leaf->triangle[i]);
        narrow_counts counts = {0};
        double t, uv[2];
        bool hit = narrow_ray_hit(&ray, &triangle, &t, uv, &counts);
        task->counters->triangles_tested++;
        task->counters->exact_fallbacks += counts.exact_fallbacks;
        if (!hit || t > walk->max_t)
            continue;
        double limit = walk->on_hit(leaf->triangle[i], t, uv, walk->user);
        if (limit < 0.0)
            return false;
        if (limit < walk->max_t)
            set_max_t(walk, limit);
    }
    return true;
}

carom_status wide_ray(const tree_ray_task *task, tree_ray_fn *on_hit, void *user)
{
    stab_walk walk = {.task = task, .on_leaf = cast_at_leaf, .on_hit = on_hit, .user = user};
    walk.line = stab_begin(task->placed, task->ray->origin, task->ray->direction);
    walk.line.min_t = 0.0;
    set_max_t(&walk, narrow_ray_beyond(task->ray->max_t));
    return stab_all(&walk);
}

static bool list_leaf(stab_walk *walk, const wide_leaf *leaf)
{
    for (uint32_t i = 0; i < leaf->count; i++)
        walk->on_triangle(leaf->triangle[i], walk->user);
    return true;
}

/* The point and the direction in floats. False: too far away for them. The margin is derived in docs/exactness.md. */
static bool place_line(wide_line *line, carom_vec3 point)
{
    const mesh_placed *placed = line->task->placed;
    const wide_tree *tree = placed->tree->wide;
    const double *r = placed->pose->rotation;
    tree_near_task task = {.placed = placed, .defect = math_rotation_defect(r)};
    near_place place = near_place_round(&task, &(narrow_round){{point, point}, 0.0});
    carom_vec3 to = vec3_scale(vec3_sub(place.end[0], tree->centre), tree->scale);
    double sums = largest_coordinate(place.end[0]) + largest_coordinate(tree->centre);
    double pad = (4.0 * place.error + 16.0 * 0x1p-53 * sums) * tree->scale;
    if (!(largest_coordinate(to) < 0x1p10) || !(pad < 0x1p10))
        return false;
    line->pad = (float)(pad * (1.0 + 0x1p-18)) + 0x1p-126f;
    line->exact_origin[0] = to.x, line->exact_origin[1] = to.y, line->exact_origin[2] = to.z;
    for (int k = 0; k < 3; k++)
    {
        line->origin[k] = wide_without_dust((float)line->exact_origin[k]);
        line->direction[k] = wide_without_dust((float)r[k]); /* the first row is what x becomes */
    }
    line->margin = wide_line_margin(line->origin);
    return true;
}

carom_status wide_line_x(const tree_ray_task *task, carom_vec3 point,
                         void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    wide_line line = {.task = task, .on_triangle = on_triangle, .user = user};
    if (task->placed->tree->wide->node_count > 0 && place_line(&line, point))
        return BASE_PICK_ISA(task->context, wide_line_walk)(&line)
                   ? CAROM_OK
                   : base_fail(task->context, CAROM_OUT_OF_MEMORY, "relation: out of memory");
    stab_walk walk = {.task = task, .on_leaf = list_leaf, .on_triangle = on_triangle, .user = user};
    walk.line = stab_begin(task->placed, point, vec3(1.0, 0.0, 0.0));
    walk.line.min_t = -INFINITY, walk.line.max_t = INFINITY;
    return stab_all(&walk);
}
