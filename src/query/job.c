/* A collide question in progress: one search finds the pairs, and what is done with each depends on the question. A
 * budget can suspend the search to be resumed later, and a heavy search is split among workers by its front. */
#include "query/query.h"

enum
{
    SLACK = 4096,            /* keeps trimming rare for small limits */
    LIGHT_WORK = 1 << 12,    /* box and triangle tests that one worker does before others are asked to help */
    SLICE_OF_WORK = 1 << 14, /* per part of a front at least, so that the parts of a heavy pair are redistributed */
    SLICES = 64,             /* what was done so far is as much as these: then the last one of a round matters little */
    PARTS = 512              /* of a front, roughly: each starts a search of its own, which takes a microsecond */
};

/* What happens to the pairs that a search finds. */
typedef struct collector
{
    carom_query *query;
    query_job *job;
    size_t keep;         /* pairs worth keeping; SIZE_MAX: all */
    size_t thin_at;      /* at this count, redundant pairs are dropped; SIZE_MAX: never */
    bool keeping;        /* pairs go into the job's keys */
    bool repeats;        /* a pair may come several times: all are kept and counted at the end */
    bool streaming;      /* pairs go to the caller immediately */
    bool notes_crossing; /* the kind of meeting was requested; otherwise what a search reports depends on the method */
    bool stop_at_crossing; /* any-hit with relation: a crossing mostly decides it */
    bool out_of_memory;    /* while keeping */
} collector;

/* ---- keeping pairs ---- */

/* Keeps the smallest `keep` pairs; false when out of memory. */
static bool trim_kept(collector *collector)
{
    query_words *keys = &collector->job->keys;
    if (!query_sort_unique(collector->query->context, keys, &collector->query->sort_space))
        return false;
    if (keys->count > collector->keep)
        keys->count = collector->keep;
    return true;
}

/* How many pairs the answer itself can show. */
static size_t max_listed(const carom_collide_options *options)
{
    if (options->mode != CAROM_COLLIDE_ALL || options->on_pair)
        return 0;
    return options->max_pairs > 0 && options->max_pairs < SIZE_MAX / 4 ? (size_t)options->max_pairs : SIZE_MAX;
}

/* The relation depends on which triangles touch, not on their partners: beyond what will be listed, one pair of each
 * triangle suffices. False when out of memory. */
static bool thin_kept(collector *collector)
{
    carom_query *query = collector->query;
    query_words *keys = &collector->job->keys, *seen = &query->seen; /* a bit for each element of b */
    size_t words = carom_shape_element_count(&collector->job->question.b->shape) / 64 + 1,
           listed = max_listed(collector->job->options), kept = 0;
    seen->count = 0;
    if (!query_sort_unique(query->context, keys, &query->sort_space) ||
        !base_array_reserve(query->context, seen, words))
        return false;
    memset(seen->items, 0, words * sizeof *seen->items);
    uint32_t last_a = CAROM_NO_TRIANGLE;
    for (size_t i = 0; i < keys->count; i++)
    {
        carom_pair pair = query_unpack(keys->items[i]);
        uint64_t *word = &seen->items[pair.triangle_b / 64], bit = (uint64_t)1 << pair.triangle_b % 64;
        if (i < listed || pair.triangle_a != last_a || !(*word & bit))
            keys->items[kept++] = keys->items[i];
        *word |= bit;
        last_a = pair.triangle_a;
    }
    keys->count = kept;
    return true;
}

static bool keep_pair(collector *collector, uint64_t key)
{
    query_words *keys = &collector->job->keys;
    if (collector->keep != SIZE_MAX && keys->count >= 2 * collector->keep + SLACK && !trim_kept(collector))
        return false;
    if (keys->count >= collector->thin_at && !thin_kept(collector))
        return false;
    if (!base_array_reserve(collector->query->context, keys, 1))
        return false;
    keys->items[keys->count++] = key;
    return true;
}

/* ---- what a search calls ---- */

