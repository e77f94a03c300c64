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

typedef struct counts
{
    uint64_t boxes, triangles, candidates;
} counts;

/* One device with one limit: its answers are those of brute force. Returns what a search of everything has tested. */
static counts check_limit(carom_engine *engine, carom_engine *brute, const stage *s, frontier_limits limits)
{
    counts out = {0};
    state_of(engine)->device.limits = limits;
    for (int number = 0; number < QUESTIONS; number++)
    {
        carom_collide_options options = question(number);
        carom_scene_report truth = run(brute, s->scene, &options), found = run(engine, s->scene, &options);
        assert_true(truth.hash == found.hash);
        assert_true(found.pair_count > 0);
        const mipmap_stats *stats = &state_of(engine)->device.stats;
        if (number == 0)
            out = (counts){stats->boxes, stats->triangles, stats->candidates};
        if (number == 0 && limits.frontier == MIPMAP_CHILDREN)
            assert_true(stats->rounds > 50);
    }
    assert_int_equal(carom_engine_get_stats(engine).pairs_by_trees, 0);
    return out;
}

/* The same hash; and where everything is searched, the same number of tests. The smallest frontier takes thousands of
 * rounds: there with fewer triangles. */
static void every_device_and_limit_agrees(void **unused)
{
    (void)unused;
    world w = world_open();
    carom_engine *brute = open_named(w.context, "brute");
    stage stages[2] = {stage_open(w.context, SEED, 600), stage_open(w.context, SEED, 60)};
    counts expected[2] = {0};
    int opened = 0;
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
        for (size_t limit = 0; limit < sizeof LIMITS / sizeof *LIMITS; limit++)
        {
            carom_engine *engine = open_on(w.context, "geoimage", kind);
            int small = LIMITS[limit].frontier == MIPMAP_CHILDREN;
            if (!engine)
                continue;
            counts found = check_limit(engine, brute, &stages[small], LIMITS[limit]);
            if (expected[small].boxes == 0)
                expected[small] = found;
            assert_memory_equal(&found, &expected[small], sizeof found);
            assert_int_equal(compute_kind_of(state_of(engine)->device.device), kind); /* it was not given up */
            carom_engine_destroy(engine);
            opened++;
        }
    print_message("%d engines, %llu tests of boxes, %llu of triangles\n", opened, (unsigned long long)expected[0].boxes,
                  (unsigned long long)expected[0].triangles);
    assert_true(expected[0].boxes > 1000 && expected[0].triangles > 100 && expected[0].candidates > 100);
    assert_true(expected[1].boxes > 200 && expected[1].triangles > 20 && expected[1].candidates > 20);
    assert_true(opened >= 4);
    stage_close(&stages[0]), stage_close(&stages[1]);
    carom_engine_destroy(brute);
    world_close(&w);
}

