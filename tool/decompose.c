/* carom decompose: a model as convex pieces of its surface. */
#include "tool/decompose.h"

#include "tool/out.h"
#include "tool/picture.h"

typedef struct decompose_options
{
    const char *output, *picture;
    bool hulls, verify, json;
    uint64_t width, height;
    tool_file_options files;
    io_read_options reading;
} decompose_options;

typedef struct decompose_facts
{
    const char *path;
    carom_pieces_info pieces;
    double verify_ms; /* negative: not verified */
} decompose_facts;

/* ---- the OBJ file ---- */

static void write_triangle(tool_out *out, const uint32_t corner[3])
{
    tool_out_print(out, "f %llu %llu %llu\n", 1ull + corner[0], 1ull + corner[1], 1ull + corner[2]);
}

/* One group per piece: its triangles, or the facets of its hull. A hull without facets has lines or points instead. */
static void write_piece(tool_out *out, const decompose_mesh *shown, uint32_t piece)
{
    uint32_t count;
    const uint32_t *triangles = carom_pieces_triangles(shown->pieces, piece, &count);
    const uint32_t *indices = carom_mesh_indices(shown->mesh);
    tool_out_print(out, "g piece_%u\n", piece);
    carom_pieces_node node;
    if (!shown->hulls || carom_failed(carom_pieces_get_node(shown->pieces, shown->leaf[piece], &node)))
    {
        for (uint32_t i = 0; i < count; i++)
            write_triangle(out, indices + 3 * (size_t)triangles[i]);
        return;
    }
    for (uint32_t i = 0; i < node.facet_count; i++)
        write_triangle(out, node.facets + 3 * (size_t)i);
    if (node.dimension == 1)
        tool_out_print(out, "l %u %u\n", node.vertices[0] + 1, node.vertices[1] + 1);
    if (node.dimension == 0)
        tool_out_print(out, "p %u\n", node.vertices[0] + 1);
}

static int write_obj(const tool_command *command, carom_context *context, const decompose_mesh *shown, const char *path)
{
    tool_out out;
    if (!tool_out_open(command, context, path, &out))
        return TOOL_ERROR;
    uint32_t vertices = carom_mesh_get_info(shown->mesh).vertex_count;
    const carom_vec3 *p = carom_mesh_vertices(shown->mesh);
    tool_out_print(&out, "# %u convex pieces, written by carom\n", shown->piece_count);
    for (uint32_t i = 0; i < vertices; i++)
        tool_out_print(&out, "v %.17g %.17g %.17g\n", p[i].x, p[i].y, p[i].z);
    for (uint32_t piece = 0; piece < shown->piece_count && !out.failed; piece++)
        write_piece(&out, shown, piece);
    return tool_out_close(&out, TOOL_CLEAN);
}

/* ---- what is said ---- */

static void print_facts(const decompose_facts *facts)
{
    const carom_pieces_info *p = &facts->pieces;
    char a[32], b[32], c[32];
    double pieces = p->piece_count > 0 ? p->piece_count : 1,
           facets = p->hull_facet_count > 0 ? (double)p->hull_facet_count : 1;
    tool_clear_progress();
    tool_print_bold(facts->path);
    printf("\n  triangles   %s\n", tool_thousands(p->triangle_count, a));
    printf("  pieces      %s (%.2f triangles each, %s in the largest, %s single triangles)\n",
           tool_thousands(p->piece_count, a), p->triangle_count / pieces, tool_thousands(p->largest, b),
           tool_thousands(p->single_count, c));
    printf("  tree        %s nodes, %u levels, %s facets in all hulls\n", tool_thousands(p->node_count, a), p->depth,
           tool_thousands(p->hull_facet_count, b));
    printf("  strips      %s for all hulls, %.3f indices per triangle, %s bytes\n", tool_thousands(p->strip_count, a),
           (double)p->strip_index_count / facets, tool_thousands(p->strip_bytes, b));
    printf("  mesh strips %s, %.3f indices per triangle\n", tool_thousands(p->mesh_strip_count, a),
           p->triangle_count > 0 ? (double)p->mesh_index_count / p->triangle_count : 0.0);
    printf("  memory      %s bytes\n", tool_thousands(p->bytes, a));
    printf("  made        in %.2f ms\n", p->ms);
    if (facts->verify_ms >= 0)
        printf("  verified    in %.2f ms\n", facts->verify_ms);
}

