/* Attacks on the error bounds of the far-apart test. The kernel is compiled into this program and gets tables that are
 * as low as they may be, without the tolerance that real ones have on top: then nothing but the margin stands between
 * the computed gap and the true one, and the part of it that is really used can be measured. */
#define CAROM_ISA scalar_here
#define CAROM_ISA_SCALAR
#include "tree/wide_apart_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#include "tree/bodies.h"

enum
{
    POINTS = 1 /* of each body: its heights are linear, so that interpolation is not on the safe side by itself */
};

/* Two bodies and a direction. Points are in own coordinates, at most 1 from the centre in each. */
typedef struct apart_case
{
    double numbers[2][3 * POINTS], quaternion[2][4], translation[2][3], centre[2][3], d[3];
} apart_case;

typedef struct stub
{
    carom_mesh mesh;
    carom_tree tree;
    wide_tree wide;
    carom_pose pose;
    carom_vec3 points[POINTS];
    float table[WIDE_SUPPORT_ENTRIES];
} stub;

static void entry_direction(int entry, double u[3])
{
    int face = entry / (WIDE_SUPPORT_SIDE * WIDE_SUPPORT_SIDE), axis = face >> 1;
    u[axis] = face & 1 ? -1.0 : 1.0;
    u[(axis + 1) % 3] = entry / WIDE_SUPPORT_SIDE % WIDE_SUPPORT_SIDE * (2.0 / STEPS) - 1.0;
    u[(axis + 2) % 3] = entry % WIDE_SUPPORT_SIDE * (2.0 / STEPS) - 1.0;
}

/* A tree of which there is only what the test reads: its frame, and heights rounded up once. */
static void make_stub(const apart_case *c, int body, stub *out)
{
    const double *n = c->numbers[body], *t = c->translation[body], *centre = c->centre[body];
    *out = (stub){.pose = carom_pose_from_quaternion(c->quaternion[body], vec3(t[0], t[1], t[2]))};
    out->wide.centre = vec3(centre[0], centre[1], centre[2]);
    out->wide.scale = 1.0;
    double farthest = 0.0;
    for (int i = 0; i < POINTS; i++)
    {
        out->points[i] = vec3_add(out->wide.centre, vec3(n[3 * i], n[3 * i + 1], n[3 * i + 2]));
        carom_vec3 p = out->points[i];
        out->mesh.extent = fmax(out->mesh.extent, fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))));
        farthest = fmax(farthest, vec3_length(vec3_sub(p, out->wide.centre)));
    }
    out->wide.radius = math_float_up(farthest * (1.0 + 0x1p-50));
    for (int entry = 0; entry < WIDE_SUPPORT_ENTRIES; entry++)
    {
        double u[3], highest = -INFINITY;
        entry_direction(entry, u);
        for (int i = 0; i < POINTS; i++)
        {
            carom_vec3 y = vec3_sub(out->points[i], out->wide.centre);
            highest = fmax(highest, u[0] * y.x + u[1] * y.y + u[2] * y.z);
        }
        out->table[entry] = math_float_up(highest + 0x1p-50);
    }
}

static mesh_placed placed_stub(stub *s)
{
    s->wide.support = s->table;
    s->tree.wide = &s->wide;
    return (mesh_placed){&s->mesh, &s->tree, &s->pose};
}

/* The gap of the corners as placed, in a precision beyond double. */
static long double true_gap(const stub *a, const stub *b, const double d[3])
{
    long double highest = -INFINITY, lowest = INFINITY;
    for (int i = 0; i < POINTS; i++)
    {
        carom_vec3 p = pose_apply(&a->pose, a->points[i]), q = pose_apply(&b->pose, b->points[i]);
        highest = fmaxl(highest, (long double)d[0] * p.x + (long double)d[1] * p.y + (long double)d[2] * p.z);
        lowest = fminl(lowest, (long double)d[0] * q.x + (long double)d[1] * q.y + (long double)d[2] * q.z);
    }
    return lowest - highest;
}

