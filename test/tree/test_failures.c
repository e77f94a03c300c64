/* Every allocation fails in turn through what makes, moves, bakes and asks trees of every layout, by every builder: a
 * status each time, nothing leaked, and the same answer once there is memory again. The whole way from mesh to engine
 * is in test/engine/test_allocation.c. */
#include "query/world.h"
#include "support/failing.h"
#include "support/placed.h"
#include "tree/tree.h"

#include <dirent.h>
#include <unistd.h>

/* What the steps work on, made once without failures. */
typedef struct bench
{
    failing memory;
    carom_context *context;
    carom_tree_def def;
    carom_mesh *mesh, *moved;
    carom_tree *tree;
    void *block;
    size_t block_size;
    char folder[64];
} bench;

static carom_mesh *make_mesh(carom_context *context, double stretch)
{
    enum
    {
        SIDE = 9
    };
    double vertices[SIDE * SIDE * 3];
    uint32_t indices[(SIDE - 1) * (SIDE - 1) * 6], n = 0;
    for (int i = 0; i < SIDE * SIDE; i++)
    {
        double x = i % SIDE, y = i / SIDE;
        vertices[3 * i] = x, vertices[3 * i + 1] = y * stretch, vertices[3 * i + 2] = 0.1 * ((i * 7) % 5);
    }
    for (uint32_t y = 0; y + 1 < SIDE; y++)
        for (uint32_t x = 0; x + 1 < SIDE; x++)
        {
            uint32_t at = y * SIDE + x;
            uint32_t corners[6] = {at, at + 1, at + SIDE, at + 1, at + SIDE + 1, at + SIDE};
            memcpy(indices + n, corners, sizeof corners);
            n += 6;
        }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)vertices, def.vertex_count = SIDE * SIDE;
    def.indices_u32 = (const uint32_t *)indices, def.triangle_count = n / 3;
    carom_mesh *mesh = NULL;
    assert_int_equal(carom_mesh_create(context, &def, &mesh), CAROM_OK);
    return mesh;
}

static void open_bench(bench *b, const carom_tree_def *def)
{
    *b = (bench){.def = *def, .folder = "/tmp/carom_failures_XXXXXX"};
    assert_non_null(mkdtemp(b->folder));
    assert_int_equal(failing_context(&b->memory, &b->context), CAROM_OK);
    b->mesh = make_mesh(b->context, 1.0), b->moved = make_mesh(b->context, 1.25);
    assert_int_equal(carom_tree_create(b->context, b->mesh, def, &b->tree), CAROM_OK);
    assert_int_equal(carom_bake(b->context, b->tree, &b->block, &b->block_size), CAROM_OK);
}

static void empty_folder(const bench *b)
{
    DIR *directory = opendir(b->folder);
    for (struct dirent *entry; directory && (entry = readdir(directory)) != NULL;)
    {
        char path[512];
        snprintf(path, sizeof path, "%s/%s", b->folder, entry->d_name);
        if (entry->d_name[0] != '.')
            remove(path);
    }
    if (directory)
        closedir(directory);
}

static void close_bench(bench *b)
{
    carom_baked_destroy(b->context, b->block, b->block_size);
    carom_tree_destroy(b->tree);
    carom_mesh_destroy(b->mesh);
    carom_mesh_destroy(b->moved);
    carom_context_destroy(b->context);
    assert_int_equal(b->memory.bytes_out, 0);
    empty_folder(b);
    rmdir(b->folder);
}

/* ---- steps: a status, and a hash of the answer ---- */

typedef carom_status step_fn(bench *b, uint64_t *hash);

static uint64_t hash_tree(bench *b, const carom_tree *tree)
{
    /* Baking takes memory too, but must not be what fails here. */
    uint64_t fail_at = b->memory.fail_at, requests = b->memory.requests;
    void *block;
    size_t size;
    b->memory.fail_at = 0;
    assert_int_equal(carom_bake(b->context, tree, &block, &size), CAROM_OK);
    base_hash hash = base_hash_begin();
    base_hash_bytes(&hash, block, size);
    carom_baked_destroy(b->context, block, size);
    b->memory.fail_at = fail_at, b->memory.requests = requests;
    return base_hash_end(&hash);
}

