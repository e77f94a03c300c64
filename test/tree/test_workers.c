/* Trees are the same bits for any number of workers, host hooks and none; and an allocation that fails while workers
 * build is a status. What is compared is the baked block, which holds the shape, the order and the axes of a tree, and
 * what the tree answers, which its leaves, boxes and table of heights decide. */
#include "query/world.h"
#include "support/guarded.h"
#include "support/hosts.h"
#include "support/soup.h"
#include "tree/build.h"
#include "tree/subtrees.h"
#include "tree/wide.h"

#include <pthread.h>

/* ---- meshes ---- */

typedef struct subject
{
    const char *name;
    generate_kind kind;
    uint32_t triangles; /* of the kind; or, where kind is past the end, of soup */
    double spread;      /* of soup; 0: all triangles are the same */
} subject;

static const subject subjects[] = {
    {"knot", GENERATE_TORUS_KNOT, 9000, 0.0},  {"terrain", GENERATE_TERRAIN, 5000, 0.0},
    {"rubble", GENERATE_RUBBLE, 3000, 0.0},    {"box", GENERATE_BOX, 12, 0.0},
    {"flat sheet", GENERATE_CLOTH, 2500, 0.0}, {"identical", GENERATE_KIND_COUNT, 2500, 0.0},
    {"soup", GENERATE_KIND_COUNT, 3000, 1.0},  {"one", GENERATE_KIND_COUNT, 1, 1.0},
    {"none", GENERATE_KIND_COUNT, 0, 1.0},
};

enum
{
    SUBJECT_COUNT = sizeof subjects / sizeof *subjects
};

static carom_mesh *make_mesh(carom_context *context, const subject *s)
{
    if (s->kind != GENERATE_KIND_COUNT)
        return world_shape(&(world){.context = context}, s->kind, s->triangles);
    carom_vec3 *corners = malloc((3 * (size_t)s->triangles + 1) * sizeof *corners);
    assert_non_null(corners);
    check_random random = {4};
    for (uint32_t i = 0; i < 3 * s->triangles; i++)
        corners[i] = (carom_vec3){check_uniform(&random, 0.0, s->spread) + i % 3, i % 3 == 1, i % 3 == 2};
    carom_mesh *mesh = soup_mesh(context, corners, s->triangles);
    free(corners);
    return mesh;
}

/* ---- ways to run tasks ---- */

