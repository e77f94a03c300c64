/* Geometry images of odd meshes: of any topology, without area, in very many parts, in any unit. */
#include "base/base.h"
#include "geoimage/image.h"
#include "support/shapes_odd.h"

#include <stdlib.h>
#include <string.h>

/* Every triangle is listed somewhere, and no point is outside what the mesh spans. */
static void check_is_complete(const carom_geoimage *image, const carom_mesh *mesh)
{
    carom_mesh_info info = carom_mesh_get_info(mesh);
    carom_geoimage_info summary = carom_geoimage_get_info(image);
    bool *seen = calloc(info.triangle_count + 1, sizeof *seen);
    assert_non_null(seen);
    for (uint32_t c = 0; c < summary.chart_count; c++)
    {
        carom_geoimage_chart chart = image_chart(image, c);
        image_check_seams(&chart);
        for (uint32_t i = 0; i < chart.width * chart.height; i++)
        {
            carom_vec3 p = chart.points[i];
            assert_true(p.x >= info.bounds.min.x - 1e-9 && p.x <= info.bounds.max.x + 1e-9);
            assert_true(p.z >= info.bounds.min.z - 1e-9 && p.z <= info.bounds.max.z + 1e-9);
        }
        for (uint32_t cell = 0; cell < (chart.width - 1) * (chart.height - 1); cell++)
        {
            uint32_t count;
            const uint32_t *list = carom_geoimage_cell(image, c, cell, &count);
            assert_true(count > 0);
            for (uint32_t i = 0; i < count; i++)
                seen[list[i]] = true;
        }
    }
    for (uint32_t t = 0; t < info.triangle_count; t++)
        assert_true(seen[t]);
    free(seen);
}

static carom_geoimage_info info_of_odd(carom_context *context, const odd_shape *shape)
{
    carom_mesh *mesh = odd_mesh(context, shape);
    carom_geoimage *image = image_make(context, mesh, 33);
    carom_geoimage_info info = carom_geoimage_get_info(image);
    check_is_complete(image, mesh);
    carom_geoimage_destroy(image);
    carom_mesh_destroy(mesh);
    return info;
}

static void odd_meshes_get_images(void **state)
{
    static odd_shape shape;
    /* five triangles at one edge: each a chart of its own */
    shape.count = 0, odd_fan(&shape);
    carom_geoimage_info info = info_of_odd(*state, &shape);
    assert_int_equal(info.chart_count, 5);
    assert_int_equal(info.split_edge_count, 1);
    /* a bow tie: two triangles at one vertex */
    shape.count = 0;
    odd_add(&shape, (carom_vec3){0, 0, 0}, (carom_vec3){1, 0, 0}, (carom_vec3){1, 1, 0});
    odd_add(&shape, (carom_vec3){0, 0, 0}, (carom_vec3){-1, -1, 0}, (carom_vec3){-1, 0, 0});
    assert_int_equal(info_of_odd(*state, &shape).chart_count, 2);
    /* two triangles that share an edge */
    shape.count = 0, odd_grid(&shape, 1, 1);
    info = info_of_odd(*state, &shape);
    assert_int_equal(info.chart_count, 1);
    assert_true(info.error.to_image < 0.2);
    /* back to back: a closed surface of two triangles */
    shape.count = 0;
    odd_add(&shape, (carom_vec3){0, 0, 0}, (carom_vec3){1, 0, 0}, (carom_vec3){1, 1, 0});
    odd_add(&shape, (carom_vec3){0, 0, 0}, (carom_vec3){1, 1, 0}, (carom_vec3){1, 0, 0});
    info = info_of_odd(*state, &shape);
    assert_true(info.chart_count == 1 && info.boundary_count == 0 && info.genus == 0);
    /* one side only: cut open */
    shape.count = 0, odd_moebius(&shape);
    info = info_of_odd(*state, &shape);
    assert_int_equal(info.chart_count, 1);
    assert_true(info.split_edge_count > 0);
    /* points, segments, needles */
    shape.count = 0;
    odd_add(&shape, (carom_vec3){1, 2, 3}, (carom_vec3){1, 2, 3}, (carom_vec3){1, 2, 3});
    odd_add(&shape, (carom_vec3){0, 0, 0}, (carom_vec3){1, 1, 1}, (carom_vec3){0, 0, 0});
    odd_add(&shape, (carom_vec3){0, 0, 0}, (carom_vec3){0, 0, 1e9}, (carom_vec3){0, 1e-9, 5e8});
    info = info_of_odd(*state, &shape);
    assert_int_equal(info.chart_count, 3);
    assert_int_equal(info.degenerate_count, 2);
}

