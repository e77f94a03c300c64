/* carom draw: a picture of two models, with colliding triangles in red. */
#include "tool/ask.h"
#include "tool/picture.h"
#include "tool/verdict.h"

#include <stdlib.h>
#include <string.h>

typedef struct draw_options
{
    carom_pose pose[2];
    const char *output;
    uint64_t width, height;
    tool_file_options files;
    io_read_options reading;
} draw_options;

static carom_status draw(carom_context *context, const draw_options *options, io_model model[2], carom_report *report)
{
    carom_query *query = NULL;
    carom_status status = carom_query_create(context, &query);
    carom_placed a = {carom_shape_mesh(model[0].mesh), options->pose[0]},
                 b = {carom_shape_mesh(model[1].mesh), options->pose[1]};
    carom_collide_options full = carom_collide_options_default();
    full.relation = true;
    if (!carom_failed(status))
        status = carom_collide(query, &a, &b, &full, report);
    unsigned char *marked[2];
    for (int i = 0; i < 2; i++)
        marked[i] = calloc((size_t)carom_mesh_get_info(model[i].mesh).triangle_count + 1, 1);
    if (!carom_failed(status) && (!marked[0] || !marked[1]))
        status = CAROM_OUT_OF_MEMORY;
    if (!carom_failed(status))
    {
        picture_mark_report(&a, &b, report, marked);
        picture_part parts[2] = {{a.shape.mesh, a.pose, marked[0], picture_tint(0)},
                                 {b.shape.mesh, b.pose, marked[1], picture_tint(1)}};
        picture_def def = picture_def_default();
        def.width = (uint32_t)options->width, def.height = (uint32_t)options->height;
        status = picture_write(context, &def, parts, 2, options->output);
    }
    free(marked[0]);
    free(marked[1]);
    report->pairs = NULL, report->pairs_listed = 0; /* they belong to the query */
    carom_query_destroy(query);
    return status;
}

/* A model without triangles meets nothing, and two such models give no picture. */
static int run(const tool_command *command, carom_context *context, const draw_options *options, char **path)
{
    io_model model[2] = {0};
    uint64_t triangles[2] = {0};
    carom_report report = {0};
    carom_status status = tool_read_pair(context, (const char *const *)path, &options->reading, model);
    for (int i = 0; i < 2 && !carom_failed(status); i++)
        triangles[i] = carom_mesh_get_info(model[i].mesh).triangle_count;
    int code = TOOL_NOTHING;
    bool nothing = !carom_failed(status) && triangles[0] + triangles[1] == 0;
    if (!carom_failed(status) && !nothing)
        status = draw(context, options, model, &report);
    if (carom_failed(status))
        code = tool_fail_status(command, context, status);
    else if (nothing)
        tool_say("carom draw: nothing was drawn: neither %s nor %s has triangles", path[0], path[1]);
    else if (triangles[0] == 0 || triangles[1] == 0)
        tool_say("%s: drawn, but nothing was checked: %s has no triangles", options->output,
                 path[triangles[0] == 0 ? 0 : 1]);
    else
    {
        const char *reason = tool_explain_verdict(&report);
        char number[32];
        tool_say("%s: %s%s%s; %s pairs of triangles meet", options->output, tool_verdict_name(tool_judge(&report)),
                 reason ? ": " : "", reason ? reason : "", tool_thousands(report.pair_count, number));
        code = tool_is_finding(&report) ? TOOL_FINDINGS : TOOL_CLEAN;
    }
    io_model_free(&model[0]);
    io_model_free(&model[1]);
    return code;
}

int tool_draw(const tool_command *command, int argc, char **argv)
{
    draw_options options = {.pose = {carom_pose_identity(), carom_pose_identity()}, .width = 1280, .height = 800};
    const tool_option table[] = {
        {"--pose-a", TOOL_POSE, &options.pose[0], "POSE",
         "translation, with a quaternion, 12 or 16 numbers of a matrix, or an axis, degrees and a translation: \"axis "
         "0 0 1 90 at 3 0 "
         "0\""},
        {"--pose-b", TOOL_POSE, &options.pose[1], "POSE", "likewise for B"},
        TOOL_FILE_ROWS(&options.files),
        {"--width", TOOL_COUNT, &options.width, "N", "width in pixels (default: 1280)"},
        {"--height", TOOL_COUNT, &options.height, "N", "height in pixels (default: 800)"},
        {"-o", TOOL_FILE, &options.output, "FILE", "output PNG file (required)"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (arguments.positional_count != 2)
        return tool_fail(command, "two files are needed, %d given", arguments.positional_count);
    if (!options.output)
        return tool_fail(command, "-o FILE is needed");
    if (!tool_check_picture_size(command, options.width, options.height) ||
        !tool_check_png(command, "-o", options.output))
        return TOOL_ERROR;
    if (!tool_read_options(command, &options.files, &options.reading) ||
        !tool_check_output(command, options.output, arguments.positional[0]) ||
        !tool_check_output(command, options.output, arguments.positional[1]))
        return TOOL_ERROR;
    carom_context *context = tool_context(&arguments);
    if (!context)
        return TOOL_ERROR;
    code = run(command, context, &options, arguments.positional);
    carom_context_destroy(context);
    return code;
}
