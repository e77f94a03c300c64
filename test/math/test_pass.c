/* Where edges pass planes and edges: every coordinate must be the double nearest to the rational one, the even one of
 * two. Ordinary numbers, exact ties, coordinates near 0 beside large ones, denormal ones, near-parallel planes. */
#include "math/math.h"
#include "support/families.h"
#include "support/oracle_numbers.h"

enum
{
    CASES = 20000
};

/* |det| of the first three and one of the ends, for both ends, into o->t[0] and o->t[1]; false: not on two sides. */
static bool measure_plane(oracle *o)
{
    for (int end = 0; end < 2; end++)
    {
        for (int i = 0; i < 3; i++)
            oracle_subtract(o->v[i], o->corner[i], o->corner[3 + end]);
        oracle_cross(o->v[3], o->v[1], o->v[2]);
        oracle_dot(o->t[end], o->v[0], o->v[3]);
    }
    return mpz_sgn(o->t[0]) * mpz_sgn(o->t[1]) < 0;
}

static bool measure_line(oracle *o, int axis)
{
    for (int end = 0; end < 2; end++)
    {
        oracle_subtract(o->v[0], o->corner[1], o->corner[0]);
        oracle_subtract(o->v[1], o->corner[2 + end], o->corner[0]);
        oracle_cross(o->v[2], o->v[0], o->v[1]);
        mpz_set(o->t[end], o->v[2][axis]);
    }
    return mpz_sgn(o->t[0]) * mpz_sgn(o->t[1]) < 0;
}

/* From the determinants and the ends p, q, which are corners `first` and the next. */
static carom_vec3 expected_point(oracle *o, int first, int exponent)
{
    double x[3];
    mpz_abs(o->t[0], o->t[0]);
    mpz_abs(o->t[1], o->t[1]);
    mpz_add(o->t[2], o->t[0], o->t[1]);
    for (int i = 0; i < 3; i++)
    {
        mpz_mul(o->t[3], o->t[1], o->corner[first][i]);
        mpz_addmul(o->t[3], o->t[0], o->corner[first + 1][i]);
        x[i] = oracle_rounded(o, o->t[3], o->t[2], exponent);
    }
    return vec3(x[0], x[1], x[2]);
}

static void check_point(carom_vec3 actual, carom_vec3 expected, const carom_vec3 *points, int count)
{
    if (vec3_equal(actual, expected))
        return;
    for (int i = 0; i < count; i++)
        print_message("  {%a, %a, %a}\n", points[i].x, points[i].y, points[i].z);
    fail_msg("{%a, %a, %a} for {%a, %a, %a}", actual.x, actual.y, actual.z, expected.x, expected.y, expected.z);
}

/* True: the plane is passed, and the point is right. */
static bool check_plane(oracle *o, const carom_vec3 p[5])
{
    int exponent = oracle_set_corners(o, p, 5);
    if (!measure_plane(o))
        return false;
    carom_vec3 expected = expected_point(o, 3, exponent);
    check_point(exact_pass3d(p, p[3], p[4]), expected, p, 5);
    check_point(exact_pass3d((carom_vec3[]){p[2], p[0], p[1]}, p[4], p[3]), expected, p, 5);
    return true;
}

static bool check_line(oracle *o, const carom_vec3 p[4], int axis)
{
    int exponent = oracle_set_corners(o, p, 4);
    if (!measure_line(o, axis))
        return false;
    carom_vec3 expected = expected_point(o, 2, exponent);
    check_point(exact_pass2d(p, p[2], p[3], axis), expected, p, 4);
    check_point(exact_pass2d((carom_vec3[]){p[1], p[0]}, p[3], p[2], axis), expected, p, 4);
    return true;
}

/* ---- coordinates ---- */

static double ordinary(check_random *random) { return check_uniform(random, -1.0, 1.0); }

static double in_range(check_random *random)
{
    return ldexp(check_uniform(random, -1.0, 1.0), family_integer(random, -70, 0));
}

static double denormal(check_random *random) { return ldexp(family_integer(random, -4096, 4096), -1074); }

static double of_any_size(check_random *random)
{
    return ldexp(check_uniform(random, -1.0, 1.0), family_integer(random, -1073, 1000));
}

static double on_grid(check_random *random) { return family_integer(random, -3, 3); }