static void random_lattices_get_images_or_a_reason(void **state)
{
    static odd_shape shape;
    check_random random = {5};
    int made = 0, rounds = 300;
    for (int i = 0; i < rounds; i++)
    {
        shape.count = 0;
        odd_lattice(&shape, &random, 2 + i % 60, 2 + i % 4);
        carom_mesh *mesh = odd_mesh(*state, &shape);
        carom_geoimage_def def = carom_geoimage_def_default();
        def.width = 17, def.height = 9 + (uint32_t)(i % 5);
        carom_geoimage *image;
        carom_status status = carom_geoimage_create(*state, mesh, &def, &image);
        assert_true(status == CAROM_OK || status == CAROM_BAD_DATA || status == CAROM_TOO_LARGE);
        made += status == CAROM_OK;
        if (status == CAROM_OK)
            check_is_complete(image, mesh);
        carom_geoimage_destroy(image);
        carom_mesh_destroy(mesh);
    }
    print_message("%d of %d lattices\n", made, rounds);
    assert_true(made >= rounds - 5);
}

/* ---- very many charts ---- */

/* Separate triangles, equal but for the last one, which is 1/4 or 1/16 of the others. */
static carom_mesh *separate_triangles(carom_context *context, uint32_t count, double last)
{
    carom_vec3 *p = malloc(3 * (size_t)count * sizeof *p);
    assert_non_null(p);
    for (uint32_t i = 0; i < count; i++)
    {
        double x = 2.0 * (i % 100), y = 2.0 * (double)(i / 100), side = i + 1 < count ? 1 : last;
        p[3 * i] = (carom_vec3){x, y, 0}, p[3 * i + 1] = (carom_vec3){x + side, y, 0};
        p[3 * i + 2] = (carom_vec3){x, y + side, 0};
    }
    carom_mesh *mesh = soup_mesh(context, p, count);
    free(p);
    return mesh;
}

