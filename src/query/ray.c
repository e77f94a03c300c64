/* carom_ray_cast: which triangles of a placed mesh does a ray hit? */
#include "query/query.h"

typedef struct ray_collector
{
    carom_query *query;
    carom_ray_mode mode;
    double max_t;
    bool out_of_memory;
} ray_collector;

static const double STOP = -1.0;

/* As far below 1 as coordinates may be above it. */
static const double SHORTEST_DIRECTION = 1.0 / MATH_COORDINATE_LIMIT;

/* The nearest hit stays alone in query->hits; equally near ones are settled by the smaller id. */
static double keep_nearest(ray_collector *all, carom_ray_hit hit)
{
    carom_ray_hit *nearest = all->query->hits.items;
    bool better =
        all->query->hits.count == 0 || hit.t < nearest->t || (hit.t == nearest->t && hit.triangle < nearest->triangle);
    if (better)
        *nearest = hit, all->query->hits.count = 1;
    return nearest->t;
}

static double take_hit(uint32_t triangle, double t, const double uv[2], void *user)
{
    ray_collector *all = user;
    carom_query *query = all->query;
    carom_ray_hit hit = {t + 0.0, triangle, uv[0], uv[1]}; /* -0 becomes 0: t is a sort key */
    if (!(hit.t <= all->max_t))
        return all->max_t;
    if (!base_array_reserve(query->context, &query->hits, 1))
        return all->out_of_memory = true, STOP;
    if (all->mode == CAROM_RAY_FIRST)
        return keep_nearest(all, hit);
    query->hits.items[query->hits.count++] = hit;
    return all->mode == CAROM_RAY_ANY ? STOP : all->max_t;
}

/* By (t, triangle), without doubles. */
static bool sort_hits(carom_query *query)
{
    size_t count = query->hits.count;
    if (count < 2)
        return true;
    query->order.count = query->order_space.count = 0;
    if (!base_array_reserve(query->context, &query->order, count) ||
        !base_array_reserve(query->context, &query->order_space, count) ||
        !base_array_reserve(query->context, &query->hits, count))
        return false;
    base_key_value *order = query->order.items;
    carom_ray_hit *hits = query->hits.items, *sorted = hits + count;
    for (size_t i = 0; i < count; i++)
        order[i] = (base_key_value){hits[i].triangle, i};
    base_sort_keys(order, query->order_space.items, count);
    for (size_t i = 0; i < count; i++)
        memcpy(&order[i].key, &hits[order[i].value].t, sizeof order[i].key);
    base_sort_keys(order, query->order_space.items, count);
    size_t kept = 0;
    for (size_t i = 0; i < count; i++)
    {
        carom_ray_hit hit = hits[order[i].value];
        if (kept == 0 || sorted[kept - 1].triangle != hit.triangle || sorted[kept - 1].t != hit.t)
            sorted[kept++] = hit;
    }
    memmove(hits, sorted, kept * sizeof *hits);
    query->hits.count = kept;
    return true;
}

static uint64_t hash_hits(const carom_ray_hit *hits, size_t count)
{
    base_hash hash = base_hash_begin();
    base_hash_u64(&hash, count);
    for (size_t i = 0; i < count; i++)
    {
        base_hash_double(&hash, hits[i].t);
        base_hash_u64(&hash, hits[i].triangle);
        base_hash_double(&hash, hits[i].u);
        base_hash_double(&hash, hits[i].v);
    }
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

/* False where refuse_ray has something to say. */
static inline bool is_sound(const carom_ray *ray, carom_ray_mode mode)
{
    const uint64_t least = largest_bits(vec3(SHORTEST_DIRECTION, 0.0, 0.0));
    const uint64_t most = largest_bits(vec3(MATH_COORDINATE_LIMIT, 0.0, 0.0));
    return largest_bits(ray->origin) <= most && largest_bits(ray->direction) - least <= most - least &&
           ray->max_t >= 0.0 && (unsigned)mode <= CAROM_RAY_ALL;
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

/* query_check_placed, but a pose is looked at only where it differs from the last ray's. */
static inline carom_status check_placed(carom_query *query, const carom_placed *placed)
{
    tree_ray_place *place = &query->scratch.ray_place;
    /* The same bits are meant: -0 for 0 is only looked at again. */
    if (BASE_LIKELY(placed && query_parts_fit(query->context, placed) &&
                    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison) */
                    memcmp(&place->pose, &placed->pose, sizeof place->pose) == 0))
        return CAROM_OK;
    BASE_TRY(query_check_placed(query->context, placed, "body"));
    place->pose = placed->pose;
    place->fit = 0;
    return CAROM_OK;
}

static carom_status cast(carom_query *query, const carom_placed *placed, const carom_ray *ray, carom_ray_mode mode,
                         carom_ray_report *report)
{
    carom_placed with_tree;
    if (BASE_UNLIKELY(!placed->tree))
    {
        with_tree = *placed;
        BASE_TRY(query_find_tree(query, placed, &with_tree.tree));
        placed = &with_tree;
    }
    tree_ray_task task = {.context = query->context,
                          .placed = placed,
                          .ray = ray,
                          .scratch = &query->scratch,
                          .place = &query->scratch.ray_place,
                          .counters = &report->counters,
                          .first_only = mode == CAROM_RAY_FIRST};
    ray_collector all = {query, mode, ray->max_t, false};
    query->hits.count = 0;
    BASE_TRY(tree_ray(&task, take_hit, &all));
    if (all.out_of_memory || !sort_hits(query))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "ray cast: no memory for %zu hits", query->hits.count);
    report->hits = query->hits.items;
    report->hit_count = query->hits.count;
    if (mode != CAROM_RAY_ANY)
        report->hash = hash_hits(report->hits, query->hits.count);
    return CAROM_OK;
}

carom_status carom_ray_cast(carom_query *query, const carom_placed *placed, const carom_ray *ray, carom_ray_mode mode,
                            carom_ray_report *report)
{
    if (!query || !report)
        return base_fail(query ? query->context : NULL, CAROM_INVALID_ARGUMENT, "ray cast: %s is null",
                         query ? "report" : "query");
    *report = (carom_ray_report){0};
    carom_status status = base_check_float_mode(query->context);
    if (status == CAROM_OK)
        status = check_placed(query, placed);
    if (status == CAROM_OK && BASE_UNLIKELY(!ray || !is_sound(ray, mode)))
        status = refuse_ray(query->context, ray, mode);
    if (status == CAROM_OK)
        status = cast(query, placed, ray, mode, report);
    if (status >= CAROM_FIRST_ERROR)
        *report = (carom_ray_report){.status = status};
    return report->status = status;
}
