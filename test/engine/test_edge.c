/* The four methods of the thesis's chapter 4 against brute force: soups, degenerate and coplanar triangles, bodies far
 * away and one inside the other, in every mode, for every instruction set, number of workers and batch size. Budgets,
 * memory and changes: test_edge_limits.c. */
#include "engine/edge_bodies.h"

/* ---- answers ---- */

static void compare(const uint64_t *truth, const uint64_t *answer, const char *what, const char *name)
{
    for (int i = 0; i < QUESTIONS; i++)
        if (truth[i] != answer[i])
            fail_msg("%s: %s differs from brute force in question %d", what, name, i);
}

/* Every method, batch size and instruction set against brute force. */
static void check_bodies(const sources *list, const char *what)
{
    uint64_t truth[QUESTIONS], answer[QUESTIONS];
    for (int simd = CAROM_SIMD_AUTO; simd <= CAROM_SIMD_SSE2; simd++)
    {
        carom_context_def def = carom_context_def_default();
        def.simd = (carom_simd)simd;
        setting s = open_setting(&def, list);
        ask(&s, "brute", 0, truth);
        for (int k = 0; k < METHODS; k++)
            ask(&s, NAMES[k], simd == CAROM_SIMD_AUTO ? 0 : (uint32_t)simd, answer),
                compare(truth, answer, what, NAMES[k]);
        close_setting(&s);
    }
}

/* How many pairs of triangles brute force finds, so that a test knows that it is about something. */
static uint64_t count_pairs(const sources *list)
{
    setting s = open_setting(NULL, list);
    carom_engine *brute = open_engine(&s, "brute", 0);
    carom_scene_report report;
    assert_int_equal(carom_engine_run(brute, &s.frame, NULL, &report), CAROM_OK);
    uint64_t count = report.pair_count;
    carom_engine_destroy(brute);
    close_setting(&s);
    return count;
}

/* ---- hard cases ---- */

/* No edge of the large face's body comes near the needle: only the swapped pass finds it. */
static void needle_through_a_large_face(void **state)
{
    (void)state;
    sources *list = new_sources();
    source *face = add_body(list, carom_pose_identity());
    add_triangle(face, vec(-1000, -1000, 0), vec(1000, -1000, 0), vec(0, 1500, 0));
    source *needle = add_body(list, carom_pose_translation(0.3, 0.2, 0));
    add_triangle(needle, vec(0, 0, -1), vec(0.001, 0, 1), vec(0, 0.001, 1));
    assert_int_equal(count_pairs(list), 1);
    check_bodies(list, "needle, second");
    source swapped = list->items[0];
    list->items[0] = list->items[1], list->items[1] = swapped;
    check_bodies(list, "needle, first");
    free(list);
}

static void coplanar_and_touching(void **state)
{
    (void)state;
    static const double SHIFT[][3] = {{0, 0, 0}, {0.5, 0.25, 0}, {4, 0, 0},   {8, 0, 0},
                                      {8, 8, 0}, {8.5, 0, 0},    {0, 0, 1e-9}};
    for (size_t i = 0; i < sizeof SHIFT / sizeof *SHIFT; i++)
    {
        sources *list = new_sources();
        add_sheet(add_body(list, carom_pose_identity()), 8, 0);
        add_sheet(add_body(list, carom_pose_translation(SHIFT[i][0], SHIFT[i][1], SHIFT[i][2])), 8, 0);
        assert_true((count_pairs(list) > 0) == (i < 5));
        check_bodies(list, "sheets in one plane");
        source *box = add_body(list, carom_pose_identity()); /* stands on the sheets */
        add_box(box, (double[3]){1, 1, 0}, (double[3]){3, 2, 1});
        source *beside = add_body(list, carom_pose_translation(3, 1, 0)); /* shares a face with it */
        add_box(beside, (double[3]){0, 0, 0}, (double[3]){2, 1, 1});
        check_bodies(list, "boxes on sheets");
        free(list);
    }
}

