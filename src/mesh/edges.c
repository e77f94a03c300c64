/* Edges, neighbours, closedness, all over vertices merged by position. Sides are gathered by vertex and radix-sorted
 * there, so that no arrangement of triangles costs more than a few passes. */
#include "mesh/build.h"

enum
{
    VERTICES_PER_TASK = 512 /* tens of microseconds */
};

/* One side of a triangle: from corner `side % 3` of triangle `side / 3` to the next corner. */
static uint32_t side_start(const carom_mesh *mesh, size_t side) { return mesh->merged[mesh->indices[side]]; }
static uint32_t side_end(const carom_mesh *mesh, size_t side)
{
    return mesh->merged[mesh->indices[side % 3 == 2 ? side - 2 : side + 1]];
}

/* What a worker counted. */
typedef struct edge_tally
{
    uint32_t boundary, nonmanifold;
    bool open, unoriented;
} edge_tally;

/* Sides of nonzero length, gathered by the smaller of their two vertices. A use is one side: the larger vertex in the
 * upper half, then the triangle, then whether the side is walked upward, from the smaller vertex to the larger. */
typedef struct edge_uses
{
    carom_mesh *mesh;
    uint64_t *uses;       /* with room for `scratch` more to sort by */
    size_t *ends;         /* per vertex: where its uses end; they begin where those of the vertex before end */
    uint32_t *first_edge; /* per vertex, and one past the last; after sorting */
    size_t use_count;
    size_t largest; /* maximum number of uses of a vertex */
    size_t scratch;
    edge_tally tallies[CAROM_MAX_WORKERS];
} edge_uses;

static uint32_t use_high(uint64_t use) { return (uint32_t)(use >> 32); }
static uint32_t use_triangle(uint64_t use) { return (uint32_t)use >> 1; }
static bool use_upward(uint64_t use) { return use & 1; }

/* Turns counts per vertex into where each vertex's uses begin. */
static void count_uses(const carom_mesh *mesh, edge_uses *edges)
{
    for (size_t side = 0; side < 3 * (size_t)mesh->triangle_count; side++)
    {
        uint32_t start = side_start(mesh, side), end = side_end(mesh, side);
        edges->ends[start < end ? start : end] += start != end;
    }
    for (size_t vertex = 0; vertex < mesh->vertex_count; vertex++)
    {
        size_t count = edges->ends[vertex];
        edges->ends[vertex] = edges->use_count;
        edges->use_count += count;
        edges->largest = count > edges->largest ? count : edges->largest;
    }
}

/* Afterwards `ends` holds ends. */
static void gather_uses(const carom_mesh *mesh, edge_uses *edges)
{
    for (size_t side = 0; side < 3 * (size_t)mesh->triangle_count; side++)
    {
        uint32_t start = side_start(mesh, side), end = side_end(mesh, side);
        uint32_t low = start < end ? start : end, high = start < end ? end : start;
        if (start != end)
            edges->uses[edges->ends[low]++] = (uint64_t)high << 32 | (uint64_t)(side / 3) << 1 | (start == low);
    }
}

static size_t run_end(const uint64_t *uses, size_t first, size_t end)
{
    size_t last = first + 1;
    while (last < end && use_high(uses[last]) == use_high(uses[first]))
        last++;
    return last;
}

static size_t uses_begin(const edge_uses *edges, uint32_t vertex) { return vertex > 0 ? edges->ends[vertex - 1] : 0; }

/* Stores each vertex's number of edges at the next index; number_edges turns the numbers into sums. */
static void sort_uses(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    edge_uses *edges = data;
    bool own_room =
        edges->scratch < edges->use_count; /* otherwise there is as much as there are uses, index for index */
    for (uint32_t vertex = first; vertex < last; vertex++)
    {
        size_t at = uses_begin(edges, vertex), end = edges->ends[vertex];
        uint64_t *scratch = edges->uses + edges->use_count + (own_room ? worker * edges->largest : at);
        base_sort_u64(edges->uses + at, scratch, end - at);
        edges->first_edge[vertex + 1] = 0;
        for (; at < end; at = run_end(edges->uses, at, end))
            edges->first_edge[vertex + 1]++;
    }
}

static size_t number_edges(edge_uses *edges)
{
    size_t count = edges->first_edge[0] = 0;
    for (uint32_t vertex = 0; vertex < edges->mesh->vertex_count; vertex++)
    {
        count += edges->first_edge[vertex + 1];
        edges->first_edge[vertex + 1] = (uint32_t)count;
    }
    return count;
}

