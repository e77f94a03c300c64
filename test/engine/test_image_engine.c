/* Engines `image` and `cullide` on models of the data folder: the same answers as brute force, to the bit, from far
 * apart to deep, with surfaces that touch or are 1e-9 of the size apart, and with bodies that have one point in common;
 * whatever the size of the images, with every image drawn, and with those that are worth it. CAROM_TEST_SCALE=165 takes
 * 10,336 poses, 0 takes eight, for valgrind. */
#include "carom/carom.h"
#include "carom/io.h"
#include "scenes/poses.h"
#include "support/data.h"

#include <math.h>

enum
{
    APART_1E9 = POSES_CLASS_COUNT, /* 1e-9 of the size apart */
    TOUCHING,                      /* but for rounding */
    CORNERS,                       /* exactly: a corner of each at the same point, nothing else */
    KINDS
};

/* Models, all scaled to the same size. */
static const struct
{
    const char *name[2];
    uint32_t side;  /* of images */
    uint64_t every; /* of so many rounds, one has this pair: large models take long */
} PAIRS[] = {
    {{"suzanne", "suzanne"}, 16, 1},        {{"suzanne", "cow"}, 5, 1},      {{"spot", "suzanne"}, 1, 1},
    {{"suzanne", "teapot"}, 32, 1},         {{"fandisk", "suzanne"}, 16, 1}, {{"suzanne", "rocker-arm"}, 64, 4},
    {{"stanford-bunny", "suzanne"}, 8, 16}, {{"cow", "cow"}, 16, 1},         {{"spot", "teapot"}, 16, 1},
    {{"fandisk", "fandisk"}, 16, 4},        {{"rocker-arm", "cow"}, 16, 4}};

typedef struct bench
{
    carom_context *context;
    carom_query *query;
    carom_scene *scene;
    carom_body_id ids[2];
    carom_mesh *mesh[2];
    carom_engine *brute, *image, *balanced, *cullide;
    bool few_rounds;
} bench;

/* ---- poses ---- */

static carom_status measure(void *user, const carom_pose *a, const carom_pose *b, double *out)
{
    const bench *bench = user;
    carom_placed placed[2] = {{carom_shape_mesh(bench->mesh[0]), *a}, {carom_shape_mesh(bench->mesh[1]), *b}};
    carom_report report;
    carom_status status = carom_distance(bench->query, &placed[0], &placed[1], NULL, &report);
    *out = report.distance;
    return status;
}

/* Moves b towards a along the shortest way, until about this distance is left. */
static void approach(bench *b, poses_pair *pair, double left)
{
    carom_placed placed[2] = {{carom_shape_mesh(b->mesh[0]), pair->a}, {carom_shape_mesh(b->mesh[1]), pair->b}};
    carom_report report;
    assert_int_equal(carom_distance(b->query, &placed[0], &placed[1], NULL, &report), CAROM_OK);
    const double *from = &report.point_b.x, *to = &report.point_a.x;
    double share = (report.distance - left) / report.distance;
    for (int k = 0; k < 3; k++)
        ((double *)&pair->b.translation)[k] += share * (to[k] - from[k]);
}

/* The placed corner of a triangle that is farthest along an axis, or against it. */
static carom_vec3 extreme(const carom_mesh *mesh, const carom_pose *pose, int axis, double sign)
{
    const carom_vec3 *vertices = carom_mesh_vertices(mesh);
    const uint32_t *indices = carom_mesh_indices(mesh);
    carom_vec3 best = {0};
    double height = -INFINITY;
    for (uint32_t i = 0; i < 3 * carom_mesh_get_info(mesh).triangle_count; i++)
    {
        carom_vec3 at = carom_pose_apply(pose, vertices[indices[i]]);
        if (sign * ((double *)&at)[axis] > height)
            height = sign * ((double *)&at)[axis], best = at;
    }
    return best;
}