static void one_inside_the_other(void **state)
{
    (void)state;
    sources *list = new_sources();
    add_box(add_body(list, carom_pose_identity()), (double[3]){-2, -2, -2}, (double[3]){2, 2, 2});
    add_box(add_body(list, carom_pose_identity()), (double[3]){-1, -1, -1}, (double[3]){1, 1, 1});
    add_box(add_body(list, carom_pose_translation(1.5, 0, 0)), (double[3]){-.5, -.5, -.5}, (double[3]){.5, .5, .5});
    assert_true(count_pairs(list) > 0);
    check_bodies(list, "nested boxes");
    setting s = open_setting(NULL, list);
    for (int k = 0; k < METHODS; k++)
    {
        carom_engine *engine = open_engine(&s, NAMES[k], 0);
        carom_collide_options any = make_question(0);
        carom_scene_report report;
        assert_int_equal(carom_engine_run(engine, &s.frame, &any, &report), CAROM_OK);
        assert_int_equal(report.body_pairs[0].relation, CAROM_RELATION_B_INSIDE_A);
        carom_engine_destroy(engine);
    }
    close_setting(&s);
    free(list);
}

/* A point, a segment and a triangle, each against each, in and out of one plane. */
static void degenerate_triangles(void **state)
{
    (void)state;
    for (int shift = 0; shift < 3; shift++)
    {
        sources *list = new_sources();
        for (int i = 0; i < 6; i++)
        {
            source *body = add_body(list, carom_pose_translation(0, 0, i >= 3 ? shift * 0.25 : 0));
            carom_vec3 a = vec(0, 0, 0), b = vec(1, 0, 0), c = vec(0, 1, 0);
            add_triangle(body, a, i % 3 > 0 ? b : a, i % 3 > 1 ? c : a);
        }
        assert_true(count_pairs(list) > 0);
        check_bodies(list, "degenerate triangles");
        free(list);
    }
}

static void far_away_and_tiny(void **state)
{
    (void)state;
    /* Floats end at 1e-38 to 1e-45, so boxes of the last ones are far larger than what they hold. */
    static const double AT[] = {0.0, 1e9, -3e14, 1e25}, SIZE[] = {1.0, 1e-30, 1e20, 1e-60, 1e-150, 1e-300};
    check_random random = {5};
    for (int i = 0; i < 4; i++)
        for (int k = i == 0 ? 3 : 0; k < (i == 0 ? 6 : 3); k++)
        {
            sources *list = new_sources();
            for (int body = 0; body < 3; body++)
            {
                source *soup = add_body(list, world_random_pose(&random, 0.1 * SIZE[k]));
                add_soup(soup, &random, 40);
                for (uint32_t corner = 0; corner < 3 * soup->triangle_count; corner++)
                {
                    carom_vec3 *v = &soup->corners[corner];
                    *v = vec(SIZE[k] * v->x, SIZE[k] * v->y, SIZE[k] * v->z);
                }
                soup->pose.translation.x += AT[i];
            }
            check_bodies(list, "far away");
            free(list);
        }
}

static void random_soups(void **state)
{
    (void)state;
    check_random random = {77};
    uint64_t pairs = 0;
    for (int round = 0; round < 20; round++)
    {
        sources *list = new_sources();
        for (int i = 0; i < 3; i++)
        {
            carom_pose pose = round % 4 ? world_random_pose(&random, 0.6) : carom_pose_translation(0.5 * i, 0, 0);
            uint32_t count = 30 + (uint32_t)(check_next(&random) % 100);
            add_soup(add_body(list, pose), &random, count);
        }
        source *sphere = add_body(list, world_random_pose(&random, 0.8));
        sphere->primitive = carom_shape_sphere(0.3);
        source *capsule = add_body(list, world_random_pose(&random, 0.8));
        capsule->primitive = carom_shape_capsule(vec(0, 0, -1), vec(0, 0, 1), 0.2);
        pairs += count_pairs(list);
        check_bodies(list, "random soups");
        free(list);
    }
    assert_true(pairs > 20 * 100);
}

/* ---- workers ---- */

