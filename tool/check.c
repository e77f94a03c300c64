/* carom check: do models meet, where, and how far apart are they? The command line; two models are compared in
 * check_pair.c, more of them in check_scene.c. */
#include "tool/check.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

carom_budget check_budget(const check_work *work)
{
    carom_budget budget = carom_collide_options_default().budget;
    /* a budget of 0 would be no limit */
    if (!isinf(work->options->seconds))
        budget.seconds = fmax(tool_seconds_left(), 1e-9);
    return budget;
}

carom_collide_options check_collide_options(const check_work *work)
{
    const check_options *wanted = work->options;
    carom_collide_options options = carom_collide_options_default();
    options.mode = wanted->all || wanted->contacts ? CAROM_COLLIDE_ALL : CAROM_COLLIDE_COUNT;
    options.contacts = wanted->contacts;
    options.relation = true;
    options.clearance = wanted->clearance;
    options.max_pairs = wanted->max_pairs == CHECK_ALL_PAIRS ? 0 : wanted->max_pairs;
    options.budget = check_budget(work);
    return options;
}

const char *check_clearance_verdict(const carom_report *report)
{
    if (report->clearance_violated)
        return "violated";
    return report->status == CAROM_UNKNOWN ? NULL : "kept";
}

void check_print_sampled(check_work *work, const carom_counters *counters)
{
    if (counters->sampled_size > 0)
        tool_out_print(&work->out, "sampled   what holds no ball of diameter %.6g%s may have been missed\n",
                       counters->sampled_size, work->inputs.unit ? work->inputs.unit : "");
}

void check_print_printed(check_work *work, const carom_engine *engine)
{
    if (!work->options->printed)
        return;
    carom_engine_stats stats = carom_engine_get_stats(engine);
    tool_out_print(&work->out, "printed   of %llu pairs of bodies, %llu missed and %llu wrong\n",
                   (unsigned long long)stats.printed_searches, (unsigned long long)stats.printed_missed,
                   (unsigned long long)stats.printed_wrong);
    if (stats.printed_pairs + stats.printed_pairs_missed > 0)
        tool_out_print(&work->out, "printed   of %llu pairs of triangles, %llu wrong; %llu more were missed\n",
                       (unsigned long long)stats.printed_pairs, (unsigned long long)stats.printed_pairs_wrong,
                       (unsigned long long)stats.printed_pairs_missed);
}

size_t check_count_failed(const check_work *work)
{
    size_t failed = 0;
    for (size_t i = 0; i < work->inputs.count; i++)
    {
        const tool_input *input = &work->inputs.items[i];
        if (!input->tried)
            tool_fail(work->command, "%s was not read: the time is over", input->name);
        else if (carom_failed(input->status))
            tool_fail(work->command, "%s (%s)", input->message[0] ? input->message : input->name,
                      carom_status_name(input->status));
        failed += !input->tried || carom_failed(input->status);
    }
    return failed;
}

size_t check_count_empty(const check_work *work)
{
    size_t empty = 0;
    for (size_t i = 0; i < work->inputs.count; i++)
    {
        const tool_input *input = &work->inputs.items[i];
        if (!input->tried || carom_failed(input->status) || input->triangles > 0)
            continue;
        empty++;
        tool_fail(work->command, "%s %s has no triangles",
                  work->inputs.count > 2 ? "not checked:" : "nothing was checked:", input->name);
    }
    return empty;
}

/* ---- the subcommand ---- */

static bool is_given(const carom_pose *pose)
{
    for (int i = 0; i < 9; i++)
        if (pose->rotation[i] != 0.0)
            return true;
    return false;
}

static bool is_plain_file(const char *path)
{
    struct stat about;
    return !tool_is_list(path) && !(stat(path, &about) == 0 && S_ISDIR(about.st_mode));
}

