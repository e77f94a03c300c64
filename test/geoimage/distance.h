/* Distances of points from triangles, for tests of error bounds: by normal equations, so not as the library does it. */
#ifndef TEST_GEOIMAGE_DISTANCE_H
#define TEST_GEOIMAGE_DISTANCE_H

#include "carom/math.h"

#include <math.h>

static inline carom_vec3 distance_sub(carom_vec3 a, carom_vec3 b)
{
    return (carom_vec3){a.x - b.x, a.y - b.y, a.z - b.z};
}

static inline double distance_dot(carom_vec3 a, carom_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static inline carom_vec3 distance_mix(carom_vec3 a, carom_vec3 b, double t)
{
    return (carom_vec3){a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z)};
}

static inline double distance2_to_segment(carom_vec3 p, carom_vec3 a, carom_vec3 b)
{
    carom_vec3 ab = distance_sub(b, a);
    double length = distance_dot(ab, ab), t = length > 0 ? distance_dot(distance_sub(p, a), ab) / length : 0;
    carom_vec3 d = distance_sub(p, distance_mix(a, b, t < 0 ? 0 : t > 1 ? 1 : t));
    return distance_dot(d, d);
}

/* By the sides if the foot of the perpendicular is outside. */
static inline double distance2_to_triangle(carom_vec3 p, const carom_vec3 t[3])
{
    carom_vec3 u = distance_sub(t[1], t[0]), v = distance_sub(t[2], t[0]), w = distance_sub(p, t[0]);
    double uu = distance_dot(u, u), uv = distance_dot(u, v), vv = distance_dot(v, v), wu = distance_dot(w, u),
           wv = distance_dot(w, v), det = uu * vv - uv * uv;
    double best = fmin(distance2_to_segment(p, t[0], t[1]),
                       fmin(distance2_to_segment(p, t[1], t[2]), distance2_to_segment(p, t[2], t[0])));
    if (det <= 1e-12 * uu * vv)
        return best;
    double a = (vv * wu - uv * wv) / det, b = (uu * wv - uv * wu) / det;
    if (a < 0 || b < 0 || a + b > 1)
        return best;
    carom_vec3 d = distance_sub(w, (carom_vec3){a * u.x + b * v.x, a * u.y + b * v.y, a * u.z + b * v.z});
    return fmin(best, distance_dot(d, d));
}

#endif
