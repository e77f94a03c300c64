/* What decides between two distances in twice the precision, in cases made for it: gaps that differ from a double, or
 * from each other, by less than a double shows; signs that it can't tell; sums of margins that doubles round twice; and
 * the closest of many pairs whose triangles share a slot of what is remembered about them. CAROM_TEST_SCALE multiplies
 * the number of random cases. */
#include "narrow/gap.h"
#include "support/families.h"
#include "support/oracle_round.h"

#include <stdlib.h>

static long scaled(long cases)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    return cases * (scale ? strtol(scale, NULL, 10) : 1);
}

/* Two triangles in the planes x = low and x = high. */
static void make_along_x(narrow_triangle pair[2], double low, double high)
{
    pair[0] = (narrow_triangle){{vec3(low, 0.0, 0.0), vec3(low, 3.0, 0.0), vec3(low, 0.0, 3.0)}};
    pair[1] = (narrow_triangle){{vec3(high, 1.0, 1.0), vec3(high, 4.0, 1.0), vec3(high, 1.0, 4.0)}};
}

static narrow_gap gap_along_x(double low, double high, narrow_counts *counts)
{
    narrow_triangle pair[2];
    make_along_x(pair, low, high);
    narrow_distance_result near = narrow_distance(&pair[0], &pair[1], counts);
    return gap_of_triangles(&pair[0], &pair[1], &near);
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

/* ---- signs that twice the precision can't tell ---- */

/* Whatever features are said to be nearest, the comparison is exact. */
static narrow_gap gap_with_features(const narrow_triangle pair[2], unsigned corners_a, unsigned corners_b)
{
    narrow_counts counts = {0};
    narrow_distance_result near = narrow_distance(&pair[0], &pair[1], &counts);
    near.corners_a = corners_a, near.corners_b = corners_b;
    return gap_of_triangles(&pair[0], &pair[1], &near);
}

/* A face in the plane x + y + z = 0 and a triangle above it. Two of its corners are as high but for what is given,
 * which is nothing beside the coordinates of the second. */
static void make_above_face(narrow_triangle pair[2], double first, double second)
{
    const double height = 0x1p-20, aside = 0x1p-19;
    pair[0] = (narrow_triangle){{vec3(0.0, 0.0, 0.0), vec3(32.0, -16.0, -16.0), vec3(16.0, -32.0, 16.0)}};
    pair[1] =
        (narrow_triangle){{vec3(aside + height, -aside, first), vec3(2.0 + height, -2.0, second), vec3(1.0, 1.0, 9.0)}};
}

static void corners_that_may_be_in_front(void **state)
{
    (void)state;
    for (int i = 100; i < 114; i++)
    {
        narrow_triangle x[2], y[2];
        narrow_counts counts = {0};
        make_above_face(x, 0.0, -exp2(-i)); /* its second corner is nearest */
        make_above_face(y, -0.25 * exp2(-i), 1.0);
        narrow_gap of_x = gap_with_features(x, 7, 1), of_y = gap_with_features(y, 7, 1);
        assert_int_equal(gap_compare(&of_x, &of_y, &counts), -1);
        narrow_closest closest;
        narrow_closest_begin(&closest, INFINITY);
        narrow_offer(&closest, &y[0], &y[1], (carom_pair){0, 0, 0}, &counts);
        narrow_offer(&closest, &x[0], &x[1], (carom_pair){1, 1, 0}, &counts);
        assert_int_equal(closest.triangle_a, 1);
        of_x = gap_with_features(x, 7, 1), of_y = gap_with_features(y, 7, 1);
        gap_refine(&of_y);
        assert_true(of_y.found && gap_refine_within(&of_x, &of_y.way.distance));
    }
}

/* Turned and larger: by 3 about an oblique axis, by 5 about the z axis. */
static carom_vec3 turned(double x, double y, double z, bool level)
{
    return level ? vec3(3.0 * x - 4.0 * y, 4.0 * x + 3.0 * y, 5.0 * z)
                 : vec3(x + 2.0 * y + 2.0 * z, 2.0 * x + y - 2.0 * z, 2.0 * x - 2.0 * y + z);
}

static void swap_ends(narrow_triangle *t)
{
    carom_vec3 first = t->corner[0];
    t->corner[0] = t->corner[1], t->corner[1] = first;
}

/* Two edges that point away from each other, a unit apart and nearly parallel. Their lines are nearest at an end of
 * one, outside of the other by twice `outside`. */
static void make_edges(narrow_triangle pair[2], double outside, bool level)
{
    const double angle = 0x1p-35;
    pair[0] = (narrow_triangle){
        {turned(outside, 0.0, 0.0, level), turned(1.0, 0.0, 0.0, level), turned(0.5, 0.25, -1.0, level)}};
    pair[1] = (narrow_triangle){
        {turned(-outside, 0.0, 1.0, level), turned(-1.0, -angle, 1.0, level), turned(-0.5, 0.25, 2.0, level)}};
}

static void feet_that_may_be_outside(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++)
    {
        bool level = i / 4 % 2;
        double unit = level ? 5.0 : 3.0, outside = exp2(-29 - i / 8), more = 2.0 * unit * outside * outside;
        narrow_triangle pair[2];
        narrow_counts counts = {0};
        make_edges(pair, outside, level);
        for (int side = 0; side < 2; side++)
            if (i >> side & 1)
                swap_ends(&pair[side]);
        for (int k = 1; k <= 3; k += 2)
        {
            narrow_gap edges = gap_with_features(pair, 3, 3), other = gap_along_x(-0.5 * k * more, unit, &counts);
            assert_int_equal(gap_compare(&edges, &other, &counts), 2 - k);
        }
    }
}

