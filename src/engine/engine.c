/* The engine object and its public functions: every frame is checked here before a run sees it. */
#include "engine/engine.h"

#include <stdio.h>

carom_engine_def carom_engine_def_default(void) { return (carom_engine_def){.engine = "tree", .broad_phase = "auto"}; }

/* ---- life ---- */

static carom_status make_worker(carom_engine *engine, const carom_engine_def *def, engine_worker *worker)
{
    worker->findings.context = engine->context;
    worker->rates = (engine_rates){.listing = 4e-8, .relation = 3e-4};
    BASE_TRY(carom_query_create(engine->context, &worker->query));
    if (!engine->kind->create_state)
        return CAROM_OK;
    BASE_TRY(engine->kind->create_state(engine->context, def, &worker->method_state));
    worker->query->method_state = worker->method_state;
    return CAROM_OK;
}

static carom_status make_workers(carom_engine *engine, const carom_engine_def *def)
{
    engine->worker_count = base_worker_count(engine->context);
    engine->workers = base_allocate(engine->context, engine->worker_count, sizeof *engine->workers, BASE_CACHE_LINE);
    if (!engine->workers)
        return base_fail(engine->context, CAROM_OUT_OF_MEMORY, "engine create: no memory for %u workers",
                         engine->worker_count);
    memset(engine->workers, 0, engine->worker_count * sizeof *engine->workers);
    for (uint32_t i = 0; i < engine->worker_count; i++)
        BASE_TRY(make_worker(engine, def, &engine->workers[i]));
    return CAROM_OK;
}

static carom_status copy_folder(carom_engine *engine, const char *folder)
{
    size_t size = strlen(folder) + 1;
    engine->assets.folder = base_allocate(engine->context, size, 1, 1);
    if (!engine->assets.folder)
        return base_fail(engine->context, CAROM_OUT_OF_MEMORY, "engine create: no memory for the name of a folder");
    memcpy(engine->assets.folder, folder, size);
    return CAROM_OK;
}

static void set_assets(carom_engine *engine)
{
    engine_assets *assets = &engine->assets;
    assets->context = engine->context;
    if (engine->author)
    {
        assets->owner = engine->author_state;
        assets->create = engine->author->create_asset;
        assets->update = engine->author->update_asset;
        assets->destroy = engine->author->destroy_asset;
        return;
    }
    assets->owner = engine->context;
    assets->create = engine->kind->create_asset;
    assets->update = engine->kind->update_asset;
    assets->load = engine->kind->load_asset;
    assets->destroy = engine->kind->destroy_asset;
}

static carom_status make_author(carom_engine *engine, const carom_engine_def *def)
{
    if (engine->kind->create_author)
        return engine->kind->create_author(engine->context, def, &engine->author_state);
    if (engine->author && engine->author->create)
        return engine->author->create(engine->context, &engine->author_state);
    return CAROM_OK;
}

static carom_status make_parts(carom_engine *engine, const carom_engine_def *def)
{
    carom_context *context = engine->context;
    BASE_TRY(make_workers(engine, def));
    BASE_TRY(make_author(engine, def));
    engine->author_ready = true;
    BASE_TRY(engine->broad->create(context, &engine->broad_state));
    set_assets(engine);
    return def->cache && def->cache[0] ? copy_folder(engine, def->cache) : CAROM_OK;
}

static carom_status choose_kind(carom_context *context, const carom_engine_def *def, carom_engine *out)
{
    const char *engine_name = def && def->engine ? def->engine : "tree";
    const char *broad_name = def && def->broad_phase ? def->broad_phase : "auto";
    out->author = engine_find_author(context, engine_name);
    out->kind = out->author ? &engine_tree : engine_find_name(engine_name);
    if (out->kind && !out->author)
        out->author = out->kind->author;
    if (!out->kind)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine create: there is no engine \"%s\"", engine_name);
    out->broad = broad_find_name(broad_name);
    if (!out->broad)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine create: there is no broad phase \"%s\"", broad_name);
    double cut_size = def ? def->cut_size : 0.0;
    if (!isfinite(cut_size))
        return base_fail(context, CAROM_NOT_FINITE, "engine create: cut_size is %g", cut_size);
    if (cut_size < 0.0)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine create: cut_size is negative (%g)", cut_size);
    out->grid_depth = def ? def->grid_depth : 0;
    if (out->grid_depth > BROAD_GRID_MAX_DEPTH)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine create: grid_depth is %u, more than %d",
                         out->grid_depth, BROAD_GRID_MAX_DEPTH);
    out->proxies.cut_size = out->kind->method == &query_tree_method ? cut_size : 0.0;
    return CAROM_OK;
}

