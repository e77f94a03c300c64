/* The query object, its default trees, the pair cache, and the checks that every question goes through first. */
#include "query/query.h"

const char *carom_relation_name(carom_relation relation)
{
    switch (relation)
    {
    case CAROM_RELATION_UNKNOWN: return "unknown";
    case CAROM_RELATION_APART: return "apart";
    case CAROM_RELATION_TOUCHING: return "touching";
    case CAROM_RELATION_CROSSING: return "crossing";
    case CAROM_RELATION_A_INSIDE_B: return "a_inside_b";
    case CAROM_RELATION_B_INSIDE_A: return "b_inside_a";
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
    query->watch = base_watch_create(context);
    query->scratch.ray_place.pose = carom_pose_identity(); /* zeros would be taken for a pose that was checked */
    *out = query;
    return CAROM_OK;
}

void carom_query_destroy(carom_query *query)
{
    if (!query)
        return;
    carom_context *context = query->context;
    tree_scratch_free(&query->scratch);
    for (size_t i = 0; i < query->built.count; i++)
        carom_tree_destroy(query->built.items[i].tree);
    base_array_free(context, &query->built);
    base_array_free(context, &query->pairs);
    base_array_free(context, &query->contacts);
    base_array_free(context, &query->points);
    base_array_free(context, &query->hits);
    base_array_free(context, &query->keys);
    base_array_free(context, &query->sort_space);
    base_array_free(context, &query->candidates);
    base_array_free(context, &query->corners);
    base_array_free(context, &query->members);
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

/* ---- default trees ---- */

/* Position of the first built tree whose mesh serial is at least `serial`. */
static size_t find_built(const carom_query *query, uint64_t serial)
{
    size_t low = 0, high = query->built.count;
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        if (query->built.items[middle].mesh_serial < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

carom_status query_find_tree(carom_query *query, const carom_placed *placed, const carom_tree **out)
{
    if (placed->tree)
        return *out = placed->tree, CAROM_OK;
    uint64_t serial = placed->mesh->serial;
    size_t at = find_built(query, serial);
    if (at < query->built.count && query->built.items[at].mesh_serial == serial)
        return *out = query->built.items[at].tree, CAROM_OK;

    if (!base_array_reserve(query->context, &query->built, 1))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "query: no memory to remember another default tree");
    carom_tree *tree;
    BASE_TRY(carom_tree_create(query->context, placed->mesh, NULL, &tree));
    query_built_tree *items = query->built.items;
    memmove(items + at + 1, items + at, (query->built.count - at) * sizeof *items);
    items[at] = (query_built_tree){serial, tree};
    query->built.count++;
    *out = tree;
    return CAROM_OK;
}

/* A ray tree has no walk for pairs. */
static bool answers_pairs(const carom_tree *tree) { return tree && !tree->rays; }

carom_status query_add_trees(carom_query *query, query_question *question, carom_placed own[2])
{
    if (BASE_LIKELY(answers_pairs(question->a->tree) && answers_pairs(question->b->tree)))
        return CAROM_OK;
    own[0] = *question->a, own[1] = *question->b;
    for (int side = 0; side < 2; side++)
    {
        if (!answers_pairs(own[side].tree))
            own[side].tree = NULL;
        BASE_TRY(query_find_tree(query, &own[side], &own[side].tree));
    }
    question->a = &own[0], question->b = &own[1];
    return CAROM_OK;
}

tree_task query_make_task(carom_query *query, const query_question *question, carom_counters *counters)
{
    return (tree_task){.context = query->context,
                       .a = question->a,
                       .b = question->b,
                       .defect = question->defect,
                       .scratch = &query->scratch,
                       .memory = question->memory,
                       .budget = question->budget,
                       .counters = counters};
}

bool query_far_apart(const carom_query *query, const query_question *question, double limit)
{
    return question->method->far_apart && query_has_triangles(question) &&
           question->method->far_apart(query->context, question->a, question->b, limit, question->memory);
}

/* ---- checks ---- */

static carom_status refuse_pose(carom_context *context, carom_status why, const char *whose)
{
    const char *text = why == CAROM_NOT_FINITE  ? "the pose holds NaN or infinity"
                       : why == CAROM_NOT_RIGID ? "the rotation of the pose is not a rotation (|RtR - I| > 1e-9 or a "
                                                  "mirror)"
                                                : "the translation of the pose exceeds 2^100";
    return base_fail(context, why, "%s: %s", whose, text);
}

static carom_status check_parts(carom_context *context, const carom_placed *placed, const char *whose)
{
    if (BASE_UNLIKELY(!placed || !placed->mesh))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%s: %s is null", whose, placed ? "the mesh" : "the pointer");
    if (BASE_UNLIKELY(placed->mesh->context != context))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%s: the mesh belongs to another context", whose);
    if (placed->tree && BASE_UNLIKELY(placed->tree->mesh != placed->mesh || placed->tree->context != context))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "%s: the tree belongs to another mesh", whose);
    return CAROM_OK;
}

carom_status query_check_placed(carom_context *context, const carom_placed *placed, const char *whose)
{
    BASE_TRY(check_parts(context, placed, whose));
    carom_status pose = carom_pose_check(&placed->pose);
    return pose == CAROM_OK ? CAROM_OK : refuse_pose(context, pose, whose);
}

carom_status query_check_bodies(carom_query *query, query_question *question)
{
    carom_context *context = query->context;
    const carom_placed *a = question->a, *b = question->b;
    BASE_TRY(base_check_float_mode(context));
    BASE_TRY(check_parts(context, a, "body a"));
    BASE_TRY(check_parts(context, b, "body b"));
    if (BASE_LIKELY(BASE_PICK_ISA(context, math_check_pair)(&a->pose, &b->pose, &question->defect)))
        return CAROM_OK;
    BASE_TRY(query_check_placed(context, a, "body a"));
    return query_check_placed(context, b, "body b");
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

void query_clear_report(carom_report *report)
{
    const carom_vec3 origin = {0.0, 0.0, 0.0};
    report->status = CAROM_OK;
    report->relation = CAROM_RELATION_UNKNOWN;
    report->a_closed = report->b_closed = report->clearance_violated = false;
    report->pair_count = report->pairs_listed = report->contact_count = report->point_count = 0;
    report->pairs = NULL, report->contacts = NULL, report->points = NULL;
    report->distance = INFINITY, report->distance_bound = 0.0;
    report->point_a = report->point_b = origin;
    report->triangle_a = report->triangle_b = CAROM_NO_TRIANGLE;
    report->hash = 0;
    report->counters = (carom_counters){0};
    report->times = (carom_times){0};
}

/* ---- trees as a method ---- */

static carom_status collide_trees(void *state, const tree_task *task, const tree_collide_options *options,
                                  bool *violated)
{
    (void)state;
    return tree_collide(task, options, violated);
}

static carom_status distance_of_trees(void *state, const tree_task *task, tree_closest *closest)
{
    (void)state;
    return tree_distance(task, closest);
}

static carom_status within_trees(void *state, const tree_task *task, double limit, bool *within)
{
    (void)state;
    return tree_within(task, limit, within);
}

static carom_status line_x_tree(void *state, const tree_ray_task *task, carom_vec3 point,
                                void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    (void)state;
    return tree_line_x(task, point, on_triangle, user);
}

const query_method query_tree_method = {tree_far_apart, collide_trees, distance_of_trees,
                                        within_trees,   line_x_tree,   true};
