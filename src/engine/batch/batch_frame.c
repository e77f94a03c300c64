/* All pairs of a frame in one search, before the workers examine them one by one. */
#include "engine/batch/batch.h"

/* Is it not decided, and to be searched? From its roots: only the default trees search parts. */
static bool waits(const carom_engine *engine, uint32_t index)
{
    return engine->finding_refs.items[index] == ENGINE_UNDECIDED && !engine->open.items[index] &&
           engine->pairs.items[index].searched;
}

/* Notes a pair of the frame: it becomes one of the job, or is decided at once, or is left to its own search. */
static carom_status add_pair(batch_state *state, const carom_engine *engine, const carom_frame *frame, uint32_t index)
{
    const engine_pair *pair = &engine->pairs.items[index];
    const carom_placed *a = &frame->bodies[pair->a].placed, *b = &frame->bodies[pair->b].placed;
    const batch_model *model_a = engine->kept[pair->a], *model_b = engine->kept[pair->b];
    batch_list *list = &state->list;
    batch_result *result = &state->results.items.items[index];
    batch_verdict verdict;
    *result = (batch_result){0};
    if (!waits(engine, index) || model_a->levels == 0 || model_b->levels == 0)
        return CAROM_OK;
    if (!base_array_reserve(state->context, &list->indices, 1))
        return batch_out_of_memory(&state->device);
    batch_pair placed = {model_a, model_b, query_placed_mesh(a, NULL), query_placed_mesh(b, NULL)};
    BASE_TRY(batch_list_add(state, &placed, &verdict));
    if (verdict == BATCH_UNCERTAIN)
        return CAROM_OK;
    *result = (batch_result){.pose_a = a->pose,
                             .pose_b = b->pose,
                             .serial_a = model_a->serial,
                             .serial_b = model_b->serial,
                             .known = true,
                             .complete = true};
    if (verdict == BATCH_SEARCH)
        list->indices.items[list->indices.count++] = index;
    return CAROM_OK;
}

static carom_status list_pairs(batch_state *state, const carom_engine *engine, const carom_frame *frame)
{
    batch_results *results = &state->results;
    size_t count = engine->pairs.count;
    batch_list_clear(&state->list);
    results->items.count = results->keys.count = results->pair_count = 0;
    if (!base_array_reserve(state->context, &results->items, count))
        return batch_out_of_memory(&state->device);
    for (uint32_t i = 0; i < count; i++)
        BASE_TRY(add_pair(state, engine, frame, i));
    results->items.count = count;
    return CAROM_OK;
}

/* What was sorted becomes the results of the listed pairs. What it took goes to the first of them. any: each was
 * searched until something met. */
static carom_status store_results(batch_state *state, bool any)
{
    batch_results *results = &state->results;
    const batch_sorted *sorted = &state->sorted;
    size_t count = sorted->keys.count;
    if (!base_array_reserve(state->context, &results->keys, count))
        return batch_out_of_memory(&state->device);
    if (count > 0)
        memcpy(results->keys.items, sorted->keys.items, count * sizeof *results->keys.items);
    results->keys.count = count;
    for (size_t i = 0; i < state->list.pairs.count; i++)
    {
        batch_result *result = &results->items.items[state->list.indices.items[i]];
        result->first = sorted->starts.items[i], result->count = sorted->starts.items[i + 1] - result->first;
        result->complete = !any || result->count == 0;
        if (i == 0)
            result->boxes = state->job.boxes, result->triangles = state->job.triangles;
    }
    return CAROM_OK;
}

static void share_results(carom_engine *engine, const batch_results *results)
{
    for (uint32_t i = 0; i < engine->worker_count; i++)
        ((batch_state *)engine->workers[i].method_state)->shared = results;
}

carom_status batch_prepare_pairs(carom_engine *engine, const carom_frame *frame)
{
    batch_state *state = engine->workers[0].method_state;
    bool any = engine->options.mode == CAROM_COLLIDE_ANY;
    share_results(engine, NULL);
    if (engine->options.budget.work > 0 || engine->pace.deadline > 0.0)
        return CAROM_OK;
    BASE_TRY(list_pairs(state, engine, frame));
    if (state->list.pairs.count > 0)
    {
        BASE_TRY(batch_search(state, any));
        BASE_TRY(store_results(state, any));
    }
    state->results.memories = engine->memories.current.items;
    state->results.pair_count = engine->memories.current.count;
    share_results(engine, &state->results);
    return CAROM_OK;
}
