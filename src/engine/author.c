/* The functions of carom/author.h: a run as an author's engine sees it. */
#include "engine/engine.h"

const carom_frame *carom_run_frame(const carom_run *run) { return run ? run->frame : NULL; }

const carom_collide_options *carom_run_options(const carom_run *run) { return run ? &run->engine->options : NULL; }

double carom_run_clearance(const carom_run *run, uint32_t position_a, uint32_t position_b)
{
    if (!run || position_a >= run->frame->body_count || position_b >= run->frame->body_count)
        return 0.0;
    const carom_frame_body *a = &run->frame->bodies[position_a], *b = &run->frame->bodies[position_b];
    carom_pair_rule rule = engine_rule_of(run->engine, a, b);
    return rule.kind == CAROM_RULE_NEVER ? 0.0 : engine_clearance_of(a, b, rule.clearance).above;
}

static carom_status check_position(const carom_run *run, uint32_t position)
{
    if (position < run->frame->body_count)
        return CAROM_OK;
    return base_fail(run->engine->context, CAROM_OUT_OF_RANGE, "engine %s: position %u of %u bodies",
                     run->engine->author->info.name, position, run->frame->body_count);
}

static bool may_compare(const carom_frame_body *a, const carom_frame_body *b)
{
    return !(a->is_static && b->is_static) && broad_filter_allows(&a->filter, &b->filter);
}

carom_status carom_run_propose(carom_run *run, uint32_t position_a, uint32_t position_b)
{
    if (!run)
        return CAROM_INVALID_ARGUMENT;
    carom_engine *engine = run->engine;
    BASE_TRY(check_position(run, position_a));
    BASE_TRY(check_position(run, position_b));
    if (position_a == position_b)
        return base_fail(engine->context, CAROM_INVALID_ARGUMENT, "engine %s: body at position %u paired with itself",
                         engine->author->info.name, position_a);
    if (!may_compare(&run->frame->bodies[position_a], &run->frame->bodies[position_b]))
        return CAROM_OK;
    if (!base_array_reserve(engine->context, &engine->proposed, 1))
        return base_fail(engine->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for proposed pairs");
    engine->proposed.items[engine->proposed.count++] = broad_pack(position_a, position_b);
    return CAROM_OK;
}

carom_status carom_run_asset(carom_run *run, uint32_t position, void **out)
{
    if (!run || !out)
        return CAROM_INVALID_ARGUMENT;
    *out = NULL;
    BASE_TRY(check_position(run, position));
    return engine_assets_find(&run->engine->assets, &run->frame->bodies[position], out);
}
