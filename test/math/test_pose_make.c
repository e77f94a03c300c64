/* Poses from matrices and quaternions: float rotations become rigid and stay where they were (by 512-bit arithmetic);
 * what scales, shears, mirrors or is not finite is refused. Turns by right angles are exact, others as near as a few
 * roundings allow (by rational arithmetic). */
#include "math/math.h"
#include "support/families.h"

#include <gmp.h>

/* A rotation about a random axis, rounded to float or not, as a 4 x 4 matrix with nonsense in its last row. */
static void random_matrix(check_random *random, bool floats, double out[16])
{
    double q[4];
    for (int i = 0; i < 4; i++)
        q[i] = check_uniform(random, -1.0, 1.0);
    carom_vec3 t = {check_uniform(random, -1e3, 1e3), check_uniform(random, -1, 1), check_uniform(random, -1e9, 1e9)};
    carom_pose pose = carom_pose_from_quaternion(q, t);
    for (int i = 0; i < 9; i++)
        out[4 * (i / 3) + i % 3] = floats ? (double)(float)pose.rotation[i] : pose.rotation[i];
    out[3] = t.x, out[7] = t.y, out[11] = t.z;
    for (int i = 12; i < 16; i++)
        out[i] = NAN;
}

/* Largest entry of |RtR - I|, without rounding. */
static double exact_defect(const double r[9])
{
    double worst = 0.0;
    mpf_t sum, a, b;
    mpf_init2(sum, 512), mpf_init2(a, 512), mpf_init2(b, 512);
    for (int i = 0; i < 9; i++)
    {
        mpf_set_si(sum, i % 4 == 0 ? -1 : 0);
        for (int k = 0; k < 3; k++)
        {
            mpf_set_d(a, r[3 * k + i / 3]), mpf_set_d(b, r[3 * k + i % 3]);
            mpf_mul(a, a, b);
            mpf_add(sum, sum, a);
        }
        worst = fmax(worst, fabs(mpf_get_d(sum)));
    }
    mpf_clear(sum), mpf_clear(a), mpf_clear(b);
    return worst;
}

static void matrices_become_rigid(void **state)
{
    (void)state;
    check_random random = {.state = 1};
    for (int n = 0; n < 20000; n++)
    {
        bool floats = n % 2;
        double matrix[16];
        random_matrix(&random, floats, matrix);
        carom_pose pose;
        assert_int_equal(carom_pose_from_matrix(matrix, &pose), CAROM_OK);
        assert_int_equal(carom_pose_check(&pose), CAROM_OK);
        assert_true(exact_defect(pose.rotation) < 1e-14);
        for (int i = 0; i < 9; i++)
            check_near(pose.rotation[i], matrix[4 * (i / 3) + i % 3], floats ? 2e-7 : 1e-15);
        assert_true(pose.translation.x == matrix[3] && pose.translation.y == matrix[7] &&
                    pose.translation.z == matrix[11]);
    }
}

/* Scales and shears up to 1e-3 of |RtR - I| are rounding, larger ones are meant. */
static void what_is_not_rigid_is_refused(void **state)
{
    (void)state;
    check_random random = {.state = 2};
    for (int n = 0; n < 5000; n++)
    {
        double matrix[16], spoiled[16];
        random_matrix(&random, false, matrix);
        carom_pose pose = carom_pose_translation(1, 2, 3), identity = carom_pose_identity();
        for (int kind = 0; kind < 5; kind++)
        {
            memcpy(spoiled, matrix, sizeof matrix);
            int column = family_integer(&random, 0, 2), other = (column + 1) % 3;
            double amount = check_uniform(&random, 1.05e-3, 0.5), sign = n % 2 ? 1.0 : -1.0;
            for (int row = 0; row < 3; row++)
                switch (kind)
                {
                case 0: spoiled[4 * row + column] *= 1.0 + sign * amount; break;                     /* scale */
                case 1: spoiled[4 * row + column] += sign * amount * matrix[4 * row + other]; break; /* shear */
                case 2: spoiled[4 * row + column] *= -1.0; break;                                    /* mirror */
                case 3: spoiled[4 * row + column] = matrix[4 * row + other]; break;                  /* flat */
                default: spoiled[4 * row + column] = 0.0; break;
                }
            assert_int_equal(carom_pose_from_matrix(spoiled, &pose), CAROM_NOT_RIGID);
        }
        const double odd[3] = {NAN, INFINITY, -INFINITY};
        memcpy(spoiled, matrix, sizeof matrix);
        spoiled[family_integer(&random, 0, 11)] = odd[n % 3];
        assert_int_equal(carom_pose_from_matrix(spoiled, &pose), CAROM_NOT_FINITE);
        memcpy(spoiled, matrix, sizeof matrix);
        spoiled[3 + 4 * (n % 3)] = 0x1p101;
        assert_int_equal(carom_pose_from_matrix(spoiled, &pose), CAROM_OUT_OF_RANGE);
        assert_memory_equal(&pose, &identity, sizeof pose); /* nothing half done */
        /* a little is taken for rounding */
        for (int i = 0; i < 12; i++)
            spoiled[i] = i % 4 == 3 ? 0.0 : matrix[i] * (1.0 + 4e-4);
        assert_int_equal(carom_pose_from_matrix(spoiled, &pose), CAROM_OK);
        for (int i = 0; i < 9; i++)
            check_near(pose.rotation[i], matrix[4 * (i / 3) + i % 3], 1e-12);
    }
    carom_pose pose;
    double matrix[12] = {1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0};
    assert_int_equal(carom_pose_from_matrix(NULL, &pose), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_pose_from_matrix(matrix, NULL), CAROM_INVALID_ARGUMENT);
}

