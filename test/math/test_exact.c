/* The exact predicates against GMP on points where the sign depends on the last bit or far less. */
#include "support/families.h"
#include "support/oracle.h"

#include <float.h>
#include <stdlib.h>

enum
{
    CASES = 200000,
    KINDS = 8
};

/* A dust grain: far below an ulp of 1. */
static double dust(check_random *random)
{
    double fraction = check_uniform(random, -1.0, 1.0);
    return ldexp(fraction, -family_integer(random, 40, 1074));
}

static carom_vec3 random_point(check_random *random, double half)
{
    double x = check_uniform(random, -half, half), y = check_uniform(random, -half, half);
    return vec3(x, y, check_uniform(random, -half, half));
}

/* Four points, nearly or exactly coplanar in most kinds. The last kinds need the wide integers. */
static void make_points(check_random *random, int kind, carom_vec3 p[4])
{
    for (int i = 0; i < 4; i++)
        p[i] = random_point(random, 1.0);
    double u = check_uniform(random, -1.0, 2.0), v = check_uniform(random, -1.0, 2.0);
    carom_vec3 in_plane =
        vec3_add(p[0], vec3_add(vec3_scale(vec3_sub(p[1], p[0]), u), vec3_scale(vec3_sub(p[2], p[0]), v)));
    if (kind == 0)
    {
        p[3] = in_plane;
        p[3].x = family_nudge(random, in_plane.x, 1);
        p[3].z = family_nudge(random, in_plane.z, 1);
    }
    else if (kind == 1)
        for (int i = 0; i < 12; i++)
            ((double *)&p[0])[i] = family_integer(random, -3, 3);
    else if (kind == 2) /* exactly in a slanted plane, all bits in use */
        for (int i = 0; i < 4; i++)
            p[i].z = p[i].x;
    else if (kind == 3)
        for (int i = 0; i < 12; i++)
        {
            double large = family_integer(random, -2, 2) * 0x1p90;
            ((double *)&p[0])[i] = large + family_integer(random, -2, 2);
        }
    else if (kind == 4) /* a grid with dust in one or two places */
    {
        for (int i = 0; i < 12; i++)
            ((double *)&p[0])[i] = family_integer(random, -1, 1);
        for (int n = family_integer(random, 1, 2); n > 0; n--)
        {
            double *value = &((double *)&p[0])[family_integer(random, 0, 11)];
            *value = *value == 0.0 ? dust(random) : *value;
        }
    }
    else if (kind == 5)
        for (int i = 0; i < 12; i++)
            ((double *)&p[0])[i] = family_integer(random, -5, 5) * 0x1p-1074;
    else if (kind == 6) /* a slanted plane whose points have exponents of their own */
        for (int i = 0; i < 4; i++)
        {
            p[i].x = ldexp(p[i].x, -family_integer(random, 0, 1020));
            p[i].y = ldexp(p[i].y, family_integer(random, -500, 100));
            p[i].z = p[i].x;
            if (family_integer(random, 0, 7) == 0)
                p[i].z = family_nudge(random, p[i].z, 1);
        }
    else if (kind == 7)
        for (int i = 0; i < 12; i++)
            ((double *)&p[0])[i] = ldexp(((double *)&p[0])[i], family_integer(random, -1074, 102));
}

