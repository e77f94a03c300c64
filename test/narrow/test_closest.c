/* What decides between two distances in twice the precision, in cases made for it: gaps that differ from a double, or
 * from each other, by less than a double shows; sums of margins that doubles round twice; and the closest of many pairs
 * whose triangles share a slot of what is remembered about them. */
#include "narrow/gap.h"
#include "support/families.h"
#include "support/oracle_round.h"

/* Two triangles in the planes x = low and x = high. */
static narrow_gap gap_along_x(double low, double high, narrow_counts *counts)
{
    narrow_triangle a = {{vec3(low, 0.0, 0.0), vec3(low, 3.0, 0.0), vec3(low, 0.0, 3.0)}},
                    b = {{vec3(high, 1.0, 1.0), vec3(high, 4.0, 1.0), vec3(high, 1.0, 4.0)}};
    narrow_distance_result near = narrow_distance(&a, &b, counts);
    return gap_of_triangles(&a, &b, &near);
}

/* The low half of a gap decides, without integers. */
static void low_halves(void **state)
{
    (void)state;
    narrow_counts counts = {0};
    for (int i = 1; i < 5; i++)
    {
        double small = i * 0x1p-60;
        narrow_gap less = gap_along_x(small, 1.0, &counts), more = gap_along_x(-small, 1.0, &counts),
                   least = gap_along_x(small + 0x1p-60, 1.0, &counts), exact = gap_along_x(2.0, 3.0, &counts);
        assert_int_equal(gap_sign(&less, 1.0, &counts), -1);
        assert_int_equal(gap_sign(&more, 1.0, &counts), 1);
        assert_int_equal(gap_sign(&exact, 1.0, &counts), 0);
        assert_int_equal(gap_compare(&less, &more, &counts), -1);
        assert_int_equal(gap_compare(&less, &least, &counts), 1);
        assert_int_equal(gap_compare(&less, &exact, &counts), -1);
    }
    assert_int_equal(counts.exact_fallbacks, 0);
}

/* The sum is 1 + 3 * 2^-52, but doubles make it 1 + 4 * 2^-52. */
static void sums_that_are_rounded_twice(void **state)
{
    (void)state;
    const double terms[EXACT_TERMS] = {1.0 + 0x1p-52, 0x1p-53, 0x1.8p-52}, truth = 1.0 + 3.0 * 0x1p-52;
    assert_true((terms[0] + terms[1]) + terms[2] > truth);
    for (int i = -1; i <= 1; i++)
    {
        narrow_counts counts = {0};
        narrow_gap gap = gap_along_x(0.0, truth + i * 0x1p-52, &counts);
        gap_round(&gap, &counts);
        assert_true(gap.length.whole);
        assert_int_equal(gap_sum_sign(&gap, terms, &counts), i);
    }
}

enum
{
    MANY = 6,
    CASES = 300,
    SLOT = NARROW_SLAB_IDS
};

/* Triangles in a plane at right angles to (1, 2, 3), some of them nudged towards it or away. */
static void make_sheet(check_random *random, double height, narrow_triangle sheet[MANY])
{
    for (int i = 0; i < MANY; i++)
        for (int c = 0; c < 3; c++)
        {
            int u = family_integer(random, -3, 3), v = family_integer(random, -3, 3);
            double x = -2.0 * u - 3.0 * v + height;
            sheet[i].corner[c] = vec3(family_integer(random, 0, 5) == 0 ? family_nudge(random, x, 2) : x,
                                      u + 2.0 * height, v + 3.0 * height);
        }
}

static void slots_that_triangles_share(void **state)
{
    (void)state;
    check_random random = {7};
    oracle_gap *gaps[2] = {oracle_gap_create(), oracle_gap_create()};
    for (long n = 0; n < CASES; n++)
    {
        narrow_triangle x[MANY], y[MANY];
        narrow_counts counts = {0};
        narrow_closest closest;
        uint32_t best = 0;
        make_sheet(&random, 0.0, x);
        make_sheet(&random, 0.25, y);
        narrow_closest_begin(&closest, INFINITY);
        for (uint32_t i = 0; i < MANY * MANY; i++)
        {
            const uint32_t at[2] = {best, i};
            for (int k = 0; k < 2; k++)
            {
                exact_round a = {x[at[k] / MANY].corner, 3, 0.0}, b = {y[at[k] % MANY].corner, 3, 0.0};
                oracle_gap_measure(gaps[k], &a, &b);
            }
            best = oracle_gap_order(gaps[1], gaps[0]) < 0 ? i : best;
            narrow_offer(&closest, &x[i / MANY], &y[i % MANY], (carom_pair){i / MANY * SLOT, i % MANY * SLOT, 0},
                         &counts);
        }
        if (closest.triangle_a != best / MANY * SLOT || closest.triangle_b != best % MANY * SLOT)
            fail_msg("case %ld: %u %u instead of %u %u", n, closest.triangle_a / SLOT, closest.triangle_b / SLOT,
                     best / MANY, best % MANY);
    }
    oracle_gap_destroy(gaps[0]), oracle_gap_destroy(gaps[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(low_halves),
        cmocka_unit_test(sums_that_are_rounded_twice),
        cmocka_unit_test(slots_that_triangles_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
