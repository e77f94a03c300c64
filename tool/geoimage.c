/* carom geoimage: a model as images of points. */
#include "tool/geoimage.h"

#include "tool/out.h"

#include <math.h>
#include <string.h>

typedef struct geoimage_options
{
    const char *output, *size;
    bool picture, json, floater, charts, self;
    uint64_t cuts, width, height;
    tool_file_options files;
    io_read_options reading;
    carom_geoimage_def def;
} geoimage_options;

typedef struct geoimage_facts
{
    const char *path;
    const carom_geoimage *image;
    carom_geoimage_info info;
    double diagonal;                        /* of the mesh's bounding box */
    const carom_geoimage_self_result *self; /* null: not wanted */
} geoimage_facts;

/* ---- files ---- */

/* gim.png with an ending of its own: gim-normals.png. */
static bool name_file(const char *output, const char *ending, char path[GEOIMAGE_PATH])
{
    size_t stem = strlen(output) - strlen(".png");
    int length = snprintf(path, GEOIMAGE_PATH, "%.*s%s", (int)stem, output, ending);
    return length > 0 && length < GEOIMAGE_PATH;
}

static void write_chart(tool_out *out, const carom_geoimage_chart *chart, uint32_t number, uint64_t first)
{
    tool_out_print(out, "g chart_%u\n", number);
    for (uint32_t y = 0; y + 1 < chart->height && !out->failed; y++)
        for (uint32_t x = 0; x + 1 < chart->width; x++)
        {
            unsigned long long p = first + (uint64_t)y * chart->width + x, q = p + chart->width;
            tool_out_print(out, "f %llu %llu %llu\nf %llu %llu %llu\n", p, p + 1, q + 1, p, q + 1, q);
        }
}

static int write_obj(const tool_command *command, carom_context *context, const carom_geoimage *image, const char *path)
{
    tool_out out;
    if (!tool_out_open(command, context, path, &out))
        return TOOL_ERROR;
    uint32_t count = carom_geoimage_get_info(image).chart_count;
    uint64_t first = 1;
    carom_geoimage_chart chart;
    tool_out_print(&out, "# geometry image of %u charts, written by carom\n", count);
    for (uint32_t c = 0; c < count && !carom_failed(carom_geoimage_get_chart(image, c, &chart)); c++)
        for (size_t i = 0; i < (size_t)chart.width * chart.height && !out.failed; i++)
            tool_out_print(&out, "v %.17g %.17g %.17g\n", chart.points[i].x, chart.points[i].y, chart.points[i].z);
    for (uint32_t c = 0; c < count && !carom_failed(carom_geoimage_get_chart(image, c, &chart)); c++)
    {
        write_chart(&out, &chart, c, first);
        first += (uint64_t)chart.width * chart.height;
    }
    return tool_out_close(&out, TOOL_CLEAN);
}

/* What is written beside the image. */
typedef struct output_names
{
    char normals[GEOIMAGE_PATH], surface[GEOIMAGE_PATH], picture[GEOIMAGE_PATH];
} output_names;

/* False after a message. */
static bool name_files(const tool_command *command, const geoimage_options *options, output_names *out)
{
    bool fine = name_file(options->output, "-normals.png", out->normals) &&
                name_file(options->output, ".obj", out->surface) &&
                name_file(options->output, "-picture.png", out->picture);
    if (!fine)
        tool_fail(command, "-o: the name is too long");
    return fine;
}

static int write_files(const tool_command *command, carom_context *context, const geoimage_options *options,
                       const carom_geoimage *image)
{
    output_names names;
    if (!name_files(command, options, &names))
        return TOOL_ERROR;
    carom_status status = geoimage_write_points(context, image, options->output);
    if (!carom_failed(status))
        status = geoimage_write_normals(context, image, names.normals);
    picture_def def = picture_def_default();
    def.width = (uint32_t)options->width, def.height = (uint32_t)options->height;
    if (!carom_failed(status) && options->picture)
        status = geoimage_draw(context, image, &def, names.picture);
    if (carom_failed(status))
        return tool_fail_status(command, context, status);
    return write_obj(command, context, image, names.surface);
}

