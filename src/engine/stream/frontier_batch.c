/* All pairs of a frame in one search, before the workers examine them one by one. */
#include "engine/stream/frontier.h"

bool frontier_pair_waits(const carom_engine *engine, uint32_t index)
{
    return engine->finding_refs.items[index] == ENGINE_UNDECIDED && !engine->open.items[index] &&
           engine->pairs.items[index].searched;
}

/* Notes a pair of the frame: it becomes one of the job, or is decided at once, or is left to its own search. */
static carom_status add_pair(frontier_state *state, const carom_engine *engine, const carom_frame *frame,
                             uint32_t index)
{
    const engine_pair *pair = &engine->pairs.items[index];
    const carom_placed *a = &frame->bodies[pair->a].placed, *b = &frame->bodies[pair->b].placed;
    const frontier_asset *asset_a = engine->kept[pair->a], *asset_b = engine->kept[pair->b];
    frontier_result *result = &state->batch.results.items[index];
    *result = (frontier_result){0};
    if (!frontier_pair_waits(engine, index) || asset_a->node_count == 0 || asset_b->node_count == 0)
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

carom_status frontier_batch_store(carom_context *context, frontier_batch *batch, const frontier_batch_source *source)
{
    const frontier_sorted *sorted = source->sorted;
    size_t count = sorted->keys.count;
    batch->keys.count = 0;
    if (!base_array_reserve(context, &batch->keys, count))
        return frontier_out_of_memory(context);
    if (count > 0)
        memcpy(batch->keys.items, sorted->keys.items, count * sizeof *batch->keys.items);
    batch->keys.count = count;
    for (size_t i = 0; i < source->count; i++)
    {
        frontier_result *result = &batch->results.items[source->indices[i]];
        result->first = sorted->starts.items[i], result->count = sorted->starts.items[i + 1] - result->first;
        result->complete = !source->any || result->count == 0;
        if (i == 0)
            result->boxes = source->boxes, result->triangles = source->triangles;
    }
    return CAROM_OK;
}

static carom_status store_results(frontier_state *state, bool any)
{
    BASE_TRY(frontier_sort_found(state));
    frontier_batch_source source = {.sorted = &state->sorted,
                                    .indices = state->indices.items,
                                    .count = state->pairs.count,
                                    .any = any,
                                    .boxes = state->job.boxes,
                                    .triangles = state->job.triangles};
    return frontier_batch_store(state->context, &state->batch, &source);
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
const frontier_result *frontier_find_result(const frontier_batch *batch, const query_task *task, uint64_t serial_a,
                                            uint64_t serial_b)
{
    if (!batch || !task->memory)
        return NULL;
    uintptr_t first = (uintptr_t)batch->memories, at = (uintptr_t)task->memory - offsetof(engine_memory, memory);
    size_t index = (at - first) / sizeof(engine_memory);
    if (at < first || index >= batch->pair_count || index >= batch->results.count)
        return NULL;
    const frontier_result *result = &batch->results.items[index];
    bool same = result->known && result->serial_a == serial_a && result->serial_b == serial_b &&
                memcmp((const void *)&result->pose_a, (const void *)task->a.pose, sizeof result->pose_a) == 0 &&
                memcmp((const void *)&result->pose_b, (const void *)task->b.pose, sizeof result->pose_b) == 0;
    return same ? result : NULL;
}
