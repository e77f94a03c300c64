/* Which of two hits of a ray comes first? A parameter is a quotient of integers or the smaller root of a quadratic
 * equation with integer coefficients, and signs of polynomials in them decide; docs/exactness.md (section 7) explains
 * why. The integers are in a pool of POOL_LIMBS, and there is room, since with coordinates of at most 2^110
 *
 *   differences, radii                 below 2^1185                                                38 limbs
 *   cross products                     below 2^2372                                                75
 *   n, d                               below 2^3558; their products below 2^7116                   112, 223
 *   a, b, c                            below 2^4744                                                149
 *   a n^2 - 2 b n d + c d^2            below 4 2^11860; where n / d is b / a of another root, below 4 2^14232   445
 *   j, k, m: a b' - a' b and the like  below 2^9489                                                297
 *   squares of those and four times products, their differences    below 5 2^18978 < 2^18981       594
 *
 * and where two roots are compared, which takes most, a, b, c of both, j, k, m, the square, a product and four times
 * that, and two products with k and j, one of them twice, are all that is there. */
#include "math/exact_pool.h"
#include "math/exact_wide.h"

_Static_assert(6 * 149 + 3 * 298 + 596 + 596 + 597 + 447 + 447 + 448 < POOL_LIMBS, "there is room for two roots");