/* As many points as 64 charts have, however many there are. */
static void many_charts_share_the_points(void **state)
{
    static const struct
    {
        uint32_t charts;
        double last;
        uint32_t side, last_side;
    } cases[] = {{1, 1, 65, 65}, {64, 1, 65, 65}, {64, 0.5, 65, 33}, {65, 1, 33, 33}, {300, 0.25, 17, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    {
        carom_mesh *mesh = separate_triangles(*state, cases[i].charts, cases[i].last);
        carom_geoimage *image = image_make(*state, mesh, 65);
        carom_geoimage_info info = carom_geoimage_get_info(image);
        assert_int_equal(info.chart_count, cases[i].charts);
        assert_int_equal(image_chart(image, 0).width, cases[i].side);
        assert_int_equal(image_chart(image, cases[i].charts - 1).width, cases[i].last_side);
        assert_true(info.point_count <= 64 * 65 * 65);
        check_is_complete(image, mesh);
        carom_geoimage_destroy(image);
        carom_mesh_destroy(mesh);
    }
}

static void too_many_points_are_refused(void **state)
{
    carom_mesh *mesh = separate_triangles(*state, 20000, 1);
    carom_geoimage_def def = carom_geoimage_def_default();
    carom_geoimage *image;
    char message[256];
    def.list_triangles = false;
    assert_int_equal(carom_geoimage_create(*state, mesh, &def, &image), CAROM_OK);
    carom_geoimage_info info = carom_geoimage_get_info(image);
    assert_int_equal(info.point_count, 20000 * 9 * 9);
    assert_true(info.bytes < 120e6);
    carom_geoimage_destroy(image);
    def.same_size = true;
    assert_int_equal(carom_geoimage_create(*state, mesh, &def, &image), CAROM_TOO_LARGE);
    assert_null(image);
    carom_context_message(*state, message, sizeof message);
    assert_non_null(strstr(message, "20000 charts"));
    assert_non_null(strstr(message, "1320980000 points"));
    carom_mesh_destroy(mesh);
}

/* ---- any unit ---- */

/* A rough surface, which is bent where samples miss its tips; the last row of triangles is a chart of its own. Returns
 * everything of its image, divided by the scale. */
static uint64_t hash_of_scaled(carom_context *context, double scale)
{
    static odd_shape shape;
    check_random random = {3};
    shape.count = 0;
    odd_grid(&shape, 12, 0.25);
    for (size_t k = 0; k < 3 * shape.count; k++)
        shape.corner[k].z = 0.3 * sin(40 * shape.corner[k].x * shape.corner[k].y + 7 * shape.corner[k].y);
    for (size_t k = 0; k < 3; k++)
        shape.corner[3 * shape.count + k] = check_random_point(&random, 4, 5);
    shape.count++;
    odd_move(&shape, scale, 0, false);
    carom_mesh *mesh = odd_mesh(context, &shape);
    carom_geoimage *image = image_make(context, mesh, 17);
    carom_geoimage_info info = carom_geoimage_get_info(image);
    assert_true(info.error.to_image > 0.001 * scale && info.error.to_image < scale);
    assert_true(info.stretch.l2 > 0.9 && info.stretch.max >= info.stretch.l2 && info.stretch.max < 100);
    base_hash hash = base_hash_begin();
    base_hash_double(&hash, info.error.to_image / scale), base_hash_double(&hash, info.error.to_mesh / scale);
    base_hash_double(&hash, info.stretch.l2), base_hash_double(&hash, info.stretch.max);
    base_hash_double(&hash, info.cut_length / scale);
    for (uint32_t c = 0; c < info.chart_count; c++)
    {
        carom_geoimage_chart chart = image_chart(image, c);
        base_hash_double(&hash, chart.error.to_image / scale), base_hash_double(&hash, chart.stretch.l2);
        for (uint32_t k = 0; k < chart.width * chart.height; k++)
            base_hash_double(&hash, chart.points[k].x / scale), base_hash_double(&hash, chart.points[k].z / scale);
    }
    carom_geoimage_destroy(image);
    carom_mesh_destroy(mesh);
    return base_hash_end(&hash);
}

static void large_and_small_units_make_no_difference(void **state)
{
    static const double scales[] = {0x1p-1, 0x1p-100, 0x1p-250, 0x1p-400, 0x1p-664, 0x1p-900, 0x1p90};
    uint64_t expected = hash_of_scaled(*state, 1);
    for (size_t i = 0; i < sizeof scales / sizeof *scales; i++)
        assert_int_equal(hash_of_scaled(*state, scales[i]), expected);
}

/* Coordinates that are subnormal: points lose bits, and the error says so. */
static void subnormal_units_are_measured_too(void **state)
{
    static odd_shape shape;
    shape.count = 0;
    odd_grid(&shape, 6, 0.25);
    for (size_t k = 0; k < 3 * shape.count; k++)
        shape.corner[k].z = shape.corner[k].x * shape.corner[k].y;
    odd_move(&shape, 0x1p-1068, 0, false);
    carom_mesh *mesh = odd_mesh(*state, &shape);
    carom_geoimage *image = image_make(*state, mesh, 17);
    carom_geoimage_info info = carom_geoimage_get_info(image);
    assert_true(info.error.to_image >= 0x1p-1073 && info.error.to_image < 0x1p-1066);
    assert_true(info.stretch.l2 > 0.9 && info.stretch.l2 < 2);
    carom_geoimage_destroy(image);
    carom_mesh_destroy(mesh);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, check_open_context, check_close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(odd_meshes_get_images),
        WITH_CONTEXT(random_lattices_get_images_or_a_reason),
        WITH_CONTEXT(many_charts_share_the_points),
        WITH_CONTEXT(too_many_points_are_refused),
        WITH_CONTEXT(large_and_small_units_make_no_difference),
        WITH_CONTEXT(subnormal_units_are_measured_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