/* Moves a body so that one of its placed corners, `from` now, is exactly at `to` in each coordinate. */
static void put_corner(carom_pose *pose, carom_vec3 from, double to)
{
    for (int k = 0; k < 3; k++)
    {
        double corner = ((double *)&from)[k], way = to - corner;
        for (int i = 0; i < 4 && corner + way != to; i++)
            way = nextafter(way, corner + way < to ? INFINITY : -INFINITY);
        assert_true(corner + way == to);
        ((double *)&pose->translation)[k] = way;
    }
}

/* Puts the first corner of b along an axis on the last one of a. They meet far enough from the origin that translations
 * have the exponent of the point, so that every number near it is a sum. */
static void touch_corners(const bench *b, poses_pair *pair, uint64_t seed)
{
    int axis = (int)(seed % 3);
    double sign = seed / 3 % 2 ? 1.0 : -1.0, point = 48.0;
    pair->a.translation = pair->b.translation = (carom_vec3){0};
    put_corner(&pair->a, extreme(b->mesh[0], &pair->a, axis, sign), point);
    put_corner(&pair->b, extreme(b->mesh[1], &pair->b, axis, -sign), point);
}

static poses_pair make_pair(bench *b, int kind, uint64_t seed)
{
    poses_oracle oracle = {measure, b};
    poses_pair pair;
    poses_class class = kind < POSES_CLASS_COUNT ? (poses_class)kind : POSES_APART_01;
    assert_int_equal(poses_make(b->mesh[0], b->mesh[1], &oracle, class, seed, &pair), CAROM_OK);
    if (kind == APART_1E9 || kind == TOUCHING)
        approach(b, &pair, kind == APART_1E9 ? 1e-9 : 0.0);
    if (kind == CORNERS)
        touch_corners(b, &pair, seed);
    return pair;
}

/* ---- models and engines ---- */

static carom_mesh *read_model(const bench *b, const char *name)
{
    char path[512], file[64];
    snprintf(file, sizeof file, "models/%s.obj", name);
    data_find(file, path, sizeof path);
    io_model model;
    assert_int_equal(io_read(b->context, path, NULL, &model), CAROM_OK);
    carom_mesh_info info = carom_mesh_get_info(model.mesh);
    double *scaled = malloc(3 * sizeof *scaled * info.vertex_count), size = info.bounds.max.x - info.bounds.min.x;
    assert_non_null(scaled);
    for (uint32_t i = 0; i < 3 * info.vertex_count; i++)
        scaled[i] = (&carom_mesh_vertices(model.mesh)[i / 3].x)[i % 3] / size;
    carom_mesh *mesh;
    assert_int_equal(carom_mesh_create(b->context,
                                       &(carom_mesh_def){.vertices_f64 = scaled,
                                                         .vertex_count = info.vertex_count,
                                                         .indices_u32 = carom_mesh_indices(model.mesh),
                                                         .triangle_count = info.triangle_count},
                                       &mesh),
                     CAROM_OK);
    free(scaled);
    io_model_free(&model);
    return mesh;
}

