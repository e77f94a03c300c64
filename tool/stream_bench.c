/* The experiment of the thesis's chapter 3: scenes, engines, their times, and the cost model. */
#include "tool/stream_bench.h"

#include "tool/tool.h"

#include <math.h>

const char *const STREAM_BENCH_NAMES[STREAM_BENCH_METHODS] = {
    "OBB tree", "SCD0", "SCD1", "SCD2", "balanced", "SCD tri", "SCD0 twin", "IBCD", "RECODE", "OpenCL", "GL", "CPU"};
const uint32_t STREAM_BENCH_TRIANGLES[STREAM_BENCH_SCENES][STREAM_BENCH_SIZES] = {{1000, 2000, 5000, 10000, 21292},
                                                                                  {0, 0, 0, 0, 18217},
                                                                                  {2500, 5000, 10000, 20000, 40419},
                                                                                  {1150, 2300, 4600, 9200, 18378}};

/* ---- what is measured ---- */

static bool is_wanted(const stream_bench_row *row, stream_bench_method method)
{
    bool whole = row->size == STREAM_BENCH_SIZES - 1; /* the size of table 3-1 */
    bool slow = method == STREAM_BENCH_SCD0 || method == STREAM_BENCH_TWIN || method == STREAM_BENCH_RECODE ||
                method == STREAM_BENCH_IBCD;
    if (slow && row->options->fast)
        return false;
    switch (method)
    {
    case STREAM_BENCH_TWIN: return row->scene == 0;            /* figure 3-16 */
    case STREAM_BENCH_RECODE: return row->scene == 0 && whole; /* as in the table */
    case STREAM_BENCH_IBCD: return whole || row->scene == 3;   /* figure 3-18 */
    default: return true;
    }
}

static carom_status open_engine(stream_bench_row *row, stream_bench_method method)
{
    static const struct
    {
        const char *engine, *compute;
    } engines[STREAM_BENCH_METHODS] = {
        [STREAM_BENCH_TREE] = {"tree", NULL},         [STREAM_BENCH_SCD0] = {"scd0", NULL},
        [STREAM_BENCH_SCD1] = {"scd1", NULL},         [STREAM_BENCH_SCD2] = {"scd2", NULL},
        [STREAM_BENCH_BALANCED] = {"scd2", NULL},     [STREAM_BENCH_PAIRS] = {"scd-triangles", NULL},
        [STREAM_BENCH_TWIN] = {"scd0", NULL},         [STREAM_BENCH_IBCD] = {"image-sampled", NULL},
        [STREAM_BENCH_RECODE] = {"recode", NULL},     [STREAM_BENCH_OPENCL] = {"stream", "opencl"},
        [STREAM_BENCH_OPENGL] = {"stream", "opengl"}, [STREAM_BENCH_PROCESSOR] = {"stream", "processor"},
    };
    carom_engine_def def = carom_engine_def_default();
    def.engine = engines[method].engine, def.compute = engines[method].compute;
    def.image_always = method != STREAM_BENCH_BALANCED;
    def.on_processor = method == STREAM_BENCH_TWIN;
    carom_status status = carom_engine_create(row->context, &def, &row->runs[method].engine);
    row->runs[method].measured = status == CAROM_OK;
    return status == CAROM_UNAVAILABLE && method == STREAM_BENCH_OPENCL ? CAROM_OK : status; /* then without */
}

static void count_sizes(stream_bench_row *row)
{
    const scenes_scene *scene = row->twins.source;
    for (uint32_t i = 0; i < scene->body_count; i++)
    {
        carom_mesh_info info = carom_mesh_get_info(scene->bodies[i].shape.mesh);
        row->triangles += info.triangle_count, row->edges += info.edge_count;
    }
}

static carom_status open_row(stream_bench_row *row)
{
    static const char *const names[STREAM_BENCH_SCENES] = {"scd-1", "scd-2", "scd-3", "scd-4"};
    bool whole = row->size == STREAM_BENCH_SIZES - 1;
    uint32_t wanted = whole ? 0 : STREAM_BENCH_TRIANGLES[row->scene][row->size];
    carom_status status = scene_twins_open(row->context, names[row->scene], wanted, &row->twins);
    if (!carom_failed(status))
        count_sizes(row);
    for (int i = 0; i < STREAM_BENCH_METHODS && !carom_failed(status); i++)
        if (is_wanted(row, (stream_bench_method)i))
            status = open_engine(row, (stream_bench_method)i);
    return status;
}

