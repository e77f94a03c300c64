/* carom info: what a model file holds. */
#include "tool/tool.h"

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

static json_t *parts_to_json(const io_model *model)
{
    json_t *parts = json_array();
    for (size_t i = 0; i < model->part_count; i++)
    {
        /* names come from the file, and JSON must be UTF-8 */
        json_t *name = json_string(io_part_name(model, i));
        json_array_append_new(parts, json_pack("{s:o,s:I,s:I}", "name", name ? name : json_null(), "first_triangle",
                                               (json_int_t)model->parts[i].first_triangle, "triangles",
                                               (json_int_t)model->parts[i].triangle_count));
    }
    return parts;
}

static json_t *facts_to_json(const file_facts *facts)
{
    const carom_mesh_info *mesh = &facts->mesh;
    json_t *root =
        json_pack("{s:o*,s:s,s:I,s:I,s:I,s:I,s:I,s:I,s:I,s:I}", "file", json_string(facts->path), "format",
                  facts->model.format, "triangles", (json_int_t)mesh->triangle_count, "vertices",
                  (json_int_t)mesh->vertex_count, "distinct_vertices", (json_int_t)mesh->distinct_vertex_count, "edges",
                  (json_int_t)mesh->edge_count, "boundary_edges", (json_int_t)mesh->boundary_edge_count,
                  "nonmanifold_edges", (json_int_t)mesh->nonmanifold_edge_count, "degenerate_triangles",
                  (json_int_t)mesh->degenerate_triangle_count, "components", (json_int_t)mesh->component_count);
    json_object_set_new(root, "closed", json_boolean(tool_is_closed(facts->model.mesh)));
    json_object_set_new(root, "oriented", json_boolean(mesh->oriented));
    json_object_set_new(root, "manifold", json_boolean(mesh->manifold));
    json_object_set_new(root, "area", tool_json_number(mesh->area));
    json_object_set_new(root, "volume",
                        tool_is_closed(facts->model.mesh) ? tool_json_number(mesh->volume) : json_null());
    json_object_set_new(root, "joined_corners", json_integer((json_int_t)facts->model.joined_corners));
    json_object_set_new(root, "collapsed_triangles", json_integer((json_int_t)facts->model.collapsed_triangles));
    bool empty = mesh->triangle_count == 0;
    json_object_set_new(root, "min", empty ? json_null() : tool_json_point(mesh->bounds.min));
    json_object_set_new(root, "max", empty ? json_null() : tool_json_point(mesh->bounds.max));
    json_object_set_new(root, "parts", parts_to_json(&facts->model));
    json_object_set_new(root, "mesh_bytes", json_integer((json_int_t)mesh->bytes));
    json_object_set_new(root, "read_ms", tool_json_number(facts->read_ms));
    json_object_set_new(root, "tree",
                        json_pack("{s:I,s:o,s:I,s:I,s:o}", "bytes", (json_int_t)facts->tree.bytes, "bytes_per_triangle",
                                  tool_json_number(facts->tree.bytes_per_triangle), "nodes",
                                  (json_int_t)facts->tree.node_count, "depth", (json_int_t)facts->tree.depth,
                                  "build_ms", tool_json_number(facts->tree.build_ms)));
    return root;
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
    printf("%s%s%s (%s)\n", tool_bold(), facts->path, tool_plain(), facts->model.format);
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
        printf("  part        %s: %s triangles\n", io_part_name(&facts->model, i),
               tool_thousands(facts->model.parts[i].triangle_count, a));
}

typedef struct info_work
{
    const tool_arguments *arguments;
    const info_options *options;
    carom_tree_def def;
    carom_context *context;
    json_t *list; /* what --json prints at the end */
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
        json_array_append_new(work->list, facts_to_json(&facts));
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
    info_work work = {&arguments, &options, method[0].def, tool_context(&arguments), json_array()};
    code = work.context ? describe_files(&work) : TOOL_ERROR;
    if (work.context && options.json && tool_print_json(command, json_incref(work.list)) != TOOL_CLEAN)
        code = TOOL_ERROR;
    json_decref(work.list);
    carom_context_destroy(work.context);
    return code;
}
