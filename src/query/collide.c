/* carom_collide: which elements of a and b share a point, how are the bodies related, is the clearance kept? job.c
 * finds the pairs; here they become a report. */
#include "query/query.h"

carom_collide_options carom_collide_options_default(void) { return (carom_collide_options){.mode = CAROM_COLLIDE_ALL}; }

/* ---- relation ---- */

/* A mesh's box in the mesh's own frame, grown by the error of placing its vertices (docs/exactness.md, section 8). */
typedef struct own_box
{
    carom_aabb box;
    const carom_pose *pose;
} own_box;

static own_box make_own_box(const carom_placed *placed, double defect)
{
    const carom_mesh *mesh = placed->shape.mesh;
    carom_vec3 t = placed->pose.translation;
    double pad = (8.0 * defect + 0x1p-46) * mesh->extent + 0x1p-46 * (fabs(t.x) + fabs(t.y) + fabs(t.z)) + 0x1p-1022;
    carom_vec3 grown = vec3(pad, pad, pad);
    return (own_box){{vec3_sub(mesh->info.bounds.min, grown), vec3_add(mesh->info.bounds.max, grown)}, &placed->pose};
}

static bool holds_point(const own_box *own, carom_vec3 p)
{
    const double *r = own->pose->rotation;
    carom_vec3 v = vec3_sub(p, own->pose->translation), min = own->box.min, max = own->box.max;
    double x = r[0] * v.x + r[3] * v.y + r[6] * v.z, y = r[1] * v.x + r[4] * v.y + r[7] * v.z;
    if (x < min.x || x > max.x || y < min.y || y > max.y)
        return false;
    double z = r[2] * v.x + r[5] * v.y + r[8] * v.z;
    return z >= min.z && z <= max.z;
}

/* A mesh in one piece is inside as a whole, where it does not meet the other body, so its extreme points are; of
 * several components some may be inside. */
static bool holds_some_of(const own_box *own, const carom_placed *placed)
{
    const carom_mesh *mesh = placed->shape.mesh;
    if (mesh->info.component_count > 1)
    {
        for (uint32_t i = 0; i < mesh->info.component_count; i++)
            if (holds_point(own, pose_apply(&placed->pose, mesh->vertices[mesh->component_vertex[i]])))
                return true;
        return false;
    }
    for (int i = 0; i < 6; i++)
        if (!holds_point(own, pose_apply(&placed->pose, mesh->extremes[i])))
            return false;
    return true;
}

/* May `outer` contain `inner`, which is not empty, or a part of it, judging by a box around `outer` and points of
 * `inner`? What is inside a sphere or capsule meets it. */
static bool may_hold(const carom_placed *outer, const carom_placed *inner, double defect)
{
    if (!query_is_mesh(outer) || !query_has_inside(&outer->shape))
        return false;
    own_box own = make_own_box(outer, defect);
    const carom_shape *shape = &inner->shape;
    if (shape->kind == CAROM_SHAPE_SPHERE)
        return holds_point(&own, pose_apply(&inner->pose, shape->sphere.centre));
    if (shape->kind == CAROM_SHAPE_CAPSULE)
        return holds_point(&own, pose_apply(&inner->pose, shape->capsule.ends[0])) &&
               holds_point(&own, pose_apply(&inner->pose, shape->capsule.ends[1]));
    return holds_some_of(&own, inner);
}

bool query_may_contain(const query_question *question)
{
    return !query_is_empty(question->a) && !query_is_empty(question->b) &&
           (may_hold(question->a, question->b, question->defect) ||
            may_hold(question->b, question->a, question->defect));
}

