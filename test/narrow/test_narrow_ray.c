/* Rays against triangles: the decision and t against exact arithmetic, the weights against the point they name. */
#include "support/families.h"
#include "support/oracle.h"

#include <stdlib.h>

enum
{
    CASES = 100000
};

static carom_vec3 combination(const narrow_triangle *t, double u, double v)
{
    const carom_vec3 *c = t->corner;
    return vec3((1 - u - v) * c[0].x + u * c[1].x + v * c[2].x, (1 - u - v) * c[0].y + u * c[1].y + v * c[2].y,
                (1 - u - v) * c[0].z + u * c[1].z + v * c[2].z);
}

/* Aims at the triangle, at its corners and edges, past it, or along its plane; from outside or from on it. */
static narrow_ray make_ray(check_random *random, const narrow_triangle *t, const narrow_triangle *other)
{
    double u = check_uniform(random, 0.0, 1.0), v = check_uniform(random, 0.0, 1.0 - u);
    int aim = family_integer(random, 0, 4), from = family_integer(random, 0, 4);
    carom_vec3 target = aim == 0   ? combination(t, u, v)
                        : aim == 1 ? t->corner[family_integer(random, 0, 2)]
                        : aim == 2 ? combination(t, u, 0.0)
                        : aim == 3 ? combination(t, 2 * u, v - 0.5)
                                   : other->corner[2];
    carom_vec3 origin = from == 0   ? other->corner[0]
                        : from == 1 ? other->corner[1]
                        : from == 2 ? combination(t, -u, v)
                        : from == 3 ? t->corner[family_integer(random, 0, 2)]
                                    : combination(t, u / 2, v / 2);
    narrow_ray ray = {origin, vec3_sub(target, origin)};
    int kind = family_integer(random, 0, 9);
    if (kind == 0)
        ray.direction = vec3_scale(ray.direction, -1.0);
    if (kind == 1)
        ray.direction = vec3_scale(ray.direction, exp2(family_integer(random, -300, 300)));
    if (kind == 2 && family_integer(random, 0, 1))
        ray.direction = vec3(0, 0, 0);
    if (kind == 3)
    {
        int x = family_integer(random, -1, 1), y = family_integer(random, -1, 1);
        ray.direction = vec3(x, y, 1);
    }
    return ray;
}

static const char *check_case(oracle *o, const narrow_ray *ray, const narrow_triangle *triangle, bool *met)
{
    narrow_counts counts = {0};
    double t = -1.0, uv[2] = {-1.0, -1.0}, truth = 0.0;
    *met = oracle_ray(o, ray, triangle, &truth);
    if (narrow_ray_hit(ray, triangle, &t, uv, &counts) != *met)
        return "hit";
    for (int i = 0; i < 3; i++)
        for (int turn = 1; turn < 3; turn++)
        {
            const carom_vec3 *c = triangle->corner;
            narrow_triangle p = {{c[i], c[(i + turn) % 3], c[(i + 2 * turn) % 3]}};
            double other_t, other_uv[2];
            if (narrow_ray_hit(ray, &p, &other_t, other_uv, &counts) != *met)
                return "order";
        }
    if (!*met)
        return NULL;
    if (!(fabs(t - truth) <= 1e-11 * fabs(truth) + 0x1p-1060) && !(truth > 1e300))
        return "t";
    if (!(uv[0] >= -1e-12 && uv[1] >= -1e-12 && uv[0] + uv[1] <= 1 + 1e-12))
        return "weights";
    /* The weights name the point where the ray is at t. */
    carom_vec3 p = combination(triangle, uv[0], uv[1]);
    carom_vec3 q = vec3_add(ray->origin, vec3_scale(ray->direction, t));
    double size = 0.0;
    for (int i = 0; i < 9; i++)
        size = fmax(size, fabs(((double *)&triangle->corner[0])[i]));
    size = fmax(size, fmax(fabs(ray->origin.x), fmax(fabs(ray->origin.y), fabs(ray->origin.z))));
    double reach = fmax(fabs(q.x - ray->origin.x), fmax(fabs(q.y - ray->origin.y), fabs(q.z - ray->origin.z)));
    double slack = 1e-10 * fmax(size, reach) + 0x1p-1060;
    if (t < 1e300 && t > 1e-300 && vec3_finite(q) &&
        !(fabs(p.x - q.x) <= slack && fabs(p.y - q.y) <= slack && fabs(p.z - q.z) <= slack))
        return "point";
    return NULL;
}

