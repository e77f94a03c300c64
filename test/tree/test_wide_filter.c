/* Attacks on the error bounds of two leaves: of the float filter for sixteen triangle pairs, and of their distances.
 * The kernels are compiled into this program as models of themselves (simd_model.h), so that the bounds are compared
 * with what an adversary who rounds could reach. */
#define CAROM_ISA model_here
#include "support/simd_model.h"

#include "tree/wide_collide_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

#include "support/hill.h"
#include "tree/bodies.h"
#include "tree/fitted_box.h"

enum
{
    PAIR_NUMBERS = 9 + 9 + 3 + 3 + 4 + 3, /* corners of both, where each lies in its leaf, a quaternion, an offset */
    NUMBERS = PAIR_NUMBERS + 3            /* weights, or a direction */
};

typedef struct filter_attack
{
    const char *name;
    double edge, reach, away; /* largest coordinates: of triangles, of where they lie in their leaves, of the offset */
    double pad;
} filter_attack;

/* A leaf of one triangle, as large as the attack says. */
static wide_leaf make_leaf(const double *corners, const double *at, const filter_attack *attack)
{
    wide_leaf leaf = {.count = 1};
    for (int i = 0; i < 9; i++)
        leaf.corner[i / 3][i % 3][0] = (float)(attack->reach * at[i % 3] + attack->edge * corners[i]);
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
    out->a = make_leaf(n, n + 18, attack), out->b = make_leaf(n + 9, n + 21, attack);
    carom_pose pose = carom_pose_from_quaternion(n + 24, vec3(0, 0, 0));
    out->pair = (wide_pair){.b_to_a = {.ratio = 1.0f, .pad = (float)attack->pad}};
    for (int i = 0; i < 9; i++)
        out->pair.b_to_a.scaled[i] = (float)pose.rotation[i];
    for (int k = 0; k < 3; k++)
        out->pair.b_to_a.exact_translation[k] = attack->away * n[28 + k];
    model_begin(0x1p-24);
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
    for (int i = 0; i < 3; i++)
        largest = fmax(largest, model_worst(gap[i], f8_zero()));
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
    print_message("%s, %s: %.3f of the bound\n", what, attack.name, used);
    assert_true(used < 1.0);
    return used;
}

static void the_filter_errs_less_than_its_bound(void **state)
{
    (void)state;
    const filter_attack large = {"large triangles", 1.0, 0.0, 0.0, 0.0};
    const filter_attack small = {"small triangles in large leaves", 0x1p-6, 1.0, 0.0, 0.0};
    const filter_attack far = {"small leaves", 0x1p-6, 0.0, 1.0, 0.0};
    const filter_attack placed = {"small triangles off by the pad", 0x1p-6, 1.0, 0.0, 0x1p-16};
    assert_true(attack_leaves(filter_error, "filter", large) > 0.35);
    assert_true(attack_leaves(filter_error, "filter", small) > 0.5);
    assert_true(attack_leaves(filter_error, "filter", far) > 0.15);
    assert_true(attack_leaves(pad_error, "filter", placed) > 0.5);
}

static void lengths_err_less_than_their_bound(void **state)
{
    (void)state;
    const filter_attack large = {"large triangles", 1.0, 0.0, 0.0, 0.0};
    const filter_attack small = {"small triangles in large leaves", 0x1p-6, 1.0, 0.0, 0.0};
    assert_true(attack_leaves(length_error, "distance", large) > 0.5);
    assert_true(attack_leaves(length_error, "distance", small) > 0.4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(the_filter_errs_less_than_its_bound),
                                       cmocka_unit_test(lengths_err_less_than_their_bound)};
    return cmocka_run_group_tests(tests, open_contexts, close_contexts);
}
