/* Which of two hits of a ray comes first? A parameter is a quotient of integers or the smaller root of a quadratic
 * equation with integer coefficients, and signs of polynomials in them decide. exact_wide.h explains why they fit,
 * docs/exactness.md (section 7) why they decide. */
#include "math/exact_wide.h"

/* In units of 2^exponent / 2^direction_exponent, whatever the kind. */
typedef struct parameter
{
    bool is_root;
    wide a, b, c; /* b / a, or the smaller root of a t^2 - 2 b t + c, which is real; a > 0 */
} parameter;

typedef struct ray_units
{
    carom_vec3 direction, origin;
    int exponent, direction_exponent;
} ray_units;

enum
{
    POINT_VALUES = 9,
    VALUES = 3 + 2 * (POINT_VALUES + 1)
};

/* One unit for everything but the direction. `b` may be null. */
static ray_units units_of(carom_vec3 direction, carom_vec3 origin, const exact_ray_at *a, const exact_ray_at *b)
{
    static const int point_counts[] = {[EXACT_AT_ORIGIN] = 0, [EXACT_AT_POINT] = 1, [EXACT_AT_LINE] = 2,
                                       [EXACT_AT_PLANE] = 3,  [EXACT_AT_BALL] = 1,  [EXACT_AT_SIDE] = 2};
    const exact_ray_at *both[2] = {a, b};
    double values[VALUES] = {origin.x, origin.y, origin.z};
    int count = 3;
    for (int i = 0; i < 2; i++)
    {
        if (!both[i])
            continue;
        int own = 3 * point_counts[both[i]->kind];
        memcpy(values + count, both[i]->point, (size_t)own * sizeof *values);
        count += own;
        if (both[i]->kind == EXACT_AT_BALL || both[i]->kind == EXACT_AT_SIDE)
            values[count++] = both[i]->radius;
    }
    const double along[3] = {direction.x, direction.y, direction.z};
    return (ray_units){direction, origin, integer_common_exponent(values, count), integer_common_exponent(along, 3)};
}

static void set_line(parameter *out, const ray_units *units, const wide d[3], const exact_ray_at *at)
{
    int u = (at->axis + 1) % 3, v = (at->axis + 2) % 3;
    wide p[3], q[3], e[3];
    integer_differences(p, at->point[0], units->origin, units->exponent);
    integer_differences(q, at->point[1], units->origin, units->exponent);
    integer_differences(e, at->point[1], at->point[0], units->exponent);
    integer_minor(&out->b, &p[u], &p[v], &q[u], &q[v]);
    integer_minor(&out->a, &d[u], &d[v], &e[u], &e[v]);
}

static void set_plane(parameter *out, const ray_units *units, const wide d[3], const exact_ray_at *at)
{
    wide r[3], e[3], f[3], normal[3];
    integer_differences(r, at->point[0], units->origin, units->exponent);
    integer_differences(e, at->point[1], at->point[0], units->exponent);
    integer_differences(f, at->point[2], at->point[0], units->exponent);
    integer_cross(normal, e, f);
    integer_dot(&out->b, r, normal);
    integer_dot(&out->a, d, normal);
}

static void set_point(parameter *out, const ray_units *units, const wide d[3], const exact_ray_at *at)
{
    int axis = d[0].sign ? 0 : d[1].sign ? 1 : 2;
    wide r[3];
    integer_differences(r, at->point[0], units->origin, units->exponent);
    out->b = r[axis], out->a = d[axis];
}

/* |r|^2 - radius^2 |e|^2, or without e */
static void set_off(wide *out, const wide r[3], const wide *radius, const wide *e)
{
    wide square, term;
    integer_multiply(&square, radius, radius);
    if (e)
    {
        wide length;
        integer_dot(&length, e, e);
        integer_multiply(&term, &square, &length);
    }
    integer_dot(out, r, r);
    integer_subtract(out, out, e ? &term : &square);
}

static void set_ball(parameter *out, const ray_units *units, const wide d[3], const exact_ray_at *at)
{
    wide r[3], radius;
    integer_differences(r, at->point[0], units->origin, units->exponent);
    integer_from_double(&radius, at->radius, units->exponent);
    integer_dot(&out->a, d, d);
    integer_dot(&out->b, r, d);
    set_off(&out->c, r, &radius, NULL);
}

static void set_side(parameter *out, const ray_units *units, const wide d[3], const exact_ray_at *at)
{
    wide r[3], e[3], across[3], moment[3], radius;
    integer_differences(r, at->point[0], units->origin, units->exponent);
    integer_differences(e, at->point[1], at->point[0], units->exponent);
    integer_from_double(&radius, at->radius, units->exponent);
    integer_cross(across, d, e);
    integer_cross(moment, r, e);
    integer_dot(&out->a, across, across);
    integer_dot(&out->b, moment, across);
    set_off(&out->c, moment, &radius, e);
}

