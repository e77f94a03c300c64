/* Pairs of bodies within a distance against a loop over all pairs with carom_distance and carom_within; any number of
 * workers; exact limits; misuse; no memory. */
#include "scene/asked.h"
#include "scene/starved.h"

enum
{
    BODIES = 40
};

static void add_body(asked_scene *s, check_random *random, uint32_t i)
{
    carom_body_def def = carom_body_def_default();
    def.placed = (carom_placed){carom_shape_mesh(s->meshes[i % 4]), world_random_pose(random, i % 4 == 3 ? 0.3 : 3.0)};
    if (i % 6 == 5)
        def.placed.shape = carom_shape_sphere(0.3);
    def.is_static = i % 3 == 0;
    def.filter.group = i % 7 == 1 ? 4 : 0;
    def.margin = 1.0; /* of no effect */
    assert_int_equal(carom_scene_add(s->scene, &def, &s->ids[i]), CAROM_OK);
}

static asked_scene open_scene(uint32_t host)
{
    asked_scene s = asked_open(host);
    s.meshes[0] = world_shape(&s.w, GENERATE_TORUS, 60);
    s.meshes[1] = world_box(&s.w, 0, 0, 0, 0.5, 0.5, 0.5);
    s.meshes[2] = world_mesh(&s.w, NULL, 0, NULL, 0);
    s.meshes[3] = world_box(&s.w, -3, -3, -3, 3, 3, 3); /* others are inside */
    check_random random = {.state = 100};
    for (uint32_t i = 0; i < BODIES; i++)
        add_body(&s, &random, i);
    return s;
}

static void check_pair(const carom_near_pair *found, const carom_near_pair *expected)
{
    assert_int_equal(found->body_a.index, expected->body_a.index);
    assert_int_equal(found->body_b.index, expected->body_b.index);
    assert_int_equal(found->body_b.generation, expected->body_b.generation);
    assert_true(found->distance == expected->distance);
    assert_memory_equal(&found->point_a, &expected->point_a, 2 * sizeof found->point_a);
    assert_int_equal(found->triangle_a, expected->triangle_a);
    assert_int_equal(found->triangle_b, expected->triangle_b);
}

/* Returns how many pairs there are. */
static uint64_t check_report(asked_scene *s, const carom_within_options *options, const carom_within_report *report)
{
    uint64_t count = 0;
    carom_frame frame = world_frame(s->scene);
    for (uint32_t a = 0; a < frame.body_count; a++)
        for (uint32_t b = a + 1; b < frame.body_count; b++)
        {
            const carom_frame_body *x = &frame.bodies[a], *y = &frame.bodies[b];
            carom_pair_rule rule;
            carom_report pair;
            bool within;
            assert_int_equal(carom_scene_get_rule(s->scene, x->id, y->id, &rule), CAROM_OK);
            assert_int_equal(carom_distance(s->w.query, &x->placed, &y->placed, NULL, &pair), CAROM_OK);
            assert_int_equal(carom_within(s->w.query, &x->placed, &y->placed, options->distance, &within), CAROM_OK);
            bool inside = options->solid && pair.relation > CAROM_RELATION_APART;
            if ((x->is_static && y->is_static) || (x->filter.group == 4 && y->filter.group == 4) ||
                rule.kind == CAROM_RULE_NEVER || !(within || inside))
                continue;
            carom_near_pair expected = {x->id, y->id, 0.0, {0, 0, 0}, {0, 0, 0}, CAROM_NO_TRIANGLE, CAROM_NO_TRIANGLE};
            if (pair.distance > 0.0 && !inside)
                expected = (carom_near_pair){x->id,        y->id,           pair.distance,  pair.point_a,
                                             pair.point_b, pair.triangle_a, pair.triangle_b};
            assert_true(count < report->pair_count);
            check_pair(&report->pairs[count++], &expected);
        }
    assert_int_equal(report->pair_count, count);
    return count;
}

static void change(asked_scene *s, check_random *random)
{
    asked_move(s, random, 5, BODIES, 3.0);
    uint32_t at = (uint32_t)(check_next(random) % BODIES);
    assert_int_equal(carom_scene_remove(s->scene, s->ids[at]), CAROM_OK);
    add_body(s, random, at);
    for (int i = 0; i < 20; i++)
    {
        uint32_t a = (uint32_t)(check_next(random) % BODIES), b = (uint32_t)(check_next(random) % BODIES);
        carom_pair_rule rule = {(carom_rule_kind)(check_next(random) % 3), 5.0};
        if (a != b)
            assert_int_equal(carom_scene_set_rule(s->scene, s->ids[a], s->ids[b], &rule), CAROM_OK);
    }
}

