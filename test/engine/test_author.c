/* Engines that an author adds to a context: what is refused, what the run sees, and the life of assets. */
#include "carom/author.h"
#include "query/world.h"

#include <pthread.h>

typedef struct asset
{
    carom_shape shape;
} asset;

/* What the engine under test does and counts; one per context. */
typedef struct probe
{
    int states, created, updated, destroyed;
    int fail_create, fail_update; /* after so many */
    bool lazy;                    /* asks for no asset */
    carom_status run_status;
} probe;

static probe tally;

static carom_status create_state(carom_context *context, void **state)
{
    (void)context;
    tally.states++;
    *state = &tally;
    return CAROM_OK;
}

static void destroy_state(void *state)
{
    assert_ptr_equal(state, &tally);
    tally.states--;
}

static carom_status create_asset(void *state, const carom_shape *shape, void **out)
{
    assert_ptr_equal(state, &tally);
    if (tally.fail_create > 0 && --tally.fail_create == 0)
        return CAROM_OUT_OF_MEMORY;
    asset *a = calloc(1, sizeof *a);
    a->shape = *shape;
    tally.created++;
    *out = a;
    return CAROM_OK;
}

static carom_status update_asset(void *state, const carom_shape *shape, void *object)
{
    (void)state;
    if (tally.fail_update > 0 && --tally.fail_update == 0)
        return CAROM_OUT_OF_MEMORY;
    ((asset *)object)->shape = *shape;
    tally.updated++;
    return CAROM_OK;
}

static void destroy_asset(void *state, void *object)
{
    (void)state;
    free(object);
    tally.destroyed++;
}

static bool same_shape(const carom_shape *a, const carom_shape *b)
{
    if (a->kind != b->kind)
        return false;
    if (a->kind == CAROM_SHAPE_MESH)
        return a->mesh == b->mesh;
    return a->sphere.radius == b->sphere.radius;
}

