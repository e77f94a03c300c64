/* carom sim: steps a scene and shows what meets, what it takes, and how it looks. */
#include "tool/sim.h"
#include "tool/out.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef struct sim_options
{
    const char *engine, *broad, *folder, *picture;
    uint64_t steps, every, width, height;
    bool list, json;
} sim_options;

static const uint64_t NOT_GIVEN = UINT64_MAX; /* steps */

/* What is measured at each step: a row of the table, a column of the lines, a key in JSON. */
enum
{
    NEAR,
    MEETING,
    TOO_CLOSE,
    TRIANGLES,
    POINTS,
    BROAD_MS,
    SEARCH_MS,
    REPORT_MS,
    TOTAL_MS,
    MEASURE_COUNT
};

static const struct
{
    const char *name, *column, *key;
    bool is_time;
} measures[MEASURE_COUNT] = {
    {"near pairs of bodies", "near", "body_pairs_examined", false},
    {"meeting pairs of bodies", "meeting", "body_pairs", false},
    {"pairs too close", "close", "body_pairs_too_close", false}, /* apart, but within the clearance */
    {"pairs of triangles", "triangles", "triangle_pairs", false},
    {"contact points", "points", "contact_points", false},
    {"broad phase, ms", "broad", "broad_ms", true},
    {"search and contacts, ms", "search", "search_ms", true}, /* an engine does not separate the two */
    {"report, ms", "report", "report_ms", true},
    {"whole step, ms", "total", "total_ms", true},
};

typedef struct sim_work
{
    const tool_command *command;
    const sim_options *options;
    const char *name;
    carom_context *context;
    sim_world world;
    sim_camera camera;
    carom_engine *engine;
    tool_out out;
    tool_writer writer;
    uint32_t steps, done;
    bool live; /* a table that is kept up to date, on a terminal */
    double shown_ms;
    double now[MEASURE_COUNT], sum[MEASURE_COUNT], max[MEASURE_COUNT];
    carom_broad_choice broad;
    uint64_t hash;
} sim_work;

/* ---- measuring ---- */

/* A list of pairs has those that meet and those that are closer than the clearance. */
static uint64_t count_meeting(const carom_scene_report *report)
{
    uint64_t meeting = 0;
    for (uint64_t i = 0; i < report->body_pair_count; i++)
        meeting += report->body_pairs[i].relation != CAROM_RELATION_APART;
    return meeting;
}

static void note_measures(sim_work *work, const carom_scene_report *report)
{
    const uint64_t meeting = count_meeting(report);
    const carom_times *times = &report->times;
    const double now[MEASURE_COUNT] = {(double)report->body_pairs_examined,
                                       (double)meeting,
                                       (double)(report->body_pair_count - meeting),
                                       (double)report->pair_count,
                                       (double)report->point_count,
                                       times->broad_ms,
                                       times->mid_ms + times->narrow_ms,
                                       times->report_ms,
                                       times->total_ms};
    for (int i = 0; i < MEASURE_COUNT; i++)
    {
        work->now[i] = now[i], work->sum[i] += now[i];
        work->max[i] = now[i] > work->max[i] ? now[i] : work->max[i];
    }
    work->broad = carom_engine_broad_phase(work->engine);
    work->hash = report->hash;
    work->done++;
}

/* ---- lines, the table, JSON ---- */

static const char *format_measure(int which, double value, char out[32])
{
    if (measures[which].is_time)
        snprintf(out, 32, "%.3f", value);
    else
        tool_thousands((uint64_t)(value + 0.5), out);
    return out;
}

static void print_head(sim_work *work)
{
    char number[2][32];
    tool_out_name(&work->out, work->name, 0);
    tool_out_print(&work->out, ": %s bodies, %s triangles, %u steps, engine %s\n",
                   tool_thousands(work->world.body_count, number[0]), tool_thousands(work->world.triangles, number[1]),
                   work->steps, work->options->engine ? work->options->engine : "tree");
    if (work->live)
        return;
    tool_out_print(&work->out, "%6s", "step");
    for (int i = 0; i < MEASURE_COUNT; i++)
        tool_out_print(&work->out, " %10s", measures[i].column);
    tool_out_print(&work->out, "  broad phase\n");
}

static void print_line(sim_work *work, uint32_t step)
{
    char number[32];
    tool_out_print(&work->out, "%6u", step);
    for (int i = 0; i < MEASURE_COUNT; i++)
        tool_out_print(&work->out, " %10s", format_measure(i, work->now[i], number));
    tool_out_print(&work->out, "  %s\n", work->broad.name);
}

