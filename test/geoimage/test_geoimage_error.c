/* How far geometry images are from their meshes, by brute force, and how much their maps stretch. */
#include "geoimage/distance.h"
#include "geoimage/image.h"
#include "support/geoimage_models.h"
#include "support/shapes_odd.h"

#include <stdlib.h>
#include <time.h>

/* ---- distances ---- */

static double mesh_distance(carom_vec3 p, const carom_mesh *mesh)
{
    double best = INFINITY;
    const carom_vec3 *vertices = carom_mesh_vertices(mesh);
    const uint32_t *index = carom_mesh_indices(mesh);
    for (uint32_t t = 0; t < carom_mesh_get_info(mesh).triangle_count; t++, index += 3)
        best =
            fmin(best,
                 distance2_to_triangle(p, (carom_vec3[3]){vertices[index[0]], vertices[index[1]], vertices[index[2]]}));
    return sqrt(best);
}

/* The largest distance from random points of one mesh, vertices among them, to another. */
static double sampled_distance(const carom_mesh *from, const carom_mesh *to, check_random *random)
{
    double worst = 0;
    uint32_t triangles = carom_mesh_get_info(from).triangle_count;
    for (int i = 0; i < 2500; i++)
    {
        const uint32_t *index = carom_mesh_indices(from) + 3 * (size_t)(check_next(random) % triangles);
        const carom_vec3 *v = carom_mesh_vertices(from);
        double s = i % 2 ? 0 : check_uniform(random, 0, 1), t = i % 2 ? 0 : check_uniform(random, 0, 1);
        worst = fmax(worst, mesh_distance(distance_mix(v[index[0]], distance_mix(v[index[1]], v[index[2]], t), s), to));
    }
    return worst;
}

static void errors_are_upper_bounds_and_not_much_more(void **state)
{
    check_random random = {11};
    double largest_ratio = 0, sum = 0;
    int checked = 0;
    for (int i = 0; i < GEOIMAGE_MODELS; i++)
    {
        const geoimage_model *model = &geoimage_models[i];
        if (model->charts > 1)
            continue;
        carom_mesh *mesh = geoimage_model_mesh(*state, model), *resampled;
        carom_geoimage *image = image_make(*state, mesh, 33);
        carom_geoimage_error error = image_chart(image, 0).error;
        assert_int_equal(carom_geoimage_mesh(image, 0, &resampled), CAROM_OK);
        double to_image = sampled_distance(mesh, resampled, &random),
               to_mesh = sampled_distance(resampled, mesh, &random);
        assert_true(to_image <= error.to_image + 1e-12);
        assert_true(to_mesh <= error.to_mesh + 1e-12);
        double ratio = fmax(error.to_image, error.to_mesh) / fmax(to_image, to_mesh);
        largest_ratio = fmax(largest_ratio, ratio), sum += ratio, checked++;
        carom_mesh_destroy(resampled);
        carom_geoimage_destroy(image);
        carom_mesh_destroy(mesh);
    }
    print_message("certified by sampled error: %.2f on average, %.2f at most\n", sum / checked, largest_ratio);
    assert_true(sum / checked < 2.5);
}

static double error_with_floater(carom_context *context, const geoimage_model *model)
{
    carom_mesh *mesh = geoimage_model_mesh(context, model);
    carom_geoimage_def def = carom_geoimage_def_default();
    carom_geoimage *image;
    def.extra_cuts = def.stretch_steps = 0, def.list_triangles = false;
    assert_int_equal(carom_geoimage_create(context, mesh, &def, &image), CAROM_OK);
    carom_aabb bounds = carom_mesh_get_info(mesh).bounds;
    carom_vec3 size = distance_sub(bounds.max, bounds.min);
    carom_geoimage_error error = carom_geoimage_get_info(image).error;
    double diagonal = sqrt(distance_dot(size, size));
    carom_geoimage_destroy(image);
    carom_mesh_destroy(mesh);
    return fmax(error.to_image, error.to_mesh) / diagonal;
}

/* 257 x 257 with Floater's weights alone. Tips of the blobs would be cut off by up to 0.8 % if no samples were there.
 */
static void spheres_and_blobs_err_by_less_than_half_a_percent(void **state)
{
    static const char *const names[] = {"ico-sphere", "uv-sphere", "blob"};
    static const uint32_t counts[] = {1000, 5120, 100000, 200000};
    for (int i = 0; i < 3; i++)
    {
        double worst = 0;
        for (int k = 0; k < 4; k++)
            worst = fmax(worst, error_with_floater(*state, &(geoimage_model){names[i], counts[k], 1, 0, 1, 0, 0}));
        print_message("%s: %.4f %% of the diagonal\n", names[i], 100 * worst);
        assert_true(worst < 0.005);
        clock_t start = clock();
        error_with_floater(*state, &(geoimage_model){names[i], 100000, 1, 0, 1, 0, 0});
        print_message("%s of 100,000 triangles, made, mapped and measured: %.2f s of processor time\n", names[i],
                      (double)(clock() - start) / CLOCKS_PER_SEC);
    }
}

/* Blobs differ in how the map shrinks their tips. Those of these seeds would err by more if the map were not made
 * larger around them, or by nearly as much. CAROM_TEST_SCALE adds as many seeds, times 20, at each of three sizes. */