/* ---- the same where numbers of twice the precision round, and against exact arithmetic ---- */

static int true_order(const narrow_triangle x[2], const narrow_triangle y[2])
{
    const narrow_triangle *pairs[2] = {x, y};
    oracle_gap *gaps[2] = {oracle_gap_create(), oracle_gap_create()};
    for (int k = 0; k < 2; k++)
    {
        exact_round a = {pairs[k][0].corner, 3, 0.0}, b = {pairs[k][1].corner, 3, 0.0};
        oracle_gap_measure(gaps[k], &a, &b);
    }
    int order = oracle_gap_order(gaps[0], gaps[1]);
    oracle_gap_destroy(gaps[0]), oracle_gap_destroy(gaps[1]);
    return order;
}

/* Compares a pair whose features should be a face and a corner with one at the distance high + low; returns the true
 * order. */
static int check_against(const narrow_triangle pair[2], double high, double low)
{
    narrow_counts counts = {0};
    narrow_triangle rival[2];
    make_along_x(rival, -low, high);
    int order = true_order(pair, rival);
    narrow_gap gap = gap_with_features(pair, 7, 1), other = gap_along_x(-low, high, &counts);
    if (gap_compare(&gap, &other, &counts) != order)
        fail_msg("the order is not %d, against %a + %a", order, high, low);
    return order;
}

/* A face from 0 to (x0, y0, z) and (x1, y1, -z), whose plane contains (X, Y, 0) = (x0 + x1, y0 + y1, 0), and a triangle
 * with two corners above small and larger parts of that, as high but for the z of the second. In its height the terms
 * (Yz)X and (Xz)Y cancel, each rounded in its own way (X and Y are not rounded): by `roundings` the second is lower
 * than the first. Returns how much that takes off the distance. */
static double make_rounded_heights(check_random *random, narrow_triangle pair[2], double roundings)
{
    const double above = 0x1p-22;
    double x = 0x1p-28 * family_integer(random, 1 << 28, 1 << 29), y = check_uniform(random, 1.0, 2.0),
           z = check_uniform(random, 1.0, 2.0), x0 = 0.25 * x, y0 = 0.75 * y, volume = x0 * y - x * y0;
    double lower = roundings * 0x1p-106 * x * y * z, length = vec3_length(vec3(y * z, x * z, volume));
    pair[0] = (narrow_triangle){{vec3(0.0, 0.0, 0.0), vec3(x0, y0, z), vec3(x - x0, y - y0, -z)}};
    pair[1] = (narrow_triangle){{vec3(0x1p-18 * x + above, 0x1p-18 * y, 0.0),
                                 vec3(0.25 * x + above, 0.25 * y, lower / volume), vec3(4.0, -4.0, 0.0)}};
    return lower / length;
}