/* Decides the relation, or goes on with that. */
static carom_status ask_relation(carom_query *query, query_job *job, base_budget *budget, carom_report *report)
{
    const query_found *found = &job->found;
    const query_meetings meetings = {.any = found->count > 0,
                                     .crossing = found->crossing,
                                     .crossing_pair = {found->crossing_a, found->crossing_b},
                                     .keys = job->keys.items,
                                     .key_count = job->keys.count,
                                     .complete = query_job_has_all_pairs(job)};
    const query_walk walk = {&job->question, NULL, budget, &job->counters};
    BASE_TRY(query_relation(query, &walk, &meetings, &job->relation, &report->relation));
    report->counters = job->counters;
    job->relation.decided = report->relation;
    if (report->relation == CAROM_RELATION_UNKNOWN)
        report->status = CAROM_UNKNOWN;
    return CAROM_OK;
}

/* The relation of a job: in full if requested, and never APART for bodies with a point in common. */
static carom_status decide_relation(carom_query *query, query_job *job, base_budget *budget, carom_report *report)
{
    bool asked = job->options->relation;
    if (job->relation.decided != CAROM_RELATION_UNKNOWN)
        return report->relation = job->relation.decided, CAROM_OK;
    if (report->status != CAROM_OK || (!asked && job->found.count > 0))
        return CAROM_OK;
    report->relation = CAROM_RELATION_APART;
    if (!asked && !query_may_contain(&job->question))
        return CAROM_OK;
    return ask_relation(query, job, budget, report);
}

/* ---- lists ---- */

static bool lists_pairs(const query_job *job)
{
    return job->options->mode == CAROM_COLLIDE_ALL && !job->options->on_pair && job->found.count > 0;
}

static size_t count_listed(const query_job *job)
{
    uint64_t max_pairs = job->options->max_pairs;
    return max_pairs > 0 && job->keys.count > max_pairs ? (size_t)max_pairs : job->keys.count;
}

static carom_status list_pairs(carom_query *query, const query_job *job, carom_report *report)
{
    size_t listed = count_listed(job);
    query->pairs.count = 0;
    if (!base_array_reserve(query->context, &query->pairs, listed))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "collide: no memory for %zu pairs", listed);
    for (size_t i = 0; i < listed; i++)
        query->pairs.items[i] = query_unpack(job->keys.items[i]);
    query->pairs.count = listed;
    report->pairs = query->pairs.items;
    report->pairs_listed = listed;
    if (report->status == CAROM_OK && report->pair_count > listed)
        report->status = CAROM_TRUNCATED;
    return CAROM_OK;
}

/* Finds the contacts of all pairs that will be listed, from where it stopped the last time. CAROM_UNKNOWN: the budget
 * ran out. */
static carom_status find_contacts(carom_query *query, query_job *job, base_budget *budget)
{
    const query_question *question = &job->question;
    const query_row *row = query_row_of(question);
    query_contacts *contacts = &job->contacts;
    narrow_counts counts = {0};
    const size_t max_points = 6, listed = count_listed(job);
    const uint32_t work = 32; /* a contact takes about as long as so many box tests */
    carom_status status = CAROM_OK;
    if (listed > UINT32_MAX / max_points) /* a contact counts pairs and points in 32 bits */
        return base_fail(query->context, CAROM_TOO_LARGE, "collide: contacts of %zu pairs; set max_pairs", listed);
    while (contacts->items.count < listed && status == CAROM_OK)
    {
        const carom_pair pair = query_unpack(job->keys.items[contacts->items.count]);
        if (!base_array_reserve(query->context, &contacts->items, 1) ||
            !base_array_reserve(query->context, &contacts->points, max_points))
            return base_fail(query->context, CAROM_OUT_OF_MEMORY, "collide: no memory for contacts");
        carom_contact *contact = &contacts->items.items[contacts->items.count];
        *contact =
            (carom_contact){.pair = (uint32_t)contacts->items.count++, .first_point = (uint32_t)contacts->points.count};
        contact->point_count = row->contact(question, &pair, contacts->points.items + contacts->points.count, &counts);
        contacts->points.count += contact->point_count;
        if (contacts->items.count < listed && !base_budget_spend(budget, work))
            status = CAROM_UNKNOWN;
    }
    contacts->exact_fallbacks += counts.exact_fallbacks;
    return status;
}

