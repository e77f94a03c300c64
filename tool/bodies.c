/* From models to bodies: each file is read once, and becomes one body, or one per named part.
 *
 * A group of an OBJ file may be continued later in the file: all its triangles are one body. Solids of an STL file are
 * separate, even if two have the same name. */
#include "tool/inputs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- which files are the same ---- */

typedef struct file_key
{
    uint32_t input;
    bool known; /* otherwise the file does not exist, and is the same as no other */
    dev_t device;
    ino_t node;
    double weld;
    uint32_t first; /* input with the same file */
} file_key;

static int compare_keys(const void *a, const void *b)
{
    const file_key *x = a, *y = b;
    if (x->known != y->known)
        return x->known ? -1 : 1;
    if (x->known && x->device != y->device)
        return x->device < y->device ? -1 : 1;
    if (x->known && x->node != y->node)
        return x->node < y->node ? -1 : 1;
    if (x->known && x->weld != y->weld)
        return x->weld < y->weld ? -1 : 1;
    return x->input < y->input ? -1 : x->input > y->input;
}

static bool is_same_key(const file_key *a, const file_key *b)
{
    return a->known && b->known && a->device == b->device && a->node == b->node && a->weld == b->weld;
}

static int compare_firsts(const void *a, const void *b)
{
    const file_key *x = a, *y = b;
    if (x->first != y->first)
        return x->first < y->first ? -1 : 1;
    return x->input < y->input ? -1 : x->input > y->input;
}

/* Inputs of one file become neighbours; files stay in the order of their first inputs, and so do messages. */
static void sort_keys(file_key *keys, size_t count)
{
    qsort(keys, count, sizeof *keys, compare_keys);
    for (size_t i = 0; i < count; i++)
        keys[i].first = i > 0 && is_same_key(&keys[i - 1], &keys[i]) ? keys[i - 1].first : keys[i].input;
    qsort(keys, count, sizeof *keys, compare_firsts);
}

/* ---- one file to bodies ---- */

/* Everything that is needed while files become bodies. */
typedef struct body_maker
{
    tool_inputs *inputs;
    const tool_reading *reading;
    uint32_t *new_index; /* per vertex of the mesh that is being split */
    uint32_t *new_stamp; /* the part for which new_index was set, counted from 1 */
} body_maker;

/* A range of triangles with a name; null: triangles before the first named ones. */
typedef struct body_range
{
    const char *name;
    uint32_t first, count, order;
} body_range;

static int compare_ranges(const void *a, const void *b)
{
    const body_range *x = a, *y = b;
    int names = x->name && y->name ? strcmp(x->name, y->name) : !x->name - !y->name;
    return names ? names : x->order < y->order ? -1 : x->order > y->order;
}

/* Ranges in file order that share a name become neighbours: each run of one name is a body. `order` of all members of a
 * run becomes that of the first, so that sorting by it restores the file's order. */
static void join_names(body_range *ranges, uint32_t count)
{
    qsort(ranges, count, sizeof *ranges, compare_ranges);
    for (uint32_t i = 1; i < count; i++)
        if (ranges[i].name && ranges[i - 1].name && strcmp(ranges[i].name, ranges[i - 1].name) == 0)
            ranges[i].order = ranges[i - 1].order;
}

static int compare_orders(const void *a, const void *b)
{
    const body_range *x = a, *y = b;
    return x->order != y->order ? (x->order < y->order ? -1 : 1) : x->first < y->first ? -1 : x->first > y->first;
}

/* Lists the parts of a model, empty ones left out; null when out of memory. */
static body_range *list_ranges(const io_model *model, uint32_t *count)
{
    body_range *ranges = calloc(model->part_count + 1, sizeof *ranges);
    *count = 0;
    if (!ranges)
        return NULL;
    if (model->part_count > 0 && model->parts[0].first_triangle > 0)
        ranges[(*count)++] = (body_range){NULL, 0, model->parts[0].first_triangle, 0};
    for (size_t i = 0; i < model->part_count; i++)
        if (model->parts[i].triangle_count > 0)
        {
            ranges[*count] = (body_range){io_part_name(model, i), model->parts[i].first_triangle,
                                          model->parts[i].triangle_count, *count};
            (*count)++;
        }
    if (strcmp(model->format, "stl") != 0)
        join_names(ranges, *count);
    qsort(ranges, *count, sizeof *ranges, compare_orders);
    return ranges;
}

