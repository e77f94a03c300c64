/* Attacks the error bounds of what is told in double of distances (docs/exactness.md, section 21): climbs on error /
 * bound of heights, shares and their limit, and of the last rounding of the screen's heights. Errors in twice the
 * precision are nothing beside these; test_doubled_model attacks them. */
#define CAROM_ISA scalar_here
#define CAROM_ISA_SCALAR
/* NOLINTNEXTLINE(bugprone-suspicious-include): its static functions are what is tested */
#include "math/exact_distance_simd.c"

#include "support/climb.h"

typedef long double real;

static carom_vec3 point_at(const double *n) { return vec3(n[0], n[1], n[2]); }

/* Known to half a unit in the last place, without doubt. */
static doubled number_at(const double *n, int stride)
{
    double low = fmax(-1.0, fmin(1.0, n[stride])) * 0x1p-53 * fabs(n[0]), high = n[0] + low;
    return (doubled){high, low - (high - n[0]), 0.0};
}

static doubled_vector vector_at(const double *n)
{
    return (doubled_vector){number_at(n, 3), number_at(n + 1, 3), number_at(n + 2, 3)};
}

static real exactly(doubled x) { return (real)x.high + (real)x.low; }

static double ratio_of(rough found, real truth)
{
    if ((found.value > found.error && truth <= 0.0L) || (found.value < -found.error && truth >= 0.0L))
        return 2.0; /* a wrong sign */
    return found.error > 0x1p-90 ? (double)(fabsl((real)found.value - truth) / (real)found.error) : 0.0;
}

static double height_ratio(const double *n)
{
    carom_vec3 from = point_at(n), to = point_at(n + 3);
    doubled_vector v = vector_at(n + 6);
    real truth = exactly(v.x) * ((real)to.x - (real)from.x) + exactly(v.y) * ((real)to.y - (real)from.y) +
                 exactly(v.z) * ((real)to.z - (real)from.z);
    return ratio_of(rough_height(v, &from, &to), truth);
}

/* Of three points in a plane: the edges are differences, which round. */
static double share_ratio(const double *n)
{
    carom_vec3 o = point_at(n), p = point_at(n + 3), q = point_at(n + 6);
    doubled_vector v = vector_at(n + 9);
    real a[3] = {(real)p.x - (real)o.x, (real)p.y - (real)o.y, (real)p.z - (real)o.z};
    real b[3] = {(real)q.x - (real)o.x, (real)q.y - (real)o.y, (real)q.z - (real)o.z};
    real truth = (a[1] * b[2] - a[2] * b[1]) * exactly(v.x) + (a[2] * b[0] - a[0] * b[2]) * exactly(v.y) +
                 (a[0] * b[1] - a[1] * b[0]) * exactly(v.z);
    return ratio_of(rough_volume(vec3_sub(p, o), vec3_sub(q, o), v), truth);
}

static bool is_wrong_share(rough share, doubled limit)
{
    real least = exactly(limit) - (real)DOUBLED_ERROR * (real)limit.size, most = (real)share.value + (real)share.error;
    return is_between(share, limit) && most >= least;
}

/* A share without error, next to its limit: where the rest is large, only what it is compared with counts. Wherever it
 * is, it may be off by its error, and the limit by a part of its size. */
static double limit_ratio(const double *n)
{
    doubled limit = number_at(n, 1), vague = limit;
    double share = n[0] * (1.0 + n[2] * 0x1p-48);
    if (!(limit.high > 0x1p-90) || !(fabs(share - limit.high) < 0x1p-40 * limit.high))
        return 0.0;
    real rest = exactly(limit) - (real)share;
    vague.size = fabs(n[4]) * 0x1p-48 / DOUBLED_ERROR * limit.high;
    if (is_wrong_share((rough){share, 0.0}, limit) || is_wrong_share((rough){share, 0.0}, vague) ||
        is_wrong_share((rough){share, fabs(n[3]) * 0x1p-48 * limit.high}, limit))
        return 2.0;
    return (double)(fabsl((real)(limit.high - share) - rest) / (real)(LIMIT_ERROR * limit.high));
}

/* A bound must not be on the wrong side of the truth; what it keeps from it is its rounding's. Nothing is left of the
 * truth in `real` where heights cancel. */
static double last_sum_ratio(real surplus, real truth, real size)
{
    real bound = (real)DOUBLED_LAST_SUM * fabsl(truth);
    return bound > 0x1p-90L && fabsl(truth) > 0x1p-6L * size ? (double)(1.0L - surplus / bound) : 0.0;
}

