/* Which bodies are nearest to a point? The tree over the bodies' boxes is searched best first: the part whose box is
 * nearest comes next, until everything left is farther away than what was found. */
#include "scene/ask.h"

carom_point_batch carom_point_batch_default(void)
{
    return (carom_point_batch){.max_bodies = 1, .max_distance = INFINITY, .solid = true};
}

/* One point in question. */
typedef struct search
{
    const scene_asking *asking;
    scene_ask_worker *own;
    const carom_point_batch *batch;
    carom_vec3 point;
    carom_placed placed; /* the point as a body */
    size_t first;        /* of what was found, in own->found */
    double limit;        /* only bodies at this rounded distance or less matter */
} search;

/* Distances that round to x are below this, and what is farther away rounds to more. */
static double beyond(double x) { return fmax(nextafter(x, INFINITY), 0x1p-1000); }

/* A lower bound of the distance to anything in the box (docs/exactness.md, section 24). */
static double distance_to_box(carom_vec3 p, const carom_aabb *box)
{
    double x = fmax(fmax(box->min.x - p.x, p.x - box->max.x), 0.0);
    double y = fmax(fmax(box->min.y - p.y, p.y - box->max.y), 0.0);
    double z = fmax(fmax(box->min.z - p.z, p.z - box->max.z), 0.0);
    double square = x * x + y * y + z * z;
    return square > 0x1p-900 ? sqrt(square) * (1.0 - 0x1p-50) : 0.0; /* smaller ones may be denormal */
}

/* ---- one body ---- */

static carom_status measure(const search *search, const carom_frame_body *body, carom_report *report)
{
    query_question question;
    BASE_TRY(scene_ask_pair(search->own, &body->placed, &search->placed, &question));
    base_budget unlimited = base_budget_begin(NULL);
    double limit = fmax(fmin(search->batch->max_distance, beyond(search->limit)), 0x1p-1000);
    query_clear_report(report);
    if (search->batch->solid) /* which needs the relation */
        return query_distance(search->own->query, &question, &unlimited, limit, report);
    query_nearest nearest;
    nearest.begun = false;
    query_walk walk = {&question, NULL, &unlimited, &report->counters};
    return query_measure(search->own->query, &walk, limit, &nearest, report);
}

/* Keys for a heap whose first item is the last of the best: the farthest, of those the one with the largest index. */
static scene_heap_item rank_of(const carom_near_body *near, size_t slot)
{
    return (scene_heap_item){-near->distance, (uint64_t)(UINT32_MAX - near->body.index) << 32 | slot};
}

/* Keeps a body if it is among the best, of which there are not more than were asked for. */
static carom_status keep(search *search, const carom_near_body *near)
{
    scene_ask_worker *own = search->own;
    size_t most = search->batch->max_bodies, slot = own->best.count;
    if (most > 0 && slot == most)
    {
        scene_heap_item worst = own->best.items[0], item = rank_of(near, 0);
        slot = (uint32_t)worst.value;
        if (item.key < worst.key || (item.key == worst.key && item.value >> 32 < worst.value >> 32))
            return CAROM_OK;
        scene_heap_pop(&own->best);
    }
    else if (slot >= UINT32_MAX || !base_array_reserve(own->query->context, &own->found, 1))
        return scene_ask_out_of_memory(search->asking);
    own->found.items[search->first + slot] = *near;
    own->found.count = search->first + own->best.count + 1;
    if (!scene_heap_push(own->query->context, &own->best, rank_of(near, slot)))
        return scene_ask_out_of_memory(search->asking);
    if (most > 0 && own->best.count == most)
        search->limit = fmin(search->limit, -own->best.items[0].key);
    return CAROM_OK;
}

static carom_status consider(search *search, const carom_frame_body *body)
{
    if (!scene_ask_wants(body, search->batch->categories))
        return CAROM_OK;
    carom_report report;
    BASE_TRY(measure(search, body, &report));
    query_count(&search->own->counters, &report.counters);
    carom_near_body near = {body->id, report.distance, report.point_a, report.triangle_a};
    if (search->batch->solid && report.relation == CAROM_RELATION_B_INSIDE_A && report.distance > 0.0)
        near = (carom_near_body){body->id, 0.0, search->point, CAROM_NO_TRIANGLE};
    return near.distance <= search->limit && near.distance < INFINITY ? keep(search, &near) : CAROM_OK;
}

/* ---- one point ---- */

/* Opens a node of the tree: level << 32 | index. Below level 0 there are bodies. */
static carom_status open_node(search *search, uint64_t node)
{
    scene_ask_worker *own = search->own;
    const broad_box_tree *tree = &search->asking->scene->boxes.tree;
    uint32_t level = (uint32_t)(node >> 32), index = (uint32_t)node;
    if (level == 0)
        return consider(search, &search->asking->frame.bodies[tree->order.items[index].value]);
    level--;
    broad_level below = tree->levels[level];
    uint32_t first = index * BROAD_TREE_WIDTH;
    for (uint32_t i = first; i < first + BROAD_TREE_WIDTH && i < below.count; i++)
    {
        own->counters.boxes_tested++;
        double distance = distance_to_box(search->point, &tree->boxes.items[below.first + i]);
        if (distance > beyond(search->limit))
            continue;
        if (!scene_heap_push(own->query->context, &own->nodes, (scene_heap_item){distance, (uint64_t)level << 32 | i}))
            return scene_ask_out_of_memory(search->asking);
    }
    return CAROM_OK;
}