/* A mesh of some triangles of another, in another unit. */
typedef struct mesh_piece
{
    const carom_mesh *from;
    const body_range *ranges; /* ascending */
    uint32_t range_count;
    uint32_t stamp; /* different for each piece of a mesh */
    double ratio[2];
} mesh_piece;

static carom_status make_piece(body_maker *maker, const mesh_piece *piece, carom_mesh **out)
{
    size_t triangles = 0, corners = 0;
    uint32_t vertices = 0;
    for (uint32_t r = 0; r < piece->range_count; r++)
        triangles += piece->ranges[r].count;
    carom_vec3 *positions = malloc((3 * triangles + 1) * sizeof *positions);
    uint32_t *indices = malloc((3 * triangles + 1) * sizeof *indices);
    carom_status status = positions && indices ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    for (uint32_t r = 0; !carom_failed(status) && r < piece->range_count; r++)
    {
        const uint32_t *index = carom_mesh_indices(piece->from) + 3 * (size_t)piece->ranges[r].first;
        for (size_t k = 0; k < 3 * (size_t)piece->ranges[r].count; k++)
        {
            uint32_t vertex = index[k];
            if (maker->new_stamp[vertex] != piece->stamp)
            {
                carom_vec3 p = carom_mesh_vertices(piece->from)[vertex];
                positions[vertices] = (carom_vec3){tool_scaled(p.x, piece->ratio), tool_scaled(p.y, piece->ratio),
                                                   tool_scaled(p.z, piece->ratio)};
                maker->new_index[vertex] = vertices++, maker->new_stamp[vertex] = piece->stamp;
            }
            indices[corners++] = maker->new_index[vertex];
        }
    }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)positions, def.vertex_count = vertices;
    def.indices_u32 = indices, def.triangle_count = triangles;
    def.name = carom_mesh_name(piece->from);
    if (!carom_failed(status))
        status = carom_mesh_create(maker->reading->context, &def, out);
    free(positions);
    free(indices);
    return status;
}

static carom_status make_tree(const body_maker *maker, tool_body *body)
{
    const tool_reading *reading = maker->reading;
    if (reading->cache)
        return carom_tree_create_cached(reading->context, body->mesh, reading->def, reading->cache, &body->tree);
    return reading->def ? carom_tree_create(reading->context, body->mesh, reading->def, &body->tree) : CAROM_OK;
}

/* Null for nothing, and when out of memory. */
static void *copy_bytes(const void *bytes, size_t size)
{
    void *copy = size ? malloc(size) : NULL;
    return copy ? memcpy(copy, bytes, size) : NULL;
}

uint32_t tool_number_in_file(const tool_body *body, uint32_t triangle)
{
    return body->numbers ? body->numbers[triangle] : body->first_triangle + triangle;
}

/* Parts in one piece need no list. */
static carom_status number_triangles(tool_body *body, const mesh_piece *piece)
{
    body->first_triangle = piece->ranges[0].first;
    if (piece->range_count == 1)
        return CAROM_OK;
    body->numbers = malloc(((size_t)carom_mesh_get_info(body->mesh).triangle_count + 1) * sizeof *body->numbers);
    if (!body->numbers)
        return CAROM_OUT_OF_MEMORY;
    uint32_t *number = body->numbers;
    for (uint32_t r = 0; r < piece->range_count; r++)
        for (uint32_t k = 0; k < piece->ranges[r].count; k++)
            *number++ = piece->ranges[r].first + k;
    return CAROM_OK;
}

static carom_status finish_body(const body_maker *maker, tool_input *input, const char *name, carom_mesh *mesh)
{
    tool_body *body = &input->bodies[input->body_count++];
    *body = (tool_body){.mesh = mesh, .closed = tool_is_closed(mesh)};
    body->part = copy_bytes(name, name ? strlen(name) + 1 : 0);
    return name && !body->part ? CAROM_OUT_OF_MEMORY : make_tree(maker, body);
}

