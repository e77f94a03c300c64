/* Signs for points that are intersections of lines and planes: filters from doubles, then 128-bit integers where the
 * coordinates are small numbers in some unit, otherwise integers of any size. exact_direction.c has those for
 * directions.
 *
 * A point is origin + r / w, with integers r and w in the unit of the coordinates and in powers of it, so that the sign
 * of any linear expression is that of an integer.
 *
 * The integers are in a pool of POOL_LIMBS, and there is room: with coordinates of at most 2^110, hence below 2^1185 as
 * integers, n a normal, h a height times |n|, and e and d directions along an edge and a line of two planes,
 *
 *   differences, reach                   below 2^1185                  38 limbs
 *   n                                    below 2^2371                  75
 *   h                                    below 3 2^3556 < 2^3558       112
 *   n1 x n2 = d                          below 2^4743                  149
 *   w = n0 . (n1 x n2)                   below 3 2^7114 < 2^7116       223
 *   r = h1 (n2 x n0) + h2 (n0 x n1)      below 2 2^8301 = 2^8302       260
 *   h w + n . r                          below 2^10674 + 3 2^10673     334
 *   n = e x (e x d)                      below 2^5930, then 2^7117     186, then 223
 *   w = n . d                            below 2^11862                 371
 *   r = h1 (n2 x n) + h2 (n x n1)        2^9489, then below 2^13050    297, then 408
 *   the way to it; along e               below 2^13051, 2^14238        408, 445
 *   its cross product with e             below 2^14237                 445
 *   the square of that, and R^2 |e|^2 w^2   below 2^28480              890
 *
 * A dot product needs three times its size on the way, a minor as well; the rest is given back. What takes most room: r
 * and w of the last kind of points (two normals, d, n, two heights, w, r, of its last component two minors, two
 * products and their sum); then, above r and w, a limit, a way, e, |e|^2 and the cross product, or the square of the
 * way; in the end, limit, |e|^2, the cross product and its square. */
#include "math/exact_local.h"

enum
{
    FRACTION_LIMBS = 371 + 3 * 408,
    WAY_LIMBS = 38 + 410 + 3 * 408 /* reach, limit and way */
};
_Static_assert(6 * 75 + 3 * 149 + 3 * 223 + 2 * 112 + 371 + 2 * 408 + 2 * 298 + 3 * 411 < POOL_LIMBS, "r and w");
_Static_assert(FRACTION_LIMBS + 38 + 410 + 3 * 38 + 6 * 410 < POOL_LIMBS, "way");
_Static_assert(FRACTION_LIMBS + WAY_LIMBS + 3 * 38 + 76 + 446 + 3 * 447 < POOL_LIMBS, "way . e");
_Static_assert(FRACTION_LIMBS + WAY_LIMBS + 3 * 38 + 76 + 2 * 446 + 3 * 447 < POOL_LIMBS, "way x e");
_Static_assert(FRACTION_LIMBS + WAY_LIMBS + 3 * 819 < POOL_LIMBS, "square of the way");
_Static_assert(410 + 76 + 3 * 446 + 3 * 892 < POOL_LIMBS, "square of the cross product");

static int point_count(const exact_point *point)
{
    static const int counts[] = {
        [EXACT_POINT_GIVEN] = 1,    [EXACT_POINT_MIDDLE] = 3,  [EXACT_POINT_CUT] = 5,    [EXACT_POINT_CROSS] = 9,
        [EXACT_POINT_ON_PLANE] = 4, [EXACT_POINT_ON_EDGE] = 4, [EXACT_POINT_ON_LINE] = 8};
    return counts[point->kind];
}

static number one(pool *pool) { return pool_from_double(pool, 1.0, 0); }

static number zero(pool *pool) { return (number){0, 0, pool->limbs + pool->used}; }

/* n . (p - plane[0]) */
static number height_of(pool *pool, const number3 *normal, const carom_vec3 plane[3], carom_vec3 p, int exponent)
{
    uint32_t mark = pool->used;
    number3 difference = pool_differences(pool, plane[0], p, exponent);
    return pool_keep(pool, mark, pool_dot(pool, normal, &difference));
}

/* ---- points ---- */

typedef struct fraction
{
    carom_vec3 origin;
    number3 r;
    number w; /* pushed before r */
} fraction;

static number3 times(pool *pool, const number3 *v, number factor)
{
    number3 out;
    out.x = pool_multiply(pool, v->x, factor);
    out.y = pool_multiply(pool, v->y, factor);
    out.z = pool_multiply(pool, v->z, factor);
    return out;
}

