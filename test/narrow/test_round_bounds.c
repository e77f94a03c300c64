/* Attacks the error bounds of balls and capsules in double (docs/exactness.md, section 18): hill climbing on error /
 * bound over the functions that the filters consist of, which are compiled into this program. The truth is in long
 * double, whose errors are a thousandth of the bounds. */
#define narrow_round_meet          here_round_meet
#define narrow_round_triangle_meet here_round_triangle_meet
#define narrow_round_in_round      here_round_in_round
#define narrow_triangle_in_round   here_triangle_in_round
#define narrow_round_ray_hit       here_round_ray_hit
#define narrow_round_ray_at        here_round_ray_at
#include "narrow/round.c"     /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */
#include "narrow/round_ray.c" /* NOLINT(bugprone-suspicious-include) */

#include "support/climb.h"

typedef long double real;

typedef struct real3
{
    real x, y, z;
} real3;

static carom_vec3 point_at(const double *n) { return vec3(n[0], n[1], n[2]); }

static real3 exactly(carom_vec3 v) { return (real3){(real)v.x, (real)v.y, (real)v.z}; }

static real3 way(carom_vec3 to, carom_vec3 from)
{
    return (real3){(real)to.x - (real)from.x, (real)to.y - (real)from.y, (real)to.z - (real)from.z};
}

/* a + s b */
static real3 plus(real3 a, real s, real3 b) { return (real3){a.x + s * b.x, a.y + s * b.y, a.z + s * b.z}; }

static real dot(real3 a, real3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }

static real3 cross(real3 a, real3 b)
{
    return (real3){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}

static real least(real a, real b) { return a < b ? a : b; }

/* ---- proofs ---- */

/* A segment and a triangle: five points in numbers[0] to [14]. */
typedef struct true_cores
{
    real3 d, start, e, f;
} true_cores;

static cores cores_of(const double *n, true_cores *truth)
{
    carom_vec3 p[5];
    for (int i = 0; i < 5; i++)
        p[i] = point_at(n + 3 * i);
    *truth = (true_cores){way(p[1], p[0]), way(p[2], p[0]), way(p[3], p[2]), way(p[4], p[2])};
    return (cores){vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]), vec3_sub(p[3], p[2]), vec3_sub(p[4], p[2])};
}

/* The way between points with given weights is too short by this. */
static double near_ratio(const double *n)
{
    true_cores truth;
    cores c = cores_of(n, &truth);
    double u = clamp01(fabs(n[15])), v = clamp01(fabs(n[16])), reach = reach_of(&c);
    weights at = {clamp01(fabs(n[17])), u, v < 1.0 - u ? v : 1.0 - u};
    real3 w = exactly(between(&c, at));
    real3 exact = plus(plus(truth.start, (real)at.u, truth.e), (real)at.v, truth.f);
    exact = plus(exact, -(real)at.s, truth.d);
    if (!(reach > 0x1p-20))
        return 0.0;
    return (double)((sqrtl(dot(exact, exact)) - sqrtl(dot(w, w))) / ((real)ROUND_NEAR_ERROR * (real)reach));
}

/* A gap along a direction is too large by this. */
static double gap_ratio(const double *n)
{
    true_cores truth;
    cores c = cores_of(n, &truth);
    carom_vec3 w = point_at(n + 15);
    real3 along = exactly(w);
    double gap = gap_along(&c, w), reach = reach_of(&c);
    real length = sqrtl(dot(along, along));
    if (!(gap > 0.0) || !(length > 0x1p-20L) || !(reach > 0x1p-20))
        return 0.0;
    real exact = dot(along, truth.start) + least(least(dot(along, truth.e), dot(along, truth.f)), 0.0L);
    exact += least(-dot(along, truth.d), 0.0L);
    return (double)(((real)gap - exact) / (length * (real)ROUND_GAP_ERROR * (real)reach));
}

/* How much of 6u the product of a length and a radius uses. */
static double needed_ratio(const double *n)
{
    carom_vec3 w = point_at(n);
    real3 along = exactly(w);
    double a = fabs(n[3]), b = fabs(n[4]), needed = gap_needed(vec3_dot(w, w), a + b, 0.0);
    real exact = sqrtl(dot(along, along)) * ((real)a + (real)b);
    return exact > 0x1p-20L ? (double)(1.0L - ((real)needed / exact - 1.0L) / 0x1.8p-51L) : 0.0;
}