/* Each part a body. */
static carom_status split_parts(body_maker *maker, tool_input *input, const io_model *model, const double ratio[2])
{
    uint32_t count, vertices = carom_mesh_get_info(model->mesh).vertex_count;
    body_range *ranges = list_ranges(model, &count);
    input->bodies = calloc((size_t)count + 1, sizeof *input->bodies);
    maker->new_index = malloc((vertices + 1u) * sizeof *maker->new_index);
    maker->new_stamp = calloc(vertices + 1u, sizeof *maker->new_stamp);
    bool fine = ranges && input->bodies && maker->new_index && maker->new_stamp;
    carom_status status = fine ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    for (uint32_t i = 0; !carom_failed(status) && i < count;)
    {
        uint32_t end = i + 1;
        while (end < count && ranges[end].order == ranges[i].order)
            end++;
        mesh_piece piece = {model->mesh, ranges + i, end - i, i + 1, {ratio[0], ratio[1]}};
        carom_mesh *mesh = NULL;
        status = make_piece(maker, &piece, &mesh);
        if (!carom_failed(status))
            status = finish_body(maker, input, ranges[i].name, mesh);
        if (!carom_failed(status))
            status = number_triangles(&input->bodies[input->body_count - 1], &piece);
        i = end;
    }
    free(maker->new_index);
    free(maker->new_stamp);
    free(ranges);
    return status;
}

/* The whole file a body. */
static carom_status keep_whole(body_maker *maker, tool_input *input, const io_model *model, const double ratio[2])
{
    carom_mesh_info info = carom_mesh_get_info(model->mesh);
    input->bodies = calloc(1, sizeof *input->bodies);
    if (!input->bodies)
        return CAROM_OUT_OF_MEMORY;
    if (ratio[0] == ratio[1])
        return finish_body(maker, input, NULL, (carom_mesh *)carom_mesh_retain(model->mesh));
    maker->new_index = malloc((info.vertex_count + 1u) * sizeof *maker->new_index);
    maker->new_stamp = calloc(info.vertex_count + 1u, sizeof *maker->new_stamp);
    carom_mesh *mesh = NULL;
    body_range all = {NULL, 0, info.triangle_count, 0};
    mesh_piece piece = {model->mesh, &all, 1, 1, {ratio[0], ratio[1]}};
    carom_status status = maker->new_index && maker->new_stamp ? make_piece(maker, &piece, &mesh) : CAROM_OUT_OF_MEMORY;
    free(maker->new_index);
    free(maker->new_stamp);
    return carom_failed(status) ? status : finish_body(maker, input, NULL, mesh);
}

/* A model that differs from an earlier one at most in its pose and name shares everything else. */
static carom_status share_bodies(tool_input *input, const tool_input *with)
{
    input->bodies = calloc((size_t)with->body_count + 1, sizeof *input->bodies);
    if (!input->bodies)
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < with->body_count; i++)
    {
        tool_body *body = &input->bodies[input->body_count++];
        const tool_body *shared = &with->bodies[i];
        *body = *shared;
        carom_mesh_retain(body->mesh);
        if (body->tree)
            carom_tree_retain(body->tree);
        body->part = copy_bytes(shared->part, shared->part ? strlen(shared->part) + 1 : 0);
        size_t triangles = carom_mesh_get_info(body->mesh).triangle_count;
        body->numbers = copy_bytes(shared->numbers, shared->numbers ? triangles * sizeof *body->numbers : 0);
        if ((shared->part && !body->part) || (shared->numbers && !body->numbers))
            return CAROM_OUT_OF_MEMORY;
    }
    return CAROM_OK;
}

static carom_status make_bodies(body_maker *maker, tool_input *input, const io_model *model)
{
    double ratio[2] = {1, 1};
    if (input->unit && maker->inputs->unit)
        tool_unit_ratio(input->unit, maker->inputs->unit, ratio);
    if (input->triangles == 0)
        return CAROM_OK;
    bool split = !input->whole && model->part_count > 0;
    return split ? split_parts(maker, input, model, ratio) : keep_whole(maker, input, model, ratio);
}

static bool is_alike(const tool_input *a, const tool_input *b)
{
    const char *unit_a = a->unit ? a->unit : "", *unit_b = b->unit ? b->unit : "";
    return a->whole == b->whole && strcmp(unit_a, unit_b) == 0;
}

tool_left_out tool_find_left_out(const io_model *model)
{
    return (tool_left_out){.points = model->ignored_points,
                           .lines = model->ignored_lines,
                           .free_form = model->free_form,
                           .statements = model->skipped_statements,
                           .bytes = model->ignored_bytes,
                           .odd_faces = model->odd_faces,
                           .complex_faces = model->complex_faces};
}

