/* Stale frames, snapshots that outlive their scene, and shapes that their owner releases first. */
#include "query/world.h"

#include <pthread.h>
#include <stdatomic.h>

typedef struct stage
{
    world w;
    carom_scene *scene;
    carom_engine *engine;
    carom_mesh *box, *torus;
    carom_body_id ids[3];
} stage;

static stage open_stage(uint32_t workers)
{
    stage s = {0};
    carom_context_def def = carom_context_def_default();
    def.workers = workers;
    assert_int_equal(carom_context_create(&def, &s.w.context), CAROM_OK);
    assert_int_equal(carom_query_create(s.w.context, &s.w.query), CAROM_OK);
    assert_int_equal(carom_scene_create(s.w.context, &s.scene), CAROM_OK);
    assert_int_equal(carom_engine_create(s.w.context, NULL, &s.engine), CAROM_OK);
    s.box = world_box(&s.w, -0.5, -0.5, -0.5, 0.5, 0.5, 0.5);
    s.torus = world_shape(&s.w, GENERATE_TORUS, 300);
    for (int i = 0; i < 3; i++)
    {
        carom_body_def body = carom_body_def_default();
        body.placed = world_place(i == 1 ? s.torus : s.box, 0.4 * i, 0.1 * i, 0);
        body.name = "a body with a name";
        assert_int_equal(carom_scene_add(s.scene, &body, &s.ids[i]), CAROM_OK);
    }
    return s;
}

static void close_stage(stage *s)
{
    carom_engine_destroy(s->engine);
    carom_scene_destroy(s->scene);
    carom_mesh_destroy(s->box);
    carom_mesh_destroy(s->torus);
    world_close(&s->w);
}

static uint64_t hash_of(stage *s)
{
    carom_scene_report report;
    carom_frame frame = world_frame(s->scene);
    assert_int_equal(carom_engine_run(s->engine, &frame, NULL, &report), CAROM_OK);
    return report.hash;
}

/* ---- stale frames ---- */

enum
{
    CHANGES = 9
};

static carom_status change(stage *s, int which)
{
    carom_pose pose = carom_pose_translation(0, 0.2, 0);
    carom_shape shape = carom_shape_sphere(0.3);
    carom_filter filter = {1, 1, 0};
    carom_body_def def = carom_body_def_default();
    carom_body_id id;
    def.placed.shape = shape;
    switch (which)
    {
    case 0: return carom_scene_move(s->scene, s->ids[0], &pose);
    case 1: return carom_scene_reshape(s->scene, s->ids[0], &shape);
    case 2: return carom_scene_remove(s->scene, s->ids[0]);
    case 3: return carom_scene_set_filter(s->scene, s->ids[0], &filter);
    case 4: return carom_scene_set_static(s->scene, s->ids[0], true);
    case 5: return carom_scene_set_margin(s->scene, s->ids[0], 0.1);
    case 6: return carom_scene_set_priority(s->scene, s->ids[0], 2.0);
    case 7: return carom_scene_add(s->scene, &def, &id);
    default: carom_scene_destroy(s->scene), s->scene = NULL; return CAROM_OK;
    }
}

static void stale_frames_are_refused(void **state)
{
    (void)state;
    for (int which = 0; which < CHANGES; which++)
        for (int again = 0; again < 2; again++) /* a new frame was taken in between, or not */
        {
            stage s = open_stage(0);
            carom_frame frame, newer;
            carom_scene_report report;
            carom_snapshot *snapshot;
            assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
            assert_int_equal(carom_engine_run(s.engine, &frame, NULL, &report), CAROM_OK);
            uint64_t hash = report.hash;
            assert_int_equal(carom_scene_snapshot(s.scene, &snapshot), CAROM_OK);
            assert_int_equal(change(&s, which), CAROM_OK);
            if (again && s.scene)
                assert_int_equal(carom_scene_frame(s.scene, &newer), CAROM_OK);
            assert_int_equal(carom_engine_run(s.engine, &frame, NULL, &report), CAROM_STALE_FRAME);
            assert_int_equal(report.status, CAROM_STALE_FRAME);
            world_check_message(&s.w, "snapshot");
            assert_int_equal(carom_engine_run(s.engine, carom_snapshot_frame(snapshot), NULL, &report), CAROM_OK);
            assert_int_equal(report.hash, hash);
            if (s.scene)
            {
                assert_int_equal(carom_scene_frame(s.scene, &newer), CAROM_OK);
                assert_false(carom_failed(carom_engine_run(s.engine, &newer, NULL, &report)));
                assert_true(newer.version > frame.version);
            }
            /* and after everything else is gone */
            carom_scene_destroy(s.scene), s.scene = NULL;
            carom_mesh_destroy(s.box), s.box = NULL;
            carom_mesh_destroy(s.torus), s.torus = NULL;
            assert_int_equal(carom_engine_run(s.engine, carom_snapshot_frame(snapshot), NULL, &report), CAROM_OK);
            assert_int_equal(report.hash, hash);
            const carom_frame *kept = carom_snapshot_frame(snapshot);
            assert_string_equal(kept->bodies[0].name, "a body with a name");
            carom_snapshot_destroy(snapshot);
            close_stage(&s);
        }
}

