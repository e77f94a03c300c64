/* The pairs of a job, with their places. */
#include "engine/batch/batch.h"

void batch_list_clear(batch_list *list) { list->pairs.count = list->places.count = list->indices.count = 0; }

carom_status batch_list_add(batch_state *state, const batch_pair *pair, batch_verdict *verdict)
{
    batch_list *list = &state->list;
    if (!base_array_reserve(state->context, &list->pairs, 1) ||
        !base_array_reserve(state->context, &list->places, BATCH_PLACE))
        return batch_out_of_memory(&state->device);
    *verdict = batch_place_pair(pair, list->places.items + list->places.count);
    if (*verdict != BATCH_SEARCH)
        return CAROM_OK;
    list->pairs.items[list->pairs.count++] = *pair;
    list->places.count += BATCH_PLACE;
    return CAROM_OK;
}

carom_status batch_list_task(batch_state *state, const query_task *task, batch_verdict *verdict)
{
    batch_pair pair = batch_pair_of(task);
    batch_list_clear(&state->list);
    return batch_list_add(state, &pair, verdict);
}
