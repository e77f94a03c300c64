/* The canonical form of a grown surface. Coplanar triangles are joined to flat faces, corners within an edge or a face
 * are dropped, each face is cut into a fan around its smallest corner, and facets are sorted. */
#include "hull/build.h"

/* Marks the edges between facets that are not coplanar, and counts those that start at each corner (in `next`). */
static void find_sharp_edges(hull_space *space)
{
    for (uint32_t facet = 0; facet < space->facets.count; facet++)
    {
        hull_facet *f = &space->facets.items[facet];
        f->mark = 0;
        for (int i = 0; i < 3 && f->corner[0] != HULL_NONE; i++)
            space->next.items[f->corner[i]] = 0;
    }
    for (uint32_t facet = 0; facet < space->facets.count; facet++)
    {
        hull_facet *f = &space->facets.items[facet];
        for (uint32_t i = 0; i < 3 && f->corner[0] != HULL_NONE; i++)
        {
            uint32_t twin = f->twin[i], opposite = hull_half_from(space, hull_half_next(hull_half_next(twin)));
            if (facet > twin / 4 || hull_side(space, f, opposite) == 0)
                continue;
            f->mark |= 1u << i;
            space->facets.items[twin / 4].mark |= 1u << twin % 4;
            space->next.items[f->corner[i]]++;
            space->next.items[hull_half_from(space, twin)]++;
        }
    }
}

static bool is_sharp(const hull_space *space, uint32_t half)
{
    return space->facets.items[half / 4].mark >> half % 4 & 1;
}

/* Three sharp edges meet at a vertex; two at a corner within an edge, none within a face. */
static bool is_vertex(const hull_space *space, uint32_t corner) { return space->next.items[corner] >= 3; }

/* The sharp edge of the same face that follows a sharp edge. */
static uint32_t next_of_face(const hull_space *space, uint32_t half)
{
    half = hull_half_next(half);
    while (!is_sharp(space, half))
        half = hull_half_next(hull_half_twin(space, half));
    return half;
}

/* A face's vertices in turn, into `polygon`; into `order`, for each side, the first and the last
 * half-edge of which it is made. */
static carom_status trace_face(hull_space *space, uint32_t start)
{
    space->polygon.count = space->order.count = 0;
    uint32_t half = start;
    do
    {
        if (!base_array_reserve(space->context, &space->polygon, 1) ||
            !base_array_reserve(space->context, &space->order, 2))
            return hull_no_memory(space->context, space->count);
        space->polygon.items[space->polygon.count++] = hull_half_from(space, half);
        space->order.items[space->order.count++] = half;
        uint32_t last = half;
        for (half = next_of_face(space, half); !is_vertex(space, hull_half_from(space, half));)
            last = half, half = next_of_face(space, half);
        space->order.items[space->order.count++] = last;
    } while (half != start);
    return CAROM_OK;
}

/* Marks neighbours that are half-edges of the grown surface; all others are facets of the result. */
#define OF_SURFACE 0x80000000u

/* A face that is one triangle. `homes` says to which facet of the result a half-edge of the surface went. */
static void write_triangle(hull_space *space, uint32_t facet, hull *out)
{
    const hull_facet *f = &space->facets.items[facet];
    uint32_t corner[3], smallest = 0;
    for (uint32_t i = 0; i < 3; i++)
    {
        corner[i] = hull_index(space, f->corner[i]);
        smallest = corner[i] < corner[smallest] ? i : smallest;
    }
    for (uint32_t i = 0, from = smallest; i < 3; i++, from = from == 2 ? 0 : from + 1)
    {
        out->facets[3 * (size_t)out->facet_count + i] = corner[from];
        out->neighbours[3 * (size_t)out->facet_count + i] = f->twin[from] | OF_SURFACE;
        space->homes.items[4 * facet + i] = out->facet_count;
    }
    out->facet_count++;
}

/* The half-edge of a fan's triangles that is a side of the face. */
static uint32_t fan_half(uint32_t side, uint32_t count)
{
    return side == 0 ? 0 : side == count - 1 ? 3 * (count - 3) + 2 : 3 * (side - 1) + 1;
}

