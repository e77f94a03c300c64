/* The whole flow, and the file to read first:
 *
 *   frame -> proxies -> broad phase -> pairs of bodies, with a front each -> examined by any worker -> committed in
 * order
 *
 * engine_run is that line in C. The engine chooses the broad phase that finds pairs of proxies, or the author's engine
 * that proposes pairs of bodies, and the method that searches their meshes; the steps between are the same for all. */
#include "engine/engine.h"

/* Notes the time of a stage. */
static void note_stage(double *since, double *milliseconds)
{
    double now = base_now();
    *milliseconds += 1e3 * (now - *since);
    *since = now;
}

static carom_status propose_pairs(carom_engine *engine, const carom_frame *frame);
static carom_status group_pairs(carom_engine *engine, const carom_frame *frame);
static carom_status begin_pairs(carom_engine *engine, const carom_frame *frame);
static carom_status prepare_shapes(carom_engine *engine, const carom_frame *frame);

carom_status engine_run(carom_engine *engine, const carom_frame *frame, carom_scene_report *report)
{
    double since = base_now();
    engine->times = (carom_times){0};
    engine->pace.continued = false;
    BASE_TRY(propose_pairs(engine, frame));
    if (engine->skipped)
        return engine_report_nothing(frame, report), CAROM_OK;
    engine_set_aside(engine);
    BASE_TRY(group_pairs(engine, frame));
    BASE_TRY(begin_pairs(engine, frame));
    note_stage(&since, &engine->times.broad_ms);

    BASE_TRY(prepare_shapes(engine, frame));
    engine_reopen(engine, frame);
    if (engine->kind->prepare_pairs)
        BASE_TRY(engine->kind->prepare_pairs(engine, frame));
    BASE_TRY(engine_examine(engine, frame, &engine->options.budget));
    note_stage(&since, &engine->times.mid_ms);

    BASE_TRY(engine_commit(engine, frame, report));
    note_stage(&since, &engine->times.report_ms);
    return CAROM_OK;
}

carom_status engine_continue(carom_engine *engine, const carom_frame *frame, const carom_budget *budget,
                             carom_scene_report *report)
{
    double since = base_now();
    engine->times = (carom_times){0};
    engine->pace.continued = true;
    engine_reopen(engine, frame);
    BASE_TRY(engine_prepare_trees(engine, frame));
    BASE_TRY(engine_examine(engine, frame, budget));
    note_stage(&since, &engine->times.mid_ms);

    BASE_TRY(engine_commit(engine, frame, report));
    note_stage(&since, &engine->times.report_ms);
    return CAROM_OK;
}

/* ---- pairs of proxies, or of bodies ---- */

/* The clearance reaches the broad phase as a margin, widened by the error of a computed distance: 2e-14 of the largest
 * coordinate difference between elements that close to each other. */
double engine_widen_clearance(const engine_extent *extent, double clearance)
{
    if (!(clearance + extent->margin > 0.0))
        return 0.0;
    return clearance + 4.0 * NARROW_ROUND_DISTANCE_ERROR * (clearance + 2.0 * extent->margin + 2.0 * extent->span);
}

static engine_extent measure_bodies(const carom_frame *frame)
{
    double span = 0.0, margin = 0.0;
    for (uint32_t i = 0; i < frame->body_count; i++)
    {
        const carom_aabb *box = &frame->bodies[i].bounds;
        margin = fmax(margin, frame->bodies[i].margin);
        if (broad_is_empty(box))
            continue;
        carom_vec3 size = vec3_sub(box->max, box->min);
        span = fmax(span, fmax(size.x, fmax(size.y, size.z)));
    }
    return (engine_extent){span, margin};
}

/* What an author's engine left out would count as apart: it proposes everything, or fails. */
static carom_status check_proposed(carom_engine *engine, carom_status status)
{
    if (status == CAROM_OK || carom_failed(status))
        return status;
    return base_fail(engine->context, CAROM_INVALID_ARGUMENT, "engine %s: its run ended with %s, not OK or an error",
                     engine->author->info.name, carom_status_name(status));
}