static void run_backwards(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
{
    (void)user;
    for (uint32_t end = count, worker = 0; end > 0; worker = (worker + 1) % 5)
    {
        uint32_t first = end > min_range ? end - min_range : 0;
        task(first, end, worker, task_data);
        end = first;
    }
}

static void workers_do_not_matter(void **state)
{
    (void)state;
    static const uint32_t WORKERS[] = {0, 1, 2, 3, 4, 8, 32, UINT32_MAX};
    sources *list = new_sources();
    fill_worker_scene(list);
    uint64_t truth[QUESTIONS], answer[QUESTIONS];
    setting alone = open_setting(NULL, list);
    ask(&alone, "brute", 0, truth);
    close_setting(&alone);
    for (size_t i = 0; i < sizeof WORKERS / sizeof *WORKERS; i++)
    {
        carom_context_def def = carom_context_def_default();
        if (WORKERS[i] == UINT32_MAX)
            def.tasks = (carom_task_hooks){run_backwards, 5, NULL};
        else
            def.workers = WORKERS[i];
        setting s = open_setting(&def, list);
        for (int k = 0; k < METHODS; k++)
            for (int round = 0; round < 2; round++)
                ask(&s, NAMES[k], round == 1 ? 3 : 0, answer), compare(truth, answer, "workers", NAMES[k]);
        close_setting(&s);
    }
    free(list);
}

/* The thesis stops at nodes of fewer than 10 triangles: 9 are a leaf, so one task; 10 that planes part are not. */
static void leaves_have_fewer_than_ten(void **state)
{
    (void)state;
    for (int count = 9; count <= 10; count++)
    {
        sources *all = new_sources();
        for (int body = 0; body < 2; body++)
        {
            source *row = add_body(all, carom_pose_identity());
            for (int i = 0; i < count; i++)
                add_triangle(row, vec(i, 0, 0), vec(i + 1, 0, 0), vec(i, 1, body));
        }
        setting s = open_setting(NULL, all);
        carom_engine *engine = open_engine(&s, "sstcd", 0);
        carom_scene_report report;
        assert_int_equal(carom_engine_run(engine, &s.frame, NULL, &report), CAROM_OK);
        assert_int_equal(carom_engine_get_stats(engine).tasks, count < 10 ? 1 : 5);
        assert_true(report.pair_count > 0);
        carom_engine_destroy(engine);
        close_setting(&s);
        free(all);
    }
}

/* A hit cancels what is left, and the counts say how much there was to do. */
static void stats_count_the_work(void **state)
{
    (void)state;
    sources *list = new_sources();
    fill_worker_scene(list);
    carom_context_def def = carom_context_def_default();
    def.workers = 3;
    setting s = open_setting(&def, list);
    for (int k = 0; k < METHODS; k++)
    {
        carom_engine *any = open_engine(&s, NAMES[k], 0), *every = open_engine(&s, NAMES[k], 0);
        carom_collide_options options = make_question(0);
        carom_scene_report report;
        assert_int_equal(carom_engine_run(any, &s.frame, &options, &report), CAROM_OK);
        assert_int_equal(report.body_pair_count, 6);
        assert_int_equal(carom_engine_run(every, &s.frame, NULL, &report), CAROM_OK);
        carom_engine_stats some = carom_engine_get_stats(any), full = carom_engine_get_stats(every);
        assert_true(some.tasks > 0 && some.tasks < full.tasks);
        assert_true(some.edge_tests > 0 && some.edge_tests < full.edge_tests);
        assert_true(full.depth >= 4 && full.depth <= 32);
        bool shared = k == 1 || k == 3;
        assert_true((full.worker_seconds > 0) == shared && full.busy_seconds <= full.worker_seconds);
        assert_int_equal(carom_engine_run(every, &s.frame, NULL, &report), CAROM_OK);
        assert_int_equal(carom_engine_get_stats(every).tasks, 2 * full.tasks);
        carom_engine_destroy(any);
        carom_engine_destroy(every);
    }
    carom_engine *tree = open_engine(&s, "tree", 0);
    assert_int_equal(carom_engine_get_stats(tree).tasks, 0);
    assert_int_equal(carom_engine_get_stats(NULL).tasks, 0);
    carom_engine_destroy(tree);
    close_setting(&s);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(needle_through_a_large_face), cmocka_unit_test(coplanar_and_touching),
        cmocka_unit_test(one_inside_the_other),        cmocka_unit_test(degenerate_triangles),
        cmocka_unit_test(far_away_and_tiny),           cmocka_unit_test(random_soups),
        cmocka_unit_test(workers_do_not_matter),       cmocka_unit_test(leaves_have_fewer_than_ten),
        cmocka_unit_test(stats_count_the_work),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
