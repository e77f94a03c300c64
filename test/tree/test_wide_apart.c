/* Attacks on the error bounds of the far-apart test. The kernel is compiled into this program and gets tables that are
 * as low as they may be, without the tolerance that real ones have on top: then nothing but the margin stands between
 * the computed gap and the true one, and the part of it that is really used can be measured. */
#define CAROM_ISA scalar_here
#define CAROM_ISA_SCALAR
#include "support/rooted.h"
#include "tree/wide_apart_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#include "tree/bodies.h"

/* Two bodies, one point each, and a direction: the height of a point is linear, so that interpolation is not on the
 * safe side by itself. Points are in own coordinates, at most 1 from the centre in each. */
typedef struct apart_case
{
    double point[2][3], quaternion[2][4], translation[2][3], centre[2][3], d[3];
} apart_case;

enum
{
    NUMBERS = sizeof(apart_case) / sizeof(double)
};

typedef struct stub
{
    carom_mesh mesh;
    carom_tree tree;
    wide_tree wide;
    carom_pose pose;
    carom_vec3 point;
    float table[WIDE_SUPPORT_ENTRIES];
} stub;

static void entry_direction(int entry, double u[3])
{
    int face = entry / (WIDE_SUPPORT_SIDE * WIDE_SUPPORT_SIDE), axis = face >> 1;
    u[axis] = face & 1 ? -1.0 : 1.0;
    u[(axis + 1) % 3] = entry / WIDE_SUPPORT_SIDE % WIDE_SUPPORT_SIDE * (2.0 / STEPS) - 1.0;
    u[(axis + 2) % 3] = entry % WIDE_SUPPORT_SIDE * (2.0 / STEPS) - 1.0;
}

/* The four entries of a cell. Points are multiples of 2^-16, so that these are floats without rounding. */
static void fill_cell(stub *s, ptrdiff_t first)
{
    carom_vec3 y = vec3_scale(vec3_sub(s->point, s->wide.centre), s->wide.scale);
    const ptrdiff_t entries[4] = {first, first + 1, first + WIDE_SUPPORT_SIDE, first + WIDE_SUPPORT_SIDE + 1};
    for (int i = 0; i < 4; i++)
    {
        double u[3];
        entry_direction((int)entries[i], u);
        s->table[entries[i]] = math_float_up(u[0] * y.x + u[1] * y.y + u[2] * y.z);
    }
}

/* A tree of which there is only what the test reads: its frame, and, later, heights. */
static void make_stub(const apart_case *c, int body, double scale, stub *out)
{
    const double *n = c->point[body], *t = c->translation[body], *centre = c->centre[body];
    out->pose = rooted_pose(c->quaternion[body], vec3(t[0], t[1], t[2]));
    out->wide.centre = vec3(centre[0], centre[1], centre[2]);
    out->wide.scale = scale;
    double y[3];
    for (int k = 0; k < 3; k++)
        y[k] = nearbyint(fmax(-1.0, fmin(1.0, n[k])) * 0x1p16) * 0x1p-16 / scale;
    carom_vec3 p = out->point = vec3_add(out->wide.centre, vec3(y[0], y[1], y[2]));
    out->mesh.extent = fmax(fmax(fabs(p.x), fmax(fabs(p.y), fabs(p.z))),
                            fmax(fabs(centre[0]), fmax(fabs(centre[1]), fabs(centre[2]))));
    out->wide.support = out->table;
    out->tree.wide = &out->wide;
}

/* The gap of the points as placed, in a precision beyond double. */
static long double true_gap(const stub *a, const stub *b, const double d[3])
{
    carom_vec3 p = pose_apply(&a->pose, a->point), q = pose_apply(&b->pose, b->point);
    return (long double)d[0] * ((long double)q.x - (long double)p.x) +
           (long double)d[1] * ((long double)q.y - (long double)p.y) +
           (long double)d[2] * ((long double)q.z - (long double)p.z);
}

