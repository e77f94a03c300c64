/* Engine `geoimage` against brute force: on every kind of device, with every limit, with workers, on resampled and on
 * original surfaces, while bodies deform, and when memory or its device is lost. */
#include "engine/geoimage/mipmap.h"

#include "carom/io.h"
#include "compute/device.h"
#include "engine/devices.h"
#include "support/data.h"
#include "support/failing.h"
#include "support/geoimage_models.h"

static const uint64_t SEED = 20261119;

static mipmap_state *state_of(carom_engine *engine) { return engine->workers[0].method_state; }

/* ---- devices and limits ---- */

static const frontier_limits LIMITS[] = {{0, 0}, {64, 0}, {MIPMAP_CHILDREN, 0}, {0, 400000}};

/* The same hash; and where everything is searched, the same number of tests. */
static void every_device_and_limit_agrees(void **unused)
{
    (void)unused;
    world w = world_open();
    carom_engine *brute = open_named(w.context, "brute");
    int opened = 0;
    uint64_t boxes = 0, triangles = 0, candidates = 0;
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
        for (size_t limit = 0; limit < sizeof LIMITS / sizeof *LIMITS; limit++)
        {
            bool slow = kind != COMPUTE_PROCESSOR && limit == 2; /* thousands of rounds */
            carom_engine *engine = slow ? NULL : open_on(w.context, "geoimage", kind);
            if (!engine)
                continue;
            stage s = stage_open(w.context, SEED, 600);
            state_of(engine)->device.limits = LIMITS[limit];
            for (int number = 0; number < QUESTIONS; number++)
            {
                carom_collide_options options = question(number);
                carom_scene_report truth = run(brute, s.scene, &options), found = run(engine, s.scene, &options);
                assert_true(truth.hash == found.hash);
                assert_true(found.pair_count > 0);
                if (number > 0)
                    continue;
                const mipmap_stats *stats = &state_of(engine)->device.stats;
                assert_true(stats->boxes > 1000 && stats->triangles > 100 && stats->candidates > 100);
                if (limit == 2)
                    assert_true(stats->rounds > 100);
                if (opened++ == 0)
                    boxes = stats->boxes, triangles = stats->triangles, candidates = stats->candidates;
                assert_int_equal(stats->boxes, boxes);
                assert_int_equal(stats->triangles, triangles);
                assert_int_equal(stats->candidates, candidates);
            }
            assert_int_equal(compute_kind_of(state_of(engine)->device.device), kind); /* it was not given up */
            assert_int_equal(carom_engine_get_stats(engine).pairs_by_trees, 0);
            stage_close(&s);
            carom_engine_destroy(engine);
        }
    print_message("%d engines, %llu tests of boxes, %llu of triangles\n", opened, (unsigned long long)boxes,
                  (unsigned long long)triangles);
    assert_true(opened >= 4);
    carom_engine_destroy(brute);
    world_close(&w);
}

static void a_hundred_runs_are_the_same(void **unused)
{
    (void)unused;
    world w = world_open();
    carom_engine *brute = open_named(w.context, "brute");
    stage s = stage_open(w.context, SEED + 1, 300);
    carom_collide_options options = question(1);
    uint64_t truth = run(brute, s.scene, &options).hash;
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
    {
        carom_engine *engine = open_on(w.context, "geoimage", kind);
        for (int i = 0; engine && i < 100; i++)
            assert_true(run(engine, s.scene, &options).hash == truth);
        carom_engine_destroy(engine);
    }
    stage_close(&s);
    carom_engine_destroy(brute);
    world_close(&w);
}

static void any_number_of_workers(void **unused)
{
    (void)unused;
    uint64_t truth[QUESTIONS] = {0};
    for (uint32_t workers = 0; workers <= 8; workers = workers < 4 ? workers + 1 : 2 * workers)
    {
        carom_context *context;
        carom_context_def def = carom_context_def_default();
        def.workers = workers;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        stage s = stage_open(context, SEED + 2, 500);
        carom_engine *engine = open_on(context, workers > 0 ? "geoimage" : "brute", COMPUTE_PROCESSOR);
        for (int number = 0; number < QUESTIONS; number++)
        {
            carom_collide_options options = question(number);
            uint64_t hash = run(engine, s.scene, &options).hash;
            truth[number] = workers == 0 ? hash : truth[number];
            assert_true(hash == truth[number]);
        }
        carom_engine_destroy(engine);
        stage_close(&s);
        carom_context_destroy(context);
    }
}

