/* Reading: from bytes to models, one file or several in parallel.
 *
 * A worker turns a file's bytes into a mesh and keeps its messages. Then the files are processed in the order of the
 * requests, and only then do messages reach the context: results and messages are those of reading one file after
 * another, for any number of workers. */
#include "io/soup.h"

#include <stdio.h>
#include <time.h>

#define NOT_SHARED UINT32_MAX

/* One file being read. */
typedef struct reading
{
    const char *path;  /* null: from memory */
    const void *bytes; /*   these */
    size_t size;
    io_read_options options;

    bool alone;       /* no other file is read at the same time */
    uint32_t same_as; /* an earlier reading of the same file, or NOT_SHARED */
    uint32_t next;    /* in its chain of equal hashes */

    io_source source;
    io_soup soup; /* kept until its mesh is made */
    io_model model;
    size_t vertex_count;
    carom_status status;
    char message[IO_MESSAGE_SIZE];
    double milliseconds;
} reading;

static double now_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e3 * (double)now.tv_sec + 1e-6 * (double)now.tv_nsec;
}

/* ---- on any worker ---- */

static carom_status make_mesh(reading *r)
{
    const io_soup *soup = &r->soup;
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)soup->vertices.items;
    def.vertex_count = soup->vertices.count;
    def.indices_u32 = soup->unindexed ? NULL : soup->indices.items;
    def.unindexed = soup->unindexed;
    def.triangle_count = io_soup_triangle_count(soup);
    const char *slash = strrchr(r->source.name, '/');
    def.name = slash ? slash + 1 : r->source.name;
    return carom_mesh_create(soup->context, &def, &r->model.mesh);
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
    model->joined_corners = soup->joined_corners;
    model->collapsed_triangles = soup->collapsed_triangles;
}

static carom_status parse(reading *r)
{
    BASE_TRY(r->path ? io_source_load(&r->source, r->path) : io_source_copy(&r->source, r->bytes, r->size));
    const io_format *format;
    BASE_TRY(io_find_format(r->path ? r->path : r->source.name, r->options.format, r->message, &format));
    if (r->source.begin == r->source.end)
        return io_fail(&r->source, CAROM_BAD_DATA, "the file is empty");
    BASE_TRY(format->read(&r->source, &r->soup));
    BASE_TRY(io_soup_weld(&r->source, &r->soup, r->options.weld));
    r->vertex_count = r->soup.vertices.count;
    r->model.context = r->soup.context;
    r->model.format = format->info.name;
    return CAROM_OK;
}

static void read_one(reading *r)
{
    double start = now_ms();
    r->status = parse(r);
    io_source_free(&r->source);
    /* a mesh that could not be made is tried again in order, to leave its message on the context */
    if (r->status == CAROM_OK && !r->alone && make_mesh(r) == CAROM_OK)
        take_parts(&r->soup, &r->model);
    if (r->status != CAROM_OK || r->model.mesh)
        io_soup_free(&r->soup);
    r->milliseconds = now_ms() - start;
}

static void read_range(uint32_t first, uint32_t last, uint32_t worker, void *task_data)
{
    (void)worker;
    reading *readings = task_data;
    for (uint32_t i = first; i < last; i++)
        if (readings[i].same_as == NOT_SHARED && readings[i].status == CAROM_OK)
            read_one(&readings[i]);
}

/* ---- in order ---- */

static void warn_ignored_bytes(const reading *r)
{
    if (r->soup.ignored_bytes > 0)
        io_context_warn(r->soup.context, "%s: %zu bytes after the last triangle are ignored",
                        io_short_path(r->source.name), r->soup.ignored_bytes);
}

static void warn_empty(const reading *r, const io_model *model)
{
    if (carom_mesh_get_info(model->mesh).triangle_count == 0)
        io_context_warn(model->context,
                        "%s: no faces in it (%zu vertices, %llu point and %llu line elements): an empty mesh",
                        io_short_path(r->source.name), r->vertex_count, (unsigned long long)model->ignored_points,
                        (unsigned long long)model->ignored_lines);
}

