/* What readers fill, and how they report errors with positions. Private to io.
 *
 * libcarom_io is linked against a libcarom that exports only carom_*. Of the library's internals, io uses macros,
 * inline functions and the exact predicates, which are pure and of which libcarom_io has a copy; whatever touches a
 * context goes through carom/extend.h. */
#ifndef IO_SOUP_H
#define IO_SOUP_H

#include "carom/extend.h"
#include "carom/io.h"
#include "math/math.h"

/* ---- memory and messages of the caller's context ---- */

/* base's growing arrays, on memory from carom/extend.h. */
bool io_array_grow(carom_context *context, void **items, size_t *capacity, size_t needed, size_t item_size);
#define io_array_reserve(context, array, extra)                                                                        \
    ((array)->capacity - (array)->count >= (size_t)(extra) ||                                                          \
     io_array_grow((context), (void **)&(array)->items, &(array)->capacity, (array)->count + (size_t)(extra),          \
                   sizeof *(array)->items))
#define io_array_free(context, array)                                                                                  \
    (carom_context_release((context), (array)->items, (array)->capacity * sizeof *(array)->items),                     \
     (array)->items = NULL, (array)->count = (array)->capacity = 0)

carom_status io_context_fail(carom_context *context, carom_status status, const char *format, ...) BASE_PRINTF(3, 4);
void io_context_warn(const carom_context *context, const char *format, ...) BASE_PRINTF(2, 3);

/* ---- what readers fill ---- */

enum
{
    IO_QUOTE_SIZE = 32
};

/* Bytes being read: begin .. end, with a zero after the end that ends every scan. */
typedef struct io_source
{
    carom_context *context;
    const char *name; /* for messages */
    char *message;    /* of IO_MESSAGE_SIZE: the error; it reaches the context when it is this file's turn */
    char *begin, *end;
    size_t capacity;
    int file;         /* open, or -1 */
    size_t file_size; /* 0 for a pipe */
    size_t file_done; /* read so far through io_source_fill */
} io_source;

/* Something that a reader has to say about several places, the first by its line. */
typedef struct io_notes
{
    uint64_t count;
    size_t first_line;
    char first_word[IO_QUOTE_SIZE];
} io_notes;

/* A triangle mesh that grows while it is read. */
typedef struct io_soup
{
    carom_context *context;
    BASE_ARRAY(carom_vec3) vertices;
    BASE_ARRAY(uint32_t) indices;
    bool unindexed; /* not finished yet: vertices 0 1 2, 3 4 5, ... are the triangles, see io_corners */
    BASE_ARRAY(io_part) parts;
    BASE_ARRAY(char) names;
    uint64_t ignored_points, ignored_lines;
    size_t ignored_bytes;                         /* after the end of what was read */
    io_notes skipped;                             /* statements that were not understood */
    io_notes free_form;                           /* curves and surfaces */
    io_notes odd_faces, complex_faces;            /* see io_polygon */
    uint64_t joined_corners, collapsed_triangles; /* see io_read_options.weld */
} io_soup;

/* One row of the format table. */
typedef struct io_format
{
    io_format_info info;
    carom_status (*read)(io_source *source, io_soup *soup);
    carom_status (*write)(io_output *output, const carom_mesh *mesh, const io_write_options *options);
    /* Null, or for large files: reads the open file in pieces, or refuses it. Not complete: it must be read as a whole,
     * whatever the status. */
    carom_status (*stream)(io_source *source, io_soup *soup, bool *complete);
} io_format;

carom_status io_stl_read(io_source *source, io_soup *soup);
carom_status io_stl_read_text(io_source *source, io_soup *soup);
carom_status io_stl_stream(io_source *source, io_soup *soup, bool *complete);
carom_status io_stl_stream_text(io_source *source, io_soup *soup, bool *complete);
carom_status io_stl_write(io_output *output, const carom_mesh *mesh, const io_write_options *options);
carom_status io_obj_read(io_source *source, io_soup *soup);
carom_status io_obj_stream(io_source *source, io_soup *soup, bool *complete);
carom_status io_obj_write(io_output *output, const carom_mesh *mesh, const io_write_options *options);

/* By name if one is given, else by the path's extension; a message where there is none. */
carom_status io_find_format(const char *path, const char *name, char message[IO_MESSAGE_SIZE], const io_format **out);

/* ---- files ---- */

/* Does the path stand for standard input: "-"? */
bool io_is_standard_input(const char *path);

/* Opens what may be a model file. */
carom_status io_source_open(io_source *source, const char *path);
void io_source_close(io_source *source);

/* Fill a source whose context, name and message are set: from the open file, or from memory. */
carom_status io_source_load(io_source *source);

/* Reads from the open file into begin .. begin + capacity - 1, of which begin .. *filled is full already, and puts a
 * zero after it. */