static bool stream_pair(carom_query *query, const carom_collide_options *options, carom_pair pair)
{
    query->busy = true;
    bool go_on = options->on_pair(&pair, options->on_pair_user);
    query->busy = false;
    return go_on;
}

/* Which crossing pair is looked at first must not depend on the order of the search: one that is not flat, which tells
 * most, then the smallest ids. */
static void keep_crossing(query_found *kept, const query_found *seen)
{
    bool earlier = seen->crossing_a != kept->crossing_a ? seen->crossing_a < kept->crossing_a
                                                        : seen->crossing_b < kept->crossing_b;
    if (!seen->crossing ||
        (kept->crossing && (seen->crossing_flat != kept->crossing_flat ? seen->crossing_flat : !earlier)))
        return;
    kept->crossing = true, kept->crossing_flat = seen->crossing_flat;
    kept->crossing_a = seen->crossing_a, kept->crossing_b = seen->crossing_b;
}

static bool take_pair(uint32_t element_a, uint32_t element_b, uint32_t meeting, void *user)
{
    collector *collector = user;
    query_found *found = &collector->job->found;
    found->first_a = element_a, found->first_b = element_b;
    found->count++;
    if (collector->notes_crossing && (meeting & CAROM_MEET_CROSSING))
    {
        query_found seen = {.crossing = true,
                            .crossing_flat = (meeting & CAROM_MEET_COPLANAR) != 0,
                            .crossing_a = element_a,
                            .crossing_b = element_b};
        keep_crossing(found, &seen);
        if (collector->stop_at_crossing)
            return false;
    }
    if (collector->keeping && !keep_pair(collector, query_pack(element_a, element_b, meeting)))
        return collector->out_of_memory = true, false;
    if (collector->streaming)
        found->stopped =
            !stream_pair(collector->query, collector->job->options, (carom_pair){element_a, element_b, meeting});
    return !found->stopped;
}

static bool count_pair(uint32_t element_a, uint32_t element_b, uint32_t meeting, void *user)
{
    query_found *found = &((collector *)user)->job->found;
    (void)meeting;
    found->first_a = element_a, found->first_b = element_b;
    found->count++;
    return true;
}

static bool stop_at_first(uint32_t element_a, uint32_t element_b, uint32_t meeting, void *user)
{
    count_pair(element_a, element_b, meeting, user);
    return false;
}

static bool is_any_hit(const carom_collide_options *options)
{
    return options->mode == CAROM_COLLIDE_ANY && !options->relation;
}

/* A method may show a pair several times, and so may a builder that puts triangles into several leaves. */
static bool may_repeat(const query_question *question)
{
    const carom_tree *a = question->tree_a, *b = question->tree_b;
    return question->method->repeats || (a && a->info.reference_count > a->mesh->triangle_count) ||
           (b && b->info.reference_count > b->mesh->triangle_count);
}

/* Beyond this count, redundant pairs are dropped; SIZE_MAX: never. A relation takes less work with all pairs: ten per
 * triangle are usual where bodies lie on each other. */
static size_t thin_at(const query_job *job)
{
    size_t listed = max_listed(job->options), elements = (size_t)carom_shape_element_count(&job->question.a->shape) +
                                                         carom_shape_element_count(&job->question.b->shape);
    if (listed > SIZE_MAX / 64 || !job->options->relation || may_repeat(&job->question))
        return SIZE_MAX;
    return 2 * listed + 16 * elements + SLACK;
}

bool query_job_has_all_pairs(const query_job *job)
{
    return job->found.count <= thin_at(job) && job->keys.count == job->found.count;
}

static collector make_collector(carom_query *query, query_job *job)
{
    const carom_collide_options *options = job->options;
    collector collector = {
        .query = query, .job = job, .keep = SIZE_MAX, .thin_at = thin_at(job), .repeats = may_repeat(&job->question)};
    size_t listed = max_listed(options);
    bool by_relation = options->relation, meshes = query_is_mesh(job->question.a) && query_is_mesh(job->question.b);
    collector.keeping = listed > 0 || by_relation || collector.repeats;
    collector.streaming = options->on_pair && !collector.repeats;
    collector.stop_at_crossing = options->mode == CAROM_COLLIDE_ANY && by_relation && meshes && !job->probed;
    if (listed > 0 && !by_relation && !collector.repeats)
        collector.keep = listed;
    return collector;
}

