/* A search on a device in rounds. A round takes items, tests their children and all that comes of them, and reads the
 * candidates back. Items that a frontier has no room for are spilled, and taken in later rounds: whatever the limits,
 * every pair of boxes is tested once, and the candidates are the same. */
#include "engine/geoimage/mipmap.h"

typedef struct round_result
{
    uint32_t counters[MIPMAP_COUNTERS];
    uint32_t steps;
} round_result;

static uint32_t smaller(uint32_t a, uint32_t b) { return a < b ? a : b; }

/* ---- dispatches ---- */

/* The levels of a pyramid over as many entries, at most. */
static carom_status sum_counts(batch_runner *runner, uint32_t entries)
{
    compute_buffer *const buffers[] = {&runner->extras[MIPMAP_PYRAMID], &runner->counters};
    for (uint32_t pass = 0; entries > 1; pass++)
    {
        entries = entries / 64 + (entries % 64 > 0);
        BASE_TRY(batch_dispatch(runner, MIPMAP_SUM_KERNEL, buffers, pass, entries));
    }
    return CAROM_OK;
}

/* One level: tests, then compaction. */
static carom_status run_step(batch_runner *runner, uint32_t step, uint32_t items)
{
    compute_buffer *const descend[] = {&runner->stores[MIPMAP_NODES],
                                       &runner->stores[MIPMAP_TABLES],
                                       &runner->poses,
                                       &runner->bases,
                                       &runner->frontier,
                                       &runner->extras[MIPMAP_MASKS],
                                       &runner->extras[MIPMAP_PYRAMID],
                                       &runner->counters};
    compute_buffer *const scatter[] = {&runner->frontier,
                                       &runner->extras[MIPMAP_MASKS],
                                       &runner->extras[MIPMAP_PYRAMID],
                                       &runner->leaves,
                                       &runner->spill,
                                       &runner->counters};
    BASE_TRY(batch_dispatch(runner, MIPMAP_DESCEND_KERNEL, descend, step, items));
    BASE_TRY(batch_end_stage(runner, &runner->stats.stage_seconds[MIPMAP_TRAVERSAL_STAGE]));
    BASE_TRY(sum_counts(runner, items));
    BASE_TRY(batch_dispatch(runner, MIPMAP_SCATTER_KERNEL, scatter, step, items));
    return batch_end_stage(runner, &runner->stats.stage_seconds[MIPMAP_COMPACTION_STAGE]);
}

static carom_status test_triangles(batch_runner *runner, uint32_t steps, uint32_t cells)
{
    compute_buffer *const test[] = {&runner->stores[MIPMAP_POINTS],
                                    &runner->stores[MIPMAP_TABLES],
                                    &runner->poses,
                                    &runner->bases,
                                    &runner->leaves,
                                    &runner->extras[MIPMAP_MASKS],
                                    &runner->extras[MIPMAP_PYRAMID],
                                    &runner->counters};
    BASE_TRY(batch_dispatch(runner, MIPMAP_TEST_KERNEL, test, steps, cells));
    BASE_TRY(batch_end_stage(runner, &runner->stats.stage_seconds[MIPMAP_TRIANGLE_STAGE]));
    return sum_counts(runner, cells);
}

static carom_status list_candidates(batch_runner *runner, uint32_t first, uint32_t cells)
{
    compute_buffer *const list[] = {
        &runner->stores[MIPMAP_TABLES],  &runner->bases,      &runner->leaves,  &runner->extras[MIPMAP_MASKS],
        &runner->extras[MIPMAP_PYRAMID], &runner->candidates, &runner->counters};
    BASE_TRY(batch_dispatch(runner, MIPMAP_LIST_KERNEL, list, first, cells));
    return batch_end_stage(runner, &runner->stats.stage_seconds[MIPMAP_COMPACTION_STAGE]);
}

