/* The end of a pair of bodies: what its search found becomes a report, and that a finding. Before a deadline most of it
 * can be cut short and goes on later; for the rest, seconds are set aside. */
#include "engine/engine.h"

/* ---- the report ---- */

/* Seconds for the memory that listing the pairs of a job will be the first to use. */
static double cost_of_memory(const engine_worker *own, const query_job *job)
{
    const engine_findings *findings = &own->findings;
    const size_t count = job->keys.count, contacts = job->contacts.items.count, points = job->contacts.points.count;
    size_t bytes = 0;
    if (own->query->pairs.capacity < count)
        bytes += 2 * count * sizeof(carom_pair);
    if (findings->pairs.capacity < findings->pairs.count + count)
        bytes += 2 * (findings->pairs.count + count) * sizeof(carom_pair);
    if (findings->contacts.capacity < findings->contacts.count + contacts)
        bytes += 2 * (findings->contacts.count + contacts) * sizeof(carom_contact);
    if (findings->points.capacity < findings->points.count + points)
        bytes += 2 * (findings->points.count + points) * sizeof(carom_vec3);
    return ENGINE_NEW_MEMORY * (double)bytes;
}

/* Seconds that what a job lists adds to the commit. */
static double cost_of_commit(const engine_task *task, const query_job *job)
{
    const engine_load own = {
        .pairs = job->keys.count, .contacts = job->contacts.items.count, .points = job->contacts.points.count};
    engine_load all = engine_load_of_findings(&task->worker->findings);
    all.pairs += own.pairs, all.contacts += own.contacts, all.points += own.points;
    return engine_pace_cost(&task->engine->pace, &own) +
           ENGINE_NEW_MEMORY * (double)engine_report_growth(task->engine, &all);
}

/* Sorting and listing what a pair found can't be cut short, nor can what a relation begins with: seconds for that. */
static double cost_of_finish(const engine_task *task, const query_job *job)
{
    const double sorting = 1e-7, copying = 4e-8, careful = 1.2; /* per pair of triangles: for a relation, of contacts */
    const engine_rates *rates = &task->worker->rates;
    bool decides = job->options->relation && !job->relation.begun && job->relation.decided == CAROM_RELATION_UNKNOWN;
    double per_pair = rates->listing + (job->options->contacts ? copying : 0.0) + (decides ? sorting : 0.0);
    double seconds = per_pair * (double)job->keys.count + (decides ? rates->relation : 0.0);
    if (job->keys.count > 0 && job->options->mode == CAROM_COLLIDE_ALL)
        seconds += cost_of_commit(task, job) + cost_of_memory(task->worker, job);
    return careful * seconds;
}

/* Before a deadline that may have to wait. */
static engine_leave may_finish(const engine_task *task, const query_job *job)
{
    const double always = 1e-5;
    double seconds = cost_of_finish(task, job);
    return seconds < always ? ENGINE_LEAVE_IN_TIME : engine_pace_allows(&task->engine->pace, seconds, task->reserve);
}

/* Finds what is open once a pair has been searched. How a relation begins can't be cut short; how long that takes is
 * known only if it does not go on at once. */
static carom_status settle(const engine_task *task, query_job *job, base_budget *budget)
{
    carom_query *query = task->worker->query;
    double *rate = &task->worker->rates.relation, start = base_now();
    if (!job->options->relation || job->relation.begun || job->relation.decided != CAROM_RELATION_UNKNOWN)
        return query_job_settle(query, job, budget);
    base_budget spent = {.work_left = UINT64_MAX, .deadline = start};
    carom_status status = query_job_settle(query, job, &spent);
    *rate = fmax(engine_pace_learn(*rate, base_now() - start), 1e-6);
    return status == CAROM_UNKNOWN ? query_job_settle(query, job, budget) : status;
}

static carom_status list_pairs(const engine_task *task, query_job *job, base_budget *budget, carom_report *report)
{
    const size_t few = 64; /* too few to tell anything */
    double *rate = &task->worker->rates.listing, start = base_now();
    carom_status status = query_job_answer(task->worker->query, job, budget, report);
    if (job->keys.count >= few)
        *rate = fmax(engine_pace_learn(*rate, (base_now() - start) / (double)job->keys.count), 1e-9);
    return status;
}