static carom_status step_create(bench *b, uint64_t *hash)
{
    carom_tree *tree = NULL;
    carom_status status = carom_tree_create(b->context, b->mesh, &b->def, &tree);
    assert_int_equal(status == CAROM_OK, tree != NULL);
    if (tree)
        *hash = hash_tree(b, tree);
    carom_tree_destroy(tree);
    return status;
}

static carom_status step_cached(bench *b, uint64_t *hash)
{
    carom_tree *tree = NULL;
    carom_status status = carom_tree_create_cached(b->context, b->mesh, &b->def, b->folder, &tree);
    assert_int_equal(status == CAROM_OK, tree != NULL);
    if (tree)
        *hash = hash_tree(b, tree);
    carom_tree_destroy(tree);
    return status;
}

/* The folder is empty each time, so the tree is built and stored. */
static carom_status step_stored(bench *b, uint64_t *hash)
{
    empty_folder(b);
    return step_cached(b, hash);
}

static carom_status step_bake(bench *b, uint64_t *hash)
{
    void *block = NULL;
    size_t size = 0;
    carom_status status = carom_bake(b->context, b->tree, &block, &size);
    assert_int_equal(status == CAROM_OK, block != NULL);
    base_hash h = base_hash_begin();
    base_hash_bytes(&h, block, size);
    carom_baked_destroy(b->context, block, size);
    *hash = base_hash_end(&h);
    return status;
}

static carom_status step_unbake(bench *b, uint64_t *hash)
{
    carom_mesh *mesh = NULL;
    carom_tree *tree = NULL;
    carom_status status = carom_unbake(b->context, b->block, b->block_size, &mesh, &tree);
    assert_int_equal(status == CAROM_OK, mesh != NULL && tree != NULL);
    if (tree)
        *hash = hash_tree(b, tree);
    carom_tree_destroy(tree);
    carom_mesh_destroy(mesh);
    return status;
}

/* With all the memory there is. */
static void bring_home(bench *b)
{
    uint64_t fail_at = b->memory.fail_at, requests = b->memory.requests;
    b->memory.fail_at = 0;
    if (carom_tree_mesh(b->tree) != b->mesh)
        assert_int_equal(carom_tree_refit(b->tree, b->mesh), CAROM_OK);
    b->memory.fail_at = fail_at, b->memory.requests = requests;
}

/* There and back: a failure on the way leaves a tree that fits one mesh or the other. */
static carom_status step_refit(bench *b, uint64_t *hash)
{
    carom_status status = carom_tree_refit(b->tree, b->moved);
    if (status == CAROM_OK)
        status = carom_tree_refit(b->tree, b->mesh);
    *hash = 1;
    bring_home(b);
    return status;
}

static carom_status ask(bench *b, carom_query *query, uint64_t *hash)
{
    carom_report report;
    carom_ray_report hits;
    carom_pose beside = carom_pose_from_quaternion((double[4]){0.9, 0.1, 0.3, 0.2}, (carom_vec3){1.0, 0.5, 2.0});
    carom_placed at = {pair_shape(b->tree), carom_pose_identity()}, near = {pair_shape(b->tree), beside};
    carom_placed away = {pair_shape(b->tree), carom_pose_translation(3.0, 0.0, 9.0)};
    *hash = 0;
    for (int mode = CAROM_COLLIDE_ANY; mode <= CAROM_COLLIDE_ALL; mode++)
    {
        carom_collide_options options = {.mode = (carom_collide_mode)mode, .relation = true, .clearance = 0.1};
        options.contacts = mode == CAROM_COLLIDE_ALL;
        BASE_TRY(carom_collide(query, &at, &near, &options, &report));
        *hash = *hash * 31 + report.hash;
    }
    BASE_TRY(carom_distance(query, &at, &away, NULL, &report));
    *hash = *hash * 31 + report.hash;
    bool within;
    BASE_TRY(carom_within(query, &at, &away, report.distance, &within));
    carom_ray ray = {{4.1, 4.2, -3.0}, {0.01, 0.02, 1.0}, INFINITY};
    BASE_TRY(carom_ray_cast(query, &at, &ray, CAROM_RAY_ALL, &hits));
    *hash = *hash * 31 + hits.hash + within;
    return CAROM_OK;
}

