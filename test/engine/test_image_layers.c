/* Layers: the lists of fragments drawn and computed are the same to the bit; vertices inside against exact containment;
 * bodies that overlap themselves; bad input, failing memory, and two threads at once. */
#include "images.h"
#include "support/failing.h"
#include "support/tetra.h"
#include "support/variable.h"

#include <pthread.h>

static carom_placed place(const carom_mesh *mesh, carom_pose pose)
{
    return (carom_placed){carom_shape_mesh(mesh), pose};
}

/* ---- fragment by fragment ---- */

static int compare_fragments(const void *one, const void *other)
{
    const image_layer_fragment *a = one, *b = other;
    uint64_t key_a = (uint64_t)(a->pixel & 0xffffffu) << 32 | a->record;
    uint64_t key_b = (uint64_t)(b->pixel & 0xffffffu) << 32 | b->record;
    return (key_a > key_b) - (key_a < key_b);
}

static uint64_t compare_lists(images *b, const image_layers *layers)
{
    image_layer_fragments drawn = {0}, computed = {0};
    for (uint32_t row = 0; row < layers->grid.rows; row += 60)
    {
        image_band band = {row, row + 60 < layers->grid.rows ? row + 60 : layers->grid.rows};
        assert_int_equal(image_layers_draw(b->drawn->layers, layers, &band, &drawn), CAROM_OK);
        assert_int_equal(image_layers_draw_twin(layers, &band, &computed), CAROM_OK);
    }
    assert_int_equal(drawn.count, computed.count);
    qsort(drawn.items, drawn.count, sizeof *drawn.items, compare_fragments);
    qsort(computed.items, computed.count, sizeof *computed.items, compare_fragments);
    for (size_t i = 0; i < drawn.count; i++)
        assert_memory_equal(&drawn.items[i], &computed.items[i], sizeof *drawn.items);
    uint64_t count = drawn.count;
    base_array_free(b->w.context, &drawn);
    base_array_free(b->w.context, &computed);
    return count;
}

static void test_fragments(void **state)
{
    images *b = *state;
    if (!b->drawn)
        skip();
    check_random random = {5};
    uint64_t count = 0, largest = 0;
    const uint32_t sides[] = {1, 2, 17, 64, 301, 1024};
    carom_mesh *meshes[] = {world_shape(&b->w, GENERATE_HAND, 3000), world_shape(&b->w, GENERATE_BOX, 12),
                            world_shape(&b->w, GENERATE_TORUS, 400)};
    assert_int_equal(image_begin(b->drawn), CAROM_OK);
    for (int i = 0; i < 36; i++)
    {
        carom_pose pose = world_random_pose(&random, i % 4 == 0 ? 1e6 : 0.2), other = pose;
        other.translation.x += 0.1;
        image_layers layers = {.context = b->w.context};
        layers.bodies[0] = (mesh_placed){meshes[i % 3], NULL, &pose};
        layers.bodies[1] = (mesh_placed){meshes[(i + 1) % 3], NULL, &other};
        carom_aabb box = image_placed_box(&layers.bodies[0]);
        image_grid_fit(&box, &box, i % 3, sides[i / 6], &layers.grid);
        assert_int_equal(image_layers_add(&layers, 0), CAROM_OK);
        assert_int_equal(image_layers_add(&layers, 1), CAROM_OK);
        uint64_t now = compare_lists(b, &layers);
        count += now, largest = now > largest ? now : largest;
        image_layers_free(&layers);
    }
    assert_int_equal(image_end(b->drawn, CAROM_OK), CAROM_OK);
    printf("%llu fragments, up to %llu in a list\n", (unsigned long long)count, (unsigned long long)largest);
    assert_true(largest > 1u << 17); /* the list had to grow */
    for (int i = 0; i < 3; i++)
        carom_mesh_destroy(meshes[i]);
}

