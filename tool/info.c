/* carom info: what a model file holds. */
#include "tool/out.h"
#include "tool/text.h"

#include <math.h>
#include <stdlib.h>

typedef struct info_options
{
    bool json;
    bool parts;
    const char *tree;
    tool_file_options files;
    io_read_options reading;
} info_options;

typedef struct file_facts
{
    const char *path;
    io_model model;
    carom_mesh_info mesh;
    carom_tree_info tree;
    double read_ms;
} file_facts;

/* Moves the model out of a successful result. */
static carom_status gather(carom_context *context, const carom_tree_def *def, const io_result *read, file_facts *facts)
{
    facts->model = read->model;
    facts->read_ms = read->milliseconds;
    facts->mesh = carom_mesh_get_info(facts->model.mesh);
    carom_tree *tree = NULL;
    carom_status status = carom_tree_create(context, facts->model.mesh, def, &tree);
    if (!carom_failed(status))
        facts->tree = carom_tree_get_info(tree);
    carom_tree_destroy(tree);
    return status;
}

static void write_parts(tool_writer *writer, const io_model *model)
{
    writer_begin(writer, "parts", '[');
    for (size_t i = 0; i < model->part_count; i++)
    {
        writer_begin(writer, NULL, '{');
        writer_text(writer, "name", io_part_name(model, i));
        writer_count(writer, "first_triangle", model->parts[i].first_triangle);
        writer_count(writer, "triangles", model->parts[i].triangle_count);
        writer_end(writer);
    }
    writer_end(writer);
}

static void write_tree(tool_writer *writer, const carom_tree_info *tree)
{
    writer_begin(writer, "tree", '{');
    writer_count(writer, "bytes", tree->bytes);
    writer_number(writer, "bytes_per_triangle", tree->bytes_per_triangle);
    writer_count(writer, "nodes", tree->node_count);
    writer_count(writer, "depth", tree->depth);
    writer_number(writer, "build_ms", tree->build_ms);
    writer_end(writer);
}

static void write_facts(tool_writer *writer, const file_facts *facts)
{
    const carom_mesh_info *mesh = &facts->mesh;
    bool closed = tool_is_closed(facts->model.mesh), empty = mesh->triangle_count == 0;
    writer_begin(writer, NULL, '{');
    writer_text(writer, "file", facts->path);
    writer_text(writer, "format", facts->model.format);
    writer_count(writer, "triangles", mesh->triangle_count);
    writer_count(writer, "vertices", mesh->vertex_count);
    writer_count(writer, "distinct_vertices", mesh->distinct_vertex_count);
    writer_count(writer, "edges", mesh->edge_count);
    writer_count(writer, "boundary_edges", mesh->boundary_edge_count);
    writer_count(writer, "nonmanifold_edges", mesh->nonmanifold_edge_count);
    writer_count(writer, "degenerate_triangles", mesh->degenerate_triangle_count);
    writer_count(writer, "components", mesh->component_count);
    writer_bool(writer, "closed", closed);
    writer_bool(writer, "oriented", mesh->oriented);
    writer_bool(writer, "manifold", mesh->manifold);
    writer_number(writer, "area", mesh->area);
    writer_number(writer, "volume", closed ? mesh->volume : NAN);
    writer_count(writer, "joined_corners", facts->model.joined_corners);
    writer_count(writer, "collapsed_triangles", facts->model.collapsed_triangles);
    const tool_left_out left_out = tool_find_left_out(&facts->model);
    writer_left_out(writer, "left_out", &left_out);
    const carom_vec3 *ends[2] = {&mesh->bounds.min, &mesh->bounds.max};
    for (int i = 0; i < 2; i++)
        if (empty)
            writer_null(writer, i == 0 ? "min" : "max");
        else
            writer_point(writer, i == 0 ? "min" : "max", *ends[i]);
    write_parts(writer, &facts->model);
    writer_count(writer, "mesh_bytes", mesh->bytes);
    writer_number(writer, "read_ms", facts->read_ms);
    write_tree(writer, &facts->tree);
    writer_end(writer);
}

/* Without a boundary a surface may still not be closed: then say why. */
static const char *closed_words(const carom_mesh *mesh)
{
    if (tool_is_closed(mesh))
        return "closed";
    return carom_mesh_get_info(mesh).closed ? "not closed (no boundary, but no consistent outside)" : "not closed";
}

