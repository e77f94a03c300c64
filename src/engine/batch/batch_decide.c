/* Exact decisions of the candidates of one pair, from the results of its frame or from a search of its own. */
#include "engine/batch/batch.h"

/* CAROM_STOPPED: the caller has enough. */
static carom_status decide(batch_decider *decider, uint64_t key)
{
    const query_task *task = decider->task;
    uint32_t id_a = (uint32_t)(key >> 32), id_b = (uint32_t)key;
    if (decider->told && key == decider->told_key)
        return CAROM_OK;
    narrow_triangle a = tree_world_triangle(&task->a, id_a), b = tree_world_triangle(&task->b, id_b);
    uint32_t meeting = narrow_meet(&a, &b, &decider->counts);
    if (meeting == CAROM_MEET_NONE)
        return CAROM_OK;
    decider->violated = true;
    return decider->search->on_pair(id_a, id_b, meeting, decider->search->user) ? CAROM_OK : CAROM_STOPPED;
}

static carom_status decide_all(batch_decider *decider, const uint64_t *keys, size_t count)
{
    double start = base_now();
    carom_status status = CAROM_OK;
    for (size_t i = 0; i < count && status == CAROM_OK; i++)
        status = decide(decider, keys[i]);
    *decider->seconds += base_now() - start;
    return status;
}

carom_status batch_decide_sorted(batch_decider *decider, const batch_sorted *sorted)
{
    return decide_all(decider, sorted->keys.items, sorted->keys.count);
}

/* A pair is found by its memory, and taken only if it is the same question to the bit. */
static const batch_result *find_result(const batch_results *results, const query_task *task)
{
    if (!results || !task->memory)
        return NULL;
    uintptr_t first = (uintptr_t)results->memories, at = (uintptr_t)task->memory - offsetof(engine_memory, memory);
    size_t index = (at - first) / sizeof(engine_memory);
    if (at < first || index >= results->pair_count || index >= results->items.count)
        return NULL;
    const batch_result *result = &results->items.items[index];
    const batch_model *a = task->asset_a, *b = task->asset_b;
    bool same = result->known && result->serial_a == a->serial && result->serial_b == b->serial &&
                memcmp((const void *)&result->pose_a, (const void *)task->a.pose, sizeof result->pose_a) == 0 &&
                memcmp((const void *)&result->pose_b, (const void *)task->b.pose, sizeof result->pose_b) == 0;
    return same ? result : NULL;
}

/* CAROM_UNKNOWN: there is no result, or it was not enough. */
static carom_status decide_result(batch_decider *decider, const batch_results *results)
{
    const query_task *task = decider->task;
    const batch_result *result = find_result(results, task);
    if (!result || (!result->complete && decider->search->every_pair))
        return CAROM_UNKNOWN;
    const uint64_t *keys = results->keys.items + result->first;
    task->counters->boxes_tested += result->boxes;
    task->counters->triangles_tested += result->triangles;
    carom_status status = decide_all(decider, keys, result->count);
    if (status != CAROM_OK || result->complete)
        return status;
    decider->told = result->count > 0, decider->told_key = result->count > 0 ? keys[0] : 0;
    return CAROM_UNKNOWN;
}

static carom_status decide_alone(batch_decider *decider, batch_state *state)
{
    batch_verdict verdict;
    BASE_TRY(batch_list_task(state, decider->task, &verdict));
    if (verdict != BATCH_SEARCH)
        return CAROM_OK;
    BASE_TRY(batch_search(state, false));
    decider->task->counters->boxes_tested += state->job.boxes;
    decider->task->counters->triangles_tested += state->job.triangles;
    return batch_decide_sorted(decider, &state->sorted);
}

carom_status batch_decide_pair(batch_decider *decider, batch_state *state)
{
    carom_status status = decide_result(decider, state->shared);
    return status == CAROM_UNKNOWN ? decide_alone(decider, state) : status;
}