/* ---- surfaces ---- */

/* The hashes of two bodies in one pose after the other, which both engines are asked about. */
static uint64_t compare_poses(carom_context *context, carom_mesh *const meshes[2], int rounds, uint64_t seed)
{
    carom_engine *brute = open_named(context, "brute"), *engine = open_on(context, "geoimage", COMPUTE_PROCESSOR);
    check_random random = {.state = seed};
    carom_scene *scene;
    carom_body_id ids[2];
    uint64_t pairs = 0;
    assert_int_equal(carom_scene_create(context, &scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){carom_shape_mesh(meshes[i]), carom_pose_identity()};
        assert_int_equal(carom_scene_add(scene, &def, &ids[i]), CAROM_OK);
    }
    carom_aabb box = meshes[0]->info.bounds;
    double size = vec3_length(vec3_sub(box.max, box.min));
    for (int i = 0; i < rounds; i++)
    {
        carom_pose pose = world_random_pose(&random, 0.4 * size);
        if (i % 4 == 1) /* the same rotation: coplanar faces, common vertices where the meshes are the same */
            pose = carom_pose_translation(i % 8 == 1 ? 0.0 : 1e-9 * size, 0.0, 0.0);
        assert_int_equal(carom_scene_move(scene, ids[1], &pose), CAROM_OK);
        carom_collide_options options = question(i % QUESTIONS == 3 ? 3 : 0);
        carom_scene_report truth = run(brute, scene, &options), found = run(engine, scene, &options);
        if (truth.hash != found.hash)
            fail_msg("%s and %s, pose %d: %llu pairs, but there are %llu", meshes[0]->name, meshes[1]->name, i,
                     (unsigned long long)found.pair_count, (unsigned long long)truth.pair_count);
        pairs += found.pair_count;
    }
    carom_scene_destroy(scene);
    carom_engine_destroy(engine), carom_engine_destroy(brute);
    return pairs;
}

static int scaled(int rounds)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    return scale && atoi(scale) > 0 ? rounds * atoi(scale) : rounds;
}

/* Generated models of genus 0 to 5, open and closed; with CAROM_TEST_SCALE=114, 10,000 poses. */
static void original_surfaces(void **unused)
{
    (void)unused;
    world w = world_open();
    uint64_t pairs = 0;
    int rounds = scaled(4);
    for (int i = 0; i < GEOIMAGE_MODELS; i++)
    {
        geoimage_model models[2] = {geoimage_models[i], geoimage_models[(i + 5) % GEOIMAGE_MODELS]};
        carom_mesh *meshes[2];
        for (int k = 0; k < 2; k++)
        {
            models[k].triangles = models[k].triangles < 900 ? models[k].triangles : 900;
            meshes[k] = geoimage_model_mesh(w.context, &models[k]);
        }
        pairs += compare_poses(w.context, meshes, rounds, SEED + (uint64_t)i);
        carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
    }
    print_message("%d poses, %llu pairs\n", rounds * GEOIMAGE_MODELS, (unsigned long long)pairs);
    assert_true(pairs > 1000);
    world_close(&w);
}

/* Files, next to themselves and to another. */
static void models_of_the_data(void **unused)
{
    (void)unused;
    static const char *const names[] = {"models/suzanne.obj", "models/cow.obj", "models/spot.obj", "models/teapot.obj"};
    world w = world_open();
    io_model models[4];
    uint64_t pairs = 0;
    for (int i = 0; i < 4; i++)
    {
        char path[512];
        data_find(names[i], path, sizeof path);
        assert_int_equal(io_read(w.context, path, NULL, &models[i]), CAROM_OK);
    }
    for (int i = 0; i < 4; i++)
    {
        carom_mesh *of_this = models[i].mesh, *of_next = models[(i + 1) % 4].mesh;
        pairs += compare_poses(w.context, (carom_mesh *const[2]){of_this, i % 2 ? of_next : of_this}, 2 + i % 2,
                               SEED + 50 + (uint64_t)i);
    }
    for (int i = 0; i < 4; i++)
        io_model_free(&models[i]);
    assert_true(pairs > 1000);
    world_close(&w);
}

static carom_mesh *resampled(carom_context *context, const geoimage_model *model, uint32_t width, uint32_t height)
{
    carom_mesh *mesh = geoimage_model_mesh(context, model), *out;
    carom_geoimage_def def = carom_geoimage_def_default();
    carom_geoimage *image;
    def.width = width, def.height = height;
    assert_int_equal(carom_geoimage_create(context, mesh, &def, &image), CAROM_OK);
    assert_int_equal(carom_geoimage_mesh(image, 0, &out), CAROM_OK);
    carom_geoimage_destroy(image);
    carom_mesh_destroy(mesh);
    return out;
}

