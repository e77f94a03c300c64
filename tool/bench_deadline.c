/* carom bench deadline: how well frames keep budgets of time, and what they leave undecided. */
#include "tool/deadline.h"

carom_status deadline_renew_engine(deadline_work *work)
{
    carom_engine_def def = carom_engine_def_default();
    def.estimate_undecided = true;
    carom_engine_destroy(work->engine);
    return carom_engine_create(work->context, &def, &work->engine);
}

static carom_status open_work(deadline_work *work)
{
    const deadline_options *options = work->options;
    crowd_def crowd = {crowd_get_info((uint32_t)tool_find_choice(TOOL_CROWD, options->scene)),
                       (uint32_t)options->bodies, (uint32_t)options->triangles};
    carom_scene_report report;
    carom_frame frame;
    carom_status status = carom_context_create(NULL, &work->context);
    if (!carom_failed(status))
        status = crowd_create(work->context, &crowd, &work->crowd);
    work->crowd.random += options->seed << 32;
    if (!carom_failed(status))
        status = deadline_renew_engine(work);
    if (!carom_failed(status))
        status = carom_engine_create(work->context, NULL, &work->truth);
    if (!carom_failed(status))
        status = carom_scene_frame(work->crowd.scene, &frame);
    return carom_failed(status) ? status : carom_engine_run(work->truth, &frame, NULL, &report); /* builds trees */
}

static int run_bench(deadline_work *work)
{
    deadline_point points[DEADLINE_POINTS] = {0};
    int code = TOOL_CLEAN;
    carom_status status = open_work(work);
    if (!carom_failed(status) && work->options->frames > 0)
        status = deadline_time_frames(work);
    if (!carom_failed(status))
        status = deadline_find_curves(work, points);
    if (carom_failed(status))
        code = work->context ? tool_fail_status(work->command, work->context, status)
                             : tool_fail(work->command, "%s", carom_status_name(status));
    else
        deadline_print_curves(work, points);
    if (code == TOOL_CLEAN && work->options->output)
        code = deadline_draw_curves(work, points);
    carom_engine_destroy(work->engine);
    carom_engine_destroy(work->truth);
    crowd_destroy(&work->crowd);
    carom_context_destroy(work->context);
    return code;
}

int tool_bench_deadline(int argc, char **argv)
{
    static const tool_command command = {
        .name = "bench deadline",
        .arguments = "",
        .summary = "how well frames keep budgets of time, and what they leave undecided",
        .details =
            "Bodies in motion: those of --scene, or others in number and size. Frames with random budgets alternate\n"
            "with a bare loop that reads the clock until the same budget is over; then frames with growing budgets\n"
            "are compared with the answer without one. On one thread.\n"
            "Exit codes: 0 measured, 2 error.\n",
    };
    deadline_options options = {.scene = "crowd", .frames = 10000, .steps = 20};
    const tool_option table[] = {
        {"--frames", TOOL_COUNT, &options.frames, "N", "frames with random budgets (default: 10000)"},
        {"--scene", TOOL_CROWD, &options.scene, "NAME", "what the bodies are and do (default: crowd)"},
        {"--bodies", TOOL_COUNT, &options.bodies, "N", "bodies (default: 400 in a crowd)"},
        {"--triangles", TOOL_COUNT, &options.triangles, "N", "triangles per body (default: 1000 in a crowd)"},
        {"--fresh", TOOL_COUNT, &options.fresh, "N", "begin with a new engine every N frames (default: never)"},
        {"--misses", TOOL_FLAG, &options.misses, NULL, "print what is known about each frame that was late"},
        {"--steps", TOOL_COUNT, &options.steps, "N", "frames for each budget of the plot (default: 20)"},
        {"--seed", TOOL_COUNT, &options.seed, "S", "seed of budgets and motion (default: 0)"},
        {"-o", TOOL_TEXT, &options.output, "FILE", "PNG file for the plot"},
    };
    tool_arguments arguments = {.command = &command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse_all(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (options.bodies == 1 || options.bodies > 1000000 || options.triangles > 1000000 ||
        (options.triangles > 0 && options.triangles < 100))
        return tool_fail(&command, "--bodies: from 2 to 1000000; --triangles: from 100 to 1000000");
    if (options.frames > 10000000 || options.steps < 1 || options.steps > 100000)
        return tool_fail(&command, "--frames: up to 10000000; --steps: from 1 to 100000");
    if (!tool_check_png(&command, "-o", options.output))
        return TOOL_ERROR;
    deadline_work work = {.command = &command, .options = &options};
    return run_bench(&work);
}
