/* Flat bodies: volumes around them have no thickness, so contacts and clearances depend on the slack of every test. */
#include "narrow/narrow.h"
#include "query/world.h"
#include "support/placed.h"

enum
{
    CELLS = 5,
    KINDS = CAROM_VOLUME_COUNT + 2 /* binary trees of each volume, then wide fast and tight */
};

static carom_tree *tree_of(const world *w, const carom_mesh *mesh, int kind)
{
    carom_tree_def def = carom_tree_def_default();
    if (kind < CAROM_VOLUME_COUNT)
        def.layout = CAROM_LAYOUT_BINARY, def.volume = (carom_volume)kind;
    else
        def = carom_tree_def_preset(kind == CAROM_VOLUME_COUNT ? CAROM_TREE_FAST : CAROM_TREE_TIGHT);
    carom_tree *tree = NULL;
    assert_int_equal(carom_tree_create(w->context, mesh, &def, &tree), CAROM_OK);
    return tree;
}

/* A square of side 2 size around the origin, at right angles to an axis. */
static carom_mesh *sheet(const world *w, int axis, double size)
{
    double vertices[(CELLS + 1) * (CELLS + 1)][3];
    uint32_t indices[2 * CELLS * CELLS][3], count = 0;
    for (uint32_t i = 0; i <= CELLS; i++)
        for (uint32_t k = 0; k <= CELLS; k++)
        {
            double *v = vertices[i * (CELLS + 1) + k];
            v[axis] = 0.0;
            v[(axis + 1) % 3] = size * (2.0 * i / CELLS - 1.0), v[(axis + 2) % 3] = size * (2.0 * k / CELLS - 1.0);
        }
    for (uint32_t i = 0; i < CELLS; i++)
        for (uint32_t k = 0; k < CELLS; k++)
        {
            uint32_t at = i * (CELLS + 1) + k, next = at + CELLS + 1;
            memcpy(indices[count++], (uint32_t[3]){at, next, at + 1}, sizeof *indices);
            memcpy(indices[count++], (uint32_t[3]){at + 1, next, next + 1}, sizeof *indices);
        }
    return world_mesh(w, vertices[0], sizeof vertices / sizeof *vertices, indices[0], count);
}

static void check_contact(const world *w, const carom_placed *a, const carom_placed *b)
{
    carom_report report;
    bool within = false;
    assert_int_equal(carom_collide(w->query, a, b, NULL, &report), CAROM_OK);
    assert_true(report.pair_count > 0);
    assert_int_equal(carom_distance(w->query, a, b, NULL, &report), CAROM_OK);
    assert_true(report.distance == 0.0);
    assert_int_equal(carom_within(w->query, a, b, 0.0, &within), CAROM_OK);
    assert_true(within);
}

/* A pose may be off by 1e-9. That lifts a vertex off the plane where a rotation would leave it, and there a point
 * waits. */
static void bent_sheets_meet_the_points_on_them(void **state)
{
    (void)state;
    world w = world_open();
    for (int axis = 0; axis < 3; axis++)
    {
        carom_mesh *flat = sheet(&w, axis, 1.0);
        for (int side = 1; side < 3; side++)
        {
            carom_placed a = world_place(flat, 0, 0, 0);
            a.pose.rotation[3 * axis + (axis + side) % 3] = 9e-10;
            assert_int_equal(carom_pose_check(&a.pose), CAROM_OK);
            for (uint32_t vertex = 0; vertex < (CELLS + 1) * (CELLS + 1); vertex += CELLS)
            {
                carom_vec3 p = carom_pose_apply(&a.pose, carom_mesh_vertices(flat)[vertex]);
                carom_mesh *point =
                    world_mesh(&w, (double[9]){p.x, p.y, p.z, p.x, p.y, p.z, p.x, p.y, p.z}, 3, NULL, 1);
                carom_placed b = world_place(point, 0, 0, 0);
                for (int kind = 0; kind < KINDS; kind++)
                {
                    carom_tree *tree_a = tree_of(&w, flat, kind), *tree_b = tree_of(&w, point, kind);
                    a.shape.tree = tree_a, b.shape.tree = tree_b;
                    check_contact(&w, &a, &b);
                    check_contact(&w, &b, &a);
                    carom_tree_destroy(tree_a), carom_tree_destroy(tree_b);
                }
                carom_mesh_destroy(point);
            }
        }
        carom_mesh_destroy(flat);
    }
    world_close(&w);
}

