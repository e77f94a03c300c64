/* Reentrancy: threads with query objects of their own share a context, meshes and trees, and get the answers that one
 * thread gets. Built with the thread sanitizer, it also shows that nothing is written that they share. */
#include "query/world.h"

#include <pthread.h>

enum
{
    THREADS = 4,
    ROUNDS = 40
};

typedef struct shared
{
    carom_context *context;
    const carom_mesh *torus, *knot;
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
    for (int i = 0; i < ROUNDS && status < CAROM_FIRST_ERROR; i++)
    {
        carom_placed a = {s->torus, s->torus_tree, world_random_pose(&random, 0.1)};
        carom_placed b = {s->knot, i % 4 ? s->knot_tree : NULL, world_random_pose(&random, 0.6)};
        carom_report report;
        carom_collide_options options = {.mode = (carom_collide_mode)(i % 3), .relation = i % 2 == 0};
        status = carom_collide(query, &a, &b, &options, &report);
        *hash = *hash * 31 + report.hash;
        if (status < CAROM_FIRST_ERROR)
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
    shared s = {w.context, torus, knot, torus_tree, knot_tree};
    worker alone = {.shared = &s}, workers[THREADS];
    run_worker(&alone);
    assert_true(alone.status < CAROM_FIRST_ERROR);
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
        assert_true(workers[i].status < CAROM_FIRST_ERROR);
        assert_int_equal(workers[i].hash, alone.hash);
    }
    carom_tree_destroy(torus_tree);
    carom_tree_destroy(knot_tree);
    carom_mesh_destroy(torus);
    carom_mesh_destroy(knot);
    world_close(&w);
}

/* ---- threads that the host lends ---- */

typedef struct lent_range
{
    carom_task_fn *task;
    void *task_data;
    uint32_t first, last, worker;
} lent_range;

static void *run_range(void *data)
{
    const lent_range *range = data;
    range->task(range->first, range->last, range->worker, range->task_data);
    return NULL;
}

/* Ranges of different lengths, each on a thread of its own, the last one first. user: how many ranges there were. */
static void lend_threads(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
{
    lent_range ranges[THREADS];
    pthread_t threads[THREADS];
    uint32_t used = 0, first = 0;
    for (; used < THREADS && first < count; used++)
    {
        uint32_t length = min_range * (used + 1) + used;
        uint32_t last = used + 1 == THREADS || count - first <= length ? count : first + length;
        ranges[used] = (lent_range){task, task_data, first, last, used};
        first = last;
    }
    for (uint32_t i = used; i-- > 0;)
        assert_int_equal(pthread_create(&threads[i], NULL, run_range, &ranges[i]), 0);
    for (uint32_t i = 0; i < used; i++)
        pthread_join(threads[i], NULL);
    *(uint32_t *)user += used;
}

/* The tree as bytes. */
static void bake_with(const carom_task_hooks *tasks, carom_volume volume, void *out, size_t *size)
{
    carom_context_def def = carom_context_def_default();
    def.tasks = *tasks;
    world w = {0};
    assert_int_equal(carom_context_create(&def, &w.context), CAROM_OK);
    carom_mesh *knot = world_shape(&w, GENERATE_TORUS_KNOT, 2000);
    carom_tree_def kind = carom_tree_def_default();
    kind.layout = CAROM_LAYOUT_BINARY, kind.volume = volume;
    carom_tree *tree;
    void *block;
    size_t room = *size;
    assert_int_equal(carom_tree_create(w.context, knot, &kind, &tree), CAROM_OK);
    assert_int_equal(carom_bake(w.context, tree, &block, size), CAROM_OK);
    assert_true(*size <= room);
    memcpy(out, block, *size);
    carom_baked_destroy(w.context, block, *size);
    carom_tree_destroy(tree);
    carom_mesh_destroy(knot);
    world_close(&w);
}

static void lent_threads_build_the_same_trees(void **state)
{
    (void)state;
    enum
    {
        ROOM = 1 << 21
    };
    uint32_t ranges = 0;
    const carom_task_hooks none = {0}, lent = {lend_threads, THREADS, &ranges};
    unsigned char *blocks[2] = {malloc(ROOM), malloc(ROOM)};
    for (int volume = 0; volume < CAROM_VOLUME_COUNT; volume++)
    {
        size_t sizes[2] = {ROOM, ROOM};
        ranges = 0;
        bake_with(&none, (carom_volume)volume, blocks[0], &sizes[0]);
        bake_with(&lent, (carom_volume)volume, blocks[1], &sizes[1]);
        assert_true(ranges >= THREADS); /* in one run or more */
        assert_int_equal(sizes[0], sizes[1]);
        assert_memory_equal(blocks[0], blocks[1], sizes[0]);
    }
    free(blocks[0]), free(blocks[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_get_the_same_answers),
                                       cmocka_unit_test(lent_threads_build_the_same_trees)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