/* Grids: they are taken as they are. */
static void resampled_surfaces(void **unused)
{
    (void)unused;
    world w = world_open();
    uint64_t pairs = 0;
    int rounds = scaled(4);
    for (int i = 0; i + 1 < GEOIMAGE_MODELS; i += 3)
    {
        carom_mesh *meshes[2] = {resampled(w.context, &geoimage_models[i], 33, 17),
                                 resampled(w.context, &geoimage_models[i + 1], 17, 17)};
        for (int k = 0; k < 2; k++)
        {
            carom_shape shape = carom_shape_mesh(meshes[k]);
            void *asset;
            assert_int_equal(mipmap_create_asset(w.context, &shape, &asset), CAROM_OK);
            assert_null(((mipmap_asset *)asset)->order); /* it is a grid */
            mipmap_destroy_asset(w.context, asset);
        }
        pairs += compare_poses(w.context, meshes, rounds, SEED + (uint64_t)i);
        carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
    }
    assert_true(pairs > 500);
    world_close(&w);
}

/* Almost grids: one index, or the order, differs. */
static void grids_are_recognised(void **unused)
{
    (void)unused;
    world w = world_open();
    const double points[] = {0, 0, 0, 1, 0, 0, 2, 0, 0, 0, 1, 0, 1, 1, 0, 2, 1, 1};
    uint32_t indices[] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
    for (int i = 0; i <= 12; i++)
    {
        uint32_t changed[12];
        memcpy(changed, indices, sizeof changed);
        if (i < 12)
            changed[i] = (changed[i] + 1) % 6;
        carom_mesh *mesh = world_mesh(&w, points, 6, changed, 4);
        carom_shape shape = carom_shape_mesh(mesh);
        void *object;
        assert_int_equal(mipmap_create_asset(w.context, &shape, &object), CAROM_OK);
        mipmap_asset *asset = object;
        assert_true((asset->order == NULL) == (i == 12));
        assert_false(asset->by_trees);
        mipmap_destroy_asset(w.context, asset);
        carom_mesh_destroy(mesh);
    }
    world_close(&w);
}

/* Every triangle is in one cell, and none is crowded. */
static void atlases_list_everything_once(void **unused)
{
    (void)unused;
    world w = world_open();
    for (int i = 0; i < GEOIMAGE_MODELS; i++)
    {
        carom_mesh *mesh = geoimage_model_mesh(w.context, &geoimage_models[i]);
        geoimage_atlas atlas;
        assert_int_equal(geoimage_atlas_create(w.context, mesh, &atlas), CAROM_OK);
        size_t cells = (size_t)atlas.side * atlas.side;
        uint8_t *seen = calloc(mesh->triangle_count, 1);
        assert_non_null(seen);
        assert_int_equal(atlas.cell_first[0], 0);
        assert_int_equal(atlas.cell_first[cells], mesh->triangle_count);
        for (size_t c = 0; c < cells; c++)
            assert_in_range(atlas.cell_first[c + 1] - atlas.cell_first[c], 0, GEOIMAGE_CELL_TRIANGLES);
        for (uint32_t k = 0; k < mesh->triangle_count; k++)
            assert_int_equal(seen[atlas.triangles[k]]++, 0);
        free(seen);
        geoimage_atlas_free(&atlas);
        carom_mesh_destroy(mesh);
    }
    world_close(&w);
}

/* ---- odd input ---- */

/* Genus 20; one triangle; three at an edge; all the same; far away. */
static void odd_meshes(void **unused)
{
    (void)unused;
    static const double offsets[] = {0.0, 1e9};
    const double fan[] = {0, 0, 0, 0, 0, 3, 1, 0, 1, -1, 1, 1, -1, -1, 1, 0.5, 0.5, 1};
    const uint32_t fan_indices[] = {0, 1, 2, 0, 1, 3, 0, 1, 4, 0, 1, 5}, one[] = {0, 1, 2};
    uint32_t same[30];
    for (int i = 0; i < 30; i++)
        same[i] = (uint32_t)i % 3;
    for (int i = 0; i < 2; i++)
    {
        crowd c = crowd_open();
        double far = offsets[i];
        carom_pose here = carom_pose_translation(far, far, -far);
        add_mesh(&c, geoimage_plate(c.w.context, 20), here);
        add_mesh(&c, world_mesh(&c.w, fan, 6, fan_indices, 4), here);
        add_mesh(&c, world_mesh(&c.w, fan, 3, one, 1), carom_pose_translation(far, far + 0.25, -far));
        add_mesh(&c, world_mesh(&c.w, fan, 3, same, 10), here);
        add_mesh(&c, world_box(&c.w, 0, 0, 0, 2, 2, 2), here);
        assert_true(compare_crowd(&c, i == 0) > 20);
        crowd_close(&c);
    }
}