void stream_bench_close(stream_bench_row *row)
{
    for (int i = 0; i < STREAM_BENCH_METHODS; i++)
        carom_engine_destroy(row->runs[i].engine), row->runs[i].engine = NULL;
    scene_twins_close(&row->twins);
}

/* ---- measuring ---- */

static carom_status run_once(stream_bench_row *row, int method, const carom_frame frames[TWIN_COUNT], bool all,
                             carom_scene_report *report)
{
    carom_collide_options options = carom_collide_options_default();
    options.mode = all ? CAROM_COLLIDE_ALL : CAROM_COLLIDE_ANY;
    const carom_frame *frame = &frames[method == STREAM_BENCH_TREE ? TWIN_OBB : TWIN_DEFAULT];
    return carom_engine_run(row->runs[method].engine, frame, &options, report);
}

/* So many steps in which the boxes overlap, evenly spread: in the others there is nothing to measure. */
static carom_status choose_steps(stream_bench_row *row)
{
    uint32_t near[1000] = {0}, near_count = 0;
    carom_status status = CAROM_OK;
    for (uint32_t step = 0; step < row->twins.source->step_count && near_count < 1000 && !carom_failed(status); step++)
    {
        carom_frame frames[TWIN_COUNT];
        carom_scene_report report = {0};
        status = scene_twins_move(&row->twins, step, frames);
        if (!carom_failed(status))
            status = run_once(row, STREAM_BENCH_TREE, frames, false, &report);
        if (!carom_failed(status) && report.body_pairs_examined > 0)
            near[near_count++] = step;
    }
    row->step_count = near_count < row->options->steps ? near_count : row->options->steps;
    for (uint32_t i = 0; i < row->step_count; i++)
        row->steps[i] = near[(2 * i + 1) * (uint64_t)near_count / (2 * row->step_count)];
    return status;
}

static bool is_slow(int method)
{
    return method == STREAM_BENCH_SCD0 || method == STREAM_BENCH_TWIN || method == STREAM_BENCH_RECODE;
}

/* The answer must be the tree's. How many tests a search for all pairs takes is summed up. */
static void compare_report(stream_bench_row *row, int method, bool all, const carom_scene_report reports[2])
{
    const carom_scene_report *report = &reports[0], *truth = &reports[1];
    stream_bench_run *run = &row->runs[method];
    bool sampled = method == STREAM_BENCH_IBCD || method == STREAM_BENCH_RECODE;
    row->differ |= sampled ? report->body_pair_count > truth->body_pair_count : report->hash != truth->hash;
    if (all)
        run->boxes += report->counters.boxes_tested, run->triangles += report->counters.triangles_tested;
}

static carom_status run_step(stream_bench_row *row, uint32_t step, bool counted)
{
    carom_frame frames[TWIN_COUNT];
    carom_scene_report reports[2]; /* the method's, the tree's */
    carom_status status = scene_twins_move(&row->twins, step, frames);
    for (int i = 0; i < STREAM_BENCH_METHODS && !carom_failed(status); i++)
    {
        stream_bench_run *run = &row->runs[i];
        if (!run->measured || (is_slow(i) && !counted))
            continue;
        double start = tool_clock_ms(row->options->elapsed);
        status = run_once(row, i, frames, row->options->all, &reports[0]);
        double ms = tool_clock_ms(row->options->elapsed) - start;
        if (carom_failed(status) || !counted)
            continue;
        if (i == STREAM_BENCH_TREE)
            reports[1] = reports[0], row->meeting += reports[0].body_pair_count > 0;
        run->ms += ms / row->step_count, run->missed += reports[0].body_pair_count < reports[1].body_pair_count;
        compare_report(row, i, row->options->all, reports);
    }
    return status;
}

