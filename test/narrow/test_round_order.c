/* Which of two hits of a ray comes first where balls and capsules take part, and are they within max_t? The roots
 * against floats of so many bits that two that differ do so long before the last of them, max_t against rational
 * arithmetic. CAROM_TEST_SCALE multiplies the number of cases. */
#include "support/families.h"
#include "support/near_ties.h"
#include "support/oracle_numbers.h"
#include "support/oracle_round.h"

#include <stdlib.h>

enum
{
    CASES = 20000,
    WIDE_CASES = 60,
    SHAPES = 4,
    BITS = 10000,
    /* Coefficients have at most 4 times 220 bits here. Resultants, which are integers, are products of four differences
     * of roots and two powers of leading coefficients: differences are above 2^-4000. */
    EQUAL_BITS = 6000,
    /* The same with 4 times 1185 bits. */
    WIDE_BITS = 120000,
    WIDE_EQUAL_BITS = 80000
};

typedef struct shape
{
    bool is_round;
    narrow_round round;
    narrow_triangle triangle;
    exact_ray_at at;
    mpf_t t;
} shape;

/* ---- truth ---- */

typedef mpq_t rational[3];

typedef struct truth
{
    rational d, o, r, e, n, m;
    mpq_t a, b, c, term;
    mpf_t f[3];
    mp_bitcnt_t equal_bits;
    oracle *oracle;
    oracle_gap *gap;
} truth;

static void visit_rationals(truth *t, void (*visit)(mpq_t))
{
    rational *all[6] = {&t->d, &t->o, &t->r, &t->e, &t->n, &t->m};
    for (int i = 0; i < 18; i++)
        visit((*all[i / 3])[i % 3]);
    visit(t->a), visit(t->b), visit(t->c), visit(t->term);
}

static void init_rational(mpq_t q) { mpq_init(q); }
static void clear_rational(mpq_t q) { mpq_clear(q); }

static void set(rational out, carom_vec3 v) { mpq_set_d(out[0], v.x), mpq_set_d(out[1], v.y), mpq_set_d(out[2], v.z); }

static void subtract(rational out, rational b)
{
    for (int i = 0; i < 3; i++)
        mpq_sub(out[i], out[i], b[i]);
}

static void dot(truth *t, mpq_t out, rational a, rational b)
{
    mpq_set_ui(out, 0, 1);
    for (int i = 0; i < 3; i++)
    {
        mpq_mul(t->term, a[i], b[i]);
        mpq_add(out, out, t->term);
    }
}

static void cross(truth *t, rational out, rational a, rational b)
{
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        mpq_mul(out[i], a[j], b[k]);
        mpq_mul(t->term, a[k], b[j]);
        mpq_sub(out[i], out[i], t->term);
    }
}

/* (b - sqrt(b^2 - a c)) / a with the coefficients of the ball or the cylinder. */
static void set_root(truth *t, const narrow_ray *ray, const exact_ray_at *at, mpf_t out)
{
    set(t->d, ray->direction), set(t->o, ray->origin);
    set(t->r, at->point[0]);
    subtract(t->r, t->o);
    mpq_t radius, square;
    mpq_inits(radius, square, (mpq_ptr)0);
    mpq_set_d(radius, at->radius);
    mpq_mul(square, radius, radius);
    if (at->kind == EXACT_AT_BALL)
    {
        dot(t, t->a, t->d, t->d), dot(t, t->b, t->r, t->d), dot(t, t->c, t->r, t->r);
        mpq_sub(t->c, t->c, square);
    }
    else
    {
        set(t->e, at->point[1]), set(t->n, at->point[0]);
        subtract(t->e, t->n);
        cross(t, t->n, t->d, t->e), cross(t, t->m, t->r, t->e);
        dot(t, t->a, t->n, t->n), dot(t, t->b, t->m, t->n), dot(t, t->c, t->e, t->e);
        mpq_mul(square, square, t->c);
        dot(t, t->c, t->m, t->m);
        mpq_sub(t->c, t->c, square);
    }
    mpq_mul(square, t->b, t->b);
    mpq_mul(radius, t->a, t->c);
    mpq_sub(square, square, radius);
    assert_true(mpq_sgn(square) >= 0);
    mpf_set_q(t->f[0], square), mpf_sqrt(t->f[0], t->f[0]);
    mpf_set_q(t->f[1], t->b), mpf_sub(t->f[0], t->f[1], t->f[0]);
    mpf_set_q(t->f[1], t->a), mpf_div(out, t->f[0], t->f[1]);
    mpq_clears(radius, square, (mpq_ptr)0);
}

