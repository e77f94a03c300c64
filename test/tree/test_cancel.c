/* A tree that takes long to build asks the caller's hook again and again, whatever builds it and whatever volumes it
 * gets; ended at any of these steps, it leaves nothing behind, and the mesh can be used. */
#include "query/world.h"
#include "support/failing.h"

typedef struct watched
{
    uint64_t steps, stop_at; /* 0: never */
    bool of_trees, within;   /* false: a step of something else, or one that is beyond its total */
} watched;

static bool watch(const carom_progress *progress, void *user)
{
    watched *seen = (watched *)user;
    seen->of_trees = seen->of_trees && strcmp(progress->stage, "tree") == 0;
    seen->within = seen->within && progress->done < progress->total;
    return ++seen->steps != seen->stop_at;
}

typedef struct bench
{
    failing memory;
    watched seen;
    carom_context *context;
    carom_mesh *mesh;
} bench;

static void open_bench(bench *b, uint32_t triangles)
{
    *b = (bench){0};
    carom_context_def def = carom_context_def_default();
    def.allocator = (carom_allocator){failing_allocate, failing_release, &b->memory};
    def.progress = watch, def.progress_user = &b->seen;
    assert_int_equal(carom_context_create(&def, &b->context), CAROM_OK);
    generate_def shape = generate_def_default(GENERATE_BLOB);
    shape.triangles = triangles;
    assert_int_equal(generate_mesh(b->context, &shape, &b->mesh), CAROM_OK);
}

/* Steps of a whole build; then it is ended at the first two, a middle and the last one. */
static uint64_t cancel(bench *b, const carom_tree_def *def)
{
    carom_tree *tree = NULL;
    b->seen = (watched){.of_trees = true, .within = true};
    assert_int_equal(carom_tree_create(b->context, b->mesh, def, &tree), CAROM_OK);
    assert_true(b->seen.of_trees && b->seen.within);
    carom_tree_destroy(tree);
    const uint64_t steps = b->seen.steps, ends[4] = {1, 2, (steps + 1) / 2, steps}, out = b->memory.bytes_out;
    for (int i = 0; i < 4; i++)
    {
        b->seen = (watched){.stop_at = ends[i]};
        assert_int_equal(carom_tree_create(b->context, b->mesh, def, &tree), CAROM_CANCELLED);
        assert_null(tree);
        assert_int_equal(b->seen.steps, ends[i]); /* the hook is not asked again */
        assert_int_equal(b->memory.bytes_out, out);
    }
    return steps;
}

static void every_builder_asks(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, 100000);
    for (int i = 0; i < CAROM_BUILDER_COUNT; i++)
    {
        carom_tree_def def = carom_tree_def_default();
        def.layout = CAROM_LAYOUT_BINARY, def.builder = (carom_builder)i, def.volume = CAROM_VOLUME_AABB;
        uint64_t steps = cancel(&b, &def);
        print_message("%s: %lu steps\n", carom_builder_name(def.builder), (unsigned long)steps);
        assert_true(steps >= 4);
    }
    carom_mesh_destroy(b.mesh);
    carom_context_destroy(b.context);
    assert_int_equal(b.memory.bytes_out, 0);
}

static void every_volume_asks(void **state)
{
    (void)state;
    bench b;
    open_bench(&b, 50000);
    for (int i = 0; i < CAROM_VOLUME_COUNT; i++)
    {
        carom_tree_def def = carom_tree_def_default();
        def.layout = CAROM_LAYOUT_BINARY, def.volume = (carom_volume)i;
        assert_true(cancel(&b, &def) >= 3);
    }
    carom_mesh_destroy(b.mesh);
    carom_context_destroy(b.context);
    assert_int_equal(b.memory.bytes_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_builder_asks), cmocka_unit_test(every_volume_asks)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
