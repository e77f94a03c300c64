/* Large hulls: degenerate inputs with known answers, any number of workers, and work that grows like n log n, counted
 * in signs rather than in time. */
#include "hull/build.h"
#include "support/hulls.h"

#include <stdlib.h>

typedef struct cloud
{
    carom_vec3 *points;
    uint32_t count, capacity;
} cloud;

static void add(cloud *c, carom_vec3 p)
{
    if (c->count == c->capacity)
    {
        c->capacity = 2 * c->capacity + 1024;
        c->points = realloc(c->points, c->capacity * sizeof *c->points);
    }
    c->points[c->count++] = p;
}

static hull build(carom_context *context, const cloud *c)
{
    hull h;
    assert_int_equal(hull_build(context, c->points, c->count, &h), CAROM_OK);
    return h;
}

/* Builds it, checks a sample of points against every facet, expects these numbers. */
static void expect(carom_context *context, cloud *c, int dimension, uint32_t vertex_count)
{
    hull h = build(context, c);
    assert_int_equal(h.dimension, dimension);
    assert_int_equal(h.vertex_count, vertex_count);
    uint64_t work = (uint64_t)h.facet_count * c->count;
    hulls_check(c->points, c->count, &h, (uint32_t)(1 + work / 3000000));
    hull_free(&h);
    free(c->points);
    *c = (cloud){0};
}

static carom_vec3 on_sphere(check_random *r)
{
    for (;;)
    {
        carom_vec3 p = check_random_point(r, -1.0, 1.0);
        double square = vec3_dot(p, p);
        if (square > 0.01 && square <= 1.0)
            return vec3_scale(p, 1.0 / sqrt(square));
    }
}

/* ---- known answers ---- */

static void test_grid(void **state)
{
    cloud c = {0};
    for (uint32_t i = 0; i < 1000000; i++)
        add(&c, vec3(i % 100, i / 100 % 100, i / 10000));
    expect(*state, &c, 3, 8);
    /* The same with coordinates whose products are rounded. */
    for (uint32_t i = 0; i < 64000; i++)
        add(&c, vec3(0.1 * (i % 40), 0.3 * (i / 40 % 40), 0.7 * (i / 1600)));
    expect(*state, &c, 3, 8);
}

static void test_million_of_one_point(void **state)
{
    cloud c = {0};
    for (uint32_t i = 0; i < 1000000; i++)
        add(&c, vec3(0.1, i % 2 ? 0.0 : -0.0, 0.3));
    expect(*state, &c, 0, 1);
}

static void test_million_on_a_line(void **state)
{
    cloud c = {0};
    check_random r = {1};
    for (uint32_t i = 0; i < 1000000; i++)
    {
        double t = (double)(check_next(&r) % 1000000000);
        add(&c, vec3(3.0 * t + 1.0, -2.0 * t, 7.0 * t));
    }
    expect(*state, &c, 1, 2);
}

static void test_million_on_a_plane(void **state)
{
    cloud c = {0};
    for (uint32_t i = 0; i < 1000000; i++)
    {
        double x = i % 1000, y = i / 1000;
        add(&c, vec3(x, y, 5.0 - 3.0 * x + 2.0 * y));
    }
    expect(*state, &c, 2, 4);
    /* One point beside the plane, and the polygon is a face. */
    for (uint32_t i = 0; i < 1000000; i++)
    {
        double x = i % 1000, y = i / 1000;
        add(&c, vec3(x, y, 5.0 - 3.0 * x + 2.0 * y));
    }
    add(&c, vec3(500.0, 500.0, -0x1p-40));
    c.points[c.count - 1].z += 5.0 - 500.0;
    expect(*state, &c, 3, 5);
}

/* Whole points on a parabola are all extreme, also between two poles, which see all of them. */
static void test_polygon_with_poles(void **state)
{
    cloud c = {0};
    for (int i = -20000; i <= 20000; i++)
        add(&c, vec3(i, (double)i * i, 0.0));
    expect(*state, &c, 2, 40001);
    for (int i = -20000; i <= 20000; i++)
        add(&c, vec3(i, (double)i * i, 0.0));
    add(&c, vec3(0.0, 1000.0, 1.0));
    add(&c, vec3(0.0, 1000.0, -1.0));
    expect(*state, &c, 3, 40003);
}

/* All whole points with the same distance from the origin are extreme, many of them coplanar. */
static void test_lattice_on_a_sphere(void **state)
{
    static const int squares[] = {5 * 5 * 13 * 17, 2 * 3 * 5 * 7 * 11 * 13 + 11, 101 * 1009};
    for (size_t k = 0; k < sizeof squares / sizeof *squares; k++)
    {
        cloud c = {0};
        int reach = (int)sqrt((double)squares[k]) + 1;
        for (int x = -reach; x <= reach; x++)
            for (int y = -reach; y <= reach; y++)
            {
                int rest = squares[k] - x * x - y * y, z = rest < 0 ? 0 : (int)lround(sqrt((double)rest));
                if (rest < 0 || z * z != rest)
                    continue;
                add(&c, vec3(x, y, z));
                if (z > 0)
                    add(&c, vec3(x, y, -z));
            }
        uint32_t count = c.count;
        assert_true(count > 500);
        /* What is within does not matter. */
        check_random r = {k};
        for (int i = 0; i < 20000; i++)
            add(&c, vec3_scale(on_sphere(&r), 0.99 * sqrt((double)squares[k]) - 1.0));
        print_message("%u whole points at distance sqrt %d\n", count, squares[k]);
        expect(*state, &c, 3, count);
    }
}

/* ---- workers ---- */

