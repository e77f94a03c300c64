/* Patches as callers see them: spheres and tori as NURBS, ends, seams and poles, needles, the image, bad input,
 * failures.
 */
#include "carom/patch.h"

#include "base/base.h"
#include "engine/devices.h"
#include "math/math.h"
#include "support/check.h"
#include "support/failing.h"

#include <stdlib.h>
#include <string.h>

static carom_patch *make(carom_context *context, const carom_patch_def *def)
{
    carom_patch *patch = NULL;
    assert_int_equal(carom_patch_create(context, def, &patch), CAROM_OK);
    return patch;
}

static carom_patch_sample sample_at(const carom_patch *patch, double u, double v)
{
    carom_patch_sample sample;
    assert_int_equal(carom_patch_evaluate(patch, u, v, &sample), CAROM_OK);
    return sample;
}

static carom_geoimage *make_image(carom_context *context, const carom_patch_def *def, uint32_t width, uint32_t height)
{
    carom_patch *patch = make(context, def);
    carom_geoimage *image = NULL;
    assert_int_equal(carom_geoimage_create_patch(context, patch, width, height, &image), CAROM_OK);
    carom_patch_destroy(patch);
    return image;
}

static carom_geoimage_chart chart_of(const carom_geoimage *image)
{
    carom_geoimage_chart chart;
    assert_int_equal(carom_geoimage_get_chart(image, 0, &chart), CAROM_OK);
    return chart;
}

static void assert_same_point(const void *a, const void *b) { assert_memory_equal(a, b, sizeof(carom_vec3)); }

/* ---- surfaces of revolution, without rounding: a quarter of a circle has the weights 1, 1, 2 or 2, 1, 1 ---- */

static const double circle_knots[] = {0, 0, 0, 1, 1, 2, 2, 3, 3, 4, 4, 4};
static const double circle_x[] = {1, 1, 0, -1, -1, -1, 0, 1, 1}, circle_y[] = {0, 1, 1, 1, 0, -1, -1, -1, 0};
static const double circle_weight[] = {1, 1, 2, 1, 1, 1, 2, 1, 1};
static const double half_knots[] = {0, 0, 0, 1, 1, 2, 2, 2};
/* From pole to pole. */
static const double half_r[] = {0, 1, 1, 1, 0}, half_z[] = {-1, -1, 0, 1, 1}, half_weight[] = {1, 1, 2, 1, 1};

typedef struct profile
{
    const double *r, *z, *weight, *knots;
    uint32_t count;
    double radius; /* added to r */
} profile;

typedef struct revolved
{
    carom_patch_def def;
    carom_vec3 points[81];
    double weights[81];
} revolved;

static void revolve(const profile *p, revolved *out)
{
    for (uint32_t j = 0; j < p->count; j++)
        for (int i = 0; i < 9; i++)
        {
            double r = p->r[j] + p->radius;
            out->points[j * 9 + i] = vec3(r * circle_x[i], r * circle_y[i], p->z[j]);
            out->weights[j * 9 + i] = p->weight[j] * circle_weight[i];
        }
    out->def = (carom_patch_def){.u = {.degree = 2, .count = 9, .knots = circle_knots},
                                 .v = {.degree = 2, .count = p->count, .knots = p->knots},
                                 .points = out->points,
                                 .weights = out->weights};
}

static const profile sphere = {half_r, half_z, half_weight, half_knots, 5, 0};
static const profile torus = {circle_x, circle_y, circle_weight, circle_knots, 9, 3};

static void spheres_are_round(void **state)
{
    enum
    {
        WIDTH = 41,
        HEIGHT = 29
    };
    revolved r;
    revolve(&sphere, &r);
    carom_geoimage *image = make_image(*state, &r.def, WIDTH, HEIGHT);
    carom_geoimage_chart chart = chart_of(image);
    double bound = 24 * 5 * 0x1p-53 * sqrt(3);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
    {
        uint32_t x = i % WIDTH, y = i / WIDTH;
        check_near(vec3_length(chart.points[i]), 1, bound + 0x1p-51);
        bool pole = y == 0 || y == HEIGHT - 1;
        check_near(vec3_dot(chart.points[i], chart.normals[i]), 1, pole ? 0.01 : 1e-13);
        check_near(vec3_length(chart.normals[i]), 1, 1e-15);
        if (pole)
            assert_true(vec3_equal(chart.points[i], vec3(0, 0, y == 0 ? -1 : 1)));
        if (x == WIDTH - 1)
            assert_same_point(&chart.points[i], &chart.points[i - x]);
    }
    carom_geoimage_destroy(image);
}

