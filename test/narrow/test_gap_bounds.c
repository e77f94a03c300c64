/* Attacks the error bounds of distances in double (docs/exactness.md, sections 6 and 21): climbs on error / bound of
 * the functions, which are compiled into this program. */
#define gap_compare                         here_gap_compare
#define gap_exact                           here_gap_exact
#define gap_make_certain                    here_gap_make_certain
#define gap_of_rounds                       here_gap_of_rounds
#define gap_of_triangle_round               here_gap_of_triangle_round
#define gap_of_triangles                    here_gap_of_triangles
#define gap_plane_bound                     here_gap_plane_bound
#define gap_refine                          here_gap_refine
#define gap_refine_within                   here_gap_refine_within
#define gap_round                           here_gap_round
#define gap_sign                            here_gap_sign
#define narrow_distance_sign                here_distance_sign
#define narrow_measured_sign                here_measured_sign
#define narrow_round_distance_sign          here_round_distance_sign
#define narrow_round_triangle_distance_sign here_round_triangle_distance_sign
#define narrow_closest_settle               here_closest_settle
#define narrow_offer                        here_offer
#define narrow_offer_meeting                here_offer_meeting
#define narrow_offer_rounds                 here_offer_rounds
#define narrow_offer_triangle_round         here_offer_triangle_round
#include "narrow/closest.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */
#include "narrow/gap.c"     /* NOLINT(bugprone-suspicious-include) */

#include "support/climb.h"
#include "support/oracle.h"

typedef long double real;

static carom_vec3 point_at(const double *n) { return vec3(n[0], n[1], n[2]); }

static real height_of(carom_vec3 normal, carom_vec3 to, carom_vec3 from)
{
    return (real)normal.x * ((real)to.x - (real)from.x) + (real)normal.y * ((real)to.y - (real)from.y) +
           (real)normal.z * ((real)to.z - (real)from.z);
}

/* Planes across any direction: the gap is too large by this. */
static double plane_ratio(const double *n)
{
    narrow_triangle t[2];
    for (int i = 0; i < 6; i++)
        t[i / 3].corner[i % 3] = point_at(n + 3 * i);
    carom_vec3 normal = point_at(n + 18), origin = t[0].corner[0];
    double bound = 0.0, sides[2] = {gap_along(&t[0], &t[1], normal), 0.0};
    real high[2] = {-INFINITY, -INFINITY}, low[2] = {INFINITY, INFINITY};
    for (int i = 0; i < 6; i++)
    {
        carom_vec3 p = t[i / 3].corner[i % 3], r = vec3_sub(p, origin);
        real height = height_of(normal, p, origin);
        high[i / 3] = fmaxl(high[i / 3], height), low[i / 3] = fminl(low[i / 3], height);
        bound = fmax(bound, fabs(normal.x * r.x) + fabs(normal.y * r.y) + fabs(normal.z * r.z));
    }
    bound *= GAP_PLANE_ERROR, sides[0] += bound;
    /* The difference rounds in proportion to itself, which is not this bound's affair. */
    real truth = fmaxl(low[1] - high[0], low[0] - high[1]);
    return bound > 0x1p-90 && fabsl(truth) < 0x1p-8L ? (double)(((real)sides[0] - truth) / (real)bound) : 0.0;
}

/* A corner and the slab of the closest pair, whose direction is known to half an ulp. */
static double slab_ratio(const double *n)
{
    carom_vec3 origin = point_at(n), point = point_at(n + 3), r = vec3_sub(point, origin);
    real exact[3];
    for (int k = 0; k < 3; k++)
        exact[k] = (real)n[6 + k] * (1.0L + (real)fmax(-1.0, fmin(1.0, n[9 + k])) * 0x1p-53L);
    carom_vec3 direction = vec3((double)exact[0], (double)exact[1], (double)exact[2]);
    real truth = exact[0] * ((real)point.x - (real)origin.x) + exact[1] * ((real)point.y - (real)origin.y) +
                 exact[2] * ((real)point.z - (real)origin.z);
    double x = direction.x * r.x, y = direction.y * r.y, z = direction.z * r.z, height = (x + y) + z;
    double size = (fabs(x) + fabs(y)) + fabs(z);
    /* What the filter makes of it must be true. */
    placement found = place_point(&(exact_way){.direction = direction, .axes = 7}, 0, origin, point);
    if ((found == IN_FRONT && truth <= 0.0L) || (found == STRICTLY_BEHIND && truth >= 0.0L))
        return 2.0;
    return size > 0x1p-40 ? (double)(fabsl((real)height - truth) / (real)(SLAB_ERROR * size)) : 0.0;
}

/* The estimate of section 6 against exact arithmetic. */
static oracle *truth_of;

