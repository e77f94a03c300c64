/* Reading: from bytes to models, one file or several in parallel.
 *
 * A worker turns a file's bytes into a mesh and keeps its messages. Then the files are processed in the order of the
 * requests, and only then do messages reach the context: results and messages are those of reading one file after
 * another, for any number of workers. */
#include "io/soup.h"

#include <stdio.h>
#include <sys/stat.h>
#include <time.h>

#define NOT_SHARED UINT32_MAX

enum
{
    LARGE_FILE = 4 << 20 /* bytes; worth the attention of all workers */
};

/* One file being read. */
typedef struct reading
{
    const char *path;  /* null: from memory */
    const void *bytes; /*   these */
    size_t size;
    io_read_options options;

    const io_format *format;
    struct stat about; /* st_mode 0: no regular file */
    bool alone;        /* the only file of the call: its mesh is made in order anyway */
    uint32_t same_as;  /* an earlier reading of the same file, or NOT_SHARED */
    uint32_t next;     /* in its chain of equal hashes */

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
    def.indices_u32 = soup->indices.items;
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
    model->skipped_statements = soup->skipped.count;
    model->free_form = soup->free_form.count;
    model->ignored_bytes = soup->ignored_bytes;
    model->odd_faces = soup->odd_faces.count;
    model->complex_faces = soup->complex_faces.count;
    model->ignored_points = soup->ignored_points;
    model->ignored_lines = soup->ignored_lines;
    model->joined_corners = soup->joined_corners;
    model->collapsed_triangles = soup->collapsed_triangles;
}

/* A large file in pieces, if its format can do that. What is not complete is tried again with the whole file; a failure
 * that is complete would be the same there. */
static carom_status stream(reading *r, bool *complete)
{
    if (!r->format->stream || r->source.file_size < LARGE_FILE || io_is_standard_input(r->path))
        return CAROM_OK;
    carom_status status = r->format->stream(&r->source, &r->soup, complete);
    if (*complete || status == CAROM_CANCELLED)
        return status;
    io_soup_free(&r->soup);
    return CAROM_OK;
}

/* From the file or memory to the soup. */
static carom_status fill_soup(reading *r)
{
    if (r->path)
        BASE_TRY(io_source_open(&r->source, r->path));
    /* before a byte is read: a wrong name should not cost the time of a large file */
    BASE_TRY(io_find_format(r->source.name, r->options.format, r->message, &r->format));
    bool complete = false;
    if (r->path)
        BASE_TRY(stream(r, &complete));
    if (complete)
        return CAROM_OK;
    if (r->path && r->source.file_size > 0)
        BASE_TRY(io_source_rewind(&r->source));
    BASE_TRY(r->path ? io_source_load(&r->source) : io_source_copy(&r->source, r->bytes, r->size));
    io_source_close(&r->source);
    if (r->source.begin == r->source.end)
        return io_fail(&r->source, CAROM_BAD_DATA, "the file is empty");
    return r->format->read(&r->source, &r->soup);
}

static carom_status parse(reading *r)
{
    carom_status status = fill_soup(r);
    io_source_close(&r->source);
    BASE_TRY(status);
    BASE_TRY(io_soup_weld(&r->source, &r->soup, r->options.weld));
    r->vertex_count = r->soup.vertices.count;
    r->model.context = r->soup.context;
    r->model.format = r->format->info.name;
    io_source_free(&r->source);
    return CAROM_OK;
}

static void free_input(reading *r)
{
    io_source_free(&r->source);
    io_soup_free(&r->soup);
}

static void read_one(reading *r)
{
    double start = now_ms();
    r->status = parse(r);
    /* a mesh that could not be made is tried again in order, to leave its message on the context */
    if (r->status == CAROM_OK && !r->alone && make_mesh(r) == CAROM_OK)
        take_parts(&r->soup, &r->model);
    if (r->status != CAROM_OK || r->model.mesh)
        free_input(r);
    r->milliseconds = now_ms() - start;
}

static bool is_large(const reading *r) { return r->about.st_mode != 0 && r->about.st_size >= LARGE_FILE; }

static bool is_to_read(const reading *r) { return r->same_as == NOT_SHARED && r->status == CAROM_OK; }

static void read_range(uint32_t first, uint32_t last, uint32_t worker, void *task_data)
{
    (void)worker;
    reading *readings = task_data;
    for (uint32_t i = first; i < last; i++)
        if (is_to_read(&readings[i]) && !is_large(&readings[i]))
            read_one(&readings[i]);
}

static void do_nothing(uint32_t first, uint32_t last, uint32_t worker, void *task_data)
{
    (void)first, (void)last, (void)worker, (void)task_data;
}

/* Large files one after another, each on all workers; then the small ones, each on one of them. */
static carom_status read_all(carom_context *context, reading *readings, uint32_t count)
{
    BASE_TRY(carom_context_run(context, 1, 1, do_nothing, NULL)); /* checks the thread's float mode */
    for (uint32_t i = 0; i < count; i++)
        if (is_to_read(&readings[i]) && is_large(&readings[i]))
            read_one(&readings[i]);
    return carom_context_run(context, count, 1, read_range, readings);
}

/* ---- in order ---- */

static void warn_ignored_bytes(const reading *r)
{
    if (r->soup.ignored_bytes > 0)
        io_context_warn(r->soup.context, "%s: %zu bytes after the last triangle are ignored",
                        io_short_path(r->source.name), r->soup.ignored_bytes);
}

