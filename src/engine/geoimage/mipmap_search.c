/* Searches of whole pairs from their roots, many at once, and all pairs of a frame before they are examined. */
#include "engine/geoimage/mipmap.h"

/* Where one hit is enough, a frontier is kept narrow, so that it comes to cells before all was looked at; the more was
 * looked at without success, the wider. */
enum
{
    ANY_BEAM = 256,    /* items at first, */
    ANY_PER_PAIR = 64, /* or so many for each pair of bodies; */
    ANY_WIDENING = 4   /* and so many times as many in the next round */
};

/* ---- one hit is enough ---- */

/* Decides the candidates from `first` on; of each pair the first that meets stays. Drops what is open of such pairs. */
static void decide_found(mipmap_state *state, size_t first)
{
    frontier_items *found = &state->job.found, *open = &state->job.open;
    narrow_counts counts = {0};
    size_t kept = first, still_open = 0;
    double start = base_now();
    for (size_t i = first; i < found->count; i++)
    {
        frontier_item candidate = found->items[i];
        const mipmap_pair *pair = &state->pairs.items[candidate.pair];
        if (state->hits.items[candidate.pair])
            continue;
        narrow_triangle a = tree_world_triangle(&pair->placed_a, candidate.a);
        narrow_triangle b = tree_world_triangle(&pair->placed_b, candidate.b);
        if (!narrow_touches(&a, &b, &counts))
            continue;
        state->hits.items[candidate.pair] = 1;
        found->items[kept++] = candidate;
    }
    found->count = kept;
    for (size_t i = 0; i < open->count; i++)
        if (!state->hits.items[open->items[i].pair])
            open->items[still_open++] = open->items[i];
    open->count = still_open;
    state->exact_seconds += base_now() - start;
}

static uint32_t any_beam(const mipmap_runner *runner, size_t pair_count)
{
    uint64_t beam = ANY_PER_PAIR * (uint64_t)pair_count, max = mipmap_max_beam(runner);
    beam = beam > ANY_BEAM ? beam : ANY_BEAM;
    return (uint32_t)(beam < max ? beam : max);
}

/* ---- rounds ---- */

static carom_status run_rounds(mipmap_state *state, bool any)
{
    mipmap_job *job = &state->job;
    while (job->open.count > 0)
    {
        size_t before = job->found.count;
        BASE_TRY(mipmap_round(job));
        if (!any)
            continue;
        decide_found(state, before);
        job->beam = job->beam < job->runner->beam ? ANY_WIDENING * job->beam : 0; /* 0: as wide as there is room */
    }
    return CAROM_OK;
}

static carom_status begin_job(mipmap_state *state, bool any)
{
    mipmap_runner *runner = &state->device;
    uint32_t count = (uint32_t)state->pairs.count;
    state->hits.count = 0;
    if (!base_array_reserve(state->context, &state->hits, count))
        return mipmap_out_of_memory(state->context);
    memset(state->hits.items, 0, count);
    BASE_TRY(mipmap_job_begin(&state->job, runner, state->pairs.items, count));
    state->job.beam = any ? any_beam(runner, count) : 0;
    return mipmap_runner_load(runner, state->pairs.items, state->places.items, count);
}

static carom_status search_on_device(mipmap_state *state, bool any)
{
    mipmap_runner *runner = &state->device;
    if (!runner->device)
    {
        runner->waits = state->time_stages;
        BASE_TRY(mipmap_runner_open(runner, state->context, state->kind));
    }
    BASE_TRY(compute_begin(runner->device));
    carom_status status = begin_job(state, any);
    if (!carom_failed(status))
        status = run_rounds(state, any);
    carom_status ended = compute_end(runner->device);
    return carom_failed(status) ? status : ended;
}

/* A device that was lost, or refuses what it should not, is given up: the processor does the same. */
carom_status mipmap_search(mipmap_state *state, bool any)
{
    carom_status status = search_on_device(state, any);
    if (carom_failed(status) && state->kind != COMPUTE_PROCESSOR)
    {
        char message[BASE_MESSAGE_SIZE];
        carom_context_message(state->context, message, sizeof message);
        base_log(state->context, CAROM_LOG_WARNING, "engine geoimage: goes on without the device: %s", message);
        mipmap_runner_close(&state->device);
        state->kind = COMPUTE_PROCESSOR;
        status = search_on_device(state, any);
    }
    BASE_TRY(status);
    return frontier_sort_items(state->context, &state->job.found, state->pairs.count, &state->sorted);
}

