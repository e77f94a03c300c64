/* How determinants become t, u, v: shared by narrow_ray_solve and its version in registers. */
#ifndef NARROW_RAY_H
#define NARROW_RAY_H

#include "narrow/narrow.h"

/* det [d; e1; e2], [c; e1; e2], [d; e2; c], [d; c; e1] with e1, e2 the edges from corner 0 and c that corner seen from
 * the origin; and bounds of their errors. */
typedef struct ray_determinants
{
    double value[4], bound[4];
} ray_determinants;

/* The filters' bounds hold for such directions. */
static inline bool ray_in_range(carom_vec3 d)
{
    return fabs(d.x) <= EXACT_RAY_LARGEST && fabs(d.y) <= EXACT_RAY_LARGEST && fabs(d.z) <= EXACT_RAY_LARGEST;
}

/* Beyond this, a determinant's relative error bound is small enough for quotients in plain double. */
#define RAY_TRUSTED        0x1p-40
#define RAY_TRUSTED_WEIGHT 0x1p-36 /* of u and v, against 1 */

/* t, u, v of a ray that hits, whose direction is in range and not below 2^-100. False: too many digits are lost. */
static inline bool ray_divide(const ray_determinants *det, double tuv[3])
{
    double steep = det->value[0], height = det->value[1], size = fabs(steep);
    if (!(det->bound[0] <= RAY_TRUSTED * size) || !(det->bound[1] <= RAY_TRUSTED * fabs(height)) ||
        !(det->bound[2] + det->bound[3] <= RAY_TRUSTED_WEIGHT * size))
        return false;
    double u = det->value[2] / steep, v = det->value[3] / steep, max_v;
    tuv[0] = height / steep;
    /* The hit is inside, whatever rounding says. */
    u = u > 0.0 ? u : 0.0;
    u = u < 1.0 ? u : 1.0;
    max_v = 1.0 - u;
    v = v > 0.0 ? v : 0.0;
    tuv[1] = u;
    tuv[2] = v < max_v ? v : max_v;
    return true;
}

#endif