static void tori_close_both_ways(void **state)
{
    enum
    {
        WIDTH = 38,
        HEIGHT = 23
    };
    revolved r;
    revolve(&torus, &r);
    carom_geoimage *image = make_image(*state, &r.def, WIDTH, HEIGHT);
    carom_geoimage_chart chart = chart_of(image);
    for (uint32_t i = 0; i < WIDTH * HEIGHT; i++)
    {
        carom_vec3 p = chart.points[i];
        /* The ring is 3 from the axis; coordinates are up to 4. */
        double from_axis = sqrt(p.x * p.x + p.y * p.y), across = from_axis - 3;
        check_near(sqrt(across * across + p.z * p.z), 1, (24 * 5 * 4 * 3 + 64) * 0x1p-53);
        carom_vec3 outside = vec3(across * p.x / from_axis, across * p.y / from_axis, p.z);
        check_near(vec3_dot(outside, chart.normals[i]), 1, 1e-12);
    }
    for (uint32_t y = 0; y < HEIGHT; y++)
        assert_same_point(&chart.points[y * WIDTH], &chart.points[y * WIDTH + WIDTH - 1]);
    for (uint32_t x = 0; x < WIDTH; x++)
        assert_same_point(&chart.points[x], &chart.points[(HEIGHT - 1) * WIDTH + x]);
    carom_geoimage_destroy(image);
}

/* ---- ends, seams, inner knots ---- */

static void random_points(uint64_t seed, carom_vec3 *points, double *weights, uint32_t count)
{
    check_random random = {seed};
    for (uint32_t i = 0; i < count; i++)
    {
        points[i] = check_random_point(&random, -1, 1);
        weights[i] = check_uniform(&random, 0.1, 7);
    }
}

static void corners_are_control_points(void **state)
{
    carom_vec3 points[81];
    double weights[81];
    for (uint32_t degree = 1; degree <= 8; degree++)
        for (int rational = 0; rational <= 1; rational++)
        {
            random_points(degree, points, weights, 81);
            carom_patch_axis_def axis = {.degree = degree, .count = 9};
            carom_patch_def def = {.u = axis, .v = axis, .points = points, .weights = rational ? weights : NULL};
            carom_geoimage *image = make_image(*state, &def, 6, 5);
            carom_geoimage_chart chart = chart_of(image);
            assert_same_point(&chart.points[0], &points[0]);
            assert_same_point(&chart.points[5], &points[8]);
            assert_same_point(&chart.points[24], &points[72]);
            assert_same_point(&chart.points[29], &points[80]);
            carom_geoimage_destroy(image);
        }
}

/* Knots that are not clamped, with the first control points again at the end: a tube. */
static void periodic_patches_close(void **state)
{
    static const double uneven[] = {0, 1, 1, 3, 4, 4.5, 6, 7, 7, 9, 10, 10.5, 12, 13, 13, 15};
    for (uint32_t degree = 1; degree <= 5; degree++)
        for (uint32_t even = degree == 1; even <= 1; even++) /* degree 1 jumps where a knot is there twice */
        {
            carom_vec3 points[60];
            double weights[60], knots[17];
            uint32_t count = 6 + degree;
            random_points(100 + degree, points, weights, 60);
            for (uint32_t i = 0; i < 4 * count; i++)
                if (i % count >= 6)
                    points[i] = points[i - 6], weights[i] = weights[i - 6];
            for (uint32_t i = 0; i <= count + degree; i++)
                knots[i] = even ? i : i < 16 ? uneven[i] : uneven[i - 6] + 6;
            carom_patch_def def = {.u = {.degree = degree, .count = count, .knots = knots},
                                   .v = {.degree = 3, .count = 4},
                                   .points = points,
                                   .weights = weights};
            carom_geoimage *image = make_image(*state, &def, 20, 9);
            carom_geoimage_chart chart = chart_of(image);
            for (uint32_t y = 0; y < 9; y++)
                assert_same_point(&chart.points[y * 20], &chart.points[y * 20 + 19]);
            if (degree >= 3 - even) /* fewer knots there than degree, so it is smooth */
                for (uint32_t y = 0; y < 9; y++)
                    assert_same_point(&chart.normals[y * 20], &chart.normals[y * 20 + 19]);
            carom_geoimage_destroy(image);
        }
}

