/* A search on a device in rounds. A round takes items, tests them and all that comes of them, and reads the candidates
 * back. Items that a frontier has no room for are spilled, and taken in later rounds: whatever the limits, every pair
 * of nodes is tested once, and the candidates are the same. */
#include "engine/stream/frontier.h"

typedef struct round_result
{
    uint32_t counters[FRONTIER_COUNTERS];
    uint32_t last; /* the level after the last: what is on it was not tested */
} round_result;

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

static carom_status dispatch_levels(frontier_job *job, uint32_t taken, uint32_t beam, uint32_t levels)
{
    frontier_runner *runner = job->runner;
    compute_buffer *const refine[] = {&runner->boxes,    &runner->links,  &runner->poses, &runner->bases,
                                      &runner->frontier, &runner->leaves, &runner->spill, &runner->counters};
    compute_buffer *const test[] = {&runner->corners, &runner->links,      &runner->poses,   &runner->bases,
                                    &runner->leaves,  &runner->candidates, &runner->counters};
    uint64_t items = taken;
    for (uint32_t level = 0; level < levels; level++)
    {
        BASE_TRY(
            compute_dispatch(runner->device, &(compute_dispatch_def){&runner->refine, refine, level, (uint32_t)items}));
        items = 4 * items < beam ? 4 * items : beam;
    }
    runner->stats.dispatches += levels + 1;
    return compute_dispatch(runner->device, &(compute_dispatch_def){&runner->test, test, 0, (uint32_t)items});
}

/* Runs the last `taken` of the open items. */
static carom_status run(frontier_job *job, uint32_t taken, uint32_t levels, round_result *out)
{
    frontier_runner *runner = job->runner;
    uint32_t beam = job->beam > 0 ? smaller(job->beam, runner->beam) : runner->beam;
    memset(out, 0, sizeof *out);
    out->last = levels;
    out->counters[FRONTIER_BEAM] = beam;
    out->counters[FRONTIER_MAX_LEAVES] = (uint32_t)(runner->leaves.size / sizeof(frontier_item));
    out->counters[FRONTIER_MAX_SPILLED] = (uint32_t)(runner->spill.size / sizeof(frontier_item));
    out->counters[FRONTIER_ITEMS] = taken;
    double start = base_now();
    BASE_TRY(compute_write(runner->device, &runner->counters, 0, out->counters, sizeof out->counters));
    BASE_TRY(compute_write(runner->device, &runner->frontier, 0, job->open.items + (job->open.count - taken),
                           taken * sizeof(frontier_item)));
    double written = base_now();
    BASE_TRY(dispatch_levels(job, taken, beam, levels));
    BASE_TRY(compute_read(runner->device, &runner->counters, 0, out->counters, sizeof out->counters));
    runner->stats.upload_seconds += written - start;
    runner->stats.run_seconds += base_now() - written;
    runner->stats.rounds++;
    return CAROM_OK;
}

/* ---- what a round leaves ---- */

static carom_status read_items(frontier_runner *runner, const compute_buffer *buffer, size_t first, uint32_t count,
                               frontier_items *out)
{
    if (count == 0)
        return CAROM_OK;
    if (!base_array_reserve(runner->context, out, count))
        return frontier_out_of_memory(runner->context);
    BASE_TRY(compute_read(runner->device, buffer, first * sizeof(frontier_item), out->items + out->count,
                          count * sizeof(frontier_item)));
    out->count += count;
    return CAROM_OK;
}

/* Pairs of leaves that were spilled were tested, and will be again. */
static void count_tests(frontier_job *job, const round_result *result)
{
    const uint32_t *counters = result->counters;
    uint64_t tested = 0;
    for (uint32_t level = 0; level < result->last; level++)
        tested += smaller(counters[FRONTIER_ITEMS + level], counters[FRONTIER_BEAM]);
    if (counters[FRONTIER_LEAVES] > counters[FRONTIER_MAX_LEAVES])
        tested -= counters[FRONTIER_LEAVES] - counters[FRONTIER_MAX_LEAVES];
    frontier_stats *stats = &job->runner->stats;
    job->boxes += tested, job->triangles += counters[FRONTIER_TESTED];
    stats->boxes += tested, stats->triangles += counters[FRONTIER_TESTED];
    stats->candidates += counters[FRONTIER_CANDIDATES];
}

static carom_status collect(frontier_job *job, const round_result *result)
{
    frontier_runner *runner = job->runner;
    const uint32_t *counters = result->counters;
    uint32_t beam = counters[FRONTIER_BEAM], left = smaller(counters[FRONTIER_ITEMS + result->last], beam);
    double start = base_now();
    BASE_TRY(read_items(runner, &runner->candidates, 0, counters[FRONTIER_CANDIDATES], &job->found));
    BASE_TRY(read_items(runner, &runner->spill, 0, counters[FRONTIER_SPILLED], &job->open));
    BASE_TRY(read_items(runner, &runner->frontier, (size_t)(result->last % 2) * beam, left, &job->open));
    runner->stats.read_seconds += base_now() - start;
    count_tests(job, result);
    return CAROM_OK;
}

/* What is certain to fit: the children of a quarter of a frontier. */
static carom_status run_one_level(frontier_job *job, uint32_t *taken, round_result *out)
{
    uint32_t beam = job->beam > 0 ? smaller(job->beam, job->runner->beam) : job->runner->beam;
    *taken = smaller(*taken, beam / 4 > 0 ? beam / 4 : 1);
    return run(job, *taken, 1, out);
}

carom_status frontier_round(frontier_job *job, uint32_t take)
{
    frontier_runner *runner = job->runner;
    round_result result;
    size_t open = job->open.count;
    uint32_t taken = smaller(open < take ? (uint32_t)open : take, runner->beam);
    taken = job->beam > 0 ? smaller(taken, job->beam) : taken;
    BASE_TRY(run(job, taken, smaller(job->levels, FRONTIER_LEVELS), &result));
    if (result.counters[FRONTIER_SPILLED] > result.counters[FRONTIER_MAX_SPILLED]) /* some were lost: again */
        BASE_TRY(run_one_level(job, &taken, &result));
    job->open.count -= taken;
    BASE_TRY(collect(job, &result));
    /* larger buffers, so that the next search takes one round */
    bool spilled = result.counters[FRONTIER_SPILLED] > 0 && job->beam == 0;
    return spilled ? frontier_runner_grow(runner, 2 * runner->beam) : CAROM_OK;
}

void frontier_job_free(carom_context *context, frontier_job *job)
{
    base_array_free(context, &job->open);
    base_array_free(context, &job->found);
}
