/* carom bench parallel: the experiment of the thesis's chapter 4. Its three scenes, its four methods and the engine
 * `tree`, any hit, every body against every other in each step, for several numbers of workers, next to table 4-1. */
#include "scenes/scenes.h"
#include "tool/chart.h"
#include "tool/picture.h"
#include "tool/tool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum
{
    SCENE_COUNT = 3,
    METHOD_COUNT = 5,
    PUBLISHED_COUNT = 4,
    MAX_COUNTS = 8, /* of workers */
    MAX_STEPS = 100
};

static const char *const METHODS[METHOD_COUNT] = {"sstcd", "spcd", "escd", "epcd", "tree"};
/* Which serial method a method is compared with. */
static const int SERIAL[METHOD_COUNT] = {0, 0, 2, 2, 4};
/* Methods that have a serial counterpart to be compared with. */
static const int COMPARED[CHART_MAX_LINES] = {1, 3, 4};

typedef struct published
{
    const char *scene;
    double ms[PUBLISHED_COUNT]; /* table 4-1: four processors of 1998, means per step */
    double speed_up[PUBLISHED_COUNT];
} published;

/* As printed; the last speed-up does not fit its times, which give 2.62. */
static const published TABLE[SCENE_COUNT] = {{"parallel-1", {246.9, 109.4, 231.2, 89.3}, {1, 2.26, 1, 2.59}},
                                             {"parallel-2", {3652.1, 1443.8, 349.1, 125.9}, {1, 2.53, 1, 2.77}},
                                             {"parallel-3", {14832.7, 7225.9, 581.7, 222.4}, {1, 2.05, 1, 2.66}}};

typedef struct parallel_options
{
    const char *threads, *scene, *output;
    uint64_t steps, repeats, tasks_at_once;
    bool json;
    uint32_t workers[MAX_COUNTS];
    uint32_t worker_counts;
} parallel_options;

/* One method with one number of workers. */
typedef struct parallel_run
{
    carom_engine *engine;
    carom_engine_stats before;
    double best_ms[MAX_STEPS];                   /* per step, over all repeats */
    double mean_ms;                              /* of these */
    double tasks, edge_tests, boxes, idle_share; /* per step; idle: NAN if tasks never ran in parallel */
    uint64_t runs;
} parallel_run;

/* A scene in a context with some number of workers. */
typedef struct parallel_world
{
    carom_context *context;
    scenes_scene *source;
    carom_scene *scene;
    carom_body_id *ids;
    parallel_run runs[METHOD_COUNT];
} parallel_world;

typedef struct parallel_work
{
    const tool_command *command;
    const parallel_options *options;
    const published *published;
    uint32_t step_count, stride;
    uint64_t hashes[MAX_STEPS];
    uint64_t hits; /* pairs of bodies that meet, over all steps */
    bool differ;   /* some answer does */
    parallel_world worlds[MAX_COUNTS];
} parallel_work;

/* ---- worlds ---- */

static carom_status fill_scene(parallel_world *world)
{
    carom_status status = carom_scene_create(world->context, &world->scene);
    world->ids = calloc(world->source->body_count, sizeof *world->ids);
    if (!world->ids)
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < world->source->body_count && !carom_failed(status); i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){world->source->bodies[i].shape, world->source->bodies[i].pose};
        status = carom_scene_add(world->scene, &def, &world->ids[i]);
    }
    return status;
}

static carom_status open_world(const parallel_work *work, uint32_t workers, parallel_world *world)
{
    carom_context_def def = carom_context_def_default();
    def.workers = workers;
    carom_status status = carom_context_create(&def, &world->context);
    if (!carom_failed(status))
        status = scenes_create(world->context, work->published->scene, &world->source);
    if (!carom_failed(status))
        status = fill_scene(world);
    for (int i = 0; i < METHOD_COUNT && !carom_failed(status); i++)
    {
        carom_engine_def engine = carom_engine_def_default();
        engine.engine = METHODS[i], engine.broad_phase = "all";
        engine.tasks_at_once = (uint32_t)work->options->tasks_at_once;
        status = carom_engine_create(world->context, &engine, &world->runs[i].engine);
        for (int k = 0; k < MAX_STEPS; k++)
            world->runs[i].best_ms[k] = INFINITY;
    }
    return status;
}

static void close_world(parallel_world *world)
{
    for (int i = 0; i < METHOD_COUNT; i++)
        carom_engine_destroy(world->runs[i].engine);
    carom_scene_destroy(world->scene);
    free(world->ids);
    scenes_destroy(world->source);
    carom_context_destroy(world->context);
}