carom_status carom_engine_create(carom_context *context, const carom_engine_def *def, carom_engine **out)
{
    if (out)
        *out = NULL;
    if (!context || !out)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine create: %s is null", context ? "out" : "context");
    carom_engine chosen = {.context = context};
    BASE_TRY(choose_kind(context, def, &chosen));
    carom_engine *engine = base_allocate(context, 1, sizeof *engine, BASE_CACHE_LINE);
    if (!engine)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine create: no memory");
    *engine = chosen;
    engine->proxies.context = engine->memories.context = context;
    engine->carried.context = engine->past.findings.context = context;
    engine->estimates_undecided = def && def->estimate_undecided;
    engine_pace_create(&engine->pace, base_worker_count(context) == 1);
    engine->proxies.first_free = ENGINE_NO_SLOT;
    carom_engine_def standard = carom_engine_def_default();
    carom_status status = make_parts(engine, def ? def : &standard);
    if (carom_failed(status))
        return carom_engine_destroy(engine), status;
    *out = engine;
    return CAROM_OK;
}

static void free_worker(carom_engine *engine, engine_worker *worker)
{
    engine_findings_free(&worker->findings);
    engine_free_spare(engine, worker);
    carom_query_destroy(worker->query);
    if (worker->method_state)
        engine->kind->destroy_state(worker->method_state);
}

static void free_arrays(carom_engine *engine)
{
    carom_context *context = engine->context;
    base_array_free(context, &engine->proposed);
    base_array_free(context, &engine->grouped);
    base_array_free(context, &engine->space);
    base_array_free(context, &engine->pairs);
    base_array_free(context, &engine->fronts);
    base_array_free(context, &engine->finding_refs);
    base_array_free(context, &engine->open);
    base_array_free(context, &engine->waiting);
    base_array_free(context, &engine->slices);
    base_array_free(context, &engine->body_pairs);
    base_array_free(context, &engine->listed);
    base_array_free(context, &engine->contacts);
    base_array_free(context, &engine->points);
    base_array_free(context, &engine->urgencies);
    base_array_free(context, &engine->estimates);
    base_release(context, engine->kept, engine->kept_capacity, sizeof *engine->kept);
}

static carom_status refuse_busy(carom_engine *engine, const char *what)
{
    return base_fail(engine->context, CAROM_BUSY, "%s: the engine is in use: this was called from its own run", what);
}

void carom_engine_destroy(carom_engine *engine)
{
    if (!engine)
        return;
    carom_context *context = engine->context;
    if (engine->busy) /* the run goes on after the author's function */
    {
        refuse_busy(engine, "engine destroy");
        return;
    }
    engine_forget_open(engine, &engine->open);
    engine_free_past(engine);
    engine_assets_free(&engine->assets);
    if (engine->broad_state)
        engine->broad->destroy(engine->broad_state);
    if (engine->author && engine->author_ready && engine->author->destroy)
        engine->author->destroy(engine->author_state);
    for (uint32_t i = 0; engine->workers && i < engine->worker_count; i++)
        free_worker(engine, &engine->workers[i]);
    base_release(context, engine->workers, engine->worker_count, sizeof *engine->workers);
    engine_proxies_free(&engine->proxies);
    engine_rules_free(context, &engine->rules);
    engine_memories_free(&engine->memories);
    free_arrays(engine);
    base_release(context, engine, 1, sizeof *engine);
}

