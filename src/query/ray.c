/* carom_ray_cast and carom_ray_cast_batch: which elements of a placed shape does a ray hit? */
#include "query/query.h"

typedef struct ray_collector
{
    carom_query *query;
    const carom_placed *placed;
    const carom_ray *ray;
    carom_counters *counters;
    size_t first; /* where the hits of this ray begin */
    carom_ray_mode mode;
    bool out_of_memory;
} ray_collector;

static const double STOP = -1.0;

/* As far below 1 as coordinates may be above it. */
static const double SHORTEST_DIRECTION = 1.0 / MATH_COORDINATE_LIMIT;

static BASE_NEVER_INLINE bool comes_first(const ray_collector *collector, const carom_ray_hit *a,
                                          const carom_ray_hit *b)
{
    query_hit of_a = {collector->placed, a->triangle, a->t}, of_b = {collector->placed, b->triangle, b->t};
    int order = query_compare_hits(collector->ray, &of_a, &of_b, &collector->counters->exact_fallbacks);
    return order < 0 || (order == 0 && a->triangle < b->triangle);
}

static BASE_NEVER_INLINE bool is_within(const ray_collector *collector, const carom_ray_hit *hit)
{
    query_hit at = {collector->placed, hit->triangle, hit->t};
    return query_hit_within(collector->ray, &at, &collector->counters->exact_fallbacks);
}

static double take_hit(uint32_t triangle, double t, const double uv[2], void *user)
{
    ray_collector *collector = user;
    carom_query *query = collector->query;
    double max_t = collector->ray->max_t;
    carom_ray_hit hit = {t + 0.0, triangle, uv[0] + 0.0, uv[1] + 0.0}; /* -0 becomes 0: t is a sort key */
    if (BASE_UNLIKELY(!(narrow_ray_beyond(hit.t) <= max_t)) && !is_within(collector, &hit))
        return narrow_ray_beyond(max_t);
    if (!base_array_reserve(query->context, &query->hits, 1))
        return collector->out_of_memory = true, STOP;
    query->hits.items[query->hits.count++] = hit;
    return collector->mode == CAROM_RAY_ANY ? STOP : narrow_ray_beyond(max_t);
}

static bool hit_before(uint64_t a, uint64_t b, void *user)
{
    const ray_collector *collector = user;
    const carom_ray_hit *hits = collector->query->hits.items + collector->first;
    return comes_first(collector, &hits[a], &hits[b]);
}

/* Sorts the hits of this ray, at least two, by (t, triangle), without duplicates. */
static BASE_NEVER_INLINE bool sort_hits(ray_collector *collector)
{
    carom_query *query = collector->query;
    size_t first = collector->first, count = query->hits.count - first;
    query->order.count = query->order_space.count = 0;
    if (!base_array_reserve(query->context, &query->order, count) ||
        !base_array_reserve(query->context, &query->order_space, count) ||
        !base_array_reserve(query->context, &query->hits, count))
        return false;
    base_key_value *order = query->order.items;
    carom_ray_hit *hits = query->hits.items + first, *sorted = hits + count;
    for (size_t i = 0; i < count; i++)
        order[i] = (base_key_value){hits[i].triangle, i};
    base_sort_keys(order, query->order_space.items, count);
    for (size_t i = 0; i < count; i++)
        memcpy(&order[i].key, &hits[order[i].value].t, sizeof order[i].key);
    query_sort_hits(order, query->order_space.items, count, hit_before, collector);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
    {
        carom_ray_hit hit = hits[order[i].value];
        if (kept == 0 || sorted[kept - 1].triangle != hit.triangle)
            sorted[kept++] = hit;
    }
    memmove(hits, sorted, kept * sizeof *hits);
    query->hits.count = first + kept;
    return true;
}

/* Nothing of a hit is -0, so the bits are hashed as they are. */
static inline void hash_bits(base_hash *hash, double number)
{
    uint64_t bits;
    memcpy(&bits, &number, sizeof bits);
    base_hash_u64(hash, bits);
}

