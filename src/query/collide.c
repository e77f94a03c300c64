/* carom_collide: which triangles of a and b share a point, how do the bodies stand to each other, is the clearance
 * kept? One traversal finds the pairs; what is done with each depends on the mode. */
#include "query/query.h"

carom_collide_options carom_collide_options_default(void) { return (carom_collide_options){.mode = CAROM_COLLIDE_ALL}; }

/* What happens to the pairs that the traversal finds. */
typedef struct collector
{
    carom_query *query;
    const carom_collide_options *options;
    uint64_t count;
    size_t keep;               /* pairs worth keeping; SIZE_MAX: all */
    size_t thin_at;            /* so many are kept before those that say nothing new are dropped; SIZE_MAX: never */
    bool keeping;              /* pairs go into query->keys */
    bool repeats;              /* a pair may come several times: all are kept and counted at the end */
    bool streaming;            /* pairs go to the caller at once */
    bool stop_at_crossing;     /* any-hit with relation: nothing further can change the answer */
    bool crossing;             /* a crossing pair was seen */
    bool stopped;              /* the caller's callback said so */
    bool out_of_memory;        /* while keeping */
    uint32_t first_a, first_b; /* some pair */
    uint32_t triangles_b;      /* of body b */
} collector;

/* ---- any hit ---- */

typedef struct first_hit
{
    uint32_t triangle_a, triangle_b;
    bool found;
} first_hit;

static bool stop_at_first(uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting, void *user)
{
    (void)meeting;
    *(first_hit *)user = (first_hit){triangle_a, triangle_b, true};
    return false;
}

/* Answers of a microsecond come through here: no clock but the total, nothing stored, nothing sorted. */
static carom_status find_any(carom_query *query, const query_question *question, double clearance, carom_report *report)
{
    first_hit hit = {CAROM_NO_TRIANGLE, CAROM_NO_TRIANGLE, false};
    bool violated = false;
    tree_task task = query_make_task(query, question, &report->counters);
    tree_collide_options traversal = {.clearance = clearance, .on_pair = stop_at_first, .user = &hit};
    carom_status status = query_has_triangles(question)
                              ? question->method->collide(question->method_state, &task, &traversal, &violated)
                              : CAROM_OK;
    if (status >= CAROM_FIRST_ERROR)
        return status;
    if (hit.found)
    {
        report->pair_count = 1;
        report->triangle_a = hit.triangle_a, report->triangle_b = hit.triangle_b;
        report->clearance_violated = clearance > 0.0;
        return CAROM_OK;
    }
    report->clearance_violated = violated && clearance > 0.0;
    if (status == CAROM_OK)
    {
        report->relation = CAROM_RELATION_APART;
        report->distance_bound = report->clearance_violated ? 0.0 : clearance;
    }
    return status;
}

/* ---- every pair ---- */

enum
{
    SLACK = 4096 /* so that trimming stays rare for small limits */
};

/* Keeps the smallest `keep` pairs; false when out of memory. */
static bool trim_kept(collector *all)
{
    carom_query *query = all->query;
    if (!query_sort_unique(query->context, &query->keys, &query->sort_space))
        return false;
    if (query->keys.count > all->keep)
        query->keys.count = all->keep;
    return true;
}

/* How many pairs the answer itself can show. */
static size_t listed_at_most(const carom_collide_options *options)
{
    if (options->mode != CAROM_COLLIDE_ALL || options->on_pair)
        return 0;
    return options->max_pairs > 0 && options->max_pairs < SIZE_MAX / 4 ? (size_t)options->max_pairs : SIZE_MAX;
}

/* The relation asks which triangles touch, not which with which: beyond what will be listed, one pair of each triangle
 * will do. False when out of memory. */