/* ---- the search ---- */

void query_job_begin(query_job *job, const query_question *question, const carom_collide_options *options)
{
    job->question = *question;
    job->options = options;
    job->found = (query_found){.first_a = CAROM_NO_TRIANGLE, .first_b = CAROM_NO_TRIANGLE};
    job->keys.count = job->front.count = 0;
    job->searched = job->sorted = job->probed = false;
    job->counters = (carom_counters){0};
    query_cursor_begin(&job->relation);
    job->estimate = (query_estimate){0};
    query_forget_contacts(job);
    job->nearest.begun = false;
    job->nearest.front.count = 0;
}

void query_job_free(carom_context *context, query_job *job)
{
    base_array_free(context, &job->keys);
    base_array_free(context, &job->front);
    base_array_free(context, &job->nearest.front);
    base_array_free(context, &job->contacts.items);
    base_array_free(context, &job->contacts.points);
    query_cursor_free(context, &job->relation);
}

static carom_status out_of_memory(carom_query *query, const query_job *job)
{
    return base_fail(query->context, CAROM_OUT_OF_MEMORY, "collide: no memory for %zu pairs", job->keys.count);
}

/* One traversal from the front. CAROM_STOPPED: nothing further can change the answer, or the callback asked to stop. */
static carom_status walk_front(carom_query *query, query_job *job, narrow_front *front, base_budget *budget)
{
    const carom_collide_options *options = job->options;
    collector collector = make_collector(query, job);
    collector.notes_crossing = options->relation || options->mode == CAROM_COLLIDE_ALL;
    query_walk walk = {&job->question, front, budget, &job->counters};
    bool any = is_any_hit(options), count_only = !collector.keeping && !collector.streaming && !options->relation;
    narrow_search search = {.every_pair = !any,
                            .need_meeting = collector.notes_crossing,
                            .clearance = options->clearance,
                            .on_pair = any          ? stop_at_first
                                       : count_only ? count_pair
                                                    : take_pair,
                            .user = &collector};
    carom_status status = query_row_of(&job->question)->collide(query, &walk, &search, &job->found.violated);
    if (collector.out_of_memory)
        return out_of_memory(query, job);
    return status;
}

/* Repeated pairs have to be collected before they can be counted and, at the end, streamed. */
static carom_status count_repeated(carom_query *query, query_job *job)
{
    const carom_collide_options *options = job->options;
    if (job->found.count == 0 || is_any_hit(options) || !may_repeat(&job->question))
        return CAROM_OK;
    if (!query_sort_unique(query->context, &job->keys, &query->sort_space))
        return out_of_memory(query, job);
    job->found.count = job->keys.count;
    bool streaming = options->on_pair && job->searched;
    for (size_t i = 0; streaming && i < job->keys.count && !job->found.stopped; i++)
        job->found.stopped = !stream_pair(query, options, query_unpack(job->keys.items[i]));
    return CAROM_OK;
}

static carom_status finish_search(carom_query *query, query_job *job, carom_status status)
{
    if (carom_failed(status))
        return status;
    job->searched = status != CAROM_UNKNOWN;
    if (job->searched)
        job->front.count = 0;
    BASE_TRY(count_repeated(query, job));
    return job->searched ? CAROM_OK : CAROM_UNKNOWN;
}

/* Has an any-hit search stopped at a pair that crosses? */
static bool is_at_crossing(const query_job *job, carom_status status)
{
    return status == CAROM_STOPPED && job->options->relation && job->options->mode == CAROM_COLLIDE_ANY &&
           !job->probed && job->found.crossing;
}

/* If it is an overlap there, nothing further can change the answer. Otherwise the search starts again, to find every
 * pair: CAROM_UNKNOWN. */
