/* Signs for points and directions that are intersections of lines and planes: filters from doubles, then 128-bit
 * integers where the coordinates are small numbers in some unit, otherwise wide ones. exact_wide.h explains why these
 * fit.
 *
 * A point is origin + r / w, with integers r and w in the unit of the coordinates and in powers of it, so that the sign
 * of any linear expression is that of an integer. */
#include "math/exact_small.h"
#include "math/exact_wide.h"

static double coordinate(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static int point_count(const exact_point *point)
{
    static const int counts[] = {
        [EXACT_POINT_GIVEN] = 1,    [EXACT_POINT_MIDDLE] = 3,  [EXACT_POINT_CUT] = 5,    [EXACT_POINT_CROSS] = 9,
        [EXACT_POINT_ON_PLANE] = 4, [EXACT_POINT_ON_EDGE] = 4, [EXACT_POINT_ON_LINE] = 8};
    return counts[point->kind];
}

static int direction_count(const exact_direction *direction)
{
    return direction->kind == EXACT_ALONG_EDGE ? 2 : direction->kind == EXACT_ALONG_LINE ? 6 : 3;
}

/* The unit in which all these points are integers. */
static int exponent_of(const carom_vec3 *first, int first_count, const carom_vec3 *second, int second_count)
{
    double values[3 * 24];
    int count = 0;
    for (int i = 0; i < first_count; i++)
        values[count++] = first[i].x, values[count++] = first[i].y, values[count++] = first[i].z;
    for (int i = 0; i < second_count; i++)
        values[count++] = second[i].x, values[count++] = second[i].y, values[count++] = second[i].z;
    return integer_common_exponent(values, count);
}

static void set_zero(wide *out) { out->sign = out->size = 0; }

static void set_one(wide *out) { out->sign = out->size = 1, out->limb[0] = 1; }

static void normal_of(wide out[3], const carom_vec3 plane[3], int exponent)
{
    wide a[3], b[3];
    integer_differences(a, plane[1], plane[0], exponent);
    integer_differences(b, plane[2], plane[0], exponent);
    integer_cross(out, a, b);
}

/* n . (p - plane[0]) */
static void height_of(wide *out, const wide normal[3], const carom_vec3 plane[3], carom_vec3 p, int exponent)
{
    wide difference[3];
    integer_differences(difference, p, plane[0], exponent);
    integer_dot(out, normal, difference);
}

/* ---- points ---- */

typedef struct fraction
{
    carom_vec3 origin;
    wide r[3], w;
} fraction;

static void cut_fraction(fraction *out, const carom_vec3 *p, int exponent)
{
    wide normal[3], along[3], height;
    normal_of(normal, p + 2, exponent);
    integer_differences(along, p[1], p[0], exponent);
    height_of(&height, normal, p + 2, p[0], exponent);
    for (int axis = 0; axis < 3; axis++)
        integer_multiply(&out->r[axis], &along[axis], &height);
    integer_dot(&out->w, normal, along);
    out->w.sign = -out->w.sign;
}

/* Relative to a point of the first plane: r = h1 (n2 x n0) + h2 (n0 x n1), w = n0 . (n1 x n2). */
static void cross_fraction(fraction *out, const carom_vec3 *p, int exponent)
{
    wide normal[3][3], height[2], cross[3], term;
    for (int i = 0; i < 3; i++)
        normal_of(normal[i], p + 3 * i, exponent);
    for (int i = 0; i < 2; i++)
    {
        height_of(&height[i], normal[1 + i], p + 3 * (1 + i), p[0], exponent);
        height[i].sign = -height[i].sign;
    }
    integer_cross(cross, normal[1], normal[2]);
    integer_dot(&out->w, normal[0], cross);
    integer_cross(cross, normal[2], normal[0]);
    for (int axis = 0; axis < 3; axis++)
        integer_multiply(&out->r[axis], &height[0], &cross[axis]);
    integer_cross(cross, normal[0], normal[1]);
    for (int axis = 0; axis < 3; axis++)
    {
        integer_multiply(&term, &height[1], &cross[axis]);
        integer_add(&out->r[axis], &out->r[axis], &term);
    }
}

static void middle_fraction(fraction *out, const carom_vec3 *p, int exponent)
{
    wide first[3], second[3];
    integer_differences(first, p[1], p[0], exponent);
    integer_differences(second, p[2], p[0], exponent);
    for (int axis = 0; axis < 3; axis++)
        integer_add(&out->r[axis], &first[axis], &second[axis]);
    set_one(&out->w);
    out->w.limb[0] = 3;
}

static void plane_foot(fraction *out, const carom_vec3 *p, int exponent)
{
    wide normal[3], height;
    normal_of(normal, p + 1, exponent);
    height_of(&height, normal, p + 1, p[0], exponent);
    height.sign = -height.sign;
    for (int axis = 0; axis < 3; axis++)
        integer_multiply(&out->r[axis], &normal[axis], &height);
    integer_dot(&out->w, normal, normal);
}

/* The normal of the plane through c that cuts a line along `along` nearest to the line c d: e x (e x along) with
 * e = d - c, and `along` itself if that is 0. */
static void near_normal(wide out[3], const wide along[3], const carom_vec3 line[2], int exponent)
{
    wide e[3], across[3];
    integer_differences(e, line[1], line[0], exponent);
    integer_cross(across, e, along);
    integer_cross(out, e, across);
    if (e[0].sign == 0 && e[1].sign == 0 && e[2].sign == 0)
        for (int axis = 0; axis < 3; axis++)
            out[axis] = along[axis];
}

static void edge_foot(fraction *out, const carom_vec3 *p, int exponent)
{
    wide along[3], normal[3], from[3], height;
    integer_differences(along, p[1], p[0], exponent);
    near_normal(normal, along, p + 2, exponent);
    integer_differences(from, p[0], p[2], exponent);
    integer_dot(&height, normal, from);
    for (int axis = 0; axis < 3; axis++)
        integer_multiply(&out->r[axis], &along[axis], &height);
    integer_dot(&out->w, normal, along);
    out->w.sign = -out->w.sign;
}

/* As for three planes, the third of them through the origin: r = h0 (n1 x n) + h1 (n x n0), w = n . (n0 x n1). */
static void line_foot(fraction *out, const carom_vec3 *p, int exponent)
{
    wide first[3], second[3], along[3], normal[3], height[2], cross[3], term;
    normal_of(first, p + 2, exponent);
    normal_of(second, p + 5, exponent);
    integer_cross(along, first, second);
    near_normal(normal, along, p, exponent);
    height_of(&height[0], first, p + 2, p[0], exponent);
    height_of(&height[1], second, p + 5, p[0], exponent);
    height[0].sign = -height[0].sign, height[1].sign = -height[1].sign;
    integer_dot(&out->w, normal, along);
    integer_cross(cross, second, normal);
    for (int axis = 0; axis < 3; axis++)
        integer_multiply(&out->r[axis], &height[0], &cross[axis]);
    integer_cross(cross, normal, first);
    for (int axis = 0; axis < 3; axis++)
    {
        integer_multiply(&term, &height[1], &cross[axis]);
        integer_add(&out->r[axis], &out->r[axis], &term);
    }
}

static void given_fraction(fraction *out, const carom_vec3 *p, int exponent)
{
    (void)p, (void)exponent;
    for (int axis = 0; axis < 3; axis++)
        set_zero(&out->r[axis]);
    set_one(&out->w);
}

static void fraction_of(fraction *out, const exact_point *point, int exponent)
{
    typedef void fraction_fn(fraction * out, const carom_vec3 *p, int exponent);
    static fraction_fn *const of_kind[] = {
        [EXACT_POINT_GIVEN] = given_fraction, [EXACT_POINT_MIDDLE] = middle_fraction, [EXACT_POINT_CUT] = cut_fraction,
        [EXACT_POINT_CROSS] = cross_fraction, [EXACT_POINT_ON_PLANE] = plane_foot,    [EXACT_POINT_ON_EDGE] = edge_foot,
        [EXACT_POINT_ON_LINE] = line_foot};
    out->origin = point->points[0];
    of_kind[point->kind](out, point->points, exponent);
}

bool exact_point_exists(const exact_point *point)
{
    fraction v;
    fraction_of(&v, point, exponent_of(point->points, point_count(point), NULL, 0));
    return v.w.sign != 0;
}

/* ---- distances ---- */

/* w times the way from p to the point. */
static void way_from(wide out[3], const fraction *v, carom_vec3 p, int exponent)
{
    wide from[3], scaled;
    integer_differences(from, v->origin, p, exponent);
    for (int axis = 0; axis < 3; axis++)
    {
        integer_multiply(&scaled, &from[axis], &v->w);
        integer_add(&out[axis], &scaled, &v->r[axis]);
    }
}

/* |a|^2 < b^2 c, with c null for 1. */
static bool is_shorter(const wide a[3], const wide *b, const wide *c)
{
    wide square, limit, product;
    integer_dot(&square, a, a);
    integer_multiply(&limit, b, b);
    if (!c)
        return integer_compare(&square, &limit) < 0;
    integer_multiply(&product, &limit, c);
    return integer_compare(&square, &product) < 0;
}

bool exact_point_within(const exact_point *point, const carom_vec3 segment[2], double radius, uint64_t *fallbacks)
{
    ++*fallbacks;
    carom_vec3 measures[3] = {segment[0], segment[1], {radius, 0.0, 0.0}};
    int exponent = exponent_of(measures, 3, point->points, point_count(point));
    fraction v;
    fraction_of(&v, point, exponent);
    for (int axis = 0; axis < 3 && v.w.sign < 0; axis++)
        v.r[axis].sign = -v.r[axis].sign;
    v.w.sign = 1;
    wide way[3], e[3], along, length, limit, end, across[3], reach;
    way_from(way, &v, segment[0], exponent);
    integer_differences(e, segment[1], segment[0], exponent);
    integer_from_double(&reach, radius, exponent);
    integer_multiply(&limit, &reach, &v.w);
    integer_dot(&along, way, e);
    if (along.sign <= 0)
        return is_shorter(way, &limit, NULL);
    integer_dot(&length, e, e);
    integer_multiply(&end, &length, &v.w);
    if (integer_compare(&along, &end) < 0)
    {
        integer_cross(across, way, e);
        return is_shorter(across, &limit, &length);
    }
    way_from(way, &v, segment[1], exponent);
    return is_shorter(way, &limit, NULL);
}

/* ---- coordinates that are small integers in a common unit ---- */

#if MATH_HAS_SMALL

typedef struct tiny_vector
{
    small_128 at[3];
} tiny_vector;

typedef struct tiny_fraction
{
    tiny_vector r; /* from the point's origin */
    small_128 w;
} tiny_fraction;

/* With coordinates below 2^B: differences are below 2^(B+1), normals 2^(2B+3), heights times a normal 2^(3B+6).
 * A cut has w below 2^(3B+6) and r below 2^(4B+7), so h w + n . r is below 2^(6B+13); a crossing of three planes has w
 * below 2^(6B+12) and r below 2^(7B+14), so that is below 2^(9B+20). Lines of two planes are below 2^(4B+7): their
 * heights below 2^(6B+12), the cross product of two of them below 2^(8B+16). All below 2^127. */
enum
{
    TINY_CUT_BITS = 18,
    TINY_CROSS_BITS = 11,
    TINY_LINE_BITS = 13,
    TINY_MAX_POINTS = 14
};

/* Points as integers below 2^bits in a common unit; false if they are not. */
static bool tiny_points(const carom_vec3 *points, int count, int exponent, int bits, tiny_vector *out)
{
    if (exponent < -1000 || exponent > 1000)
        return false;
    double scale = ldexp(1.0, -exponent), limit = ldexp(1.0, bits);
    for (int i = 0; i < count; i++)
    {
        double x = points[i].x * scale, y = points[i].y * scale, z = points[i].z * scale;
        if (!(fabs(x) < limit && fabs(y) < limit && fabs(z) < limit))
            return false;
        out[i] = (tiny_vector){{(int64_t)x, (int64_t)y, (int64_t)z}};
    }
    return true;
}

static tiny_vector tiny_minus(tiny_vector a, tiny_vector b)
{
    return (tiny_vector){{a.at[0] - b.at[0], a.at[1] - b.at[1], a.at[2] - b.at[2]}};
}

static tiny_vector tiny_cross(tiny_vector a, tiny_vector b)
{
    return (tiny_vector){{a.at[1] * b.at[2] - a.at[2] * b.at[1], a.at[2] * b.at[0] - a.at[0] * b.at[2],
                          a.at[0] * b.at[1] - a.at[1] * b.at[0]}};
}

static small_128 tiny_dot(tiny_vector a, tiny_vector b)
{
    return a.at[0] * b.at[0] + a.at[1] * b.at[1] + a.at[2] * b.at[2];
}

static tiny_vector tiny_normal(const tiny_vector plane[3])
{
    return tiny_cross(tiny_minus(plane[1], plane[0]), tiny_minus(plane[2], plane[0]));
}

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

static bool tiny_direction(const exact_direction *direction, int exponent, int bits, tiny_vector *out)
{
    tiny_vector p[6];
    if (!tiny_points(direction->points, direction_count(direction), exponent, bits, p))
        return false;
    *out = direction->kind == EXACT_ALONG_EDGE     ? tiny_minus(p[1], p[0])
           : direction->kind == EXACT_ALONG_NORMAL ? tiny_normal(p)
                                                   : tiny_cross(tiny_normal(p), tiny_normal(p + 3));
    return true;
}

static bool tiny_height_of_direction(const carom_vec3 plane[3], const exact_direction *direction, int exponent,
                                     int *sign)
{
    tiny_vector p[3], along;
    if (!tiny_points(plane, 3, exponent, TINY_CUT_BITS, p) ||
        !tiny_direction(direction, exponent, TINY_CUT_BITS, &along))
        return false;
    *sign = small_sign_128(tiny_dot(tiny_normal(p), along));
    return true;
}

static bool tiny_turn(const exact_direction *from, const exact_direction *to, int axis, int exponent, int *sign)
{
    tiny_vector first, second;
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    if (!tiny_direction(from, exponent, TINY_LINE_BITS, &first) ||
        !tiny_direction(to, exponent, TINY_LINE_BITS, &second))
        return false;
    *sign = small_sign_128(first.at[a] * second.at[b] - first.at[b] * second.at[a]);
    return true;
}

static bool tiny_direction_sign(const exact_direction *direction, int axis, int exponent, int *sign)
{
    tiny_vector along;
    if (!tiny_direction(direction, exponent, TINY_CUT_BITS, &along))
        return false;
    *sign = small_sign_128(along.at[axis]);
    return true;
}

#else
#define tiny_height(plane, point, exponent, sign)                  false
#define tiny_side(line, axis, point, exponent, sign)               false
#define tiny_height_of_direction(plane, direction, exponent, sign) false
#define tiny_turn(from, to, axis, exponent, sign)                  false
#define tiny_direction_sign(direction, axis, exponent, sign)       false
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
    double du = coordinate(line[1], a) - coordinate(line[0], a), dv = coordinate(line[1], b) - coordinate(line[0], b);
    double bound, side = exact_filter2d(du, dv, coordinate(point->rounded, a) - coordinate(line[0], a),
                                        coordinate(point->rounded, b) - coordinate(line[0], b), &bound);
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
    int exponent = exponent_of(plane, 3, point->points, point_count(point));
    if (point->kind <= EXACT_POINT_CROSS && tiny_height(plane, point, exponent, &sign))
        return sign;
    fraction v;
    fraction_of(&v, point, exponent);
    wide normal[3], height, scaled, rest;
    normal_of(normal, plane, exponent);
    height_of(&height, normal, plane, v.origin, exponent);
    integer_multiply(&scaled, &height, &v.w);
    integer_dot(&rest, normal, v.r);
    integer_add(&rest, &rest, &scaled);
    return rest.sign * v.w.sign;
}