static bool thin_kept(collector *all)
{
    carom_query *query = all->query;
    query_words *keys = &query->keys, *seen = &query->corners; /* a bit for each triangle of b */
    size_t words = all->triangles_b / 64 + 1, listed = listed_at_most(all->options), kept = 0;
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

static bool keep_pair(collector *all, uint64_t key)
{
    carom_query *query = all->query;
    if (all->keep != SIZE_MAX && query->keys.count >= 2 * all->keep + SLACK && !trim_kept(all))
        return false;
    if (query->keys.count >= all->thin_at && !thin_kept(all))
        return false;
    if (!base_array_reserve(query->context, &query->keys, 1))
        return false;
    query->keys.items[query->keys.count++] = key;
    return true;
}

/* A crossing settles the relation: from here on only what will be listed is worth its memory. */
static void settle_relation(collector *all)
{
    all->crossing = true;
    if (all->repeats)
        return;
    all->keep = listed_at_most(all->options);
    all->keeping = all->keep > 0;
}

static bool take_pair(uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting, void *user)
{
    collector *all = user;
    all->first_a = triangle_a, all->first_b = triangle_b;
    all->count++;
    if (meeting & CAROM_MEET_CROSSING)
    {
        if (!all->crossing)
            settle_relation(all);
        if (all->stop_at_crossing)
            return false;
    }
    if (all->keeping && !keep_pair(all, query_pack(triangle_a, triangle_b, meeting)))
        return all->out_of_memory = true, false;
    if (all->streaming)
    {
        carom_pair pair = {triangle_a, triangle_b, meeting};
        if (!all->options->on_pair(&pair, all->options->on_pair_user))
            return all->stopped = true, false;
    }
    return true;
}

static bool count_pair(uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting, void *user)
{
    collector *all = user;
    (void)meeting;
    all->first_a = triangle_a, all->first_b = triangle_b;
    all->count++;
    return true;
}

/* A builder that puts triangles into several leaves may show a pair several times. */
static bool may_repeat(const query_question *question)
{
    const carom_tree *a = question->a->tree, *b = question->b->tree;
    return question->method->needs_trees && (a->info.reference_count > question->a->mesh->triangle_count ||
                                             b->info.reference_count > question->b->mesh->triangle_count);
}

static collector make_collector(carom_query *query, const query_question *question,
                                const carom_collide_options *options)
{
    bool repeats = may_repeat(question);
    collector all = {.query = query,
                     .options = options,
                     .keep = SIZE_MAX,
                     .thin_at = SIZE_MAX,
                     .repeats = repeats,
                     .triangles_b = question->b->mesh->triangle_count,
                     .first_a = CAROM_NO_TRIANGLE,
                     .first_b = CAROM_NO_TRIANGLE};
    size_t listed = listed_at_most(options);
    all.keeping = listed > 0 || options->relation || repeats;
    all.streaming = options->on_pair && !repeats;
    all.stop_at_crossing = options->mode == CAROM_COLLIDE_ANY;
    if (listed > 0 && !options->relation && !repeats)
        all.keep = listed;
    if (listed < SIZE_MAX && options->relation && !repeats)
        all.thin_at = 2 * (listed + question->a->mesh->triangle_count + all.triangles_b) + SLACK;
    query->keys.count = query->pairs.count = query->contacts.count = query->points.count = 0;
    return all;
}

/* Repeated pairs had to be collected before they could be streamed. */
static void stream_kept(collector *all)
{
    const query_words *keys = &all->query->keys;
    for (size_t i = 0; i < keys->count && !all->stopped; i++)
    {
        carom_pair pair = query_unpack(keys->items[i]);
        all->stopped = !all->options->on_pair(&pair, all->options->on_pair_user);
    }
}

static carom_status list_pairs(carom_query *query, uint64_t max_pairs, carom_report *report)
{
    size_t listed = query->keys.count;
    if (max_pairs > 0 && listed > max_pairs)
        listed = (size_t)max_pairs;
    if (!base_array_reserve(query->context, &query->pairs, listed))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "collide: no memory for %zu pairs", listed);
    for (size_t i = 0; i < listed; i++)
        query->pairs.items[i] = query_unpack(query->keys.items[i]);
    query->pairs.count = listed;
    report->pairs = query->pairs.items;
    report->pairs_listed = listed;
    if (report->status == CAROM_OK && report->pair_count > listed)
        report->status = CAROM_TRUNCATED;
    return CAROM_OK;
}

