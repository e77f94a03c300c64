/* Budgets of an engine's runs: how work is dealt out among pairs, what an interrupted run reports, and how it resumes.
 */
#include "engine/stage.h"

static void only_its_own_run_is_resumed(void **state)
{
    (void)state;
    world w = world_open();
    stage s = stage_open(w.context, 8, 300);
    carom_engine *engine = world_engine(&w), *fresh = world_engine(&w);
    carom_frame frame, by_hand;
    carom_scene_report report, whole;
    carom_collide_options cut = carom_collide_options_default();
    cut.budget.work = 3000;
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_resume(NULL, &frame, NULL, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_engine_resume(engine, &frame, NULL, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_engine_resume(engine, &frame, NULL, &report), CAROM_INVALID_ARGUMENT); /* no run */
    assert_int_equal(carom_engine_run(fresh, &frame, NULL, &whole), CAROM_OK);
    assert_int_equal(carom_engine_resume(fresh, &frame, NULL, &report), CAROM_INVALID_ARGUMENT); /* it was done */
    assert_int_equal(carom_engine_run(fresh, &frame, NULL, &whole), CAROM_OK);

    /* what is refused leaves the run as it is */
    assert_int_equal(carom_engine_run(engine, &frame, &cut, &report), CAROM_UNKNOWN);
    by_hand = frame, by_hand.scene = 0;
    assert_int_equal(carom_engine_resume(engine, &by_hand, NULL, &report), CAROM_STALE_FRAME);
    assert_int_equal(carom_engine_resume(engine, NULL, NULL, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_engine_resume(engine, &frame, &(carom_budget){.seconds = -1}, &report),
                     CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_engine_resume(engine, &frame, NULL, &report), CAROM_OK);
    assert_int_equal(report.hash, whole.hash);
    assert_int_equal(carom_engine_resume(engine, &frame, NULL, &report), CAROM_INVALID_ARGUMENT); /* twice */

    /* a snapshot of the same version will do, and the first may be gone by then */
    carom_snapshot *snapshots[2];
    assert_int_equal(carom_scene_snapshot(s.scene, &snapshots[0]), CAROM_OK);
    assert_int_equal(carom_scene_snapshot(s.scene, &snapshots[1]), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, carom_snapshot_frame(snapshots[0]), &cut, &report), CAROM_UNKNOWN);
    carom_snapshot_destroy(snapshots[0]);
    carom_budget little = {.work = 300};
    for (int i = 0; i < 3; i++)
        assert_int_equal(carom_engine_resume(engine, carom_snapshot_frame(snapshots[1]), &little, &report),
                         CAROM_UNKNOWN);
    assert_int_equal(carom_engine_resume(engine, &frame, NULL, &report), CAROM_OK);
    assert_int_equal(report.hash, whole.hash);
    carom_snapshot_destroy(snapshots[1]);

    /* a body that the fronts remember goes */
    assert_int_equal(carom_engine_run(engine, &frame, &cut, &report), CAROM_UNKNOWN);
    assert_int_equal(carom_scene_remove(s.scene, frame.bodies[3].id), CAROM_OK);
    assert_int_equal(carom_engine_resume(engine, &frame, NULL, &report), CAROM_STALE_FRAME);
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_resume(engine, &frame, NULL, &report), CAROM_STALE_FRAME);
    assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
    carom_engine_destroy(engine);
    carom_engine_destroy(fresh);
    stage_close(&s);
    world_close(&w);
}

/* What an interrupted run has begun goes on with the bodies of the frame that resumes it. */
static void the_first_frame_may_be_gone(void **state)
{
    (void)state;
    world w = world_open();
    stage s = stage_open(w.context, 8, 300);
    carom_frame frame, first;
    carom_scene_report report;
    carom_collide_options cut = carom_collide_options_default();
    carom_engine *engine = world_engine(&w);
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
    const uint64_t hash = report.hash;
    carom_frame_body *bodies = malloc(frame.body_count * sizeof *bodies);
    assert_non_null(bodies);
    for (cut.budget.work = 100; cut.budget.work < 20000; cut.budget.work += cut.budget.work / 2)
    {
        memcpy(bodies, frame.bodies, frame.body_count * sizeof *bodies);
        first = frame, first.bodies = bodies;
        carom_status status = carom_engine_run(engine, &first, &cut, &report);
        for (size_t i = 0; i < frame.body_count; i++)
            bodies[i].placed.pose.translation.x += 1000.0;
        if (status == CAROM_UNKNOWN)
            assert_int_equal(carom_engine_resume(engine, &frame, NULL, &report), CAROM_OK);
        assert_int_equal(report.hash, hash);
    }
    free(bodies);
    carom_engine_destroy(engine);
    stage_close(&s);
    world_close(&w);
}

