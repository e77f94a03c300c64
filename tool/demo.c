/* carom demo: runs a generated assembly through a scene and an engine; prints what was examined and found, and draws a
 * picture. */
#include "scenes/scenes.h"
#include "tool/picture.h"
#include "tool/skin.h"
#include "tool/text.h"
#include "tool/verdict.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct demo_options
{
    const char *folder, *scene, *engine;
    bool list;
} demo_options;

typedef struct demo_work
{
    const tool_command *command;
    const demo_options *options;
    carom_context *context;
    scenes_scene *parts; /* meshes and poses */
    carom_scene *scene;
    carom_engine *engine;
    carom_query *query;
    carom_frame frame;
    carom_scene_report report;
    const carom_mesh **skins; /* per body: what is drawn */
    unsigned char **marked;   /* per body, per triangle of its skin */
    double *distance;         /* per body pair of the report */
} demo_work;

/* ---- checking ---- */

static carom_status add_bodies(demo_work *work)
{
    for (uint32_t i = 0; i < work->parts->body_count; i++)
    {
        const scenes_body *body = &work->parts->bodies[i];
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){body->shape, body->pose};
        def.name = body->name;
        def.user = i;
        carom_body_id id;
        carom_status status = carom_scene_add(work->scene, &def, &id);
        if (carom_failed(status))
            return status;
    }
    return CAROM_OK;
}

static carom_status examine(demo_work *work)
{
    carom_engine_def engine = carom_engine_def_default();
    engine.engine = work->options->engine;
    carom_status status = scenes_create(work->context, work->options->scene, &work->parts);
    if (!carom_failed(status))
        status = carom_scene_create(work->context, &work->scene);
    if (!carom_failed(status))
        status = add_bodies(work);
    if (!carom_failed(status))
        status = carom_engine_create(work->context, &engine, &work->engine);
    if (!carom_failed(status))
        status = carom_query_create(work->context, &work->query);
    if (!carom_failed(status))
        status = carom_scene_frame(work->scene, &work->frame);
    carom_collide_options options = carom_collide_options_default();
    options.relation = true;
    options.clearance = work->parts ? work->parts->clearance : 0;
    if (!carom_failed(status))
        status = carom_engine_run(work->engine, &work->frame, &options, &work->report);
    return status;
}

static carom_status measure_distances(demo_work *work)
{
    work->distance = calloc(work->report.body_pair_count + 1, sizeof *work->distance);
    if (!work->distance)
        return CAROM_OUT_OF_MEMORY;
    for (uint64_t i = 0; i < work->report.body_pair_count; i++)
    {
        const carom_body_pair *pair = &work->report.body_pairs[i];
        carom_report report;
        carom_status status = carom_distance(work->query, &carom_frame_find(&work->frame, pair->body_a)->placed,
                                             &carom_frame_find(&work->frame, pair->body_b)->placed, NULL, &report);
        if (carom_failed(status))
            return status;
        work->distance[i] = report.distance;
    }
    return CAROM_OK;
}

static carom_status make_skins(demo_work *work)
{
    work->skins = calloc(work->frame.body_count + 1u, sizeof *work->skins);
    if (!work->skins)
        return CAROM_OUT_OF_MEMORY;
    carom_status status = CAROM_OK;
    for (uint32_t i = 0; i < work->frame.body_count && !carom_failed(status); i++)
        status = skin_create(work->context, &work->frame.bodies[i].placed.shape, &work->skins[i]);
    return status;
}

static uint32_t skin_triangles(const demo_work *work, uint32_t body)
{
    return carom_mesh_get_info(work->skins[body]).triangle_count;
}

static bool is_closed(const carom_shape *shape)
{
    return shape->kind != CAROM_SHAPE_MESH || tool_is_closed(shape->mesh);
}

/* The answer for a pair of bodies, as if it had been asked alone. */
static carom_report pair_report(const demo_work *work, const carom_body_pair *pair)
{
    carom_report report = tool_pair_report(pair);
    report.a_closed = is_closed(&carom_frame_find(&work->frame, pair->body_a)->placed.shape);
    report.b_closed = is_closed(&carom_frame_find(&work->frame, pair->body_b)->placed.shape);
    report.pairs = work->report.pairs + pair->first_pair, report.pairs_listed = pair->pairs_listed;
    return report;
}

static carom_status mark_triangles(demo_work *work)
{
    work->marked = calloc(work->frame.body_count + 1u, sizeof *work->marked);
    if (!work->marked)
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < work->frame.body_count; i++)
    {
        work->marked[i] = calloc(skin_triangles(work, i) + 1u, 1);
        if (!work->marked[i])
            return CAROM_OUT_OF_MEMORY;
    }
    for (uint64_t i = 0; i < work->report.body_pair_count; i++)
    {
        const carom_body_pair *pair = &work->report.body_pairs[i];
        const carom_frame_body *a = carom_frame_find(&work->frame, pair->body_a),
                               *b = carom_frame_find(&work->frame, pair->body_b);
        unsigned char *marks[2] = {work->marked[a - work->frame.bodies], work->marked[b - work->frame.bodies]};
        carom_report report = pair_report(work, pair);
        picture_mark_report(&a->placed, &b->placed, &report, marks);
    }
    for (uint32_t i = 0; i < work->frame.body_count; i++)
        if (work->frame.bodies[i].placed.shape.kind != CAROM_SHAPE_MESH) /* its single element is the whole shape */
            memset(work->marked[i], work->marked[i][0], skin_triangles(work, i));
    return CAROM_OK;
}

