/* Valid but hostile bodies: a million identical triangles, huge and tiny coordinates, bodies far from the origin. */
#include "query/world.h"
#include "support/failing.h"

static carom_mesh *repeat_triangle(const world *w, const double corners[9], uint32_t count)
{
    uint32_t *indices = malloc(3 * (size_t)count * sizeof *indices);
    for (uint32_t i = 0; i < 3 * count; i++)
        indices[i] = i % 3;
    carom_mesh *mesh = world_mesh(w, corners, 3, indices, count);
    free(indices);
    return mesh;
}

static void a_million_identical_triangles(void **state)
{
    (void)state;
    world w = world_open();
    const uint32_t million = 1000000;
    carom_mesh *heap = repeat_triangle(&w, (double[9]){0, 0, 0, 1, 0, 0, 0, 1, 0}, million);
    carom_mesh *needle = world_mesh(&w, (double[9]){0.2, 0.2, -1, 0.2, 0.2, 1, 0.3, 0.2, 1}, 3, NULL, 1);
    carom_placed a = world_place(heap, 0, 0, 0), b = world_place(needle, 0, 0, 0);
    carom_report report;
    carom_collide_options options = {.mode = CAROM_COLLIDE_COUNT};
    assert_int_equal(carom_collide(w.query, &a, &b, &options, &report), CAROM_OK);
    assert_int_equal(report.pair_count, million);
    options = (carom_collide_options){.mode = CAROM_COLLIDE_ALL, .max_pairs = 10};
    assert_int_equal(carom_collide(w.query, &a, &b, &options, &report), CAROM_TRUNCATED);
    assert_int_equal(report.pair_count, million);
    assert_int_equal(report.pairs_listed, 10);
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(report.pairs[i].triangle_a, i);
    /* against each other: 1e12 pairs, so a budget */
    options = (carom_collide_options){.mode = CAROM_COLLIDE_COUNT, .budget = {.work = 1000000}};
    assert_int_equal(carom_collide(w.query, &a, &a, &options, &report), CAROM_UNKNOWN);
    options.mode = CAROM_COLLIDE_ANY, options.budget.work = 0;
    assert_int_equal(carom_collide(w.query, &a, &a, &options, &report), CAROM_OK);
    assert_int_equal(report.pair_count, 1);
    /* the distance is 0 at the smallest pair of ids */
    assert_int_equal(carom_distance(w.query, &a, &b, NULL, &report), CAROM_OK);
    assert_true(report.distance == 0.0);
    assert_int_equal(report.triangle_a, 0);
    b = world_place(needle, 0, 0, 5);
    assert_int_equal(carom_distance(w.query, &a, &b, NULL, &report), CAROM_OK);
    check_near(report.distance, 4.0, 1e-15);
    assert_int_equal(report.triangle_a, 0);
    carom_mesh_destroy(heap);
    carom_mesh_destroy(needle);
    world_close(&w);
}

/* All pairs of two heaps are equally near. Whatever that takes in time, memory does not grow with the pairs, and what
 * is said when the budget is gone is true. */