/* Two contexts number their scenes alike, but a frame of one is never taken for a frame of the other. */
static void frames_of_another_context_are_told_apart(void **state)
{
    (void)state;
    carom_context *contexts[2];
    carom_scene *scenes[2];
    carom_frame frames[2];
    for (int i = 0; i < 2; i++)
    {
        assert_int_equal(carom_context_create(NULL, &contexts[i]), CAROM_OK);
        assert_int_equal(carom_scene_create(contexts[i], &scenes[i]), CAROM_OK);
        for (int body = 0; body < 2; body++)
            world_add(scenes[i],
                      (carom_placed){carom_shape_sphere(1.0), carom_pose_translation(body * (i ? 1.0 : 5.0), 0, 0)});
        assert_int_equal(carom_scene_frame(scenes[i], &frames[i]), CAROM_OK);
    }
    carom_engine *engine;
    carom_scene_report report;
    carom_snapshot *snapshot;
    assert_int_equal(carom_engine_create(contexts[0], NULL, &engine), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, &frames[0], NULL, &report), CAROM_OK);
    assert_int_equal(report.body_pair_count, 0);
    assert_int_equal(carom_engine_run(engine, &frames[1], NULL, &report), CAROM_STALE_FRAME);
    assert_int_equal(carom_scene_snapshot(scenes[1], &snapshot), CAROM_OK);
    assert_int_equal(carom_engine_run(engine, carom_snapshot_frame(snapshot), NULL, &report), CAROM_OK);
    assert_int_equal(report.body_pair_count, 1);
    carom_snapshot_destroy(snapshot);
    carom_engine_destroy(engine);
    for (int i = 0; i < 2; i++)
    {
        carom_scene_destroy(scenes[i]);
        carom_context_destroy(contexts[i]);
    }
}

/* What is refused changes nothing, so frames stay fresh. */
static void refused_changes_change_nothing(void **state)
{
    (void)state;
    stage s = open_stage(0);
    carom_scene_report report;
    carom_frame frame = world_frame(s.scene);
    carom_pose skewed = carom_pose_identity();
    skewed.rotation[1] = 0.1;
    carom_shape nothing = {0}, negative = carom_shape_sphere(-1.0);
    carom_tree *rays;
    carom_tree_def def = carom_tree_def_preset(CAROM_TREE_RAYS);
    assert_int_equal(carom_tree_create(s.w.context, s.torus, &def, &rays), CAROM_OK);
    carom_shape other = carom_shape_mesh(s.box);
    other.tree = rays; /* of another mesh */
    const double bad[4] = {-1.0, NAN, INFINITY, 0x1p101};
    assert_int_equal(carom_scene_move(s.scene, s.ids[0], &skewed), CAROM_NOT_RIGID);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[0], &nothing), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[0], &negative), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[0], &other), CAROM_INVALID_ARGUMENT);
    world_check_message(&s.w, "body 1");
    assert_int_equal(carom_scene_reshape(s.scene, (carom_body_id){77, 1}, &other), CAROM_STALE_ID);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[0], NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_set_filter(s.scene, s.ids[0], NULL), CAROM_INVALID_ARGUMENT);
    for (int i = 0; i < 4; i++)
    {
        assert_true(carom_failed(carom_scene_set_margin(s.scene, s.ids[0], bad[i])));
        assert_true(carom_failed(carom_scene_set_priority(s.scene, s.ids[0], bad[i])));
        carom_body_def body = carom_body_def_default();
        carom_body_id id;
        body.placed = world_place(s.box, 0, 0, 0), body.margin = bad[i];
        assert_true(carom_failed(carom_scene_add(s.scene, &body, &id)));
        body.margin = 0.0, body.priority = bad[i];
        assert_true(carom_failed(carom_scene_add(s.scene, &body, &id)));
        body.priority = 1.0, body.placed.shape = carom_shape_sphere(bad[i]);
        assert_true(carom_failed(carom_scene_add(s.scene, &body, &id)));
    }
    assert_int_equal(carom_engine_run(s.engine, &frame, NULL, &report), CAROM_OK);

    /* a tree for rays in a body: rays yes, pairs no, and the message names the body */
    carom_shape with_rays = carom_shape_tree(rays);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[1], &with_rays), CAROM_OK);
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(s.engine, &frame, NULL, &report), CAROM_UNSUPPORTED);
    world_check_message(&s.w, "body 2");
    carom_ray ray = {{-3, 0.1, 0.05}, {1, 0, 0}, INFINITY};
    carom_ray_batch batch = {&ray, 1, CAROM_RAY_ALL};
    carom_frame_ray_report hits;
    assert_int_equal(carom_scene_cast(s.scene, &batch, &hits), CAROM_OK);
    assert_true(hits.hit_count > 0);
    carom_tree_destroy(rays);
    close_stage(&s);
}

