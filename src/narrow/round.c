/* Balls and capsules: do they meet, does one contain the other? The distance between two cores (point, segment,
 * triangle) compared with a sum of radii.
 *
 * The filter takes some points of the cores that should be nearest, however they were found. If they are near enough,
 * the solids overlap. If a plane across the line between them keeps the cores far enough apart, the solids are apart.
 * So only these last steps need an error bound; docs/exactness.md derives it. Otherwise integers decide. */
#include "narrow/round.h"

/* ---- points that should be nearest ---- */

/* The cores seen from a's first end, each difference rounded once. */
typedef struct cores
{
    carom_vec3 d;           /* a: from 0 to d */
    carom_vec3 start, e, f; /* b: the corners start, start + e, start + f */
} cores;

/* The points s d and start + u e + v f; all from 0 to 1, and u + v too. */
typedef struct weights
{
    double s, u, v;
} weights;

static inline double clamp01(double x) { return x > 0.0 ? (x < 1.0 ? x : 1.0) : 0.0; }

/* x / y within [0, 1] */
static inline double share(double x, double y) { return y > 0.0 ? clamp01(x / y) : 0.0; }

/* Of s d and start + t e: each parameter in turn is the best for the other. */
static inline void nearest_of_segments(carom_vec3 d, carom_vec3 e, carom_vec3 start, double st[2])
{
    double dd = vec3_dot(d, d), ee = vec3_dot(e, e), de = vec3_dot(d, e);
    double along_d = vec3_dot(start, d), along_e = vec3_dot(start, e);
    double s = share(along_d * ee - along_e * de, dd * ee - de * de);
    st[1] = share(s * de - along_e, ee);
    st[0] = share(along_d + st[1] * de, dd);
}

/* Of a point and a triangle: by the regions of its plane, after Ericson, "Real-Time Collision Detection" (2005), 5.1.5.
 */
static inline weights nearest_to_point(const cores *c)
{
    double ee = vec3_dot(c->e, c->e), ef = vec3_dot(c->e, c->f), ff = vec3_dot(c->f, c->f);
    double e0 = -vec3_dot(c->e, c->start), f0 = -vec3_dot(c->f, c->start); /* the point, seen from each corner */
    double e1 = e0 - ee, f1 = f0 - ef, e2 = e0 - ef, f2 = f0 - ff;
    if (e0 <= 0.0 && f0 <= 0.0)
        return (weights){0.0, 0.0, 0.0};
    if (e1 >= 0.0 && f1 <= e1)
        return (weights){0.0, 1.0, 0.0};
    if (f2 >= 0.0 && e2 <= f2)
        return (weights){0.0, 0.0, 1.0};
    double weight_2 = e0 * f1 - e1 * f0, weight_1 = e2 * f0 - e0 * f2, weight_0 = e1 * f2 - e2 * f1;
    if (weight_2 <= 0.0 && e0 >= 0.0 && e1 <= 0.0)
        return (weights){0.0, share(e0, ee), 0.0};
    if (weight_1 <= 0.0 && f0 >= 0.0 && f2 <= 0.0)
        return (weights){0.0, 0.0, share(f0, ff)};
    if (weight_0 <= 0.0)
    {
        double v = share(f1 - e1, (f1 - e1) + (e2 - f2));
        return (weights){0.0, 1.0 - v, v};
    }
    double sum = weight_0 + weight_1 + weight_2, u = share(weight_1, sum), v = share(weight_2, sum);
    return (weights){0.0, u, v < 1.0 - u ? v : 1.0 - u};
}

static inline carom_vec3 between(const cores *c, weights at)
{
    const carom_vec3 *d = &c->d, *q = &c->start, *e = &c->e, *f = &c->f;
    return vec3(((q->x + at.u * e->x) + at.v * f->x) - at.s * d->x, ((q->y + at.u * e->y) + at.v * f->y) - at.s * d->y,
                ((q->z + at.u * e->z) + at.v * f->z) - at.s * d->z);
}

typedef struct nearest
{
    weights at;
    double square;
} nearest;

static inline void offer(nearest *best, const cores *c, weights at)
{
    carom_vec3 w = between(c, at);
    double square = vec3_dot(w, w);
    if (square < best->square)
        *best = (nearest){at, square};
}