static carom_status add_contacts(carom_query *query, query_job *job, carom_report *report)
{
    base_budget unlimited = base_budget_begin(NULL);
    query_contacts *contacts = &job->contacts;
    BASE_TRY(find_contacts(query, job, &unlimited));
    report->contacts = contacts->items.items, report->contact_count = contacts->items.count;
    report->points = contacts->points.items, report->point_count = contacts->points.count;
    report->counters.exact_fallbacks += contacts->exact_fallbacks;
    return CAROM_OK;
}

/* ---- the report ---- */

static void report_found(const query_job *job, carom_report *report)
{
    const query_found *found = &job->found;
    const carom_collide_options *options = job->options;
    bool any = options->mode == CAROM_COLLIDE_ANY;
    report->status = found->stopped                                                     ? CAROM_STOPPED
                     : job->searched || (any && !options->relation && found->count > 0) ? CAROM_OK
                                                                                        : CAROM_UNKNOWN;
    report->counters = job->counters;
    report->clearance_violated = options->clearance > 0.0 && (found->violated || found->count > 0);
    report->pair_count = any && found->count > 1 ? 1 : found->count;
    if (any)
        report->triangle_a = found->first_a, report->triangle_b = found->first_b;
    if (report->status == CAROM_OK && found->count == 0 && !report->clearance_violated)
        report->distance_bound = options->clearance;
}

static carom_status settle_job(carom_query *query, query_job *job, base_budget *budget, carom_report *report)
{
    report_found(job, report);
    if (job->keys.count > 1 && !job->sorted && !query_sort_unique(query->context, &job->keys, &query->sort_space))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "collide: no memory for %zu pairs", job->keys.count);
    if (!job->sorted) /* contacts were those of an earlier list */
        query_forget_contacts(job);
    job->sorted = job->searched;
    BASE_TRY(decide_relation(query, job, budget, report));
    return query_estimate_inside(job, budget, report);
}

static carom_status report_job(carom_query *query, query_job *job, base_budget *budget, carom_report *report)
{
    BASE_TRY(settle_job(query, job, budget, report));
    if (lists_pairs(job))
        BASE_TRY(list_pairs(query, job, report));
    if (job->options->contacts && report->pairs_listed > 0)
        BASE_TRY(add_contacts(query, job, report));
    return report->status;
}

static carom_status report_apart(double clearance, carom_report *report)
{
    report->relation = CAROM_RELATION_APART;
    report->distance_bound = clearance;
    return CAROM_OK;
}

bool query_far_apart(carom_context *context, const query_question *question, double limit)
{
    const query_row *row = query_row_of(question);
    return row->far_apart && row->far_apart(context, question, limit);
}

bool query_apart_at_once(carom_context *context, const query_question *question, const carom_collide_options *options)
{
    return !(options->relation && query_needs_estimate(question)) &&
           query_far_apart(context, question, options->clearance);
}

/* ---- any hit, the fast path ---- */

typedef struct first_hit
{
    uint32_t element_a, element_b;
    bool found;
} first_hit;

static bool stop_at_first(uint32_t element_a, uint32_t element_b, uint32_t meeting, void *user)
{
    (void)meeting;
    *(first_hit *)user = (first_hit){element_a, element_b, true};
    return false;
}

/* A search that remembers: what it finds beyond the light part is not remembered, see query_light_budget. */
static carom_status search_remembering(carom_query *query, const query_walk *walk, const narrow_search *search,
                                       bool *violated)
{
    query_question forgetful = *walk->question;
    forgetful.memory = NULL;
    base_budget light = query_light_budget();
    narrow_front *front = &query->job.front;
    front->count = 0;
    query_walk first = {walk->question, front, &light, walk->counters};
    carom_status status = query_row_of(walk->question)->collide(query, &first, search, violated);
    if (status != CAROM_UNKNOWN)
        return status;
    query_walk rest = {&forgetful, front, walk->budget, walk->counters};
    return query_row_of(walk->question)->collide(query, &rest, search, violated);
}