static void run(const family *families, int family_count, uint64_t seed)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    long cases = CASES * (scale ? strtol(scale, NULL, 10) : 1), hits = 0;
    check_random random = {seed};
    oracle *o = oracle_create();
    for (long i = 0; i < cases; i++)
    {
        int f = (int)(i % family_count);
        narrow_triangle pair[2];
        families[f].make(&random, pair);
        narrow_ray ray = make_ray(&random, &pair[0], &pair[1]);
        bool met;
        const char *wrong = check_case(o, &ray, &pair[0], &met);
        if (wrong)
        {
            narrow_counts counts = {0};
            double t = 0, truth = 0, uv[2] = {0, 0};
            bool hit = narrow_ray_hit(&ray, &pair[0], &t, uv, &counts);
            oracle_ray(o, &ray, &pair[0], &truth);
            print_message("origin {%a, %a, %a} direction {%a, %a, %a}\n", ray.origin.x, ray.origin.y, ray.origin.z,
                          ray.direction.x, ray.direction.y, ray.direction.z);
            for (int k = 0; k < 3; k++)
                print_message("  {%a, %a, %a}\n", pair[0].corner[k].x, pair[0].corner[k].y, pair[0].corner[k].z);
            fail_msg("%s is wrong: family %s, case %ld of seed %llu: hit %d t %.17g uv %g %g, truth %d t %.17g", wrong,
                     families[f].name, i, (unsigned long long)seed, hit, t, uv[0], uv[1], met, truth);
        }
        hits += met;
    }
    oracle_destroy(o);
    print_message("seed %llu: %ld rays, 0 wrong, %.1f %% hit\n", (unsigned long long)seed, cases,
                  100.0 * (double)hits / (double)cases);
    assert_true(hits > 0.3 * (double)cases && hits < 0.7 * (double)cases);
}

static void test_random(void **state)
{
    (void)state;
    run(families_random, families_random_count, 31);
}

static void test_degenerate(void **state)
{
    (void)state;
    run(families_degenerate, families_degenerate_count, 32);
}

/* Products of coordinates that underflow, times a direction that the filters are not made for. */
static void test_huge_directions(void **state)
{
    (void)state;
    check_random random = {33};
    oracle *o = oracle_create();
    long hits = 0;
    for (int i = 0; i < CASES / 10; i++)
    {
        double small = exp2(-family_integer(&random, 530, 540)), large = exp2(family_integer(&random, 120, 900)), v[15];
        for (int k = 0; k < 15; k++)
            v[k] = check_uniform(&random, -1.0, 1.0) * (k < 12 ? small : large);
        narrow_triangle triangle = {{vec3(v[0], v[1], v[2]), vec3(v[3], v[4], v[5]), vec3(v[6], v[7], v[8])}};
        narrow_ray ray = {vec3(v[9], v[10], v[11]), vec3(v[12], v[13], v[14])};
        if (i % 2) /* through the triangle */
        {
            carom_vec3 middle = vec3_scale(vec3(v[0] + v[3] + v[6], v[1] + v[4] + v[7], v[2] + v[5] + v[8]), 0.3);
            ray.direction = vec3_scale(vec3_scale(vec3_sub(middle, ray.origin), 1.0 / small), large);
        }
        narrow_counts counts = {0};
        double t, truth, uv[2];
        bool met = oracle_ray(o, &ray, &triangle, &truth);
        assert_int_equal(narrow_ray_hit(&ray, &triangle, &t, uv, &counts), met);
        hits += met;
    }
    oracle_destroy(o);
    assert_true(hits > CASES / 50);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_huge_directions), cmocka_unit_test(test_random),
                                       cmocka_unit_test(test_degenerate)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
