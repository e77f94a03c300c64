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

static void bounds_hold(void **state)
{
    (void)state;
    truth_of = oracle_create();
    climb_attack(&(climb){"gaps of planes", plane_ratio, 21, 0.8, 1, NULL, 20, 20000, false});
    climb_attack(&(climb){"corners and a slab", slab_ratio, 12, 0.6, 2, NULL, 10, 20000, false});
    climb_attack(&(climb){"two points", points_ratio, 6, 0.5, 3, NULL, 10, 10000, false});
    climb_attack(&(climb){"distances of triangles", distance_ratio, 18, 0.05, 4, NULL, 4, 4000, false});
    oracle_destroy(truth_of);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bounds_hold)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
