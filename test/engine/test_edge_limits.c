/* The four methods of the thesis's chapter 4 under budgets and deadlines, without memory, and with bodies that change.
 */
#include "engine/edge_bodies.h"
#include "support/failing.h"

#include <pthread.h>

/* ---- budgets ---- */

static carom_scene_report run_limited(const setting *s, const char *name, uint64_t work, carom_engine **engine)
{
    *engine = open_engine(s, name, 0);
    carom_collide_options options = make_question(3);
    options.budget.work = work;
    carom_scene_report report;
    carom_status status = carom_engine_run(*engine, &s->frame, &options, &report);
    assert_false(carom_failed(status));
    return report;
}

/* A work budget stops at the same point for any number of workers, and the rest can be resumed. */
static void budgets_stop_at_the_same_point_and_resume(void **state)
{
    (void)state;
    sources *list = new_sources();
    fill_worker_scene(list);
    uint64_t truth[QUESTIONS];
    setting alone = open_setting(NULL, list);
    ask(&alone, "brute", 0, truth);
    carom_context_def def = carom_context_def_default();
    def.workers = 4;
    setting shared = open_setting(&def, list);
    int cut = 0, decided = 0;
    for (int k = 0; k < METHODS; k++)
        for (uint64_t work = 1; work < (uint64_t)1 << 26; work *= 3)
        {
            carom_engine *one, *other;
            carom_scene_report first = run_limited(&alone, NAMES[k], work, &one);
            carom_scene_report second = run_limited(&shared, NAMES[k], work, &other);
            assert_int_equal(first.status, second.status);
            assert_int_equal(first.hash, second.hash);
            assert_int_equal(first.pair_count, second.pair_count);
            cut += first.status == CAROM_UNKNOWN, decided += first.status == CAROM_OK;
            for (int step = 0; first.status == CAROM_UNKNOWN; step++)
            {
                carom_budget more = {.work = 1000000};
                carom_status status = carom_engine_resume(one, &alone.frame, step < 200 ? &more : NULL, &first);
                assert_false(carom_failed(status));
            }
            assert_int_equal(first.hash, truth[3]);
            carom_engine_destroy(one);
            carom_engine_destroy(other);
        }
    assert_true(cut > 10 && decided > 2);
    close_setting(&alone);
    close_setting(&shared);
    free(list);
}

static void deadlines_leave_no_wrong_answer(void **state)
{
    (void)state;
    sources *list = new_sources();
    fill_worker_scene(list);
    uint64_t truth[QUESTIONS];
    carom_context_def def = carom_context_def_default();
    def.workers = 3;
    setting s = open_setting(&def, list);
    ask(&s, "brute", 0, truth);
    for (int k = 0; k < METHODS; k++)
    {
        carom_engine *engine = open_engine(&s, NAMES[k], 0);
        carom_collide_options options = make_question(3);
        carom_scene_report report;
        for (options.budget.seconds = 1e-6; options.budget.seconds < 1e-1; options.budget.seconds *= 4)
        {
            carom_status status = carom_engine_run(engine, &s.frame, &options, &report);
            assert_true(status == CAROM_OK || status == CAROM_UNKNOWN);
            if (status == CAROM_UNKNOWN)
                assert_int_equal(carom_engine_resume(engine, &s.frame, NULL, &report), CAROM_OK);
            assert_int_equal(report.hash, truth[3]);
        }
        carom_engine_destroy(engine);
    }
    close_setting(&s);
    free(list);
}

/* ---- memory ---- */

typedef struct locked_memory
{
    failing memory;
    pthread_mutex_t lock;
} locked_memory;

static void *allocate_locked(size_t size, size_t alignment, void *user)
{
    locked_memory *locked = user;
    pthread_mutex_lock(&locked->lock);
    void *memory = failing_allocate(size, alignment, &locked->memory);
    pthread_mutex_unlock(&locked->lock);
    return memory;
}

static void release_locked(void *memory, size_t size, void *user)
{
    locked_memory *locked = user;
    pthread_mutex_lock(&locked->lock);
    failing_release(memory, size, &locked->memory);
    pthread_mutex_unlock(&locked->lock);
}

