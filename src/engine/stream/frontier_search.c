/* Searches of whole pairs from their roots, many at once, and what they found in order. */
#include "engine/stream/frontier.h"

/* Where one hit is enough, a frontier is kept narrow, so that it comes to leaves before all was looked at; the more was
 * looked at without success, the wider: then all is likely to be looked at in the end. */
enum
{
    ANY_BEAM = 128,   /* items at first, */
    ANY_PER_PAIR = 8, /* or so many for each pair of bodies; */
    ANY_WIDENING = 4  /* and so many times as many in the next round */
};

/* ---- one hit is enough ---- */

static bool meets(const frontier_pair *pair, const frontier_item *candidate, narrow_counts *counts)
{
    narrow_triangle a = tree_world_triangle(&pair->placed_a, pair->a->order[candidate->a]);
    narrow_triangle b = tree_world_triangle(&pair->placed_b, pair->b->order[candidate->b]);
    return narrow_touches(&a, &b, counts);
}

/* Decides the candidates from `first` on; of each pair the first that meets stays. */
static void decide_found(frontier_state *state, size_t first)
{
    frontier_items *found = &state->job.found;
    narrow_counts counts = {0};
    size_t kept = first;
    double start = base_now();
    for (size_t i = first; i < found->count; i++)
    {
        frontier_item candidate = found->items[i];
        if (state->hits.items[candidate.pair] || !meets(&state->pairs.items[candidate.pair], &candidate, &counts))
            continue;
        state->hits.items[candidate.pair] = 1;
        found->items[kept++] = candidate;
    }
    found->count = kept;
    state->exact_seconds += base_now() - start;
}

/* Drops what is open of pairs that have been decided. */
static void drop_decided(frontier_state *state)
{
    frontier_items *open = &state->job.open;
    size_t kept = 0;
    for (size_t i = 0; i < open->count; i++)
        if (!state->hits.items[open->items[i].pair])
            open->items[kept++] = open->items[i];
    open->count = kept;
}

/* ---- rounds ---- */

static carom_status run_rounds(frontier_state *state, bool any)
{
    frontier_job *job = &state->job;
    while (job->open.count > 0)
    {
        size_t before = job->found.count;
        BASE_TRY(frontier_round(job, UINT32_MAX));
        if (!any)
            continue;
        decide_found(state, before);
        drop_decided(state);
        job->beam = job->beam < job->runner->beam ? ANY_WIDENING * job->beam : 0; /* 0: as wide as there is room */
    }
    return CAROM_OK;
}

static uint32_t any_beam(const frontier_runner *runner, uint32_t pair_count)
{
    uint64_t beam = (uint64_t)ANY_PER_PAIR * pair_count, max = frontier_max_beam(runner);
    beam = beam > ANY_BEAM ? beam : ANY_BEAM;
    return (uint32_t)(beam < max ? beam : max);
}

/* The roots of all pairs, and as many levels as their trees have. */
static carom_status begin_job(frontier_state *state, frontier_runner *runner, bool any)
{
    frontier_job *job = &state->job;
    uint32_t count = (uint32_t)state->pairs.count;
    job->runner = runner, job->pairs = state->pairs.items;
    job->open.count = job->found.count = state->hits.count = 0;
    job->boxes = job->triangles = 0, job->levels = 1;
    job->beam = any ? any_beam(runner, count) : 0;
    if (!base_array_reserve(state->context, &job->open, count) ||
        !base_array_reserve(state->context, &state->hits, count))
        return frontier_out_of_memory(state->context);
    for (uint32_t i = 0; i < count; i++)
    {
        const frontier_pair *pair = &state->pairs.items[i];
        uint32_t depth = pair->a->depth > pair->b->depth ? pair->a->depth : pair->b->depth;
        job->levels = depth > job->levels ? depth : job->levels;
        job->open.items[job->open.count++] = (frontier_item){i, 0, 0};
        state->hits.items[state->hits.count++] = 0;
    }
    return frontier_runner_load(runner, state->pairs.items, state->places.items, count);
}

static carom_status search_on(frontier_state *state, frontier_runner *runner, bool any)
{
    BASE_TRY(compute_begin(runner->device));
    carom_status status = begin_job(state, runner, any);
    if (!carom_failed(status))
        status = run_rounds(state, any);
    carom_status ended = compute_end(runner->device);
    return carom_failed(status) ? status : ended;
}

/* A device that was lost, or refuses what it should not, is given up: the processor does the same. */
static carom_status search_on_processor(frontier_state *state, bool any)
{
    char message[BASE_MESSAGE_SIZE];
    carom_context_message(state->context, message, sizeof message);
    base_log(state->context, CAROM_LOG_WARNING, "engine stream: goes on without the device: %s", message);
    frontier_runner_close(&state->device);
    state->kind = COMPUTE_PROCESSOR;
    BASE_TRY(frontier_runner_open(&state->device, state->context, COMPUTE_PROCESSOR));
    return search_on(state, &state->device, any);
}

carom_status frontier_search(frontier_state *state, bool any)
{
    carom_status status = CAROM_OK;
    if (!state->device.device)
        status = frontier_runner_open(&state->device, state->context, state->kind);
    if (!carom_failed(status))
        status = search_on(state, &state->device, any);
    return carom_failed(status) && state->kind != COMPUTE_PROCESSOR ? search_on_processor(state, any) : status;
}

/* ---- in order ---- */

carom_status frontier_sort_items(carom_context *context, const frontier_items *items, size_t pair_count,
                                 frontier_sorted *out)
{
    out->keys.count = out->space.count = out->starts.count = 0;
    if (!base_array_reserve(context, &out->keys, items->count) ||
        !base_array_reserve(context, &out->space, items->count) ||
        !base_array_reserve(context, &out->starts, pair_count + 2))
        return frontier_out_of_memory(context);
    size_t *starts = out->starts.items;
    memset(starts, 0, (pair_count + 2) * sizeof *starts);
    out->starts.count = pair_count + 1, out->keys.count = items->count;
    for (size_t i = 0; i < items->count; i++)
        starts[items->items[i].pair + 2]++;
    for (size_t i = 2; i < pair_count + 2; i++)
        starts[i] += starts[i - 1];
    for (size_t i = 0; i < items->count; i++)
        out->keys.items[starts[items->items[i].pair + 1]++] = (uint64_t)items->items[i].a << 32 | items->items[i].b;
    for (size_t i = 0; i < pair_count; i++)
        base_sort_u64(out->keys.items + starts[i], out->space.items, starts[i + 1] - starts[i]);
    return CAROM_OK;
}

void frontier_sorted_free(carom_context *context, frontier_sorted *sorted)
{
    base_array_free(context, &sorted->keys);
    base_array_free(context, &sorted->space);
    base_array_free(context, &sorted->starts);
}

carom_status frontier_sort_found(frontier_state *state)
{
    const frontier_items *found = &state->job.found;
    frontier_items *triangles = &state->triangles;
    triangles->count = 0;
    if (!base_array_reserve(state->context, triangles, found->count))
        return frontier_out_of_memory(state->context);
    for (size_t i = 0; i < found->count; i++)
    {
        const frontier_item *item = &found->items[i];
        const frontier_pair *pair = &state->pairs.items[item->pair];
        triangles->items[triangles->count++] =
            (frontier_item){item->pair, pair->a->order[item->a], pair->b->order[item->b]};
    }
    return frontier_sort_items(state->context, triangles, state->pairs.count, &state->sorted);
}