/* Which side of its triangle a use is. No triangle walks one edge twice the same way. */
static size_t side_of_use(const carom_mesh *mesh, uint64_t use, uint32_t low)
{
    size_t side = 3 * (size_t)use_triangle(use);
    uint32_t start = use_upward(use) ? low : use_high(use), end = use_upward(use) ? use_high(use) : low;
    while (side_start(mesh, side) != start || side_end(mesh, side) != end)
        side++;
    return side;
}

/* One edge: its uses. */
static void note_edge(const carom_mesh *mesh, const uint64_t *uses, size_t use_count, uint32_t low, edge_tally *tally)
{
    size_t upward = 0;
    for (size_t i = 0; i < use_count; i++)
        upward += use_upward(uses[i]);
    tally->open |= use_count % 2 != 0;
    tally->unoriented |= 2 * upward != use_count;
    tally->boundary += use_count == 1;
    tally->nonmanifold += use_count > 2;
    if (use_count == 2 && use_triangle(uses[0]) != use_triangle(uses[1]))
    {
        mesh->neighbours[side_of_use(mesh, uses[0], low)] = use_triangle(uses[1]);
        mesh->neighbours[side_of_use(mesh, uses[1], low)] = use_triangle(uses[0]);
    }
}

static void list_edges(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    edge_uses *edges = data;
    edge_tally tally = edges->tallies[worker];
    uint32_t *edge = edges->mesh->edges + 2 * (size_t)edges->first_edge[first];
    size_t at = uses_begin(edges, first);
    for (uint32_t low = first; low < last; low++)
        for (size_t end; at < edges->ends[low]; at = end)
        {
            end = run_end(edges->uses, at, edges->ends[low]);
            note_edge(edges->mesh, edges->uses + at, end - at, low, &tally);
            *edge++ = low;
            *edge++ = use_high(edges->uses[at]);
        }
    edges->tallies[worker] = tally;
}

static void add_tallies(const edge_uses *edges, uint32_t worker_count, carom_mesh_info *info)
{
    info->closed = edges->mesh->triangle_count > 0;
    info->oriented = true;
    for (uint32_t i = 0; i < worker_count; i++)
    {
        const edge_tally *tally = &edges->tallies[i];
        info->closed &= !tally->open;
        info->oriented &= !tally->unoriented;
        info->boundary_edge_count += tally->boundary;
        info->nonmanifold_edge_count += tally->nonmanifold;
    }
}

static carom_status make_edges(mesh_build *build, edge_uses *edges)
{
    carom_mesh *mesh = &build->parts;
    carom_context *context = build->arena.context;
    gather_uses(mesh, edges);
    base_parallel_for(context, mesh->vertex_count, VERTICES_PER_TASK, sort_uses, edges);
    size_t count = number_edges(edges), sides = 3 * (size_t)mesh->triangle_count;
    if (count >= UINT32_MAX)
        return base_fail(context, CAROM_TOO_LARGE, "%.100s: %zu edges", mesh->name, count);
    mesh->edges = mesh_build_numbers(build, 2 * count);
    mesh->neighbours = mesh_build_numbers(build, sides);
    if (!mesh->edges || !mesh->neighbours)
        return CAROM_OUT_OF_MEMORY;
    for (size_t i = 0; i < sides; i++)
        mesh->neighbours[i] = MESH_NONE;
    base_parallel_for(context, mesh->vertex_count, VERTICES_PER_TASK, list_edges, edges);
    mesh->info.edge_count = (uint32_t)count;
    add_tallies(edges, base_worker_count(context), &mesh->info);
    return CAROM_OK;
}

static carom_status find_edges(mesh_build *build)
{
    carom_context *context = build->arena.context;
    size_t vertices = build->parts.vertex_count, workers = base_worker_count(context);
    edge_uses edges = {.mesh = &build->parts};
    edges.ends = base_allocate(context, vertices, sizeof *edges.ends, BASE_CACHE_LINE);
    edges.first_edge = base_allocate(context, vertices + 1, sizeof *edges.first_edge, BASE_CACHE_LINE);
    bool have = edges.ends && edges.first_edge;
    if (have)
    {
        memset(edges.ends, 0, vertices * sizeof *edges.ends);
        count_uses(edges.mesh, &edges);
    }
    /* Room for each worker's largest vertex, but no more than all uses together need. */
    edges.scratch = edges.largest < edges.use_count / workers ? edges.largest * workers : edges.use_count;
    if (have)
        edges.uses = base_allocate(context, edges.use_count + edges.scratch, sizeof *edges.uses, BASE_CACHE_LINE);
    carom_status status = edges.uses ? make_edges(build, &edges) : mesh_build_out_of_memory(build);
    base_release(context, edges.uses, edges.use_count + edges.scratch, sizeof *edges.uses);
    base_release(context, edges.first_edge, vertices + 1, sizeof *edges.first_edge);
    base_release(context, edges.ends, vertices, sizeof *edges.ends);
    return status;
}