/* ---- shapes that change ---- */

static void shapes_are_replaced_and_removed(void **state)
{
    (void)state;
    stage s = open_stage(0);
    uint64_t first = hash_of(&s);
    carom_mesh *empty = world_mesh(&s.w, NULL, 0, NULL, 0);
    carom_shape shapes[4] = {carom_shape_mesh(empty), carom_shape_sphere(0.4), carom_shape_mesh(s.torus),
                             carom_shape_capsule((carom_vec3){0, 0, 0}, (carom_vec3){0, 0, 1}, 0.1)};
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < 4; i++)
        {
            assert_int_equal(carom_scene_reshape(s.scene, s.ids[0], &shapes[i]), CAROM_OK);
            carom_scene_report report;
            carom_frame frame = world_frame(s.scene);
            assert_int_equal(carom_engine_run(s.engine, &frame, NULL, &report), CAROM_OK);
            uint64_t listed = 0;
            for (uint32_t k = 1; k < 3; k++)
            {
                carom_report pair;
                assert_int_equal(
                    carom_collide(s.w.query, &frame.bodies[0].placed, &frame.bodies[k].placed, NULL, &pair), CAROM_OK);
                listed += pair.pair_count > 0;
            }
            for (uint64_t k = 0; k < report.body_pair_count; k++)
                listed -= report.body_pairs[k].body_a.index == s.ids[0].index;
            assert_int_equal(listed, 0);
        }
    carom_shape back = carom_shape_mesh(s.box);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[0], &back), CAROM_OK);
    assert_int_equal(hash_of(&s), first);
    carom_mesh_destroy(empty);
    close_stage(&s);
}

/* The caller releases meshes and trees while scenes and snapshots hold them; each is freed with its last holder. */
static void owners_may_release_first(void **state)
{
    (void)state;
    stage s = open_stage(0);
    carom_tree *tree;
    assert_int_equal(carom_tree_create(s.w.context, s.torus, NULL, &tree), CAROM_OK);
    carom_shape shape = carom_shape_tree(tree);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[1], &shape), CAROM_OK);
    uint64_t hash = hash_of(&s);
    carom_tree_destroy(tree);
    carom_mesh_destroy(s.torus), s.torus = NULL;
    carom_mesh_destroy(s.box), s.box = NULL;
    assert_int_equal(hash_of(&s), hash);
    carom_snapshot *snapshots[2];
    assert_int_equal(carom_scene_snapshot(s.scene, &snapshots[0]), CAROM_OK);
    assert_int_equal(carom_scene_snapshot(s.scene, &snapshots[1]), CAROM_OK);
    for (int i = 0; i < 3; i++)
        assert_int_equal(carom_scene_remove(s.scene, s.ids[i]), CAROM_OK);
    carom_scene_report report;
    assert_int_equal(carom_engine_run(s.engine, carom_snapshot_frame(snapshots[0]), NULL, &report), CAROM_OK);
    assert_int_equal(report.hash, hash);
    carom_snapshot_destroy(snapshots[0]);
    carom_scene_destroy(s.scene), s.scene = NULL;
    assert_int_equal(carom_engine_run(s.engine, carom_snapshot_frame(snapshots[1]), NULL, &report), CAROM_OK);
    assert_int_equal(report.hash, hash);
    carom_snapshot_destroy(snapshots[1]);
    carom_snapshot_destroy(NULL);
    assert_null(carom_snapshot_frame(NULL));
    close_stage(&s);
}