/* Violated by one bit more than the bound of the distance, kept by the bound itself: every mode, with and without a
 * cache. */
static void check_clearance(const world *w, const carom_placed *a, const carom_placed *b, double distance)
{
    carom_pair_cache *cache;
    assert_int_equal(carom_pair_cache_create(w->context, &cache), CAROM_OK);
    carom_report report;
    for (int mode = CAROM_COLLIDE_ANY; mode <= CAROM_COLLIDE_ALL; mode++)
        for (int round = 0; round < 3; round++)
        {
            carom_collide_options options = {.mode = (carom_collide_mode)mode, .clearance = distance};
            options.cache = round ? cache : NULL;
            assert_int_equal(carom_collide(w->query, a, b, &options, &report), CAROM_OK);
            assert_false(report.clearance_violated);
            assert_true(report.distance_bound == distance);
            options.clearance = nextafter(distance, INFINITY);
            assert_int_equal(carom_collide(w->query, a, b, &options, &report), CAROM_OK);
            assert_true(report.clearance_violated);
            assert_int_equal(report.pair_count, 0);
        }
    carom_pair_cache_destroy(cache);
}

static void check_clearance_in_scenes(const world *w, const carom_placed *a, const carom_placed *b, double distance)
{
    carom_scene *scene;
    carom_frame frame;
    carom_body_id id;
    assert_int_equal(carom_scene_create(w->context, &scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def def = carom_body_def_default();
        def.placed = i == 0 ? *a : *b;
        assert_int_equal(carom_scene_add(scene, &def, &id), CAROM_OK);
    }
    assert_int_equal(carom_scene_frame(scene, &frame), CAROM_OK);
    for (uint32_t i = 0; carom_broad_list(i); i++)
    {
        carom_engine_def def = {.engine = "tree", .broad_phase = carom_broad_list(i)->name};
        carom_engine *engine;
        carom_scene_report report;
        assert_int_equal(carom_engine_create(w->context, &def, &engine), CAROM_OK);
        carom_collide_options options = carom_collide_options_default();
        options.clearance = distance;
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
        assert_int_equal(report.body_pair_count, 0);
        options.clearance = nextafter(distance, INFINITY);
        assert_int_equal(carom_engine_run(engine, &frame, &options, &report), CAROM_OK);
        assert_int_equal(report.body_pair_count, 1);
        assert_true(report.body_pairs[0].distance == distance ||
                    report.body_pairs[0].distance == nextafter(distance, INFINITY));
        carom_engine_destroy(engine);
    }
    carom_scene_destroy(scene);
}

static void clearances_between_sheets_hold_to_the_last_bit(void **state)
{
    (void)state;
    world w = world_open();
    check_random random = {.state = 3};
    const double sizes[3] = {1.0 / 1024, 1.0, 1024.0};
    for (int pair = 0; pair < 9; pair++)
    {
        carom_mesh *mesh_a = sheet(&w, 2, sizes[pair / 3]), *mesh_b = sheet(&w, 2, sizes[pair % 3]);
        for (int round = 0; round < 6; round++)
        {
            carom_placed a = {carom_shape_mesh(mesh_a), carom_pose_identity()},
                         b = {carom_shape_mesh(mesh_b), carom_pose_identity()};
            if (round >= 3)
                a.pose = b.pose = world_random_pose(&random, 0.0);
            double gap = sizes[round % 3];
            const double *r = b.pose.rotation; /* along b's own normal */
            b.pose.translation = (carom_vec3){gap * r[2], gap * r[5], gap * r[8]};
            carom_report report;
            assert_int_equal(carom_distance(w.query, &a, &b, NULL, &report), CAROM_OK);
            check_near(report.distance / gap, 1.0, 1e-9);
            for (int kind = 0; kind < KINDS; kind++)
            {
                carom_tree *tree_a = tree_of(&w, mesh_a, kind), *tree_b = tree_of(&w, mesh_b, kind);
                a.shape.tree = tree_a, b.shape.tree = tree_b;
                check_clearance(&w, &a, &b, report.distance_bound);
                carom_tree_destroy(tree_a), carom_tree_destroy(tree_b);
            }
            a.shape.tree = b.shape.tree = NULL;
            check_clearance_in_scenes(&w, &a, &b, report.distance_bound);
        }
        carom_mesh_destroy(mesh_a);
        carom_mesh_destroy(mesh_b);
    }
    world_close(&w);
}

static uint64_t count_pairs(const carom_placed *a, const carom_placed *b)
{
    uint64_t count = 0;
    narrow_counts counts = {0};
    for (uint32_t i = 0; i < a->shape.mesh->triangle_count; i++)
        for (uint32_t j = 0; j < b->shape.mesh->triangle_count; j++)
        {
            narrow_triangle ta = placed_triangle(a, i), tb = placed_triangle(b, j);
            count += narrow_touches(&ta, &tb, &counts);
        }
    return count;
}

/* Two sheets above each other, with the same rotation and translation, the upper one tilted and bent a little in half
 * of the rounds. */
static void place_above(check_random *random, double gap, bool tilted, carom_placed *a, carom_placed *b)
{
    a->pose = world_random_pose(random, check_uniform(random, 0.0, 1.0) < 0.5 ? 0.0 : 1e3);
    b->pose = a->pose;
    const double *r = a->pose.rotation;
    b->pose.translation.x += gap * r[2], b->pose.translation.y += gap * r[5], b->pose.translation.z += gap * r[8];
    if (tilted)
        for (int i = 0; i < 9; i++)
            b->pose.rotation[i] += check_uniform(random, -3e-10, 3e-10);
}

static void sheets_a_tiny_gap_apart_do_not_meet(void **state)
{
    (void)state;
    world w = world_open();
    check_random random = {.state = 11};
    carom_mesh *mesh = sheet(&w, 2, 1.0);
    carom_tree *trees[2] = {tree_of(&w, mesh, CAROM_VOLUME_COUNT), tree_of(&w, mesh, CAROM_VOLUME_COUNT + 1)};
    uint32_t meeting = 0, apart = 0;
    for (int round = 0; round < 600; round++)
    {
        carom_placed a = placed_mesh(mesh, trees[round % 2], carom_pose_identity()), b = a;
        double gap = round % 7 == 0 ? 0.0 : pow(10.0, check_uniform(&random, -17.0, -2.0));
        place_above(&random, round % 3 ? gap : -gap, round % 4 > 1, &a, &b);
        uint64_t truth = count_pairs(&a, &b);
        carom_report report;
        assert_int_equal(carom_collide(w.query, &a, &b, NULL, &report), CAROM_OK);
        assert_int_equal(report.pair_count, truth);
        carom_collide_options any = {.mode = CAROM_COLLIDE_ANY};
        assert_int_equal(carom_collide(w.query, &a, &b, &any, &report), CAROM_OK);
        assert_int_equal(report.pair_count, truth > 0);
        if (gap > 1e-7) /* the whole sheets are separated: no search of the sheets */
            assert_in_range(report.counters.boxes_tested, 0, 8);
        meeting += truth > 0, apart += truth == 0;
    }
    assert_true(meeting > 100 && apart > 100);
    for (int i = 0; i < 2; i++)
        carom_tree_destroy(trees[i]);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(bent_sheets_meet_the_points_on_them),
                                       cmocka_unit_test(clearances_between_sheets_hold_to_the_last_bit),
                                       cmocka_unit_test(sheets_a_tiny_gap_apart_do_not_meet)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
