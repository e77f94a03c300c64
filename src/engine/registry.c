/* The list of engines, in one place, and the door to them: every frame is checked here before an engine sees it. */
#include "engine/engine.h"

#include <stdio.h>

static const engine_kind *const ENGINES[] = {&engine_tree, &engine_brute};

static const engine_kind *find_engine(const char *name)
{
    for (size_t i = 0; i < sizeof ENGINES / sizeof ENGINES[0]; i++)
        if (strcmp(ENGINES[i]->info.name, name) == 0)
            return ENGINES[i];
    return NULL;
}

const carom_engine_info *carom_engine_list(uint32_t index)
{
    return index < sizeof ENGINES / sizeof ENGINES[0] ? &ENGINES[index]->info : NULL;
}

carom_engine_def carom_engine_def_default(void) { return (carom_engine_def){"tree", "tree"}; }

carom_status carom_engine_create(carom_context *context, const carom_engine_def *def, carom_engine **out)
{
    if (out)
        *out = NULL;
    if (!context || !out)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine create: %s is null", context ? "out" : "context");
    const char *engine_name = def && def->engine ? def->engine : "tree";
    const char *broad_name = def && def->broad_phase ? def->broad_phase : "tree";
    const engine_kind *kind = find_engine(engine_name);
    if (!kind)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine create: there is no engine \"%s\"", engine_name);
    const broad_kind *broad = broad_find_name(broad_name);
    if (!broad)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine create: there is no broad phase \"%s\"", broad_name);

    carom_engine *engine = base_allocate(context, 1, sizeof *engine, BASE_CACHE_LINE);
    if (!engine)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine create: no memory");
    memset(engine, 0, sizeof *engine);
    engine->context = context;
    engine->kind = kind;
    engine->builder.context = context;
    carom_status status = kind->create(context, broad, &engine->state);
    if (status != CAROM_OK)
    {
        base_release(context, engine, 1, sizeof *engine);
        return status;
    }
    *out = engine;
    return CAROM_OK;
}

void carom_engine_destroy(carom_engine *engine)
{
    if (!engine)
        return;
    engine->kind->destroy(engine->state);
    engine_builder_free(&engine->builder);
    base_release(engine->context, engine, 1, sizeof *engine);
}

/* ---- checks ---- */

static carom_status check_frame(carom_context *context, const carom_frame *frame)
{
    if (!frame || (!frame->bodies && frame->body_count > 0))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine run: %s is null", frame ? "frame.bodies" : "frame");
    for (uint32_t i = 0; i < frame->body_count; i++)
    {
        const carom_frame_body *body = &frame->bodies[i];
        if (body->id.index == 0 || (i > 0 && body->id.index <= frame->bodies[i - 1].id.index))
            return base_fail(context, CAROM_INVALID_ARGUMENT,
                             "engine run: the frame's bodies are not sorted by id (position %u)", i);
        /* the name is made only for a culprit */
        if (query_check_placed(context, &body->placed, "body") != CAROM_OK)
        {
            char whose[32];
            snprintf(whose, sizeof whose, "body %u", body->id.index);
            return query_check_placed(context, &body->placed, whose);
        }
    }
    return CAROM_OK;
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

static carom_status run_checked(carom_engine *engine, const carom_frame *frame, const carom_collide_options *options,
                                carom_scene_report *report)
{
    double start = base_now();
    BASE_TRY(base_check_float_mode(engine->context));
    BASE_TRY(check_options(engine->context, options));
    BASE_TRY(check_frame(engine->context, frame));
    engine_builder_clear(&engine->builder, options);
    BASE_TRY(engine->kind->run(engine->state, frame, options, &engine->builder));
    double found = base_now();
    engine_builder_finish(&engine->builder, frame, report);
    double finished = base_now();
    report->times.report_ms += 1e3 * (finished - found);
    report->times.total_ms = 1e3 * (finished - start);
    return report->status;
}

carom_status carom_engine_run(carom_engine *engine, const carom_frame *frame, const carom_collide_options *options,
                              carom_scene_report *report)
{
    if (!engine || !report)
        return base_fail(engine ? engine->context : NULL, CAROM_INVALID_ARGUMENT, "engine run: %s is null",
                         engine ? "report" : "engine");
    *report = (carom_scene_report){0};
    carom_collide_options chosen = options ? *options : carom_collide_options_default();
    carom_status status = run_checked(engine, frame, &chosen, report);
    if (status >= CAROM_FIRST_ERROR)
        *report = (carom_scene_report){.status = status};
    return status;
}