/* A budget as large as it gets is no budget. */
static void huge_budgets_are_none(void **state)
{
    (void)state;
    world w = world_open();
    stage s = stage_open(w.context, 8, 100);
    carom_engine *engine = world_engine(&w);
    carom_scene_report report, whole;
    carom_frame frame = world_frame(s.scene);
    assert_int_equal(carom_engine_run(engine, &frame, NULL, &whole), CAROM_OK);
    uint64_t hash = whole.hash;
    const uint64_t works[4] = {UINT64_MAX, UINT64_MAX - 1, (uint64_t)1 << 63, (uint64_t)1 << 40};
    for (int i = 0; i < 4; i++)
    {
        carom_collide_options options = carom_collide_options_default();
        options.budget.work = works[i];
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
        assert_int_equal(report.hash, hash);
        options.budget = (carom_budget){.seconds = i == 0 ? INFINITY : 1e9};
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
        assert_int_equal(report.hash, hash);
    }
    carom_engine_destroy(engine);
    stage_close(&s);
    world_close(&w);
}

/* Pairs of spheres around the origin of each level: urgent ones that a quick rejection test decides, others that meet.
 */
static carom_scene *stack_pairs(const world *w, carom_mesh *mesh, double urgent)
{
    carom_scene *scene = world_scene(w);
    for (int i = 0; i < 16; i++)
    {
        double off = i % 2 == 0 ? 0.0 : i < 8 ? 0.75 : 0.3; /* on the diagonal; the diameter is 1 */
        carom_body_def def = carom_body_def_default();
        def.placed = world_place(mesh, off, off, 10.0 * (i / 2));
        def.priority = i < 8 ? urgent : 1.0;
        carom_body_id id;
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
    }
    return scene;
}

/* What a pair does not need of its slice goes to the others, even if it needed nothing at all. */
static void budgets_are_passed_on(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *mesh = stage_mesh(w.context, GENERATE_ICO_SPHERE, 1280, 1.0);
    const double urgencies[3] = {1.0, 1000.0, 0x1p100};
    for (int i = 0; i < 3; i++)
    {
        carom_scene *scene = stack_pairs(&w, mesh, urgencies[i]);
        carom_scene_report report;
        carom_frame frame = world_frame(scene);
        carom_collide_options options = carom_collide_options_default();
        options.mode = CAROM_COLLIDE_ANY;
        for (uint64_t work = 800; work != 0; work = work == 800 ? UINT64_MAX : 0)
        {
            options.budget.work = work; /* the four that meet take less than 800 */
            carom_engine *engine = world_engine(&w);
            assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
            assert_int_equal(report.body_pair_count, 4);
            carom_engine_destroy(engine);
        }
        carom_scene_destroy(scene);
    }
    carom_mesh_destroy(mesh);
    world_close(&w);
}

/* Where the work does not suffice for all, it goes to the pairs of the highest priority, whatever their place. */
static void urgent_pairs_come_first(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *mesh = stage_mesh(w.context, GENERATE_ICO_SPHERE, 1280, 1.0);
    for (uint32_t urgent = 0; urgent < 8; urgent++)
    {
        carom_scene *scene = world_scene(&w);
        for (uint32_t i = 0; i < 16; i++)
        {
            carom_body_def def = carom_body_def_default();
            def.placed = world_place(mesh, i % 2 ? 0.3 : 0.0, i % 2 ? 0.3 : 0.0, 10.0 * (i / 2));
            def.priority = i == 2 * urgent + 1 ? 2.0 : 1.0;
            carom_body_id id;
            assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
        }
        carom_scene_report report;
        carom_frame frame = world_frame(scene);
        carom_engine *engine = world_engine(&w);
        carom_collide_options options = {.mode = CAROM_COLLIDE_ANY, .budget.work = 120}; /* a pair takes about 90 */
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_UNKNOWN);
        assert_int_equal(report.body_pair_count, 8);
        for (uint32_t i = 0; i < 8; i++)
            assert_int_equal(report.body_pairs[i].status, i == urgent ? CAROM_OK : CAROM_UNKNOWN);
        carom_engine_destroy(engine);
        carom_scene_destroy(scene);
    }
    carom_mesh_destroy(mesh);
    world_close(&w);
}