/* Proposes everything, twice, in odd orders; checks every asset. */
static carom_status run_all(void *state, carom_run *run)
{
    assert_ptr_equal(state, &tally);
    const carom_frame *frame = carom_run_frame(run);
    uint32_t count = frame->body_count;
    void *object;
    for (uint32_t i = 0; i < count && !tally.lazy; i++)
    {
        carom_status status = carom_run_asset(run, i, &object);
        if (carom_failed(status))
            return status;
        assert_true(same_shape(&((asset *)object)->shape, &frame->bodies[i].placed.shape));
    }
    assert_int_equal(carom_run_asset(run, count, &object), CAROM_OUT_OF_RANGE);
    assert_int_equal(carom_run_asset(run, 0, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_run_propose(run, count, 0), CAROM_OUT_OF_RANGE);
    assert_int_equal(carom_run_propose(run, 0, UINT32_MAX), CAROM_OUT_OF_RANGE);
    if (count > 0)
        assert_int_equal(carom_run_propose(run, 0, 0), CAROM_INVALID_ARGUMENT);
    assert_true(carom_run_clearance(run, count, 0) == 0.0);
    for (uint32_t i = 0; i < count; i++)
        for (uint32_t k = 0; k < count; k++)
            if (i != k)
            {
                double clearance = carom_run_options(run)->clearance;
                double margin_i = frame->bodies[i].margin, margin_k = frame->bodies[k].margin;
                double given = carom_run_clearance(run, i, k), sum = (margin_i + margin_k) + clearance;
                assert_true(given == sum || given == nextafter(sum, INFINITY));
                assert_true((long double)given >= (long double)margin_i + margin_k + clearance); /* rounded up */
                assert_int_equal(carom_run_propose(run, i, k), CAROM_OK);
            }
    return tally.run_status;
}

static const carom_engine_kind PROBE = {.info = {"probe", "proposes everything", CAROM_CLASS_EXACT, false},
                                        .create = create_state,
                                        .run = run_all,
                                        .destroy = destroy_state,
                                        .create_asset = create_asset,
                                        .update_asset = update_asset,
                                        .destroy_asset = destroy_asset};

static void bad_kinds_are_refused(void **state)
{
    (void)state;
    world w = world_open();
    carom_engine_kind kind = PROBE;
    assert_int_equal(carom_engine_register(NULL, &PROBE), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_engine_register(w.context, NULL), CAROM_INVALID_ARGUMENT);
    kind.info.name = NULL;
    assert_int_equal(carom_engine_register(w.context, &kind), CAROM_INVALID_ARGUMENT);
    world_check_message(&w, "info.name");
    kind = PROBE, kind.info.summary = NULL;
    assert_int_equal(carom_engine_register(w.context, &kind), CAROM_INVALID_ARGUMENT);
    kind = PROBE, kind.run = NULL;
    assert_int_equal(carom_engine_register(w.context, &kind), CAROM_INVALID_ARGUMENT);
    world_check_message(&w, "run");
    kind = PROBE, kind.destroy_asset = NULL;
    assert_int_equal(carom_engine_register(w.context, &kind), CAROM_INVALID_ARGUMENT);
    kind = PROBE, kind.create_asset = NULL;
    assert_int_equal(carom_engine_register(w.context, &kind), CAROM_INVALID_ARGUMENT);
    kind = PROBE, kind.create_asset = NULL, kind.destroy_asset = NULL; /* update_asset alone makes no sense */
    assert_int_equal(carom_engine_register(w.context, &kind), CAROM_INVALID_ARGUMENT);
    kind = PROBE, kind.info.engine_class = (carom_engine_class)3;
    assert_int_equal(carom_engine_register(w.context, &kind), CAROM_INVALID_ARGUMENT);
    kind = PROBE, kind.info.name = "tree"; /* taken */
    assert_int_equal(carom_engine_register(w.context, &kind), CAROM_INVALID_ARGUMENT);
    world_check_message(&w, "tree");
    assert_null(carom_engine_registered(w.context, 0));
    assert_int_equal(carom_engine_register(w.context, &PROBE), CAROM_OK);
    assert_int_equal(carom_engine_register(w.context, &PROBE), CAROM_INVALID_ARGUMENT);
    assert_string_equal(carom_engine_registered(w.context, 0)->name, "probe");
    assert_null(carom_engine_registered(w.context, 1));
    assert_null(carom_engine_registered(NULL, 0));
    world other = world_open(); /* contexts do not see each other */
    carom_engine *engine;
    assert_int_equal(carom_engine_create(other.context, &(carom_engine_def){.engine = "probe"}, &engine),
                     CAROM_INVALID_ARGUMENT);
    world_close(&other);
    world_close(&w);
}

/* An allocator that lets another thread register the same engine just before it answers. */
typedef struct intrusion
{
    carom_context *context;
    bool armed;
    carom_status other; /* what the other thread was told */
} intrusion;

static void *register_too(void *data)
{
    intrusion *in = data;
    in->other = carom_engine_register(in->context, &PROBE);
    return NULL;
}

static void *allocate_late(size_t size, size_t alignment, void *user)
{
    intrusion *in = user;
    if (in->armed)
    {
        pthread_t thread;
        in->armed = false;
        assert_int_equal(pthread_create(&thread, NULL, register_too, in), 0);
        pthread_join(thread, NULL);
    }
    return aligned_alloc(alignment < 8 ? 8 : alignment, (size + 63) / 64 * 64);
}

static void release_plainly(void *memory, size_t size, void *user)
{
    (void)size, (void)user;
    free(memory);
}

static void two_threads_cannot_both_register_a_name(void **state)
{
    (void)state;
    intrusion in = {.other = CAROM_BUSY};
    carom_context_def def = carom_context_def_default();
    def.allocator = (carom_allocator){allocate_late, release_plainly, &in};
    assert_int_equal(carom_context_create(&def, &in.context), CAROM_OK);
    in.armed = true;
    carom_status own = carom_engine_register(in.context, &PROBE);
    assert_int_equal(in.other, CAROM_OK);
    assert_int_equal(own, CAROM_INVALID_ARGUMENT);
    char message[256];
    carom_context_message(in.context, message, sizeof message);
    assert_non_null(strstr(message, "\"probe\""));
    assert_null(carom_engine_registered(in.context, 1));
    carom_context_destroy(in.context);
}

typedef struct stage
{
    world w;
    carom_scene *scene;
    carom_mesh *box, *torus, *moved;
    carom_body_id ids[5];
    carom_engine *probe, *tree;
} stage;

static stage open_stage(void)
{
    stage s = {.w = world_open()};
    tally = (probe){0};
    assert_int_equal(carom_engine_register(s.w.context, &PROBE), CAROM_OK);
    assert_int_equal(carom_engine_create(s.w.context, &(carom_engine_def){.engine = "probe"}, &s.probe), CAROM_OK);
    assert_int_equal(carom_engine_create(s.w.context, NULL, &s.tree), CAROM_OK);
    assert_int_equal(tally.states, 1);
    assert_int_equal(carom_scene_create(s.w.context, &s.scene), CAROM_OK);
    s.box = world_box(&s.w, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5);
    s.torus = world_shape(&s.w, GENERATE_TORUS, 100);
    carom_mesh_def def = carom_mesh_def_default();
    double corners[24];
    world_box_vertices((double[3]){-0.6, -0.5, -0.5}, (double[3]){0.5, 0.6, 0.5}, corners);
    def.vertices_f64 = corners, def.vertex_count = 8;
    assert_int_equal(carom_mesh_deform(s.box, &def, &s.moved), CAROM_OK);
    carom_shape shapes[5] = {carom_shape_mesh(s.box), carom_shape_mesh(s.torus), carom_shape_mesh(s.box),
                             carom_shape_sphere(0.4), carom_shape_sphere(0.4)};
    for (int i = 0; i < 5; i++)
    {
        carom_body_def body = carom_body_def_default();
        body.placed = (carom_placed){shapes[i], carom_pose_translation(0.7 * i, 0, 0)};
        body.margin = 0.01 * i;
        assert_int_equal(carom_scene_add(s.scene, &body, &s.ids[i]), CAROM_OK);
    }
    return s;
}

static void close_stage(stage *s)
{
    carom_engine_destroy(s->probe);
    carom_engine_destroy(s->tree);
    carom_scene_destroy(s->scene);
    carom_mesh_destroy(s->box);
    carom_mesh_destroy(s->torus);
    carom_mesh_destroy(s->moved);
    world_close(&s->w);
    assert_int_equal(tally.states, 0);
    assert_int_equal(tally.created, tally.destroyed);
}

/* Runs both engines; the author's must give the same report as the library's. */
static void run_both(stage *s)
{
    carom_frame frame;
    carom_scene_report own, expected;
    carom_collide_options options = carom_collide_options_default();
    options.clearance = 0.02, options.relation = true;
    assert_int_equal(carom_scene_frame(s->scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(s->probe, &frame, &options, &own), CAROM_OK);
    assert_int_equal(carom_engine_run(s->tree, &frame, &options, &expected), CAROM_OK);
    assert_int_equal(own.hash, expected.hash);
    assert_int_equal(own.body_pair_count, expected.body_pair_count);
}

static void check_tally(int created, int updated, int destroyed)
{
    assert_int_equal(tally.created, created);
    assert_int_equal(tally.updated, updated);
    assert_int_equal(tally.destroyed, destroyed);
}

static void assets_follow_their_shapes(void **state)
{
    (void)state;
    stage s = open_stage();
    run_both(&s);
    check_tally(4, 0, 0); /* the boxes share one, each sphere has its own */
    run_both(&s);
    check_tally(4, 0, 0);
    carom_pose pose = carom_pose_translation(0, 0.3, 0);
    assert_int_equal(carom_scene_move(s.scene, s.ids[1], &pose), CAROM_OK);
    run_both(&s);
    check_tally(4, 0, 0);

    /* both boxes deform: one update */
    carom_shape moved = carom_shape_mesh(s.moved);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[0], &moved), CAROM_OK);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[2], &moved), CAROM_OK);
    run_both(&s);
    check_tally(4, 1, 0);

    /* a sphere gets another radius, then becomes a mesh that there is, then a sphere again */
    carom_shape sphere = carom_shape_sphere(0.2), torus = carom_shape_mesh(s.torus);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[3], &sphere), CAROM_OK);
    run_both(&s);
    check_tally(4, 2, 0);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[3], &torus), CAROM_OK);
    run_both(&s);
    check_tally(4, 2, 1);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[3], &sphere), CAROM_OK);
    run_both(&s);
    check_tally(5, 2, 1);

    /* not asked for is not gone */
    tally.lazy = true;
    run_both(&s);
    check_tally(5, 2, 1);
    tally.lazy = false;
    run_both(&s);
    check_tally(5, 2, 1);

    /* bodies go: so do assets that no other body has */
    assert_int_equal(carom_scene_remove(s.scene, s.ids[0]), CAROM_OK);
    run_both(&s);
    check_tally(5, 2, 1);
    assert_int_equal(carom_scene_remove(s.scene, s.ids[2]), CAROM_OK);
    assert_int_equal(carom_scene_remove(s.scene, s.ids[4]), CAROM_OK);
    run_both(&s);
    check_tally(5, 2, 3);
    close_stage(&s);
}