/* How much of 4u a proof of nearness uses for the length of a way, the radius and their comparison, with the smallest
 * radius that it accepts. */
static double radius_ratio(const double *n)
{
    carom_vec3 w = point_at(n);
    double a = fabs(n[3]), reach = fabs(n[4]), square = vec3_dot(w, w), low = 0.0, high = 16.0;
    if (!(square > 0x1p-6) || proven_near(square, a, reach))
        return 0.0;
    while (nextafter(low, high) < high)
    {
        double middle = low + (high - low) / 2.0;
        *(proven_near(square, a + middle, reach) ? &high : &low) = middle;
    }
    real3 exact = exactly(w);
    real longest = sqrtl(dot(exact, exact)) + (real)ROUND_NEAR_ERROR * (real)reach, radius = (real)a + (real)high;
    return (double)(1.0L - (1.0L - longest / radius) / 0x1p-51L);
}

static double points_ratio(const double *n)
{
    carom_vec3 w = vec3_sub(point_at(n + 3), point_at(n));
    double a = fabs(n[6]), b = fabs(n[7]), radius = a + b, distance = vec3_dot(w, w), limit = radius * radius;
    real3 exact_w = way(point_at(n + 3), point_at(n));
    real exact_radius = (real)a + (real)b, exact = dot(exact_w, exact_w) - exact_radius * exact_radius;
    double bound = ROUND_POINT_ERROR * (distance + limit);
    return bound > 0x1p-80 ? (double)(fabsl((real)(distance - limit) - exact) / (real)bound) : 0.0;
}

static void proofs_hold(void **state)
{
    (void)state;
    climb_attack(&(climb){"points that are near", near_ratio, 18, 0.6, 1, NULL, 30, 100000, false});
    climb_attack(&(climb){"gaps of cores", gap_ratio, 18, 0.6, 2, NULL, 30, 100000, false});
    climb_attack(&(climb){"what gaps need", needed_ratio, 5, 0.5, 3, NULL, 30, 10000, false});
    climb_attack(&(climb){"radii of what is near", radius_ratio, 5, 0.5, 4, NULL, 20, 20000, false});
    climb_attack(&(climb){"two points", points_ratio, 8, 0.5, 5, NULL, 30, 20000, false});
}

/* ---- rays ---- */

/* origin, direction, two ends, radius. */
static double term_ratio(const double *n, exact_ray_term term)
{
    carom_vec3 origin = point_at(n), d = point_at(n + 3), low = point_at(n + 6), high = point_at(n + 9);
    double radius = fabs(n[12]), bound;
    ray_terms in = {.d = d,
                    .e = vec3_sub(high, low),
                    .r = {vec3_sub(low, origin), vec3_sub(high, origin)},
                    .size = {.radius = radius}};
    in.size.d = size_of(d), in.size.e = size_of(in.e);
    in.size.r[0] = size_of(in.r[0]), in.size.r[1] = size_of(in.r[1]);
    double value = filter(&in, term, 0, &bound);
    real3 td = exactly(d), e = way(high, low), r = way(low, origin);
    real R = (real)radius, truth = 0.0L, x;
    real3 c;
    switch (term)
    {
    case EXACT_RAY_ALONG: truth = dot(td, e); break;
    case EXACT_RAY_LENGTH: truth = dot(e, e); break;
    case EXACT_RAY_BEYOND: truth = dot(r, e); break;
    case EXACT_RAY_AHEAD: truth = dot(r, td); break;
    case EXACT_RAY_APPROACH: truth = dot(cross(r, e), cross(td, e)); break;
    case EXACT_RAY_CLOSING: truth = dot(cross(r, td), cross(td, e)); break;
    case EXACT_RAY_PASS:
        c = cross(td, e), x = dot(r, c);
        truth = R * R * dot(c, c) - x * x;
        break;
    case EXACT_RAY_OFF_AXIS:
        c = cross(r, e);
        truth = dot(c, c) - R * R * dot(e, e);
        break;
    case EXACT_RAY_DISC:
        c = cross(e, cross(r, td)), x = R * dot(td, e);
        truth = x * x - dot(c, c);
        break;
    case EXACT_RAY_OFF_END: truth = dot(r, r) - R * R; break;
    case EXACT_RAY_CHORD:
        c = cross(r, td);
        truth = R * R * dot(td, td) - dot(c, c);
        break;
    }
    return bound > 0x1p-120 ? (double)(fabsl((real)value - truth) / (real)bound) : 0.0;
}

