/* Which bodies have a point in common with a shape or a box? The tree over the bodies' boxes finds candidates, and
 * pairs of placed shapes decide. A box meets a body if it meets one of its triangles, or else if one of its corners,
 * and with it all of the box, is inside. */
#include "scene/ask.h"
#include "scene/box.h"

#include <stdio.h>

/* What is compared with bodies. */
typedef struct probe
{
    carom_aabb bounds;   /* nothing of it is outside */
    bool is_box;         /* the bounds are the probe */
    carom_placed placed; /* the shape; of a box a corner */
    uint64_t categories;
} probe;

static bool boxes_meet(const carom_aabb *a, const carom_aabb *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

static bool box_holds(const carom_aabb *outer, const carom_aabb *inner)
{
    return outer->min.x <= inner->min.x && inner->max.x <= outer->max.x && outer->min.y <= inner->min.y &&
           inner->max.y <= outer->max.y && outer->min.z <= inner->min.z && inner->max.z <= outer->max.z;
}

/* ---- one probe ---- */

/* A search for a triangle that meets the box. */
typedef struct triangle_search
{
    const carom_aabb *box;
    double reach; /* from the core of what the box and the body's bounds have in common */
    mesh_placed mesh;
    bool found;
    narrow_counts counts;
} triangle_search;

static double try_triangle(uint32_t triangle, bool certain, void *user)
{
    (void)certain; /* within a radius of 0 */
    triangle_search *search = user;
    narrow_triangle corners = tree_world_triangle(&search->mesh, triangle);
    search->found = box_meets_triangle(search->box, &corners, &search->counts);
    return search->found ? -1.0 : search->reach;
}

static carom_aabb common_box(const carom_aabb *a, const carom_aabb *b)
{
    return (carom_aabb){vec3_max(a->min, b->min), vec3_min(a->max, b->max)};
}

/* A quick test: is one of six vertices of the mesh, which is not empty, in the box? */
static bool has_extreme(const carom_aabb *box, const carom_placed *placed)
{
    for (int i = 0; i < 6; i++)
        if (box_has_point(box, pose_apply(&placed->pose, placed->shape.mesh->extremes[i])))
            return true;
    return false;
}

/* boxes: the probe and the body's bounds. */
static carom_status compare_box_and_mesh(scene_ask_worker *own, const carom_aabb boxes[2],
                                         const query_question *question, bool *meets)
{
    *meets = has_extreme(&boxes[0], question->a);
    if (*meets)
        return CAROM_OK;
    base_budget unlimited = base_budget_begin(NULL);
    carom_aabb common = common_box(&boxes[0], &boxes[1]);
    narrow_round core = {.radius = 0.0};
    triangle_search search = {.box = &boxes[0], .mesh = query_placed_mesh(question->a, question->tree_a)};
    search.reach = box_core(&common, core.end);
    query_mesh_task task = {.context = own->query->context,
                            .mesh = search.mesh,
                            .defect = question->defect,
                            .budget = &unlimited,
                            .counters = &own->counters};
    narrow_near near = {.round = &core, .limit = search.reach, .on_triangle = try_triangle, .user = &search};
    carom_status status = query_tree_method.near(own->query->method_state, &task, &near);
    own->counters.exact_fallbacks += search.counts.exact_fallbacks;
    *meets = search.found;
    if (carom_failed(status) || search.found || !query_has_inside(&question->a->shape))
        return carom_failed(status) ? status : CAROM_OK;
    return scene_ask_meet(own, question, true, meets);
}

static carom_status compare(scene_ask_worker *own, const probe *probe, const carom_frame_body *body, bool *meets)
{
    *meets = probe->is_box && box_holds(&probe->bounds, &body->bounds);
    if (*meets)
        return CAROM_OK;
    query_question question;
    BASE_TRY(scene_ask_pair(own, &body->placed, &probe->placed, &question));
    if (!probe->is_box)
        return scene_ask_meet(own, &question, true, meets);
    if (query_is_mesh(&body->placed))
        return compare_box_and_mesh(own, (const carom_aabb[2]){probe->bounds, body->bounds}, &question, meets);
    narrow_counts counts = {0};
    narrow_round round = query_placed_round(&body->placed);
    *meets = box_meets_round(&probe->bounds, &round, &counts);
    own->counters.exact_fallbacks += counts.exact_fallbacks;
    return CAROM_OK;
}

static carom_status compare_with_bodies(const scene_asking *asking, scene_ask_worker *own, const probe *probe)
{
    const broad_box_tree *tree = &asking->scene->boxes.tree;
    struct
    {
        uint32_t level, first;
    } stack[BROAD_TREE_LEVELS * BROAD_TREE_WIDTH];
    int depth = 0;
    if (tree->order.count > 0)
        stack[depth].level = tree->level_count - 1, stack[depth++].first = 0;
    while (depth > 0)
    {
        uint32_t level = stack[--depth].level, first = stack[depth].first, count = tree->levels[level].count;
        uint32_t last = first + BROAD_TREE_WIDTH < count ? first + BROAD_TREE_WIDTH : count;
        for (uint32_t i = first; i < last; i++)
        {
            own->counters.boxes_tested++;
            if (!boxes_meet(&probe->bounds, &tree->boxes.items[tree->levels[level].first + i]))
                continue;
            if (level > 0)
            {
                stack[depth].level = level - 1, stack[depth++].first = i * BROAD_TREE_WIDTH;
                continue;
            }
            const carom_frame_body *body = &asking->frame.bodies[tree->order.items[i].value];
            bool meets = false;
            if (scene_ask_wants(body, probe->categories))
                BASE_TRY(compare(own, probe, body, &meets));
            if (!meets)
                continue;
            if (!base_array_reserve(own->query->context, &own->order, 1))
                return scene_ask_out_of_memory(asking);
            own->order.items[own->order.count++] = scene_id_word(body->id);
        }
    }
    return CAROM_OK;
}

/* The ids that were found, sorted. */
static carom_status list_bodies(const scene_asking *asking, scene_ask_worker *own)
{
    carom_context *context = own->query->context;
    size_t count = own->order.count;
    own->space.count = 0;
    if (!base_array_reserve(context, &own->space, count) || !base_array_reserve(context, &own->found, count))
        return scene_ask_out_of_memory(asking);
    base_sort_u64(own->order.items, own->space.items, count);
    for (size_t i = 0; i < count; i++)
    {
        uint64_t word = own->order.items[i];
        own->found.items[own->found.count++] = (carom_near_body){.body = {(uint32_t)(word >> 32), (uint32_t)word}};
    }
    return CAROM_OK;
}

static carom_status answer(const scene_asking *asking, scene_ask_worker *own, const probe *probe)
{
    own->order.count = 0;
    if (!broad_is_empty(&probe->bounds))
        BASE_TRY(compare_with_bodies(asking, own, probe));
    return list_bodies(asking, own);
}

static carom_status answer_shape(const scene_asking *asking, scene_ask_worker *own, uint32_t index)
{
    const carom_probe_batch *batch = asking->batch;
    probe probe = {.placed = batch->probes[index], .categories = batch->categories};
    probe.bounds = query_world_box(&probe.placed);
    return answer(asking, own, &probe);
}

static carom_status answer_box(const scene_asking *asking, scene_ask_worker *own, uint32_t index)
{
    const carom_box_batch *batch = asking->batch;
    probe probe = {.bounds = batch->boxes[index], .is_box = true, .categories = batch->categories};
    carom_vec3 corner = probe.bounds.min;
    probe.placed = (carom_placed){carom_shape_sphere(0.0), carom_pose_translation(corner.x, corner.y, corner.z)};
    return answer(asking, own, &probe);
}

/* ---- batches ---- */

static carom_status check_probe(carom_context *context, const carom_placed *placed, uint32_t index)
{
    char whose[32];
    snprintf(whose, sizeof whose, "probe %u", index);
    BASE_TRY(query_check_placed(context, placed, whose));
    if (query_is_mesh(placed) && placed->shape.tree && placed->shape.tree->rays)
        return base_fail(context, CAROM_UNSUPPORTED, "%s: its tree is one for rays; hand in another or none", whose);
    return CAROM_OK;
}

static carom_status check_box(carom_context *context, const carom_aabb *box, uint32_t index)
{
    const double values[6] = {box->min.x, box->min.y, box->min.z, box->max.x, box->max.y, box->max.z};
    for (int i = 0; i < 6; i++)
        if (isnan(values[i]))
            return base_fail(context, CAROM_NOT_FINITE, "box %u holds NaN", index);
    if (broad_is_empty(box))
        return CAROM_OK;
    for (int i = 0; i < 6; i++)
    {
        if (isinf(values[i]))
            return base_fail(context, CAROM_NOT_FINITE, "box %u holds infinity", index);
        if (fabs(values[i]) > MATH_COORDINATE_LIMIT)
            return base_fail(context, CAROM_OUT_OF_RANGE, "box %u reaches beyond 2^100", index);
    }
    return CAROM_OK;
}

static carom_status gather(const scene_asking *asking, carom_overlap_report *report)
{
    scene_ask *ask = asking->scene->ask;
    carom_context *context = asking->scene->context;
    ask->bodies.count = ask->first_body.count = 0;
    if (!base_array_reserve(context, &ask->bodies, asking->total) ||
        !base_array_reserve(context, &ask->first_body, (size_t)asking->count + 1))
        return scene_ask_out_of_memory(asking);
    base_hash hash = base_hash_begin();
    for (uint32_t i = 0; i < asking->count; i++)
    {
        uint64_t count;
        const carom_near_body *found = scene_ask_found(ask, i, &count);
        ask->first_body.items[i] = ask->bodies.count;
        base_hash_u64(&hash, count);
        for (uint64_t k = 0; k < count; k++)
        {
            ask->bodies.items[ask->bodies.count++] = found[k].body;
            base_hash_u64(&hash, scene_id_word(found[k].body));
        }
    }
    ask->first_body.items[asking->count] = ask->bodies.count;
    *report = (carom_overlap_report){.bodies = ask->bodies.items,
                                     .body_count = ask->bodies.count,
                                     .first_body = ask->first_body.items,
                                     .probe_count = asking->count,
                                     .hash = base_hash_end(&hash),
                                     .counters = asking->counters};
    return CAROM_OK;
}

static carom_status run(scene_asking *asking, carom_overlap_report *report)
{
    BASE_TRY(scene_ask_run(asking));
    return gather(asking, report);
}

static carom_status finish(carom_status status, carom_overlap_report *report)
{
    if (carom_failed(status))
        *report = (carom_overlap_report){0};
    return report->status = status;
}

static carom_status refuse_null(const carom_scene *scene, const char *call, const char *what)
{
    return base_fail(scene ? scene->context : NULL, CAROM_INVALID_ARGUMENT, "%s: %s is null", call, what);
}

static carom_status overlap(carom_scene *scene, const carom_probe_batch *batch, carom_overlap_report *report)
{
    BASE_TRY(base_check_float_mode(scene->context));
    if (!batch || (batch->count > 0 && !batch->probes))
        return refuse_null(scene, "scene overlap", batch ? "batch.probes" : "batch");
    for (uint32_t i = 0; i < batch->count; i++)
        BASE_TRY(check_probe(scene->context, &batch->probes[i], i));
    scene_asking asking = {
        .call = "scene overlap", .scene = scene, .batch = batch, .answer = answer_shape, .count = batch->count};
    return run(&asking, report);
}

static carom_status overlap_boxes(carom_scene *scene, const carom_box_batch *batch, carom_overlap_report *report)
{
    BASE_TRY(base_check_float_mode(scene->context));
    if (!batch || (batch->count > 0 && !batch->boxes))
        return refuse_null(scene, "scene overlap boxes", batch ? "batch.boxes" : "batch");
    for (uint32_t i = 0; i < batch->count; i++)
        BASE_TRY(check_box(scene->context, &batch->boxes[i], i));
    scene_asking asking = {
        .call = "scene overlap boxes", .scene = scene, .batch = batch, .answer = answer_box, .count = batch->count};
    return run(&asking, report);
}

carom_status carom_scene_overlap(carom_scene *scene, const carom_probe_batch *batch, carom_overlap_report *report)
{
    if (!scene || !report)
        return refuse_null(scene, "scene overlap", scene ? "report" : "scene");
    *report = (carom_overlap_report){0};
    return finish(overlap(scene, batch, report), report);
}

carom_status carom_scene_overlap_boxes(carom_scene *scene, const carom_box_batch *batch, carom_overlap_report *report)
{
    if (!scene || !report)
        return refuse_null(scene, "scene overlap boxes", scene ? "report" : "scene");
    *report = (carom_overlap_report){0};
    return finish(overlap_boxes(scene, batch, report), report);
}
