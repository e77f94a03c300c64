/* Distance and witness points against exact arithmetic. CAROM_TEST_SCALE multiplies the number of cases. */
#include "support/families.h"
#include "support/oracle.h"

#include <stdlib.h>

enum
{
    CASES = 40000
};

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
            double x = (&pair[0].corner[0].x)[3 * i + k];
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
    for (int n = 0; n < 4; n++)
    {
        int i = family_integer(random, 0, 2), j = family_integer(random, 0, 2);
        int turn = family_integer(random, 1, 2), back = family_integer(random, 1, 2);
        const carom_vec3 *c = pair[0].corner, *d = pair[1].corner;
        narrow_triangle p = {{c[i], c[(i + turn) % 3], c[(i + 2 * turn) % 3]}};
        narrow_triangle q = {{d[j], d[(j + back) % 3], d[(j + 2 * back) % 3]}};
        narrow_distance_result other = narrow_distance(&q, &p, &counts);
        narrow_distance_result swapped = {other.distance, other.point_b, other.point_a};
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_degenerate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
