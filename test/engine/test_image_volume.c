/* Volumes of intersections from layers: within their bounds of the truth by clipped tetrahedra, drawn and computed
 * alike, tight where the overlap is large; vertices inside against exact containment; bad input. */
#include "images.h"
#include "support/failing.h"
#include "support/tetra.h"

static int scaled(int rounds)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    return rounds * (scale ? atoi(scale) : 1);
}

/* ---- the truth itself ---- */

static void test_truth(void **state)
{
    images *b = *state;
    carom_mesh *one = world_box(&b->w, 0, 0, 0, 2, 2, 2), *other = world_box(&b->w, 0.5, 1, -1, 3, 3, 0.25);
    carom_mesh *torus = world_shape(&b->w, GENERATE_TORUS, 200);
    carom_pose origin = carom_pose_identity();
    carom_placed a = {carom_shape_mesh(one), origin}, c = {carom_shape_mesh(other), origin};
    carom_placed t = {carom_shape_mesh(torus), origin};
    check_near(tetra_intersection(&a, &c).volume, 1.5 * 1.0 * 0.25, 1e-13);
    check_near(tetra_intersection(&t, &t).volume, carom_mesh_get_info(torus).volume, 1e-12);
    check_near(tetra_intersection(&a, &a).volume, 8.0, 1e-12);
    /* its apex is next to an edge of this one, or on it: two of the four parts are flat */
    carom_mesh *wedge = world_shape(&b->w, GENERATE_TETRAHEDRON, 4);
    check_random random = {5};
    for (int i = 0; i < 200; i++)
    {
        carom_placed turned = {carom_shape_mesh(wedge), world_random_pose(&random, 0.1)};
        turned.pose.translation.x += 1.0, turned.pose.translation.y += 1.0, turned.pose.translation.z += 1.0;
        check_near(tetra_intersection(&a, &turned).volume, tetra_intersection(&turned, &turned).volume, 1e-12);
        check_near(tetra_intersection(&turned, &a).volume, tetra_intersection(&turned, &turned).volume, 1e-12);
    }
    carom_mesh_destroy(wedge);
    carom_mesh_destroy(one), carom_mesh_destroy(other), carom_mesh_destroy(torus);
}

/* ---- pairs ---- */

enum
{
    KINDS = 9
};

static const generate_kind kinds[KINDS] = {GENERATE_BOX,   GENERATE_UV_SPHERE,   GENERATE_ICO_SPHERE,
                                           GENERATE_TORUS, GENERATE_TORUS_KNOT,  GENERATE_BLOB,
                                           GENERATE_GEAR,  GENERATE_TETRAHEDRON, GENERATE_CYLINDER};

typedef struct tally
{
    uint64_t pairs, overlapping, large, exact_samples, fragments;
    double worst_large, worst_off; /* relative error where a ball of 64 pixels fits; |truth - volume| / error */
} tally;

/* Is the ball of this radius around the point within the body? */
static bool holds_ball(images *b, const carom_placed *body, carom_vec3 centre, double radius)
{
    carom_placed point = {carom_shape_sphere(0.0), carom_pose_translation(centre.x, centre.y, centre.z)};
    carom_report report;
    assert_int_equal(carom_collide(b->w.query, &point, body, NULL, &report), CAROM_OK);
    if (report.relation != CAROM_RELATION_A_INSIDE_B)
        return false;
    bool within;
    assert_int_equal(carom_within(b->w.query, &point, body, radius, &within), CAROM_OK);
    return !within;
}

static bool holds_64_pixels(images *b, check_random *random, const carom_image_volume_def *def,
                            const carom_image_volume_result *result)
{
    carom_vec3 low = result->bounds.min, size = vec3_sub(result->bounds.max, low);
    double radius = 32.0 * result->pixel;
    for (int i = 0; i < 30; i++)
    {
        carom_vec3 share = i == 0 ? vec3(0.5, 0.5, 0.5) : check_random_point(random, 0.2, 0.8);
        carom_vec3 centre = vec3_add(low, vec3(share.x * size.x, share.y * size.y, share.z * size.z));
        if (holds_ball(b, &def->a, centre, radius) && holds_ball(b, &def->b, centre, radius))
            return true;
    }
    return false;
}

