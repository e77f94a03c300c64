/* The thesis's balanced builder against its own definition: every split minimises |n_left - n_right| + lambda n_cross
 * over all planes, by a search that tries them all, and nodes end where the thesis says. */
#include "query/world.h"
#include "tree/tree.h"

enum
{
    MAX_TRIANGLES = 600,
    LEAF_SIZE = 10
};

static const double NEARLY_ALL = 0.9; /* the builder's own */

typedef struct members
{
    bool has[MAX_TRIANGLES];
    uint32_t count;
} members;

static void collect(const carom_tree *tree, uint32_t node, members *out)
{
    tree_node n = tree->nodes[node];
    if (n.count == 0)
    {
        collect(tree, n.first, out);
        collect(tree, n.first + 1, out);
        return;
    }
    for (uint32_t i = 0; i < n.count; i++)
    {
        uint32_t triangle = tree->order[n.first + i];
        out->count += !out->has[triangle];
        out->has[triangle] = true;
    }
}

static double coordinate(carom_vec3 v, int axis) { return axis == 0 ? v.x : axis == 1 ? v.y : v.z; }

static void find_range(const carom_mesh *mesh, uint32_t triangle, int axis, double range[2])
{
    carom_vec3 corner[3];
    mesh_corners(mesh, triangle, corner);
    range[0] = INFINITY, range[1] = -INFINITY;
    for (int i = 0; i < 3; i++)
    {
        range[0] = fmin(range[0], coordinate(corner[i], axis));
        range[1] = fmax(range[1], coordinate(corner[i], axis));
    }
}

typedef struct split
{
    uint32_t left, right, cross;
    double penalty;
} split;

static split count_split(const carom_mesh *mesh, const members *all, int axis, double plane, double lambda)
{
    split s = {0};
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
    {
        if (!all->has[i])
            continue;
        double range[2];
        find_range(mesh, i, axis, range);
        bool right = range[0] >= plane, left = !right && range[1] <= plane; /* flat in the plane: right */
        s.left += left, s.right += right, s.cross += !left && !right;
    }
    s.penalty = fabs((double)s.left - (double)s.right) + lambda * s.cross;
    return s;
}

static bool is_useless(const split *s, uint32_t count)
{
    double limit = NEARLY_ALL * count;
    return s->left + s->cross > limit || s->right + s->cross > limit;
}

/* What the best planes are like; several may be equally good. */
typedef struct best_split
{
    double penalty;
    bool useful, useless; /* some of them */
    uint64_t references;  /* that one of them makes at most */
} best_split;

static best_split find_best(const carom_mesh *mesh, const members *all, double lambda)
{
    best_split best = {.penalty = INFINITY, .useless = true};
    for (uint32_t i = 0; i < mesh->triangle_count; i++)
        for (int k = 0; k < 12 && all->has[i]; k++)
        {
            double range[2], beyond = k < 6 ? 0.0 : 0.5; /* at an end of a triangle, and before any other */
            find_range(mesh, i, k / 2 % 3, range);
            split s = count_split(mesh, all, k / 2 % 3, range[k % 2] + beyond, lambda);
            if (s.left + s.cross == 0 || s.right + s.cross == 0 || s.penalty > best.penalty)
                continue;
            if (s.penalty < best.penalty)
                best = (best_split){.penalty = s.penalty};
            uint64_t references = (uint64_t)s.left + s.right + 2 * (uint64_t)s.cross;
            best.references = references > best.references ? references : best.references;
            best.useless |= is_useless(&s, all->count), best.useful |= !is_useless(&s, all->count);
        }
    return best;
}

typedef struct tally
{
    uint32_t splits, large_leaves, depth;
} tally;

/* budget: references that the builder may make of the node, a bound that the thesis lacks. */
static void check_node(const carom_tree *tree, uint32_t node, uint64_t budget, uint32_t depth, tally *seen)
{
    members all = {0}, left = {0}, right = {0};
    collect(tree, node, &all);
    seen->depth = depth > seen->depth ? depth : seen->depth;
    tree_node n = tree->nodes[node];
    best_split best = {0};
    if (n.count == 0 || n.count > LEAF_SIZE)
        best = find_best(tree->mesh, &all, tree->def.balance_penalty);
    if (n.count > LEAF_SIZE)
    {
        bool deep = tree->def.depth_limit > 0 && depth >= tree->def.depth_limit;
        assert_true(deep || best.useless || best.references > budget);
        seen->large_leaves++;
    }
    if (n.count > 0)
        return;
    collect(tree, n.first, &left);
    collect(tree, n.first + 1, &right);
    uint32_t cross = left.count + right.count - all.count;
    double penalty = fabs((double)left.count - (double)right.count) + tree->def.balance_penalty * cross;
    assert_true(all.count > LEAF_SIZE && best.useful);
    check_near(penalty, best.penalty, 1e-12);
    seen->splits++;
    uint64_t sum = (uint64_t)left.count + right.count;
    check_node(tree, n.first, budget * left.count / sum, depth + 1, seen);
    check_node(tree, n.first + 1, budget * right.count / sum, depth + 1, seen);
}

