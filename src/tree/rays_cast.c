/* Rays over the ray layout: the ray moved into the tree's frame, float candidates certified in the world.
 *
 * x -> R^T (x - T) maps a world ray and the world triangles exactly, with the same t and weights. What separates that
 * from what the tree holds, per coordinate, in world units, u = 2^-53:
 *   corners: placement rounding, at most 8 u (extent + |T|); R^T R differing from I by `defect` moves a corner by at
 *   most 3 defect extent;
 *   ray: origin - T, its rotation, the step to the mesh's box and the direction times the way there lose at most
 *   24 u (|origin - T| + extent) together.
 * 128 u (extent + |T| + |origin - T|) + 4 defect extent covers both; times the frame's scale it is `placement`, the P
 * of rays_simd.c. Slabs: float conversion of origin and direction (2 u' each way, u' = 2^-24), the shifts and products
 * (6 u') and the rounding of boxes (u') stay below 16 u' = 2^-20. */
#include "tree/rays.h"

static const double BOX_SLACK = 0x1p-20;
static const float TRIANGLE_SLACK = 160.0f * 0x1p-24f;
static const double SMALLEST_COMPONENT = 0x1p-60; /* of a direction whose largest is 1; smaller ones count as this */

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

    /* the frame: s = (t - start) * rate */
    double start, rate, placement;
    float exit;  /* of the mesh's box, in s */
    float bound; /* of s: from certain hits that are not certified yet */
    narrow_counts counts;
    ray_candidate waiting[MOST_WAITING];
    uint32_t waiting_count;
} ray_cast;

static void get(carom_vec3 v, double out[3]) { out[0] = v.x, out[1] = v.y, out[2] = v.z; }

static double largest(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

static carom_vec3 turn_back(const double r[9], carom_vec3 v)
{
    return vec3(r[0] * v.x + r[3] * v.y + r[6] * v.z, r[1] * v.x + r[4] * v.y + r[7] * v.z,
                r[2] * v.x + r[5] * v.y + r[8] * v.z);
}

/* Largest |entry| of R^T R - I. */
static double defect_of(const double r[9])
{
    double worst = 0.0;
    for (int i = 0; i < 3; i++)
        for (int j = i; j < 3; j++)
        {
            double dot = r[i] * r[j] + r[3 + i] * r[3 + j] + r[6 + i] * r[6 + j] - (i == j ? 1.0 : 0.0);
            worst = fabs(dot) > worst ? fabs(dot) : worst;
        }
    return worst;
}

/* ---- certifying ---- */

/* Largest s that can belong to a t within the limit. */
static float s_limit(const ray_cast *cast)
{
    double s = (cast->limit - cast->start) * cast->rate;
    s += fabs(s) * 0x1p-20 + cast->placement + 0x1p-22;
    return s < (double)cast->exit ? (float)s : cast->exit;
}

static void certify(ray_cast *cast, uint32_t triangle)
{
    double t, uv[2];
    narrow_triangle corners = tree_world_triangle(cast->task->placed, triangle);
    cast->task->counters->triangles_tested++;
    if (!narrow_ray_hit(&cast->ray, &corners, &t, uv, &cast->counts) || !(t <= cast->limit))
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
            certify(cast, cast->waiting[i].triangle);
    }
    cast->waiting_count = 0;
}

static float take_candidate(const ray_candidate *candidate, void *user)
{
    ray_cast *cast = user;
    if (cast->on_triangle)
    {
        cast->on_triangle(candidate->triangle, cast->user);
        return cast->exit;
    }
    if (cast->task->first_only)
    {
        if (cast->waiting_count == MOST_WAITING)
            certify_waiting(cast);
        cast->waiting[cast->waiting_count++] = *candidate;
        if (candidate->sure && candidate->high < cast->bound)
            cast->bound = candidate->high;
    }
    else
        certify(cast, candidate->triangle);
    if (cast->stopped)
        return -1.0f;
    float limit = s_limit(cast);
    limit = limit < cast->bound ? limit : cast->bound;
    return limit > 0.0f ? limit : 0.0f;
}

/* ---- into the frame ---- */

/* Where the line enters and leaves the cube of half size `half` around the frame's origin. */
static bool clip(const double origin[3], const double direction[3], double half, double s[2])
{
    for (int axis = 0; axis < 3; axis++)
    {
        if (direction[axis] == 0.0)
        {
            if (fabs(origin[axis]) > half)
                return false;
            continue;
        }
        double a = (-half - origin[axis]) / direction[axis], b = (half - origin[axis]) / direction[axis];
        s[0] = fmax(s[0], a < b ? a : b);
        s[1] = fmin(s[1], a < b ? b : a);
    }
    return s[0] <= s[1];
}