static void cut_fraction(fraction *out, pool *pool, const carom_vec3 *p, int exponent)
{
    number3 normal = local_normal(pool, p + 2, exponent), along = pool_differences(pool, p[0], p[1], exponent);
    number height = height_of(pool, &normal, p + 2, p[0], exponent);
    out->w = pool_negative(pool_dot(pool, &normal, &along));
    out->r = times(pool, &along, height);
}

/* A component of h[0] (n[0] x n) + h[1] (n x n[1]). */
static number mixed_component(pool *pool, const number3 n[2], const number h[2], const number3 *third, int axis)
{
    uint32_t mark = pool->used;
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    number u = local_component(third, a), v = local_component(third, b);
    number first = pool_minor(pool, local_component(&n[0], a), local_component(&n[0], b), u, v);
    number left = pool_multiply(pool, h[0], first);
    number second = pool_minor(pool, u, v, local_component(&n[1], a), local_component(&n[1], b));
    return pool_keep(pool, mark, pool_add(pool, left, pool_multiply(pool, h[1], second)));
}

static number3 mixed(pool *pool, const number3 n[2], const number h[2], const number3 *third)
{
    number3 out;
    out.x = mixed_component(pool, n, h, third, 0);
    out.y = mixed_component(pool, n, h, third, 1);
    out.z = mixed_component(pool, n, h, third, 2);
    return out;
}

/* Relative to a point of the first plane: r = h1 (n2 x n0) + h2 (n0 x n1), w = n0 . (n1 x n2). */
static void cross_fraction(fraction *out, pool *pool, const carom_vec3 *p, int exponent)
{
    number3 normal = local_normal(pool, p, exponent), n1 = local_normal(pool, p + 3, exponent),
            n2 = local_normal(pool, p + 6, exponent);
    number first = height_of(pool, &n1, p + 3, p[0], exponent), second = height_of(pool, &n2, p + 6, p[0], exponent);
    number3 cross = pool_cross(pool, &n1, &n2);
    out->w = pool_dot(pool, &normal, &cross);
    out->r = mixed(pool, (number3[2]){n2, n1}, (number[2]){pool_negative(first), pool_negative(second)}, &normal);
}

static void middle_fraction(fraction *out, pool *pool, const carom_vec3 *p, int exponent)
{
    number3 first = pool_differences(pool, p[0], p[1], exponent), second = pool_differences(pool, p[0], p[2], exponent);
    out->w = pool_from_double(pool, 3.0, 0);
    out->r.x = pool_add(pool, first.x, second.x);
    out->r.y = pool_add(pool, first.y, second.y);
    out->r.z = pool_add(pool, first.z, second.z);
}

static void plane_foot(fraction *out, pool *pool, const carom_vec3 *p, int exponent)
{
    number3 normal = local_normal(pool, p + 1, exponent);
    number height = pool_negative(height_of(pool, &normal, p + 1, p[0], exponent));
    out->w = pool_dot(pool, &normal, &normal);
    out->r = times(pool, &normal, height);
}

/* The normal of the plane through c that cuts a line along `along` nearest to the line c d: e x (e x along) with
 * e = d - c, and `along` itself if that is 0. */
static number3 near_normal(pool *pool, const number3 *along, const carom_vec3 line[2], int exponent)
{
    uint32_t mark = pool->used;
    number3 e = pool_differences(pool, line[0], line[1], exponent);
    if (e.x.sign == 0 && e.y.sign == 0 && e.z.sign == 0)
        return *along;
    number3 across = pool_cross(pool, &e, along), normal = pool_cross(pool, &e, &across);
    return local_keep(pool, mark, &normal);
}

static void edge_foot(fraction *out, pool *pool, const carom_vec3 *p, int exponent)
{
    number3 along = pool_differences(pool, p[0], p[1], exponent), normal = near_normal(pool, &along, p + 2, exponent),
            from = pool_differences(pool, p[2], p[0], exponent);
    number height = pool_dot(pool, &normal, &from);
    out->w = pool_negative(pool_dot(pool, &normal, &along));
    out->r = times(pool, &along, height);
}

