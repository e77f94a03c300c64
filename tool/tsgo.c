/* The grid paper's experiment: scenes, engines, and their times. */
#include "tool/tsgo.h"

#include "tool/hybrid.h"

#include <math.h>
#include <stdio.h>
#include <time.h>

const tsgo_published TSGO_TABLE[TSGO_ROW_COUNT] = {
    {50, 94847, 640, {57.06, 56.94, 55.88}},       {100, 95723, 808, {82.99, 82.10, 74.85}},
    {200, 97427, 1230, {165.53, 164.70, 157.23}},  {300, 99159, 1364, {193.64, 192.20, 167.95}},
    {400, 100859, 1463, {231.27, 226.17, 186.49}}, {500, 102615, 1510, {278.26, 262.68, 204.06}},
    {600, 104319, 1716, {358.42, 332.30, 247.08}}};

static int scene_of(int method) { return method == TSGO_OURS ? TWIN_DEFAULT : TWIN_OBB; }

/* ---- engines ---- */

static carom_status open_engine(tsgo_row *row, const carom_frame *frame, int method)
{
    carom_engine_def def = carom_engine_def_default();
    if (method == TSGO_TREES)
        def.broad_phase = "all";
    if (method == TSGO_HYBRID)
        def.engine = "hybrid";
    if (method == TSGO_AT_DEPTH) /* one cell, nothing to be cut: what is left is the projection test */
        def.broad_phase = "brute";
    if (method > TSGO_AT_DEPTH)
    {
        carom_grid_choice grid = carom_engine_choose_grid(frame, (uint32_t)(method - TSGO_AT_DEPTH));
        def.broad_phase = "topogrid", def.grid_depth = grid.depth, def.cut_size = grid.cell_size;
    }
    for (int step = 0; step < TSGO_MAX_STEPS; step++)
        row->runs[method].best_ms[step] = INFINITY;
    return carom_engine_create(row->context, &def, &row->runs[method].engine);
}

static carom_status open_row(tsgo_row *row)
{
    char name[16];
    carom_context_def def = carom_context_def_default();
    def.workers = 1;
    snprintf(name, sizeof name, "mine-%u", row->published->pieces);
    carom_status status = carom_context_create(&def, &row->context);
    if (!carom_failed(status))
        status = hybrid_register(row->context);
    if (!carom_failed(status))
        status = scene_twins_open(row->context, name, 0, &row->twins);
    carom_frame frame;
    if (!carom_failed(status))
        status = carom_scene_frame(row->twins.scenes[TWIN_OBB], &frame);
    if (carom_failed(status))
        return status;
    row->chosen_depth = carom_engine_choose_grid(&frame, 0).depth;
    row->cell_size = carom_engine_choose_grid(&frame, row->options->depth).cell_size;
    for (int i = 0; i < TSGO_METHOD_COUNT && !carom_failed(status); i++)
        status = open_engine(row, &frame, i);
    return status;
}

void tsgo_close(tsgo_row *row)
{
    for (int i = 0; i < TSGO_METHOD_COUNT; i++)
        carom_engine_destroy(row->runs[i].engine);
    scene_twins_close(&row->twins);
    carom_context_destroy(row->context);
}

/* ---- measuring ---- */

/* Processor time of this thread, which does all the work: other load on the machine hardly affects it. */
static double processor_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

static void note_answer(tsgo_row *row, const carom_scene_report *report, uint32_t step)
{
    if (row->hashes[step] == 0)
    {
        row->hashes[step] = report->hash;
        row->points += (double)report->point_count / row->step_count;
        for (uint64_t i = 0; i < report->body_pair_count; i++)
            row->meeting += (report->body_pairs[i].pair_count > 0) / (double)row->step_count;
    }
    row->differ |= row->hashes[step] != report->hash;
}

static carom_status run_once(tsgo_row *row, const carom_frame *frame, int method, uint32_t step)
{
    carom_collide_options options = carom_collide_options_default();
    options.contacts = true;
    carom_scene_report report;
    tsgo_run *run = &row->runs[method];
    double start = processor_ms();
    carom_status status = carom_engine_run(run->engine, frame, &options, &report);
    double taken = processor_ms() - start;
    if (carom_failed(status))
        return status;
    run->best_ms[step] = fmin(run->best_ms[step], taken);
    run->pairs += (double)report.body_pairs_examined;
    run->boxes += (double)report.counters.boxes_tested;
    run->triangles += (double)report.counters.triangles_tested;
    run->broad_ms += report.times.broad_ms;
    run->runs++;
    note_answer(row, &report, step);
    return CAROM_OK;
}

/* What the diagonal rule misses in this step; the grid's engine has just run on the frame. */
static carom_status add_missed(tsgo_row *row, const carom_frame *frame)
{
    carom_grid_stats stats, *sum = &row->missed;
    carom_status status =
        carom_engine_inspect_grid(row->runs[TSGO_AT_DEPTH + row->options->depth].engine, frame, &stats);
    if (status == CAROM_UNSUPPORTED) /* too deep */
        return CAROM_OK;
    if (carom_failed(status))
        return status;
    sum->objects += stats.objects;
    sum->cells += stats.cells, sum->cells_missed += stats.cells_missed;
    sum->pairs += stats.pairs, sum->pairs_missed += stats.pairs_missed;
    sum->body_pairs += stats.body_pairs, sum->body_pairs_missed += stats.body_pairs_missed;
    return CAROM_OK;
}

/* Every method in turn, so that other load on the machine affects all alike. */
static carom_status run_step(tsgo_row *row, uint32_t step, bool counts_missed)
{
    carom_frame frames[TWIN_COUNT];
    uint32_t at = step * (row->twins.source->step_count / row->step_count);
    carom_status status = scene_twins_move(&row->twins, at, frames);
    for (int i = 0; i < TSGO_METHOD_COUNT && !carom_failed(status); i++)
        status = run_once(row, &frames[scene_of(i)], i, step);
    return carom_failed(status) || !counts_missed ? status : add_missed(row, &frames[0]);
}

/* Trees, cuts and the first lists of cells belong to the paper's preprocessing. */
static carom_status warm_up(tsgo_row *row)
{
    carom_status status = run_step(row, 0, false);
    for (int i = 0; i < TSGO_METHOD_COUNT; i++)
    {
        tsgo_run *run = &row->runs[i];
        run->best_ms[0] = INFINITY;
        run->pairs = run->boxes = run->triangles = run->broad_ms = 0, run->runs = 0;
    }
    return status;
}

static void sum_up(tsgo_row *row)
{
    for (int i = 0; i < TSGO_METHOD_COUNT; i++)
    {
        tsgo_run *run = &row->runs[i];
        double runs = (double)run->runs;
        for (uint32_t step = 0; step < row->step_count; step++)
            run->mean_ms += run->best_ms[step] / row->step_count;
        run->pairs /= runs, run->boxes /= runs, run->triangles /= runs, run->broad_ms /= runs;
    }
}

carom_status tsgo_measure(tsgo_row *row)
{
    row->step_count = row->options->steps;
    carom_status status = open_row(row);
    if (!carom_failed(status))
        status = warm_up(row);
    for (uint32_t repeat = 0; repeat < row->options->repeats; repeat++)
        for (uint32_t step = 0; step < row->step_count && !carom_failed(status); step++)
            status = run_step(row, step, repeat == 0);
    if (!carom_failed(status))
        sum_up(row);
    return status;
}