/* A body with a tree of the caller's, between the refit and the reshape: refused by pair and ray queries. */
static void refitted_trees_wait_for_their_reshape(void **state)
{
    (void)state;
    stage s = open_stage(0);
    carom_tree *tree;
    assert_int_equal(carom_tree_create(s.w.context, s.box, NULL, &tree), CAROM_OK);
    carom_shape shape = carom_shape_tree(tree);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[2], &shape), CAROM_OK);
    double corners[24];
    world_box_vertices((double[3]){-9, -9, -9}, (double[3]){-8, -8, -8}, corners);
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = corners, def.vertex_count = 8;
    carom_mesh *moved;
    assert_int_equal(carom_mesh_deform(s.box, &def, &moved), CAROM_OK);
    carom_scene_report report;
    carom_ray ray = {{-30, -8.5, -8.5}, {1, 0.001, 0.002}, INFINITY};
    carom_ray_batch batch = {&ray, 1, CAROM_RAY_ALL};
    carom_frame_ray_report hits;
    carom_frame frame = world_frame(s.scene);
    assert_int_equal(carom_tree_refit(tree, moved), CAROM_OK);
    assert_int_equal(carom_engine_run(s.engine, &frame, NULL, &report), CAROM_INVALID_ARGUMENT);
    world_check_message(&s.w, "body 3");
    assert_int_equal(carom_scene_cast(s.scene, &batch, &hits), CAROM_INVALID_ARGUMENT);
    world_check_message(&s.w, "body 3");
    shape = carom_shape_tree(tree);
    assert_int_equal(carom_scene_reshape(s.scene, s.ids[2], &shape), CAROM_OK);
    assert_int_equal(carom_scene_frame(s.scene, &frame), CAROM_OK);
    assert_int_equal(carom_engine_run(s.engine, &frame, NULL, &report), CAROM_OK);
    assert_int_equal(carom_scene_cast(s.scene, &batch, &hits), CAROM_OK);
    assert_int_equal(hits.hit_count, 2);
    carom_tree_destroy(tree);
    carom_mesh_destroy(moved);
    close_stage(&s);
}

/* ---- an engine on a snapshot in another thread ---- */

typedef struct reader
{
    carom_context *context;
    const carom_snapshot *snapshot;
    uint64_t hash;
    carom_status status;
} reader;

static void *read_snapshot(void *data)
{
    reader *r = data;
    carom_engine *engine;
    r->status = carom_engine_create(r->context, NULL, &engine);
    for (int i = 0; i < 5 && r->status == CAROM_OK; i++)
    {
        carom_scene_report report;
        carom_collide_options options = carom_collide_options_default();
        options.relation = true, options.clearance = 0.05;
        r->status = carom_engine_run(engine, carom_snapshot_frame(r->snapshot), &options, &report);
        r->hash = report.hash;
    }
    carom_engine_destroy(engine);
    return NULL;
}

static void snapshots_are_read_while_scenes_change(void **state)
{
    (void)state;
    for (uint32_t workers = 0; workers <= 3; workers += 3)
    {
        stage s = open_stage(workers);
        check_random random = {.state = 3};
        for (int round = 0; round < 12; round++)
        {
            carom_snapshot *snapshot;
            assert_int_equal(carom_scene_snapshot(s.scene, &snapshot), CAROM_OK);
            reader readers[2] = {{s.w.context, snapshot, 0, CAROM_OK}, {s.w.context, snapshot, 0, CAROM_OK}};
            pthread_t threads[2];
            for (int i = 0; i < 2; i++)
                assert_int_equal(pthread_create(&threads[i], NULL, read_snapshot, &readers[i]), 0);
            for (int i = 0; i < 40; i++)
            {
                carom_pose pose = world_random_pose(&random, 0.5);
                carom_mesh *fresh = world_shape(&s.w, GENERATE_BLOB, 100);
                carom_shape shape = carom_shape_mesh(fresh);
                carom_ray ray = {{-3, 0.1, 0.05}, {1, 0, 0}, INFINITY};
                carom_ray_batch batch = {&ray, 1, CAROM_RAY_ALL};
                carom_frame_ray_report hits;
                assert_int_equal(carom_scene_move(s.scene, s.ids[i % 3], &pose), CAROM_OK);
                assert_int_equal(carom_scene_reshape(s.scene, s.ids[(i + 1) % 3], &shape), CAROM_OK);
                carom_mesh_destroy(fresh);
                assert_int_equal(carom_scene_cast(s.scene, &batch, &hits), CAROM_OK);
                world_frame(s.scene);
            }
            for (int i = 0; i < 2; i++)
                pthread_join(threads[i], NULL);
            reader alone = {s.w.context, snapshot, 0, CAROM_OK};
            read_snapshot(&alone);
            for (int i = 0; i < 2; i++)
            {
                assert_int_equal(readers[i].status, CAROM_OK);
                assert_int_equal(readers[i].hash, alone.hash);
            }
            carom_snapshot_destroy(snapshot);
        }
        close_stage(&s);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stale_frames_are_refused),
        cmocka_unit_test(frames_of_another_context_are_told_apart),
        cmocka_unit_test(refused_changes_change_nothing),
        cmocka_unit_test(shapes_are_replaced_and_removed),
        cmocka_unit_test(owners_may_release_first),
        cmocka_unit_test(refitted_trees_wait_for_their_reshape),
        cmocka_unit_test(snapshots_are_read_while_scenes_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
