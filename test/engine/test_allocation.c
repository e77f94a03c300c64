/* Every allocation fails in turn, in a sequence that creates and queries everything: a status each time, nothing
 * leaked, no use of what was not made, and objects that work once there is memory again. */
#include "query/world.h"
#include "support/failing.h"

/* What the sequence makes; anything may be null. */
typedef struct objects
{
    carom_context *context;
    carom_mesh *torus, *box;
    carom_tree *torus_tree;
    carom_query *query;
    carom_pair_cache *cache;
    carom_scene *scene;
    carom_engine *engines[2];
} objects;

#define STEP(call)                                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        carom_status step_status = (call);                                                                             \
        if (carom_failed(step_status))                                                                                 \
            return step_status;                                                                                        \
    } while (0)

static carom_status make_objects(objects *o, bool tight)
{
    carom_tree_def def = carom_tree_def_preset(tight ? CAROM_TREE_TIGHT : CAROM_TREE_FAST);
    if (!tight)
        def.layout = CAROM_LAYOUT_BINARY, def.builder = CAROM_BUILDER_BALANCED, def.balance_penalty = 0.5;
    generate_def torus = generate_def_default(GENERATE_TORUS), box = generate_def_default(GENERATE_BOX);
    torus.triangles = 300, box.triangles = 12;
    STEP(generate_mesh(o->context, &torus, &o->torus));
    STEP(generate_mesh(o->context, &box, &o->box));
    STEP(carom_tree_create(o->context, o->torus, &def, &o->torus_tree));
    STEP(carom_query_create(o->context, &o->query));
    STEP(carom_pair_cache_create(o->context, &o->cache));
    return CAROM_OK;
}

static carom_status ask_queries(objects *o, uint64_t *hash)
{
    carom_report report;
    carom_placed a = {carom_shape_tree(o->torus_tree), carom_pose_identity()};
    carom_placed b = {carom_shape_mesh(o->box), carom_pose_translation(0.6, 0.1, 0.05)};
    carom_placed inner = {carom_shape_mesh(o->box), carom_pose_translation(5.0, 0.0, 0.0)};
    for (int mode = CAROM_COLLIDE_ANY; mode <= CAROM_COLLIDE_ALL; mode++)
    {
        carom_collide_options options = {.mode = (carom_collide_mode)mode, .relation = mode != CAROM_COLLIDE_ANY};
        options.contacts = mode == CAROM_COLLIDE_ALL;
        options.clearance = 0.1;
        options.cache = o->cache;
        STEP(carom_collide(o->query, &a, &b, &options, &report));
        *hash = *hash * 31 + report.hash;
        STEP(carom_collide(o->query, &inner, &inner, &options, &report)); /* coplanar everywhere */
        *hash = *hash * 31 + report.hash;
    }
    carom_distance_options options = {.cache = o->cache};
    STEP(carom_distance(o->query, &a, &inner, &options, &report));
    *hash = *hash * 31 + report.hash;
    bool within;
    STEP(carom_within(o->query, &a, &inner, 1.0, &within));
    carom_ray ray = {{-3, 0.01, 0.01}, {1, 0, 0}, INFINITY};
    carom_ray_report hits;
    STEP(carom_ray_cast(o->query, &a, &ray, CAROM_RAY_ALL, &hits));
    *hash = *hash * 31 + hits.hash;
    return CAROM_OK;
}

static carom_status fill_scene(objects *o)
{
    STEP(carom_scene_create(o->context, &o->scene));
    for (int i = 0; i < 10; i++)
    {
        carom_body_def def = carom_body_def_default();
        carom_body_id id;
        def.name = "body";
        def.placed =
            (carom_placed){carom_shape_mesh(i % 2 ? o->torus : o->box), carom_pose_translation(0.3 * i, 0.05 * i, 0.0)};
        STEP(carom_scene_add(o->scene, &def, &id));
        if (i == 3)
            STEP(carom_scene_remove(o->scene, id));
    }
    return CAROM_OK;
}

static carom_status run_engines(objects *o, uint64_t *hash)
{
    const char *names[2] = {"tree", "brute"};
    carom_frame frame;
    STEP(carom_scene_frame(o->scene, &frame));
    for (int i = 0; i < 2; i++)
    {
        carom_engine_def def = {.engine = names[i], .broad_phase = names[i]};
        if (!o->engines[i])
            STEP(carom_engine_create(o->context, &def, &o->engines[i]));
        carom_collide_options options = carom_collide_options_default();
        options.relation = options.contacts = true;
        options.clearance = 0.01;
        carom_scene_report report;
        for (int again = 0; again < 2; again++)
            STEP(carom_engine_run(o->engines[i], &frame, &options, &report));
        *hash = *hash * 31 + report.hash;
    }
    return CAROM_OK;
}

static carom_status run_sequence(objects *o, bool tight, uint64_t *hash)
{
    *hash = 0;
    STEP(make_objects(o, tight));
    STEP(ask_queries(o, hash));
    STEP(fill_scene(o));
    return run_engines(o, hash);
}

static void destroy_objects(objects *o)
{
    carom_engine_destroy(o->engines[0]);
    carom_engine_destroy(o->engines[1]);
    carom_scene_destroy(o->scene);
    carom_pair_cache_destroy(o->cache);
    carom_query_destroy(o->query);
    carom_tree_destroy(o->torus_tree);
    carom_mesh_destroy(o->torus);
    carom_mesh_destroy(o->box);
}

static void fail_each_in_turn(bool tight)
{
    uint64_t truth = 0, failures = 0;
    for (uint64_t k = 0;; k++)
    {
        failing memory = {0};
        objects o = {0};
        assert_int_equal(failing_context(&memory, &o.context), CAROM_OK);
        failing_arm(&memory, k);
        uint64_t hash = 0;
        carom_status status = run_sequence(&o, tight, &hash);
        if (k == 0)
            truth = hash;
        if (memory.failed && !carom_failed(status))
            assert_int_equal(hash, truth); /* data that is only for speed may be missing */
        else if (memory.failed)
            assert_int_equal(status, CAROM_OUT_OF_MEMORY), failures++;
        else
            assert_int_equal(status, CAROM_OK);

        /* with memory again, what was made still works */
        memory.fail_at = 0;
        if (o.query && o.cache)
        {
            uint64_t again = 0;
            assert_int_equal(ask_queries(&o, &again), CAROM_OK);
            if (o.scene)
                assert_int_equal(run_engines(&o, &again), CAROM_OK);
        }
        destroy_objects(&o);
        carom_context_destroy(o.context);
        if (memory.bytes_out != 0)
            fail_msg("allocation %lu failed: %lu bytes leaked", (unsigned long)k, (unsigned long)memory.bytes_out);
        if (k > 0 && !memory.failed)
            break;
    }
    print_message("%lu allocations failed in turn\n", (unsigned long)failures);
    assert_true(failures > 50);
}

static void with_wide_trees(void **state)
{
    (void)state;
    fail_each_in_turn(true);
}

static void with_binary_trees(void **state)
{
    (void)state;
    fail_each_in_turn(false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(with_wide_trees), cmocka_unit_test(with_binary_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
