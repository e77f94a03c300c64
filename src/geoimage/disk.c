/* One chart: its half-edges and vertices, and the two ways to change them, cutting and splitting. */
#include "geoimage/geoimage.h"

#include <stdio.h>

carom_status geoimage_refuse(geoimage_refusal *out, carom_status status, const char *format, ...)
{
    va_list arguments;
    if (!out)
        return status;
    va_start(arguments, format);
    vsnprintf(out->text, sizeof out->text, format, arguments);
    va_end(arguments);
    return status;
}

carom_status geoimage_out_of_memory(const geoimage_disk *disk)
{
    return base_fail(disk->context, CAROM_OUT_OF_MEMORY, "%.100s: out of memory for chart %u of %u triangles",
                     disk->name, disk->chart, geoimage_triangle_count(disk));
}

void geoimage_disk_free(geoimage_disk *disk)
{
    if (!disk->context)
        return;
    base_array_free(disk->context, &disk->corner);
    base_array_free(disk->context, &disk->twin);
    base_array_free(disk->context, &disk->mate);
    base_array_free(disk->context, &disk->source);
    base_array_free(disk->context, &disk->vertex);
}

static bool copy_numbers(carom_context *context, const geoimage_numbers *from, geoimage_numbers *to)
{
    if (!base_array_reserve(context, to, from->count))
        return false;
    if (from->count > 0)
        memcpy(to->items, from->items, from->count * sizeof *to->items);
    to->count = from->count;
    return true;
}

carom_status geoimage_disk_copy(const geoimage_disk *disk, geoimage_disk *out)
{
    carom_context *context = disk->context;
    *out = (geoimage_disk){
        .context = context, .name = disk->name, .chart = disk->chart, .unit = disk->unit, .scale = disk->scale};
    out->triangles = disk->triangles, out->source_count = disk->source_count, out->next_origin = disk->next_origin;
    out->refusal = disk->refusal;
    if (!copy_numbers(context, &disk->corner, &out->corner) || !copy_numbers(context, &disk->twin, &out->twin) ||
        !copy_numbers(context, &disk->mate, &out->mate) || !copy_numbers(context, &disk->source, &out->source) ||
        !base_array_reserve(context, &out->vertex, disk->vertex.count))
        return geoimage_out_of_memory(disk);
    memcpy(out->vertex.items, disk->vertex.items, disk->vertex.count * sizeof *out->vertex.items);
    out->vertex.count = disk->vertex.count;
    return CAROM_OK;
}

/* ---- vertices ---- */

/* Numbers the fans of corners that are glued together, in the order of their first corners: number gets the fan of each
 * corner, first the first corner of each fan. Returns how many there are. */
static uint32_t number_fans(const geoimage_disk *disk, uint32_t *number, uint32_t *first)
{
    uint32_t halves = (uint32_t)disk->twin.count, count = 0;
    for (uint32_t i = 0; i < halves; i++)
        number[i] = i;
    for (uint32_t i = 0; i < halves; i++)
        if (disk->twin.items[i] != GEOIMAGE_NONE)
            base_set_join(number, i, geoimage_next(disk->twin.items[i]));
    for (uint32_t i = 0; i < halves; i++)
        number[i] = base_set_root(number, i);
    for (uint32_t i = 0; i < halves; i++)
    {
        /* The root of a fan is its smallest corner, so it has been replaced by its number when the others come. */
        bool is_first = number[i] == i;
        if (is_first)
            first[count] = i;
        number[i] = is_first ? count++ : number[number[i]];
    }
    return count;
}

carom_status geoimage_number_vertices(geoimage_disk *disk)
{
    carom_context *context = disk->context;
    size_t halves = disk->twin.count;
    uint32_t *number = base_allocate(context, halves, sizeof *number, 8),
             *first = base_allocate(context, halves, sizeof *first, 8);
    uint32_t count = number && first ? number_fans(disk, number, first) : 0;
    geoimage_vertex *vertex = count > 0 ? base_allocate(context, count, sizeof *vertex, 8) : NULL;
    if (vertex)
    {
        for (uint32_t i = 0; i < count; i++)
            vertex[i] = disk->vertex.items[disk->corner.items[first[i]]];
        memcpy(disk->corner.items, number, halves * sizeof *number);
        base_array_free(context, &disk->vertex);
        disk->vertex.items = vertex, disk->vertex.count = disk->vertex.capacity = count;
    }
    base_release(context, number, halves, sizeof *number);
    base_release(context, first, halves, sizeof *first);
    return vertex ? CAROM_OK : geoimage_out_of_memory(disk);
}