static carom_status propose_pairs(carom_engine *engine, const carom_frame *frame)
{
    engine->broad_boxes_tested = 0;
    engine->proposed.count = 0;
    engine_assets_begin(&engine->assets);
    engine_extent extent = measure_bodies(frame);
    if (engine->author)
    {
        carom_run run = {engine, frame};
        carom_status status = engine->author->run(engine->author_state, &run);
        engine_assets_end(&engine->assets, frame);
        BASE_TRY(check_proposed(engine, status));
        return engine_rules_propose(engine, frame, &extent);
    }
    engine->proxies.estimates = engine->options.relation;
    BASE_TRY(engine_proxies_update(&engine->proxies, frame));
    const engine_proxies *proxies = &engine->proxies;
    engine->skipped = engine_pace_skips_moved(&engine->pace, frame->body_count, proxies->changed.count);
    if (engine->skipped)
        return CAROM_OK; /* what has changed is kept for the next frame */
    broad_input input = {.boxes = proxies->boxes.items,
                         .traits = proxies->traits.items,
                         .slot_count = (uint32_t)proxies->boxes.count,
                         .changed = proxies->changed.items,
                         .changed_count = (uint32_t)proxies->changed.count,
                         .same_traits = !proxies->other_traits,
                         .distinct_owners = !(proxies->cut_size > 0.0),
                         .margin = engine_widen_clearance(&extent, engine->options.clearance),
                         .grid_depth = engine->grid_depth};
    BASE_TRY(engine->broad->find_pairs(engine->broad_state, &input, &engine->proposed, &engine->broad_boxes_tested));
    engine_proxies_forget_changes(&engine->proxies);
    return engine_rules_propose(engine, frame, &extent);
}

/* ---- pairs of bodies, canonical, each with its front ---- */

/* A proposed pair under the key of its bodies' positions; value: the two proxies, that of the first body first. */
static base_key_value make_key(const carom_engine *engine, uint64_t proposed)
{
    uint32_t one = (uint32_t)(proposed >> 32), other = (uint32_t)proposed;
    if (engine->author)
        return (base_key_value){proposed, 0};
    const engine_proxies *proxies = &engine->proxies;
    uint32_t a = proxies->bodies.items[proxies->traits.items[one].owner].position;
    uint32_t b = proxies->bodies.items[proxies->traits.items[other].owner].position;
    return a < b ? (base_key_value){(uint64_t)a << 32 | b, (uint64_t)one << 32 | other}
                 : (base_key_value){(uint64_t)b << 32 | a, (uint64_t)other << 32 | one};
}

/* Adds a pair of proxies to its pair of bodies. */
static bool add_proxies(carom_engine *engine, engine_pair *pair, uint64_t slots)
{
    const engine_proxy *a = &engine->proxies.proxies.items[slots >> 32];
    const engine_proxy *b = &engine->proxies.proxies.items[(uint32_t)slots];
    if (!a->searched || !b->searched)
        return true;
    pair->searched = true;
    if (!a->is_part && !b->is_part)
        return true;
    if (!base_array_reserve(engine->context, &engine->fronts, 1))
        return false;
    engine->fronts.items[engine->fronts.count++] = (narrow_part_pair){a->part, b->part, 0.0f};
    pair->part_count++;
    return true;
}

static carom_status out_of_memory(carom_engine *engine)
{
    return base_fail(engine->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for %zu pairs of boxes",
                     engine->proposed.count);
}

/* Begins a pair of bodies. False: its rule is never to compare them. */
static bool add_pair(carom_engine *engine, const carom_frame *frame, uint64_t key)
{
    uint32_t a = (uint32_t)(key >> 32), b = (uint32_t)key;
    double clearance = engine->options.clearance;
    if (BASE_UNLIKELY(engine->rules.items.count > 0))
    {
        carom_pair_rule rule = engine_rule_of(engine, &frame->bodies[a], &frame->bodies[b]);
        if (rule.kind == CAROM_RULE_NEVER)
            return false;
        clearance = rule.clearance;
    }
    engine->pairs.items[engine->pairs.count++] = (engine_pair){.a = a,
                                                               .b = b,
                                                               .first_part = (uint32_t)engine->fronts.count,
                                                               .searched = engine->author != NULL,
                                                               .clearance = clearance};
    return true;
}