/* The inner part of the face under or above the segment's ends, and where the segment passes it. */
static inline void offer_face(nearest *best, const cores *c)
{
    carom_vec3 normal = vec3_cross(c->e, c->f), last = vec3_sub(c->d, c->start);
    double ee = vec3_dot(c->e, c->e), ef = vec3_dot(c->e, c->f), ff = vec3_dot(c->f, c->f), area = ee * ff - ef * ef;
    double along_e[2] = {-vec3_dot(c->start, c->e), vec3_dot(last, c->e)};
    double along_f[2] = {-vec3_dot(c->start, c->f), vec3_dot(last, c->f)};
    double low = -vec3_dot(c->start, normal), high = vec3_dot(last, normal);
    if (!(area > 0.0))
        return;
    bool passes = low * high < 0.0;
    double inverse = 1.0 / area, s[3] = {0.0, 1.0, passes ? low / (low - high) : 0.0};
    for (int i = passes ? 2 : 1; i >= 0; i--)
    {
        double x = along_e[0] + s[i] * (along_e[1] - along_e[0]), y = along_f[0] + s[i] * (along_f[1] - along_f[0]);
        double u = (ff * x - ef * y) * inverse, v = (ee * y - ef * x) * inverse;
        if (u > 0.0 && v > 0.0 && u + v < 1.0)
            offer(best, c, (weights){s[i], u, v});
    }
}

static inline void offer_edges(nearest *best, const cores *c)
{
    double st[2];
    nearest_of_segments(c->d, c->e, c->start, st);
    offer(best, c, (weights){st[0], st[1], 0.0});
    nearest_of_segments(c->d, c->f, c->start, st);
    offer(best, c, (weights){st[0], 0.0, st[1]});
    nearest_of_segments(c->d, vec3_sub(c->f, c->e), vec3_add(c->start, c->e), st);
    offer(best, c, (weights){st[0], 1.0 - st[1], st[1]});
}

/* ---- what they prove ---- */

static inline double largest_of(double so_far, carom_vec3 v)
{
    double x = fabs(v.x), y = fabs(v.y), z = fabs(v.z);
    x = x > y ? x : y;
    x = x > z ? x : z;
    return x > so_far ? x : so_far;
}

static inline double smaller(double x, double y) { return x < y ? x : y; }

/* The largest |component| of all. */
static inline double reach_of(const cores *c)
{
    return largest_of(largest_of(largest_of(largest_of(0.0, c->d), c->start), c->e), c->f);
}

/* Error bounds of the proofs, in units of the reach, from docs/exactness.md, section 18. */
#define ROUND_NEAR_ERROR  (20.25 * 0x1p-53) /* of the way between two points of the cores */
#define ROUND_GAP_ERROR   (19.5 * 0x1p-53)  /* of a gap along a direction of length 1 */
#define ROUND_POINT_ERROR (6.25 * 0x1p-53)  /* of |w|^2 - radius^2, in units of their sum */

/* Points of the cores with this computed squared distance are nearer than the radius. */
static inline bool proven_near(double square, double radius, double reach)
{
    return sqrt(square) + ROUND_NEAR_ERROR * reach + 0x1p-500 < radius * (1.0 - 0x1p-51);
}

/* Between the cores, along w. */
static inline double gap_along(const cores *c, carom_vec3 w)
{
    double along_d = vec3_dot(w, c->d);
    double gap = vec3_dot(w, c->start) + smaller(smaller(vec3_dot(w, c->e), vec3_dot(w, c->f)), 0.0);
    return gap - (along_d > 0.0 ? along_d : 0.0);
}

/* What it must exceed; square: of w. */
static inline double gap_needed(double square, double radius, double reach)
{
    return sqrt(square) * (radius * (1.0 + 0x1.8p-51) + ROUND_GAP_ERROR * reach) + 0x1p-1022;
}

/* Planes across w keep the cores further apart than the radius. */
static inline bool proven_apart(const cores *c, carom_vec3 w, double radius, double reach)
{
    double square = vec3_dot(w, w);
    return gap_along(c, w) > gap_needed(square, radius, reach) && square > 0x1p-900;
}

/* The sign of the cores' distance minus the radius if it is certain, else 0. */
static inline int proven_sign(const cores *c, weights at, double radius)
{
    carom_vec3 w = between(c, at);
    double reach = reach_of(c);
    return proven_near(vec3_dot(w, w), radius, reach) ? -1 : proven_apart(c, w, radius, reach);
}

/* Of a segment and a triangle: cheap proofs first. */
static inline int proven_sign_of_segment(const cores *c, double radius)
{
    double reach = reach_of(c);
    carom_vec3 normal = vec3_cross(c->e, c->f);
    carom_vec3 towards = vec3_dot(normal, c->start) < 0.0 ? vec3_scale(normal, -1.0) : normal;
    if (proven_apart(c, towards, radius, reach))
        return 1;
    nearest best = {{0.0, 0.0, 0.0}, INFINITY};
    offer_face(&best, c);
    if (proven_near(best.square, radius, reach))
        return -1;
    offer_edges(&best, c);
    return proven_near(best.square, radius, reach) ? -1 : proven_apart(c, between(c, best.at), radius, reach);
}

