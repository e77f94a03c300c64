/* All pairs of a frame in one search, before the workers examine them one by one. */
#include "engine/stream/frontier.h"

/* Notes a pair of the frame: it becomes one of the job, or is decided at once, or is left to its own search. */
static carom_status add_pair(frontier_state *state, const carom_engine *engine, const carom_frame *frame,
                             uint32_t index)
{
    const engine_pair *pair = &engine->pairs.items[index];
    const carom_placed *a = &frame->bodies[pair->a].placed, *b = &frame->bodies[pair->b].placed;
    const frontier_asset *asset_a = engine->kept[pair->a], *asset_b = engine->kept[pair->b];
    frontier_result *result = &state->batch.results.items[index];
    *result = (frontier_result){0};
    bool waits = engine->finding_refs.items[index] == ENGINE_UNDECIDED && !engine->open.items[index] && pair->searched;
    if (!waits || asset_a->node_count == 0 || asset_b->node_count == 0)
        return CAROM_OK;
    carom_context *context = state->context;
    if (!base_array_reserve(context, &state->pairs, 1) ||
        !base_array_reserve(context, &state->places, FRONTIER_PLACE) ||
        !base_array_reserve(context, &state->indices, 1))
        return frontier_out_of_memory(context);
    frontier_pair placed = {asset_a, asset_b, query_placed_mesh(a, NULL), query_placed_mesh(b, NULL)};
    frontier_verdict verdict = frontier_place_pair(&placed, state->places.items + state->places.count);
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

static carom_status list_pairs(frontier_state *state, const carom_engine *engine, const carom_frame *frame)
{
    frontier_batch *batch = &state->batch;
    size_t count = engine->pairs.count;
    state->pairs.count = state->places.count = state->indices.count = 0;
    batch->results.count = batch->keys.count = batch->pair_count = 0;
    if (!base_array_reserve(state->context, &batch->results, count))
        return frontier_out_of_memory(state->context);
    for (uint32_t i = 0; i < count; i++)
        BASE_TRY(add_pair(state, engine, frame, i));
    batch->results.count = count;
    return CAROM_OK;
}

/* What was found becomes the results of the frame's pairs. What it took is the first pair's. */
static carom_status store_results(frontier_state *state, bool any)
{
    frontier_batch *batch = &state->batch;
    BASE_TRY(frontier_sort_found(state));
    if (!base_array_reserve(state->context, &batch->keys, state->keys.count))
        return frontier_out_of_memory(state->context);
    if (state->keys.count > 0)
        memcpy(batch->keys.items, state->keys.items, state->keys.count * sizeof *batch->keys.items);
    batch->keys.count = state->keys.count;
    for (size_t i = 0; i < state->pairs.count; i++)
    {
        frontier_result *result = &batch->results.items[state->indices.items[i]];
        result->first = state->starts.items[i], result->count = state->starts.items[i + 1] - result->first;
        result->complete = !any || result->count == 0;
        if (i == 0)
            result->boxes = state->job.boxes, result->triangles = state->job.triangles;
    }
    return CAROM_OK;
}

/* With a budget there is no batch: each pair is searched in steps. */
carom_status frontier_prepare_pairs(carom_engine *engine, const carom_frame *frame)
{
    frontier_state *state = engine->workers[0].method_state;
    bool any = engine->options.mode == CAROM_COLLIDE_ANY;
    for (uint32_t i = 0; i < engine->worker_count; i++)
        ((frontier_state *)engine->workers[i].method_state)->shared_batch = NULL;
    if (engine->options.budget.work > 0 || engine->pace.deadline > 0.0)
        return CAROM_OK;
    BASE_TRY(list_pairs(state, engine, frame));
    if (state->pairs.count > 0)
    {
        BASE_TRY(frontier_search(state, any));
        BASE_TRY(store_results(state, any));
    }
    state->batch.memories = engine->memories.current.items;
    state->batch.pair_count = engine->memories.current.count;
    for (uint32_t i = 0; i < engine->worker_count; i++)
        ((frontier_state *)engine->workers[i].method_state)->shared_batch = &state->batch;
    return CAROM_OK;
}

/* A pair is found by its memory, and taken only if it is the same question to the bit. */
const frontier_result *frontier_find_result(const frontier_state *state, const query_task *task)
{
    const frontier_batch *batch = state->shared_batch;
    if (!batch || !task->memory)
        return NULL;
    uintptr_t first = (uintptr_t)batch->memories, at = (uintptr_t)task->memory - offsetof(engine_memory, memory);
    size_t index = (at - first) / sizeof(engine_memory);
    if (at < first || index >= batch->pair_count || index >= batch->results.count)
        return NULL;
    const frontier_result *result = &batch->results.items[index];
    const frontier_asset *a = task->asset_a, *b = task->asset_b;
    bool same = result->known && result->serial_a == a->serial && result->serial_b == b->serial &&
                memcmp((const void *)&result->pose_a, (const void *)task->a.pose, sizeof result->pose_a) == 0 &&
                memcmp((const void *)&result->pose_b, (const void *)task->b.pose, sizeof result->pose_b) == 0;
    return same ? result : NULL;
}
