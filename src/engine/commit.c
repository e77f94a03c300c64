/* Turns findings into the canonical report: in the order of the pairs, whichever worker found them. Limits are applied
 * here, and the report's hash combines the hashes of the pairs. */
#include "engine/engine.h"

typedef struct commit
{
    carom_engine *engine;
    uint64_t undecided; /* pairs of bodies */
    bool truncated;     /* some pairs are counted but not listed */
    uint64_t pair_count;
    carom_counters open; /* the work on pairs that are undecided */
} commit;

static carom_status out_of_memory(carom_engine *engine)
{
    return base_fail(engine->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for the report");
}

/* How many of a finding's pairs may still be listed. */
static uint64_t count_listed(const commit *commit, const engine_finding *finding)
{
    uint64_t listed = finding->pair.pairs_listed, limit = commit->engine->options.max_pairs;
    if (limit == 0)
        return listed;
    uint64_t left = limit - commit->engine->listed.count;
    return listed < left ? listed : left;
}

static void copy_contacts(carom_engine *engine, const engine_findings *from, const engine_finding *finding,
                          uint64_t listed)
{
    for (uint64_t i = 0; i < finding->contact_count; i++)
    {
        const carom_contact *contact = &from->contacts.items[finding->first_contact + i];
        if (contact->pair >= listed)
            break; /* contacts come in the order of their pairs */
        engine->contacts.items[engine->contacts.count++] = (carom_contact){
            (uint32_t)engine->listed.count + contact->pair, (uint32_t)engine->points.count, contact->point_count};
        memcpy(engine->points.items + engine->points.count,
               from->points.items + finding->first_point + contact->first_point,
               contact->point_count * sizeof *engine->points.items);
        engine->points.count += contact->point_count;
    }
}

static bool reserve(carom_engine *engine, const engine_finding *finding, uint64_t listed)
{
    const size_t max_points = 6;
    return base_array_reserve(engine->context, &engine->body_pairs, 1) &&
           base_array_reserve(engine->context, &engine->listed, listed) &&
           base_array_reserve(engine->context, &engine->contacts, finding->contact_count) &&
           base_array_reserve(engine->context, &engine->points, max_points * finding->contact_count);
}

static carom_status add_finding(commit *commit, const engine_findings *from, const engine_finding *finding)
{
    carom_engine *engine = commit->engine;
    uint64_t listed = count_listed(commit, finding);
    if (!reserve(engine, finding, listed))
        return out_of_memory(engine);
    if (engine->listed.count + listed > UINT32_MAX || engine->points.count + 6 * finding->contact_count > UINT32_MAX)
        return base_fail(engine->context, CAROM_TOO_LARGE, "engine run: more than 2^32 pairs or points; set max_pairs");
    carom_body_pair *pair = &engine->body_pairs.items[engine->body_pairs.count++];
    *pair = finding->pair;
    pair->first_pair = engine->listed.count, pair->pairs_listed = listed;
    bool listing = engine->options.mode == CAROM_COLLIDE_ALL;
    if (pair->status == CAROM_OK && listing && listed < pair->pair_count)
        pair->status = CAROM_TRUNCATED;
    copy_contacts(engine, from, finding, listed);
    if (listed > 0)
        memcpy(engine->listed.items + engine->listed.count, from->pairs.items + finding->pair.first_pair,
               listed * sizeof *engine->listed.items);
    engine->listed.count += listed;
    commit->pair_count += pair->pair_count;
    commit->truncated |= pair->status == CAROM_TRUNCATED;
    return CAROM_OK;
}

/* ---- undecided pairs ---- */

/* What an open pair has found so far is listed, too, unless a deadline forbids to sort it. */
static carom_status add_open(commit *commit, engine_open_pair *open, const carom_body_pair *bodies)
{
    carom_engine *engine = commit->engine;
    base_budget spent = {.work_left = 0, .exhausted = true};
    carom_report report;
    BASE_TRY(query_job_answer(engine->workers[0].query, &open->job, &spent, &report));
    query_count(&commit->open, &report.counters);
    report.status = CAROM_UNKNOWN; /* at least the distance is open */
    engine_findings once = {.context = engine->context};
    carom_status status = engine_findings_add(&once, bodies, &report, NULL);
    if (status == CAROM_OK)
    {
        once.items.items[0].pair.clearance_violated = bodies->clearance_violated;
        once.items.items[0].pair.distance_bound = bodies->distance_bound;
        status = add_finding(commit, &once, &once.items.items[0]);
    }
    engine_findings_free(&once);
    return status;
}

static carom_status add_estimate(commit *commit, const carom_frame *frame, uint32_t index)
{
    carom_engine *engine = commit->engine;
    if (!engine->estimates_undecided)
        return CAROM_OK;
    if (!base_array_reserve(engine->context, &engine->estimates, 1))
        return out_of_memory(engine);
    carom_pair_estimate *estimate = &engine->estimates.items[engine->estimates.count++];
    *estimate = engine_estimate_undecided(engine, frame, index);
    estimate->body_pair = engine->body_pairs.count - 1;
    return CAROM_OK;
}

/* A pair that the budget left undecided, with what is known so far. */
static carom_status add_undecided(commit *commit, const carom_frame *frame, uint32_t index)
{
    carom_engine *engine = commit->engine;
    engine_open_pair *open = engine->open.items[index];
    carom_body_pair pair = engine_describe_undecided(engine, frame, index);
    commit->undecided++;
    if (open && engine->pace.deadline == 0.0)
        BASE_TRY(add_open(commit, open, &pair));
    else
    {
        const engine_finding finding = {.pair = pair};
        if (open)
            query_count(&commit->open, &open->job.counters);
        BASE_TRY(add_finding(commit, NULL, &finding));
    }
    return add_estimate(commit, frame, index);
}

/* ---- the hash ---- */

/* An any-hit's witness may be any pair that meets, so its ids are not hashed. */
static void hash_body_pair(base_hash *hash, const carom_body_pair *pair, bool with_ids)
{
    base_hash_u64(hash, (uint64_t)pair->body_a.index << 32 | pair->body_a.generation);
    base_hash_u64(hash, (uint64_t)pair->body_b.index << 32 | pair->body_b.generation);
    base_hash_u64(hash, pair->hash);
    base_hash_u64(hash, pair->pairs_listed);
    base_hash_double(hash, pair->distance);
    query_hash_point(hash, pair->point_a);
    query_hash_point(hash, pair->point_b);
    if (with_ids)
        base_hash_u64(hash, (uint64_t)pair->triangle_a << 32 | pair->triangle_b);
}

/* Listed because of an estimate, which is not hashed? */
static bool is_only_probable(const carom_body_pair *pair)
{
    return pair->relation == CAROM_RELATION_APART && pair->pair_count == 0 && !pair->clearance_violated;
}

static uint64_t hash_report(const carom_engine *engine, carom_status status)
{
    base_hash hash = base_hash_begin();
    base_hash_u64(&hash, status);
    if (status == CAROM_UNKNOWN)
        return base_hash_end(&hash);
    bool any = engine->options.mode == CAROM_COLLIDE_ANY;
    for (size_t i = 0; i < engine->body_pairs.count; i++)
    {
        const carom_body_pair *pair = &engine->body_pairs.items[i];
        if (is_only_probable(pair))
            continue;
        hash_body_pair(&hash, pair, !any || pair->distance < INFINITY);
    }
    return base_hash_end(&hash);
}

/* ---- memory ---- */

/* New memory takes most of its time when it is first written to. */
static void touch(void *items, size_t size)
{
    if (items)
        memset(items, 0, size);
}

#define GROW(context, array, needed)                                                                                   \
    ((array)->count = 0,                                                                                               \
     (array)->capacity < (needed) && base_array_reserve((context), (array), (needed) + (needed) / 2)                   \
         ? touch((array)->items, (array)->capacity * sizeof *(array)->items)                                           \
         : (void)0)

void engine_prepare_report(carom_engine *engine, const engine_load *load)
{
    carom_context *context = engine->context;
    GROW(context, &engine->body_pairs, (size_t)(load->undecided + load->listed));
    GROW(context, &engine->estimates, (size_t)(engine->estimates_undecided ? load->undecided : 0));
    GROW(context, &engine->listed, (size_t)load->pairs);
    GROW(context, &engine->contacts, (size_t)load->contacts);
    GROW(context, &engine->points, (size_t)load->points);
}

/* ---- the stage ---- */

static carom_status add_pairs(commit *commit, const carom_frame *frame)
{
    carom_engine *engine = commit->engine;
    engine->body_pairs.count = engine->listed.count = engine->contacts.count = engine->points.count = 0;
    engine->estimates.count = 0;
    for (uint32_t i = 0; i < engine->pairs.count; i++)
    {
        engine_finding_ref ref = engine->finding_refs.items[i];
        if (ref == ENGINE_NOTHING)
            continue;
        if (ref == ENGINE_UNDECIDED)
        {
            BASE_TRY(add_undecided(commit, frame, i));
            continue;
        }
        const engine_findings *from = engine_findings_at(engine, ref);
        BASE_TRY(add_finding(commit, from, &from->items.items[(uint32_t)ref - 1]));
    }
    return CAROM_OK;
}

engine_load engine_load_of(const carom_engine *engine)
{
    engine_load load = {0};
    for (uint32_t i = 0; i <= engine->worker_count; i++)
    {
        const engine_findings *findings = engine_findings_at(engine, (engine_finding_ref)i << 32);
        load.listed += findings->items.count;
        load.pairs += findings->pairs.count;
        load.contacts += findings->contacts.count;
        load.points += findings->points.count;
    }
    for (size_t i = 0; i < engine->finding_refs.count; i++)
    {
        load.undecided += engine->finding_refs.items[i] == ENGINE_UNDECIDED;
        load.open += engine->open.items[i] != NULL;
    }
    load.estimates = engine->estimates_undecided ? load.open : 0;
    return load;
}

static void add_counts(const commit *commit, carom_scene_report *report)
{
    const carom_engine *engine = commit->engine;
    report->counters = commit->open;
    report->counters.boxes_tested += engine->broad_boxes_tested;
    for (uint32_t i = 0; i <= engine->worker_count; i++)
    {
        const engine_findings *findings = engine_findings_at(engine, (engine_finding_ref)i << 32);
        query_count(&report->counters, &findings->counters);
        report->body_pairs_examined += findings->examined;
    }
}

static carom_status report_all(carom_engine *engine, const carom_frame *frame, carom_scene_report *report)
{
    commit commit = {.engine = engine};
    BASE_TRY(add_pairs(&commit, frame));
    carom_status status = commit.undecided > 0 ? CAROM_UNKNOWN : commit.truncated ? CAROM_TRUNCATED : CAROM_OK;
    *report = (carom_scene_report){.status = status,
                                   .body_pairs = engine->body_pairs.items,
                                   .body_pair_count = engine->body_pairs.count,
                                   .pairs = engine->listed.items,
                                   .pair_count = commit.pair_count,
                                   .pairs_listed = engine->listed.count,
                                   .contacts = engine->contacts.items,
                                   .contact_count = engine->contacts.count,
                                   .points = engine->points.items,
                                   .point_count = engine->points.count,
                                   .estimates = engine->estimates.items,
                                   .estimate_count = engine->estimates.count,
                                   .bodies_examined = frame->body_count,
                                   .body_pairs_undecided = commit.undecided,
                                   .hash = hash_report(engine, status)};
    add_counts(&commit, report);
    return CAROM_OK;
}

void engine_report_nothing(const carom_frame *frame, carom_scene_report *report)
{
    base_hash hash = base_hash_begin();
    base_hash_u64(&hash, CAROM_UNKNOWN);
    *report = (carom_scene_report){.status = CAROM_UNKNOWN,
                                   .bodies_examined = frame->body_count,
                                   .bodies_undecided = frame->body_count,
                                   .hash = base_hash_end(&hash)};
}

carom_status engine_commit(carom_engine *engine, const carom_frame *frame, carom_scene_report *report)
{
    if (engine->pace.deadline == 0.0)
        return report_all(engine, frame, report);
    const engine_load load = engine_load_of(engine);
    double expected = ENGINE_COMMIT_SECONDS + engine_pace_cost(&engine->pace, &load), start = base_now();
    if (engine_pace_fits_nothing(&engine->pace, frame->body_count, expected))
    {
        engine_pace_not_committed(&engine->pace);
        engine_report_nothing(frame, report);
        add_counts(&(commit){.engine = engine}, report);
        return CAROM_OK;
    }
    BASE_TRY(report_all(engine, frame, report));
    engine_pace_committed(&engine->pace, expected, base_now() - start);
    return CAROM_OK;
}
