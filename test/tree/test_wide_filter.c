/* Attacks on the error bounds of two leaves: of the float filter for sixteen triangle pairs, and of their distances.
 * The kernels are compiled into this program as models of themselves (simd_model.h), so that the bounds are compared
 * with what an adversary who rounds could reach. */
#define CAROM_ISA model_here
#include "support/rooted.h"
#include "support/simd_model.h"

#include "tree/wide_collide_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#include "support/hill.h"
#include "tree/bodies.h"
#include "tree/fitted_box.h"

enum
{
    PAIR_NUMBERS =
        9 + 9 + 3 + 3 + 4 + 3 + 1, /* corners, where each lies in its leaf, a quaternion, an offset, a scale */
    NUMBERS = PAIR_NUMBERS + 3     /* weights, or a direction */
};

typedef struct filter_attack
{
    const char *name;
    double edge, reach, away; /* largest coordinates: of triangles, of where they lie in their leaves, of the offset */
    double pad;
    const double *recorded; /* an input that a longer climb found, or NULL */
} filter_attack;

static const double LARGE_TRIANGLES[] = {
    0x1.39e11251e5db4p-2,  0x1.6e0b1cee78176p-3,  0x1.22cfd954b3041p-1,
    -0x1.2b0822690ae19p-3, 0x1.aabfbb46b55b5p-1,  -0x1.6431c77d94349p-4,
    0x1.5f13f7e0adba2p-1,  0x1.2cfd6644ffe06p-2,  -0x1.91139ba0da3eap-2,
    0x1.7a0db0f12a8ffp-1,  0x1.0f690c2155f5ep-4,  0x1.c2491ec5edf5bp-1,
    0x1.192d373ee1c5ep-1,  -0x1.ad60d31c44a24p-1, 0x1.402eb9ebff30fp-1,
    -0x1.f912bd910dfd5p-3, -0x1.04f8b621c0d8cp-2, 0x1.e53e81ff0482bp-1,
    0x1.fe7f7acf0dc0dp-1,  0x1.d7f4414ac342dp-1,  0x1p+0,
    -0x1.6098c8ea3dc2p-1,  0x1.1829723384739p-2,  0x1.cbe07ec09115dp-4,
    0x1.ebf8064d6f9a6p-1,  -0x1.274e6c03a71cdp-1, -0x1.b0c37d63aae8bp-2,
    0x1.ecad0a8b2b896p-1,  -0x1.258ed66c3af4bp-6, -0x1.df39444631e3bp-5,
    -0x1.179eddea3506bp-6, -0x1.1f8610aa877e6p-1, -0x1.5747035fc1ddep-2,
    -0x1.2b0822690ae19p-3, 0x1.22b7e24e2c597p-1,
};

/* A leaf of one triangle, as large as the attack says. */
static wide_leaf make_leaf(const double *corners, const double *at, double scale, const filter_attack *attack)
{
    wide_leaf leaf = {.count = 1};
    for (int i = 0; i < 9; i++)
        leaf.corner[i / 3][i % 3][0] = (float)(scale * (attack->reach * at[i % 3] + attack->edge * corners[i]));
    for (int c = 0; c < 3; c++)
    {
        double square = 0.0, edge = 0.0;
        for (int k = 0; k < 3; k++)
        {
            double p = (double)leaf.corner[c][k][0], q = (double)leaf.corner[(c + 1) % 3][k][0];
            square += p * p, edge += (q - p) * (q - p);
        }
        leaf.radius = fmaxf(leaf.radius, (float)sqrt(square)), leaf.longest = fmaxf(leaf.longest, (float)sqrt(edge));
    }
    return leaf;
}

/* Two leaves and how the second is placed, as the first sees it. */
typedef struct leaf_pair
{
    wide_leaf a, b;
    wide_pair pair;
    leaf_lines la, lb;
    float reach;
} leaf_pair;

static void place_leaves(const double *n, const filter_attack *attack, leaf_pair *out)
{
    double scale = exp2(n[PAIR_NUMBERS - 1]); /* where numbers are just above powers of two, they round by most */
    out->a = make_leaf(n, n + 18, scale, attack), out->b = make_leaf(n + 9, n + 21, scale, attack);
    carom_pose pose = rooted_pose(n + 24, vec3(0, 0, 0));
    out->pair = (wide_pair){.b_to_a = {.ratio = 1.0f, .pad = (float)attack->pad}};
    for (int i = 0; i < 9; i++)
        out->pair.b_to_a.scaled[i] = (float)pose.rotation[i];
    for (int k = 0; k < 3; k++)
        out->pair.b_to_a.exact_translation[k] = scale * attack->away * n[28 + k];
    model_begin(true);
    out->reach = place_b(&out->pair, &out->a, &out->b, &out->lb);
    for (int c = 0; c < 3; c++)
        for (int k = 0; k < 3; k++)
            out->la.corner[c][k] = f8_two(out->a.corner[c][k][0], 0.0f);
    find_edges(&out->lb), find_edges(&out->la);
}

/* ---- the filter ---- */

/* An adversary's errors of the gaps along the eleven axes, over the bound. */
static double filter_error(const double *n, void *user)
{
    leaf_pair p;
    f8 da[3], db[3];
    place_leaves(n, user, &p);
    f8 gap[3] = {plane_gap(p.la.normal, p.la.corner[0], p.lb.corner, db),
                 plane_gap(p.lb.normal, p.lb.corner[0], p.la.corner, da)};
    find_moments(&p.lb), find_moments(&p.la);
    gap[2] = edge_gap(&p.la, &p.lb, da, db);
    double largest = 0.0;
    for (int i = 0; i < 3; i++) /* the last rounding changes no sign */
        largest = fmax(largest, model_worst(gap[i], f8_zero()) - model_rounding(gap[i].exact));
    return largest / (double)triple_product_error(&p.pair, &p.a, &p.b, p.reach);
}