static void repeated_inner_knots_meet_or_jump(void **state)
{
    static const double meeting[] = {0, 0, 0, 0, 1, 1, 1, 2, 2, 2, 2};
    static const double jumping[] = {0, 0, 0, 0, 1, 1, 1, 1, 2, 2, 2, 2};
    carom_vec3 points[32];
    double weights[32];
    random_points(11, points, weights, 32);
    carom_patch_def def = carom_patch_def_default();
    def.points = points, def.weights = weights;
    def.u.count = 7, def.u.knots = meeting;
    carom_patch *patch = make(*state, &def);
    carom_vec3 middle = sample_at(patch, 1, 0).position;
    assert_same_point(&middle, &points[3]);
    carom_patch_destroy(patch);
    def.u.count = 8, def.u.knots = jumping;
    patch = make(*state, &def);
    carom_vec3 before = sample_at(patch, 1 - 0x1p-53, 0).position;
    middle = sample_at(patch, 1, 0).position;
    assert_same_point(&middle, &points[4]);
    assert_true(vec3_length(vec3_sub(before, points[3])) < 1e-13);
    carom_patch_destroy(patch);
}

/* ---- the image ---- */

static void images_are_samples_on_any_number_of_workers(void **state)
{
    (void)state;
    revolved r;
    revolve(&sphere, &r);
    for (uint32_t workers = 0; workers <= 4; workers++)
    {
        carom_context_def def = carom_context_def_default();
        def.workers = workers;
        carom_context *context;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        carom_geoimage *image = make_image(context, &r.def, 65, 50);
        carom_geoimage_chart chart = chart_of(image);
        carom_patch *patch = make(context, &r.def);
        for (uint32_t i = 0; i < 65 * 50; i++)
        {
            carom_patch_sample sample = sample_at(patch, 4 * (i % 65 / 64.0), 2 * (i / 65 / 49.0));
            assert_same_point(&chart.points[i], &sample.position);
            if (i >= 65 && i < 65 * 49)
                assert_same_point(&chart.normals[i], &sample.normal);
            else
                assert_true(vec3_equal(sample.normal, vec3(0, 0, 0)));
        }
        carom_geoimage_info info = carom_geoimage_get_info(image);
        assert_int_equal(info.chart_count, 1);
        assert_int_equal(info.point_count, 65 * 50);
        carom_patch_destroy(patch), carom_geoimage_destroy(image);
        carom_context_destroy(context);
    }
}

static void images_become_meshes(void **state)
{
    revolved r;
    revolve(&torus, &r);
    carom_geoimage *image = make_image(*state, &r.def, 9, 9);
    carom_mesh *mesh;
    assert_int_equal(carom_geoimage_mesh(image, 0, &mesh), CAROM_OK);
    assert_int_equal(carom_mesh_get_info(mesh).triangle_count, 2 * 8 * 8);
    carom_mesh_destroy(mesh);
    carom_geoimage_destroy(image);
}

/* ---- bad input ---- */

static void refuse(carom_context *context, const carom_patch_def *def, carom_status expected, const char *words)
{
    char message[256];
    carom_patch *patch = (carom_patch *)context;
    assert_int_equal(carom_patch_create(context, def, &patch), expected);
    assert_null(patch);
    carom_context_message(context, message, sizeof message);
    if (!strstr(message, words))
        fail_msg("\"%s\" does not mention \"%s\"", message, words);
}

static void bad_axes_are_named(void **state)
{
    carom_vec3 points[20] = {0};
    double knots[9] = {0, 0, 0, 0, 1, 2, 2, 2, 2}; /* 5 control points */
    carom_patch_def good = carom_patch_def_default(), def;
    good.u.count = 5, good.u.knots = knots, good.points = points;
    carom_patch_destroy(make(*state, &good));
    def = good, def.u.degree = 0, refuse(*state, &def, CAROM_OUT_OF_RANGE, "degree 0 in u");
    def = good, def.v.degree = 16, refuse(*state, &def, CAROM_OUT_OF_RANGE, "degree 16 in v");
    def = good, def.v.count = 3, refuse(*state, &def, CAROM_OUT_OF_RANGE, "3 control points in v");
    def = good, def.u.count = CAROM_PATCH_MAX_COUNT + 1;
    refuse(*state, &def, CAROM_OUT_OF_RANGE, "16385 control points in u");
    knots[4] = NAN, refuse(*state, &good, CAROM_NOT_FINITE, "knot u[4]");
    knots[4] = -INFINITY, refuse(*state, &good, CAROM_NOT_FINITE, "knot u[4]");
    knots[4] = 1, knots[8] = 0x1.1p100, refuse(*state, &good, CAROM_OUT_OF_RANGE, "knot u[8]");
    knots[8] = 2, knots[4] = -1, refuse(*state, &good, CAROM_BAD_DATA, "knot u[4], -1, is less than");
    knots[4] = 3, refuse(*state, &good, CAROM_BAD_DATA, "knot u[5], 2, is less than");
    knots[4] = 0, refuse(*state, &good, CAROM_BAD_DATA, "knot u[4], 0, is there more than degree + 1 = 4 times");
    knots[4] = 2, refuse(*state, &good, CAROM_BAD_DATA, "knot u[8], 2, is there more than");
    const double empty[] = {0, 1, 1, 1, 1, 3, 4, 5}; /* 4 control points: the domain is from knot 3 to 4 */
    knots[4] = 1, def = good, def.v.knots = empty;
    refuse(*state, &def, CAROM_BAD_DATA, "the domain is empty: knots v[3] and v[4] are both 1");
}

