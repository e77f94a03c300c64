/* Components: triangles that are connected through shared vertices, found by joining sets of vertices. Several workers
 * join at once (Anderson and Woll, 1991): a root is only ever linked to a smaller one, and by compare-and-swap, so the
 * smallest vertex of a component ends up as its root whatever the order. */
#include "mesh/build.h"

enum
{
    TRIANGLES_PER_TASK = 1024
};

typedef struct vertex_sets
{
    const carom_mesh *mesh;
    _Atomic uint32_t *parent; /* per vertex, itself or smaller */
    bool alone;               /* one worker: no compare-and-swap needed */
} vertex_sets;

static uint32_t load(const _Atomic uint32_t *at) { return atomic_load_explicit(at, memory_order_relaxed); }
static void store(_Atomic uint32_t *at, uint32_t value) { atomic_store_explicit(at, value, memory_order_relaxed); }

/* Halves the path: n log n at worst. Another worker may do the same at the same time: ancestors stay ancestors. */
static uint32_t find_root(_Atomic uint32_t *parent, uint32_t vertex)
{
    for (uint32_t above; (above = load(&parent[vertex])) != vertex;)
    {
        uint32_t next = load(&parent[above]);
        store(&parent[vertex], next);
        vertex = next;
    }
    return vertex;
}

static void join(const vertex_sets *sets, uint32_t a, uint32_t b)
{
    for (;;)
    {
        a = find_root(sets->parent, a), b = find_root(sets->parent, b);
        if (a == b)
            return;
        uint32_t large = a > b ? a : b, small = a > b ? b : a, expected = large;
        if (sets->alone)
            store(&sets->parent[large], small);
        if (sets->alone || atomic_compare_exchange_strong_explicit(&sets->parent[large], &expected, small,
                                                                   memory_order_relaxed, memory_order_relaxed))
            return;
    }
}

static void join_corners(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    const vertex_sets *sets = data;
    const uint32_t *merged = sets->mesh->merged;
    for (uint32_t i = first; i < last; i++)
    {
        const uint32_t *index = sets->mesh->indices + 3 * (size_t)i;
        join(sets, merged[index[0]], merged[index[1]]);
        join(sets, merged[index[0]], merged[index[2]]);
    }
}

static void note_roots(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    const vertex_sets *sets = data;
    const carom_mesh *mesh = sets->mesh;
    for (uint32_t i = first; i < last; i++)
        mesh->component[i] = find_root(sets->parent, mesh->merged[mesh->indices[3 * (size_t)i]]);
}

/* Turns roots into numbers in the order of the components' first triangles. Returns how many there are. */
static uint32_t number_components(const carom_mesh *mesh, _Atomic uint32_t *number)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < mesh->vertex_count; i++)
        store(&number[i], MESH_NONE);
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
    {
        uint32_t root = mesh->component[i];
        if (load(&number[root]) == MESH_NONE)
            store(&number[root], count++);
        mesh->component[i] = load(&number[root]);
    }
    return count;
}

carom_status mesh_find_components(mesh_build *build)
{
    carom_mesh *mesh = &build->parts;
    carom_context *context = build->context;
    size_t vertices = mesh->vertex_count;
    vertex_sets sets = {.mesh = mesh, .alone = base_worker_count(context) == 1};
    sets.parent = base_allocate(context, vertices, sizeof *sets.parent, BASE_CACHE_LINE);
    if (!sets.parent)
        return mesh_build_out_of_memory(build);
    for (uint32_t i = 0; i < vertices; i++)
        store(&sets.parent[i], i);
    base_parallel_for(context, mesh->triangle_count, TRIANGLES_PER_TASK, join_corners, &sets);
    base_parallel_for(context, mesh->triangle_count, TRIANGLES_PER_TASK, note_roots, &sets);
    mesh->info.component_count = number_components(mesh, sets.parent);
    base_release(context, sets.parent, vertices, sizeof *sets.parent);
    mesh->component_vertex = mesh_build_numbers(build, mesh->info.component_count);
    if (!mesh->component_vertex)
        return CAROM_OUT_OF_MEMORY;
    for (size_t i = mesh->triangle_count; i-- > 0;)
        mesh->component_vertex[mesh->component[i]] = mesh->indices[3 * i];
    return CAROM_OK;
}
