/* Which of two hits of a ray comes first, and is it within max_t? Against rational arithmetic: triangles that nearly or
 * exactly tie. CAROM_TEST_SCALE multiplies the number of cases. */
#include "support/near_ties.h"
#include "support/oracle_numbers.h"

#include <stdlib.h>

enum
{
    CASES = 100000,
    TRIANGLES = 4
};

typedef struct order_stats
{
    long pairs, ties, undecided, misordered, limits, limits_undecided;
    double worst; /* relative error of a rounded t */
} order_stats;

typedef struct hit
{
    exact_ray_at at;
    double t; /* rounded */
    narrow_triangle triangle;
} hit;

typedef struct order_case
{
    near_ties ties;
    hit hits[TRIANGLES];
    int count;
    mpq_t exact[TRIANGLES], number;
} order_case;

static void make_case(check_random *random, oracle *o, order_case *c, order_stats *stats)
{
    narrow_counts counts = {0};
    c->ties = near_ties_begin(random);
    c->count = 0;
    narrow_triangle triangle, *previous = NULL;
    for (int i = 0; i < TRIANGLES; i++)
    {
        triangle = near_ties_make(random, &c->ties, previous);
        previous = &triangle;
        hit *h = &c->hits[c->count];
        double uv[2];
        if (!narrow_ray_hit(&c->ties.ray, &triangle, &h->t, uv, &counts))
            continue;
        assert_true(oracle_ray_parameter(o, &c->ties.ray, &triangle, c->exact[c->count]));
        h->at = narrow_ray_at(&c->ties.ray, &triangle, &counts);
        h->triangle = triangle;
        /* The rounded one is as near as narrow_ray_beyond assumes. */
        mpq_set_d(c->number, h->t);
        mpq_sub(c->number, c->number, c->exact[c->count]);
        double error = fabs(mpq_get_d(c->number)) / mpq_get_d(c->exact[c->count]);
        assert_true(h->t == 0.0 ? mpq_sgn(c->exact[c->count]) == 0 : error < 0x1p-37);
        stats->worst = fmax(stats->worst, h->t == 0.0 ? 0.0 : error);
        c->count++;
    }
}

static void fail_case(const order_case *c, int i, int j, const char *what)
{
    const double *r = &c->ties.ray.origin.x;
    print_message("ray {%a, %a, %a} {%a, %a, %a}\n", r[0], r[1], r[2], r[3], r[4], r[5]);
    for (int k = 0; k < 2; k++)
        for (int n = 0; n < 3; n++)
        {
            carom_vec3 p = c->hits[k ? j : i].triangle.corner[n];
            print_message("  {%a, %a, %a}\n", p.x, p.y, p.z);
        }
    fail_msg("%s: kinds %d and %d, t %a and %a", what, c->hits[i].at.kind, c->hits[j].at.kind, c->hits[i].t,
             c->hits[j].t);
}

static int sign(int value) { return (value > 0) - (value < 0); }

static void check_pair(order_case *c, int i, int j, order_stats *stats)
{
    narrow_counts counts = {0};
    const hit *a = &c->hits[i], *b = &c->hits[j];
    int truth = sign(mpq_cmp(c->exact[i], c->exact[j]));
    int order = narrow_ray_compare(&c->ties.ray, &a->at, &b->at, &counts);
    int back = narrow_ray_compare(&c->ties.ray, &b->at, &a->at, &counts);
    if (order != truth || back != -truth)
        fail_case(c, i, j, "order");
    /* without the shortcuts, too */
    if (exact_ray_compare(c->ties.ray.direction, c->ties.ray.origin, &a->at, &b->at, NULL) != truth)
        fail_case(c, i, j, "integers");
    bool apart = narrow_ray_beyond(a->t) < b->t || narrow_ray_beyond(b->t) < a->t;
    if (apart && (a->t < b->t ? -1 : 1) != truth)
        fail_case(c, i, j, "filter");
    stats->pairs++;
    stats->ties += truth == 0;
    stats->undecided += !apart;
    stats->misordered += sign((a->t > b->t) - (a->t < b->t)) != truth;
}

static void check_limit(check_random *random, order_case *c, int i, order_stats *stats)
{
    const hit *h = &c->hits[i];
    double limit = near_ties_limit(random, mpq_get_d(c->exact[i]));
    if (isinf(limit))
        limit = h->t;
    mpq_set_d(c->number, limit);
    int truth = sign(mpq_cmp(c->exact[i], c->number));
    if (exact_ray_compare_t(c->ties.ray.direction, c->ties.ray.origin, &h->at, limit, NULL) != truth)
        fail_case(c, i, i, "limit");
    stats->limits++;
    stats->limits_undecided += (h->t <= limit) != (truth <= 0);
}

static void test_triangles(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    long cases = CASES * (scale ? strtol(scale, NULL, 10) : 1);
    check_random random = {71};
    order_stats stats = {0};
    oracle *o = oracle_create();
    order_case *c = calloc(1, sizeof *c);
    assert_non_null(c);
    for (int i = 0; i < TRIANGLES; i++)
        mpq_init(c->exact[i]);
    mpq_init(c->number);
    for (long n = 0; n < cases; n++)
    {
        make_case(&random, o, c, &stats);
        for (int i = 0; i < c->count; i++)
        {
            check_limit(&random, c, i, &stats);
            for (int j = 0; j < i; j++)
                check_pair(c, i, j, &stats);
        }
    }
    for (int i = 0; i < TRIANGLES; i++)
        mpq_clear(c->exact[i]);
    mpq_clear(c->number);
    free(c);
    oracle_destroy(o);
    print_message("%ld rays: %ld pairs, 0 wrong; %.0f %% ties, %.0f %% near ties, %.0f %% misordered by rounding; %ld "
                  "limits, 0 wrong, %.0f %% by rounding; t off by up to %.2g\n",
                  cases, stats.pairs, 100.0 * (double)stats.ties / (double)stats.pairs,
                  100.0 * (double)stats.undecided / (double)stats.pairs,
                  100.0 * (double)stats.misordered / (double)stats.pairs, stats.limits,
                  100.0 * (double)stats.limits_undecided / (double)stats.limits, stats.worst);
    /* rounding would not do */
    assert_true(stats.pairs > 2 * cases && stats.limits > 2 * cases);
    assert_true(stats.ties > stats.pairs / 20 && stats.misordered > stats.pairs / 10);
    assert_true(stats.limits_undecided > stats.limits / 10);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_triangles)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
