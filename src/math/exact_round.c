/* Distances of points, segments and triangles in integers: compared with radii, with each other, and rounded.
 *
 * The squared distance of two hulls is the smallest over pairs of features (corner, edge, face) of the squared distance
 * of the lines or planes that carry them, wherever that is taken within both features. Each of these is a fraction of
 * integers.
 *
 * Coordinates and radii are at most 2^110 and multiples of 2^-1074, hence integers below 2^1184; sums of up to five of
 * them below 2^1187. With limbs of 32 bits:
 *
 *   differences, sums of lengths       below 2^1187    38 limbs
 *   cross and dot products of two      below 2^2372    75
 *   determinants, e x (e x r)          below 2^3559   112
 *   shares, squares of cross products  below 2^4745   149
 *   squares of determinants, squared lengths times squares of cross products    below 2^7120    223
 *   products of these with squares of cross products                            below 2^11865   371
 *
 * No step below keeps more than 21 numbers of the first kind, 9 of the second, 4 of the third, 6 of the fourth, 4 of
 * the fifth and 2 of the last, with 3 spare limbs each: 5,200 limbs of POOL_LIMBS. */
#include "math/exact_distance.h"
#include "math/exact_pool.h"
#include "math/exact_small.h"
#include "math/exact_wide.h"

_Static_assert(21 * 41 + 9 * 78 + 4 * 115 + 6 * 152 + 4 * 226 + 2 * 374 < POOL_LIMBS, "there is room for all numbers");

/* Corners that span a part of a hull. */
typedef struct feature
{
    carom_vec3 corner[3];
    int count;
} feature;

/* The one with fewer corners comes first. */
typedef struct feature_pair
{
    feature few, more;
    bool swapped;
} feature_pair;

/* A squared distance: top / bottom, bottom > 0. */
typedef struct fraction
{
    number top, bottom;
} fraction;

typedef struct work
{
    pool pool;
    int exponent; /* of the unit of coordinates */
} work;

static void begin(work *w, int exponent) { w->pool.used = 0, w->exponent = exponent; }

static feature feature_of(const exact_round *hull, unsigned corners)
{
    feature out = {.count = 0};
    for (int i = 0; i < hull->count; i++)
        if (corners >> i & 1)
            out.corner[out.count++] = hull->points[i];
    return out;
}

static feature_pair features_of(const exact_gap *gap)
{
    feature a = feature_of(&gap->a, gap->corners_a), b = feature_of(&gap->b, gap->corners_b);
    bool swapped = a.count > b.count;
    return (feature_pair){swapped ? b : a, swapped ? a : b, swapped};
}

static number3 difference(work *w, carom_vec3 from, carom_vec3 to)
{
    return pool_differences(&w->pool, from, to, w->exponent);
}

static number3 turned(const number3 *v)
{
    return (number3){pool_negative(v->x), pool_negative(v->y), pool_negative(v->z)};
}

/* ---- the way across a pair of features ---- */

/* At right angles to both, from the first to the second: r, e x (e x r), or the normal of two edges or a face, turned
 * by the sign of the height. */
static number3 direction_of(work *w, const feature_pair *f)
{
    const carom_vec3 *p = f->few.corner, *q = f->more.corner;
    if (f->more.count == 1)
        return difference(w, p[0], q[0]);
    number3 e = difference(w, q[0], q[1]), r = difference(w, p[0], q[0]), normal;
    if (f->more.count == 2 && f->few.count == 1)
    {
        number3 back = turned(&r);
        normal = pool_cross(&w->pool, &e, &back);
        return pool_cross(&w->pool, &e, &normal);
    }
    number3 other = f->more.count == 3 ? difference(w, q[0], q[2]) : difference(w, p[0], p[1]);
    normal = pool_cross(&w->pool, &other, &e);
    return pool_dot(&w->pool, &r, &normal).sign < 0 ? turned(&normal) : normal;
}

/* ---- the fractions of pairs of features; false if the nearest points are not within ---- */

static void points_apart(work *w, const feature_pair *f, fraction *out)
{
    number3 r = difference(w, f->few.corner[0], f->more.corner[0]);
    out->top = pool_dot(&w->pool, &r, &r);
    out->bottom = pool_from_double(&w->pool, 1.0, 0);
}

static bool is_share(number share, number limit) { return share.sign >= 0 && pool_compare(share, limit) <= 0; }