static void write_fan(hull_space *space, hull *out)
{
    uint32_t *corner = space->polygon.items, count = (uint32_t)space->polygon.count, smallest = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        corner[i] = hull_index(space, corner[i]);
        smallest = corner[i] < corner[smallest] ? i : smallest;
    }
    uint32_t first = out->facet_count, *facet = out->facets + 3 * (size_t)first,
             *neighbour = out->neighbours + 3 * (size_t)first;
    for (uint32_t i = 0; i + 2 < count; i++)
    {
        uint32_t one = (smallest + i + 1) % count, two = (smallest + i + 2) % count;
        facet[3 * i] = corner[smallest], facet[3 * i + 1] = corner[one], facet[3 * i + 2] = corner[two];
        neighbour[3 * i] = first + i - 1, neighbour[3 * i + 2] = first + i + 1;
    }
    for (uint32_t side = 0; side < count; side++)
    {
        const uint32_t *ends = space->order.items + 2 * (size_t)((smallest + side) % count);
        uint32_t half = fan_half(side, count);
        space->homes.items[ends[0]] = first + half / 3;
        neighbour[half] = hull_half_twin(space, ends[1]) | OF_SURFACE;
    }
    out->facet_count += count - 2;
}

/* The face on which a facet of the surface is, unless it is there already. */
static carom_status write_face(hull_space *space, uint32_t facet, hull *out)
{
    const hull_facet *f = &space->facets.items[facet];
    if (f->mark == 7)
        return write_triangle(space, facet, out), CAROM_OK;
    for (uint32_t half = 4 * facet; half < 4 * facet + 3; half++)
        if (space->homes.items[half] == HULL_NONE && is_sharp(space, half) && is_vertex(space, f->corner[half % 4]))
        {
            BASE_TRY(trace_face(space, half));
            write_fan(space, out);
        }
    return CAROM_OK;
}

static carom_status write_faces(hull_space *space, hull *out)
{
    size_t half_count = 4 * space->facets.count;
    if (!hull_room(space, &space->homes, half_count))
        return hull_no_memory(space->context, space->count);
    memset(space->homes.items, 0xff, half_count * sizeof *space->homes.items);
    for (uint32_t facet = 0; facet < space->facets.count; facet++)
        if (space->facets.items[facet].corner[0] != HULL_NONE)
            BASE_TRY(write_face(space, facet, out));
    for (size_t i = 0; i < 3 * (size_t)out->facet_count; i++)
        if (out->neighbours[i] & OF_SURFACE)
            out->neighbours[i] = space->homes.items[out->neighbours[i] & ~OF_SURFACE];
    return CAROM_OK;
}

/* The vertices in ascending order, and the rank of each among them, by index (in `rank`). */
static carom_status write_vertices(hull_space *space, hull *out)
{
    if (!hull_room(space, &space->rank, space->count))
        return hull_no_memory(space->context, space->count);
    uint32_t *rank = space->rank.items, count = 0;
    memset(rank, 0, space->count * sizeof *rank);
    for (uint32_t facet = 0; facet < space->facets.count; facet++)
    {
        const uint32_t *corner = space->facets.items[facet].corner;
        for (int i = 0; i < 3 && corner[0] != HULL_NONE; i++)
            rank[hull_index(space, corner[i])] |= is_vertex(space, corner[i]);
    }
    for (uint32_t i = 0; i < space->count; i++)
        count += rank[i];
    BASE_TRY(hull_allocate(space->context, out, count));
    count = 0;
    for (uint32_t i = 0; i < space->count; i++)
        if (rank[i])
            out->vertices[count] = i, rank[i] = count++;
    return CAROM_OK;
}

carom_status hull_finish(hull_space *space, hull *out)
{
    out->dimension = 3;
    find_sharp_edges(space);
    BASE_TRY(write_vertices(space, out));
    uint32_t facet_count = out->facet_count;
    out->facet_count = 0;
    carom_status status = write_faces(space, out);
    out->facet_count = facet_count;
    return carom_failed(status) ? status : hull_sort_facets(space, out);
}
