/* Surfaces that meet themselves: all pairs of triangles by brute force, in rational arithmetic. */
#include "carom/geoimage.h"

#include "support/each_failure.h"
#include "support/families.h"
#include "support/geoimage_models.h"
#include "support/oracle.h"

#include <stdlib.h>

enum
{
    SIDE = 9
};

/* ---- surfaces ---- */

typedef carom_vec3 surface_fn(uint32_t x, uint32_t y, check_random *random);

static carom_vec3 flat(uint32_t x, uint32_t y, check_random *random) { return (void)random, vec3(x, y, 0); }

/* A cloth with a fold like an S, which is uneven so that layers cross. */
static carom_vec3 folded(uint32_t x, uint32_t y, check_random *random)
{
    const double across[SIDE] = {0, 2, 4, 3, 1, 0.5, 2, 3, 5}, height[SIDE] = {0, 0, 0.5, 1, 1, 1.5, 2, 2, 2};
    return vec3(across[x], y, height[x] + check_uniform(random, -0.6, 0.6));
}

/* Folded flat: layers in one plane, on each other. */
static carom_vec3 coplanar(uint32_t x, uint32_t y, check_random *random)
{
    return (void)random, vec3(x < 5 ? x : 8.5 - x, y, 0);
}

/* The same with layers whose points coincide. */
static carom_vec3 doubled(uint32_t x, uint32_t y, check_random *random)
{
    return (void)random, vec3(x < 5 ? x : 8 - x, y, 0);
}

/* A tongue bent until a corner of it is on the surface; nothing else meets. */
static carom_vec3 at_a_point(uint32_t x, uint32_t y, check_random *random)
{
    const double across[SIDE] = {0, 1, 2, 3, 4, 5, 5, 4, 3}, height[SIDE] = {0, 0, 0, 0, 0, 0, 3, 3, 2};
    bool tip = x == 8 && y == 4;
    return (void)random, vec3(tip ? 2.5 : across[x], tip ? 4.25 : y, tip ? 0 : height[x]);
}

static carom_vec3 ring(uint32_t i)
{
    const double around[8][2] = {{4, 0}, {3, 3}, {0, 4}, {-3, 3}, {-4, 0}, {-3, -3}, {0, -4}, {3, -3}};
    return vec3(around[i % 8][0], around[i % 8][1], 0);
}

static carom_vec3 torus(uint32_t x, uint32_t y, check_random *random)
{
    carom_vec3 big = ring(x), small = ring(y);
    double radius = 3 + small.x / 4;
    return (void)random, vec3(big.x * radius, big.y * radius, small.y);
}

static carom_vec3 squeezed_torus(uint32_t x, uint32_t y, check_random *random)
{
    carom_vec3 p = torus(x, y, random);
    return vec3(p.x, p.y, 0);
}

/* Squeezed until top and bottom have changed places in part. */
static carom_vec3 turned_torus(uint32_t x, uint32_t y, check_random *random)
{
    carom_vec3 p = torus(x, y, random);
    return vec3(p.x, p.y, p.z * ((int)(x % 8) - 3));
}

/* With poles: one side of the first and the last row is a point. */
static carom_vec3 sphere(uint32_t x, uint32_t y, check_random *random)
{
    const double height[SIDE] = {-8, -7, -5, -3, 0, 3, 5, 7, 8}, radius[SIDE] = {0, 0.5, 1, 1.25, 1.5, 1.25, 1, 0.5, 0};
    carom_vec3 p = ring(x);
    return (void)random, vec3(p.x * radius[y], p.y * radius[y], height[y]);
}

/* Points, segments and all the ways to touch. */
static carom_vec3 scattered(uint32_t x, uint32_t y, check_random *random)
{
    carom_vec3 p = check_random_grid_point(random, 3);
    return vec3(x + p.x, y + p.y, p.z);
}

static carom_geoimage *make_surface(carom_context *context, surface_fn *surface, uint64_t seed)
{
    carom_vec3 points[SIDE * SIDE];
    check_random random = {seed};
    for (uint32_t i = 0; i < SIDE * SIDE; i++)
        points[i] = surface(i % SIDE, i / SIDE, &random);
    carom_geoimage *image;
    assert_int_equal(carom_geoimage_create_grid(context, SIDE, SIDE, points, &image), CAROM_OK);
    return image;
}

/* ---- brute force ---- */

typedef struct corner
{
    uint32_t chart, point;
    bool on_rim;
    carom_vec3 position;
} corner;