/* By how much of the margin the computed gap is too large: above 1, the test is wrong. */
static double try_case(const apart_case *c, double scale_b)
{
    static stub a, b;
    make_stub(c, 0, 1.0, &a);
    make_stub(c, 1, scale_b, &b);
    mesh_placed placed_a = {&a.mesh, &a.tree, &a.pose}, placed_b = {&b.mesh, &b.tree, &b.pose};
    search s;
    sight seen;
    if (!make_search(&s, &placed_a, &placed_b, 0.0) || look_along(&s, c->d, &seen) == UNLIKELY)
        return 0.0;
    fill_cell(&a, seen.at_a.cell - a.table);
    fill_cell(&b, seen.at_b.cell - b.table);
    const double *t = s.between;
    float heights = height_at(&seen.at_a) + height_at(&seen.at_b) * s.ratio;
    float between = (float)(c->d[0] * t[0] + c->d[1] * t[1] + c->d[2] * t[2]);
    float length = (float)(fabs(c->d[0]) + fabs(c->d[1]) + fabs(c->d[2]));
    /* the last difference rounds in proportion to itself, which is not the margin's affair */
    long double gap = (long double)between - (long double)heights, truth = true_gap(&a, &b, c->d);
    if (fabsl(truth) > 0.05L * (long double)length)
        return 0.0; /* the rounding of a way between bodies that are far apart would drown all others */
    return (double)((gap - truth) / (long double)(s.margin * length));
}

/* How the bodies of an attack lie. */
typedef struct setting
{
    const char *name;
    double away, off, scale_b; /* from the world's origin, from their own, and b's scale */
    bool only_a;               /* b is at its own origin */
    double aligned;            /* share of starts with a corner of a's frame as the point, along a world axis */
} setting;

/* Bodies that touch: the second centre about 2 from the first. */
static apart_case random_case(check_random *random, const setting *in)
{
    apart_case c;
    double *n = &c.point[0][0];
    for (int i = 0; i < NUMBERS; i++)
        n[i] = check_uniform(random, -1.0, 1.0);
    for (int body = 0; body < 2; body++)
        for (int k = 0; k < 3; k++)
            c.centre[body][k] *= body == 0 || !in->only_a ? in->off : 0.0;
    for (int k = 0; k < 3; k++)
        c.translation[0][k] *= in->away;
    if (check_uniform(random, 0.0, 1.0) < in->aligned)
    {
        /* a direction near x, and the corner of the frame that is farthest along it */
        carom_pose pose = rooted_pose(c.quaternion[0], vec3(0, 0, 0));
        for (int k = 0; k < 3; k++)
            c.point[0][k] = pose.rotation[k] < 0.0 ? -1.0 : 1.0, c.d[k] *= k == 0 ? 1.0 : 1e-3;
    }
    static stub a, b;
    c.translation[1][0] = c.translation[1][1] = c.translation[1][2] = 0.0;
    make_stub(&c, 0, 1.0, &a);
    make_stub(&c, 1, in->scale_b, &b);
    carom_vec3 move = vec3_sub(pose_apply(&a.pose, a.wide.centre), pose_apply(&b.pose, b.wide.centre));
    double length = sqrt(c.d[0] * c.d[0] + c.d[1] * c.d[1] + c.d[2] * c.d[2]) / 1.75;
    c.translation[1][0] = move.x + c.d[0] / length, c.translation[1][1] = move.y + c.d[1] / length;
    c.translation[1][2] = move.z + c.d[2] / length;
    return c;
}

static void change(check_random *random, apart_case *c)
{
    for (int count = 1 + (int)(check_next(random) % 3); count > 0; count--)
    {
        double *n = &c->point[0][0] + check_next(random) % NUMBERS;
        double finest = check_next(random) % 2 ? -53.0 : -30.0; /* last bits of double, or of float */
        *n += *n * check_uniform(random, -1.0, 1.0) * exp2(check_uniform(random, finest, finest + 28.0));
    }
}

