/* A refitted tree answers exactly like a fresh one: every layout, volume and builder, little and much movement. */
#include "carom/query.h"
#include "support/check.h"
#include "support/failing.h"
#include "support/placed.h"
#include "tree/tree.h"

#include <stdlib.h>

enum
{
    GRID = 14,
    VERTICES = GRID * GRID
};

static carom_context *context;
static carom_query *query;

typedef carom_vec3 mover(carom_vec3 v, uint32_t i);

static carom_vec3 stay(carom_vec3 v, uint32_t i) { return (void)i, v; }
static carom_vec3 move_one(carom_vec3 v, uint32_t i) { return i == 7 ? vec3_scale(v, 1.7) : v; }
static carom_vec3 move_few(carom_vec3 v, uint32_t i) { return i % 31 == 0 ? vec3_add(v, vec3(0.1, -0.2, 0.3)) : v; }
static carom_vec3 twist(carom_vec3 v, uint32_t i)
{
    double s = sin(v.z * 0.7), c = cos(v.z * 0.7);
    return (void)i, vec3(c * v.x - s * v.y, s * v.x + c * v.y, v.z);
}
static carom_vec3 crumple(carom_vec3 v, uint32_t i)
{
    check_random random = {i};
    return vec3_add(v, check_random_point(&random, -1, 1));
}
static carom_vec3 shrink(carom_vec3 v, uint32_t i) { return (void)i, vec3_scale(v, 1e-3); }
static carom_vec3 grow(carom_vec3 v, uint32_t i) { return (void)i, vec3_scale(v, 1e3); }
static carom_vec3 fly(carom_vec3 v, uint32_t i) { return (void)i, vec3_add(v, vec3(1e6, 0, -1e6)); }
static carom_vec3 collapse(carom_vec3 v, uint32_t i) { return (void)v, (void)i, vec3(1, 1, 1); }

static mover *const MOVERS[] = {stay, move_one, move_few, twist, crumple, shrink, grow, fly, collapse};

static carom_mesh *make_mesh(mover *move)
{
    carom_vec3 vertices[VERTICES];
    uint32_t indices[VERTICES * 6], count = 0;
    for (uint32_t i = 0; i < VERTICES; i++)
    {
        uint32_t row = i / GRID, column = i % GRID, below = (row + 1) % GRID, right = (column + 1) % GRID;
        double a = 6.283185307179586 * (double)row / GRID, b = 6.283185307179586 * (double)column / GRID;
        vertices[i] = move(vec3(cos(a) * (2.0 + cos(b)), sin(a) * (2.0 + cos(b)), sin(b)), i);
        uint32_t quad[6] = {i, below * GRID + column, below * GRID + right,
                            i, below * GRID + right,  row * GRID + right};
        memcpy(indices + count, quad, sizeof quad);
        count += 6;
    }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)vertices, def.vertex_count = VERTICES;
    def.indices_u32 = (const uint32_t *)indices, def.triangle_count = count / 3;
    carom_mesh *mesh = NULL;
    assert_int_equal(carom_mesh_create(context, &def, &mesh), CAROM_OK);
    return mesh;
}

static carom_tree *make_tree(const carom_mesh *mesh, const carom_tree_def *def)
{
    carom_tree *tree = NULL;
    assert_int_equal(carom_tree_create(context, mesh, def, &tree), CAROM_OK);
    return tree;
}

typedef struct answers
{
    uint64_t collide, distance, rays;
    uint64_t pair_count, hit_count;
} answers;

/* The mesh against itself a little aside, and rays through it. */
static answers ask(const carom_mesh *mesh, const carom_tree *tree)
{
    double size = mesh->info.bounds.max.x - mesh->info.bounds.min.x;
    carom_vec3 middle = vec3_scale(vec3_add(mesh->info.bounds.min, mesh->info.bounds.max), 0.5);
    carom_placed a = {pair_shape(tree), carom_pose_identity()}, b = a, far = a;
    b.pose.translation = vec3(0.2 * size, 0.05 * size, 0.1 * size);
    far.pose.translation = vec3(1.3 * size + 1.0, 0.1 * size, 0.0);
    answers out = {0};
    carom_report report;
    assert_false(carom_failed(carom_collide(query, &a, &b, NULL, &report)));
    out.collide = report.hash, out.pair_count = report.pair_count;
    assert_false(carom_failed(carom_distance(query, &a, &far, NULL, &report)));
    out.distance = report.hash;
    check_random random = {5};
    for (int i = 0; i < 20; i++)
    {
        carom_vec3 from = check_random_point(&random, -1, 1), towards = check_random_point(&random, -1, 1);
        from.z = 2.0, towards.z = -3.0;
        carom_ray ray = {vec3_add(middle, vec3_scale(from, size)), towards, INFINITY};
        carom_ray_report hits;
        assert_int_equal(carom_ray_cast(query, &a, &ray, CAROM_RAY_ALL, &hits), CAROM_OK);
        out.rays = 31 * out.rays + hits.hash, out.hit_count += hits.hit_count;
        assert_int_equal(carom_ray_cast(query, &a, &ray, CAROM_RAY_FIRST, &hits), CAROM_OK);
        out.rays = 31 * out.rays + hits.hash;
    }
    return out;
}