static void warn_notes(const reading *r)
{
    const io_notes *skipped = &r->soup.skipped, *odd = &r->soup.odd_faces, *complex = &r->soup.complex_faces;
    const io_notes *free_form = &r->soup.free_form;
    const char *name = io_short_path(r->source.name);
    if (skipped->count > 0)
        io_context_warn(r->soup.context, "%s: line %zu: '%s' was not understood; %llu such statements were skipped",
                        name, skipped->first_line, skipped->first_word, (unsigned long long)skipped->count);
    if (free_form->count > 0)
        io_context_warn(r->soup.context, "%s: line %zu: %llu free-form surfaces or curves are not read", name,
                        free_form->first_line, (unsigned long long)free_form->count);
    if (odd->count > 0)
        io_context_warn(r->soup.context, "%s: line %zu: a face crosses itself, and became a fan; so did %llu in all",
                        name, odd->first_line, (unsigned long long)odd->count);
    if (complex->count > 0)
        io_context_warn(r->soup.context,
                        "%s: line %zu: a face touches itself and is too complex to cut up: it became a fan, with the "
                        "wrong area; so did %llu in all",
                        name, complex->first_line, (unsigned long long)complex->count);
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
        free_input(r);
        r->milliseconds += now_ms() - start;
    }
    result->status = r->status;
    result->milliseconds = r->milliseconds;
    memcpy(result->message, r->message, sizeof r->message);
    if (r->status != CAROM_OK)
        return;
    warn_notes(r);
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

/* The same file again: repeats the messages of its first reading, under its own name. */
static void finish_again(reading *r, const reading *first, const io_result *from, io_result *result)
{
    if (from->status != CAROM_OK)
    {
        /* its message has the other name in it: fail in the same way */
        if (strcmp(r->path, first->path) != 0)
            read_one(r);
        else
            r->status = from->status, memcpy(r->message, from->message, sizeof r->message);
        finish(r, result);
        return;
    }
    r->soup.ignored_bytes = first->soup.ignored_bytes;
    r->soup.skipped = first->soup.skipped;
    r->soup.free_form = first->soup.free_form;
    r->soup.odd_faces = first->soup.odd_faces;
    r->soup.complex_faces = first->soup.complex_faces;
    r->vertex_count = first->vertex_count;
    if (!copy_model(&from->model, &r->model))
        r->status = io_out_of_memory(&r->source);
    finish(r, result);
}

/* ---- public functions ---- */

static void begin(carom_context *context, reading *r)
{
    r->same_as = r->next = NOT_SHARED;
    r->source =
        (io_source){.file = -1, .context = context, .name = r->path ? r->path : "memory", .message = r->message};
    r->soup = (io_soup){.context = context};
}

static carom_status read_alone(carom_context *context, reading *r, io_model *out)
{
    *out = (io_model){.context = context};
    begin(context, r);
    BASE_TRY(carom_context_run(context, 1, 1, do_nothing, NULL));
    read_one(r);
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

static uint64_t hash_bytes(const void *bytes, size_t size)
{
    uint64_t hash = 0xcbf29ce484222325u; /* FNV-1a */
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

/* Of what all paths to one file have in common: its number, or the path itself where there is none. */
static uint64_t hash_file(const reading *r)
{
    if (r->about.st_mode == 0)
        return hash_bytes(r->path, strlen(r->path));
    uint64_t hash = ((uint64_t)r->about.st_ino ^ (uint64_t)r->about.st_dev << 32) * 0x9e3779b97f4a7c15u;
    return hash ^ hash >> 32;
}

static bool is_same_file(const reading *a, const reading *b)
{
    if (a->format != b->format || a->options.weld != b->options.weld)
        return false;
    if (a->about.st_mode != 0 && b->about.st_mode != 0)
        return a->about.st_dev == b->about.st_dev && a->about.st_ino == b->about.st_ino;
    return strcmp(a->path, b->path) == 0;
}

/* chains: one per hash, of those readings that are the first of their file. */
static void find_same(reading *readings, uint32_t count, uint32_t *chains)
{
    for (uint32_t i = 0; i < count; i++)
        chains[i] = NOT_SHARED;
    for (uint32_t i = 0; i < count; i++)
    {
        reading *r = &readings[i];
        if (!r->path || !r->format)
            continue;
        uint32_t *chain = &chains[hash_file(r) % count], earlier = *chain;
        while (earlier != NOT_SHARED && !is_same_file(&readings[earlier], r))
            earlier = readings[earlier].next;
        r->same_as = earlier;
        if (earlier == NOT_SHARED)
            r->next = *chain, *chain = i;
    }
}

/* What two paths can be compared by; whatever is wrong with one is found when it is read. */
static void look_at(reading *r)
{
    char message[IO_MESSAGE_SIZE];
    if (io_find_format(r->path, r->options.format, message, &r->format) != CAROM_OK)
        r->format = NULL;
    if (io_is_standard_input(r->path) || stat(r->path, &r->about) != 0 || !S_ISREG(r->about.st_mode))
        r->about.st_mode = 0;
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
        {
            look_at(r);
            continue;
        }
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
            finish_again(&readings[i], &readings[same_as], &results[same_as], &results[i]);
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
        status = read_all(context, readings, count);
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