static void quaternions_of_any_length(void **state)
{
    (void)state;
    check_random random = {.state = 3};
    const double lengths[7] = {1.0, 1e-3, 1e150, 1e-150, 1e300, 1e-300, 0x1p-1060};
    for (int n = 0; n < 10000; n++)
    {
        double q[4], scaled[4], back[4];
        for (int i = 0; i < 4; i++)
            q[i] = n % 5 == 0 ? (double)family_integer(&random, -1, 1) : check_uniform(&random, -1.0, 1.0);
        bool zero = q[0] == 0.0 && q[1] == 0.0 && q[2] == 0.0 && q[3] == 0.0;
        for (int i = 0; i < 4; i++)
            scaled[i] = q[i] * lengths[n % 7], back[i] = (double)(float)q[i];
        carom_vec3 t = {1, 2, 3};
        carom_pose pose = carom_pose_from_quaternion(q, t), other = carom_pose_from_quaternion(scaled, t);
        if (zero)
        {
            assert_int_equal(carom_pose_check(&pose), CAROM_NOT_FINITE);
            continue;
        }
        assert_int_equal(carom_pose_check(&pose), CAROM_OK);
        assert_int_equal(carom_pose_check(&other), CAROM_OK);
        assert_true(exact_defect(pose.rotation) < 1e-14);
        /* numbers near the smallest have few digits */
        double tolerance = n % 7 == 6 ? 1e-2 : n % 7 == 5 ? 1e-6 : 1e-14;
        for (int i = 0; i < 9; i++)
            check_near(other.rotation[i], pose.rotation[i], tolerance);
        carom_pose floats = carom_pose_from_quaternion(back, t);
        assert_int_equal(carom_pose_check(&floats), CAROM_OK);
        /* the rotation itself: v' = v + 2 w (u x v) + 2 u x (u x v) for the unit quaternion (u, w) */
        double length = sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        carom_vec3 u = {q[0] / length, q[1] / length, q[2] / length}, v = {0.3, -0.7, 0.5};
        carom_vec3 c = vec3_cross(u, v), cc = vec3_cross(u, c);
        double w = q[3] / length;
        carom_vec3 moved = carom_pose_apply(&pose, v);
        check_near(moved.x, v.x + 2 * (w * c.x + cc.x) + 1, 1e-13);
        check_near(moved.y, v.y + 2 * (w * c.y + cc.y) + 2, 1e-13);
        check_near(moved.z, v.z + 2 * (w * c.z + cc.z) + 3, 1e-13);
    }
    double odd[4] = {NAN, 0, 0, 1};
    carom_pose pose = carom_pose_from_quaternion(odd, (carom_vec3){0, 0, 0});
    assert_int_equal(carom_pose_check(&pose), CAROM_NOT_FINITE);
    odd[0] = INFINITY;
    pose = carom_pose_from_quaternion(odd, (carom_vec3){0, 0, 0});
    assert_int_equal(carom_pose_check(&pose), CAROM_NOT_FINITE);
}

/* The entries of the rotation, times the square of the quaternion's length. */
static void scaled_rotation(double out[9], const double q[4])
{
    double x = q[0], y = q[1], z = q[2], w = q[3];
    const double r[9] = {w * w + x * x - y * y - z * z, 2 * (x * y - z * w),           2 * (x * z + y * w),
                         2 * (x * y + z * w),           w * w + y * y - x * x - z * z, 2 * (y * z - x * w),
                         2 * (x * z - y * w),           2 * (y * z + x * w),           w * w + z * z - x * x - y * y};
    memcpy(out, r, sizeof r);
}

static bool same_rotation(const carom_pose *a, const carom_pose *b)
{
    for (int i = 0; i < 9; i++)
        if (a->rotation[i] != b->rotation[i])
            return false;
    return true;
}

