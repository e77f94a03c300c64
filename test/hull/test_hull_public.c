/* Hulls through carom/convex.h: from points of both kinds and from meshes, what is refused, and memory that runs out.
 */
#include "carom/convex.h"
#include "support/each_failure.h"

#include <string.h>

static const double cube[9][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0.5, 0.5, 0.5},
                                  {0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {1, 1, 1}};

static void check_cube(const carom_hull *hull)
{
    carom_hull_info info = carom_hull_get_info(hull);
    assert_int_equal(info.dimension, 3);
    assert_int_equal(info.vertex_count, 8);
    assert_int_equal(info.facet_count, 12);
    check_near(info.volume, 1.0, 1e-15);
    check_near(info.area, 6.0, 1e-15);
    check_near(info.centre.x, 0.5, 1e-15);
    check_near(info.centre.y, 0.5, 1e-15);
    check_near(info.centre.z, 0.5, 1e-15);
    for (uint32_t i = 0; i < 8; i++)
    {
        uint32_t source = i < 4 ? i : i + 1;
        assert_int_equal(carom_hull_sources(hull)[i], source);
        assert_memory_equal(&carom_hull_vertices(hull)[i], cube[source], sizeof cube[source]);
    }
    for (uint32_t i = 0; i < 36; i++)
    {
        assert_true(carom_hull_facets(hull)[i] < 8);
        assert_true(carom_hull_neighbours(hull)[i] < 12);
    }
    bool inside;
    assert_int_equal(carom_hull_contains(hull, (carom_vec3){1.0, 0.3, 1.0}, &inside), CAROM_OK);
    assert_true(inside);
    assert_int_equal(carom_hull_contains(hull, (carom_vec3){nextafter(1.0, 2.0), 0.3, 1.0}, &inside), CAROM_OK);
    assert_false(inside);
}

static void test_points(void **state)
{
    carom_context *context = *state;
    carom_hull_def def = carom_hull_def_default();
    carom_hull *hull;
    def.points_f64 = cube[0], def.point_count = 9;
    assert_int_equal(carom_hull_create(context, &def, &hull), CAROM_OK);
    check_cube(hull);
    carom_hull_destroy(hull);

    float strided[9][5];
    for (int i = 0; i < 9; i++)
        for (int k = 0; k < 3; k++)
            strided[i][k] = (float)cube[i][k];
    def = carom_hull_def_default();
    def.points_f32 = strided[0], def.point_count = 9, def.point_stride = sizeof strided[0];
    assert_int_equal(carom_hull_create(context, &def, &hull), CAROM_OK);
    check_cube(hull);
    carom_hull_destroy(hull);
}

/* Vertices that no triangle uses do not count. */
static void test_mesh(void **state)
{
    carom_context *context = *state;
    const double vertices[6][3] = {{9, 9, 9}, {0, 0, 0}, {2, 0, 0}, {-9, 0, 0}, {0, 3, 0}, {0, 0, 4}};
    const uint32_t indices[6] = {1, 2, 4, 1, 4, 5};
    carom_mesh_def mesh_def = carom_mesh_def_default();
    mesh_def.vertices_f64 = vertices[0], mesh_def.vertex_count = 6;
    mesh_def.indices_u32 = indices, mesh_def.triangle_count = 2;
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_create(context, &mesh_def, &mesh), CAROM_OK);
    carom_hull_def def = carom_hull_def_default();
    def.mesh = mesh;
    carom_hull *hull;
    assert_int_equal(carom_hull_create(context, &def, &hull), CAROM_OK);
    carom_mesh_destroy(mesh);
    carom_hull_info info = carom_hull_get_info(hull);
    assert_int_equal(info.vertex_count, 4);
    assert_memory_equal(carom_hull_sources(hull), ((uint32_t[4]){1, 2, 4, 5}), 4 * sizeof(uint32_t));
    check_near(info.volume, 4.0, 1e-14);
    check_near(info.centre.x, 0.5, 1e-15);
    check_near(info.centre.y, 0.75, 1e-15);
    check_near(info.centre.z, 1.0, 1e-15);
    carom_hull_destroy(hull);
}

static void test_lower_dimensions(void **state)
{
    carom_context *context = *state;
    const double points[4][3] = {{0, 0, 0}, {2, 2, 0}, {1, 1, 0}, {0, 2, 0}};
    const int dimension[5] = {-1, 0, 1, 1, 2};
    const uint32_t vertex_count[5] = {0, 1, 2, 2, 3};
    const double area[5] = {0, 0, 0, 0, 4};
    for (uint32_t count = 0; count < 5; count++)
    {
        carom_hull_def def = carom_hull_def_default();
        def.points_f64 = points[0], def.point_count = count;
        carom_hull *hull;
        assert_int_equal(carom_hull_create(context, &def, &hull), CAROM_OK);
        carom_hull_info info = carom_hull_get_info(hull);
        assert_int_equal(info.dimension, dimension[count]);
        assert_int_equal(info.vertex_count, vertex_count[count]);
        assert_true(info.volume == 0.0);
        check_near(info.area, area[count], 1e-15);
        bool inside;
        assert_int_equal(carom_hull_contains(hull, (carom_vec3){0.5, 0.5, 0.0}, &inside), CAROM_OK);
        assert_int_equal(inside, count >= 2);
        assert_int_equal(carom_hull_contains(hull, (carom_vec3){0.0, 0.0, 0.0}, &inside), CAROM_OK);
        assert_int_equal(inside, count >= 1);
        assert_int_equal(carom_hull_contains(hull, (carom_vec3){0.5, 0.5, 0x1p-1074}, &inside), CAROM_OK);
        assert_false(inside);
        carom_hull_destroy(hull);
    }
}