carom_status io_source_fill(io_source *source, char **filled, bool *at_end);
carom_status io_source_rewind(io_source *source);
/* The first bytes of an open file, at most `size`; returns how many. */
size_t io_source_peek(const io_source *source, void *out, size_t size);
/* Exactly these bytes of an open file, from any thread; false: they are not there. */
bool io_source_read_at(const io_source *source, void *out, size_t size, size_t at);
carom_status io_source_copy(io_source *source, const void *bytes, size_t size);
void io_source_free(io_source *source);
void io_output_print(io_output *output, const char *text);
void io_output_number(io_output *output, double value, char after);
void io_output_integer(io_output *output, uint64_t value, char after);
carom_context *io_output_context(const io_output *output);
const char *io_output_path(const io_output *output);

/* Byte order marks, UTF-16 and lone carriage returns become plain UTF-8 lines; a zero byte is BAD_DATA. */
carom_status io_source_to_text(io_source *source);

/* ---- errors of a reader: into the source's message ---- */

/* "FILE: line N: ..." for text; the line is counted only here. */
carom_status io_fail_at(const io_source *source, const char *at, const char *format, ...) BASE_PRINTF(3, 4);
/* "FILE: ..." */
carom_status io_fail(const io_source *source, carom_status status, const char *format, ...) BASE_PRINTF(3, 4);
carom_status io_out_of_memory(const io_source *source);

/* Counts a place, and keeps the first. */
void io_note_at(const io_source *source, const char *at, io_notes *notes);

/* Tells the caller's hook how far a stage is; CAROM_CANCELLED if it says so. */
carom_status io_step(const io_source *source, const char *stage, uint64_t done, uint64_t total);

/* The word at `at`, printable and short, for a message. */
const char *io_quote(const char *at, char out[IO_QUOTE_SIZE]);

/* The end of a path that is too long to show whole. */
const char *io_short_path(const char *path);

/* ---- building ---- */

static inline size_t io_soup_triangle_count(const io_soup *soup)
{
    return (soup->unindexed ? soup->vertices.count : soup->indices.count) / 3;
}

/* From here on triangles belong to a part with this name (to the end of the line). */
bool io_soup_begin_part(io_soup *soup, const char *name, const char *name_end);
bool io_soup_add_triangle(io_soup *soup, uint32_t a, uint32_t b, uint32_t c);
void io_soup_free(io_soup *soup);

/* Fills a soup from corners without numbers: begin with {.soup = ...}, add all, free. Private to corners.c after the
 * first two. */
typedef struct io_corners
{
    io_soup *soup;
    size_t probe_limit;      /* 0: as usual; tests make keys bad that are not */
    _Atomic uint32_t *slots; /* vertices or corners of the batch; EMPTY */
    uint64_t slot_capacity, mask, key;
    size_t max_probes;
    int bad_keys;
    atomic_bool crowded; /* some corner found no slot */
    uint32_t base;       /* vertices before the batch */
    const carom_vec3 *batch;
    size_t batch_count, capacity, memory_size;
    uint32_t *found;      /* per corner: what its slot had; in the end, its vertex */
    uint32_t *places;     /* per corner: its slot */
    uint32_t *numbers;    /* per corner that is a new vertex: which; EMPTY: another worker's corner precedes it */
    uint32_t *new_counts; /* per block: how many; then the first one's number */
} io_corners;

/* Three corners per triangle, at most 2^32 - 4 in all. CAROM_OK, CAROM_OUT_OF_MEMORY, or why workers refuse. */
carom_status io_corners_add(io_corners *corners, const carom_vec3 *positions, size_t count);
/* About this many are still to come: makes room for them. False when out of memory. */
bool io_corners_expect(io_corners *corners, size_t count);
void io_corners_free(io_corners *corners);

/* Joins corners up to `length` apart, see io_read_options.weld. INVALID_ARGUMENT if that is no length. */
carom_status io_soup_weld(const io_source *source, io_soup *soup, double length);

/* Three numbers at *at, moved past them; BAD_DATA where one is missing, malformed, or beyond 2^100. */
carom_status io_read_point(const io_source *source, const char **at, carom_vec3 *out);

/* Control characters are blanks too. */
static inline bool io_is_blank(char c) { return (unsigned char)c <= ' ' && c != '\n' && c != '\0'; }
static inline bool io_ends_word(char c) { return (unsigned char)c <= ' '; }

/* Past blanks and line continuations: a backslash right before the line's end. */
static inline const char *io_skip_blanks(const char *at)
{
    for (;;)
    {
        if ((unsigned char)*at > ' ' && *at != '\\')
            return at;
        if (io_is_blank(*at))
            at++;
        else if (*at == '\\' && at[1] == '\n')
            at += 2;
        else if (*at == '\\' && at[1] == '\r' && at[2] == '\n')
            at += 3;
        else
            return at;
    }
}

#endif
