/* Edges, neighbours, closedness, components, all over vertices merged by position. Sides are gathered by
 * vertex and radix-sorted there, so that no arrangement of triangles costs more than a few passes. */
#include "mesh/build.h"

/* One side of a triangle: from corner `side % 3` of triangle `side / 3` to the next corner. */
static uint32_t side_start(const carom_mesh *mesh, size_t side) { return mesh->merged[mesh->indices[side]]; }
static uint32_t side_end(const carom_mesh *mesh, size_t side)
{
    return mesh->merged[mesh->indices[side % 3 == 2 ? side - 2 : side + 1]];
}

/* Sides of nonzero length, gathered by the smaller of their two vertices. A use is one side: the larger vertex in the
 * upper half, then the triangle, then whether the side is walked upward, from the smaller vertex to the larger. */
typedef struct edge_uses
{
    uint64_t *uses; /* with room for `largest` more to sort by */
    size_t *ends;   /* per vertex: where its uses end; they begin where those of the vertex before end */
    size_t use_count;
    size_t largest;    /* uses of one vertex at most */
    size_t edge_count; /* after sorting */
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

static void sort_uses(const carom_mesh *mesh, edge_uses *edges)
{
    size_t first = 0;
    for (size_t vertex = 0; vertex < mesh->vertex_count; vertex++)
    {
        size_t end = edges->ends[vertex];
        base_sort_u64(edges->uses + first, edges->uses + edges->use_count, end - first);
        for (; first < end; first = run_end(edges->uses, first, end))
            edges->edge_count++;
    }
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

/* One edge: the uses made of it. */
static void note_edge(carom_mesh *mesh, const uint64_t *uses, size_t use_count, uint32_t low)
{
    size_t upward = 0;
    for (size_t i = 0; i < use_count; i++)
        upward += use_upward(uses[i]);
    mesh->info.closed &= use_count % 2 == 0;
    mesh->info.oriented &= 2 * upward == use_count;
    mesh->info.boundary_edge_count += use_count == 1;
    mesh->info.nonmanifold_edge_count += use_count > 2;
    if (use_count == 2 && use_triangle(uses[0]) != use_triangle(uses[1]))
    {
        mesh->neighbours[side_of_use(mesh, uses[0], low)] = use_triangle(uses[1]);
        mesh->neighbours[side_of_use(mesh, uses[1], low)] = use_triangle(uses[0]);
    }
}

static carom_status list_edges(mesh_build *build, const edge_uses *edges)
{
    carom_mesh *mesh = &build->parts;
    if (edges->edge_count >= UINT32_MAX)
        return base_fail(build->arena.context, CAROM_TOO_LARGE, "%.100s: %zu edges", mesh->name, edges->edge_count);
    mesh->edges = mesh_build_numbers(build, 2 * edges->edge_count);
    mesh->neighbours = mesh_build_numbers(build, 3 * (size_t)mesh->triangle_count);
    if (!mesh->edges || !mesh->neighbours)
        return CAROM_OUT_OF_MEMORY;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
        mesh->neighbours[i] = MESH_NONE;
    mesh->info.edge_count = (uint32_t)edges->edge_count;
    mesh->info.closed = mesh->triangle_count > 0;
    mesh->info.oriented = true;
    uint32_t *edge = mesh->edges;
    size_t first = 0;
    for (uint32_t low = 0; low < mesh->vertex_count; low++)
        for (size_t last; first < edges->ends[low]; first = last)
        {
            last = run_end(edges->uses, first, edges->ends[low]);
            note_edge(mesh, edges->uses + first, last - first, low);
            *edge++ = low;
            *edge++ = use_high(edges->uses[first]);
        }
    return CAROM_OK;
}

static carom_status find_edges(mesh_build *build)
{
    const carom_mesh *mesh = &build->parts;
    carom_context *context = build->arena.context;
    edge_uses edges = {.ends = base_allocate(context, mesh->vertex_count, sizeof(size_t), BASE_CACHE_LINE)};
    if (!edges.ends)
        return mesh_build_out_of_memory(build);
    memset(edges.ends, 0, mesh->vertex_count * sizeof(size_t));
    count_uses(mesh, &edges);
    size_t capacity = edges.use_count + edges.largest;
    edges.uses = base_allocate(context, capacity, sizeof *edges.uses, BASE_CACHE_LINE);
    carom_status status = edges.uses ? CAROM_OK : mesh_build_out_of_memory(build);
    if (status == CAROM_OK)
    {
        gather_uses(mesh, &edges);
        sort_uses(mesh, &edges);
        status = list_edges(build, &edges);
    }
    base_release(context, edges.uses, capacity, sizeof *edges.uses);
    base_release(context, edges.ends, mesh->vertex_count, sizeof(size_t));
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

/* Counts distinct vertices and decides manifoldness. `corners` is zero for each vertex at the start. */
static void check_vertices(carom_mesh *mesh, uint32_t *corners)
{
    bool folded = false; /* a triangle with two corners in one place belongs to no fan */
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
    {
        uint32_t vertex = mesh->merged[mesh->indices[i]];
        mesh->info.distinct_vertex_count += corners[vertex]++ == 0;
        folded |= side_end(mesh, i) == vertex;
    }
    bool manifold = mesh->info.nonmanifold_edge_count == 0 && !folded;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count && manifold; i++)
    {
        uint32_t vertex = mesh->merged[mesh->indices[i]];
        if (corners[vertex] != 0)
            manifold = vertex_is_manifold(mesh, (uint32_t)(i / 3), vertex, corners[vertex]);
        corners[vertex] = 0; /* seen */
    }
    mesh->info.manifold = manifold;
}

/* ---- components ---- */

static uint32_t find_root(uint32_t *parent, uint32_t vertex)
{
    while (parent[vertex] != vertex)
    {
        parent[vertex] = parent[parent[vertex]];
        vertex = parent[vertex];
    }
    return vertex;
}

/* Linking the larger root to the smaller with path halving: n log n at worst. */
static void join(uint32_t *parent, uint32_t a, uint32_t b)
{
    uint32_t root_a = find_root(parent, a), root_b = find_root(parent, b);
    if (root_a < root_b)
        parent[root_b] = root_a;
    else
        parent[root_a] = root_b;
}

/* Numbers components in the order of their first triangle. `parent` and `number` have room for each vertex. */
static carom_status find_components(mesh_build *build, uint32_t *parent, uint32_t *number)
{
    carom_mesh *mesh = &build->parts;
    const uint32_t *merged = mesh->merged, *indices = mesh->indices;
    mesh->component = mesh_build_numbers(build, mesh->triangle_count);
    if (!mesh->component)
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        parent[i] = i, number[i] = MESH_NONE;
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i += 3)
    {
        join(parent, merged[indices[i]], merged[indices[i + 1]]);
        join(parent, merged[indices[i]], merged[indices[i + 2]]);
    }
    uint32_t count = 0;
    for (size_t i = 0; i < mesh->triangle_count; i++)
    {
        uint32_t root = find_root(parent, merged[indices[3 * i]]);
        if (number[root] == MESH_NONE)
            number[root] = count++;
        mesh->component[i] = number[root];
    }
    mesh->info.component_count = count;
    mesh->component_vertex = mesh_build_numbers(build, count);
    if (!mesh->component_vertex)
        return CAROM_OUT_OF_MEMORY;
    for (size_t i = mesh->triangle_count; i-- > 0;)
        mesh->component_vertex[mesh->component[i]] = indices[3 * i];
    return CAROM_OK;
}

carom_status mesh_find_topology(mesh_build *build)
{
    BASE_TRY(find_edges(build));
    size_t count = build->parts.vertex_count;
    carom_context *context = build->arena.context;
    uint32_t *scratch = base_allocate(context, 2 * count, sizeof *scratch, BASE_CACHE_LINE);
    if (!scratch)
        return mesh_build_out_of_memory(build);
    memset(scratch, 0, count * sizeof *scratch);
    check_vertices(&build->parts, scratch);
    carom_status status = find_components(build, scratch, scratch + count);
    base_release(context, scratch, 2 * count, sizeof *scratch);
    return status;
}