/* ---- what is said ---- */

static double percent(const geoimage_facts *facts, double length)
{
    return facts->diagonal > 0 ? 100 * length / facts->diagonal : 0;
}

static void print_charts(const geoimage_facts *facts)
{
    carom_geoimage_chart chart;
    printf("  chart  triangles  size         genus  boundaries  cut           L2      max  error\n");
    for (uint32_t c = 0; c < facts->info.chart_count; c++)
        if (!carom_failed(carom_geoimage_get_chart(facts->image, c, &chart)))
            printf("  %5u  %9u  %5u x %-5u %5u  %10u  %-9.4g %6.2f %8.2f  %.3f %%\n", c, chart.triangle_count,
                   chart.width, chart.height, chart.genus, chart.boundary_count, chart.cut_length, chart.stretch.l2,
                   chart.stretch.max, percent(facts, fmax(chart.error.to_image, chart.error.to_mesh)));
}

static void print_facts(const geoimage_facts *facts, bool charts)
{
    const carom_geoimage_info *p = &facts->info;
    char a[32], b[32];
    tool_clear_progress();
    tool_print_bold(facts->path);
    printf("\n  triangles   %s\n", tool_thousands(p->triangle_count, a));
    printf("  charts      %s of %s points, genus %u, %u boundaries\n", tool_thousands(p->chart_count, a),
           tool_thousands(p->point_count, b), p->genus, p->boundary_count);
    if (p->split_edge_count > 0 || p->degenerate_count > 0)
        printf("  repairs     %u edges split, %u degenerate triangles as charts of their own\n", p->split_edge_count,
               p->degenerate_count);
    printf("  cut         %.6g long\n", p->cut_length);
    printf("  stretch     %.3f (L2), %.3f at most\n", p->stretch.l2, p->stretch.max);
    printf("  error       at most %.6g from model to image (%.3f %% of the bounding box's diagonal), %.6g back "
           "(%.3f %%)\n",
           p->error.to_image, percent(facts, p->error.to_image), p->error.to_mesh, percent(facts, p->error.to_mesh));
    if (facts->self)
        printf("  itself      %s pairs of its triangles meet, found in %.1f ms\n",
               tool_thousands(facts->self->pair_count, a), facts->self->build_ms + facts->self->search_ms);
    printf("  memory      %s bytes\n", tool_thousands(p->bytes, a));
    printf("  made        in %.1f ms: cut %.1f, map %.1f, sample %.1f, measure %.1f\n",
           p->cut_ms + p->flatten_ms + p->sample_ms + p->measure_ms, p->cut_ms, p->flatten_ms, p->sample_ms,
           p->measure_ms);
    if (charts)
        print_charts(facts);
}

static void write_json_chart(tool_writer *writer, const carom_geoimage_chart *chart)
{
    writer_begin_line(writer, NULL, '{');
    writer_count(writer, "width", chart->width);
    writer_count(writer, "height", chart->height);
    writer_count(writer, "triangles", chart->triangle_count);
    writer_count(writer, "genus", chart->genus);
    writer_count(writer, "boundaries", chart->boundary_count);
    writer_count(writer, "cut_edges", chart->cut_edge_count);
    writer_count(writer, "extra_cuts", chart->extra_cut_count);
    writer_number(writer, "cut_length", chart->cut_length);
    writer_number(writer, "area", chart->area);
    writer_number(writer, "stretch_l2", chart->stretch.l2);
    writer_number(writer, "stretch_max", chart->stretch.max);
    writer_number(writer, "error_to_image", chart->error.to_image);
    writer_number(writer, "error_to_mesh", chart->error.to_mesh);
    writer_end(writer);
}

static void write_json_times(tool_writer *writer, const carom_geoimage_info *info)
{
    writer_begin_line(writer, "ms", '{');
    writer_number(writer, "cut", info->cut_ms);
    writer_number(writer, "map", info->flatten_ms);
    writer_number(writer, "sample", info->sample_ms);
    writer_number(writer, "measure", info->measure_ms);
    writer_end(writer);
}