/* In the unit of the scene. False after a message. */
static bool settle_lengths(check_work *work, check_options *options)
{
    const char *unit = work->inputs.unit, *accuracy = options->accuracy_text;
    double *wanted = &work->method->image_accuracy;
    options->clearance = work->inputs.clearance;
    if (options->clearance_text &&
        !tool_parse_length(work->command, "--clearance", options->clearance_text, unit, &options->clearance))
        return false;
    if (options->clearance_text && !(options->clearance > 0))
        return tool_fail(work->command, "--clearance: '%s' is no gap; models that meet are always found",
                         options->clearance_text),
               false;
    if (accuracy && !tool_parse_length(work->command, "--image-accuracy", accuracy, unit, wanted))
        return false;
    if (accuracy && !(*wanted > 0))
        return tool_fail(work->command, "--image-accuracy: '%s' is no size; an image always misses something",
                         accuracy),
               false;
    return true;
}

/* Are there options that name single models? */
static bool counts_models(const check_options *options)
{
    return options->poses.count > 0 || options->units.count > 0 || is_given(&options->pose[0]) ||
           is_given(&options->pose[1]);
}

/* Poses and units of single models, and lengths, which need them. False after a message. */
static bool settle(check_work *work, check_options *options)
{
    tool_inputs *inputs = &work->inputs;
    tool_settle_lists(inputs, options->files.unit, options->clearance_text);
    if (inputs->failed && counts_models(options))
        return tool_fail(work->command, "--pose, --pose-a, --pose-b, --file-unit: models were left out, so a number "
                                        "may mean another one; nothing was checked"),
               false;
    if (!tool_set_units(inputs, "--file-unit", &options->units) || !tool_set_poses(inputs, "--pose", &options->poses))
        return false;
    for (size_t i = 0; i < 2; i++)
        if (is_given(&options->pose[i]) && i >= inputs->count)
            return tool_fail(work->command, "--pose-%c: there is no such model", "ab"[i]), false;
        else if (is_given(&options->pose[i]) && inputs->items[i].has_pose_option)
            return tool_fail(work->command, "--pose-%c and --pose: the model has two poses", "ab"[i]), false;
        else if (is_given(&options->pose[i]))
            inputs->items[i].pose = options->pose[i];
    for (size_t i = 0; i < inputs->count; i++)
    {
        if (inputs->items[i].unit && !inputs->unit)
            return tool_fail(work->command, "%s has its own unit, but that of the scene is not known: add --unit",
                             inputs->items[i].name),
                   false;
        inputs->items[i].whole = inputs->items[i].whole || options->whole;
    }
    return settle_lengths(work, options);
}

/* Trees that don't fit go, used longest ago first. What is wrong with the folder does not concern the check. */
static void trim_cache(const check_work *work)
{
    uint64_t megabytes = work->options->cache_megabytes, limit = UINT64_MAX >> 20;
    carom_status status =
        carom_tree_cache_trim(work->context, work->options->cache, (megabytes < limit ? megabytes : limit) << 20);
    if (carom_failed(status))
    {
        char message[IO_MESSAGE_SIZE];
        carom_context_message(work->context, message, sizeof message);
        tool_note(work->command, "%s", message);
    }
}

/* False after a message: the report would replace a model, or a list. */
static bool spares_inputs(const check_work *work, const tool_arguments *arguments)
{
    const char *output = work->options->output;
    for (int i = 0; i < arguments->positional_count; i++)
        if (!tool_check_output(work->command, output, arguments->positional[i]))
            return false;
    for (size_t i = 0; i < work->inputs.count; i++)
        if (!tool_check_output(work->command, output, work->inputs.items[i].path))
            return false;
    return true;
}

/* Late or not: what reading took should not cost the report. */
static bool open_report(check_work *work)
{
    tool_hold_deadline();
    bool opened = tool_out_open(work->command, work->context, work->options->output, &work->out);
    tool_release_deadline();
    return opened;
}

/* Images are kept of two models that are compared with each other. */
static int check_with_views(check_work *work)
{
    work->views = (check_views){.command = work->command,
                                .context = work->context,
                                .folder = work->options->picture,
                                .limit = work->options->max_pictures};
    if (!check_views_open(&work->views, work->method->engine))
        return tool_out_abandon(&work->out), TOOL_ERROR;
    work->method->on_image = check_views_add, work->method->on_image_user = &work->views;
    return check_views_close(&work->views, check_pair(work));
}