/* What was not timed, all pairs or any, in rounds of its own: a search for all pairs makes room that one for any would
 * gain from. Without what takes seconds; nothing is certain about what is sampled. */
static carom_status compare_step(stream_bench_row *row, uint32_t step)
{
    carom_frame frames[TWIN_COUNT];
    carom_scene_report reports[2];
    carom_status status = scene_twins_move(&row->twins, step, frames);
    for (int i = 0; i < STREAM_BENCH_METHODS && !carom_failed(status); i++)
    {
        if (!row->runs[i].measured || is_slow(i) || i == STREAM_BENCH_IBCD)
            continue;
        status = run_once(row, i, frames, !row->options->all, &reports[0]);
        if (i == STREAM_BENCH_TREE)
            reports[1] = reports[0];
        if (!carom_failed(status))
            compare_report(row, i, !row->options->all, reports);
    }
    return status;
}

static carom_status compare_steps(stream_bench_row *row)
{
    carom_status status = CAROM_OK;
    for (uint32_t i = 0; i < row->step_count && !carom_failed(status); i++)
        status = compare_step(row, row->steps[i]);
    const stream_bench_run *twin = &row->runs[STREAM_BENCH_PROCESSOR];
    for (int i = STREAM_BENCH_OPENCL; i < STREAM_BENCH_METHODS; i++)
    {
        const stream_bench_run *run = &row->runs[i];
        row->counts_differ |= run->measured && (run->boxes != twin->boxes || run->triangles != twin->triangles);
    }
    return status;
}

/* Trees, pieces and programs of the driver belong to the preparation, except for what takes seconds anyway. */
static carom_status warm_up(stream_bench_row *row)
{
    carom_status status = CAROM_OK;
    for (uint32_t i = 0; i < row->step_count && i < 2 && !carom_failed(status); i++)
        status = run_step(row, row->steps[i == 0 ? row->step_count / 2 : 0], false);
    for (int i = 0; i < STREAM_BENCH_METHODS; i++)
        if (row->runs[i].engine)
            row->runs[i].before = carom_engine_get_stats(row->runs[i].engine);
    return status;
}

static void sum_up(stream_bench_run *run, double steps)
{
    carom_engine_stats now = carom_engine_get_stats(run->engine), *before = &run->before;
    run->passes = (double)(now.passes - before->passes) / steps;
    run->computed = (double)(now.passes_computed - before->passes_computed) / steps;
    run->pixels = (double)(now.pixels - before->pixels) / steps;
    run->packed = (double)(now.packed_textures - before->packed_textures) / steps;
    run->edge_tests = (double)(now.edge_tests - before->edge_tests) / steps;
}

carom_status stream_bench_measure(stream_bench_row *row)
{
    char what[64], number[32];
    carom_status status = open_row(row);
    if (!carom_failed(status))
        status = choose_steps(row);
    if (!carom_failed(status))
        status = warm_up(row);
    snprintf(what, sizeof what, "scene %d, %s triangles", row->scene + 1, tool_thousands(row->triangles, number));
    for (uint32_t i = 0; i < row->step_count && !carom_failed(status); i++)
    {
        tool_watch(&(carom_progress){"measuring", what, i, row->step_count}, NULL);
        status = run_step(row, row->steps[i], true);
    }
    for (int i = 0; i < STREAM_BENCH_METHODS && !carom_failed(status); i++)
        if (row->runs[i].measured)
            sum_up(&row->runs[i], row->step_count);
    if (!carom_failed(status))
        status = compare_steps(row);
    return status;
}

/* ---- the cost model ---- */

enum
{
    TERMS = 3 /* pixels, edges, passes */
};

/* Least squares of relative errors: sum of (1 - terms . costs / ms)^2 over runs. */
typedef struct fit_sums
{
    double matrix[TERMS][TERMS], right[TERMS];
} fit_sums;

static void set_terms(const stream_bench_row *row, const stream_bench_run *run, double out[TERMS])
{
    out[0] = run->pixels, out[1] = row->edges, out[2] = run->passes;
}

