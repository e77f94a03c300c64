/* carom check: do two models meet, where, and how far apart are they? */
#include "tool/ask.h"
#include "tool/verdict.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct check_options
{
    carom_pose pose_a, pose_b;
    tool_file_options files;
    io_read_options reading;
    const char *clearance_text;
    bool distance, all, contacts, json;
    uint64_t max_pairs;
    double seconds; /* for everything; infinity: no limit */
    tool_method_options method;
    double clearance; /* in the model's unit; 0: not requested */
} check_options;

/* Everything that one check owns, freed in one place. */
typedef struct check_work
{
    const tool_command *command;
    const check_options *options;
    carom_context *context;
    const char *path[2];
    io_model model[2];
    carom_tree *tree[2];
    tool_asker asker;
    carom_placed placed[2];
    carom_report report, distance;
} check_work;

static carom_status prepare(check_work *work)
{
    carom_status status = tool_read_pair(work->context, work->path, &work->options->reading, work->model);
    for (int i = 0; i < 2; i++)
    {
        if (!carom_failed(status))
            status = tool_ask_tree(&work->asker, work->model[i].mesh, &work->tree[i]);
        if (carom_failed(status))
            return status;
        work->placed[i] = (carom_placed){tool_shape(work->model[i].mesh, work->tree[i]),
                                         i == 0 ? work->options->pose_a : work->options->pose_b};
    }
    return CAROM_OK;
}

static carom_status ask(check_work *work)
{
    const check_options *wanted = work->options;
    carom_collide_options options = carom_collide_options_default();
    options.mode = wanted->all || wanted->contacts ? CAROM_COLLIDE_ALL : CAROM_COLLIDE_COUNT;
    options.contacts = wanted->contacts;
    options.relation = true;
    options.clearance = wanted->clearance;
    options.max_pairs = wanted->max_pairs;
    /* what reading and building left of it; 0 would mean no limit */
    options.budget.seconds = isinf(wanted->seconds) ? 0 : fmax(tool_seconds_left(), 1e-9);
    /* the distance first: both reports point into the query, and the pairs are the larger part */
    if (wanted->distance)
    {
        carom_distance_options limits = carom_distance_options_default();
        limits.budget = options.budget;
        carom_status status =
            carom_distance(work->asker.query, &work->placed[0], &work->placed[1], &limits, &work->distance);
        if (carom_failed(status))
            return status;
    }
    return tool_ask_collide(&work->asker, &work->placed[0], &work->placed[1], &options, &work->report);
}

/* Did the time run out before everything was decided? What was found by then is valid. */
static bool is_open(const check_work *work)
{
    return work->report.status == CAROM_UNKNOWN || (work->options->distance && work->distance.status == CAROM_UNKNOWN);
}

/* "violated" or "kept"; null: unknown. */
static const char *clearance_verdict(const carom_report *report)
{
    if (report->clearance_violated)
        return "violated";
    return report->status == CAROM_UNKNOWN ? NULL : "kept";
}

/* ---- output ---- */

/* Nothing is inside an open surface: the answer names the models that are not closed. */
static const char *not_closed(const carom_report *report)
{
    return report->a_closed ? report->b_closed ? NULL : "B" : report->b_closed ? "A" : "A and B";
}

static json_t *pairs_to_json(const carom_report *report)
{
    json_t *pairs = json_array();
    for (uint64_t i = 0; i < report->pairs_listed; i++)
        json_array_append_new(pairs, json_pack("[I,I,s]", (json_int_t)report->pairs[i].triangle_a,
                                               (json_int_t)report->pairs[i].triangle_b,
                                               tool_meeting_name(report->pairs[i].meeting)));
    return pairs;
}

static json_t *contacts_to_json(const carom_report *report)
{
    json_t *contacts = json_array();
    for (uint64_t i = 0; i < report->contact_count; i++)
    {
        const carom_contact *contact = &report->contacts[i];
        json_t *points = json_array();
        for (uint32_t k = 0; k < contact->point_count; k++)
            json_array_append_new(points, tool_json_point(report->points[contact->first_point + k]));
        json_array_append_new(contacts, json_pack("{s:I,s:o}", "pair", (json_int_t)contact->pair, "points", points));
    }
    return contacts;
}

static json_t *triangle_or_null(uint32_t triangle)
{
    return triangle == CAROM_NO_TRIANGLE ? json_null() : json_integer((json_int_t)triangle);
}

