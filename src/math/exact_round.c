/* Distances of points, segments and triangles in wide integers: compared with radii, with each other, and rounded.
 * exact_wide.h explains why they fit.
 *
 * The squared distance of two hulls is the smallest over pairs of features (corner, inner part of an edge, inner part
 * of the face) of the squared distance of the lines or planes that carry them, wherever that is taken inside both
 * features. Each of these is a fraction of integers. So the sign of the whole is the smallest sign of the parts, and
 * the nearest pair need not be found first. */

#include "math/exact_wide.h"

typedef struct hull
{
    int count;
    wide point[3][3];
} hull;

/* A squared distance: top / bottom, bottom > 0. */
typedef struct fraction
{
    wide top, bottom;
} fraction;

/* Who wants to see the squared distances of all pairs of features; false: no more. */
typedef struct visitor
{
    bool (*visit)(const fraction *square, void *user);
    void *user;
} visitor;

static void subtract(wide out[3], const wide a[3], const wide b[3])
{
    for (int axis = 0; axis < 3; axis++)
        integer_subtract(&out[axis], &a[axis], &b[axis]);
}

static bool strictly_between(const wide *value, const wide *high)
{
    return value->sign > 0 && integer_compare(value, high) < 0;
}

/* ---- the fractions of pairs of features; false if the nearest points are not inside ---- */

static bool points_apart(const wide p[3], const wide q[3], fraction *out)
{
    wide r[3];
    subtract(r, p, q);
    integer_dot(&out->top, r, r);
    integer_from_double(&out->bottom, 1.0, 0);
    return true;
}

/* |r x e|^2 / |e|^2 */
static bool point_off_edge(const wide p[3], const wide start[3], const wide end[3], fraction *out)
{
    wide e[3], r[3], normal[3], along;
    subtract(e, end, start);
    subtract(r, p, start);
    integer_dot(&along, r, e);
    integer_dot(&out->bottom, e, e);
    if (!strictly_between(&along, &out->bottom))
        return false;
    integer_cross(normal, r, e);
    integer_dot(&out->top, normal, normal);
    return true;
}

/* (r . n)^2 with r between any points of the two; the bottom is |n|^2 */
static bool set_height(const wide r[3], const wide normal[3], fraction *out)
{
    wide height;
    integer_dot(&height, r, normal);
    integer_multiply(&out->top, &height, &height);
    return true;
}

static bool edges_apart(const wide p0[3], const wide p1[3], const wide q0[3], const wide q1[3], fraction *out)
{
    wide d[3], e[3], r[3], normal[3], side[3], share;
    subtract(d, p1, p0);
    subtract(e, q1, q0);
    integer_cross(normal, d, e);
    integer_dot(&out->bottom, normal, normal);
    if (out->bottom.sign == 0)
        return false;
    subtract(r, q0, p0);
    integer_cross(side, r, e);
    integer_dot(&share, side, normal);
    if (!strictly_between(&share, &out->bottom))
        return false;
    integer_cross(side, r, d);
    integer_dot(&share, side, normal);
    if (!strictly_between(&share, &out->bottom))
        return false;
    return set_height(r, normal, out);
}

static bool point_off_face(const wide p[3], const hull *face, fraction *out)
{
    wide e[3], r[3], normal[3], side[3], share;
    subtract(e, face->point[1], face->point[0]);
    subtract(r, face->point[2], face->point[0]);
    integer_cross(normal, e, r);
    integer_dot(&out->bottom, normal, normal);
    if (out->bottom.sign == 0)
        return false;
    for (int i = 0; i < 3; i++)
    {
        subtract(e, face->point[(i + 1) % 3], face->point[i]);
        subtract(r, p, face->point[i]);
        integer_cross(side, e, r);
        integer_dot(&share, side, normal);
        if (share.sign <= 0)
            return false;
    }
    return set_height(r, normal, out);
}

/* ---- all pairs of features ---- */

static int edges_of(int count) { return count == 3 ? 3 : count - 1; }

