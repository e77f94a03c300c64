/* Gluing: which sides of triangles are the same edge, and which way round each triangle is to be used so that all of a
 * chart agree. An edge of more than two triangles stays open, so every chart is a manifold with border. */
#include "geoimage/geoimage.h"

typedef struct glue_work
{
    geoimage_surface *surface;
    uint32_t triangle_count;
    base_key_value *uses, *scratch; /* per half-edge: its vertices, smaller first, and its number */
    size_t room;
    uint32_t *twin;  /* before triangles are turned */
    uint32_t *chart; /* per triangle */
} glue_work;

static bool has_three_corners(const uint32_t *corner)
{
    return corner[0] != corner[1] && corner[1] != corner[2] && corner[2] != corner[0];
}

static size_t gather_uses(glue_work *work)
{
    size_t count = 0;
    geoimage_surface *surface = work->surface;
    for (uint32_t t = 0; t < work->triangle_count; t++)
    {
        uint32_t *corner = surface->corner + 3 * (size_t)t;
        for (int k = 0; k < 3; k++)
            corner[k] = surface->mesh->merged[surface->mesh->indices[3 * (size_t)t + (size_t)k]];
        if (!has_three_corners(corner))
        {
            surface->degenerate_count++;
            continue;
        }
        for (uint32_t k = 0; k < 3; k++)
        {
            uint64_t a = corner[k], b = corner[(k + 1) % 3];
            work->uses[count++] = (base_key_value){a < b ? a << 32 | b : b << 32 | a, 3 * (uint64_t)t + k};
        }
    }
    return count;
}

static void join_uses(glue_work *work)
{
    size_t count = gather_uses(work), end;
    base_sort_keys(work->uses, work->scratch, count);
    for (size_t i = 0; i < 3 * (size_t)work->triangle_count; i++)
        work->twin[i] = GEOIMAGE_NONE;
    for (size_t i = 0; i < count; i = end)
    {
        end = i + 1;
        while (end < count && work->uses[end].key == work->uses[i].key)
            end++;
        uint32_t a = (uint32_t)work->uses[i].value, b = (uint32_t)work->uses[end - 1].value;
        work->surface->split_edge_count += end - i > 2;
        if (end - i == 2)
            work->twin[a] = b, work->twin[b] = a;
    }
}

/* The number of a half-edge once its triangle is turned. */
static uint32_t turned_half(const bool *turned, uint32_t half)
{
    return turned[half / 3] ? half - half % 3 + 2 - half % 3 : half;
}

/* Two sides of an edge run in opposite directions, unless one of the triangles is to be turned. */
static bool runs_the_same_way(const glue_work *work, uint32_t half)
{
    return work->surface->corner[half] == work->surface->corner[work->twin[half]];
}

/* One chart, in breadth: the first triangle is as it is in the mesh. */
static uint32_t gather_chart(glue_work *work, uint32_t seed, uint32_t filled, bool *seen)
{
    geoimage_surface *surface = work->surface;
    uint32_t *queue = surface->triangles, at = filled;
    queue[filled++] = seed;
    for (seen[seed] = true; at < filled; at++)
        for (uint32_t half = 3 * queue[at]; half < 3 * queue[at] + 3; half++)
        {
            uint32_t across = work->twin[half] == GEOIMAGE_NONE ? GEOIMAGE_NONE : work->twin[half] / 3;
            if (across == GEOIMAGE_NONE || seen[across])
                continue;
            surface->turned[across] = surface->turned[queue[at]] != runs_the_same_way(work, half);
            seen[across] = true;
            queue[filled++] = across;
        }
    return filled;
}

/* Breadth first leaves triangles in an order of its own; theirs is better for memory and for readers. */
static void gather_charts(glue_work *work, bool *seen)
{
    geoimage_surface *surface = work->surface;
    uint32_t filled = 0;
    for (uint32_t t = 0; t < work->triangle_count; t++)
    {
        if (seen[t])
            continue;
        surface->chart_first[surface->chart_count++] = filled;
        filled = gather_chart(work, t, filled, seen);
    }
    surface->chart_first[surface->chart_count] = filled;
    uint32_t *chart = work->chart;
    for (uint32_t c = 0; c < surface->chart_count; c++)
        for (uint32_t i = surface->chart_first[c]; i < surface->chart_first[c + 1]; i++)
            chart[surface->triangles[i]] = c;
    for (uint32_t t = 0; t < work->triangle_count; t++)
        surface->triangles[surface->chart_first[chart[t]]++] = t;
    for (uint32_t c = surface->chart_count; c > 0; c--)
        surface->chart_first[c] = surface->chart_first[c - 1];
    surface->chart_first[0] = 0;
    for (uint32_t c = 0; c < surface->chart_count; c++)
        for (uint32_t i = surface->chart_first[c]; i < surface->chart_first[c + 1]; i++)
            surface->local[surface->triangles[i]] = i - surface->chart_first[c];
}

