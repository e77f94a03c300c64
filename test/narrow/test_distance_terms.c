/* Attacks the terms of the error bound of distances in double (docs/exactness.md, section 6) one by one: the kernel as
 * a model of itself in which each operation is off by as much of a coarse unit as an adversary likes. That shows more
 * than first orders, so thin faces and nearly parallel edges can be attacked, too. */
#define CAROM_ISA model
#define CAROM_ISA_SCALAR
#define BASE_SIMD_H /* the model takes its place */
#include "support/check.h"
#include "support/hill.h"

#include <stdlib.h>

/* ---- the vocabulary: one lane ---- */

typedef struct d4
{
    double value;
} d4;

/* Far above the roundings of double, far below 1. */
static const double UNIT = 0x1p-22;

/* What the next operations are off by, in units; what comes after the last of them is exact. */
static struct
{
    const double *next, *end;
    double clamped[4]; /* what was clamped to 0 or more, in order */
    int clamped_count;
} roundings;

static void begin_roundings(const double *from, const double *end)
{
    roundings.next = from, roundings.end = end;
    roundings.clamped_count = 0;
}

static double off(double x) { return roundings.next < roundings.end ? x * (1.0 + UNIT * *roundings.next++) : x; }
static d4 d4_set1(double x) { return (d4){x}; }
static d4 d4_loadu(const double *p) { return (d4){*p}; }
static void d4_storeu(double *p, d4 x) { p[0] = p[1] = p[2] = p[3] = x.value; }
/* Sums with 0 are exact. */
static d4 d4_add(d4 a, d4 b)
{
    return (d4){a.value == 0.0 || b.value == 0.0 ? a.value + b.value : off(a.value + b.value)};
}
static d4 d4_sub(d4 a, d4 b) { return d4_add(a, (d4){-b.value}); }
static d4 d4_mul(d4 a, d4 b) { return (d4){off(a.value * b.value)}; }
static d4 d4_div(d4 a, d4 b) { return (d4){off(a.value / b.value)}; }
static d4 d4_min(d4 a, d4 b) { return a.value < b.value ? a : b; }
static d4 d4_max(d4 a, d4 b)
{
    if (b.value == 0.0 && roundings.clamped_count < 4)
        roundings.clamped[roundings.clamped_count++] = a.value;
    return a.value > b.value ? a : b;
}

#include "narrow/distance_simd.c" /* NOLINT(bugprone-suspicious-include): its static functions are what is tested */

static int effort(int rounds)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    return rounds * (scale ? atoi(scale) : 1);
}

/* ---- exact ---- */

typedef struct vector
{
    double x, y, z;
} vector;