static carom_status move_world(parallel_world *world, uint32_t step, carom_frame *frame)
{
    scenes_move(world->source, step);
    for (uint32_t i = 0; i < world->source->body_count; i++)
    {
        carom_status status = carom_scene_move(world->scene, world->ids[i], &world->source->bodies[i].pose);
        if (carom_failed(status))
            return status;
    }
    return carom_scene_frame(world->scene, frame);
}

/* ---- measuring ---- */

static uint64_t count_hits(const carom_scene_report *report)
{
    uint64_t hits = 0;
    for (uint64_t i = 0; i < report->body_pair_count; i++)
        hits += report->body_pairs[i].pair_count > 0;
    return hits;
}

static carom_status run_once(parallel_work *work, const carom_frame *frame, parallel_run *run, uint32_t step)
{
    carom_collide_options any = carom_collide_options_default();
    any.mode = CAROM_COLLIDE_ANY;
    carom_scene_report report;
    double start = tool_now_ms();
    carom_status status = carom_engine_run(run->engine, frame, &any, &report);
    double taken = tool_now_ms() - start;
    if (carom_failed(status))
        return status;
    run->best_ms[step] = fmin(run->best_ms[step], taken);
    run->boxes += (double)report.counters.boxes_tested;
    run->runs++;
    if (work->hashes[step] == 0)
        work->hashes[step] = report.hash, work->hits += count_hits(&report);
    work->differ |= work->hashes[step] != report.hash;
    return CAROM_OK;
}

/* Every method and number of workers in turn, step by step, so that other load on the machine affects all alike. */
static carom_status run_step(parallel_work *work, uint32_t step)
{
    for (uint32_t i = 0; i < work->options->worker_counts; i++)
    {
        parallel_world *world = &work->worlds[i];
        carom_frame frame;
        carom_status status = move_world(world, step * work->stride, &frame);
        for (int k = 0; k < METHOD_COUNT && !carom_failed(status); k++)
            status = run_once(work, &frame, &world->runs[k], step);
        if (carom_failed(status))
            return tool_fail_status(work->command, world->context, status), status;
    }
    return CAROM_OK;
}

/* The first run of an engine builds trees: it is not timed. */
static carom_status warm_up(parallel_work *work)
{
    carom_status status = run_step(work, 0);
    for (uint32_t i = 0; i < work->options->worker_counts; i++)
        for (int k = 0; k < METHOD_COUNT; k++)
        {
            parallel_run *run = &work->worlds[i].runs[k];
            run->best_ms[0] = INFINITY, run->boxes = 0, run->runs = 0;
            run->before = carom_engine_get_stats(run->engine);
        }
    return status;
}

static void sum_up(const parallel_work *work, parallel_run *run)
{
    for (uint32_t step = 0; step < work->step_count; step++)
        run->mean_ms += run->best_ms[step] / work->step_count;
    carom_engine_stats now = carom_engine_get_stats(run->engine);
    double runs = (double)run->runs, worker_seconds = now.worker_seconds - run->before.worker_seconds;
    run->tasks = (double)(now.tasks - run->before.tasks) / runs;
    run->edge_tests = (double)(now.edge_tests - run->before.edge_tests) / runs;
    run->boxes /= runs;
    run->idle_share = worker_seconds > 0 ? 1 - (now.busy_seconds - run->before.busy_seconds) / worker_seconds : NAN;
    run->before = now;
}

static carom_status measure(parallel_work *work)
{
    bool progress = isatty(STDERR_FILENO);
    carom_status status = warm_up(work);
    double start = tool_now_ms();
    uint64_t total = work->options->repeats * work->step_count, done = 0;
    for (uint64_t repeat = 0; repeat < work->options->repeats; repeat++)
        for (uint32_t step = 0; step < work->step_count && !carom_failed(status); step++)
        {
            status = run_step(work, step);
            done++;
            double left = (tool_now_ms() - start) / (double)done * (double)(total - done) / 1e3;
            if (progress)
                fprintf(stderr, "\r%s: %llu of %llu steps, %.0f s left ", work->published->scene,
                        (unsigned long long)done, (unsigned long long)total, left);
        }
    if (progress)
        fprintf(stderr, "\r%60s\r", "");
    for (uint32_t i = 0; i < work->options->worker_counts; i++)
        for (int k = 0; k < METHOD_COUNT; k++)
            sum_up(work, &work->worlds[i].runs[k]);
    return status;
}

/* ---- output ---- */

static const parallel_run *run_of(const parallel_work *work, uint32_t count, int method)
{
    return &work->worlds[count].runs[method];
}

