/* Meshes that can't be mapped, and maps that are tried and given up: how soon that ends, and who is told. */
#include "geoimage/geoimage.h"

#include "support/check.h"
#include "support/geoimage_models.h"

#include <string.h>

typedef struct witness
{
    carom_context *context;
    uint32_t maps, errors;
} witness;

static bool count_maps(const carom_progress *progress, void *user)
{
    ((witness *)user)->maps += strcmp(progress->stage, "map") == 0;
    return true;
}

static void count_errors(carom_log_level level, const char *message, void *user)
{
    (void)message;
    ((witness *)user)->errors += level == CAROM_LOG_ERROR;
}

static int open_witness(void **state)
{
    static witness w;
    carom_context_def def = carom_context_def_default();
    w = (witness){0};
    def.log = count_errors, def.log_user = &w;
    def.progress = count_maps, def.progress_user = &w;
    *state = &w;
    return carom_context_create(&def, &w.context) != CAROM_OK;
}

static int close_witness(void **state)
{
    carom_context_destroy(((witness *)*state)->context);
    return 0;
}

/* ---- folds ---- */

/* A chain of 150 handles folds over, whatever is cut. Nine maps say so: the first, and a round of longer cuts. */
static void folds_that_stay_are_given_up_early(void **state)
{
    witness *w = *state;
    carom_mesh *mesh = geoimage_plate(w->context, 150);
    carom_geoimage_def def = carom_geoimage_def_default();
    carom_geoimage *image;
    char message[256];
    def.width = def.height = 513;
    assert_int_equal(carom_geoimage_create(w->context, mesh, &def, &image), CAROM_BAD_DATA);
    assert_null(image);
    assert_in_range(w->maps, 2, 9);
    assert_int_equal(w->errors, 1);
    carom_context_message(w->context, message, sizeof message);
    assert_non_null(strstr(message, "chart 0 can't be mapped to a rectangle in doubles: triangle "));
    carom_mesh_destroy(mesh);
}

/* An atlas only needs an order of the triangles: one map will do, with folds or without. */
static void atlases_take_maps_that_fold(void **state)
{
    witness *w = *state;
    static const uint32_t holes[] = {20, 150};
    for (int i = 0; i < 2; i++)
    {
        carom_mesh *mesh = geoimage_plate(w->context, holes[i]);
        uint32_t triangles = carom_mesh_get_info(mesh).triangle_count;
        uint8_t *seen = calloc(triangles, 1);
        geoimage_atlas atlas;
        assert_non_null(seen);
        w->maps = 0;
        assert_int_equal(geoimage_atlas_create(w->context, mesh, &atlas), CAROM_OK);
        assert_int_equal(w->maps, 1);
        assert_int_equal(atlas.triangle_count, triangles);
        assert_int_equal(atlas.cell_first[(size_t)atlas.side * atlas.side], triangles);
        for (uint32_t k = 0; k < triangles; k++)
            assert_int_equal(seen[atlas.triangles[k]]++, 0);
        free(seen);
        geoimage_atlas_free(&atlas);
        carom_mesh_destroy(mesh);
    }
    assert_int_equal(w->errors, 0);
}

/* ---- messages ---- */

/* A longer cut may have more sides than a small image has points around: what was tried and is not needed is no error.
 * An image that is refused is one error, and the message says which. */
static void an_image_that_is_made_leaves_no_error(void **state)
{
    witness *w = *state;
    static const uint32_t sides[] = {3, 5, 9};
    uint32_t made = 0, refused = 0;
    for (int i = 0; i < 3 * GEOIMAGE_MODELS; i++)
    {
        carom_context *context;
        carom_geoimage *image;
        carom_geoimage_def def = carom_geoimage_def_default();
        carom_context_def context_def = carom_context_def_default();
        context_def.log = count_errors, context_def.log_user = w;
        assert_int_equal(carom_context_create(&context_def, &context), CAROM_OK);
        carom_mesh *mesh = geoimage_model_mesh(context, &geoimage_models[i / 3]);
        def.width = def.height = sides[i % 3];
        w->errors = 0;
        carom_status status = carom_geoimage_create(context, mesh, &def, &image);
        assert_true(status == CAROM_OK || status == CAROM_TOO_LARGE);
        assert_int_equal(w->errors, status != CAROM_OK);
        assert_true((carom_context_message(context, NULL, 0) > 0) == (status != CAROM_OK));
        made += status == CAROM_OK, refused += status != CAROM_OK;
        carom_geoimage_destroy(image);
        carom_mesh_destroy(mesh);
        carom_context_destroy(context);
    }
    print_message("%u images made, %u refused\n", made, refused);
    assert_true(made > 50 && refused > 0);
}

/* Nor is an atlas that is not made an error: engine `geoimage` has its trees. */
static void an_atlas_that_is_refused_is_no_error(void **state)
{
    witness *w = *state;
    geoimage_atlas atlas;
    carom_mesh *mesh = geoimage_model_mesh(w->context, &(geoimage_model){.name = "ico-sphere", .triangles = 300000});
    assert_int_equal(geoimage_atlas_create(w->context, mesh, &atlas), CAROM_TOO_LARGE);
    assert_non_null(strstr(atlas.refusal.text, "triangles are too many for an atlas"));
    assert_int_equal(w->errors, 0);
    assert_int_equal(carom_context_message(w->context, NULL, 0), 0);
    geoimage_atlas_free(&atlas);
    carom_mesh_destroy(mesh);
}

#define WITH_WITNESS(test) cmocka_unit_test_setup_teardown(test, open_witness, close_witness)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_WITNESS(folds_that_stay_are_given_up_early),
        WITH_WITNESS(atlases_take_maps_that_fold),
        WITH_WITNESS(an_image_that_is_made_leaves_no_error),
        WITH_WITNESS(an_atlas_that_is_refused_is_no_error),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