static carom_status group_pairs(carom_engine *engine, const carom_frame *frame)
{
    size_t count = engine->proposed.count;
    engine->grouped.count = engine->space.count = engine->pairs.count = engine->fronts.count = 0;
    if (!base_array_reserve(engine->context, &engine->grouped, count) ||
        !base_array_reserve(engine->context, &engine->space, count) ||
        !base_array_reserve(engine->context, &engine->pairs, count))
        return out_of_memory(engine);
    /* A broad phase lists the parts of a body in any order, but a budget must end a search at the same point. */
    if (engine->proxies.cut_size > 0.0)
        base_sort_words(engine->context, engine->proposed.items, (uint64_t *)engine->space.items, count);
    for (size_t i = 0; i < count; i++)
        engine->grouped.items[i] = make_key(engine, engine->proposed.items[i]);
    base_sort_keys(engine->grouped.items, engine->space.items, count);
    bool allowed = false;
    for (size_t i = 0; i < count; i++)
    {
        uint64_t key = engine->grouped.items[i].key;
        if (i == 0 || key != engine->grouped.items[i - 1].key)
            allowed = add_pair(engine, frame, key);
        if (!allowed)
            continue;
        engine_pair *pair = &engine->pairs.items[engine->pairs.count - 1];
        if (!engine->author && !add_proxies(engine, pair, engine->grouped.items[i].value))
            return out_of_memory(engine);
    }
    return CAROM_OK;
}

/* ---- what examining needs ---- */

static carom_status prepare_assets(carom_engine *engine, const carom_frame *frame)
{
    if (!engine->kind->create_asset)
        return CAROM_OK;
    if (engine->kept_capacity < frame->body_count)
    {
        base_release(engine->context, engine->kept, engine->kept_capacity, sizeof *engine->kept);
        engine->kept = base_allocate(engine->context, frame->body_count, sizeof *engine->kept, BASE_CACHE_LINE);
        engine->kept_capacity = engine->kept ? frame->body_count : 0;
        if (!engine->kept)
            return base_fail(engine->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for %u bodies",
                             frame->body_count);
    }
    for (uint32_t i = 0; i < frame->body_count; i++)
        BASE_TRY(engine_assets_find(&engine->assets, &frame->bodies[i], &engine->kept[i]));
    engine_assets_end(&engine->assets, frame);
    return CAROM_OK;
}

static carom_status prepare_shapes(carom_engine *engine, const carom_frame *frame)
{
    BASE_TRY(engine_prepare_trees(engine, frame));
    return prepare_assets(engine, frame);
}

/* ---- what is known of them before they are examined ---- */

static bool reserve_pairs(carom_engine *engine)
{
    carom_context *context = engine->context;
    size_t count = engine->pairs.count;
    engine->finding_refs.count = engine->waiting.count = engine->slices.count = engine->open.count = 0;
    return base_array_reserve(context, &engine->finding_refs, count) &&
           base_array_reserve(context, &engine->open, count) && base_array_reserve(context, &engine->waiting, count) &&
           base_array_reserve(context, &engine->slices, count);
}

/* Every pair is undecided, but for what the last run left. */
static carom_status begin_pairs(carom_engine *engine, const carom_frame *frame)
{
    size_t count = engine->pairs.count;
    if (!reserve_pairs(engine))
        return out_of_memory(engine);
    for (size_t i = 0; i < count; i++)
        engine->finding_refs.items[i] = ENGINE_UNDECIDED, engine->open.items[i] = NULL;
    engine->finding_refs.count = engine->open.count = count;
    engine_carry(engine, frame);
    engine_memories_begin(&engine->memories, frame, engine->pairs.items, count);
    const carom_budget *budget = &engine->options.budget;
    if (budget->work > 0 || budget->seconds > 0.0)
        engine_note_bodies(engine, frame);
    engine->pace.reserve = engine_pace_cost(&engine->pace, &(engine_load){.undecided = count});
    return CAROM_OK;
}