/* In units of 2^exponent / 2^direction_exponent, whatever the kind. */
typedef struct parameter
{
    bool is_root;
    number a, b, c; /* b / a, or the smaller root of a t^2 - 2 b t + c, which is real; a > 0 */
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

static number component(const number3 *v, int axis) { return axis == 0 ? v->x : axis == 1 ? v->y : v->z; }

/* What a parameter is made from. */
typedef struct making
{
    pool *pool;
    const ray_units *units;
    number3 d;
    const exact_ray_at *at;
} making;

static number3 difference(const making *from, carom_vec3 p, carom_vec3 q)
{
    return pool_differences(from->pool, p, q, from->units->exponent);
}

static void set_line(parameter *out, const making *from)
{
    const exact_ray_at *at = from->at;
    int u = (at->axis + 1) % 3, v = (at->axis + 2) % 3;
    number3 p = difference(from, from->units->origin, at->point[0]),
            q = difference(from, from->units->origin, at->point[1]), e = difference(from, at->point[0], at->point[1]);
    out->a = pool_minor(from->pool, component(&from->d, u), component(&from->d, v), component(&e, u), component(&e, v));
    out->b = pool_minor(from->pool, component(&p, u), component(&p, v), component(&q, u), component(&q, v));
}

static void set_plane(parameter *out, const making *from)
{
    const exact_ray_at *at = from->at;
    number3 r = difference(from, from->units->origin, at->point[0]), e = difference(from, at->point[0], at->point[1]),
            f = difference(from, at->point[0], at->point[2]), normal = pool_cross(from->pool, &e, &f);
    out->a = pool_dot(from->pool, &from->d, &normal);
    out->b = pool_dot(from->pool, &r, &normal);
}

static void set_point(parameter *out, const making *from)
{
    int axis = from->d.x.sign ? 0 : from->d.y.sign ? 1 : 2;
    number3 r = difference(from, from->units->origin, from->at->point[0]);
    out->a = component(&from->d, axis), out->b = component(&r, axis);
}

/* |r|^2 - radius^2 |e|^2, or without e */
static number off(const making *from, const number3 *r, const number3 *e)
{
    pool *pool = from->pool;
    number square = pool_square(pool, pool_from_double(pool, from->at->radius, from->units->exponent));
    if (e)
        square = pool_multiply(pool, square, pool_dot(pool, e, e));
    return pool_subtract(pool, pool_dot(pool, r, r), square);
}

static void set_ball(parameter *out, const making *from)
{
    number3 r = difference(from, from->units->origin, from->at->point[0]);
    out->a = pool_dot(from->pool, &from->d, &from->d);
    out->b = pool_dot(from->pool, &r, &from->d);
    out->c = off(from, &r, NULL);
}

static void set_side(parameter *out, const making *from)
{
    const exact_ray_at *at = from->at;
    number3 r = difference(from, from->units->origin, at->point[0]), e = difference(from, at->point[0], at->point[1]),
            across = pool_cross(from->pool, &from->d, &e), moment = pool_cross(from->pool, &r, &e);
    out->a = pool_dot(from->pool, &across, &across);
    out->b = pool_dot(from->pool, &moment, &across);
    out->c = off(from, &moment, &e);
}

static void set_origin(parameter *out, const making *from)
{
    out->a = pool_from_double(from->pool, 1.0, 0), out->b = pool_from_double(from->pool, 0.0, 0);
}

/* Nothing else is left in the pool. The parts are pushed in the order a, b, c. */
static void set_parameter(parameter *out, pool *pool, const ray_units *units, const exact_ray_at *at)
{
    typedef void set_fn(parameter * out, const making *from);
    static set_fn *const of_kind[] = {
        [EXACT_AT_ORIGIN] = set_origin, [EXACT_AT_POINT] = set_point, [EXACT_AT_LINE] = set_line,
        [EXACT_AT_PLANE] = set_plane,   [EXACT_AT_BALL] = set_ball,   [EXACT_AT_SIDE] = set_side};
    uint32_t mark = pool->used;
    making from = {pool, units,
                   pool_differences(pool, vec3(0.0, 0.0, 0.0), units->direction, units->direction_exponent), at};
    out->is_root = at->kind == EXACT_AT_BALL || at->kind == EXACT_AT_SIDE;
    of_kind[at->kind](out, &from);
    out->a = pool_keep(pool, mark, out->a);
    out->b = pool_keep(pool, pool->used, out->b);
    if (out->is_root)
        out->c = pool_keep(pool, pool->used, out->c);
    if (out->a.sign < 0)
        out->a.sign = 1, out->b.sign = -out->b.sign;
}

/* m 2^k as a quotient; k is from -2258 to 2155, so that neither part has more bits than a determinant. */
static void set_number(parameter *out, pool *pool, const ray_units *units, double t)
{
    int own = integer_common_exponent(&t, 1), power = own + units->direction_exponent - units->exponent;
    out->is_root = false;
    out->a = pool_from_double(pool, 1.0, power < 0 ? power : 0);
    out->b = pool_from_double(pool, t, power > 0 ? own - power : own);
}

/* The sign of x - root, from the sign of the polynomial at x and that of x - (half the sum of its roots). */
static int beside_root(int value, int side)
{
    if (value > 0)
        return side < 0 ? -1 : 1;
    return value < 0 || side > 0;
}

/* The sign of top / bottom - root; bottom > 0. */
static int compare_quotient_root(pool *pool, number top, number bottom, const parameter *root)
{
    number at_top = pool_multiply(pool, root->a, top), at_bottom = pool_multiply(pool, root->b, bottom);
    int side = pool_compare(at_top, at_bottom);
    /* (a top - 2 b bottom) top + c bottom^2 */
    number rest = pool_subtract(pool, at_top, pool_shift(pool, at_bottom, 1)), left = pool_multiply(pool, rest, top);
    number right = pool_multiply(pool, pool_square(pool, bottom), root->c);
    return beside_root(pool_add(pool, left, right).sign, side);
}

/* With j = a b' - a' b, k = a c' - a' c and m = b c' - b' c, the polynomial p of the first has the sign of 2 j x - k at
 * the root x of the second, and that of the second has the sign of k^2 - 4 j m at k / 2 j. Returns the sign of p(x). */
static int sign_at_root(pool *pool, const parameter *of, const parameter *root)
{
    number j = pool_minor(pool, of->a, of->b, root->a, root->b), k = pool_minor(pool, of->a, of->c, root->a, root->c);
    if (j.sign == 0)
        return -k.sign;
    number m = pool_minor(pool, of->b, of->c, root->b, root->c);
    number square = pool_square(pool, k), product = pool_shift(pool, pool_multiply(pool, j, m), 2);
    int value = pool_compare(square, product);
    number left = pool_multiply(pool, root->a, k), right = pool_shift(pool, pool_multiply(pool, root->b, j), 1);
    int side = j.sign * pool_compare(left, right);
    return -j.sign * beside_root(value, side);
}

static int compare_roots(pool *pool, const parameter *a, const parameter *b)
{
    uint32_t mark = pool->used;
    int value = sign_at_root(pool, a, b);
    if (value < 0) /* b is between the roots */
        return -1;
    pool->used = mark;
    int middle = compare_quotient_root(pool, a->b, a->a, b); /* half the sum of a's roots, compared with b */
    return value > 0 ? (middle > 0 ? 1 : -1) : (middle >= 0 ? 0 : -1);
}

static int compare_quotients(pool *pool, const parameter *a, const parameter *b)
{
    if (a->b.sign != b->b.sign)
        return a->b.sign < b->b.sign ? -1 : 1;
    return pool_compare(pool_multiply(pool, a->b, b->a), pool_multiply(pool, b->b, a->a));
}

static int compare(pool *pool, const parameter *a, const parameter *b)
{
    if (a->is_root)
        return b->is_root ? compare_roots(pool, a, b) : -compare_quotient_root(pool, b->b, b->a, a);
    return b->is_root ? compare_quotient_root(pool, a->b, a->a, b) : compare_quotients(pool, a, b);
}

int exact_ray_compare(carom_vec3 direction, carom_vec3 origin, const exact_ray_at *a, const exact_ray_at *b,
                      uint64_t *fallbacks)
{
    if (fallbacks)
        ++*fallbacks;
    ray_units units = units_of(direction, origin, a, b);
    pool pool;
    parameter of_a, of_b;
    pool.used = 0;
    set_parameter(&of_a, &pool, &units, a);
    set_parameter(&of_b, &pool, &units, b);
    return compare(&pool, &of_a, &of_b);
}

int exact_ray_compare_t(carom_vec3 direction, carom_vec3 origin, const exact_ray_at *a, double t, uint64_t *fallbacks)
{
    if (fallbacks)
        ++*fallbacks;
    ray_units units = units_of(direction, origin, a, NULL);
    pool pool;
    parameter of_a, number;
    pool.used = 0;
    set_parameter(&of_a, &pool, &units, a);
    set_number(&number, &pool, &units, t);
    return compare(&pool, &of_a, &number);
}
