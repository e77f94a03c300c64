/* carom gen: generated shapes into files. */
#include "scenes/generate.h"
#include "tool/tool.h"

#include <string.h>

enum
{
    TRIANGLE_LIMIT = 100000000 /* about 13 GB while it is generated */
};

typedef struct gen_options
{
    bool list, text, json;
    uint64_t triangles, seed;
    double size;
    const char *output;
} gen_options;

static int print_list(const tool_command *command, bool json)
{
    if (!json)
    {
        for (int i = 0; i < GENERATE_KIND_COUNT; i++)
        {
            const generate_info *info = generate_get_info((generate_kind)i);
            printf("%-14s %-6s from %3u triangles  %s\n", info->name, info->closed ? "closed" : "open",
                   info->min_triangles, info->what);
        }
        return TOOL_CLEAN;
    }
    json_t *list = json_array();
    for (int i = 0; i < GENERATE_KIND_COUNT; i++)
    {
        const generate_info *info = generate_get_info((generate_kind)i);
        json_array_append_new(list, json_pack("{s:s,s:s,s:b,s:I}", "name", info->name, "what", info->what, "closed",
                                              info->closed, "min_triangles", (json_int_t)info->min_triangles));
    }
    return tool_print_json(command, list);
}

static int generate(const tool_arguments *arguments, generate_kind kind, const gen_options *options)
{
    const tool_command *command = arguments->command;
    generate_def def = generate_def_default(kind);
    def.triangles = (uint32_t)options->triangles;
    def.seed = options->seed;
    def.size = options->size;
    carom_context *context = tool_context(arguments);
    if (!context)
        return TOOL_ERROR;
    carom_mesh *mesh = NULL;
    io_write_options write = {.text = options->text};
    carom_status status = generate_mesh(context, &def, &mesh);
    if (!carom_failed(status))
        status = io_write(context, options->output, mesh, &write);
    int code = carom_failed(status) ? tool_fail_status(command, context, status) : TOOL_CLEAN;
    if (code == TOOL_CLEAN)
    {
        carom_mesh_info info = carom_mesh_get_info(mesh);
        tool_say("%s: %u triangles, %u vertices", options->output, info.triangle_count, info.vertex_count);
        if (info.triangle_count != options->triangles)
            tool_say("carom gen: note: %s has %u triangles instead of %llu", options->output, info.triangle_count,
                     (unsigned long long)options->triangles);
    }
    carom_mesh_destroy(mesh);
    carom_context_destroy(context);
    return code;
}

bool tool_check_triangles(const tool_command *command, const char *shape, uint64_t triangles)
{
    generate_kind kind;
    if (!generate_find(shape, &kind))
        return tool_fail(command, "no kind of shape is called '%s'", shape), false;
    uint32_t min_triangles = generate_get_info(kind)->min_triangles;
    if (triangles >= min_triangles && triangles <= TRIANGLE_LIMIT)
        return true;
    tool_fail(command, "--triangles %llu: a %s has from %u to %d", (unsigned long long)triangles, shape, min_triangles,
              TRIANGLE_LIMIT);
    return false;
}

int tool_gen(const tool_command *command, int argc, char **argv)
{
    gen_options options = {.triangles = 1000, .seed = 1, .size = 1};
    const tool_option table[] = {
        {"--list", TOOL_FLAG, &options.list, NULL, "list all kinds of shapes"},
        {"--triangles", TOOL_COUNT, &options.triangles, "N", "number of triangles (default: 1000)"},
        {"--seed", TOOL_COUNT, &options.seed, "S", "seed for shapes with random parts (default: 1)"},
        {"--size", TOOL_NUMBER, &options.size, "L", "side of the cube that the shape fits (default: 1)"},
        {"--text", TOOL_FLAG, &options.text, NULL, "write STL as ASCII, which is lossless, instead of binary"},
        {"--json", TOOL_FLAG, &options.json, NULL, "with --list: print JSON"},
        {"-o", TOOL_FILE, &options.output, "FILE", "output file (required); its extension selects the format"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    if (options.json && !options.list)
        return tool_fail(command, "--json needs --list");
    if (options.list)
        return print_list(command, options.json);
    if (arguments.positional_count != 1)
        return tool_fail(command, "one kind of shape is needed; --list shows them");
    generate_kind kind;
    if (!tool_check_choice(command, "the kind of shape", TOOL_SHAPE, arguments.positional[0]) ||
        !generate_find(arguments.positional[0], &kind))
        return TOOL_ERROR;
    if (!options.output)
        return tool_fail(command, "-o FILE is needed");
    if (!tool_check_triangles(command, arguments.positional[0], options.triangles))
        return TOOL_ERROR;
    if (!(options.size > 0 && options.size <= 0x1p100))
        return tool_fail(command, "--size %g: must be above 0 and at most 2^100", options.size);
    return generate(&arguments, kind, &options);
}