int exact_side_of_point(const carom_vec3 line[2], int axis, const exact_point *point, uint64_t *fallbacks)
{
    if (point->kind == EXACT_POINT_GIVEN)
        return exact_orient2d(line[0], line[1], point->points[0], axis, fallbacks);
    int sign = point->error > 0.0 ? filtered_side(line, axis, point) : 0;
    if (sign != 0)
        return sign;
    if (point->kind == EXACT_POINT_CUT && has_point(point->points, 2, line[0]) && has_point(point->points, 2, line[1]))
        return 0;
    ++*fallbacks;
    int exponent = exponent_of(line, 2, point->points, point_count(point)), a = (axis + 1) % 3, b = (axis + 2) % 3;
    if (point->kind <= EXACT_POINT_CROSS && tiny_side(line, axis, point, exponent, &sign))
        return sign;
    fraction v;
    fraction_of(&v, point, exponent);
    wide along[3], from[3], side, scaled, rest;
    integer_differences(along, line[1], line[0], exponent);
    integer_differences(from, v.origin, line[0], exponent);
    integer_minor(&side, &along[a], &along[b], &from[a], &from[b]);
    integer_multiply(&scaled, &side, &v.w);
    integer_minor(&rest, &along[a], &along[b], &v.r[a], &v.r[b]);
    integer_add(&rest, &rest, &scaled);
    return rest.sign * v.w.sign;
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

/* A quotient of integers errs by a few roundings, the others by less: 2^-46 of the size is enough for all. */
void exact_point_round(exact_point *point)
{
    const carom_vec3 *p = point->points;
    if (point->kind == EXACT_POINT_GIVEN)
    {
        point->rounded = p[0];
        return;
    }
    double size = size_of(p, point_count(point));
    point->error = 0x1p-46 * size + 0x1p-1000;
    if (point->kind == EXACT_POINT_MIDDLE)
    {
        point->rounded = vec3_scale(vec3_add(vec3_add(p[0], p[1]), p[2]), 1.0 / 3.0);
        return;
    }
    if (point->kind == EXACT_POINT_CUT)
        point->rounded = exact_pass3d(p + 2, p[0], p[1]);
    else
    {
        int exponent = exponent_of(p, point_count(point), NULL, 0);
        fraction v;
        fraction_of(&v, point, exponent);
        carom_vec3 way = vec3(integer_ratio(&v.r[0], &v.w, exponent), integer_ratio(&v.r[1], &v.w, exponent),
                              integer_ratio(&v.r[2], &v.w, exponent));
        point->rounded = vec3_add(v.origin, way);
        point->error += 0x1p-46 * size_of(&way, 1); /* it may be far away */
    }
    if (point->kind <= EXACT_POINT_CROSS && is_exact(point))
        *point = (exact_point){.kind = EXACT_POINT_GIVEN, .points = {point->rounded}, .rounded = point->rounded};
}

/* ---- directions ---- */

static void direction_of(wide out[3], const exact_direction *direction, int exponent)
{
    const carom_vec3 *p = direction->points;
    if (direction->kind == EXACT_ALONG_EDGE)
        integer_differences(out, p[1], p[0], exponent);
    else if (direction->kind == EXACT_ALONG_NORMAL)
        normal_of(out, p, exponent);
    else
    {
        wide first[3], second[3];
        normal_of(first, p, exponent);
        normal_of(second, p + 3, exponent);
        integer_cross(out, first, second);
    }
}

static double component_rounded(const exact_direction *edge, int axis)
{
    return coordinate(edge->points[1], axis) - coordinate(edge->points[0], axis);
}

int exact_height_of_direction(const carom_vec3 plane[3], const exact_direction *direction, uint64_t *fallbacks)
{
    const carom_vec3 *p = direction->points;
    if (direction->kind == EXACT_ALONG_EDGE)
    {
        double bound, height = exact_filter3d(vec3_sub(p[1], p[0]), vec3_sub(plane[1], plane[0]),
                                              vec3_sub(plane[2], plane[0]), &bound);
        int sign = exact_filter_sign(height, bound);
        if (sign != 0)
            return direction->sign * sign;
#if MATH_HAS_SMALL
        const carom_vec3 points[5] = {p[0], p[1], plane[0], plane[1], plane[2]};
        small_point s[5];
        if (small_points(points, 5, s))
            return direction->sign *
                   small_sign(small_determinant(small_difference(s[1], s[0]), small_difference(s[3], s[2]),
                                                small_difference(s[4], s[2])));
#endif
    }
    ++*fallbacks;
    int exponent = exponent_of(plane, 3, p, direction_count(direction)), small;
    if (tiny_height_of_direction(plane, direction, exponent, &small))
        return direction->sign * small;
    wide normal[3], along[3], height;
    normal_of(normal, plane, exponent);
    direction_of(along, direction, exponent);
    integer_dot(&height, normal, along);
    return direction->sign * height.sign;
}

int exact_side_of_direction(const carom_vec3 line[2], int axis, const exact_direction *direction, uint64_t *fallbacks)
{
    exact_direction along = {.kind = EXACT_ALONG_EDGE, .sign = 1, .points = {line[0], line[1]}};
    return exact_turn(&along, direction, axis, fallbacks);
}

int exact_turn(const exact_direction *from, const exact_direction *to, int axis, uint64_t *fallbacks)
{
    int a = (axis + 1) % 3, b = (axis + 2) % 3;
    if (from->kind == EXACT_ALONG_EDGE && to->kind == EXACT_ALONG_EDGE)
    {
        double bound, turn = exact_filter2d(component_rounded(from, a), component_rounded(from, b),
                                            component_rounded(to, a), component_rounded(to, b), &bound);
        int sign = exact_filter_sign(turn, bound);
        if (sign != 0)
            return from->sign * to->sign * sign;
#if MATH_HAS_SMALL
        const carom_vec3 points[4] = {from->points[0], from->points[1], to->points[0], to->points[1]};
        small_point s[4];
        if (small_points(points, 4, s))
        {
            small_point first = small_difference(s[1], s[0]), second = small_difference(s[3], s[2]);
            const int64_t *f = &first.x, *t = &second.x;
            return from->sign * to->sign * small_sign_128((small_128)f[a] * t[b] - (small_128)f[b] * t[a]);
        }
#endif
    }
    ++*fallbacks;
    int exponent = exponent_of(from->points, direction_count(from), to->points, direction_count(to)), small;
    if (tiny_turn(from, to, axis, exponent, &small))
        return from->sign * to->sign * small;
    wide first[3], second[3], turn;
    direction_of(first, from, exponent);
    direction_of(second, to, exponent);
    integer_minor(&turn, &first[a], &first[b], &second[a], &second[b]);
    return from->sign * to->sign * turn.sign;
}

int exact_direction_sign(const exact_direction *direction, int axis, uint64_t *fallbacks)
{
    if (direction->kind == EXACT_ALONG_EDGE)
    {
        double from = coordinate(direction->points[0], axis), to = coordinate(direction->points[1], axis);
        return direction->sign * ((to > from) - (to < from));
    }
    ++*fallbacks;
    int exponent = exponent_of(direction->points, direction_count(direction), NULL, 0), small;
    if (tiny_direction_sign(direction, axis, exponent, &small))
        return direction->sign * small;
    wide along[3];
    direction_of(along, direction, exponent);
    return direction->sign * along[axis].sign;
}

int exact_normal_sign(const carom_vec3 plane[3], int axis, uint64_t *fallbacks)
{
    return exact_orient2d(plane[0], plane[1], plane[2], axis, fallbacks);
}
