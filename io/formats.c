/* The list of formats, and what all of them have in common. */
#include "io/soup.h"

#include <strings.h>

/* To add a format: write its two functions and its line here. */
static const io_format formats[] = {
    {{"stl", "triangles, binary or ASCII", "stl"}, io_stl_read, io_stl_write},
    {{"obj", "Wavefront polygons, text", "obj"}, io_obj_read, io_obj_write},
};

enum
{
    FORMAT_COUNT = sizeof formats / sizeof *formats
};

const io_format_info *io_format_list(uint32_t index) { return index < FORMAT_COUNT ? &formats[index].info : NULL; }

static bool has_extension(const char *extensions, const char *extension)
{
    size_t length = strlen(extension);
    for (const char *at = extensions; *at;)
    {
        size_t word = strcspn(at, " ");
        if (word == length && strncasecmp(at, extension, length) == 0)
            return true;
        at += word + strspn(at + word, " ");
    }
    return false;
}

/* By name if one is given, else by the path's extension. */
static carom_status find_format(carom_context *context, const char *path, const char *name, const io_format **out)
{
    const char *slash = strrchr(path, '/'), *dot = strrchr(path, '.');
    const char *extension = dot && (!slash || dot > slash) ? dot + 1 : "";
    for (int i = 0; i < FORMAT_COUNT; i++)
        if (name ? strcmp(formats[i].info.name, name) == 0 : has_extension(formats[i].info.extensions, extension))
            return *out = &formats[i], CAROM_OK;
    char known[128] = "";
    for (int i = 0; i < FORMAT_COUNT; i++)
    {
        strncat(known, i > 0 ? ", " : "", sizeof known - strlen(known) - 1);
        strncat(known, formats[i].info.name, sizeof known - strlen(known) - 1);
    }
    if (name)
        return io_context_fail(context, CAROM_INVALID_ARGUMENT, "%s: no format is called '%.32s' (known: %s)",
                               io_short_path(path), name, known);
    if (!*extension)
        return io_context_fail(context, CAROM_UNSUPPORTED, "%s: no extension says the file type (known: %s)",
                               io_short_path(path), known);
    return io_context_fail(context, CAROM_UNSUPPORTED, "%s: unknown file type '.%.32s' (known: %s)",
                           io_short_path(path), extension, known);
}

static carom_status make_mesh(const io_source *source, const io_soup *soup, carom_mesh **out)
{
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)soup->vertices.items;
    def.vertex_count = soup->vertices.count;
    def.indices_u32 = soup->unindexed ? NULL : soup->indices.items;
    def.unindexed = soup->unindexed;
    def.triangle_count = io_soup_triangle_count(soup);
    const char *slash = strrchr(source->name, '/');
    def.name = slash ? slash + 1 : source->name;
    return carom_mesh_create(source->context, &def, out);
}

/* The parts and names move from the soup into the model. */
static void take_parts(io_soup *soup, io_model *model)
{
    uint32_t end = (uint32_t)io_soup_triangle_count(soup);
    for (size_t i = soup->parts.count; i-- > 0;)
    {
        soup->parts.items[i].triangle_count = end - soup->parts.items[i].first_triangle;
        end = soup->parts.items[i].first_triangle;
    }
    model->parts = soup->parts.items;
    model->part_count = soup->parts.count;
    model->part_capacity = soup->parts.capacity;
    model->names = soup->names.items;
    model->names_capacity = soup->names.capacity;
    memset(&soup->parts, 0, sizeof soup->parts);
    memset(&soup->names, 0, sizeof soup->names);
    model->ignored_points = soup->ignored_points;
    model->ignored_lines = soup->ignored_lines;
}

static void tell_empty(const io_source *source, const io_soup *soup)
{
    if (io_soup_triangle_count(soup) == 0)
        io_context_warn(source->context,
                        "%s: no faces in it (%zu vertices, %llu point and %llu line elements): an empty mesh",
                        io_short_path(source->name), soup->vertices.count, (unsigned long long)soup->ignored_points,
                        (unsigned long long)soup->ignored_lines);
}

static carom_status read_source(io_source *source, const io_format *format, io_model *out)
{
    if (source->begin == source->end)
        return io_fail(source, CAROM_BAD_DATA, "the file is empty");
    io_soup soup = {.context = source->context};
    carom_status status = format->read(source, &soup);
    if (status < CAROM_FIRST_ERROR)
        status = make_mesh(source, &soup, &out->mesh);
    if (status < CAROM_FIRST_ERROR)
    {
        tell_empty(source, &soup);
        take_parts(&soup, out);
        out->format = format->info.name;
    }
    io_soup_free(&soup);
    return status;
}

carom_status io_read(carom_context *context, const char *path, const io_read_options *options, io_model *out)
{
    if (!context)
        return CAROM_INVALID_ARGUMENT;
    if (!path || !out)
        return io_context_fail(context, CAROM_INVALID_ARGUMENT, "io_read: %s is null", path ? "out" : "path");
    *out = (io_model){.context = context};
    io_source source;
    carom_status status = io_source_load(context, path, &source);
    const io_format *format = NULL;
    if (status == CAROM_OK)
        status = find_format(context, path, options ? options->format : NULL, &format);
    if (status == CAROM_OK)
        status = read_source(&source, format, out);
    io_source_free(&source);
    return status;
}

carom_status io_read_memory(carom_context *context, const void *bytes, size_t size, const char *format, io_model *out)
{
    if (!context)
        return CAROM_INVALID_ARGUMENT;
    if (!format || !out)
        return io_context_fail(context, CAROM_INVALID_ARGUMENT, "io_read_memory: %s is null",
                               format ? "out" : "format");
    *out = (io_model){.context = context};
    const io_format *found = NULL;
    BASE_TRY(find_format(context, "memory", format, &found));
    io_source source;
    carom_status status = io_source_copy(context, bytes, size, &source);
    if (status == CAROM_OK)
        status = read_source(&source, found, out);
    io_source_free(&source);
    return status;
}

carom_status io_write(carom_context *context, const char *path, const carom_mesh *mesh, const io_write_options *options)
{
    if (!context)
        return CAROM_INVALID_ARGUMENT;
    if (!path || !mesh)
        return io_context_fail(context, CAROM_INVALID_ARGUMENT, "io_write: %s is null", path ? "mesh" : "path");
    io_write_options plain = {0};
    options = options ? options : &plain;
    const io_format *format = NULL;
    BASE_TRY(find_format(context, path, options->format, &format));
    io_output *output;
    BASE_TRY(io_output_open(context, path, &output));
    carom_status status = format->write(output, mesh, options);
    if (status >= CAROM_FIRST_ERROR)
    {
        io_output_abandon(output);
        return status;
    }
    return io_output_commit(output);
}

void io_model_free(io_model *model)
{
    if (!model || !model->context)
        return;
    carom_mesh_destroy(model->mesh);
    carom_context_release(model->context, model->parts, model->part_capacity * sizeof *model->parts);
    carom_context_release(model->context, model->names, model->names_capacity);
    *model = (io_model){0};
}

const char *io_part_name(const io_model *model, size_t part)
{
    return part < model->part_count ? model->names + model->parts[part].name_offset : "";
}