/* Over the serial method of its kind with one worker, which is the first. */
static double speed_up(const parallel_work *work, uint32_t count, int method)
{
    return run_of(work, 0, SERIAL[method])->mean_ms / run_of(work, count, method)->mean_ms;
}

static void print_number(double value, int digits)
{
    if (isnan(value))
        printf(" %10s", "-");
    else
        printf(" %10.*f", digits, value);
}

static void print_head(const char *title)
{
    printf("  %-25s", title);
    for (int k = 0; k < METHOD_COUNT; k++)
        printf(" %10s", METHODS[k]);
    putchar('\n');
}

static void print_workers(const parallel_work *work, uint32_t count)
{
    uint32_t workers = work->options->workers[count];
    printf("    %3u worker%-13s", workers, workers > 1 ? "s" : "");
}

static void print_published(const double values[PUBLISHED_COUNT], int digits)
{
    printf("    %-23s", "published, 4 CPUs");
    for (int k = 0; k < METHOD_COUNT; k++)
        print_number(k < PUBLISHED_COUNT ? values[k] : NAN, digits);
    putchar('\n');
}

static void print_times(const parallel_work *work)
{
    print_head("ms per step");
    for (uint32_t i = 0; i < work->options->worker_counts; i++)
    {
        print_workers(work, i);
        for (int k = 0; k < METHOD_COUNT; k++)
            print_number(run_of(work, i, k)->mean_ms, 3);
        putchar('\n');
    }
    print_published(work->published->ms, 1);
    puts("  speed-up over the serial method with one worker");
    for (uint32_t i = 0; i < work->options->worker_counts; i++)
    {
        print_workers(work, i);
        for (int k = 0; k < METHOD_COUNT; k++)
            print_number(speed_up(work, i, k), 2);
        putchar('\n');
    }
    print_published(work->published->speed_up, 2);
}

static void print_counts(const parallel_work *work)
{
    static const char *const ROWS[] = {"tasks", "levels", "boxes tested", "edges tested"};
    print_head("per step, one worker");
    for (int row = 0; row < 4; row++)
    {
        printf("    %-23s", ROWS[row]);
        for (int k = 0; k < METHOD_COUNT; k++)
        {
            const parallel_run *run = run_of(work, 0, k);
            const double values[] = {run->tasks, run->before.depth, run->boxes, run->edge_tests};
            print_number(k == METHOD_COUNT - 1 && row != 2 ? NAN : values[row], 0);
        }
        putchar('\n');
    }
    puts("  idle share of the workers");
    for (uint32_t i = 0; i < work->options->worker_counts; i++)
    {
        print_workers(work, i);
        for (int k = 0; k < METHOD_COUNT; k++)
            print_number(run_of(work, i, k)->idle_share, 2);
        putchar('\n');
    }
    putchar('\n');
}

static void print_scene(const parallel_work *work)
{
    uint32_t triangles = 0, bodies = work->worlds[0].source->body_count;
    for (uint32_t i = 0; i < bodies; i++)
        triangles += carom_shape_element_count(&work->worlds[0].source->bodies[i].shape);
    char text[32];
    printf("%s: %u bodies, %s triangles, %u steps, %.2f of %u pairs of bodies meet per step%s\n",
           work->published->scene, bodies, tool_thousands(triangles, text), work->step_count,
           (double)work->hits / work->step_count, bodies * (bodies - 1) / 2, work->differ ? "  ANSWERS DIFFER" : "");
    print_times(work);
    print_counts(work);
    fflush(stdout);
}

static json_t *run_to_json(const parallel_work *work, uint32_t count, int method)
{
    const parallel_run *run = run_of(work, count, method);
    return json_pack("{s:s,s:I,s:o,s:o,s:o,s:o,s:o,s:I,s:o}", "method", METHODS[method], "workers",
                     (json_int_t)work->options->workers[count], "ms", tool_json_number(run->mean_ms), "speed_up",
                     tool_json_number(speed_up(work, count, method)), "tasks", tool_json_number(run->tasks),
                     "boxes_tested", tool_json_number(run->boxes), "edges_tested", tool_json_number(run->edge_tests),
                     "levels", (json_int_t)run->before.depth, "idle_share", tool_json_number(run->idle_share));
}