static carom_status probe_crossing(carom_query *query, query_job *job, base_budget *budget)
{
    const query_walk walk = {&job->question, NULL, budget, &job->counters};
    const uint32_t pair[2] = {job->found.crossing_a, job->found.crossing_b};
    bool overlapping, violated = job->found.violated;
    job->probed = true;
    BASE_TRY(query_probe_crossing(query, &walk, pair, &job->relation, &overlapping));
    if (overlapping)
        return job->relation.decided = CAROM_RELATION_OVERLAPPING, CAROM_STOPPED;
    job->found = (query_found){.first_a = CAROM_NO_TRIANGLE, .first_b = CAROM_NO_TRIANGLE, .violated = violated};
    job->keys.count = job->front.count = 0;
    return CAROM_UNKNOWN;
}

carom_status query_job_search(carom_query *query, query_job *job, base_budget *budget)
{
    if (job->searched || query_is_empty(job->question.a) || query_is_empty(job->question.b))
        return job->searched = true, CAROM_OK;
    carom_status status = walk_front(query, job, &job->front, budget);
    if (is_at_crossing(job, status))
    {
        status = probe_crossing(query, job, budget);
        if (status == CAROM_UNKNOWN)
            status = walk_front(query, job, &job->front, budget);
    }
    return finish_search(query, job, status);
}

/* ---- a heavy search, split among workers ---- */

base_budget query_light_budget(void) { return base_budget_begin(&(carom_budget){.work = LIGHT_WORK}); }

typedef struct split_search
{
    carom_query *query;
    query_job *job;
    size_t part_size;   /* pairs of the front that one search starts from */
    uint64_t slice;     /* work per part */
    base_cancel cancel; /* one hit is enough, and there is one */
    _Atomic(carom_status) failure;
} split_search;

/* Searches from a part of the front; what is left undecided goes to the worker's own front. */
static carom_status search_part(const split_search *split, carom_query *query, uint32_t index, narrow_front *part)
{
    query_job *own = &query->job;
    const narrow_front *front = &split->job->front;
    size_t first = index * split->part_size, rest = front->count - first;
    size_t count = rest < split->part_size ? rest : split->part_size;
    base_budget slice = base_budget_begin(&(carom_budget){.work = split->slice});
    part->count = 0;
    if (!base_array_reserve(query->context, part, count))
        return out_of_memory(query, own);
    memcpy(part->items, front->items + first, count * sizeof *part->items);
    part->count = count;
    carom_status status = walk_front(query, own, part, &slice);
    if (status != CAROM_UNKNOWN)
        return status;
    if (!base_array_reserve(query->context, &own->front, part->count))
        return out_of_memory(query, own);
    memcpy(own->front.items + own->front.count, part->items, part->count * sizeof *part->items);
    own->front.count += part->count;
    return CAROM_UNKNOWN;
}

static void search_parts(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    split_search *split = data;
    carom_query *query = split->query->helpers[worker];
    narrow_front part = {0};
    for (uint32_t i = first; i < last && !base_cancel_is_set(&split->cancel); i++)
    {
        carom_status status = search_part(split, query, i, &part);
        if (carom_failed(status))
            atomic_store(&split->failure, status);
        if (carom_failed(status) || status == CAROM_STOPPED)
            base_cancel_set(&split->cancel);
    }
    base_array_free(query->context, &part);
}

/* A query per worker, for its scratch memory and its share of the job; made on first use. */
carom_status query_make_helpers(carom_query *query)
{
    uint32_t wanted = base_worker_count(query->context);
    if (query->helpers)
        return CAROM_OK;
    query->helpers = base_allocate(query->context, wanted, sizeof *query->helpers, BASE_CACHE_LINE);
    if (!query->helpers)
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "collide: no memory to share the work");
    query->helper_count = wanted;
    memset(query->helpers, 0, wanted * sizeof *query->helpers);
    carom_status status = CAROM_OK;
    for (uint32_t i = 0; i < wanted && status == CAROM_OK; i++)
        status = carom_query_create(query->context, &query->helpers[i]);
    if (status != CAROM_OK)
        query_free_helpers(query);
    return status;
}

