/* Rays on a whole scene: a tree over the bodies' boxes finds the bodies that a ray may hit, and casts at single bodies
 * decide. */
#include "scene/scene.h"

/* One worker's memory. */
typedef struct hit_worker
{
    _Alignas(BASE_CACHE_LINE) carom_query *query; /* workers share no line */
    BASE_ARRAY(carom_body_hit) hits;
    BASE_ARRAY(base_key_value) order, space;
    carom_counters counters;
    carom_status failure;
} hit_worker;

/* Where the hits of a ray are before they are put in order. */
typedef struct hit_range
{
    uint32_t worker;
    uint64_t first, count;
} hit_range;

struct scene_hits
{
    hit_worker *workers;
    uint32_t worker_count;
    BASE_ARRAY(hit_range) ranges;
    BASE_ARRAY(carom_body_hit) hits;
    BASE_ARRAY(uint64_t) first_hit;
};

void scene_hits_free(carom_context *context, scene_hits *hits)
{
    if (!hits)
        return;
    for (uint32_t i = 0; hits->workers && i < hits->worker_count; i++)
    {
        carom_query_destroy(hits->workers[i].query);
        base_array_free(context, &hits->workers[i].hits);
        base_array_free(context, &hits->workers[i].order);
        base_array_free(context, &hits->workers[i].space);
    }
    base_release(context, hits->workers, hits->worker_count, sizeof *hits->workers);
    base_array_free(context, &hits->ranges);
    base_array_free(context, &hits->hits);
    base_array_free(context, &hits->first_hit);
    base_release(context, hits, 1, sizeof *hits);
}

static carom_status make_hits(carom_context *context, scene_hits **out)
{
    if (*out)
        return CAROM_OK;
    scene_hits *hits = base_allocate(context, 1, sizeof *hits, BASE_CACHE_LINE);
    if (!hits)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "scene cast: no memory");
    memset(hits, 0, sizeof *hits);
    hits->worker_count = base_worker_count(context);
    hits->workers = base_allocate(context, hits->worker_count, sizeof *hits->workers, BASE_CACHE_LINE);
    carom_status status = hits->workers ? CAROM_OK : base_fail(context, CAROM_OUT_OF_MEMORY, "scene cast: no memory");
    if (hits->workers)
        memset(hits->workers, 0, hits->worker_count * sizeof *hits->workers);
    for (uint32_t i = 0; status == CAROM_OK && i < hits->worker_count; i++)
        status = carom_query_create(context, &hits->workers[i].query);
    if (status != CAROM_OK)
        return scene_hits_free(context, hits), status;
    *out = hits;
    return CAROM_OK;
}

/* ---- one ray ---- */

typedef struct cast_task
{
    carom_scene *scene;
    scene_hits *hits;
    const carom_frame *frame;
    const carom_ray_batch *batch;
} cast_task;

