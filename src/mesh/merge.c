/* Vertices at equal positions become one for topology. Sorted by a hash of the position, ties settled by comparison,
 * so the worst input costs n log n. */
#include "mesh/build.h"

/* Enough bits that ordinary input hardly ever collides; each further byte is another pass of the sort. */
static const int HASH_BITS = 40;

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

/* Order by position, then by vertex number. */
static bool comes_before(const carom_vec3 *vertices, uint64_t left, uint64_t right)
{
    carom_vec3 a = vertices[left], b = vertices[right];
    if (a.x != b.x)
        return a.x < b.x;
    if (a.y != b.y)
        return a.y < b.y;
    if (a.z != b.z)
        return a.z < b.z;
    return left < right;
}

static void sift_down(const carom_vec3 *vertices, base_key_value *items, size_t root, size_t count)
{
    for (size_t child; (child = 2 * root + 1) < count; root = child)
    {
        if (child + 1 < count && comes_before(vertices, items[child].value, items[child + 1].value))
            child++;
        if (!comes_before(vertices, items[root].value, items[child].value))
            return;
        base_key_value swap = items[root];
        items[root] = items[child];
        items[child] = swap;
    }
}

/* Heap sort: n log n whatever the input, no stack. */
static void sort_by_position(const carom_vec3 *vertices, base_key_value *items, size_t count)
{
    for (size_t root = count / 2; root-- > 0;)
        sift_down(vertices, items, root, count);
    for (size_t last = count; last-- > 1;)
    {
        base_key_value swap = items[0];
        items[0] = items[last];
        items[last] = swap;
        sift_down(vertices, items, 0, last);
    }
}

/* Items with one hash: usually one position, in ascending vertex order already. */
static void merge_run(const carom_vec3 *vertices, base_key_value *items, size_t count, uint32_t *merged)
{
    bool one_position = true;
    for (size_t i = 1; i < count && one_position; i++)
        one_position = vec3_equal(vertices[items[i].value], vertices[items[0].value]);
    if (!one_position)
        sort_by_position(vertices, items, count);
    uint32_t representative = (uint32_t)items[0].value;
    for (size_t i = 0; i < count; i++)
    {
        uint32_t vertex = (uint32_t)items[i].value;
        if (!vec3_equal(vertices[vertex], vertices[representative]))
            representative = vertex;
        merged[vertex] = representative;
    }
}

carom_status mesh_merge_positions(mesh_build *build)
{
    const carom_vec3 *vertices = build->parts.vertices;
    size_t count = build->parts.vertex_count;
    carom_context *context = build->arena.context;
    uint32_t *merged = mesh_build_numbers(build, count);
    if (!merged)
        return CAROM_OUT_OF_MEMORY;
    base_key_value *items = base_allocate(context, 2 * count, sizeof *items, BASE_CACHE_LINE);
    if (!items)
        return mesh_build_out_of_memory(build);
    for (size_t i = 0; i < count; i++)
        items[i] = (base_key_value){position_hash(vertices[i]), i};
    base_sort_keys(items, items + count, count);
    for (size_t first = 0, last; first < count; first = last)
    {
        for (last = first + 1; last < count && items[last].key == items[first].key;)
            last++;
        merge_run(vertices, items + first, last - first, merged);
    }
    base_release(context, items, 2 * count, sizeof *items);
    build->parts.merged = merged;
    return CAROM_OK;
}
