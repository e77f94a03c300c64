/* Rays and lines through the binary layout, nearer child first. */
#include "tree/binary.h"

static double largest_coordinate(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

/* The ray in the frame of the volumes. Its points near the mesh are treated like vertices of a second body at the
 * ray's origin, so the bound of a relative pose covers them. */
static volume_ray ray_in_tree(const mesh_placed *placed, carom_vec3 origin, carom_vec3 direction)
{
    const carom_tree *tree = placed->tree;
    carom_pose at_origin = carom_pose_translation(origin.x, origin.y, origin.z);
    double extent = tree->mesh->extent,
           far = 2.0 * extent + 2.0 * largest_coordinate(origin) + 2.0 * largest_coordinate(placed->pose->translation);
    math_relative relative = math_relative_pose(placed->pose, &at_origin, extent, far);
    const double *r = relative.rotation;
    carom_vec3 turned = vec3(r[0] * direction.x + r[1] * direction.y + r[2] * direction.z,
                             r[3] * direction.x + r[4] * direction.y + r[5] * direction.z,
                             r[6] * direction.x + r[7] * direction.y + r[8] * direction.z);
    return (volume_ray){.origin = vec3_sub(relative.translation, tree->origin),
                        .direction = turned,
                        .low_t = -INFINITY,
                        .high_t = INFINITY,
                        .slack = 8.0 * relative.error + 1e-14 * far};
}

typedef struct ray_walk
{
    const tree_ray_task *task;
    volume_ray ray;
    double slack_t; /* what the limit is widened by: the rounding of t */
    tree_ray_fn *on_hit;
    void (*on_triangle)(uint32_t triangle, void *user); /* instead of on_hit: superset only */
    carom_vec3 point;
    void *user;
    double limit;
    narrow_counts counts;
} ray_walk;

static void set_limit(ray_walk *walk, double limit)
{
    walk->limit = limit;
    walk->ray.high_t = limit + fabs(limit) * 1e-12 + walk->slack_t;
}

/* Can the line along x through the point meet this triangle? */
static bool line_may_meet(carom_vec3 point, const narrow_triangle *t)
{
    carom_vec3 low = vec3_min(t->corner[0], vec3_min(t->corner[1], t->corner[2]));
    carom_vec3 high = vec3_max(t->corner[0], vec3_max(t->corner[1], t->corner[2]));
    return low.y <= point.y && point.y <= high.y && low.z <= point.z && point.z <= high.z;
}

static carom_status visit_leaf(ray_walk *walk, tree_node leaf)
{
    const tree_ray_task *task = walk->task;
    for (uint32_t i = 0; i < leaf.count; i++)
    {
        uint32_t id = task->placed->tree->order[leaf.first + i];
        narrow_triangle triangle = tree_world_triangle(task->placed, id);
        task->counters->triangles_tested++;
        if (walk->on_triangle)
        {
            if (line_may_meet(walk->point, &triangle))
                walk->on_triangle(id, walk->user);
            continue;
        }
        narrow_ray ray = {task->ray->origin, task->ray->direction};
        double t, uv[2];
        if (!narrow_ray_hit(&ray, &triangle, &t, uv, &walk->counts) || !(t <= walk->limit))
            continue;
        double limit = walk->on_hit(id, t, uv, walk->user);
        if (limit < 0.0)
            return CAROM_STOPPED;
        set_limit(walk, limit);
    }
    return CAROM_OK;
}

/* Pushes the children that the ray enters, the nearer on top. */
static carom_status open_node(ray_walk *walk, tree_node node)
{
    const carom_tree *tree = walk->task->placed->tree;
    tree_scratch *scratch = walk->task->scratch;
    if (!base_array_reserve(scratch->context, &scratch->stack, 2))
        return base_fail(walk->task->context, CAROM_OUT_OF_MEMORY, "ray traversal: out of memory");
    bool hit[2];
    double entry_t[2] = {0.0, 0.0};
    for (uint32_t i = 0; i < 2; i++)
        hit[i] = volume_ray_hits(tree->def.volume, binary_volume(tree, node.first + i), &walk->ray, &entry_t[i]);
    walk->task->counters->boxes_tested += 2;
    uint32_t nearer = entry_t[1] < entry_t[0];
    for (uint32_t i = 0; i < 2; i++)
    {
        uint32_t child = i == 0 ? 1 - nearer : nearer;
        if (hit[child])
            scratch->stack.items[scratch->stack.count++] =
                (tree_stack_entry){.node_a = node.first + child, .key = math_float_down(entry_t[child])};
    }
    return CAROM_OK;
}

static carom_status walk_ray(ray_walk *walk)
{
    const carom_tree *tree = walk->task->placed->tree;
    tree_scratch *scratch = walk->task->scratch;
    scratch->stack.count = 0;
    double entry_t;
    if (tree->node_count == 0)
        return CAROM_OK;
    walk->task->counters->boxes_tested++;
    if (!volume_ray_hits(tree->def.volume, binary_volume(tree, 0), &walk->ray, &entry_t))
        return CAROM_OK;
    if (!base_array_reserve(scratch->context, &scratch->stack, 1))
        return base_fail(walk->task->context, CAROM_OUT_OF_MEMORY, "ray traversal: out of memory");
    scratch->stack.items[scratch->stack.count++] = (tree_stack_entry){.key = math_float_down(entry_t)};
    carom_status status = CAROM_OK;
    while (status == CAROM_OK && scratch->stack.count > 0)
    {
        tree_stack_entry entry = scratch->stack.items[--scratch->stack.count];
        if ((double)entry.key > walk->ray.high_t)
            continue;
        tree_node node = tree->nodes[entry.node_a];
        status = node.count > 0 ? visit_leaf(walk, node) : open_node(walk, node);
    }
    walk->task->counters->exact_fallbacks += walk->counts.exact_fallbacks;
    return status;
}

carom_status binary_ray(const tree_ray_task *task, tree_ray_fn *on_hit, void *user)
{
    ray_walk walk = {.task = task, .on_hit = on_hit, .user = user};
    walk.ray = ray_in_tree(task->placed, task->ray->origin, task->ray->direction);
    walk.slack_t = 4.0 * walk.ray.slack / vec3_length(task->ray->direction);
    walk.ray.low_t = -walk.slack_t;
    set_limit(&walk, narrow_ray_beyond(task->ray->max_t));
    return walk_ray(&walk);
}

carom_status binary_line_x(const tree_ray_task *task, carom_vec3 point,
                           void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    ray_walk walk = {.task = task, .on_triangle = on_triangle, .point = point, .user = user, .limit = INFINITY};
    walk.ray = ray_in_tree(task->placed, point, vec3(1.0, 0.0, 0.0));
    return walk_ray(&walk);
}