static void equally_near_pairs_take_little_memory(void **state)
{
    (void)state;
    failing memory = {0};
    world w = {0};
    assert_int_equal(failing_context(&memory, &w.context), CAROM_OK);
    assert_int_equal(carom_query_create(w.context, &w.query), CAROM_OK);
    carom_mesh *heap = repeat_triangle(&w, (double[9]){0, 0, 0, 1, 0, 0, 0, 1, 0}, 2000);
    carom_placed a = world_place(heap, 0, 0, 0), b = world_place(heap, 0, 0, 3);
    carom_report report;
    carom_distance_options options = {.budget = {.work = 1}};
    assert_int_equal(carom_distance(w.query, &a, &b, &options, &report), CAROM_UNKNOWN);
    uint64_t before = memory.max_bytes_out = memory.bytes_out; /* the tree is built */
    options.budget.work = 1000000;
    assert_int_equal(carom_distance(w.query, &a, &b, &options, &report), CAROM_UNKNOWN);
    assert_true(report.distance == 3.0 && report.distance_bound <= 3.0 && report.distance_bound > 2.9);
    bool within = true;
    assert_int_equal(carom_within(w.query, &a, &b, 3.0 - 1e-15, &within), CAROM_OK);
    assert_false(within);
    assert_int_equal(carom_distance(w.query, &a, &b, NULL, &report), CAROM_OK);
    assert_true(report.distance == 3.0 && report.triangle_a == 0 && report.triangle_b == 0);
    assert_true(memory.max_bytes_out - before < 2000000); /* 4,000,000 pairs */
    carom_mesh_destroy(heap);
    world_close(&w);
    assert_int_equal(memory.bytes_out, 0);
}

/* The same boxes at every power of two give the same answer, scaled. */
static void sizes_do_not_matter(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *unit = world_box(&w, 0, 0, 0, 1, 1, 1);
    carom_placed first = world_place(unit, 0, 0, 0), second = world_place(unit, 0.5, 0.25, 0.125);
    carom_placed off = world_place(unit, 3, 2, 1);
    carom_report expected, report;
    assert_int_equal(carom_collide(w.query, &first, &second, NULL, &expected), CAROM_OK);
    uint64_t count = expected.pair_count, hash = expected.hash;
    assert_int_equal(carom_distance(w.query, &first, &off, NULL, &expected), CAROM_OK);
    for (int exponent = -100; exponent <= 97; exponent++)
    {
        double s = ldexp(1.0, exponent);
        carom_mesh *box = world_box(&w, 0, 0, 0, s, s, s);
        carom_placed a = world_place(box, 0, 0, 0), b = world_place(box, 0.5 * s, 0.25 * s, 0.125 * s);
        assert_int_equal(carom_collide(w.query, &a, &b, NULL, &report), CAROM_OK);
        assert_int_equal(report.pair_count, count);
        assert_int_equal(report.hash, hash);
        b = world_place(box, 3 * s, 2 * s, s);
        assert_int_equal(carom_distance(w.query, &a, &b, NULL, &report), CAROM_OK);
        check_near(report.distance / s, expected.distance, 1e-14);
        carom_mesh_destroy(box);
    }
    carom_mesh_destroy(unit);
    world_close(&w);
}

static void mixed_sizes_meet_exactly(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *huge = world_box(&w, 0, 0, 0, 1e12, 1e12, 1e12);
    carom_mesh *tiny = world_box(&w, 0, 0, 0, 1e-12, 1e-12, 1e-12);
    carom_collide_options options = carom_collide_options_default();
    options.relation = true;
    carom_report report;
    const struct
    {
        double x;
        carom_relation relation;
    } cases[] = {{-1e-11, CAROM_RELATION_APART},
                 {-1e-12, CAROM_RELATION_TOUCHING}, /* faces in one plane */
                 {-0.5e-12, CAROM_RELATION_OVERLAPPING},
                 {1.0, CAROM_RELATION_B_INSIDE_A}};
    for (int i = 0; i < 4; i++)
    {
        carom_placed a = world_place(huge, 0, 0, 0), b = world_place(tiny, cases[i].x, 3, 2);
        assert_int_equal(carom_collide(w.query, &a, &b, &options, &report), CAROM_OK);
        assert_string_equal(carom_relation_name(report.relation), carom_relation_name(cases[i].relation));
        assert_int_equal(carom_distance(w.query, &a, &b, NULL, &report), CAROM_OK);
        /* the distance is good to 1e-14 of the largest coordinate difference, its being 0 or not is exact */
        check_near(report.distance, i == 0 ? 1e-11 - 1e-12 : i == 3 ? 1.0 : 0.0, 1e-14 * 1e12);
        assert_true((report.distance == 0.0) == (i == 1 || i == 2));
    }
    carom_mesh_destroy(huge);
    carom_mesh_destroy(tiny);
    world_close(&w);
}