static void blobs_of_all_seeds_err_by_less_than_half_a_percent(void **state)
{
    static const struct
    {
        uint32_t triangles, seed;
    } rough[] = {{20000, 13}, {20000, 28}, {20000, 42}, {20000, 53}, {20000, 54}, {20000, 69}, {20000, 91},
                 {20000, 94}, {20000, 95}, {20000, 96}, {5000, 7},   {5000, 24},  {50000, 13}, {50000, 53}};
    static const uint32_t sizes[] = {5000, 20000, 50000};
    const int count = sizeof rough / sizeof *rough;
    int more = check_scale() > 1 ? 20 * (int)check_scale() : 5;
    double worst = 0;
    for (int i = 0; i < count + 3 * more; i++)
    {
        geoimage_model model = {.name = "blob", .charts = 1};
        model.triangles = i < count ? rough[i].triangles : sizes[(i - count) % 3];
        model.seed = i < count ? rough[i].seed : 1 + (uint64_t)(i - count) / 3;
        double error = error_with_floater(*state, &model);
        if (!(error < 0.005))
            fail_msg("blob of %u triangles, seed %u: %.4f %% of the diagonal", model.triangles, (unsigned)model.seed,
                     100 * error);
        worst = fmax(worst, error);
    }
    print_message("%d blobs: %.4f %% of the diagonal\n", count + 3 * more, 100 * worst);
}

/* A flat rectangle on a square is stretched alike everywhere: by its sides a and b per cell, so that L2 is
 * sqrt((a^2 + b^2) / 2) and the worst direction max(a, b), both over sqrt(a b). */
static void rectangles_have_the_stretch_of_their_sides(void **state)
{
    for (int ratio = 1; ratio <= 3; ratio++) /* corners of narrower ones are not looked for */
    {
        static odd_shape shape;
        shape.count = 0;
        odd_grid(&shape, 8, 0.25);
        for (size_t k = 0; k < 3 * shape.count; k++)
            shape.corner[k].x *= ratio;
        carom_mesh *mesh = odd_mesh(*state, &shape);
        carom_geoimage *image = image_make(*state, mesh, 17);
        carom_geoimage_chart chart = image_chart(image, 0);
        double r = ratio;
        check_near(chart.stretch.l2, sqrt((r * r + 1) / 2 / r), 1e-9);
        check_near(chart.stretch.max, sqrt(r), 1e-9);
        check_near(chart.area, shape.count / 2 * 0.25 * 0.25 * r, 1e-12);
        carom_geoimage_destroy(image);
        carom_mesh_destroy(mesh);
    }
}

/* ---- shapes that maps shrink ---- */

static carom_vec3 on_ring(uint32_t i, uint32_t sides, double z)
{
    double angle = 6.283185307179586 * (i % sides) / sides;
    return (carom_vec3){cos(angle), sin(angle), z};
}

/* A tube around the z axis with a fan at its top, and one at its bottom if closed. */
static carom_mesh *tube(carom_context *context, uint32_t sides, uint32_t rings, bool closed)
{
    carom_vec3 *p = malloc(3 * (2 * (size_t)sides * (rings + 1)) * sizeof *p), *out = p;
    assert_non_null(p);
    for (uint32_t i = 0; i < sides; i++)
    {
        for (uint32_t k = 0; k < rings; k++)
        {
            carom_vec3 a = on_ring(i, sides, k), b = on_ring(i + 1, sides, k), c = on_ring(i + 1, sides, k + 1.0),
                       d = on_ring(i, sides, k + 1.0);
            *out++ = a, *out++ = b, *out++ = c, *out++ = a, *out++ = c, *out++ = d;
        }
        *out++ = on_ring(i, sides, rings), *out++ = on_ring(i + 1, sides, rings), *out++ = (carom_vec3){0, 0, rings};
        if (closed)
            *out++ = on_ring(i + 1, sides, 0), *out++ = on_ring(i, sides, 0), *out++ = (carom_vec3){0, 0, 0};
    }
    carom_mesh *mesh = soup_mesh(context, p, (size_t)(out - p) / 3);
    free(p);
    return mesh;
}

/* Mean values shrink the rim of a fan; other weights do not. */
static void caps_with_many_sides_keep_their_size(void **state)
{
    carom_mesh *mesh = tube(*state, 1500, 1, true);
    carom_geoimage *image = image_make(*state, mesh, 129);
    carom_geoimage_info info = carom_geoimage_get_info(image);
    assert_true(info.chart_count == 1 && info.genus == 0 && info.boundary_count == 0);
    assert_true(info.stretch.l2 < 2);
    assert_true(info.error.to_image < 0.1);
    carom_geoimage_destroy(image);
    carom_mesh_destroy(mesh);
}

/* The tip of a finger as long as 60 diameters is mapped to e^-120 of the width, which folds; a cut opens it. */
static void fingers_are_cut_open_if_they_fold(void **state)
{
    carom_mesh *mesh = tube(*state, 12, 120, false);
    carom_geoimage_def def = carom_geoimage_def_default();
    carom_geoimage *image;
    def.extra_cuts = 0;
    assert_int_equal(carom_geoimage_create(*state, mesh, &def, &image), CAROM_OK);
    carom_geoimage_chart chart = image_chart(image, 0);
    assert_true(chart.extra_cut_count > 0 && chart.cut_length > 100);
    assert_true(chart.error.to_image < 2);
    carom_geoimage_destroy(image);
    carom_mesh_destroy(mesh);
}

#define WITH_CONTEXT(test) cmocka_unit_test_setup_teardown(test, check_open_context, check_close_context)

int main(void)
{
    const struct CMUnitTest tests[] = {
        WITH_CONTEXT(errors_are_upper_bounds_and_not_much_more),
        WITH_CONTEXT(spheres_and_blobs_err_by_less_than_half_a_percent),
        WITH_CONTEXT(blobs_of_all_seeds_err_by_less_than_half_a_percent),
        WITH_CONTEXT(rectangles_have_the_stretch_of_their_sides),
        WITH_CONTEXT(caps_with_many_sides_keep_their_size),
        WITH_CONTEXT(fingers_are_cut_open_if_they_fold),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