static void set_truth(truth *t, const narrow_ray *ray, shape *s)
{
    if (s->at.kind == EXACT_AT_BALL || s->at.kind == EXACT_AT_SIDE)
        set_root(t, ray, &s->at, s->t);
    else if (s->is_round)
        mpf_set_ui(s->t, 0);
    else
    {
        assert_true(oracle_ray_parameter(t->oracle, ray, &s->triangle, t->a));
        mpf_set_q(s->t, t->a);
    }
}

static int compare(truth *t, const mpf_t a, const mpf_t b)
{
    mpf_sub(t->f[0], a, b), mpf_abs(t->f[0], t->f[0]);
    mpf_mul_2exp(t->f[0], t->f[0], t->equal_bits);
    if (mpf_cmp(t->f[0], a) <= 0 || (mpf_sgn(a) == 0 && mpf_sgn(b) == 0))
        return 0;
    return mpf_cmp(a, b) < 0 ? -1 : 1;
}

/* ---- shapes ---- */

/* Of a whole length, so that spheres through lattice points have radii that are numbers. */
static carom_vec3 whole_vector(check_random *random, double *length)
{
    static const int vectors[][4] = {{1, 2, 2, 3}, {3, 4, 0, 5}, {2, 3, 6, 7},
                                     {4, 4, 7, 9}, {1, 0, 0, 1}, {2, 6, 9, 11}};
    const int *v = vectors[family_integer(random, 0, 5)];
    int turn = family_integer(random, 0, 2);
    double out[3];
    for (int i = 0; i < 3; i++)
        out[(i + turn) % 3] = family_integer(random, 0, 1) ? v[i] : -v[i];
    *length = v[3];
    return vec3(out[0], out[1], out[2]);
}

/* A ball or capsule whose surface has the target on it, about. */
static narrow_round make_round(check_random *random, const near_ties *ties)
{
    double length, scale = ties->size * (ties->lattice ? family_integer(random, 1, 3) : check_uniform(random, 0.1, 2));
    carom_vec3 out = vec3_scale(whole_vector(random, &length), scale);
    if (!ties->lattice && family_integer(random, 0, 1))
    {
        double x = check_uniform(random, -1, 1), y = check_uniform(random, -1, 1);
        out = vec3_scale(vec3(x, y, check_uniform(random, -1, 1)), scale);
        length = vec3_length(out), scale = 1.0;
    }
    if (vec3_dot(out, ties->ray.direction) < 0.0) /* the ray enters at the target */
        out = vec3_scale(out, -1.0);
    carom_vec3 centre = vec3_add(ties->target, out);
    narrow_round round = {{centre, centre}, length * scale};
    if (family_integer(random, 0, 3) == 0)
        round.radius = family_nudge(random, round.radius, 1);
    int kind = family_integer(random, 0, 3);
    double whole[3] = {family_integer(random, -3, 3), family_integer(random, -3, 3), family_integer(random, -3, 3)};
    carom_vec3 any = vec3(whole[0], whole[1], whole[2]);
    carom_vec3 across = vec3_cross(vec3_scale(out, ties->lattice ? 1.0 / ties->size : 1.0), any);
    if (kind == 0) /* the side */
    {
        across = vec3_scale(across, ties->lattice ? ties->size : 1.0);
        round.end[0] = vec3_add(centre, across), round.end[1] = vec3_sub(centre, across);
    }
    if (kind == 1) /* an end */
        round.end[1] = vec3_add(centre, vec3_scale(out, family_integer(random, 1, 3)));
    if (kind == 2) /* between a side and an end */
        round.end[1] = vec3_add(centre, across);
    return round;
}

