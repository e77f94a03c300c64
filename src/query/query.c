/* The query object, the pair cache, the checks that every question goes through first, and trees as a method. */
#include "query/query.h"

const char *carom_relation_name(carom_relation relation)
{
    switch (relation)
    {
    case CAROM_RELATION_UNKNOWN: return "unknown";
    case CAROM_RELATION_APART: return "apart";
    case CAROM_RELATION_TOUCHING: return "touching";
    case CAROM_RELATION_OVERLAPPING: return "overlapping";
    case CAROM_RELATION_A_INSIDE_B: return "a_inside_b";
    case CAROM_RELATION_B_INSIDE_A: return "b_inside_a";
    case CAROM_RELATION_EQUAL: return "equal";
    case CAROM_RELATION_SURFACES_MEET: return "surfaces_meet";
    }
    return "invalid";
}

carom_status carom_query_create(carom_context *context, carom_query **out)
{
    if (out)
        *out = NULL;
    if (!context || !out)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "query create: %s is null", context ? "out" : "context");
    carom_query *query = base_allocate(context, 1, sizeof *query, BASE_CACHE_LINE);
    if (!query)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "query create: no memory for the query object");
    memset(query, 0, sizeof *query);
    query->context = context;
    query->scratch.context = context;
    query->method_state = &query->scratch;
    query->watch = base_watch_create(context);
    query->scratch.ray_frame.pose = carom_pose_identity(); /* zeros would pass for a pose that was checked */
    *out = query;
    return CAROM_OK;
}

void carom_query_destroy(carom_query *query)
{
    if (!query)
        return;
    carom_context *context = query->context;
    if (query->busy) /* the search goes on after the callback */
    {
        query_busy(query, "query destroy");
        return;
    }
    query_free_helpers(query);
    tree_scratch_free(&query->scratch);
    query_job_free(context, &query->job);
    base_array_free(context, &query->pairs);
    base_array_free(context, &query->hits);
    base_array_free(context, &query->first_hit);
    base_array_free(context, &query->hit_ranges);
    base_array_free(context, &query->sort_space);
    base_array_free(context, &query->seen);
    base_array_free(context, &query->order);
    base_array_free(context, &query->order_space);
    base_release(context, query, 1, sizeof *query);
}

carom_status carom_pair_cache_create(carom_context *context, carom_pair_cache **out)
{
    if (out)
        *out = NULL;
    if (!context || !out)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "pair cache create: %s is null", context ? "out" : "context");
    carom_pair_cache *cache = base_allocate(context, 1, sizeof *cache, BASE_CACHE_LINE);
    if (!cache)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "pair cache create: no memory");
    memset(cache, 0, sizeof *cache);
    cache->context = context;
    *out = cache;
    return CAROM_OK;
}

void carom_pair_cache_destroy(carom_pair_cache *cache)
{
    if (!cache)
        return;
    base_release(cache->context, cache, 1, sizeof *cache);
}

/* ---- trees ---- */

static carom_status find_tree(carom_context *context, const carom_shape *shape, const char *whose,
                              const carom_tree **out)
{
    if (BASE_LIKELY(shape->tree && !shape->tree->rays))
        return *out = shape->tree, CAROM_OK;
    if (shape->tree)
        return base_fail(context, CAROM_UNSUPPORTED,
                         "%s: its tree is one for rays, which has no answer for pairs; hand in another or none", whose);
    return tree_default(shape->mesh, TREE_FOR_PAIRS, out);
}

carom_status query_find_trees(carom_query *query, query_question *question)
{
    const carom_tree *a = question->a->shape.tree, *b = question->b->shape.tree;
    if (!question->method->needs_trees)
        return CAROM_OK;
    if (BASE_LIKELY(a && b && !a->rays && !b->rays)) /* only meshes have them */
        return question->tree_a = a, question->tree_b = b, CAROM_OK;
    if (BASE_LIKELY(query_is_mesh(question->a)))
        BASE_TRY(find_tree(query->context, &question->a->shape, "body a", &question->tree_a));
    if (BASE_LIKELY(query_is_mesh(question->b)))
        BASE_TRY(find_tree(query->context, &question->b->shape, "body b", &question->tree_b));
    return CAROM_OK;
}

/* ---- checks ---- */

carom_status query_check_bodies(carom_query *query, query_question *question)
{
    carom_context *context = query->context;
    const carom_placed *a = question->a, *b = question->b;
    BASE_TRY(base_check_float_mode(context));
    if (BASE_UNLIKELY(!a || !b))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "body %s: the pointer is null", a ? "b" : "a");
    if (BASE_UNLIKELY(!query_is_sound_mesh(context, &a->shape)))
        BASE_TRY(query_check_shape(context, &a->shape, "body a"));
    if (BASE_UNLIKELY(!query_is_sound_mesh(context, &b->shape)))
        BASE_TRY(query_check_shape(context, &b->shape, "body b"));
    if (BASE_LIKELY(BASE_PICK_ISA(context, math_check_pair)(&a->pose, &b->pose, &question->defect)))
        return CAROM_OK;
    BASE_TRY(query_check_pose(context, &a->pose, "body a"));
    return query_check_pose(context, &b->pose, "body b");
}