/* May the ray meet the box before t? The slabs are widened by more than the rounding error of the arithmetic here. */
static bool may_meet(const carom_ray *ray, const carom_aabb *box, double max_t)
{
    const double o[3] = {ray->origin.x, ray->origin.y, ray->origin.z};
    const double d[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
    const double low[3] = {box->min.x, box->min.y, box->min.z}, high[3] = {box->max.x, box->max.y, box->max.z};
    double enter = 0.0, leave = narrow_ray_beyond(max_t);
    for (int k = 0; k < 3; k++)
    {
        double slack = 0x1p-48 * (fabs(o[k]) + fabs(low[k]) + fabs(high[k]));
        double near = low[k] - o[k] - slack, far = high[k] - o[k] + slack;
        if (d[k] == 0.0)
        {
            if (near > 0.0 || far < 0.0)
                return false;
            continue;
        }
        double t0 = near / d[k], t1 = far / d[k];
        enter = fmax(enter, fmin(t0, t1) * (1.0 - 0x1p-48));
        leave = fmin(leave, fmax(t0, t1) * (1.0 + 0x1p-48) + 0x1p-1022);
    }
    return enter <= leave;
}

/* The hits of one ray. */
typedef struct hit_order
{
    const carom_frame *frame;
    const carom_ray *ray; /* as the caller gave it */
    const carom_body_hit *hits;
    carom_counters *counters;
} hit_order;

static query_hit hit_in_frame(const carom_frame *frame, const carom_body_hit *hit)
{
    return (query_hit){&carom_frame_find(frame, hit->body)->placed, hit->hit.triangle, hit->hit.t};
}

/* By (t, body, triangle). */
static bool comes_first(const hit_order *order, const carom_body_hit *a, const carom_body_hit *b)
{
    if (BASE_LIKELY(narrow_ray_beyond(a->hit.t) < b->hit.t)) /* no need to find the bodies */
        return true;
    query_hit of_a = hit_in_frame(order->frame, a), of_b = hit_in_frame(order->frame, b);
    int by_t = query_compare_hits(order->ray, &of_a, &of_b, &order->counters->exact_fallbacks);
    if (by_t != 0)
        return by_t < 0;
    if (a->body.index != b->body.index)
        return a->body.index < b->body.index;
    return a->hit.triangle < b->hit.triangle;
}

static bool hit_before(uint64_t a, uint64_t b, void *user)
{
    const hit_order *order = user;
    return comes_first(order, &order->hits[a], &order->hits[b]);
}

/* Casts at one body and keeps the hits that the mode requires. For the first one, ray->max_t gets smaller. */
static carom_status cast_at_body(const cast_task *task, hit_worker *own, const carom_frame_body *body, carom_ray *ray,
                                 size_t first)
{
    carom_query *query = own->query;
    carom_ray_mode mode = task->batch->mode;
    query->hits.count = 0;
    /* NOLINTNEXTLINE(bugprone-suspicious-memory-comparison): bits are compared on purpose */
    if (memcmp(&query->scratch.ray_frame.pose, &body->placed.pose, sizeof body->placed.pose) != 0)
        query->scratch.ray_frame.pose = body->placed.pose, query->scratch.ray_frame.fit = 0;
    BASE_TRY(query_ray(query, &body->placed, ray, mode, &own->counters));
    if (!base_array_reserve(query->context, &own->hits, query->hits.count))
        return base_fail(query->context, CAROM_OUT_OF_MEMORY, "scene cast: no memory for hits");
    const hit_order order = {task->frame, ray, NULL, &own->counters};
    for (size_t i = 0; i < query->hits.count; i++)
    {
        carom_body_hit hit = {body->id, query->hits.items[i]};
        bool replaces = mode == CAROM_RAY_FIRST && own->hits.count > first;
        if (replaces && !comes_first(&order, &hit, &own->hits.items[first]))
            continue;
        own->hits.items[replaces ? first : own->hits.count++] = hit;
        if (mode == CAROM_RAY_FIRST)
            ray->max_t = narrow_ray_beyond(hit.hit.t); /* what this lets in beyond max_t comes after the hit */
    }
    return CAROM_OK;
}

/* Sorts the hits of one ray by (t, body, triangle). Bodies come in no particular order, each with its hits sorted. */
static carom_status sort_hits(const cast_task *task, hit_worker *own, const carom_ray *ray, size_t first)
{
    carom_context *context = task->scene->context;
    size_t count = own->hits.count - first;
    own->order.count = own->space.count = 0;
    if (count < 2)
        return CAROM_OK;
    if (!base_array_reserve(context, &own->order, count) || !base_array_reserve(context, &own->space, count) ||
        !base_array_reserve(context, &own->hits, count))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "scene cast: no memory for hits");
    carom_body_hit *hits = own->hits.items + first, *sorted = hits + count;
    base_key_value *order = own->order.items;
    for (size_t i = 0; i < count; i++)
    {
        order[i].value = i;
        memcpy(&order[i].key, &hits[i].hit.t, sizeof order[i].key); /* not negative */
    }
    query_sort_hits(order, own->space.items, count, hit_before, &(hit_order){task->frame, ray, hits, &own->counters});
    for (size_t i = 0; i < count; i++)
        sorted[i] = hits[order[i].value];
    memcpy(hits, sorted, count * sizeof *hits);
    return CAROM_OK;
}

static carom_status cast_ray(const cast_task *task, hit_worker *own, uint32_t index)
{
    const broad_box_tree *tree = &task->scene->boxes.tree;
    carom_ray ray = task->batch->rays[index];
    size_t start = own->hits.count;
    struct
    {
        uint32_t level, first;
    } stack[BROAD_TREE_LEVELS * BROAD_TREE_WIDTH];
    int depth = 0;
    bool done = tree->order.count == 0;
    stack[depth].level = tree->level_count - 1, stack[depth++].first = 0;
    while (depth > 0 && !done)
    {
        uint32_t level = stack[--depth].level, first = stack[depth].first, count = tree->levels[level].count;
        uint32_t last = first + BROAD_TREE_WIDTH < count ? first + BROAD_TREE_WIDTH : count;
        for (uint32_t i = first; i < last && !done; i++)
        {
            own->counters.boxes_tested++;
            if (!may_meet(&ray, &tree->boxes.items[tree->levels[level].first + i], ray.max_t))
                continue;
            if (level > 0)
            {
                stack[depth].level = level - 1, stack[depth++].first = i * BROAD_TREE_WIDTH;
                continue;
            }
            const carom_frame_body *body = &task->frame->bodies[tree->order.items[i].value];
            BASE_TRY(cast_at_body(task, own, body, &ray, start));
            done = task->batch->mode == CAROM_RAY_ANY && own->hits.count > start;
        }
    }
    return sort_hits(task, own, &task->batch->rays[index], start);
}

