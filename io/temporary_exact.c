/* Stands in until the exact predicates are in src/math; weak, so that they win. */
#include "math/math.h"

__attribute__((weak)) int exact_orient2d(carom_vec3 a, carom_vec3 b, carom_vec3 c, int axis, uint64_t *fallbacks)
{
    (void)fallbacks;
    carom_vec3 normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    double part = axis == 0 ? normal.x : axis == 1 ? normal.y : normal.z;
    return (part > 0) - (part < 0);
}
