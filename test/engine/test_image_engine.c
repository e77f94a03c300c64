/* Engine `image` on models of the data folder: the same answers as trees, to the bit, from far apart to deep, and with
 * surfaces that touch or are 1e-9 of the size apart, whatever the size of its images; with every image drawn. */
#include "carom/carom.h"
#include "carom/io.h"
#include "scenes/poses.h"
#include "support/data.h"

#include <string.h>

enum
{
    KINDS = POSES_CLASS_COUNT + 2 /* 1e-9 apart, and touching but for rounding */
};

typedef struct bench
{
    carom_context *context;
    carom_query *query;
    carom_scene *scene;
    carom_body_id ids[2];
    carom_mesh *mesh;
    double size;
} bench;

static const char *const MODELS[] = {"spot.obj", "cow.obj", "suzanne.obj", "fandisk.obj", "teapot.obj", "rocker-arm.obj"};

static carom_status measure(void *user, const carom_pose *a, const carom_pose *b, double *out)
{
    bench *bench = user;
    carom_placed placed[2] = {{carom_shape_mesh(bench->mesh), *a}, {carom_shape_mesh(bench->mesh), *b}};
    carom_report report;
    carom_status status = carom_distance(bench->query, &placed[0], &placed[1], NULL, &report);
    *out = report.distance;
    return status;
}

/* Moves b towards a along the shortest way, until about this distance is left. */
static void approach(bench *b, poses_pair *pair, double left)
{
    carom_placed placed[2] = {{carom_shape_mesh(b->mesh), pair->a}, {carom_shape_mesh(b->mesh), pair->b}};
    carom_report report;
    assert_int_equal(carom_distance(b->query, &placed[0], &placed[1], NULL, &report), CAROM_OK);
    const double *from = &report.point_b.x, *to = &report.point_a.x;
    double share = (report.distance - left) / report.distance;
    for (int k = 0; k < 3; k++)
        (&pair->b.translation.x)[k] += share * (to[k] - from[k]);
}

static poses_pair make_pair(bench *b, int kind, uint64_t seed)
{
    poses_oracle oracle = {measure, b};
    poses_pair pair;
    poses_class class = kind < POSES_CLASS_COUNT ? (poses_class)kind : POSES_APART_01;
    assert_int_equal(poses_make(b->mesh, b->mesh, &oracle, class, seed, &pair), CAROM_OK);
    if (kind >= POSES_CLASS_COUNT)
        approach(b, &pair, kind == POSES_CLASS_COUNT ? 1e-9 * b->size : 0.0);
    return pair;
}

static void open_model(bench *b, const char *name)
{
    char path[512], file[64];
    snprintf(file, sizeof file, "models/%s", name);
    data_find(file, path, sizeof path);
    io_model model;
    assert_int_equal(io_read(b->context, path, NULL, &model), CAROM_OK);
    b->mesh = model.mesh;
    model.mesh = NULL;
    io_model_free(&model);
    carom_mesh_info info = carom_mesh_get_info(b->mesh);
    b->size = info.bounds.max.x - info.bounds.min.x;
    assert_int_equal(carom_scene_create(b->context, &b->scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def body = carom_body_def_default();
        body.placed.shape = carom_shape_mesh(b->mesh);
        assert_int_equal(carom_scene_add(b->scene, &body, &b->ids[i]), CAROM_OK);
    }
}

static void close_model(bench *b)
{
    carom_scene_destroy(b->scene);
    carom_mesh_destroy(b->mesh);
}

static carom_engine *open_engine(bench *b, const char *name, uint32_t side)
{
    carom_engine_def def = carom_engine_def_default();
    carom_engine *engine;
    def.engine = name, def.image_side = side, def.image_always = true;
    carom_status status = carom_engine_create(b->context, &def, &engine);
    if (status == CAROM_UNAVAILABLE)
    {
        char message[256];
        carom_context_message(b->context, message, sizeof message);
        print_message("SKIPPED: %s\n", message);
        skip();
    }
    assert_int_equal(status, CAROM_OK);
    return engine;
}

typedef struct tally
{
    uint64_t asked, hits;
} tally;

static void compare(bench *b, carom_engine *engines[2], carom_collide_mode mode, tally *t)
{
    carom_collide_options options = carom_collide_options_default();
    carom_scene_report reports[2];
    carom_frame frame;
    options.mode = mode, options.relation = mode == CAROM_COLLIDE_ALL;
    assert_int_equal(carom_scene_frame(b->scene, &frame), CAROM_OK);
    for (int i = 0; i < 2; i++)
        assert_int_equal(carom_engine_run(engines[i], &frame, &options, &reports[i]), CAROM_OK);
    assert_int_equal(reports[0].pair_count, reports[1].pair_count);
    assert_int_equal(reports[0].hash, reports[1].hash);
    t->asked++, t->hits += reports[0].body_pair_count > 0;
}

static void test_models(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    int rounds = 2 * (scale ? atoi(scale) : 1);
    static const uint32_t sides[] = {16, 1, 5, 32, 64};
    tally any = {0}, all = {0};
    bench b = {0};
    assert_int_equal(carom_context_create(NULL, &b.context), CAROM_OK);
    assert_int_equal(carom_query_create(b.context, &b.query), CAROM_OK);
    for (size_t m = 0; m < sizeof MODELS / sizeof MODELS[0]; m++)
    {
        open_model(&b, MODELS[m]);
        carom_engine *engines[2] = {open_engine(&b, "tree", 0), open_engine(&b, "image", sides[m % 5])};
        carom_engine_stats stats = {0};
        for (int round = 0; round < rounds; round++)
            for (int kind = 0; kind < KINDS; kind++)
            {
                poses_pair pair = make_pair(&b, kind, (uint64_t)round + 1);
                assert_int_equal(carom_scene_move(b.scene, b.ids[0], &pair.a), CAROM_OK);
                assert_int_equal(carom_scene_move(b.scene, b.ids[1], &pair.b), CAROM_OK);
                compare(&b, engines, CAROM_COLLIDE_ANY, &any);
                if (round % 10 == 0)
                    compare(&b, engines, CAROM_COLLIDE_ALL, &all);
            }
        stats = carom_engine_get_stats(engines[1]);
        printf("%s: %llu images of side %u in %llu passes, %llu apart\n", MODELS[m], (unsigned long long)stats.images,
               sides[m % 5], (unsigned long long)stats.passes, (unsigned long long)stats.images_apart);
        assert_true(stats.images > 0 && stats.images_apart > 0);
        carom_engine_destroy(engines[0]), carom_engine_destroy(engines[1]);
        close_model(&b);
    }
    printf("any-hit: %llu poses, %llu hits; all pairs: %llu poses, %llu hits\n", (unsigned long long)any.asked,
           (unsigned long long)any.hits, (unsigned long long)all.asked, (unsigned long long)all.hits);
    assert_true(10 * any.hits > 2 * any.asked && 10 * any.hits < 7 * any.asked);
    carom_query_destroy(b.query);
    carom_context_destroy(b.context);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