static double along_ratio(const double *n) { return term_ratio(n, EXACT_RAY_ALONG); }
static double length_ratio(const double *n) { return term_ratio(n, EXACT_RAY_LENGTH); }
static double beyond_ratio(const double *n) { return term_ratio(n, EXACT_RAY_BEYOND); }
static double ahead_ratio(const double *n) { return term_ratio(n, EXACT_RAY_AHEAD); }
static double approach_ratio(const double *n) { return term_ratio(n, EXACT_RAY_APPROACH); }
static double closing_ratio(const double *n) { return term_ratio(n, EXACT_RAY_CLOSING); }
static double pass_ratio(const double *n) { return term_ratio(n, EXACT_RAY_PASS); }
static double off_axis_ratio(const double *n) { return term_ratio(n, EXACT_RAY_OFF_AXIS); }
static double disc_ratio(const double *n) { return term_ratio(n, EXACT_RAY_DISC); }
static double off_end_ratio(const double *n) { return term_ratio(n, EXACT_RAY_OFF_END); }
static double chord_ratio(const double *n) { return term_ratio(n, EXACT_RAY_CHORD); }

static void terms_of_rays_hold(void **state)
{
    (void)state;
    const climb attacks[] = {
        {"ray term d.e", along_ratio, 13, 0.7, 11, NULL, 20, 20000, false},
        {"ray term e.e", length_ratio, 13, 0.7, 12, NULL, 20, 20000, false},
        {"ray term r.e", beyond_ratio, 13, 0.7, 13, NULL, 20, 20000, false},
        {"ray term r.d", ahead_ratio, 13, 0.7, 14, NULL, 20, 20000, false},
        {"ray term (r x e).n", approach_ratio, 13, 0.7, 15, NULL, 20, 40000, false},
        {"ray term (r x d).n", closing_ratio, 13, 0.7, 16, NULL, 20, 40000, false},
        {"ray term R^2 |n|^2 - (r.n)^2", pass_ratio, 13, 0.7, 17, NULL, 20, 40000, false},
        {"ray term |r x e|^2 - R^2 e.e", off_axis_ratio, 13, 0.7, 18, NULL, 20, 40000, false},
        {"ray term R^2 (d.e)^2 - |e x (r x d)|^2", disc_ratio, 13, 0.7, 19, NULL, 20, 40000, false},
        {"ray term r.r - R^2", off_end_ratio, 13, 0.7, 20, NULL, 20, 20000, false},
        {"ray term R^2 d.d - |r x d|^2", chord_ratio, 13, 0.7, 21, NULL, 20, 40000, false},
    };
    for (size_t i = 0; i < sizeof attacks / sizeof *attacks; i++)
        climb_attack(&attacks[i]);
}

/* A ray that is as near to a ball or a capsule's side, and as oblique, as double allows, so that digits are lost.
 * numbers: the ray's origin, a direction, two ends, how near, how oblique, how far along the axis. */
static ray_terms grazing_at(const double *n, bool has_factor, narrow_counts *counts)
{
    carom_vec3 low = point_at(n + 6), high = point_at(n + 9);
    ray_terms in = terms_of(&(narrow_ray){point_at(n), vec3(1.0, 0.0, 0.0)}, &(narrow_round){{low, high}, 1.0}, counts);
    double distance = has_factor ? vec3_length(vec3_cross(in.r[0], in.e)) / in.size.e : in.size.r[0];
    in.size.radius = in.exact.radius = distance * (1.0 - (has_factor ? 0x1p-10 : 0x1p-11) * (1.0 + fabs(n[12])));
    carom_vec3 beside = vec3_cross(in.r[0], has_factor ? in.e : point_at(n + 3));
    double share = (has_factor ? 0x1p-4 : 0x1p-5) * (1.0 + fabs(n[13])) / in.size.r[0];
    carom_vec3 d = vec3_add(vec3_scale(beside, 1.0 / size_of(beside)), vec3_scale(in.r[0], share));
    in.d = has_factor ? vec3_add(d, vec3_scale(in.e, n[14] / in.size.e)) : d;
    in.exact.direction = in.d, in.size.d = size_of(in.d);
    return in;
}

