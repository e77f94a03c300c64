/* Scenes: ids with generations, shared trees, frames that follow changes. */
#include "query/world.h"
#include "scene/scene.h"

static void ids_die_with_their_body(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *box = world_box(&w, 0, 0, 0, 1, 1, 1);
    carom_scene *scene;
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    carom_body_def def = carom_body_def_default();
    def.placed.shape = carom_shape_mesh(box);
    carom_body_id first, second, third;
    assert_int_equal(carom_scene_add(scene, &def, &first), CAROM_OK);
    assert_int_equal(carom_scene_add(scene, &def, &second), CAROM_OK);
    assert_int_equal(carom_scene_remove(scene, first), CAROM_OK);
    assert_int_equal(carom_scene_remove(scene, first), CAROM_STALE_ID);
    world_check_message(&w, "id 1, generation 1");
    assert_int_equal(carom_scene_add(scene, &def, &third), CAROM_OK);
    assert_int_equal(third.index, first.index);
    assert_true(third.generation != first.generation);
    carom_pose pose = carom_pose_identity();
    assert_int_equal(carom_scene_move(scene, first, &pose), CAROM_STALE_ID);
    assert_int_equal(carom_scene_move(scene, third, &pose), CAROM_OK);
    assert_int_equal(carom_scene_move(scene, (carom_body_id){0}, &pose), CAROM_STALE_ID);
    assert_int_equal(carom_scene_move(scene, (carom_body_id){99, 1}, &pose), CAROM_STALE_ID);
    carom_scene_destroy(scene);
    carom_mesh_destroy(box);
    world_close(&w);
}

static void frames_follow_the_scene(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *box = world_box(&w, -1, -1, -1, 1, 1, 1);
    carom_scene *scene;
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    carom_frame frame;
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    assert_int_equal(frame.body_count, 0);
    carom_body_def def = carom_body_def_default();
    def.placed.shape = carom_shape_mesh(box);
    carom_body_id ids[5];
    for (uint64_t i = 0; i < 5; i++)
    {
        char name[8] = {'b', (char)('0' + i), 0};
        def.name = name; /* copied */
        def.user = 100 + i;
        def.placed.pose = carom_pose_translation((double)i * 10, 0, 0);
        assert_int_equal(carom_scene_add(scene, &def, &ids[i]), CAROM_OK);
    }
    assert_int_equal(carom_scene_remove(scene, ids[2]), CAROM_OK);
    carom_pose pose = carom_pose_translation(0, 1e9, 0);
    assert_int_equal(carom_scene_move(scene, ids[3], &pose), CAROM_OK);
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    assert_int_equal(frame.body_count, 4);
    const uint32_t expected[] = {0, 1, 3, 4};
    for (uint32_t i = 0; i < 4; i++)
    {
        const carom_frame_body *body = &frame.bodies[i];
        assert_int_equal(body->id.index, ids[expected[i]].index);
        assert_int_equal(body->user, 100 + expected[i]);
        assert_int_equal(body->name[1], '0' + (int)expected[i]);
        assert_null(body->placed.shape.tree); /* the mesh has its own */
        carom_vec3 centre = body->placed.pose.translation;
        assert_true(body->bounds.min.x <= centre.x - 1 && body->bounds.max.x >= centre.x + 1);
        assert_true(body->bounds.min.y <= centre.y - 1 && body->bounds.max.y >= centre.y + 1);
        assert_ptr_equal(carom_frame_find(&frame, body->id), body);
    }
    assert_null(carom_frame_find(&frame, ids[2]));
    assert_null(carom_frame_find(&frame, (carom_body_id){ids[3].index, ids[3].generation + 1}));
    assert_null(carom_frame_find(&frame, (carom_body_id){0, 0}));
    assert_null(carom_frame_find(NULL, ids[0]));
    carom_scene_destroy(scene);
    carom_mesh_destroy(box);
    world_close(&w);
}

