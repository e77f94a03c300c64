/* Numbers for generators. Nothing here calls a function of libm but sqrt, so results are the same bits wherever doubles
 * are IEEE. */
#ifndef SCENES_NUMERIC_H
#define SCENES_NUMERIC_H

#include "carom/math.h"

/* Sine and cosine of a fraction of a full turn; exact at multiples of a quarter turn. */
void numeric_sin_cos(double turns, double *sine, double *cosine);

typedef struct numeric_random
{
    uint64_t state;
} numeric_random;

uint64_t numeric_next(numeric_random *random);
double numeric_uniform(numeric_random *random, double low, double high);
carom_vec3 numeric_direction(numeric_random *random);                           /* unit length, uniform on the sphere */
carom_pose numeric_orientation(numeric_random *random, carom_vec3 translation); /* uniform over rotations */

/* Smooth noise in [-1, 1] from hashed lattice values; `octaves` of halving amplitude and doubling frequency. */
double numeric_noise(carom_vec3 point, uint64_t seed, int octaves);

carom_vec3 numeric_vec(double x, double y, double z);
carom_vec3 numeric_add(carom_vec3 a, carom_vec3 b);
carom_vec3 numeric_sub(carom_vec3 a, carom_vec3 b);
carom_vec3 numeric_scale(carom_vec3 a, double s);
carom_vec3 numeric_mix(carom_vec3 a, carom_vec3 b, double t); /* a at 0, b at 1 */
double numeric_dot(carom_vec3 a, carom_vec3 b);
carom_vec3 numeric_cross(carom_vec3 a, carom_vec3 b);
double numeric_length(carom_vec3 a);
carom_vec3 numeric_normalised(carom_vec3 a); /* x axis for the zero vector */

#endif