static void test_workers(void **state)
{
    (void)state;
    cloud c = {0};
    check_random r = {7};
    for (uint32_t i = 0; i < 60000; i++)
        add(&c, i % 3 ? on_sphere(&r) : check_random_point(&r, -0.5, 0.5));
    hull expected = {.vertex_count = 0};
    for (uint32_t workers = 0; workers <= 4; workers++)
        for (carom_simd simd = CAROM_SIMD_SCALAR; simd <= CAROM_SIMD_AVX2; simd++)
        {
            carom_context_def def = carom_context_def_default();
            def.workers = workers, def.simd = simd;
            carom_context *context;
            if (carom_context_create(&def, &context) == CAROM_UNSUPPORTED)
                continue;
            hull h = build(context, &c);
            if (expected.vertex_count == 0)
            {
                /* Copied into memory that outlives the context. */
                expected = h;
                size_t size = (h.vertex_count + 6 * (size_t)h.facet_count) * sizeof(uint32_t);
                expected.vertices = memcpy(malloc(size), h.vertices, size);
                expected.facets = expected.vertices + h.vertex_count;
                expected.neighbours = expected.facets + 3 * (size_t)h.facet_count;
            }
            hulls_check_same(&expected, &h);
            hull_free(&h);
            carom_context_destroy(context);
        }
    assert_true(expected.vertex_count > 30000);
    free(expected.vertices);
    free(c.points);
}

/* ---- growth ---- */

static carom_vec3 on_rotated_plane(check_random *r)
{
    double x = check_uniform(r, -1.0, 1.0), y = check_uniform(r, -1.0, 1.0);
    return vec3(x, y, 0.3 * x - 0.7 * y);
}
static carom_vec3 on_rotated_line(check_random *r)
{
    double t = check_uniform(r, -1.0, 1.0);
    return vec3(0.1 * t, 0.3 * t, 0.7 * t);
}
static carom_vec3 in_ball(check_random *r) { return vec3_scale(on_sphere(r), check_uniform(r, 0.0, 1.0)); }
static carom_vec3 on_cube(check_random *r)
{
    double p[3];
    for (int i = 0; i < 3; i++)
        p[i] = check_uniform(r, -1.0, 1.0);
    uint64_t face = check_next(r) % 6;
    p[face / 2] = face % 2 ? 1.0 : -1.0;
    return vec3(p[0], p[1], p[2]);
}
static carom_vec3 on_moment_curve(check_random *r)
{
    double t = check_uniform(r, -1.0, 1.0);
    return vec3(t, t * t, t * t * t);
}
static carom_vec3 on_paraboloid(check_random *r)
{
    double x = floor(check_uniform(r, -2000.0, 2000.0)), y = floor(check_uniform(r, -2000.0, 2000.0));
    return vec3(x, y, x * x + y * y);
}
/* A disc and a short arc above it: each point of one sees much of the other. */
static carom_vec3 disc_and_arc(check_random *r)
{
    carom_vec3 p = on_sphere(r);
    if (check_next(r) % 2)
        return vec3(0.01 * p.x, 0.0, 2.0 - 0.01 * p.x * p.x);
    double length = sqrt(p.x * p.x + p.y * p.y);
    return vec3(p.x / length, p.y / length, 0.0);
}
/* Two curves that are far from each other and not parallel: every point of one is next to every point of the other. */
static carom_vec3 two_curves(check_random *r)
{
    double t = check_uniform(r, -1.0, 1.0);
    return check_next(r) % 2 ? vec3(t, 0.0, 0.1 * t * t) : vec3(0.0, t, 4.0 - 0.1 * t * t);
}
/* Points closer and closer to a corner. */
static carom_vec3 geometric(check_random *r)
{
    carom_vec3 p = on_sphere(r);
    return vec3_scale(vec3(p.x, p.y, 1.0 + p.z), ldexp(1.0, -(int)(check_next(r) % 200)));
}

static void test_growth(void **state)
{
    static const struct
    {
        const char *name;
        carom_vec3 (*point)(check_random *r);
    } families[] = {{"ball", in_ball},
                    {"sphere", on_sphere},
                    {"cube's surface", on_cube},
                    {"rotated plane", on_rotated_plane},
                    {"rotated line", on_rotated_line},
                    {"moment curve", on_moment_curve},
                    {"whole paraboloid", on_paraboloid},
                    {"disc and arc", disc_and_arc},
                    {"two curves", two_curves},
                    {"geometric", geometric}};
    carom_context *context = *state;
    hull_space *space;
    assert_int_equal(hull_space_create(context, &space), CAROM_OK);
    for (size_t f = 0; f < sizeof families / sizeof *families; f++)
    {
        double per_point[3];
        for (int k = 0; k < 3; k++)
        {
            static const uint32_t counts[3] = {1000, 10000, 100000};
            cloud c = {0};
            check_random r = {f};
            for (uint32_t i = 0; i < counts[k]; i++)
                add(&c, families[f].point(&r));
            hull h;
            assert_int_equal(hull_build_in(space, c.points, c.count, &h), CAROM_OK);
            per_point[k] = (double)space->steps / c.count;
            /* Measured: up to 5.9 log2 n. */
            assert_true(per_point[k] < 9.0 * log2(c.count));
            if (k == 1)
                hulls_check(c.points, c.count, &h, (uint32_t)(1 + (uint64_t)h.facet_count * c.count / 3000000));
            hull_free(&h);
            free(c.points);
        }
        print_message("%-18s signs per point: %.1f of 1,000, %.1f of 10,000, %.1f of 100,000\n", families[f].name,
                      per_point[0], per_point[1], per_point[2]);
    }
    hull_space_destroy(space);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_grid, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_million_of_one_point, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_million_on_a_line, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_million_on_a_plane, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_polygon_with_poles, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_lattice_on_a_sphere, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_growth, check_open_context, check_close_context),
        cmocka_unit_test(test_workers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