/* Runs the last `taken` of the open items. */
static carom_status run(batch_job *job, uint32_t taken, uint32_t steps, round_result *out)
{
    batch_runner *runner = job->runner;
    uint32_t beam = batch_job_beam(job), max_leaves = (uint32_t)(runner->leaves.size / sizeof(batch_item));
    uint64_t items = taken, cells = 0;
    memset(out, 0, sizeof *out);
    out->steps = steps;
    out->counters[MIPMAP_BEAM] = beam, out->counters[MIPMAP_MAX_LEAVES] = max_leaves;
    out->counters[MIPMAP_MAX_SPILLED] = (uint32_t)(runner->spill.size / sizeof(batch_item));
    out->counters[MIPMAP_MAX_CANDIDATES] = (uint32_t)(runner->candidates.size / sizeof(batch_item));
    out->counters[MIPMAP_ITEMS] = taken;
    runner->clock = base_now();
    BASE_TRY(compute_write(runner->device, &runner->counters, 0, out->counters, sizeof out->counters));
    BASE_TRY(compute_write(runner->device, &runner->frontier, 0, job->open.items + (job->open.count - taken),
                           taken * sizeof(batch_item)));
    BASE_TRY(batch_end_stage(runner, &runner->stats.upload_seconds));
    for (uint32_t step = 0; step < steps; step++)
    {
        BASE_TRY(run_step(runner, step, (uint32_t)items));
        cells = cells + MIPMAP_CHILDREN * items < max_leaves ? cells + MIPMAP_CHILDREN * items : max_leaves;
        items = MIPMAP_CHILDREN * items < beam ? MIPMAP_CHILDREN * items : beam;
    }
    BASE_TRY(test_triangles(runner, steps, (uint32_t)cells));
    BASE_TRY(list_candidates(runner, 0, (uint32_t)cells));
    BASE_TRY(compute_read(runner->device, &runner->counters, 0, out->counters, sizeof out->counters));
    runner->stats.rounds++;
    return CAROM_OK;
}

/* ---- what a round leaves ---- */

/* As many at a time as there is room for, as triangles. */
static carom_status read_candidates(batch_job *job, const round_result *result)
{
    batch_runner *runner = job->runner;
    uint32_t total = result->counters[MIPMAP_CANDIDATES], room = result->counters[MIPMAP_MAX_CANDIDATES];
    uint32_t cells = result->counters[MIPMAP_LEAVES + result->steps];
    size_t before = job->found.count;
    for (uint32_t first = 0; first < total; first += smaller(room, total - first))
    {
        if (first > 0)
            BASE_TRY(list_candidates(runner, first, cells));
        BASE_TRY(batch_read_items(runner, &runner->candidates, 0, smaller(room, total - first), &job->found));
    }
    for (size_t i = before; i < job->found.count; i++)
    {
        batch_item *item = &job->found.items[i];
        const batch_pair *pair = &job->pairs[item->pair];
        item->a = mipmap_triangle(mipmap_asset_of(pair->a), item->a);
        item->b = mipmap_triangle(mipmap_asset_of(pair->b), item->b);
    }
    return CAROM_OK;
}

static carom_status collect(batch_job *job, const round_result *result)
{
    batch_runner *runner = job->runner;
    const uint32_t *counters = result->counters;
    size_t last = result->steps;
    batch_stats *stats = &runner->stats;
    BASE_TRY(read_candidates(job, result));
    BASE_TRY(batch_read_items(runner, &runner->spill, 0, counters[MIPMAP_SPILLED + last], &job->open));
    BASE_TRY(batch_read_items(runner, &runner->frontier, last % 2 * counters[MIPMAP_BEAM],
                              counters[MIPMAP_ITEMS + last], &job->open));
    job->boxes += counters[MIPMAP_BOXES], job->triangles += counters[MIPMAP_TESTED];
    stats->boxes += counters[MIPMAP_BOXES], stats->triangles += counters[MIPMAP_TESTED];
    stats->candidates += counters[MIPMAP_CANDIDATES];
    return batch_end_stage(runner, &stats->read_seconds);
}

carom_status mipmap_round(batch_job *job, uint32_t take)
{
    batch_runner *runner = job->runner;
    round_result result;
    size_t open = job->open.count;
    uint32_t beam = batch_job_beam(job), taken = smaller(open < take ? (uint32_t)open : take, beam);
    BASE_TRY(run(job, taken, job->levels > 2 ? job->levels - 1 : 1, &result));
    bool lost = result.counters[MIPMAP_SPILLED + result.steps] > result.counters[MIPMAP_MAX_SPILLED];
    if (lost) /* again, with what is certain to fit: one level of a few items */
    {
        taken = smaller(taken, beam / MIPMAP_CHILDREN > 0 ? beam / MIPMAP_CHILDREN : 1);
        BASE_TRY(run(job, taken, 1, &result));
    }
    job->open.count -= taken;
    BASE_TRY(collect(job, &result));
    /* larger buffers, so that the next search takes one round */
    bool grows = job->beam == 0 && (lost || result.counters[MIPMAP_SPILLED + result.steps] > 0);
    return grows ? batch_runner_grow(runner, 2 * runner->beam) : CAROM_OK;
}