/* As for three planes, the third of them through the origin: r = h0 (n1 x n) + h1 (n x n0), w = n . (n0 x n1). */
static void line_foot(fraction *out, pool *pool, const carom_vec3 *p, int exponent)
{
    number3 first = local_normal(pool, p + 2, exponent), second = local_normal(pool, p + 5, exponent),
            along = pool_cross(pool, &first, &second), normal = near_normal(pool, &along, p, exponent);
    number height[2] = {height_of(pool, &first, p + 2, p[0], exponent),
                        height_of(pool, &second, p + 5, p[0], exponent)};
    height[0].sign = -height[0].sign, height[1].sign = -height[1].sign;
    out->w = pool_dot(pool, &normal, &along);
    out->r = mixed(pool, (number3[2]){second, first}, height, &normal);
}

static void given_fraction(fraction *out, pool *pool, const carom_vec3 *p, int exponent)
{
    (void)p, (void)exponent;
    out->w = one(pool);
    out->r = (number3){zero(pool), zero(pool), zero(pool)};
}

/* Nothing else is left in the pool, which was empty. */
static void fraction_of(fraction *out, pool *pool, const exact_point *point, int exponent)
{
    typedef void fraction_fn(fraction * out, struct pool * pool, const carom_vec3 *p, int exponent);
    static fraction_fn *const of_kind[] = {
        [EXACT_POINT_GIVEN] = given_fraction, [EXACT_POINT_MIDDLE] = middle_fraction, [EXACT_POINT_CUT] = cut_fraction,
        [EXACT_POINT_CROSS] = cross_fraction, [EXACT_POINT_ON_PLANE] = plane_foot,    [EXACT_POINT_ON_EDGE] = edge_foot,
        [EXACT_POINT_ON_LINE] = line_foot};
    pool->used = 0;
    out->origin = point->points[0];
    of_kind[point->kind](out, pool, point->points, exponent);
    out->w = pool_keep(pool, 0, out->w);
    out->r = local_keep(pool, pool->used, &out->r);
}

bool exact_point_exists(const exact_point *point)
{
    pool pool;
    fraction v;
    fraction_of(&v, &pool, point, local_exponent(point->points, point_count(point), NULL, 0));
    return v.w.sign != 0;
}

/* ---- distances ---- */

/* w times the way from p to the point. */
static number3 way_from(pool *pool, const fraction *v, carom_vec3 p, int exponent)
{
    uint32_t mark = pool->used;
    number3 from = pool_differences(pool, p, v->origin, exponent), out;
    from = times(pool, &from, v->w);
    out.x = pool_add(pool, from.x, v->r.x);
    out.y = pool_add(pool, from.y, v->r.y);
    out.z = pool_add(pool, from.z, v->r.z);
    return local_keep(pool, mark, &out);
}

/* Is the point within the radius of p? */
static bool is_near(pool *pool, const fraction *v, carom_vec3 p, double radius, int exponent)
{
    number3 way = way_from(pool, v, p, exponent);
    number limit = pool_multiply(pool, pool_from_double(pool, radius, exponent), v->w);
    number square = pool_dot(pool, &way, &way);
    return pool_compare(square, pool_square(pool, limit)) < 0;
}

/* |across|^2 < limit^2 length; all three were pushed one after another, limit first. */
static bool is_shorter(pool *pool, number limit, number length, const number3 *across)
{
    limit = pool_keep(pool, 0, limit);
    length = pool_keep(pool, pool->used, length);
    number3 kept = local_keep(pool, pool->used, across);
    number square = pool_dot(pool, &kept, &kept);
    return pool_compare(square, pool_multiply(pool, pool_square(pool, limit), length)) < 0;
}

bool exact_point_within(const exact_point *point, const carom_vec3 segment[2], double radius, uint64_t *fallbacks)
{
    ++*fallbacks;
    carom_vec3 measures[3] = {segment[0], segment[1], {radius, 0.0, 0.0}};
    int exponent = local_exponent(measures, 3, point->points, point_count(point));
    pool pool;
    fraction v;
    fraction_of(&v, &pool, point, exponent);
    if (v.w.sign < 0)
        v.w.sign = 1, v.r.x.sign = -v.r.x.sign, v.r.y.sign = -v.r.y.sign, v.r.z.sign = -v.r.z.sign;
    const uint32_t mark = pool.used;
    number limit = pool_multiply(&pool, pool_from_double(&pool, radius, exponent), v.w);
    number3 way = way_from(&pool, &v, segment[0], exponent),
            e = pool_differences(&pool, segment[0], segment[1], exponent);
    number length = pool_dot(&pool, &e, &e);
    const uint32_t above_length = pool.used;
    number end = pool_multiply(&pool, length, v.w), along = pool_dot(&pool, &way, &e);
    if (along.sign > 0 && pool_compare(along, end) < 0)
    {
        pool.used = above_length;
        number3 across = pool_cross(&pool, &way, &e);
        return is_shorter(&pool, limit, length, &across);
    }
    pool.used = mark;
    return is_near(&pool, &v, segment[along.sign > 0 ? 1 : 0], radius, exponent);
}

