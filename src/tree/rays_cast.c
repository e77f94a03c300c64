/* Rays over the ray layout: the ray moved into the tree's frame, float candidates certified in the world. */
#include "tree/rays.h"

typedef struct ray_cast
{
    const tree_ray_task *task;
    const tree_ray_frame *ray_frame;
    const carom_ray *ray; /* in the world */
    tree_ray_fn *on_hit;
    void (*on_triangle)(uint32_t triangle, void *user); /* instead: every candidate, uncertified */
    void *user;
    double limit; /* of t; negative: stop */
    ray_entry entry;
    narrow_counts counts;
} ray_cast;

/* ---- the frame's pose ---- */

static double largest(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

/* docs/exactness.md, section 16. A mesh so small that an origin of 2^100 overflows in its frame, and sums of those are
 * NaN, which no comparison sees: no bound holds there. */
static double placement_of(const tree_ray_frame *ray_frame, double extent)
{
    if (ray_frame->scale > 0x1p900)
        return INFINITY;
    double rounding = 0x1p-44 * (extent + largest(ray_frame->pose.translation));
    return (rounding + 4.0 * math_rotation_defect(ray_frame->pose.rotation) * extent) * ray_frame->scale +
           0x1p-45 * 3 * RAY_NEAR;
}

void ray_frame_set(tree_ray_frame *ray_frame, const ray_tree *tree, double extent)
{
    const build_frame *frame = &tree->frame;
    const double *r = ray_frame->pose.rotation;
    carom_vec3 t = ray_frame->pose.translation;
    ray_frame->fit = tree->fit;
    ray_frame->scale = frame->scale;
    ray_frame->size = 1.0 / frame->scale;
    ray_frame->placement = placement_of(ray_frame, extent);
    const double centre[3] = {frame->centre.x, frame->centre.y, frame->centre.z};
    for (int i = 0; i < 3; i++)
    {
        for (int j = 0; j < 3; j++)
            ray_frame->rows[i][j] = r[3 * i + j] * frame->scale;
        ray_frame->rows[i][3] = 0.0;
        ray_frame->shift[i] = -((r[i] * t.x + r[3 + i] * t.y) + (r[6 + i] * t.z + centre[i])) * frame->scale;
    }
    ray_frame->shift[3] = 0.0;
    narrow_pose_set(&ray_frame->world, &ray_frame->pose);
}

/* ---- certifying ---- */

/* Largest s that can belong to a t within the limit. */
static inline double s_limit(const ray_cast *cast)
{
    if (cast->limit == INFINITY)
        return cast->entry.exit;
    double t = cast->limit * cast->entry.rate, s = t - cast->entry.start;
    s += t * 0x1p-38 + fabs(s) * 0x1p-20 + (cast->entry.placement + 0x1p-22);
    return s < cast->entry.exit ? s : cast->entry.exit;
}

/* Does it hit, and where? For hits that floats can't decide, or that lose too many digits. */
static BASE_NEVER_INLINE bool solve_exactly(ray_cast *cast, uint32_t triangle, double tuv[3])
{
    narrow_triangle corners = tree_world_triangle(cast->task->placed, triangle);
    narrow_ray ray = {cast->ray->origin, cast->ray->direction};
    return narrow_ray_hit(&ray, &corners, &tuv[0], &tuv[1], &cast->counts);
}

/* Where does it hit, given that it does? False: solve it exactly. */
static inline bool solve(const ray_cast *cast, uint32_t triangle, double tuv[3])
{
    const tree_ray_task *task = cast->task;
    const carom_mesh *mesh = task->placed->mesh;
    const uint32_t *index = mesh->indices + 3 * (size_t)triangle;
    const carom_vec3 *v = mesh->vertices, *const corner[3] = {v + index[0], v + index[1], v + index[2]};
    return BASE_PICK_ISA(task->context, narrow_ray_solve_posed)(&cast->ray_frame->world, corner, cast->ray, tuv);
}

static inline void certify(ray_cast *cast, uint32_t triangle, bool sure)
{
    double tuv[3];
    cast->task->counters->triangles_tested++;
    bool hits = (sure && solve(cast, triangle, tuv)) || solve_exactly(cast, triangle, tuv);
    if (hits && tuv[0] <= cast->limit)
        cast->limit = cast->on_hit(triangle, tuv[0], tuv + 1, cast->user);
}

/* Nearest first, so that the others need not be examined. */
static void sort_waiting(ray_walk *walk)
{
    for (uint32_t i = 1; i < walk->waiting_count; i++)
    {
        ray_candidate moving = walk->waiting[i];
        uint32_t j = i;
        for (; j > 0 && walk->waiting[j - 1].low > moving.low; j--)
            walk->waiting[j] = walk->waiting[j - 1];
        walk->waiting[j] = moving;
    }
}

static void look_at_waiting(ray_walk *walk, void *user)
{
    ray_cast *cast = user;
    sort_waiting(walk);
    for (uint32_t i = 0; i < walk->waiting_count; i++)
    {
        if (walk->waiting[i].low > walk->limit)
            break;
        certify(cast, walk->waiting[i].triangle, walk->waiting[i].sure);
        if (cast->limit < 0.0)
        {
            walk->limit = -1.0f;
            break;
        }
        float limit = (float)s_limit(cast);
        limit = limit > RAY_BEGIN ? limit : RAY_BEGIN;
        walk->limit = limit < walk->limit ? limit : walk->limit;
    }
    walk->waiting_count = 0;
}

static void name_waiting(ray_walk *walk, void *user)
{
    ray_cast *cast = user;
    for (uint32_t i = 0; i < walk->waiting_count; i++)
        cast->on_triangle(walk->waiting[i].triangle, cast->user);
    walk->waiting_count = 0;
}

/* Rounding is larger than the mesh: floats decide nothing. */
static void certify_all(const ray_tree *tree, ray_cast *cast)
{
    for (uint32_t i = 0; i < tree->triangle_count && cast->limit >= 0.0; i++)
    {
        if (cast->on_triangle)
            cast->on_triangle(i, cast->user);
        else
            certify(cast, i, false);
    }
}

static inline void walk_tree(const ray_tree *tree, ray_cast *cast, ray_walk *walk)
{
    double limit = s_limit(cast);
    if (limit < 0.0)
        return;
    walk->parts[0] = ray_tree_nodes(tree);
    walk->parts[1] = ray_tree_blocks(tree);
    walk->mesh = cast->task->placed->mesh;
    walk->limit = limit > (double)RAY_BEGIN ? (float)limit : RAY_BEGIN;
    walk->nearest = cast->task->first_only;
    walk->room = walk->nearest || cast->on_triangle ? RAY_MAX_WAITING : 1;
    walk->waiting_count = 0;
    walk->look = cast->on_triangle ? name_waiting : look_at_waiting;
    walk->user = cast;
    BASE_PICK_ISA(cast->task->context, ray_walk_run)(walk);
    /* Nearly always there is only one, and its limit no longer matters. */
    if (BASE_LIKELY(walk->waiting_count == 1 && !cast->on_triangle))
        certify(cast, walk->waiting[0].triangle, walk->waiting[0].sure);
    else if (walk->waiting_count)
        walk->look(walk, cast);
    cast->task->counters->boxes_tested += walk->boxes_tested;
}

static inline carom_status run(const ray_tree *tree, ray_cast *cast)
{
    if (!tree->node_count)
        return CAROM_OK;
    ray_walk walk; /* set where it is needed */
    ray_answer answer =
        BASE_PICK_ISA(cast->task->context, ray_enter)(tree, cast->ray_frame, cast->ray, &cast->entry, &walk);
    if (answer == RAY_UNDECIDED)
        certify_all(tree, cast);
    else if (answer == RAY_ENTERS)
        walk_tree(tree, cast, &walk);
    cast->task->counters->exact_fallbacks += cast->counts.exact_fallbacks;
    return cast->limit < 0.0 ? CAROM_STOPPED : CAROM_OK;
}

static BASE_NEVER_INLINE carom_status cast_once(const ray_tree *tree, tree_ray_task task, tree_ray_fn *on_hit,
                                                void *user)
{
    tree_ray_frame ray_frame;
    ray_frame.pose = *task.placed->pose, ray_frame.fit = 0;
    task.ray_frame = &ray_frame;
    return ray_tree_cast(tree, &task, on_hit, user);
}

carom_status ray_tree_cast(const ray_tree *tree, const tree_ray_task *task, tree_ray_fn *on_hit, void *user)
{
    tree_ray_frame *ray_frame = task->ray_frame;
    if (BASE_UNLIKELY(!ray_frame))
        return cast_once(tree, *task, on_hit, user);
    if (BASE_UNLIKELY(ray_frame->fit != tree->fit))
        ray_frame_set(ray_frame, tree, task->placed->mesh->extent);
    ray_cast cast; /* the entry is set where it is needed */
    cast.task = task, cast.ray_frame = ray_frame, cast.ray = task->ray;
    cast.on_hit = on_hit, cast.on_triangle = NULL, cast.user = user;
    cast.limit = narrow_ray_beyond(task->ray->max_t);
    cast.counts = (narrow_counts){0};
    return run(tree, &cast);
}

carom_status ray_tree_line_x(const ray_tree *tree, const tree_ray_task *task, carom_vec3 point,
                             void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    /* A ray that starts before everything meets what the whole line meets. */
    carom_aabb world = math_world_box(task->placed->pose, &task->placed->mesh->info.bounds);
    carom_ray ray = {vec3(world.min.x, point.y, point.z), vec3(1.0, 0.0, 0.0), INFINITY};
    tree_ray_frame ray_frame;
    ray_frame.pose = *task->placed->pose;
    ray_frame_set(&ray_frame, tree, task->placed->mesh->extent);
    ray_cast cast = {.task = task, .ray_frame = &ray_frame, .ray = &ray, .on_triangle = on_triangle, .user = user};
    cast.limit = INFINITY;
    return run(tree, &cast);
}