static void judge_pair(images *b, check_random *random, const carom_image_volume_def *def, tally *t)
{
    carom_image_volume_result result, twin;
    assert_int_equal(carom_image_volume(b->drawn ? b->drawn : b->computed, def, &result), CAROM_OK);
    tetra_volume truth = tetra_intersection(&def->a, &def->b);
    t->pairs++, t->overlapping += truth.volume > truth.error;
    t->exact_samples += result.exact_samples, t->fragments += result.fragments;
    if (!(result.lower <= truth.volume + truth.error && truth.volume - truth.error <= result.upper))
        fail_msg("volume %.17g is not in [%.17g, %.17g], pair %llu", truth.volume, result.lower, result.upper,
                 (unsigned long long)t->pairs);
    assert_true(fabs(result.volume - truth.volume) <= result.error + truth.error);
    t->worst_off = fmax(t->worst_off, fabs(result.volume - truth.volume) / (result.error + truth.error));
    assert_true(result.lower >= 0.0 && result.error >= 0.0);
    if (t->pairs % 10 == 0 && b->drawn)
    {
        assert_int_equal(carom_image_volume(b->computed, def, &twin), CAROM_OK);
        assert_memory_equal(&result, &twin, sizeof twin);
    }
    if (result.volume > 0.0 && holds_64_pixels(b, random, def, &result))
        t->large++, t->worst_large = fmax(t->worst_large, result.error / truth.volume);
}

static carom_mesh *random_mesh(images *b, check_random *random)
{
    generate_def def = generate_def_default(kinds[check_next(random) % KINDS]);
    uint32_t least = generate_get_info(def.kind)->min_triangles;
    def.triangles = least + (uint32_t)(check_next(random) % 120);
    def.seed = check_next(random);
    carom_mesh *mesh;
    assert_int_equal(generate_mesh(b->w.context, &def, &mesh), CAROM_OK);
    return mesh;
}

static void test_pairs(void **state)
{
    images *b = *state;
    check_random random = {20261118};
    tally t = {0};
    const int pairs = scaled(1000);
    for (int i = 0; i < pairs; i++)
    {
        carom_mesh *meshes[2] = {random_mesh(b, &random), random_mesh(b, &random)};
        double far = i % 7 == 0 ? 1e9 : 0.0, reach = i % 3 == 0 ? 0.3 : 0.15;
        carom_image_volume_def def = carom_image_volume_def_default();
        def.a = (carom_placed){carom_shape_mesh(meshes[0]), world_random_pose(&random, reach)};
        def.b = (carom_placed){carom_shape_mesh(meshes[1]), world_random_pose(&random, reach)};
        def.a.pose.translation.x += far, def.b.pose.translation.x += far;
        def.axis = (carom_image_axis)(i % 4);
        def.resolution = i % 5 == 0 ? 1 + (uint32_t)(check_next(&random) % 40) : 140;
        judge_pair(b, &random, &def, &t);
        carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
    }
    printf("%llu pairs, %llu overlap, %llu hold a ball of 64 pixels: error up to %.2f %% there; truth is up to %.3f of "
           "the error away; %.1f %% of %llu samples decided exactly\n",
           (unsigned long long)t.pairs, (unsigned long long)t.overlapping, (unsigned long long)t.large,
           100.0 * t.worst_large, t.worst_off, 100.0 * (double)t.exact_samples / (double)t.fragments,
           (unsigned long long)t.fragments);
    assert_true(10 * t.overlapping > 7 * t.pairs);
    assert_true(t.large > t.pairs / 20);
    assert_true(t.worst_large < 0.1);
}