static carom_status add_contacts(carom_query *query, const query_question *question, carom_report *report)
{
    narrow_counts counts = {0};
    const size_t most_points = 6;
    if (query->pairs.count > UINT32_MAX / most_points) /* a contact counts pairs and points in 32 bits */
        return base_fail(query->context, CAROM_TOO_LARGE, "collide: contacts of %zu pairs; set max_pairs",
                         query->pairs.count);
    if (!base_array_reserve(query->context, &query->contacts, query->pairs.count))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "collide: no memory for contacts");
    for (size_t i = 0; i < query->pairs.count; i++)
    {
        if (!base_array_reserve(query->context, &query->points, most_points))
            return base_fail(query->context, CAROM_OUT_OF_MEMORY, "collide: no memory for contact points");
        narrow_triangle a = tree_world_triangle(question->a, query->pairs.items[i].triangle_a);
        narrow_triangle b = tree_world_triangle(question->b, query->pairs.items[i].triangle_b);
        carom_contact *contact = &query->contacts.items[query->contacts.count++];
        contact->pair = (uint32_t)i;
        contact->first_point = (uint32_t)query->points.count;
        contact->point_count = narrow_contact(&a, &b, query->points.items + query->points.count, &counts);
        query->points.count += contact->point_count;
    }
    report->contacts = query->contacts.items, report->contact_count = query->contacts.count;
    report->points = query->points.items, report->point_count = query->points.count;
    report->counters.exact_fallbacks += counts.exact_fallbacks;
    return CAROM_OK;
}

/* The traversal with its collector; leaves query->keys sorted and complete for what is wanted of them. */
static carom_status collect_pairs(collector *all, const query_question *question, carom_report *report)
{
    carom_query *query = all->query;
    const carom_collide_options *options = all->options;
    bool repeats = all->repeats, violated = false;
    bool plain_count = !all->keeping && !all->streaming;
    tree_task task = query_make_task(query, question, &report->counters);
    tree_collide_options traversal = {.need_meeting = options->relation || options->mode == CAROM_COLLIDE_ALL,
                                      .every_pair = true,
                                      .clearance = options->clearance,
                                      .on_pair = plain_count ? count_pair : take_pair,
                                      .user = all};
    carom_status status = query_has_triangles(question)
                              ? question->method->collide(question->method_state, &task, &traversal, &violated)
                              : CAROM_OK;
    if (status >= CAROM_FIRST_ERROR)
        return status;
    if (all->out_of_memory || (all->keeping && all->count > 0 && !trim_kept(all)))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "collide: no memory for %zu pairs", query->keys.count);
    if (repeats && !(all->stop_at_crossing && all->crossing))
        all->count = query->keys.count;
    if (repeats && options->on_pair)
        stream_kept(all);

    report->clearance_violated = options->clearance > 0.0 && (violated || all->count > 0);
    report->pair_count = options->mode == CAROM_COLLIDE_ANY && all->count > 1 ? 1 : all->count;
    if (options->mode == CAROM_COLLIDE_ANY)
        report->triangle_a = all->first_a, report->triangle_b = all->first_b;
    report->status = all->stopped ? CAROM_STOPPED : status == CAROM_STOPPED ? CAROM_OK : status;
    if (report->status == CAROM_OK && all->count == 0 && !report->clearance_violated)
        report->distance_bound = options->clearance;
    return CAROM_OK;
}

static carom_status decide_relation(collector *all, const query_question *question, carom_report *report)
{
    bool decided = report->status == CAROM_OK;
    if (all->crossing)
        report->relation = CAROM_RELATION_CROSSING;
    else if (decided && !all->options->relation && all->count == 0)
        report->relation = CAROM_RELATION_APART;
    else if (decided && all->options->relation)
    {
        query_meetings meetings = {all->count > 0, all->crossing, all->query->keys.items, all->query->keys.count};
        BASE_TRY(query_relation(all->query, question, &meetings, &report->counters, &report->relation));
        if (report->relation == CAROM_RELATION_UNKNOWN)
            report->status = CAROM_UNKNOWN;
    }
    return CAROM_OK;
}

