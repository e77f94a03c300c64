/* Small hulls against brute force: random points of families that are degenerate in many ways. */
#include "support/hulls.h"

#include <stdlib.h>

static carom_vec3 lattice(check_random *r, uint32_t side) { return check_random_grid_point(r, side); }

typedef carom_vec3 family_point(check_random *r, const carom_vec3 *points, uint32_t count);

static carom_vec3 in_cube(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    return check_random_point(r, -1.0, 1.0);
}
static carom_vec3 on_lattice_2(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    return lattice(r, 2);
}
static carom_vec3 on_lattice_3(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    return lattice(r, 3);
}
static carom_vec3 on_lattice_5(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    return lattice(r, 5);
}
/* As a lattice, but with coordinates whose products are not exact. */
static carom_vec3 on_thirds(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    return vec3_add(vec3_scale(lattice(r, 3), 1.0 / 3.0), vec3(0.1, 0.7, -0.3));
}
static carom_vec3 on_plane(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    carom_vec3 at = lattice(r, 5);
    return vec3(at.x, at.y, 3.0 - at.x - 2.0 * at.y);
}
/* Rounding makes this thin, but not flat. */
static carom_vec3 near_plane(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    double x = check_uniform(r, -1.0, 1.0), y = check_uniform(r, -1.0, 1.0);
    return vec3(x, y, 0.3 * x - 0.7 * y);
}
static carom_vec3 on_line(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    double t = (double)(check_next(r) % 7);
    return vec3(1.0 + 2.0 * t, -t, 3.0 * t);
}
static carom_vec3 near_line(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    double t = check_uniform(r, -1.0, 1.0);
    return vec3(0.1 * t, 0.3 * t, 0.7 * t);
}
static carom_vec3 middles(check_random *r, const carom_vec3 *p, uint32_t n)
{
    if (n < 4)
        return lattice(r, 4);
    carom_vec3 a = p[check_next(r) % n], b = p[check_next(r) % n];
    return vec3_scale(vec3_add(a, b), 0.5);
}
static carom_vec3 far_away(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    return vec3_add(check_random_point(r, 0.0, 1e-5), vec3(1e9, -1e9, 1e9));
}
static carom_vec3 denormal(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    return vec3_scale(lattice(r, 5), 0x1p-1074);
}
static carom_vec3 huge(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    return check_random_point(r, -0x1p110, 0x1p110);
}
static carom_vec3 all_sizes(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    carom_vec3 at = check_random_point(r, -1.0, 1.0);
    at.x = ldexp(at.x, (int)(check_next(r) % 1100) - 1000);
    at.y = ldexp(at.y, (int)(check_next(r) % 1100) - 1000);
    at.z = ldexp(at.z, (int)(check_next(r) % 1100) - 1000);
    return at;
}
/* Neighbouring doubles. */
static carom_vec3 last_bits(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    return vec3_add(vec3(0.7, 0.3, 0.9), vec3_scale(lattice(r, 4), 0x1p-53));
}

static const struct
{
    const char *name;
    family_point *point;
} families[] = {
    {"in_cube", in_cube},
    {"on_lattice_2", on_lattice_2},
    {"on_lattice_3", on_lattice_3},
    {"on_lattice_5", on_lattice_5},
    {"on_thirds", on_thirds},
    {"on_plane", on_plane},
    {"near_plane", near_plane},
    {"on_line", on_line},
    {"near_line", near_line},
    {"middles", middles},
    {"far_away", far_away},
    {"denormal", denormal},
    {"huge", huge},
    {"all_sizes", all_sizes},
    {"last_bits", last_bits},
};

enum
{
    FAMILIES = sizeof families / sizeof *families,
    LARGEST = 14
};

static uint32_t make_points(int family, uint64_t seed, carom_vec3 points[LARGEST])
{
    check_random r = {seed};
    uint32_t count = (uint32_t)(check_next(&r) % (LARGEST + 1));
    for (uint32_t i = 0; i < count; i++)
        points[i] =
            check_next(&r) % 8 == 0 && i > 0 ? points[check_next(&r) % i] : families[family].point(&r, points, i);
    return count;
}

static void test_against_brute_force(void **state)
{
    carom_context *context = *state;
    hull_space *space;
    assert_int_equal(hull_space_create(context, &space), CAROM_OK);
    for (int family = 0; family < FAMILIES; family++)
    {
        uint32_t dimensions[5] = {0}, dropped = 0;
        for (uint64_t seed = 0; seed < 300; seed++)
        {
            carom_vec3 points[LARGEST];
            uint32_t count = make_points(family, seed, points);
            hull h;
            assert_int_equal(hull_build_in(space, points, count, &h), CAROM_OK);
            hulls_check(points, count, &h, 1);
            hulls_check_vertices(points, count, &h);
            dimensions[h.dimension + 1]++, dropped += count - h.vertex_count;
            hull_free(&h);
        }
        print_message("%-14s dimension -1 to 3: %u %u %u %u %u, points dropped: %u\n", families[family].name,
                      dimensions[0], dimensions[1], dimensions[2], dimensions[3], dimensions[4], dropped);
    }
    hull_space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_against_brute_force, check_open_context, check_close_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
