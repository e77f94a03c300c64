/* Exact predicates: a filter in double whose error bound is derived in docs/exactness.md, then wide integers. The
 * filters follow Shewchuk, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates" (1997);
 * the exact stage does not: integers can't underflow and are as fast for the few limbs usually needed. */
#include "math/exact_small.h"
#include "math/exact_wide.h"

static double coordinate(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static void count_fallback(uint64_t *fallbacks)
{
    if (fallbacks)
        ++*fallbacks;
}

static int common_exponent(const carom_vec3 *points, int count)
{
    double values[18];
    for (int i = 0; i < count; i++)
    {
        values[3 * i] = points[i].x;
        values[3 * i + 1] = points[i].y;
        values[3 * i + 2] = points[i].z;
    }
    return integer_common_exponent(values, 3 * count);
}

/* Zero for a reason that needs no arithmetic: two points are equal, or all share a coordinate. */
static bool plainly_coplanar(const carom_vec3 p[4])
{
    for (int i = 0; i < 4; i++)
        for (int j = i + 1; j < 4; j++)
            if (vec3_equal(p[i], p[j]))
                return true;
    return (p[0].x == p[1].x && p[0].x == p[2].x && p[0].x == p[3].x) ||
           (p[0].y == p[1].y && p[0].y == p[2].y && p[0].y == p[3].y) ||
           (p[0].z == p[1].z && p[0].z == p[2].z && p[0].z == p[3].z);
}

int exact_orient3d_integers(carom_vec3 a, carom_vec3 b, carom_vec3 c, carom_vec3 d, uint64_t *fallbacks)
{
    carom_vec3 points[4] = {a, b, c, d};
    if (plainly_coplanar(points))
        return 0;
    count_fallback(fallbacks);
#if MATH_HAS_SMALL
    small_point p[4];
    if (small_points(points, 4, p))
        return small_sign(small_orient3d(p));
#endif
    wide determinant;
    integer_orient3d(&determinant, points, common_exponent(points, 4));
    return determinant.sign;
}

int exact_orient3d(carom_vec3 a, carom_vec3 b, carom_vec3 c, carom_vec3 d, uint64_t *fallbacks)
{
    double bound, determinant = exact_filter3d(vec3_sub(a, d), vec3_sub(b, d), vec3_sub(c, d), &bound);
    int sign = exact_filter_sign(determinant, bound);
    return BASE_LIKELY(sign != 0) ? sign : exact_orient3d_integers(a, b, c, d, fallbacks);
}

int exact_orient2d(carom_vec3 a, carom_vec3 b, carom_vec3 c, int axis, uint64_t *fallbacks)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double au = coordinate(a, u), av = coordinate(a, v), bu = coordinate(b, u), bv = coordinate(b, v),
           cu = coordinate(c, u), cv = coordinate(c, v);
    double bound, determinant = exact_filter2d(bu - au, bv - av, cu - au, cv - av, &bound);
    int sign = exact_filter_sign(determinant, bound);
    if (BASE_LIKELY(sign != 0))
        return sign;
    bool same_u = au == bu && au == cu, same_v = av == bv && av == cv;
    if (same_u || same_v || (au == bu && av == bv) || (au == cu && av == cv) || (bu == cu && bv == cv))
        return 0;
    count_fallback(fallbacks);
    carom_vec3 points[3] = {a, b, c};
#if MATH_HAS_SMALL
    small_point p[3];
    if (small_points(points, 3, p))
        return small_sign_128(small_orient2d(p, axis));
#endif
    wide minor;
    integer_orient2d(&minor, points, axis, common_exponent(points, 3));
    return minor.sign;
}

bool exact_collinear(carom_vec3 a, carom_vec3 b, carom_vec3 c, uint64_t *fallbacks)
{
    for (int axis = 0; axis < 3; axis++)
        if (exact_orient2d(a, b, c, axis, fallbacks) != 0)
            return false;
    return true;
}

/* ---- rays ---- */

/* The direction has its own unit: its magnitude may be far from that of the points. */
static int integer_direction(wide out[3], carom_vec3 direction)
{
    int exponent = common_exponent(&direction, 1);
    integer_from_double(&out[0], direction.x, exponent);
    integer_from_double(&out[1], direction.y, exponent);
    integer_from_double(&out[2], direction.z, exponent);
    return exponent;
}

