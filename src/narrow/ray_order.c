/* The order of a ray's hits. Neighbours in a mesh share corners and edges, and a ray through one of these hits all of
 * them at the same t; those ties, and planes across an axis, are recognised before the exact comparison. */
#include "narrow/ray.h"

/* All three points of a plane have the same coordinate. */
static bool is_across(const carom_vec3 p[3], int axis, double *at)
{
    const double *x = (const double *)p;
    *at = x[axis];
    return x[axis] == x[3 + axis] && x[axis] == x[6 + axis];
}

static bool on_line(const narrow_ray *ray, carom_vec3 point, narrow_counts *counts)
{
    for (int axis = 0; axis < 3; axis++)
        if (exact_ray2d(ray->direction, ray->origin, point, axis, &counts->exact_fallbacks) != 0)
            return false;
    return true;
}

/* Do two planes share a point that the ray's line goes through, plainly? */
static bool plainly_tied(const narrow_ray *ray, const carom_vec3 a[3], const carom_vec3 b[3], narrow_counts *counts)
{
    carom_vec3 shared[3];
    int count = 0;
    for (int i = 0; i < 3; i++)
        if (vec3_equal(a[i], b[0]) || vec3_equal(a[i], b[1]) || vec3_equal(a[i], b[2]))
            shared[count++] = a[i];
    if (count == 3) /* of a plane, so they are three different points */
        return true;
    if (count == 2)
        return exact_ray3d(ray->direction, ray->origin, shared[0], shared[1], &counts->exact_fallbacks) == 0;
    return count == 1 && on_line(ray, shared[0], counts);
}

int narrow_ray_compare(const narrow_ray *ray, const exact_ray_at *a, const exact_ray_at *b, narrow_counts *counts)
{
    if (a->kind == EXACT_AT_PLANE && b->kind == EXACT_AT_PLANE)
    {
        const double d[3] = {ray->direction.x, ray->direction.y, ray->direction.z};
        double at_a, at_b;
        for (int axis = 0; axis < 3; axis++)
            if (is_across(a->point, axis, &at_a) && is_across(b->point, axis, &at_b))
                return at_a == at_b ? 0 : (at_a < at_b) == (d[axis] > 0.0) ? -1 : 1;
        if (plainly_tied(ray, a->point, b->point, counts))
            return 0;
    }
    return exact_ray_compare(ray->direction, ray->origin, a, b, &counts->exact_fallbacks);
}
