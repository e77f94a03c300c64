/* carom_distance and carom_within: how far apart are two surfaces, and where? */
#include "query/query.h"

carom_distance_options carom_distance_options_default(void) { return (carom_distance_options){0}; }

/* What the traversal found, in the report's words. */
static void report_closest(const tree_closest *closest, carom_status status, double upper_bound, carom_report *report)
{
    report->status = status;
    if (closest->triangle_a != CAROM_NO_TRIANGLE)
    {
        report->distance = closest->distance;
        report->point_a = closest->point_a, report->point_b = closest->point_b;
        report->triangle_a = closest->triangle_a, report->triangle_b = closest->triangle_b;
    }
    if (status == CAROM_UNKNOWN)
        report->distance_bound = fmin(closest->lower_bound, report->distance);
    else
        report->distance_bound = closest->triangle_a != CAROM_NO_TRIANGLE ? closest->distance : upper_bound;
    report->relation = report->distance_bound > 0.0 ? CAROM_RELATION_APART : CAROM_RELATION_UNKNOWN;
}

carom_status query_distance(carom_query *query, const query_question *question, double upper_bound,
                            carom_report *report)
{
    uint64_t start = base_watch_start(&query->watch);
    report->a_closed = question->a->mesh->info.closed && question->a->mesh->info.oriented;
    report->b_closed = question->b->mesh->info.closed && question->b->mesh->info.oriented;
    double limit = upper_bound > 0.0 ? upper_bound : INFINITY;
    tree_closest closest = {
        .distance = limit, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE, .lower_bound = 0.0};
    tree_task task = query_make_task(query, question, &report->counters);
    carom_status status = CAROM_OK;
    bool beyond = upper_bound > 0.0 && query_far_apart(query, question, upper_bound);
    if (query_has_triangles(question) && !beyond)
        status = question->method->distance(question->method_state, &task, &closest);
    if (status >= CAROM_FIRST_ERROR)
    {
        query_clear_report(report);
        return report->status = status;
    }
    report_closest(&closest, status, limit, report);
    report->hash = query_report_hash(report, true);
    report->times.total_ms = report->times.mid_ms = 1e3 * base_watch_read(&query->watch, start);
    return status;
}

/* ---- the public face ---- */

static carom_status check_options(carom_context *context, const carom_distance_options *options)
{
    if (isnan(options->upper_bound))
        return base_fail(context, CAROM_NOT_FINITE, "options: upper_bound is NaN");
    if (options->upper_bound < 0.0)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "options: upper_bound is negative (%g)",
                         options->upper_bound);
    if (options->cache && options->cache->context != context)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "options: the pair cache belongs to another context");
    return query_check_budget(context, &options->budget);
}

static carom_status ask_distance(carom_query *query, const carom_placed *a, const carom_placed *b,
                                 const carom_distance_options *options, carom_report *report)
{
    BASE_TRY(check_options(query->context, options));
    base_budget budget = base_budget_begin(&options->budget);
    carom_placed own[2];
    query_question question = {.a = a,
                               .b = b,
                               .method = &query_tree_method,
                               .budget = &budget,
                               .memory = options->cache ? &options->cache->memory : NULL};
    BASE_TRY(query_check_bodies(query, &question));
    BASE_TRY(query_add_trees(query, &question, own));
    return query_distance(query, &question, options->upper_bound, report);
}

carom_status carom_distance(carom_query *query, const carom_placed *a, const carom_placed *b,
                            const carom_distance_options *options, carom_report *report)
{
    if (!query || !report)
        return base_fail(query ? query->context : NULL, CAROM_INVALID_ARGUMENT, "distance: %s is null",
                         query ? "report" : "query");
    query_clear_report(report);
    carom_distance_options chosen = options ? *options : carom_distance_options_default();
    return report->status = ask_distance(query, a, b, &chosen, report);
}

carom_status carom_within(carom_query *query, const carom_placed *a, const carom_placed *b, double distance, bool *out)
{
    if (out)
        *out = false;
    if (!query || !out)
        return base_fail(query ? query->context : NULL, CAROM_INVALID_ARGUMENT, "within: %s is null",
                         query ? "out" : "query");
    if (isnan(distance))
        return base_fail(query->context, CAROM_NOT_FINITE, "within: distance is NaN");
    if (distance < 0.0)
        return base_fail(query->context, CAROM_INVALID_ARGUMENT, "within: distance is negative (%g)", distance);
    base_budget budget = base_budget_begin(NULL);
    query_question question = {.a = a, .b = b, .method = &query_tree_method, .budget = &budget};
    BASE_TRY(query_check_bodies(query, &question));
    if (a->mesh->triangle_count == 0 || b->mesh->triangle_count == 0)
        return CAROM_OK;
    if (isinf(distance))
        return *out = true, CAROM_OK;
    carom_counters counters = {0};
    carom_placed own[2];
    BASE_TRY(query_add_trees(query, &question, own));
    if (query_far_apart(query, &question, distance))
        return CAROM_OK;
    tree_task task = query_make_task(query, &question, &counters);
    return question.method->within(question.method_state, &task, distance, out);
}
