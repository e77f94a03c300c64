/* CULLIDE: what is drawn is what the twin computes, to the bit; the same reports as brute force, with bodies that
 * touch, are 1e-9 apart or hold each other; and the set of bodies shrinks. */
#include "carom/io.h"
#include "engine/engine.h"
#include "engine/image/image_grid.h"
#include "engine/image/image_visible.h"
#include "query/world.h"
#include "scenes/poses.h"
#include "support/data.h"
#include "support/failing.h"
#include "support/variable.h"

/* ---- texel by texel ---- */

enum
{
    BODIES = 40,
    MAX_SIDE = 128
};

typedef struct canvas
{
    gpu_device *device;
    image_visible visible;
    image_records records;
    image_visible_body bodies[BODIES];
    uint32_t order[BODIES];
} canvas;

static void fill_canvas(canvas *c, const world *w, check_random *random, uint32_t side)
{
    image_view view = {.side = (int)side, .error = {1e-9, 1e-9, 1e-9}};
    c->records.count = 0, c->visible.uploaded = NULL;
    for (uint32_t i = 0; i < BODIES; i++)
    {
        carom_vec3 centre = check_random_point(random, 0.0, side);
        double size = side * check_uniform(random, 0.01, 0.2), depth = 2.0 * i / BODIES - 1.0;
        c->order[i] = i, c->bodies[i].first = (uint32_t)c->records.count;
        for (int k = 0; k < 6; k++)
        {
            carom_vec3 corner[3];
            for (int j = 0; j < 3; j++)
            {
                corner[j] = vec3_add(centre, check_random_point(random, -size, size));
                corner[j].z = depth + check_uniform(random, -0.04, 0.04);
            }
            assert_true(base_array_reserve(w->context, &c->records, 1));
            c->records.count += image_prepare(&view, corner, &c->records.items[c->records.count]);
        }
        c->bodies[i].count = (uint32_t)c->records.count - c->bodies[i].first;
    }
}

static void test_texels(void **state)
{
    (void)state;
    world w = world_open();
    canvas c = {0};
    static float drawn[MAX_SIDE * MAX_SIDE], computed[MAX_SIDE * MAX_SIDE];
    uint8_t drawn_beyond[BODIES], beyond[BODIES];
    uint64_t culled = 0, texels = 0;
    check_random random = {31};
    gpu_device_def def = gpu_device_def_default();
    def.debug = true;
    if (gpu_open(w.context, &def, &c.device) != CAROM_OK)
    {
        world_close(&w);
        skip();
    }
    assert_int_equal(gpu_begin(c.device), CAROM_OK);
    assert_int_equal(image_visible_create(w.context, c.device, &c.visible), CAROM_OK);
    for (int i = 0; i < 60; i++)
    {
        const uint32_t sides[] = {1, 7, 64, MAX_SIDE};
        uint32_t side = sides[i % 4];
        fill_canvas(&c, &w, &random, side);
        image_visible_job job = {&c.records, c.bodies, c.order, BODIES, side, i % 3 == 0};
        assert_int_equal(image_visible_run(&c.visible, &job, drawn_beyond), CAROM_OK);
        assert_int_equal(image_visible_reached(&c.visible, &job, drawn), CAROM_OK);
        image_visible_twin(&job, computed, beyond);
        assert_memory_equal(drawn, computed, (size_t)side * side * sizeof *drawn);
        assert_memory_equal(drawn_beyond, beyond, BODIES);
        for (int k = 0; k < BODIES; k++)
            culled += beyond[k];
        texels += (uint64_t)side * side;
    }
    printf("%llu texels; %llu of %d bodies beyond those before them\n", (unsigned long long)texels,
           (unsigned long long)culled, 60 * BODIES);
    assert_true(culled > 60 * BODIES / 10 && culled < 60 * BODIES * 9 / 10);
    image_visible_destroy(&c.visible);
    assert_int_equal(gpu_end(c.device), CAROM_OK);
    const char *first = "";
    if (gpu_debug_errors(c.device, &first) > 0)
        fail_msg("%s", first);
    gpu_close(c.device);
    base_array_free(w.context, &c.records);
    world_close(&w);
}

/* ---- scenes ---- */

typedef struct arena
{
    world w;
    carom_scene *scene;
    carom_engine *cullide, *brute;
} arena;

