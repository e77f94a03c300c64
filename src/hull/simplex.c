/* The dimension of points, and a large simplex among them to start from. Sizes are compared in double, which decides
 * only how good the start is; that a simplex is not flat is decided exactly. Of equal points the first is taken. */
#include "hull/build.h"

static double coordinate(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

/* Lowest and highest point along the longest axis of the box; false if all points are equal. */
static bool find_ends(const hull_space *space, uint32_t corner[2])
{
    int axis = 0;
    for (int i = 1; i < 3; i++)
        axis = coordinate(space->extent, i) > coordinate(space->extent, axis) ? i : axis;
    double low = coordinate(space->points[0], axis), high = low;
    corner[0] = corner[1] = 0;
    for (uint32_t i = 1; i < space->count; i++)
    {
        double at = coordinate(space->points[i], axis);
        if (at < low)
            low = at, corner[0] = i;
        if (at > high)
            high = at, corner[1] = i;
    }
    return low < high;
}

/* The point that is farthest from the line through two corners; HULL_NONE: all are on it. */
static uint32_t find_third(const hull_space *space, const uint32_t corner[2])
{
    const carom_vec3 *p = space->points, a = p[corner[0]], along = vec3_sub(p[corner[1]], a);
    double best = -1.0;
    uint32_t third = 0;
    for (uint32_t i = 0; i < space->count; i++)
    {
        carom_vec3 across = vec3_cross(along, vec3_sub(p[i], a));
        double size = fabs(across.x) + fabs(across.y) + fabs(across.z);
        if (size > best)
            best = size, third = i;
    }
    if (!exact_collinear(a, p[corner[1]], p[third], NULL))
        return third;
    for (uint32_t i = 0; i < space->count; i++)
        if (!exact_collinear(a, p[corner[1]], p[i], NULL))
            return i;
    return HULL_NONE;
}

/* The point that is farthest from the plane through three corners; HULL_NONE: all are on it. */
static uint32_t find_fourth(hull_space *space, const uint32_t corner[3])
{
    hull_facet facet = {.plane = hull_make_plane(space, corner), .corner = {corner[0], corner[1], corner[2]}};
    double best = -1.0;
    uint32_t fourth = 0;
    for (uint32_t i = 0; i < space->count; i++)
    {
        double height = fabs(hull_height(space, &facet, i));
        if (height > best)
            best = height, fourth = i;
    }
    if (hull_side(space, &facet, fourth) != 0)
        return fourth;
    for (uint32_t i = 0; i < space->count; i++)
        if (hull_side(space, &facet, i) != 0)
            return i;
    return HULL_NONE;
}

int hull_find_simplex(hull_space *space, uint32_t corner[4])
{
    if (space->count == 0)
        return -1;
    if (!find_ends(space, corner))
        return 0;
    if ((corner[2] = find_third(space, corner)) == HULL_NONE)
        return 1;
    hull_choose_bounds(space);
    return (corner[3] = find_fourth(space, corner)) == HULL_NONE ? 2 : 3;
}