static int print_json(const tool_command *command, carom_context *context, const decompose_facts *facts)
{
    const carom_pieces_info *p = &facts->pieces;
    tool_out out;
    if (!tool_out_open(command, context, NULL, &out))
        return TOOL_ERROR;
    tool_writer writer = {.out = &out};
    writer_begin(&writer, NULL, '{');
    writer_text(&writer, "file", facts->path);
    writer_count(&writer, "triangles", p->triangle_count);
    writer_count(&writer, "pieces", p->piece_count);
    writer_count(&writer, "single_triangles", p->single_count);
    writer_count(&writer, "largest", p->largest);
    writer_count(&writer, "nodes", p->node_count);
    writer_count(&writer, "depth", p->depth);
    writer_count(&writer, "hull_vertices", p->hull_vertex_count);
    writer_count(&writer, "hull_facets", p->hull_facet_count);
    writer_count(&writer, "strips", p->strip_count);
    writer_count(&writer, "strip_indices", p->strip_index_count);
    writer_count(&writer, "strip_bytes", p->strip_bytes);
    writer_count(&writer, "mesh_strips", p->mesh_strip_count);
    writer_count(&writer, "mesh_strip_indices", p->mesh_index_count);
    writer_count(&writer, "bytes", p->bytes);
    writer_number(&writer, "ms", p->ms);
    if (facts->verify_ms >= 0)
        writer_number(&writer, "verify_ms", facts->verify_ms);
    writer_end(&writer);
    return tool_out_close(&out, TOOL_CLEAN);
}

/* ---- the command ---- */

static int show(const tool_command *command, carom_context *context, const decompose_options *options,
                const decompose_mesh *shown)
{
    if (options->output && write_obj(command, context, shown, options->output) != TOOL_CLEAN)
        return TOOL_ERROR;
    if (!options->picture)
        return TOOL_CLEAN;
    picture_def def = picture_def_default();
    def.width = (uint32_t)options->width, def.height = (uint32_t)options->height;
    carom_status status = decompose_draw(context, shown, &def, options->picture);
    return carom_failed(status) ? tool_fail_status(command, context, status) : TOOL_CLEAN;
}

static int describe(const tool_command *command, carom_context *context, const decompose_options *options,
                    const decompose_mesh *shown, decompose_facts *facts)
{
    facts->pieces = carom_pieces_get_info(shown->pieces);
    if (options->verify)
    {
        double start = tool_now_ms();
        carom_status status = carom_pieces_check(shown->pieces);
        if (carom_failed(status))
            return tool_fail_status(command, context, status);
        facts->verify_ms = tool_now_ms() - start;
    }
    if (facts->pieces.triangle_count == 0)
    {
        tool_say("carom decompose: nothing to decompose: %s has no triangles", facts->path);
        return TOOL_NOTHING;
    }
    int code = show(command, context, options, shown);
    if (code != TOOL_CLEAN)
        return code;
    if (options->json)
        return print_json(command, context, facts);
    print_facts(facts);
    return TOOL_CLEAN;
}

static int run(const tool_command *command, carom_context *context, const decompose_options *options, const char *path)
{
    io_model model = {0};
    carom_pieces *pieces = NULL;
    decompose_mesh shown = {0};
    decompose_facts facts = {.path = path, .verify_ms = -1};
    carom_status status = io_read(context, path, &options->reading, &model);
    if (!carom_failed(status))
        status = carom_pieces_create(context, model.mesh, &pieces);
    if (!carom_failed(status))
        status = decompose_prepare(context, model.mesh, pieces, options->hulls, &shown);
    int code = carom_failed(status) ? tool_fail_status(command, context, status)
                                    : describe(command, context, options, &shown, &facts);
    decompose_free(&shown);
    carom_pieces_destroy(pieces);
    io_model_free(&model);
    return code;
}

int tool_decompose(const tool_command *command, int argc, char **argv)
{
    decompose_options options = {.width = 1280, .height = 800};
    const tool_option table[] = {
        {"-o", TOOL_FILE, &options.output, "FILE", "write the pieces as OBJ, one group each"},
        {"--picture", TOOL_FILE, &options.picture, "FILE", "draw them as PNG, in different colours"},
        {"--hulls", TOOL_FLAG, &options.hulls, NULL, "write and draw the convex hulls of the pieces instead"},
        {"--verify", TOOL_FLAG, &options.verify, NULL, "verify the result again, independently and exactly"},
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON"},
        TOOL_FILE_ROWS(&options.files),
        {"--width", TOOL_COUNT, &options.width, "N", "width of the picture in pixels (default: 1280)"},
        {"--height", TOOL_COUNT, &options.height, "N", "height of the picture in pixels (default: 800)"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (arguments.positional_count != 1)
        return tool_fail(command, "one file is needed, %d given", arguments.positional_count);
    if (!tool_check_picture_size(command, options.width, options.height) ||
        !tool_check_png(command, "--picture", options.picture))
        return TOOL_ERROR;
    if (!tool_read_options(command, &options.files, &options.reading) ||
        !tool_check_output(command, options.output, arguments.positional[0]) ||
        !tool_check_output(command, options.picture, arguments.positional[0]))
        return TOOL_ERROR;
    carom_context *context = tool_context(&arguments);
    if (!context)
        return TOOL_ERROR;
    code = run(command, context, &options, arguments.positional[0]);
    carom_context_destroy(context);
    return code;
}
