/* carom bench stream: the experiment of the thesis's chapter 3, table 3-1 and figures 3-16 to 3-18. */
#include "tool/bench_stream.h"

#include <stdlib.h>

typedef struct bench_options
{
    uint64_t scene, sizes, steps; /* scene 0: all */
    const char *plot;
    bool all, elapsed, quick, fast, cliffs, json;
} bench_options;

static int measure(bench_stream_table *table, int scene, int size)
{
    stream_bench_row *row = calloc(1, sizeof *row);
    if (!row)
        return tool_fail(table->command, "no memory");
    table->rows[table->row_count++] = row;
    row->options = table->options, row->context = table->context, row->scene = scene, row->size = size;
    carom_status status = stream_bench_measure(row);
    int code = carom_failed(status) ? tool_fail_status(table->command, table->context, status) : TOOL_CLEAN;
    stream_bench_close(row);
    tool_clear_progress();
    return code != TOOL_CLEAN ? code : row->differ || row->counts_differ ? TOOL_FINDINGS : TOOL_CLEAN;
}

static int show(const bench_stream_table *table, const bench_options *options)
{
    int code = TOOL_CLEAN;
    if (options->json)
        code = bench_stream_print_json(table);
    else
        bench_stream_print(table);
    return code == TOOL_CLEAN && options->plot ? bench_stream_plot(table, options->plot) : code;
}

static int run(bench_stream_table *table, const bench_options *options)
{
    int code = TOOL_CLEAN;
    for (int scene = 0; scene < STREAM_BENCH_SCENES; scene++)
        for (int size = 0; size < STREAM_BENCH_SIZES && code != TOOL_ERROR; size++)
        {
            bool whole = size == STREAM_BENCH_SIZES - 1;
            bool left_out =
                options->quick ? whole || size >= 2 : !whole && size < STREAM_BENCH_SIZES - (int)options->sizes;
            if ((options->scene > 0 && (int)options->scene != scene + 1) || left_out ||
                STREAM_BENCH_TRIANGLES[scene][size] == 0)
                continue;
            int found = measure(table, scene, size);
            code = found > code ? found : code;
        }
    if (code != TOOL_ERROR && show(table, options) != TOOL_CLEAN)
        code = TOOL_ERROR;
    for (uint32_t i = 0; i < table->row_count; i++)
        free(table->rows[i]);
    return code;
}

int tool_bench_stream(int argc, char **argv)
{
    static const tool_command bench_stream = {
        .name = "bench stream",
        .arguments = "",
        .summary = "time the thesis's collision detection by streams of edges, SCD0 to SCD2",
        .details =
            "Four scenes of two bodies each, as large as the published ones; three of them also in smaller sizes. All\n"
            "methods ask whether the bodies meet (or where, with --all), in some of the steps in which their boxes\n"
            "overlap, on one worker.\n"
            "SCD0, SCD1 and SCD2 draw every pass, as in the thesis. OpenCL, GL and CPU are engine stream, by what "
            "runs\n"
            "its kernels; whichever of any hit and all pairs is not timed is compared all the same, but for SCD0.\n"
            "Times are processor times of all threads, which other load hardly disturbs: right for a software driver.\n"
            "All of it takes about ten minutes.\n"
            "Exit codes: 0 exact methods give the same answers, and stream makes the same tests everywhere, 1 they\n"
            "differ, 2 error.\n",
    };
    const tool_command *command = &bench_stream;
    bench_options options = {.sizes = STREAM_BENCH_SIZES, .steps = 6};
    const tool_option table[] = {
        {"--scene", TOOL_COUNT, &options.scene, "N", "only scene 1, 2, 3 or 4"},
        {"--sizes", TOOL_COUNT, &options.sizes, "N",
         "how many of the five sizes, the largest first, which is that of table 3-1 (default: 5)"},
        {"--steps", TOOL_COUNT, &options.steps, "N", "steps of each scene (default: 6)"},
        {"--all", TOOL_FLAG, &options.all, NULL, "time searches for all pairs of triangles that meet"},
        TOOL_ELAPSED_ROW(&options.elapsed),
        {"--fast", TOOL_FLAG, &options.fast, NULL, "without SCD0, its twin, IBCD and RECODE, which take minutes"},
        {"--cliffs", TOOL_FLAG, &options.cliffs, NULL,
         "instead: engine stream on tiny meshes, many bodies, deep overlaps and the like"},
        {"--quick", TOOL_FLAG, &options.quick, NULL, "the two smallest sizes only"},
        {"--plot", TOOL_TEXT, &options.plot, "DIR", "folder for figure-3-16.png to figure-3-18.png; it must exist"},
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse_all(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (!tool_check_range(command, "--scene", options.scene, 0, STREAM_BENCH_SCENES) ||
        !tool_check_range(command, "--sizes", options.sizes, 1, STREAM_BENCH_SIZES) ||
        !tool_check_range(command, "--steps", options.steps, 1, STREAM_BENCH_MAX_STEPS))
        return TOOL_ERROR;
    arguments.workers = 1;
    stream_bench_options measured = {(uint32_t)options.steps, options.elapsed, options.fast, options.all};
    bench_stream_table rows = {.command = command, .options = &measured, .context = tool_context(&arguments)};
    code = !rows.context ? TOOL_ERROR : options.cliffs ? bench_stream_cliffs(&rows) : run(&rows, &options);
    carom_context_destroy(rows.context);
    return code;
}