/* Corners of one against edges and the face of the other. */
static bool visit_corners(const hull *of, const hull *to, const visitor *visitor)
{
    fraction square;
    for (int i = 0; i < of->count; i++)
    {
        const wide *p = of->point[i];
        for (int j = 0; j < edges_of(to->count); j++)
            if (point_off_edge(p, to->point[j], to->point[(j + 1) % to->count], &square) &&
                !visitor->visit(&square, visitor->user))
                return false;
        if (to->count == 3 && point_off_face(p, to, &square) && !visitor->visit(&square, visitor->user))
            return false;
    }
    return true;
}

/* Corners against corners, edges against edges. */
static bool visit_equals(const hull *a, const hull *b, const visitor *visitor)
{
    fraction square;
    for (int i = 0; i < a->count; i++)
        for (int j = 0; j < b->count; j++)
            if (points_apart(a->point[i], b->point[j], &square) && !visitor->visit(&square, visitor->user))
                return false;
    for (int i = 0; i < edges_of(a->count); i++)
        for (int j = 0; j < edges_of(b->count); j++)
            if (edges_apart(a->point[i], a->point[(i + 1) % a->count], b->point[j], b->point[(j + 1) % b->count],
                            &square) &&
                !visitor->visit(&square, visitor->user))
                return false;
    return true;
}