static void failures_in_an_engine_are_its_status(void **state)
{
    (void)state;
    stage s = open_stage();
    carom_frame frame;
    carom_scene_report report;
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    for (int k = 1; k <= 4; k++)
    {
        tally.fail_create = k;
        carom_status status = carom_engine_run(s.probe, &frame, NULL, &report);
        assert_int_equal(status, tally.fail_create == 0 ? CAROM_OUT_OF_MEMORY : CAROM_OK);
        assert_int_equal(report.status, status);
        tally.fail_create = 0;
    }
    run_both(&s);
    carom_shape moved = carom_shape_mesh(s.moved);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[0], &moved), CAROM_OK);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[2], &moved), CAROM_OK);
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    tally.fail_update = 1;
    assert_int_equal(carom_engine_run(s.probe, &frame, NULL, &report), CAROM_OUT_OF_MEMORY);
    run_both(&s);
    tally.run_status = CAROM_UNSUPPORTED;
    assert_int_equal(carom_engine_run(s.probe, &frame, NULL, &report), CAROM_UNSUPPORTED);
    tally.run_status = CAROM_OK;
    run_both(&s);
    close_stage(&s);
}

/* What was not proposed counts as apart, so a run that did not come to its end must not look like one that did. */
static void half_answers_of_an_engine_are_refused(void **state)
{
    (void)state;
    stage s = open_stage();
    carom_frame frame;
    carom_scene_report report;
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    const carom_status half[4] = {CAROM_UNKNOWN, CAROM_TRUNCATED, CAROM_STOPPED, (carom_status)9};
    for (int i = 0; i < 4; i++)
    {
        tally.run_status = half[i];
        assert_int_equal(carom_engine_run(s.probe, &frame, NULL, &report), CAROM_INVALID_ARGUMENT);
        assert_int_equal(report.status, CAROM_INVALID_ARGUMENT);
        assert_int_equal(report.body_pair_count, 0);
        world_check_message(&s.w, "probe");
    }
    tally.run_status = CAROM_OK;
    run_both(&s);
    close_stage(&s);
}

