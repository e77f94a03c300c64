/* Rays over the ray layout: the ray moved into the tree's frame, float candidates certified in the world. */
#include "tree/rays.h"

enum
{
    MOST_WAITING = 16 /* candidates of a nearest-hit search; more are certified at once */
};

typedef struct ray_cast
{
    const tree_ray_task *task;
    tree_ray_fn *on_hit;
    void (*on_triangle)(uint32_t triangle, void *user); /* instead: every candidate, uncertified */
    void *user;
    narrow_ray ray; /* in the world */
    double limit;   /* of t */
    bool stopped;

    ray_entry entry;
    float bound; /* of s: from certain hits that are not certified yet */
    narrow_counts counts;
    ray_candidate waiting[MOST_WAITING];
    uint32_t waiting_count;
} ray_cast;

/* ---- certifying ---- */

/* Largest s that can belong to a t within the limit. */
static float s_limit(const ray_cast *cast)
{
    double s = (cast->limit - cast->entry.start) * cast->entry.rate;
    s += fabs(s) * 0x1p-20 + cast->entry.placement + 0x1p-22;
    return s < (double)cast->entry.exit ? (float)s : cast->entry.exit;
}

static float walk_limit(const ray_cast *cast)
{
    float limit = s_limit(cast);
    limit = limit < cast->bound ? limit : cast->bound;
    return limit > 0.0f ? limit : 0.0f;
}

/* sure: it hits, only where is the question. */
static void certify(ray_cast *cast, uint32_t triangle, bool sure)
{
    double t, uv[2];
    narrow_triangle corners = tree_world_triangle(cast->task->placed, triangle);
    cast->task->counters->triangles_tested++;
    if (sure)
        narrow_ray_solve(&cast->ray, &corners, &t, uv);
    else if (!narrow_ray_hit(&cast->ray, &corners, &t, uv, &cast->counts))
        return;
    if (!(t <= cast->limit))
        return;
    cast->limit = cast->on_hit(triangle, t, uv, cast->user);
    cast->stopped = cast->limit < 0.0;
}

static void certify_waiting(ray_cast *cast)
{
    /* Nearest first, so that the others need not be looked at. */
    for (uint32_t i = 1; i < cast->waiting_count; i++)
    {
        ray_candidate moving = cast->waiting[i];
        uint32_t j = i;
        for (; j > 0 && cast->waiting[j - 1].low > moving.low; j--)
            cast->waiting[j] = cast->waiting[j - 1];
        cast->waiting[j] = moving;
    }
    for (uint32_t i = 0; i < cast->waiting_count && !cast->stopped; i++)
    {
        float limit = s_limit(cast);
        if (!(cast->waiting[i].low > limit) && !(cast->waiting[i].low > cast->bound))
            certify(cast, cast->waiting[i].triangle, cast->waiting[i].sure);
    }
    cast->waiting_count = 0;
}

static float take_candidate(const ray_candidate *candidate, void *user)
{
    ray_cast *cast = user;
    if (cast->on_triangle)
    {
        cast->on_triangle(candidate->triangle, cast->user);
        return cast->entry.exit;
    }
    if (cast->task->first_only)
    {
        if (cast->waiting_count == MOST_WAITING)
            certify_waiting(cast);
        cast->waiting[cast->waiting_count++] = *candidate;
        __builtin_prefetch(cast->task->placed->mesh->indices + 3 * (size_t)candidate->triangle);
        if (candidate->sure && candidate->high < cast->bound)
            cast->bound = candidate->high;
    }
    else
        certify(cast, candidate->triangle, candidate->sure);
    if (cast->stopped)
        return -1.0f;
    return walk_limit(cast);
}

/* Rounding is larger than the mesh: floats decide nothing. */
static void certify_all(const ray_tree *tree, ray_cast *cast)
{
    for (uint32_t i = 0; i < tree->triangle_count && !cast->stopped; i++)
    {
        if (cast->on_triangle)
            cast->on_triangle(i, cast->user);
        else
            certify(cast, i, false);
    }
}

static carom_status run(const ray_tree *tree, ray_cast *cast)
{
    carom_counters *counters = cast->task->counters;
    const carom_placed *placed = cast->task->placed;
    if (!tree->node_count)
        return CAROM_OK;
    ray_walk walk;
    walk.nodes = ray_tree_nodes(tree);
    walk.blocks = ray_tree_blocks(tree);
    walk.on_candidate = take_candidate;
    walk.user = cast;
    walk.boxes_tested = 0;
    cast->stopped = false;
    cast->waiting_count = 0;
    cast->counts = (narrow_counts){0};
    ray_answer answer = BASE_PICK_ISA(cast->task->context, ray_enter)(tree, placed, &cast->ray, &cast->entry, &walk);
    if (answer == RAY_UNDECIDED)
        certify_all(tree, cast);
    else if (answer == RAY_ENTERS && cast->entry.first <= cast->limit)
    {
        cast->bound = cast->entry.exit;
        walk.limit = walk_limit(cast);
        BASE_PICK_ISA(cast->task->context, ray_walk_run)(&walk);
        certify_waiting(cast);
    }
    counters->boxes_tested += walk.boxes_tested;
    counters->exact_fallbacks += cast->counts.exact_fallbacks;
    return cast->stopped ? CAROM_STOPPED : CAROM_OK;
}

carom_status ray_tree_cast(const ray_tree *tree, const tree_ray_task *task, tree_ray_fn *on_hit, void *user)
{
    ray_cast cast; /* `run` sets the rest */
    cast.task = task;
    cast.on_hit = on_hit;
    cast.on_triangle = NULL;
    cast.user = user;
    cast.ray = (narrow_ray){task->ray->origin, task->ray->direction};
    cast.limit = task->ray->max_t;
    return run(tree, &cast);
}

carom_status ray_tree_line_x(const ray_tree *tree, const tree_ray_task *task, carom_vec3 point,
                             void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    ray_cast cast; /* `run` sets the rest */
    /* A ray that starts before everything meets what the whole line meets. */
    carom_aabb world = math_world_box(&task->placed->pose, &task->placed->mesh->info.bounds);
    cast.task = task;
    cast.on_hit = NULL;
    cast.on_triangle = on_triangle;
    cast.user = user;
    cast.ray = (narrow_ray){vec3(world.min.x, point.y, point.z), vec3(1.0, 0.0, 0.0)};
    cast.limit = INFINITY;
    return run(tree, &cast);
}
