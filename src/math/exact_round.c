/* Distances of points, segments and triangles compared with radii, in wide integers. exact_wide.h explains why they
 * fit.
 *
 * The squared distance of two hulls is the smallest over pairs of features (corner, inner part of an edge, inner part
 * of the face) of the squared distance of the lines or planes that carry them, wherever that is taken inside both
 * features. So the sign of the whole is the smallest sign of the parts, and the nearest pair need not be found first. A
 * pair whose nearest points are outside the features counts as far. */

#include "math/exact_wide.h"

enum
{
    FAR = 1
};

typedef struct hull
{
    int count;
    wide point[3][3];
} hull;

static void subtract(wide out[3], const wide a[3], const wide b[3])
{
    for (int axis = 0; axis < 3; axis++)
        integer_subtract(&out[axis], &a[axis], &b[axis]);
}

/* Sign of square / of - limit; of is not negative. */
static int compare_share(const wide *square, const wide *of, const wide *limit)
{
    wide product;
    integer_multiply(&product, limit, of);
    return integer_compare(square, &product);
}

static bool strictly_between(const wide *value, const wide *high)
{
    return value->sign > 0 && integer_compare(value, high) < 0;
}

static int compare_points(const wide p[3], const wide q[3], const wide *limit)
{
    wide r[3], square;
    subtract(r, p, q);
    integer_dot(&square, r, r);
    return integer_compare(&square, limit);
}

/* |r x e|^2 / |e|^2 */
static int compare_point_edge(const wide p[3], const wide start[3], const wide end[3], const wide *limit)
{
    wide e[3], r[3], normal[3], along, length, square;
    subtract(e, end, start);
    subtract(r, p, start);
    integer_dot(&along, r, e);
    integer_dot(&length, e, e);
    if (!strictly_between(&along, &length))
        return FAR;
    integer_cross(normal, r, e);
    integer_dot(&square, normal, normal);
    return compare_share(&square, &length, limit);
}

/* (r . n)^2 / |n|^2 with r between any points of the two */
static int compare_along(const wide r[3], const wide normal[3], const wide *normal_square, const wide *limit)
{
    wide height, square;
    integer_dot(&height, r, normal);
    integer_multiply(&square, &height, &height);
    return compare_share(&square, normal_square, limit);
}

static int compare_edges(const wide p0[3], const wide p1[3], const wide q0[3], const wide q1[3], const wide *limit)
{
    wide d[3], e[3], r[3], normal[3], normal_square, side[3], share;
    subtract(d, p1, p0);
    subtract(e, q1, q0);
    integer_cross(normal, d, e);
    integer_dot(&normal_square, normal, normal);
    if (normal_square.sign == 0)
        return FAR;
    subtract(r, q0, p0);
    integer_cross(side, r, e);
    integer_dot(&share, side, normal);
    if (!strictly_between(&share, &normal_square))
        return FAR;
    integer_cross(side, r, d);
    integer_dot(&share, side, normal);
    if (!strictly_between(&share, &normal_square))
        return FAR;
    return compare_along(r, normal, &normal_square, limit);
}

static int compare_point_face(const wide p[3], wide corner[3][3], const wide *limit)
{
    wide e[3], r[3], normal[3], normal_square, side[3], share;
    subtract(e, corner[1], corner[0]);
    subtract(r, corner[2], corner[0]);
    integer_cross(normal, e, r);
    integer_dot(&normal_square, normal, normal);
    if (normal_square.sign == 0)
        return FAR;
    for (int i = 0; i < 3; i++)
    {
        subtract(e, corner[(i + 1) % 3], corner[i]);
        subtract(r, p, corner[i]);
        integer_cross(side, e, r);
        integer_dot(&share, side, normal);
        if (share.sign <= 0)
            return FAR;
    }
    return compare_along(r, normal, &normal_square, limit);
}

static int edges_of(int count) { return count == 3 ? 3 : count - 1; }

