/* Attacks the filters' error bounds: hill climbing on |computed - true determinant| / bound. The derivation in
 * docs/exactness.md says that the ratio stays below 1; the test shows how close an adversary gets. */
#include "hull/build.h"
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

/* The plane of a hull's facet: its bound is for all points within the extent. */
static double ratio_hull(oracle *o, const carom_vec3 *p)
{
    carom_aabb box = aabb_empty();
    for (int i = 0; i < 4; i++)
        box = aabb_add_point(box, p[i]);
    hull_space space = {.points = p, .count = 4, .relative = EXACT_RELATIVE_3D, .absolute = EXACT_ABSOLUTE_3D};
    space.extent = vec3_sub(box.max, box.min);
    hull_facet facet = {.corner = {0, 1, 2}};
    facet.plane = hull_make_plane(&space, facet.corner);
    return oracle_error3d(o, p, NULL, -hull_height(&space, &facet, 3)) / facet.plane.bound;
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
        if (!(fabs(values[i]) < 16.0)) /* with the largest scale still in range */
            values[i] = 1.0;
}

/* Each point has a scale of its own. */
static double climb(oracle *o, ratio_fn *ratio, check_random *random, const double scale[VALUES / 3])
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
            scaled[i] = trial[i] * scale[i / 3];
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

/* far_points: bit i means that point i is the factor that multiplies underflown products; `origin` is the point that
 * the others are taken relative to. */
static void attack(const char *name, ratio_fn *ratio, uint32_t far_points, int origin, uint64_t seed)
{
    const char *more = getenv("CAROM_TEST_SCALE");
    long restarts = RESTARTS * (more ? strtol(more, NULL, 10) : 1);
    check_random random = {seed};
    oracle *o = oracle_create();
    double worst[4] = {0.0, 0.0, 0.0, 0.0};
    for (long i = 0; i < restarts; i++)
    {
        /* ordinary numbers; tiny ones; ones at the upper limit; products that underflow times a large factor */
        int mode = (int)(i % 4);
        double tiny = exp2(-family_integer(&random, 250, 1000)), half = exp2(-family_integer(&random, 525, 540));
        double scale[VALUES / 3];
        for (int k = 0; k < VALUES / 3; k++)
        {
            double mixed = k == origin ? 0.0 : far_points >> k & 1 ? 0x1p102 : half;
            scale[k] = mode == 0 ? 1.0 : mode == 1 ? tiny : mode == 2 ? 0x1p100 : mixed;
        }
        worst[mode] = fmax(worst[mode], climb(o, ratio, &random, scale));
    }
    oracle_destroy(o);
    print_message("%s: error / bound reached %.3f, tiny %.3f, huge %.3f, underflow %.3g, seed %llu\n", name, worst[0],
                  worst[1], worst[2], worst[3], (unsigned long long)seed);
    assert_true(worst[0] < 1.0 && worst[1] < 1.0 && worst[2] < 1.0 && worst[3] < 1.0);
    /* an attack that never comes close would prove nothing */
    assert_true(worst[0] > 0.5 && worst[2] > 0.5);
}

static void test_orient3d(void **state)
{
    (void)state;
    attack("orient3d", ratio_orient3d, 1, 3, 51);
}

static void test_ray3d(void **state)
{
    (void)state;
    attack("ray3d", ratio_ray3d, 8, 0, 52);
}

static void test_orient2d(void **state)
{
    (void)state;
    attack("orient2d", ratio_orient2d, 0, 0, 53);
}

static void test_plane(void **state)
{
    (void)state;
    attack("plane", ratio_plane, 8 | 16 | 32, 0, 54);
}

static void test_hull(void **state)
{
    (void)state;
    attack("hull", ratio_hull, 8, 2, 55);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_orient3d), cmocka_unit_test(test_ray3d),
                                       cmocka_unit_test(test_orient2d), cmocka_unit_test(test_plane),
                                       cmocka_unit_test(test_hull)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
