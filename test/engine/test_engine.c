/* Engines on small frames with obvious answers: relations, filters, clearances, limits, budgets. */
#include "query/world.h"

typedef struct stage
{
    world w;
    carom_scene *scene;
    carom_mesh *large, *small;
    carom_body_id ids[6];
} stage;

static carom_body_id add(stage *s, carom_mesh *mesh, double x, double y, double z)
{
    carom_body_def def = carom_body_def_default();
    def.placed = world_place(mesh, x, y, z);
    carom_body_id id;
    assert_int_equal(carom_scene_add(s->scene, &def, &id), CAROM_OK);
    return id;
}

/* A large box; in order: one inside, one crossing, one 0.5 off, one far away, and one 1e9 off. */
static stage open_stage(void)
{
    stage s = {.w = world_open()};
    assert_int_equal(carom_scene_create(s.w.context, &s.scene), CAROM_OK);
    s.large = world_box(&s.w, 0, 0, 0, 10, 10, 10);
    s.small = world_box(&s.w, 0, 0, 0, 1, 1, 1);
    s.ids[0] = add(&s, s.large, 0, 0, 0);
    s.ids[1] = add(&s, s.small, 5, 5, 5);
    s.ids[2] = add(&s, s.small, 9.5, 2, 2);
    s.ids[3] = add(&s, s.small, 10.5, 7, 7);
    s.ids[4] = add(&s, s.small, 500, 7, 7);
    s.ids[5] = add(&s, s.small, 1e9, 7, 7);
    return s;
}

static void close_stage(stage *s)
{
    carom_scene_destroy(s->scene);
    carom_mesh_destroy(s->large);
    carom_mesh_destroy(s->small);
    world_close(&s->w);
}

/* Runs every engine with every broad phase; all must give the same hash. The last one stays open for inspection. */
static carom_engine *run_all(stage *s, const carom_collide_options *options, carom_scene_report *report)
{
    carom_engine *kept = NULL;
    uint64_t hash = 0;
    carom_frame frame;
    assert_int_equal(carom_scene_frame(s->scene, &frame), CAROM_OK);
    for (uint32_t e = 0; carom_engine_list(e); e++)
        for (uint32_t b = 0; (b > 0 || world_compares(s->w.context, carom_engine_list(e))) && carom_broad_list(b); b++)
        {
            carom_engine_def def = {.engine = carom_engine_list(e)->name, .broad_phase = carom_broad_list(b)->name};
            carom_engine_destroy(kept);
            assert_int_equal(carom_engine_create(s->w.context, &def, &kept), CAROM_OK);
            for (int again = 0; again < 2; again++)
            {
                assert_false(carom_failed(carom_engine_run(kept, &frame, options, report)));
                if (hash == 0)
                    hash = report->hash;
                if (report->hash != hash)
                    fail_msg("engine %s with broad phase %s differs", def.engine, def.broad_phase);
            }
        }
    return kept;
}

static void relations_and_clearances_come_out(void **state)
{
    (void)state;
    stage s = open_stage();
    carom_collide_options options = carom_collide_options_default();
    carom_scene_report report;
    carom_engine *engine = run_all(&s, NULL, &report);
    assert_int_equal(report.status, CAROM_OK);
    assert_int_equal(report.bodies_examined, 6);
    assert_int_equal(report.body_pair_count, 2); /* the inner box meets no surface, but it is not apart either */
    assert_int_equal(report.body_pairs[0].relation, CAROM_RELATION_B_INSIDE_A);
    assert_int_equal(report.body_pairs[0].pair_count, 0);
    assert_int_equal(report.body_pairs[1].body_b.index, s.ids[2].index);
    assert_true(isinf(report.body_pairs[1].distance));
    carom_engine_destroy(engine);

    options.relation = true, options.contacts = true;
    engine = run_all(&s, &options, &report);
    assert_int_equal(report.body_pair_count, 2);
    assert_int_equal(report.body_pairs[0].relation, CAROM_RELATION_B_INSIDE_A);
    assert_int_equal(report.body_pairs[1].relation, CAROM_RELATION_OVERLAPPING);
    assert_int_equal(report.contact_count, report.pair_count);
    assert_true(report.point_count >= report.pair_count);
    carom_engine_destroy(engine);

    options.clearance = 0.5; /* not violated at exactly 0.5 */
    engine = run_all(&s, &options, &report);
    assert_int_equal(report.body_pair_count, 2);
    carom_engine_destroy(engine);
    options.clearance = nextafter(0.5, 1.0);
    engine = run_all(&s, &options, &report);
    assert_int_equal(report.body_pair_count, 3);
    assert_true(report.body_pairs[1].distance == 0.0);
    assert_true(report.body_pairs[2].distance == 0.5);
    assert_true(report.body_pairs[2].point_b.x - report.body_pairs[2].point_a.x == 0.5);
    carom_engine_destroy(engine);
    close_stage(&s);
}

static void limits_hold_for_the_frame(void **state)
{
    (void)state;
    stage s = open_stage();
    add(&s, s.small, 9.75, 2.25, 2.25); /* more pairs */
    carom_scene_report report;
    carom_engine *engine = run_all(&s, NULL, &report);
    uint64_t count = report.pair_count;
    assert_true(count > 12 && report.pairs_listed == count && report.body_pair_count == 4);
    carom_engine_destroy(engine);
    for (uint64_t limit = 1; limit <= count; limit++)
    {
        carom_collide_options options = carom_collide_options_default();
        options.max_pairs = limit;
        options.contacts = true;
        engine = run_all(&s, &options, &report);
        assert_int_equal(report.status, limit < count ? CAROM_TRUNCATED : CAROM_OK);
        assert_int_equal(report.pair_count, count);
        assert_int_equal(report.pairs_listed, limit);
        assert_int_equal(report.body_pair_count, 4);
        carom_engine_destroy(engine);
    }
    close_stage(&s);
}

