/* Stands in until the exact predicates are in src/math; weak, so that they win. */
#include "math/math.h"

__attribute__((weak)) bool exact_collinear(carom_vec3 a, carom_vec3 b, carom_vec3 c, uint64_t *fallbacks)
{
    (void)fallbacks;
    carom_vec3 normal = vec3_cross(vec3_sub(b, a), vec3_sub(c, a));
    return vec3_equal(normal, vec3(0, 0, 0));
}