/* Creates and runs an engine; *hash is set if that works. */
static carom_status run_engine(const setting *s, const char *name, uint64_t *hash)
{
    carom_engine_def def = {.engine = name, .broad_phase = "all"};
    carom_engine *engine;
    carom_status status = carom_engine_create(s->context, &def, &engine);
    carom_collide_options options = make_question(3);
    carom_scene_report report = {0};
    if (!carom_failed(status))
        status = carom_engine_run(engine, &s->frame, &options, &report);
    *hash = report.hash;
    carom_engine_destroy(engine);
    return status;
}

static void fail_each_allocation(const char *name, uint32_t workers)
{
    locked_memory locked = {0};
    pthread_mutex_init(&locked.lock, NULL);
    carom_context_def def = carom_context_def_default();
    def.allocator = (carom_allocator){allocate_locked, release_locked, &locked};
    def.workers = workers;
    sources *list = new_sources();
    check_random random = {8};
    for (int i = 0; i < 3; i++)
        add_soup(add_body(list, world_random_pose(&random, 0.3)), &random, 60);
    setting s = open_setting(&def, list);
    uint64_t truth, hash, failures = 0;
    assert_int_equal(run_engine(&s, name, &truth), CAROM_OK);
    uint64_t blocks = locked.memory.blocks_out;
    for (uint64_t k = 1;; k++)
    {
        failing_arm(&locked.memory, k);
        carom_status status = run_engine(&s, name, &hash);
        bool failed = locked.memory.failed;
        locked.memory.fail_at = 0;
        assert_int_equal(locked.memory.blocks_out, blocks);
        if (status == CAROM_OK)
            assert_int_equal(hash, truth);
        else
            assert_int_equal(status, CAROM_OUT_OF_MEMORY), failures++;
        if (!failed)
            break;
    }
    assert_true(failures > 20);
    assert_int_equal(run_engine(&s, name, &hash), CAROM_OK);
    assert_int_equal(hash, truth);
    close_setting(&s);
    assert_int_equal(locked.memory.blocks_out, 0);
    free(list);
    pthread_mutex_destroy(&locked.lock);
}

static void failed_allocations_are_clean(void **state)
{
    (void)state;
    for (int k = 0; k < METHODS; k++)
        for (uint32_t workers = 0; workers <= 3; workers += 3)
            fail_each_allocation(NAMES[k], workers);
}

/* ---- assets ---- */

/* A body that changes its shape, comes and goes gets the right edges each time. */
static void shapes_change(void **state)
{
    (void)state;
    check_random random = {12};
    sources *list = new_sources();
    for (int i = 0; i < 3; i++)
        add_soup(add_body(list, world_random_pose(&random, 0.3)), &random, 100);
    setting s = open_setting(NULL, list);
    carom_engine *brute = open_engine(&s, "brute", 0), *engines[METHODS];
    for (int k = 0; k < METHODS; k++)
        engines[k] = open_engine(&s, NAMES[k], 0);
    for (int round = 0; round < 10; round++)
    {
        source *body = &list->items[round % 2];
        for (uint32_t i = 0; i < 3 * body->triangle_count; i++)
            body->corners[i].x += check_uniform(&random, -0.2, 0.2);
        carom_mesh *mesh = soup_mesh(s.context, body->corners, body->triangle_count);
        carom_shape shape = carom_shape_mesh(mesh);
        assert_int_equal(carom_scene_reshape(s.scene, s.frame.bodies[round % 2].id, &shape), CAROM_OK);
        carom_mesh_destroy(mesh);
        assert_int_equal(carom_scene_frame(s.scene, &s.frame), CAROM_OK);
        carom_scene_report truth, report;
        assert_int_equal(carom_engine_run(brute, &s.frame, NULL, &truth), CAROM_OK);
        for (int k = 0; k < METHODS; k++)
        {
            assert_int_equal(carom_engine_run(engines[k], &s.frame, NULL, &report), CAROM_OK);
            assert_int_equal(report.hash, truth.hash);
        }
    }
    for (int k = 0; k < METHODS; k++)
        carom_engine_destroy(engines[k]);
    carom_engine_destroy(brute);
    close_setting(&s);
    free(list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(budgets_stop_at_the_same_point_and_resume),
        cmocka_unit_test(deadlines_leave_no_wrong_answer),
        cmocka_unit_test(failed_allocations_are_clean),
        cmocka_unit_test(shapes_change),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