static void pairs_agree_with_loops(void **state)
{
    (void)state;
    enum
    {
        ROUNDS = 6
    };
    const carom_within_options asked[5] = {{0.0, true}, {0.0, false}, {0.3, true}, {1.0, false}, {INFINITY, true}};
    uint64_t truth[ROUNDS][5], found = 0;
    for (uint32_t host = 0; host < HOST_COUNT; host++)
    {
        asked_scene s = open_scene(host);
        check_random random = {.state = 101};
        for (int round = 0; round < ROUNDS; round++)
        {
            for (int i = 0; i < 5; i++)
            {
                carom_within_report report;
                assert_int_equal(carom_scene_pairs_within(s.scene, &asked[i], &report), CAROM_OK);
                if (host == 0)
                    found += check_report(&s, &asked[i], &report);
                else
                    assert_int_equal(report.hash, truth[round][i]);
                truth[round][i] = report.hash;
            }
            change(&s, &random);
        }
        asked_close(&s);
    }
    assert_true(found > 2000);
}

/* A distance that is no double: from corner to corner, the root of 2. */
static void limits_are_exact(void **state)
{
    (void)state;
    world w = world_open();
    carom_scene *scene;
    carom_mesh *box = world_box(&w, 0, 0, 0, 1, 1, 1);
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
        world_add(scene, world_place(box, 2.0 * i, 2.0 * i, 0));
    double root = sqrt(2.0); /* rounded up: its square is above 2 */
    const double limits[4] = {root, nextafter(root, 0), nextafter(root, 2), 1.0};
    for (int i = 0; i < 4; i++)
    {
        carom_within_options options = carom_within_options_default();
        carom_within_report report;
        options.distance = limits[i];
        assert_int_equal(carom_scene_pairs_within(scene, &options, &report), CAROM_OK);
        assert_int_equal(report.pair_count, i == 0 || i == 2 ? 1 : 0);
        if (report.pair_count > 0)
            assert_true(report.pairs[0].distance == root);
    }
    carom_scene_destroy(scene);
    carom_mesh_destroy(box);
    world_close(&w);
}

static void misuse_is_refused(void **state)
{
    (void)state;
    world w = world_open();
    carom_scene *scene;
    carom_within_options options = carom_within_options_default();
    carom_within_report report;
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    assert_int_equal(carom_scene_pairs_within(scene, &options, &report), CAROM_OK); /* an empty scene */
    assert_int_equal(report.pair_count, 0);
    assert_int_equal(carom_scene_pairs_within(NULL, &options, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_pairs_within(scene, NULL, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_scene_pairs_within(scene, &options, NULL), CAROM_INVALID_ARGUMENT);
    options.distance = NAN;
    assert_int_equal(carom_scene_pairs_within(scene, &options, &report), CAROM_NOT_FINITE);
    options.distance = -1.0;
    assert_int_equal(carom_scene_pairs_within(scene, &options, &report), CAROM_INVALID_ARGUMENT);
    assert_int_equal(report.status, CAROM_INVALID_ARGUMENT);
    carom_scene_destroy(scene);
    world_close(&w);
}

/* Bodies at 1e12 and of size 1e-9 in one scene. */
static void extremes(void **state)
{
    (void)state;
    world w = world_open();
    carom_scene *scene;
    carom_mesh *tiny = world_box(&w, 0, 0, 0, 0x1p-30, 0x1p-30, 0x1p-30);
    const double at[4] = {0, 0x1p-29, 1e12, 1e12 + 1.0};
    assert_int_equal(carom_scene_create(w.context, &scene), CAROM_OK);
    for (int i = 0; i < 4; i++)
        world_add(scene, world_place(tiny, at[i], 0, 0));
    const double limits[5] = {nextafter(0x1p-30, 0), 0x1p-30, 1.0, 0.9990234375, 2e12};
    const uint64_t expected[5] = {0, 1, 2, 1, 6}; /* at 1e12 a tiny box has no width */
    for (int i = 0; i < 5; i++)
    {
        carom_within_options options = {limits[i], true};
        carom_within_report report;
        assert_int_equal(carom_scene_pairs_within(scene, &options, &report), CAROM_OK);
        assert_int_equal(report.pair_count, expected[i]);
    }
    carom_scene_destroy(scene);
    carom_mesh_destroy(tiny);
    world_close(&w);
}

static carom_status ask(const starved_scene *s, uint64_t *hash)
{
    carom_within_options options = {1.0, true};
    carom_within_report report = {0};
    carom_status status = carom_scene_pairs_within(s->scene, &options, &report);
    *hash = report.hash;
    return status;
}

static void no_memory(void **state)
{
    (void)state;
    starved_check(ask);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pairs_agree_with_loops),
        cmocka_unit_test(limits_are_exact),
        cmocka_unit_test(misuse_is_refused),
        cmocka_unit_test(extremes),
        cmocka_unit_test(no_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