static double distance_ratio(const double *n)
{
    narrow_triangle pair[2];
    narrow_counts counts = {0};
    double truth;
    for (int i = 0; i < 6; i++)
        pair[i / 3].corner[i % 3] = point_at(n + 3 * i);
    narrow_distance_result result = narrow_distance(&pair[0], &pair[1], &counts);
    return oracle_distance_error(truth_of, pair, result.distance, &truth) / NARROW_DISTANCE_ERROR;
}

static double points_ratio(const double *n)
{
    narrow_counts counts = {0};
    narrow_round p = {{point_at(n), point_at(n)}, 0.0}, q = {{point_at(n + 3), point_at(n + 3)}, 0.0};
    narrow_distance_result result = narrow_round_distance(&p, &q, &counts);
    real x = (real)n[3] - (real)n[0], y = (real)n[4] - (real)n[1], z = (real)n[5] - (real)n[2];
    real truth = sqrtl(x * x + y * y + z * z);
    return result.error > 0x1p-80 ? (double)(fabsl((real)result.distance - truth) / (real)result.error) : 0.0;
}

/* A gap in units of a vector, divided by its length: how much of what it is lowered by is needed. */
static double length_ratio(const double *n)
{
    carom_vec3 v = point_at(n);
    real square = (real)v.x * (real)v.x + (real)v.y * (real)v.y + (real)v.z * (real)v.z;
    real truth = (real)fabs(n[3]) / sqrtl(square);
    double found = over_length(fabs(n[3]), vec3_dot(v, v));
    return square > 0x1p-40L && truth > 0x1p-40L
               ? (double)(1.0L - (truth - (real)found) / (real)GAP_LENGTH_ERROR / truth)
               : 0.0;
}

/* Sums of three numbers that are not negative, next to the middles between doubles: of a gap and two radii, and of
 * margins, compared with a gap that is some units in the last place away. */
static void sums_of_three(void **state)
{
    (void)state;
    check_random random = {8};
    int above = 0;
    for (int i = 0; i < 200000; i++)
    {
        double terms[EXACT_TERMS];
        for (int k = 0; k < EXACT_TERMS; k++)
            terms[k] = 0x1p-54 * (double)(check_next(&random) % 8) + (k == i % 3 ? 1.0 - 0x1p-51 * (i % 5 / 2) : 0.0);
        real truth = (real)terms[0] + (real)terms[1] + (real)terms[2]; /* exactly */
        narrow_gap gap = {.high = terms[0], .radius = {terms[1], terms[2]}};
        double sum = (terms[0] + terms[1]) + terms[2], reach = terms[0] + (terms[1] + terms[2]);
        above += truth > (real)reach;
        assert_true((real)reach_of(&gap) >= truth && reach_of(&gap) <= reach * (1.0 + 0x1p-51));
        double bound = sum;
        for (int step = i / 5 % 9; step > 0; step--)
            bound = nextafter(bound, i % 2 ? INFINITY : 0.0);
        int sign = compare_sum(&(narrow_gap){.low = bound, .high = bound}, terms);
        assert_true(sign == 2 ? i / 5 % 9 < 5 : sign == ((real)bound > truth) - ((real)bound < truth));
    }
    assert_true(above > 1000);
}

/* ---- intervals ---- */

static double within(double x) { return fmax(-1.0, fmin(1.0, x)); }

/* As the search leaves it: the low part is at most 3u of the high one. */
static exact_interval interval_at(double high, double low)
{
    return (exact_interval){high, within(low) * (3.0 * 0x1p-53) * fabs(high), 0.0};
}

/* The largest errors, one a share of the other, with which the first is still found to be larger. */
static double widest_errors(exact_interval *x, exact_interval *y, double share)
{
    double low = 0.0, high = 4.0 * (fabs(x->high - y->high) + fabs(x->low) + fabs(y->low));
    for (int i = 0; i < 64; i++)
    {
        double middle = 0.5 * (low + high);
        x->error = share * middle, y->error = middle;
        *(compare_intervals(x, y) > 0 ? &low : &high) = middle;
    }
    x->error = share * low, y->error = low;
    return low;
}

/* How much of what is added to the errors of two intervals is needed: 1 or more if they were told apart although they
 * share a number. */
static double intervals_ratio(exact_interval x, exact_interval y, double share)
{
    bool swap = (real)x.high - (real)y.high + ((real)x.low - (real)y.low) < 0.0L;
    exact_interval first = swap ? y : x, second = swap ? x : y;
    real low = (real)first.low - (real)second.low, difference = ((real)first.high - (real)second.high) + low;
    if (!(difference > 0x1p-120L) || !(widest_errors(&first, &second, share) > 0.0))
        return 0.0;
    real error = (real)first.error + (real)second.error;
    real spare = (real)GAP_SUM_ERROR * error + (real)GAP_LOW_ERROR * fabsl(low);
    return (double)(1.0L - (difference - error) / spare);
}