/* Integers of 53 bits, whose middles are ties. */
static double wide_integer(check_random *random)
{
    return check_next(random) % 3 ? 0x1p52 + family_integer(random, 0, 7) : family_integer(random, -7, 7);
}

static const struct coordinates
{
    const char *name;
    double (*make)(check_random *random);
    double least; /* share of cases that must be passings */
} kinds[] = {{"ordinary", ordinary, 0.2},       {"in range", in_range, 0.1}, {"denormal", denormal, 0.2},
             {"of any size", of_any_size, 0.1}, {"on a grid", on_grid, 0.1}, {"ties", wide_integer, 0.1}};

static void random_passings(void **state)
{
    (void)state;
    oracle *o = oracle_create();
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
    {
        check_random random = {61 + k};
        int planes = 0, lines = 0;
        for (int i = 0; i < CASES; i++)
        {
            double values[15];
            for (int n = 0; n < 15; n++)
                values[n] = kinds[k].make(&random);
            carom_vec3 p[5];
            memcpy(p, values, sizeof p);
            planes += check_plane(o, p);
            lines += check_line(o, p, i % 3);
        }
        print_message("%s: %d planes, %d lines\n", kinds[k].name, planes, lines);
        assert_true(planes > kinds[k].least * CASES && lines > kinds[k].least * CASES);
    }
    oracle_destroy(o);
}

/* ---- known points ---- */

/* A plane z = 0 and segments that cross it at known points, at every scale. */
static void known_points(void **state)
{
    (void)state;
    for (int exponent = -1000; exponent <= 90; exponent++)
        for (int n = 1; n < 16; n++)
        {
            double unit = ldexp(1.0, exponent);
            carom_vec3 plane[3] = {vec3(0, 0, 0), vec3(3 * unit, unit, 0), vec3(unit, 5 * unit, 0)};
            carom_vec3 p = vec3(unit, 2 * unit, n * unit), q = vec3(4 * unit, -unit, (n - 16) * unit);
            carom_vec3 expected = vec3((16 + 3 * n) * unit / 16, (32 - 3 * n) * unit / 16, 0.0);
            check_point(exact_pass3d(plane, p, q), expected, plane, 3);
            carom_vec3 line[2] = {vec3(-unit, 7 * unit, 0), vec3(unit, 7 * unit, 0)};
            check_point(exact_pass2d(line, p, q, 1), expected, line, 2);
        }
}

/* Middles between neighbours: x is 1 + k ulps at one end and one ulp more at the other, and the plane halves the way.
 */
static void ties_go_to_even(void **state)
{
    (void)state;
    const carom_vec3 plane[3] = {vec3(0, 0, 0), vec3(1, 0, 0), vec3(0, 1, 0)};
    for (int k = -4; k < 5; k++)
        for (int sign = -1; sign <= 1; sign += 2)
        {
            double x = sign * (1.0 + k * 0x1p-52), next = sign * (1.0 + (k + 1) * 0x1p-52);
            double low = sign * k * 0x1p-1074, high = sign * (k + 1) * 0x1p-1074;
            if (k < 0)
                x = sign * (1.0 + k * 0x1p-53), next = sign * (1.0 + (k + 1) * 0x1p-53);
            double even = k % 2 == 0 ? x : next, even_low = k % 2 == 0 ? low : high;
            carom_vec3 at = exact_pass3d(plane, vec3(x, low, 1), vec3(next, high, -1));
            assert_true(at.x == even && at.y == even_low && at.z == 0.0);
            at = exact_pass3d(plane, vec3(x, next, -1), vec3(next, x, 1));
            assert_true(at.x == even && at.y == even && at.z == 0.0);
        }
}

/* Planes a few ulps from parallel to the edge, where shares of determinants cancel. */
static void near_parallel(void **state)
{
    (void)state;
    check_random random = {67};
    oracle *o = oracle_create();
    int passed = 0;
    for (int i = 0; i < CASES; i++)
    {
        carom_vec3 p[5];
        double size = ldexp(1.0, family_integer(&random, -20, 20)), height = ordinary(&random);
        for (int n = 0; n < 5; n++)
            p[n] = vec3(size * ordinary(&random), size * ordinary(&random), family_nudge(&random, height, 4));
        passed += check_plane(o, p);
    }
    oracle_destroy(o);
    assert_true(passed > CASES / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(random_passings), cmocka_unit_test(known_points),
                                       cmocka_unit_test(ties_go_to_even), cmocka_unit_test(near_parallel)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
