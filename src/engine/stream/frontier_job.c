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

static carom_status dispatch_levels(batch_job *job, uint32_t taken, uint32_t beam, uint32_t levels)
{
    batch_runner *runner = job->runner;
    compute_buffer *stores = runner->stores;
    compute_buffer *const refine[] = {&stores[FRONTIER_BOXES], &stores[FRONTIER_LINKS], &runner->poses,
                                      &runner->bases,          &runner->frontier,       &runner->leaves,
                                      &runner->spill,          &runner->counters};
    compute_buffer *const test[] = {
        &stores[FRONTIER_CORNERS], &stores[FRONTIER_LINKS], &runner->poses,   &runner->bases,
        &runner->leaves,           &runner->candidates,     &runner->counters};
    uint64_t items = taken;
    for (uint32_t level = 0; level < levels; level++)
    {
        BASE_TRY(batch_dispatch(runner, FRONTIER_REFINE_KERNEL, refine, level, (uint32_t)items));
        items = 4 * items < beam ? 4 * items : beam;
    }
    return batch_dispatch(runner, FRONTIER_TEST_KERNEL, test, 0, (uint32_t)items);
}

/* Runs the last `taken` of the open items. */
static carom_status run(batch_job *job, uint32_t taken, uint32_t levels, round_result *out)
{
    batch_runner *runner = job->runner;
    uint32_t beam = batch_job_beam(job);
    memset(out, 0, sizeof *out);
    out->last = levels;
    out->counters[FRONTIER_BEAM] = beam;
    out->counters[FRONTIER_MAX_LEAVES] = (uint32_t)(runner->leaves.size / sizeof(batch_item));
    out->counters[FRONTIER_MAX_SPILLED] = (uint32_t)(runner->spill.size / sizeof(batch_item));
    out->counters[FRONTIER_ITEMS] = taken;
    runner->clock = base_now();
    BASE_TRY(compute_write(runner->device, &runner->counters, 0, out->counters, sizeof out->counters));
    BASE_TRY(compute_write(runner->device, &runner->frontier, 0, job->open.items + (job->open.count - taken),
                           taken * sizeof(batch_item)));
    BASE_TRY(batch_end_stage(runner, &runner->stats.upload_seconds));
    BASE_TRY(dispatch_levels(job, taken, beam, levels));
    BASE_TRY(compute_read(runner->device, &runner->counters, 0, out->counters, sizeof out->counters));
    runner->stats.rounds++;
    return batch_end_stage(runner, &runner->stats.stage_seconds[FRONTIER_RUN_STAGE]);
}

/* ---- what a round leaves ---- */

/* Pairs of leaves that were spilled were tested, and will be again. */
static void count_tests(batch_job *job, const round_result *result)
{
    const uint32_t *counters = result->counters;
    uint64_t tested = 0;
    for (uint32_t level = 0; level < result->last; level++)
        tested += smaller(counters[FRONTIER_ITEMS + level], counters[FRONTIER_BEAM]);
    if (counters[FRONTIER_LEAVES] > counters[FRONTIER_MAX_LEAVES])
        tested -= counters[FRONTIER_LEAVES] - counters[FRONTIER_MAX_LEAVES];
    batch_stats *stats = &job->runner->stats;
    job->boxes += tested, job->triangles += counters[FRONTIER_TESTED];
    stats->boxes += tested, stats->triangles += counters[FRONTIER_TESTED];
    stats->candidates += counters[FRONTIER_CANDIDATES];
}

/* As triangles. */
static carom_status read_candidates(batch_job *job, uint32_t count)
{
    size_t before = job->found.count;
    BASE_TRY(batch_read_items(job->runner, &job->runner->candidates, 0, count, &job->found));
    for (size_t i = before; i < job->found.count; i++)
    {
        batch_item *item = &job->found.items[i];
        const batch_pair *pair = &job->pairs[item->pair];
        item->a = frontier_asset_of(pair->a)->order[item->a], item->b = frontier_asset_of(pair->b)->order[item->b];
    }
    return CAROM_OK;
}

static carom_status collect(batch_job *job, const round_result *result)
{
    batch_runner *runner = job->runner;
    const uint32_t *counters = result->counters;
    uint32_t beam = counters[FRONTIER_BEAM], left = smaller(counters[FRONTIER_ITEMS + result->last], beam);
    BASE_TRY(read_candidates(job, counters[FRONTIER_CANDIDATES]));
    BASE_TRY(batch_read_items(runner, &runner->spill, 0, counters[FRONTIER_SPILLED], &job->open));
    BASE_TRY(batch_read_items(runner, &runner->frontier, (size_t)(result->last % 2) * beam, left, &job->open));
    count_tests(job, result);
    return batch_end_stage(runner, &runner->stats.read_seconds);
}

/* What is certain to fit: the children of a quarter of a frontier. */
static carom_status run_one_level(batch_job *job, uint32_t *taken, round_result *out)
{
    uint32_t beam = batch_job_beam(job);
    *taken = smaller(*taken, beam / 4 > 0 ? beam / 4 : 1);
    return run(job, *taken, 1, out);
}

carom_status frontier_round(batch_job *job, uint32_t take)
{
    batch_runner *runner = job->runner;
    round_result result;
    size_t open = job->open.count;
    uint32_t taken = smaller(open < take ? (uint32_t)open : take, batch_job_beam(job));
    BASE_TRY(run(job, taken, smaller(job->levels, FRONTIER_LEVELS), &result));
    if (result.counters[FRONTIER_SPILLED] > result.counters[FRONTIER_MAX_SPILLED]) /* some were lost: again */
        BASE_TRY(run_one_level(job, &taken, &result));
    job->open.count -= taken;
    BASE_TRY(collect(job, &result));
    /* larger buffers, so that the next search takes one round */
    bool spilled = result.counters[FRONTIER_SPILLED] > 0 && job->beam == 0;
    return spilled ? batch_runner_grow(runner, 2 * runner->beam) : CAROM_OK;
}
