/* A ball that two convex hulls have in common, found from their facets alone. */
#ifndef TEST_ENGINE_COMMON_BALL_H
#define TEST_ENGINE_COMMON_BALL_H

#include "math/math.h"

typedef struct ball_hull
{
    const carom_vec3 *points;
    const uint32_t *facets; /* three points each, counterclockwise seen from outside */
    uint32_t facet_count;
    carom_vec3 centre; /* somewhere in the middle */
} ball_hull;

/* How deep a point is inside a hull: a lower bound, negative outside. */
static inline double ball_depth_in(const ball_hull *hull, carom_vec3 p, carom_vec3 *inwards)
{
    double depth = INFINITY;
    *inwards = vec3(0.0, 0.0, 0.0);
    for (uint32_t i = 0; i < hull->facet_count; i++)
    {
        const uint32_t *corner = hull->facets + 3 * (size_t)i;
        carom_vec3 a = hull->points[corner[0]];
        carom_vec3 normal = vec3_cross(vec3_sub(hull->points[corner[1]], a), vec3_sub(hull->points[corner[2]], a));
        double length = vec3_length(normal);
        if (!(length > 0.0))
            continue;
        double inside = -vec3_dot(normal, vec3_sub(p, a)) / length;
        if (inside < depth)
            depth = inside, *inwards = vec3_scale(normal, -1.0 / length);
    }
    return depth;
}

/* The radius of a ball in both: not the largest in general, but one that is there. size: of the hulls, about. */
static inline double ball_in_both(const ball_hull *a, const ball_hull *b, double size)
{
    carom_vec3 p = vec3_scale(vec3_add(a->centre, b->centre), 0.5);
    double best = -INFINITY, step = 0.5 * size;
    for (int i = 0; i < 160; i++)
    {
        carom_vec3 into_a, into_b;
        double in_a = ball_depth_in(a, p, &into_a), in_b = ball_depth_in(b, p, &into_b);
        best = fmax(best, fmin(in_a, in_b));
        p = vec3_add(p, vec3_scale(in_a < in_b ? into_a : into_b, step));
        step *= 0.95;
    }
    return best * (1.0 - 1e-9) - 1e-12 * size;
}

#endif