static void print_table(sim_work *work)
{
    char number[3][32];
    double steps = work->done > 0 ? work->done : 1;
    const char *clear = work->live ? "\033[K" : "";
    tool_out_print(&work->out, "%-24s %12s %12s %12s%s\n", "", "now", "mean", "max", clear);
    for (int i = 0; i < MEASURE_COUNT; i++)
        tool_out_print(&work->out, "%-24s %12s %12s %12s%s\n", measures[i].name,
                       format_measure(i, work->now[i], number[0]), format_measure(i, work->sum[i] / steps, number[1]),
                       format_measure(i, work->max[i], number[2]), clear);
    tool_out_print(&work->out, "broad phase: %s (%s)%s\n", work->broad.name, work->broad.reason, clear);
    tool_out_print(&work->out, "step %u of %u%s\n", work->done, work->steps, clear);
}

enum
{
    TABLE_LINES = MEASURE_COUNT + 3
};

/* At most ten times a second, and at the end. */
static void refresh_table(sim_work *work)
{
    double now = tool_now_ms();
    if (work->done < work->steps && work->done > 1 && now - work->shown_ms < 100)
        return;
    if (work->shown_ms > 0)
        tool_out_print(&work->out, "\033[%dA", TABLE_LINES);
    work->shown_ms = now;
    print_table(work);
    fflush(stdout);
}

static void write_head(sim_work *work)
{
    tool_writer *writer = &work->writer;
    writer_begin(writer, NULL, '{');
    writer_text(writer, "document", "carom sim");
    writer_count(writer, "version", 1);
    writer_text(writer, "carom", carom_version());
    writer_text(writer, "scene", work->name);
    writer_text(writer, "engine", work->options->engine ? work->options->engine : "tree");
    writer_count(writer, "bodies", work->world.body_count);
    writer_count(writer, "triangles", work->world.triangles);
    writer_begin(writer, "steps", '[');
}

static void write_measures(tool_writer *writer, const double *values, double divisor)
{
    for (int i = 0; i < MEASURE_COUNT; i++)
        if (measures[i].is_time || divisor != 1)
            writer_number(writer, measures[i].key, values[i] / divisor);
        else
            writer_count(writer, measures[i].key, (uint64_t)values[i]);
}

static void write_step(sim_work *work, uint32_t step)
{
    writer_begin_line(&work->writer, NULL, '{');
    writer_count(&work->writer, "step", step);
    write_measures(&work->writer, work->now, 1);
    writer_text(&work->writer, "broad_phase", work->broad.name);
    writer_text(&work->writer, "reason", work->broad.reason);
    writer_hash(&work->writer, "hash", work->hash);
    writer_end(&work->writer);
}

static void write_tail(sim_work *work)
{
    tool_writer *writer = &work->writer;
    writer_end(writer);
    writer_begin(writer, "mean", '{');
    write_measures(writer, work->sum, work->done > 1 ? work->done : 1);
    writer_end(writer);
    writer_begin(writer, "max", '{');
    write_measures(writer, work->max, 1);
    writer_end(writer);
    writer_count(writer, "frames", work->camera.frames);
    writer_end(writer);
}

static void show_step(sim_work *work, uint32_t step)
{
    tool_clear_progress();
    if (work->options->json)
        write_step(work, step);
    else if (work->live)
        refresh_table(work);
    else
        print_line(work, step);
}

/* ---- stepping ---- */

static carom_status take_step(sim_work *work, uint32_t step)
{
    carom_frame frame;
    carom_scene_report report;
    carom_collide_options options = carom_collide_options_default();
    options.contacts = true;
    options.clearance = work->world.clearance;
    carom_status status = sim_move(&work->world, step);
    if (!carom_failed(status))
        status = carom_scene_frame(work->world.scene, &frame);
    if (!carom_failed(status))
        status = carom_engine_run(work->engine, &frame, &options, &report);
    if (carom_failed(status))
        return status;
    note_measures(work, &report);
    bool drawn = work->options->folder || work->options->picture;
    if (drawn && step % work->options->every == 0)
        status = sim_camera_draw(&work->camera, &work->world, &frame, &report);
    show_step(work, step);
    return status;
}

static carom_status prepare(sim_work *work)
{
    const sim_options *options = work->options;
    carom_engine_def def = carom_engine_def_default();
    if (options->engine)
        def.engine = options->engine;
    if (options->broad)
        def.broad_phase = options->broad;
    carom_status status = carom_engine_create(work->context, &def, &work->engine);
    if (carom_failed(status) || (!options->folder && !options->picture))
        return status;
    work->camera = (sim_camera){.command = work->command, .folder = options->folder, .picture = options->picture};
    work->camera.def = picture_def_default();
    work->camera.def.width = (uint32_t)options->width, work->camera.def.height = (uint32_t)options->height;
    return sim_camera_open(&work->camera, &work->world, (sim_range){work->steps, (uint32_t)options->every});
}

