/* The table of formats, lookup, and writing in any of them. */
#include "io/soup.h"

#include <stdio.h>
#include <strings.h>

/* To add a format, write its two functions and add its row. */
static const io_format formats[] = {
    {{"stl", "triangles, binary or ASCII", "stl"}, io_stl_read, io_stl_write, io_stl_stream},
    {{"obj", "Wavefront polygons, text", "obj"}, io_obj_read, io_obj_write, io_obj_stream},
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

carom_status io_find_format(const char *path, const char *name, char message[IO_MESSAGE_SIZE], const io_format **out)
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
    const char *shown = io_short_path(path);
    if (name)
        snprintf(message, IO_MESSAGE_SIZE, "%s: unknown format '%.32s' (known: %s)", shown, name, known);
    else if (io_is_standard_input(path))
        snprintf(message, IO_MESSAGE_SIZE, "standard input needs a format by name (known: %s)", known);
    else if (!*extension)
        snprintf(message, IO_MESSAGE_SIZE, "%s: no extension to tell the file type by (known: %s)", shown, known);
    else
        snprintf(message, IO_MESSAGE_SIZE, "%s: unknown file type '.%.32s' (known: %s)", shown, extension, known);
    return name ? CAROM_INVALID_ARGUMENT : CAROM_UNSUPPORTED;
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
    char message[IO_MESSAGE_SIZE];
    carom_status status = io_find_format(path, options->format, message, &format);
    if (status != CAROM_OK)
        return carom_context_fail(context, status, message);
    io_output *output;
    BASE_TRY(io_output_open(context, path, &output));
    status = format->write(output, mesh, options);
    if (carom_failed(status))
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