carom_status engine_answer(const engine_task *task, query_job *job, carom_report *report)
{
    base_budget *budget = task->budget, late;
    if (budget->deadline == 0.0)
        return query_job_answer(task->worker->query, job, budget, report);
    engine_leave leave = may_finish(task, job);
    if (leave == ENGINE_LEAVE_NONE)
        return CAROM_UNKNOWN;
    if (leave == ENGINE_LEAVE_LATE)
    {
        late = (base_budget){.work_left = UINT64_MAX, .deadline = base_now() + cost_of_finish(task, job)};
        budget = &late;
    }
    carom_status status = settle(task, job, budget);
    if (carom_failed(status) || status == CAROM_UNKNOWN)
        return status;
    if (leave != ENGINE_LEAVE_LATE && may_finish(task, job) == ENGINE_LEAVE_NONE)
        return CAROM_UNKNOWN;
    return list_pairs(task, job, budget, report);
}

/* ---- the finding ---- */

static bool worth_listing(const carom_report *report)
{
    return report->pair_count > 0 || report->clearance_violated || report->relation > CAROM_RELATION_APART ||
           report->status == CAROM_UNKNOWN || report->a_probably_inside_b || report->b_probably_inside_a;
}

/* Measures the first listed pair: it meets, so none can be closer. */
static void measure_listed(const query_question *question, const carom_report *report, carom_report *closest)
{
    narrow_counts counts = {0};
    narrow_distance_result touch = query_row_of(question)->measure(question, &report->pairs[0], &counts);
    closest->distance = touch.distance;
    closest->point_a = touch.point_a, closest->point_b = touch.point_b;
    closest->triangle_a = report->pairs[0].triangle_a, closest->triangle_b = report->pairs[0].triangle_b;
    closest->counters.exact_fallbacks = counts.exact_fallbacks;
}

/* If a clearance is violated, by how much? CAROM_UNKNOWN: the budget did not suffice for that. */
static carom_status measure(const engine_task *task, query_job *job, const carom_report *report, carom_report *closest)
{
    query_clear_report(closest);
    if (report->pairs_listed > 0)
        return measure_listed(&job->question, report, closest), CAROM_OK;
    base_budget unlimited = base_budget_begin(NULL);
    query_walk walk = {&job->question, &job->nearest.front, task->limited ? task->budget : &unlimited,
                       &closest->counters};
    return query_measure(task->worker->query, &walk, job->options->clearance, &job->nearest, closest);
}

/* The search was for the clearance rounded up. */
static void settle_clearance(const engine_task *task, query_job *job, const carom_report *closest, carom_report *report)
{
    const engine_pair *pair = &task->engine->pairs.items[task->index];
    engine_clearance clearance =
        engine_clearance_of(&task->frame->bodies[pair->a], &task->frame->bodies[pair->b], pair->clearance);
    if (engine_settle_clearance(&clearance, closest, &job->nearest.closest, report))
        report->hash = query_report_hash(report, job->options->mode != CAROM_COLLIDE_ANY);
}

carom_status engine_file_report(const engine_task *task, query_job *job, carom_report *report)
{
    engine_findings *findings = &task->worker->findings;
    carom_report closest;
    if (report->clearance_violated)
    {
        carom_status status = measure(task, job, report, &closest);
        query_count(&findings->counters, &closest.counters);
        if (status != CAROM_OK)
            return status;
    }
    settle_clearance(task, job, &closest, report);
    query_count(&findings->counters, &report->counters);
    findings->examined++;
    task->engine->finding_refs.items[task->index] = ENGINE_NOTHING;
    if (!worth_listing(report))
        return CAROM_OK;
    const engine_pair *pair = &task->engine->pairs.items[task->index];
    carom_body_pair bodies = {.body_a = task->frame->bodies[pair->a].id, .body_b = task->frame->bodies[pair->b].id};
    BASE_TRY(engine_findings_add(findings, &bodies, report, report->clearance_violated ? &closest : NULL));
    task->engine->finding_refs.items[task->index] = (uint64_t)task->worker_number << 32 | findings->items.count;
    return CAROM_OK;
}
