/* Attacks the error bounds of relative poses and world boxes with 512-bit arithmetic: rotations as far from orthogonal
 * as a pose may be, translations up to 2^100, vertices at the extents. Prints how near the error came to the bound. */
#include "support/families.h"

#include <gmp.h>
#include <stdlib.h>

enum
{
    CASES = 6000,
    VERTICES = 8,
    BITS = 512
};

typedef struct big
{
    mpf_t m[9], t[9], nearest[9], sum, term, x[3], y[3], z[3];
} big;

static void each(big *b, void (*f)(mpf_t))
{
    for (int i = 0; i < 9; i++)
        f(b->m[i]), f(b->t[i]), f(b->nearest[i]);
    for (int i = 0; i < 3; i++)
        f(b->x[i]), f(b->y[i]), f(b->z[i]);
    f(b->sum), f(b->term);
}
static void init_number(mpf_t n) { mpf_init2(n, BITS); }
static void clear_number(mpf_t n) { mpf_clear(n); }

/* The rotation nearest to r: Newton's iteration X (3 - XtX) / 2, quadratic from 1e-9. */
static void nearest_rotation(big *b, const double r[9])
{
    for (int i = 0; i < 9; i++)
        mpf_set_d(b->nearest[i], r[i]);
    for (int round = 0; round < 6; round++)
    {
        for (int i = 0; i < 9; i++)
        {
            mpf_set_si(b->t[i], i % 4 == 0 ? 3 : 0);
            for (int k = 0; k < 3; k++)
            {
                mpf_mul(b->term, b->nearest[3 * k + i / 3], b->nearest[3 * k + i % 3]);
                mpf_sub(b->t[i], b->t[i], b->term);
            }
        }
        for (int i = 0; i < 9; i++)
        {
            mpf_set_ui(b->m[i], 0);
            for (int k = 0; k < 3; k++)
            {
                mpf_mul(b->term, b->nearest[3 * (i / 3) + k], b->t[3 * k + i % 3]);
                mpf_add(b->m[i], b->m[i], b->term);
            }
            mpf_div_ui(b->m[i], b->m[i], 2);
        }
        for (int i = 0; i < 9; i++)
            mpf_set(b->nearest[i], b->m[i]);
    }
}

/* Largest |nearest^T (world - origin) - (rotation v + translation)|. */
static double deviation(big *b, carom_vec3 world, carom_vec3 origin, const math_relative *relative, carom_vec3 v)
{
    const double *w = &world.x, *o = &origin.x, *p = &v.x, *t = &relative->translation.x;
    double worst = 0.0;
    for (int k = 0; k < 3; k++)
    {
        mpf_set_d(b->x[k], w[k]);
        mpf_set_d(b->term, o[k]);
        mpf_sub(b->x[k], b->x[k], b->term);
    }
    for (int i = 0; i < 3; i++)
    {
        mpf_set_d(b->sum, -t[i]);
        for (int k = 0; k < 3; k++)
        {
            mpf_mul(b->term, b->nearest[3 * k + i], b->x[k]);
            mpf_add(b->sum, b->sum, b->term);
            mpf_set_d(b->term, relative->rotation[3 * i + k]);
            mpf_set_d(b->y[0], p[k]);
            mpf_mul(b->term, b->term, b->y[0]);
            mpf_sub(b->sum, b->sum, b->term);
        }
        worst = fmax(worst, fabs(mpf_get_d(b->sum)));
    }
    return worst;
}

/* A valid pose: a quaternion's, exact or bent to the limit, or one with entries 0 and 1. */
static carom_pose make_pose(check_random *random, double far)
{
    double q[4];
    for (int i = 0; i < 4; i++)
        q[i] = family_integer(random, 0, 9) == 0 ? family_integer(random, -1, 1) : check_uniform(random, -1.0, 1.0);
    double x = check_uniform(random, -far, far), y = check_uniform(random, -far, far);
    carom_vec3 t = vec3(x, y, far);
    carom_pose pose = carom_pose_from_quaternion(q, t);
    int kind = family_integer(random, 0, 3);
    double max_defect = 4.9e-10;
    if (kind == 0) /* all entries stretched or shrunk */
    {
        double factor = 1.0 + (family_integer(random, 0, 1) ? max_defect : -max_defect);
        for (int i = 0; i < 9; i++)
            pose.rotation[i] *= factor;
    }
    else if (kind == 1) /* stretched along a diagonal: every entry of RtR - I is at the limit */
        for (int i = 0; i < 3; i++)
        {
            double *row = &pose.rotation[3 * i], stretch = max_defect * (row[0] + row[1] + row[2]);
            row[0] += stretch, row[1] += stretch, row[2] += stretch;
        }
    if (carom_pose_check(&pose) != CAROM_OK)
        return carom_pose_from_quaternion(q, t);
    return pose;
}