/* By how much of the margin the computed gap is too large: above 1, the test is wrong. */
static double try_case(const apart_case *c)
{
    static stub a, b;
    make_stub(c, 0, &a);
    make_stub(c, 1, &b);
    mesh_placed placed_a = placed_stub(&a), placed_b = placed_stub(&b);
    search s;
    sight seen;
    if (!make_search(&s, &placed_a, &placed_b, 0.0))
        return 0.0;
    if (look_along(&s, c->d, &seen) == UNLIKELY)
        return 0.0;
    const double *t = s.between;
    float heights = height_at(&seen.at_a) + height_at(&seen.at_b) * s.ratio;
    float gap = (float)(c->d[0] * t[0] + c->d[1] * t[1] + c->d[2] * t[2]) - heights;
    float length = (float)(fabs(c->d[0]) + fabs(c->d[1]) + fabs(c->d[2]));
    return (double)(((long double)gap - true_gap(&a, &b, c->d)) / (long double)(s.margin * length));
}

/* Bodies that touch; `away`: how far from the world's origin, `off`: how far from their own. */
static apart_case random_case(check_random *random, double away, double off)
{
    apart_case c;
    double *n = &c.numbers[0][0];
    for (size_t i = 0; i < sizeof c / sizeof *n; i++)
        n[i] = check_uniform(random, -1.0, 1.0);
    for (int body = 0; body < 2; body++)
        for (int k = 0; k < 3; k++)
            c.centre[body][k] *= off;
    for (int k = 0; k < 3; k++)
        c.translation[0][k] *= away;
    /* the second centre at a distance of about 2 from the first */
    stub a, b;
    c.translation[1][0] = c.translation[1][1] = c.translation[1][2] = 0.0;
    make_stub(&c, 0, &a);
    make_stub(&c, 1, &b);
    carom_vec3 move = vec3_sub(pose_apply(&a.pose, a.wide.centre), pose_apply(&b.pose, b.wide.centre));
    double length = sqrt(c.d[0] * c.d[0] + c.d[1] * c.d[1] + c.d[2] * c.d[2]) / 2.0;
    c.translation[1][0] = move.x + c.d[0] / length, c.translation[1][1] = move.y + c.d[1] / length;
    c.translation[1][2] = move.z + c.d[2] / length;
    return c;
}

/* Climbs from random cases; returns the highest ratio. */
static double attack(uint64_t seed, double away, double off)
{
    check_random random = {seed};
    double highest = -INFINITY;
    for (int climb = 0; climb < effort(24); climb++)
    {
        apart_case best = random_case(&random, away, off);
        double top = try_case(&best);
        for (int start = 0; start < 200; start++)
        {
            apart_case trial = random_case(&random, away, off);
            double ratio = try_case(&trial);
            if (ratio > top)
                top = ratio, best = trial;
        }
        for (int step = 0; step < 1000; step++)
        {
            apart_case trial = best;
            double *n = &trial.numbers[0][0] + check_next(&random) % (sizeof trial / sizeof(double));
            *n += *n * check_uniform(&random, -1.0, 1.0) * exp2(check_uniform(&random, -53.0, -2.0));
            for (int i = 0; i < 6 * POINTS; i++)
                trial.numbers[i / (3 * POINTS)][i % (3 * POINTS)] =
                    fmax(-1.0, fmin(1.0, trial.numbers[i / (3 * POINTS)][i % (3 * POINTS)]));
            double ratio = try_case(&trial);
            if (ratio > top)
                top = ratio, best = trial;
        }
        highest = fmax(highest, top);
    }
    print_message("far-apart test, %g from the world's origin and %g from the own: %.3f of the margin used\n", away,
                  off, highest);
    return highest;
}

static void float_error_is_within_the_margin(void **state)
{
    (void)state;
    double used = attack(1, 1.0, 0.0);
    assert_true(used <= 1.0);
    assert_true(used > 0.012); /* or this is no attack */
}

static void placing_error_is_within_the_margin(void **state)
{
    (void)state;
    double used = fmax(attack(2, 0x1p40, 0.0), fmax(attack(3, 0.0, 0x1p40), attack(4, 0x1p40, 0x1p40)));
    assert_true(used <= 1.0);
    assert_true(used > 0.03);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_error_is_within_the_margin),
        cmocka_unit_test(placing_error_is_within_the_margin),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