/* ---- is the neighbourhood of each vertex one fan or ring? ---- */

static int corner_of(const carom_mesh *mesh, uint32_t triangle, uint32_t vertex)
{
    const uint32_t *index = mesh->indices + 3 * (size_t)triangle;
    return mesh->merged[index[0]] == vertex ? 0 : mesh->merged[index[1]] == vertex ? 1 : 2;
}

/* Steps from triangle to triangle around a vertex, first across the side after (or before) its corner, until a
 * boundary or the start. Returns the number of triangles met, the start left out; *around says that it was a ring.
 * Every edge has at most two triangles here, so the walk can't run into a loop that leaves out the start. */
static size_t walk_around(const carom_mesh *mesh, uint32_t start, uint32_t vertex, bool forward, bool *around)
{
    size_t met = 0;
    uint32_t triangle = start;
    int corner = corner_of(mesh, triangle, vertex);
    int side = forward ? corner : (corner + 2) % 3;
    for (;;)
    {
        size_t at = 3 * (size_t)triangle + (size_t)side;
        uint32_t other_end = side == corner ? side_end(mesh, at) : side_start(mesh, at);
        triangle = mesh->neighbours[at];
        *around = triangle == start;
        if (triangle == start || triangle == MESH_NONE)
            return met;
        met++;
        /* Leave through the side at the vertex that we did not come in by. */
        corner = corner_of(mesh, triangle, vertex);
        side = side_end(mesh, 3 * (size_t)triangle + (size_t)corner) == other_end ? (corner + 2) % 3 : corner;
    }
}

static bool vertex_is_manifold(const carom_mesh *mesh, uint32_t triangle, uint32_t vertex, uint32_t corner_count)
{
    bool around;
    size_t met = 1 + walk_around(mesh, triangle, vertex, true, &around);
    if (!around)
        met += walk_around(mesh, triangle, vertex, false, &around);
    return met == corner_count;
}

typedef struct fan_check
{
    const carom_mesh *mesh;
    uint32_t *corners;        /* per vertex: how many there are */
    uint32_t *first_triangle; /* per vertex that has one */
    base_cancel broken;       /* a vertex with several fans was found */
} fan_check;

static void check_fans(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    fan_check *check = data;
    for (uint32_t vertex = first; vertex < last && !base_cancel_is_set(&check->broken); vertex++)
        if (check->corners[vertex] > 0 &&
            !vertex_is_manifold(check->mesh, check->first_triangle[vertex], vertex, check->corners[vertex]))
            base_cancel_set(&check->broken);
}

/* Counts distinct vertices and decides manifoldness. */
static void check_vertices(carom_context *context, carom_mesh *mesh, fan_check *check)
{
    bool folded = false; /* a triangle with two corners at one position belongs to no fan */
    memset(check->corners, 0, mesh->vertex_count * sizeof *check->corners);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
    {
        uint32_t vertex = mesh->merged[mesh->indices[i]];
        if (check->corners[vertex]++ == 0)
        {
            mesh->info.distinct_vertex_count++;
            check->first_triangle[vertex] = (uint32_t)(i / 3);
        }
        folded |= side_end(mesh, i) == vertex;
    }
    mesh->info.manifold = mesh->info.nonmanifold_edge_count == 0 && !folded;
    if (!mesh->info.manifold)
        return;
    base_parallel_for(context, mesh->vertex_count, VERTICES_PER_TASK, check_fans, check);
    mesh->info.manifold = !base_cancel_is_set(&check->broken);
}

carom_status mesh_find_topology(mesh_build *build)
{
    BASE_TRY(find_edges(build));
    size_t count = build->parts.vertex_count;
    carom_context *context = build->arena.context;
    uint32_t *scratch = base_allocate(context, 2 * count, sizeof *scratch, BASE_CACHE_LINE);
    if (!scratch)
        return mesh_build_out_of_memory(build);
    fan_check check = {.mesh = &build->parts, .corners = scratch, .first_triangle = scratch + count};
    check_vertices(context, &build->parts, &check);
    base_release(context, scratch, 2 * count, sizeof *scratch);
    return mesh_find_components(build);
}
