/* The public functions of the topological grid: its choice for a frame, runs at every depth with and without cuts, what
 * the inspection counts, misuse, and memory that fails. */
#include "query/world.h"
#include "support/failing.h"

enum
{
    MOVERS = 40
};

typedef struct grid_stage
{
    carom_context *context;
    carom_scene *scene;
    carom_mesh *ground, *box;
    carom_body_id movers[MOVERS];
    check_random random;
} grid_stage;

static carom_mesh *make_mesh(carom_context *context, generate_kind kind, uint32_t triangles, double size)
{
    generate_def def = generate_def_default(kind);
    def.triangles = triangles, def.size = size;
    carom_mesh *mesh;
    assert_int_equal(generate_mesh(context, &def, &mesh), CAROM_OK);
    return mesh;
}

static carom_body_id add_body(grid_stage *s, carom_shape shape, bool is_static)
{
    carom_body_def def = carom_body_def_default();
    carom_body_id id;
    def.placed.shape = shape, def.is_static = is_static;
    def.placed.pose = is_static ? carom_pose_identity() : world_random_pose(&s->random, 4.0);
    assert_int_equal(carom_scene_add(s->scene, &def, &id), CAROM_OK);
    return id;
}

/* A stratum of 10 by 10 that is cut, and small boxes and balls that move. */
static grid_stage open_stage(carom_context *context)
{
    grid_stage s = {.context = context, .random = {.state = 11}};
    s.ground = make_mesh(context, GENERATE_STRATUM, 2000, 10.0);
    s.box = make_mesh(context, GENERATE_BOX, 12, 0.8);
    assert_int_equal(carom_scene_create(context, &s.scene), CAROM_OK);
    add_body(&s, carom_shape_mesh(s.ground), true);
    for (int i = 0; i < MOVERS; i++)
        s.movers[i] = add_body(&s, i % 8 == 7 ? carom_shape_sphere(0.5) : carom_shape_mesh(s.box), false);
    return s;
}

static void close_stage(grid_stage *s)
{
    carom_scene_destroy(s->scene);
    carom_mesh_destroy(s->ground);
    carom_mesh_destroy(s->box);
}

static carom_frame next_frame(grid_stage *s)
{
    carom_frame frame;
    for (int i = 0; i < MOVERS; i++)
    {
        carom_pose pose = world_random_pose(&s->random, 4.0);
        if (i % 3)
            assert_int_equal(carom_scene_move(s->scene, s->movers[i], &pose), CAROM_OK);
    }
    assert_int_equal(carom_scene_frame(s->scene, &frame), CAROM_OK);
    return frame;
}

static carom_engine *open_engine(grid_stage *s, const char *broad, uint32_t depth, double cut_size)
{
    carom_engine_def def = carom_engine_def_default();
    carom_engine *engine;
    def.broad_phase = broad, def.grid_depth = depth, def.cut_size = cut_size;
    assert_int_equal(carom_engine_create(s->context, &def, &engine), CAROM_OK);
    return engine;
}

/* ---- the choice ---- */

static void the_choice_is_the_papers(void **state)
{
    grid_stage s = open_stage(*state);
    carom_frame frame = next_frame(&s);
    carom_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    double mover = 0;
    for (uint32_t i = 0; i < frame.body_count; i++)
        for (int axis = 0; axis < 3; axis++)
        {
            double least = ((double *)&frame.bodies[i].bounds.min)[axis],
                   most = ((double *)&frame.bodies[i].bounds.max)[axis];
            ((double *)&low)[axis] = fmin(((double *)&low)[axis], least),
                     ((double *)&high)[axis] = fmax(((double *)&high)[axis], most);
            mover = frame.bodies[i].is_static ? mover : fmax(mover, most - least);
        }
    double length = fmax(high.x - low.x, fmax(high.y - low.y, high.z - low.z));
    carom_grid_choice choice = carom_engine_choose_grid(&frame, 0);
    assert_true(choice.depth >= 2 && choice.depth <= 4 && choice.cell_size == length / (1 << choice.depth));
    assert_true(choice.cell_size >= mover && (choice.depth == 4 || choice.cell_size / 2 < mover));
    choice = carom_engine_choose_grid(&frame, 5);
    assert_true(choice.depth == 5 && choice.cell_size == length / 32);

    choice = carom_engine_choose_grid(NULL, 0);
    assert_true(choice.depth == 0 && choice.cell_size == 0);
    choice = carom_engine_choose_grid(&frame, 7);
    assert_true(choice.depth == 0 && choice.cell_size == 0);
    choice = carom_engine_choose_grid(&(carom_frame){0}, 2);
    assert_true(choice.depth == 0 && choice.cell_size == 0);
    close_stage(&s);
}