static carom_vec3 extreme_vertex(check_random *random, double extent)
{
    double v[3];
    for (int k = 0; k < 3; k++)
    {
        int kind = family_integer(random, 0, 2);
        v[k] = kind == 0 ? extent : kind == 1 ? -extent : check_uniform(random, -extent, extent);
    }
    return vec3(v[0], v[1], v[2]);
}

/* Extents and offsets of very different sizes, and the plain case. */
static double make_size(check_random *random, double largest)
{
    int kind = family_integer(random, 0, 3);
    return kind == 0 ? 1.0 : kind == 1 ? largest : kind == 2 ? 0.0 : exp2(check_uniform(random, -90.0, 99.0));
}

/* How much of the pad the corner that comes closest to a face of the box uses; above 1 it is outside. */
static double used_of_pad(const carom_pose *pose, const carom_aabb *own, double extent)
{
    carom_aabb world = math_world_box(pose, own);
    carom_vec3 t = pose->translation;
    double far = fmax(fabs(t.x), fmax(fabs(t.y), fabs(t.z))), used = -INFINITY;
    long double pad = 17.0L * 0x1p-53L * extent + 3.0625L * 0x1p-53L * far + 0x1p-1022L;
    for (int i = 0; i < 8; i++)
    {
        carom_vec3 v =
            vec3(i & 1 ? own->min.x : own->max.x, i & 2 ? own->min.y : own->max.y, i & 4 ? own->min.z : own->max.z);
        carom_vec3 at = pose_apply(pose, v);
        for (int k = 0; k < 3; k++)
        {
            long double low = ((double *)&world.min)[k], high = ((double *)&world.max)[k], x = ((double *)&at)[k];
            used = fmax(used, (double)(1.0L - fminl(x - low, high - x) / pad));
        }
    }
    return used;
}

static carom_aabb make_box(check_random *random, double extent)
{
    return aabb_add_point(aabb_add_point(aabb_empty(), extreme_vertex(random, extent)), extreme_vertex(random, extent));
}

static double extent_of(const carom_aabb *box)
{
    double extent = 0.0;
    for (int k = 0; k < 3; k++)
        extent = fmax(extent, fmax(fabs(((double *)&box->min)[k]), fabs(((double *)&box->max)[k])));
    return extent;
}

/* Climbs on the last bits of boxes and poses, `far` from the origin. */
static double attack_boxes(check_random *random, double far)
{
    double highest = 0.0;
    for (int climb = 0; climb < 40; climb++)
    {
        carom_aabb box = make_box(random, 1.0);
        double q[4], t[3], top = 0.0;
        for (int k = 0; k < 4; k++)
            q[k] = check_uniform(random, -1.0, 1.0);
        for (int k = 0; k < 3; k++)
            t[k] = check_uniform(random, -far, far);
        for (int step = 0; step < 40000; step++)
        {
            double numbers[13];
            memcpy(numbers, &box, sizeof box), memcpy(numbers + 6, q, sizeof q), memcpy(numbers + 10, t, sizeof t);
            double *n = &numbers[check_next(random) % 13];
            double finest = check_next(random) % 4 ? -53.0 : -30.0;
            *n += *n * check_uniform(random, -1.0, 1.0) * exp2(check_uniform(random, finest, finest + 10.0));
            carom_aabb trial;
            memcpy(&trial, numbers, sizeof trial);
            bool valid = true;
            for (int k = 0; k < 3; k++)
                valid &= ((double *)&trial.min)[k] <= ((double *)&trial.max)[k];
            carom_pose pose = carom_pose_from_quaternion(numbers + 6, vec3(numbers[10], numbers[11], numbers[12]));
            double used = valid ? used_of_pad(&pose, &trial, extent_of(&trial)) : 0.0;
            if (used >= top)
            {
                top = used, box = trial;
                memcpy(q, numbers + 6, sizeof q), memcpy(t, numbers + 10, sizeof t);
            }
        }
        highest = fmax(highest, top);
    }
    return highest;
}