/* More triangles than are mapped: the trees do it, and say so. */
static void a_huge_mesh_is_left_to_the_trees(void **unused)
{
    (void)unused;
    world w = world_open();
    carom_mesh *meshes[2] = {world_shape(&w, GENERATE_ICO_SPHERE, 300000), world_shape(&w, GENERATE_BOX, 12)};
    assert_true(meshes[0]->triangle_count > 1u << 18);
    carom_engine *tree = open_named(w.context, "tree"), *engine = open_on(w.context, "geoimage", COMPUTE_PROCESSOR);
    carom_scene *scene;
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        def.placed = (carom_placed){carom_shape_mesh(meshes[i]), carom_pose_translation(0.6 * i, 0.1, 0.2)};
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
    }
    carom_scene_report truth = run(tree, scene, NULL), found = run(engine, scene, NULL);
    assert_true(truth.hash == found.hash && found.pair_count > 0);
    assert_int_equal(carom_engine_get_stats(engine).pairs_by_trees, 1);
    carom_scene_destroy(scene);
    carom_engine_destroy(engine), carom_engine_destroy(tree);
    carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
    world_close(&w);
}

/* ---- deforming bodies ---- */

static void wave(carom_vec3 *points, uint32_t side, double time)
{
    for (uint32_t y = 0; y < side; y++)
        for (uint32_t x = 0; x < side; x++)
        {
            double u = 2.0 * x / (side - 1) - 1.0, v = 2.0 * y / (side - 1) - 1.0;
            points[y * side + x] = vec3(u, v, 0.3 * sin(4.0 * u + time) * cos(3.0 * v - time));
        }
}

enum
{
    SHEET = 21
};

/* A sheet and a blob that both change in every step: one is a grid, one is not. */
static void deforming_bodies_get_new_boxes(void **unused)
{
    (void)unused;
    world w = world_open();
    carom_vec3 points[SHEET * SHEET];
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
    {
        carom_engine *engine = open_on(w.context, "geoimage", kind), *brute = open_named(w.context, "brute");
        carom_geoimage *image;
        carom_mesh *meshes[2];
        wave(points, SHEET, 0.0);
        assert_int_equal(carom_geoimage_create_grid(w.context, SHEET, SHEET, points, &image), CAROM_OK);
        assert_int_equal(carom_geoimage_mesh(image, 0, &meshes[0]), CAROM_OK);
        meshes[1] = world_shape(&w, GENERATE_BLOB, 400);
        carom_scene *scene;
        carom_body_id ids[2];
        assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
        for (int i = 0; i < 2; i++)
        {
            carom_body_def def = carom_body_def_default();
            def.placed = (carom_placed){carom_shape_mesh(meshes[i]), carom_pose_identity()};
            assert_int_equal(carom_scene_add(scene, &def, &ids[i]), CAROM_OK);
        }
        uint64_t changes = 0, last = 0;
        for (int step = 0; engine && step < 8; step++)
        {
            for (int i = 0; i < 2; i++)
            {
                carom_vec3 *moved = i == 0 ? points : malloc(meshes[1]->vertex_count * sizeof *moved);
                if (i == 0)
                    wave(points, SHEET, 0.5 * step);
                for (size_t k = 0; i == 1 && k < meshes[1]->vertex_count; k++)
                    moved[k] = vec3_scale(meshes[1]->vertices[k], step % 2 ? 1.2 : 0.9);
                carom_mesh_def def = carom_mesh_def_default();
                def.vertices_f64 = &moved->x, def.vertex_count = meshes[i]->vertex_count;
                carom_mesh *next;
                assert_int_equal(carom_mesh_deform(meshes[i], &def, &next), CAROM_OK);
                carom_shape shape = carom_shape_mesh(next);
                assert_int_equal(carom_scene_reshape(scene, ids[i], &shape), CAROM_OK);
                carom_mesh_destroy(meshes[i]);
                meshes[i] = next;
                if (i == 1)
                    free(moved);
            }
            carom_collide_options options = question(step % QUESTIONS);
            uint64_t truth = run(brute, scene, &options).hash;
            assert_true(run(engine, scene, &options).hash == truth);
            changes += truth != last, last = truth;
        }
        if (engine)
        {
            assert_true(changes > 5);
            assert_int_equal(state_of(engine)->device.stats.uploads, 16);
            assert_in_range(state_of(engine)->device.slots.count, 1, 2); /* memory is reused */
        }
        carom_scene_destroy(scene);
        carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
        carom_geoimage_destroy(image);
        carom_engine_destroy(engine), carom_engine_destroy(brute);
    }
    world_close(&w);
}

