/* Searches of whole pairs from their roots, many at once, and what they found in order. */
#include "engine/batch/batch.h"

/* Where one hit is enough, a frontier is kept narrow, so that it comes to leaves before all was looked at; the more was
 * looked at without success, the wider: then all is likely to be looked at in the end. */
enum
{
    ANY_WIDENING = 4 /* times as many items in the next round */
};

/* ---- one hit is enough ---- */

static bool meets(const batch_pair *pair, const batch_item *candidate, narrow_counts *counts)
{
    narrow_triangle a = tree_world_triangle(&pair->placed_a, candidate->a);
    narrow_triangle b = tree_world_triangle(&pair->placed_b, candidate->b);
    return narrow_touches(&a, &b, counts);
}

/* Decides the candidates from `first` on; of each pair the first that meets stays. */
static void decide_found(batch_state *state, size_t first)
{
    batch_items *found = &state->job.found;
    narrow_counts counts = {0};
    size_t kept = first;
    double start = base_now();
    for (size_t i = first; i < found->count; i++)
    {
        batch_item candidate = found->items[i];
        if (state->hits.items[candidate.pair] || !meets(&state->list.pairs.items[candidate.pair], &candidate, &counts))
            continue;
        state->hits.items[candidate.pair] = 1;
        found->items[kept++] = candidate;
    }
    found->count = kept;
    state->exact_seconds += base_now() - start;
}

/* Drops what is open of pairs that have been decided. */
static void drop_decided(batch_state *state)
{
    batch_items *open = &state->job.open;
    size_t kept = 0;
    for (size_t i = 0; i < open->count; i++)
        if (!state->hits.items[open->items[i].pair])
            open->items[kept++] = open->items[i];
    open->count = kept;
}

static carom_status clear_hits(batch_state *state)
{
    size_t count = state->list.pairs.count;
    state->hits.count = 0;
    if (!base_array_reserve(state->context, &state->hits, count))
        return batch_out_of_memory(&state->device);
    memset(state->hits.items, 0, count);
    state->hits.count = count;
    return CAROM_OK;
}

static uint32_t first_beam(const batch_runner *runner, size_t pair_count)
{
    const batch_kind *kind = runner->kind;
    uint64_t beam = (uint64_t)kind->any_per_pair * pair_count, max = batch_max_beam(runner);
    beam = beam > kind->any_beam ? beam : kind->any_beam;
    return (uint32_t)(beam < max ? beam : max);
}

/* ---- rounds ---- */

static carom_status run_rounds(batch_state *state, bool any)
{
    batch_job *job = &state->job;
    while (job->open.count > 0)
    {
        size_t before = job->found.count;
        BASE_TRY(job->runner->kind->round(job, UINT32_MAX));
        if (!any)
            continue;
        decide_found(state, before);
        drop_decided(state);
        job->beam = job->beam < job->runner->beam ? ANY_WIDENING * job->beam : 0; /* 0: as wide as there is room */
    }
    return CAROM_OK;
}

static carom_status begin_job(batch_state *state, bool any)
{
    batch_runner *runner = &state->device;
    const batch_list *list = &state->list;
    uint32_t count = (uint32_t)list->pairs.count;
    BASE_TRY(clear_hits(state));
    BASE_TRY(batch_job_begin(&state->job, runner, list->pairs.items, count));
    state->job.beam = any ? first_beam(runner, count) : 0;
    return batch_runner_load(runner, list->pairs.items, list->places.items, count);
}

static carom_status search_on_device(batch_state *state, bool any)
{
    batch_runner *runner = &state->device;
    if (!runner->device)
        BASE_TRY(batch_runner_open(runner, state->compute));
    BASE_TRY(compute_begin(runner->device));
    carom_status status = begin_job(state, any);
    if (!carom_failed(status))
        status = run_rounds(state, any);
    carom_status ended = compute_end(runner->device);
    return carom_failed(status) ? status : ended;
}

/* A device that was lost, or refuses what it should not, is given up: the processor does the same. */
static carom_status search_on_processor(batch_state *state, bool any)
{
    char message[BASE_MESSAGE_SIZE];
    carom_context_message(state->context, message, sizeof message);
    base_log(state->context, CAROM_LOG_WARNING, "engine %s: goes on without the device: %s", state->device.kind->name,
             message);
    batch_runner_close(&state->device);
    state->compute = COMPUTE_PROCESSOR;
    return search_on_device(state, any);
}

carom_status batch_search(batch_state *state, bool any)
{
    carom_status status = search_on_device(state, any);
    if (carom_failed(status) && state->compute != COMPUTE_PROCESSOR)
        status = search_on_processor(state, any);
    BASE_TRY(status);
    return batch_sort_found(state);
}

/* ---- in order ---- */

carom_status batch_sort_found(batch_state *state)
{
    const batch_items *found = &state->job.found;
    batch_sorted *sorted = &state->sorted;
    size_t pair_count = state->list.pairs.count;
    sorted->keys.count = sorted->space.count = sorted->starts.count = 0;
    if (!base_array_reserve(state->context, &sorted->keys, found->count) ||
        !base_array_reserve(state->context, &sorted->space, found->count) ||
        !base_array_reserve(state->context, &sorted->starts, pair_count + 2))
        return batch_out_of_memory(&state->device);
    size_t *starts = sorted->starts.items;
    memset(starts, 0, (pair_count + 2) * sizeof *starts);
    sorted->starts.count = pair_count + 1, sorted->keys.count = found->count;
    for (size_t i = 0; i < found->count; i++)
        starts[found->items[i].pair + 2]++;
    for (size_t i = 2; i < pair_count + 2; i++)
        starts[i] += starts[i - 1];
    for (size_t i = 0; i < found->count; i++)
        sorted->keys.items[starts[found->items[i].pair + 1]++] = (uint64_t)found->items[i].a << 32 | found->items[i].b;
    for (size_t i = 0; i < pair_count; i++)
        base_sort_u64(sorted->keys.items + starts[i], sorted->space.items, starts[i + 1] - starts[i]);
    return CAROM_OK;
}
