/* carom/io.h: model files in and out. The table in formats.c is the one list of formats; readers and writers are our
 * own, double precision, independent of the locale, bounded in time and memory by the file's size.
 *
 *   io_model model;
 *   if (!carom_failed(io_read(context, "gear.stl", NULL, &model)))
 *       ... model.mesh ...
 *   io_model_free(&model);
 *
 * Every failure leaves a message on the context that names the file, the line or byte, and the culprit.
 *
 * A library of its own beside libcarom, whose names begin with io_: link carom::io or carom::io_static (CMake),
 * carom-io (pkg-config). carom/carom.h does not include this header. */
#ifndef CAROM_IO_H
#define CAROM_IO_H

#include "carom/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* A named run of triangles: a solid of an STL file, an object or group of an OBJ file. */
    typedef struct io_part
    {
        size_t name_offset; /* into the model's names */
        uint32_t first_triangle;
        uint32_t triangle_count;
    } io_part;

    /* What a file held. Everything belongs to the model until io_model_free. */
    typedef struct io_model
    {
        carom_context *context;
        carom_mesh *mesh; /* all triangles in file order; no triangles for a point cloud or a wire frame */
        io_part *parts;   /* in file order; empty where the file names nothing */
        size_t part_count, part_capacity;
        char *names;
        size_t names_capacity;
        uint64_t ignored_points; /* point and line elements: counted and ignored */
        uint64_t ignored_lines;
        const char *format; /* name of the format that was read */
    } io_model;

    CAROM_API void io_model_free(io_model *model); /* also fine on a model whose reading failed */
    CAROM_API const char *io_part_name(const io_model *model, size_t part);

    typedef struct io_read_options
    {
        const char *format; /* by name; null: by the path's extension */
    } io_read_options;

    /* CAROM_IO_ERROR: the file could not be opened or read. CAROM_BAD_DATA: its bytes are not a model. options may be
     * null.
     */
    CAROM_API carom_status io_read(carom_context *context, const char *path, const io_read_options *options,
                                   io_model *out);

    enum
    {
        IO_MESSAGE_SIZE = 256
    };

    /* A file of several. */
    typedef struct io_request
    {
        const char *path;
        io_read_options options;
    } io_request;

    typedef struct io_result
    {
        io_model model; /* free it with io_model_free, also where reading failed */
        carom_status status;
        char message[IO_MESSAGE_SIZE]; /* of its failure, with the file's name; empty where there was none */
        double milliseconds;           /* from its first byte to its mesh; 0 for a file that was there already */
    } io_result;

    /* Reads and parses `count` files side by side on the context's workers. Results, messages and warnings are those of
     * calling io_read for one after the other, in the order of the requests; a failure does not keep the others from
     * being read. A path that is named twice is read once: its models share the mesh. Returns CAROM_OK if all were
     * read, else the status of the first that failed. `results` are the caller's, `count` of them, overwritten. All
     * files are in memory at once. The log gets a failure of carom_mesh_create twice. */
    CAROM_API carom_status io_read_files(carom_context *context, const io_request *requests, uint32_t count,
                                         io_result *results);

    /* As io_read, from memory; the bytes are not kept. format by name. */
    CAROM_API carom_status io_read_memory(carom_context *context, const void *bytes, size_t size, const char *format,
                                          io_model *out);

    typedef struct io_write_options
    {
        const char *format; /* by name; null: by the path's extension */
        bool text;          /* STL: ASCII, which keeps doubles to the bit; binary STL rounds to float */
    } io_write_options;

    /* Writes beside the target and renames, so that a failure leaves nothing behind and an old file whole. */
    CAROM_API carom_status io_write(carom_context *context, const char *path, const carom_mesh *mesh,
                                    const io_write_options *options);

    typedef struct io_format_info
    {
        const char *name;
        const char *summary;
        const char *extensions; /* separated by spaces, without dots */
    } io_format_info;

    /* What there is; null past the end. */
    CAROM_API const io_format_info *io_format_list(uint32_t index);

    /* ---- text that other writers need too ---- */

    /* Parses one decimal number at `text` (terminated by zero), correctly rounded, whatever the locale. Returns the
     * first character after it, or null if there is no number. Overflow gives infinity. "nan" and "inf" are not
     * numbers.
     */
    CAROM_API const char *io_parse_number(const char *text, double *out);

    enum
    {
        IO_NUMBER_SIZE = 32
    };

    /* The fewest of 15 to 17 digits that give the same bits back. Returns the length; terminated by zero. */
    CAROM_API size_t io_format_number(double value, char out[IO_NUMBER_SIZE]);

    /* ---- files written whole or not at all ---- */

    typedef struct io_output io_output;
    CAROM_API carom_status io_output_open(carom_context *context, const char *path, io_output **out);
    CAROM_API void io_output_write(io_output *output, const void *bytes, size_t size); /* errors are kept for the end */
    /* Closes and puts the file in place; frees the output whatever happens. */
    CAROM_API carom_status io_output_commit(io_output *output);
    CAROM_API void io_output_abandon(io_output *output);

#ifdef __cplusplus
}
#endif

#endif