/* ---- runs ---- */

static void every_depth_gives_the_same_answer(void **state)
{
    grid_stage s = open_stage(*state);
    carom_engine *truth = open_engine(&s, "brute", 0, 0), *engines[14];
    for (uint32_t i = 0; i < 14; i++)
        engines[i] = open_engine(&s, "topogrid", i / 2, i % 2 ? 10.0 / (1 << (i / 2)) : 0.0);
    carom_collide_options options = carom_collide_options_default();
    options.contacts = true;
    uint64_t points = 0;
    for (int step = 0; step < 12; step++)
    {
        carom_frame frame = next_frame(&s);
        carom_scene_report expected, report;
        options.clearance = step % 3 == 2 ? 0.1 : 0.0;
        assert_int_equal(carom_engine_run(truth, &frame, &options, &expected), CAROM_OK);
        points += expected.point_count;
        for (int i = 0; i < 14; i++)
        {
            assert_int_equal(carom_engine_run(engines[i], &frame, &options, &report), CAROM_OK);
            assert_int_equal(report.hash, expected.hash);
        }
    }
    assert_true(points > 100);
    carom_engine_destroy(truth);
    for (int i = 0; i < 14; i++)
        carom_engine_destroy(engines[i]);
    close_stage(&s);
}

/* ---- inspection ---- */

static void the_inspection_counts_what_meets(void **state)
{
    grid_stage s = open_stage(*state);
    uint64_t missed = 0, close = 0;
    for (uint32_t depth = 1; depth <= 4; depth++)
    {
        carom_engine *engine = open_engine(&s, "topogrid", depth, 10.0 / (1 << depth));
        for (int step = 0; step < 10; step++)
        {
            carom_frame frame = next_frame(&s);
            carom_scene_report report;
            carom_grid_stats stats, again;
            carom_collide_options options = carom_collide_options_default();
            options.clearance = step % 2 ? 0.5 : 0.0; /* pairs that are close are reported, too */
            assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
            uint64_t meeting = 0, hash = report.hash;
            for (uint64_t i = 0; i < report.body_pair_count; i++)
                meeting += report.body_pairs[i].pair_count > 0;
            close += report.body_pair_count - meeting;
            assert_int_equal(carom_engine_inspect_grid(engine, &frame, &stats), CAROM_OK);
            assert_int_equal(stats.body_pairs, meeting);
            assert_int_equal(stats.depth, depth);
            assert_true(stats.objects > MOVERS && stats.cells >= stats.objects && stats.pairs >= meeting);
            assert_true(stats.cells_missed < stats.cells && stats.pairs_missed < stats.pairs &&
                        stats.body_pairs_missed <= stats.pairs_missed);
            missed += stats.cells_missed;
            assert_int_equal(carom_engine_inspect_grid(engine, &frame, &again), CAROM_OK);
            assert_memory_equal(&stats, &again, sizeof stats);
            assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
            assert_int_equal(report.hash, hash);
        }
        carom_engine_destroy(engine);
    }
    assert_true(missed > 0 && close > 0);
    close_stage(&s);
}