/* ---- coordinates that are small integers in a common unit ---- */

#if MATH_HAS_SMALL

typedef struct tiny_fraction
{
    tiny_vector r; /* from the point's origin */
    small_128 w;
} tiny_fraction;

static tiny_fraction tiny_cut(const tiny_vector *p)
{
    tiny_vector normal = tiny_normal(p + 2), along = tiny_minus(p[1], p[0]);
    small_128 height = tiny_dot(normal, tiny_minus(p[0], p[2]));
    return (tiny_fraction){{{along.at[0] * height, along.at[1] * height, along.at[2] * height}},
                           -tiny_dot(normal, along)};
}

static tiny_fraction tiny_three_planes(const tiny_vector *p)
{
    tiny_vector n[3] = {tiny_normal(p), tiny_normal(p + 3), tiny_normal(p + 6)};
    small_128 first = -tiny_dot(n[1], tiny_minus(p[0], p[3])), second = -tiny_dot(n[2], tiny_minus(p[0], p[6]));
    tiny_vector a = tiny_cross(n[2], n[0]), b = tiny_cross(n[0], n[1]);
    tiny_fraction out = {.w = tiny_dot(n[0], tiny_cross(n[1], n[2]))};
    for (int i = 0; i < 3; i++)
        out.r.at[i] = first * a.at[i] + second * b.at[i];
    return out;
}

static tiny_fraction tiny_fraction_of(const exact_point *point, const tiny_vector *p)
{
    if (point->kind == EXACT_POINT_MIDDLE)
    {
        tiny_vector a = tiny_minus(p[1], p[0]), b = tiny_minus(p[2], p[0]);
        return (tiny_fraction){{{a.at[0] + b.at[0], a.at[1] + b.at[1], a.at[2] + b.at[2]}}, 3};
    }
    return point->kind == EXACT_POINT_CUT ? tiny_cut(p) : tiny_three_planes(p);
}

static int tiny_bits(const exact_point *point)
{
    return point->kind == EXACT_POINT_CROSS ? TINY_CROSS_BITS : TINY_CUT_BITS;
}

/* *sign: that of the height of a cut or crossing; false if the coordinates are not small. */
static bool tiny_height(const carom_vec3 plane[3], const exact_point *point, int exponent, int *sign)
{
    tiny_vector p[TINY_MAX_POINTS];
    if (!tiny_points(plane, 3, exponent, tiny_bits(point), p) ||
        !tiny_points(point->points, point_count(point), exponent, tiny_bits(point), p + 3))
        return false;
    tiny_fraction v = tiny_fraction_of(point, p + 3);
    tiny_vector normal = tiny_normal(p);
    small_128 height = tiny_dot(normal, tiny_minus(p[3], p[0]));
    *sign = small_sign_128(height * v.w + tiny_dot(normal, v.r)) * small_sign_128(v.w);
    return true;
}

static bool tiny_side(const carom_vec3 line[2], int axis, const exact_point *point, int exponent, int *sign)
{
    tiny_vector p[TINY_MAX_POINTS];
    if (!tiny_points(line, 2, exponent, tiny_bits(point), p) ||
        !tiny_points(point->points, point_count(point), exponent, tiny_bits(point), p + 2))
        return false;
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    tiny_fraction v = tiny_fraction_of(point, p + 2);
    tiny_vector along = tiny_minus(p[1], p[0]), from = tiny_minus(p[2], p[0]);
    small_128 side = along.at[a] * from.at[b] - along.at[b] * from.at[a];
    *sign = small_sign_128(side * v.w + along.at[a] * v.r.at[b] - along.at[b] * v.r.at[a]) * small_sign_128(v.w);
    return true;
}

#else
#define tiny_height(plane, point, exponent, sign)    false
#define tiny_side(line, axis, point, exponent, sign) false
#endif

/* ---- filters, from a rounded position ---- */

/* The sum of the sizes of the products in a x b. */
static double size_of_cross(carom_vec3 a, carom_vec3 b)
{
    return fabs(a.y * b.z) + fabs(a.z * b.y) + fabs(a.z * b.x) + fabs(a.x * b.z) + fabs(a.x * b.y) + fabs(a.y * b.x);
}