static real height_of(carom_vec3 direction, carom_vec3 from, carom_vec3 to, real *size)
{
    real x = (real)direction.x * ((real)to.x - (real)from.x), y = (real)direction.y * ((real)to.y - (real)from.y),
         z = (real)direction.z * ((real)to.z - (real)from.z);
    *size = fabsl(x) + fabsl(y) + fabsl(z);
    return x + y + z;
}

static double screen_ratio(const double *n, bool turned)
{
    carom_vec3 direction = point_at(n), from = point_at(n + 3), to = point_at(n + 6);
    real size, height = height_of(direction, from, to, &size), truth = turned ? -height : height;
    double found = BASE_ISA(height_of_points)(direction, from, (carom_vec3[3]){to, to, to}, turned);
    return last_sum_ratio((real)found - truth, truth, size);
}

static double screen_above_ratio(const double *n) { return screen_ratio(n, false); }
static double screen_below_ratio(const double *n) { return screen_ratio(n, true); }

static double spare_ratio(const double *n)
{
    carom_vec3 direction = point_at(n), from = point_at(n + 3), to = point_at(n + 6);
    doubled distance = number_at(n + 9, 1);
    real size, height = height_of(direction, from, to, &size);
    real length = sqrtl((real)direction.x * (real)direction.x + (real)direction.y * (real)direction.y +
                        (real)direction.z * (real)direction.z);
    if (!(distance.high > 0.0) || !(length > 0x1p-20L))
        return 0.0;
    double error = 0x1p-40 * fmin(1.0, fabs(n[11])) * distance.high; /* the distance may be larger */
    real demand = (exactly(distance) + (real)error) * length, truth = height - demand;
    double found = exact_height_to_spare(direction, from, to, &(exact_interval){distance.high, distance.low, error});
    return last_sum_ratio(truth - (real)found, truth, size + demand);
}

/* A number that may be off by some units in the last place. */
static doubled vague_at(const double *n)
{
    doubled x = number_at(n, 1);
    x.size = fmin(fabs(n[2]), 1.0) * 0x1p-51 / DOUBLED_ERROR * x.high;
    return x;
}

/* The smallest squared distance, top / bottom, that is found to be beyond the square of a limit, both as unfavourable
 * as they may be: the limit must be less, and by how much it is shows what the comparison's roundings need. */
static double beyond_ratio(const double *n)
{
    doubled bottom = vague_at(n), top = {0.0, 0.0, 0.0};
    double limit = fabs(n[3]), next = limit * limit * bottom.high * (1.0 + 64.0 * 0x1p-53);
    if (!(bottom.high > 0x1p-40) || !(limit > 0x1p-40))
        return 0.0;
    for (doubled trial = vague_at((const double[3]){next, n[4], n[5]});
         !may_be_within(&(way){.top = trial, .bottom = bottom}, limit);
         trial = vague_at((const double[3]){next, n[4], n[5]}))
        top = trial, next = nextafter(next, 0.0);
    real most = (real)limit * (real)limit * (exactly(bottom) + (real)DOUBLED_ERROR * (real)bottom.size);
    real least = exactly(top) - (real)DOUBLED_ERROR * (real)top.size;
    return (double)(1.0L - (least - most) / ((real)SQUARE_ERROR * most));
}

/* Next to a huge face a distance may be so small that its square vanishes, though that of the height does not. */
static void squares_of_limits_do_not_vanish(void **state)
{
    (void)state;
    for (int i = 100; i < 700; i += 20)
    {
        way way = {.top = {ldexp(1.0, 440 - 2 * i), 0.0, 0.0}, .bottom = {0x1p440, 0.0, 0.0}};
        assert_true(may_be_within(&way, ldexp(1.0, -i)));
        assert_int_equal(may_be_within(&way, ldexp(0.5, -i)), i >= 200);
    }
}