static carom_engine *inner_engine; /* that run_inside uses */

static carom_status run_inside(void *state, carom_run *run)
{
    (void)state;
    carom_scene_report report;
    assert_int_equal(carom_engine_run(inner_engine, carom_run_frame(run), NULL, &report), CAROM_BUSY);
    assert_int_equal(report.status, CAROM_BUSY);
    assert_int_equal(carom_engine_resume(inner_engine, carom_run_frame(run), NULL, &report), CAROM_BUSY);
    carom_engine_destroy(inner_engine); /* does nothing: the run goes on */
    return carom_run_propose(run, 0, 1);
}

/* A kind is copied, so it may be a local one; its engine is busy in its own run, and free afterwards. */
static void an_engine_is_busy_in_its_own_run(void **state)
{
    (void)state;
    stage s = open_stage();
    {
        carom_engine_kind local = {.info = {"inside", "uses itself", CAROM_CLASS_EXACT, false}, .run = run_inside};
        assert_int_equal(carom_engine_register(s.w.context, &local), CAROM_OK);
        memset(&local, 0xff, sizeof local);
    }
    assert_string_equal(carom_engine_registered(s.w.context, 1)->name, "inside");
    assert_int_equal(carom_engine_create(s.w.context, &(carom_engine_def){.engine = "inside"}, &inner_engine),
                     CAROM_OK);
    carom_frame frame;
    carom_scene_report report;
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        assert_int_equal(carom_engine_run(inner_engine, &frame, NULL, &report), CAROM_OK);
        assert_int_equal(report.body_pair_count, 1);
    }
    carom_engine_destroy(inner_engine);
    close_stage(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bad_kinds_are_refused),
        cmocka_unit_test(two_threads_cannot_both_register_a_name),
        cmocka_unit_test(assets_follow_their_shapes),
        cmocka_unit_test(failures_in_an_engine_are_its_status),
        cmocka_unit_test(half_answers_of_an_engine_are_refused),
        cmocka_unit_test(an_engine_is_busy_in_its_own_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