static void expect_refusal(carom_context *context, const carom_hull_def *def, carom_status expected, const char *word)
{
    carom_hull *hull = (carom_hull *)1;
    char message[256];
    assert_int_equal(carom_hull_create(context, def, &hull), expected);
    assert_null(hull);
    carom_context_message(context, message, sizeof message);
    if (!strstr(message, word))
        fail_msg("\"%s\" does not have \"%s\"", message, word);
}

static void test_refusals(void **state)
{
    carom_context *context = *state;
    double points[9][3];
    memcpy(points, cube, sizeof points);
    carom_hull_def def = carom_hull_def_default();
    def.points_f64 = points[0], def.point_count = 9;
    points[6][1] = NAN;
    expect_refusal(context, &def, CAROM_NOT_FINITE, "point 6 ");
    points[6][1] = -INFINITY;
    expect_refusal(context, &def, CAROM_NOT_FINITE, "point 6 ");
    points[6][1] = 0x1.1p110;
    expect_refusal(context, &def, CAROM_OUT_OF_RANGE, "point 6 ");
    points[6][1] = 0x1p110;
    def.point_stride = 8;
    expect_refusal(context, &def, CAROM_INVALID_ARGUMENT, "stride");
    def.point_stride = 0, def.points_f32 = (const float *)1;
    expect_refusal(context, &def, CAROM_INVALID_ARGUMENT, "more than one");
    def.points_f32 = NULL, def.points_f64 = NULL;
    expect_refusal(context, &def, CAROM_INVALID_ARGUMENT, "null");
    def.points_f64 = points[0], def.point_count = SIZE_MAX;
    expect_refusal(context, &def, CAROM_TOO_LARGE, "at most");
    expect_refusal(context, NULL, CAROM_INVALID_ARGUMENT, "def");
    assert_int_equal(carom_hull_create(context, &def, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_hull_create(NULL, &def, NULL), CAROM_INVALID_ARGUMENT);

    carom_hull *hull;
    bool inside;
    def.point_count = 4;
    assert_int_equal(carom_hull_create(context, &def, &hull), CAROM_OK);
    assert_int_equal(carom_hull_contains(hull, (carom_vec3){NAN, 0, 0}, &inside), CAROM_NOT_FINITE);
    assert_int_equal(carom_hull_contains(hull, (carom_vec3){0, 0x1p111, 0}, &inside), CAROM_OUT_OF_RANGE);
    assert_int_equal(carom_hull_contains(hull, (carom_vec3){0, 0, 0}, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_hull_contains(NULL, (carom_vec3){0, 0, 0}, &inside), CAROM_INVALID_ARGUMENT);
    carom_hull_destroy(hull);
    carom_hull_destroy(NULL);
    assert_int_equal(carom_hull_get_info(NULL).dimension, -1);
}

static carom_status make_hull(carom_context *context, void *def)
{
    carom_hull *hull;
    carom_status status = carom_hull_create(context, def, &hull);
    assert_int_equal(!hull, status != CAROM_OK);
    carom_hull_destroy(hull);
    return status;
}

/* Each allocation fails in turn: nothing leaks, and the status says so. */
static void test_memory_that_runs_out(void **state)
{
    (void)state;
    enum
    {
        COUNT = 9000 /* enough for every phase, the order of many points included */
    };
    static double points[COUNT][3];
    check_random random = {1};
    for (int i = 0; i < COUNT; i++)
    {
        carom_vec3 p = check_random_point(&random, -1.0, 1.0);
        points[i][0] = p.x, points[i][1] = p.y, points[i][2] = p.z;
    }
    static const uint32_t counts[] = {0, 1, 2, 3, 9, 300, COUNT};
    for (size_t c = 0; c < 2 * (sizeof counts / sizeof *counts); c++)
    {
        failing memory = {0};
        carom_context *context = each_failure_context(&memory);
        for (int i = 0; i < COUNT && c == sizeof counts / sizeof *counts; i++)
            points[i][2] = 0.0; /* polygons */
        carom_hull_def def = carom_hull_def_default();
        def.points_f64 = points[0], def.point_count = counts[c % (sizeof counts / sizeof *counts)];
        assert_true(each_failure(&memory, context, 0, make_hull, &def) >= 3);
        carom_context_destroy(context);
        assert_int_equal(memory.blocks_out, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_points, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_mesh, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_lower_dimensions, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(test_refusals, check_open_context, check_close_context),
        cmocka_unit_test(test_memory_that_runs_out),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