static BASE_ALWAYS_INLINE void hash_hit(base_hash *hash, const carom_ray_hit *hit)
{
    hash_bits(hash, hit->t);
    base_hash_u64(hash, hit->triangle);
    hash_bits(hash, hit->u);
    hash_bits(hash, hit->v);
}

void query_hash_hit(base_hash *hash, const carom_ray_hit *hit) { hash_hit(hash, hit); }

static BASE_ALWAYS_INLINE uint64_t hash_hits(const carom_ray_hit *hits, size_t count)
{
    base_hash hash = base_hash_begin();
    if (BASE_LIKELY(count == 1)) /* the number is left out: a word takes a few nanoseconds, a ray about a hundred */
    {
        hash_hit(&hash, hits);
        return base_hash_end(&hash);
    }
    base_hash_u64(&hash, count);
    for (size_t i = 0; i < count; i++)
        hash_hit(&hash, &hits[i]);
    return base_hash_end(&hash);
}

static bool within_limit(carom_vec3 v)
{
    return fabs(v.x) <= MATH_COORDINATE_LIMIT && fabs(v.y) <= MATH_COORDINATE_LIMIT &&
           fabs(v.z) <= MATH_COORDINATE_LIMIT;
}

/* The bits of the largest |component|, which order like it; NaN and infinity come last. */
static inline uint64_t largest_bits(carom_vec3 v)
{
    uint64_t bits[3];
    memcpy(bits, &v, sizeof bits);
    uint64_t x = bits[0] << 1, y = bits[1] << 1, z = bits[2] << 1;
    x = x > y ? x : y;
    return (x > z ? x : z) >> 1;
}

/* False if refuse_ray would report an error. */
static inline bool is_sound(const carom_ray *ray, carom_ray_mode mode)
{
    const uint64_t low = largest_bits(vec3(SHORTEST_DIRECTION, 0.0, 0.0));
    const uint64_t high = largest_bits(vec3(MATH_COORDINATE_LIMIT, 0.0, 0.0));
    return largest_bits(ray->origin) <= high && largest_bits(ray->direction) - low <= high - low && ray->max_t >= 0.0 &&
           (unsigned)mode <= CAROM_RAY_ALL;
}

static carom_status refuse_ray(carom_context *context, const carom_ray *ray, carom_ray_mode mode)
{
    if (!ray)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "ray cast: ray is null");
    if ((unsigned)mode > CAROM_RAY_ALL)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "ray cast: unknown mode %d", (int)mode);
    if (!vec3_finite(ray->origin) || !vec3_finite(ray->direction))
        return base_fail(context, CAROM_NOT_FINITE, "ray: the %s holds NaN or infinity",
                         vec3_finite(ray->origin) ? "direction" : "origin");
    if (!within_limit(ray->origin) || !within_limit(ray->direction))
        return base_fail(context, CAROM_OUT_OF_RANGE, "ray: the %s exceeds 2^100",
                         within_limit(ray->origin) ? "direction" : "origin");
    if (ray->direction.x == 0.0 && ray->direction.y == 0.0 && ray->direction.z == 0.0)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "ray: the direction is zero");
    /* Below this, parameters of hits overflow. */
    if (fmax(fabs(ray->direction.x), fmax(fabs(ray->direction.y), fabs(ray->direction.z))) < SHORTEST_DIRECTION)
        return base_fail(context, CAROM_OUT_OF_RANGE, "ray: the direction is below 2^-100");
    if (isnan(ray->max_t))
        return base_fail(context, CAROM_NOT_FINITE, "ray: max_t is NaN");
    if (ray->max_t < 0.0)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "ray: max_t is negative (%g)", ray->max_t);
    return CAROM_OK;
}

carom_status query_check_ray(carom_context *context, const carom_ray *ray, carom_ray_mode mode)
{
    return BASE_LIKELY(ray && is_sound(ray, mode)) ? CAROM_OK : refuse_ray(context, ray, mode);
}