static void add_run(fit_sums *sums, const double terms[TERMS], double ms)
{
    for (int i = 0; i < TERMS; i++)
    {
        sums->right[i] += terms[i] / ms;
        for (int k = 0; k < TERMS; k++)
            sums->matrix[i][k] += terms[i] * terms[k] / (ms * ms);
    }
}

/* By elimination; the first so many terms. Costs are not negative: those that would be are left out. */
static void solve(const fit_sums *sums, int terms, double costs[TERMS])
{
    bool used[TERMS] = {true, true, terms == TERMS};
    for (int attempt = 0; attempt < TERMS; attempt++)
    {
        double m[TERMS][TERMS + 1] = {{0}};
        for (int i = 0; i < TERMS; i++)
        {
            for (int k = 0; k < TERMS; k++)
                m[i][k] = used[i] && used[k] ? sums->matrix[i][k] : i == k ? 1.0 : 0.0;
            m[i][TERMS] = used[i] ? sums->right[i] : 0.0;
        }
        for (int i = 0; i < TERMS; i++) /* the matrix is symmetric and positive: no pivots */
            for (int k = 0; k < TERMS; k++)
            {
                double factor = k == i ? 0.0 : m[k][i] / m[i][i];
                for (int j = 0; j <= TERMS; j++)
                    m[k][j] -= factor * m[i][j];
            }
        bool negative = false;
        for (int i = 0; i < TERMS; i++)
        {
            costs[i] = m[i][TERMS] / m[i][i];
            if (!(costs[i] >= 0.0))
                used[i] = false, negative = true;
        }
        if (!negative)
            return;
    }
}

static bool is_fitted(const stream_bench_row *row, int method)
{
    return (method == STREAM_BENCH_SCD0 || method == STREAM_BENCH_SCD1) && row->runs[method].measured &&
           row->runs[method].ms > 0.0;
}

/* The mean and the largest relative error. */
static void judge(const stream_bench_row *const *rows, uint32_t count, const double costs[TERMS], double out[2])
{
    uint32_t runs = 0;
    out[0] = out[1] = 0.0;
    for (uint32_t i = 0; i < count; i++)
        for (int method = 0; method < STREAM_BENCH_METHODS; method++)
        {
            double terms[TERMS], ms = 0.0;
            if (!is_fitted(rows[i], method))
                continue;
            set_terms(rows[i], &rows[i]->runs[method], terms);
            for (int k = 0; k < TERMS; k++)
                ms += costs[k] * terms[k];
            double error = fabs(ms / rows[i]->runs[method].ms - 1.0);
            out[0] += error, out[1] = fmax(out[1], error), runs++;
        }
    out[0] /= runs > 0 ? runs : 1;
}

stream_bench_fit stream_bench_fit_costs(const stream_bench_row *const *rows, uint32_t count)
{
    stream_bench_fit fit = {0};
    fit_sums sums = {{{0}}, {0}};
    double costs[TERMS] = {0}, errors[2], computed_ms = 0.0, computed_tests = 0.0;
    for (uint32_t i = 0; i < count; i++)
    {
        const stream_bench_run *twin = &rows[i]->runs[STREAM_BENCH_TWIN];
        computed_ms += twin->ms, computed_tests += twin->edge_tests;
        for (int method = 0; method < STREAM_BENCH_METHODS; method++)
            if (is_fitted(rows[i], method))
            {
                double terms[TERMS];
                set_terms(rows[i], &rows[i]->runs[method], terms);
                add_run(&sums, terms, rows[i]->runs[method].ms);
                fit.run_count++;
            }
    }
    if (fit.run_count < TERMS)
        return fit;
    solve(&sums, TERMS - 1, costs);
    judge(rows, count, costs, errors);
    fit.printed_error = errors[0];
    solve(&sums, TERMS, costs);
    judge(rows, count, costs, errors);
    fit.per_pixel = costs[0], fit.per_edge = costs[1], fit.per_pass = costs[2];
    fit.mean_error = errors[0], fit.largest_error = errors[1];
    fit.per_test = computed_tests > 0.0 ? computed_ms / computed_tests : 0.0;
    fit.break_even = fit.per_test > fit.per_pixel ? fit.per_pass / (fit.per_test - fit.per_pixel) : 0.0;
    return fit;
}
