/* Engines `image` and `cullide` always give the same answer, that of brute force: in every run, for every limit of the
 * driver, size of images and number of workers, and with two contexts on two threads at once. All devices are debug
 * contexts, and none reports an error. */
#include "crowd.h"
#include "support/gpu_test.h"
#include "support/gpu_wrap.h"

#include <pthread.h>

static const char *const ENGINES[] = {"image", "cullide"};

enum
{
    ENGINE_COUNT = sizeof ENGINES / sizeof ENGINES[0]
};

static int begin(void **state)
{
    (void)state;
    gpu_wrap_reset();
    return 0;
}

/* With what it has drawn meanwhile: not nothing. */
static void ask_engine(const crowd *c, const carom_engine_def *def, int runs)
{
    carom_engine *engine = crowd_engine(c, def);
    for (int i = 0; i < runs; i++)
        crowd_ask(c, engine);
    carom_engine_stats stats = carom_engine_get_stats(engine);
    if (strcmp(def->engine, "image") == 0)
        assert_true(stats.images > 0 && (stats.images_apart > 0 || !def->image_always));
    else
        assert_true(stats.draws > 0);
    carom_engine_destroy(engine);
}

static void test_many_runs(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    crowd c = crowd_open(1, 0.0);
    for (int e = 0; e < ENGINE_COUNT; e++)
    {
        ask_engine(&c, &(carom_engine_def){.engine = ENGINES[e], .image_always = true}, 50);
        ask_engine(&c, &(carom_engine_def){.engine = ENGINES[e]}, 50);
    }
    crowd_close(&c);
    gpu_wrap_check();
}

static void test_limits(void **state)
{
    (void)state;
    static const uint32_t sizes[] = {3, 64, 100, 1024, 2048, 4096, 16384};
    gpu_test_needs_driver();
    crowd c = crowd_open(1, 0.0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        for (int which = 0; which < 3; which++)
        {
            wrap.limits = (carom_gpu_limits){0};
            *(which == 0   ? &wrap.limits.texture_size
              : which == 1 ? &wrap.limits.renderbuffer_size
                           : &wrap.limits.viewport_height) = sizes[i];
            wrap.limits.viewport_width = which == 2 ? sizes[i] + 3 : 0;
            ask_engine(&c, &(carom_engine_def){.engine = "image", .image_side = 16, .image_always = true}, 1);
            if (i % 2 == 0)
                ask_engine(&c, &(carom_engine_def){.engine = "cullide"}, 1);
        }
    crowd_close(&c);
    gpu_wrap_check();
}

static void test_sides(void **state)
{
    (void)state;
    static const uint32_t sides[] = {0, 1, 2, 3, 7, 17, 65, 4096};
    gpu_test_needs_driver();
    crowd c = crowd_open(1, 0.0);
    for (size_t i = 0; i < sizeof sides / sizeof sides[0]; i++)
    {
        ask_engine(&c, &(carom_engine_def){.engine = "cullide", .image_side = sides[i]}, 1);
        for (int always = sides[i] < 4096; always >= 0; always--)
            ask_engine(&c,
                       &(carom_engine_def){.engine = "image",
                                           .image_side = sides[i],
                                           .image_always = always != 0,
                                           .image_accuracy = i % 2 ? 1e-300 : 1e300},
                       1);
    }
    crowd_close(&c);
    gpu_wrap_check();
}

static void test_workers(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    for (uint32_t workers = 1; workers <= 8; workers++)
    {
        crowd c = crowd_open(workers, 0.0);
        for (int e = 0; e < ENGINE_COUNT; e++)
            ask_engine(&c, &(carom_engine_def){.engine = ENGINES[e], .image_always = true}, 2);
        crowd_close(&c);
    }
    gpu_wrap_check();
}

/* ---- two at once ---- */

enum
{
    THREAD_RUNS = 8
};

typedef struct thread_work
{
    crowd c;
    carom_engine *engines[ENGINE_COUNT];
    int wrong;
} thread_work;

/* Assertions belong to the main thread. */
static void *work_on_thread(void *data)
{
    thread_work *work = data;
    carom_scene_report report;
    for (int i = 0; i < THREAD_RUNS; i++)
        for (int e = 0; e < ENGINE_COUNT; e++)
        {
            carom_collide_options options = carom_collide_options_default();
            carom_frame frame;
            options.mode = CAROM_COLLIDE_ALL, options.relation = true;
            if (carom_scene_frame(work->c.scene, &frame) != CAROM_OK ||
                carom_engine_run(work->engines[e], &frame, &options, &report) != CAROM_OK ||
                report.hash != work->c.truth)
                work->wrong++;
        }
    return NULL;
}

static void test_two_threads(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    pthread_t threads[2];
    thread_work work[2];
    for (int i = 0; i < 2; i++)
    {
        work[i] = (thread_work){.c = crowd_open(1 + (uint32_t)i, 10.0 * i)};
        for (int e = 0; e < ENGINE_COUNT; e++)
            work[i].engines[e] =
                crowd_engine(&work[i].c, &(carom_engine_def){.engine = ENGINES[e], .image_always = true});
    }
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work_on_thread, &work[i]), 0);
    for (int i = 0; i < 2; i++)
        assert_int_equal(pthread_join(threads[i], NULL), 0);
    for (int i = 0; i < 2; i++)
    {
        assert_int_equal(work[i].wrong, 0);
        for (int e = 0; e < ENGINE_COUNT; e++)
            carom_engine_destroy(work[i].engines[e]);
        crowd_close(&work[i].c);
    }
    gpu_wrap_check();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_many_runs, begin),   cmocka_unit_test_setup(test_limits, begin),
        cmocka_unit_test_setup(test_sides, begin),       cmocka_unit_test_setup(test_workers, begin),
        cmocka_unit_test_setup(test_two_threads, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
