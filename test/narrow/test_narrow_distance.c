/* Distance and witness points against exact arithmetic, and the same bits from every version of the kernel and every
 * compiler. CAROM_TEST_SCALE multiplies the number of cases. */
#include "narrow/distance.h"
#include "support/families.h"
#include "support/oracle.h"

#include <stdlib.h>

enum
{
    CASES = 40000
};

/* Of test_same_bits_everywhere; changes only with the kernels' formulas. */
static const uint64_t GOLDEN_HASH = 0x9dffedee6d0db934u;

static void print_pair(const narrow_triangle pair[2])
{
    for (int i = 0; i < 6; i++)
    {
        carom_vec3 p = pair[i / 3].corner[i % 3];
        print_message("  %c%d {%a, %a, %a}\n", "ab"[i / 3], i % 3, p.x, p.y, p.z);
    }
}

/* Largest |coordinate| and largest difference of coordinates. */
static void sizes_of(const narrow_triangle pair[2], double *coordinate, double *difference)
{
    *coordinate = *difference = 0.0;
    for (int k = 0; k < 3; k++)
    {
        double low = INFINITY, high = -INFINITY;
        for (int i = 0; i < 6; i++)
        {
            double x = ((double *)&pair[0].corner[0])[3 * i + k];
            low = fmin(low, x), high = fmax(high, x);
        }
        *coordinate = fmax(*coordinate, fmax(fabs(low), fabs(high)));
        *difference = fmax(*difference, high - low);
    }
}

static double length_between(carom_vec3 a, carom_vec3 b)
{
    carom_vec3 d = vec3_sub(a, b);
    double largest = fmax(fabs(d.x), fmax(fabs(d.y), fabs(d.z)));
    return largest > 0.0 ? largest * vec3_length(vec3(d.x / largest, d.y / largest, d.z / largest)) : 0.0;
}

static bool same_result(narrow_distance_result p, narrow_distance_result q)
{
    return p.distance == q.distance && vec3_equal(p.point_a, q.point_a) && vec3_equal(p.point_b, q.point_b);
}

/* The versions for all instruction sets that this machine has. */
static bool versions_agree(const narrow_triangle pair[2])
{
#if BASE_HAS_X86
    narrow_triangle a = pair[0], b = pair[1];
    narrow_counts counts = {0};
    shape_sort3(a.corner);
    shape_sort3(b.corner);
    narrow_distance_result scalar = distance_of_sorted_scalar(&a, &b, &counts);
    bool same = same_result(scalar, distance_of_sorted_sse2(&a, &b, &counts));
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        same = same && same_result(scalar, distance_of_sorted_avx2(&a, &b, &counts));
    return same;
#else
    (void)pair;
    return true;
#endif
}

static const char *check_case(oracle *o, const narrow_triangle pair[2], check_random *random, double *worst)
{
    narrow_counts counts = {0};
    narrow_distance_result result = narrow_distance(&pair[0], &pair[1], &counts);
    double truth, coordinate, difference;
    double error = oracle_distance_error(o, pair, result.distance, &truth);
    sizes_of(pair, &coordinate, &difference);
    if ((result.distance == 0.0) != narrow_touches(&pair[0], &pair[1], &counts))
        return "zero";
    /* a few of the smallest numbers may be more than the relative error where all is denormal */
    if (error > NARROW_DISTANCE_ERROR && fabs(result.distance - truth) > 4 * 0x1p-1074)
        return "distance";
    *worst = fabs(result.distance - truth) > 4 * 0x1p-1074 ? fmax(*worst, error) : *worst;
    double slack = NARROW_DISTANCE_ERROR * difference + 8 * 0x1p-53 * coordinate + 16 * 0x1p-1074;
    if (oracle_point_distance(o, result.point_a, &pair[0]) > slack ||
        oracle_point_distance(o, result.point_b, &pair[1]) > slack)
        return "place of a point";
    if (fabs(length_between(result.point_a, result.point_b) - result.distance) > slack)
        return "distance of the points";
    if (!versions_agree(pair))
        return "a version of the kernel";
    for (int n = 0; n < 4; n++)
    {
        int i = family_integer(random, 0, 2), j = family_integer(random, 0, 2);
        int turn = family_integer(random, 1, 2), back = family_integer(random, 1, 2);
        const carom_vec3 *c = pair[0].corner, *d = pair[1].corner;
        narrow_triangle p = {{c[i], c[(i + turn) % 3], c[(i + 2 * turn) % 3]}};
        narrow_triangle q = {{d[j], d[(j + back) % 3], d[(j + 2 * back) % 3]}};
        narrow_distance_result other = narrow_distance(&q, &p, &counts);
        narrow_distance_result swapped = {
            .distance = other.distance, .point_a = other.point_b, .point_b = other.point_a};
        if (!same_result(narrow_distance(&p, &q, &counts), result) || !same_result(swapped, result))
            return "order";
    }
    return NULL;
}

