/* Engines that draw (`image`, `cullide`, `scd0` to `scd2`, `scd-triangles`) on odd bodies: far from the origin, flat
 * and seen edge on, single triangles, slivers, points, meshes whose decomposition is one piece per triangle or that
 * have many triangles in one plane, plates a hair apart. Always the answer of brute force. */
#include "crowd.h"
#include "support/gpu_test.h"
#include "support/gpu_wrap.h"

enum
{
    ODD_COUNT = 12,
    ENGINES = 7,
    PLATE = 4 /* of these: a thin box */
};

/* Random triangles that cross each other. */
static carom_mesh *make_soup(const world *w, uint32_t count)
{
    double corners[9 * 64];
    check_random random = {17};
    assert_true(count <= 64);
    for (uint32_t i = 0; i < 9 * count; i++)
        corners[i] = check_uniform(&random, -0.5, 0.5);
    return world_mesh(w, corners, 3 * (size_t)count, NULL, count);
}

/* Squares of two triangles in the plane z = 0, n along each side. */
static carom_mesh *make_plane(const world *w, uint32_t n)
{
    size_t vertex_count = (size_t)(n + 1) * (n + 1);
    double *vertices = malloc(3 * vertex_count * sizeof *vertices);
    uint32_t *indices = malloc(6 * (size_t)n * n * sizeof *indices), *at = indices;
    assert_true(vertices && indices);
    for (uint32_t i = 0; i < vertex_count; i++)
    {
        vertices[3 * i] = (double)(i % (n + 1)) / n - 0.5, vertices[3 * i + 1] = (double)(i / (n + 1)) / n - 0.5;
        vertices[3 * i + 2] = 0.0;
    }
    for (uint32_t i = 0; i < n * n; i++)
    {
        uint32_t low = i / n * (n + 1) + i % n, high = low + n + 1;
        const uint32_t square[6] = {low, low + 1, high, low + 1, high + 1, high};
        memcpy(at, square, sizeof square), at += 6;
    }
    carom_mesh *mesh = world_mesh(w, vertices, vertex_count, indices, 2 * (size_t)n * n);
    free(vertices), free(indices);
    return mesh;
}