/* ---- output ---- */

static uint64_t total_triangles(const demo_work *work)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < work->frame.body_count; i++)
        if (work->frame.bodies[i].placed.shape.kind == CAROM_SHAPE_MESH)
            sum += skin_triangles(work, i);
    return sum;
}

static void print_examined(const demo_work *work)
{
    const carom_scene_report *report = &work->report;
    uint64_t parts = work->frame.body_count;
    char number[5][32];
    printf("%s%s%s: %s parts, %s triangles", tool_bold(), work->parts->name, tool_plain(),
           tool_thousands(parts, number[0]), tool_thousands(total_triangles(work), number[1]));
    if (work->parts->clearance > 0)
        printf(", clearance %g", work->parts->clearance);
    printf("\nexamined: %s of %s pairs of parts are near each other; %s box tests, %s triangle tests, %.2f ms\n\n",
           tool_thousands(report->body_pairs_examined, number[0]),
           tool_thousands(parts * (parts - (parts > 0)) / 2, number[1]),
           tool_thousands(report->counters.boxes_tested, number[2]),
           tool_thousands(report->counters.triangles_tested, number[3]), report->times.total_ms);
}

static void print_found(const demo_work *work)
{
    const carom_scene_report *report = &work->report;
    unsigned counts[TOOL_VERDICT_COUNT] = {0};
    printf("%-14s %-14s %-15s %-13s %6s %10s\n", "part", "part", "finding", "relation", "pairs", "distance");
    for (uint64_t i = 0; i < report->body_pair_count; i++)
    {
        const carom_body_pair *pair = &report->body_pairs[i];
        carom_report found = pair_report(work, pair);
        tool_verdict verdict = tool_judge(&found);
        bool bad = verdict >= TOOL_PROBABLY_INSIDE;
        counts[verdict]++;
        printf("%-14s %-14s %s%-15s%s %-13s %6llu %10.4g\n", carom_frame_find(&work->frame, pair->body_a)->name,
               carom_frame_find(&work->frame, pair->body_b)->name, bad ? tool_red() : "", tool_verdict_name(verdict),
               bad ? tool_plain() : "", carom_relation_name(pair->relation), (unsigned long long)pair->pair_count,
               work->distance[i]);
    }
    printf("\nfound: %u clashes, %u probably inside, %u contacts, %u too close; hash %016llx\n", counts[TOOL_CLASH],
           counts[TOOL_PROBABLY_INSIDE], counts[TOOL_CONTACT], counts[TOOL_TOO_CLOSE],
           (unsigned long long)report->hash);
}

static json_t *findings_to_json(const demo_work *work)
{
    json_t *list = json_array();
    for (uint64_t i = 0; i < work->report.body_pair_count; i++)
    {
        const carom_body_pair *pair = &work->report.body_pairs[i];
        carom_report report = pair_report(work, pair);
        json_t *item = json_pack(
            "{s:s,s:s,s:s,s:s,s:b,s:I,s:o}", "a", carom_frame_find(&work->frame, pair->body_a)->name, "b",
            carom_frame_find(&work->frame, pair->body_b)->name, "finding", tool_verdict_name(tool_judge(&report)),
            "relation", carom_relation_name(pair->relation), "clearance_violated", pair->clearance_violated,
            "pair_count", (json_int_t)pair->pair_count, "distance", tool_json_number(work->distance[i]));
        json_object_set_new(item, "probably_inside", tool_json_probably_inside(&report));
        json_t *pairs = json_array();
        for (uint64_t k = 0; k < pair->pairs_listed; k++)
        {
            const carom_pair *found = &work->report.pairs[pair->first_pair + k];
            json_array_append_new(pairs, json_pack("[I,I,s]", (json_int_t)found->triangle_a,
                                                   (json_int_t)found->triangle_b, tool_meeting_name(found->meeting)));
        }
        json_object_set_new(item, "pairs", pairs);
        json_array_append_new(list, item);
    }
    return list;
}