/* Turns by right angles about the axes of a cube: entries 0, 1 and -1, whatever the quaternion's length is. */
static void right_angles_are_exact(void **state)
{
    (void)state;
    const double lengths[] = {1, -1, 3, 7, 1000003, 0.7, 1e-5, 1e300, -1e300, 1e-300, 0x1p-1074, -0x3p-1074, 0x1p1023};
    carom_pose seen[24];
    int seen_count = 0, turns = 0;
    for (int code = 0; code < 81; code++)
    {
        const double q[4] = {code % 3 - 1, code / 3 % 3 - 1, code / 9 % 3 - 1, code / 27 % 3 - 1};
        int square = (int)(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
        if (square == 0 || square == 3)
            continue;
        double wanted[9];
        scaled_rotation(wanted, q);
        carom_pose pose;
        for (size_t k = 0; k < sizeof lengths / sizeof *lengths; k++)
        {
            double scaled[4];
            for (int i = 0; i < 4; i++)
                scaled[i] = q[i] * lengths[k];
            pose = carom_pose_from_quaternion(scaled, (carom_vec3){1, 2, 3});
            for (int i = 0; i < 9; i++)
                assert_true(pose.rotation[i] == wanted[i] / square);
        }
        turns++;
        int known = 0;
        while (known < seen_count && !same_rotation(&seen[known], &pose))
            known++;
        assert_true(known < 24);
        seen[known] = pose;
        seen_count += known == seen_count;
    }
    assert_int_equal(turns, 48); /* q and -q are the same */
    assert_int_equal(seen_count, 24);
}

/* Largest difference of an entry from the truth, in units of 2^-53. */
static double exact_error(const carom_pose *pose, const double q[4])
{
    static const int products[9][4][2] = {
        {{3, 3}, {0, 0}, {1, 1}, {2, 2}}, {{0, 1}, {0, 1}, {2, 3}, {2, 3}}, {{0, 2}, {0, 2}, {1, 3}, {1, 3}},
        {{0, 1}, {0, 1}, {2, 3}, {2, 3}}, {{3, 3}, {1, 1}, {0, 0}, {2, 2}}, {{1, 2}, {1, 2}, {0, 3}, {0, 3}},
        {{0, 2}, {0, 2}, {1, 3}, {1, 3}}, {{1, 2}, {1, 2}, {0, 3}, {0, 3}}, {{3, 3}, {2, 2}, {0, 0}, {1, 1}}};
    static const bool adds[9] = {[2] = true, [3] = true, [7] = true};
    double worst = 0.0;
    mpq_t sum, square, a, b;
    mpq_inits(sum, square, a, b, NULL);
    for (int i = 0; i < 4; i++)
    {
        mpq_set_d(a, q[i]);
        mpq_mul(a, a, a);
        mpq_add(square, square, a);
    }
    for (int i = 0; i < 9; i++)
    {
        mpq_set_ui(sum, 0, 1);
        for (int k = 0; k < 4; k++)
        {
            mpq_set_d(a, q[products[i][k][0]]), mpq_set_d(b, q[products[i][k][1]]);
            mpq_mul(a, a, b);
            if (k < 2 || adds[i])
                mpq_add(sum, sum, a);
            else
                mpq_sub(sum, sum, a);
        }
        mpq_div(sum, sum, square);
        mpq_set_d(a, pose->rotation[i]);
        mpq_sub(sum, sum, a);
        worst = fmax(worst, fabs(mpq_get_d(sum)) * 0x1p53);
    }
    mpq_clears(sum, square, a, b, NULL);
    return worst;
}

/* No entry gathers more than seven roundings, and the bits do not depend on the length. */
static void quaternions_lose_little(void **state)
{
    (void)state;
    enum
    {
        CASES = 20000
    };
    check_random random = {.state = 4};
    double error_sum = 0.0, defect_sum = 0.0;
    for (int n = 0; n < CASES; n++)
    {
        double q[4], large[4], small[4];
        for (int i = 0; i < 4; i++)
        {
            q[i] = check_uniform(&random, -1.0, 1.0) * (n % 3 == 0 ? 1.0 : exp2(-family_integer(&random, 0, 20)));
            large[i] = q[i] * 0x1p1023, small[i] = q[i] * 0x1p-940;
        }
        carom_pose pose = carom_pose_from_quaternion(q, (carom_vec3){1, 2, 3});
        carom_pose pose_of_large = carom_pose_from_quaternion(large, (carom_vec3){1, 2, 3});
        carom_pose pose_of_small = carom_pose_from_quaternion(small, (carom_vec3){1, 2, 3});
        assert_memory_equal(&pose, &pose_of_large, sizeof pose);
        assert_memory_equal(&pose, &pose_of_small, sizeof pose);
        double error = exact_error(&pose, q), defect = exact_defect(pose.rotation) * 0x1p53;
        assert_true(error <= 7.0 && defect <= 14.0);
        error_sum += error, defect_sum += defect;
    }
    print_message("entries err by %.3f and products by %.3f roundings on average\n", error_sum / CASES,
                  defect_sum / CASES);
    assert_true(error_sum / CASES < 1.3 && defect_sum / CASES < 2.4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(matrices_become_rigid),     cmocka_unit_test(what_is_not_rigid_is_refused),
        cmocka_unit_test(quaternions_of_any_length), cmocka_unit_test(right_angles_are_exact),
        cmocka_unit_test(quaternions_lose_little),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