static void distance_to_json(json_t *root, const carom_report *report)
{
    json_object_set_new(root, "distance_status", json_string(carom_status_name(report->status)));
    json_object_set_new(root, "distance", tool_json_number(report->distance));
    json_object_set_new(root, "distance_bound", tool_json_number(report->distance_bound));
    bool none = report->triangle_a == CAROM_NO_TRIANGLE;
    json_object_set_new(root, "points",
                        none ? json_null()
                             : json_pack("[o,o]", tool_json_point(report->point_a), tool_json_point(report->point_b)));
    json_object_set_new(root, "triangles",
                        json_pack("[o,o]", triangle_or_null(report->triangle_a), triangle_or_null(report->triangle_b)));
    json_object_set_new(root, "distance_hash", tool_json_hash(report->hash));
    json_object_set_new(root, "distance_counters", tool_json_counters(&report->counters));
    json_object_set_new(root, "distance_times", tool_json_times(&report->times));
}

static int print_json(const check_work *work)
{
    const carom_report *report = &work->report;
    json_t *files = json_array();
    for (int i = 0; i < 2; i++)
    {
        json_t *path = json_string(work->path[i]);
        json_array_append_new(files, json_pack("{s:o,s:I,s:b,s:I,s:I}", "file", path ? path : json_null(), "triangles",
                                               (json_int_t)carom_mesh_get_info(work->model[i].mesh).triangle_count,
                                               "closed", i == 0 ? report->a_closed : report->b_closed, "joined_corners",
                                               (json_int_t)work->model[i].joined_corners, "collapsed_triangles",
                                               (json_int_t)work->model[i].collapsed_triangles));
    }
    json_t *root = json_pack("{s:o,s:s,s:s,s:s,s:I}", "models", files, "method", work->asker.method->name, "status",
                             carom_status_name(report->status), "relation", carom_relation_name(report->relation),
                             "pair_count", (json_int_t)report->pair_count);
    json_object_set_new(root, "verdict", json_string(tool_verdict_name(tool_judge(report))));
    json_object_set_new(root, "probably_inside", tool_json_probably_inside(report));
    if (not_closed(report))
        json_object_set_new(root, "not_closed", json_string(not_closed(report)));
    if (work->options->all)
        json_object_set_new(root, "pairs", pairs_to_json(report));
    if (work->options->contacts)
        json_object_set_new(root, "contacts", contacts_to_json(report));
    if (work->options->clearance > 0)
    {
        json_object_set_new(root, "clearance", tool_json_number(work->options->clearance));
        json_object_set_new(root, "clearance_violated",
                            clearance_verdict(report) ? json_boolean(report->clearance_violated) : json_null());
    }
    if (work->options->files.unit)
        json_object_set_new(root, "unit", json_string(work->options->files.unit));
    if (work->options->distance)
        distance_to_json(root, &work->distance);
    json_object_set_new(root, "hash", report->hash ? tool_json_hash(report->hash) : json_null());
    json_object_set_new(root, "counters", tool_json_counters(&report->counters));
    json_object_set_new(root, "times", tool_json_times(&report->times));
    return tool_print_json(work->command, root);
}

static void print_distance(const check_work *work, const char *unit)
{
    const carom_report *found = &work->distance;
    if (found->status == CAROM_UNKNOWN)
        printf("distance  unknown: from %.12g%s up to ", found->distance_bound, unit);
    else
        printf("distance  ");
    printf("%.12g%s", found->distance, unit);
    if (found->triangle_a != CAROM_NO_TRIANGLE)
        printf("  triangle %u of A at (%.9g, %.9g, %.9g), triangle %u of B at (%.9g, %.9g, %.9g)", found->triangle_a,
               found->point_a.x, found->point_a.y, found->point_a.z, found->triangle_b, found->point_b.x,
               found->point_b.y, found->point_b.z);
    putchar('\n');
}

static void print_work(const char *question, const carom_report *report)
{
    printf("work      %s%llu boxes, %llu triangle pairs, %llu exact, %.3f ms\n", question,
           (unsigned long long)report->counters.boxes_tested, (unsigned long long)report->counters.triangles_tested,
           (unsigned long long)report->counters.exact_fallbacks, report->times.total_ms);
}