static carom_status write_report(const demo_work *work, const char *path)
{
    const carom_scene_report *report = &work->report;
    json_t *root =
        json_pack("{s:s,s:s,s:I,s:I,s:I,s:o,s:o,s:o,s:o}", "scene", work->parts->name, "status",
                  carom_status_name(report->status), "bodies", (json_int_t)work->frame.body_count, "triangles",
                  (json_int_t)total_triangles(work), "body_pairs_examined", (json_int_t)report->body_pairs_examined,
                  "clearance", tool_json_number(work->parts->clearance), "findings", findings_to_json(work), "counters",
                  tool_json_counters(&report->counters), "times", tool_json_times(&report->times));
    json_object_set_new(root, "hash", tool_json_hash(report->hash));
    char *text = json_dumps(root, JSON_INDENT(1) | JSON_REAL_PRECISION(17));
    json_decref(root);
    if (!text)
        return CAROM_OUT_OF_MEMORY;
    io_output *output;
    carom_status status = io_output_open(work->context, path, &output);
    if (!carom_failed(status))
    {
        io_output_write(output, text, strlen(text));
        io_output_write(output, "\n", 1);
        status = io_output_commit(output);
    }
    free(text);
    return status;
}

static carom_status write_picture(const demo_work *work, const char *path)
{
    picture_part *parts = calloc(work->frame.body_count + 1u, sizeof *parts);
    if (!parts)
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < work->frame.body_count; i++)
        parts[i] = (picture_part){work->skins[i], work->frame.bodies[i].placed.pose, work->marked[i], picture_tint(i)};
    picture_def def = picture_def_default();
    carom_status status = picture_write(work->context, &def, parts, work->frame.body_count, path);
    free(parts);
    return status;
}

/* ---- the subcommand ---- */

bool tool_make_folder(const tool_command *command, const char *folder)
{
    char path[1024];
    if (snprintf(path, sizeof path, "%s", folder) >= (int)sizeof path)
        return tool_fail(command, "%s: the path is too long", folder), false;
    for (char *slash = path + 1;; slash++)
    {
        char kept = *slash;
        if (kept != '/' && kept != '\0')
            continue;
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            return tool_fail(command, "%s: can't be created: %s", path, strerror(errno)), false;
        *slash = kept;
        if (kept == '\0')
            return true;
    }
}

static int present(demo_work *work)
{
    char report_path[1100], picture_path[1100];
    snprintf(report_path, sizeof report_path, "%s/report.json", work->options->folder);
    snprintf(picture_path, sizeof picture_path, "%s/demo.png", work->options->folder);
    carom_status status = measure_distances(work);
    if (!carom_failed(status))
        status = make_skins(work);
    if (!carom_failed(status))
        status = mark_triangles(work);
    if (carom_failed(status))
        return tool_fail_status(work->command, work->context, status);
    print_examined(work);
    print_found(work);
    if (!tool_make_folder(work->command, work->options->folder))
        return TOOL_ERROR;
    status = write_report(work, report_path);
    if (!carom_failed(status))
        status = write_picture(work, picture_path);
    if (carom_failed(status))
        return tool_fail_status(work->command, work->context, status);
    fputs("report: ", stdout);
    text_print_safe(stdout, report_path);
    fputs("\npicture: ", stdout);
    text_print_safe(stdout, picture_path);
    putchar('\n');
    return TOOL_CLEAN;
}

static void clean_up(demo_work *work)
{
    for (uint32_t i = 0; work->marked && i < work->frame.body_count; i++)
        free(work->marked[i]);
    for (uint32_t i = 0; work->skins && i < work->frame.body_count; i++)
        carom_mesh_destroy((carom_mesh *)work->skins[i]);
    free(work->skins);
    free(work->marked);
    free(work->distance);
    carom_query_destroy(work->query);
    carom_engine_destroy(work->engine);
    carom_scene_destroy(work->scene);
    scenes_destroy(work->parts);
    carom_context_destroy(work->context);
}

void tool_print_scenes(void)
{
    const scenes_info *info;
    char triangles[32];
    for (uint32_t i = 0; (info = scenes_get_info(i)) != NULL; i++)
        printf("%-15s %4u parts %8s triangles  %s\n", info->name, info->body_count,
               tool_thousands(info->triangle_count, triangles), info->summary);
}

int tool_demo(const tool_command *command, int argc, char **argv)
{
    demo_options options = {.folder = "build/demo", .scene = "assembly"};
    const tool_option table[] = {
        {"--list", TOOL_FLAG, &options.list, NULL, "list all scenes and what is in them"},
        {"--scene", TOOL_SCENE, &options.scene, "NAME", "generated scene (default: assembly)"},
        {"--engine", TOOL_ENGINE, &options.engine, "NAME", "engine (default: tree)"},
        {"-o", TOOL_FILE, &options.folder, "FOLDER",
         "output folder for report.json and demo.png (default: build/demo)"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse_all(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (options.list)
        return tool_print_scenes(), TOOL_CLEAN;
    demo_work work = {.command = command, .options = &options, .context = tool_context(&arguments)};
    if (!work.context)
        return TOOL_ERROR;
    carom_status status = examine(&work);
    code = carom_failed(status) ? tool_fail_status(command, work.context, status) : present(&work);
    clean_up(&work);
    return code;
}