/* ---- a chart of a surface ---- */

static uint32_t local_half(const geoimage_surface *surface, uint32_t half)
{
    return half == GEOIMAGE_NONE ? GEOIMAGE_NONE : 3 * surface->local[half / 3] + half % 3;
}

static void copy_triangles(const geoimage_surface *surface, uint32_t chart, geoimage_disk *out)
{
    const uint32_t *triangles = surface->triangles + surface->chart_first[chart];
    for (uint32_t i = 0; i < out->source.count; i++)
    {
        out->source.items[i] = i;
        for (uint32_t k = 0; k < 3; k++)
        {
            size_t half = 3 * (size_t)triangles[i] + k, to = 3 * (size_t)i + k;
            out->twin.items[to] = local_half(surface, surface->twin[half]);
            out->mate.items[to] = local_half(surface, surface->mate[half]);
        }
    }
}

/* The mesh's vertices become those of the chart, one per fan. */
static bool make_vertices(const geoimage_surface *surface, geoimage_disk *out)
{
    carom_context *context = out->context;
    size_t halves = out->twin.count;
    uint32_t *first = base_allocate(context, halves, sizeof *first, 8);
    uint32_t count = first ? number_fans(out, out->corner.items, first) : 0;
    bool have = first && base_array_reserve(context, &out->vertex, count);
    for (uint32_t i = 0; have && i < count; i++)
    {
        uint32_t origin = surface->corner[3 * (size_t)out->triangles[first[i] / 3] + first[i] % 3];
        carom_vec3 position = vec3_scale(surface->mesh->vertices[origin], out->unit);
        out->vertex.items[i] = (geoimage_vertex){.position = position, .origin = origin};
    }
    out->vertex.count = have ? count : 0;
    base_release(context, first, halves, sizeof *first);
    return have;
}

double geoimage_unit(const carom_mesh *mesh)
{
    int exponent;
    frexp(mesh->extent, &exponent);
    return mesh->extent > 0 && exponent < 0 ? ldexp(1.0, exponent < -1000 ? 1000 : -exponent) : 1.0;
}

static void set_scale(geoimage_disk *disk)
{
    carom_vec3 low = disk->vertex.items[0].position, high = low;
    for (size_t i = 1; i < disk->vertex.count; i++)
        low = vec3_min(low, disk->vertex.items[i].position), high = vec3_max(high, disk->vertex.items[i].position);
    carom_vec3 size = vec3_sub(high, low);
    double extent = fmax(size.x, fmax(size.y, size.z));
    int exponent;
    frexp(extent, &exponent);
    disk->scale = extent > 0 ? ldexp(1.0, exponent < -1000 ? 1000 : -exponent) : 1.0;
}

/* The sum of the normals of the triangles around, weighted by their areas. */
static void set_normals(geoimage_disk *disk)
{
    geoimage_vertex *vertex = disk->vertex.items;
    for (uint32_t t = 0; t < geoimage_triangle_count(disk); t++)
    {
        const uint32_t *corner = disk->corner.items + 3 * (size_t)t;
        carom_vec3 a = vec3_scale(vec3_sub(vertex[corner[1]].position, vertex[corner[0]].position), disk->scale),
                   b = vec3_scale(vec3_sub(vertex[corner[2]].position, vertex[corner[0]].position), disk->scale);
        for (int k = 0; k < 3; k++)
            vertex[corner[k]].normal = vec3_add(vertex[corner[k]].normal, vec3_cross(a, b));
    }
    for (size_t i = 0; i < disk->vertex.count; i++)
    {
        double length = vec3_length(vertex[i].normal);
        vertex[i].normal = length > 0 ? vec3_scale(vertex[i].normal, 1 / length) : vec3(0, 0, 0);
    }
}

carom_status geoimage_disk_create(const geoimage_surface *surface, uint32_t chart, geoimage_disk *out)
{
    carom_context *context = surface->context;
    size_t triangles = surface->chart_first[chart + 1] - surface->chart_first[chart];
    *out = (geoimage_disk){
        .context = context, .name = surface->mesh->name, .chart = chart, .unit = geoimage_unit(surface->mesh)};
    out->triangles = surface->triangles + surface->chart_first[chart], out->source_count = (uint32_t)triangles;
    out->next_origin = surface->mesh->vertex_count;
    if (!base_array_reserve(context, &out->corner, 3 * triangles) ||
        !base_array_reserve(context, &out->twin, 3 * triangles) ||
        !base_array_reserve(context, &out->mate, 3 * triangles) ||
        !base_array_reserve(context, &out->source, triangles))
        return geoimage_out_of_memory(out);
    out->corner.count = out->twin.count = out->mate.count = 3 * triangles;
    out->source.count = triangles;
    copy_triangles(surface, chart, out);
    if (!make_vertices(surface, out))
        return geoimage_out_of_memory(out);
    set_scale(out);
    set_normals(out);
    return CAROM_OK;
}