static void print_verdict(const carom_report *report)
{
    tool_verdict verdict = tool_judge(report);
    const char *reason = tool_explain_verdict(report);
    const char *tint = tool_is_finding(report) ? tool_red() : verdict == TOOL_UNDECIDED ? "" : tool_green();
    printf("verdict   %s%s%s%s%s\n", tint, tool_verdict_name(verdict), *tint ? tool_plain() : "", reason ? ": " : "",
           reason ? reason : "");
}

static void print_text(const check_work *work)
{
    const carom_report *report = &work->report;
    const char *unit = work->options->files.unit ? work->options->files.unit : "";
    char number[32];
    for (int i = 0; i < 2; i++)
    {
        printf("%c         %s: %s triangles%s", 'A' + i, work->path[i],
               tool_thousands(carom_mesh_get_info(work->model[i].mesh).triangle_count, number),
               (i == 0 ? report->a_closed : report->b_closed) ? ", closed" : ", not closed");
        if (work->options->reading.weld > 0)
            printf(", %s corners joined", tool_thousands(work->model[i].joined_corners, number));
        putchar('\n');
    }
    bool open = report->status == CAROM_UNKNOWN;
    printf("relation  %s%s\n", carom_relation_name(report->relation), open ? " (out of time)" : "");
    print_verdict(report);
    printf("pairs     %s%s%s\n", open ? "at least " : "", tool_thousands(report->pair_count, number),
           report->status == CAROM_TRUNCATED ? " (not all listed)" : "");
    for (uint64_t i = 0; work->options->all && i < report->pairs_listed; i++)
        printf("pair      %u %u %s\n", report->pairs[i].triangle_a, report->pairs[i].triangle_b,
               tool_meeting_name(report->pairs[i].meeting));
    if (work->options->clearance > 0)
    {
        const char *verdict = clearance_verdict(report);
        const char *tint = report->clearance_violated ? tool_red() : verdict ? tool_green() : "";
        printf("clearance %.12g%s %s%s%s\n", work->options->clearance, unit, tint, verdict ? verdict : "unknown",
               *tint ? tool_plain() : "");
    }
    if (work->options->distance)
        print_distance(work, unit);
    print_work("", report);
    if (work->options->distance)
        print_work("for the distance ", &work->distance);
    if (report->hash)
        printf("hash      %016llx\n", (unsigned long long)report->hash);
}

/* ---- advice ---- */

/* 12345 as 1e4: one digit is enough for advice, and easy to type. */
static double one_digit(double value, char out[32])
{
    snprintf(out, 32, "%.0e", value);
    return strtod(out, NULL);
}

/* Reads a model again, with longer and longer weld lengths, until its surface is closed and no triangle collapses.
 * False: none of them helps. In a context of its own: warnings about lengths that no one asked for would confuse. */
static bool find_weld(const check_work *work, int which, char out[32])
{
    carom_context *context = NULL;
    if (carom_failed(carom_context_create(NULL, &context)))
        return false;
    carom_aabb box = carom_mesh_get_info(work->model[which].mesh).bounds;
    double size = fmax(box.max.x - box.min.x, fmax(box.max.y - box.min.y, box.max.z - box.min.z));
    bool found = false;
    for (double part = 1e-7; part < 2e-3 && !found; part *= 10)
    {
        io_model model = {0};
        io_read_options reading = {.weld = one_digit(part * size, out)};
        if (!carom_failed(io_read(context, work->path[which], &reading, &model)))
            found = tool_is_closed(model.mesh) && model.collapsed_triangles == 0;
        io_model_free(&model);
    }
    carom_context_destroy(context);
    return found;
}

/* A model that is not closed can't be known to contain anything: can that be helped? */
static void advise(const check_work *work)
{
    const bool surrounds[2] = {work->report.b_probably_inside_a, work->report.a_probably_inside_b};
    for (int i = 0; i < 2; i++)
    {
        char length[32], number[32];
        if (!surrounds[i])
            continue;
        uint32_t edges = carom_mesh_get_info(work->model[i].mesh).boundary_edge_count;
        if (find_weld(work, i, length))
            fprintf(stderr,
                    "carom check: note: %s looks torn open by rounding: with --weld %s it is closed, and the answer "
                    "certain\n",
                    work->path[i], length);
        else
            fprintf(stderr, "carom check: note: %s is not closed (%s boundary edges), and no weld length closes it\n",
                    work->path[i], tool_thousands(edges, number));
    }
}