static int smaller(int a, int b) { return a < b ? a : b; }

/* Corners of one against edges and the face of the other. */
static int compare_corners(const hull *of, hull *to, const wide *limit)
{
    int sign = FAR;
    for (int i = 0; i < of->count && sign >= 0; i++)
    {
        for (int j = 0; j < edges_of(to->count) && sign >= 0; j++)
            sign = smaller(sign, compare_point_edge(of->point[i], to->point[j], to->point[(j + 1) % to->count], limit));
        if (to->count == 3 && sign >= 0)
            sign = smaller(sign, compare_point_face(of->point[i], to->point, limit));
    }
    return sign;
}

/* Corners against corners, edges against edges. */
static int compare_equals(const hull *a, const hull *b, const wide *limit)
{
    int sign = FAR;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count && sign >= 0; j++)
            sign = smaller(sign, compare_points(a->point[i], b->point[j], limit));
    for (int i = 0; i < edges_of(a->count); i++)
        for (int j = 0; j < edges_of(b->count) && sign >= 0; j++)
            sign = smaller(sign, compare_edges(a->point[i], a->point[(i + 1) % a->count], b->point[j],
                                               b->point[(j + 1) % b->count], limit));
    return sign;
}

/* Does an edge of one pass through the inner part of the other's face? All other kinds of contact show as a distance of
 * 0. */
static bool passes_face(const exact_round *of, const exact_round *face, uint64_t *fallbacks)
{
    const carom_vec3 *c = face->points;
    for (int i = 0; face->count == 3 && i < edges_of(of->count); i++)
    {
        carom_vec3 p = of->points[i], q = of->points[(i + 1) % of->count];
        if (exact_orient3d(c[0], c[1], c[2], p, fallbacks) * exact_orient3d(c[0], c[1], c[2], q, fallbacks) >= 0)
            continue;
        int turn = exact_orient3d(p, q, c[0], c[1], fallbacks);
        if (turn != 0 && turn == exact_orient3d(p, q, c[1], c[2], fallbacks) &&
            turn == exact_orient3d(p, q, c[2], c[0], fallbacks))
            return true;
    }
    return false;
}

static void set_hull(hull *out, const exact_round *from, int exponent)
{
    out->count = from->count;
    for (int i = 0; i < from->count; i++)
    {
        integer_from_double(&out->point[i][0], from->points[i].x, exponent);
        integer_from_double(&out->point[i][1], from->points[i].y, exponent);
        integer_from_double(&out->point[i][2], from->points[i].z, exponent);
    }
}

int exact_gap_sign(const exact_round *a, const exact_round *b, uint64_t *fallbacks)
{
    if (fallbacks)
        ++*fallbacks;
    if (passes_face(a, b, fallbacks) || passes_face(b, a, fallbacks))
        return a->radius + b->radius > 0.0 ? -1 : 0;
    double values[20];
    memcpy(values, a->points, (size_t)a->count * sizeof *a->points);
    memcpy(values + 3 * a->count, b->points, (size_t)b->count * sizeof *b->points);
    int count = 3 * (a->count + b->count);
    values[count] = a->radius, values[count + 1] = b->radius;
    int exponent = integer_common_exponent(values, count + 2);
    hull hull_a, hull_b;
    set_hull(&hull_a, a, exponent);
    set_hull(&hull_b, b, exponent);
    wide radius_a, radius_b, limit;
    integer_from_double(&radius_a, a->radius, exponent);
    integer_from_double(&radius_b, b->radius, exponent);
    integer_add(&radius_a, &radius_a, &radius_b);
    integer_multiply(&limit, &radius_a, &radius_a);
    int sign = compare_equals(&hull_a, &hull_b, &limit);
    if (sign >= 0)
        sign = smaller(sign, compare_corners(&hull_a, &hull_b, &limit));
    if (sign >= 0)
        sign = smaller(sign, compare_corners(&hull_b, &hull_a, &limit));
    return sign;
}