static int step_all(sim_work *work)
{
    carom_status status = prepare(work);
    if (carom_failed(status))
        return tool_fail_status(work->command, work->context, status);
    if (work->options->json)
        write_head(work);
    else
        print_head(work);
    for (uint32_t step = 0; step < work->steps && !carom_failed(status) && !work->out.failed; step++)
        status = take_step(work, step);
    if (work->options->json)
        write_tail(work);
    else if (!work->live)
        print_table(work);
    int code = tool_out_close(&work->out, TOOL_CLEAN);
    return carom_failed(status) ? tool_fail_status(work->command, work->context, status) : code;
}

static int run(sim_work *work)
{
    int code = sim_open(work->command, work->context, work->name, &work->world);
    work->steps = (uint32_t)(work->options->steps == NOT_GIVEN ? work->world.step_count : work->options->steps);
    if (code == TOOL_CLEAN && work->options->folder && !tool_make_folder(work->command, work->options->folder))
        code = TOOL_ERROR;
    if (code == TOOL_CLEAN && !tool_out_open(work->command, work->context, NULL, &work->out))
        code = TOOL_ERROR;
    work->writer.out = &work->out;
    if (code == TOOL_CLEAN)
        code = step_all(work);
    carom_status status = sim_camera_close(&work->camera, &work->world, code == TOOL_CLEAN);
    if (carom_failed(status))
        code = tool_fail_status(work->command, work->context, status);
    else if (code == TOOL_CLEAN && work->camera.frames > 0)
        tool_say("%s: %u frames", work->options->picture ? work->options->picture : work->options->folder,
                 work->camera.frames);
    carom_engine_destroy(work->engine);
    sim_close(&work->world);
    return code;
}

static bool has_live_terminal(void)
{
    const char *terminal = getenv("TERM");
    return isatty(STDOUT_FILENO) && terminal && *terminal && strcmp(terminal, "dumb") != 0;
}

static int check_arguments(const tool_arguments *arguments, const sim_options *options)
{
    const tool_command *command = arguments->command;
    if (arguments->positional_count != 1)
        return tool_fail(command, "one scene or list is needed; --list shows the scenes");
    if (options->steps != NOT_GIVEN && (options->steps < 1 || options->steps > 10000000))
        return tool_fail(command, "--steps %llu: must be from 1 to 10,000,000", (unsigned long long)options->steps);
    if (options->every < 1 || options->every > 10000000)
        return tool_fail(command, "--every %llu: must be from 1 to 10,000,000", (unsigned long long)options->every);
    if (!tool_check_picture_size(command, options->width, options->height) ||
        !tool_check_png(command, "--picture", options->picture))
        return TOOL_ERROR;
    return tool_check_output(command, options->picture, arguments->positional[0]) ? -1 : TOOL_ERROR;
}

int tool_sim(const tool_command *command, int argc, char **argv)
{
    sim_options options = {.steps = NOT_GIVEN, .every = 1, .width = 640, .height = 400};
    const tool_option table[] = {
        {"--list", TOOL_FLAG, &options.list, NULL, "list all scenes and what is in them"},
        {"--steps", TOOL_COUNT, &options.steps, "N", "number of steps (default: the scene's)"},
        {"--engine", TOOL_ENGINE, &options.engine, "NAME", "engine (default: tree)"},
        {"--broad", TOOL_BROAD, &options.broad, "NAME", "broad phase (default: auto)"},
        {"--frames", TOOL_FILE, &options.folder, "FOLDER", "write a PNG file per frame there"},
        {"--picture", TOOL_FILE, &options.picture, "FILE", "write an animated PNG"},
        {"--every", TOOL_COUNT, &options.every, "N", "draw only each N-th step (default: 1)"},
        {"--width", TOOL_COUNT, &options.width, "N", "width of pictures in pixels (default: 640)"},
        {"--height", TOOL_COUNT, &options.height, "N", "height in pixels (default: 400)"},
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON: the measures of all steps"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (options.list)
        return tool_print_scenes(), TOOL_CLEAN;
    code = check_arguments(&arguments, &options);
    if (code >= 0)
        return code;
    sim_work work = {.command = command,
                     .options = &options,
                     .name = arguments.positional[0],
                     .live = !options.json && has_live_terminal(),
                     .context = tool_context(&arguments)};
    code = work.context ? run(&work) : TOOL_ERROR;
    carom_context_destroy(work.context);
    return code;
}