static int print_json(const tool_command *command, carom_context *context, const geoimage_facts *facts)
{
    const carom_geoimage_info *p = &facts->info;
    tool_out out;
    if (!tool_out_open(command, context, NULL, &out))
        return TOOL_ERROR;
    tool_writer writer = {.out = &out};
    writer_begin(&writer, NULL, '{');
    writer_text(&writer, "file", facts->path);
    writer_count(&writer, "triangles", p->triangle_count);
    writer_count(&writer, "points", p->point_count);
    writer_count(&writer, "genus", p->genus);
    writer_count(&writer, "boundaries", p->boundary_count);
    writer_count(&writer, "split_edges", p->split_edge_count);
    writer_count(&writer, "degenerate_triangles", p->degenerate_count);
    writer_number(&writer, "cut_length", p->cut_length);
    writer_number(&writer, "stretch_l2", p->stretch.l2);
    writer_number(&writer, "stretch_max", p->stretch.max);
    writer_number(&writer, "error_to_image", p->error.to_image);
    writer_number(&writer, "error_to_mesh", p->error.to_mesh);
    writer_number(&writer, "diagonal", facts->diagonal);
    if (facts->self)
        writer_count(&writer, "self_pairs", facts->self->pair_count);
    writer_count(&writer, "bytes", p->bytes);
    write_json_times(&writer, p);
    writer_begin(&writer, "charts", '[');
    carom_geoimage_chart chart;
    for (uint32_t c = 0; c < p->chart_count; c++)
        if (!carom_failed(carom_geoimage_get_chart(facts->image, c, &chart)))
            write_json_chart(&writer, &chart);
    writer_end(&writer);
    writer_end(&writer);
    return tool_out_close(&out, TOOL_CLEAN);
}

/* ---- the command ---- */

static int describe(const tool_command *command, carom_context *context, const geoimage_options *options,
                    geoimage_facts *facts)
{
    facts->info = carom_geoimage_get_info(facts->image);
    if (facts->info.chart_count == 0)
    {
        tool_say("carom geoimage: nothing to map: %s has no triangles", facts->path);
        return TOOL_NOTHING;
    }
    int code = options->output ? write_files(command, context, options, facts->image) : TOOL_CLEAN;
    if (code != TOOL_CLEAN)
        return code;
    carom_geoimage_self_result self = {0};
    if (options->self)
    {
        carom_status status = carom_geoimage_self(facts->image, &self);
        if (carom_failed(status))
            return tool_fail_status(command, context, status);
        facts->self = &self;
    }
    if (options->json)
        code = print_json(command, context, facts);
    else
        print_facts(facts, options->charts);
    facts->self = NULL;
    carom_geoimage_self_free(&self);
    return code;
}

static int run(const tool_command *command, carom_context *context, const geoimage_options *options, const char *path)
{
    io_model model = {0};
    carom_geoimage *image = NULL;
    carom_status status = io_read(context, path, &options->reading, &model);
    if (!carom_failed(status))
        status = carom_geoimage_create(context, model.mesh, &options->def, &image);
    int code = TOOL_ERROR;
    if (carom_failed(status))
        code = tool_fail_status(command, context, status);
    else
    {
        carom_aabb box = carom_mesh_get_info(model.mesh).bounds;
        double x = box.max.x - box.min.x, y = box.max.y - box.min.y, z = box.max.z - box.min.z;
        geoimage_facts facts = {.path = path, .image = image, .diagonal = hypot(hypot(x, y), z)}; /* no underflow */
        code = describe(command, context, options, &facts);
    }
    carom_geoimage_destroy(image);
    io_model_free(&model);
    return code;
}

/* 257, or 257x129. */
static bool parse_size(const char *text, uint32_t out[2])
{
    unsigned width, height;
    char rest;
    int count = sscanf(text, "%5ux%5u%c", &width, &height, &rest);
    if (count == 1 && sscanf(text, "%5u%c", &width, &rest) == 1)
        height = width, count = 2;
    if (count != 2 || width < 3 || height < 3 || width > CAROM_GEOIMAGE_MAX_SIDE || height > CAROM_GEOIMAGE_MAX_SIDE)
        return false;
    out[0] = width, out[1] = height;
    return true;
}