/* The work on pairs that are still open is in the report, and grows until they are decided. */
static void open_pairs_are_counted(void **state)
{
    (void)state;
    world w = world_open();
    stage s = stage_open(w.context, 11, 2000);
    carom_scene_report report;
    carom_frame frame = world_frame(s.scene);
    carom_engine *engine = world_engine(&w);
    carom_collide_options options = carom_collide_options_default();
    options.budget.work = 5000, options.relation = true;
    carom_status status = carom_engine_run(engine, &frame, &options, &report);
    uint64_t granted = options.budget.work, before = 0;
    for (int i = 0; i < 3; i++)
    {
        assert_int_equal(status, CAROM_UNKNOWN);
        uint64_t done = report.counters.boxes_tested + report.counters.triangles_tested;
        assert_true(done > before && done > granted / 2);
        before = done;
        status = carom_engine_resume(engine, &frame, &options.budget, &report);
        granted += options.budget.work;
    }
    carom_engine_destroy(engine);
    stage_close(&s);
    world_close(&w);
}

/* How near a pair comes is found within the budget too, not on top of it. */
static void measuring_keeps_to_the_budget(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *mesh = stage_mesh(w.context, GENERATE_ICO_SPHERE, 5120, 1.0);
    carom_scene *scene = world_scene(&w);
    for (int i = 0; i < 2; i++)
        world_add(scene, world_place(mesh, 1.02 * i, 0.01 * i, 0.02 * i));
    carom_scene_report report;
    carom_frame frame = world_frame(scene);
    carom_engine *engine = world_engine(&w);
    carom_collide_options options = {.mode = CAROM_COLLIDE_ANY, .clearance = 0.5, .budget.work = 300};
    carom_status status = carom_engine_run(engine, &frame, &options, &report);
    uint64_t before = 0, steps = 0;
    for (;; steps++)
    {
        uint64_t done = report.counters.boxes_tested + report.counters.triangles_tested;
        assert_true(done <= before + 2 * options.budget.work);
        before = done;
        if (status != CAROM_UNKNOWN)
            break;
        assert_true(report.body_pairs[0].distance == INFINITY || steps > 0);
        status = carom_engine_resume(engine, &frame, &options.budget, &report);
    }
    assert_int_equal(status, CAROM_OK);
    assert_true(steps > 0);
    assert_true(report.body_pairs[0].clearance_violated && report.body_pairs[0].distance < 0.1);
    carom_engine_destroy(engine);
    carom_scene_destroy(scene);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

/* Small budgets of one size, one after another, come to an end with every engine and question: what was spent once is
 * not spent again. */
static void small_budgets_come_to_an_end(void **state)
{
    (void)state;
    world w = world_open();
    stage s = stage_open(w.context, 23, 120);
    carom_frame frame = world_frame(s.scene);
    for (uint32_t e = 0; carom_engine_list(e); e++)
        for (int question = 0; question < 12 && (question > 0 || world_compares(w.context, carom_engine_list(e)));
             question++)
        {
            carom_engine *engine;
            carom_scene_report report;
            assert_int_equal(
                carom_engine_create(w.context, &(carom_engine_def){.engine = carom_engine_list(e)->name}, &engine),
                CAROM_OK);
            carom_collide_options options = {.mode = (carom_collide_mode)(question % 3), .relation = question / 3 % 2};
            options.clearance = question < 6 ? 0.0 : 0.3;
            assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
            uint64_t hash = report.hash, work = report.counters.boxes_tested + report.counters.triangles_tested;
            carom_engine_destroy(engine); /* and what it remembers */
            assert_int_equal(
                carom_engine_create(w.context, &(carom_engine_def){.engine = carom_engine_list(e)->name}, &engine),
                CAROM_OK);
            options.budget.work = question % 2 ? 1 + work / 40 : 60; /* 60: less than some single step takes */
            int max_steps = 200 + (int)(10 * work / options.budget.work);
            carom_status status = carom_engine_run(engine, &frame, &options, &report);
            int steps = 0;
            for (; status == CAROM_UNKNOWN && steps < max_steps; steps++)
                status = carom_engine_resume(engine, &frame, &options.budget, &report);
            if (status != CAROM_OK || report.hash != hash)
                fail_msg("engine %s, question %d: %s after %d steps of %lu, where %lu are enough at once",
                         carom_engine_list(e)->name, question, carom_status_name(status), steps,
                         (unsigned long)options.budget.work, (unsigned long)work);
            carom_engine_destroy(engine);
        }
    stage_close(&s);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_its_own_run_is_resumed),   cmocka_unit_test(huge_budgets_are_none),
        cmocka_unit_test(the_first_frame_may_be_gone),   cmocka_unit_test(budgets_are_passed_on),
        cmocka_unit_test(open_pairs_are_counted),        cmocka_unit_test(small_budgets_come_to_an_end),
        cmocka_unit_test(measuring_keeps_to_the_budget), cmocka_unit_test(urgent_pairs_come_first),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