static void visit_features(const hull *a, const hull *b, const visitor *visitor)
{
    if (visit_equals(a, b, visitor) && visit_corners(a, b, visitor))
        visit_corners(b, a, visitor);
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

/* The largest unit in which all points and radii are integers. */
static int common_exponent(const exact_round *const rounds[], int count)
{
    double values[4 * 10];
    int used = 0;
    for (int i = 0; i < count; i++)
    {
        memcpy(values + used, rounds[i]->points, (size_t)rounds[i]->count * sizeof *rounds[i]->points);
        used += 3 * rounds[i]->count;
        values[used++] = rounds[i]->radius;
    }
    return integer_common_exponent(values, used);
}

/* ---- compared with radii ---- */

typedef struct limit_test
{
    wide limit; /* a squared distance */
    int sign;   /* of the smallest fraction so far minus the limit */
} limit_test;

static bool compare_with_limit(const fraction *square, void *user)
{
    limit_test *test = user;
    wide product;
    integer_multiply(&product, &test->limit, &square->bottom);
    int sign = integer_compare(&square->top, &product);
    test->sign = sign < test->sign ? sign : test->sign;
    return test->sign >= 0;
}

/* The sum of the radii, in units of 2^exponent. */
static void add_radii(wide *out, const exact_round *a, const exact_round *b, int exponent)
{
    wide radius;
    integer_from_double(out, a->radius, exponent);
    integer_from_double(&radius, b->radius, exponent);
    integer_add(out, out, &radius);
}

int exact_gap_sign(const exact_round *a, const exact_round *b, uint64_t *fallbacks)
{
    if (fallbacks)
        ++*fallbacks;
    if (passes_face(a, b, fallbacks) || passes_face(b, a, fallbacks))
        return a->radius + b->radius > 0.0 ? -1 : 0;
    int exponent = common_exponent((const exact_round *[]){a, b}, 2);
    hull hull_a, hull_b;
    set_hull(&hull_a, a, exponent);
    set_hull(&hull_b, b, exponent);
    wide radius;
    limit_test test = {.sign = 1};
    add_radii(&radius, a, b, exponent);
    integer_multiply(&test.limit, &radius, &radius);
    visit_features(&hull_a, &hull_b, &(visitor){compare_with_limit, &test});
    return test.sign;
}

/* ---- compared with each other ---- */

typedef struct smallest_search
{
    fraction smallest;
    bool any;
} smallest_search;

static int compare_fractions(const fraction *a, const fraction *b)
{
    wide left, right;
    integer_multiply(&left, &a->top, &b->bottom);
    integer_multiply(&right, &b->top, &a->bottom);
    return integer_compare(&left, &right);
}

static bool keep_smallest(const fraction *square, void *user)
{
    smallest_search *search = user;
    if (!search->any || compare_fractions(square, &search->smallest) < 0)
        search->smallest = *square;
    search->any = true;
    return true;
}

/* The squared distance of hulls that have no point in common. */
static void square_of(const exact_round *a, const exact_round *b, int exponent, fraction *out)
{
    hull hull_a, hull_b;
    smallest_search search = {.any = false};
    set_hull(&hull_a, a, exponent);
    set_hull(&hull_b, b, exponent);
    visit_features(&hull_a, &hull_b, &(visitor){keep_smallest, &search});
    *out = search.smallest;
}

int exact_compare_gaps(const exact_round first[2], const exact_round second[2], uint64_t *fallbacks)
{
    if (fallbacks)
        ++*fallbacks;
    int exponent = common_exponent((const exact_round *[]){&first[0], &first[1], &second[0], &second[1]}, 4);
    fraction of_first, of_second;
    square_of(&first[0], &first[1], exponent, &of_first);
    square_of(&second[0], &second[1], exponent, &of_second);
    return compare_fractions(&of_first, &of_second);
}

/* ---- rounded ---- */

/* The distance of two hulls is sqrt(square) 2^exponent; the radii are to be subtracted. */
typedef struct gap
{
    fraction square;
    int exponent;
    const exact_round *a, *b;
} gap;

/* The sign of the gap minus (x + y) / 2, which is the middle of two neighbouring doubles or one of them. */
static int compare_with_middle(const gap *gap, double x, double y)
{
    double values[4] = {x, y, gap->a->radius, gap->b->radius};
    int exponent = integer_common_exponent(values, 4);
    exponent = exponent < gap->exponent ? exponent : gap->exponent;
    wide sum, term, square;
    add_radii(&sum, gap->a, gap->b, exponent);
    integer_shift(&sum, 1);
    integer_from_double(&term, x, exponent);
    integer_add(&sum, &sum, &term);
    integer_from_double(&term, y, exponent);
    integer_add(&sum, &sum, &term);
    integer_multiply(&square, &sum, &sum);
    integer_multiply(&sum, &square, &gap->square.bottom);
    term = gap->square.top;
    integer_shift(&term, 2u * (unsigned)(gap->exponent - exponent) + 2u);
    return integer_compare(&term, &sum);
}

/* A few ulps from the gap: sqrt(q) - radii as (q - radii^2) / (sqrt(q) + radii), whose difference is exact. */
static double estimate_gap(const gap *gap)
{
    const fraction *q = &gap->square;
    int top_exponent, bottom_exponent, sum_exponent;
    double bottom = integer_leading(&q->bottom, &bottom_exponent);
    double ratio = integer_leading(&q->top, &top_exponent) / bottom;
    int shift = top_exponent - bottom_exponent + 2 * gap->exponent;
    double distance = ldexp(sqrt(shift % 2 != 0 ? 2.0 * ratio : ratio), (shift - (shift % 2 != 0)) / 2);
    wide radius, square, rest;
    add_radii(&radius, gap->a, gap->b, gap->exponent);
    if (radius.sign == 0)
        return distance;
    integer_multiply(&square, &radius, &radius);
    integer_multiply(&rest, &square, &q->bottom);
    integer_subtract(&rest, &q->top, &rest);
    double difference = integer_leading(&rest, &top_exponent) / bottom;
    double sum = frexp(distance + (gap->a->radius + gap->b->radius), &sum_exponent);
    return ldexp(difference / sum, top_exponent - bottom_exponent + 2 * gap->exponent - sum_exponent);
}

exact_length exact_gap_length(const exact_round *a, const exact_round *b, uint64_t *fallbacks)
{
    if (fallbacks)
        ++*fallbacks;
    gap gap = {.exponent = common_exponent((const exact_round *[]){a, b}, 2), .a = a, .b = b};
    square_of(a, b, gap.exponent, &gap.square);
    double below = estimate_gap(&gap);
    int sign;
    while ((sign = compare_with_middle(&gap, below, below)) < 0)
        below = nextafter(below, 0.0);
    double above = nextafter(below, INFINITY);
    for (int next; sign > 0 && (next = compare_with_middle(&gap, above, above)) >= 0;)
        below = above, above = nextafter(above, INFINITY), sign = next;
    if (sign == 0)
        return (exact_length){below, below, true};
    int half = compare_with_middle(&gap, below, above);
    uint64_t bits;
    memcpy(&bits, &below, sizeof bits);
    return (exact_length){half > 0 || (half == 0 && (bits & 1)) ? above : below, below, false};
}
