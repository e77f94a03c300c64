/* Hulls of fewer than three dimensions: a point, a segment, a polygon. The polygon is found by Andrew's monotone chain
 * ("Another Efficient Algorithm for Convex Hulls in Two Dimensions", 1979) in a projection along an axis. */
#include "hull/build.h"

static double coordinate(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* The ranks of vertices among all points; they are in `order`. */
static void write_flat_vertices(hull_space *space, hull *out)
{
    uint32_t *rank = space->rank.items, count = 0;
    memset(rank, 0, space->count * sizeof *rank);
    for (uint32_t i = 0; i < out->vertex_count; i++)
        rank[space->order.items[i]] = 1;
    for (uint32_t i = 0; i < space->count; i++)
        if (rank[i])
            out->vertices[count] = i, rank[i] = count++;
}

/* The ends of all points on a line are the first and the last along any axis that is not across. */
carom_status hull_make_segment(hull_space *space, const uint32_t corner[4], hull *out)
{
    BASE_TRY(hull_allocate(space->context, out, out->dimension == 0 ? 1 : 2));
    uint32_t one = hull_index(space, corner[0]), two = hull_index(space, corner[1]);
    out->vertices[0] = out->dimension == 0 || one < two ? one : two;
    if (out->dimension == 1)
        out->vertices[1] = one < two ? two : one;
    return CAROM_OK;
}

/* ---- polygons ---- */

/* A number of the same order as the coordinate. */
static uint64_t key_of(double value)
{
    double positive_zero = value + 0.0;
    uint64_t bits;
    memcpy(&bits, &positive_zero, sizeof bits);
    return bits >> 63 ? ~bits : bits | UINT64_C(1) << 63;
}

/* Sorts the points along u, those with the same u along v; of equal ones only the first is kept. */
static carom_status sort_points(hull_space *space, int u, int v)
{
    size_t count = space->count;
    if (!hull_room(space, &space->keys, 2 * count))
        return hull_no_memory(space->context, space->count);
    base_key_value *keys = space->keys.items;
    for (uint32_t i = 0; i < count; i++)
        keys[i] = (base_key_value){key_of(coordinate(space->points[i], v)), i};
    base_sort_keys(keys, keys + count, count);
    for (size_t i = 0; i < count; i++)
        keys[i].key = key_of(coordinate(space->points[keys[i].value], u));
    base_sort_keys(keys, keys + count, count);
    space->keys.count = 0;
    for (size_t i = 0; i < count; i++)
        if (i == 0 || !vec3_equal(space->points[keys[i].value], space->points[keys[space->keys.count - 1].value]))
            keys[space->keys.count++] = keys[i];
    return CAROM_OK;
}

/* Adds a point to the chain in `order` that began at `begin`; the chain turns left at every point. */
static void extend_chain(hull_space *space, size_t begin, uint32_t point, int axis)
{
    hull_numbers *chain = &space->order;
    const carom_vec3 *p = space->points;
    while (chain->count >= begin + 2 && exact_orient2d(p[chain->items[chain->count - 2]],
                                                       p[chain->items[chain->count - 1]], p[point], axis, NULL) <= 0)
        chain->count--;
    chain->items[chain->count++] = point;
}

/* The indices of the polygon's vertices into `order`, counterclockwise seen from the axis's positive side. */
static carom_status find_polygon(hull_space *space, int axis)
{
    BASE_TRY(sort_points(space, (axis + 1) % 3, (axis + 2) % 3));
    if (!hull_room(space, &space->order, space->keys.count + 1))
        return hull_no_memory(space->context, space->count);
    for (size_t i = 0; i < space->keys.count; i++)
        extend_chain(space, 0, (uint32_t)space->keys.items[i].value, axis);
    size_t begin = --space->order.count; /* the last of the lower chain is the first of the upper */
    for (size_t i = space->keys.count; i > 0; i--)
        extend_chain(space, begin, (uint32_t)space->keys.items[i - 1].value, axis);
    space->order.count--; /* the first point again */
    for (size_t i = 0; i < space->order.count; i++)
        space->order.items[i] = hull_index(space, space->order.items[i]);
    return CAROM_OK;
}

static void write_polygon(const hull_space *space, hull *out)
{
    const uint32_t *corner = space->order.items, count = out->vertex_count, last = out->facet_count - 1;
    uint32_t smallest = 0;
    for (uint32_t i = 1; i < count; i++)
        smallest = corner[i] < corner[smallest] ? i : smallest;
    for (uint32_t i = 0; i <= last; i++)
    {
        uint32_t *facet = out->facets + 3 * (size_t)i, *neighbour = out->neighbours + 3 * (size_t)i;
        facet[0] = corner[smallest];
        facet[1] = corner[(smallest + i + 1) % count], facet[2] = corner[(smallest + i + 2) % count];
        neighbour[0] = i == 0 ? HULL_NONE : i - 1, neighbour[1] = HULL_NONE;
        neighbour[2] = i == last ? HULL_NONE : i + 1;
    }
}

carom_status hull_make_polygon(hull_space *space, const uint32_t corner[4], hull *out)
{
    const carom_vec3 *p = space->points;
    int axis = 2;
    while (axis > 0 && exact_orient2d(p[corner[0]], p[corner[1]], p[corner[2]], axis, NULL) == 0)
        axis--;
    BASE_TRY(find_polygon(space, axis));
    BASE_TRY(hull_allocate(space->context, out, (uint32_t)space->order.count));
    if (!hull_room(space, &space->rank, space->count))
        return hull_no_memory(space->context, space->count);
    write_flat_vertices(space, out);
    write_polygon(space, out);
    return hull_sort_facets(space, out);
}