static void test_world_boxes(void **state)
{
    (void)state;
    check_random random = {63};
    double near = attack_boxes(&random, 0.5), far = attack_boxes(&random, 0x1p40);
    print_message("world boxes: %.3f of the pad used near the origin, %.3f far away\n", near, far);
    assert_true(near <= 1.0 && far <= 1.0);
    assert_true(near > 0.4 && far > 0.5); /* or this is no attack */
}

static void check_boxes(check_random *random, const carom_pose *pose, double extent)
{
    carom_aabb own = make_box(random, extent);
    double used = used_of_pad(pose, &own, extent_of(&own));
    if (!(used <= 1.0))
        fail_msg("a corner uses %g of the pad", used);
}

/* Which part of the bound is the largest: that of the rotations' defect, of the arithmetic, of the way to the origin.
 */
static int part_of(const carom_pose *a, const carom_pose *b, double reach)
{
    const double *t = &a->translation.x, *s = &b->translation.x;
    double far = 0.0, between = 0.0;
    for (int k = 0; k < 3; k++)
    {
        far = fmax(far, fmax(fabs(t[k]), fabs(s[k])));
        between = fmax(between, fabs(s[k] - t[k]));
    }
    double unit = 0x1p-53 * (reach + between), defect = 1.5625 * math_pair_defect(a, b) * (reach + between);
    double rounding = 36.5 * unit, way = 1.75 * 0x1p-53 * far;
    if (defect > 8.0 * (rounding + way))
        return 0;
    if (defect <= 16.0 * unit && way < 0.125 * rounding)
        return 1;
    return way > 8.0 * (rounding + defect) ? 2 : 3;
}

static void test_relative_poses(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    long cases = CASES * (scale ? strtol(scale, NULL, 10) : 1);
    check_random random = {61};
    big *b = calloc(1, sizeof *b);
    each(b, init_number);
    double worst_b[4] = {0.0}, worst_a[4] = {0.0}, worst_inverse = 0.0;
    for (long n = 0; n < cases; n++)
    {
        double extent_a = make_size(&random, 0x1p100), extent_b = make_size(&random, 0x1p100);
        double far = make_size(&random, 0x1p100);
        double other_far = make_size(&random, 0x1p100);
        carom_pose a = make_pose(&random, far), c = make_pose(&random, other_far);
        if (family_integer(&random, 0, 1)) /* far from the origin but near each other */
            c.translation = vec3_add(a.translation, extreme_vertex(&random, extent_a));
        if (carom_pose_check(&c) != CAROM_OK)
            continue;
        math_relative c_in_a = math_relative_pose(&a, &c, extent_a, extent_b);
        math_relative a_in_c = math_relative_inverse(&c_in_a);
        math_relative still = {.rotation = {1, 0, 0, 0, 1, 0, 0, 0, 1}};
        int part = part_of(&a, &c, fmax(extent_a, extent_b));
        nearest_rotation(b, a.rotation);
        carom_vec3 u[VERTICES], v[VERTICES];
        for (int i = 0; i < VERTICES; i++)
        {
            u[i] = extreme_vertex(&random, extent_a), v[i] = extreme_vertex(&random, extent_b);
            double of_b = deviation(b, pose_apply(&c, v[i]), a.translation, &c_in_a, v[i]) / c_in_a.error;
            double of_a = deviation(b, pose_apply(&a, u[i]), a.translation, &still, u[i]) / c_in_a.error;
            worst_b[part] = fmax(worst_b[part], of_b), worst_a[part] = fmax(worst_a[part], of_a);
        }
        nearest_rotation(b, c.rotation);
        for (int i = 0; i < VERTICES; i++)
        {
            double of_a = deviation(b, pose_apply(&a, u[i]), c.translation, &a_in_c, u[i]) / a_in_c.error;
            worst_inverse = fmax(worst_inverse, of_a);
        }
        check_boxes(&random, &a, extent_a);
        check_boxes(&random, &c, extent_b);
    }
    each(b, clear_number);
    free(b);
    const char *const names[4] = {"defect", "rounding", "far", "mixed"};
    for (int part = 0; part < 4; part++)
        print_message("%s: error / bound reaches %.3f for b in a, %.3f for a itself\n", names[part], worst_b[part],
                      worst_a[part]);
    print_message("seed 61: %ld pairs of poses, inverse %.3f\n", cases, worst_inverse);
    for (int part = 0; part < 4; part++)
        assert_true(worst_b[part] <= 1.0 && worst_a[part] <= 1.0);
    assert_true(worst_inverse <= 1.0);
    assert_true(worst_b[0] > 0.5 && worst_a[0] > 0.5 && worst_b[1] > 0.1 && worst_b[2] > 0.5 && worst_a[2] > 0.5);
    assert_true(worst_inverse > 0.5);
}

