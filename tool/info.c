/* carom info: what a model file holds. */
#include "tool/tool.h"

typedef struct info_options
{
    bool json;
    bool parts;
    const char *tree;
} info_options;

typedef struct file_facts
{
    const char *path;
    io_model model;
    carom_mesh_info mesh;
    carom_tree_info tree;
    double read_ms;
} file_facts;

static carom_status gather(carom_context *context, const char *path, const carom_tree_def *def, file_facts *facts)
{
    *facts = (file_facts){.path = path};
    double start = tool_now_ms();
    carom_status status = io_read(context, path, NULL, &facts->model);
    facts->read_ms = tool_now_ms() - start;
    if (status >= CAROM_FIRST_ERROR)
        return status;
    facts->mesh = carom_mesh_get_info(facts->model.mesh);
    carom_tree *tree = NULL;
    status = carom_tree_create(context, facts->model.mesh, def, &tree);
    if (status < CAROM_FIRST_ERROR)
        facts->tree = carom_tree_get_info(tree);
    carom_tree_destroy(tree);
    return status;
}

static json_t *parts_to_json(const io_model *model)
{
    json_t *parts = json_array();
    for (size_t i = 0; i < model->part_count; i++)
    {
        /* names come from the file: what is not UTF-8 can't go into JSON */
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
    json_object_set_new(root, "closed", json_boolean(mesh->closed));
    json_object_set_new(root, "oriented", json_boolean(mesh->oriented));
    json_object_set_new(root, "manifold", json_boolean(mesh->manifold));
    json_object_set_new(root, "area", tool_json_number(mesh->area));
    json_object_set_new(root, "volume", mesh->closed && mesh->oriented ? tool_json_number(mesh->volume) : json_null());
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

static void print_facts(const file_facts *facts, bool parts)
{
    const carom_mesh_info *mesh = &facts->mesh;
    char a[32], b[32], c[32];
    printf("%s%s%s (%s)\n", tool_bold(), facts->path, tool_plain(), facts->model.format);
    printf("  triangles   %s (%u degenerate)\n", tool_thousands(mesh->triangle_count, a),
           mesh->degenerate_triangle_count);
    printf("  vertices    %s (%s distinct)\n", tool_thousands(mesh->vertex_count, a),
           tool_thousands(mesh->distinct_vertex_count, b));
    printf("  edges       %s (%s boundary, %s non-manifold)\n", tool_thousands(mesh->edge_count, a),
           tool_thousands(mesh->boundary_edge_count, b), tool_thousands(mesh->nonmanifold_edge_count, c));
    printf("  components  %u\n", mesh->component_count);
    printf("  surface     %s, %s, %s\n", mesh->closed ? "closed" : "not closed",
           mesh->oriented ? "oriented" : "not oriented", mesh->manifold ? "manifold" : "not manifold");
    if (mesh->triangle_count > 0)
        printf("  bounds      %.9g %.9g %.9g .. %.9g %.9g %.9g\n", mesh->bounds.min.x, mesh->bounds.min.y,
               mesh->bounds.min.z, mesh->bounds.max.x, mesh->bounds.max.y, mesh->bounds.max.z);
    printf("  area        %.9g\n", mesh->area);
    if (mesh->closed && mesh->oriented)
        printf("  volume      %.9g\n", mesh->volume);
    printf("  tree        %s bytes (%.1f a triangle), %s nodes, depth %u, built in %.2f ms\n",
           tool_thousands(facts->tree.bytes, a), facts->tree.bytes_per_triangle,
           tool_thousands(facts->tree.node_count, b), facts->tree.depth, facts->tree.build_ms);
    printf("  read        %.2f ms\n", facts->read_ms);
    for (size_t i = 0; parts && i < facts->model.part_count; i++)
        printf("  part        %s: %s triangles\n", io_part_name(&facts->model, i),
               tool_thousands(facts->model.parts[i].triangle_count, a));
}

/* Every file, also after one that failed: the exit code is the worst. */
static int tell_files(const tool_arguments *arguments, const info_options *options, const carom_tree_def *def)
{
    carom_context *context = tool_context(arguments->command);
    if (!context)
        return TOOL_ERROR;
    json_t *list = json_array();
    int code = TOOL_CLEAN;
    for (int i = 0; i < arguments->positional_count; i++)
    {
        file_facts facts;
        carom_status status = gather(context, arguments->positional[i], def, &facts);
        if (status >= CAROM_FIRST_ERROR)
            code = tool_fail_status(arguments->command, context, status);
        else if (options->json)
            json_array_append_new(list, facts_to_json(&facts));
        else
            print_facts(&facts, options->parts);
        io_model_free(&facts.model);
    }
    if (options->json && tool_print_json(arguments->command, json_incref(list)) != TOOL_CLEAN)
        code = TOOL_ERROR;
    json_decref(list);
    carom_context_destroy(context);
    return code;
}

int tool_info(const tool_command *command, int argc, char **argv)
{
    info_options options = {0};
    const tool_option table[] = {
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON: a list with one object per file"},
        {"--parts", TOOL_FLAG, &options.parts, NULL, "list the named parts too"},
        {"--tree", TOOL_TREE, &options.tree, "KIND", "build this tree (fast)"},
    };
    tool_arguments arguments = {command, table, sizeof table / sizeof *table, NULL, 0};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (arguments.positional_count == 0)
        return tool_fail(command, "no file is named");
    tool_method method[TOOL_METHOD_LIMIT];
    tool_methods(&(tool_method_options){.tree = options.tree}, method);
    return tell_files(&arguments, &options, &method[0].def);
}
