/* STL: binary (an 80 byte header, a count, 50 bytes per triangle), and writing of both kinds. Normals and attribute
 * bytes are ignored: the corners are enough. A file is binary if its size matches its count, whatever its first word
 * is. */
#include "io/soup.h"

#include <strings.h>

enum
{
    HEADER_SIZE = 84,
    TRIANGLE_SIZE = 50,
    NORMAL_SIZE = 12,
    SNIFF_SIZE = 1024,
    MAX_TRIANGLES = 1 << 30
};

static uint32_t read_u32(const unsigned char *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static float read_float(const unsigned char *at)
{
    uint32_t bits = read_u32(at);
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- binary ---- */

enum
{
    BATCH = 1 << 15, /* triangles whose corners are joined at once */
    PIECE = 256      /* triangles read at once, into a thread's stack */
};

/* Triangles from the open file, or from memory. */
typedef struct stl_records
{
    io_source *source;
    const unsigned char *bytes; /* null: the file */
    size_t first;               /* of the batch */
    carom_vec3 *corners;        /* of the batch */
    atomic_bool bad;            /* some number is; which one is found out afterwards, in order */
} stl_records;

static bool is_good(const unsigned char *record)
{
    bool good = true;
    for (int i = 0; i < 9; i++)
        good &= fabsf(read_float(record + NORMAL_SIZE + 4 * i)) <= (float)MATH_COORDINATE_LIMIT;
    return good;
}

static bool read_corners(const unsigned char *records, size_t count, carom_vec3 *out)
{
    bool good = true;
    for (size_t i = 0; i < count; i++)
    {
        const unsigned char *at = records + i * TRIANGLE_SIZE;
        good &= is_good(at);
        at += NORMAL_SIZE;
        for (int k = 0; k < 3; k++, at += 12)
            *out++ = vec3((double)read_float(at), (double)read_float(at + 4), (double)read_float(at + 8));
    }
    return good;
}

static void read_records(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    stl_records *records = data;
    (void)worker;
    for (size_t i = first, count; i < last; i += count)
    {
        unsigned char piece[PIECE * TRIANGLE_SIZE];
        count = last - i < PIECE ? last - i : PIECE;
        size_t at = HEADER_SIZE + (records->first + i) * TRIANGLE_SIZE;
        bool there = records->bytes || io_source_read_at(records->source, piece, count * TRIANGLE_SIZE, at);
        if (!there || !read_corners(records->bytes ? records->bytes + at : piece, count, records->corners + 3 * i))
            atomic_store(&records->bad, true);
    }
}

/* False: something is bad. */
static carom_status join_batches(stl_records *records, uint32_t count, io_corners *corners, bool *good)
{
    carom_context *context = records->source->context;
    *good = true;
    for (records->first = 0; records->first < count; records->first += BATCH)
    {
        size_t left = count - records->first;
        uint32_t here = left < BATCH ? (uint32_t)left : BATCH;
        if (!records->bytes)
            BASE_TRY(io_step(records->source, "read", HEADER_SIZE + records->first * TRIANGLE_SIZE,
                             records->source->file_size));
        BASE_TRY(carom_context_run(context, here, PIECE, read_records, records));
        *good = !atomic_load(&records->bad);
        if (!*good)
            return CAROM_OK;
        BASE_TRY(io_corners_add(corners, records->corners, 3 * (size_t)here));
    }
    return CAROM_OK;
}

static carom_status join_records(stl_records *records, uint32_t count, io_soup *soup, bool *good)
{
    io_corners corners = {.soup = soup};
    size_t size = 3 * sizeof *records->corners * (count < BATCH ? count : BATCH);
    records->corners = carom_context_allocate(soup->context, size, BASE_CACHE_LINE);
    carom_status status = records->corners && io_corners_expect(&corners, 3 * (size_t)count)
                              ? join_batches(records, count, &corners, good)
                              : CAROM_OUT_OF_MEMORY;
    io_corners_free(&corners);
    carom_context_release(soup->context, records->corners, size);
    return status == CAROM_OUT_OF_MEMORY ? io_out_of_memory(records->source) : status;
}

static carom_status refuse_record(const io_source *source, const unsigned char *records)
{
    size_t triangle = 0;
    while (is_good(records + triangle * TRIANGLE_SIZE))
        triangle++;
    for (int corner = 0;; corner++)
    {
        const unsigned char *at = records + triangle * TRIANGLE_SIZE + NORMAL_SIZE + 12 * corner;
        carom_vec3 point = vec3(read_float(at), read_float(at + 4), read_float(at + 8));
        double largest = fmax(fmax(fabs(point.x), fabs(point.y)), fabs(point.z));
        if (vec3_finite(point) && largest <= MATH_COORDINATE_LIMIT)
            continue;
        return io_fail(source, CAROM_BAD_DATA, "triangle %zu, corner %d at byte %zu: (%g, %g, %g) is %s", triangle,
                       corner, (size_t)(at - (const unsigned char *)source->begin), point.x, point.y, point.z,
                       vec3_finite(point) ? "beyond 2^100" : "not finite");
    }
}

/* The number of triangles, if the header fits the file's size. */
static carom_status read_header(const io_source *source, const unsigned char *header, size_t size, io_soup *soup,
                                uint32_t *count)
{
    if (size < HEADER_SIZE)
        return io_fail(source, CAROM_BAD_DATA, "%zu bytes are too few for an STL file", size);
    *count = read_u32(header + HEADER_SIZE - 4);
    size_t present = (size - HEADER_SIZE) / TRIANGLE_SIZE;
    if (*count > present)
        return io_fail(source, CAROM_BAD_DATA, "truncated: the header at byte 80 says %u triangles, %zu are there",
                       *count, present);
    if (*count == 0 && present > 0)
        return io_fail(source, CAROM_BAD_DATA, "the header at byte 80 says no triangles, but %zu bytes follow",
                       size - HEADER_SIZE);
    soup->ignored_bytes = size - HEADER_SIZE - (size_t)*count * TRIANGLE_SIZE;
    if (*count >= MAX_TRIANGLES)
        return io_fail(source, CAROM_TOO_LARGE, "%u triangles are more than a mesh can hold", *count);
    return CAROM_OK;
}

static carom_status read_binary(io_source *source, io_soup *soup)
{
    const unsigned char *bytes = (const unsigned char *)source->begin;
    uint32_t count;
    bool good = false;
    BASE_TRY(read_header(source, bytes, (size_t)(source->end - source->begin), soup, &count));
    stl_records records = {.source = source, .bytes = bytes};
    BASE_TRY(join_records(&records, count, soup, &good));
    return good ? CAROM_OK : refuse_record(source, bytes + HEADER_SIZE);
}

/* Through a small window, since memory for all of the file would cost more time than reading it. */
static carom_status stream_binary(io_source *source, io_soup *soup, bool *complete)
{
    unsigned char header[HEADER_SIZE];
    uint32_t count;
    *complete = false;
    if (io_source_peek(source, header, sizeof header) != sizeof header)
        return CAROM_OK;
    *complete = true;
    BASE_TRY(read_header(source, header, source->file_size, soup, &count));
    stl_records records = {.source = source};
    /* a bad number is left to the reader of whole files, and to its message */
    return join_records(&records, count, soup, complete);
}

/* ---- either ---- */

/* A binary header may begin with "solid" too, but then a zero byte follows before long. The bytes end in a zero; of all
 * of the file's, they may be the first few. */
static bool looks_ascii(const char *begin, size_t size, size_t file_size)
{
    const unsigned char *bytes = (const unsigned char *)begin;
    if (size >= HEADER_SIZE && file_size == HEADER_SIZE + (size_t)read_u32(bytes + HEADER_SIZE - 4) * TRIANGLE_SIZE)
        return false;
    if (size >= 2 && ((bytes[0] == 0xfe && bytes[1] == 0xff) || (bytes[0] == 0xff && bytes[1] == 0xfe)))
        return true;
    const char *at = begin;
    if (size >= 3 && bytes[0] == 0xef && bytes[1] == 0xbb && bytes[2] == 0xbf)
        at += 3;
    while (io_is_blank(*at) || *at == '\n')
        at++;
    if (strncasecmp(at, "solid", 5) != 0)
        return false;
    size_t left = (size_t)(begin + size - at);
    return memchr(at, '\0', left < SNIFF_SIZE ? left : SNIFF_SIZE) == NULL;
}

carom_status io_stl_stream(io_source *source, io_soup *soup, bool *complete)
{
    char first[2 * SNIFF_SIZE];
    size_t size = io_source_peek(source, first, sizeof first - 1);
    first[size] = '\0';
    return looks_ascii(first, size, source->file_size) ? io_stl_stream_text(source, soup, complete)
                                                       : stream_binary(source, soup, complete);
}

carom_status io_stl_read(io_source *source, io_soup *soup)
{
    size_t size = (size_t)(source->end - source->begin);
    return looks_ascii(source->begin, size, size) ? io_stl_read_text(source, soup) : read_binary(source, soup);
}

/* ---- writing ---- */

static void put_u32(unsigned char *out, uint32_t value)
{
    for (int i = 0; i < 4; i++)
        out[i] = (unsigned char)(value >> 8 * i);
}

static void put_float(unsigned char *out, double value, bool *rounded)
{
    float narrow = (float)value;
    *rounded = *rounded || (double)narrow != value;
    uint32_t bits;
    memcpy(&bits, &narrow, sizeof bits);
    put_u32(out, bits);
}

static void put_point(unsigned char *out, carom_vec3 point, bool *rounded)
{
    put_float(out, point.x, rounded);
    put_float(out + 4, point.y, rounded);
    put_float(out + 8, point.z, rounded);
}

/* Zero where there is none; scaled first so that no coordinate overflows. */
static carom_vec3 unit_normal(const carom_vec3 corner[3])
{
    carom_vec3 u = vec3_sub(corner[1], corner[0]), v = vec3_sub(corner[2], corner[0]);
    double scale = fmax(vec3_length(u), vec3_length(v));
    if (!(scale > 0))
        return vec3(0, 0, 0);
    carom_vec3 normal = vec3_cross(vec3_scale(u, 1 / scale), vec3_scale(v, 1 / scale));
    double length = vec3_length(normal);
    return isfinite(length) && length > 0 ? vec3_scale(normal, 1 / length) : vec3(0, 0, 0);
}

static void mesh_triangle(const carom_mesh *mesh, uint32_t triangle, carom_vec3 corner[3])
{
    const uint32_t *index = carom_mesh_indices(mesh) + 3 * (size_t)triangle;
    for (int i = 0; i < 3; i++)
        corner[i] = carom_mesh_vertices(mesh)[index[i]];
}

static carom_status write_binary(io_output *output, const carom_mesh *mesh)
{
    uint32_t count = carom_mesh_get_info(mesh).triangle_count;
    unsigned char header[HEADER_SIZE] = "binary STL, written by carom";
    put_u32(header + HEADER_SIZE - 4, count);
    io_output_write(output, header, sizeof header);
    bool rounded = false, normal_rounded = false;
    for (uint32_t i = 0; i < count; i++)
    {
        unsigned char bytes[TRIANGLE_SIZE] = {0};
        carom_vec3 corner[3];
        mesh_triangle(mesh, i, corner);
        put_point(bytes, unit_normal(corner), &normal_rounded);
        for (int c = 0; c < 3; c++)
            put_point(bytes + NORMAL_SIZE + 12 * c, corner[c], &rounded);
        io_output_write(output, bytes, sizeof bytes);
    }
    if (rounded)
        io_context_warn(io_output_context(output), "%s: coordinates were rounded to the floats of STL",
                        io_short_path(io_output_path(output)));
    return CAROM_OK;
}

static void write_point(io_output *output, const char *before, carom_vec3 point)
{
    io_output_print(output, before);
    io_output_number(output, point.x, ' ');
    io_output_number(output, point.y, ' ');
    io_output_number(output, point.z, '\n');
}

static carom_status write_ascii(io_output *output, const carom_mesh *mesh)
{
    uint32_t count = carom_mesh_get_info(mesh).triangle_count;
    io_output_print(output, "solid carom\n");
    for (uint32_t i = 0; i < count; i++)
    {
        carom_vec3 corner[3];
        mesh_triangle(mesh, i, corner);
        write_point(output, "facet normal ", unit_normal(corner));
        io_output_print(output, " outer loop\n");
        for (int c = 0; c < 3; c++)
            write_point(output, "  vertex ", corner[c]);
        io_output_print(output, " endloop\nendfacet\n");
    }
    io_output_print(output, "endsolid carom\n");
    return CAROM_OK;
}

carom_status io_stl_write(io_output *output, const carom_mesh *mesh, const io_write_options *options)
{
    return options->text ? write_ascii(output, mesh) : write_binary(output, mesh);
}