static void test_empty_boxes(void **state)
{
    (void)state;
    carom_pose pose = carom_pose_translation(1.0, 2.0, 3.0);
    for (int axis = 0; axis < 3; axis++)
    {
        carom_aabb box = {{0, 0, 0}, {1, 1, 1}};
        ((double *)&box.min)[axis] = 2.0;
        carom_aabb world = math_world_box(&pose, &box);
        assert_true(world.min.x > world.max.x);
    }
}

static void test_float_bounds(void **state)
{
    (void)state;
    check_random random = {62};
    for (int i = 0; i < 100000; i++)
    {
        double fraction = check_uniform(&random, -1.0, 1.0);
        double value = ldexp(fraction, family_integer(&random, -1074, 127));
        float down = math_float_down(value), up = math_float_up(value);
        assert_true((double)down <= value && (double)up >= value);
        assert_true(down == up || nextafterf(down, INFINITY) == up);
    }
    assert_true(math_float_down(1e300) == 0x1.fffffep127f && math_float_up(-1e300) == -0x1.fffffep127f);
    assert_true(math_float_up(1e300) == INFINITY && math_float_down(-1e300) == -INFINITY);
}

/* Every version of the check of two poses says what carom_pose_check says of each, with the same defect to the bit. */
static void test_check_of_pairs(void **state)
{
    (void)state;
    const carom_simd versions[] = {CAROM_SIMD_SCALAR, CAROM_SIMD_SSE2, CAROM_SIMD_AVX2};
    const double odd[] = {NAN, INFINITY, -INFINITY, 0x1p100, -0x1.0000000000001p100, 1e200, 0.0, -1.0};
    for (int version = 0; version < 3; version++)
    {
        carom_context_def def = carom_context_def_default();
        def.simd = versions[version];
        carom_context *context;
        if (carom_context_create(&def, &context) != CAROM_OK)
            continue; /* not on this machine */
        check_random random = {62};
        int accepted = 0;
        for (int n = 0; n < CASES; n++)
        {
            carom_pose a = make_pose(&random, 1e3), b = make_pose(&random, 1e3);
            carom_pose *spoiled = n % 2 ? &a : &b;
            double *numbers = (double *)(void *)spoiled;
            for (int times = family_integer(&random, 0, 2); times > 0; times--)
                numbers[family_integer(&random, 0, 11)] = odd[family_integer(&random, 0, 7)];
            if (n % 3 == 0)
                spoiled->rotation[family_integer(&random, 0, 8)] += check_uniform(&random, -2e-9, 2e-9);
            bool expected = carom_pose_check(&a) == CAROM_OK && carom_pose_check(&b) == CAROM_OK;
            double defect;
            bool fine = BASE_PICK_ISA(context, math_check_pair)(&a, &b, &defect);
            assert_int_equal(fine, expected);
            assert_true(!fine || defect == math_pair_defect(&a, &b));
            accepted += fine;
        }
        assert_true(accepted > CASES / 10 && accepted < CASES * 9 / 10);
        carom_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_check_of_pairs), cmocka_unit_test(test_relative_poses),
                                       cmocka_unit_test(test_world_boxes), cmocka_unit_test(test_empty_boxes),
                                       cmocka_unit_test(test_float_bounds)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