/* 0: not certain. A step of point->error along each axis changes the height by at most that times |n|_1. */
static int filtered_height(const carom_vec3 plane[3], const exact_point *point)
{
    carom_vec3 a = vec3_sub(plane[1], plane[0]), b = vec3_sub(plane[2], plane[0]);
    double bound, height = exact_filter3d(vec3_sub(point->rounded, plane[0]), a, b, &bound);
    return exact_filter_sign(height, bound + 1.001 * point->error * size_of_cross(a, b));
}

static int filtered_side(const carom_vec3 line[2], int axis, const exact_point *point)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    double du = local_coordinate(line[1], a) - local_coordinate(line[0], a),
           dv = local_coordinate(line[1], b) - local_coordinate(line[0], b);
    double bound, side = exact_filter2d(du, dv, local_coordinate(point->rounded, a) - local_coordinate(line[0], a),
                                        local_coordinate(point->rounded, b) - local_coordinate(line[0], b), &bound);
    return exact_filter_sign(side, bound + 1.001 * point->error * (fabs(du) + fabs(dv)));
}

/* ---- signs ---- */

static bool same_place(carom_vec3 a, carom_vec3 b) { return (a.x == b.x) & (a.y == b.y) & (a.z == b.z); }

static bool has_point(const carom_vec3 *points, int count, carom_vec3 p)
{
    for (int i = 0; i < count; i++)
        if (same_place(points[i], p))
            return true;
    return false;
}

static bool is_same_plane(const carom_vec3 a[3], const carom_vec3 b[3])
{
    return same_place(a[0], b[0]) && same_place(a[1], b[1]) && same_place(a[2], b[2]);
}

/* Is the point in this plane by the way it was made? */
static bool is_in_plane(const carom_vec3 plane[3], const exact_point *point)
{
    const carom_vec3 *p = point->points;
    if (point->kind == EXACT_POINT_MIDDLE)
        return is_same_plane(plane, p);
    if (point->kind == EXACT_POINT_CUT)
        return is_same_plane(plane, p + 2) || (has_point(plane, 3, p[0]) && has_point(plane, 3, p[1]));
    if (point->kind == EXACT_POINT_ON_PLANE)
        return is_same_plane(plane, p + 1);
    if (point->kind == EXACT_POINT_ON_EDGE)
        return has_point(plane, 3, p[0]) && has_point(plane, 3, p[1]);
    if (point->kind == EXACT_POINT_ON_LINE)
        return is_same_plane(plane, p + 2) || is_same_plane(plane, p + 5);
    return is_same_plane(plane, p) || is_same_plane(plane, p + 3) || is_same_plane(plane, p + 6);
}

int exact_height_of_point(const carom_vec3 plane[3], const exact_point *point, uint64_t *fallbacks)
{
    if (point->kind == EXACT_POINT_GIVEN)
        return -exact_orient3d(plane[0], plane[1], plane[2], point->points[0], fallbacks);
    int sign = point->error > 0.0 ? filtered_height(plane, point) : 0;
    if (sign != 0 || is_in_plane(plane, point))
        return sign;
    ++*fallbacks;
    int exponent = local_exponent(plane, 3, point->points, point_count(point));
    if (point->kind <= EXACT_POINT_CROSS && tiny_height(plane, point, exponent, &sign))
        return sign;
    pool pool;
    fraction v;
    fraction_of(&v, &pool, point, exponent);
    number3 normal = local_normal(&pool, plane, exponent);
    number height = height_of(&pool, &normal, plane, v.origin, exponent);
    number scaled = pool_multiply(&pool, height, v.w), rest = pool_dot(&pool, &normal, &v.r);
    return pool_add(&pool, rest, scaled).sign * v.w.sign;
}

/* Is a cut on this line, seen along an axis, by the way it was made: of this edge, or of a plane along the axis through
 * it? */
static bool is_on_line(const carom_vec3 line[2], int axis, const carom_vec3 *p)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    if (has_point(p, 2, line[0]) && has_point(p, 2, line[1]))
        return true;
    return has_point(p + 2, 2, line[0]) && has_point(p + 2, 2, line[1]) &&
           local_coordinate(p[4], a) == local_coordinate(p[2], a) &&
           local_coordinate(p[4], b) == local_coordinate(p[2], b);
}

