/* Reentrancy: threads with separate query objects share a context, meshes and trees, and get the answers that one
 * thread gets. Built with the thread sanitizer, it also shows that nothing is written that they share. */
#include "query/world.h"
#include "support/hosts.h"
#include "tree/tree.h"
#include "volume/volume.h"

#include <pthread.h>

enum
{
    THREADS = 4,
    ROUNDS = 40
};

typedef struct shared
{
    carom_context *context;
    const carom_mesh *knot;
    const carom_tree *torus_tree, *knot_tree;
} shared;

typedef struct worker
{
    const shared *shared;
    uint64_t hash;
    carom_status status;
} worker;

static carom_status work(const shared *s, uint64_t *hash)
{
    carom_query *query;
    BASE_TRY(carom_query_create(s->context, &query));
    check_random random = {.state = 21};
    carom_status status = CAROM_OK;
    for (int i = 0; i < ROUNDS && !carom_failed(status); i++)
    {
        carom_placed a = {carom_shape_tree(s->torus_tree), world_random_pose(&random, 0.1)};
        carom_placed b = {i % 4 ? carom_shape_tree(s->knot_tree) : carom_shape_mesh(s->knot),
                          world_random_pose(&random, 0.6)};
        carom_report report;
        carom_collide_options options = {.mode = (carom_collide_mode)(i % 3), .relation = i % 2 == 0};
        status = carom_collide(query, &a, &b, &options, &report);
        *hash = *hash * 31 + report.hash;
        if (!carom_failed(status))
            status = carom_distance(query, &a, &b, NULL, &report);
        *hash = *hash * 31 + report.hash;
        a.pose.rotation[0] = NAN; /* the message is shared, too */
        if (carom_distance(query, &a, &b, NULL, &report) != CAROM_NOT_FINITE)
            status = CAROM_INVALID_ARGUMENT;
    }
    carom_query_destroy(query);
    return status;
}

static void *run_worker(void *data)
{
    worker *w = data;
    w->status = work(w->shared, &w->hash);
    return NULL;
}

