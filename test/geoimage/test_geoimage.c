/* Geometry images as callers see them: seams, grids that are taken as they are, any number of workers. */
#include "base/base.h"
#include "geoimage/image.h"
#include "support/geoimage_models.h"

static void closed_surfaces_stay_closed(void **state)
{
    uint32_t closed = 0;
    for (int i = 0; i < GEOIMAGE_MODELS; i++)
    {
        const geoimage_model *model = &geoimage_models[i];
        carom_mesh *mesh = geoimage_model_mesh(*state, model), *resampled;
        carom_geoimage *image = image_make(*state, mesh, 65);
        for (uint32_t c = 0; c < carom_geoimage_get_info(image).chart_count; c++)
        {
            carom_geoimage_chart chart = image_chart(image, c);
            uint32_t on_seams = image_check_seams(&chart);
            assert_int_equal(carom_geoimage_mesh(image, c, &resampled), CAROM_OK);
            carom_mesh_info info = carom_mesh_get_info(resampled);
            /* Equal points are one vertex, so a surface is closed if and only if its seams are. */
            if (model->boundaries == 0)
            {
                assert_true(info.closed);
                assert_int_equal(info.boundary_edge_count, 0);
                assert_true(on_seams > 2 * (chart.width + chart.height - 2) / 2);
                closed++;
            }
            else
                assert_true(info.boundary_edge_count > 0);
            carom_mesh_destroy(resampled);
        }
        carom_geoimage_destroy(image);
        carom_mesh_destroy(mesh);
    }
    assert_true(closed > 15);
}

static void grids_are_taken_as_they_are(void **state)
{
    carom_vec3 points[12];
    for (int i = 0; i < 12; i++)
        points[i] = (carom_vec3){i % 4, i / 4, 0.25 * (i % 4)};
    carom_geoimage *image;
    carom_mesh *mesh;
    assert_int_equal(carom_geoimage_create_grid(*state, 4, 3, points, &image), CAROM_OK);
    carom_geoimage_chart chart = image_chart(image, 0);
    assert_true(chart.width == 4 && chart.height == 3);
    assert_memory_equal(chart.points, points, sizeof points);
    for (int i = 0; i < 12; i++)
    {
        check_near(chart.normals[i].x, -0.25 / sqrt(1.0625), 1e-15);
        check_near(chart.normals[i].z, 1 / sqrt(1.0625), 1e-15);
    }
    assert_int_equal(carom_geoimage_mesh(image, 0, &mesh), CAROM_OK);
    const uint32_t expected[12] = {5, 6, 10, 5, 10, 9, 6, 7, 11, 6, 11, 10};
    assert_memory_equal(carom_mesh_indices(mesh) + 6 * 4, expected, sizeof expected);
    carom_mesh_destroy(mesh);
    carom_geoimage_destroy(image);
    points[7].y = NAN;
    assert_int_equal(carom_geoimage_create_grid(*state, 4, 3, points, &image), CAROM_NOT_FINITE);
    char message[256];
    carom_context_message(*state, message, sizeof message);
    assert_non_null(strstr(message, "(3, 1)"));
    points[7].y = 0x1p101;
    assert_int_equal(carom_geoimage_create_grid(*state, 4, 3, points, &image), CAROM_OUT_OF_RANGE);
    assert_int_equal(carom_geoimage_create_grid(*state, 1, 12, points, &image), CAROM_OUT_OF_RANGE);
    assert_int_equal(carom_geoimage_create_grid(*state, 4, 3, NULL, &image), CAROM_INVALID_ARGUMENT);
}

static uint64_t image_hash(const carom_geoimage *image)
{
    base_hash hash = base_hash_begin();
    carom_geoimage_info info = carom_geoimage_get_info(image);
    base_hash_double(&hash, info.error.to_image), base_hash_double(&hash, info.error.to_mesh);
    base_hash_double(&hash, info.stretch.l2), base_hash_double(&hash, info.stretch.max);
    for (uint32_t c = 0; c < info.chart_count; c++)
    {
        carom_geoimage_chart chart = image_chart(image, c);
        size_t points = (size_t)chart.width * chart.height;
        base_hash_bytes(&hash, chart.points, points * sizeof *chart.points);
        base_hash_bytes(&hash, chart.normals, points * sizeof *chart.normals);
        for (uint32_t cell = 0; cell < (chart.width - 1) * (chart.height - 1); cell++)
        {
            uint32_t count;
            const uint32_t *list = carom_geoimage_cell(image, c, cell, &count);
            base_hash_bytes(&hash, list, count * sizeof *list);
        }
    }
    return base_hash_end(&hash);
}

static void workers_and_repetition_make_no_difference(void **state)
{
    (void)state;
    uint64_t expected = 0;
    for (uint32_t workers = 0; workers <= 4; workers++)
    {
        carom_context_def def = carom_context_def_default();
        def.workers = workers;
        carom_context *context;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        carom_mesh *mesh = geoimage_model_mesh(context, &geoimage_models[9]);
        for (int round = 0; round < 2; round++)
        {
            carom_geoimage *image = image_make(context, mesh, 65);
            uint64_t hash = image_hash(image);
            expected = workers == 0 && round == 0 ? hash : expected;
            assert_int_equal(hash, expected);
            carom_geoimage_destroy(image);
        }
        carom_mesh_destroy(mesh);
        carom_context_destroy(context);
    }
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, check_open_context, check_close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(closed_surfaces_stay_closed),
        WITH_CONTEXT(grids_are_taken_as_they_are),
        cmocka_unit_test(workers_and_repetition_make_no_difference),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