static int run(check_work *work, check_options *options, const tool_arguments *arguments)
{
    char **paths = arguments->positional;
    int count = arguments->positional_count;
    tool_set_deadline(options->seconds);
    bool pair = count == 2 && !options->parts && is_plain_file(paths[0]) && is_plain_file(paths[1]);
    options->whole = options->whole || pair;
    if (options->picture && !pair)
        return tool_fail(work->command, "--picture: images are kept of two files, each of them one body");
    if (!tool_find_inputs(&work->inputs, paths, count) || !settle(work, options) || !spares_inputs(work, arguments))
        return TOOL_ERROR;
    bool chosen = options->method.tree || options->method.volume || options->method.builder;
    tool_reading reading = {.context = work->context,
                            .weld = options->files.weld,
                            .cache = options->cache,
                            .format = options->files.format};
    if (!work->method->engine && (pair || chosen || options->cache))
        reading.def = &work->method->def;
    if (options->cache && !tool_make_folder(work->command, options->cache))
        return TOOL_ERROR;
    bool have = tool_read_inputs(&work->inputs, &reading);
    if (options->cache)
        trim_cache(work);
    if (!have || !open_report(work))
        return TOOL_ERROR;
    if (pair && options->picture)
        return check_with_views(work);
    return pair ? check_pair(work) : check_scene(work);
}

/* Are these lengths? One without its unit may still get it from a list or from --file-unit. */
static bool check_lengths(const tool_command *command, const check_options *options)
{
    const char *unit = options->files.unit ? options->files.unit : "mm";
    const struct
    {
        const char *option, *text;
    } lengths[] = {{"--weld", options->files.weld},
                   {"--clearance", options->clearance_text},
                   {"--image-accuracy", options->accuracy_text}};
    double ignored;
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (lengths[i].text && !tool_parse_length(command, lengths[i].option, lengths[i].text, unit, &ignored))
            return false;
    return true;
}

/* May the engine miss something, because it looks at pixels? */
static bool is_sampled(const char *engine)
{
    for (uint32_t i = 0; engine && carom_engine_list(i); i++)
        if (strcmp(carom_engine_list(i)->name, engine) == 0)
            return carom_engine_list(i)->engine_class == CAROM_CLASS_SAMPLED;
    return false;
}

/* What can be said before any file is read. Negative: nothing is wrong. */
static int check_arguments(const tool_arguments *arguments, const check_options *options)
{
    const tool_command *command = arguments->command;
    if (arguments->positional_count == 0)
        return tool_fail(command, "a file is needed");
    if (!(options->seconds > 0))
        return tool_fail(command, "--seconds %g: must be above 0", options->seconds);
    if (options->max_pairs == 0)
        return tool_fail(command, "--max-pairs 0: must be 1 or more; without --all, no pairs are listed");
    if (options->contacts && !options->json)
        return tool_fail(command, "--contacts needs --json");
    if (options->picture && !check_views_can_show(options->method.engine))
        return tool_fail(command,
                         "--picture: %s%s keeps no images of hulls: use --engine image, image-sampled or recode",
                         options->method.engine ? "engine " : "a search in trees",
                         options->method.engine ? options->method.engine : "");
    if (options->image_side > 4096)
        return tool_fail(command, "--image-side %llu: from 1 to 4096", (unsigned long long)options->image_side);
    if (options->accuracy_text && !is_sampled(options->method.engine))
        return tool_fail(command, "--image-accuracy needs an engine that may miss something, such as --engine "
                                  "image-sampled or recode");
    if (options->printed && (!options->method.engine || strncmp(options->method.engine, "scd", 3) != 0))
        return tool_fail(command, "--printed needs --engine scd0, scd1 or scd2");
    if (options->parts && options->whole)
        return tool_fail(command, "--parts and --whole contradict each other");
    return check_lengths(command, options) ? -1 : TOOL_ERROR;
}