static void bad_points_are_named(void **state)
{
    carom_vec3 points[20] = {0};
    double weights[20];
    carom_patch_def def = carom_patch_def_default();
    def.u.count = 5, def.points = points, def.weights = weights;
    for (int i = 0; i < 20; i++)
        weights[i] = 1;
    points[13].y = NAN, refuse(*state, &def, CAROM_NOT_FINITE, "control point (3, 2): a coordinate");
    points[13].y = 0x1.1p99, refuse(*state, &def, CAROM_OUT_OF_RANGE, "control point (3, 2): a coordinate");
    points[13].y = 0x1p99;
    const double bad[] = {0, -1, 0x1p-101, 0x1p101};
    for (int i = 0; i < 4; i++)
        weights[19] = bad[i], refuse(*state, &def, CAROM_OUT_OF_RANGE, "control point (4, 3): its weight");
    weights[19] = NAN, refuse(*state, &def, CAROM_NOT_FINITE, "control point (4, 3): its weight");
    weights[19] = INFINITY, refuse(*state, &def, CAROM_NOT_FINITE, "control point (4, 3): its weight");
    def.points = NULL, refuse(*state, &def, CAROM_INVALID_ARGUMENT, "no control points");
    refuse(*state, NULL, CAROM_INVALID_ARGUMENT, "no def");
}