/* Turns triangles and glues those that then agree. */
static void finish_gluing(glue_work *work)
{
    geoimage_surface *surface = work->surface;
    size_t halves = 3 * (size_t)work->triangle_count;
    for (size_t i = 0; i < halves; i++)
        surface->twin[i] = surface->mate[i] = GEOIMAGE_NONE;
    for (uint32_t half = 0; half < halves; half++)
    {
        uint32_t other = work->twin[half];
        if (other == GEOIMAGE_NONE)
            continue;
        bool agree = runs_the_same_way(work, half) == (surface->turned[half / 3] != surface->turned[other / 3]);
        uint32_t *out = agree ? surface->twin : surface->mate;
        out[turned_half(surface->turned, half)] = turned_half(surface->turned, other);
        surface->split_edge_count += !agree && half < other;
    }
    for (size_t t = 0; t < work->triangle_count; t++)
        if (surface->turned[t])
        {
            uint32_t *corner = surface->corner + 3 * t, other = corner[1];
            corner[1] = corner[2], corner[2] = other;
        }
}

static carom_status glue(glue_work *work)
{
    carom_context *context = work->surface->context;
    bool *seen = base_allocate(context, work->triangle_count, sizeof *seen, 1);
    if (!seen)
        return CAROM_OUT_OF_MEMORY;
    memset(seen, 0, work->triangle_count);
    join_uses(work);
    gather_charts(work, seen);
    finish_gluing(work);
    base_release(context, seen, work->triangle_count, sizeof *seen);
    return CAROM_OK;
}

static bool allocate_surface(geoimage_surface *surface, size_t triangles)
{
    carom_context *context = surface->context;
    surface->corner = base_allocate(context, 3 * triangles, sizeof *surface->corner, 8);
    surface->twin = base_allocate(context, 3 * triangles, sizeof *surface->twin, 8);
    surface->mate = base_allocate(context, 3 * triangles, sizeof *surface->mate, 8);
    surface->triangles = base_allocate(context, triangles, sizeof *surface->triangles, 8);
    surface->chart_first = base_allocate(context, triangles + 1, sizeof *surface->chart_first, 8);
    surface->local = base_allocate(context, triangles, sizeof *surface->local, 8);
    surface->turned = base_allocate(context, triangles, sizeof *surface->turned, 8);
    if (surface->turned)
        memset(surface->turned, 0, triangles);
    return surface->corner && surface->twin && surface->mate && surface->triangles && surface->chart_first &&
           surface->local && surface->turned;
}

carom_status geoimage_glue(carom_context *context, const carom_mesh *mesh, geoimage_surface *out)
{
    *out = (geoimage_surface){.context = context, .mesh = mesh};
    size_t triangles = mesh->triangle_count, room = 3 * triangles;
    glue_work work = {.surface = out, .triangle_count = mesh->triangle_count, .room = room};
    bool have = allocate_surface(out, triangles);
    work.uses = base_allocate(context, room, sizeof *work.uses, 8);
    work.scratch = base_allocate(context, room, sizeof *work.scratch, 8);
    work.twin = base_allocate(context, room, sizeof *work.twin, 8);
    work.chart = base_allocate(context, triangles, sizeof *work.chart, 8);
    have = have && work.uses && work.scratch && work.twin && work.chart;
    carom_status status = have ? glue(&work) : CAROM_OUT_OF_MEMORY;
    base_release(context, work.uses, room, sizeof *work.uses);
    base_release(context, work.scratch, room, sizeof *work.scratch);
    base_release(context, work.twin, room, sizeof *work.twin);
    base_release(context, work.chart, triangles, sizeof *work.chart);
    if (status == CAROM_OUT_OF_MEMORY)
        return base_fail(context, status, "%.100s: out of memory for the surface of %zu triangles", mesh->name,
                         triangles);
    return status;
}

void geoimage_surface_free(geoimage_surface *surface)
{
    if (!surface->context)
        return;
    carom_context *context = surface->context;
    size_t triangles = surface->mesh->triangle_count;
    base_release(context, surface->corner, 3 * triangles, sizeof *surface->corner);
    base_release(context, surface->twin, 3 * triangles, sizeof *surface->twin);
    base_release(context, surface->mate, 3 * triangles, sizeof *surface->mate);
    base_release(context, surface->triangles, triangles, sizeof *surface->triangles);
    base_release(context, surface->chart_first, triangles + 1, sizeof *surface->chart_first);
    base_release(context, surface->local, triangles, sizeof *surface->local);
    base_release(context, surface->turned, triangles, sizeof *surface->turned);
    *surface = (geoimage_surface){0};
}
