/* Is the neighbourhood of each vertex one fan or ring of triangles? And which vertices are used at all? */
#include "mesh/build.h"

enum
{
    VERTICES_PER_TASK = 512, /* tens of microseconds */
    TRIANGLES_PER_TASK = 1024
};

/* Walking around a vertex from one of its triangles meets all of them only if they are one fan. So all fans are right
 * if the walks meet as many corners as the triangles have; which triangle a walk began with does not matter. */
typedef struct fan_check
{
    const carom_mesh *mesh;
    _Atomic uint32_t *triangle; /* per vertex: one that has it, or MESH_NONE */
    bool walks;                 /* or only counts vertices */
    atomic_bool folded;         /* a triangle has two corners at one position and belongs to no fan */
    _Atomic uint32_t vertex_count;
    _Atomic uint64_t corner_count;
} fan_check;

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
        uint32_t other_end = side == corner ? mesh_side_end(mesh, at) : mesh_side_start(mesh, at);
        triangle = mesh->neighbours[at];
        *around = triangle == start;
        if (triangle == start || triangle == MESH_NONE)
            return met;
        met++;
        /* Leave through the side at the vertex that we did not come in by. */
        corner = corner_of(mesh, triangle, vertex);
        side = mesh_side_end(mesh, 3 * (size_t)triangle + (size_t)corner) == other_end ? (corner + 2) % 3 : corner;
    }
}

static size_t count_fan(const carom_mesh *mesh, uint32_t triangle, uint32_t vertex)
{
    bool around;
    size_t met = 1 + walk_around(mesh, triangle, vertex, true, &around);
    return around ? met : met + walk_around(mesh, triangle, vertex, false, &around);
}

static void forget_triangles(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const fan_check *check = data;
    (void)worker;
    for (uint32_t vertex = first; vertex < last; vertex++)
        atomic_store_explicit(&check->triangle[vertex], MESH_NONE, memory_order_relaxed);
}

static void note_triangles(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    fan_check *check = data;
    const carom_mesh *mesh = check->mesh;
    bool folded = false;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
    {
        const uint32_t *index = mesh->indices + 3 * (size_t)i;
        uint32_t a = mesh->merged[index[0]], b = mesh->merged[index[1]], c = mesh->merged[index[2]];
        atomic_store_explicit(&check->triangle[a], i, memory_order_relaxed);
        atomic_store_explicit(&check->triangle[b], i, memory_order_relaxed);
        atomic_store_explicit(&check->triangle[c], i, memory_order_relaxed);
        folded |= a == b || b == c || c == a;
    }
    if (folded)
        atomic_store_explicit(&check->folded, true, memory_order_relaxed);
}

static void check_fans(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    fan_check *check = data;
    uint32_t vertices = 0;
    uint64_t corners = 0;
    (void)worker;
    for (uint32_t vertex = first; vertex < last; vertex++)
    {
        uint32_t triangle = atomic_load_explicit(&check->triangle[vertex], memory_order_relaxed);
        if (triangle == MESH_NONE)
            continue;
        vertices++;
        corners += check->walks ? count_fan(check->mesh, triangle, vertex) : 0;
    }
    atomic_fetch_add_explicit(&check->vertex_count, vertices, memory_order_relaxed);
    atomic_fetch_add_explicit(&check->corner_count, corners, memory_order_relaxed);
}

carom_status mesh_check_fans(mesh_build *build)
{
    carom_context *context = build->context;
    carom_mesh *mesh = &build->parts;
    uint32_t count = mesh->vertex_count;
    fan_check check = {.mesh = mesh};
    check.triangle = base_allocate(context, count, sizeof *check.triangle, BASE_CACHE_LINE);
    if (!check.triangle)
        return mesh_build_out_of_memory(build);
    base_parallel_for(context, count, VERTICES_PER_TASK, forget_triangles, &check);
    base_parallel_for(context, mesh->triangle_count, TRIANGLES_PER_TASK, note_triangles, &check);
    check.walks = mesh->info.nonmanifold_edge_count == 0 && !atomic_load(&check.folded);
    base_parallel_for(context, count, VERTICES_PER_TASK, check_fans, &check);
    base_release(context, check.triangle, count, sizeof *check.triangle);
    mesh->info.distinct_vertex_count = atomic_load(&check.vertex_count);
    mesh->info.manifold = check.walks && atomic_load(&check.corner_count) == 3 * (uint64_t)mesh->triangle_count;
    return CAROM_OK;
}
