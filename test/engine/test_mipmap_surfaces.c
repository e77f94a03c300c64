/* Engine `geoimage` against brute force: on resampled and on original surfaces, and on odd ones. */
#include "engine/batches.h"
#include "engine/geoimage/mipmap.h"

#include "carom/io.h"
#include "support/data.h"
#include "support/geoimage_models.h"

static const uint64_t SEED = 20261119;

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
    duo d = duo_open(context, meshes, carom_pose_identity());
    uint64_t pairs = 0;
    carom_aabb box = meshes[0]->info.bounds;
    double size = vec3_length(vec3_sub(box.max, box.min));
    for (int i = 0; i < rounds; i++)
    {
        carom_pose pose = world_random_pose(&random, 0.4 * size);
        if (i % 4 == 1) /* the same rotation: coplanar faces, common vertices where the meshes are the same */
            pose = carom_pose_translation(i % 8 == 1 ? 0.0 : 1e-9 * size, 0.0, 0.0);
        assert_int_equal(carom_scene_move(d.scene, d.ids[1], &pose), CAROM_OK);
        carom_collide_options options = question(i % QUESTIONS == 3 ? 3 : 0);
        carom_scene_report truth = run(brute, d.scene, &options), found = run(engine, d.scene, &options);
        if (truth.hash != found.hash)
            fail_msg("%s and %s, pose %d: %llu pairs, but there are %llu", meshes[0]->name, meshes[1]->name, i,
                     (unsigned long long)found.pair_count, (unsigned long long)truth.pair_count);
        pairs += found.pair_count;
    }
    carom_scene_destroy(d.scene);
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
    duo d = duo_open(context, meshes, carom_pose_translation(0.6, 0, 0));
    carom_scene_report truth = run(tree, d.scene, NULL), found = run(engine, d.scene, NULL);
    assert_true(truth.hash == found.hash && found.pair_count > 0);
    uint64_t left = carom_engine_get_stats(engine).pairs_by_trees;
    carom_scene_destroy(d.scene);
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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(original_surfaces),
                                       cmocka_unit_test(models_of_the_data),
                                       cmocka_unit_test(resampled_surfaces),
                                       cmocka_unit_test(odd_meshes),
                                       cmocka_unit_test(a_huge_mesh_is_left_to_the_trees),
                                       cmocka_unit_test(a_mesh_whose_map_folds_is_not_left_to_the_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