/* False after a message: one of the outputs would replace the model. */
static bool spares_input(const tool_command *command, const geoimage_options *options, const char *path)
{
    output_names names;
    if (!options->output)
        return true;
    return name_files(command, options, &names) && tool_check_output(command, options->output, path) &&
           tool_check_output(command, names.normals, path) && tool_check_output(command, names.surface, path) &&
           (!options->picture || tool_check_output(command, names.picture, path));
}

/* Negative: continue. */
static int check_options(const tool_command *command, geoimage_options *options, const tool_arguments *arguments)
{
    uint32_t size[2] = {options->def.width, options->def.height};
    if (arguments->positional_count != 1)
        return tool_fail(command, "one file is needed, %d given", arguments->positional_count);
    if (options->size && !parse_size(options->size, size))
        return tool_fail(command, "--size %s: a number from 3 to %u, or two of them as in 257x129", options->size,
                         CAROM_GEOIMAGE_MAX_SIDE);
    if (!tool_check_picture_size(command, options->width, options->height))
        return TOOL_ERROR;
    if (options->output && !picture_is_png(options->output))
        return tool_fail(command, "-o %s: the name of the image must end in .png", options->output);
    if (options->picture && !options->output)
        return tool_fail(command, "--picture needs -o, whose name it completes");
    if (!spares_input(command, options, arguments->positional[0]))
        return TOOL_ERROR;
    if (options->cuts > 1000)
        return tool_fail(command, "--cuts %llu: at most 1000", (unsigned long long)options->cuts);
    options->def.width = size[0], options->def.height = size[1];
    options->def.extra_cuts = (uint32_t)options->cuts;
    options->def.list_triangles = false;
    if (options->floater)
        options->def.extra_cuts = options->def.stretch_steps = 0;
    return tool_read_options(command, &options->files, &options->reading) ? -1 : TOOL_ERROR;
}

int tool_geoimage(const tool_command *command, int argc, char **argv)
{
    geoimage_options options = {.width = 1280, .height = 800, .def = carom_geoimage_def_default()};
    options.cuts = options.def.extra_cuts;
    const tool_option table[] = {
        {"-o", TOOL_FILE, &options.output, "FILE",
         "write the image as PNG (x, y, z as red, green, blue), and next to gim.png the normals as gim-normals.png and "
         "the resampled surface as gim.obj"},
        {"--picture", TOOL_FLAG, &options.picture, NULL, "also draw the resampled surface, as gim-picture.png"},
        {"--size", TOOL_TEXT, &options.size, "N",
         "points on each side of the largest chart, or width and height: 257 (default), 257x129"},
        {"--cuts", TOOL_COUNT, &options.cuts, "N",
         "extend the cuts up to so many times to reduce the stretch (default: 4)"},
        {"--floater", TOOL_FLAG, &options.floater, NULL,
         "no more than Floater's mean values: neither of the two ways to reduce the stretch"},
        {"--charts", TOOL_FLAG, &options.charts, NULL, "list the charts"},
        {"--self", TOOL_FLAG, &options.self, NULL,
         "count the pairs of the image's triangles that meet in more than corners and edges that they share"},
        {"--json", TOOL_FLAG, &options.json, NULL, "print JSON"},
        TOOL_FILE_ROWS(&options.files),
        {"--width", TOOL_COUNT, &options.width, "N", "width of the picture in pixels (default: 1280)"},
        {"--height", TOOL_COUNT, &options.height, "N", "height of the picture in pixels (default: 800)"},
    };
    tool_arguments arguments = {.command = command, .options = table, .option_count = sizeof table / sizeof *table};
    int code = tool_parse(&arguments, argc, argv);
    if (code >= 0)
        return code;
    code = check_options(command, &options, &arguments);
    if (code >= 0)
        return code;
    carom_context *context = tool_context(&arguments);
    if (!context)
        return TOOL_ERROR;
    code = run(command, context, &options, arguments.positional[0]);
    carom_context_destroy(context);
    return code;
}