/* start: when the query began. */
static carom_status find_all(carom_query *query, const query_question *question, const carom_collide_options *options,
                             uint64_t start, carom_report *report)
{
    collector all = make_collector(query, question, options);
    BASE_TRY(collect_pairs(&all, question, report));
    if (all.count == 0 && !options->relation) /* nothing to sort, to list or to time apart from the traversal */
    {
        BASE_TRY(decide_relation(&all, question, report));
        return report->status;
    }
    double traversed = base_watch_read(&query->watch, start);
    BASE_TRY(decide_relation(&all, question, report));
    if (options->mode == CAROM_COLLIDE_ALL && !options->on_pair)
        BASE_TRY(list_pairs(query, options->max_pairs, report));
    double listed = base_watch_read(&query->watch, start);
    if (options->contacts)
        BASE_TRY(add_contacts(query, question, report));
    report->times.mid_ms = 1e3 * traversed;
    report->times.report_ms = 1e3 * (listed - traversed);
    if (options->contacts)
        report->times.narrow_ms = 1e3 * (base_watch_read(&query->watch, start) - listed);
    return report->status;
}

static carom_status report_apart(double clearance, carom_report *report)
{
    report->relation = CAROM_RELATION_APART;
    report->distance_bound = clearance;
    return CAROM_OK;
}

static carom_status answer(carom_query *query, const query_question *question, const carom_collide_options *options,
                           uint64_t start, carom_report *report)
{
    if (query_far_apart(query, question, options->clearance))
        return report_apart(options->clearance, report);
    if (options->mode == CAROM_COLLIDE_ANY && !options->relation)
        return find_any(query, question, options->clearance, report);
    return find_all(query, question, options, start, report);
}

static bool closed_and_oriented(const carom_mesh *mesh) { return mesh->info.closed && mesh->info.oriented; }

carom_status query_collide(carom_query *query, const query_question *question, const carom_collide_options *options,
                           carom_report *report)
{
    uint64_t start = base_watch_start(&query->watch);
    report->a_closed = closed_and_oriented(question->a->mesh);
    report->b_closed = closed_and_oriented(question->b->mesh);
    carom_status status = answer(query, question, options, start, report);
    if (BASE_UNLIKELY(status >= CAROM_FIRST_ERROR))
    {
        query_clear_report(report);
        return report->status = status;
    }
    report->status = status;
    report->hash = query_report_hash(report, options->mode != CAROM_COLLIDE_ANY);
    report->times.total_ms = 1e3 * base_watch_read(&query->watch, start);
    if (report->times.mid_ms == 0.0)
        report->times.mid_ms = report->times.total_ms;
    return status;
}

/* ---- the public face ---- */

static carom_status collide_checked(carom_query *query, query_question *question, const carom_collide_options *options,
                                    carom_report *report)
{
    base_budget budget = base_budget_begin(&options->budget);
    question->budget = &budget;
    question->memory = options->cache ? &options->cache->memory : NULL;
    carom_placed own[2];
    BASE_TRY(query_add_trees(query, question, own));
    return query_collide(query, question, options, report);
}

carom_status carom_collide(carom_query *query, const carom_placed *a, const carom_placed *b,
                           const carom_collide_options *options, carom_report *report)
{
    static const carom_collide_options every_pair = {.mode = CAROM_COLLIDE_ALL};
    if (!query || !report)
        return base_fail(query ? query->context : NULL, CAROM_INVALID_ARGUMENT, "collide: %s is null",
                         query ? "report" : "query");
    query_clear_report(report);
    if (options)
    {
        carom_status refused = query_check_collide_options(query->context, options);
        if (refused != CAROM_OK)
            return report->status = refused;
    }
    query_question question = {.a = a, .b = b, .method = &query_tree_method};
    carom_status refused = query_check_bodies(query, &question);
    if (refused != CAROM_OK)
        return report->status = refused;
    return report->status = collide_checked(query, &question, options ? options : &every_pair, report);
}
