/* Binary trees: every volume with every builder against all pairs, each volume against each other, refusals, memory
 * that fails. */
#include "support/failing.h"
#include "tree/layouts.h"

static void test_volumes_and_builders(void **state)
{
    (void)state;
    for (int i = 0; i < SCENE_COUNT; i++)
    {
        truth expected = brute_force(&scenes[i]);
        for (int volume = 0; volume < CAROM_VOLUME_COUNT; volume++)
            for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
            {
                char what[128];
                snprintf(what, sizeof what, "%s, %s, %s", scenes[i].name, carom_volume_name((carom_volume)volume),
                         carom_builder_name((carom_builder)builder));
                carom_tree *a = tree_over(scenes[i].mesh_a, (carom_volume)volume, (carom_builder)builder);
                carom_tree *b = tree_over(scenes[i].mesh_b, (carom_volume)volume, (carom_builder)builder);
                asking q = ask(&scenes[i], a, b);
                check_questions(&q, &expected, what);
                if (builder == volume)
                    check_limits(&q, &expected, what);
                done(&q);
                carom_tree_destroy(a), carom_tree_destroy(b);
            }
        free(expected.pairs.items);
    }
}

static void test_mixed_volumes(void **state)
{
    (void)state;
    for (int i = 0; i < SCENE_COUNT; i += 2)
    {
        truth expected = brute_force(&scenes[i]);
        for (int one = 0; one < CAROM_VOLUME_COUNT; one++)
            for (int other = 0; other < CAROM_VOLUME_COUNT; other++)
            {
                char what[128];
                snprintf(what, sizeof what, "%s, %s with %s", scenes[i].name, carom_volume_name((carom_volume)one),
                         carom_volume_name((carom_volume)other));
                carom_tree *a = tree_over(scenes[i].mesh_a, (carom_volume)one, CAROM_BUILDER_SAH);
                carom_tree *b = tree_over(scenes[i].mesh_b, (carom_volume)other, CAROM_BUILDER_MEDIAN);
                asking q = ask(&scenes[i], a, b);
                check_questions(&q, &expected, what);
                done(&q);
                carom_tree_destroy(a), carom_tree_destroy(b);
            }
        free(expected.pairs.items);
    }
}

/* Small enough that boxes in float are all larger than the mesh. */
static carom_mesh *specks(check_random *random)
{
    enum
    {
        COUNT = 8
    };
    const double size = 0x1p-300;
    carom_vec3 corners[3 * COUNT];
    for (int i = 0; i < 3 * COUNT; i++)
    {
        double reach = i % 3 ? 0.35 * size : 0.4 * size;
        double x = check_uniform(random, -reach, reach), y = check_uniform(random, -reach, reach);
        corners[i] = vec3(x, y, check_uniform(random, -reach, reach));
        if (i % 3)
            corners[i] = vec3_add(corners[i], corners[i / 3 * 3]);
    }
    return mesh_of(corners, COUNT);
}

/* Almost none, and as oblique as a pose may be: the worst for boxes whose faces lie on each other. */
static carom_pose bent_pose(check_random *random)
{
    const double reach = 0x1p-302;
    for (;;)
    {
        double x = check_uniform(random, -reach, reach), y = check_uniform(random, -reach, reach);
        carom_pose pose = carom_pose_translation(x, y, check_uniform(random, -reach, reach));
        for (int i = 0; i < 9; i++)
            pose.rotation[i] += check_uniform(random, -5e-10, 5e-10);
        if (carom_pose_check(&pose) == CAROM_OK)
            return pose;
    }
}

