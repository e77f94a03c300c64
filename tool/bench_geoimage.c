/* carom bench geoimage: the experiment of the geometry-image paper, figure 5. */
#include "tool/bench_geoimage.h"

typedef struct bench_options
{
    uint64_t steps, distances;
    const char *plot;
    bool rigid, elapsed, fast, json;
} bench_options;

static int run(const tool_command *command, geoimage_bench *bench, const bench_options *options)
{
    carom_status status = geoimage_bench_measure(bench);
    geoimage_bench_close(bench);
    tool_clear_progress();
    if (carom_failed(status))
        return tool_fail_status(command, bench->context, status);
    int code = TOOL_CLEAN;
    if (options->json)
        code = bench_geoimage_print_json(command, bench);
    else
        bench_geoimage_print(bench);
    if (code == TOOL_CLEAN && options->plot)
        code = bench_geoimage_plot(command, bench, options->plot);
    return code != TOOL_CLEAN ? code : bench->differ || bench->counts_differ ? TOOL_FINDINGS : TOOL_CLEAN;
}

int tool_bench_geoimage(int argc, char **argv)
{
    static const tool_command bench_geoimage = {
        .name = "bench geoimage",
        .arguments = "",
        .summary = "time the geometry-image paper's search on graphics drivers and on the processor",
        .details =
            "Two spheres of 1,024 triangles, images of 33 x 17 points. One turns about a fixed axis in fixed steps; "
            "after\n"
            "each full turn they are nearer. All pairs of triangles that meet are searched, on one worker, by engine\n"
            "geoimage on OpenCL, on compute shaders (GL) and on the processor (CPU), and by engine tree. The sphere "
            "that\n"
            "turns gets new points in every step, as in the paper, so boxes are built again and trees refitted: all "
            "that\n"
            "is part of the time. Then the boxes of a sheet of 513 x 513 points are rebuilt, next to trees. Times are\n"
            "processor times of all threads, which other load hardly disturbs; those of stages and of rebuilding are "
            "by\n"
            "the clock.\n"
            "Exit codes: 0 all give the same answers by the same tests, 1 they differ, 2 error.\n",
    };
    const tool_command *command = &bench_geoimage;
    const uint64_t not_given = UINT64_MAX;
    bench_options options = {.steps = not_given, .distances = not_given};
    const tool_option table[] = {
        {"--steps", TOOL_COUNT, &options.steps, "N", "steps of a full turn (default: 36)"},
        {"--distances", TOOL_COUNT, &options.distances, "N", "how many distances, from 1.2 to 0.825 (default: 16)"},
        {"--rigid", TOOL_FLAG, &options.rigid, NULL, "turn the sphere as a rigid body: boxes and trees stay"},
        TOOL_ELAPSED_ROW(&options.elapsed),
        {"--fast", TOOL_FLAG, &options.fast, NULL, "4 distances, 6 steps, a sheet of 129 x 129 points"},
        {"--plot", TOOL_FILE, &options.plot, "PNG", "draw the times over the distance"},
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse_all(&arguments, argc, argv);
    if (code >= 0)
        return code;
    options.steps = options.steps != not_given ? options.steps : options.fast ? 6 : 36;
    options.distances = options.distances != not_given ? options.distances : options.fast ? 4 : 16;
    if (!tool_check_range(command, "--steps", options.steps, 1, GEOIMAGE_BENCH_MAX_STEPS) ||
        !tool_check_range(command, "--distances", options.distances, 1, GEOIMAGE_BENCH_DISTANCES))
        return TOOL_ERROR;
    arguments.workers = 1;
    geoimage_bench bench = {.context = tool_context(&arguments),
                            .distances = (uint32_t)options.distances,
                            .steps = (uint32_t)options.steps,
                            .side = options.fast ? 129 : GEOIMAGE_BENCH_SIDE,
                            .elapsed = options.elapsed,
                            .rigid = options.rigid};
    code = bench.context ? run(command, &bench, &options) : TOOL_ERROR;
    carom_context_destroy(bench.context);
    return code;
}