static void bad_questions_are_answered(void **state)
{
    revolved r;
    revolve(&torus, &r);
    carom_patch *patch = make(*state, &r.def), *none;
    carom_patch_sample sample;
    carom_geoimage *image;
    assert_int_equal(carom_patch_evaluate(patch, -0x1p-1074, 0, &sample), CAROM_OUT_OF_RANGE);
    assert_int_equal(carom_patch_evaluate(patch, 0, 4.5, &sample), CAROM_OUT_OF_RANGE);
    assert_int_equal(carom_patch_evaluate(patch, 0, NAN, &sample), CAROM_NOT_FINITE);
    assert_int_equal(carom_patch_evaluate(patch, 0, 0, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_patch_evaluate(NULL, 0, 0, &sample), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_geoimage_create_patch(*state, patch, 1, 5, &image), CAROM_OUT_OF_RANGE);
    assert_int_equal(carom_geoimage_create_patch(*state, patch, 5, 16386, &image), CAROM_OUT_OF_RANGE);
    assert_int_equal(carom_geoimage_create_patch(*state, NULL, 5, 5, &image), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_geoimage_create_patch(NULL, patch, 5, 5, &image), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_patch_create(NULL, &r.def, &none), CAROM_INVALID_ARGUMENT);
    carom_patch_info info = carom_patch_get_info(patch);
    assert_true(info.u_min == 0 && info.u_max == 4 && info.v_min == 0 && info.v_max == 4);
    assert_true(info.bytes >= 81 * 32 + 24 * 8);
    assert_true(carom_patch_get_info(NULL).bytes == 0);
    carom_patch_destroy(patch);
    carom_patch_destroy(NULL);
}

/* ---- needles ---- */

/* Control point (i, j) is at (i u, j v, i j bend), or at i u along (1, 2, -1). */
typedef struct needle
{
    const char *name;
    double u, v, bend;
    bool on_a_line;
} needle;

enum
{
    NEEDLE_WIDTH = 7, /* brute force takes exact arithmetic for most pairs */
    NEEDLE_HEIGHT = 4
};

/* Its points are in the box of its control points, and normals are of unit length or zero. */
static carom_mesh *needle_mesh(carom_context *context, const needle *shape)
{
    carom_vec3 points[16];
    carom_patch_def def = carom_patch_def_default();
    double weights[16];
    for (int k = 0; k < 16; k++)
    {
        double i = k % 4, j = (double)(k / 4);
        points[k] = shape->on_a_line ? vec3((i + j) * shape->u, 2 * (i + j) * shape->u, -(i + j) * shape->u)
                                     : vec3(i * shape->u, j * shape->v, i * j * shape->bend);
        weights[k] = 1 + k % 3;
    }
    def.points = points, def.weights = weights;
    carom_geoimage *image = make_image(context, &def, NEEDLE_WIDTH, NEEDLE_HEIGHT);
    carom_geoimage_chart chart = chart_of(image);
    carom_vec3 end = vec3_add(points[15], vec3_scale(points[15], 1e-13)); /* the farthest in all coordinates */
    for (int k = 0; k < NEEDLE_WIDTH * NEEDLE_HEIGHT; k++)
    {
        carom_vec3 p = chart.points[k];
        double length = vec3_length(chart.normals[k]);
        assert_true(p.x >= 0 && p.x <= end.x && p.y >= 0 && p.y <= end.y);
        assert_true(shape->on_a_line ? p.z <= 0 && p.z >= end.z : p.z >= 0 && p.z <= end.z);
        assert_true(length == 0 || fabs(length - 1) < 1e-15);
    }
    carom_mesh *mesh;
    assert_int_equal(carom_geoimage_mesh(image, 0, &mesh), CAROM_OK);
    carom_geoimage_destroy(image);
    return mesh;
}

/* A patch that is a segment, a point, thinner than a double can say, or so small that products of lengths vanish: the
 * engines that search grids find what brute force finds: the needle and itself, shifted along, and a box at its end. */
static void needles_are_searched(void **state)
{
    static const needle needles[] = {{"segment", 1, 0, 0, true},
                                     {"one point", 0, 0, 0, false},
                                     {"long and thin", 1e9, 1e-9, 0, false},
                                     {"long, thin and bent", 1e9, 1e-9, 1e-9, false},
                                     {"thin as one part in 1e300", 1, 1e-300, 0, false},
                                     {"tiny", 1e-300, 1e-300, 1e-300, false},
                                     {"subnormal", 0x1p-1070, 0x1p-1072, 0, false},
                                     {"subnormal segment", 0x1p-1070, 0, 0, true}};
    (void)state;
    for (size_t i = 0; i < sizeof needles / sizeof *needles; i++)
    {
        crowd c = crowd_open();
        double u = needles[i].u > 0 ? needles[i].u : 1, v = fmax(needles[i].v, 0x1p-1074);
        add_mesh(&c, needle_mesh(c.w.context, &needles[i]), carom_pose_identity());
        add_mesh(&c, needle_mesh(c.w.context, &needles[i]), carom_pose_translation(0.5 * needles[i].u, 0, 0));
        add_mesh(&c, needle_mesh(c.w.context, &needles[i]), carom_pose_identity());
        add_mesh(&c, world_box(&c.w, -u, -v, -u, 0.75 * u, v, 0.75 * u), carom_pose_identity());
        uint64_t pairs = compare_crowd(&c, i % 3 == 0); /* on all devices, or on the processor */
        print_message("%s: %llu pairs\n", needles[i].name, (unsigned long long)pairs);
        assert_true(pairs > 0);
        crowd_close(&c);
    }
}

static void allocations_may_fail(void **state)
{
    (void)state;
    failing memory = {0};
    carom_context *context;
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    revolved r;
    revolve(&sphere, &r);
    uint64_t before = memory.blocks_out, fails = 0;
    for (bool failed = true; failed; fails += failed)
    {
        carom_patch *patch = NULL;
        carom_geoimage *image = NULL;
        failing_arm(&memory, fails + 1);
        carom_status status = carom_patch_create(context, &r.def, &patch);
        if (status == CAROM_OK)
            status = carom_geoimage_create_patch(context, patch, 9, 9, &image);
        failed = memory.failed;
        assert_int_equal(status, failed ? CAROM_OUT_OF_MEMORY : CAROM_OK);
        assert_true(failed == !image);
        carom_geoimage_destroy(image), carom_patch_destroy(patch);
        assert_int_equal(memory.blocks_out, before);
    }
    assert_int_equal(fails, 5 + 6);
    carom_context_destroy(context);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, check_open_context, check_close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(spheres_are_round),
        WITH_CONTEXT(tori_close_both_ways),
        WITH_CONTEXT(corners_are_control_points),
        WITH_CONTEXT(periodic_patches_close),
        WITH_CONTEXT(repeated_inner_knots_meet_or_jump),
        cmocka_unit_test(images_are_samples_on_any_number_of_workers),
        WITH_CONTEXT(images_become_meshes),
        WITH_CONTEXT(bad_axes_are_named),
        WITH_CONTEXT(bad_points_are_named),
        WITH_CONTEXT(bad_questions_are_answered),
        cmocka_unit_test(needles_are_searched),
        cmocka_unit_test(allocations_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