static void filters_keep_pairs_out(void **state)
{
    (void)state;
    stage s = open_stage();
    carom_body_def def = carom_body_def_default();
    def.placed = world_place(s.small, 9.75, 2.25, 2.25);
    def.filter.mask = 0;
    carom_body_id id;
    assert_int_equal(carom_scene_add(s.scene, &def, &id), CAROM_OK);
    carom_scene_report report;
    carom_engine *engine = run_all(&s, NULL, &report);
    assert_int_equal(report.body_pair_count, 2);
    carom_engine_destroy(engine);
    close_stage(&s);
}

/* Whatever the budget, each pair that meets is either found or marked as undecided. */
static void budgets_leave_nothing_out(void **state)
{
    (void)state;
    stage s = open_stage();
    carom_frame frame;
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    for (uint32_t e = 0; carom_engine_list(e); e++)
    {
        carom_engine_def def = {.engine = carom_engine_list(e)->name, .broad_phase = NULL};
        carom_engine *engine;
        if (!world_compares(s.w.context, carom_engine_list(e)))
            continue;
        assert_int_equal(carom_engine_create(s.w.context, &def, &engine), CAROM_OK);
        int unknown = 0, decided = 0;
        for (uint64_t work = 1; work < 20000; work = work < 100 ? work + 1 : work * 2)
        {
            carom_collide_options options = carom_collide_options_default();
            options.budget.work = work;
            carom_scene_report report;
            carom_status status = carom_engine_run(engine, &frame, &options, &report);
            assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
            status == CAROM_OK ? decided++ : unknown++;
            bool crossing_listed = false;
            for (uint64_t i = 0; i < report.body_pair_count; i++)
                crossing_listed |= report.body_pairs[i].body_a.index == s.ids[0].index &&
                                   report.body_pairs[i].body_b.index == s.ids[2].index;
            assert_true(crossing_listed);
        }
        assert_true(unknown > 0 && decided > 0);
        carom_engine_destroy(engine);
    }
    close_stage(&s);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    stage s = open_stage();
    carom_engine *engine;
    carom_engine_def def = {.engine = "no such engine", .broad_phase = NULL};
    assert_int_equal(carom_engine_create(s.w.context, &def, &engine), CAROM_INVALID_ARGUMENT);
    world_check_message(&s.w, "no such engine");
    assert_null(engine);
    def = (carom_engine_def){.engine = NULL, .broad_phase = "no such broad phase"};
    assert_int_equal(carom_engine_create(s.w.context, &def, &engine), CAROM_INVALID_ARGUMENT);
    world_check_message(&s.w, "no such broad phase");
    assert_int_equal(carom_engine_create(NULL, NULL, &engine), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_engine_create(s.w.context, NULL, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_engine_create(s.w.context, NULL, &engine), CAROM_OK);

    carom_frame frame;
    carom_scene_report report;
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(NULL, &frame, NULL, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_engine_run(engine, NULL, NULL, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(report.status, CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_engine_run(engine, &frame, NULL, NULL), CAROM_INVALID_ARGUMENT);
    carom_pair_cache *cache;
    assert_int_equal(carom_pair_cache_create(s.w.context, &cache), CAROM_OK);
    carom_collide_options options = carom_collide_options_default();
    options.cache = cache;
    assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_INVALID_ARGUMENT);
    carom_pair_cache_destroy(cache);
    options = carom_collide_options_default();
    options.clearance = NAN;
    assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_NOT_FINITE);

    /* a frame made by hand */
    carom_frame_body bodies[2] = {frame.bodies[1], frame.bodies[0]};
    carom_frame by_hand = {.bodies = bodies, .body_count = 2};
    assert_int_equal(carom_engine_run(engine, &by_hand, NULL, &report), CAROM_INVALID_ARGUMENT);
    bodies[0] = frame.bodies[0], bodies[1] = frame.bodies[1];
    bodies[1].placed.pose.rotation[4] = 2.0;
    assert_int_equal(carom_engine_run(engine, &by_hand, NULL, &report), CAROM_NOT_RIGID);
    world_check_message(&s.w, "body 2");
    bodies[1].placed = frame.bodies[1].placed;
    bodies[1].placed.shape.tree = NULL; /* the engine builds its own */
    assert_int_equal(carom_engine_run(engine, &by_hand, NULL, &report), CAROM_OK);
    by_hand.bodies = NULL;
    assert_int_equal(carom_engine_run(engine, &by_hand, NULL, &report), CAROM_INVALID_ARGUMENT);
    by_hand.body_count = 0;
    assert_int_equal(carom_engine_run(engine, &by_hand, NULL, &report), CAROM_OK);
    assert_int_equal(report.body_pair_count, 0);
    carom_engine_destroy(engine);
    carom_engine_destroy(NULL);
    close_stage(&s);
}

int main(void)
{
    setenv("CAROM_COMPUTE", "processor", 1); /* kernels would be compiled hundreds of times */
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(relations_and_clearances_come_out),
        cmocka_unit_test(limits_hold_for_the_frame),
        cmocka_unit_test(filters_keep_pairs_out),
        cmocka_unit_test(budgets_leave_nothing_out),
        cmocka_unit_test(misuse_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