int tool_check(const tool_command *command, int argc, char **argv)
{
    check_options options = {.max_pairs = CHECK_ALL_PAIRS,
                             .top = CHECK_ALL_PAIRS,
                             .seconds = INFINITY,
                             .cache_megabytes = 4096,
                             .max_pictures = 100};
    const tool_option table[] = {
        {"--pose", TOOL_TEXTS, &options.poses, "FILE=POSE", "where a model is; FILE as given, or its number"},
        {"--pose-a", TOOL_POSE, &options.pose[0], "POSE", "where the first is"},
        {"--pose-b", TOOL_POSE, &options.pose[1], "POSE", "where the second is"},
        TOOL_FILE_ROWS(&options.files),
        {"--file-unit", TOOL_TEXTS, &options.units, "FILE=UNIT", "the unit of one model, converted to --unit"},
        {"--parts", TOOL_FLAG, &options.parts, NULL, "each named part is a body, also of just two files"},
        {"--whole", TOOL_FLAG, &options.whole, NULL, "each file is one body"},
        {"--clearance", TOOL_TEXT, &options.clearance_text, "LENGTH",
         "required gap: 5, or with --unit also 5mm, 0.2in"},
        {"--distance", TOOL_FLAG, &options.distance, NULL, "print how far apart the surfaces are, and where"},
        {"--all", TOOL_FLAG, &options.all, NULL, "list all pairs of triangles that meet"},
        {"--contacts", TOOL_FLAG, &options.contacts, NULL,
         "with --json: also list the points that each pair has in common"},
        {"--seconds", TOOL_NUMBER, &options.seconds, "S",
         "time limit, reading included; undecided results are then unknown"},
        {"--max-pairs", TOOL_COUNT, &options.max_pairs, "N",
         "list at most N pairs of triangles, 1 or more, but count all"},
        {"--top", TOOL_COUNT, &options.top, "N", "list at most N pairs of bodies, the worst first, but count all"},
        TOOL_METHOD_ROWS(&options.method),
        {"--broad", TOOL_BROAD, &options.broad, "NAME", "broad phase, for more than two bodies"},
        {"--cache", TOOL_FILE, &options.cache, "FOLDER",
         "keep trees and convex pieces there, and use those that are there"},
        {"--cache-size", TOOL_COUNT, &options.cache_megabytes, "MB",
         "with --cache: remove what was used longest ago beyond this (default: 4096)"},
        {"--image-side", TOOL_COUNT, &options.image_side, "N",
         "for engines that draw images: pixels along a side of one, up to 4096 (default: the engine's own)"},
        {"--image-accuracy", TOOL_TEXT, &options.accuracy_text, "LENGTH",
         "for engines that may miss something: as many pixels as it takes to find all that holds a ball this wide"},
        {"--printed", TOOL_FLAG, &options.printed, NULL,
         "with --engine scd0, scd1 or scd2: run the thesis's code as it is printed, and count what it misses"},
        {"--picture", TOOL_FILE, &options.picture, "FOLDER",
         "with --engine image, image-sampled or recode: keep what it saw of two files there"},
        {"--max-pictures", TOOL_COUNT, &options.max_pictures, "N",
         "with --picture: files for the first N images (default: 100); all are listed"},
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON"},
        {"-o", TOOL_FILE, &options.output, "FILE", "write the report there instead of to standard output"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse(&arguments, argc, argv);
    if (code < 0)
        code = check_arguments(&arguments, &options);
    tool_method methods[TOOL_METHOD_LIMIT];
    int count = code < 0 ? tool_methods(&options.method, methods) : 1;
    methods[0].image_side = (uint32_t)options.image_side, methods[0].as_printed = options.printed;
    if (count > 1)
        code = tool_fail(command, "a check uses one method, not %d: give one of --tree, --volume, --engine", count);
    if (code < 0)
    {
        check_work work = {.command = command,
                           .options = &options,
                           .method = &methods[0],
                           .inputs = {.command = command},
                           .context = tool_context(&arguments)};
        code = work.context ? run(&work, &options, &arguments) : TOOL_ERROR;
        tool_free_inputs(&work.inputs);
        carom_context_destroy(work.context);
    }
    free(options.poses.items);
    free(options.units.items);
    return code;
}
