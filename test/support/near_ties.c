/* Rays and triangles whose hits nearly or exactly tie. See near_ties.h. */
#include "support/near_ties.h"
#include "support/families.h"

static carom_vec3 random_vector(check_random *random, const near_ties *ties)
{
    if (ties->lattice)
    {
        int x = family_integer(random, -4, 4), y = family_integer(random, -4, 4), z = family_integer(random, -4, 4);
        return vec3_scale(vec3(x, y, z), ties->size);
    }
    double x = check_uniform(random, -1, 1), y = check_uniform(random, -1, 1), z = check_uniform(random, -1, 1);
    return vec3_scale(vec3(x, y, z), ties->size);
}

near_ties near_ties_begin(check_random *random)
{
    near_ties ties = {.lattice = family_integer(random, 0, 2) == 0};
    if (ties.lattice)
    {
        ties.size = exp2(family_integer(random, -20, 80));
        int t = family_integer(random, 1, 5), d_exponent = family_integer(random, -8, 8);
        do
            ties.ray.direction = random_vector(random, &ties);
        while (vec3_equal(ties.ray.direction, vec3(0, 0, 0)));
        ties.ray.origin = random_vector(random, &ties);
        ties.target = vec3_add(ties.ray.origin, vec3_scale(ties.ray.direction, t));
        ties.t = t * exp2(-d_exponent);
        ties.ray.direction = vec3_scale(ties.ray.direction, exp2(d_exponent));
        return ties;
    }
    ties.size = pow(10.0, check_uniform(random, -6, 24));
    ties.ray.origin = vec3_scale(random_vector(random, &ties), exp2(family_integer(random, -3, 6)));
    ties.target = vec3_scale(random_vector(random, &ties), exp2(family_integer(random, -3, 6)));
    ties.ray.direction = vec3_sub(ties.target, ties.ray.origin);
    ties.t = exp2(family_integer(random, -8, 20)); /* directions stay below 2^100 */
    ties.ray.direction = vec3_scale(ties.ray.direction, 1.0 / ties.t);
    if (family_integer(random, 0, 3) == 0)
    {
        double length = check_uniform(random, 0.1, 3.0);
        ties.ray.direction = vec3_scale(ties.ray.direction, length), ties.t /= length;
    }
    return ties;
}

/* The target lies in it, about. */
static narrow_triangle around(check_random *random, const near_ties *ties, carom_vec3 a, carom_vec3 b)
{
    double share = ties->lattice ? 1.0 : check_uniform(random, 0.1, 2.0);
    carom_vec3 c = vec3_scale(vec3_add(a, b), -share);
    return (narrow_triangle){{vec3_add(ties->target, a), vec3_add(ties->target, b), vec3_add(ties->target, c)}};
}

static double flat_coordinate(check_random *random, double value)
{
    return family_integer(random, 0, 1) ? value : family_nudge(random, value, 2);
}

narrow_triangle near_ties_make(check_random *random, const near_ties *ties, const narrow_triangle *previous)
{
    carom_vec3 a = random_vector(random, ties), b = random_vector(random, ties);
    carom_vec3 along = vec3_scale(ties->ray.direction, ties->t);
    narrow_triangle out = around(random, ties, a, b);
    int kind = family_integer(random, 0, 9), corner = family_integer(random, 0, 2), axis = family_integer(random, 0, 2);
    double *coordinates = (double *)&out.corner[0];
    switch (kind)
    {
    case 0: /* a corner on the ray, or nearly */
        out = (narrow_triangle){{ties->target, vec3_add(ties->target, a), vec3_add(ties->target, b)}};
        break;
    case 1: /* an edge through the ray */
        out = (narrow_triangle){{vec3_add(ties->target, a), vec3_sub(ties->target, a), vec3_add(ties->target, b)}};
        break;
    case 2: /* across an axis */
        for (int i = 0; i < 3; i++)
            coordinates[3 * i + axis] = ((const double *)&ties->target)[axis];
        break;
    case 3: /* nearly or exactly edge-on */
        out = around(random, ties, along, ties->lattice ? b : vec3_add(along, vec3_scale(b, 0x1p-30)));
        break;
    case 4: /* in one plane with it, ahead */
        out = (narrow_triangle){{ties->target, vec3_add(ties->target, a), vec3_add(vec3_add(ties->target, a), along)}};
        break;
    case 5: /* in one plane, a crossing beside a corner */
        out = (narrow_triangle){{vec3_add(ties->target, a), vec3_sub(ties->target, a), vec3_add(ties->target, along)}};
        break;
    case 6: /* the previous one's edge and another corner */
        if (previous)
            out.corner[0] = previous->corner[corner], out.corner[1] = previous->corner[(corner + 1) % 3];
        break;
    case 7: /* the previous one, its corners turned, perhaps one of them a little off */
        if (!previous)
            break;
        for (int i = 0; i < 3; i++)
            out.corner[i] = previous->corner[(i + corner) % 3];
        coordinates[3 * corner + axis] = flat_coordinate(random, coordinates[3 * corner + axis]);
        break;
    default: break;
    }
    if (kind == 2)
        for (int i = 0, nudge = family_integer(random, 0, 1); i < 3 && nudge; i++)
            coordinates[3 * i + axis] = nextafter(coordinates[3 * i + axis], corner ? INFINITY : -INFINITY);
    return out;
}

double near_ties_limit(check_random *random, double t)
{
    switch (family_integer(random, 0, 6))
    {
    case 0: return t;
    case 1: return nextafter(t, INFINITY);
    case 2: return nextafter(t, 0.0);
    case 3: return t * (1.0 + 0x1p-40 * family_integer(random, -4, 4));
    case 4: return family_nudge(random, t, 4) < 0.0 ? 0.0 : fabs(family_nudge(random, t, 4));
    default: return INFINITY;
    }
}