/* Queries of a microsecond take this path: no job to keep, nothing stored, nothing sorted. */
static carom_status find_any(carom_query *query, const query_question *question, double clearance, base_budget *budget,
                             carom_report *report)
{
    if (query_is_empty(question->a) || query_is_empty(question->b))
        return report_apart(clearance, report);
    first_hit hit = {CAROM_NO_TRIANGLE, CAROM_NO_TRIANGLE, false};
    bool violated = false;
    query_walk walk = {question, NULL, budget, &report->counters};
    narrow_search search = {.clearance = clearance, .on_pair = stop_at_first, .user = &hit};
    bool remembers = question->memory && query_can_split(question);
    carom_status status = remembers ? search_remembering(query, &walk, &search, &violated)
                                    : query_row_of(question)->collide(query, &walk, &search, &violated);
    if (carom_failed(status))
        return status;
    report->clearance_violated = clearance > 0.0 && (violated || hit.found);
    if (hit.found)
    {
        report->pair_count = 1;
        report->triangle_a = hit.element_a, report->triangle_b = hit.element_b;
        return CAROM_OK;
    }
    report->distance_bound = report->clearance_violated ? 0.0 : clearance;
    report->relation = CAROM_RELATION_APART;
    if (!query_may_contain(question))
        return CAROM_OK;
    const query_meetings none = {0};
    query_cursor_begin(&query->job.relation);
    return query_relation(query, &walk, &none, &query->job.relation, &report->relation);
}

/* ---- one question from start to finish ---- */

/* If a budget may cut the search short, or workers share it, it is a job that can be suspended and resumed. */
static carom_status search(carom_query *query, query_job *job, base_budget *budget)
{
    return base_budget_is_unlimited(budget) ? query_job_search_all(query, job) : query_job_search(query, job, budget);
}

/* start: of the whole question, on the query's watch. */
static carom_status run_job(carom_query *query, query_job *job, base_budget *budget, uint64_t start,
                            carom_report *report)
{
    carom_status status = search(query, job, budget);
    if (carom_failed(status))
        return status;
    double searched = job->found.count > 0 ? base_watch_read(&query->watch, start) : 0.0;
    status = report_job(query, job, budget, report);
    if (searched > 0.0) /* otherwise the search was not timed separately */
    {
        report->times.mid_ms = 1e3 * searched;
        report->times.report_ms = 1e3 * (base_watch_read(&query->watch, start) - searched);
    }
    return status;
}

/* Fills in what every answer has, whichever path found it. */
static carom_status close_report(const query_question *question, const carom_collide_options *options,
                                 carom_status status, carom_report *report)
{
    if (BASE_UNLIKELY(carom_failed(status)))
    {
        query_clear_report(report);
        return report->status = status;
    }
    report->a_closed = query_has_inside(&question->a->shape);
    report->b_closed = query_has_inside(&question->b->shape);
    report->status = status;
    report->hash = query_report_hash(report, options->mode != CAROM_COLLIDE_ANY);
    return status;
}

carom_status query_collide(carom_query *query, const query_question *question, const carom_collide_options *options,
                           base_budget *budget, carom_report *report)
{
    uint64_t start = base_watch_start(&query->watch);
    carom_status status;
    if (query_apart_at_once(query->context, question, options))
        status = report_apart(options->clearance, report);
    else if (options->mode == CAROM_COLLIDE_ANY && !options->relation && base_budget_is_unlimited(budget) &&
             base_worker_count(query->context) == 1)
        status = find_any(query, question, options->clearance, budget, report);
    else
    {
        query_job_begin(&query->job, question, options);
        status = run_job(query, &query->job, budget, start, report);
    }
    status = close_report(question, options, status, report);
    report->times.total_ms = 1e3 * base_watch_read(&query->watch, start);
    if (report->times.mid_ms == 0.0)
        report->times.mid_ms = report->times.total_ms;
    return status;
}