/* The error of t, of half of what parameters must differ by. The origin is outside, and the ray enters. */
static double root_ratio(const double *n, const quadratic *q)
{
    narrow_counts counts = {0};
    ray_terms in = grazing_at(n, q->has_factor, &counts);
    real3 td = exactly(in.d), e = way(in.exact.end[1], in.exact.end[0]), r = way(in.exact.end[0], in.exact.origin);
    real3 across = q->has_factor ? cross(r, e) : r, normal = q->has_factor ? cross(td, e) : td;
    real R = (real)in.size.radius, factor = q->has_factor ? dot(e, e) : 1.0L;
    real off = dot(across, across) - R * R * factor, ahead = dot(across, normal);
    real3 closest = cross(r, td);
    real along = dot(r, normal), chord = R * R * dot(normal, normal);
    chord -= q->has_factor ? along * along : dot(closest, closest);
    /* No more cancellation than long double bears. */
    real size = dot(across, across), length = dot(normal, normal), full = dot(r, r) * factor;
    if (!(size > 0x1p-10L * full) || !(length > 0x1p-10L * dot(td, td) * factor) || !(off > 0x1p-14L * size) ||
        !(ahead * ahead > 0x1p-28L * size * length) || !(chord > 0x1p-20L * R * R * length))
        return 0.0;
    real truth = off / (ahead + sqrtl(chord * factor)), allowed = ((real)narrow_ray_beyond(1.0) - 1.0L) / 2.0L;
    return (double)(fabsl((real)smaller_root(&in, q) - truth) / (truth * allowed));
}

/* The same with an adversary who lets each term err by its bound, where the code trusts the terms. */
static double worst_root_ratio(const double *n, const quadratic *q)
{
    narrow_counts counts = {0};
    ray_terms in = grazing_at(n, q->has_factor, &counts);
    double t = smaller_root(&in, q), factor = q->has_factor ? vec3_dot(in.e, in.e) : 1.0, bound[3];
    double off = filter(&in, q->off, q->end, &bound[0]), ahead = filter(&in, q->ahead, q->end, &bound[1]);
    double chord = filter(&in, q->chord, q->end, &bound[2]);
    if (counts.exact_fallbacks > 0 || !(t > 0x1p-100))
        return 0.0;
    real root = sqrtl(((real)chord - (real)bound[2]) * (real)factor), allowed = (real)narrow_ray_beyond(1.0) - 1.0L;
    real worst = ((real)off + (real)bound[0]) / ((real)ahead - (real)bound[1] + root);
    return (double)((worst / (real)t - 1.0L) / (allowed / 2.0L));
}

static const quadratic BALL = {EXACT_AT_BALL, EXACT_RAY_OFF_END, EXACT_RAY_AHEAD, EXACT_RAY_CHORD, false, 0};
static const quadratic SIDE = {EXACT_AT_SIDE, EXACT_RAY_OFF_AXIS, EXACT_RAY_APPROACH, EXACT_RAY_PASS, true, 0};

static double ball_root_ratio(const double *n) { return root_ratio(n, &BALL); }
static double side_root_ratio(const double *n) { return root_ratio(n, &SIDE); }
static double worst_ball_ratio(const double *n) { return worst_root_ratio(n, &BALL); }
static double worst_side_ratio(const double *n) { return worst_root_ratio(n, &SIDE); }

static void parameters_of_rays_hold(void **state)
{
    (void)state;
    climb_attack(&(climb){"t of a ball", ball_root_ratio, 14, 0.2, 31, NULL, 10, 20000, false});
    climb_attack(&(climb){"t of a capsule's side", side_root_ratio, 15, 0.15, 32, NULL, 10, 20000, false});
    climb_attack(
        &(climb){"t of a ball, all terms at their worst", worst_ball_ratio, 14, 0.6, 33, NULL, 10, 20000, false});
    climb_attack(
        &(climb){"t of a side, all terms at their worst", worst_side_ratio, 15, 0.6, 34, NULL, 10, 20000, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(proofs_hold), cmocka_unit_test(terms_of_rays_hold),
                                       cmocka_unit_test(parameters_of_rays_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
