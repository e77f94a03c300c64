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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ids_die_with_their_body),
        cmocka_unit_test(frames_follow_the_scene),
        cmocka_unit_test(filters_are_mutual),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