static void cast_range(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const cast_task *task = data;
    hit_worker *own = &task->hits->workers[worker];
    for (uint32_t i = first; i < last && own->failure == CAROM_OK; i++)
    {
        uint64_t start = own->hits.count;
        own->failure = cast_ray(task, own, i);
        task->hits->ranges.items[i] = (hit_range){worker, start, own->hits.count - start};
    }
}

/* ---- batches ---- */

static carom_status check_batch(carom_context *context, const carom_ray_batch *batch)
{
    if (!batch || (batch->count > 0 && !batch->rays))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "scene cast: %s is null", batch ? "batch.rays" : "batch");
    for (uint32_t i = 0; i < batch->count; i++)
        BASE_TRY(query_check_batch_ray(context, batch, i));
    return CAROM_OK;
}

static carom_status gather(cast_task *task, carom_frame_ray_report *report)
{
    scene_hits *hits = task->hits;
    carom_context *context = task->scene->context;
    uint32_t count = task->batch->count;
    size_t total = 0;
    for (uint32_t i = 0; i < hits->worker_count; i++)
    {
        if (hits->workers[i].failure != CAROM_OK)
            return hits->workers[i].failure;
        total += hits->workers[i].hits.count;
        query_count(&report->counters, &hits->workers[i].counters);
    }
    hits->hits.count = hits->first_hit.count = 0;
    if (!base_array_reserve(context, &hits->hits, total) ||
        !base_array_reserve(context, &hits->first_hit, (size_t)count + 1))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "scene cast: no memory for %zu hits", total);
    base_hash hash = base_hash_begin();
    for (uint32_t i = 0; i < count; i++)
    {
        const hit_range *range = &hits->ranges.items[i];
        const carom_body_hit *from = hits->workers[range->worker].hits.items;
        hits->first_hit.items[i] = hits->hits.count;
        base_hash_u64(&hash, range->count);
        for (uint64_t k = range->first; k < range->first + range->count; k++)
        {
            hits->hits.items[hits->hits.count++] = from[k];
            base_hash_u64(&hash, (uint64_t)from[k].body.index << 32 | from[k].body.generation);
            query_hash_hit(&hash, &from[k].hit);
        }
    }
    hits->first_hit.items[count] = hits->hits.count;
    *report = (carom_frame_ray_report){.hits = hits->hits.items,
                                       .hit_count = hits->hits.count,
                                       .first_hit = hits->first_hit.items,
                                       .ray_count = count,
                                       .hash = task->batch->mode == CAROM_RAY_ANY ? 0 : base_hash_end(&hash),
                                       .counters = report->counters};
    return CAROM_OK;
}

static carom_status cast(carom_scene *scene, const carom_ray_batch *batch, carom_frame_ray_report *report)
{
    enum
    {
        MIN_RANGE = 16 /* rays that are worth handing to another worker */
    };
    BASE_TRY(base_check_float_mode(scene->context));
    BASE_TRY(check_batch(scene->context, batch));
    BASE_TRY(make_hits(scene->context, &scene->hits));
    carom_frame frame;
    BASE_TRY(carom_scene_frame(scene, &frame));
    BASE_TRY(scene_check_trees(scene, &frame, false));
    BASE_TRY(scene_boxes_update(scene, &frame));
    cast_task task = {scene, scene->hits, &frame, batch};
    scene->hits->ranges.count = 0;
    if (!base_array_reserve(scene->context, &scene->hits->ranges, batch->count))
        return base_fail(scene->context, CAROM_OUT_OF_MEMORY, "scene cast: no memory for %u rays", batch->count);
    for (uint32_t i = 0; i < scene->hits->worker_count; i++)
    {
        hit_worker *own = &scene->hits->workers[i];
        own->hits.count = 0, own->failure = CAROM_OK, own->counters = (carom_counters){0};
    }
    base_parallel_for(scene->context, batch->count, MIN_RANGE, cast_range, &task);
    return gather(&task, report);
}

carom_status carom_scene_cast(carom_scene *scene, const carom_ray_batch *batch, carom_frame_ray_report *report)
{
    if (!scene || !report)
        return base_fail(scene ? scene->context : NULL, CAROM_INVALID_ARGUMENT, "scene cast: %s is null",
                         scene ? "report" : "scene");
    *report = (carom_frame_ray_report){0};
    carom_status status = cast(scene, batch, report);
    if (carom_failed(status))
        *report = (carom_frame_ray_report){.status = status};
    return report->status = status;
}