static inline bool same_bits(const carom_pose *a, const carom_pose *b)
{
    uint64_t different = 0, word_a, word_b;
    for (size_t i = 0; i < sizeof *a; i += sizeof word_a)
    {
        memcpy(&word_a, (const char *)a + i, sizeof word_a);
        memcpy(&word_b, (const char *)b + i, sizeof word_b);
        different |= word_a ^ word_b;
    }
    return !different;
}

/* Like query_check_placed, but checks the pose only if it differs from that of the last ray. */
static inline carom_status check_placed(carom_query *query, const carom_placed *placed)
{
    tree_ray_frame *ray_frame = &query->scratch.ray_frame;
    /* Compares bits: a pose with -0 for 0 is merely checked again. */
    if (BASE_LIKELY(placed && query_is_sound_mesh(query->context, &placed->shape) &&
                    same_bits(&ray_frame->pose, &placed->pose)))
        return CAROM_OK;
    BASE_TRY(query_check_placed(query->context, placed, "body"));
    ray_frame->pose = placed->pose;
    ray_frame->fit = 0;
    return CAROM_OK;
}

static carom_status cast_at_round(ray_collector *collector)
{
    narrow_counts counts = {0};
    narrow_round round = query_placed_round(collector->placed);
    narrow_ray line = {collector->ray->origin, collector->ray->direction};
    double t, uv[2] = {0.0, 0.0};
    collector->counters->triangles_tested++;
    if (narrow_round_ray_hit(&line, &round, &t, &counts))
        take_hit(0, t, uv, collector);
    collector->counters->exact_fallbacks += counts.exact_fallbacks;
    return CAROM_OK;
}

static inline carom_status find_tree(const carom_placed *placed, const carom_tree **tree)
{
    *tree = placed->shape.tree;
    return BASE_LIKELY(*tree != NULL) ? CAROM_OK : tree_default(placed->shape.mesh, TREE_FOR_RAYS, tree);
}

static carom_status cast_at_mesh(ray_collector *collector)
{
    carom_query *query = collector->query;
    const carom_tree *tree;
    BASE_TRY(find_tree(collector->placed, &tree));
    mesh_placed mesh = query_placed_mesh(collector->placed, tree);
    tree_ray_task task = {.context = query->context,
                          .placed = &mesh,
                          .ray = collector->ray,
                          .scratch = &query->scratch,
                          .ray_frame = &query->scratch.ray_frame,
                          .counters = collector->counters};
    return tree_ray(&task, take_hit, collector);
}

static carom_status no_memory(carom_query *query)
{
    return base_fail(query->context, CAROM_OUT_OF_MEMORY, "ray cast: no memory for %zu hits", query->hits.count);
}

static BASE_NEVER_INLINE carom_status cast_and_collect(ray_collector *collector)
{
    carom_query *query = collector->query;
    if (query_is_mesh(collector->placed))
        BASE_TRY(cast_at_mesh(collector));
    else
        BASE_TRY(cast_at_round(collector));
    bool several = query->hits.count - collector->first > 1;
    if (collector->out_of_memory || (several && !sort_hits(collector)))
        return no_memory(query);
    return CAROM_OK;
}

/* The usual question. It takes little more than 0.1 us, so all that is done for it is in one function. */
static BASE_ALWAYS_INLINE carom_status cast_first(carom_query *query, const carom_placed *placed, const carom_ray *ray,
                                                  carom_counters *counters)
{
    const carom_tree *tree;
    BASE_TRY(find_tree(placed, &tree));
    mesh_placed mesh = query_placed_mesh(placed, tree);
    tree_ray_task task = {query->context, &mesh, ray, &query->scratch, &query->scratch.ray_frame, counters};
    tree_hit hit;
    BASE_TRY(tree_ray_first(&task, &hit));
    if (hit.triangle == CAROM_NO_TRIANGLE)
        return CAROM_OK;
    if (BASE_UNLIKELY(!base_array_reserve(query->context, &query->hits, 1)))
        return no_memory(query);
    carom_ray_hit *out = &query->hits.items[query->hits.count++];
    out->t = hit.t, out->triangle = hit.triangle, out->u = hit.u, out->v = hit.v;
    return CAROM_OK;
}