static void check_def(const carom_tree_def *def, const char *what)
{
    carom_mesh *mesh = make_mesh(stay);
    carom_tree *tree = make_tree(mesh, def);
    for (size_t i = 0; i < sizeof MOVERS / sizeof *MOVERS; i++)
    {
        carom_mesh *moved = make_mesh(MOVERS[i]);
        assert_int_equal(carom_tree_refit(tree, moved), CAROM_OK);
        assert_ptr_equal(carom_tree_mesh(tree), moved);
        carom_mesh_destroy(mesh);
        mesh = moved;
        carom_tree *fresh = make_tree(moved, def);
        answers expected = ask(moved, fresh), actual = ask(moved, tree);
        if (memcmp(&expected, &actual, sizeof actual) != 0)
            fail_msg("%s, movement %zu: %llu pairs and %llu hits, expected %llu and %llu", what, i,
                     (unsigned long long)actual.pair_count, (unsigned long long)actual.hit_count,
                     (unsigned long long)expected.pair_count, (unsigned long long)expected.hit_count);
        if (MOVERS[i] == twist)
            assert_true(expected.pair_count > 0 && expected.hit_count > 0);
        carom_tree_destroy(fresh);
    }
    carom_tree_destroy(tree);
    carom_mesh_destroy(mesh);
}

static void every_volume(void **state)
{
    (void)state;
    for (int volume = 0; volume < CAROM_VOLUME_COUNT; volume++)
    {
        carom_tree_def def = carom_tree_def_default();
        def.volume = (carom_volume)volume;
        def.layout = CAROM_LAYOUT_BINARY;
        check_def(&def, carom_volume_name(def.volume));
    }
}

static void every_builder(void **state)
{
    (void)state;
    for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
        for (int layout = 0; layout < 2; layout++)
        {
            carom_tree_def def = carom_tree_def_preset(CAROM_TREE_RAYS);
            def.builder = (carom_builder)builder;
            def.layout = (carom_layout)layout;
            check_def(&def, carom_builder_name(def.builder));
        }
}

static void wide_boxes(void **state)
{
    (void)state;
    carom_tree_def fast = carom_tree_def_preset(CAROM_TREE_FAST), tight = carom_tree_def_preset(CAROM_TREE_TIGHT);
    check_def(&fast, "fast");
    check_def(&tight, "tight");
}

static void refusals(void **state)
{
    (void)state;
    carom_mesh *mesh = make_mesh(stay);
    carom_mesh_def def = carom_mesh_def_default();
    carom_vec3 corner[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    def.vertices_f64 = (const double *)corner, def.vertex_count = 3;
    def.unindexed = true, def.triangle_count = 1;
    carom_mesh *other = NULL;
    assert_int_equal(carom_mesh_create(context, &def, &other), CAROM_OK);
    for (int preset = 0; preset <= CAROM_TREE_RAYS; preset++)
    {
        carom_tree_def tree_def = carom_tree_def_preset((carom_tree_preset)preset);
        carom_tree *tree = make_tree(mesh, &tree_def);
        assert_int_equal(carom_tree_refit(tree, NULL), CAROM_INVALID_ARGUMENT);
        assert_int_equal(carom_tree_refit(tree, other), CAROM_INVALID_ARGUMENT);
        assert_ptr_equal(carom_tree_mesh(tree), mesh);
        carom_tree_destroy(tree);
    }
    assert_int_equal(carom_tree_refit(NULL, mesh), CAROM_INVALID_ARGUMENT);
    carom_mesh_destroy(other);
    carom_mesh_destroy(mesh);
}

/* ---- failing allocations ---- */

/* Builds and refits with every allocation failing in turn. */
static void check_failures(const carom_tree_def *def, const carom_mesh *mesh, const carom_mesh *moved)
{
    bool done = false;
    for (uint64_t k = 1; !done; k++)
    {
        failing memory = {.persistent = true};
        carom_context *own = NULL;
        assert_int_equal(failing_context(&memory, &own), CAROM_OK);
        uint64_t before = memory.blocks_out;
        failing_arm(&memory, k);
        carom_tree *tree = NULL;
        carom_status status = carom_tree_create(own, mesh, def, &tree);
        assert_true(status == CAROM_OK || (status == CAROM_OUT_OF_MEMORY && !tree));
        if (tree)
        {
            status = carom_tree_refit(tree, moved);
            assert_true(status == CAROM_OK || (status == CAROM_OUT_OF_MEMORY && carom_tree_mesh(tree) == mesh));
            done = status == CAROM_OK;
            carom_tree_destroy(tree);
        }
        assert_int_equal(memory.blocks_out, before);
        carom_context_destroy(own);
    }
}

static void failing_allocations(void **state)
{
    (void)state;
    carom_mesh *mesh = make_mesh(stay), *moved = make_mesh(move_few);
    for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
        for (int layout = 0; layout < 2; layout++)
        {
            carom_tree_def def = carom_tree_def_preset(CAROM_TREE_RAYS);
            def.builder = (carom_builder)builder;
            def.layout = (carom_layout)layout;
            check_failures(&def, mesh, moved);
        }
    carom_mesh_destroy(moved);
    carom_mesh_destroy(mesh);
}

static int begin(void **state)
{
    (void)state;
    return carom_context_create(NULL, &context) != CAROM_OK || carom_query_create(context, &query) != CAROM_OK;
}

static int end(void **state)
{
    (void)state;
    carom_query_destroy(query);
    carom_context_destroy(context);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_volume), cmocka_unit_test(every_builder),       cmocka_unit_test(wide_boxes),
        cmocka_unit_test(refusals),     cmocka_unit_test(failing_allocations),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