carom_engine_stats carom_engine_get_stats(const carom_engine *engine)
{
    carom_engine_stats sum = {0};
    if (engine && engine->kind->author && engine->kind->add_stats)
        return engine->kind->add_stats(engine->author_state, &sum), sum;
    for (uint32_t i = 0; engine && engine->kind->add_stats && i < engine->worker_count; i++)
        engine->kind->add_stats(engine->workers[i].method_state, &sum);
    return sum;
}

carom_broad_choice carom_engine_broad_phase(const carom_engine *engine)
{
    if (!engine || engine->author)
        return (carom_broad_choice){"", ""};
    return broad_choice(engine->broad, engine->broad_state);
}

/* ---- checks ---- */

static carom_status check_body(carom_context *context, const carom_frame_body *body)
{
    bool rays_only = query_is_mesh(&body->placed) && body->placed.shape.tree && body->placed.shape.tree->rays;
    if (rays_only)
        return base_fail(context, CAROM_UNSUPPORTED,
                         "body %u: its tree is one for rays, which has no answer for pairs; hand in another or none",
                         body->id.index);
    if (!(body->margin >= 0.0 && body->margin <= MATH_COORDINATE_LIMIT))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "body %u: its margin is %g", body->id.index, body->margin);
    if (!(body->priority >= 0.0 && body->priority <= MATH_COORDINATE_LIMIT))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "body %u: its priority is %g", body->id.index,
                         body->priority);
    return CAROM_OK;
}

/* Most bodies are sound: only the others need a label for the message. */
static bool is_plainly_sound(const carom_context *context, const carom_placed *placed)
{
    const carom_shape *shape = &placed->shape;
    return query_is_mesh(placed) && shape->mesh && shape->mesh->context == context && !shape->tree &&
           math_check_pose(&placed->pose) == CAROM_OK;
}

static carom_status check_placed(carom_context *context, const carom_frame_body *body)
{
    if (BASE_LIKELY(is_plainly_sound(context, &body->placed)))
        return CAROM_OK;
    char whose[32];
    snprintf(whose, sizeof whose, "body %u", body->id.index);
    return query_check_placed(context, &body->placed, whose);
}

/* Callers can make frames too, or change copies of a scene's. So every run checks its bodies, once: nothing after this
 * does. */
static carom_status check_bodies(carom_context *context, const carom_frame *frame)
{
    for (uint32_t i = 0; i < frame->body_count; i++)
    {
        const carom_frame_body *body = &frame->bodies[i];
        if (body->id.index == 0 || (i > 0 && body->id.index <= frame->bodies[i - 1].id.index))
            return base_fail(context, CAROM_INVALID_ARGUMENT,
                             "engine run: the frame's bodies are not sorted by id (position %u)", i);
        BASE_TRY(check_placed(context, body));
        BASE_TRY(check_body(context, body));
    }
    return CAROM_OK;
}

static carom_status check_frame(carom_context *context, const carom_frame *frame)
{
    if (!frame || (!frame->bodies && frame->body_count > 0))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine run: %s is null", frame ? "frame.bodies" : "frame");
    return scene_check_fresh(context, frame);
}

static carom_status check_options(carom_context *context, const carom_collide_options *options)
{
    BASE_TRY(query_check_collide_options(context, options));
    if (options->cache)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "options: a pair cache belongs to one pair, not to a frame");
    if (options->on_pair)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "options: an engine does not stream pairs");
    return CAROM_OK;
}

/* ---- runs ---- */

static carom_status close_run(carom_engine *engine, carom_status status, double start, carom_scene_report *report)
{
    engine->has_run = !carom_failed(status) && !engine->skipped;
    engine_pace_end(&engine->pace);
    if (carom_failed(status))
    {
        *report = (carom_scene_report){.status = status};
        return status;
    }
    engine->can_resume = report->status == CAROM_UNKNOWN;
    if (!engine->skipped)
        engine->past.usable = engine->can_resume;
    report->times = engine->times;
    report->times.total_ms = 1e3 * (base_now() - start);
    return report->status;
}