static bool make_shape(check_random *random, truth *t, const near_ties *ties, shape *s, bool is_round)
{
    narrow_counts counts = {0};
    double at, uv[2];
    s->is_round = is_round;
    if (is_round)
    {
        near_ties moved = *ties;
        if (family_integer(random, 0, 5) == 0) /* in front of it or behind */
            moved.target = vec3_add(ties->target, vec3_scale(ties->ray.direction, ties->t));
        s->round = make_round(random, &moved);
        if (!narrow_round_ray_hit(&ties->ray, &s->round, &at, &counts))
            return false;
        s->at = narrow_round_ray_at(&ties->ray, &s->round, &counts);
    }
    else
    {
        s->triangle = near_ties_make(random, ties, NULL);
        if (!narrow_ray_hit(&ties->ray, &s->triangle, &at, uv, &counts))
            return false;
        s->at = narrow_ray_at(&ties->ray, &s->triangle, &counts);
    }
    set_truth(t, &ties->ray, s);
    return true;
}

/* ---- checks ---- */

static void check_limit(check_random *random, truth *t, const near_ties *ties, const shape *s)
{
    double limit = near_ties_limit(random, mpf_get_d(s->t));
    if (!s->is_round || !(limit <= 0x1p100))
        return;
    bool truth = oracle_round_enters(t->gap, &ties->ray, &s->round, (double[]){0.0, limit});
    int order = exact_ray_compare_t(ties->ray.direction, ties->ray.origin, &s->at, limit, NULL);
    if ((order <= 0) != truth)
        fail_msg("limit %a: kind %d, t %a, %d", limit, s->at.kind, mpf_get_d(s->t), order);
    mpf_set_d(t->f[2], limit);
    assert_int_equal(order, compare(t, s->t, t->f[2]));
}

typedef struct round_stats
{
    long pairs[2], ties[2]; /* a round with a triangle; two rounds */
    long sides;
} round_stats;

static void check_pairs(truth *t, const near_ties *ties, const shape *shapes, int count, round_stats *stats)
{
    narrow_counts counts = {0};
    for (int i = 0; i < count; i++)
        for (int j = 0; j < i; j++)
        {
            const shape *a = &shapes[i], *b = &shapes[j];
            int expected = compare(t, a->t, b->t), order = narrow_ray_compare(&ties->ray, &a->at, &b->at, &counts);
            if (order != expected || narrow_ray_compare(&ties->ray, &b->at, &a->at, &counts) != -expected)
                fail_msg("kinds %d and %d: %d instead of %d, t %a and %a", a->at.kind, b->at.kind, order, expected,
                         mpf_get_d(a->t), mpf_get_d(b->t));
            bool both = a->is_round && b->is_round;
            stats->pairs[both]++;
            stats->ties[both] += expected == 0;
            stats->sides += a->at.kind == EXACT_AT_SIDE || b->at.kind == EXACT_AT_SIDE;
        }
}

static void open_truth(truth *t, mp_bitcnt_t bits, mp_bitcnt_t equal_bits)
{
    mpf_set_default_prec(bits);
    t->equal_bits = equal_bits;
    visit_rationals(t, init_rational);
    mpf_inits(t->f[0], t->f[1], t->f[2], (mpf_ptr)0);
    t->oracle = oracle_create(), t->gap = oracle_gap_create();
}

static void close_truth(truth *t)
{
    oracle_destroy(t->oracle), oracle_gap_destroy(t->gap);
    mpf_clears(t->f[0], t->f[1], t->f[2], (mpf_ptr)0);
    visit_rationals(t, clear_rational);
}

