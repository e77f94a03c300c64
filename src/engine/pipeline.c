/* The whole flow, and the file to read first:
 *
 *   frame -> broad phase -> pairs of bodies -> filter -> mid phase and narrow phase, pair by pair -> canonical report
 *
 * engine_pipeline_run is that line in C. Which broad phase finds the body pairs and which method finds their triangle
 * pairs is the engine's choice; the steps between are the same for all. */
#include "engine/engine.h"

/* Lets each stage of a run note its time. */
static void note_stage(double *since, double *milliseconds)
{
    double now = base_now();
    *milliseconds += 1e3 * (now - *since);
    *since = now;
}

static carom_status find_body_pairs(engine_pipeline *pipeline, const carom_frame *frame, double clearance,
                                    engine_builder *builder);
static void filter_body_pairs(engine_pipeline *pipeline, const carom_frame *frame);
static carom_status examine_pair(engine_pipeline *pipeline, const query_question *question,
                                 const engine_finding *bodies, const carom_collide_options *options,
                                 engine_builder *builder);

carom_status engine_pipeline_run(engine_pipeline *pipeline, const carom_frame *frame,
                                 const carom_collide_options *options, engine_builder *builder)
{
    base_budget budget = base_budget_begin(&options->budget);
    double since = base_now();

    BASE_TRY(find_body_pairs(pipeline, frame, options->clearance, builder));
    filter_body_pairs(pipeline, frame);
    note_stage(&since, &builder->times.broad_ms);

    engine_memories_begin(&pipeline->memories);
    carom_status status = CAROM_OK;
    for (size_t i = 0; i < pipeline->body_pairs.count && status < CAROM_FIRST_ERROR; i++)
    {
        const carom_frame_body *a = &frame->bodies[pipeline->body_pairs.items[i] >> 32];
        const carom_frame_body *b = &frame->bodies[(uint32_t)pipeline->body_pairs.items[i]];
        query_question question = {.a = &a->placed,
                                   .b = &b->placed,
                                   .defect = math_pair_defect(&a->placed.pose, &b->placed.pose),
                                   .method = pipeline->method,
                                   .method_state = pipeline->method_state,
                                   .budget = &budget,
                                   .memory = engine_memories_find(&pipeline->memories, a->id, b->id)};
        engine_finding bodies = {.body_a = a->id, .body_b = b->id};
        status = examine_pair(pipeline, &question, &bodies, options, builder);
    }
    engine_memories_end(&pipeline->memories);
    note_stage(&since, &builder->times.mid_ms);
    return status < CAROM_FIRST_ERROR ? CAROM_OK : status;
}

/* ---- the stages ---- */

/* The clearance reaches the broad phase as a margin, widened by what a computed distance may err: 1e-14 of the largest
 * coordinate difference between triangles that near each other. */
static double widen_clearance(const carom_frame *frame, double clearance)
{
    if (!(clearance > 0.0))
        return 0.0;
    double span = 0.0;
    for (uint32_t i = 0; i < frame->body_count; i++)
    {
        const carom_aabb *box = &frame->bodies[i].bounds;
        if (broad_is_empty(box))
            continue;
        carom_vec3 size = vec3_sub(box->max, box->min);
        span = fmax(span, fmax(size.x, fmax(size.y, size.z)));
    }
    return clearance + 4.0 * NARROW_DISTANCE_ERROR * (clearance + 2.0 * span);
}

static carom_status find_body_pairs(engine_pipeline *pipeline, const carom_frame *frame, double clearance,
                                    engine_builder *builder)
{
    pipeline->boxes.count = pipeline->ids.count = 0;
    if (!base_array_reserve(pipeline->context, &pipeline->boxes, frame->body_count) ||
        !base_array_reserve(pipeline->context, &pipeline->ids, frame->body_count))
        return base_fail(pipeline->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for %u boxes",
                         frame->body_count);
    for (uint32_t i = 0; i < frame->body_count; i++)
    {
        pipeline->boxes.items[i] = frame->bodies[i].bounds;
        pipeline->ids.items[i] = frame->bodies[i].id;
    }
    broad_input input = {pipeline->boxes.items, pipeline->ids.items, frame->body_count,
                         widen_clearance(frame, clearance)};
    return pipeline->broad->find_pairs(pipeline->broad_state, &input, &pipeline->body_pairs,
                                       &builder->counters.boxes_tested);
}