static void set_float_ray(ray_walk *walk, const double origin[3], const double direction[3], double pad)
{
    for (uint32_t axis = 0; axis < 3; axis++)
    {
        double d = direction[axis];
        bool negative = d < 0.0;
        walk->origin[axis] = (float)origin[axis];
        walk->direction[axis] = (float)d;
        if (fabs(d) < SMALLEST_COMPONENT)
            d = negative ? -SMALLEST_COMPONENT : SMALLEST_COMPONENT;
        double inverse = 1.0 / d, outwards = negative ? -pad : pad;
        walk->inverse[axis] = (float)inverse;
        walk->near_shift[axis] = (float)(-(origin[axis] + outwards) * inverse);
        walk->far_shift[axis] = (float)(-(origin[axis] - outwards) * inverse);
        walk->near_plane[axis] = 2 * axis + negative;
        walk->far_plane[axis] = 2 * axis + !negative;
    }
}

typedef enum frame_answer
{
    FRAME_MISS,
    FRAME_WALK,
    FRAME_USELESS /* rounding is larger than the mesh: floats decide nothing */
} frame_answer;

static frame_answer enter_frame(const ray_tree *tree, ray_cast *cast, ray_walk *walk)
{
    const carom_placed *placed = cast->task->placed;
    const double *rotation = placed->pose.rotation;
    carom_vec3 between = vec3_sub(cast->ray.origin, placed->pose.translation);
    double length = largest(cast->ray.direction), extent = placed->mesh->extent;
    carom_vec3 own = turn_back(
        rotation, vec3(cast->ray.direction.x / length, cast->ray.direction.y / length, cast->ray.direction.z / length));
    double own_length = largest(own), origin[3], direction[3];
    get(vec3(own.x / own_length, own.y / own_length, own.z / own_length), direction);
    get(vec3_scale(vec3_sub(turn_back(rotation, between), tree->frame.centre), tree->frame.scale), origin);
    double error = 0x1p-46 * (extent + largest(placed->pose.translation) + largest(between));
    cast->placement = (error + 4.0 * defect_of(rotation) * extent) * tree->frame.scale;
    cast->rate = length * own_length * tree->frame.scale;
    if (!(cast->placement < 0.25) || !(cast->rate > 0x1p-900) || !(cast->rate < 0x1p900))
        return FRAME_USELESS;
    double pad = BOX_SLACK + cast->placement;
    double s[2] = {0.0, INFINITY};
    if (!clip(origin, direction, 1.0 + 4.0 * pad, s))
        return FRAME_MISS;
    double reach = cast->limit * cast->rate;
    if (s[0] > reach + fabs(reach) * 0x1p-20 + pad)
        return FRAME_MISS;
    cast->start = s[0] / cast->rate;
    for (int axis = 0; axis < 3; axis++)
        origin[axis] += s[0] * direction[axis];
    cast->exit = (float)(s[1] - s[0]) + 0x1p-16f;
    cast->bound = cast->exit;
    set_float_ray(walk, origin, direction, pad);
    walk->slack = TRIANGLE_SLACK + (float)(2.0 * cast->placement);
    walk->limit = fmaxf(s_limit(cast), 0.0f);
    return FRAME_WALK;
}

static carom_status run(const ray_tree *tree, ray_cast *cast)
{
    carom_counters *counters = cast->task->counters;
    if (!tree->node_count)
        return CAROM_OK;
    ray_walk walk = {.nodes = ray_tree_nodes(tree), .blocks = ray_tree_blocks(tree), .user = cast};
    walk.on_candidate = take_candidate;
    switch (enter_frame(tree, cast, &walk))
    {
    case FRAME_MISS: break;
    case FRAME_WALK:
        BASE_PICK_ISA(cast->task->context, ray_walk_run)(&walk);
        certify_waiting(cast);
        break;
    case FRAME_USELESS:
        for (uint32_t i = 0; i < tree->triangle_count && !cast->stopped; i++)
        {
            if (cast->on_triangle)
                cast->on_triangle(i, cast->user);
            else
                certify(cast, i);
        }
        break;
    }
    counters->boxes_tested += walk.boxes_tested;
    counters->exact_fallbacks += cast->counts.exact_fallbacks;
    return cast->stopped ? CAROM_STOPPED : CAROM_OK;
}

carom_status ray_tree_cast(const ray_tree *tree, const tree_ray_task *task, tree_ray_fn *on_hit, void *user)
{
    ray_cast cast;
    memset(&cast, 0, offsetof(ray_cast, waiting));
    cast.task = task;
    cast.on_hit = on_hit;
    cast.user = user;
    cast.ray = (narrow_ray){task->ray->origin, task->ray->direction};
    cast.limit = task->ray->max_t;
    cast.waiting_count = 0;
    return run(tree, &cast);
}

carom_status ray_tree_line_x(const ray_tree *tree, const tree_ray_task *task, carom_vec3 point,
                             void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    ray_cast cast;
    memset(&cast, 0, offsetof(ray_cast, waiting));
    /* A ray that starts before everything meets what the whole line meets. */
    carom_aabb world = math_world_box(&task->placed->pose, &task->placed->mesh->info.bounds);
    cast.task = task;
    cast.on_triangle = on_triangle;
    cast.user = user;
    cast.ray = (narrow_ray){vec3(world.min.x, point.y, point.z), vec3(1.0, 0.0, 0.0)};
    cast.limit = INFINITY;
    cast.waiting_count = 0;
    return run(tree, &cast);
}
