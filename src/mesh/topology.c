/* Edges, neighbours, closedness, components, all over vertices merged by position. Linear but for one radix sort. */
#include "mesh/build.h"

/* One side of a triangle: from corner `side % 3` of triangle `side / 3` to the next corner. */
static uint32_t side_start(const carom_mesh *mesh, size_t side) { return mesh->merged[mesh->indices[side]]; }
static uint32_t side_end(const carom_mesh *mesh, size_t side)
{
    return mesh->merged[mesh->indices[side % 3 == 2 ? side - 2 : side + 1]];
}

/* All sides of nonzero length, keyed by their two vertices, smaller first. */
static size_t collect_sides(const carom_mesh *mesh, base_key_value *sides)
{
    size_t count = 0;
    for (size_t side = 0; side < 3 * (size_t)mesh->triangle_count; side++)
    {
        uint32_t start = side_start(mesh, side), end = side_end(mesh, side);
        uint64_t low = start < end ? start : end, high = start < end ? end : start;
        if (start != end)
            sides[count++] = (base_key_value){low << 32 | high, side};
    }
    return count;
}

static size_t run_end(const base_key_value *sides, size_t first, size_t count)
{
    size_t last = first + 1;
    while (last < count && sides[last].key == sides[first].key)
        last++;
    return last;
}

/* One edge: the sides that lie on it. */
static void note_edge(carom_mesh *mesh, const base_key_value *sides, size_t uses)
{
    uint32_t low = (uint32_t)(sides[0].key >> 32);
    size_t upward = 0;
    for (size_t i = 0; i < uses; i++)
        upward += side_start(mesh, sides[i].value) == low;
    mesh->info.closed &= uses % 2 == 0;
    mesh->info.oriented &= 2 * upward == uses;
    mesh->info.boundary_edge_count += uses == 1;
    mesh->info.nonmanifold_edge_count += uses > 2;
    size_t first = sides[0].value, second = sides[uses - 1].value;
    if (uses == 2 && first / 3 != second / 3)
    {
        mesh->neighbours[first] = (uint32_t)(second / 3);
        mesh->neighbours[second] = (uint32_t)(first / 3);
    }
}

static carom_status list_edges(mesh_build *build, const base_key_value *sides, size_t side_count)
{
    carom_mesh *mesh = &build->parts;
    size_t edge_count = 0;
    for (size_t first = 0; first < side_count; first = run_end(sides, first, side_count))
        edge_count++;
    if (edge_count >= UINT32_MAX)
        return base_fail(build->arena.context, CAROM_TOO_LARGE, "%.100s: %zu edges", mesh->name, edge_count);
    mesh->edges = mesh_build_numbers(build, 2 * edge_count);
    if (!mesh->edges)
        return CAROM_OUT_OF_MEMORY;
    mesh->info.edge_count = (uint32_t)edge_count;
    mesh->info.closed = mesh->triangle_count > 0;
    mesh->info.oriented = true;
    uint32_t *edge = mesh->edges;
    for (size_t first = 0, last; first < side_count; first = last)
    {
        last = run_end(sides, first, side_count);
        note_edge(mesh, sides + first, last - first);
        *edge++ = (uint32_t)(sides[first].key >> 32);
        *edge++ = (uint32_t)sides[first].key;
    }
    return CAROM_OK;
}

static carom_status find_edges(mesh_build *build)
{
    size_t capacity = 3 * (size_t)build->parts.triangle_count;
    build->parts.neighbours = mesh_build_numbers(build, capacity);
    if (!build->parts.neighbours)
        return CAROM_OUT_OF_MEMORY;
    for (size_t i = 0; i < capacity; i++)
        build->parts.neighbours[i] = MESH_NONE;
    carom_context *context = build->arena.context;
    base_key_value *sides = base_allocate(context, 2 * capacity, sizeof *sides, BASE_CACHE_LINE);
    if (!sides)
        return mesh_build_out_of_memory(build);
    size_t count = collect_sides(&build->parts, sides);
    base_sort_keys(sides, sides + capacity, count);
    carom_status status = list_edges(build, sides, count);
    base_release(context, sides, 2 * capacity, sizeof *sides);
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
