/* Attacks the rounding part of the error of relative poses (docs/exactness.md, section 8): climbs on how far a vertex
 * of b, as placed and seen from a's frame, is from where the relative pose has it. The nearest rotation to a's is found
 * in long double. */
#include "math/math.h"
#include "support/climb.h"
#include "support/rooted.h"

/* Inputs that longer climbs found. */
static const double AT_ORIGIN[] = {
    0x1.0000000000211p+0,  -0x1.ffffc48d22ce6p-1, -0x1.000000000383ap+0, -0x1.fffffffffff3fp-2, -0x1.fffffffffff4p-2,
    -0x1.fffa1a82f97c4p-1, -0x1.155f8c359fa03p-1, -0x1.0000000003838p+0, 0x1.4424a9aa7774dp-1,  -0x1.cb9aa34697c3ap-1,
    -0x1.0000000003838p+0, 0x1.c2dcd084277a5p-4,  0x1.7eae9305ba84fp-2,  -0x1.46ff2fab664b2p-3, 0x1.0103c65ec9c22p+0,
    -0x1.0114a01c95ec9p+0, -0x1.0000003be0eb5p+0};
static const double WITHOUT_DEFECT[] = {0x1.830fda0f12c8cp-46, 0x1.ffffffffffffdp-1,  -0x1.dcfbe9de9947p-1,
                                        -0x1.0000000012318p+0, -0x1.fffffffffffa5p-1, 0x1.0000000002183p+0,
                                        0x1.0000000000003p+0,  -0x1.fffff07d8cc0ep-1, -0x0p+0,
                                        0x1.ffffffffffffcp-2,  0x1.ffffffffffffep-3,  0x1.72d96bffc022ap-1,
                                        0x1.72d96bffd802fp-1,  0x1.6c99900f1c162p-3,  -0x1.0000639bc786bp+0,
                                        -0x1.000018ab478cp+0,  -0x1.00000000008aap+0};

typedef long double real;

static void invert_transposed(real m[9], real out[9])
{
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out[3 * i + j] = m[3 * ((i + 1) % 3) + (j + 1) % 3] * m[3 * ((i + 2) % 3) + (j + 2) % 3] -
                             m[3 * ((i + 1) % 3) + (j + 2) % 3] * m[3 * ((i + 2) % 3) + (j + 1) % 3];
    real volume = m[0] * out[0] + m[1] * out[1] + m[2] * out[2];
    for (int i = 0; i < 9; i++)
        out[i] /= volume;
}

/* Newton's iteration; the defect of a few roundings is squared away at once. */
static void nearest_rotation(const double r[9], real q[9])
{
    real back[9];
    for (int i = 0; i < 9; i++)
        q[i] = (real)r[i];
    for (int step = 0; step < 2; step++)
    {
        invert_transposed(q, back);
        for (int i = 0; i < 9; i++)
            q[i] = 0.5L * (q[i] + back[i]);
    }
}

static carom_pose pose_at(const double *n, carom_vec3 translation)
{
    const double none[4] = {0.0, 0.0, 0.0, 1.0};
    bool turned = fabs(n[0]) + fabs(n[1]) + fabs(n[2]) + fabs(n[3]) > 0x1p-100;
    return rooted_pose(turned ? n : none, translation);
}

static double largest(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

/* numbers: two quaternions, two translations, the vertex. */
static double seen_ratio(const double *n, double away, double between, double size)
{
    carom_vec3 t_a = vec3(away * n[8], away * n[9], away * n[10]), v = vec3(size * n[14], size * n[15], size * n[16]);
    carom_vec3 t_b = vec3(t_a.x + between * n[11], t_a.y + between * n[12], t_a.z + between * n[13]);
    carom_pose a = pose_at(n, t_a), b = pose_at(n + 4, t_b);
    double extent = largest(v), worst = 0.0;
    if (!(extent > 0x1p-6 * size) || !(fmax(largest(t_b), extent) > 0x1p-6) || !(largest(t_a) < 4.0 * fmax(away, 1.0)))
        return 0.0;
    math_relative relative = math_relative_pose(&a, &b, 0.0, extent);
    carom_vec3 placed = pose_apply(&b, v);
    const real way[3] = {(real)placed.x - (real)t_a.x, (real)placed.y - (real)t_a.y, (real)placed.z - (real)t_a.z};
    const double own[3] = {v.x, v.y, v.z};
    const double t[3] = {relative.translation.x, relative.translation.y, relative.translation.z};
    real q[9];
    nearest_rotation(a.rotation, q);
    for (int k = 0; k < 3; k++)
    {
        real truth = q[k] * way[0] + q[3 + k] * way[1] + q[6 + k] * way[2], seen = (real)t[k];
        for (int j = 0; j < 3; j++)
            seen += (real)relative.rotation[3 * k + j] * (real)own[j];
        worst = fmax(worst, (double)(fabsl(truth - seen) / (real)relative.error));
    }
    return worst;
}

static double near_ratio(const double *n) { return seen_ratio(n, 0.0, 0x1p-30, 1.0); }
static double usual_ratio(const double *n) { return seen_ratio(n, 1.0, 1.0, 1.0); }

/* Rotations that seem to have next to no defect, so that its part of the bound is small. */
static double straight_ratio(const double *n)
{
    carom_pose a = pose_at(n, vec3(0, 0, 0)), b = pose_at(n + 4, vec3(0, 0, 0));
    return math_pair_defect(&a, &b) <= 0x1p-53 ? seen_ratio(n, 0.0, 0x1p-30, 1.0) : 0.0;
}
static double apart_ratio(const double *n) { return seen_ratio(n, 0.0, 1.0, 0x1p-30); }

static void rounding_is_within_the_error(void **state)
{
    (void)state;
    climb_attack(&(climb){"relative poses at the origin", near_ratio, 17, 0.5, 1, AT_ORIGIN, 4, 20000, false});
    climb_attack(
        &(climb){"relative poses without defect", straight_ratio, 17, 0.48, 4, WITHOUT_DEFECT, 4, 20000, false});
    climb_attack(&(climb){"relative poses near the origin", usual_ratio, 17, 0.5, 2, NULL, 10, 40000, false});
    climb_attack(&(climb){"relative poses far from each other", apart_ratio, 17, 0.5, 3, NULL, 10, 40000, false});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(rounding_is_within_the_error)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
