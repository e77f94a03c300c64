/* carom/io.h: reads and writes model files, in double precision and independently of the locale. Time and memory are
 * bounded by the size of the file. io_format_list lists the formats.
 *
 *   io_model model;
 *   if (!carom_failed(io_read(context, "gear.stl", NULL, &model)))
 *       ... model.mesh ...
 *   io_model_free(&model);
 *
 * Every failure leaves a message on the context that names the file, the line or byte, and the culprit.
 *
 * This is a separate library, libcarom_io, whose names begin with io_: link carom::io or carom::io_static (CMake), or
 * carom-io (pkg-config). carom/carom.h does not include this header. */
#ifndef CAROM_IO_H
#define CAROM_IO_H

#include "carom/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* A named range of triangles: a solid of an STL file, an object or group of an OBJ file. */
    typedef struct io_part
    {
        size_t name_offset; /* into the model's names */
        uint32_t first_triangle;
        uint32_t triangle_count;
    } io_part;

    /* The contents of a file. Everything belongs to the model until io_model_free. */
    typedef struct io_model
    {
        carom_context *context;
        /* All triangles in file order; none for a point cloud or a wire frame. Of STL, corners at the same position to
         * the bit are one vertex, numbered in the order in which they first occur. */
        carom_mesh *mesh;
        io_part *parts; /* in file order; empty if the file names nothing */
        size_t part_count, part_capacity;
        char *names;
        size_t names_capacity;
        uint64_t ignored_points; /* point and line elements are counted, otherwise ignored */
        uint64_t ignored_lines;
        uint64_t skipped_statements;  /* OBJ: not understood; a warning names the first */
        uint64_t free_form;           /* OBJ: free-form curves and surfaces, which are not read; likewise */
        uint64_t odd_faces;           /* OBJ: cross themselves, and became fans, whose triangles overlap */
        uint64_t complex_faces;       /* OBJ: touch themselves, and took too long to cut up: fans, likewise */
        uint64_t ignored_bytes;       /* after the end of what was read */
        uint64_t joined_corners;      /* distinct positions that welding moved to another */
        uint64_t collapsed_triangles; /* with corners that welding joined; kept, as segments or points */
        const char *format;           /* name of the format that was read */
    } io_model;

    CAROM_API void io_model_free(io_model *model); /* allowed if reading failed */
    CAROM_API const char *io_part_name(const io_model *model, size_t part);

    typedef struct io_read_options
    {
        const char *format; /* by name; null: by the path's extension */
        /* In the file's unit, 0 (none) to 2^100: joins corners that a format or a program rounded apart. Corners of
         * triangles up to this distance apart (computed in double) become one, and so do those connected by a chain of
         * such steps, however long; each group moves to its smallest position by x, then y, then z. So the result does
         * not depend on the order of vertices. Triangles keep their numbers, even those that collapse. Choose a length
         * well below the model's finest detail. Takes about n log n steps for n vertices; CAROM_TOO_LARGE if so many
         * corners are nearly this far apart that it would take far more. */
        double weld;
    } io_read_options;

    /* The path "-" is standard input, and needs a format. CAROM_INVALID_ARGUMENT: an option is. CAROM_IO_ERROR: the
     * file could not be opened or read. CAROM_BAD_DATA: its bytes are not a model. options may be null.
     */
    CAROM_API carom_status io_read(carom_context *context, const char *path, const io_read_options *options,
                                   io_model *out);

    enum
    {
        IO_MESSAGE_SIZE = 256
    };

    /* One of several files to read. */
    typedef struct io_request
    {
        const char *path;
        io_read_options options;
    } io_request;

    typedef struct io_result
    {
        io_model model; /* free it with io_model_free even if reading failed */
        carom_status status;
        char message[IO_MESSAGE_SIZE]; /* the error, with the file's name; empty if there was none */
        double milliseconds; /* from its first byte to its mesh; 0 for a path that an earlier request has read */
    } io_result;

    /* Reads and parses `count` files in parallel on the context's workers. Results, messages and warnings are those of
     * calling io_read for each request in turn; a failure does not stop the others. A file that occurs twice with the
     * same options, also through links, is read once, and its models share the mesh, which has the name of the first.
     * Returns CAROM_OK if all were read, otherwise the status of the first that failed. `results` is an array of
     * `count` items that belongs to the caller and is overwritten. All files are in memory at once. A failure of
     * carom_mesh_create is logged twice. */
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

    /* Writes a temporary file next to the target and renames it, so that a failure leaves nothing behind and an
     * existing file intact. A symbolic link stays one; a file that is replaced passes on its mode and, where the system
     * allows it, its owner. */
    CAROM_API carom_status io_write(carom_context *context, const char *path, const carom_mesh *mesh,
                                    const io_write_options *options);

    typedef struct io_format_info
    {
        const char *name;
        const char *summary;
        const char *extensions; /* separated by spaces, without dots */
    } io_format_info;

    /* The available formats; null past the end. */
    CAROM_API const io_format_info *io_format_list(uint32_t index);

    /* ---- numbers as text, for other readers and writers ---- */

    /* Parses one decimal number at `text` (terminated by zero), correctly rounded, whatever the locale. Returns the
     * first character after it, or null if there is no number. Overflow gives infinity. "nan" and "inf" are not
     * numbers.
     */
    CAROM_API const char *io_parse_number(const char *text, double *out);

    enum
    {
        IO_NUMBER_SIZE = 32
    };

    /* Writes the shortest of 15 to 17 digits that read back to the same bits, terminated by zero. Returns the length.
     */
    CAROM_API size_t io_format_number(double value, char out[IO_NUMBER_SIZE]);

    /* ---- files that are written completely or not at all ---- */

    typedef struct io_output io_output;
    CAROM_API carom_status io_output_open(carom_context *context, const char *path, io_output **out);
    CAROM_API void io_output_write(io_output *output, const void *bytes,
                                   size_t size); /* errors are reported by io_output_commit */
    /* Closes the file and renames it to its path. Frees the output, even on failure. */
    CAROM_API carom_status io_output_commit(io_output *output);
    CAROM_API void io_output_abandon(io_output *output);

#ifdef __cplusplus
}
#endif

#endif