carom_status query_job_settle(carom_query *query, query_job *job, base_budget *budget)
{
    carom_report report;
    query_clear_report(&report);
    BASE_TRY(settle_job(query, job, budget, &report));
    if (report.status != CAROM_UNKNOWN && job->sorted && job->options->contacts && lists_pairs(job))
    {
        carom_status found = find_contacts(query, job, budget);
        if (found != CAROM_OK)
            return found;
    }
    return report.status;
}

carom_status query_job_answer(carom_query *query, query_job *job, base_budget *budget, carom_report *report)
{
    query_clear_report(report);
    carom_status status = report_job(query, job, budget, report);
    return close_report(&job->question, job->options, status, report);
}

/* ---- public functions ---- */

carom_status query_busy(carom_query *query, const char *what)
{
    return base_fail(query->context, CAROM_BUSY, "%s: the query is in use: this was called from its own callback",
                     what);
}

static carom_status collide_checked(carom_query *query, query_question *question, const carom_collide_options *options,
                                    carom_report *report)
{
    base_budget budget = base_budget_begin(&options->budget);
    question->memory = options->cache ? &options->cache->memory : NULL;
    BASE_TRY(query_find_trees(query, question));
    carom_status status = query_collide(query, question, options, &budget, report);
    if (BASE_UNLIKELY(status == CAROM_UNKNOWN) && !options->on_pair)
    {
        /* Copied, because the caller's arguments may be gone when this is resumed. */
        query->resumable[0] = *question->a, query->resumable[1] = *question->b;
        query->resumable_options = *options;
        query->can_resume = true;
    }
    return status;
}

carom_status carom_collide(carom_query *query, const carom_placed *a, const carom_placed *b,
                           const carom_collide_options *options, carom_report *report)
{
    static const carom_collide_options every_pair = {.mode = CAROM_COLLIDE_ALL};
    if (!query || !report)
        return base_fail(query ? query->context : NULL, CAROM_INVALID_ARGUMENT, "collide: %s is null",
                         query ? "report" : "query");
    query_clear_report(report);
    if (BASE_UNLIKELY(query->busy))
        return report->status = query_busy(query, "collide");
    if (options)
    {
        carom_status refused = query_check_collide_options(query->context, options);
        if (refused != CAROM_OK)
            return report->status = refused;
    }
    query_question question = {.a = a, .b = b, .method = &query_tree_method};
    query->can_resume = false;
    carom_status refused = query_check_bodies(query, &question);
    if (refused != CAROM_OK)
        return report->status = refused;
    return report->status = collide_checked(query, &question, options ? options : &every_pair, report);
}

carom_status carom_collide_resume(carom_query *query, const carom_budget *budget, carom_report *report)
{
    if (!query || !report)
        return base_fail(query ? query->context : NULL, CAROM_INVALID_ARGUMENT, "collide resume: %s is null",
                         query ? "report" : "query");
    query_clear_report(report);
    if (query->busy)
        return report->status = query_busy(query, "collide resume");
    if (!query->can_resume)
        return report->status = base_fail(query->context, CAROM_INVALID_ARGUMENT,
                                          "collide resume: the last call on this query was not a collide that ended "
                                          "in CAROM_UNKNOWN");
    const carom_budget none = {0};
    carom_status refused = query_check_budget(query->context, budget ? budget : &none);
    if (refused == CAROM_OK)
        refused = base_check_float_mode(query->context);
    if (refused != CAROM_OK)
        return report->status = refused;
    base_budget left = base_budget_begin(budget);
    uint64_t start = base_watch_start(&query->watch);
    query_job *job = &query->job;
    job->options = &query->resumable_options;
    job->question.a = &query->resumable[0], job->question.b = &query->resumable[1];
    carom_status status = search(query, job, &left);
    if (!carom_failed(status))
        status = query_job_answer(query, job, &left, report);
    query->can_resume = status == CAROM_UNKNOWN;
    report->times.total_ms = report->times.mid_ms = 1e3 * base_watch_read(&query->watch, start);
    return report->status = status;
}
