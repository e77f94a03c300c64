/* Rays against balls and capsules: the decision and t against exact arithmetic. CAROM_TEST_SCALE multiplies the number
 * of cases. */
#include "support/families.h"
#include "support/oracle_round.h"
#include "support/rounds.h"

#include <stdlib.h>

enum
{
    CASES = 25000,
    RADII = 4
};

static const double TOLERANCE = 1e-11;

/* From a's first point towards its second or a corner of b, or along or across the axis of b. */
static narrow_ray make_ray(check_random *random, const round_cores *c)
{
    int kind = family_integer(random, 0, 9);
    carom_vec3 axis = vec3_sub(c->b[1], c->b[0]);
    narrow_ray ray = {c->a[0], vec3_sub(c->a[1], c->a[0])};
    if (kind == 0)
        ray.direction = vec3_sub(c->b[0], c->a[0]);
    if (kind == 1)
        ray.direction = axis;
    if (kind == 2)
        ray.direction = vec3_cross(axis, vec3(0, 1, 1));
    if (kind == 3)
        ray.direction = vec3_scale(ray.direction, exp2(family_integer(random, -99, 99)));
    if (kind == 4)
        ray.direction = vec3(0, 0, family_integer(random, -1, 1));
    if (kind == 5)
        ray.direction = vec3_scale(ray.direction, -1.0);
    double largest = fmax(fabs(ray.direction.x), fmax(fabs(ray.direction.y), fabs(ray.direction.z)));
    return largest <= 0x1p110 ? ray : (narrow_ray){ray.origin, vec3(1, 0, 0)};
}

static const char *check_case(oracle_gap *g, const narrow_ray *ray, const narrow_round *round, bool truth,
                              uint64_t *exact)
{
    narrow_counts counts = {0};
    double t = -1.0, other = -1.0;
    if (narrow_round_ray_hit(ray, round, &t, &counts) != truth)
        return "hit";
    *exact += counts.exact_fallbacks > 0;
    narrow_round turned = {{round->end[1], round->end[0]}, round->radius};
    if (narrow_round_ray_hit(ray, &turned, &other, &counts) != truth || (truth && t != other))
        return "order of the ends";
    if (!truth || t > 1e300)
        return NULL;
    double slack = TOLERANCE * t + 0x1p-1060, low_high[2] = {t - slack > 0.0 ? t - slack : 0.0, t + slack};
    if (!(t >= 0.0) || !oracle_round_enters(g, ray, round, low_high))
        return "t";
    narrow_round origin = {{ray->origin, ray->origin}, 0.0};
    if (t != 0.0 && narrow_round_meet(&origin, round, &counts) != CAROM_MEET_NONE)
        return "t of an inner origin";
    return NULL;
}

static void test_rays(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    long rays = CASES * (scale ? strtol(scale, NULL, 10) : 1), hits[2] = {0};
    uint64_t exact[2] = {0};
    check_random random = {91};
    oracle_gap *g = oracle_gap_create();
    for (long i = 0; i < rays; i++)
    {
        int kind = (int)(i % 2), family = (int)(i / 2 % round_families_count);
        round_cores c = round_make(&random, &round_families[family], 2);
        narrow_round round = {{c.b[0], kind ? c.b[1] : c.b[0]}, 0.0};
        narrow_ray ray = make_ray(&random, &c);
        oracle_round_ray(g, &ray, &round);
        double distance = oracle_gap_distance(g);
        for (int n = 0; n < RADII; n++)
        {
            round.radius = round_pick_radius(&random, distance);
            bool truth = oracle_round_ray(g, &ray, &round);
            const char *wrong = check_case(g, &ray, &round, truth, &exact[kind]);
            if (wrong)
            {
                print_message("  o {%a, %a, %a}\n  d {%a, %a, %a}\n", ray.origin.x, ray.origin.y, ray.origin.z,
                              ray.direction.x, ray.direction.y, ray.direction.z);
                for (int k = 0; k < 2; k++)
                    print_message("  end {%a, %a, %a}\n", round.end[k].x, round.end[k].y, round.end[k].z);
                fail_msg("%s is wrong: family %s, case %ld of seed 91, radius %a, truth %d", wrong,
                         round_families[family].name, i, round.radius, truth);
            }
            hits[kind] += truth;
        }
    }
    oracle_gap_destroy(g);
    for (int kind = 0; kind < 2; kind++)
    {
        double count = (double)(rays / 2 * RADII), hit = (double)hits[kind] / count, used = (double)exact[kind] / count;
        print_message("  %s: %.1f %% hit, %.1f %% exact\n", kind ? "capsule" : "ball", 100.0 * hit, 100.0 * used);
        /* neither answer may be the usual one, and no stage unused */
        assert_true(hit > 0.3 && hit < 0.7);
        assert_true(used > 0.1 && used < 0.9);
    }
    print_message("%ld rays, 0 wrong\n", rays * RADII);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_rays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