static void warn_collapsed(const reading *r, const io_model *model)
{
    if (model->collapsed_triangles > 0)
        io_context_warn(model->context, "%s: a weld length of %g is above the size of %llu triangles, which collapse",
                        io_short_path(r->source.name), r->options.weld, (unsigned long long)model->collapsed_triangles);
}

/* Delivers the result of a reading: its model, or its message. */
static void finish(reading *r, io_result *result)
{
    carom_context *context = r->soup.context;
    warn_ignored_bytes(r);
    if (r->status != CAROM_OK)
        carom_context_fail(context, r->status, r->message);
    else if (!r->model.mesh)
    {
        double start = now_ms();
        r->status = make_mesh(r);
        if (r->status == CAROM_OK)
            take_parts(&r->soup, &r->model);
        else
            carom_context_message(context, r->message, sizeof r->message);
        io_soup_free(&r->soup);
        r->milliseconds += now_ms() - start;
    }
    result->status = r->status;
    result->milliseconds = r->milliseconds;
    memcpy(result->message, r->message, sizeof r->message);
    if (r->status != CAROM_OK)
        return;
    warn_empty(r, &r->model);
    warn_collapsed(r, &r->model);
    result->model = r->model;
}

/* A separate model with the same mesh; false when out of memory. */
static bool copy_model(const io_model *from, io_model *to)
{
    carom_context *context = from->context;
    size_t parts_size = from->part_capacity * sizeof *from->parts;
    *to = *from;
    to->parts = from->parts ? carom_context_allocate(context, parts_size, BASE_CACHE_LINE) : NULL;
    to->names = from->names ? carom_context_allocate(context, from->names_capacity, BASE_CACHE_LINE) : NULL;
    if ((from->parts && !to->parts) || (from->names && !to->names))
    {
        carom_context_release(context, to->parts, parts_size);
        carom_context_release(context, to->names, from->names_capacity);
        *to = (io_model){.context = context};
        return false;
    }
    if (to->parts)
        memcpy(to->parts, from->parts, parts_size);
    if (to->names)
        memcpy(to->names, from->names, from->names_capacity);
    carom_mesh_retain(to->mesh);
    return true;
}

/* The same file again: repeats the messages of its first reading. */
static void finish_again(const reading *first, const io_result *from, io_result *result)
{
    carom_context *context = first->soup.context;
    warn_ignored_bytes(first);
    result->milliseconds = 0;
    if (from->status == CAROM_OK && copy_model(&from->model, &result->model))
    {
        result->status = CAROM_OK;
        result->message[0] = '\0';
        warn_empty(first, &result->model);
        warn_collapsed(first, &result->model);
        return;
    }
    if (from->status == CAROM_OK)
    {
        result->status = CAROM_OUT_OF_MEMORY;
        snprintf(result->message, sizeof result->message, "%s: out of memory", io_short_path(first->source.name));
    }
    else
    {
        result->status = from->status;
        memcpy(result->message, from->message, sizeof result->message);
    }
    carom_context_fail(context, result->status, result->message);
}

/* ---- public functions ---- */

static void begin(carom_context *context, reading *r)
{
    r->same_as = r->next = NOT_SHARED;
    r->source = (io_source){.context = context, .name = r->path ? r->path : "memory", .message = r->message};
    r->soup = (io_soup){.context = context};
}

static carom_status read_alone(carom_context *context, reading *r, io_model *out)
{
    *out = (io_model){.context = context};
    begin(context, r);
    BASE_TRY(carom_context_run(context, 1, 1, read_range, r));
    io_result result = {.model = *out};
    finish(r, &result);
    *out = result.model;
    return result.status;
}

carom_status io_read(carom_context *context, const char *path, const io_read_options *options, io_model *out)
{
    if (!context)
        return CAROM_INVALID_ARGUMENT;
    if (!path || !out)
        return io_context_fail(context, CAROM_INVALID_ARGUMENT, "io_read: %s is null", path ? "out" : "path");
    reading r = {.alone = true, .path = path};
    if (options)
        r.options = *options;
    return read_alone(context, &r, out);
}