/* |r x e|^2 / |e|^2 */
static bool point_off_edge(work *w, const feature_pair *f, fraction *out)
{
    number3 e = difference(w, f->more.corner[0], f->more.corner[1]);
    number3 r = difference(w, f->more.corner[0], f->few.corner[0]);
    out->bottom = pool_dot(&w->pool, &e, &e);
    if (out->bottom.sign == 0 || !is_share(pool_dot(&w->pool, &r, &e), out->bottom))
        return false;
    number3 normal = pool_cross(&w->pool, &r, &e);
    out->top = pool_dot(&w->pool, &normal, &normal);
    return true;
}

/* (r . n)^2 with r between any points of the two; the bottom is |n|^2 */
static bool set_height(work *w, const number3 *r, const number3 *normal, fraction *out)
{
    out->top = pool_square(&w->pool, pool_dot(&w->pool, r, normal));
    return true;
}

/* Is (r x e) . n between 0 and the limit? */
static bool share_within(work *w, const number3 *r, const number3 *e, const number3 *normal, number limit)
{
    uint32_t mark = w->pool.used;
    number3 side = pool_cross(&w->pool, r, e);
    bool within = is_share(pool_dot(&w->pool, &side, normal), limit);
    w->pool.used = mark;
    return within;
}

static bool edges_apart(work *w, const feature_pair *f, fraction *out)
{
    const carom_vec3 *p = f->few.corner, *q = f->more.corner;
    number3 d = difference(w, p[0], p[1]), e = difference(w, q[0], q[1]), r = difference(w, p[0], q[0]);
    number3 normal = pool_cross(&w->pool, &d, &e);
    out->bottom = pool_dot(&w->pool, &normal, &normal);
    return out->bottom.sign != 0 && share_within(w, &r, &e, &normal, out->bottom) &&
           share_within(w, &r, &d, &normal, out->bottom) && set_height(w, &r, &normal, out);
}

static bool point_off_face(work *w, const feature_pair *f, fraction *out)
{
    const carom_vec3 *q = f->more.corner;
    number3 first = difference(w, q[0], q[1]), second = difference(w, q[0], q[2]);
    number3 normal = pool_cross(&w->pool, &first, &second);
    out->bottom = pool_dot(&w->pool, &normal, &normal);
    if (out->bottom.sign == 0)
        return false;
    uint32_t mark = w->pool.used;
    for (int i = 0; i < 3; i++)
    {
        number3 edge = difference(w, q[i], q[(i + 1) % 3]), r = difference(w, q[i], f->few.corner[0]);
        if (!share_within(w, &edge, &r, &normal, out->bottom))
            return false;
        w->pool.used = mark;
    }
    number3 r = difference(w, f->few.corner[0], q[0]);
    return set_height(w, &r, &normal, out);
}

static bool fraction_of(work *w, const feature_pair *f, fraction *out)
{
    if (f->more.count == 1)
        return points_apart(w, f, out), true;
    if (f->more.count == 3)
        return point_off_face(w, f, out);
    return f->few.count == 1 ? point_off_edge(w, f, out) : edges_apart(w, f, out);
}

/* ---- all pairs of features ---- */

/* Who wants to see the squared distances of all pairs of features; false: no more. */
typedef struct visitor
{
    bool (*visit)(work *w, const fraction *square, const exact_gap *of, void *user);
    void *user;
    double limit; /* what is certainly farther apart does not matter */
} visitor;

static int corners_in(unsigned bits) { return (int)(bits & 1u) + (int)(bits >> 1 & 1u) + (int)(bits >> 2); }

/* Keeps the pool as it was, but for what the visitor keeps. */
static void visit_features(work *w, const exact_round *a, const exact_round *b, const visitor *visitor)
{
    for (unsigned of_a = 1; of_a < 1u << a->count; of_a++)
        for (unsigned of_b = 1; of_b < 1u << b->count; of_b++)
        {
            exact_gap gap = {*a, *b, of_a, of_b};
            feature_pair features = features_of(&gap);
            fraction square;
            if (corners_in(of_a) + corners_in(of_b) > 4 ||
                (visitor->limit < INFINITY &&
                 !exact_parts_may_be_nearest((exact_part){a->points, of_a}, (exact_part){b->points, of_b},
                                             visitor->limit)))
                continue;
            uint32_t mark = w->pool.used;
            bool go_on = !fraction_of(w, &features, &square) || visitor->visit(w, &square, &gap, visitor->user);
            w->pool.used = mark;
            if (!go_on)
                return;
        }
}

