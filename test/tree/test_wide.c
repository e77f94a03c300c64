/* Wide trees against all pairs, with each instruction set; what they remember never changes an answer. */
#include "tree/layouts.h"

/* The wide layout with each instruction set the machine has. */
static void test_wide(void **state)
{
    (void)state;
    carom_simd best = context->simd;
    for (int simd = CAROM_SIMD_SCALAR; simd <= (int)best; simd++)
        for (int i = 0; i < SCENE_COUNT; i++)
            for (int kind = WIDE_FAST; kind < KIND_COUNT; kind++)
            {
                context->simd = (carom_simd)simd;
                truth expected = brute_force(&scenes[i]);
                char what[128];
                snprintf(what, sizeof what, "%s, wide %d, simd %d", scenes[i].name, kind - WIDE_FAST, simd);
                carom_tree *a = wide_over(scenes[i].mesh_a, kind), *b = wide_over(scenes[i].mesh_b, kind);
                check_trees(&scenes[i], a, b, &expected, what);
                free(expected.pairs.items);
            }
    context->simd = best;
}

/* One step of a path: mostly a little, now and then anywhere. */
static carom_pose next_pose(check_random *random, carom_pose pose, double size)
{
    double step = check_next(random) % 8 ? 0.01 : 0.6, turn = step < 0.1 ? 0.005 : 1.0, q[4], length = 1.0;
    for (int i = 0; i < 3; i++)
        q[i] = check_uniform(random, -turn, turn), length += q[i] * q[i];
    q[3] = 1.0;
    for (int i = 0; i < 4; i++)
        q[i] /= sqrt(length);
    carom_pose by = carom_pose_from_quaternion(q, vec3(0, 0, 0)), next = pose;
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
        {
            next.rotation[3 * i + j] = 0.0;
            for (int k = 0; k < 3; k++)
                next.rotation[3 * i + j] += by.rotation[3 * i + k] * pose.rotation[3 * k + j];
        }
    double *t[3] = {&next.translation.x, &next.translation.y, &next.translation.z};
    for (int i = 0; i < 3; i++)
        *t[i] += check_uniform(random, -step, step) * size;
    return next;
}

static void check_without_memory(asking *q, bool any_first, const char *what)
{
    for (int question = 0; question < 2; question++)
    {
        tree_task with = task_of(q), without = with;
        without.memory = NULL;
        if ((question == 0) == any_first)
        {
            pair_set first = {0}, found = {0}, expected = {0};
            narrow_search any = {.on_pair = stop, .user = &first};
            narrow_search all = {.need_meeting = true, .on_pair = collect, .user = &found};
            carom_status status = tree_collide(&with, &any, NULL);
            assert_int_equal(tree_collide(&with, &all, NULL), CAROM_OK);
            all.user = &expected;
            assert_int_equal(tree_collide(&without, &all, NULL), CAROM_OK);
            set_finish(&found), set_finish(&expected);
            check_set(&found, &expected, what);
            assert_int_equal(status, expected.count ? CAROM_STOPPED : CAROM_OK);
            if (expected.count)
                assert_non_null(bsearch(first.items, expected.items, expected.count, sizeof *first.items, compare_u64));
            free(first.items), free(found.items), free(expected.items);
            continue;
        }
        narrow_closest closest = {.distance = INFINITY,
                                  .triangle_a = CAROM_NO_TRIANGLE,
                                  .triangle_b = CAROM_NO_TRIANGLE},
                       expected = closest;
        assert_int_equal(tree_distance(&with, &closest), CAROM_OK);
        assert_int_equal(tree_distance(&without, &expected), CAROM_OK);
        check_closest(&closest, &expected, what);
    }
}

/* The answers along a path do not depend on what is remembered: small steps, jumps, other trees, refitted ones. */
static void test_memory_on_paths(void **state)
{
    (void)state;
    carom_simd best = context->simd;
    carom_mesh *meshes[3] = {shape(GENERATE_TORUS, 600, 1.0), shape(GENERATE_TORUS_KNOT, 900, 1.0),
                             shape(GENERATE_BLOB, 500, 1.0)};
    for (int simd = CAROM_SIMD_SCALAR; simd <= (int)best; simd++)
        for (int kind = WIDE_FAST; kind < KIND_COUNT; kind++)
        {
            context->simd = (carom_simd)simd;
            carom_tree *trees[3];
            for (int i = 0; i < 3; i++)
                trees[i] = wide_over(meshes[i], kind);
            check_random random = {(uint64_t)(100 * simd + kind)};
            scene s = {meshes[0], meshes[1], carom_pose_identity(), carom_pose_translation(0.9, 0.2, 0.1), "path"};
            asking q = ask(&s, trees[0], trees[1]);
            for (int step = 0; step < 120; step++)
            {
                char what[64];
                snprintf(what, sizeof what, "path, wide %d, simd %d, step %d", kind - WIDE_FAST, simd, step);
                q.pose_b = next_pose(&random, q.pose_b, 1.0);
                if (vec3_length(q.pose_b.translation) > 1.5)
                    q.pose_b.translation = vec3(0.8, -0.3, 0.2);
                if (step % 15 == 14) /* other trees, the same memory */
                    q.mesh_b = meshes[1 + step / 15 % 2], q.tree_b = trees[1 + step / 15 % 2];
                if (step % 25 == 24)
                    assert_int_equal(carom_tree_refit(trees[0], meshes[0]), CAROM_OK);
                check_without_memory(&q, check_next(&random) % 2, what);
                if (step % 40 != 39)
                    continue;
                scene now = {meshes[0], (carom_mesh *)q.mesh_b, q.pose_a, q.pose_b, "path"};
                truth expected = brute_force(&now);
                check_questions(&q, &expected, what);
                free(expected.pairs.items);
            }
            done(&q);
            for (int i = 0; i < 3; i++)
                carom_tree_destroy(trees[i]);
        }
    context->simd = best;
    for (int i = 0; i < 3; i++)
        carom_mesh_destroy(meshes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wide),
        cmocka_unit_test(test_memory_on_paths),
    };
    return cmocka_run_group_tests(tests, open_scenes, close_scenes);
}