/* The best in order: the heap gives the last one first. */
static carom_status sort_found(const search *search)
{
    scene_ask_worker *own = search->own;
    size_t count = own->best.count;
    if (!base_array_reserve(own->query->context, &own->found, count))
        return scene_ask_out_of_memory(search->asking);
    carom_near_body *found = own->found.items + search->first, *sorted = found + count;
    for (size_t i = count; i-- > 0;)
        sorted[i] = found[(uint32_t)scene_heap_pop(&own->best).value];
    if (count > 0)
        memcpy(found, sorted, count * sizeof *found);
    return CAROM_OK;
}

static carom_status answer(const scene_asking *asking, scene_ask_worker *own, uint32_t index)
{
    const carom_point_batch *batch = asking->batch;
    const broad_box_tree *tree = &asking->scene->boxes.tree;
    carom_vec3 p = batch->points[index];
    search search = {.asking = asking,
                     .own = own,
                     .batch = batch,
                     .point = p,
                     .placed = {carom_shape_sphere(0.0), carom_pose_translation(p.x, p.y, p.z)},
                     .first = own->found.count,
                     .limit = batch->max_distance};
    own->nodes.count = own->best.count = 0;
    /* The level above the highest has one node, whose box is not needed. */
    if (tree->order.count > 0)
        BASE_TRY(open_node(&search, (uint64_t)tree->level_count << 32));
    while (own->nodes.count > 0 && own->nodes.items[0].key <= beyond(search.limit))
        BASE_TRY(open_node(&search, scene_heap_pop(&own->nodes).value));
    return sort_found(&search);
}

/* ---- batches ---- */

static carom_status check_batch(carom_context *context, const carom_point_batch *batch)
{
    if (!batch || (batch->count > 0 && !batch->points))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "scene nearest: %s is null",
                         batch ? "batch.points" : "batch");
    if (isnan(batch->max_distance))
        return base_fail(context, CAROM_NOT_FINITE, "scene nearest: max_distance is NaN");
    if (batch->max_distance < 0.0)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "scene nearest: max_distance is negative (%g)",
                         batch->max_distance);
    for (uint32_t i = 0; i < batch->count; i++)
    {
        carom_vec3 p = batch->points[i];
        if (!vec3_finite(p))
            return base_fail(context, CAROM_NOT_FINITE, "point %u holds NaN or infinity", i);
        if (fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))) > MATH_COORDINATE_LIMIT)
            return base_fail(context, CAROM_OUT_OF_RANGE, "point %u lies beyond 2^100", i);
    }
    return CAROM_OK;
}

static void hash_near(base_hash *hash, const carom_near_body *near)
{
    base_hash_u64(hash, scene_id_word(near->body));
    base_hash_double(hash, near->distance);
    query_hash_point(hash, near->point);
    base_hash_u64(hash, near->triangle);
}

static carom_status gather(const scene_asking *asking, carom_nearest_report *report)
{
    scene_ask *ask = asking->scene->ask;
    carom_context *context = asking->scene->context;
    ask->near.count = ask->first_near.count = 0;
    if (!base_array_reserve(context, &ask->near, asking->total) ||
        !base_array_reserve(context, &ask->first_near, (size_t)asking->count + 1))
        return scene_ask_out_of_memory(asking);
    base_hash hash = base_hash_begin();
    for (uint32_t i = 0; i < asking->count; i++)
    {
        uint64_t count;
        const carom_near_body *found = scene_ask_found(ask, i, &count);
        ask->first_near.items[i] = ask->near.count;
        base_hash_u64(&hash, count);
        for (uint64_t k = 0; k < count; k++)
        {
            ask->near.items[ask->near.count++] = found[k];
            hash_near(&hash, &found[k]);
        }
    }
    ask->first_near.items[asking->count] = ask->near.count;
    *report = (carom_nearest_report){.bodies = ask->near.items,
                                     .body_count = ask->near.count,
                                     .first_body = ask->first_near.items,
                                     .point_count = asking->count,
                                     .hash = base_hash_end(&hash),
                                     .counters = asking->counters};
    return CAROM_OK;
}

static carom_status find_nearest(carom_scene *scene, const carom_point_batch *batch, carom_nearest_report *report)
{
    BASE_TRY(base_check_float_mode(scene->context));
    BASE_TRY(check_batch(scene->context, batch));
    scene_asking asking = {
        .call = "scene nearest", .scene = scene, .batch = batch, .answer = answer, .count = batch->count};
    BASE_TRY(scene_ask_run(&asking));
    return gather(&asking, report);
}

carom_status carom_scene_nearest(carom_scene *scene, const carom_point_batch *batch, carom_nearest_report *report)
{
    if (!scene || !report)
        return base_fail(scene ? scene->context : NULL, CAROM_INVALID_ARGUMENT, "scene nearest: %s is null",
                         scene ? "report" : "scene");
    *report = (carom_nearest_report){0};
    carom_status status = find_nearest(scene, batch, report);
    if (carom_failed(status))
        *report = (carom_nearest_report){0};
    return report->status = status;
}