static void filters_are_mutual(void **state)
{
    (void)state;
    const carom_filter all = {1, UINT64_MAX, 0}, other = {2, 1, 0}, deaf = {4, 0, 0};
    const carom_filter team = {1, UINT64_MAX, 7}, rivals = {1, UINT64_MAX, 8};
    assert_true(broad_filter_allows(&all, &all));
    assert_true(broad_filter_allows(&all, &other));
    assert_false(broad_filter_allows(&other, &other)); /* its category is not in its own mask */
    assert_false(broad_filter_allows(&all, &deaf));
    assert_false(broad_filter_allows(&deaf, &all));
    assert_false(broad_filter_allows(&team, &team));
    assert_true(broad_filter_allows(&team, &rivals));
    assert_true(broad_filter_allows(&team, &all));
}

/* What the test itself knows of a body. */
typedef struct record
{
    carom_body_id id;
    carom_placed placed;
    double margin;
} record;

static void change_at_random(carom_scene *scene, record records[200], check_random *random, const carom_mesh *mesh)
{
    record *at = &records[check_next(random) % 200];
    uint64_t kind = check_next(random) % 16;
    if (at->id.index == 0)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = at->placed = (carom_placed){carom_shape_mesh(mesh), world_random_pose(random, 5.0)};
        at->margin = 0.0;
        assert_int_equal(carom_scene_add(scene, &def, &at->id), CAROM_OK);
    }
    else if (kind == 0)
    {
        assert_int_equal(carom_scene_remove(scene, at->id), CAROM_OK);
        at->id = (carom_body_id){0};
    }
    else if (kind == 1)
    {
        at->placed.shape = carom_shape_sphere(check_uniform(random, 0.0, 1.0));
        assert_int_equal(carom_scene_reshape(scene, at->id, &at->placed.shape), CAROM_OK);
    }
    else if (kind == 2)
    {
        at->margin = check_uniform(random, 0.0, 1.0);
        assert_int_equal(carom_scene_set_margin(scene, at->id, at->margin), CAROM_OK);
    }
    else
    {
        at->placed.pose = world_random_pose(random, 5.0);
        assert_int_equal(carom_scene_move(scene, at->id, &at->placed.pose), CAROM_OK);
    }
}

/* Frames after few changes, which are copied one by one, and after many. */
static void frames_follow_changes(void **state)
{
    (void)state;
    world w = world_open();
    carom_scene *scene;
    carom_mesh *mesh = world_box(&w, 0, 0, 0, 1, 1, 1);
    static record records[200];
    memset(records, 0, sizeof records);
    check_random random = {.state = 95};
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    for (int n = 0; n < 1000; n++)
    {
        for (uint64_t k = check_next(&random) % (n % 10 == 0 ? 200 : 4); k > 0; k--)
            change_at_random(scene, records, &random, mesh);
        carom_frame frame;
        uint32_t count = 0;
        assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
        for (int i = 0; i < 200; i++)
        {
            if (records[i].id.index == 0)
                continue;
            const carom_frame_body *body = carom_frame_find(&frame, records[i].id);
            assert_non_null(body);
            count++;
            assert_memory_equal(&body->placed.pose, &records[i].placed.pose, sizeof body->placed.pose);
            assert_int_equal(body->placed.shape.kind, records[i].placed.shape.kind);
            if (body->placed.shape.kind == CAROM_SHAPE_SPHERE)
                assert_true(body->placed.shape.sphere.radius == records[i].placed.shape.sphere.radius);
            assert_true(body->margin == records[i].margin);
        }
        assert_int_equal(frame.body_count, count);
        /* and the tree of boxes follows them: everything is where its point is */
        carom_vec3 origin = {0, 0, 0};
        carom_point_batch batch = carom_point_batch_default();
        batch.points = &origin, batch.count = n % 3 == 0, batch.max_bodies = 0, batch.max_distance = 4.0;
        carom_nearest_report report;
        assert_int_equal(carom_scene_nearest(scene, &batch, &report), CAROM_OK);
        uint64_t within = 0;
        for (uint32_t i = 0; i < frame.body_count && batch.count > 0; i++)
        {
            carom_placed point = {carom_shape_sphere(0.0), carom_pose_identity()};
            bool near;
            assert_int_equal(carom_within(w.query, &frame.bodies[i].placed, &point, 4.0, &near), CAROM_OK);
            within += near;
        }
        assert_int_equal(report.body_count, within);
    }
    carom_scene_destroy(scene);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_die_with_their_body),
        cmocka_unit_test(frames_follow_the_scene),
        cmocka_unit_test(filters_are_mutual),
        cmocka_unit_test(frames_follow_changes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