static carom_status step_ask(bench *b, uint64_t *hash)
{
    carom_query *query = NULL;
    carom_status status = carom_query_create(b->context, &query);
    assert_int_equal(status == CAROM_OK, query != NULL);
    if (status == CAROM_OK)
        status = ask(b, query, hash);
    carom_query_destroy(query);
    return status;
}

/* ---- failures ---- */

static uint64_t fail_each(bench *b, step_fn *step, const char *name)
{
    uint64_t truth = 0, failures = 0, level = b->memory.bytes_out;
    b->memory.fail_at = 0;
    assert_int_equal(step(b, &truth), CAROM_OK);
    for (uint64_t k = 1;; k++)
    {
        uint64_t hash = 0;
        failing_arm(&b->memory, k);
        carom_status status = step(b, &hash);
        b->memory.fail_at = 0;
        if (b->memory.bytes_out != level)
            fail_msg("%s, %s, %s: allocation %lu failed: bytes leaked", name, carom_volume_name(b->def.volume),
                     carom_builder_name(b->def.builder), (unsigned long)k);
        if (status != CAROM_OK)
            assert_int_equal(status, CAROM_OUT_OF_MEMORY), failures++;
        else
            assert_int_equal(hash, truth); /* data that is only for speed may be missing */
        if (!b->memory.failed)
            break;
        if (k % 8 == 1)
        {
            assert_int_equal(step(b, &hash), CAROM_OK);
            assert_int_equal(hash, truth);
        }
    }
    return failures;
}

static uint64_t fail_kind(const carom_tree_def *def)
{
    static const struct
    {
        const char *name;
        step_fn *step;
    } steps[] = {{"create", step_create}, {"store", step_stored}, {"load", step_cached}, {"bake", step_bake},
                 {"unbake", step_unbake}, {"refit", step_refit},  {"ask", step_ask}};
    bench b;
    uint64_t failures = 0, before, after;
    open_bench(&b, def);
    assert_int_equal(step_ask(&b, &before), CAROM_OK);
    for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
        failures += fail_each(&b, steps[i].step, steps[i].name);
    /* after all that, the tree answers as it did */
    assert_int_equal(step_ask(&b, &after), CAROM_OK);
    assert_int_equal(before, after);
    close_bench(&b);
    return failures;
}

static void every_layout(void **state)
{
    (void)state;
    uint64_t failures = 0;
    for (int preset = CAROM_TREE_FAST; preset <= CAROM_TREE_RAYS; preset++)
    {
        carom_tree_def def = carom_tree_def_preset((carom_tree_preset)preset);
        failures += fail_kind(&def);
    }
    print_message("%lu failures\n", (unsigned long)failures);
    assert_true(failures > 60);
}

static void every_builder_and_volume(void **state)
{
    (void)state;
    uint64_t failures = 0;
    for (int i = 0; i < CAROM_BUILDER_COUNT; i++)
    {
        carom_tree_def def = carom_tree_def_default();
        def.layout = CAROM_LAYOUT_BINARY;
        def.builder = (carom_builder)i, def.volume = (carom_volume)(i % CAROM_VOLUME_COUNT);
        failures += fail_kind(&def);
    }
    print_message("%lu failures\n", (unsigned long)failures);
    assert_true(failures > 160);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_layout), cmocka_unit_test(every_builder_and_volume)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