/* Of |w|^2 - radius^2 with w rounded once, if it is certain. */
static inline int proven_sign_of_points(carom_vec3 w, double radius)
{
    double distance = vec3_dot(w, w), limit = radius * radius;
    return exact_filter_sign(distance - limit, ROUND_POINT_ERROR * (distance + limit) + 0x1p-1022);
}

/* ---- signs ---- */

static BASE_NEVER_INLINE int exact_sign_of_rounds(const narrow_round *a, const narrow_round *b, narrow_counts *counts)
{
    exact_round of_a = {a->end, round_is_ball(a) ? 1 : 2, a->radius};
    exact_round of_b = {b->end, round_is_ball(b) ? 1 : 2, b->radius};
    return exact_gap_sign(&of_a, &of_b, &counts->exact_fallbacks);
}

/* The sign of the distance of the cores minus the sum of the radii, which is not negative. */
static inline int sign_of_rounds(const narrow_round *a, const narrow_round *b, narrow_counts *counts)
{
    double radius = a->radius + b->radius, st[2];
    carom_vec3 start = vec3_sub(b->end[0], a->end[0]);
    int sign;
    if (round_is_ball(a) && round_is_ball(b))
        sign = proven_sign_of_points(start, radius);
    else
    {
        cores c = {.d = vec3_sub(a->end[1], a->end[0]), .start = start, .e = vec3_sub(b->end[1], b->end[0])};
        nearest_of_segments(c.d, c.e, c.start, st);
        sign = proven_sign(&c, (weights){st[0], st[1], 0.0}, radius);
    }
    return BASE_LIKELY(sign != 0) ? sign : exact_sign_of_rounds(a, b, counts);
}

static int sign_of_triangle(const narrow_round *a, const narrow_triangle *b, narrow_counts *counts)
{
    const carom_vec3 *corner = b->corner;
    cores c = {.d = vec3_sub(a->end[1], a->end[0]),
               .start = vec3_sub(corner[0], a->end[0]),
               .e = vec3_sub(corner[1], corner[0]),
               .f = vec3_sub(corner[2], corner[0])};
    bool ball = round_is_ball(a);
    int sign = ball ? proven_sign(&c, nearest_to_point(&c), a->radius) : proven_sign_of_segment(&c, a->radius);
    if (BASE_LIKELY(sign != 0))
        return sign;
    exact_round of_a = {a->end, ball ? 1 : 2, a->radius}, of_b = {corner, 3, 0.0};
    return exact_gap_sign(&of_a, &of_b, &counts->exact_fallbacks);
}

/* Where a radius is positive, the interior of that solid meets the other's relative interior iff it meets the other:
 * CROSSING if the sign is negative, TOUCHING if it is 0, else NONE. */
static inline uint32_t meeting_of(int sign) { return (uint32_t)(1 - sign); }
_Static_assert(CAROM_MEET_NONE == 0 && CAROM_MEET_TOUCHING == 1 && CAROM_MEET_CROSSING == 2, "1 minus a sign");

uint32_t narrow_round_meet(const narrow_round *a, const narrow_round *b, narrow_counts *counts)
{
    if (BASE_LIKELY(a->radius + b->radius > 0.0))
        return meeting_of(sign_of_rounds(a, b, counts));
    narrow_triangle core_a = round_core(a), core_b = round_core(b);
    return narrow_meet(&core_a, &core_b, counts);
}

uint32_t narrow_round_triangle_meet(const narrow_round *a, const narrow_triangle *b, narrow_counts *counts)
{
    if (BASE_LIKELY(a->radius > 0.0))
        return meeting_of(sign_of_triangle(a, b, counts));
    narrow_triangle core = round_core(a);
    return narrow_meet(&core, b, counts);
}

/* ---- containment: the distance from a convex set is convex, so corners suffice ---- */

static bool is_within(carom_vec3 point, double margin, const narrow_round *outer, narrow_counts *counts)
{
    narrow_round inner = {{point, point}, -margin};
    return sign_of_rounds(&inner, outer, counts) <= 0;
}

bool narrow_round_in_round(const narrow_round *inner, const narrow_round *outer, narrow_counts *counts)
{
    return inner->radius <= outer->radius && is_within(inner->end[0], inner->radius, outer, counts) &&
           (round_is_ball(inner) || is_within(inner->end[1], inner->radius, outer, counts));
}

bool narrow_triangle_in_round(const narrow_triangle *inner, const narrow_round *outer, narrow_counts *counts)
{
    const carom_vec3 *c = inner->corner;
    return is_within(c[0], 0.0, outer, counts) && is_within(c[1], 0.0, outer, counts) &&
           is_within(c[2], 0.0, outer, counts);
}