static BASE_ALWAYS_INLINE carom_status cast(carom_query *query, const carom_placed *placed, const carom_ray *ray,
                                            carom_ray_mode mode, carom_counters *counters)
{
    if (BASE_LIKELY(mode == CAROM_RAY_FIRST && query_is_mesh(placed)))
        return cast_first(query, placed, ray, counters);
    return cast_and_collect(&(ray_collector){query, placed, ray, counters, query->hits.count, mode, false});
}

carom_status query_ray(carom_query *query, const carom_placed *placed, const carom_ray *ray, carom_ray_mode mode,
                       carom_counters *counters)
{
    return cast(query, placed, ray, mode, counters);
}

static BASE_ALWAYS_INLINE carom_status check_cast(carom_query *query, const carom_placed *placed)
{
    if (BASE_UNLIKELY(query->busy))
        return query_busy(query, "ray cast");
    query->can_resume = false;
    BASE_TRY(base_check_float_mode(query->context));
    return check_placed(query, placed);
}

carom_status carom_ray_cast(carom_query *query, const carom_placed *placed, const carom_ray *ray, carom_ray_mode mode,
                            carom_ray_report *report)
{
    if (!query || !report)
        return base_fail(query ? query->context : NULL, CAROM_INVALID_ARGUMENT, "ray cast: %s is null",
                         query ? "report" : "query");
    *report = (carom_ray_report){0};
    carom_status status = check_cast(query, placed);
    if (status == CAROM_OK)
        status = query_check_ray(query->context, ray, mode);
    query->hits.count = 0;
    if (status == CAROM_OK)
        status = cast(query, placed, ray, mode, &report->counters);
    if (carom_failed(status))
    {
        *report = (carom_ray_report){.status = status};
        return status;
    }
    report->hits = query->hits.items;
    report->hit_count = query->hits.count;
    if (mode != CAROM_RAY_ANY)
        report->hash = hash_hits(report->hits, query->hits.count);
    return report->status = status;
}

/* ---- batches ---- */

carom_status query_check_batch_ray(carom_context *context, const carom_ray_batch *batch, uint32_t index)
{
    const carom_ray *ray = &batch->rays[index];
    if (BASE_LIKELY(is_sound(ray, batch->mode)))
        return CAROM_OK;
    char message[BASE_MESSAGE_SIZE];
    carom_status status = refuse_ray(context, ray, batch->mode);
    carom_context_message(context, message, sizeof message);
    return base_fail(context, status, "batch, ray %u: %.200s", index, message);
}

static carom_status check_batch(carom_query *query, const carom_placed *placed, const carom_ray_batch *batch)
{
    BASE_TRY(check_cast(query, placed));
    if (!batch || (batch->count > 0 && !batch->rays))
        return base_fail(query->context, CAROM_INVALID_ARGUMENT, "ray cast: %s is null",
                         batch ? "batch.rays" : "batch");
    for (uint32_t i = 0; i < batch->count; i++)
        BASE_TRY(query_check_batch_ray(query->context, batch, i));
    return CAROM_OK;
}

typedef struct batch_task
{
    carom_query *query;
    const carom_placed *placed;
    const carom_ray_batch *batch;
} batch_task;

enum
{
    RANGE_WORKER,
    RANGE_FIRST,
    RANGE_COUNT,
    RANGE_WORDS
};

static void cast_range(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const batch_task *task = data;
    carom_query *own = task->query->helpers[worker];
    tree_ray_frame *ray_frame = &own->scratch.ray_frame;
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are compared on purpose */
    if (memcmp(&ray_frame->pose, &task->placed->pose, sizeof ray_frame->pose) != 0)
        ray_frame->pose = task->placed->pose, ray_frame->fit = 0;
    for (uint32_t i = first; i < last && own->failure == CAROM_OK; i++)
    {
        size_t start = own->hits.count;
        own->failure = query_ray(own, task->placed, &task->batch->rays[i], task->batch->mode, &own->counters);
        uint64_t *where = task->query->hit_ranges.items + RANGE_WORDS * (size_t)i;
        where[RANGE_WORKER] = worker, where[RANGE_FIRST] = start, where[RANGE_COUNT] = own->hits.count - start;
    }
}