static json_t *scene_to_json(const parallel_work *work)
{
    json_t *runs = json_array(), *ms = json_object(), *ratios = json_object();
    for (uint32_t i = 0; i < work->options->worker_counts; i++)
        for (int k = 0; k < METHOD_COUNT; k++)
            json_array_append_new(runs, run_to_json(work, i, k));
    for (int k = 0; k < PUBLISHED_COUNT; k++)
    {
        json_object_set_new(ms, METHODS[k], json_real(work->published->ms[k]));
        json_object_set_new(ratios, METHODS[k], json_real(work->published->speed_up[k]));
    }
    return json_pack("{s:s,s:I,s:I,s:b,s:o,s:o,s:o}", "scene", work->published->scene, "steps",
                     (json_int_t)work->step_count, "meeting_body_pairs", (json_int_t)work->hits, "answers_equal",
                     !work->differ, "published_ms", ms, "published_speed_up", ratios, "runs", runs);
}

/* ---- the chart: one panel per scene ---- */

/* Times with the smallest number of workers above one; serial methods have one. */
static void fill_panel(const parallel_work *work, chart_panel *panel)
{
    uint32_t second = work->options->worker_counts > 1 ? 1 : 0;
    *panel = (chart_panel){.title = work->published->scene};
    for (uint32_t i = 0; i < work->options->worker_counts; i++)
        for (uint32_t line = 0; line < CHART_MAX_LINES; line++)
            panel->line[line][i] = speed_up(work, i, COMPARED[line]);
    for (int k = 0; k < METHOD_COUNT; k++)
    {
        bool serial = k < PUBLISHED_COUNT && k == SERIAL[k];
        panel->bar[k] = run_of(work, serial ? 0 : second, k)->mean_ms;
        panel->reference[k] = k < PUBLISHED_COUNT ? work->published->ms[k] : 0;
    }
}

static int draw_chart(const tool_command *command, const parallel_options *options, const chart_panel *panels,
                      uint32_t count)
{
    char title[64];
    snprintf(title, sizeof title, "ms per step, 1 or %u workers, grey: published",
             options->workers[options->worker_counts > 1 ? 1 : 0]);
    chart_def def = {.bars_title = title,
                     .lines_title = "speed-up by workers, grey: ideal",
                     .line_name = {"spcd/sstcd", "epcd/escd", "tree"},
                     .bar_count = METHOD_COUNT,
                     .line_count = CHART_MAX_LINES,
                     .point_count = options->worker_counts,
                     .points = options->workers,
                     .panels = panels,
                     .panel_count = count};
    memcpy(def.bar_name, METHODS, sizeof def.bar_name);
    carom_context *context = tool_context(&(tool_arguments){.command = command});
    if (!context)
        return TOOL_ERROR;
    carom_status status = chart_write(context, &def, options->output);
    int code = carom_failed(status) ? tool_fail_status(command, context, status) : TOOL_CLEAN;
    if (code == TOOL_CLEAN)
        fprintf(stderr, "carom %s: the chart is in %s\n", command->name, options->output);
    carom_context_destroy(context);
    return code;
}

/* ---- the command ---- */

/* In ascending order. */
static void add_workers(parallel_options *options, uint32_t count)
{
    uint32_t at = options->worker_counts++;
    for (; at > 0 && options->workers[at - 1] > count; at--)
        options->workers[at] = options->workers[at - 1];
    options->workers[at] = count;
}

static bool parse_threads(const tool_command *command, parallel_options *options)
{
    add_workers(options, 1); /* what the others are compared with */
    for (const char *at = options->threads; *at;)
    {
        char *end;
        unsigned long count = strtoul(at, &end, 10);
        if (*at < '0' || *at > '9' || count < 1 || count > CAROM_MAX_WORKERS || (*end && (*end != ',' || !end[1])))
            return tool_fail(command, "--threads %s: numbers from 1 to %d, separated by commas", options->threads,
                             CAROM_MAX_WORKERS),
                   false;
        bool known = false;
        for (uint32_t i = 0; i < options->worker_counts; i++)
            known |= options->workers[i] == count;
        if (!known && options->worker_counts == MAX_COUNTS)
            return tool_fail(command, "--threads %s: at most %d numbers", options->threads, MAX_COUNTS), false;
        if (!known)
            add_workers(options, (uint32_t)count);
        at = *end ? end + 1 : end;
    }
    return true;
}