carom_status query_check_budget(carom_context *context, const carom_budget *budget)
{
    if (BASE_UNLIKELY(isnan(budget->seconds)))
        return base_fail(context, CAROM_NOT_FINITE, "options: budget.seconds is NaN");
    if (BASE_UNLIKELY(budget->seconds < 0.0))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "options: budget.seconds is negative (%g)", budget->seconds);
    return CAROM_OK;
}

carom_status query_check_collide_options(carom_context *context, const carom_collide_options *options)
{
    if ((unsigned)options->mode > CAROM_COLLIDE_ALL)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "options: unknown mode %d", (int)options->mode);
    if (!isfinite(options->clearance))
        return base_fail(context, CAROM_NOT_FINITE, "options: clearance is %g", options->clearance);
    if (options->clearance < 0.0)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "options: clearance is negative (%g)", options->clearance);
    if (options->clearance > MATH_COORDINATE_LIMIT)
        return base_fail(context, CAROM_OUT_OF_RANGE, "options: clearance exceeds 2^100 (%g)", options->clearance);
    if (options->contacts && options->mode != CAROM_COLLIDE_ALL)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "options: contacts need CAROM_COLLIDE_ALL");
    if (options->contacts && options->on_pair)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "options: contacts are not listed while pairs are streamed");
    if (options->on_pair && options->mode != CAROM_COLLIDE_ALL)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "options: on_pair needs CAROM_COLLIDE_ALL");
    if (options->cache && options->cache->context != context)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "options: the pair cache belongs to another context");
    return query_check_budget(context, &options->budget);
}

void query_count(carom_counters *sum, const carom_counters *counters)
{
    sum->boxes_tested += counters->boxes_tested;
    sum->triangles_tested += counters->triangles_tested;
    sum->volumes_updated += counters->volumes_updated;
    sum->filter_undecided += counters->filter_undecided;
    sum->exact_fallbacks += counters->exact_fallbacks;
    sum->sampled_size = counters->sampled_size > sum->sampled_size ? counters->sampled_size : sum->sampled_size;
}

void query_clear_report(carom_report *report)
{
    const carom_vec3 origin = {0.0, 0.0, 0.0};
    report->status = CAROM_OK;
    report->relation = CAROM_RELATION_UNKNOWN;
    report->a_closed = report->b_closed = report->clearance_violated = false;
    report->a_probably_inside_b = report->b_probably_inside_a = false;
    report->pair_count = report->pairs_listed = report->contact_count = report->point_count = 0;
    report->pairs = NULL, report->contacts = NULL, report->points = NULL;
    report->distance = INFINITY, report->distance_bound = 0.0;
    report->point_a = report->point_b = origin;
    report->triangle_a = report->triangle_b = CAROM_NO_TRIANGLE;
    report->hash = 0;
    report->counters = (carom_counters){0};
    report->times = (carom_times){0};
}

/* ---- trees as a method; its state is a tree_scratch ---- */

static tree_task make_task(void *state, const query_task *task)
{
    return (tree_task){.context = task->context,
                       .a = &task->a,
                       .b = &task->b,
                       .defect = task->defect,
                       .scratch = state,
                       .memory = task->memory ? &task->memory->tree : NULL,
                       .front = task->front,
                       .budget = task->budget,
                       .counters = task->counters};
}

static bool trees_far_apart(const carom_context *context, const mesh_placed *a, const mesh_placed *b, double limit,
                            query_memory *memory)
{
    return tree_far_apart(context, a, b, limit, memory ? &memory->tree : NULL);
}

static carom_status collide_trees(void *state, const query_task *task, const narrow_search *search, bool *violated)
{
    tree_task trees = make_task(state, task);
    return tree_collide(&trees, search, violated);
}

static carom_status distance_of_trees(void *state, const query_task *task, narrow_closest *closest)
{
    tree_task trees = make_task(state, task);
    return tree_distance(&trees, closest);
}

static carom_status trees_within(void *state, const query_task *task, double limit, bool *within)
{
    tree_task trees = make_task(state, task);
    return tree_within(&trees, limit, false, within);
}

static carom_status near_in_tree(void *state, const query_mesh_task *task, const narrow_near *near)
{
    tree_near_task tree = {.context = task->context,
                           .placed = &task->mesh,
                           .defect = task->defect,
                           .front = task->front,
                           .scratch = state,
                           .budget = task->budget,
                           .counters = task->counters};
    return tree_near(&tree, near);
}

static carom_status line_x(void *state, const query_mesh_task *task, carom_vec3 point,
                           void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    carom_ray ray = {point, {1.0, 0.0, 0.0}, INFINITY};
    tree_ray_task line = {
        .context = task->context, .placed = &task->mesh, .ray = &ray, .scratch = state, .counters = task->counters};
    return tree_line_x(&line, point, on_triangle, user);
}

const query_method query_tree_method = {.far_apart = trees_far_apart,
                                        .collide = collide_trees,
                                        .distance = distance_of_trees,
                                        .within = trees_within,
                                        .near = near_in_tree,
                                        .line_x = line_x,
                                        .needs_trees = true};