static void test_specks_under_bent_rotations(void **state)
{
    (void)state;
    check_random random = {11};
    uint64_t meeting = 0;
    for (int round = 0; round < 20; round++)
    {
        scene s = {specks(&random), specks(&random), bent_pose(&random), bent_pose(&random), "specks"};
        truth expected = brute_force(&s);
        meeting += expected.pairs.count;
        for (int one = 0; one < CAROM_VOLUME_COUNT; one++)
            for (int other = 0; other < CAROM_VOLUME_COUNT; other++)
            {
                char what[128];
                snprintf(what, sizeof what, "specks, round %d, %s with %s", round, carom_volume_name((carom_volume)one),
                         carom_volume_name((carom_volume)other));
                carom_tree *a = tree_over(s.mesh_a, (carom_volume)one, CAROM_BUILDER_SAH);
                carom_tree *b = tree_over(s.mesh_b, (carom_volume)other, CAROM_BUILDER_SAH);
                asking q = ask(&s, a, b);
                check_questions(&q, &expected, what);
                check_limits(&q, &expected, what);
                done(&q);
                carom_tree_destroy(a), carom_tree_destroy(b);
            }
        free(expected.pairs.items);
        carom_mesh_destroy(s.mesh_a), carom_mesh_destroy(s.mesh_b);
    }
    assert_true(meeting > 10);
}

/* A triangle of 1e-12 around (1, 1, 1), flat along one axis. */
static carom_mesh *mote(bool upright)
{
    const double size = 1e-12;
    const carom_vec3 flat[3] = {vec3(-size, -size, 0), vec3(size, -size, 0), vec3(0, size, 0)};
    carom_vec3 corners[3];
    for (int i = 0; i < 3; i++)
        corners[i] = vec3_add(vec3(1, 1, 1), upright ? vec3(flat[i].x, flat[i].z, flat[i].y) : flat[i]);
    return mesh_of(corners, 1);
}

/* Two motes that cross, though their frames see each other 1e-9 away: only the slack of the poses' defect is larger. */
static void test_motes_under_bent_rotations(void **state)
{
    (void)state;
    check_random random = {12};
    for (int round = 0; round < 20; round++)
    {
        scene s = {mote(false), mote(true), bent_pose(&random), bent_pose(&random), "motes"};
        s.pose_b.translation = vec3(0, 0, 0);
        s.pose_b.translation = vec3_sub(pose_apply(&s.pose_a, vec3(1, 1, 1)), pose_apply(&s.pose_b, vec3(1, 1, 1)));
        truth expected = brute_force(&s);
        assert_int_equal(expected.pairs.count, 1);
        for (int kind = 0; kind < CAROM_VOLUME_COUNT; kind++)
        {
            carom_tree *a = tree_over(s.mesh_a, (carom_volume)kind, CAROM_BUILDER_SAH);
            carom_tree *b = tree_over(s.mesh_b, (carom_volume)kind, CAROM_BUILDER_SAH);
            asking q = ask(&s, a, b);
            check_questions(&q, &expected, carom_volume_name((carom_volume)kind));
            done(&q);
            carom_tree_destroy(a), carom_tree_destroy(b);
        }
        free(expected.pairs.items);
        carom_mesh_destroy(s.mesh_a), carom_mesh_destroy(s.mesh_b);
    }
}

/* ---- objects ---- */

static void test_names(void **state)
{
    (void)state;
    assert_string_equal(carom_volume_name(CAROM_VOLUME_OBB), "obb");
    assert_string_equal(carom_volume_name(CAROM_VOLUME_KDOP14), "kdop14");
    assert_string_equal(carom_volume_name(CAROM_VOLUME_RSS), "rss");
    assert_string_equal(carom_builder_name(CAROM_BUILDER_SAH), "sah");
    assert_string_equal(carom_builder_name(CAROM_BUILDER_MORTON), "morton");
    assert_null(carom_volume_name(CAROM_VOLUME_COUNT));
    assert_null(carom_builder_name((carom_builder)-1));
}