/* ---- changes ---- */

void geoimage_cut_apart(geoimage_disk *disk, uint32_t half)
{
    uint32_t other = disk->twin.items[half];
    if (other == GEOIMAGE_NONE)
        return;
    disk->twin.items[half] = disk->twin.items[other] = GEOIMAGE_NONE;
    disk->mate.items[half] = other, disk->mate.items[other] = half;
}

static void glue_halves(geoimage_disk *disk, uint32_t a, uint32_t b)
{
    disk->twin.items[a] = b;
    if (b != GEOIMAGE_NONE)
        disk->twin.items[b] = a;
}

/* The half-edge a b of triangle a b c becomes a m, and a new triangle m b c begins with m b. */
static uint32_t split_triangle(geoimage_disk *disk, uint32_t half, uint32_t middle)
{
    uint32_t next = geoimage_next(half), triangle = geoimage_triangle_count(disk), added = 3 * triangle;
    uint32_t corners[3] = {middle, geoimage_start(disk, next), geoimage_end(disk, next)};
    disk->source.items[disk->source.count++] = disk->source.items[half / 3];
    for (uint32_t k = 0; k < 3; k++)
    {
        disk->corner.items[added + k] = corners[k];
        disk->twin.items[added + k] = disk->mate.items[added + k] = GEOIMAGE_NONE;
    }
    disk->corner.count += 3, disk->twin.count += 3, disk->mate.count += 3;
    glue_halves(disk, added + 1, disk->twin.items[next]);
    disk->mate.items[added + 1] = disk->mate.items[next];
    if (disk->mate.items[next] != GEOIMAGE_NONE)
        disk->mate.items[disk->mate.items[next]] = added + 1;
    disk->corner.items[next] = middle, disk->mate.items[next] = GEOIMAGE_NONE;
    glue_halves(disk, next, added + 2);
    return added;
}

uint32_t geoimage_split_edge(geoimage_disk *disk, uint32_t half, double fraction, uint32_t moved[2])
{
    carom_context *context = disk->context;
    uint32_t other = disk->twin.items[half], middle = geoimage_vertex_count(disk);
    if (!base_array_reserve(context, &disk->vertex, 1) || !base_array_reserve(context, &disk->source, 2) ||
        !base_array_reserve(context, &disk->corner, 6) || !base_array_reserve(context, &disk->twin, 6) ||
        !base_array_reserve(context, &disk->mate, 6))
        return GEOIMAGE_NONE;
    const geoimage_vertex *a = &disk->vertex.items[geoimage_start(disk, half)],
                          *b = &disk->vertex.items[geoimage_end(disk, half)];
    geoimage_vertex between = {.origin = disk->next_origin++};
    between.position = vec3_add(a->position, vec3_scale(vec3_sub(b->position, a->position), fraction));
    between.normal = vec3_add(a->normal, vec3_scale(vec3_sub(b->normal, a->normal), fraction));
    disk->vertex.items[disk->vertex.count++] = between;
    uint32_t added = split_triangle(disk, half, middle);
    moved[0] = geoimage_next(half), moved[1] = added + 1;
    if (other != GEOIMAGE_NONE)
    {
        uint32_t across = split_triangle(disk, other, middle);
        glue_halves(disk, half, across);
        glue_halves(disk, added, other);
    }
    return added;
}

uint32_t geoimage_border_next(const geoimage_disk *disk, uint32_t half)
{
    uint32_t next = geoimage_next(half);
    while (disk->twin.items[next] != GEOIMAGE_NONE)
        next = geoimage_next(disk->twin.items[next]);
    return next;
}

double geoimage_length(const geoimage_disk *disk, uint32_t half)
{
    carom_vec3 a = disk->vertex.items[geoimage_start(disk, half)].position,
               b = disk->vertex.items[geoimage_end(disk, half)].position;
    return vec3_length(vec3_scale(vec3_sub(b, a), disk->scale));
}
