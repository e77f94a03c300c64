/* The normalised frame of a model. */
#include "math/math.h"

static double largest(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

static double scale_for(double half)
{
    int exponent;
    if (!(half > 0x1p-300))
        return 0x1p300;
    frexp(half, &exponent); /* half = mantissa * 2^exponent, mantissa in [1/2, 1) */
    return ldexp(1.0, -exponent);
}

math_frame math_frame_of(const carom_aabb *box)
{
    carom_vec3 centre = vec3_scale(vec3_add(box->min, box->max), 0.5);
    double half = fmax(largest(vec3_sub(box->max, centre)), largest(vec3_sub(box->min, centre)));
    return (math_frame){centre, scale_for(half)};
}
