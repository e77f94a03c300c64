/* carom_distance and carom_within: how far apart are two surfaces, and where? */
#include "query/query.h"

carom_distance_options carom_distance_options_default(void) { return (carom_distance_options){0}; }

/* Puts what the traversal found into the report. */
static void report_closest(const narrow_closest *closest, carom_status status, carom_report *report)
{
    report->status = status;
    if (closest->triangle_a != CAROM_NO_TRIANGLE)
    {
        report->distance = closest->distance;
        report->point_a = closest->point_a, report->point_b = closest->point_b;
        report->triangle_a = closest->triangle_a, report->triangle_b = closest->triangle_b;
    }
    double below = narrow_closest_bound(closest);
    report->distance_bound = status == CAROM_UNKNOWN ? fmin(closest->lower_bound, below) : below;
}

double query_nearest_bound(const query_nearest *nearest)
{
    return fmin(nearest->closest.lower_bound, narrow_closest_bound(&nearest->closest));
}

/* If the surfaces are apart, one body may still be inside the other. */
static carom_status decide_relation(carom_query *query, const query_walk *walk, carom_report *report)
{
    const query_meetings none = {0};
    bool apart = report->status == CAROM_OK && report->distance > 0.0; /* perhaps by less than any number */
    if (!apart && !(report->distance_bound > 0.0))
        return CAROM_OK;
    report->relation = CAROM_RELATION_APART;
    if (!query_may_contain(walk->question))
        return CAROM_OK;
    query_cursor_begin(&query->job.relation);
    return query_relation(query, walk, &none, &query->job.relation, &report->relation);
}

carom_status query_measure(carom_query *query, const query_walk *walk, double upper_bound, query_nearest *nearest,
                           carom_report *report)
{
    const query_question *question = walk->question;
    double limit = upper_bound > 0.0 ? upper_bound : INFINITY;
    bool empty = query_is_empty(question->a) || query_is_empty(question->b), beyond = false;
    if (!nearest->begun)
    {
        narrow_closest_begin(&nearest->closest, limit);
        nearest->begun = true;
        beyond = upper_bound > 0.0 && query_far_apart(query->context, question, upper_bound);
    }
    carom_status status = CAROM_OK;
    if (!empty && !beyond)
        status = query_row_of(question)->distance(query, walk, &nearest->closest);
    if (!carom_failed(status))
        report_closest(&nearest->closest, status, report);
    return status;
}

carom_status query_distance(carom_query *query, const query_question *question, base_budget *budget, double upper_bound,
                            carom_report *report)
{
    uint64_t start = base_watch_start(&query->watch);
    report->a_closed = query_has_inside(&question->a->shape);
    report->b_closed = query_has_inside(&question->b->shape);
    query_nearest nearest;
    nearest.begun = false;
    query_walk walk = {question, NULL, budget, &report->counters};
    carom_status status = query_measure(query, &walk, upper_bound, &nearest, report);
    if (!carom_failed(status))
    {
        carom_status relation = decide_relation(query, &walk, report);
        status = carom_failed(relation) ? relation : status;
    }
    if (carom_failed(status))
    {
        query_clear_report(report);
        return report->status = status;
    }
    report->hash = query_report_hash(report, true);
    report->times.total_ms = report->times.mid_ms = 1e3 * base_watch_read(&query->watch, start);
    return status;
}

/* ---- public functions ---- */

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
    query_question question = {
        .a = a, .b = b, .method = &query_tree_method, .memory = options->cache ? &options->cache->memory : NULL};
    BASE_TRY(query_check_bodies(query, &question));
    BASE_TRY(query_find_trees(query, &question));
    return query_distance(query, &question, &budget, options->upper_bound, report);
}

carom_status carom_distance(carom_query *query, const carom_placed *a, const carom_placed *b,
                            const carom_distance_options *options, carom_report *report)
{
    if (!query || !report)
        return base_fail(query ? query->context : NULL, CAROM_INVALID_ARGUMENT, "distance: %s is null",
                         query ? "report" : "query");
    query_clear_report(report);
    if (BASE_UNLIKELY(query->busy))
        return report->status = query_busy(query, "distance");
    query->can_resume = false;
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
    if (BASE_UNLIKELY(query->busy))
        return query_busy(query, "within");
    query->can_resume = false;
    if (isnan(distance))
        return base_fail(query->context, CAROM_NOT_FINITE, "within: distance is NaN");
    if (distance < 0.0)
        return base_fail(query->context, CAROM_INVALID_ARGUMENT, "within: distance is negative (%g)", distance);
    base_budget budget = base_budget_begin(NULL);
    query_question question = {.a = a, .b = b, .method = &query_tree_method};
    BASE_TRY(query_check_bodies(query, &question));
    BASE_TRY(query_find_trees(query, &question)); /* or refuse those for rays, whatever the answer */
    if (query_is_empty(a) || query_is_empty(b))
        return CAROM_OK;
    if (isinf(distance))
        return *out = true, CAROM_OK;
    carom_counters counters = {0};
    if (query_far_apart(query->context, &question, distance))
        return CAROM_OK;
    query_walk walk = {&question, NULL, &budget, &counters};
    return query_row_of(&question)->within(query, &walk, distance, out);
}
