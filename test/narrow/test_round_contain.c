/* Balls, capsules and triangles inside balls and capsules, against rational arithmetic, and with points of the inner
 * solid. CAROM_TEST_SCALE multiplies the number of cases. */
#include "support/families.h"
#include "support/oracle_round.h"
#include "support/rounds.h"

#include <stdlib.h>

enum
{
    CASES = 40000
};

/* Of the points of b, how far the farthest is from a's core, rounded. */
static double farthest(oracle_gap *g, const round_cores *c)
{
    double distance = 0.0;
    for (int i = 0; i < c->count_b; i++)
    {
        oracle_gap_measure(g, &(exact_round){&c->b[i], 1, 0.0}, &(exact_round){c->a, c->count_a, 0.0});
        distance = fmax(distance, oracle_gap_distance(g));
    }
    return distance;
}

static bool truly_inside(oracle_gap *g, const round_cores *c, double inner, double outer)
{
    bool inside = inner <= outer;
    for (int i = 0; i < c->count_b && inside; i++)
    {
        oracle_gap_measure(g, &(exact_round){&c->b[i], 1, 0.0}, &(exact_round){c->a, c->count_a, 0.0});
        inside = oracle_gap_sign(g, outer, -inner) <= 0;
    }
    return inside;
}

static carom_vec3 direction(check_random *random)
{
    double x = check_uniform(random, -1.0, 1.0), y = check_uniform(random, -1.0, 1.0);
    carom_vec3 v = vec3(x, y, check_uniform(random, -1.0, 1.0));
    double length = vec3_length(v);
    return length > 0.1 ? vec3_scale(v, 1.0 / length) : vec3(1, 0, 0);
}

/* Points of the inner solid are in the outer one, up to rounding: nothing to do with end points. */
static bool sample_inside(oracle_gap *g, check_random *random, const narrow_round *inner, const narrow_round *outer)
{
    double s = check_uniform(random, 0.0, 1.0);
    carom_vec3 p = vec3_add(inner->end[0], vec3_scale(vec3_sub(inner->end[1], inner->end[0]), s));
    p = vec3_add(p, vec3_scale(direction(random), inner->radius));
    oracle_gap_measure(g, &(exact_round){&p, 1, 0.0}, &(exact_round){outer->end, 2, 0.0});
    return oracle_gap_distance(g) <= outer->radius * (1 + 1e-12) + 1e-12;
}

static void test_contain(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    long cases = CASES * (scale ? strtol(scale, NULL, 10) : 1), inside_count[ROUND_KINDS] = {0};
    check_random random = {81};
    oracle_gap *g = oracle_gap_create();
    narrow_counts counts = {0};
    for (long i = 0; i < cases; i++)
    {
        int kind = (int)(i % ROUND_KINDS), family = (int)(i / ROUND_KINDS % round_families_count);
        round_cores c = round_make(&random, &round_families[family], kind);
        if (family_integer(&random, 0, 1)) /* cores that share points */
            for (int k = 0; k < 3; k++)
                c.b[k] = k == 0 || k >= c.count_b ? c.a[1] : c.b[k];
        double distance = farthest(g, &c), inner = 0.0;
        double room = round_pick_radius(&random, distance);
        if (kind < 3 && family_integer(&random, 0, 2))
            inner = family_integer(&random, 0, 1) ? room : fmin(distance * check_uniform(&random, 0.0, 2.0), 0x1p109);
        double outer = fmin(room + inner, 0x1p110);
        int special = family_integer(&random, 0, 19);
        if (special < 2)
            outer = inner;
        if (special == 2) /* the difference would be of the right size, but has the wrong sign */
            outer = inner, inner = fmin(room + inner, 0x1p110);
        if (kind > 2)
            inner = 0.0;
        bool truth = truly_inside(g, &c, inner, outer), inside;
        narrow_round around = {{c.a[0], c.a[1]}, outer}, within = {{c.b[0], c.b[1]}, inner};
        narrow_triangle triangle = {{c.b[0], c.b[1], c.b[2]}};
        inside = kind < 3 ? narrow_round_in_round(&within, &around, &counts)
                          : narrow_triangle_in_round(&triangle, &around, &counts);
        if (inside != truth)
            fail_msg("containment is wrong: family %s, %s, case %ld of seed 81, truth %d", round_families[family].name,
                     round_kind_names[kind], i, truth);
        if (family == 0 && kind < 3 && inside && !sample_inside(g, &random, &within, &around))
            fail_msg("a point of the inner solid is outside: case %ld of seed 81", i);
        inside_count[kind] += inside;
    }
    oracle_gap_destroy(g);
    for (int kind = 0; kind < ROUND_KINDS; kind++)
    {
        double share = (double)inside_count[kind] * ROUND_KINDS / (double)cases;
        print_message("  %-18s %.1f %% inside\n", round_kind_names[kind], 100.0 * share);
        assert_true(share > 0.3 && share < 0.7);
    }
    print_message("%ld cases, %llu fallbacks\n", cases, (unsigned long long)counts.exact_fallbacks);
    assert_true(counts.exact_fallbacks > (uint64_t)cases / 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_contain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
