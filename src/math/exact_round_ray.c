/* The terms that decide whether and where a ray enters a capsule, in wide integers. exact_wide.h explains why they fit.
 */
#include "math/exact_wide.h"

typedef struct ray_numbers
{
    wide d[3], e[3], r[3], radius;
    int exponent, direction_exponent;
} ray_numbers;

static void set_numbers(ray_numbers *to, const exact_ray_round *in, int end)
{
    double values[10];
    memcpy(values, &in->origin, sizeof in->origin);
    memcpy(values + 3, in->end, sizeof in->end);
    values[9] = in->radius;
    to->exponent = integer_common_exponent(values, 10);
    to->direction_exponent = integer_common_exponent(&in->direction.x, 3);
    integer_differences(to->d, in->direction, vec3(0.0, 0.0, 0.0), to->direction_exponent);
    integer_differences(to->e, in->end[1], in->end[0], to->exponent);
    integer_differences(to->r, in->end[end], in->origin, to->exponent);
    integer_from_double(&to->radius, in->radius, to->exponent);
}

/* (radius factor)^2 */
static void scaled_radius(wide *out, const wide *radius, const wide *factor)
{
    wide product;
    integer_multiply(&product, radius, factor);
    integer_multiply(out, &product, &product);
}

/* radius^2 |v|^2 */
static void radius_times(wide *out, const wide *radius, const wide v[3])
{
    wide square, length;
    integer_multiply(&square, radius, radius);
    integer_dot(&length, v, v);
    integer_multiply(out, &square, &length);
}

/* The term as an integer. */
static void evaluate(wide *out, const ray_numbers *in, exact_ray_term term)
{
    wide first[3], second[3], product;
    switch (term)
    {
    case EXACT_RAY_ALONG: integer_dot(out, in->d, in->e); break;
    case EXACT_RAY_LENGTH: integer_dot(out, in->e, in->e); break;
    case EXACT_RAY_BEYOND: integer_dot(out, in->r, in->e); break;
    case EXACT_RAY_AHEAD: integer_dot(out, in->r, in->d); break;
    case EXACT_RAY_APPROACH:
    case EXACT_RAY_CLOSING:
        integer_cross(first, in->r, term == EXACT_RAY_APPROACH ? in->e : in->d);
        integer_cross(second, in->d, in->e);
        integer_dot(out, first, second);
        break;
    case EXACT_RAY_PASS:
        integer_cross(first, in->d, in->e);
        integer_dot(&second[0], in->r, first);
        integer_multiply(&product, &second[0], &second[0]);
        radius_times(out, &in->radius, first);
        integer_subtract(out, out, &product);
        break;
    case EXACT_RAY_OFF_AXIS:
        integer_cross(first, in->r, in->e);
        integer_dot(out, first, first);
        radius_times(&product, &in->radius, in->e);
        integer_subtract(out, out, &product);
        break;
    case EXACT_RAY_DISC:
        integer_cross(first, in->r, in->d);
        integer_cross(second, in->e, first);
        integer_dot(&product, second, second);
        integer_dot(&first[0], in->d, in->e);
        scaled_radius(out, &in->radius, &first[0]);
        integer_subtract(out, out, &product);
        break;
    case EXACT_RAY_OFF_END:
        integer_dot(out, in->r, in->r);
        integer_multiply(&product, &in->radius, &in->radius);
        integer_subtract(out, out, &product);
        break;
    case EXACT_RAY_CHORD:
        integer_cross(first, in->r, in->d);
        integer_dot(&product, first, first);
        radius_times(out, &in->radius, in->d);
        integer_subtract(out, out, &product);
        break;
    }
}

/* Degrees in the direction, and in coordinates and the radius. */
static const int degrees[][2] = {
    [EXACT_RAY_ALONG] = {1, 1},   [EXACT_RAY_LENGTH] = {0, 2},   [EXACT_RAY_APPROACH] = {1, 3},
    [EXACT_RAY_PASS] = {2, 4},    [EXACT_RAY_OFF_AXIS] = {0, 4}, [EXACT_RAY_BEYOND] = {0, 2},
    [EXACT_RAY_DISC] = {2, 4},    [EXACT_RAY_CLOSING] = {2, 2},  [EXACT_RAY_AHEAD] = {1, 1},
    [EXACT_RAY_OFF_END] = {0, 2}, [EXACT_RAY_CHORD] = {2, 2}};

exact_number exact_ray_evaluate(const exact_ray_round *in, exact_ray_term term, int end, uint64_t *fallbacks)
{
    if (fallbacks)
        ++*fallbacks;
    ray_numbers numbers;
    wide value;
    set_numbers(&numbers, in, end);
    evaluate(&value, &numbers, term);
    exact_number out;
    out.value = integer_leading(&value, &out.exponent);
    out.exponent += degrees[term][0] * numbers.direction_exponent + degrees[term][1] * numbers.exponent;
    return out;
}
