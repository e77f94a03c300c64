/* carom bench image: the experiment of the thesis's chapter 2, figures 2-17 to 2-20. */
#include "tool/bench_image.h"

#include <stdlib.h>

typedef struct bench_options
{
    uint64_t scene, sizes, steps, repeats, side; /* scene 0: both */
    const char *plot;
    bool all, certified, elapsed, misses, quick, json;
    uint64_t pairs;
} bench_options;

static int measure(bench_image_table *table, int scene, int size)
{
    image_bench_row *row = calloc(1, sizeof *row);
    if (!row)
        return tool_fail(table->command, "no memory");
    table->rows[scene][table->counts[scene]++] = row;
    row->options = table->options, row->context = table->context, row->scene = scene, row->size = size;
    carom_status status = image_bench_measure(row);
    int code = carom_failed(status) ? tool_fail_status(table->command, table->context, status) : TOOL_CLEAN;
    image_bench_close(row);
    tool_clear_progress();
    return code != TOOL_CLEAN ? code : row->differ ? TOOL_FINDINGS : TOOL_CLEAN;
}

static int show(const bench_image_table *table, const bench_options *options)
{
    int code = TOOL_CLEAN;
    if (options->json)
        code = bench_image_print_json(table);
    else
        bench_image_print(table);
    return code == TOOL_CLEAN && options->plot ? bench_image_plot(table, options->plot) : code;
}

static int run(bench_image_table *table, const bench_options *options)
{
    int code = TOOL_CLEAN;
    for (int scene = 0; scene < IMAGE_BENCH_SCENES; scene++)
        for (int size = 0; size < (int)options->sizes && code != TOOL_ERROR; size++)
        {
            if (options->scene > 0 && (int)options->scene != scene + 1)
                continue;
            int found = measure(table, scene, size);
            code = found > code ? found : code;
        }
    if (code != TOOL_ERROR && show(table, options) != TOOL_CLEAN)
        code = TOOL_ERROR;
    for (int scene = 0; scene < IMAGE_BENCH_SCENES; scene++)
        for (uint32_t i = 0; i < table->counts[scene]; i++)
            free(table->rows[scene][i]);
    return code;
}

static bool check_options(const tool_command *command, const bench_options *options)
{
    return tool_check_range(command, "--scene", options->scene, 0, IMAGE_BENCH_SCENES) &&
           tool_check_range(command, "--sizes", options->sizes, 1, IMAGE_BENCH_SIZES) &&
           tool_check_range(command, "--steps", options->steps, 2, IMAGE_BENCH_MAX_STEPS) &&
           tool_check_range(command, "--repeats", options->repeats, 1, 1000) &&
           tool_check_range(command, "--pairs", options->pairs, 1, 100000000) &&
           tool_check_range(command, "--side", options->side, 0, 4096);
}

int tool_bench_image(int argc, char **argv)
{
    static const tool_command bench_image = {
        .name = "bench image",
        .arguments = "",
        .summary = "time the thesis's image-based collision detection, RECODE and trees of oriented boxes",
        .details =
            "Scene 1 is 130 bodies in random motion, scene 2 a hand that moves; in several sizes. All methods ask\n"
            "whether bodies meet (or where, with --all), step by step in turn, on one worker. IBCD is engine\n"
            "image-sampled, RECODE engine recode, OBB tree a binary tree of oriented boxes, as RAPID. \"Certified\n"
            "or trees\" is engine image, which chooses trees where these are faster, so it may draw nothing;\n"
            "\"certified, always\" (with --certified) draws all of its images. Times are\n"
            "processor times of all threads, which other load hardly disturbs: right for a software driver.\n"
            "Exit codes: 0 exact methods give the same answers, 1 they differ, or a miss that the stated size "
            "excludes, 2 error.\n",
    };
    const tool_command *command = &bench_image;
    const uint64_t not_given = UINT64_MAX;
    bench_options options = {.sizes = not_given, .steps = not_given, .repeats = 1, .pairs = 100000};
    const tool_option table[] = {
        {"--scene", TOOL_COUNT, &options.scene, "N", "only scene 1 or 2"},
        {"--sizes", TOOL_COUNT, &options.sizes, "N", "how many of the five sizes, the smallest first (default: 5)"},
        {"--steps", TOOL_COUNT, &options.steps, "N",
         "how many of each scene's 1,000 steps, evenly spread (default: all, as in the thesis)"},
        {"--repeats", TOOL_COUNT, &options.repeats, "N", "repeats of each step; the fastest counts (default: 1)"},
        {"--all", TOOL_FLAG, &options.all, NULL, "ask for all pairs of triangles that meet"},
        {"--certified", TOOL_FLAG, &options.certified, NULL,
         "also engine image with all of its images, which takes several times as long as all others together"},
        {"--side", TOOL_COUNT, &options.side, "N", "pixels along a side of an image (default: the engines' own, 16)"},
        TOOL_ELAPSED_ROW(&options.elapsed),
        {"--misses", TOOL_FLAG, &options.misses, NULL,
         "instead: how often IBCD misses hulls that meet, by what they have in common"},
        {"--pairs", TOOL_COUNT, &options.pairs, "N", "with --misses: pairs of hulls (default: 100000)"},
        {"--quick", TOOL_FLAG, &options.quick, NULL, "two sizes, 20 steps"},
        {"--plot", TOOL_TEXT, &options.plot, "DIR",
         "folder for figure-2-17.png to figure-2-20.png and others, or misses.png; it must exist"},
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse_all(&arguments, argc, argv);
    if (code >= 0)
        return code;
    options.sizes = options.sizes != not_given ? options.sizes : options.quick ? 2 : IMAGE_BENCH_SIZES;
    options.steps = options.steps != not_given ? options.steps : options.quick ? 20 : IMAGE_BENCH_MAX_STEPS;
    if (!check_options(command, &options))
        return TOOL_ERROR;
    arguments.workers = 1;
    image_bench_options measured = {
        (uint32_t)options.steps, (uint32_t)options.repeats, (uint32_t)options.side, options.elapsed, options.all,
        options.certified};
    bench_image_table rows = {.command = command, .options = &measured, .context = tool_context(&arguments)};
    if (rows.context && options.misses)
        code = bench_image_misses(command, rows.context, options.pairs, options.plot);
    else
        code = rows.context ? run(&rows, &options) : TOOL_ERROR;
    carom_context_destroy(rows.context);
    return code;
}