static void test_rounds(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    long cases = CASES * (scale ? strtol(scale, NULL, 10) : 1);
    check_random random = {79};
    round_stats stats = {0};
    truth t;
    open_truth(&t, BITS, EQUAL_BITS);
    shape shapes[SHAPES];
    for (int i = 0; i < SHAPES; i++)
        mpf_init(shapes[i].t);
    for (long n = 0; n < cases; n++)
    {
        near_ties ties = near_ties_begin(&random);
        int count = 0;
        for (int i = 0; i < SHAPES; i++)
            if (make_shape(&random, &t, &ties, &shapes[count], i > 0))
                check_limit(&random, &t, &ties, &shapes[count++]);
        check_pairs(&t, &ties, shapes, count, &stats);
    }
    for (int i = 0; i < SHAPES; i++)
        mpf_clear(shapes[i].t);
    close_truth(&t);
    print_message(
        "%ld rays: %ld pairs of a round and a triangle (%ld ties), %ld of two rounds (%ld ties), 0 wrong; %ld "
        "with a side\n",
        cases, stats.pairs[0], stats.ties[0], stats.pairs[1], stats.ties[1], stats.sides);
    for (int both = 0; both < 2; both++)
        assert_true(stats.pairs[both] > cases / 2 && stats.ties[both] > stats.pairs[both] / 20);
    assert_true(stats.sides > cases / 4);
}

/* ---- numbers that fill the integers: 2^-1074 beside 2^100 ---- */

static double dust(check_random *random)
{
    return family_integer(random, -9, 9) * exp2(-1074 + family_integer(random, 0, 40) * family_integer(random, 0, 1));
}

static double large(check_random *random, double low, double high)
{
    return check_uniform(random, low, high) * 0x1p100;
}

/* Along x, with dust in the other coordinates; every shape is around the axis. */
static void make_wide_shape(check_random *random, truth *t, const narrow_ray *ray, shape *s, int kind)
{
    narrow_counts counts = {0};
    carom_vec3 p = vec3(large(random, 0.4, 0.5), dust(random), dust(random));
    s->is_round = kind > 0;
    if (s->is_round)
    {
        carom_vec3 q = vec3(p.x + large(random, -0.01, 0.01), large(random, -0.4, 0.4), large(random, -0.4, 0.4));
        s->round = (narrow_round){{p, kind == 1 ? p : q}, large(random, 0.1, 0.2)};
        s->round.end[0] = kind == 3 ? vec3_sub(vec3_scale(p, 2.0), q) : p;
        s->at = narrow_round_ray_at(ray, &s->round, &counts);
    }
    else
    {
        carom_vec3 a = vec3(large(random, 0.2, 0.4), large(random, 0.2, 0.4), dust(random));
        carom_vec3 b = vec3(large(random, 0.2, 0.4), large(random, -0.4, -0.2), large(random, 0.1, 0.4));
        s->triangle = (narrow_triangle){{a, b, vec3(p.x, dust(random), large(random, -0.4, -0.2))}};
        s->at = narrow_ray_at(ray, &s->triangle, &counts);
    }
    set_truth(t, ray, s);
}

static void test_full_range(void **state)
{
    (void)state;
    check_random random = {83};
    round_stats stats = {0};
    truth t;
    open_truth(&t, WIDE_BITS, WIDE_EQUAL_BITS);
    shape shapes[SHAPES];
    for (int i = 0; i < SHAPES; i++)
        mpf_init(shapes[i].t);
    for (int n = 0; n < WIDE_CASES; n++)
    {
        near_ties ties = {.ray = {vec3(large(&random, -1.0, -0.5), dust(&random), dust(&random)),
                                  vec3(large(&random, 0.5, 1.0), dust(&random), dust(&random))}};
        for (int i = 0; i < SHAPES; i++)
            make_wide_shape(&random, &t, &ties.ray, &shapes[i], i);
        assert_int_equal(shapes[0].at.kind, EXACT_AT_PLANE);
        assert_int_equal(shapes[1].at.kind, EXACT_AT_BALL);
        check_pairs(&t, &ties, shapes, SHAPES, &stats);
        mpf_set(shapes[0].t, shapes[3].t);
        shapes[0].is_round = true, shapes[0].round = shapes[3].round, shapes[0].at = shapes[3].at;
        check_pairs(&t, &ties, shapes, SHAPES, &stats);
    }
    for (int i = 0; i < SHAPES; i++)
        mpf_clear(shapes[i].t);
    close_truth(&t);
    assert_true(stats.ties[1] >= WIDE_CASES && stats.sides > WIDE_CASES);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rounds), cmocka_unit_test(test_full_range)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