static void threads_get_the_same_answers(void **state)
{
    (void)state;
    world w = world_open();
    carom_mesh *torus = world_shape(&w, GENERATE_TORUS, 2000), *knot = world_shape(&w, GENERATE_TORUS_KNOT, 2000);
    carom_tree *torus_tree, *knot_tree;
    assert_int_equal(carom_tree_create(w.context, torus, NULL, &torus_tree), CAROM_OK);
    assert_int_equal(carom_tree_create(w.context, knot, NULL, &knot_tree), CAROM_OK);
    shared s = {w.context, knot, torus_tree, knot_tree};
    worker alone = {.shared = &s}, workers[THREADS];
    run_worker(&alone);
    assert_false(carom_failed(alone.status));
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++)
    {
        workers[i] = (worker){.shared = &s};
        assert_int_equal(pthread_create(&threads[i], NULL, run_worker, &workers[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
    {
        assert_false(carom_failed(workers[i].status));
        assert_int_equal(workers[i].hash, alone.hash);
    }
    carom_tree_destroy(torus_tree);
    carom_tree_destroy(knot_tree);
    carom_mesh_destroy(torus);
    carom_mesh_destroy(knot);
    world_close(&w);
}

/* ---- threads that the host lends ---- */

/* Ranges of different lengths, each on a thread of its own, the last one first. user: how many ranges there were. */
static void lend_threads(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
{
    host_range ranges[THREADS];
    pthread_t threads[THREADS];
    uint32_t used = 0, first = 0;
    for (; used < THREADS && first < count; used++)
    {
        uint32_t length = min_range * (used + 1) + used;
        uint32_t last = used + 1 == THREADS || count - first <= length ? count : first + length;
        ranges[used] = (host_range){task, task_data, first, last, used, 0};
        first = last;
    }
    for (uint32_t i = used; i-- > 0;)
        assert_int_equal(pthread_create(&threads[i], NULL, host_run_range, &ranges[i]), 0);
    for (uint32_t i = 0; i < used; i++)
        pthread_join(threads[i], NULL);
    *(uint32_t *)user += used;
}

typedef struct bytes
{
    void *block;
    size_t size;
} bytes;

/* The baked block and the volumes of the binary layout, of which the block holds only what takes long to find. */
static void keep_bytes(carom_context *context, const carom_tree *tree, bytes *out)
{
    void *block;
    size_t size, volumes = tree->node_count * volume_floats(tree->def.volume) * sizeof(float);
    assert_int_equal(carom_bake(context, tree, &block, &size), CAROM_OK);
    out->size = size + volumes;
    out->block = malloc(out->size);
    memcpy(out->block, block, size);
    if (volumes)
        memcpy((char *)out->block + size, tree->volumes, volumes);
    carom_baked_destroy(context, block, size);
}

/* The same mesh, twisted: all of it, or a part. */
static carom_mesh *twisted(const carom_mesh *mesh, uint32_t first)
{
    uint32_t count = carom_mesh_get_info(mesh).vertex_count;
    carom_vec3 *vertices = malloc(count * sizeof *vertices);
    memcpy(vertices, carom_mesh_vertices(mesh), count * sizeof *vertices);
    for (uint32_t i = first; i < count; i++)
    {
        carom_vec3 v = vertices[i];
        double angle = 0.5 * v.z, s = sin(angle), c = cos(angle);
        vertices[i] = (carom_vec3){c * v.x - s * v.y, s * v.x + c * v.y, v.z};
    }
    carom_mesh_def def = carom_mesh_def_default();
    def.vertices_f64 = (const double *)vertices, def.vertex_count = count;
    carom_mesh *moved;
    assert_int_equal(carom_mesh_deform(mesh, &def, &moved), CAROM_OK);
    free(vertices);
    return moved;
}

enum
{
    STAGES = 3 /* a tree as built, after a part of the mesh moved, after all of it did */
};

/* Mesh, tree and refits under this def, as bytes. */
static void bake_with(const carom_context_def *def, const carom_tree_def *kind, bytes out[STAGES])
{
    world w = {0};
    assert_int_equal(carom_context_create(def, &w.context), CAROM_OK);
    carom_mesh *knot = world_shape(&w, GENERATE_TORUS_KNOT, 12500);
    carom_mesh *half = twisted(knot, carom_mesh_get_info(knot).vertex_count * 3 / 4), *whole = twisted(knot, 0);
    carom_tree *tree;
    assert_int_equal(carom_tree_create(w.context, knot, kind, &tree), CAROM_OK);
    keep_bytes(w.context, tree, &out[0]);
    assert_int_equal(carom_tree_refit(tree, half), CAROM_OK);
    keep_bytes(w.context, tree, &out[1]);
    assert_int_equal(carom_tree_refit(tree, whole), CAROM_OK);
    keep_bytes(w.context, tree, &out[2]);
    carom_tree_destroy(tree);
    carom_mesh_destroy(half);
    carom_mesh_destroy(whole);
    carom_mesh_destroy(knot);
    world_close(&w);
}

/* The presets, then every volume of the binary layout. */
static bool tree_kind(int index, carom_tree_def *out)
{
    *out = carom_tree_def_preset(index <= CAROM_TREE_RAYS ? (carom_tree_preset)index : CAROM_TREE_FAST);
    if (index <= CAROM_TREE_RAYS)
        return true;
    out->layout = CAROM_LAYOUT_BINARY, out->volume = (carom_volume)(index - CAROM_TREE_RAYS - 1);
    return out->volume < CAROM_VOLUME_COUNT;
}

static void any_number_of_workers_makes_the_same_trees(void **state)
{
    (void)state;
    uint32_t ranges = 0;
    carom_context_def defs[8];
    const uint32_t workers[7] = {0, 1, 2, 3, 4, 8, 32};
    for (int i = 0; i < 8; i++)
    {
        defs[i] = carom_context_def_default();
        if (i < 7)
            defs[i].workers = workers[i];
        else
            defs[i].tasks = (carom_task_hooks){lend_threads, THREADS, &ranges};
    }
    carom_tree_def kind;
    for (int index = 0; tree_kind(index, &kind); index++)
    {
        bytes alone[STAGES], shared[STAGES];
        bake_with(&defs[0], &kind, alone);
        ranges = 0;
        for (int i = 1; i < 8; i++)
        {
            bake_with(&defs[i], &kind, shared);
            for (int stage = 0; stage < STAGES; stage++)
            {
                assert_int_equal(shared[stage].size, alone[stage].size);
                assert_memory_equal(shared[stage].block, alone[stage].block, alone[stage].size);
                free(shared[stage].block);
            }
        }
        assert_true(ranges >= THREADS);
        for (int stage = 0; stage < STAGES; stage++)
            free(alone[stage].block);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_get_the_same_answers),
                                       cmocka_unit_test(any_number_of_workers_makes_the_same_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
