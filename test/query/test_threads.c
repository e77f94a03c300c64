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

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(threads_get_the_same_answers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