/* A body that was a grid gets a mesh with as many triangles and vertices that is none, and back. */
static void a_grid_becomes_another_mesh(void **unused)
{
    (void)unused;
    enum
    {
        SMALL = 5
    };
    world w = world_open();
    carom_vec3 points[SMALL * SMALL];
    uint32_t indices[6 * (SMALL - 1) * (SMALL - 1)], count = 0;
    wave(points, SMALL, 0.0);
    for (uint32_t y = 0; y + 1 < SMALL; y++)
        for (uint32_t x = 0; x + 1 < SMALL; x++)
        {
            uint32_t at = y * SMALL + x, corners[6] = {at, at + 1, at + SMALL + 1, at, at + SMALL + 1, at + SMALL};
            memcpy(indices + 6 * count++, corners, sizeof corners);
        }
    carom_mesh *meshes[3];
    meshes[0] = world_mesh(&w, &points->x, SMALL * SMALL, indices, 2 * count);
    uint32_t last = indices[6 * count - 1]; /* another triangle in place of the last one */
    indices[6 * count - 1] = 0;
    meshes[1] = world_mesh(&w, &points->x, SMALL * SMALL, indices, 2 * count);
    indices[6 * count - 1] = last;
    meshes[2] = world_box(&w, -0.9, -0.9, -0.1, 0.9, 0.9, 0.1);
    carom_engine *engine = open_on(w.context, "geoimage", COMPUTE_PROCESSOR), *brute = open_named(w.context, "brute");
    carom_scene *scene;
    carom_body_id ids[2];
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = (carom_placed){carom_shape_mesh(meshes[2 * i]), carom_pose_identity()};
        assert_int_equal(carom_scene_add(scene, &def, &ids[i]), CAROM_OK);
    }
    for (int step = 0; step < 4; step++)
    {
        carom_shape shape = carom_shape_mesh(meshes[step % 2]);
        assert_int_equal(carom_scene_reshape(scene, ids[0], &shape), CAROM_OK);
        carom_scene_report truth = run(brute, scene, NULL), found = run(engine, scene, NULL);
        assert_true(truth.hash == found.hash && truth.pair_count > 10);
    }
    carom_scene_destroy(scene);
    carom_engine_destroy(engine), carom_engine_destroy(brute);
    for (int i = 0; i < 3; i++)
        carom_mesh_destroy(meshes[i]);
    world_close(&w);
}

/* ---- budgets and faults ---- */

static void budgets_end_and_go_on(void **unused)
{
    (void)unused;
    world w = world_open();
    stage s = stage_open(w.context, SEED + 4, 400);
    carom_engine *brute = open_named(w.context, "brute"), *engine = open_on(w.context, "geoimage", COMPUTE_PROCESSOR);
    int resumed = 0;
    for (int number = 0; number < QUESTIONS; number++)
    {
        carom_collide_options options = question(number);
        uint64_t truth = run(brute, s.scene, &options).hash;
        options.budget.work = 3000;
        carom_frame frame;
        carom_scene_report report;
        assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
        carom_status status = carom_engine_run(engine, &frame, &options, &report);
        for (; status == CAROM_UNKNOWN; resumed++)
        {
            assert_true(resumed < 100000);
            status = carom_engine_resume(engine, &frame, &options.budget, &report);
        }
        assert_int_equal(status, CAROM_OK);
        assert_true(report.hash == truth);
    }
    assert_true(resumed > 3);
    carom_engine_destroy(engine), carom_engine_destroy(brute);
    stage_close(&s);
    world_close(&w);
}