/* A driver with small limits: lists are drawn in several parts, and a resolution beyond its textures is refused. */
static void test_small_limits(void **state)
{
    images *b = *state;
    if (!b->drawn)
        skip();
    carom_image poor = {.context = b->w.context};
    gpu_device_def device = gpu_device_def_default();
    device.debug = true;
    device.limits.texture_size = 1024, device.limits.storage_block = 1 << 22;
    assert_int_equal(gpu_open(b->w.context, &device, &poor.device), CAROM_OK);
    assert_int_equal(image_begin(&poor), CAROM_OK);
    assert_int_equal(image_layers_pass_create(b->w.context, poor.device, &poor.layers), CAROM_OK);
    assert_int_equal(image_end(&poor, CAROM_OK), CAROM_OK);
    carom_mesh *hand = world_shape(&b->w, GENERATE_HAND, 3000);
    carom_image_volume_def def = carom_image_volume_def_default();
    carom_image_volume_result result, truth;
    def.a = place(hand, carom_pose_identity()), def.b = place(hand, carom_pose_translation(0.02, 0.01, 0.01));
    def.resolution = 1025;
    assert_int_equal(carom_image_volume(&poor, &def, &result), CAROM_TOO_LARGE);
    def.resolution = 900;
    assert_int_equal(carom_image_volume(&poor, &def, &result), CAROM_OK);
    assert_int_equal(carom_image_volume(b->drawn, &def, &truth), CAROM_OK);
    assert_memory_equal(&result, &truth, sizeof truth);
    assert_true(result.fragments > 1 << 19); /* more than fit into a band's list */
    assert_int_equal(image_begin(&poor), CAROM_OK);
    image_layers_pass_destroy(poor.layers);
    assert_int_equal(image_end(&poor, CAROM_OK), CAROM_OK);
    const char *first = "";
    if (gpu_debug_errors(poor.device, &first) > 0)
        fail_msg("%s", first);
    gpu_close(poor.device);
    carom_mesh_destroy(hand);
}

/* ---- vertices ---- */

static void judge_vertices(images *b, const carom_image_volume_def *def, uint64_t counts[3])
{
    const carom_mesh *mesh = def->a.shape.mesh;
    uint32_t count = carom_mesh_get_info(mesh).vertex_count;
    uint8_t *places = malloc(count);
    carom_image_vertices_result result;
    assert_int_equal(carom_image_vertices(images_best(b), def, places, &result), CAROM_OK);
    assert_int_equal(result.inside + result.outside + result.unsure, count);
    for (uint32_t i = 0; i < count; i++)
    {
        carom_vec3 at = pose_apply(&def->a.pose, carom_mesh_vertices(mesh)[i]);
        carom_placed point = {carom_shape_sphere(0.0), carom_pose_translation(at.x, at.y, at.z)};
        carom_report report;
        assert_int_equal(carom_collide(b->w.query, &point, &def->b, NULL, &report), CAROM_OK);
        bool inside = report.relation == CAROM_RELATION_A_INSIDE_B, touches = report.pair_count > 0;
        counts[places[i]]++;
        if (places[i] != CAROM_IMAGE_UNSURE && (touches || inside != (places[i] == CAROM_IMAGE_INSIDE)))
            fail_msg("vertex %u at %g %g %g is said to be %s", i, at.x, at.y, at.z,
                     places[i] == CAROM_IMAGE_INSIDE ? "inside" : "outside");
    }
    free(places);
}

static void test_vertices(void **state)
{
    images *b = *state;
    check_random random = {17};
    uint64_t counts[3] = {0};
    carom_mesh *meshes[] = {world_shape(&b->w, GENERATE_HAND, 1200), world_shape(&b->w, GENERATE_BLOB, 600),
                            world_shape(&b->w, GENERATE_BOX, 300), world_shape(&b->w, GENERATE_CLOTH, 300)};
    for (int i = 0; i < 60; i++)
    {
        carom_image_volume_def def = carom_image_volume_def_default();
        carom_pose pose = world_random_pose(&random, i % 5 == 0 ? 1e7 : 0.1);
        def.a = place(meshes[i % 4], pose), def.b = place(meshes[(i / 4) % 3], pose);
        if (i % 6 != 0) /* otherwise in the same pose: vertices on the surface, if it is the same mesh */
            def.a.pose = world_random_pose(&random, 0.0), def.a.pose.translation = pose.translation;
        def.axis = (carom_image_axis)(i % 4), def.resolution = i % 3 == 0 ? 20 : 128;
        judge_vertices(b, &def, counts);
    }
    printf("%llu vertices outside, %llu inside, %llu unsure\n", (unsigned long long)counts[0],
           (unsigned long long)counts[1], (unsigned long long)counts[2]);
    assert_true(counts[1] > 1000 && counts[0] > 1000 && counts[2] > 100);
    assert_true(counts[2] < (counts[0] + counts[1]) / 2);
    for (int i = 0; i < 4; i++)
        carom_mesh_destroy(meshes[i]);
}