static void corners_of(const carom_geoimage *image, uint32_t chart, uint32_t triangle, corner out[3])
{
    carom_geoimage_chart info;
    assert_int_equal(carom_geoimage_get_chart(image, chart, &info), CAROM_OK);
    uint32_t cell = triangle / 2, x = cell % (info.width - 1), y = cell / (info.width - 1), at = y * info.width + x;
    const uint32_t points[2][3] = {{at, at + 1, at + info.width + 1}, {at, at + info.width + 1, at + info.width}};
    for (int k = 0; k < 3; k++)
    {
        uint32_t point = points[triangle % 2][k], i = point % info.width, j = point / info.width;
        bool on_rim = i == 0 || j == 0 || i == info.width - 1 || j == info.height - 1;
        out[k] = (corner){chart, point, on_rim, info.points[point]};
    }
}

static uint32_t triangles_of(const carom_geoimage *image, uint32_t chart)
{
    carom_geoimage_chart info;
    assert_int_equal(carom_geoimage_get_chart(image, chart, &info), CAROM_OK);
    return 2 * (info.width - 1) * (info.height - 1);
}

static uint32_t true_meeting(oracle *o, const corner a[3], const corner b[3])
{
    uint32_t shared = 0;
    narrow_triangle pair[2];
    for (int i = 0; i < 9; i++)
    {
        const corner *p = &a[i / 3], *q = &b[i % 3];
        bool same = p->chart == q->chart && p->point == q->point;
        bool seam = p->on_rim && q->on_rim && vec3_equal(p->position, q->position);
        shared |= (uint32_t)(same || seam) << i;
        pair[0].corner[i / 3] = p->position, pair[1].corner[i % 3] = q->position;
    }
    return oracle_meets_beyond(o, pair, shared) ? oracle_meet(o, &pair[0], &pair[1]).meeting : CAROM_MEET_NONE;
}

/* Returns how many pairs there are. */
static size_t check_image(const carom_geoimage *image, const char *name)
{
    oracle *o = oracle_create();
    carom_geoimage_self_result result;
    assert_int_equal(carom_geoimage_self(image, &result), CAROM_OK);
    uint32_t charts = carom_geoimage_get_info(image).chart_count;
    size_t found = 0, tested = 0, count = result.pair_count;
    for (uint32_t i = 0; i < charts; i++)
        for (uint32_t a = 0; a < triangles_of(image, i); a++)
            for (uint32_t j = i; j < charts; j++)
                for (uint32_t b = i == j ? a + 1 : 0; b < triangles_of(image, j); b++, tested++)
                {
                    corner p[3], q[3];
                    corners_of(image, i, a, p), corners_of(image, j, b, q);
                    uint32_t meeting = true_meeting(o, p, q);
                    if (meeting == CAROM_MEET_NONE)
                        continue;
                    if (found == count)
                        fail_msg("%s: %u %u and %u %u are missing", name, i, a, j, b);
                    carom_geoimage_pair pair = result.pairs[found++];
                    assert_true(pair.chart_a == i && pair.triangle_a == a && pair.chart_b == j && pair.triangle_b == b);
                    assert_int_equal(pair.meeting, meeting);
                }
    assert_int_equal(found, count);
    print_message("%s: %zu of %zu pairs, %llu boxes and %llu triangles tested\n", name, count, tested,
                  (unsigned long long)result.box_tests, (unsigned long long)result.triangle_tests);
    carom_geoimage_self_free(&result);
    assert_null(result.pairs);
    oracle_destroy(o);
    return count;
}

static size_t check_surface(void **state, surface_fn *surface, const char *name, uint64_t seed)
{
    carom_geoimage *image = make_surface(*state, surface, seed);
    size_t count = check_image(image, name);
    carom_geoimage_destroy(image);
    return count;
}

static void surfaces_that_do_not_meet_themselves(void **state)
{
    assert_int_equal(check_surface(state, flat, "flat", 1), 0);
    assert_int_equal(check_surface(state, torus, "torus", 1), 0);
    assert_int_equal(check_surface(state, sphere, "sphere", 1), 0);
}

static void surfaces_that_do(void **state)
{
    size_t sum = 0;
    for (uint64_t seed = 1; seed <= 5; seed++)
        sum += check_surface(state, folded, "folded", seed);
    assert_true(sum > 40);
    assert_true(check_surface(state, coplanar, "coplanar", 1) > 100);
    assert_true(check_surface(state, doubled, "doubled", 1) > 100);
    assert_true(check_surface(state, squeezed_torus, "squeezed torus", 1) > 100);
    assert_true(check_surface(state, turned_torus, "turned torus", 1) > 10);
    for (uint64_t seed = 1; seed <= 5; seed++)
        assert_true(check_surface(state, scattered, "scattered", seed) > 100);
}

