/* Attacks the filters' error bounds: hill climbing on |computed - true determinant| / bound. The derivation in
 * docs/exactness.md says that the ratio stays below 1; the test shows how near an adversary gets. */
#include "narrow/shape.h"
#include "support/families.h"
#include "support/oracle.h"

#include <stdlib.h>

enum
{
    RESTARTS = 120,
    STEPS = 8000,
    VALUES = 18 /* numbers an input consists of, at most */
};

typedef double ratio_fn(oracle *o, const carom_vec3 *points);

static double ratio_orient3d(oracle *o, const carom_vec3 *p)
{
    double bound;
    double determinant = exact_filter3d(vec3_sub(p[0], p[3]), vec3_sub(p[1], p[3]), vec3_sub(p[2], p[3]), &bound);
    return oracle_error3d(o, p, NULL, determinant) / bound;
}

static double ratio_ray3d(oracle *o, const carom_vec3 *p)
{
    double bound, determinant = exact_filter3d(p[3], vec3_sub(p[1], p[0]), vec3_sub(p[2], p[0]), &bound);
    return oracle_error3d(o, p, &p[3], determinant) / bound;
}

static double ratio_orient2d(oracle *o, const carom_vec3 *p)
{
    double bound;
    double determinant = exact_filter2d(p[1].x - p[0].x, p[1].y - p[0].y, p[2].x - p[0].x, p[2].y - p[0].y, &bound);
    return oracle_error2d(o, p, 2, determinant) / bound;
}

static double ratio_plane(oracle *o, const carom_vec3 *p)
{
    double height[3], bound = plane_heights(p, p + 3, height), worst = 0.0;
    for (int i = 0; i < 3; i++)
    {
        carom_vec3 points[4] = {p[0], p[1], p[2], p[3 + i]};
        worst = fmax(worst, oracle_error3d(o, points, NULL, -height[i]) / bound);
    }
    return worst;
}

/* A small change of one number, or a large one, or a copy. */
static void mutate(check_random *random, double values[VALUES])
{
    for (int n = family_integer(random, 1, 3); n > 0; n--)
    {
        double *value = &values[family_integer(random, 0, VALUES - 1)];
        switch (family_integer(random, 0, 5))
        {
        case 0: *value = family_nudge(random, *value, 3); break;
        case 1: *value *= 1.0 + check_uniform(random, -1e-3, 1e-3); break;
        case 2: *value = check_uniform(random, -1.0, 1.0); break;
        case 3: *value *= exp2(family_integer(random, -2, 2)); break;
        case 4: *value = values[family_integer(random, 0, VALUES - 1)]; break;
        default: *value += check_uniform(random, -1e-12, 1e-12); break;
        }
    }
    for (int i = 0; i < VALUES; i++)
        if (!(fabs(values[i]) < 0x1p103))
            values[i] = 1.0;
}

/* All inputs of a climb have one scale, so that the relative and the absolute part of the bound are both attacked. */
static double climb(oracle *o, ratio_fn *ratio, check_random *random, double scale)
{
    double values[VALUES], trial[VALUES], scaled[VALUES], best = 0.0;
    for (int i = 0; i < VALUES; i++)
        values[i] = check_uniform(random, -1.0, 1.0);
    for (int step = 0; step < STEPS; step++)
    {
        memcpy(trial, values, sizeof trial);
        if (step > 0)
            mutate(random, trial);
        carom_vec3 points[VALUES / 3];
        for (int i = 0; i < VALUES; i++)
            scaled[i] = trial[i] * scale;
        memcpy(points, scaled, sizeof points);
        double reached = ratio(o, points);
        if (reached >= best)
        {
            best = reached;
            memcpy(values, trial, sizeof values);
        }
    }
    return best;
}

static void attack(const char *name, ratio_fn *ratio, uint64_t seed)
{
    const char *more = getenv("CAROM_TEST_SCALE");
    long restarts = RESTARTS * (more ? strtol(more, NULL, 10) : 1);
    check_random random = {seed};
    oracle *o = oracle_create();
    double worst = 0.0, smallest_scales = 0.0;
    for (long i = 0; i < restarts; i++)
    {
        /* a third each: ordinary numbers, numbers where products underflow, numbers at the upper limit */
        double scale = i % 3 == 0 ? 1.0 : i % 3 == 1 ? exp2(-family_integer(&random, 250, 1000)) : 0x1p100;
        double reached = climb(o, ratio, &random, scale);
        worst = fmax(worst, reached);
        if (i % 3 == 1)
            smallest_scales = fmax(smallest_scales, reached);
    }
    oracle_destroy(o);
    print_message("%s: the error reached %.3f of the bound (%.3g where products underflow), seed %llu\n", name, worst,
                  smallest_scales, (unsigned long long)seed);
    assert_true(worst < 1.0);
    /* an attack that does not bite would prove nothing */
    assert_true(worst > 0.15);
}

static void test_orient3d(void **state)
{
    (void)state;
    attack("orient3d", ratio_orient3d, 51);
}

static void test_ray3d(void **state)
{
    (void)state;
    attack("ray3d", ratio_ray3d, 52);
}

static void test_orient2d(void **state)
{
    (void)state;
    attack("orient2d", ratio_orient2d, 53);
}

static void test_plane(void **state)
{
    (void)state;
    attack("plane", ratio_plane, 54);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orient3d), cmocka_unit_test(test_ray3d),
                                       cmocka_unit_test(test_orient2d), cmocka_unit_test(test_plane)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