/* Climbs from the best of random cases; returns the highest ratio. */
static double attack(uint64_t seed, const setting *in)
{
    check_random random = {seed};
    double highest = -INFINITY;
    apart_case worst = {0};
    for (int climb = 0; climb < effort(12); climb++)
    {
        apart_case best = random_case(&random, in);
        double top = try_case(&best, in->scale_b);
        for (int step = 0; step < 200000; step++)
        {
            apart_case trial = best;
            if (step < 1000)
                trial = random_case(&random, in);
            else
                change(&random, &trial);
            double ratio = try_case(&trial, in->scale_b);
            if (ratio >= top)
                top = ratio, best = trial;
        }
        if (top > highest)
            highest = top, worst = best;
    }
    print_message("%s: %.3f of the margin used\n", in->name, highest);
    if (getenv("CAROM_TEST_PRINT"))
        for (int i = 0; i < NUMBERS; i++)
            print_message("%a,%s", (&worst.point[0][0])[i], i % 4 == 3 ? "\n" : " ");
    return highest;
}

static void float_error_is_within_the_margin(void **state)
{
    (void)state;
    const setting settings[] = {{"equal sizes", 1.0, 0.0, 1.0, false, 0.5},
                                {"a point beside a body", 1.0, 0.0, 0x1p20, false, 0.7}};
    double used = fmax(attack(1, &settings[0]), attack(5, &settings[1]));
    assert_true(used <= 1.0);
    assert_true(used > 0.5); /* or this is no attack */
}

/* Found by an attack of eight times the usual effort: what one body far from its own origin uses. */
static void recorded_case_is_within_the_margin(void **state)
{
    (void)state;
    const apart_case worst = {
        {{0x1.ffe72fcea44ddp-1, 0x1.df3c25bc5bb93p-1, -0x1.e6a5006096f0fp-1},
         {0x1.2eb212ed18767p-3, -0x1.9436f377506d3p-3, 0x1.bbe6c38ef41ep-4}},
        {{-0x1.970bec74ff322p-1, -0x1.5c6218b9a2a78p-2, 0x1.8b6f43bfbb7ecp-7, 0x1.7ee974d4c564fp-4},
         {0x1.a72c6bc7f08c8p-2, -0x1.429b6d0a7ed81p-2, -0x1.d6b3b5b16572bp-1, 0x1.619e252352bdep-1}},
        {{-0x1.d9b9a5de27c34p+37, 0x1.774ab420631a5p+39, -0x1.f18470dd847b1p+39},
         {-0x1.3fa6a5560f911p+40, 0x1.96ab5d6ee3cfdp+39, -0x1.eb09988b28c19p+39}},
        {{-0x1.5268fe0fe0fb5p+39, -0x1.8937b751b7eadp+39, 0x1.c3ed5a125de94p+36}, {0, 0, 0}},
        {0x1.6b06ce8b8d55bp-3, -0x1.7c7bff83e501bp-13, 0x1.53880ddd6a7b5p-13}};
    double used = try_case(&worst, 1.0);
    print_message("recorded: %.3f of the margin used\n", used);
    assert_true(used <= 1.0 && used > 0.55);
}

static void placing_error_is_within_the_margin(void **state)
{
    (void)state;
    const setting settings[] = {{"far from the world's origin", 0x1p40, 0.0, 1.0, false, 0.0},
                                {"far from their own", 0.0, 0x1p40, 1.0, false, 0.5},
                                {"one far from its own", 0.0, 0x1p40, 1.0, true, 0.8},
                                {"far from both", 0x1p40, 0x1p40, 1.0, true, 0.8}};
    double used[4];
    for (int i = 0; i < 4; i++)
    {
        used[i] = attack(2 + (uint64_t)i, &settings[i]);
        assert_true(used[i] <= 1.0);
    }
    assert_true(used[0] > 0.5 && used[3] > 0.4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(float_error_is_within_the_margin),
        cmocka_unit_test(recorded_case_is_within_the_margin),
        cmocka_unit_test(placing_error_is_within_the_margin),
    };
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
