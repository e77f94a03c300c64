/* Budgets of time: a query returns soon after its deadline, says that it does not know, and its bounds hold. Rays take
 * no budget. */
#include "query/world.h"

enum
{
    COPIES = 20000, /* of one triangle: 4e8 pairs that all meet, or that are all equally near */
    APART_AT = 3
};

/* No method decides this many pairs in that time, and only a missed deadline takes as long as PATIENCE. */
static const double SECONDS = 0.02, PATIENCE = 20.0;

typedef struct crowd
{
    world w;
    carom_mesh *mesh;
    carom_tree *tree;
    carom_placed a, same, apart;
} crowd;

static crowd open_crowd(const carom_tree_def *def)
{
    crowd c = {.w = world_open()};
    double *vertices = malloc((size_t)9 * COPIES * sizeof *vertices);
    const double one[9] = {0, 0, 0, 1, 0, 0, 0, 1, 0};
    for (int i = 0; i < COPIES; i++)
        memcpy(vertices + 9 * i, one, sizeof one);
    c.mesh = world_mesh(&c.w, vertices, 3 * COPIES, NULL, COPIES);
    free(vertices);
    assert_int_equal(carom_tree_create(c.w.context, c.mesh, def, &c.tree), CAROM_OK);
    c.a = (carom_placed){carom_shape_tree(c.tree), carom_pose_identity()};
    c.same = c.apart = c.a;
    c.apart.pose = carom_pose_translation(0, 0, APART_AT);
    return c;
}

static void close_crowd(crowd *c)
{
    carom_tree_destroy(c->tree);
    carom_mesh_destroy(c->mesh);
    world_close(&c->w);
}

static void check_crowd(const carom_tree_def *def)
{
    crowd c = open_crowd(def);
    carom_report report;
    for (int mode = CAROM_COLLIDE_COUNT; mode <= CAROM_COLLIDE_ALL; mode++)
    {
        carom_collide_options options = {.mode = (carom_collide_mode)mode, .budget = {.seconds = SECONDS}};
        double start = base_now();
        assert_int_equal(carom_collide(c.w.query, &c.a, &c.same, &options, &report), CAROM_UNKNOWN);
        assert_true(base_now() - start < PATIENCE);
        assert_int_equal(report.status, CAROM_UNKNOWN);
        assert_true(report.pair_count < (uint64_t)COPIES * COPIES);
        assert_true(report.pairs_listed <= report.pair_count);
        assert_true(report.distance_bound == 0.0);
        assert_int_not_equal(report.relation, CAROM_RELATION_APART);
    }
    carom_distance_options options = {.budget = {.seconds = SECONDS}};
    double start = base_now();
    carom_status status = carom_distance(c.w.query, &c.a, &c.apart, &options, &report);
    assert_true(base_now() - start < PATIENCE);
    assert_int_equal(status, CAROM_UNKNOWN);
    assert_true(report.distance_bound <= APART_AT && report.distance >= APART_AT);
    close_crowd(&c);
}

static void a_deadline_ends_what_would_take_minutes(void **state)
{
    (void)state;
    carom_tree_def binary = carom_tree_def_default();
    binary.layout = CAROM_LAYOUT_BINARY;
    const carom_tree_def defs[3] = {carom_tree_def_preset(CAROM_TREE_FAST), carom_tree_def_preset(CAROM_TREE_TIGHT),
                                    binary};
    for (int i = 0; i < 3; i++)
        check_crowd(&defs[i]);
}

/* Wherever a deadline falls, what is said is true; one that has passed already decides nothing. */
static void bounds_hold_at_any_moment(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *torus = world_shape(&w, GENERATE_TORUS, 4000), *knot = world_shape(&w, GENERATE_TORUS_KNOT, 4000);
    carom_placed a = world_place(torus, 0, 0, 0), b = world_place(knot, 0.3, 0.1, 0.05);
    carom_report truth, report;
    int unknown = 0, decided = 0;
    for (int apart = 0; apart < 2; apart++)
    {
        b.pose = carom_pose_translation(apart ? 1.2 : 0.3, 0.1, 0.05);
        assert_int_equal(carom_collide(w.query, &a, &b, NULL, &truth), CAROM_OK);
        uint64_t count = truth.pair_count;
        assert_int_equal(carom_distance(w.query, &a, &b, NULL, &truth), CAROM_OK);
        for (double seconds = 1e-9; seconds < 100.0; seconds *= seconds < 1e-2 ? 1.25 : 10.0)
        {
            carom_collide_options options = {
                .mode = CAROM_COLLIDE_ALL, .clearance = 0.01, .budget = {.seconds = seconds}};
            carom_status status = carom_collide(w.query, &a, &b, &options, &report);
            assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
            assert_true(status == CAROM_OK ? report.pair_count == count : report.pair_count <= count);
            assert_true(report.distance_bound <= truth.distance);
            if (report.clearance_violated)
                assert_true(truth.distance < options.clearance);
            if (seconds < 1e-8 && !apart) /* one look at the whole may tell that bodies are apart */
                assert_int_equal(status, CAROM_UNKNOWN);
            unknown += status == CAROM_UNKNOWN, decided += status == CAROM_OK;

            carom_distance_options bounded = {.budget = {.seconds = seconds}};
            status = carom_distance(w.query, &a, &b, &bounded, &report);
            assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
            assert_true(report.distance_bound <= truth.distance && report.distance >= truth.distance);
            if (status == CAROM_OK)
                assert_true(report.distance == truth.distance && report.triangle_a == truth.triangle_a);
            if (seconds < 1e-8 && !apart) /* one look at the whole may tell that bodies are apart */
                assert_int_equal(status, CAROM_UNKNOWN);
            unknown += status == CAROM_UNKNOWN, decided += status == CAROM_OK;
        }
    }
    print_message("%d unknown, %d decided\n", unknown, decided);
    assert_true(unknown > 20 && decided > 8);
    carom_mesh_destroy(torus);
    carom_mesh_destroy(knot);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(a_deadline_ends_what_would_take_minutes),
                                       cmocka_unit_test(bounds_hold_at_any_moment)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
