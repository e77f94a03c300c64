/* Vertices at equal positions become one for topology.
 *
 * A hash table that all workers fill at once: a slot that is taken keeps its position, and only the number of its
 * smallest vertex changes, so the result does not depend on the order. Input that is made to collide ends the attempt
 * after a few steps per vertex; then the vertices are sorted by hash and position, which costs n log n at worst. */
#include "mesh/build.h"

enum
{
    VERTICES_PER_TASK = 4096
};

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
    return hash * 0xd6e8feb86659fd93u;
}

/* ---- by sorting ---- */

/* As many bits as base_sort_codes takes: different positions with one hash are rare, and settled below. */
static const int HASH_BITS = 30;

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
        m->items[i] = position_hash(m->vertices[i]) >> (64 - HASH_BITS) << 32 | i;
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

static carom_status merge_by_sorting(mesh_build *build)
{
    carom_context *context = build->context;
    merging m = {.vertices = build->parts.vertices, .count = build->parts.vertex_count, .merged = build->parts.merged};
    m.items = base_allocate(context, 2 * (size_t)m.count, sizeof *m.items, BASE_CACHE_LINE);
    if (!m.items)
        return mesh_build_out_of_memory(build);
    m.sorted = m.items + m.count;
    base_parallel_for(context, m.count, VERTICES_PER_TASK, hash_positions, &m);
    base_sort_codes(context, m.items, m.sorted, m.count);
    base_parallel_for(context, m.count, VERTICES_PER_TASK, merge_runs, &m);
    base_release(context, m.items, 2 * (size_t)m.count, sizeof *m.items);
    return CAROM_OK;
}

/* ---- by a table ---- */

enum
{
    MAX_PROBES = 128, /* a third of the slots are free: chance alone needs fewer */
    AHEAD = 16,       /* vertices whose slots are fetched before they are looked at */
    SLOT_BLOCK = 64   /* slots that are cleared together */
};

#define EMPTY UINT32_MAX

typedef struct merge_table
{
    const carom_vec3 *vertices;
    uint32_t *merged;        /* first the slot of each vertex, then its representative */
    _Atomic uint32_t *slots; /* the smallest vertex so far at a position, or EMPTY */
    uint64_t mask;           /* slots - 1 */
    base_cancel crowded;
} merge_table;

static void clear_slots(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const merge_table *table = data;
    (void)worker;
    for (uint64_t i = (uint64_t)first * SLOT_BLOCK; i < (uint64_t)last * SLOT_BLOCK; i++)
        atomic_store_explicit(&table->slots[i], EMPTY, memory_order_relaxed);
}

/* Enters a vertex from its slot on; false if none of the next slots has room. */
static bool enter_vertex(const merge_table *table, uint32_t vertex, uint64_t slot)
{
    carom_vec3 position = table->vertices[vertex];
    for (int probe = 0; probe < MAX_PROBES; probe++, slot = (slot + 1) & table->mask)
    {
        _Atomic uint32_t *at = &table->slots[slot];
        uint32_t found = atomic_load_explicit(at, memory_order_relaxed);
        bool taken = found == EMPTY && atomic_compare_exchange_strong_explicit(at, &found, vertex, memory_order_relaxed,
                                                                               memory_order_relaxed);
        if (!taken && !vec3_equal(table->vertices[found], position))
            continue;
        /* of two workers at one position, the one with the smaller vertex has the last word */
        while (!taken && vertex < found)
            taken =
                atomic_compare_exchange_weak_explicit(at, &found, vertex, memory_order_relaxed, memory_order_relaxed);
        table->merged[vertex] = (uint32_t)slot;
        return true;
    }
    return false;
}

static void enter_vertices(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    merge_table *table = data;
    uint64_t slots[AHEAD];
    (void)worker;
    for (uint32_t begin = first; begin < last && !base_cancel_is_set(&table->crowded); begin += AHEAD)
    {
        uint32_t count = last - begin < AHEAD ? last - begin : AHEAD;
        for (uint32_t i = 0; i < count; i++)
        {
            slots[i] = position_hash(table->vertices[begin + i]) >> 32 & table->mask;
            __builtin_prefetch((const void *)&table->slots[slots[i]]);
        }
        for (uint32_t i = 0; i < count; i++)
            if (!enter_vertex(table, begin + i, slots[i]))
                base_cancel_set(&table->crowded);
    }
}

static void look_up_vertices(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const merge_table *table = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
        table->merged[i] = atomic_load_explicit(&table->slots[table->merged[i]], memory_order_relaxed);
}

/* At least a third more slots than vertices. */
static uint64_t slot_count(uint32_t vertices)
{
    uint64_t count = SLOT_BLOCK;
    while (count / 4 * 3 < vertices)
        count *= 2;
    return count;
}

carom_status mesh_merge_positions(mesh_build *build)
{
    carom_context *context = build->context;
    uint32_t count = build->parts.vertex_count;
    uint64_t slots = slot_count(count);
    if (slots > (uint64_t)1 << 32) /* their numbers would not fit */
        return merge_by_sorting(build);
    merge_table table = {.vertices = build->parts.vertices, .merged = build->parts.merged, .mask = slots - 1};
    table.slots = base_allocate(context, slots, sizeof *table.slots, BASE_CACHE_LINE);
    if (!table.slots)
        return mesh_build_out_of_memory(build);
    base_parallel_for(context, (uint32_t)(slots / SLOT_BLOCK), VERTICES_PER_TASK / SLOT_BLOCK, clear_slots, &table);
    base_parallel_for(context, count, VERTICES_PER_TASK, enter_vertices, &table);
    bool crowded = base_cancel_is_set(&table.crowded);
    if (!crowded)
        base_parallel_for(context, count, VERTICES_PER_TASK, look_up_vertices, &table);
    base_release(context, table.slots, slots, sizeof *table.slots);
    return crowded ? merge_by_sorting(build) : CAROM_OK;
}