int exact_side_of_point(const carom_vec3 line[2], int axis, const exact_point *point, uint64_t *fallbacks)
{
    if (point->kind == EXACT_POINT_GIVEN)
        return exact_orient2d(line[0], line[1], point->points[0], axis, fallbacks);
    int sign = point->error > 0.0 ? filtered_side(line, axis, point) : 0;
    if (sign != 0)
        return sign;
    if (point->kind == EXACT_POINT_CUT && is_on_line(line, axis, point->points))
        return 0;
    ++*fallbacks;
    int exponent = local_exponent(line, 2, point->points, point_count(point)), a = (axis + 1) % 3, b = (axis + 2) % 3;
    if (point->kind <= EXACT_POINT_CROSS && tiny_side(line, axis, point, exponent, &sign))
        return sign;
    pool pool;
    fraction v;
    fraction_of(&v, &pool, point, exponent);
    number3 along = pool_differences(&pool, line[0], line[1], exponent),
            from = pool_differences(&pool, line[0], v.origin, exponent);
    number x = local_component(&along, a), y = local_component(&along, b);
    number side = pool_minor(&pool, x, y, local_component(&from, a), local_component(&from, b));
    number rest = pool_minor(&pool, x, y, local_component(&v.r, a), local_component(&v.r, b));
    return pool_add(&pool, rest, pool_multiply(&pool, side, v.w)).sign * v.w.sign;
}

static double size_of(const carom_vec3 *points, int count)
{
    double size = 0.0;
    for (int i = 0; i < count; i++)
        size = fmax(size, fmax(fabs(points[i].x), fmax(fabs(points[i].y), fabs(points[i].z))));
    return size;
}

/* Is the rounded position the point itself? */
static bool is_exact(const exact_point *point)
{
    const carom_vec3 *p = point->points, at = point->rounded;
    uint64_t uncounted = 0;
    if (point->kind == EXACT_POINT_CUT)
        return exact_orient3d(p[2], p[3], p[4], at, &uncounted) == 0 && exact_collinear(p[0], p[1], at, &uncounted);
    return exact_orient3d(p[0], p[1], p[2], at, &uncounted) == 0 &&
           exact_orient3d(p[3], p[4], p[5], at, &uncounted) == 0 &&
           exact_orient3d(p[6], p[7], p[8], at, &uncounted) == 0;
}

/* Within one rounding each of the two, the division and the final scaling by 2^exponent. */
static double ratio(number numerator, number denominator, int exponent)
{
    int top, bottom;
    double value = pool_leading(numerator, &top) / pool_leading(denominator, &bottom);
    return ldexp(value, top - bottom + exponent);
}

/* What is known of rounded positions, relative to the sizes that docs/exactness.md, section 20, names. */
#define LOCAL_UNIT         0x1p-53
#define LOCAL_MIDDLE_ERROR (3.25 * LOCAL_UNIT)
#define LOCAL_RATIO_ERROR  (5.0625 * LOCAL_UNIT)

/* Not inlined: the pool is not on the stack while other points are rounded. */
static BASE_NEVER_INLINE void round_fraction(exact_point *point)
{
    int exponent = local_exponent(point->points, point_count(point), NULL, 0);
    pool pool;
    fraction v;
    fraction_of(&v, &pool, point, exponent);
    carom_vec3 way = vec3(ratio(v.r.x, v.w, exponent), ratio(v.r.y, v.w, exponent), ratio(v.r.z, v.w, exponent));
    point->rounded = vec3_add(v.origin, way);
    point->error = LOCAL_RATIO_ERROR * size_of(&way, 1) + LOCAL_UNIT * size_of(&point->rounded, 1) + 0x1p-1000;
}

void exact_point_round(exact_point *point)
{
    const carom_vec3 *p = point->points;
    if (point->kind == EXACT_POINT_GIVEN)
    {
        point->rounded = p[0];
        return;
    }
    if (point->kind == EXACT_POINT_MIDDLE)
    {
        point->rounded = vec3_scale(vec3_add(vec3_add(p[0], p[1]), p[2]), 1.0 / 3.0);
        point->error = LOCAL_MIDDLE_ERROR * size_of(p, 3) + 0x1p-1000;
        return;
    }
    if (point->kind == EXACT_POINT_CUT)
    {
        point->rounded = exact_pass3d(p + 2, p[0], p[1]);
        point->error = LOCAL_UNIT * size_of(&point->rounded, 1) + 0x1p-1000;
    }
    else
        round_fraction(point);
    if (point->kind <= EXACT_POINT_CROSS && is_exact(point))
        *point = (exact_point){.kind = EXACT_POINT_GIVEN, .points = {point->rounded}, .rounded = point->rounded};
}