static void test_refusals(void **state)
{
    (void)state;
    carom_tree *tree;
    carom_tree_def def = carom_tree_def_default();
    assert_int_equal(carom_tree_create(NULL, scenes[0].mesh_a, &def, &tree), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_tree_create(context, NULL, &def, &tree), CAROM_INVALID_ARGUMENT);
    def.volume = (carom_volume)99;
    assert_int_equal(carom_tree_create(context, scenes[0].mesh_a, &def, &tree), CAROM_INVALID_ARGUMENT);
    def = carom_tree_def_default(), def.volume = CAROM_VOLUME_SPHERE;
    assert_int_equal(carom_tree_create(context, scenes[0].mesh_a, &def, &tree), CAROM_UNSUPPORTED);
    def = carom_tree_def_default(), def.balance_penalty = NAN;
    assert_int_equal(carom_tree_create(context, scenes[0].mesh_a, &def, &tree), CAROM_NOT_FINITE);
    assert_null(tree);
}

static void test_info(void **state)
{
    (void)state;
    for (int volume = 0; volume < CAROM_VOLUME_COUNT; volume++)
    {
        carom_tree *tree = tree_over(scenes[0].mesh_a, (carom_volume)volume, CAROM_BUILDER_SAH);
        carom_tree_info info = carom_tree_get_info(tree);
        assert_int_equal(info.node_count, 2 * info.leaf_count - 1);
        assert_int_equal(info.reference_count, scenes[0].mesh_a->triangle_count);
        assert_true(info.depth >= 8 && info.depth < 30);
        assert_true(info.area_cost > 1.0 && info.area_cost < 200.0);
        assert_true(info.volume_cost > 1.0 && info.volume_cost < 100.0);
        carom_tree_destroy(tree);
    }
}

/* ---- failing allocations ---- */

/* Builds and asks with the k-th allocation and all after it failing; true once nothing failed. */
static bool survive(carom_context *own, failing *memory, carom_volume volume, uint64_t k)
{
    carom_tree_def def = carom_tree_def_default();
    def.layout = CAROM_LAYOUT_BINARY, def.volume = volume;
    uint64_t before = memory->blocks_out;
    failing_arm(memory, k);
    carom_tree *tree;
    carom_status status = carom_tree_create(own, scenes[0].mesh_a, &def, &tree);
    if (status == CAROM_OK)
    {
        pair_set found = {0};
        mesh_placed a = {scenes[0].mesh_a, tree, &scenes[0].pose_a}, b = {scenes[0].mesh_a, tree, &scenes[0].pose_b};
        tree_scratch scratch = {.context = own};
        base_budget budget = base_budget_begin(NULL);
        carom_counters counters = {0};
        tree_task task = {.context = own, .a = &a, .b = &b, .scratch = &scratch, .budget = &budget};
        task.counters = &counters;
        bool violated = false;
        narrow_search options = {.on_pair = collect, .user = &found};
        narrow_closest closest = NOTHING_YET;
        status = tree_collide(&task, &options, &violated);
        if (status == CAROM_OK)
            status = tree_distance(&task, &closest);
        tree_scratch_free(&scratch);
        free(found.items);
    }
    carom_tree_destroy(tree);
    assert_true(status == CAROM_OK || status == CAROM_OUT_OF_MEMORY);
    assert_int_equal(memory->blocks_out, before);
    return status == CAROM_OK;
}

static void test_failing_allocations(void **state)
{
    (void)state;
    failing memory = {.persistent = true};
    carom_context *own;
    assert_int_equal(failing_context(&memory, &own), CAROM_OK);
    for (int volume = 0; volume < CAROM_VOLUME_COUNT; volume++)
    {
        uint64_t k = 1;
        while (!survive(own, &memory, (carom_volume)volume, k))
            k++;
        assert_true(k > 5);
    }
    carom_context_destroy(own);
    assert_int_equal(memory.blocks_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_info),
        cmocka_unit_test(test_failing_allocations),
        cmocka_unit_test(test_volumes_and_builders),
        cmocka_unit_test(test_mixed_volumes),
        cmocka_unit_test(test_motes_under_bent_rotations),
        cmocka_unit_test(test_specks_under_bent_rotations),
    };
    return cmocka_run_group_tests(tests, open_scenes, close_scenes);
}