/* For each limit; small frontiers take hundreds of rounds: there with fewer triangles. */
static void a_hundred_runs_are_the_same(void **unused)
{
    (void)unused;
    world w = world_open();
    carom_engine *brute = open_named(w.context, "brute");
    stage large = stage_open(w.context, SEED + 1, 300), small = stage_open(w.context, SEED + 1, 20);
    carom_collide_options options = question(1);
    uint64_t truth_large = run(brute, large.scene, &options).hash, truth_small = run(brute, small.scene, &options).hash;
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
        for (size_t limit = 0; limit < sizeof LIMITS / sizeof *LIMITS; limit++)
        {
            bool is_small = LIMITS[limit].frontier != 0;
            carom_engine *engine = open_on(w.context, "geoimage", kind);
            if (!engine)
                continue;
            state_of(engine)->device.limits = LIMITS[limit];
            for (int i = 0; i < 100; i++)
                assert_true(run(engine, is_small ? small.scene : large.scene, &options).hash ==
                            (is_small ? truth_small : truth_large));
            assert_int_equal(compute_kind_of(state_of(engine)->device.device), kind);
            carom_engine_destroy(engine);
        }
    stage_close(&small);
    stage_close(&large);
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

/* The devices in turn; the processor where one is not there. */
static carom_engine *open_next(carom_context *context, int turn)
{
    carom_engine *engine = open_on(context, "geoimage", COMPUTE_OPENCL + (compute_kind)(turn % 3));
    return engine ? engine : open_on(context, "geoimage", COMPUTE_PROCESSOR);
}

/* The hashes of two bodies in one pose after the other, which both engines are asked about. turn: which device. */
static uint64_t compare_poses(carom_context *context, int turn, carom_mesh *const meshes[2], int rounds)
{
    carom_engine *brute = open_named(context, "brute"), *engine = open_next(context, turn);
    check_random random = {.state = SEED + (uint64_t)turn};
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

/* Generated models of genus 0 to 5, open and closed; with CAROM_TEST_SCALE=114, 10,000 poses. */
static void original_surfaces(void **unused)
{
    (void)unused;
    world w = world_open();
    uint64_t pairs = 0;
    int rounds = 4 * (int)check_scale();
    for (int i = 0; i < GEOIMAGE_MODELS; i++)
    {
        geoimage_model models[2] = {geoimage_models[i], geoimage_models[(i + 5) % GEOIMAGE_MODELS]};
        carom_mesh *meshes[2];
        for (int k = 0; k < 2; k++)
        {
            models[k].triangles = models[k].triangles < 900 ? models[k].triangles : 900;
            meshes[k] = geoimage_model_mesh(w.context, &models[k]);
        }
        pairs += compare_poses(w.context, i, meshes, rounds);
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
        pairs +=
            compare_poses(w.context, 50 + i, (carom_mesh *const[2]){of_this, i % 2 ? of_next : of_this}, 2 + i % 2);
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
    int rounds = 4 * (int)check_scale();
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
        pairs += compare_poses(w.context, i / 3, meshes, rounds);
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

/* ---- boxes ---- */

static void fill_boxes_of_lists(const mipmap_asset *asset, float *nodes)
{
    uint32_t cells = asset->levels.columns * asset->levels.rows;
    const uint32_t *lists = asset->table + MIPMAP_LISTS, *corners = lists + cells + 1;
    for (uint32_t cell = 0; cell < cells; cell++)
        for (int k = 0; k < 4; k++)
        {
            float *low = nodes + (size_t)GEOIMAGE_NODE * cell + k, *high = low + 4;
            *low = k < 3 ? GEOIMAGE_OUTSIDE : 0, *high = -*low;
            for (uint32_t i = 3 * lists[cell]; k < 3 && i < 3 * lists[cell + 1]; i++)
            {
                float value = asset->points[GEOIMAGE_POINT * corners[i] + (uint32_t)k];
                *low = fminf(*low, value), *high = fmaxf(*high, value);
            }
        }
}

/* Reads the boxes of a mesh back from a device and compares them with those that src/geoimage makes. */
static void check_boxes(mipmap_runner *runner, carom_mesh *mesh)
{
    carom_context *context = runner->context;
    carom_shape shape = carom_shape_mesh(mesh);
    carom_pose pose = carom_pose_identity();
    void *asset;
    float place[FRONTIER_PLACE];
    assert_int_equal(mipmap_create_asset(context, &shape, &asset), CAROM_OK);
    mipmap_pair pair = {asset, asset, {mesh, NULL, &pose}, {mesh, NULL, &pose}};
    assert_int_equal(mipmap_place_pair(&pair, place), FRONTIER_SEARCH);
    const geoimage_levels *levels = &((mipmap_asset *)asset)->levels;
    size_t floats = (size_t)GEOIMAGE_NODE * geoimage_node_count(levels);
    float *found = base_allocate(context, floats, sizeof *found, 32),
          *expected = base_allocate(context, floats, sizeof *expected, 32);
    assert_int_equal(compute_begin(runner->device), CAROM_OK);
    assert_int_equal(mipmap_runner_load(runner, &pair, place, 1), CAROM_OK);
    size_t first = mipmap_slot_of(runner, asset)->first[MIPMAP_NODES] * (size_t)GEOIMAGE_NODE;
    assert_int_equal(compute_read(runner->device, &runner->stores[MIPMAP_NODES], first * sizeof *found, found,
                                  floats * sizeof *found),
                     CAROM_OK);
    assert_int_equal(compute_end(runner->device), CAROM_OK);
    if (((mipmap_asset *)asset)->table[MIPMAP_LISTED] == 0)
        geoimage_build_levels(context, levels, ((mipmap_asset *)asset)->points, expected);
    else
    {
        fill_boxes_of_lists(asset, expected);
        geoimage_build_parents(context, levels, expected);
    }
    for (size_t i = 0; i < floats; i++)
        if (found[i] != expected[i])
            fail_msg("%u x %u cells on %s: number %zu of node %zu is %g, not %g", levels->columns, levels->rows,
                     compute_kind_name(compute_kind_of(runner->device)), i % GEOIMAGE_NODE, i / GEOIMAGE_NODE, found[i],
                     expected[i]);
    base_release(context, found, floats, sizeof *found), base_release(context, expected, floats, sizeof *expected);
    mipmap_destroy_asset(context, asset);
}

static carom_mesh *rough_grid(carom_context *context, uint32_t width, uint32_t height)
{
    check_random random = {width * 1000 + height};
    carom_vec3 *points = malloc((size_t)width * height * sizeof *points);
    carom_geoimage *image;
    carom_mesh *mesh;
    assert_non_null(points);
    for (uint32_t i = 0; i < width * height; i++)
        points[i] = vec3_add(vec3(i % width, (double)(i / width), 0), check_random_point(&random, -2, 2));
    assert_int_equal(carom_geoimage_create_grid(context, width, height, points, &image), CAROM_OK);
    assert_int_equal(carom_geoimage_mesh(image, 0, &mesh), CAROM_OK);
    carom_geoimage_destroy(image);
    free(points);
    return mesh;
}

/* Grids of all small sizes, long ones, and atlases: each square of two by two cells is one item of a kernel, also where
 * a side has an odd number of cells. */
static void boxes_of_all_sizes(void **unused)
{
    (void)unused;
    static const uint32_t sizes[][2] = {{2, 300}, {300, 2}, {100, 33}, {129, 129}};
    world w = world_open();
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
    {
        mipmap_runner runner = {0};
        if (mipmap_runner_open(&runner, w.context, kind) == CAROM_UNAVAILABLE)
            continue;
        for (uint32_t i = 0; i < 10 * 10 + 4 + 3; i++)
        {
            carom_mesh *mesh = i < 100   ? rough_grid(w.context, 2 + i % 10, 2 + i / 10)
                               : i < 104 ? rough_grid(w.context, sizes[i - 100][0], sizes[i - 100][1])
                                         : geoimage_model_mesh(w.context, &geoimage_models[3 * (i - 104)]);
            check_boxes(&runner, mesh);
            carom_mesh_destroy(mesh);
        }
        mipmap_runner_close(&runner);
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

typedef struct logged
{
    uint32_t errors, warnings;
} logged;

static void count_logged(carom_log_level level, const char *message, void *user)
{
    (void)message;
    ((logged *)user)->errors += level == CAROM_LOG_ERROR, ((logged *)user)->warnings += level == CAROM_LOG_WARNING;
}

/* Two bodies that meet: the answer is that of the trees. Returns how many pairs were left to them. */
static uint64_t pairs_left_of_two(carom_context *context, carom_mesh *const meshes[2])
{
    carom_engine *tree = open_named(context, "tree"), *engine = open_on(context, "geoimage", COMPUTE_PROCESSOR);
    carom_scene *scene;
    assert_int_equal(carom_scene_create(context, &scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        def.placed = (carom_placed){carom_shape_mesh(meshes[i]), carom_pose_translation(0.6 * i, 0.1, 0.2)};
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
    }
    carom_scene_report truth = run(tree, scene, NULL), found = run(engine, scene, NULL);
    assert_true(truth.hash == found.hash && found.pair_count > 0);
    uint64_t left = carom_engine_get_stats(engine).pairs_by_trees;
    carom_scene_destroy(scene);
    carom_engine_destroy(engine), carom_engine_destroy(tree);
    return left;
}

/* More triangles than are mapped: the trees do it, and say so, which is no error. */
static void a_huge_mesh_is_left_to_the_trees(void **unused)
{
    (void)unused;
    logged log = {0};
    carom_context_def context_def = carom_context_def_default();
    context_def.log = count_logged, context_def.log_user = &log;
    world w = world_open_with(&context_def);
    carom_mesh *meshes[2] = {world_shape(&w, GENERATE_ICO_SPHERE, 300000), world_shape(&w, GENERATE_BOX, 12)};
    assert_true(meshes[0]->triangle_count > 1u << 18);
    assert_int_equal(pairs_left_of_two(w.context, meshes), 1);
    assert_true(log.errors == 0 && log.warnings == 1);
    assert_int_equal(carom_context_message(w.context, NULL, 0), 0);
    carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
    world_close(&w);
}

/* A chain of 150 handles, whose map folds over: it is put into cells like any other. */
static void a_mesh_whose_map_folds_is_not_left_to_the_trees(void **unused)
{
    (void)unused;
    world w = world_open();
    carom_mesh *meshes[2] = {geoimage_plate(w.context, 150), world_shape(&w, GENERATE_BLOB, 2000)};
    assert_int_equal(pairs_left_of_two(w.context, meshes), 0);
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
                                       cmocka_unit_test(boxes_of_all_sizes),
                                       cmocka_unit_test(odd_meshes),
                                       cmocka_unit_test(a_huge_mesh_is_left_to_the_trees),
                                       cmocka_unit_test(a_mesh_whose_map_folds_is_not_left_to_the_trees),
                                       cmocka_unit_test(deforming_bodies_get_new_boxes),
                                       cmocka_unit_test(a_grid_becomes_another_mesh),
                                       cmocka_unit_test(budgets_end_and_go_on),
                                       cmocka_unit_test(a_lost_device_is_replaced),
                                       cmocka_unit_test(too_small_a_device_says_so),
                                       cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