static carom_tree_def thesis_def(double lambda, uint32_t depth_limit)
{
    carom_tree_def def = carom_tree_def_default();
    def.layout = CAROM_LAYOUT_BINARY, def.volume = CAROM_VOLUME_AABB, def.builder = CAROM_BUILDER_BALANCED;
    def.leaf_size = LEAF_SIZE, def.keep_large_leaves = true;
    def.balance_penalty = lambda, def.depth_limit = depth_limit;
    return def;
}

/* On small integers, which no frame of floats rounds. */
static carom_mesh *grid_soup(const world *w, uint32_t count, int size)
{
    static double vertices[9 * MAX_TRIANGLES];
    check_random random = {count + (uint64_t)size};
    for (uint32_t i = 0; i < 9 * count; i++)
    {
        double at = (double)(check_next(&random) % 64);
        vertices[i] = i % 9 < 3 ? at : vertices[i - i % 9 + i % 3] + (double)(check_next(&random) % (uint64_t)size);
    }
    return world_mesh(w, vertices, 3 * (size_t)count, NULL, count);
}

static void splits_minimise_the_penalty(void **state)
{
    (void)state;
    static const double LAMBDAS[] = {0.0, 0.5, 1.0, 3.0};
    world w = world_open();
    tally all = {0};
    for (int size = 2; size <= 64; size *= 4)
        for (size_t i = 0; i < sizeof LAMBDAS / sizeof *LAMBDAS; i++)
            for (uint32_t limit = 0; limit <= 3; limit += 3)
            {
                carom_mesh *mesh = grid_soup(&w, 300, size);
                carom_tree_def def = thesis_def(LAMBDAS[i], limit);
                carom_tree *tree;
                assert_int_equal(carom_tree_create(w.context, mesh, &def, &tree), CAROM_OK);
                tally seen = {0};
                check_node(tree, 0, 4 * (uint64_t)mesh->triangle_count, 0, &seen);
                assert_true(limit == 0 || seen.depth <= limit);
                all.splits += seen.splits, all.large_leaves += seen.large_leaves;
                carom_tree_destroy(tree);
                carom_mesh_destroy(mesh);
            }
    assert_true(all.splits > 200 && all.large_leaves > 20);
    world_close(&w);
}

/* No plane parts them: one leaf. Without the thesis's stops they are halved. */
static void identical_triangles(void **state)
{
    (void)state;
    world w = world_open();
    double vertices[9 * 100];
    for (int i = 0; i < 900; i++)
        vertices[i] = i % 9 == 3 || i % 9 == 7;
    carom_mesh *mesh = world_mesh(&w, vertices, 300, NULL, 100);
    carom_tree_def def = thesis_def(0.5, 0);
    carom_tree *tree;
    assert_int_equal(carom_tree_create(w.context, mesh, &def, &tree), CAROM_OK);
    assert_int_equal(tree->node_count, 1);
    assert_int_equal(tree->nodes[0].count, 100);
    carom_tree_destroy(tree);
    def.keep_large_leaves = false;
    assert_int_equal(carom_tree_create(w.context, mesh, &def, &tree), CAROM_OK);
    for (uint32_t i = 0; i < tree->node_count; i++)
        assert_true(tree->nodes[i].count <= LEAF_SIZE);
    carom_tree_destroy(tree);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

static void bad_defs_are_refused(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *mesh = world_box(&w, 0, 0, 0, 1, 1, 1);
    carom_tree *tree;
    carom_tree_def def = thesis_def(0.5, 97);
    assert_int_equal(carom_tree_create(w.context, mesh, &def, &tree), CAROM_INVALID_ARGUMENT);
    world_check_message(&w, "depth_limit is 97");
    def = carom_tree_def_default(), def.keep_large_leaves = true;
    assert_int_equal(carom_tree_create(w.context, mesh, &def, &tree), CAROM_UNSUPPORTED);
    world_check_message(&w, "large leaves");
    carom_mesh_destroy(mesh);
    world_close(&w);
}

static void baked_trees_keep_the_def(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *mesh = grid_soup(&w, 200, 8), *loaded_mesh;
    carom_tree_def def = thesis_def(0.25, 5);
    carom_tree *tree, *loaded;
    void *block;
    size_t size;
    assert_int_equal(carom_tree_create(w.context, mesh, &def, &tree), CAROM_OK);
    assert_int_equal(carom_bake(w.context, tree, &block, &size), CAROM_OK);
    assert_int_equal(carom_unbake(w.context, block, size, &loaded_mesh, &loaded), CAROM_OK);
    carom_tree_def found = carom_tree_get_info(loaded).def;
    assert_int_equal(found.depth_limit, 5);
    assert_true(found.keep_large_leaves);
    assert_int_equal(loaded->node_count, tree->node_count);
    assert_memory_equal(loaded->nodes, tree->nodes, tree->node_count * sizeof *tree->nodes);
    carom_baked_destroy(w.context, block, size);
    carom_tree_destroy(loaded);
    carom_mesh_destroy(loaded_mesh);
    carom_tree_destroy(tree);
    carom_mesh_destroy(mesh);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(splits_minimise_the_penalty),
        cmocka_unit_test(identical_triangles),
        cmocka_unit_test(bad_defs_are_refused),
        cmocka_unit_test(baked_trees_keep_the_def),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