static int edges_of(int count) { return count == 3 ? 3 : count - 1; }

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

/* ---- units ---- */

typedef struct value_list
{
    double values[4 * 10 + EXACT_TERMS];
    int count;
} value_list;

static void list_values(value_list *list, const exact_round *hull)
{
    memcpy(list->values + list->count, hull->points, (size_t)hull->count * sizeof *hull->points);
    list->count += 3 * hull->count;
    list->values[list->count++] = hull->radius;
}

/* The largest unit in which all points, radii and terms of a limit are integers; terms may be null. */
static int unit_of_two(const exact_round *a, const exact_round *b, const double *terms)
{
    value_list list = {.count = 0};
    list_values(&list, a);
    list_values(&list, b);
    for (int i = 0; terms && i < EXACT_TERMS; i++)
        list.values[list.count++] = terms[i];
    return integer_common_exponent(list.values, list.count);
}

static void count_fallback(uint64_t *fallbacks)
{
    if (fallbacks)
        ++*fallbacks;
}

/* The sum of the radii and a limit, in units of 2^exponent. */
static number add_lengths(pool *pool, const exact_round *a, const exact_round *b, double limit, int exponent)
{
    uint32_t mark = pool->used;
    number sum =
        pool_add(pool, pool_from_double(pool, a->radius, exponent), pool_from_double(pool, b->radius, exponent));
    return pool_keep(pool, mark, pool_add(pool, sum, pool_from_double(pool, limit, exponent)));
}

/* ---- compared with radii ---- */

typedef struct limit_test
{
    number limit; /* a squared distance */
    int sign;     /* of the smallest fraction so far minus the limit */
} limit_test;

static int compare_with_square(work *w, const fraction *square, number limit)
{
    return pool_compare(square->top, pool_multiply(&w->pool, limit, square->bottom));
}

static bool compare_with_limit(work *w, const fraction *square, const exact_gap *of, void *user)
{
    limit_test *test = user;
    int sign = compare_with_square(w, square, test->limit);
    (void)of;
    test->sign = sign < test->sign ? sign : test->sign;
    return test->sign >= 0;
}

int exact_gap_sign(const exact_round *a, const exact_round *b, uint64_t *fallbacks)
{
    count_fallback(fallbacks);
    if (passes_face(a, b, fallbacks) || passes_face(b, a, fallbacks))
        return a->radius + b->radius > 0.0 ? -1 : 0;
    work w;
    begin(&w, unit_of_two(a, b, NULL));
    limit_test test = {.sign = 1};
    test.limit = pool_square(&w.pool, add_lengths(&w.pool, a, b, 0.0, w.exponent));
    visit_features(&w, a, b, &(visitor){compare_with_limit, &test, INFINITY});
    return test.sign;
}

int exact_gap_compare_sum(const exact_gap *gap, const double terms[EXACT_TERMS], uint64_t *fallbacks)
{
    count_fallback(fallbacks);
    work w;
    begin(&w, unit_of_two(&gap->a, &gap->b, terms));
    feature_pair features = features_of(gap);
    fraction square;
    fraction_of(&w, &features, &square);
    uint32_t mark = w.pool.used;
    number sum = add_lengths(&w.pool, &gap->a, &gap->b, terms[0], w.exponent);
    for (int i = 1; i < EXACT_TERMS; i++)
        sum = pool_keep(&w.pool, mark, pool_add(&w.pool, sum, pool_from_double(&w.pool, terms[i], w.exponent)));
    return compare_with_square(&w, &square, pool_square(&w.pool, sum));
}

int exact_gap_compare_limit(const exact_gap *gap, double limit, uint64_t *fallbacks)
{
    const double terms[EXACT_TERMS] = {limit};
    return exact_gap_compare_sum(gap, terms, fallbacks);
}

/* ---- the nearest features ---- */

static int height_of(work *w, const number3 *across, carom_vec3 from, carom_vec3 point)
{
    uint32_t mark = w->pool.used;
    number3 r = difference(w, from, point);
    int sign = pool_dot(&w->pool, across, &r).sign;
    w->pool.used = mark;
    return sign;
}

