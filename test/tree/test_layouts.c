/* Trees of every layout: mixed pairs, empty meshes, spent budgets, rays. */
#include "support/placed.h"
#include "tree/layouts.h"

static carom_tree *wide_tree_over(const carom_mesh *mesh, carom_volume volume)
{
    carom_tree_def def = carom_tree_def_default();
    def.volume = volume;
    carom_tree *tree;
    assert_int_equal(carom_tree_create(context, mesh, &def, &tree), CAROM_OK);
    return tree;
}

/* Every pair of layouts, in both orders. */
static void test_mixed_layouts(void **state)
{
    (void)state;
    static const carom_volume kinds[4] = {CAROM_VOLUME_OBB, CAROM_VOLUME_AABB, CAROM_VOLUME_KDOP18, CAROM_VOLUME_RSS};
    for (int i = 0; i < SCENE_COUNT; i++)
    {
        truth expected = brute_force(&scenes[i]);
        for (int one = 0; one < 6; one++)
            for (int other = 0; other < 6; other++)
            {
                char what[128];
                snprintf(what, sizeof what, "%s, layouts %d and %d", scenes[i].name, one, other);
                const carom_mesh *mesh_a = scenes[i].mesh_a, *mesh_b = scenes[i].mesh_b;
                carom_tree *a =
                    one < 2 ? wide_tree_over(mesh_a, kinds[one]) : tree_over(mesh_a, kinds[one - 2], CAROM_BUILDER_SAH);
                carom_tree *b = other < 2 ? wide_tree_over(mesh_b, kinds[other])
                                          : tree_over(mesh_b, kinds[other - 2], CAROM_BUILDER_MORTON);
                check_trees(&scenes[i], a, b, &expected, what);
            }
        free(expected.pairs.items);
    }
}

static void test_empty_mesh(void **state)
{
    (void)state;
    carom_mesh *empty = mesh_of(NULL, 0);
    for (int volume = 0; volume < KIND_COUNT; volume++)
    {
        carom_tree *a = tree_over(empty, (carom_volume)volume, CAROM_BUILDER_SAH);
        carom_tree *b = tree_over(scenes[0].mesh_b, (carom_volume)volume, CAROM_BUILDER_SAH);
        scene s = scenes[0];
        s.mesh_a = empty;
        asking q = ask(&s, a, b);
        tree_task task = task_of(&q);
        narrow_closest closest = {
            .distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE};
        assert_int_equal(tree_distance(&task, &closest), CAROM_OK);
        assert_int_equal(closest.triangle_a, CAROM_NO_TRIANGLE);
        pair_set found = {0};
        bool violated = false;
        narrow_search options = {.clearance = 1.0, .on_pair = collect, .user = &found};
        assert_int_equal(tree_collide(&task, &options, &violated), CAROM_OK);
        assert_false(violated);
        done(&q);
        assert_int_equal(carom_tree_get_info(a).node_count, 0);
        carom_tree_destroy(a), carom_tree_destroy(b);
    }
    carom_mesh_destroy(empty);
}

/* ---- budgets ---- */

static void test_budget_is_honest(void **state)
{
    (void)state;
    for (int i = 0; i < SCENE_COUNT; i++)
    {
        truth expected = brute_force(&scenes[i]);
        for (int volume = 0; volume < KIND_COUNT; volume++)
        {
            carom_tree *a = tree_over(scenes[i].mesh_a, (carom_volume)volume, CAROM_BUILDER_SAH);
            carom_tree *b = tree_over(scenes[i].mesh_b, (carom_volume)volume, CAROM_BUILDER_SAH);
            for (uint64_t work = 1; work < 100000; work *= 3)
            {
                asking q = ask(&scenes[i], a, b);
                tree_task task = task_of(&q);
                q.budget = base_budget_begin(&(carom_budget){.work = work});
                narrow_closest closest = {
                    .distance = INFINITY, .triangle_a = CAROM_NO_TRIANGLE, .triangle_b = CAROM_NO_TRIANGLE};
                carom_status status = tree_distance(&task, &closest);
                assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
                assert_true(closest.lower_bound <= expected.closest.distance);
                assert_true(closest.distance >= expected.closest.distance);
                if (status == CAROM_OK)
                    check_closest(&closest, &expected.closest, scenes[i].name);
                const uint64_t first_step = 16; /* is granted whatever the budget */
                uint64_t done_work = q.counters.boxes_tested + q.counters.triangles_tested;
                assert_true(done_work <= (work > first_step ? work : first_step));

                q.budget = base_budget_begin(&(carom_budget){.work = work});
                q.counters = (carom_counters){0};
                pair_set found = {0};
                narrow_search options = {.on_pair = collect, .user = &found};
                task.memory = NULL;
                status = tree_collide(&task, &options, NULL);
                assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
                set_finish(&found);
                if (status == CAROM_OK)
                    check_set(&found, &expected.pairs, scenes[i].name);
                for (size_t k = 0; k < found.count; k++)
                    assert_non_null(bsearch(&found.items[k], expected.pairs.items, expected.pairs.count,
                                            sizeof *found.items, compare_u64));
                free(found.items);
                done(&q);
            }
            carom_tree_destroy(a), carom_tree_destroy(b);
        }
        free(expected.pairs.items);
    }
}