static void cross3(const double a[3], const double b[3], double out[3])
{
    for (int k = 0; k < 3; k++)
        out[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

/* Moves a point by the length in the direction. */
static void push_along(double point[3], const double direction[3], double length)
{
    double norm = sqrt(dot3(direction, direction));
    for (int k = 0; k < 3; k++)
        point[k] += norm > 0.0 ? length * direction[k] / norm : 0.0;
}

/* The same where corners are off by what the pad stands for, in the direction that changes e x f (q - p) most, e from p
 * to p1 and f from q to q1: to first order, since one corner's move changes where the others should go. */
static double pad_error(const double *n, void *user)
{
    const filter_attack *attack = user;
    leaf_pair l;
    place_leaves(n, attack, &l);
    double p[3], p1[3], q[3], q1[3], e[3], f[3], d[3], along_e[3], along_f[3], axis[3];
    for (int k = 0; k < 3; k++)
    {
        p[k] = l.la.corner[0][k].exact, p1[k] = l.la.corner[1][k].exact;
        q[k] = l.lb.corner[0][k].exact, q1[k] = l.lb.corner[1][k].exact;
        e[k] = p1[k] - p[k], f[k] = q1[k] - q[k], d[k] = l.lb.corner[2][k].exact - l.la.corner[2][k].exact;
    }
    cross3(f, d, along_e), cross3(d, e, along_f), cross3(e, f, axis);
    double before = dot3(axis, d), off = 0.25 * sqrt(3.0) * attack->pad;
    push_along(e, along_e, 2.0 * off), push_along(f, along_f, 2.0 * off), push_along(d, axis, 2.0 * off);
    cross3(e, f, axis);
    return fabs(dot3(axis, d) - before) / (double)triple_product_error(&l.pair, &l.a, &l.b, l.reach);
}

/* ---- distances ---- */

/* An adversary's errors of a length between two points, made from these weights, and of the gap along a direction. */
static double length_error(const double *n, void *user)
{
    leaf_pair p;
    place_leaves(n, user, &p);
    const double *weight = n + PAIR_NUMBERS;
    f8 s = model_input((float)fabs(weight[0]), 0.0), t = model_input((float)fabs(weight[1]), 0.0), v[3], u[3];
    for (int k = 0; k < 3; k++)
    {
        f8 r = f8_sub(p.lb.corner[0][k], p.la.corner[0][k]);
        v[k] = f8_nmadd(p.la.edge[0][k], s, f8_madd(p.lb.edge[0][k], t, r)); /* as in segment_pair */
        u[k] = model_input((float)weight[k], 0.0);
    }
    f8 high = f8_sqrt(dot(v, v)), a_highest = dot(u, p.la.corner[0]), b_lowest = dot(u, p.lb.corner[0]);
    f8 low = f8_div(f8_sub(b_lowest, a_highest), f8_sqrt(dot(u, u))); /* as in bound_triangles */
    double worst = model_worst(high, f8_zero());
    if (low.exact > 0.0)
        worst = fmax(worst, model_worst(low, f8_zero()));
    return worst / (double)distance_error(&p.pair, p.reach);
}

static double attack_leaves(double (*height)(const double *, void *), const char *what, filter_attack attack)
{
    double numbers[HILL_NUMBERS];
    hill hill = {height, &attack, NUMBERS, 20000};
    double used = hill_climb(1, effort(3), &hill, numbers);
    if (attack.recorded)
        used = fmax(used, height(attack.recorded, &attack));
    print_message("%s, %s: %.3f of the bound\n", what, attack.name, used);
    assert_true(used < 1.0);
    return used;
}

static void the_filter_errs_less_than_its_bound(void **state)
{
    (void)state;
    const filter_attack large = {"large triangles", 1.0, 0.25, 0.05, 0.0, LARGE_TRIANGLES};
    const filter_attack small = {"small triangles in large leaves", 0x1p-6, 1.0, 0.0, 0.0, NULL};
    const filter_attack far = {"small leaves", 0x1p-6, 0.0, 1.0, 0.0, NULL};
    const filter_attack placed = {"small triangles off by the pad", 0x1p-6, 1.0, 0.0, 0x1p-16, NULL};
    assert_true(attack_leaves(filter_error, "filter", large) > 0.52);
    assert_true(attack_leaves(filter_error, "filter", small) > 0.5);
    assert_true(attack_leaves(filter_error, "filter", far) > 0.15);
    assert_true(attack_leaves(pad_error, "filter", placed) > 0.5);
}

static void lengths_err_less_than_their_bound(void **state)
{
    (void)state;
    const filter_attack large = {"large triangles", 1.0, 0.0, 0.0, 0.0, NULL};
    const filter_attack small = {"small triangles in large leaves", 0x1p-6, 1.0, 0.0, 0.0, NULL};
    assert_true(attack_leaves(length_error, "distance", large) > 0.5);
    assert_true(attack_leaves(length_error, "distance", small) > 0.4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_filter_errs_less_than_its_bound),
                                       cmocka_unit_test(lengths_err_less_than_their_bound)};
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