/* Are all points of a hull on the side of the feature's plane that the direction points to, or on it? */
static bool is_beyond(work *w, const exact_round *hull, const feature *of, const number3 *direction)
{
    for (int i = 0; i < hull->count; i++)
        if (height_of(w, direction, of->corner[0], hull->points[i]) < 0)
            return false;
    return true;
}

static bool are_nearest(work *w, const exact_gap *gap)
{
    feature_pair f = features_of(gap);
    fraction square;
    uint32_t mark = w->pool.used;
    bool valid = f.few.count > 0 && f.few.count + f.more.count <= 4 && fraction_of(w, &f, &square);
    w->pool.used = mark;
    if (!valid)
        return false;
    number3 across = direction_of(w, &f), back = turned(&across);
    return is_beyond(w, f.swapped ? &gap->a : &gap->b, &f.more, &across) &&
           is_beyond(w, f.swapped ? &gap->b : &gap->a, &f.few, &back);
}

typedef struct smallest_search
{
    fraction smallest;
    exact_gap *gap; /* gets the corners */
    uint32_t mark;  /* where the smallest fraction is in the pool */
    bool any;
} smallest_search;

static int compare_fractions(work *w, const fraction *a, const fraction *b)
{
    uint32_t mark = w->pool.used;
    number left = pool_multiply(&w->pool, a->top, b->bottom), right = pool_multiply(&w->pool, b->top, a->bottom);
    w->pool.used = mark;
    return pool_compare(left, right);
}

static number copy_limbs(uint32_t *to, number from)
{
    memcpy(to, from.limb, (size_t)from.size * sizeof *to);
    return (number){from.sign, from.size, to};
}

enum
{
    TOP_LIMBS = 226,
    BOTTOM_LIMBS = 152
};

static bool keep_smallest(work *w, const fraction *square, const exact_gap *of, void *user)
{
    smallest_search *search = user;
    if (search->any && compare_fractions(w, square, &search->smallest) >= 0)
        return true;
    uint32_t *room = w->pool.limbs + search->mark;
    search->any = true;
    search->smallest = (fraction){copy_limbs(room, square->top), copy_limbs(room + TOP_LIMBS, square->bottom)};
    search->gap->corners_a = of->corners_a, search->gap->corners_b = of->corners_b;
    return true;
}

void exact_gap_search(exact_gap *gap, double limit, uint64_t *fallbacks)
{
    count_fallback(fallbacks);
    work w;
    begin(&w, unit_of_two(&gap->a, &gap->b, NULL));
    if (are_nearest(&w, gap))
        return;
    smallest_search search = {.gap = gap, .mark = 0};
    exact_round a = gap->a, b = gap->b;
    w.pool.used = TOP_LIMBS + BOTTOM_LIMBS;
    visit_features(&w, &a, &b, &(visitor){keep_smallest, &search, limit});
}

#if MATH_HAS_SMALL
/* The direction times the way from a corner of the feature to the point, where 64-bit integers suffice; 2: they do not.
 * The direction is that of direction_of. */
static int small_height(const feature_pair *f, bool of_more, carom_vec3 point)
{
    int few = f->few.count, more = f->more.count;
    carom_vec3 points[5] = {point};
    memcpy(points + 1, f->few.corner, (size_t)few * sizeof *points);
    memcpy(points + 1 + few, f->more.corner, (size_t)more * sizeof *points);
    small_point at[5];
    if (!small_points(points, 1 + few + more, at))
        return 2;
    const small_point *p = at + 1, *q = at + 1 + few;
    small_point r = small_difference(q[0], p[0]), s = small_difference(at[0], of_more ? q[0] : p[0]);
    if (more == 1)
        return small_sign_128(small_dot(r, s));
    small_point e = small_difference(q[1], q[0]);
    if (few + more == 3) /* e x (e x -r) = r |e|^2 - e (e . r) */
        return small_compare_products(small_dot(r, s), small_dot(e, e), small_dot(e, s), small_dot(e, r));
    small_point other = more == 3 ? small_difference(q[2], q[0]) : small_difference(p[1], p[0]);
    int turn = small_sign(small_determinant(r, other, e));
    return (turn < 0 ? -1 : 1) * small_sign(small_determinant(s, other, e));
}
#endif

