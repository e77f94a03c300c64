/* Three random directions at right angles. */
#ifndef TEST_AXES_H
#define TEST_AXES_H

#include "math/math.h"
#include "support/check.h"

static inline void axes_random(check_random *random, carom_vec3 axis[3])
{
    carom_vec3 u = check_random_point(random, -1.0, 1.0), v = check_random_point(random, -1.0, 1.0);
    u = vec3_scale(u, 1.0 / vec3_length(u));
    carom_vec3 w = vec3_cross(u, v);
    w = vec3_scale(w, 1.0 / vec3_length(w));
    axis[0] = u, axis[1] = w, axis[2] = vec3_cross(u, w);
}

#endif