static void run_backwards(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
{
    uint32_t worker = 0;
    (void)user;
    for (uint32_t last = count; last > 0;)
    {
        uint32_t first = last > min_range ? (last - 1) / min_range * min_range : 0;
        task(first, last, worker++ % 3, task_data);
        last = first;
    }
}

/* Two threads, of which one gets a third. */
static void run_on_threads(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
{
    uint32_t chunks = (count + min_range - 1) / min_range, middle = chunks / 3 * min_range;
    host_range low = {task, task_data, 0, middle, 0, 0};
    pthread_t thread;
    (void)user;
    assert_int_equal(pthread_create(&thread, NULL, host_run_range, &low), 0);
    task(middle, count, 1, task_data);
    pthread_join(thread, NULL);
}

typedef struct way
{
    uint32_t workers;
    carom_task_hooks hooks;
} way;

static const way ways[] = {
    {0, {NULL, 0, NULL}},  {1, {NULL, 0, NULL}},          {2, {NULL, 0, NULL}},
    {3, {NULL, 0, NULL}},  {4, {NULL, 0, NULL}},          {8, {NULL, 0, NULL}},
    {32, {NULL, 0, NULL}}, {0, {run_backwards, 3, NULL}}, {0, {run_on_threads, 2, NULL}},
};

enum
{
    WAY_COUNT = sizeof ways / sizeof *ways
};

static carom_context *open_way(const way *w)
{
    carom_context_def def = carom_context_def_default();
    def.workers = w->workers, def.tasks = w->hooks;
    carom_context *context;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    return context;
}

/* ---- hashes ---- */

/* Everything in the wide layout that walks read: the block does not hold it. */
static void hash_layout(base_hash *hash, const carom_tree *tree)
{
    const wide_tree *wide = tree->wide;
    if (!wide)
        return;
    base_hash_bytes(hash, wide->nodes, wide->node_count * sizeof *wide->nodes);
    base_hash_bytes(hash, wide->leaves, wide->leaf_count * sizeof *wide->leaves);
    base_hash_bytes(hash, wide->smallest_triangle, wide->node_count * WIDE_LANES * sizeof *wide->smallest_triangle);
    base_hash_bytes(hash, wide->first_leaf, wide->node_count * WIDE_LANES * sizeof *wide->first_leaf);
    if (wide->support)
    {
        base_hash_bytes(hash, wide->support, WIDE_SUPPORT_ENTRIES * sizeof *wide->support);
        base_hash_bytes(hash, &wide->radius, sizeof wide->radius);
    }
}

static uint64_t hash_tree(carom_context *context, const carom_tree *tree)
{
    void *block;
    size_t size;
    assert_int_equal(carom_bake(context, tree, &block, &size), CAROM_OK);
    base_hash hash = base_hash_begin();
    base_hash_bytes(&hash, block, size);
    carom_baked_destroy(context, block, size);
    hash_layout(&hash, tree);
    return base_hash_end(&hash);
}

/* Every preset, every builder in both layouts. */
enum
{
    KIND_COUNT = 3 + 3 * CAROM_BUILDER_COUNT
};

static carom_tree_def kind_of(int kind)
{
    if (kind < 3)
        return carom_tree_def_preset((carom_tree_preset)kind);
    int family = (kind - 3) / CAROM_BUILDER_COUNT;
    carom_tree_def def = carom_tree_def_preset(family == 1 ? CAROM_TREE_RAYS : CAROM_TREE_FAST);
    def.builder = (carom_builder)((kind - 3) % CAROM_BUILDER_COUNT);
    if (family == 2)
        def.layout = CAROM_LAYOUT_BINARY, def.volume = (carom_volume)(kind % CAROM_VOLUME_COUNT);
    return def;
}

static void hash_kinds(const way *w, const subject *s, uint64_t out[KIND_COUNT])
{
    carom_context *context = open_way(w);
    carom_mesh *mesh = make_mesh(context, s);
    for (int kind = 0; kind < KIND_COUNT; kind++)
    {
        carom_tree_def def = kind_of(kind);
        carom_tree *tree;
        assert_int_equal(carom_tree_create(context, mesh, &def, &tree), CAROM_OK);
        out[kind] = hash_tree(context, tree);
        carom_tree_destroy(tree);
    }
    carom_mesh_destroy(mesh);
    carom_context_destroy(context);
}

static void any_number_of_workers_builds_the_same_trees(void **state)
{
    (void)state;
    for (int s = 0; s < SUBJECT_COUNT; s++)
    {
        uint64_t expected[KIND_COUNT], actual[KIND_COUNT];
        hash_kinds(&ways[0], &subjects[s], expected);
        for (int w = 1; w < WAY_COUNT; w++)
        {
            hash_kinds(&ways[w], &subjects[s], actual);
            for (int kind = 0; kind < KIND_COUNT; kind++)
                if (actual[kind] != expected[kind])
                    fail_msg("%s, kind %d, %u workers (way %d): another tree", subjects[s].name, kind, ways[w].workers,
                             w);
        }
    }
}

/* ---- numbering ---- */

/* Subtrees are runs of nodes, for every builder: bottom-up passes rely on it. Checked node by node, without the parts.
 */
static void check_numbering(const tree_structure *structure, const char *name)
{
    uint32_t *sizes = malloc(structure->node_count * sizeof *sizes); /* of subtrees */
    assert_non_null(sizes);
    for (uint32_t i = structure->node_count; i-- > 0;)
    {
        tree_node node = structure->nodes[i];
        sizes[i] = 1;
        if (node.count)
            continue;
        uint32_t left = node.first, right = node.first + 1;
        sizes[i] += sizes[left] + sizes[right];
        tree_node inner[2] = {structure->nodes[left], structure->nodes[right]};
        if (!inner[0].count && inner[0].first != left + 2)
            fail_msg("%s: the descendants of node %u do not follow it", name, left);
        if (!inner[1].count && inner[1].first != left + 1 + sizes[left])
            fail_msg("%s: the descendants of node %u do not follow its sibling's", name, right);
    }
    assert_int_equal(sizes[0], structure->node_count);
    free(sizes);
}

static void mark_nodes(uint32_t first, uint32_t last, void *data)
{
    uint8_t *times = data;
    for (uint32_t i = first; i < last; i++)
        times[i]++;
}

static void builders_number_depth_first(void **state)
{
    (void)state;
    carom_context *context = open_way(&ways[0]);
    carom_mesh *mesh = make_mesh(context, &subjects[0]);
    for (int builder = 0; builder < CAROM_BUILDER_COUNT; builder++)
    {
        carom_tree_def def = carom_tree_def_default();
        def.builder = (carom_builder)builder, def.leaf_size = 2;
        tree_structure structure;
        assert_int_equal(tree_build_structure(context, mesh, &def, &structure), CAROM_OK);
        check_numbering(&structure, carom_builder_name(def.builder));
        tree_subtrees parts;
        tree_subtrees_cut(structure.nodes, structure.node_count, build_children, &parts);
        assert_true(parts.count > 4);
        uint8_t *times = calloc(structure.node_count, 1);
        assert_non_null(times);
        tree_subtrees_climb(context, &parts, mark_nodes, times);
        for (uint32_t i = 0; i < structure.node_count; i++)
            assert_int_equal(times[i], 1);
        free(times);
        tree_structure_free(context, &structure);
    }
    carom_mesh_destroy(mesh);
    carom_context_destroy(context);
}

/* ---- failures ---- */

static uint64_t fail_each(guarded *g, carom_context *context, const carom_mesh *mesh, const carom_tree_def *def)
{
    uint64_t failures = 0, level = g->memory.bytes_out;
    carom_tree *tree;
    assert_int_equal(carom_tree_create(context, mesh, def, &tree), CAROM_OK);
    uint64_t expected = hash_tree(context, tree);
    carom_tree_destroy(tree);
    for (uint64_t k = 1;; k++)
    {
        failing_arm(&g->memory, k);
        carom_status status = carom_tree_create(context, mesh, def, &tree);
        g->memory.fail_at = 0;
        if (status == CAROM_OK)
        {
            assert_int_equal(hash_tree(context, tree), expected);
            carom_tree_destroy(tree);
        }
        else
            assert_int_equal(status, CAROM_OUT_OF_MEMORY), assert_null(tree), failures++;
        assert_int_equal(g->memory.bytes_out, level);
        if (!g->memory.failed)
            return failures;
    }
}

static void failed_allocations_are_a_status(void **state)
{
    (void)state;
    for (uint32_t workers = 1; workers <= 4; workers += 3)
    {
        guarded g = {.lock = PTHREAD_MUTEX_INITIALIZER};
        carom_context_def def = carom_context_def_default();
        def.workers = workers;
        def.allocator = (carom_allocator){guarded_allocate, guarded_release, &g};
        carom_context *context;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        carom_mesh *mesh = make_mesh(context, &(subject){"knot", GENERATE_TORUS_KNOT, 2500, 0.0});
        uint64_t failures = 0;
        for (int kind = 0; kind < KIND_COUNT; kind++)
        {
            carom_tree_def tree_def = kind_of(kind);
            failures += fail_each(&g, context, mesh, &tree_def);
        }
        assert_true(failures > 5 * KIND_COUNT);
        carom_mesh_destroy(mesh);
        carom_context_destroy(context);
        assert_int_equal(g.memory.bytes_out, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(any_number_of_workers_builds_the_same_trees),
                                       cmocka_unit_test(builders_number_depth_first),
                                       cmocka_unit_test(failed_allocations_are_a_status)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