static int run_scene(parallel_work *work, json_t *scenes, chart_panel *panel)
{
    carom_status status = CAROM_OK;
    for (uint32_t i = 0; i < work->options->worker_counts && !carom_failed(status); i++)
        status = open_world(work, work->options->workers[i], &work->worlds[i]);
    int code = TOOL_CLEAN;
    if (carom_failed(status))
        code = tool_fail(work->command, "%s: %s", work->published->scene, carom_status_name(status));
    else
    {
        uint32_t available = work->worlds[0].source->step_count;
        work->step_count = work->options->steps < available ? (uint32_t)work->options->steps : available;
        work->stride = available / work->step_count;
        code = carom_failed(measure(work)) ? TOOL_ERROR : work->differ ? TOOL_FINDINGS : TOOL_CLEAN;
    }
    if (code != TOOL_ERROR && work->options->json)
        json_array_append_new(scenes, scene_to_json(work));
    else if (code != TOOL_ERROR)
        print_scene(work);
    if (code != TOOL_ERROR)
        fill_panel(work, panel);
    for (uint32_t i = 0; i < work->options->worker_counts; i++)
        close_world(&work->worlds[i]);
    return code;
}

static int run_scenes(const tool_command *command, const parallel_options *options)
{
    json_t *scenes = json_array();
    parallel_work *work = malloc(sizeof *work);
    chart_panel panels[SCENE_COUNT];
    uint32_t panel_count = 0;
    int code = work && scenes ? TOOL_CLEAN : tool_fail(command, "no memory");
    for (int i = 0; i < SCENE_COUNT && code != TOOL_ERROR; i++)
    {
        if (options->scene && strcmp(options->scene, TABLE[i].scene) != 0)
            continue;
        *work = (parallel_work){.command = command, .options = options, .published = &TABLE[i]};
        int found = run_scene(work, scenes, &panels[panel_count++]);
        code = found > code ? found : code;
    }
    free(work);
    if (code != TOOL_ERROR && options->output && draw_chart(command, options, panels, panel_count) != TOOL_CLEAN)
        code = TOOL_ERROR;
    if (code != TOOL_ERROR && options->json)
    {
        json_t *root = json_pack("{s:b,s:O}", "answers_equal", code == TOOL_CLEAN, "scenes", scenes);
        if (tool_print_json(command, root) != TOOL_CLEAN)
            code = TOOL_ERROR;
    }
    json_decref(scenes);
    return code;
}

static bool is_ours(const char *scene)
{
    for (int i = 0; i < SCENE_COUNT; i++)
        if (strcmp(TABLE[i].scene, scene) == 0)
            return true;
    return false;
}

int tool_bench_parallel(int argc, char **argv)
{
    static const tool_command bench_parallel = {
        .name = "bench parallel",
        .arguments = "",
        .summary = "time the engines sstcd, spcd, escd, epcd and tree for several numbers of workers",
        .details =
            "The three scenes are those of chapter 4 of the thesis that describes the methods; the times of its\n"
            "table 4-1 are printed for comparison.\n"
            "Exit codes: 0 all engines give the same answers, 1 they differ, 2 error.\n",
        .computes = true,
    };
    const tool_command *command = &bench_parallel;
    parallel_options options = {.threads = "1,2,4,8", .steps = 20, .repeats = 5};
    const tool_option table[] = {
        {"--threads", TOOL_TEXT, &options.threads, "LIST",
         "numbers of workers (default: 1,2,4,8); 1 is always included"},
        {"--scene", TOOL_TEXT, &options.scene, "NAME", "parallel-1, parallel-2 or parallel-3 instead of all three"},
        {"--steps", TOOL_COUNT, &options.steps, "N", "steps of each scene, evenly spaced (default: 20)"},
        {"--repeats", TOOL_COUNT, &options.repeats, "N", "repeats of each step; the fastest counts (default: 5)"},
        {"--tasks-at-once", TOOL_COUNT, &options.tasks_at_once, "K", "tasks that epcd runs at once (default: 32)"},
        {"-o", TOOL_FILE, &options.output, "FILE", "PNG file for a chart of speed-ups and times"},
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse_all(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (options.scene && !is_ours(options.scene))
        return tool_fail(command, "--scene: '%s' is not one of parallel-1, parallel-2, parallel-3", options.scene);
    if (options.steps < 1 || options.steps > MAX_STEPS)
        return tool_fail(command, "--steps %llu: from 1 to %d", (unsigned long long)options.steps, MAX_STEPS);
    if (options.repeats < 1 || options.repeats > 10000)
        return tool_fail(command, "--repeats %llu: from 1 to 10000", (unsigned long long)options.repeats);
    if (options.tasks_at_once > UINT32_MAX)
        return tool_fail(command, "--tasks-at-once %llu: too many", (unsigned long long)options.tasks_at_once);
    if (!parse_threads(command, &options))
        return TOOL_ERROR;
    if (!tool_check_png(command, "-o", options.output))
        return TOOL_ERROR;
    return run_scenes(command, &options);
}