/* High parts that are next to each other; the low ones make up for that, but for a small part. */
static double near_intervals_ratio(const double *n)
{
    exact_interval x = interval_at(fabs(n[0]), n[1]);
    double part = 1.0 + copysign(exp2(-1.0 - 20.0 * fabs(within(n[3]))), n[3]);
    exact_interval y = {x.high * (1.0 + (n[2] < 0.0 ? -0x1p-52 : 0x1p-52)), 0.0, 0.0};
    y.low = x.low + part * (x.high - y.high);
    return fabs(y.low) <= 3.0 * 0x1p-53 * y.high ? intervals_ratio(x, y, fabs(within(n[4]))) : 0.0;
}

/* One is at most half of the other, so that the difference of their high parts rounds, or below 0. */
static void intervals_that_are_far_apart(void **state)
{
    (void)state;
    check_random random = {6};
    for (int i = 0; i < 100000; i++)
    {
        double high = check_uniform(&random, 1.0, 2.0), share = check_uniform(&random, -1.0, 0.5);
        exact_interval x = interval_at(high, check_uniform(&random, -1.0, 1.0)),
                       y = interval_at(share * high, check_uniform(&random, -1.0, 1.0));
        double ratio = intervals_ratio(x, y, i % 3 ? check_uniform(&random, 0.0, 1.0) : exp2(-i % 60));
        if (!(ratio > -3.0 && ratio < 1.0)) /* too soon or too late */
            fail_msg("%a, %a and %a, %a: %f", x.high, x.low, y.high, y.low, ratio);
    }
}

/* Numbers next to 1, by multiples of u and a few u^2: x - y = 1 - cu - i, the sum of both errors 1 - au + bu - k, which
 * doubles round down where that matters. The first is larger for certain only if what is left is more than 0. */
static void errors_whose_sum_rounds(void **state)
{
    (void)state;
    const double u = 0x1p-53, small = 0x1p-107;
    int found = 0;
    for (int n = 0; n < 9 * 17 * 17 * 9 * 9; n++)
    {
        double a = n % 9, b = 0.5 * (n / 9 % 17), c = 0.5 * (n / 153 % 17);
        double i = small * (n / 2601 % 9), k = small * (n / 23409 % 9);
        exact_interval x = {0x1p52 + 1.0, -c * u, 1.0 - a * u}, y = {0x1p52, i, b * u - k};
        double left = (a - b - c) * u + (k - i);
        int sign = y.error < 0.0 ? 0 : compare_intervals(&x, &y);
        if (sign < 0 || (sign > 0 && !(left > 0.0)))
            fail_msg("errors of 1 - %.0f u and %.1f u, low parts of %.1f u and %a: %d", a, b, c, i, sign);
        found += sign;
    }
    assert_true(found > 1000);
}

/* A limit is told from an interval exactly where it is not within: only the last sum rounds. */
static void intervals_at_limits(void **state)
{
    (void)state;
    check_random random = {7};
    for (int i = 0; i < 100000; i++)
    {
        double limit = check_uniform(&random, 1.0, 2.0),
               high = limit * (1.0 + 0x1p-52 * (double)(check_next(&random) % 9)) * (i % 2 ? 1.0 : 1.5);
        narrow_gap gap = {.found = true, .interval = interval_at(high, check_uniform(&random, -1.0, 1.0))};
        real difference = ((real)gap.interval.high - (real)limit) + (real)gap.interval.low;
        double distance = fabs((double)difference);
        int sign = (difference > 0.0L) - (difference < 0.0L), step = (int)(check_next(&random) % 5) - 2;
        gap.interval.error = distance * (1.0 + step * 0x1p-52);
        int found = compare_interval(&gap, limit);
        assert_true(found == 2 || ((real)gap.interval.error < fabsl(difference) && found == sign));
        assert_true(found != 2 || step > -2);
    }
}

static void bounds_hold(void **state)
{
    (void)state;
    truth_of = oracle_create();
    climb_attack(&(climb){"gaps of planes", plane_ratio, 21, 0.8, 1, NULL, 20, 20000, false});
    climb_attack(&(climb){"corners and a slab", slab_ratio, 12, 0.6, 2, NULL, 10, 20000, false});
    climb_attack(&(climb){"over a length", length_ratio, 4, 0.55, 6, NULL, 10, 10000, false});
    climb_attack(&(climb){"two points", points_ratio, 6, 0.5, 3, NULL, 10, 10000, false});
    climb_attack(&(climb){"distances of triangles", distance_ratio, 18, 0.05, 4, NULL, 4, 4000, false});
    climb_attack(&(climb){"intervals that are near", near_intervals_ratio, 5, 0.8, 5, NULL, 10, 5000, false});
    oracle_destroy(truth_of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold), cmocka_unit_test(intervals_that_are_far_apart),
                                       cmocka_unit_test(errors_whose_sum_rounds), cmocka_unit_test(sums_of_three),
                                       cmocka_unit_test(intervals_at_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
