/* Geometry images that can't be made: bad arguments, calls that are cancelled, no memory. */
#include "geoimage/image.h"
#include "support/each_failure.h"
#include "support/geoimage_models.h"

#include <string.h>

static void bad_arguments_are_refused(void **state)
{
    carom_geoimage_def def = carom_geoimage_def_default();
    carom_geoimage *image;
    carom_mesh *mesh = geoimage_plate(*state, 20), *none;
    char message[256];
    assert_int_equal(carom_geoimage_create(NULL, mesh, &def, &image), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_geoimage_create(*state, NULL, &def, &image), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_geoimage_create(*state, mesh, NULL, &image), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_geoimage_create(*state, mesh, &def, NULL), CAROM_INVALID_ARGUMENT);
    def.width = 2;
    assert_int_equal(carom_geoimage_create(*state, mesh, &def, &image), CAROM_OUT_OF_RANGE);
    def.width = CAROM_GEOIMAGE_MAX_SIDE + 1;
    assert_int_equal(carom_geoimage_create(*state, mesh, &def, &image), CAROM_OUT_OF_RANGE);
    /* Twenty handles have more cuts than so small an image has points around. */
    def.width = def.height = 9;
    assert_int_equal(carom_geoimage_create(*state, mesh, &def, &image), CAROM_TOO_LARGE);
    carom_context_message(*state, message, sizeof message);
    assert_non_null(strstr(message, "chart 0"));
    assert_null(image);
    carom_mesh_destroy(mesh);
    carom_mesh_def empty = carom_mesh_def_default();
    assert_int_equal(carom_mesh_create(*state, &empty, &none), CAROM_OK);
    image = image_make(*state, none, 17);
    assert_int_equal(carom_geoimage_get_info(image).chart_count, 0);
    carom_geoimage_chart chart;
    uint32_t count = 1;
    assert_int_equal(carom_geoimage_get_chart(image, 0, &chart), CAROM_OUT_OF_RANGE);
    assert_int_equal(carom_geoimage_mesh(image, 0, &mesh), CAROM_OUT_OF_RANGE);
    assert_null(carom_geoimage_cell(image, 0, 0, &count));
    assert_int_equal(count, 0);
    carom_geoimage_destroy(image);
    carom_geoimage_destroy(NULL);
    carom_mesh_destroy(none);
}

static bool stop_at(const carom_progress *progress, void *user)
{
    uint32_t *left = user;
    assert_non_null(progress->subject);
    return *left == 0 || --*left > 0;
}

static void progress_can_end_it(void **state)
{
    uint32_t left = 0, ended = 0;
    carom_context_def def = carom_context_def_default();
    def.progress = stop_at, def.progress_user = &left;
    carom_context *context;
    (void)state;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    carom_mesh *mesh = geoimage_model_mesh(context, &geoimage_models[9]);
    for (uint32_t steps = 1; steps < 8; steps++)
    {
        carom_geoimage_def wanted = carom_geoimage_def_default();
        carom_geoimage *image;
        left = steps;
        carom_status status = carom_geoimage_create(context, mesh, &wanted, &image);
        assert_int_equal(status, CAROM_CANCELLED);
        assert_null(image);
        ended++;
    }
    assert_int_equal(ended, 7);
    left = 0;
    carom_mesh_destroy(mesh);
    carom_context_destroy(context);
}

static carom_status make_small(carom_context *context, void *mesh)
{
    carom_geoimage_def def = carom_geoimage_def_default();
    carom_geoimage *image;
    def.width = def.height = 33, def.extra_cuts = 1;
    carom_status status = carom_geoimage_create(context, mesh, &def, &image);
    carom_geoimage_destroy(image);
    return status;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    failing memory = {0};
    carom_context *context = each_failure_context(&memory);
    const geoimage_model models[] = {{"sieve", 208, 1, 70, 1, 2, 3}, {"cloth", 60, 1, 0, 1, 0, 1}};
    for (int i = 0; i < 2; i++)
    {
        carom_mesh *mesh = geoimage_model_mesh(context, &models[i]);
        assert_true(each_failure(&memory, context, 0, make_small, mesh) > 40);
        carom_mesh_destroy(mesh);
    }
    carom_context_destroy(context);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, check_open_context, check_close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(bad_arguments_are_refused),
        cmocka_unit_test(progress_can_end_it),
        cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
