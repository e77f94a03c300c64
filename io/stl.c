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
    TRIANGLES_PER_TASK = 4096
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

typedef struct record_check
{
    unsigned char *records;
    atomic_bool bad;
} record_check;

static bool is_good(const unsigned char *record)
{
    bool good = true;
    for (int i = 0; i < 9; i++)
        good &= fabsf(read_float(record + NORMAL_SIZE + 4 * i)) <= (float)MATH_COORDINATE_LIMIT;
    return good;
}

static void check_records(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    record_check *check = data;
    (void)worker;
    bool good = true;
    for (size_t i = first; i < last; i++)
        good &= is_good(check->records + i * TRIANGLE_SIZE);
    if (!good)
        atomic_store(&check->bad, true);
}

/* Turns the file's numbers into the machine's. */
static void swap_records(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const record_check *check = data;
    (void)worker;
    for (size_t i = first; i < last; i++)
        for (int k = 0; k < 9; k++)
        {
            unsigned char *at = check->records + i * TRIANGLE_SIZE + NORMAL_SIZE + 4 * k;
            float value = read_float(at);
            memcpy(at, &value, sizeof value);
        }
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

static bool is_little_endian(void)
{
    uint32_t one = 1;
    unsigned char first;
    memcpy(&first, &one, 1);
    return first == 1;
}

static carom_status read_binary(io_source *source, io_soup *soup)
{
    size_t size = (size_t)(source->end - source->begin);
    unsigned char *bytes = (unsigned char *)source->begin;
    if (size < HEADER_SIZE)
        return io_fail(source, CAROM_BAD_DATA, "%zu bytes are too few for an STL file", size);
    uint32_t count = read_u32(bytes + HEADER_SIZE - 4);
    size_t present = (size - HEADER_SIZE) / TRIANGLE_SIZE;
    if (count > present)
        return io_fail(source, CAROM_BAD_DATA, "truncated: the header at byte 80 says %u triangles, %zu are there",
                       count, present);
    if (count == 0 && present > 0)
        return io_fail(source, CAROM_BAD_DATA, "the header at byte 80 says no triangles, but %zu bytes follow",
                       size - HEADER_SIZE);
    soup->ignored_bytes = size - HEADER_SIZE - (size_t)count * TRIANGLE_SIZE;
    if (count >= (uint32_t)1 << 30)
        return io_fail(source, CAROM_TOO_LARGE, "%u triangles are more than a mesh can hold", count);

    record_check check = {.records = bytes + HEADER_SIZE};
    BASE_TRY(carom_context_run(source->context, count, TRIANGLES_PER_TASK, check_records, &check));
    if (atomic_load(&check.bad))
        return refuse_record(source, check.records);
    if (!is_little_endian())
        BASE_TRY(carom_context_run(source->context, count, TRIANGLES_PER_TASK, swap_records, &check));
    soup->records = check.records + NORMAL_SIZE;
    soup->record_count = count;
    soup->record_size = TRIANGLE_SIZE;
    return CAROM_OK;
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

bool io_stl_begins_as_text(const io_source *source)
{
    char first[2 * SNIFF_SIZE];
    size_t size = io_source_peek(source, first, sizeof first - 1);
    first[size] = '\0';
    return looks_ascii(first, size, source->file_size);
}

carom_status io_stl_read(io_source *source, io_soup *soup)
{
    soup->unindexed = true;
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