static void print_facts(const file_facts *facts, const info_options *options)
{
    const carom_mesh_info *mesh = &facts->mesh;
    char a[32], b[32], c[32];
    tool_clear_progress();
    tool_print_bold(facts->path);
    printf(" (%s)\n", facts->model.format);
    printf("  triangles   %s (%u degenerate)\n", tool_thousands(mesh->triangle_count, a),
           mesh->degenerate_triangle_count);
    printf("  vertices    %s (%s distinct)\n", tool_thousands(mesh->vertex_count, a),
           tool_thousands(mesh->distinct_vertex_count, b));
    printf("  edges       %s (%s boundary, %s non-manifold)\n", tool_thousands(mesh->edge_count, a),
           tool_thousands(mesh->boundary_edge_count, b), tool_thousands(mesh->nonmanifold_edge_count, c));
    if (options->reading.weld > 0)
        printf("  welded      %s corners joined, %s triangles collapsed\n",
               tool_thousands(facts->model.joined_corners, a), tool_thousands(facts->model.collapsed_triangles, b));
    printf("  components  %u\n", mesh->component_count);
    printf("  surface     %s, %s, %s\n", closed_words(facts->model.mesh), mesh->oriented ? "oriented" : "not oriented",
           mesh->manifold ? "manifold" : "not manifold");
    if (mesh->triangle_count > 0)
        printf("  bounds      %.9g %.9g %.9g .. %.9g %.9g %.9g\n", mesh->bounds.min.x, mesh->bounds.min.y,
               mesh->bounds.min.z, mesh->bounds.max.x, mesh->bounds.max.y, mesh->bounds.max.z);
    printf("  area        %.9g\n", mesh->area);
    if (tool_is_closed(facts->model.mesh))
        printf("  volume      %.9g\n", mesh->volume);
    printf("  tree        %s bytes (%.1f per triangle), %s nodes, depth %u, built in %.2f ms\n",
           tool_thousands(facts->tree.bytes, a), facts->tree.bytes_per_triangle,
           tool_thousands(facts->tree.node_count, b), facts->tree.depth, facts->tree.build_ms);
    printf("  read        %.2f ms\n", facts->read_ms);
    for (size_t i = 0; options->parts && i < facts->model.part_count; i++)
    {
        printf("  part        ");
        text_print_safe(stdout, io_part_name(&facts->model, i));
        printf(": %s triangles\n", tool_thousands(facts->model.parts[i].triangle_count, a));
    }
}

typedef struct info_work
{
    const tool_arguments *arguments;
    const info_options *options;
    carom_tree_def def;
    carom_context *context;
    tool_writer *writer; /* of --json, within a list */
} info_work;

static int describe(info_work *work, const char *path, io_result *read)
{
    const tool_command *command = work->arguments->command;
    if (carom_failed(read->status))
        return tool_fail(command, "%s (%s)", read->message, carom_status_name(read->status));
    file_facts facts = {.path = path};
    carom_status status = gather(work->context, &work->def, read, &facts);
    if (carom_failed(status))
        return tool_fail_status(command, work->context, status);
    if (work->options->json)
        write_facts(work->writer, &facts);
    else
        print_facts(&facts, work->options);
    return TOOL_CLEAN;
}

/* Describes all files, even after one has failed. Reads as many at once as there are workers, so that memory does not
 * grow with the number of files. */
static int describe_files(info_work *work)
{
    uint32_t count = (uint32_t)work->arguments->positional_count, at_once = carom_context_workers(work->context);
    io_request *requests = calloc(at_once, sizeof *requests);
    io_result *results = calloc(at_once, sizeof *results);
    int code = requests && results ? TOOL_CLEAN : tool_fail(work->arguments->command, "out of memory");
    for (uint32_t first = 0; requests && results && first < count; first += at_once)
    {
        uint32_t batch = count - first < at_once ? count - first : at_once;
        for (uint32_t i = 0; i < batch; i++)
            requests[i] = (io_request){work->arguments->positional[first + i], work->options->reading};
        io_read_files(work->context, requests, batch, results);
        for (uint32_t i = 0; i < batch; i++)
        {
            if (describe(work, requests[i].path, &results[i]) != TOOL_CLEAN)
                code = TOOL_ERROR;
            io_model_free(&results[i].model);
        }
    }
    free(requests);
    free(results);
    return code;
}

int tool_info(const tool_command *command, int argc, char **argv)
{
    info_options options = {0};
    const tool_option table[] = {
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON: a list with one object per file"},
        TOOL_FILE_ROWS(&options.files),
        {"--parts", TOOL_FLAG, &options.parts, NULL, "also list the named parts"},
        {"--tree", TOOL_TREE, &options.tree, "KIND", "tree to build (default: fast)"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (arguments.positional_count == 0)
        return tool_fail(command, "a file is needed");
    if (!tool_read_options(command, &options.files, &options.reading))
        return TOOL_ERROR;
    tool_method method[TOOL_METHOD_LIMIT];
    tool_methods(&(tool_method_options){.tree = options.tree}, method);
    tool_out out;
    tool_writer writer = {.out = &out};
    info_work work = {&arguments, &options, method[0].def, tool_context(&arguments), &writer};
    if (!work.context || !tool_out_open(command, work.context, NULL, &out))
        return TOOL_ERROR;
    if (options.json)
        writer_begin(&writer, NULL, '[');
    code = describe_files(&work);
    if (options.json)
        writer_end(&writer);
    code = tool_out_close(&out, code);
    carom_context_destroy(work.context);
    return code;
}
