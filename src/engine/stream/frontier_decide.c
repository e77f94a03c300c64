/* Exact decisions of candidates, from a batch or from a search: what engines on compute devices share. */
#include "engine/stream/frontier.h"

/* CAROM_STOPPED: the caller has enough. */
static carom_status decide(frontier_decider *decider, uint64_t key)
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

carom_status frontier_decide_all(frontier_decider *decider, const uint64_t *keys, size_t count)
{
    double start = base_now();
    carom_status status = CAROM_OK;
    for (size_t i = 0; i < count && status == CAROM_OK; i++)
        status = decide(decider, keys[i]);
    *decider->seconds += base_now() - start;
    return status;
}

carom_status frontier_decide_batch(frontier_decider *decider, const frontier_batch *batch, uint64_t serial_a,
                                   uint64_t serial_b)
{
    const query_task *task = decider->task;
    const frontier_result *result = frontier_find_result(batch, task, serial_a, serial_b);
    if (!result || (!result->complete && decider->search->every_pair))
        return CAROM_UNKNOWN;
    const uint64_t *keys = batch->keys.items + result->first;
    task->counters->boxes_tested += result->boxes;
    task->counters->triangles_tested += result->triangles;
    carom_status status = frontier_decide_all(decider, keys, result->count);
    if (status != CAROM_OK || result->complete)
        return status;
    decider->told = result->count > 0, decider->told_key = result->count > 0 ? keys[0] : 0;
    return CAROM_UNKNOWN;
}