/* ---- all pairs of a frame ---- */

/* Notes a pair of the frame: it becomes one of the job, or is decided at once, or is left to its own search. */
static carom_status add_pair(mipmap_state *state, const carom_engine *engine, const carom_frame *frame, uint32_t index)
{
    const engine_pair *pair = &engine->pairs.items[index];
    const carom_placed *a = &frame->bodies[pair->a].placed, *b = &frame->bodies[pair->b].placed;
    const mipmap_asset *asset_a = engine->kept[pair->a], *asset_b = engine->kept[pair->b];
    frontier_result *result = &state->batch.results.items[index];
    *result = (frontier_result){0};
    if (!frontier_pair_waits(engine, index) || pair->part_count > 0 || !mipmap_is_searched(asset_a) ||
        !mipmap_is_searched(asset_b))
        return CAROM_OK;
    carom_context *context = state->context;
    if (!base_array_reserve(context, &state->pairs, 1) ||
        !base_array_reserve(context, &state->places, FRONTIER_PLACE) ||
        !base_array_reserve(context, &state->indices, 1))
        return mipmap_out_of_memory(context);
    mipmap_pair placed = {asset_a, asset_b, query_placed_mesh(a, NULL), query_placed_mesh(b, NULL)};
    frontier_verdict verdict = mipmap_place_pair(&placed, state->places.items + state->places.count);
    if (verdict == FRONTIER_UNCERTAIN)
        return CAROM_OK;
    *result = (frontier_result){.pose_a = a->pose,
                                .pose_b = b->pose,
                                .serial_a = asset_a->serial,
                                .serial_b = asset_b->serial,
                                .known = true,
                                .complete = true};
    if (verdict == FRONTIER_FAR)
        return CAROM_OK;
    state->pairs.items[state->pairs.count++] = placed;
    state->places.count += FRONTIER_PLACE;
    state->indices.items[state->indices.count++] = index;
    return CAROM_OK;
}

static carom_status list_pairs(mipmap_state *state, const carom_engine *engine, const carom_frame *frame)
{
    frontier_batch *batch = &state->batch;
    size_t count = engine->pairs.count;
    state->pairs.count = state->places.count = state->indices.count = 0;
    batch->results.count = batch->keys.count = batch->pair_count = 0;
    if (!base_array_reserve(state->context, &batch->results, count))
        return mipmap_out_of_memory(state->context);
    for (uint32_t i = 0; i < count; i++)
        BASE_TRY(add_pair(state, engine, frame, i));
    batch->results.count = count;
    return CAROM_OK;
}

static carom_status store_results(mipmap_state *state, bool any)
{
    frontier_batch_source source = {.sorted = &state->sorted,
                                    .indices = state->indices.items,
                                    .count = state->pairs.count,
                                    .any = any,
                                    .boxes = state->job.boxes,
                                    .triangles = state->job.triangles};
    return frontier_batch_store(state->context, &state->batch, &source);
}

/* With a budget there is no batch: the trees do it in steps. */
carom_status mipmap_prepare_pairs(carom_engine *engine, const carom_frame *frame)
{
    mipmap_state *state = engine->workers[0].method_state;
    bool any = engine->options.mode == CAROM_COLLIDE_ANY;
    for (uint32_t i = 0; i < engine->worker_count; i++)
        ((mipmap_state *)engine->workers[i].method_state)->shared_batch = NULL;
    if (engine->options.budget.work > 0 || engine->pace.deadline > 0.0)
        return CAROM_OK;
    BASE_TRY(list_pairs(state, engine, frame));
    if (state->pairs.count > 0)
    {
        BASE_TRY(mipmap_search(state, any));
        BASE_TRY(store_results(state, any));
    }
    state->batch.memories = engine->memories.current.items;
    state->batch.pair_count = engine->memories.current.count;
    for (uint32_t i = 0; i < engine->worker_count; i++)
        ((mipmap_state *)engine->workers[i].method_state)->shared_batch = &state->batch;
    return CAROM_OK;
}