/* ---- the subcommand ---- */

static int run(check_work *work, const tool_method *method)
{
    tool_set_deadline(work->options->seconds);
    carom_status status = tool_asker_open(work->context, method, &work->asker);
    if (!carom_failed(status))
        status = prepare(work);
    if (!carom_failed(status))
        status = ask(work);
    if (status == CAROM_CANCELLED)
        return tool_fail(work->command, "not decided within %g seconds: they ended while models were read",
                         work->options->seconds);
    if (carom_failed(status))
        return tool_fail_status(work->command, work->context, status);
    tool_clear_progress();
    if (work->options->json)
    {
        if (print_json(work) != TOOL_CLEAN)
            return TOOL_ERROR;
    }
    else
        print_text(work);
    for (int i = 0; i < 2; i++)
        if (carom_mesh_get_info(work->model[i].mesh).triangle_count == 0)
        {
            fprintf(stderr, "carom check: nothing was checked: %s has no triangles\n", work->path[i]);
            return TOOL_NOTHING;
        }
    if (tool_judge(&work->report) == TOOL_PROBABLY_INSIDE)
        advise(work);
    bool found = tool_is_finding(&work->report);
    if (is_open(work) && !found)
        return tool_fail(work->command, "not decided within %g seconds", work->options->seconds);
    return found ? TOOL_FINDINGS : TOOL_CLEAN;
}

int tool_check(const tool_command *command, int argc, char **argv)
{
    check_options options = {.pose_a = carom_pose_identity(), .pose_b = carom_pose_identity(), .seconds = INFINITY};
    const tool_option table[] = {
        {"--pose-a", TOOL_POSE, &options.pose_a, "POSE",
         "translation, with a quaternion, 12 or 16 numbers of a matrix, or: axis x y z degrees at x y z"},
        {"--pose-b", TOOL_POSE, &options.pose_b, "POSE", "likewise for B"},
        TOOL_FILE_ROWS(&options.files),
        {"--clearance", TOOL_TEXT, &options.clearance_text, "LENGTH",
         "required gap: 5, or with --unit also 5mm, 0.2in"},
        {"--distance", TOOL_FLAG, &options.distance, NULL, "print how far apart the surfaces are, and where"},
        {"--all", TOOL_FLAG, &options.all, NULL, "list all pairs of triangles that meet"},
        {"--contacts", TOOL_FLAG, &options.contacts, NULL,
         "with --json: also list the points that each pair has in common"},
        {"--seconds", TOOL_NUMBER, &options.seconds, "S",
         "time limit, reading included; undecided results are then unknown"},
        {"--max-pairs", TOOL_COUNT, &options.max_pairs, "N", "list at most N pairs, but count all"},
        TOOL_METHOD_ROWS(&options.method),
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (arguments.positional_count != 2)
        return tool_fail(command, "two files are needed, %d given", arguments.positional_count);
    if (options.clearance_text &&
        !tool_parse_length(command, "--clearance", options.clearance_text, options.files.unit, &options.clearance))
        return TOOL_ERROR;
    if (!tool_read_options(command, &options.files, &options.reading))
        return TOOL_ERROR;
    if (!(options.seconds > 0))
        return tool_fail(command, "--seconds %g: must be above 0", options.seconds);
    if (options.clearance_text && !(options.clearance > 0))
        return tool_fail(command, "--clearance: '%s' is no gap; models that meet are always found",
                         options.clearance_text);
    if (options.contacts && !options.json)
        return tool_fail(command, "--contacts needs --json");
    tool_method methods[TOOL_METHOD_LIMIT];
    int count = tool_methods(&options.method, methods);
    if (count > 1)
        return tool_fail(command, "a check uses one method, not %d: give one of --tree, --volume, --engine", count);

    check_work work = {.command = command,
                       .options = &options,
                       .path = {arguments.positional[0], arguments.positional[1]},
                       .context = tool_context(&arguments)};
    if (!work.context)
        return TOOL_ERROR;
    code = run(&work, &methods[0]);
    for (int i = 0; i < 2; i++)
    {
        carom_tree_destroy(work.tree[i]);
        io_model_free(&work.model[i]);
    }
    tool_asker_close(&work.asker);
    carom_context_destroy(work.context);
    return code;
}