/* 1e9 from the origin a double still resolves 1e-7: the answer is exact for the places the vertices round to. */
static void far_bodies_meet_as_near_ones_do(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *torus = world_shape(&w, GENERATE_TORUS, 600),
               *box = world_box(&w, -0.25, -0.25, -0.25, 0.25, 0.25, 0.25);
    check_random random = {.state = 9};
    carom_engine *engines[2];
    carom_engine_def brute = {.engine = "brute", .broad_phase = "brute"},
                     tree = {.engine = "tree", .broad_phase = "tree"};
    assert_int_equal(carom_engine_create(w.context, &brute, &engines[0]), CAROM_OK);
    assert_int_equal(carom_engine_create(w.context, &tree, &engines[1]), CAROM_OK);
    for (int i = 0; i < 30; i++)
    {
        carom_pose pose_a = world_random_pose(&random, 0.1), pose_b = world_random_pose(&random, 0.6);
        pose_a.translation.x += 1e9, pose_b.translation.x += 1e9;
        pose_a.translation.z -= i % 2 ? 1e9 : 0.0, pose_b.translation.z -= i % 2 ? 1e9 : 0.0;
        carom_scene *scene;
        assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        def.placed = (carom_placed){carom_shape_mesh(torus), pose_a};
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
        def.placed = (carom_placed){carom_shape_mesh(box), pose_b};
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
        carom_frame frame;
        assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
        carom_collide_options options = carom_collide_options_default();
        options.relation = options.contacts = true;
        options.clearance = 0.3;
        carom_scene_report reports[2];
        for (int e = 0; e < 2; e++)
            assert_int_equal(carom_engine_run(engines[e], &frame, &options, &reports[e]), CAROM_OK);
        assert_int_equal(reports[0].pair_count, reports[1].pair_count);
        assert_int_equal(reports[0].hash, reports[1].hash);
        carom_scene_destroy(scene);
    }
    carom_engine_destroy(engines[0]);
    carom_engine_destroy(engines[1]);
    carom_mesh_destroy(torus);
    carom_mesh_destroy(box);
    world_close(&w);
}

/* Points and needles are the sets they are. */
static void degenerate_triangles_are_points_and_segments(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *point = world_mesh(&w, (double[9]){0}, 3, NULL, 1);
    carom_mesh *segment = world_mesh(&w, (double[9]){-1, 0, 0, 1, 0, 0, 0, 0, 0}, 3, NULL, 1);
    carom_placed a = world_place(point, 0.5, 0, 0), b = world_place(segment, 0, 0, 0);
    carom_report report;
    carom_collide_options options = carom_collide_options_default();
    options.contacts = true;
    assert_int_equal(carom_collide(w.query, &a, &b, &options, &report), CAROM_OK);
    assert_int_equal(report.pair_count, 1);
    assert_int_equal(report.points[0].x == 0.5 && report.point_count == 1, 1);
    a = world_place(point, 0.5, 0, 1e-300);
    assert_int_equal(carom_collide(w.query, &a, &b, NULL, &report), CAROM_OK);
    assert_int_equal(report.pair_count, 0);
    assert_int_equal(carom_distance(w.query, &a, &b, NULL, &report), CAROM_OK);
    assert_true(report.distance > 0.0);
    carom_mesh_destroy(point);
    carom_mesh_destroy(segment);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_million_identical_triangles),
        cmocka_unit_test(equally_near_pairs_take_little_memory),
        cmocka_unit_test(sizes_do_not_matter),
        cmocka_unit_test(mixed_sizes_meet_exactly),
        cmocka_unit_test(far_bodies_meet_as_near_ones_do),
        cmocka_unit_test(degenerate_triangles_are_points_and_segments),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