static void run(const family *families, int family_count, uint64_t seed)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    long cases = CASES * (scale ? strtol(scale, NULL, 10) : 1);
    check_random random = {seed};
    oracle *o = oracle_create();
    double worst[64] = {0}, overall = 0.0;
    for (long i = 0; i < cases; i++)
    {
        int f = (int)(i % family_count);
        narrow_triangle pair[2];
        families[f].make(&random, pair);
        const char *wrong = check_case(o, pair, &random, &worst[f]);
        if (wrong)
        {
            double truth;
            narrow_counts counts = {0};
            narrow_distance_result result = narrow_distance(&pair[0], &pair[1], &counts);
            double error = oracle_distance_error(o, pair, result.distance, &truth);
            print_pair(pair);
            fail_msg("%s is wrong: family %s, case %ld of seed %llu, distance %.17g, truth %.17g, error %g", wrong,
                     families[f].name, i, (unsigned long long)seed, result.distance, truth, error);
        }
    }
    for (int f = 0; f < family_count; f++)
    {
        print_message("  %-18s worst error %.2g\n", families[f].name, worst[f]);
        overall = fmax(overall, worst[f]);
    }
    print_message("seed %llu: %ld pairs, worst error %.3g of %g\n", (unsigned long long)seed, cases, overall,
                  NARROW_DISTANCE_ERROR);
    oracle_destroy(o);
}

static void test_random(void **state)
{
    (void)state;
    run(families_random, families_random_count, 21);
}

static void test_degenerate(void **state)
{
    (void)state;
    run(families_degenerate, families_degenerate_count, 22);
}

/* A hash of its own, so that only the kernels can change it. */
static void mix(uint64_t *hash, double value)
{
    uint64_t bits;
    value += 0.0; /* -0 as 0 */
    memcpy(&bits, &value, sizeof bits);
    *hash = (*hash ^ bits) * 0x100000001b3u;
    *hash ^= *hash >> 29;
}

static void mix_point(uint64_t *hash, carom_vec3 p) { mix(hash, p.x), mix(hash, p.y), mix(hash, p.z); }

/* Bits of meeting, contact, distance and ray hits over families that use no libm function but sqrt. */
static void test_same_bits_everywhere(void **state)
{
    (void)state;
    check_random random = {23};
    uint64_t hash = 0xcbf29ce484222325u;
    narrow_counts counts = {0};
    for (int i = 0; i < 20000; i++)
    {
        narrow_triangle pair[2];
        const family *source = i % 2 ? &families_random[i / 2 % 2] : &families_degenerate[i / 2 % 11];
        source->make(&random, pair);
        mix(&hash, narrow_meet(&pair[0], &pair[1], &counts));
        carom_vec3 points[6];
        uint32_t count = narrow_contact(&pair[0], &pair[1], points, &counts);
        for (uint32_t k = 0; k < count; k++)
            mix_point(&hash, points[k]);
        narrow_distance_result result = narrow_distance(&pair[0], &pair[1], &counts);
        mix(&hash, result.distance);
        mix_point(&hash, result.point_a), mix_point(&hash, result.point_b);
        narrow_ray ray = {pair[0].corner[0], vec3_sub(pair[0].corner[1], pair[0].corner[0])};
        double t, uv[2];
        if (narrow_ray_hit(&ray, &pair[1], &t, uv, &counts))
            mix(&hash, t), mix(&hash, uv[0]), mix(&hash, uv[1]);
    }
    print_message("hash %llx, %llu fallbacks\n", (unsigned long long)hash, (unsigned long long)counts.exact_fallbacks);
    assert_int_equal(hash, GOLDEN_HASH);
}

/* A corner of one triangle lies on an edge of the other, exactly, but seen from that triangle's far corner rounding
 * moves the corner off the edge, and a plane seems to keep the triangles apart. */
static void test_contact_that_rounding_opens(void **state)
{
    (void)state;
    const double unit = 0x1p-58; /* a 64th of the last place of numbers from 1 to 2 */
    for (int turn = 0; turn < 3; turn++)
        for (int step = 0; step < 64; step++)
        {
            /* both ends and the corner, as start + position * (1, 1, -2); rounding to 64ths moves the ends down */
            const double positions[3] = {-640.0, 640.0, step / 4.0}, far = -1.25;
            carom_vec3 at[3];
            for (int i = 0; i < 3; i++)
            {
                double p[3] = {(31.0 + positions[i]) * unit, (31.0 + positions[i]) * unit,
                               (31.0 - 2.0 * positions[i]) * unit};
                at[i] = vec3(p[turn], p[(turn + 1) % 3], p[(turn + 2) % 3]);
            }
            narrow_triangle a = {{vec3(far, far, far), at[0], at[1]}};
            narrow_triangle b = {{at[2], vec3(0.25, 0.3125, 0.1875), vec3(0.3125, 0.125, 0.25)}};
            narrow_counts counts = {0};
            narrow_distance_result found = narrow_distance(&a, &b, &counts);
            if (found.distance != 0.0)
                fail_msg("turn %d, step %d: %g between triangles that touch", turn, step, found.distance);
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_degenerate),
                                       cmocka_unit_test(test_contact_that_rounding_opens),
                                       cmocka_unit_test(test_same_bits_everywhere)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