/* Triangles about as large as pixels: no plane covers one, so the bound is that of the slopes. */
static void test_fine_meshes(void **state)
{
    images *b = *state;
    check_random random = {99};
    tally t = {0};
    for (int i = 0; i < 12; i++)
    {
        carom_mesh *one = world_shape(&b->w, kinds[1 + i % 5], 2500), *other = world_shape(&b->w, GENERATE_BLOB, 900);
        carom_image_volume_def def = carom_image_volume_def_default();
        def.a = (carom_placed){carom_shape_mesh(one), world_random_pose(&random, 0.1)};
        def.b = (carom_placed){carom_shape_mesh(other), world_random_pose(&random, 0.1)};
        def.resolution = 130;
        judge_pair(b, &random, &def, &t);
        carom_mesh_destroy(one), carom_mesh_destroy(other);
    }
    printf("%llu pairs, %llu hold a ball of 64 pixels: error up to %.2f %% there\n", (unsigned long long)t.pairs,
           (unsigned long long)t.large, 100.0 * t.worst_large);
    assert_true(t.large >= 3 && t.worst_large < 0.1);
}

/* ---- the range in which bounds are tight; they hold everywhere ---- */

/* Both bodies moved by 10^power. Returns the largest error, as a part of the volume. */
static double error_far_away(images *b, const carom_mesh *mesh, int power)
{
    check_random random = {31};
    double worst = 0.0;
    for (int i = 0; i < 6; i++)
    {
        tally t = {0};
        carom_image_volume_def def = carom_image_volume_def_default();
        carom_image_volume_result result;
        def.a = (carom_placed){carom_shape_mesh(mesh), world_random_pose(&random, 0.1)};
        def.b = (carom_placed){carom_shape_mesh(mesh), world_random_pose(&random, 0.1)};
        def.a.pose.translation.x += pow(10.0, power), def.b.pose.translation.x += pow(10.0, power);
        def.axis = (carom_image_axis)(i % 3), def.resolution = 140;
        judge_pair(b, &random, &def, &t);
        assert_int_equal(carom_image_volume(b->computed, &def, &result), CAROM_OK);
        worst = fmax(worst, result.error / result.volume);
    }
    return worst;
}

/* The part of a body beside a plane: a box of this size, of which the body sees one side. */
static carom_image_volume_result cut_by_box(images *b, const carom_mesh *mesh, double size)
{
    carom_mesh *box = world_box(&b->w, -size, -size, -size, 0.25, size, size);
    carom_image_volume_def def = carom_image_volume_def_default();
    carom_image_volume_result result;
    def.a = (carom_placed){carom_shape_mesh(box), carom_pose_identity()};
    def.b = (carom_placed){carom_shape_mesh(mesh), carom_pose_identity()}, def.resolution = 140;
    assert_int_equal(carom_image_volume(b->computed, &def, &result), CAROM_OK);
    if (size <= 10.0)
    {
        tetra_volume truth = tetra_intersection(&def.a, &def.b);
        assert_true(truth.error < 1e-9);
        result.volume = truth.volume;
    }
    carom_mesh_destroy(box);
    return result;
}

static void test_range(void **state)
{
    images *b = *state;
    carom_mesh *sphere = world_shape(&b->w, GENERATE_UV_SPHERE, 300);
    double truth = cut_by_box(b, sphere, 10.0).volume;
    for (int power = 6; power <= 15; power++)
    {
        double error = error_far_away(b, sphere, power);
        printf("1e%d from the origin: error up to %.2f %%\n", power, 100.0 * error);
        assert_true(error < 0.1 || power > 11);
    }
    for (int power = 6; power <= 25; power++)
    {
        carom_image_volume_result result = cut_by_box(b, sphere, pow(10.0, power));
        printf("cut by a box of 1e%d: error %.2f %%\n", power, 100.0 * result.error / result.volume);
        assert_true(result.lower <= truth && truth <= result.upper);
        assert_true(result.error < 0.1 * truth || power > 11);
    }
    carom_mesh_destroy(sphere);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_truth), cmocka_unit_test(test_pairs),
                                       cmocka_unit_test(test_fine_meshes), cmocka_unit_test(test_range)};
    return cmocka_run_group_tests(tests, images_open, images_close);
}