/* ---- a body and itself ---- */

/* Two unit cubes in one mesh, the second moved along x; turned: inside out. */
static carom_mesh *two_boxes(images *b, double move, bool turned)
{
    double vertices[48];
    uint32_t indices[72];
    world_box_vertices((double[3]){0, 0, 0}, (double[3]){1, 1, 1}, vertices);
    world_box_vertices((double[3]){move, 0.25, 0.25}, (double[3]){move + 1.0, 0.75, 0.75}, vertices + 24);
    for (int i = 0; i < 72; i++)
    {
        int from = turned && i >= 36 ? i - i % 3 + 2 - i % 3 : i;
        indices[i] = WORLD_BOX_INDICES[from % 36] + (i >= 36 ? 8 : 0);
    }
    return world_mesh(&b->w, vertices, 16, indices, 24);
}

static void test_self(void **state)
{
    images *b = *state;
    check_random random = {23};
    uint64_t found = 0, missed = 0;
    for (int i = 0; i < 200; i++)
    {
        double move = check_uniform(&random, 0.9, 1.03);
        carom_mesh *mesh = two_boxes(b, move, false);
        carom_image_self_def def = {.body = place(mesh, world_random_pose(&random, 1.0)),
                                    .axis = (carom_image_axis)(i % 4),
                                    .resolution = i % 2 ? 256 : 64};
        carom_image_self_result result;
        assert_int_equal(carom_image_self(images_best(b), &def, &result), CAROM_OK);
        bool overlaps = move < 1.0;
        assert_true(overlaps || !result.overlaps);                 /* what is found is there */
        assert_true(1.0 - move <= result.size || result.overlaps); /* a ball of that size is not missed */
        assert_true(result.size < 4.0 * result.pixel);             /* which says something */
        found += result.overlaps, missed += overlaps && !result.overlaps;
        carom_mesh_destroy(mesh);
    }
    printf("%llu overlaps found, %llu thin ones missed\n", (unsigned long long)found, (unsigned long long)missed);
    assert_true(found > 80);
    /* a part that is inside out, and a whole body that is */
    carom_mesh *turned = two_boxes(b, 2.0, true), *torus = world_shape(&b->w, GENERATE_TORUS, 300);
    carom_image_self_def def = {.body = place(turned, carom_pose_identity())};
    carom_image_self_result result;
    assert_int_equal(carom_image_self(images_best(b), &def, &result), CAROM_OK);
    assert_true(result.overlaps);
    def.body = place(torus, carom_pose_identity());
    assert_int_equal(carom_image_self(images_best(b), &def, &result), CAROM_OK);
    assert_false(result.overlaps);
    carom_mesh_destroy(turned), carom_mesh_destroy(torus);
}

/* ---- bad input ---- */

static void expect_message(images *b, const char *part)
{
    char message[512];
    carom_context_message(b->w.context, message, sizeof message);
    if (!strstr(message, part))
        fail_msg("\"%s\" does not say \"%s\"", message, part);
}