static void test_signs(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    long cases = CASES * (scale ? strtol(scale, NULL, 10) : 1), zeros[KINDS] = {0}, seen[KINDS] = {0};
    check_random random = {41};
    oracle *o = oracle_create();
    uint64_t fallbacks = 0;
    for (long i = 0; i < cases; i++)
    {
        int kind = (int)(i % KINDS), axis = family_integer(&random, 0, 2);
        carom_vec3 p[4];
        make_points(&random, kind, p);
        int sign = oracle_orient3d(o, p);
        if (exact_orient3d(p[0], p[1], p[2], p[3], &fallbacks) != sign ||
            exact_orient3d(p[1], p[0], p[2], p[3], &fallbacks) != -sign ||
            exact_orient3d(p[3], p[0], p[1], p[2], &fallbacks) != -sign ||
            exact_orient3d_integers(p[0], p[1], p[2], p[3], NULL) != sign)
            fail_msg("orient3d: case %ld of seed 41, kind %d, truth %d", i, kind, sign);
        int turn = oracle_orient2d(o, p, axis);
        if (exact_orient2d(p[0], p[1], p[2], axis, &fallbacks) != turn ||
            exact_orient2d(p[1], p[0], p[2], axis, &fallbacks) != -turn)
            fail_msg("orient2d: case %ld of seed 41, kind %d, truth %d", i, kind, turn);
        bool collinear =
            oracle_orient2d(o, p, 0) == 0 && oracle_orient2d(o, p, 1) == 0 && oracle_orient2d(o, p, 2) == 0;
        if (exact_collinear(p[0], p[1], p[2], &fallbacks) != collinear)
            fail_msg("collinear: case %ld of seed 41, kind %d, truth %d", i, kind, collinear);
        /* the direction may be any double */
        carom_vec3 direction = vec3_sub(p[3], p[0]);
        if (family_integer(&random, 0, 1))
        {
            int exponent = family_integer(&random, -900, 900);
            direction = vec3(ldexp(direction.x, exponent), ldexp(direction.y, exponent), ldexp(direction.z, exponent));
        }
        if (!vec3_finite(direction))
            continue;
        sign = oracle_ray3d(o, direction, p);
        if (exact_ray3d(direction, p[0], p[1], p[2], &fallbacks) != sign ||
            exact_ray3d_integers(direction, p[0], p[1], p[2], NULL) != sign)
            fail_msg("ray3d: case %ld of seed 41, kind %d, truth %d", i, kind, sign);
        zeros[kind] += sign == 0, seen[kind]++;
    }
    oracle_destroy(o);
    for (int kind = 0; kind < KINDS; kind++)
        print_message("  kind %d: %4.1f %% zero\n", kind, 100.0 * (double)zeros[kind] / (double)seen[kind]);
    print_message("seed 41: %ld cases, 0 wrong, %llu decided by integers\n", cases, (unsigned long long)fallbacks);
    assert_true(fallbacks > (uint64_t)cases / 4);
}

/* ---- numbers that fill the wide integers ---- */

static double any_double(check_random *random)
{
    static const double extremes[] = {DBL_MAX, -DBL_MAX, DBL_TRUE_MIN, -DBL_TRUE_MIN, 0.0, 1.0};
    double value;
    do
    {
        uint64_t bits = check_next(random);
        memcpy(&value, &bits, sizeof value);
    } while (!isfinite(value));
    return check_next(random) % 2 ? value : extremes[check_next(random) % 6];
}

/* The filters need coordinates below 2^110; the integers behind them have room for every double. */
static void test_any_doubles(void **state)
{
    (void)state;
    check_random random = {43};
    oracle *o = oracle_create();
    int zeros = 0;
    for (int i = 0; i < 20000; i++)
    {
        carom_vec3 p[4], direction = vec3(any_double(&random), any_double(&random), any_double(&random));
        for (int k = 0; k < 4; k++)
            p[k] = vec3(any_double(&random), any_double(&random), any_double(&random));
        int sign = oracle_orient3d(o, p);
        assert_int_equal(exact_orient3d_integers(p[0], p[1], p[2], p[3], NULL), sign);
        assert_int_equal(exact_ray3d_integers(direction, p[0], p[1], p[2], NULL), oracle_ray3d(o, direction, p));
        zeros += sign == 0;
        double tuv[3];
        exact_ray_solve(direction, p[3], p, tuv); /* for the sanitizers: it makes the largest numbers of all */
    }
    oracle_destroy(o);
    assert_true(zeros < 10000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_signs), cmocka_unit_test(test_any_doubles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