int exact_ray3d_integers(carom_vec3 direction, carom_vec3 origin, carom_vec3 a, carom_vec3 b, uint64_t *fallbacks)
{
    if (vec3_equal(a, b) || vec3_equal(a, origin) || vec3_equal(b, origin))
        return 0;
    count_fallback(fallbacks);
    carom_vec3 points[3] = {origin, a, b};
#if MATH_HAS_SMALL
    small_point along, s[3];
    if (small_points(&direction, 1, &along) && small_points(points, 3, s))
        return small_sign(small_determinant(along, small_difference(s[1], s[0]), small_difference(s[2], s[0])));
#endif
    int exponent = common_exponent(points, 3);
    wide d[3], p[3], q[3], determinant;
    integer_direction(d, direction);
    integer_differences(p, a, origin, exponent);
    integer_differences(q, b, origin, exponent);
    integer_determinant(&determinant, d, p, q);
    return determinant.sign;
}

static bool within_filter(carom_vec3 direction)
{
    return fabs(direction.x) <= EXACT_RAY_LARGEST && fabs(direction.y) <= EXACT_RAY_LARGEST &&
           fabs(direction.z) <= EXACT_RAY_LARGEST;
}

int exact_ray3d(carom_vec3 direction, carom_vec3 origin, carom_vec3 a, carom_vec3 b, uint64_t *fallbacks)
{
    double bound, determinant = exact_filter3d(direction, vec3_sub(a, origin), vec3_sub(b, origin), &bound);
    int sign = within_filter(direction) ? exact_filter_sign(determinant, bound) : 0;
    return BASE_LIKELY(sign != 0) ? sign : exact_ray3d_integers(direction, origin, a, b, fallbacks);
}

int exact_ray2d(carom_vec3 direction, carom_vec3 origin, carom_vec3 a, int axis, uint64_t *fallbacks)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    double du = coordinate(direction, u), dv = coordinate(direction, v);
    if (within_filter(direction))
    {
        double pu = coordinate(a, u) - coordinate(origin, u), pv = coordinate(a, v) - coordinate(origin, v);
        double bound, determinant = exact_filter2d(du, dv, pu, pv, &bound);
        int sign = exact_filter_sign(determinant, bound);
        if (sign != 0)
            return sign;
    }
    count_fallback(fallbacks);
    carom_vec3 points[2] = {origin, a};
    wide d[3], p[3], minor;
    integer_direction(d, direction);
    integer_differences(p, a, origin, common_exponent(points, 2));
    integer_minor(&minor, &d[u], &d[v], &p[u], &p[v]);
    return minor.sign;
}

/* ---- quotients ---- */

double exact_quotient2d(const carom_vec3 points[6], int axis)
{
    int exponent = common_exponent(points, 6);
    wide numerator, denominator;
    integer_orient2d(&numerator, points, axis, exponent);
    integer_orient2d(&denominator, points + 3, axis, exponent);
    return integer_ratio(&numerator, &denominator, 0);
}

void exact_ray_solve(carom_vec3 direction, carom_vec3 origin, const carom_vec3 corner[3], double tuv[3])
{
    carom_vec3 points[4] = {corner[0], corner[1], corner[2], origin};
    int exponent = common_exponent(points, 4);
    wide d[3], row[3][3], weight[3], sum, reach;
    int direction_exponent = integer_direction(d, direction);
    for (int i = 0; i < 3; i++)
        integer_differences(row[i], corner[i], origin, exponent);
    for (int i = 0; i < 3; i++)
        integer_determinant(&weight[i], d, row[(i + 1) % 3], row[(i + 2) % 3]);
    integer_determinant(&reach, row[0], row[1], row[2]);
    integer_add(&sum, &weight[0], &weight[1]);
    integer_add(&sum, &sum, &weight[2]);
    tuv[0] = integer_ratio(&reach, &sum, exponent - direction_exponent);
    tuv[1] = integer_ratio(&weight[1], &sum, 0);
    tuv[2] = integer_ratio(&weight[2], &sum, 0);
}

void exact_ray_pass(carom_vec3 direction, carom_vec3 origin, const carom_vec3 line[2], int axis, double t_share[2])
{
    carom_vec3 points[3] = {line[0], line[1], origin};
    int exponent = common_exponent(points, 3), u = (axis + 1) % 3, v = (axis + 2) % 3;
    wide d[3], p[3], q[3], side_p, side_q, numerator, denominator;
    int direction_exponent = integer_direction(d, direction);
    integer_differences(p, line[0], origin, exponent);
    integer_differences(q, line[1], origin, exponent);
    integer_minor(&side_p, &d[u], &d[v], &p[u], &p[v]);
    integer_minor(&side_q, &d[u], &d[v], &q[u], &q[v]);
    integer_minor(&numerator, &p[u], &p[v], &q[u], &q[v]);
    integer_subtract(&denominator, &side_q, &side_p);
    t_share[0] = integer_ratio(&numerator, &denominator, exponent - direction_exponent);
    side_p.sign = -side_p.sign;
    t_share[1] = integer_ratio(&side_p, &denominator, 0);
}