/* ---- rays ---- */

typedef struct ray_hits
{
    pair_set triangles;
    double nearest;
    uint32_t nearest_triangle;
    bool narrowing;
} ray_hits;

static double on_hit(uint32_t triangle, double t, const double uv[2], void *user)
{
    (void)uv;
    ray_hits *hits = user;
    set_add(&hits->triangles, 0, triangle);
    if (t < hits->nearest || (t == hits->nearest && triangle < hits->nearest_triangle))
        hits->nearest = t, hits->nearest_triangle = triangle;
    return hits->narrowing ? hits->nearest : INFINITY;
}

static void on_line(uint32_t triangle, void *user) { set_add(user, 0, triangle); }

static void check_rays(const carom_placed *placed, carom_ray ray, const char *what)
{
    tree_scratch scratch = {.context = context};
    carom_counters counters = {0};
    mesh_placed mesh = placed_tree(placed);
    tree_ray_task task = {context, &mesh, &ray, &scratch, NULL, &counters};
    ray_hits expected = {.nearest = INFINITY, .nearest_triangle = UINT32_MAX};
    narrow_ray line = {ray.origin, ray.direction};
    narrow_counts counts = {0};
    for (uint32_t i = 0; i < placed->shape.mesh->triangle_count; i++)
    {
        narrow_triangle triangle = placed_triangle(placed, i);
        double t, uv[2];
        if (narrow_ray_hit(&line, &triangle, &t, uv, &counts) && t <= ray.max_t)
            on_hit(i, t, uv, &expected);
    }
    set_finish(&expected.triangles);
    for (int narrowing = 0; narrowing < 2; narrowing++)
    {
        ray_hits found = {.nearest = INFINITY, .nearest_triangle = UINT32_MAX, .narrowing = narrowing};
        assert_int_equal(tree_ray(&task, on_hit, &found), CAROM_OK);
        set_finish(&found.triangles);
        if (!narrowing && isinf(ray.max_t))
            check_set(&found.triangles, &expected.triangles, what);
        if (found.nearest != expected.nearest || found.nearest_triangle != expected.nearest_triangle)
            fail_msg("%s: nearest hit %g %u instead of %g %u", what, found.nearest, found.nearest_triangle,
                     expected.nearest, expected.nearest_triangle);
        free(found.triangles.items);
    }
    pair_set met = {0};
    assert_int_equal(tree_line_x(&task, ray.origin, on_line, &met), CAROM_OK);
    set_finish(&met);
    line.direction = vec3(1, 0, 0);
    for (uint32_t i = 0; i < placed->shape.mesh->triangle_count; i++)
    {
        narrow_triangle triangle = placed_triangle(placed, i);
        double t, uv[2];
        uint64_t id = i;
        if (narrow_ray_hit(&line, &triangle, &t, uv, &counts))
            assert_non_null(bsearch(&id, met.items, met.count, sizeof id, compare_u64));
    }
    free(met.items), free(expected.triangles.items);
    tree_scratch_free(&scratch);
}

static void test_rays(void **state)
{
    (void)state;
    check_random random = {5};
    uint64_t hits = 0;
    for (int i = 0; i < SCENE_COUNT; i++)
        for (int volume = 0; volume < KIND_COUNT; volume++)
        {
            carom_tree *tree = tree_over(scenes[i].mesh_b, (carom_volume)volume, CAROM_BUILDER_SAH);
            carom_placed placed = {carom_shape_tree(tree), scenes[i].pose_b};
            for (int k = 0; k < 60; k++)
            {
                /* From a corner or next to one, towards a corner, an edge or nowhere. */
                narrow_triangle from =
                    placed_triangle(&placed, (uint32_t)(check_next(&random) % scenes[i].mesh_b->triangle_count));
                narrow_triangle to =
                    placed_triangle(&placed, (uint32_t)(check_next(&random) % scenes[i].mesh_b->triangle_count));
                carom_vec3 target = k % 3 ? vec3_scale(vec3_add(to.corner[0], to.corner[1]), 0.5) : to.corner[2];
                carom_vec3 origin = k % 2 ? from.corner[0] : vec3_add(from.corner[0], vec3_sub(from.corner[1], target));
                carom_vec3 direction = vec3_sub(target, origin);
                if (k % 5 == 0)
                    direction = vec3(0, k % 10 ? 1 : -1e-3, 0);
                if (vec3_equal(direction, vec3(0, 0, 0)))
                    continue;
                check_rays(&placed, (carom_ray){origin, direction, k % 4 ? INFINITY : 0.75}, scenes[i].name);
                hits++;
            }
            carom_tree_destroy(tree);
        }
    assert_true(hits > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_empty_mesh),
        cmocka_unit_test(test_mixed_layouts),
        cmocka_unit_test(test_rays),
        cmocka_unit_test(test_budget_is_honest),
    };
    return cmocka_run_group_tests(tests, open_scenes, close_scenes);
}