/* Puts the workers' hits in the order of the rays. */
static carom_status gather_hits(const batch_task *task, carom_ray_batch_report *report)
{
    carom_query *query = task->query;
    uint32_t count = task->batch->count;
    size_t total = 0;
    for (uint32_t i = 0; i < query->helper_count; i++)
    {
        if (query->helpers[i]->failure != CAROM_OK)
            return query->helpers[i]->failure;
        total += query->helpers[i]->hits.count;
        query_count(&report->counters, &query->helpers[i]->counters);
    }
    query->hits.count = query->first_hit.count = 0;
    if (!base_array_reserve(query->context, &query->hits, total) ||
        !base_array_reserve(query->context, &query->first_hit, (size_t)count + 1))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "ray cast: no memory for %zu hits", total);
    for (uint32_t i = 0; i < count; i++)
    {
        const uint64_t *where = query->hit_ranges.items + RANGE_WORDS * (size_t)i;
        query->first_hit.items[i] = query->hits.count;
        if (where[RANGE_COUNT] > 0)
            memcpy(query->hits.items + query->hits.count,
                   query->helpers[where[RANGE_WORKER]]->hits.items + where[RANGE_FIRST],
                   where[RANGE_COUNT] * sizeof *query->hits.items);
        query->hits.count += where[RANGE_COUNT];
    }
    query->first_hit.items[count] = query->hits.count;
    report->hits = query->hits.items, report->hit_count = query->hits.count;
    report->first_hit = query->first_hit.items, report->ray_count = count;
    return CAROM_OK;
}

static uint64_t hash_batch(const carom_ray_batch_report *report)
{
    base_hash hash = base_hash_begin();
    for (uint32_t i = 0; i < report->ray_count; i++)
    {
        uint64_t first = report->first_hit[i], count = report->first_hit[i + 1] - first;
        base_hash_u64(&hash, hash_hits(count > 0 ? report->hits + first : NULL, (size_t)count));
    }
    return base_hash_end(&hash);
}

static carom_status cast_batch(const batch_task *task, carom_ray_batch_report *report)
{
    enum
    {
        MIN_RANGE = 64 /* rays that are worth handing to another worker */
    };
    carom_query *query = task->query;
    const carom_tree *tree;
    BASE_TRY(query_make_helpers(query));
    if (query_is_mesh(task->placed) && !task->placed->shape.tree) /* built here, by all workers */
        BASE_TRY(tree_default(task->placed->shape.mesh, TREE_FOR_RAYS, &tree));
    query->hit_ranges.count = 0;
    if (!base_array_reserve(query->context, &query->hit_ranges, RANGE_WORDS * (size_t)task->batch->count))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "ray cast: no memory for %u rays", task->batch->count);
    for (uint32_t i = 0; i < query->helper_count; i++)
    {
        carom_query *own = query->helpers[i];
        own->hits.count = 0, own->failure = CAROM_OK, own->counters = (carom_counters){0};
    }
    base_parallel_for(query->context, task->batch->count, MIN_RANGE, cast_range, (void *)task);
    BASE_TRY(gather_hits(task, report));
    if (task->batch->mode != CAROM_RAY_ANY)
        report->hash = hash_batch(report);
    return CAROM_OK;
}

carom_status carom_ray_cast_batch(carom_query *query, const carom_placed *placed, const carom_ray_batch *batch,
                                  carom_ray_batch_report *report)
{
    if (!query || !report)
        return base_fail(query ? query->context : NULL, CAROM_INVALID_ARGUMENT, "ray cast: %s is null",
                         query ? "report" : "query");
    *report = (carom_ray_batch_report){0};
    batch_task task = {query, placed, batch};
    carom_status status = check_batch(query, placed, batch);
    if (status == CAROM_OK)
        status = cast_batch(&task, report);
    if (carom_failed(status))
        *report = (carom_ray_batch_report){.status = status};
    return report->status = status;
}
