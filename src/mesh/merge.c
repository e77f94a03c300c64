/* Vertices at equal positions become one for topology. Sorted by a hash of the position, ties settled by comparison,
 * so the worst input costs n log n. */
#include "mesh/build.h"

enum
{
    VERTICES_PER_TASK = 4096
};

/* As many bits as base_sort_codes takes: different positions with one hash are rare, and settled below. */
static const int HASH_BITS = 30;

static uint64_t position_hash(carom_vec3 v)
{
    /* + 0.0 turns -0 into 0: both are the same position. */
    double coordinates[3] = {v.x + 0.0, v.y + 0.0, v.z + 0.0};
    uint64_t hash = 0;
    for (int i = 0; i < 3; i++)
    {
        uint64_t bits;
        memcpy(&bits, &coordinates[i], sizeof bits);
        hash = (hash ^ bits) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    hash *= 0xd6e8feb86659fd93u;
    return hash >> (64 - HASH_BITS);
}

/* Items are hash << 32 | vertex. */
typedef struct merging
{
    const carom_vec3 *vertices;
    uint64_t *items, *sorted;
    uint32_t count;
    uint32_t *merged;
} merging;

static uint32_t vertex_of(uint64_t item) { return (uint32_t)item; }

/* Order by position, then by vertex number. */
static bool comes_before(const carom_vec3 *vertices, uint64_t left, uint64_t right)
{
    carom_vec3 a = vertices[vertex_of(left)], b = vertices[vertex_of(right)];
    if (a.x != b.x)
        return a.x < b.x;
    if (a.y != b.y)
        return a.y < b.y;
    if (a.z != b.z)
        return a.z < b.z;
    return vertex_of(left) < vertex_of(right);
}

static void sift_down(const carom_vec3 *vertices, uint64_t *items, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child)
    {
        if (child + 1 < count && comes_before(vertices, items[child], items[child + 1]))
            child++;
        if (!comes_before(vertices, items[root], items[child]))
            return;
        uint64_t swap = items[root];
        items[root] = items[child];
        items[child] = swap;
    }
}

/* Heap sort: n log n whatever the input, no stack. */
static void sort_by_position(const carom_vec3 *vertices, uint64_t *items, size_t count)
{
    for (size_t root = count / 2; root-- > 0;)
        sift_down(vertices, items, root, count);
    for (size_t last = count; last-- > 1;)
    {
        uint64_t swap = items[0];
        items[0] = items[last];
        items[last] = swap;
        sift_down(vertices, items, 0, last);
    }
}

/* Items with one hash: usually one position, in ascending vertex order already. Others are sorted in `items`, since
 * the worker next to this one may look at `sorted` to find its first run. */
static void merge_run(const merging *m, uint32_t first, uint32_t last)
{
    const carom_vec3 *vertices = m->vertices;
    const uint64_t *run = m->sorted + first;
    uint32_t count = last - first;
    bool one_position = true;
    for (uint32_t i = 1; i < count && one_position; i++)
        one_position = vec3_equal(vertices[vertex_of(run[i])], vertices[vertex_of(run[0])]);
    if (!one_position)
    {
        memcpy(m->items + first, run, count * sizeof *run);
        sort_by_position(vertices, m->items + first, count);
        run = m->items + first;
    }
    uint32_t representative = vertex_of(run[0]);
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t vertex = vertex_of(run[i]);
        if (!vec3_equal(vertices[vertex], vertices[representative]))
            representative = vertex;
        m->merged[vertex] = representative;
    }
}

static void hash_positions(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const merging *m = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
        m->items[i] = position_hash(m->vertices[i]) << 32 | i;
}

static bool same_hash(const merging *m, uint32_t i, uint32_t j) { return m->sorted[i] >> 32 == m->sorted[j] >> 32; }

/* The runs that begin in this range. */
static void merge_runs(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const merging *m = data;
    (void)worker;
    while (first > 0 && first < last && same_hash(m, first, first - 1))
        first++;
    for (uint32_t end; first < last; first = end)
    {
        for (end = first + 1; end < m->count && same_hash(m, end, first);)
            end++;
        merge_run(m, first, end);
    }
}

carom_status mesh_merge_positions(mesh_build *build)
{
    carom_context *context = build->arena.context;
    merging m = {.vertices = build->parts.vertices, .count = build->parts.vertex_count};
    m.merged = mesh_build_numbers(build, m.count);
    if (!m.merged)
        return CAROM_OUT_OF_MEMORY;
    m.items = base_allocate(context, 2 * (size_t)m.count, sizeof *m.items, BASE_CACHE_LINE);
    if (!m.items)
        return mesh_build_out_of_memory(build);
    m.sorted = m.items + m.count;
    base_parallel_for(context, m.count, VERTICES_PER_TASK, hash_positions, &m);
    base_sort_codes(context, m.items, m.sorted, m.count);
    base_parallel_for(context, m.count, VERTICES_PER_TASK, merge_runs, &m);
    base_release(context, m.items, 2 * (size_t)m.count, sizeof *m.items);
    build->parts.merged = m.merged;
    return CAROM_OK;
}