static void test_bad_input(void **state)
{
    images *b = *state;
    carom_image *image = images_best(b);
    carom_mesh *box = world_box(&b->w, 0, 0, 0, 1, 1, 1), *cloth = world_shape(&b->w, GENERATE_CLOTH, 50);
    carom_mesh *empty = world_mesh(&b->w, NULL, 0, NULL, 0);
    carom_image_volume_def def = carom_image_volume_def_default(), bad;
    carom_image_volume_result result;
    def.a = def.b = place(box, carom_pose_identity());
    assert_int_equal(carom_image_volume(NULL, &def, &result), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_image_volume(image, NULL, &result), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_image_volume(image, &def, NULL), CAROM_INVALID_ARGUMENT);
    bad = def, bad.b = place(cloth, carom_pose_identity());
    assert_int_equal(carom_image_volume(image, &bad, &result), CAROM_UNSUPPORTED);
    expect_message(b, "body b: mesh cloth is not closed");
    bad.b = place(empty, carom_pose_identity());
    assert_int_equal(carom_image_volume(image, &bad, &result), CAROM_UNSUPPORTED);
    bad.b.shape = carom_shape_sphere(1.0);
    assert_int_equal(carom_image_volume(image, &bad, &result), CAROM_UNSUPPORTED);
    expect_message(b, "sphere");
    bad = def, bad.a.pose.translation.y = NAN;
    assert_int_equal(carom_image_volume(image, &bad, &result), CAROM_NOT_FINITE);
    expect_message(b, "body a");
    bad = def, bad.accuracy = NAN;
    assert_int_equal(carom_image_volume(image, &bad, &result), CAROM_NOT_FINITE);
    bad = def, bad.resolution = 1000000;
    assert_int_equal(carom_image_volume(image, &bad, &result), CAROM_TOO_LARGE);
    expect_message(b, "1000000");
    bad = def, bad.axis = (carom_image_axis)7;
    assert_int_equal(carom_image_volume(image, &bad, &result), CAROM_INVALID_ARGUMENT);
    /* a pixel for everything: bounds that say little, but hold */
    def.resolution = 1;
    assert_int_equal(carom_image_volume(image, &def, &result), CAROM_OK);
    assert_true(result.lower <= 1.0 && result.upper >= 1.0);
    /* touching, apart, flat overlaps */
    def.resolution = 0, def.b.pose = carom_pose_translation(1.0, 0.0, 0.0);
    assert_int_equal(carom_image_volume(image, &def, &result), CAROM_OK);
    assert_true(result.lower == 0.0 && result.upper < 1e-3);
    def.b.pose = carom_pose_translation(3.0, 0.0, 0.0);
    assert_int_equal(carom_image_volume(image, &def, &result), CAROM_OK);
    assert_true(result.upper == 0.0 && result.bounds.min.x > result.bounds.max.x);
    carom_mesh_destroy(box), carom_mesh_destroy(cloth), carom_mesh_destroy(empty);
}

static void test_accuracy(void **state)
{
    images *b = *state;
    carom_mesh *blob = world_shape(&b->w, GENERATE_BLOB, 3000);
    carom_image_volume_def def = carom_image_volume_def_default();
    carom_image_volume_result rough, fine;
    def.a = place(blob, carom_pose_identity()), def.b = place(blob, carom_pose_translation(0.2, 0.1, 0.05));
    def.accuracy = 0.1;
    assert_int_equal(carom_image_volume(images_best(b), &def, &rough), CAROM_OK);
    assert_true(rough.error <= 0.1 * rough.volume);
    def.accuracy = 0.02;
    assert_int_equal(carom_image_volume(images_best(b), &def, &fine), CAROM_OK);
    assert_true(fine.error <= 0.02 * fine.volume && fine.columns > rough.columns);
    assert_true(fine.lower <= rough.upper && rough.lower <= fine.upper);
    def.accuracy = 1e-9, def.max_resolution = 100;
    assert_int_equal(carom_image_volume(images_best(b), &def, &fine), CAROM_UNKNOWN);
    assert_int_equal(fine.status, CAROM_UNKNOWN);
    tetra_volume truth = tetra_intersection(&def.a, &def.b);
    assert_true(rough.lower <= truth.volume + truth.error && truth.volume - truth.error <= rough.upper);
    assert_true(fine.lower <= truth.volume + truth.error && truth.volume - truth.error <= fine.upper);
    carom_mesh_destroy(blob);
}

/* ---- no driver, no memory, two threads ---- */

static void test_no_driver(void **state)
{
    (void)state;
    carom_context *context;
    carom_image *image;
    assert_int_equal(carom_context_create(NULL, &context), CAROM_OK);
    variable gpu = variable_set("CAROM_GPU", "off");
    assert_int_equal(carom_image_create(context, NULL, &image), CAROM_UNAVAILABLE);
    assert_null(image);
    variable_restore(&gpu);
    char message[256];
    assert_true(carom_context_message(context, message, sizeof message) > 0);
    carom_context_destroy(context);
}