static void heights_that_round(void **state)
{
    (void)state;
    check_random random = {9};
    long nearer = 0, count = scaled(400);
    for (long i = 0; i < count; i++)
    {
        narrow_triangle pair[2];
        double less = make_rounded_heights(&random, pair, check_uniform(&random, 0.25, 4.0));
        narrow_gap seen = gap_with_features(pair, 7, 1);
        gap_refine(&seen);
        assert_true(seen.found);
        double low = seen.interval.low - check_uniform(&random, 0.5, 1.0) * less;
        nearer += check_against(pair, seen.interval.high, low) < 0;
    }
    assert_int_equal(nearer, count);
}

/* A face with a corner at 0 and an edge that ends there, and a corner far nearer to it than the edge is long, whose
 * foot is outside of that edge by next to nothing. Returns how much farther away that is than the face's plane. */
static double make_foot_outside(narrow_triangle pair[2], double height, double outside)
{
    pair[0] = (narrow_triangle){{vec3(0.0, 0.0, 0.0), turned(0.25, 1.0, 0.0, false), turned(1.0, 0.0, 0.0, false)}};
    pair[1] = (narrow_triangle){
        {turned(3.0 * height, -outside, height, false), turned(0.5, 0.25, 1.0, false), turned(0.25, -0.5, 2.0, false)}};
    return 3.0 * outside * outside / (2.0 * height);
}

static void feet_that_may_be_outside_of_a_face(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++)
    {
        narrow_triangle pair[2];
        double height = exp2(-50 - i / 4), more = make_foot_outside(pair, height, exp2(-44 - i % 4) * height);
        assert_int_equal(check_against(pair, 3.0 * height, 0.5 * more), 1);
        assert_int_equal(check_against(pair, 3.0 * height, 1.5 * more), -1);
    }
}

/* ---- radii that leave nothing but errors of a distance ---- */

static narrow_gap gap_of_balls(carom_vec3 centre, const double radii[2], narrow_counts *counts)
{
    narrow_round a = {{vec3(0.0, 0.0, 0.0), vec3(0.0, 0.0, 0.0)}, radii[0]}, b = {{centre, centre}, radii[1]};
    narrow_distance_result near = narrow_round_distance(&a, &b, counts);
    return gap_of_rounds(&a, &b, &near);
}

/* Two balls that are apart by a few times 2^-104 of their distance, less than its error in twice the precision, and the
 * same with axes exchanged: as near, but rounded in another way. */
static void balls_that_nearly_touch(void **state)
{
    (void)state;
    check_random random = {8};
    long apart = 0, count = scaled(2000);
    for (long i = 0; i < count; i++)
    {
        carom_vec3 c =
            vec3(check_uniform(&random, 1.0, 2.0), check_uniform(&random, 1.0, 2.0), check_uniform(&random, 1.0, 2.0));
        const double none[2] = {0.0, 0.0};
        narrow_counts counts = {0};
        narrow_gap centres = gap_of_balls(c, none, &counts);
        gap_refine(&centres);
        assert_true(centres.found);
        double below = nextafter(centres.interval.high, 0.0), rest = centres.interval.high - below;
        double radii[2] = {below, rest + (centres.interval.low - check_uniform(&random, 8.0, 64.0) * 0x1p-106 * below)};
        narrow_gap x = gap_of_balls(c, radii, &counts), y = gap_of_balls(vec3(c.z, c.x, c.y), radii, &counts);
        apart += !x.rounded;
        assert_int_equal(gap_compare(&x, &y, &counts), 0);
    }
    assert_int_equal(apart, count);
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
    for (long n = 0, count = scaled(CASES); n < count; n++)
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
        cmocka_unit_test(corners_that_may_be_in_front),
        cmocka_unit_test(feet_that_may_be_outside),
        cmocka_unit_test(heights_that_round),
        cmocka_unit_test(feet_that_may_be_outside_of_a_face),
        cmocka_unit_test(balls_that_nearly_touch),
        cmocka_unit_test(sums_that_are_rounded_twice),
        cmocka_unit_test(slots_that_triangles_share),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
