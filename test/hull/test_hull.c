/* Small hulls against brute force: random points of families that are degenerate in many ways. */
#include "hull/build.h"
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
/* Whole numbers of 16 bits, the largest for which heights are taken as exact, within 1 of a plane, far away. */
static carom_vec3 on_wide_lattice(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p;
    if (n < 2)
        return vec3(1e9 + 65535.0 * n, 0.0, 0.0);
    double x = (double)(check_next(r) % 65536), y = (double)(check_next(r) % 65536);
    return vec3(1e9 + x, y, floor((x + 2.0 * y) / 3.0) + (double)(check_next(r) % 2));
}
/* Whole numbers of 20 bits, too many for that, on a plane or 1 off it. */
static carom_vec3 on_wider_lattice(check_random *r, const carom_vec3 *p, uint32_t n)
{
    (void)p, (void)n;
    double a = (double)(check_next(r) % 349525), b = (double)(check_next(r) % 349525);
    return vec3(3.0 * a, 3.0 * b, a + 2.0 * b + (check_next(r) % 4 == 0 ? 1.0 : 0.0));
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
    {"on_wide_lattice", on_wide_lattice},
    {"on_wider_lattice", on_wider_lattice},
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

/* Whatever the instruction set: the order of insertions, and so the work, is the same everywhere. */
static void test_heights(void **state)
{
    (void)state;
    static hull_batch batch;
    check_random r = {3};
    for (int round = 0; round < 100; round++)
    {
        carom_vec3 points[HULL_BATCH];
        for (uint32_t i = 0; i < HULL_BATCH; i++)
            points[i] = check_random_point(&r, -1.0, 1.0);
        hull_space space = {.points = points, .extent = {2.0, 2.0, 2.0}, .relative = EXACT_RELATIVE_3D};
        hull_facet facet = {.corner = {0, 1, 2}};
        facet.plane = hull_make_plane(&space, facet.corner);
        for (carom_simd simd = CAROM_SIMD_SCALAR; simd <= CAROM_SIMD_AVX2; simd++)
        {
            carom_context_def def = carom_context_def_default();
            def.simd = simd;
            carom_context *context;
            if (carom_context_create(&def, &context) == CAROM_UNSUPPORTED)
                continue;
            batch.count = HULL_BATCH - (uint32_t)round;
            for (uint32_t i = 0; i < HULL_BATCH; i++)
                batch.x[i] = points[i].x, batch.y[i] = points[i].y, batch.z[i] = points[i].z;
            BASE_PICK_ISA(context, hull_heights)(points[2], facet.plane.normal, &batch);
            for (uint32_t i = 0; i < batch.count; i++)
            {
                double expected = hull_height(&space, &facet, i);
                assert_memory_equal(&batch.height[i], &expected, sizeof expected);
            }
            carom_context_destroy(context);
        }
    }
}

/* Every way to grow a hull gives the same. */
static void test_tunings(void **state)
{
    static const hull_tuning tunings[] = {{1, 3, 0}, {1, 1000, 1000}, {1000, 3, 2}, {1000, 5, 0}};
    carom_context *context = *state;
    hull_space *space, *tuned;
    assert_int_equal(hull_space_create(context, &space), CAROM_OK);
    assert_int_equal(hull_space_create(context, &tuned), CAROM_OK);
    for (int family = 0; family < FAMILIES; family++)
        for (uint64_t seed = 0; seed < 1000; seed++)
        {
            carom_vec3 points[4 * LARGEST];
            uint32_t count = 0;
            for (uint64_t part = 0; part < 1 + seed % 4; part++)
                count += make_points(family, 1000 + 4 * seed + part, points + count);
            hull expected, h;
            assert_int_equal(hull_build_in(space, points, count, &expected), CAROM_OK);
            for (size_t i = 0; i < sizeof tunings / sizeof *tunings; i++)
            {
                tuned->tuning = tunings[i];
                assert_int_equal(hull_build_in(tuned, points, count, &h), CAROM_OK);
                hulls_check_same(&expected, &h);
                hull_free(&h);
            }
            hulls_check(points, count, &expected, 1);
            hull_free(&expected);
        }
    hull_space_destroy(space);
    hull_space_destroy(tuned);
}

/* The vertices are the same points, whatever their order. */
static void test_permutations(void **state)
{
    carom_context *context = *state;
    uint32_t moved = 0;
    for (int family = 0; family < FAMILIES; family++)
        for (uint64_t seed = 0; seed < 200; seed++)
        {
            carom_vec3 points[LARGEST], shuffled[LARGEST];
            uint32_t count = make_points(family, seed, points), from[LARGEST];
            check_random r = {seed};
            for (uint32_t i = 0; i < count; i++)
                from[i] = i;
            for (uint32_t i = 0; i < count; i++)
            {
                uint32_t k = (uint32_t)(check_next(&r) % (i + 1)), swap = from[i];
                from[i] = from[k], from[k] = swap;
            }
            for (uint32_t i = 0; i < count; i++)
                shuffled[i] = points[from[i]];
            hull a, b;
            assert_int_equal(hull_build(context, points, count, &a), CAROM_OK);
            assert_int_equal(hull_build(context, shuffled, count, &b), CAROM_OK);
            assert_int_equal(a.dimension, b.dimension);
            assert_int_equal(a.vertex_count, b.vertex_count);
            for (uint32_t i = 0; i < b.vertex_count; i++)
            {
                bool found = false;
                for (uint32_t k = 0; k < a.vertex_count; k++)
                    found |= vec3_equal(points[a.vertices[k]], shuffled[b.vertices[i]]);
                assert_true(found);
                moved += from[b.vertices[i]] != b.vertices[i];
            }
            hull_free(&a);
            hull_free(&b);
        }
    assert_true(moved > 5000);
}

static bool supports(const carom_vec3 *points, uint32_t count, const carom_vec3 t[3])
{
    for (uint32_t i = 0; i < count; i++)
        if (exact_orient3d(t[0], t[1], t[2], points[i], NULL) < 0)
            return false;
    return true;
}

/* Triangles between any points, and facets whose third corner is another point, compared with all points. */
static void count_at_edges(const hull *h, const carom_vec3 *points, uint32_t count, check_random *r, uint32_t found[3])
{
    uint32_t facet_at[LARGEST] = {0};
    for (uint32_t i = 0; i < 3 * h->facet_count; i++)
        facet_at[h->facets[i]] = i / 3;
    for (int round = 0; round < 100; round++)
    {
        const uint32_t *facet = h->facets + 3 * (check_next(r) % h->facet_count);
        uint32_t at = (uint32_t)(check_next(r) % 3), other = (uint32_t)(check_next(r) % count);
        uint32_t t[3] = {facet[at], facet[(at + 1) % 3], round % 4 == 0 ? facet[(at + 2) % 3] : other};
        if (round % 4 == 1)
            t[0] = (uint32_t)(check_next(r) % count);
        if (round % 4 == 2)
            t[1] = facet[at], t[0] = facet[(at + 1) % 3];
        const carom_vec3 corner[3] = {points[t[0]], points[t[1]], points[t[2]]};
        if (exact_collinear(corner[0], corner[1], corner[2], NULL))
            continue;
        hull_answer answer = hull_supports_at_edge(h, points, t, facet_at);
        found[answer]++;
        if (answer != HULL_NO_EDGE)
            assert_int_equal(answer == HULL_YES, supports(points, count, corner));
    }
}

static void test_questions(void **state)
{
    carom_context *context = *state;
    uint32_t yes[2] = {0}, no[2] = {0}, at_edges[3] = {0};
    for (int family = 0; family < FAMILIES; family++)
        for (uint64_t seed = 0; seed < 100; seed++)
        {
            carom_vec3 points[LARGEST], more[LARGEST];
            uint32_t count = make_points(family, seed, points), more_count = make_points(family, seed + 5000, more);
            hull h;
            assert_int_equal(hull_build(context, points, count, &h), CAROM_OK);
            for (uint32_t i = 0; i < more_count; i++)
            {
                bool inside = hulls_contain(points, count, more[i]);
                assert_int_equal(hull_contains_point(&h, points, more[i]), inside);
                ++*(inside ? yes : no);
            }
            uint32_t start = 0;
            check_random r = {seed};
            for (int i = 0; i < 100 && count > 0; i++)
            {
                carom_vec3 t[3];
                for (int k = 0; k < 3; k++)
                    t[k] = points[check_next(&r) % count];
                if (exact_collinear(t[0], t[1], t[2], NULL))
                    continue;
                bool expected = supports(points, count, t);
                assert_int_equal(hull_supports(&h, points, t, i % 2 ? &start : NULL), expected);
                ++*(expected ? &yes[1] : &no[1]);
            }
            if (h.dimension == 3)
                count_at_edges(&h, points, count, &r, at_edges);
            hull_free(&h);
        }
    print_message("inside %u of %u, supporting %u of %u\n", yes[0], yes[0] + no[0], yes[1], yes[1] + no[1]);
    assert_true(yes[0] > 1000 && no[0] > 1000 && yes[1] > 1000 && no[1] > 1000);
    print_message("at edges: no %u, yes %u, no edge %u\n", at_edges[HULL_NO], at_edges[HULL_YES],
                  at_edges[HULL_NO_EDGE]);
    assert_true(at_edges[HULL_NO] > 1000 && at_edges[HULL_YES] > 1000 && at_edges[HULL_NO_EDGE] > 1000);
}

/* Degenerate triangles, on the cube: on a face, along an edge, through the inside. */
static void test_degenerate_triangles(void **state)
{
    carom_context *context = *state;
    carom_vec3 cube[8];
    for (int i = 0; i < 8; i++)
        cube[i] = vec3(i & 1, i >> 1 & 1, i >> 2);
    hull h;
    assert_int_equal(hull_build(context, cube, 8, &h), CAROM_OK);
    assert_true(hull_supports(&h, cube, (carom_vec3[3]){cube[0], cube[3], cube[0]}, NULL));
    assert_true(hull_supports(&h, cube, (carom_vec3[3]){cube[0], cube[1], cube[1]}, NULL));
    assert_true(hull_supports(&h, cube, (carom_vec3[3]){cube[5], cube[5], cube[5]}, NULL));
    assert_false(hull_supports(&h, cube, (carom_vec3[3]){cube[0], cube[7], vec3(0.5, 0.5, 0.5)}, NULL));
    hull_free(&h);
}

static void check_measures(carom_context *context, const carom_vec3 *points, uint32_t count, hull_measures expected)
{
    hull h;
    assert_int_equal(hull_build(context, points, count, &h), CAROM_OK);
    hull_measures m = hull_measure(&h, points);
    check_near(m.volume, expected.volume, 1e-14 * expected.volume);
    check_near(m.area, expected.area, 1e-14 * expected.area);
    check_near(m.centre.x, expected.centre.x, 1e-14 * fabs(expected.centre.x));
    check_near(m.centre.y, expected.centre.y, 1e-14 * fabs(expected.centre.y));
    check_near(m.centre.z, expected.centre.z, 1e-14 * fabs(expected.centre.z));
    hull_free(&h);
}

static void test_measures(void **state)
{
    carom_context *context = *state;
    carom_vec3 box[8];
    for (int i = 0; i < 8; i++)
        box[i] = vec3(1e6 + 2.0 * (i & 1), -1e6 + 3.0 * (i >> 1 & 1), 4.0 * (i >> 2));
    check_measures(context, box, 8, (hull_measures){24.0, 52.0, {1e6 + 1.0, -1e6 + 1.5, 2.0}});
    check_measures(context, box, 4, (hull_measures){0.0, 12.0, {1e6 + 1.0, -1e6 + 1.5, 0.0}});
    check_measures(context, box, 2, (hull_measures){0.0, 0.0, {1e6 + 1.0, -1e6, 0.0}});
    check_measures(context, box, 1, (hull_measures){0.0, 0.0, {1e6, -1e6, 0.0}});
    check_measures(context, box, 0, (hull_measures){0.0, 0.0, {0.0, 0.0, 0.0}});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_against_brute_force, check_open_context, check_close_context),
        cmocka_unit_test(test_heights),
        cmocka_unit_test_setup_teardown(test_tunings, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_permutations, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_questions, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_degenerate_triangles, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_measures, check_open_context, check_close_context),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
