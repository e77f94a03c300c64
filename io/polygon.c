/* Polygons to triangles. A fan where that is correct, otherwise ear clipping (Meisters 1975) in the polygon's plane:
 * the coordinate in which its normal is largest is left out, and every decision is an exact sign. */
#include "io/soup.h"

/* Newell's normal, relative to the first corner so that far polygons keep their digits. */
static carom_vec3 polygon_normal(const io_polygon *polygon, size_t count)
{
    const io_polygon_corner *corners = polygon->corners.items;
    carom_vec3 sum = vec3(0, 0, 0), before = vec3(0, 0, 0);
    for (size_t i = 1; i < count; i++)
    {
        carom_vec3 here = vec3_sub(corners[i].position, corners[0].position);
        sum = vec3_add(sum, vec3_cross(before, here));
        before = here;
    }
    return sum;
}

/* False where the polygon has no area. */
static bool choose_plane(io_polygon *polygon, size_t count)
{
    carom_vec3 normal = polygon_normal(polygon, count);
    double part[3] = {normal.x, normal.y, normal.z};
    polygon->axis = 0;
    for (int i = 1; i < 3; i++)
        if (fabs(part[i]) > fabs(part[polygon->axis]))
            polygon->axis = i;
    polygon->sign = part[polygon->axis] > 0 ? 1 : -1;
    return part[polygon->axis] != 0 && isfinite(part[polygon->axis]);
}

static int turn(const io_polygon *polygon, size_t a, size_t b, size_t c)
{
    const io_polygon_corner *corners = polygon->corners.items;
    return polygon->sign *
           exact_orient2d(corners[a].position, corners[b].position, corners[c].position, polygon->axis, NULL);
}

/* If no triangle of the fan is flipped, each point is covered as often as the polygon winds around it. */
static bool fan_is_right(const io_polygon *polygon, size_t apex, size_t count)
{
    for (size_t i = 1; i + 1 < count; i++)
        if (turn(polygon, apex, (apex + i) % count, (apex + i + 1) % count) < 0)
            return false;
    return true;
}

static bool add_fan(const io_polygon *polygon, io_soup *soup, size_t apex, size_t count)
{
    const uint32_t *vertices = polygon->vertices.items;
    for (size_t i = 1; i + 1 < count; i++)
        if (!io_soup_add_triangle(soup, vertices[apex], vertices[(apex + i) % count], vertices[(apex + i + 1) % count]))
            return false;
    return true;
}

/* Is a corner in the closed ear, other than by sitting exactly on one of its corners? */
static bool blocks_ear(const io_polygon *polygon, const uint32_t ear[3], uint32_t other)
{
    const io_polygon_corner *corners = polygon->corners.items;
    carom_vec3 p = corners[other].position;
    for (int i = 0; i < 3; i++)
        if (vec3_equal(p, corners[ear[i]].position))
            return false;
    return turn(polygon, ear[0], ear[1], other) >= 0 && turn(polygon, ear[1], ear[2], other) >= 0 &&
           turn(polygon, ear[2], ear[0], other) >= 0;
}

/* Only corners that do not turn left can be the ones that reach into an ear. */
static bool is_ear(io_polygon *polygon, uint32_t tip)
{
    const io_polygon_corner *corners = polygon->corners.items;
    if (corners[tip].turn <= 0)
        return false;
    uint32_t ear[3] = {corners[tip].previous, tip, corners[tip].next};
    for (uint32_t other = corners[ear[2]].next; other != ear[0]; other = corners[other].next)
    {
        polygon->work_left -= polygon->work_left > 0;
        if (corners[other].turn <= 0 && blocks_ear(polygon, ear, other))
            return false;
    }
    return true;
}

static void update_turn(io_polygon *polygon, uint32_t corner)
{
    io_polygon_corner *at = polygon->corners.items + corner;
    at->turn = turn(polygon, at->previous, corner, at->next);
}

/* Cuts the corner off as a triangle; returns where to continue. */
static uint32_t clip_corner(io_polygon *polygon, io_soup *soup, uint32_t tip)
{
    io_polygon_corner *corners = polygon->corners.items;
    uint32_t previous = corners[tip].previous, next = corners[tip].next;
    io_soup_add_triangle(soup, corners[previous].vertex, corners[tip].vertex, corners[next].vertex);
    corners[previous].next = next;
    corners[next].previous = previous;
    update_turn(polygon, previous);
    update_turn(polygon, next);
    return corners[next].next;
}

/* A simple polygon always has an ear. Where none is found, the polygon crosses itself or has spikes: then a flat corner
 * is cut off, or else any corner, so that the loop ends and every corner stays in the mesh. */
static carom_status clip_ears(io_polygon *polygon, io_soup *soup, size_t count)
{
    if (!io_array_reserve(soup->context, &soup->indices, 3 * (count - 2)))
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < count; i++)
    {
        polygon->corners.items[i].previous = i == 0 ? (uint32_t)count - 1 : i - 1;
        polygon->corners.items[i].next = i + 1 == count ? 0 : i + 1;
    }
    for (uint32_t i = 0; i < count; i++)
        update_turn(polygon, i);

    uint32_t at = 0;
    size_t left = count, looked_at = 0;
    while (left > 3)
    {
        if (polygon->work_left == 0)
            return CAROM_TOO_LARGE;
        bool flat_will_do = looked_at >= left, any_will_do = looked_at >= 2 * left;
        if (any_will_do || (flat_will_do ? polygon->corners.items[at].turn == 0 : is_ear(polygon, at)))
        {
            at = clip_corner(polygon, soup, at);
            left--;
            looked_at = 0;
        }
        else
        {
            at = polygon->corners.items[at].next;
            looked_at++;
        }
    }
    clip_corner(polygon, soup, at);
    return CAROM_OK;
}

carom_status io_polygon_triangulate(io_polygon *polygon, io_soup *soup)
{
    size_t count = polygon->vertices.count;
    const uint32_t *vertices = polygon->vertices.items;
    if (count == 3)
        return io_soup_add_triangle(soup, vertices[0], vertices[1], vertices[2]) ? CAROM_OK : CAROM_OUT_OF_MEMORY;

    polygon->corners.count = 0;
    if (!io_array_reserve(polygon->context, &polygon->corners, count))
        return CAROM_OUT_OF_MEMORY;
    for (size_t i = 0; i < count; i++)
        polygon->corners.items[i] =
            (io_polygon_corner){.position = soup->vertices.items[vertices[i]], .vertex = vertices[i]};
    if (!choose_plane(polygon, count) || fan_is_right(polygon, 0, count))
        return add_fan(polygon, soup, 0, count) ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    if (count == 4 && fan_is_right(polygon, 1, count))
        return add_fan(polygon, soup, 1, count) ? CAROM_OK : CAROM_OUT_OF_MEMORY;
    return clip_ears(polygon, soup, count);
}

void io_polygon_free(io_polygon *polygon)
{
    io_array_free(polygon->context, &polygon->vertices);
    io_array_free(polygon->context, &polygon->corners);
}