static void misuse_is_refused(void **state)
{
    grid_stage s = open_stage(*state);
    carom_engine_def def = carom_engine_def_default();
    carom_engine *engine = NULL;
    carom_grid_stats stats;
    carom_scene_report report;
    def.broad_phase = "topogrid", def.grid_depth = 7;
    assert_int_equal(carom_engine_create(s.context, &def, &engine), CAROM_INVALID_ARGUMENT);
    assert_null(engine);
    carom_frame frame = next_frame(&s);
    engine = open_engine(&s, "topogrid", 2, 0);
    assert_int_equal(carom_engine_inspect_grid(NULL, &frame, &stats), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_engine_inspect_grid(engine, NULL, &stats), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_engine_inspect_grid(engine, &frame, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_engine_inspect_grid(engine, &frame, &stats), CAROM_STALE_FRAME); /* no run yet */
    assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
    assert_int_equal(carom_engine_inspect_grid(engine, &frame, &stats), CAROM_OK);
    carom_frame by_hand = frame;
    by_hand.scene = 0;
    assert_int_equal(carom_engine_inspect_grid(engine, &by_hand, &stats), CAROM_STALE_FRAME);
    carom_collide_options wrong = carom_collide_options_default();
    wrong.clearance = NAN;
    assert_true(carom_failed(carom_engine_run(engine, &frame, &wrong, &report)));
    assert_int_equal(carom_engine_inspect_grid(engine, &frame, &stats), CAROM_STALE_FRAME); /* the last run failed */
    carom_frame next = next_frame(&s);
    assert_int_equal(carom_engine_inspect_grid(engine, &frame, &stats), CAROM_STALE_FRAME);
    assert_int_equal(carom_engine_inspect_grid(engine, &next, &stats), CAROM_STALE_FRAME);
    assert_int_equal(stats.objects, 0);
    carom_engine_destroy(engine);

    static const struct
    {
        const char *broad;
        uint32_t depth;
    } OTHERS[] = {{"tree", 2}, {"topogrid", 5}};
    for (int i = 0; i < 2; i++)
    {
        engine = open_engine(&s, OTHERS[i].broad, OTHERS[i].depth, 0);
        assert_int_equal(carom_engine_run(engine, &next, NULL, &report), CAROM_OK);
        assert_int_equal(carom_engine_inspect_grid(engine, &next, &stats), CAROM_UNSUPPORTED);
        carom_engine_destroy(engine);
    }
    close_stage(&s);
}

static void memory_may_fail(void **state)
{
    (void)state;
    failing memory = {0};
    carom_context *context;
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    grid_stage s = open_stage(context);
    carom_engine *engine = open_engine(&s, "topogrid", 2, 2.5);
    carom_frame frame = next_frame(&s);
    carom_scene_report report;
    carom_grid_stats stats;
    assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
    uint64_t out = memory.blocks_out, failures = 0;
    for (uint64_t at = 1;; at++)
    {
        failing_arm(&memory, at);
        carom_status status = carom_engine_inspect_grid(engine, &frame, &stats);
        assert_int_equal(status, memory.failed ? CAROM_OUT_OF_MEMORY : CAROM_OK);
        assert_int_equal(memory.blocks_out, out);
        if (!memory.failed)
            break;
        assert_int_equal(stats.objects, 0);
        failures++;
    }
    assert_int_equal(failures, 3);
    failing_arm(&memory, 0);
    assert_int_equal(carom_engine_run(engine, &frame, NULL, &report), CAROM_OK);
    carom_engine_destroy(engine);
    close_stage(&s);
    carom_context_destroy(context);
    assert_int_equal(memory.bytes_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(the_choice_is_the_papers, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(every_depth_gives_the_same_answer, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(the_inspection_counts_what_meets, check_open_context, check_close_context),
        cmocka_unit_test_setup_teardown(misuse_is_refused, check_open_context, check_close_context),
        cmocka_unit_test(memory_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