int exact_gap_side(const exact_gap *gap, bool of_b, carom_vec3 point, uint64_t *fallbacks)
{
    count_fallback(fallbacks);
    feature_pair f = features_of(gap);
    bool of_more = of_b != f.swapped;
#if MATH_HAS_SMALL
    int small = small_height(&f, of_more, point);
    if (small != 2)
        return of_more ? -small : small;
#endif
    value_list list = {{point.x, point.y, point.z}, 3};
    list_values(&list, &gap->a);
    list_values(&list, &gap->b);
    work w;
    begin(&w, integer_common_exponent(list.values, list.count));
    number3 across = direction_of(&w, &f);
    int sign = height_of(&w, &across, (of_more ? &f.more : &f.few)->corner[0], point);
    return of_more ? -sign : sign;
}

/* ---- compared with each other ---- */

int exact_gap_compare(const exact_gap *first, const exact_gap *second, uint64_t *fallbacks)
{
    count_fallback(fallbacks);
    value_list list = {.count = 0};
    const exact_round *hulls[4] = {&first->a, &first->b, &second->a, &second->b};
    for (int i = 0; i < 4; i++)
        list_values(&list, hulls[i]);
    work w;
    begin(&w, integer_common_exponent(list.values, list.count));
    feature_pair of_first = features_of(first), of_second = features_of(second);
    fraction squares[2];
    fraction_of(&w, &of_first, &squares[0]);
    fraction_of(&w, &of_second, &squares[1]);
    return compare_fractions(&w, &squares[0], &squares[1]);
}

/* ---- rounded ---- */

/* The distance of two hulls is sqrt(square) 2^exponent; the radii are to be subtracted. */
typedef struct measured_gap
{
    work w;
    fraction square;
    const exact_round *a, *b;
} measured_gap;

/* The sign of the gap minus (x + y) / 2, which is the middle of two neighbouring doubles or one of them. */
static int compare_with_middle(measured_gap *gap, double x, double y)
{
    double values[4] = {x, y, gap->a->radius, gap->b->radius};
    int exponent = integer_common_exponent(values, 4);
    exponent = exponent < gap->w.exponent ? exponent : gap->w.exponent;
    pool *pool = &gap->w.pool;
    uint32_t mark = pool->used;
    number radii = pool_shift(pool, add_lengths(pool, gap->a, gap->b, 0.0, exponent), 1);
    number sum = pool_add(pool, radii, pool_from_double(pool, x, exponent));
    sum = pool_keep(pool, mark, pool_add(pool, sum, pool_from_double(pool, y, exponent)));
    number right = pool_keep(pool, mark, pool_multiply(pool, pool_square(pool, sum), gap->square.bottom));
    number left = pool_shift(pool, gap->square.top, 2u * (unsigned)(gap->w.exponent - exponent) + 2u);
    pool->used = mark;
    return pool_compare(left, right);
}

/* A few ulps from the gap: sqrt(q) - radii as (q - radii^2) / (sqrt(q) + radii), whose difference is exact. */
static double estimate_gap(measured_gap *gap)
{
    const fraction *q = &gap->square;
    pool *pool = &gap->w.pool;
    int top_exponent, bottom_exponent, sum_exponent, unit = gap->w.exponent;
    double bottom = pool_leading(q->bottom, &bottom_exponent);
    double ratio = pool_leading(q->top, &top_exponent) / bottom;
    int shift = top_exponent - bottom_exponent + 2 * unit;
    double distance = ldexp(sqrt(shift % 2 != 0 ? 2.0 * ratio : ratio), (shift - (shift % 2 != 0)) / 2);
    uint32_t mark = pool->used;
    number radius = add_lengths(pool, gap->a, gap->b, 0.0, unit);
    if (radius.sign == 0)
        return distance;
    number inner = pool_multiply(pool, pool_square(pool, radius), q->bottom);
    double difference = pool_leading(pool_subtract(pool, q->top, inner), &top_exponent) / bottom;
    pool->used = mark;
    double sum = frexp(distance + (gap->a->radius + gap->b->radius), &sum_exponent);
    return ldexp(difference / sum, top_exponent - bottom_exponent + 2 * unit - sum_exponent);
}

exact_length exact_gap_length(const exact_gap *of, uint64_t *fallbacks)
{
    count_fallback(fallbacks);
    measured_gap gap;
    begin(&gap.w, unit_of_two(&of->a, &of->b, NULL));
    gap.a = &of->a, gap.b = &of->b;
    feature_pair features = features_of(of);
    fraction_of(&gap.w, &features, &gap.square);
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