static void filter_body_pairs(engine_pipeline *pipeline, const carom_frame *frame)
{
    broad_pairs *pairs = &pipeline->body_pairs;
    size_t kept = 0;
    for (size_t i = 0; i < pairs->count; i++)
    {
        const carom_frame_body *a = &frame->bodies[pairs->items[i] >> 32];
        const carom_frame_body *b = &frame->bodies[(uint32_t)pairs->items[i]];
        if (scene_filter_allows(&a->filter, &b->filter))
            pairs->items[kept++] = pairs->items[i];
    }
    pairs->count = kept;
}

/* What is left of the frame's limit on listed pairs; past it they are only counted. */
static carom_collide_options limit_options(const carom_collide_options *options, const engine_builder *builder)
{
    carom_collide_options limited = *options;
    if (options->max_pairs == 0 || options->mode != CAROM_COLLIDE_ALL)
        return limited;
    if (builder->pairs.count < options->max_pairs)
        limited.max_pairs = options->max_pairs - builder->pairs.count;
    else
        limited.mode = CAROM_COLLIDE_COUNT, limited.contacts = false;
    return limited;
}

/* Where a clearance is violated, by how much? The first listed pair is the closest there can be. */
static carom_status measure_pair(engine_pipeline *pipeline, const query_question *question, double clearance,
                                 const carom_report *report, carom_report *closest)
{
    query_clear_report(closest);
    if (report->pairs_listed == 0)
        return query_distance(pipeline->query, question, clearance, closest);
    narrow_counts counts = {0};
    narrow_triangle a = tree_world_triangle(question->a, report->pairs[0].triangle_a);
    narrow_triangle b = tree_world_triangle(question->b, report->pairs[0].triangle_b);
    narrow_distance_result touch = narrow_distance(&a, &b, &counts);
    closest->distance = touch.distance;
    closest->point_a = touch.point_a, closest->point_b = touch.point_b;
    closest->triangle_a = report->pairs[0].triangle_a, closest->triangle_b = report->pairs[0].triangle_b;
    closest->counters.exact_fallbacks = counts.exact_fallbacks;
    return CAROM_OK;
}

static bool worth_listing(const carom_report *report)
{
    return report->pair_count > 0 || report->clearance_violated || report->relation == CAROM_RELATION_A_INSIDE_B ||
           report->relation == CAROM_RELATION_B_INSIDE_A || report->status == CAROM_UNKNOWN;
}

static carom_status examine_pair(engine_pipeline *pipeline, const query_question *question,
                                 const engine_finding *bodies, const carom_collide_options *options,
                                 engine_builder *builder)
{
    if (question->budget->exhausted)
        return engine_builder_add_undecided(builder, bodies->body_a, bodies->body_b);
    query_question with_trees = *question;
    carom_placed own[2];
    if (question->method->needs_trees)
        BASE_TRY(query_add_trees(pipeline->query, &with_trees, own));
    carom_collide_options limited = limit_options(options, builder);
    carom_report report, closest;
    query_clear_report(&report);
    BASE_TRY(query_collide(pipeline->query, &with_trees, &limited, &report));
    builder->body_pairs_examined++;
    engine_builder_count(builder, &report.counters);
    if (!worth_listing(&report))
        return CAROM_OK;
    engine_finding finding = *bodies;
    finding.report = &report;
    if (report.clearance_violated)
    {
        BASE_TRY(measure_pair(pipeline, &with_trees, options->clearance, &report, &closest));
        engine_builder_count(builder, &closest.counters);
        finding.closest = &closest;
    }
    return engine_builder_add(builder, &finding);
}

/* ---- open and close ---- */

carom_status engine_pipeline_open(engine_pipeline *pipeline, carom_context *context, const broad_kind *broad)
{
    memset(pipeline, 0, sizeof *pipeline);
    pipeline->context = context;
    pipeline->broad = broad;
    pipeline->method = &query_tree_method;
    pipeline->memories.context = context;
    BASE_TRY(broad->create(context, &pipeline->broad_state));
    carom_status status = carom_query_create(context, &pipeline->query);
    if (status != CAROM_OK)
        broad->destroy(pipeline->broad_state);
    return status;
}

void engine_pipeline_close(engine_pipeline *pipeline)
{
    pipeline->broad->destroy(pipeline->broad_state);
    carom_query_destroy(pipeline->query);
    engine_memories_free(&pipeline->memories);
    base_array_free(pipeline->context, &pipeline->boxes);
    base_array_free(pipeline->context, &pipeline->ids);
    base_array_free(pipeline->context, &pipeline->body_pairs);
}