/* Two points at a distance of 7, and a limit that may be larger than it seems. */
static void limits_have_errors(void **state)
{
    (void)state;
    carom_vec3 p = vec3(0.0, 0.0, 0.0), q = vec3(2.0, 3.0, 6.0);
    exact_part a = {(carom_vec3[3]){p, p, p}, 1}, b = {(carom_vec3[3]){q, q, q}, 1};
    for (int i = 30; i < 90; i += 5)
    {
        double below = exp2(-i);
        exact_way way;
        doubled seen = doubled_join(7.0, -below, 7.0);
        exact_interval may_be_larger = {seen.high, seen.low, 2.0 * below}, is_less = {seen.high, seen.low, 0.5 * below};
        assert_int_equal(BASE_ISA(distance_of_parts)(&a, &b, &may_be_larger, &way), EXACT_SEARCH_FOUND);
        assert_int_equal(BASE_ISA(distance_of_parts)(&a, &b, &is_less, &way), EXACT_SEARCH_BEYOND);
    }
}

/* A point next to an edge from the origin, in a plane, and a limit that is 2^-106 larger than their distance. The
 * squares of both, times that of the edge, underflow in part, so that the gap's rounds up or the limit's down. The last
 * of these gaps is 2^-491, the largest that a search found. */
static const double VANISHING[][6] = {
    {0x1.fede386d309a3p-103, 0x1p-102, 0x1.f0b06a8d2fccp-111, 0x1.f1ca27311d8a3p-111, 0x1.6d480297b4ae7p-165,
     0x1.0b42aa37e1a88p-219},
    {0x1.5552e2ca08e0fp-120, 0x1.4ef63a0b08b5ap-120, 0x1.08f96be82d3c4p-120, 0x1.080f7ebe45a2fp-120,
     0x1.6fb881ded5bbcp-127, -0x1.e7fa0d44eeeb6p-181},
    {0x1.2531e927fe25ep-120, 0x1.1bc6ba97efaa5p-120, 0x1.1c0d19d5bf214p-120, 0x1.17e75682a638cp-120,
     0x1.c9cc7a4eec51dp-127, -0x1.1d07f4488ee88p-183},
};

static void squares_of_gaps_do_not_vanish(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof VANISHING / sizeof VANISHING[0]; i++)
    {
        const double *n = VANISHING[i];
        carom_vec3 point = vec3(n[2], n[3], 0.0), from = vec3(0.0, 0.0, 0.0), to = vec3(n[0], n[1], 0.0);
        exact_part a = {(carom_vec3[3]){point, point, point}, 1}, b = {(carom_vec3[3]){from, to, to}, 3};
        exact_way way;
        exact_interval limit = {n[4], n[5], 0.0}, less = {n[4] * (1.0 - 0x1p-20), 0.0, 0.0};
        assert_int_not_equal(BASE_ISA(distance_of_parts)(&a, &b, &limit, &way), EXACT_SEARCH_BEYOND);
        /* The same, larger by a power of two, is compared. */
        carom_vec3 *corners[3] = {&point, &from, &to};
        for (int k = 0; k < 3; k++)
            *corners[k] = vec3_scale(*corners[k], 0x1p20);
        a = (exact_part){(carom_vec3[3]){point, point, point}, 1}, b = (exact_part){(carom_vec3[3]){from, to, to}, 3};
        limit.high *= 0x1p20, limit.low *= 0x1p20, less.high *= 0x1p20;
        assert_int_not_equal(BASE_ISA(distance_of_parts)(&a, &b, &limit, &way), EXACT_SEARCH_BEYOND);
        assert_int_equal(BASE_ISA(distance_of_parts)(&a, &b, &less, &way), EXACT_SEARCH_BEYOND);
    }
}

static void signs_are_within_their_bounds(void **state)
{
    (void)state;
    climb_attack(&(climb){"heights", height_ratio, 12, 0.6, 1, NULL, 10, 20000, false});
    climb_attack(&(climb){"shares", share_ratio, 15, 0.5, 2, NULL, 20, 20000, false});
    climb_attack(&(climb){"a share's limit", limit_ratio, 5, 0.7, 3, NULL, 10, 5000, false});
    climb_attack(&(climb){"squares beyond a limit", beyond_ratio, 6, 0.5, 7, NULL, 10, 5000, false});
    climb_attack(&(climb){"the screen, above", screen_above_ratio, 9, 0.8, 4, NULL, 10, 10000, false});
    climb_attack(&(climb){"the screen, below", screen_below_ratio, 9, 0.8, 5, NULL, 10, 10000, false});
    climb_attack(&(climb){"height to spare", spare_ratio, 12, 0.8, 6, NULL, 10, 10000, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(signs_are_within_their_bounds), cmocka_unit_test(limits_have_errors),
        cmocka_unit_test(squares_of_limits_do_not_vanish), cmocka_unit_test(squares_of_gaps_do_not_vanish)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