void query_free_helpers(carom_query *query)
{
    for (uint32_t i = 0; i < query->helper_count; i++)
        carom_query_destroy(query->helpers[i]);
    base_release(query->context, query->helpers, query->helper_count, sizeof *query->helpers);
    query->helpers = NULL, query->helper_count = 0;
}

/* Collects what the workers found, and what they left undecided. */
static carom_status gather(split_search *split)
{
    carom_query *query = split->query;
    query_job *job = split->job;
    job->front.count = 0;
    for (uint32_t worker = 0; worker < query->helper_count; worker++)
    {
        query_job *own = &query->helpers[worker]->job;
        if (!base_array_reserve(query->context, &job->keys, own->keys.count) ||
            !base_array_reserve(query->context, &job->front, own->front.count))
            return out_of_memory(query, job);
        if (own->keys.count > 0)
            memcpy(job->keys.items + job->keys.count, own->keys.items, own->keys.count * sizeof *own->keys.items);
        if (own->front.count > 0)
            memcpy(job->front.items + job->front.count, own->front.items, own->front.count * sizeof *own->front.items);
        job->keys.count += own->keys.count, job->front.count += own->front.count;
        query_found *sum = &job->found;
        if (own->found.count > 0)
            sum->first_a = own->found.first_a, sum->first_b = own->found.first_b;
        sum->count += own->found.count;
        keep_crossing(sum, &own->found);
        sum->violated |= own->found.violated;
        query_count(&job->counters, &own->counters);
    }
    return CAROM_OK;
}

static split_search begin_round(carom_query *query, query_job *job)
{
    uint64_t share = (job->counters.boxes_tested + job->counters.triangles_tested) / SLICES;
    return (split_search){.query = query,
                          .job = job,
                          .part_size = 1 + job->front.count / PARTS,
                          .slice = share > SLICE_OF_WORK ? share : SLICE_OF_WORK};
}

/* One round: every part of the front gets a slice. */
static carom_status search_round(carom_query *query, query_job *job)
{
    split_search split = begin_round(query, job);
    for (uint32_t worker = 0; worker < query->helper_count; worker++)
    {
        query_job *own = &query->helpers[worker]->job;
        query_job_begin(own, &job->question, job->options);
        own->found.violated = job->found.violated, own->probed = job->probed;
    }
    uint32_t parts = (uint32_t)((job->front.count + split.part_size - 1) / split.part_size);
    base_parallel_for(query->context, parts, 1, search_parts, &split);
    carom_status failure = atomic_load(&split.failure);
    if (failure != CAROM_OK)
        return failure;
    BASE_TRY(gather(&split));
    return base_cancel_is_set(&split.cancel) ? CAROM_STOPPED : job->front.count > 0 ? CAROM_UNKNOWN : CAROM_OK;
}

carom_status query_job_search_all(carom_query *query, query_job *job)
{
    base_budget unlimited = base_budget_begin(NULL), light = query_light_budget();
    bool alone = base_worker_count(query->context) == 1,
         whole = job->options->on_pair || !query_can_split(&job->question);
    if (whole || (alone && !job->question.memory))
        return query_job_search(query, job, &unlimited);
    carom_status status = job->front.count > 0 ? CAROM_UNKNOWN : query_job_search(query, job, &light);
    job->question.memory = NULL;
    if (status == CAROM_UNKNOWN && alone)
        return query_job_search(query, job, &unlimited);
    if (status == CAROM_UNKNOWN)
        BASE_TRY(query_make_helpers(query));
    while (status == CAROM_UNKNOWN)
    {
        status = search_round(query, job);
        if (is_at_crossing(job, status))
            status = probe_crossing(query, job, &unlimited);
        bool again = status == CAROM_UNKNOWN && job->front.count == 0; /* from the beginning */
        status = again ? query_job_search(query, job, &light) : finish_search(query, job, status);
    }
    return status;
}