static vector vector_at(const double *n) { return (vector){n[0], n[1], n[2]}; }
static vector combine(double s, vector a, double t, vector b)
{
    return (vector){s * a.x + t * b.x, s * a.y + t * b.y, s * a.z + t * b.z};
}
static double product(vector a, vector b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static double length(vector a) { return sqrt(product(a, a)); }
static vector across_both(vector a, vector b)
{
    return (vector){a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x};
}
static void store(vector v, double to[3][LANES], int lane) { to[0][lane] = v.x, to[1][lane] = v.y, to[2][lane] = v.z; }

/* ---- parameters of two edges ---- */

enum
{
    EDGE_NUMBERS = 10, /* the way r between the first ends, the edges d and e, a share of d in r */
    EDGE_ROUNDINGS = 48,
    FACE_NUMBERS = 9, /* the base, the side, weights of a point */
    FACE_ROUNDINGS = 54
};

typedef struct edge_attack
{
    const char *name;
    double spread; /* e is d and r a multiple of it but for this, unless it is 0 */
    bool second;   /* t0, not s0 */
} edge_attack;

/* s0 in lengths across e, where the angle's sine is 4.5 units or more: what it is off by / the bound. */
static double first_parameter_ratio(vector r, vector d, vector e)
{
    vector normal = across_both(d, e);
    double square = product(normal, normal), sine = sqrt(square) / (length(d) * length(e)), s = roundings.clamped[0];
    if (!(sine >= 4.5 * UNIT) || s < 0.0 || s > 1.0)
        return 0.0;
    double exact = product(across_both(r, e), normal) / square, h = fabs(product(r, normal)) / sqrt(square);
    double along = s * length(d), shorter = 1.0 / (1.0 - UNIT * (1.155 / sine + 1.0));
    double bound = shorter * (1.155 * (length(r) + along + h / sine) + 3.5 * (along * sine + h)) + 6.5 * along * sine;
    bound /= 1.0 - shorter * UNIT * (1.155 / sine + 3.5);
    return fabs(s - exact) * length(d) * sine / (bound * UNIT);
}

/* t0 for the s0 that was found. */
static double second_parameter_ratio(vector r, vector d, vector e)
{
    double s = fmax(0.0, fmin(1.0, roundings.clamped[0])), t = roundings.clamped[1];
    vector x = combine(s, d, -1.0, r);
    double exact = product(x, e) / product(e, e);
    if (t < 0.0 || t > 1.0)
        return 0.0;
    return fabs(t - exact) * length(e) / ((s * length(d) + 2.5 * length(x) + 6.5 * t * length(e)) * UNIT);
}

static double edge_ratio(const double *n, void *user)
{
    const edge_attack *attack = user;
    vector r = vector_at(n), d = vector_at(n + 3), e = vector_at(n + 6);
    if (attack->spread > 0.0)
        r = combine(n[9], d, attack->spread, r), e = combine(1.0, d, attack->spread, e);
    if (length(d) < 0.25 || length(e) < 0.25)
        return 0.0;
    local_triangle a = {.square = {0.0}}, b = {.square = {0.0}};
    edge_row row;
    store(d, a.edge, 0), store(r, b.corner, 0), store(e, b.edge, 0);
    begin_roundings(n + EDGE_NUMBERS, n + EDGE_NUMBERS + EDGE_ROUNDINGS);
    d4_storeu(b.inverse, inverse_of(dot(edges_of(&b), edges_of(&b))));
    edges_against(&a, 0, &b, &row);
    return attack->second ? second_parameter_ratio(r, d, e) : first_parameter_ratio(r, d, e);
}

static double attack_edges(edge_attack attack)
{
    double numbers[HILL_NUMBERS];
    hill hill = {edge_ratio, &attack, EDGE_NUMBERS + EDGE_ROUNDINGS, 100000};
    double used = hill_climb(1, effort(10), &hill, numbers);
    print_message("%s: %.3f of the bound\n", attack.name, used);
    assert_true(used <= 1.0 + 0x1p-10);
    return used;
}

static void parameters_err_as_derived(void **state)
{
    (void)state;
    assert_true(attack_edges((edge_attack){"s0", 0.0, false}) > 0.8);
    assert_true(attack_edges((edge_attack){"s0, edges nearly parallel", 50.0 * UNIT, false}) > 0.7);
    assert_true(attack_edges((edge_attack){"t0", 0.0, true}) > 0.8);
}

/* ---- the foot on a face ---- */

/* face_of, with roundings. */
static face rough_face(vector base, vector side)
{
    d4_vector b = broadcast(base.x, base.y, base.z), s = broadcast(side.x, side.y, side.z);
    d4 inverse = inverse_of(dot(b, b)), share = d4_mul(dot(s, b), inverse);
    d4_vector up = subtract_scaled(s, share, b);
    return (face){.base = {base.x, base.y, base.z},
                  .side = {side.x, side.y, side.z},
                  .up = {up.x.value, up.y.value, up.z.value},
                  .inverse_base = inverse.value,
                  .inverse_up = inverse_of(dot(up, up)).value};
}

/* How far the foot of a point of the face is off, over the bound: of a thin face that for the thinnest, otherwise first
 * orders. */
static double foot_ratio(const double *n, void *user)
{
    const bool *thin = user;
    vector base = vector_at(n), side = vector_at(n + 4);
    side = *thin ? combine(fabs(n[3]), base, 100.0 * UNIT, side) : side;
    double longest = length(base), share = product(side, base) / longest,
           height = length(across_both(base, side)) / longest;
    double v = fabs(n[7]), u = fabs(n[8]) * (1.0 - v);
    if (longest < 0.25 || length(side) > longest || length(combine(1.0, base, -1.0, side)) > longest ||
        height < (*thin ? 22.0 * UNIT : 0.25) * longest)
        return 0.0;
    local_triangle t = {.square = {0.0}};
    face_row row;
    begin_roundings(n + FACE_NUMBERS, n + FACE_NUMBERS + FACE_ROUNDINGS);
    face f = rough_face(base, side);
    store(combine(u, base, v, side), t.corner, 0);
    corners_against(&t, &f, &row);
    /* the best u for the v that was found */
    double best = u + (v - row.v[0]) * share / longest;
    double found = hypot((row.v[0] - v) * height, (row.u[0] - best) * longest);
    double wide = hypot(u * longest + v * (2.0 * share + 10.0 * height), v * length(side) + 9.0 * u * longest);
    return found / (UNIT * (*thin ? 30.2 / 3.0 * longest : wide));
}

static double attack_foot(const char *name, bool thin)
{
    double numbers[HILL_NUMBERS];
    hill hill = {foot_ratio, &thin, FACE_NUMBERS + FACE_ROUNDINGS, 60000};
    double used = hill_climb(1, effort(6), &hill, numbers);
    print_message("%s: %.3f of the bound\n", name, used);
    assert_true(used <= 1.0 + 0x1p-10);
    return used;
}

static void feet_err_as_derived(void **state)
{
    (void)state;
    assert_true(attack_foot("the foot on a thin face", true) > 0.7);
    assert_true(attack_foot("the foot on any other", false) > 0.8);
}

/* ---- what errors of the parameters do to the distance ---- */

static double some(check_random *random)
{
    double x = check_uniform(random, -1.0, 1.0);
    switch (check_next(random) % 6)
    {
    case 0: return x;
    case 1: return 0.01 * x;
    case 2: return 0.0;
    case 3: return 1.0;
    case 4: return -1.0;
    default: return 0.1 * x;
    }
}

static double clamped(double x) { return fmin(fmax(x, 0.0), 1.0); }

/* Two edges, seen along what is at right angles to both: d on the x axis, e on a line through the origin. */
typedef struct crossing
{
    double cosine, height, d[2], e[2]; /* first end and way to the second, along the line */
} crossing;

static double square_at(const crossing *c, double x, double y)
{
    return c->height * c->height + x * x + y * y - 2.0 * x * y * c->cosine;
}
static double on(const double edge[2], double foot) { return edge[0] + edge[1] * clamped((foot - edge[0]) / edge[1]); }

static double shortest_square(const crossing *c)
{
    double best = INFINITY, s = -c->d[0] / c->d[1], t = -c->e[0] / c->e[1];
    if (s >= 0.0 && s <= 1.0 && t >= 0.0 && t <= 1.0)
        return c->height * c->height;
    for (int i = 0; i < 2; i++)
    {
        double x = c->d[0] + i * c->d[1], y = c->e[0] + i * c->e[1];
        best = fmin(best, square_at(c, x, on(c->e, x * c->cosine)));
        best = fmin(best, square_at(c, on(c->d, y * c->cosine), y));
    }
    return best;
}

/* (F^2 - D^2) / (E^2 + errors of t0 and s1, squared); F as the kernel finds it, with errors of these sizes. */
static double growth_ratio(check_random *random)
{
    double angle = check_uniform(random, 0.0, 1.0);
    angle = check_next(random) % 2 ? 3.1 * angle + 1e-3 : exp(-7.0 * angle);
    crossing c = {.cosine = cos(angle), .height = check_next(random) % 2 ? some(random) : 0.0};
    for (int i = 0; i < 2; i++)
        c.d[i] = some(random), c.e[i] = some(random);
    double error[3], signs[3];
    for (int i = 0; i < 3; i++)
        error[i] = fabs(some(random)), signs[i] = fmax(-1.0, fmin(1.0, 2.0 * some(random)));
    if (fabs(c.d[1]) < 1e-3 || fabs(c.e[1]) < 1e-3)
        return 0.0;
    double x = on(c.d, signs[0] * error[0] / sin(angle)); /* the lines are nearest at 0 */
    double y = on(c.e, x * c.cosine + signs[1] * error[1]);
    x = on(c.d, y * c.cosine + signs[2] * error[2]);
    double errors = error[0] * error[0] + error[1] * error[1] + error[2] * error[2];
    return (square_at(&c, x, y) - shortest_square(&c)) / (errors + 1e-9);
}

static void errors_add_by_their_squares(void **state)
{
    (void)state;
    check_random random = {1};
    double largest = 0.0;
    for (int i = effort(2000000); i > 0; i--)
        largest = fmax(largest, growth_ratio(&random));
    print_message("what errors of parameters add: %.3f of the bound\n", largest);
    assert_true(largest > 0.99 && largest < 1.0 + 1e-6);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(parameters_err_as_derived),
                                       cmocka_unit_test(feet_err_as_derived),
                                       cmocka_unit_test(errors_add_by_their_squares)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