static carom_status ask_everything(carom_context *context, bool on_processor, const carom_mesh *mesh)
{
    carom_image *image;
    carom_image_volume_def def = carom_image_volume_def_default();
    carom_image_volume_result volume;
    carom_image_vertices_result vertices;
    carom_image_self_result self;
    uint8_t places[64];
    def.a = place(mesh, carom_pose_identity()), def.b = place(mesh, carom_pose_translation(0.3, 0.2, 0.1));
    def.resolution = 16;
    BASE_TRY(carom_image_create(context, &(carom_image_def){on_processor}, &image));
    carom_status status = carom_image_volume(image, &def, &volume);
    if (!carom_failed(status))
        status = carom_image_vertices(image, &def, places, &vertices);
    if (!carom_failed(status))
        status = carom_image_self(image, &(carom_image_self_def){.body = def.a, .resolution = 16}, &self);
    carom_image_destroy(image);
    return status;
}

static void test_no_memory(void **state)
{
    images *b = *state;
    for (int on_processor = b->drawn ? 0 : 1; on_processor < 2; on_processor++)
    {
        failing f = {0};
        carom_context *context;
        assert_int_equal(failing_context(&f, &context), CAROM_OK);
        world w = {.context = context};
        carom_mesh *mesh = world_box(&w, 0, 0, 0, 1, 1, 1);
        uint64_t k = 1, blocks = f.blocks_out;
        for (;; k++)
        {
            failing_arm(&f, k);
            carom_status status = ask_everything(context, on_processor == 1, mesh);
            bool failed = f.failed;
            failing_arm(&f, 0);
            assert_int_equal(f.blocks_out, blocks);
            if (!failed)
            {
                assert_int_equal(status, CAROM_OK);
                break;
            }
            if (status != CAROM_OK) /* what is only kept for speed may be missing */
                assert_int_equal(status, CAROM_OUT_OF_MEMORY);
        }
        assert_true(k > 8);
        carom_mesh_destroy(mesh);
        carom_context_destroy(context);
        assert_int_equal(f.blocks_out, 0);
    }
}

typedef struct runner
{
    carom_image_volume_result first;
    bool same;
    carom_status status;
} runner;

static carom_status run_repeatedly(runner *r, const world *w, carom_image *image)
{
    carom_image_volume_def def = carom_image_volume_def_default();
    generate_def shape = generate_def_default(GENERATE_HAND);
    carom_mesh *mesh;
    BASE_TRY(generate_mesh(w->context, &shape, &mesh));
    def.a = place(mesh, carom_pose_identity()), def.b = place(mesh, carom_pose_translation(0.05, 0.02, 0.1));
    carom_status status = CAROM_OK;
    r->same = true;
    for (int i = 0; i < 20 && status == CAROM_OK; i++)
    {
        carom_image_volume_result result;
        status = carom_image_volume(image, &def, &result);
        if (i == 0)
            r->first = result;
        r->same = r->same && memcmp((const void *)&result, (const void *)&r->first, sizeof result) == 0;
    }
    carom_mesh_destroy(mesh);
    return status;
}

static void *run_thread(void *user)
{
    runner *r = user;
    world w = {0};
    carom_image *image = NULL;
    r->status = carom_context_create(NULL, &w.context);
    if (r->status == CAROM_OK)
        r->status = carom_image_create(w.context, NULL, &image);
    if (r->status == CAROM_OK)
        r->status = run_repeatedly(r, &w, image);
    carom_image_destroy(image);
    carom_context_destroy(w.context);
    return NULL;
}

static void test_two_threads(void **state)
{
    images *b = *state;
    if (!b->drawn)
        skip();
    pthread_t threads[2];
    runner runners[2] = {0};
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, run_thread, &runners[i]), 0);
    for (int i = 0; i < 2; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < 2; i++)
    {
        assert_int_equal(runners[i].status, CAROM_OK);
        assert_true(runners[i].same);
    }
    assert_memory_equal(&runners[0].first, &runners[1].first, sizeof runners[0].first);
    assert_true(runners[0].first.volume > 0.0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fragments), cmocka_unit_test(test_small_limits), cmocka_unit_test(test_vertices),
        cmocka_unit_test(test_self),      cmocka_unit_test(test_bad_input),    cmocka_unit_test(test_accuracy),
        cmocka_unit_test(test_no_driver), cmocka_unit_test(test_no_memory),    cmocka_unit_test(test_two_threads),
    };
    return cmocka_run_group_tests(tests, images_open, images_close);
}