carom_status io_read_memory(carom_context *context, const void *bytes, size_t size, const char *format, io_model *out)
{
    if (!context)
        return CAROM_INVALID_ARGUMENT;
    if (!format || !out)
        return io_context_fail(context, CAROM_INVALID_ARGUMENT, "io_read_memory: %s is null",
                               format ? "out" : "format");
    reading r = {.alone = true, .bytes = bytes, .size = size, .options.format = format};
    return read_alone(context, &r, out);
}

static uint64_t hash_path(const char *path)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (const char *c = path; *c; c++)
        hash = (hash ^ (unsigned char)*c) * 0x100000001b3u;
    return hash;
}

static bool is_same_file(const reading *a, const reading *b)
{
    const char *format_a = a->options.format, *format_b = b->options.format;
    bool same_format = format_a && format_b ? strcmp(format_a, format_b) == 0 : format_a == format_b;
    return same_format && a->options.weld == b->options.weld && strcmp(a->path, b->path) == 0;
}

/* chains: one per hash, of those readings that are the first of their file. */
static void find_same(reading *readings, uint32_t count, uint32_t *chains)
{
    for (uint32_t i = 0; i < count; i++)
        chains[i] = NOT_SHARED;
    for (uint32_t i = 0; i < count; i++)
    {
        reading *r = &readings[i];
        if (!r->path)
            continue;
        uint32_t *chain = &chains[hash_path(r->path) % count], earlier = *chain;
        while (earlier != NOT_SHARED && !is_same_file(&readings[earlier], r))
            earlier = readings[earlier].next;
        r->same_as = earlier;
        if (earlier == NOT_SHARED)
            r->next = *chain, *chain = i;
    }
}

/* Null paths are reported here; everything else fails where it is tried. */
static void begin_all(carom_context *context, const io_request *requests, uint32_t count, reading *readings)
{
    for (uint32_t i = 0; i < count; i++)
    {
        reading *r = &readings[i];
        *r = (reading){.path = requests[i].path, .options = requests[i].options};
        begin(context, r);
        if (r->path)
            continue;
        r->status = CAROM_INVALID_ARGUMENT;
        snprintf(r->message, sizeof r->message, "io_read_files: the path of file %u is null", i);
    }
}

static carom_status finish_all(reading *readings, uint32_t count, io_result *results)
{
    carom_status first_failure = CAROM_OK;
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t same_as = readings[i].same_as;
        if (same_as == NOT_SHARED)
            finish(&readings[i], &results[i]);
        else
            finish_again(&readings[same_as], &results[same_as], &results[i]);
        if (first_failure == CAROM_OK)
            first_failure = results[i].status;
    }
    return first_failure;
}

/* An error of the call as a whole is the error of each file. */
static carom_status fail_all(carom_context *context, carom_status status, io_result *results, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
    {
        results[i].status = status;
        carom_context_message(context, results[i].message, sizeof results[i].message);
    }
    return status;
}

carom_status io_read_files(carom_context *context, const io_request *requests, uint32_t count, io_result *results)
{
    if (!context)
        return CAROM_INVALID_ARGUMENT;
    if (count == 0)
        return CAROM_OK;
    if (!requests || !results)
        return io_context_fail(context, CAROM_INVALID_ARGUMENT, "io_read_files: %s are null",
                               requests ? "results" : "requests");
    for (uint32_t i = 0; i < count; i++)
        results[i] = (io_result){.model = {.context = context}};
    size_t size = count * sizeof(reading), chains_size = count * sizeof(uint32_t);
    reading *readings = carom_context_allocate(context, size, BASE_CACHE_LINE);
    uint32_t *chains = carom_context_allocate(context, chains_size, BASE_CACHE_LINE);
    carom_status status;
    if (readings && chains)
    {
        begin_all(context, requests, count, readings);
        find_same(readings, count, chains);
        status = carom_context_run(context, count, 1, read_range, readings);
        status = status == CAROM_OK ? finish_all(readings, count, results) : fail_all(context, status, results, count);
    }
    else
    {
        status = io_context_fail(context, CAROM_OUT_OF_MEMORY, "io_read_files: no memory for %u files", count);
        fail_all(context, status, results, count);
    }
    carom_context_release(context, readings, size);
    carom_context_release(context, chains, chains_size);
    return status;
}