/* The tip is inside one triangle: all triangles around the tip touch it, and nothing else does. */
static void one_point_is_enough(void **state)
{
    carom_geoimage *image = make_surface(*state, at_a_point, 1);
    carom_geoimage_self_result result;
    assert_int_equal(check_image(image, "at a point"), 3);
    assert_int_equal(carom_geoimage_self(image, &result), CAROM_OK);
    for (size_t i = 0; i < result.pair_count; i++)
    {
        assert_int_equal(result.pairs[i].meeting, CAROM_MEET_TOUCHING);
        assert_true(result.pairs[i].triangle_a == 2 * (4 * 8 + 2) || result.pairs[i].triangle_b == 2 * (4 * 8 + 2));
    }
    carom_geoimage_self_free(&result);
    carom_geoimage_destroy(image);
}

/* Images of meshes, with seams and several charts. Where a cut ends in a corner of the image, the two triangles of that
 * cell are one, twice. */
static void images_of_meshes(void **state)
{
    for (int i = 0; i < GEOIMAGE_MODELS; i++)
    {
        const geoimage_model *model = &geoimage_models[i];
        if (model->genus > 2)
            continue;
        carom_mesh *mesh = geoimage_model_mesh(*state, model);
        carom_geoimage_def def = carom_geoimage_def_default();
        carom_geoimage *image;
        def.width = def.height = 13;
        assert_int_equal(carom_geoimage_create(*state, mesh, &def, &image), CAROM_OK);
        check_image(image, model->name);
        carom_geoimage_destroy(image);
        carom_mesh_destroy(mesh);
    }
}

/* ---- workers, memory, arguments ---- */

static void workers_make_no_difference(void **state)
{
    (void)state;
    carom_geoimage_self_result expected = {0};
    carom_context *contexts[5];
    for (uint32_t i = 0; i < 5; i++)
    {
        carom_context_def def = carom_context_def_default();
        def.workers = i;
        assert_int_equal(carom_context_create(&def, &contexts[i]), CAROM_OK);
        carom_geoimage *image = make_surface(contexts[i], scattered, 3);
        carom_geoimage_self_result result;
        assert_int_equal(carom_geoimage_self(image, &result), CAROM_OK);
        carom_geoimage_destroy(image);
        if (i == 0)
        {
            expected = result;
            continue;
        }
        assert_int_equal(result.pair_count, expected.pair_count);
        assert_memory_equal(result.pairs, expected.pairs, result.pair_count * sizeof *result.pairs);
        assert_true(result.box_tests == expected.box_tests && result.triangle_tests == expected.triangle_tests);
        carom_geoimage_self_free(&result);
    }
    carom_geoimage_self_free(&expected);
    for (uint32_t i = 0; i < 5; i++)
        carom_context_destroy(contexts[i]);
}

static carom_status search_once(carom_context *context, void *image)
{
    (void)context;
    carom_geoimage_self_result result;
    carom_status status = carom_geoimage_self(image, &result);
    carom_geoimage_self_free(&result);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    failing memory = {0};
    carom_context *context = each_failure_context(&memory);
    carom_geoimage *image = make_surface(context, scattered, 3);
    assert_true(each_failure(&memory, context, 0, search_once, image) > 8);
    carom_geoimage_destroy(image);
    carom_context_destroy(context);
}

static void odd_arguments(void **state)
{
    carom_geoimage_self_result result;
    assert_int_equal(carom_geoimage_self(NULL, &result), CAROM_INVALID_ARGUMENT);
    carom_mesh_def def = carom_mesh_def_default();
    carom_geoimage_def image_def = carom_geoimage_def_default();
    carom_mesh *empty;
    carom_geoimage *image;
    assert_int_equal(carom_mesh_create(*state, &def, &empty), CAROM_OK);
    assert_int_equal(carom_geoimage_create(*state, empty, &image_def, &image), CAROM_OK);
    assert_int_equal(carom_geoimage_self(image, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_geoimage_self(image, &result), CAROM_OK);
    assert_int_equal(result.pair_count, 0);
    carom_geoimage_self_free(&result);
    carom_geoimage_self_free(NULL);
    carom_geoimage_destroy(image);
    carom_mesh_destroy(empty);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, check_open_context, check_close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(surfaces_that_do_not_meet_themselves),
        WITH_CONTEXT(surfaces_that_do),
        WITH_CONTEXT(one_point_is_enough),
        WITH_CONTEXT(images_of_meshes),
        cmocka_unit_test(workers_make_no_difference),
        cmocka_unit_test(every_allocation_may_fail),
        WITH_CONTEXT(odd_arguments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
