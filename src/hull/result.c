/* The result's memory and the order of its facets. */
#include "hull/build.h"

/* One block: vertices, facets, neighbours. */
static size_t block_size(uint32_t vertex_count, uint32_t facet_count)
{
    return (size_t)vertex_count + 6 * (size_t)facet_count;
}

carom_status hull_allocate(carom_context *context, hull *out, uint32_t vertex_count)
{
    out->facet_count = out->dimension == 3 ? 2 * vertex_count - 4 : out->dimension == 2 ? vertex_count - 2 : 0;
    out->vertices =
        base_allocate(context, block_size(vertex_count, out->facet_count), sizeof(uint32_t), sizeof(uint32_t));
    if (!out->vertices)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for a hull of %u vertices", vertex_count);
    out->vertex_count = vertex_count;
    out->facets = out->vertices + vertex_count;
    out->neighbours = out->facets + 3 * (size_t)out->facet_count;
    return CAROM_OK;
}

void hull_free(hull *hull)
{
    base_release(hull->context, hull->vertices, block_size(hull->vertex_count, hull->facet_count), sizeof(uint32_t));
    *hull = (struct hull){.context = hull->context, .dimension = -1};
}

/* Sorts numbers of facets by the rank of a corner, stably, by counting. */
static void sort_by_corner(const hull_space *space, const hull *out, int corner, const uint32_t *from, uint32_t *to)
{
    const uint32_t *rank = space->rank.items;
    uint32_t *start = space->heads.items;
    memset(start, 0, ((size_t)out->vertex_count + 1) * sizeof *start);
    for (uint32_t i = 0; i < out->facet_count; i++)
        start[rank[out->facets[3 * (size_t)i + (size_t)corner]] + 1]++;
    for (uint32_t i = 0; i < out->vertex_count; i++)
        start[i + 1] += start[i];
    for (uint32_t i = 0; i < out->facet_count; i++)
    {
        uint32_t facet = from ? from[i] : i;
        to[start[rank[out->facets[3 * (size_t)facet + (size_t)corner]]]++] = facet;
    }
}

carom_status hull_sort_facets(hull_space *space, hull *out)
{
    size_t count = out->facet_count, bytes = 3 * count * sizeof(uint32_t);
    if (!hull_room(space, &space->heads, (size_t)out->vertex_count + 1) ||
        !hull_room(space, &space->homes, 2 * count) || !hull_room(space, &space->order, 3 * count))
        return hull_no_memory(space->context, space->count);
    uint32_t *position = space->homes.items, *order = position + count, *moved = space->order.items;
    sort_by_corner(space, out, 1, NULL, position);
    sort_by_corner(space, out, 0, position, order);
    for (uint32_t i = 0; i < count; i++)
        position[order[i]] = i;
    for (size_t i = 0; i < count; i++)
        memcpy(moved + 3 * i, out->facets + 3 * (size_t)order[i], 3 * sizeof *moved);
    memcpy(out->facets, moved, bytes);
    for (size_t i = 0; i < 3 * count; i++)
    {
        uint32_t other = out->neighbours[3 * (size_t)order[i / 3] + i % 3];
        moved[i] = other == HULL_NONE ? HULL_NONE : position[other];
    }
    memcpy(out->neighbours, moved, bytes);
    return CAROM_OK;
}
