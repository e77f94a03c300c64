/* What can be said about a pair of bodies that a budget left undecided: bounds, which are certain, and on request a
 * guess (chapter 25.6: the volumes of the level that was reached stand for the bodies). */
#include "engine/engine.h"

/* ---- boxes ---- */

/* The distance between two boxes, rounded down; 0 if they overlap. */
static double gap_between(const carom_aabb *a, const carom_aabb *b)
{
    double x = fmax(0.0, fmax(a->min.x - b->max.x, b->min.x - a->max.x));
    double y = fmax(0.0, fmax(a->min.y - b->max.y, b->min.y - a->max.y));
    double z = fmax(0.0, fmax(a->min.z - b->max.z, b->min.z - a->max.z));
    return sqrt(x * x + y * y + z * z) * (1.0 - 0x1p-48);
}

static double half_diagonal(const carom_aabb *box) { return 0.5 * vec3_length(vec3_sub(box->max, box->min)); }

/* The middle of what two intervals share, or of what is between them. */
static double middle(double min_a, double max_a, double min_b, double max_b)
{
    return 0.5 * (fmax(min_a, min_b) + fmin(max_a, max_b));
}

/* ---- bounds ---- */

/* What a search for a clearance has discarded is farther apart than that, so all that is nearer is in its front. Once
 * something is, it discards more. */
static double bound_front(const engine_open_pair *open, double known, double clearance, base_budget *extras)
{
    const query_job *job = &open->job;
    if (!extras || !(clearance > known) || job->searched || job->found.violated || job->front.count == 0 ||
        !query_can_split(&job->question))
        return known;
    const mesh_placed a = query_placed_mesh(job->question.a, job->question.tree_a);
    const mesh_placed b = query_placed_mesh(job->question.b, job->question.tree_b);
    return fmin(tree_front_bound(&a, &b, &job->front, known, extras), clearance);
}

/* The surfaces are in the boxes; a search that came to its end excludes everything nearer than its clearance. */
static double bound_distance(const carom_frame_body *a, const carom_frame_body *b, engine_open_pair *open,
                             double clearance, base_budget *extras)
{
    double bound = broad_is_empty(&a->bounds) || broad_is_empty(&b->bounds) ? 0.0 : gap_between(&a->bounds, &b->bounds);
    if (!open || open->job.found.count > 0)
        return open ? 0.0 : bound;
    bound = fmax(bound, open->bound);
    if (open->job.searched && !open->job.found.violated)
        bound = fmax(bound, clearance);
    if (open->job.nearest.begun)
        bound = fmax(bound, query_nearest_bound(&open->job.nearest));
    return open->bound = bound_front(open, bound, clearance, extras);
}

carom_body_pair engine_describe_undecided(const carom_engine *engine, const carom_frame *frame, size_t index,
                                          base_budget *extras)
{
    const engine_pair *pair = &engine->pairs.items[index];
    const carom_frame_body *a = &frame->bodies[pair->a], *b = &frame->bodies[pair->b];
    engine_open_pair *open = engine->open.items[index];
    const engine_clearance clearance = engine_clearance_of(a, b, pair->clearance);
    carom_body_pair out = {.body_a = a->id,
                           .body_b = b->id,
                           .status = CAROM_UNKNOWN,
                           .distance = INFINITY,
                           .triangle_a = CAROM_NO_TRIANGLE,
                           .triangle_b = CAROM_NO_TRIANGLE};
    out.distance_bound = bound_distance(a, b, open, clearance.rounded, extras);
    if (!open)
        return out;
    const query_found *found = &open->job.found;
    bool any = engine->options.mode == CAROM_COLLIDE_ANY;
    out.relation = open->job.relation.decided;
    out.pair_count = any && found->count > 1 ? 1 : found->count;
    /* The search was for the clearance rounded up. */
    out.clearance_violated = clearance.above > 0.0 && (found->count > 0 || (found->violated && clearance.whole));
    if (any)
        out.triangle_a = found->first_a, out.triangle_b = found->first_b;
    return out;
}

bool engine_adds_extras(const carom_engine *engine, const carom_frame *frame, size_t index)
{
    const engine_pair *pair = &engine->pairs.items[index];
    return engine->estimates_undecided ||
           pair->clearance + frame->bodies[pair->a].margin + frame->bodies[pair->b].margin > 0.0;
}

/* ---- a guess ---- */

static carom_pair_estimate guess(const carom_aabb boxes[2])
{
    const carom_aabb *a = &boxes[0], *b = &boxes[1];
    return (carom_pair_estimate){.point = {middle(a->min.x, a->max.x, b->min.x, b->max.x),
                                           middle(a->min.y, a->max.y, b->min.y, b->max.y),
                                           middle(a->min.z, a->max.z, b->min.z, b->max.z)},
                                 .radius = fmin(half_diagonal(a), half_diagonal(b)),
                                 .distance = gap_between(a, b)};
}

/* Of an element of a body: a triangle, or all of a primitive. */
static carom_aabb box_of_element(const carom_frame_body *body, uint32_t element)
{
    const carom_placed *placed = &body->placed;
    if (!query_is_mesh(placed) || element >= placed->shape.mesh->triangle_count)
        return body->bounds;
    const mesh_placed mesh = query_placed_mesh(placed, NULL);
    narrow_triangle triangle = tree_world_triangle(&mesh, element);
    carom_aabb box = aabb_empty();
    for (int c = 0; c < 3; c++)
        box = aabb_add_point(box, triangle.corner[c]);
    return box;
}

/* The smallest two boxes of a front, and of those that overlap if there are any: the deepest that it came to. Of a long
 * front some entries will do. */
static void find_deepest(const query_job *job, carom_aabb out[2])
{
    const size_t enough = 16;
    const narrow_front *front = &job->front;
    const mesh_placed a = query_placed_mesh(job->question.a, job->question.tree_a);
    const mesh_placed b = query_placed_mesh(job->question.b, job->question.tree_b);
    size_t stride = 1 + front->count / enough;
    double best_gap = INFINITY, best_size = INFINITY;
    for (size_t i = 0; i < front->count; i += stride)
    {
        carom_aabb boxes[2];
        tree_part_boxes(&a, &b, &front->items[i], boxes);
        double gap = gap_between(&boxes[0], &boxes[1]), size = half_diagonal(&boxes[0]) + half_diagonal(&boxes[1]);
        if (gap > best_gap || (gap == best_gap && size >= best_size))
            continue;
        best_gap = gap, best_size = size;
        out[0] = boxes[0], out[1] = boxes[1];
    }
}

carom_pair_estimate engine_estimate_undecided(const carom_engine *engine, const carom_frame *frame, size_t index,
                                              const base_budget *extras)
{
    const engine_pair *pair = &engine->pairs.items[index];
    const carom_frame_body *a = &frame->bodies[pair->a], *b = &frame->bodies[pair->b];
    const engine_open_pair *open = engine->open.items[index];
    carom_aabb boxes[2] = {a->bounds, b->bounds};
    bool certain = open && open->job.found.count > 0;
    if (certain)
    {
        boxes[0] = box_of_element(a, open->job.found.first_a);
        boxes[1] = box_of_element(b, open->job.found.first_b);
    }
    else if (open && query_can_split(&open->job.question) && open->job.front.count > 0 && extras && !extras->exhausted)
        find_deepest(&open->job, boxes);
    carom_pair_estimate estimate = guess(boxes);
    estimate.open = open ? open->job.front.count : 0;
    estimate.certain = certain;
    return estimate;
}