static void make_odd(const world *w, carom_mesh *out[ODD_COUNT])
{
    static const double triangle[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    static const uint32_t both_sides[6] = {0, 1, 2, 0, 2, 1}, twice[6] = {0, 1, 2, 0, 1, 2};
    static const double needle[9] = {-1, 0, 0, 1, 1e-12, 0, 1, -1e-12, 1e-13};
    static const double line[9] = {-1, -1, -1, 0, 0, 0, 1, 1, 1};
    static const double point[9] = {0.1, 0.1, 0, 0.1, 0.1, 0, 0.1, 0.1, 0};
    out[0] = world_mesh(w, triangle, 3, NULL, 1);
    out[1] = world_mesh(w, triangle, 3, both_sides, 2);
    out[2] = world_mesh(w, triangle, 3, twice, 2);
    out[3] = world_box(w, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5);
    out[PLATE] = world_box(w, -0.5, -0.5, 0, 0.5, 0.5, 1e-12);
    out[5] = world_mesh(w, needle, 3, NULL, 1);
    out[6] = world_mesh(w, line, 3, NULL, 1);
    out[7] = world_mesh(w, point, 3, NULL, 1);
    out[8] = make_soup(w, 40);
    out[9] = make_plane(w, 12);
    out[10] = world_shape(w, GENERATE_TORUS, 100);
    out[11] = world_box(w, -1e9, -1e9, 0.1, 1e9, 1e9, 0.2);
}

/* ---- two bodies ---- */

typedef struct tally
{
    uint64_t asked, meeting;
} tally;

static void ask(crowd *c, carom_engine *const engines[ENGINES], const carom_placed placed[2], tally *t)
{
    uint64_t hash[2] = {0};
    assert_int_equal(carom_scene_create(c->context, &c->scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        def.placed = placed[i];
        assert_int_equal(carom_scene_add(c->scene, &def, &id), CAROM_OK);
    }
    for (int e = 0; e < ENGINES; e++)
        for (int mode = 0; mode < 2; mode++)
        {
            carom_scene_report report;
            assert_int_equal(crowd_run(c, engines[e], mode ? CAROM_COLLIDE_ALL : CAROM_COLLIDE_ANY, &report), CAROM_OK);
            if (e == 0)
                hash[mode] = report.hash, t->meeting += report.body_pair_count > 0, t->asked++;
            assert_true(report.hash == hash[mode]);
        }
    carom_scene_destroy(c->scene);
}

static void open_engines(const crowd *c, uint32_t side, carom_engine *out[ENGINES])
{
    out[0] = crowd_engine(c, &(carom_engine_def){.engine = "brute", .broad_phase = "brute"});
    out[1] = crowd_engine(
        c, &(carom_engine_def){.engine = "image", .broad_phase = "all", .image_side = side, .image_always = true});
    out[2] = crowd_engine(c, &(carom_engine_def){.engine = "cullide"});
    static const char *const streams[] = {"scd0", "scd1", "scd2", "scd-triangles"};
    for (int i = 0; i < 4; i++)
        out[3 + i] =
            crowd_engine(c, &(carom_engine_def){.engine = streams[i], .broad_phase = "all", .image_always = true});
}

static void close_engines(carom_engine *engines[ENGINES])
{
    for (int e = 0; e < ENGINES; e++)
        carom_engine_destroy(engines[e]);
}

static int begin(void **state)
{
    (void)state;
    gpu_wrap_reset();
    return 0;
}

/* All pairs, in line with the axes or turned, near the origin and far away, on a driver whose limit is 1,024. */
static void test_pairs(void **state)
{
    (void)state;
    static const double far[] = {0.0, 1e9, 1e12, 1e-30};
    static const uint32_t sides[] = {16, 1, 1024};
    gpu_test_needs_driver();
    wrap.limits.texture_size = 1024;
    world w = world_open();
    crowd c = {.context = w.context};
    carom_mesh *meshes[ODD_COUNT];
    make_odd(&w, meshes);
    check_random random = {3};
    for (int s = 0; s < 3; s++)
    {
        carom_engine *engines[ENGINES];
        tally t = {0};
        open_engines(&c, sides[s], engines);
        for (int i = 0; i < ODD_COUNT * ODD_COUNT; i += s == 2 ? 17 : 1)
        {
            carom_placed placed[2] = {{carom_shape_mesh(meshes[i % ODD_COUNT]), carom_pose_identity()},
                                      {carom_shape_mesh(meshes[i / ODD_COUNT]), carom_pose_identity()}};
            uint64_t how = check_next(&random) % 4; /* 0: in line */
            if (how > 1)
                placed[1].pose = world_random_pose(&random, how == 2 ? 0.1 : 0.8);
            if (how == 1)
                placed[1].pose.translation = (carom_vec3){0.5, 0.25, 1e-13};
            double x = far[check_next(&random) % 4];
            placed[0].pose.translation.x += x, placed[1].pose.translation.x += x;
            ask(&c, engines, placed, &t);
        }
        carom_engine_stats stats = carom_engine_get_stats(engines[1]);
        printf("side %u: %llu answers, %llu meet, %llu images, %llu apart\n", sides[s], (unsigned long long)t.asked,
               (unsigned long long)t.meeting, (unsigned long long)stats.images, (unsigned long long)stats.images_apart);
        assert_true(t.meeting > t.asked / 5 && t.meeting < t.asked * 4 / 5 && stats.images_apart > 0);
        close_engines(engines);
    }
    for (int i = 0; i < ODD_COUNT; i++)
        carom_mesh_destroy(meshes[i]);
    world_close(&w);
    gpu_wrap_check();
}

/* Plates and triangles on top of each other, turned in all ways, with gaps from nothing to what a float can see. */
static void test_hair(void **state)
{
    (void)state;
    static const double gaps[] = {0.0, 5e-324, 1e-300, 1e-16, 1e-13, 1e-9, 1e-7, 1e-3, -1e-16, -1e-9};
    gpu_test_needs_driver();
    world w = world_open();
    crowd c = {.context = w.context};
    carom_mesh *meshes[ODD_COUNT];
    carom_engine *engines[ENGINES];
    tally t = {0};
    check_random random = {23};
    make_odd(&w, meshes);
    open_engines(&c, 0, engines);
    static const int flat[] = {0, 1, PLATE, 9};
    for (int i = 0; i < 16; i++)
        for (size_t k = 0; k < sizeof gaps / sizeof gaps[0]; k++)
        {
            carom_pose turn = i % 3 == 0 ? carom_pose_identity() : world_random_pose(&random, i % 3 == 1 ? 0.0 : 10.0);
            carom_pose above = carom_pose_translation(0.1, 0.2, gaps[k] + (flat[i / 4] == PLATE ? 1e-12 : 0.0));
            carom_placed placed[2] = {{carom_shape_mesh(meshes[flat[i / 4]]), turn},
                                      {carom_shape_mesh(meshes[flat[i % 4]]), turn}};
            placed[1].pose.translation = carom_pose_apply(&turn, above.translation);
            ask(&c, engines, placed, &t);
        }
    carom_engine_stats stats = carom_engine_get_stats(engines[1]);
    printf("%llu answers, %llu meet, %llu of %llu images apart\n", (unsigned long long)t.asked,
           (unsigned long long)t.meeting, (unsigned long long)stats.images_apart, (unsigned long long)stats.images);
    assert_true(t.meeting > t.asked / 8 && t.meeting < t.asked && stats.images_apart > 0);
    close_engines(engines);
    for (int i = 0; i < ODD_COUNT; i++)
        carom_mesh_destroy(meshes[i]);
    world_close(&w);
    gpu_wrap_check();
}

/* ---- decompositions ---- */

static uint32_t count_pieces(const world *w, const carom_mesh *mesh)
{
    carom_pieces *pieces;
    assert_int_equal(carom_pieces_create(w->context, mesh, &pieces), CAROM_OK);
    uint32_t count = carom_pieces_get_info(pieces).piece_count;
    carom_pieces_destroy(pieces);
    return count;
}

/* One piece per triangle, and one piece of very many. CAROM_TEST_SCALE=200 has a million triangles in one plane; their
 * pieces alone are made by test_convex_fans. */
static void test_decompositions(void **state)
{
    (void)state;
    const char *scale = getenv("CAROM_TEST_SCALE");
    double times = scale && atoi(scale) > 0 ? atoi(scale) : 1;
    gpu_test_needs_driver();
    world w = world_open();
    crowd c = {.context = w.context};
    carom_engine *engines[ENGINES];
    tally t = {0};
    check_random random = {41};
    carom_mesh *meshes[2] = {make_soup(&w, 64), make_plane(&w, (uint32_t)sqrt(2500.0 * times))};
    assert_int_equal(count_pieces(&w, meshes[0]), 64);
    printf("%u triangles in a plane\n", (unsigned)carom_mesh_get_info(meshes[1]).triangle_count);
    assert_int_equal(count_pieces(&w, meshes[1]), 1);
    open_engines(&c, 0, engines);
    for (int i = 0; i < 24; i++)
    {
        carom_placed placed[2] = {{carom_shape_mesh(meshes[0]), carom_pose_identity()},
                                  {carom_shape_mesh(meshes[i % 2]), world_random_pose(&random, 0.05 * i)}};
        ask(&c, engines, placed, &t);
    }
    assert_true(t.meeting > t.asked / 4 && t.meeting < t.asked);
    close_engines(engines);
    carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
    world_close(&w);
    gpu_wrap_check();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_pairs, begin),
        cmocka_unit_test_setup(test_hair, begin),
        cmocka_unit_test_setup(test_decompositions, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