/* A device that is lost is given up; the answer stays the same. */
static void a_lost_device_is_replaced(void **unused)
{
    (void)unused;
    world w = world_open();
    stage s = stage_open(w.context, SEED + 5, 200);
    carom_engine *brute = open_named(w.context, "brute");
    for (compute_kind kind = COMPUTE_OPENCL; kind <= COMPUTE_OPENGL; kind++)
    {
        carom_engine *engine = open_on(w.context, "geoimage", kind);
        if (!engine)
            continue;
        carom_collide_options options = question(0);
        uint64_t truth = run(brute, s.scene, &options).hash;
        assert_true(run(engine, s.scene, &options).hash == truth);
        state_of(engine)->device.device->lost = true;
        assert_true(run(engine, s.scene, &options).hash == truth);
        assert_int_equal(compute_kind_of(state_of(engine)->device.device), COMPUTE_PROCESSOR);
        carom_engine_destroy(engine);
    }
    carom_engine_destroy(brute);
    stage_close(&s);
    world_close(&w);
}

/* Meshes that no buffer of the device holds. */
static void too_small_a_device_says_so(void **unused)
{
    (void)unused;
    world w = world_open();
    stage s = stage_open(w.context, SEED + 6, 1000);
    carom_engine *engine = open_on(w.context, "geoimage", COMPUTE_PROCESSOR);
    state_of(engine)->device.limits = (frontier_limits){0, 20000};
    carom_frame frame;
    carom_scene_report report;
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_TOO_LARGE);
    world_check_message(&w, "20000 bytes");
    carom_engine_destroy(engine);
    stage_close(&s);
    world_close(&w);
}

/* Every allocation of two frames fails once: an answer, or a status, and nothing is left behind. */
static void no_memory(void **unused)
{
    (void)unused;
    failing memory = {0};
    carom_context *context;
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    carom_mesh *ball = stage_mesh(context, GENERATE_ICO_SPHERE, 40, 1.0);
    carom_mesh *blob = stage_mesh(context, GENERATE_BLOB, 40, 1.0);
    carom_scene *scene;
    assert_int_equal(carom_scene_create(context, &scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        def.placed = (carom_placed){carom_shape_mesh(i ? blob : ball), carom_pose_translation(0.3 * i, 0.1, 0)};
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
    }
    carom_frame frame;
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    setenv("CAROM_COMPUTE", "processor", 1);
    uint64_t failures = 0, truth = 0;
    for (uint64_t k = 0; k <= 1 || memory.failed; k++)
    {
        carom_engine *engine = NULL;
        carom_scene_report report = {0};
        uint64_t blocks = memory.blocks_out;
        failing_arm(&memory, k);
        carom_status status = carom_engine_create(context, &(carom_engine_def){.engine = "geoimage"}, &engine);
        if (status == CAROM_OK)
            status = carom_engine_run(engine, &frame, NULL, &report);
        bool failed = memory.failed;
        failing_arm(&memory, 0);
        memory.failed = failed;
        truth = k == 0 ? report.hash : truth;
        if (status == CAROM_OK)
            assert_true(report.hash == truth);
        else
            assert_int_equal(status, CAROM_OUT_OF_MEMORY);
        failures += status != CAROM_OK;
        carom_engine_destroy(engine);
        if (k > 0) /* the first run made the meshes' trees */
            assert_int_equal(memory.blocks_out, blocks);
    }
    unsetenv("CAROM_COMPUTE");
    assert_true(failures > 30);
    carom_scene_destroy(scene);
    carom_mesh_destroy(ball), carom_mesh_destroy(blob);
    carom_context_destroy(context);
    assert_int_equal(memory.blocks_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_device_and_limit_agrees),
                                       cmocka_unit_test(a_hundred_runs_are_the_same),
                                       cmocka_unit_test(any_number_of_workers),
                                       cmocka_unit_test(original_surfaces),
                                       cmocka_unit_test(models_of_the_data),
                                       cmocka_unit_test(resampled_surfaces),
                                       cmocka_unit_test(grids_are_recognised),
                                       cmocka_unit_test(atlases_list_everything_once),
                                       cmocka_unit_test(odd_meshes),
                                       cmocka_unit_test(a_huge_mesh_is_left_to_the_trees),
                                       cmocka_unit_test(deforming_bodies_get_new_boxes),
                                       cmocka_unit_test(a_grid_becomes_another_mesh),
                                       cmocka_unit_test(budgets_end_and_go_on),
                                       cmocka_unit_test(a_lost_device_is_replaced),
                                       cmocka_unit_test(too_small_a_device_says_so),
                                       cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
