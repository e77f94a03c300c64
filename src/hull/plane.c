/* Planes of facets and the sides of points. The filter has one bound per plane, for all points of the build: cheaper
 * than one per point, and only points within rounding of the plane get to the exact predicate. */
#include "hull/build.h"

hull_plane hull_make_plane(const hull_space *space, const uint32_t corner[3])
{
    const carom_vec3 base = space->points[corner[2]];
    const carom_vec3 u = vec3_sub(space->points[corner[0]], base), v = vec3_sub(space->points[corner[1]], base);
    const double yz = u.y * v.z, zy = u.z * v.y, zx = u.z * v.x, xz = u.x * v.z, xy = u.x * v.y, yx = u.y * v.x;
    double magnitude = (fabs(yz) + fabs(zy)) * space->extent.x + (fabs(zx) + fabs(xz)) * space->extent.y +
                       (fabs(xy) + fabs(yx)) * space->extent.z;
    return (hull_plane){vec3(yz - zy, zx - xz, xy - yx), space->relative * magnitude + space->absolute};
}

/* Every product and sum of a height is exact where coordinates are multiples of a unit and no difference has more than
 * 16 bits: then the bound is 0. Points of grids and of quantised models are like that. */
static bool is_lattice(const hull_space *space)
{
    double largest = fmax(space->extent.x, fmax(space->extent.y, space->extent.z));
    int exponent;
    frexp(largest, &exponent);
    if (exponent < -200 || exponent > 200)
        return false;
    double scale = ldexp(1.0, 16 - exponent); /* differences become less than 2^16, and are whole if coordinates are */
    for (uint32_t i = 0; i < space->count; i++)
    {
        carom_vec3 p = vec3_scale(space->points[i], scale);
        if (p.x != floor(p.x) || p.y != floor(p.y) || p.z != floor(p.z))
            return false;
    }
    return true;
}

void hull_choose_bounds(hull_space *space)
{
    bool whole = is_lattice(space);
    space->relative = whole ? 0.0 : EXACT_RELATIVE_3D;
    space->absolute = whole ? 0.0 : EXACT_ABSOLUTE_3D;
}

int hull_side(hull_space *space, const hull_facet *facet, uint32_t point)
{
    const hull_plane *plane = &facet->plane;
    double height = hull_height(space, facet, point);
    space->steps++;
    if (fabs(height) > plane->bound)
        return height > 0.0 ? 1 : -1;
    if (plane->bound == 0.0)
        return 0;
    const carom_vec3 *p = space->points;
    return -exact_orient3d(p[facet->corner[0]], p[facet->corner[1]], p[facet->corner[2]], p[point], NULL);
}