/* All inputs of one file; keys[0] is the first of them. */
static void take_result(body_maker *maker, const file_key *keys, size_t count, const io_result *result)
{
    for (size_t i = 0; i < count; i++)
    {
        tool_input *input = &maker->inputs->items[keys[i].input], *first = &maker->inputs->items[keys[0].input];
        input->tried = result->status != CAROM_CANCELLED; /* by the time limit */
        input->status = result->status;
        memcpy(input->message, result->message, sizeof input->message);
        if (carom_failed(result->status))
            continue;
        const io_model *model = &result->model;
        input->format = model->format;
        input->triangles = carom_mesh_get_info(model->mesh).triangle_count;
        input->left_out = tool_find_left_out(model);
        input->joined_corners = model->joined_corners, input->collapsed_triangles = model->collapsed_triangles;
        input->milliseconds = i == 0 ? result->milliseconds : 0;
        input->status = i > 0 && is_alike(first, input) && !carom_failed(first->status)
                            ? share_bodies(input, first)
                            : make_bodies(maker, input, model);
        input->tried = input->status != CAROM_CANCELLED;
        if (!carom_failed(input->status))
            continue;
        carom_context_message(maker->reading->context, input->message, sizeof input->message);
        tool_drop_bodies(input); /* not half of them */
    }
}

/* ---- all files ---- */

/* One past the last key of the same file. */
static size_t end_of_file(const file_key *keys, size_t at, size_t count)
{
    size_t end = at + 1;
    while (end < count && keys[end].first == keys[at].first)
        end++;
    return end;
}

enum
{
    FILES_AT_ONCE = 64
};

/* Reads the next files in one go; returns how many keys they have. */
static size_t read_batch(body_maker *maker, const file_key *keys, size_t count)
{
    io_request requests[FILES_AT_ONCE];
    io_result results[FILES_AT_ONCE];
    size_t starts[FILES_AT_ONCE + 1] = {0};
    uint32_t files = 0, limit = 4 * carom_context_workers(maker->reading->context);
    for (size_t at = 0; at < count && files < FILES_AT_ONCE && files < limit; files++)
    {
        const tool_input *input = &maker->inputs->items[keys[at].input];
        requests[files] =
            (io_request){.path = input->path, .options = {.weld = keys[at].weld, .format = maker->reading->format}};
        starts[files + 1] = at = end_of_file(keys, at, count);
    }
    io_read_files(maker->reading->context, requests, files, results);
    for (uint32_t i = 0; i < files; i++)
    {
        take_result(maker, keys + starts[i], starts[i + 1] - starts[i], &results[i]);
        io_model_free(&results[i].model);
    }
    return starts[files];
}

/* False after a message: a weld length that is none for this file. */
static bool make_keys(const tool_inputs *inputs, const tool_reading *reading, file_key *keys)
{
    for (size_t i = 0; i < inputs->count; i++)
    {
        const tool_input *input = &inputs->items[i];
        struct stat about;
        keys[i] = (file_key){.input = (uint32_t)i, .known = stat(input->path, &about) == 0 && S_ISREG(about.st_mode)};
        if (keys[i].known)
            keys[i].device = about.st_dev, keys[i].node = about.st_ino;
        const char *unit = input->unit ? input->unit : inputs->unit;
        if (reading->weld && !tool_parse_length(inputs->command, "--weld", reading->weld, unit, &keys[i].weld))
            return false;
    }
    return true;
}

bool tool_read_inputs(tool_inputs *inputs, const tool_reading *reading)
{
    body_maker maker = {.inputs = inputs, .reading = reading};
    file_key *keys = calloc(inputs->count + 1, sizeof *keys);
    if (!keys)
        return tool_fail(inputs->command, "out of memory"), false;
    bool fine = make_keys(inputs, reading, keys);
    if (fine)
        sort_keys(keys, inputs->count);
    for (size_t at = 0; fine && at < inputs->count; at = end_of_file(keys, at, inputs->count))
        tool_watch_file(inputs->items[keys[at].input].path);
    for (size_t at = 0; fine && at < inputs->count && tool_seconds_left() > 0;)
        at += read_batch(&maker, keys + at, inputs->count - at);
    free(keys);
    return fine;
}