static void set_parameter(parameter *out, const ray_units *units, const exact_ray_at *at)
{
    wide d[3];
    integer_differences(d, units->direction, vec3(0.0, 0.0, 0.0), units->direction_exponent);
    out->is_root = at->kind == EXACT_AT_BALL || at->kind == EXACT_AT_SIDE;
    switch (at->kind)
    {
    case EXACT_AT_ORIGIN: integer_from_double(&out->a, 1.0, 0), integer_from_double(&out->b, 0.0, 0); break;
    case EXACT_AT_POINT: set_point(out, units, d, at); break;
    case EXACT_AT_LINE: set_line(out, units, d, at); break;
    case EXACT_AT_PLANE: set_plane(out, units, d, at); break;
    case EXACT_AT_BALL: set_ball(out, units, d, at); break;
    case EXACT_AT_SIDE: set_side(out, units, d, at); break;
    }
    if (out->a.sign < 0)
        out->a.sign = 1, out->b.sign = -out->b.sign;
}

/* m 2^k as a quotient; k is from -2258 to 2155, so that neither part has more bits than a determinant. */
static void set_number(parameter *out, const ray_units *units, double t)
{
    int own = integer_common_exponent(&t, 1), power = own + units->direction_exponent - units->exponent;
    out->is_root = false;
    integer_from_double(&out->b, t, power > 0 ? own - power : own);
    integer_from_double(&out->a, 1.0, power < 0 ? power : 0);
}

/* The sign of x - root, from the sign of the polynomial at x and that of x - (half the sum of its roots). */
static int beside_root(int value, int side)
{
    if (value > 0)
        return side < 0 ? -1 : 1;
    return value < 0 || side > 0;
}

/* The sign of top / bottom - root; bottom > 0. */
static int compare_quotient_root(const wide *top, const wide *bottom, const parameter *root)
{
    wide left, right, at_top, at_bottom;
    integer_multiply(&at_top, &root->a, top);
    integer_multiply(&at_bottom, &root->b, bottom);
    int side = integer_compare(&at_top, &at_bottom);
    /* (a top - 2 b bottom) top + c bottom^2 */
    integer_add(&at_bottom, &at_bottom, &at_bottom);
    integer_subtract(&at_top, &at_top, &at_bottom);
    integer_multiply(&left, &at_top, top);
    integer_multiply(&at_bottom, bottom, bottom);
    integer_multiply(&right, &at_bottom, &root->c);
    integer_add(&left, &left, &right);
    return beside_root(left.sign, side);
}

/* With j = a b' - a' b, k = a c' - a' c and m = b c' - b' c, the polynomial p of the first has the sign of 2 j x - k at
 * the root x of the second, and that of the second has the sign of k^2 - 4 j m at k / 2 j. Returns the sign of p(x). */
static int sign_at_root(const parameter *of, const parameter *root)
{
    wide j, k, m, square, product;
    integer_minor(&j, &of->a, &of->b, &root->a, &root->b);
    integer_minor(&k, &of->a, &of->c, &root->a, &root->c);
    if (j.sign == 0)
        return -k.sign;
    integer_minor(&m, &of->b, &of->c, &root->b, &root->c);
    integer_multiply(&square, &k, &k);
    integer_multiply(&product, &j, &m);
    integer_add(&product, &product, &product);
    integer_add(&product, &product, &product);
    int value = integer_compare(&square, &product);
    integer_multiply(&square, &root->a, &k);
    integer_multiply(&product, &root->b, &j);
    integer_add(&product, &product, &product);
    int side = j.sign * integer_compare(&square, &product);
    return -j.sign * beside_root(value, side);
}

static int compare_roots(const parameter *a, const parameter *b)
{
    int value = sign_at_root(a, b);
    if (value < 0) /* b is between the roots */
        return -1;
    int middle = compare_quotient_root(&a->b, &a->a, b); /* half the sum of a's roots, compared with b */
    return value > 0 ? (middle > 0 ? 1 : -1) : (middle >= 0 ? 0 : -1);
}

static int compare_quotients(const parameter *a, const parameter *b)
{
    wide left, right;
    if (a->b.sign != b->b.sign)
        return a->b.sign < b->b.sign ? -1 : 1;
    integer_multiply(&left, &a->b, &b->a);
    integer_multiply(&right, &b->b, &a->a);
    return integer_compare(&left, &right);
}

static int compare(const parameter *a, const parameter *b)
{
    if (a->is_root)
        return b->is_root ? compare_roots(a, b) : -compare_quotient_root(&b->b, &b->a, a);
    return b->is_root ? compare_quotient_root(&a->b, &a->a, b) : compare_quotients(a, b);
}

int exact_ray_compare(carom_vec3 direction, carom_vec3 origin, const exact_ray_at *a, const exact_ray_at *b,
                      uint64_t *fallbacks)
{
    if (fallbacks)
        ++*fallbacks;
    ray_units units = units_of(direction, origin, a, b);
    parameter of_a, of_b;
    set_parameter(&of_a, &units, a);
    set_parameter(&of_b, &units, b);
    return compare(&of_a, &of_b);
}

int exact_ray_compare_t(carom_vec3 direction, carom_vec3 origin, const exact_ray_at *a, double t, uint64_t *fallbacks)
{
    if (fallbacks)
        ++*fallbacks;
    ray_units units = units_of(direction, origin, a, NULL);
    parameter of_a, number;
    set_parameter(&of_a, &units, a);
    set_number(&number, &units, t);
    return compare(&of_a, &number);
}
