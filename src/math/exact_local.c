/* Signs for points and directions that are intersections of lines and planes: filters where they are given by doubles,
 * otherwise wide integers. exact_wide.h explains why these fit.
 *
 * A point is origin + r / w, with integers r and w in the unit of the coordinates and in powers of it, so that the sign
 * of any linear expression is that of an integer. */
#include "math/exact_small.h"
#include "math/exact_wide.h"

static double coordinate(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static int point_count(const exact_point *point)
{
    return point->kind == EXACT_POINT_GIVEN ? 1 : point->kind == EXACT_POINT_CUT ? 5 : 9;
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

static void fraction_of(fraction *out, const exact_point *point, int exponent)
{
    out->origin = point->points[0];
    if (point->kind == EXACT_POINT_CUT)
        cut_fraction(out, point->points, exponent);
    else if (point->kind == EXACT_POINT_CROSS)
        cross_fraction(out, point->points, exponent);
    else
    {
        for (int axis = 0; axis < 3; axis++)
            set_zero(&out->r[axis]);
        set_one(&out->w);
    }
}

int exact_height_of_point(const carom_vec3 plane[3], const exact_point *point, uint64_t *fallbacks)
{
    if (point->kind == EXACT_POINT_GIVEN)
        return -exact_orient3d(plane[0], plane[1], plane[2], point->points[0], fallbacks);
    ++*fallbacks;
    int exponent = exponent_of(plane, 3, point->points, point_count(point));
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
    ++*fallbacks;
    int exponent = exponent_of(line, 2, point->points, point_count(point)), a = (axis + 1) % 3, b = (axis + 2) % 3;
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

carom_vec3 exact_point_rounded(const exact_point *point)
{
    if (point->kind == EXACT_POINT_GIVEN)
        return point->points[0];
    int exponent = exponent_of(point->points, point_count(point), NULL, 0);
    fraction v;
    fraction_of(&v, point, exponent);
    return vec3(v.origin.x + integer_ratio(&v.r[0], &v.w, exponent),
                v.origin.y + integer_ratio(&v.r[1], &v.w, exponent),
                v.origin.z + integer_ratio(&v.r[2], &v.w, exponent));
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
            return direction->sign * small_sign(small_determinant(small_difference(s[1], s[0]),
                                                                  small_difference(s[3], s[2]),
                                                                  small_difference(s[4], s[2])));
#endif
    }
    ++*fallbacks;
    int exponent = exponent_of(plane, 3, p, direction_count(direction));
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
    int exponent = exponent_of(from->points, direction_count(from), to->points, direction_count(to));
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
    wide along[3];
    direction_of(along, direction, exponent_of(direction->points, direction_count(direction), NULL, 0));
    return direction->sign * along[axis].sign;
}

int exact_normal_sign(const carom_vec3 plane[3], int axis, uint64_t *fallbacks)
{
    return exact_orient2d(plane[0], plane[1], plane[2], axis, fallbacks);
}