static carom_engine *open_engine(const bench *b, const carom_engine_def *def)
{
    carom_engine *engine;
    carom_status status = carom_engine_create(b->context, def, &engine);
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

static void open_bench(bench *b, size_t index)
{
    assert_int_equal(carom_context_create(NULL, &b->context), CAROM_OK);
    assert_int_equal(carom_query_create(b->context, &b->query), CAROM_OK);
    assert_int_equal(carom_scene_create(b->context, &b->scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        b->mesh[i] = read_model(b, PAIRS[index].name[i]);
        carom_body_def body = carom_body_def_default();
        body.placed.shape = carom_shape_mesh(b->mesh[i]);
        assert_int_equal(carom_scene_add(b->scene, &body, &b->ids[i]), CAROM_OK);
    }
    b->brute = open_engine(b, &(carom_engine_def){.engine = "brute", .broad_phase = "brute"});
    b->image =
        open_engine(b, &(carom_engine_def){.engine = "image", .image_side = PAIRS[index].side, .image_always = true});
    b->balanced = open_engine(b, &(carom_engine_def){.engine = "image"});
    b->cullide = open_engine(b, &(carom_engine_def){.engine = "cullide"});
}

static void close_bench(bench *b)
{
    carom_engine_destroy(b->brute), carom_engine_destroy(b->image);
    carom_engine_destroy(b->balanced), carom_engine_destroy(b->cullide);
    carom_scene_destroy(b->scene);
    carom_mesh_destroy(b->mesh[0]), carom_mesh_destroy(b->mesh[1]);
    carom_query_destroy(b->query);
    carom_context_destroy(b->context);
}

/* ---- answers ---- */

typedef struct tally
{
    uint64_t asked, hits;
} tally;

static bool compare(bench *b, carom_collide_mode mode, tally *t)
{
    carom_collide_options options = carom_collide_options_default();
    carom_scene_report truth, report;
    carom_frame frame;
    carom_engine *engines[] = {b->image, b->balanced, b->cullide};
    options.mode = mode, options.relation = mode == CAROM_COLLIDE_ALL;
    assert_int_equal(carom_scene_frame(b->scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(b->brute, &frame, &options, &truth), CAROM_OK);
    for (size_t i = 0; i < sizeof engines / sizeof engines[0]; i++)
    {
        assert_int_equal(carom_engine_run(engines[i], &frame, &options, &report), CAROM_OK);
        assert_int_equal(report.pair_count, truth.pair_count);
        assert_true(report.hash == truth.hash);
    }
    t->asked++, t->hits += truth.body_pair_count > 0;
    return truth.body_pair_count > 0;
}

/* The pose with this number. In short runs half of them are asked for all pairs as well, otherwise every ninth: kinds
 * take turns. */
static void ask(bench *b, uint64_t number, tally t[2])
{
    int kind = (int)(number % KINDS);
    poses_pair pair = make_pair(b, kind, number / KINDS + 1);
    assert_int_equal(carom_scene_move(b->scene, b->ids[0], &pair.a), CAROM_OK);
    assert_int_equal(carom_scene_move(b->scene, b->ids[1], &pair.b), CAROM_OK);
    bool hit = compare(b, CAROM_COLLIDE_ANY, &t[0]);
    if (b->few_rounds ? (t[0].asked + t[0].asked / KINDS) % 2 == 0 : t[0].asked % 9 == 0)
        assert_true(compare(b, CAROM_COLLIDE_ALL, &t[1]) || !hit); /* or one holds the other */
    assert_true(hit || kind != CORNERS);
    assert_true(!hit || kind != APART_1E9);
}

static void test_models(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    uint64_t rounds = scale && atoi(scale) > 0 ? (uint64_t)atoi(scale) : 1;
    tally tallies[2] = {{0}};
    bool few = scale && atoi(scale) == 0;
    for (size_t i = 0; i < (few ? 1 : sizeof PAIRS / sizeof PAIRS[0]); i++)
    {
        bench b = {0};
        open_bench(&b, i);
        b.few_rounds = rounds == 1;
        for (uint64_t number = 0; number < KINDS * (1 + (rounds - 1) / PAIRS[i].every); number++)
            ask(&b, number, tallies);
        carom_engine_stats images = carom_engine_get_stats(b.image), culled = carom_engine_get_stats(b.cullide);
        printf("%s and %s: %llu images of side %u in %llu passes, %llu apart, %llu pairs not drawn; cullide left %llu "
               "of %llu\n",
               PAIRS[i].name[0], PAIRS[i].name[1], (unsigned long long)images.images, PAIRS[i].side,
               (unsigned long long)images.passes, (unsigned long long)images.images_apart,
               (unsigned long long)images.views_apart, (unsigned long long)culled.bodies_after,
               (unsigned long long)culled.bodies_before);
        fflush(stdout);
        assert_true(images.images_apart > 0 && images.images_apart < images.images);
        assert_true(culled.bodies_after < culled.bodies_before && culled.bodies_after > 0);
        close_bench(&b);
    }
    for (int i = 0; i < 2; i++)
    {
        printf("%s: %llu poses, %llu hits\n", i == 0 ? "any pair" : "all pairs", (unsigned long long)tallies[i].asked,
               (unsigned long long)tallies[i].hits);
        assert_true(few ||
                    (10 * tallies[i].hits > 2 * tallies[i].asked && 10 * tallies[i].hits < 7 * tallies[i].asked));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_models)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
