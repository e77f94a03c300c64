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
    double start;        /* with a deadline, as the next four */
    double expected;     /* seconds, without extras */
    size_t done;         /* pairs of bodies */
    uint64_t extra_count;
    double extra_seconds;
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

/* Of all contacts of a finding. */
static uint64_t count_points(const engine_findings *from, const engine_finding *finding)
{
    if (finding->contact_count == 0)
        return 0;
    const carom_contact *last = &from->contacts.items[finding->first_contact + finding->contact_count - 1];
    return last->first_point + last->point_count;
}

static bool reserve(carom_engine *engine, const engine_finding *finding, uint64_t listed, uint64_t points)
{
    return base_array_reserve(engine->context, &engine->body_pairs, 1) &&
           base_array_reserve(engine->context, &engine->listed, listed) &&
           base_array_reserve(engine->context, &engine->contacts, finding->contact_count) &&
           base_array_reserve(engine->context, &engine->points, points);
}

static carom_status add_finding(commit *commit, const engine_findings *from, const engine_finding *finding)
{
    carom_engine *engine = commit->engine;
    uint64_t listed = count_listed(commit, finding), points = count_points(from, finding);
    if (!reserve(engine, finding, listed, points))
        return out_of_memory(engine);
    if (engine->listed.count + listed > UINT32_MAX || engine->points.count + points > UINT32_MAX)
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

static carom_status add_estimate(carom_engine *engine, const carom_pair_estimate *estimate)
{
    if (!engine->estimates_undecided)
        return CAROM_OK;
    if (!base_array_reserve(engine->context, &engine->estimates, 1))
        return out_of_memory(engine);
    engine->estimates.items[engine->estimates.count] = *estimate;
    engine->estimates.items[engine->estimates.count++].body_pair = engine->body_pairs.count - 1;
    return CAROM_OK;
}

/* What is still to be committed, in seconds. */
static double rest_of(const commit *commit)
{
    return commit->expected * (double)(commit->engine->pairs.count - commit->done) /
           (double)commit->engine->pairs.count;
}

/* Guesses and bounds get better with time, so they are the first to do without: what may be spent on those of an open
 * pair. False: nothing. */
static bool begin_extras(const commit *commit, double now, base_budget *out)
{
    const engine_pace *pace = &commit->engine->pace;
    *out = base_budget_begin(NULL);
    if (pace->deadline == 0.0)
        return true;
    out->deadline = pace->deadline - engine_pace_careful(rest_of(commit));
    return now + pace->extra_rate < out->deadline;
}

typedef struct description
{
    carom_body_pair pair;
    carom_pair_estimate estimate;
} description;

/* What is known about an undecided pair so far. */
static description describe(commit *commit, const carom_frame *frame, uint32_t index)
{
    carom_engine *engine = commit->engine;
    bool wanted = engine->open.items[index] && engine_adds_extras(engine, frame, index);
    bool timed = wanted && engine->pace.deadline > 0.0;
    double start = timed ? base_now() : 0.0;
    base_budget budget, *extras = wanted && begin_extras(commit, start, &budget) ? &budget : NULL;
    description out = {.pair = engine_describe_undecided(engine, frame, index, extras)};
    if (engine->estimates_undecided)
        out.estimate = engine_estimate_undecided(engine, frame, index, extras);
    if (timed && extras)
        commit->extra_count++, commit->extra_seconds += base_now() - start;
    return out;
}

static carom_status add_undecided(commit *commit, const carom_frame *frame, uint32_t index)
{
    carom_engine *engine = commit->engine;
    engine_open_pair *open = engine->open.items[index];
    const description known = describe(commit, frame, index);
    commit->undecided++;
    if (open && engine->pace.deadline == 0.0)
        BASE_TRY(add_open(commit, open, &known.pair));
    else
    {
        const engine_finding finding = {.pair = known.pair};
        if (open)
            query_count(&commit->open, &open->job.counters);
        BASE_TRY(add_finding(commit, NULL, &finding));
    }
    return add_estimate(engine, &known.estimate);
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

static uint64_t growth(size_t capacity, uint64_t needed, size_t size)
{
    return capacity < needed ? (needed + needed / 2) * size : 0;
}

uint64_t engine_report_growth(const carom_engine *engine, const engine_load *load)
{
    uint64_t pairs = load->undecided + load->listed, guesses = engine->estimates_undecided ? load->undecided : 0;
    return growth(engine->body_pairs.capacity, pairs, sizeof *engine->body_pairs.items) +
           growth(engine->estimates.capacity, guesses, sizeof *engine->estimates.items) +
           growth(engine->listed.capacity, load->pairs, sizeof *engine->listed.items) +
           growth(engine->contacts.capacity, load->contacts, sizeof *engine->contacts.items) +
           growth(engine->points.capacity, load->points, sizeof *engine->points.items);
}

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

/* Does the report turn out to take longer than the whole frame has, with the steps before the examination? */
static bool is_beyond(commit *commit, uint32_t index)
{
    const uint32_t stride = 64;
    commit->done = index;
    if (commit->engine->pace.deadline == 0.0 || index % stride != 0)
        return false;
    double taken = base_now() - commit->start - commit->extra_seconds;
    return taken > 1.25 * commit->expected && engine_pace_fits_nothing(&commit->engine->pace, taken + rest_of(commit));
}

/* CAROM_UNKNOWN: everything is, because there is no time to say more. */
static carom_status add_pairs(commit *commit, const carom_frame *frame)
{
    carom_engine *engine = commit->engine;
    engine->body_pairs.count = engine->listed.count = engine->contacts.count = engine->points.count = 0;
    engine->estimates.count = 0;
    for (uint32_t i = 0; i < engine->pairs.count; i++)
    {
        engine_finding_ref ref = engine->finding_refs.items[i];
        if (is_beyond(commit, i))
            return CAROM_UNKNOWN;
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

engine_load engine_load_of_findings(const engine_findings *findings)
{
    return (engine_load){.listed = findings->items.count,
                         .pairs = findings->pairs.count,
                         .contacts = findings->contacts.count,
                         .points = findings->points.count};
}

engine_load engine_load_of(const carom_engine *engine)
{
    engine_load load = {0};
    for (uint32_t i = 0; i <= engine->worker_count; i++)
    {
        engine_load part = engine_load_of_findings(engine_findings_at(engine, (engine_finding_ref)i << 32));
        load.listed += part.listed, load.pairs += part.pairs;
        load.contacts += part.contacts, load.points += part.points;
    }
    for (size_t i = 0; i < engine->finding_refs.count; i++)
    {
        load.undecided += engine->finding_refs.items[i] == ENGINE_UNDECIDED;
        load.open += engine->open.items[i] != NULL;
    }
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

static carom_status report_all(commit *commit, const carom_frame *frame, carom_scene_report *report)
{
    carom_engine *engine = commit->engine;
    carom_status status = add_pairs(commit, frame);
    if (status != CAROM_OK)
        return status;
    status = commit->undecided > 0 ? CAROM_UNKNOWN : commit->truncated ? CAROM_TRUNCATED : CAROM_OK;
    *report = (carom_scene_report){.status = status,
                                   .body_pairs = engine->body_pairs.items,
                                   .body_pair_count = engine->body_pairs.count,
                                   .pairs = engine->listed.items,
                                   .pair_count = commit->pair_count,
                                   .pairs_listed = engine->listed.count,
                                   .contacts = engine->contacts.items,
                                   .contact_count = engine->contacts.count,
                                   .points = engine->points.items,
                                   .point_count = engine->points.count,
                                   .estimates = engine->estimates.items,
                                   .estimate_count = engine->estimates.count,
                                   .bodies_examined = frame->body_count,
                                   .body_pairs_undecided = commit->undecided,
                                   .hash = hash_report(engine, status)};
    add_counts(commit, report);
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

static carom_status give_up(commit *commit, const carom_frame *frame, carom_scene_report *report)
{
    commit->open = (carom_counters){0};
    engine_report_nothing(frame, report);
    add_counts(commit, report);
    return CAROM_OK;
}

carom_status engine_commit(carom_engine *engine, const carom_frame *frame, carom_scene_report *report)
{
    commit commit = {.engine = engine};
    if (engine->pace.deadline == 0.0)
        return report_all(&commit, frame, report);
    engine_load load = engine->pace.last_load = engine_load_of(engine);
    load.growth = engine_report_growth(engine, &load);
    commit.expected = engine_pace_cost(&engine->pace, &load), commit.start = base_now();
    if (engine_pace_fits_nothing(&engine->pace, commit.expected))
    {
        engine_pace_not_committed(&engine->pace);
        return give_up(&commit, frame, report);
    }
    carom_status status = report_all(&commit, frame, report);
    if (carom_failed(status))
        return status;
    double expected = status == CAROM_OK ? commit.expected : fmax(commit.expected - rest_of(&commit), 1e-6);
    engine_pace_committed(&engine->pace, expected, base_now() - commit.start - commit.extra_seconds);
    engine_pace_added_extras(&engine->pace, commit.extra_seconds, commit.extra_count);
    return status == CAROM_UNKNOWN ? give_up(&commit, frame, report) : CAROM_OK;
}