static void open_arena(arena *a)
{
    *a = (arena){.w = world_open()};
    if (carom_engine_create(a->w.context, &(carom_engine_def){.engine = "cullide"}, &a->cullide) == CAROM_UNAVAILABLE)
    {
        world_close(&a->w);
        skip();
    }
    assert_non_null(a->cullide);
    assert_int_equal(
        carom_engine_create(a->w.context, &(carom_engine_def){.engine = "brute", .broad_phase = "brute"}, &a->brute),
        CAROM_OK);
    assert_int_equal(carom_scene_create(a->w.context, &a->scene), CAROM_OK);
}

static void close_arena(arena *a)
{
    carom_scene_destroy(a->scene);
    carom_engine_destroy(a->cullide), carom_engine_destroy(a->brute);
    world_close(&a->w);
}

static carom_body_id add(arena *a, carom_shape shape, carom_pose pose, double margin)
{
    carom_body_def def = carom_body_def_default();
    carom_body_id id;
    def.placed = (carom_placed){shape, pose}, def.margin = margin;
    assert_int_equal(carom_scene_add(a->scene, &def, &id), CAROM_OK);
    return id;
}

/* The number of pairs that both list. */
static uint64_t compare(arena *a, const carom_collide_options *options)
{
    carom_frame frame;
    carom_scene_report truth, report;
    assert_int_equal(carom_scene_frame(a->scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(a->brute, &frame, options, &truth), CAROM_OK);
    assert_int_equal(carom_engine_run(a->cullide, &frame, options, &report), CAROM_OK);
    assert_true(report.hash == truth.hash);
    return truth.body_pair_count;
}

/* Pairs whose surfaces touch, are 1e-9 apart, or hold each other. */
static void test_close_pairs(void **state)
{
    (void)state;
    arena a;
    open_arena(&a);
    const double gaps[] = {0.0, 1e-9, -1e-9, 1e-3};
    carom_mesh *box = world_box(&a.w, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5),
               *small = world_box(&a.w, -.1, -.1, -.1, .1, .1, .1);
    for (int i = 0; i < 4; i++)
        for (int axis = 0; axis < 3; axis++)
        {
            carom_vec3 at = {5.0 * i, 5.0 * axis, 0.0}, next = at;
            ((double *)&next)[axis] += 1.0 + gaps[i];
            add(&a, carom_shape_mesh(box), carom_pose_translation(at.x, at.y, at.z), 0.0);
            add(&a, carom_shape_mesh(box), carom_pose_translation(next.x, next.y, next.z), 0.0);
        }
    add(&a, carom_shape_mesh(small), carom_pose_translation(0.1, 0.1, 0.1), 0.0);  /* inside the first */
    add(&a, carom_shape_sphere(0.5), carom_pose_translation(5.0, -1.0, 0.0), 0.0); /* touches another */
    carom_collide_options options = carom_collide_options_default();
    uint64_t plain = compare(&a, &options);
    assert_int_equal(plain, 3 + 3 + 1 + 1);
    options.relation = true;
    compare(&a, &options);
    options.clearance = 2e-9;
    assert_true(compare(&a, &options) > plain);
    options.clearance = 0.0;
    add(&a, carom_shape_mesh(small), carom_pose_translation(5.0, 0.0, 0.7), 0.1); /* closer than its margin to a box */
    assert_true(compare(&a, &options) > plain);
    carom_mesh_destroy(box), carom_mesh_destroy(small);
    close_arena(&a);
}

/* No bodies, nothing in them, all on one point, far from each other. */
static void test_empty_and_odd(void **state)
{
    (void)state;
    arena a;
    open_arena(&a);
    carom_collide_options options = carom_collide_options_default();
    assert_int_equal(compare(&a, &options), 0);
    carom_mesh *empty = world_mesh(&a.w, NULL, 0, NULL, 0), *point;
    double corners[9] = {1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9, 1e9};
    point = world_mesh(&a.w, corners, 3, NULL, 1);
    add(&a, carom_shape_mesh(empty), carom_pose_identity(), 0.0);
    assert_int_equal(compare(&a, &options), 0);
    add(&a, carom_shape_mesh(point), carom_pose_identity(), 0.0);
    add(&a, carom_shape_mesh(point), carom_pose_identity(), 0.0);
    assert_int_equal(compare(&a, &options), 1);
    add(&a, carom_shape_sphere(1.0), carom_pose_translation(-1e9, 0.0, 0.0), 0.0);
    add(&a, carom_shape_sphere(1.0), carom_pose_translation(-1e9 + 2.0, 0.0, 0.0), 0.0);
    assert_int_equal(compare(&a, &options), 2);
    carom_mesh_destroy(empty), carom_mesh_destroy(point);
    close_arena(&a);
}

/* Adds 60 bodies of many kinds at random. */
static void add_crowd(arena *a, check_random *random, double reach, double far)
{
    carom_mesh *meshes[] = {world_shape(&a->w, GENERATE_TORUS, 100), world_shape(&a->w, GENERATE_CLOTH, 40),
                            world_shape(&a->w, GENERATE_RUBBLE, 30)};
    for (int i = 0; i < 60; i++)
    {
        carom_shape shape = i % 4 < 3 ? carom_shape_mesh(meshes[i % 4]) : carom_shape_sphere(0.3);
        carom_pose pose = world_random_pose(random, reach);
        pose.translation.y += far;
        add(a, shape, pose, i % 10 == 0 ? 0.05 : 0.0);
    }
    for (int i = 0; i < 3; i++)
        carom_mesh_destroy(meshes[i]); /* the scene keeps them */
}

/* From sparse to dense. */
static void test_random_scenes(void **state)
{
    (void)state;
    check_random random = {8};
    uint64_t pairs = 0, before = 0, after = 0;
    for (int round = 0; round < 24; round++)
    {
        arena a;
        open_arena(&a);
        double reach = 1.0 + round / 3, far = round % 4 == 3 ? 1e9 : 0.0;
        add_crowd(&a, &random, reach, far);
        carom_collide_options options = carom_collide_options_default();
        options.relation = round % 2 == 1, options.clearance = round % 3 == 0 ? 0.02 : 0.0;
        pairs += compare(&a, &options);
        carom_engine_stats stats = carom_engine_get_stats(a.cullide);
        printf("reach %g: %llu of %llu bodies left, %llu draws\n", reach, (unsigned long long)stats.bodies_after,
               (unsigned long long)stats.bodies_before, (unsigned long long)stats.draws);
        before += stats.bodies_before, after += stats.bodies_after;
        close_arena(&a);
    }
    assert_true(pairs > 500);
    assert_true(after < before * 9 / 10); /* culling does something, */
    assert_true(after > before / 10);     /* and there was something left to do */
}

/* With larger images fewer bodies are left, and the answer is the same. */
static void test_sides(void **state)
{
    (void)state;
    static const uint32_t sides[] = {1, 5, 32, 256, 4096};
    uint64_t left[sizeof sides / sizeof sides[0]];
    check_random random = {8};
    arena a;
    open_arena(&a);
    add_crowd(&a, &random, 4.0, 0.0);
    carom_collide_options options = carom_collide_options_default();
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
    {
        carom_engine_destroy(a.cullide);
        carom_engine_def def = {.engine = "cullide", .image_side = sides[i]};
        assert_int_equal(carom_engine_create(a.w.context, &def, &a.cullide), CAROM_OK);
        assert_true(compare(&a, &options) > 0);
        left[i] = carom_engine_get_stats(a.cullide).bodies_after;
        printf("side %u: %llu bodies left\n", sides[i], (unsigned long long)left[i]);
    }
    assert_true(left[0] > left[1] && left[1] > left[2] && left[2] > left[4]);
    close_arena(&a);
}

/* ---- well-known models, close to each other ---- */

typedef struct two_models
{
    carom_query *query;
    const carom_mesh *mesh[2];
} two_models;

static carom_status measure(void *user, const carom_pose *a, const carom_pose *b, double *out)
{
    two_models *models = user;
    carom_report report;
    carom_placed one = {carom_shape_mesh(models->mesh[0]), *a}, other = {carom_shape_mesh(models->mesh[1]), *b};
    BASE_TRY(carom_distance(models->query, &one, &other, NULL, &report));
    *out = report.distance;
    return CAROM_OK;
}

/* Eight pairs, far from each other, in one frame. The truth is `tree`, which has its own tests against brute force. */
static void add_poses(arena *a, two_models *models, uint64_t seed)
{
    for (uint64_t i = 0; i < 8; i++)
    {
        poses_pair pair;
        poses_oracle oracle = {measure, models};
        poses_class pose_class = (poses_class)((seed + i) % POSES_CLASS_COUNT);
        assert_int_equal(poses_make(models->mesh[0], models->mesh[1], &oracle, pose_class, 8 * seed + i, &pair),
                         CAROM_OK);
        carom_vec3 size =
            vec3_sub(carom_mesh_get_info(models->mesh[0]).bounds.max, carom_mesh_get_info(models->mesh[0]).bounds.min);
        double step = 3.0 * (size.x + size.y + size.z);
        carom_vec3 at = {step * (double)(i % 2), step * (double)(i / 2 % 2), step * (double)(i / 4)};
        pair.a.translation = vec3_add(pair.a.translation, at), pair.b.translation = vec3_add(pair.b.translation, at);
        add(a, carom_shape_mesh(models->mesh[0]), pair.a, 0.0);
        add(a, carom_shape_mesh(models->mesh[1]), pair.b, 0.0);
    }
}

static void test_models(void **state)
{
    (void)state;
    static const char *const names[] = {"models/suzanne.obj", "models/cow.obj", "models/spot.obj", "models/teapot.obj"};
    const char *scale = getenv("CAROM_TEST_SCALE");
    int frames = 20 * (scale ? atoi(scale) : 1);
    arena a;
    open_arena(&a);
    io_model models[4];
    for (int i = 0; i < 4; i++)
    {
        char path[512];
        data_find(names[i], path, sizeof path);
        assert_int_equal(io_read(a.w.context, path, NULL, &models[i]), CAROM_OK);
    }
    carom_engine_destroy(a.brute);
    assert_int_equal(carom_engine_create(a.w.context, NULL, &a.brute), CAROM_OK);
    uint64_t pairs = 0, poses = 0;
    for (int i = 0; i < frames; i++)
    {
        two_models two = {a.w.query, {models[i % 4].mesh, models[(i / 4) % 4].mesh}};
        carom_collide_options options = carom_collide_options_default();
        options.mode = i % 11 == 0 ? CAROM_COLLIDE_ALL : CAROM_COLLIDE_ANY;
        add_poses(&a, &two, (uint64_t)i);
        pairs += compare(&a, &options), poses += 8;
        carom_scene_destroy(a.scene);
        assert_int_equal(carom_scene_create(a.w.context, &a.scene), CAROM_OK);
    }
    carom_engine_stats stats = carom_engine_get_stats(a.cullide);
    printf("%llu poses, %llu pairs meet; %llu of %llu bodies left\n", (unsigned long long)poses,
           (unsigned long long)pairs, (unsigned long long)stats.bodies_after, (unsigned long long)stats.bodies_before);
    assert_true(pairs > poses / 5 && pairs < poses);
    for (int i = 0; i < 4; i++)
        io_model_free(&models[i]);
    close_arena(&a);
}

/* ---- no driver, no memory ---- */

static void test_no_driver(void **state)
{
    (void)state;
    world w = world_open();
    carom_engine *engine;
    variable gpu = variable_set("CAROM_GPU", "off");
    assert_int_equal(carom_engine_create(w.context, &(carom_engine_def){.engine = "cullide"}, &engine),
                     CAROM_UNAVAILABLE);
    assert_null(engine);
    variable_restore(&gpu);
    world_close(&w);
}

static void test_no_memory(void **state)
{
    (void)state;
    failing f = {0};
    world w = {0};
    assert_int_equal(failing_context(&f, &w.context), CAROM_OK);
    carom_mesh *box = world_box(&w, 0, 0, 0, 1, 1, 1);
    carom_scene *scene;
    carom_body_id id;
    carom_frame frame;
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    for (int i = 0; i < 4; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){carom_shape_mesh(box), carom_pose_translation(0.8 * i, 0.0, 0.0)};
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
    }
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    uint64_t failures = 0;
    for (uint64_t k = 1;; k++)
    {
        carom_engine *engine;
        carom_scene_report report;
        failing_arm(&f, k);
        carom_status status = carom_engine_create(w.context, &(carom_engine_def){.engine = "cullide"}, &engine);
        if (status == CAROM_UNAVAILABLE)
            break;
        if (status == CAROM_OK)
            status = carom_engine_run(engine, &frame, NULL, &report);
        carom_engine_destroy(engine);
        if (!f.failed)
        {
            assert_int_equal(status, CAROM_OK);
            break;
        }
        failures += status == CAROM_OUT_OF_MEMORY;
        assert_true(status == CAROM_OUT_OF_MEMORY || status == CAROM_OK);
    }
    failing_arm(&f, 0);
    carom_scene_destroy(scene);
    carom_mesh_destroy(box);
    carom_context_destroy(w.context);
    assert_int_equal(f.blocks_out, 0);
    printf("%llu failures came back\n", (unsigned long long)failures);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_texels),        cmocka_unit_test(test_close_pairs), cmocka_unit_test(test_empty_and_odd),
        cmocka_unit_test(test_random_scenes), cmocka_unit_test(test_sides),       cmocka_unit_test(test_models),
        cmocka_unit_test(test_no_driver),     cmocka_unit_test(test_no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