/* Runs the engine's question on a frame, unless there is no time for that. */
static carom_status begin_run(carom_engine *engine, const carom_frame *frame, carom_scene_report *report)
{
    engine->scene = frame->scene, engine->version = frame->version;
    engine->skipped = engine_pace_skips(&engine->pace, frame->body_count);
    if (engine->skipped)
    {
        engine->times = (carom_times){0};
        return engine_report_nothing(frame, report), CAROM_OK;
    }
    BASE_TRY(check_bodies(engine->context, frame));
    BASE_TRY(engine_rules_update(engine, frame));
    return engine_run(engine, frame, report);
}

static carom_status run_checked(carom_engine *engine, const carom_frame *frame, const carom_collide_options *options,
                                carom_scene_report *report)
{
    bool was_cut_short = engine->can_resume && !engine->skipped;
    engine->can_resume = false;
    BASE_TRY(base_check_float_mode(engine->context));
    BASE_TRY(check_options(engine->context, options));
    BASE_TRY(check_frame(engine->context, frame));
    bool goes_on = was_cut_short && frame->scene != 0 && frame->scene == engine->scene &&
                   frame->version == engine->version && engine_same_question(options, &engine->options);
    engine->options = *options;
    if (!goes_on)
        return begin_run(engine, frame, report);
    BASE_TRY(check_bodies(engine->context, frame));
    return engine_continue(engine, frame, &options->budget, report);
}

static carom_status begin_call(carom_engine *engine, const char *call, carom_scene_report *report)
{
    if (!engine || !report)
        return base_fail(engine ? engine->context : NULL, CAROM_INVALID_ARGUMENT, "%s: %s is null", call,
                         engine ? "report" : "engine");
    *report = (carom_scene_report){0};
    return engine->busy ? report->status = refuse_busy(engine, call) : CAROM_OK;
}

carom_status carom_engine_run(carom_engine *engine, const carom_frame *frame, const carom_collide_options *options,
                              carom_scene_report *report)
{
    double start = base_now();
    BASE_TRY(begin_call(engine, "engine run", report));
    engine->busy = true;
    carom_collide_options chosen = options ? *options : carom_collide_options_default();
    engine_pace_begin(&engine->pace, &chosen.budget, start);
    carom_status status = run_checked(engine, frame, &chosen, report);
    engine->busy = false;
    return close_run(engine, status, start, report);
}

static carom_status resume_checked(carom_engine *engine, const carom_frame *frame, const carom_budget *budget,
                                   carom_scene_report *report)
{
    const carom_budget none = {0};
    if (!engine->can_resume)
        return base_fail(engine->context, CAROM_INVALID_ARGUMENT,
                         "engine resume: the last run did not end in CAROM_UNKNOWN");
    BASE_TRY(base_check_float_mode(engine->context));
    BASE_TRY(query_check_budget(engine->context, budget ? budget : &none));
    BASE_TRY(check_frame(engine->context, frame));
    if (frame->scene == 0 || frame->scene != engine->scene || frame->version != engine->version)
        return base_fail(engine->context, CAROM_STALE_FRAME,
                         "engine resume: the frame is not that of the run to be resumed");
    if (engine->skipped)
    {
        engine->can_resume = false;
        engine->options.budget = budget ? *budget : none;
        return begin_run(engine, frame, report);
    }
    BASE_TRY(check_bodies(engine->context, frame));
    engine->can_resume = false; /* unless this succeeds */
    return engine_continue(engine, frame, budget, report);
}

carom_status carom_engine_resume(carom_engine *engine, const carom_frame *frame, const carom_budget *budget,
                                 carom_scene_report *report)
{
    double start = base_now();
    BASE_TRY(begin_call(engine, "engine resume", report));
    engine->busy = true;
    engine_pace_begin(&engine->pace, budget, start);
    engine->times = (carom_times){0};
    carom_status status = resume_checked(engine, frame, budget, report);
    engine->busy = false;
    return close_run(engine, status, start, report);
}
