/* Rays over the ray layout: the ray moved into the tree's frame, float candidates certified in the world. */
#include "tree/first.h"

typedef struct ray_cast
{
    ray_walk walk; /* first: what looks at its candidates knows the cast by it */
    const tree_ray_frame *ray_frame;
    const carom_ray *ray; /* in the world */
    const tree_ray_task *task;
    tree_ray_fn *on_hit;
    void (*on_triangle)(uint32_t triangle, void *user); /* instead: every candidate, uncertified */
    void *user;
} ray_cast;

/* ---- the frame's pose ---- */

static double largest(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

/* docs/exactness.md, section 16. */
static double placement_of(const tree_ray_frame *ray_frame, double extent)
{
    const double unit = 0x1p-53;
    double rounding = 33.0 * unit * extent + 12.5 * unit * largest(ray_frame->pose.translation);
    return (rounding + 3.03 * math_rotation_defect(ray_frame->pose.rotation) * extent) * ray_frame->scale +
           13.5 * unit * (RAY_NEAR + 2);
}

void ray_margins_set(tree_ray_margins *margins, const ray_tree *tree, double placement, double farthest)
{
    const double box_slack = 6.0 * 0x1p-24, triangle_slack = 32.5 * 0x1p-24, box_step = 0x1p-53;
    margins->placement = placement;
    margins->pad = box_slack + placement + box_step * (farthest + 2.0);
    margins->slack = (float)triangle_slack + 2.625f * (float)placement;
    for (int i = 0; i < 4; i++)
    {
        margins->low[i] = tree->low[i] - 4.0 * margins->pad;
        margins->high[i] = tree->high[i] + 4.0 * margins->pad;
    }
}

/* Floats decide nothing where rounding is as large as the mesh, where parameters overflow, or where the mesh is so
 * small that an origin of 2^100 overflows in its frame, and sums of those are NaN. */
static bool is_usable(const tree_ray_frame *ray_frame)
{
    return ray_frame->margins.placement < 0.25 && ray_frame->scale > 0x1p-790 && ray_frame->scale < 0x1p790;
}

static uint64_t bits_of(double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

void ray_frame_set(tree_ray_frame *ray_frame, const ray_tree *tree, double extent)
{
    const build_frame *frame = &tree->frame;
    const double *r = ray_frame->pose.rotation;
    carom_vec3 t = ray_frame->pose.translation;
    ray_frame->fit = tree->fit;
    ray_frame->scale = frame->scale;
    ray_frame->shrink_bits = ((uint64_t)0x7fe << 52) + ((uint64_t)0x3ff << 52) - bits_of(frame->scale);
    ray_frame->parts[0] = ray_tree_nodes(tree);
    ray_frame->parts[1] = ray_tree_blocks(tree);
    ray_margins_set(&ray_frame->margins, tree, placement_of(ray_frame, extent), RAY_NEAR);
    ray_frame->near = is_usable(ray_frame) ? RAY_NEAR : -1.0;
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

/* Does it hit, and where? For hits that floats can't decide, or that lose too many digits. */
static BASE_NEVER_INLINE bool solve_exactly(const ray_cast *cast, uint32_t triangle, double tuv[3])
{
    narrow_triangle corners = tree_world_triangle(cast->task->placed, triangle);
    narrow_ray ray = {cast->ray->origin, cast->ray->direction};
    narrow_counts counts = {0};
    bool hits = narrow_ray_hit(&ray, &corners, &tuv[0], &tuv[1], &counts);
    cast->task->counters->exact_fallbacks += counts.exact_fallbacks;
    return hits;
}

/* Where does it hit, given that it does? False: solve it exactly. */
static inline bool solve(const ray_cast *cast, uint32_t triangle, double tuv[3])
{
    const tree_ray_task *task = cast->task;
    const carom_mesh *mesh = cast->walk.mesh;
    const uint32_t *index = mesh->indices + 3 * (size_t)triangle;
    const carom_vec3 *v = mesh->vertices, *const corner[3] = {v + index[0], v + index[1], v + index[2]};
    return BASE_PICK_ISA(task->context, narrow_ray_solve_posed)(&cast->ray_frame->world, corner, cast->ray, tuv);
}

static inline void certify(ray_cast *cast, uint32_t triangle, bool sure)
{
    double tuv[3];
    cast->task->counters->triangles_tested++;
    bool hits = (sure && solve(cast, triangle, tuv)) || solve_exactly(cast, triangle, tuv);
    if (hits && tuv[0] <= cast->walk.max_t)
        cast->walk.max_t = cast->on_hit(triangle, tuv[0], tuv + 1, cast->user);
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

static void look_at_waiting(ray_walk *walk)
{
    ray_cast *cast = (ray_cast *)walk;
    sort_waiting(walk);
    for (uint32_t i = 0; i < walk->waiting_count; i++)
    {
        if (walk->waiting[i].low > walk->limit)
            break;
        certify(cast, walk->waiting[i].triangle, walk->waiting[i].sure);
        if (walk->max_t < 0.0)
        {
            walk->limit = -1.0f;
            break;
        }
        float limit = (float)ray_entry_limit(&walk->entry, walk->max_t);
        limit = limit > RAY_BEGIN ? limit : RAY_BEGIN;
        walk->limit = limit < walk->limit ? limit : walk->limit;
    }
    walk->waiting_count = 0;
}

static void name_waiting(ray_walk *walk)
{
    ray_cast *cast = (ray_cast *)walk;
    for (uint32_t i = 0; i < walk->waiting_count; i++)
        cast->on_triangle(walk->waiting[i].triangle, cast->user);
    walk->waiting_count = 0;
}

/* Rounding is larger than the mesh: floats decide nothing. */
static BASE_NEVER_INLINE void certify_all(ray_cast *cast)
{
    for (uint32_t i = 0; i < cast->walk.tree->triangle_count && cast->walk.max_t >= 0.0; i++)
    {
        if (cast->on_triangle)
            cast->on_triangle(i, cast->user);
        else
            certify(cast, i, false);
    }
}

/* Examines what the walk has left. */
static BASE_NEVER_INLINE void finish(ray_cast *cast, ray_answer answer)
{
    if (answer == RAY_UNDECIDED)
        certify_all(cast);
    else if (cast->walk.waiting_count)
        cast->walk.look(&cast->walk);
}

static inline ray_answer run(ray_cast *cast)
{
    ray_answer answer = BASE_PICK_ISA(cast->task->context, ray_walk_run)(&cast->walk, cast->ray_frame, cast->ray);
    cast->task->counters->boxes_tested += cast->walk.boxes_tested;
    return answer;
}

/* Sets up a cast, apart from what the walk sets. */
static inline void begin(ray_cast *cast, const ray_tree *tree, const tree_ray_task *task)
{
    tree_ray_frame *ray_frame = task->ray_frame;
    if (BASE_UNLIKELY(ray_frame->fit != tree->fit))
        ray_frame_set(ray_frame, tree, task->placed->mesh->extent);
    cast->walk.tree = tree, cast->walk.mesh = task->placed->mesh;
    cast->walk.max_t = narrow_ray_beyond(task->ray->max_t);
    cast->walk.look = look_at_waiting;
    cast->task = task, cast->ray_frame = ray_frame, cast->ray = task->ray;
    cast->on_triangle = NULL;
}

/* The usual case: what is left is hit for sure, before max_t, and nothing else was found. */
static inline bool take_only(const ray_cast *cast, tree_hit *hit)
{
    const ray_candidate *only = cast->walk.waiting;
    double tuv[3];
    if (BASE_UNLIKELY(!only->sure || hit->triangle != CAROM_NO_TRIANGLE || !solve(cast, only->triangle, tuv) ||
                      !(narrow_ray_beyond(tuv[0]) <= cast->ray->max_t)))
        return false;
    hit->t = tuv[0] + 0.0, hit->triangle = only->triangle, hit->u = tuv[1], hit->v = tuv[2];
    cast->task->counters->triangles_tested++;
    return true;
}

carom_status ray_tree_first(const ray_tree *tree, const tree_ray_task *task, tree_hit *hit)
{
    if (BASE_UNLIKELY(!tree->node_count))
        return CAROM_OK;
    ray_cast cast;
    tree_first first = {task, hit};
    begin(&cast, tree, task);
    cast.walk.nearest = true, cast.walk.room = RAY_MAX_WAITING;
    cast.on_hit = tree_first_offer, cast.user = &first;
    ray_answer answer = run(&cast);
    bool done = cast.walk.waiting_count == 1 ? take_only(&cast, hit) : cast.walk.waiting_count == 0;
    if (BASE_UNLIKELY(!done || answer == RAY_UNDECIDED))
        finish(&cast, answer);
    return CAROM_OK;
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
    if (!task->ray_frame)
        return cast_once(tree, *task, on_hit, user);
    if (!tree->node_count)
        return CAROM_OK;
    ray_cast cast;
    begin(&cast, tree, task);
    cast.walk.nearest = false, cast.walk.room = 1;
    cast.on_hit = on_hit, cast.user = user;
    finish(&cast, run(&cast));
    return cast.walk.max_t < 0.0 ? CAROM_STOPPED : CAROM_OK;
}

carom_status ray_tree_line_x(const ray_tree *tree, const tree_ray_task *task, carom_vec3 point,
                             void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    if (!tree->node_count)
        return CAROM_OK;
    /* A ray that starts before everything meets what the whole line meets. */
    carom_aabb world = math_world_box(task->placed->pose, &task->placed->mesh->info.bounds);
    carom_ray ray = {vec3(world.min.x, point.y, point.z), vec3(1.0, 0.0, 0.0), INFINITY};
    tree_ray_frame ray_frame;
    ray_frame.pose = *task->placed->pose;
    ray_frame_set(&ray_frame, tree, task->placed->mesh->extent);
    ray_cast cast = {.walk = {.tree = tree,
                              .mesh = task->placed->mesh,
                              .max_t = INFINITY,
                              .room = RAY_MAX_WAITING,
                              .look = name_waiting},
                     .ray_frame = &ray_frame,
                     .ray = &ray,
                     .task = task,
                     .on_triangle = on_triangle,
                     .user = user};
    finish(&cast, run(&cast));
    return CAROM_OK;
}
