/* Engines that draw images on drivers that fail: none, too old ones, ones that lose their context or refuse a call in
 * the middle of a frame, for good or once. The answer is right or a status says why not, and the next frame works. */
#include "crowd.h"
#include "support/gpu_hooks.h"
#include "support/gpu_test.h"
#include "support/gpu_wrap.h"

static const char *const EXACT[] = {"image", "cullide", "scd2"};

enum
{
    EXACT_COUNT = sizeof EXACT / sizeof EXACT[0]
};

static int begin(void **state)
{
    (void)state;
    gpu_wrap_reset();
    return 0;
}

/* ---- no engine ---- */

static void refuse(carom_context *context, const carom_engine_def *def, carom_status status, const char *words)
{
    carom_engine *engine;
    gpu_test_fails(context, status, words, carom_engine_create(context, def, &engine));
    assert_null(engine);
}

static void test_no_driver(void **state)
{
    (void)state;
    static const char *const names[] = {"image", "image-sampled", "cullide", "scd0"};
    world w = world_open();
    bool driver = carom_gpu_describe(w.context, &(carom_gpu_info){0}) == CAROM_OK;
    for (int i = 0; i < 4; i++)
    {
        carom_engine_def def = {.engine = names[i]};
        wrap.refuse = true;
        refuse(w.context, &def, CAROM_UNAVAILABLE, "switched off");
        wrap.refuse = false, wrap.hooked = true;
        hooks.version = "3.0 Mesa 8.0";
        if (driver)
            refuse(w.context, &def, CAROM_UNAVAILABLE, "OpenGL 3.0, but 4.5 is needed");
        gpu_wrap_reset();
    }
    /* everything else works */
    carom_engine *engine;
    assert_int_equal(carom_engine_create(w.context, &(carom_engine_def){.engine = "tree"}, &engine), CAROM_OK);
    carom_engine_destroy(engine);
    world_close(&w);
}

static void test_arguments(void **state)
{
    (void)state;
    static const char *const names[] = {"image", "image-sampled", "cullide"};
    world w = world_open();
    for (int i = 0; i < 3; i++)
    {
        refuse(w.context, &(carom_engine_def){.engine = names[i], .image_side = 1000000}, CAROM_INVALID_ARGUMENT,
               "image_side is 1000000");
        refuse(w.context, &(carom_engine_def){.engine = names[i], .image_side = 4097}, CAROM_INVALID_ARGUMENT,
               "image_side is 4097");
        refuse(w.context, &(carom_engine_def){.engine = names[i], .image_accuracy = NAN}, CAROM_NOT_FINITE,
               "image_accuracy");
        refuse(w.context, &(carom_engine_def){.engine = names[i], .image_accuracy = INFINITY}, CAROM_NOT_FINITE,
               "image_accuracy");
        refuse(w.context, &(carom_engine_def){.engine = names[i], .image_accuracy = -1.0}, CAROM_INVALID_ARGUMENT,
               "image_accuracy");
    }
    world_close(&w);
}

/* ---- lost in the middle of a frame ---- */

static uint64_t count_drawn(const carom_engine *engine)
{
    carom_engine_stats stats = carom_engine_get_stats(engine);
    return stats.images + stats.draws + stats.passes;
}

/* The calls of the driver that the first two frames of an engine make. */
static uint64_t count_calls(const crowd *c, const carom_engine_def *def)
{
    carom_engine *engine = crowd_engine(c, def);
    hooks.gl_errors_asked = 0;
    crowd_ask(c, engine);
    carom_engine_destroy(engine);
    return hooks.gl_errors_asked;
}

static void lose_at(const crowd *c, const carom_engine_def *def, uint64_t call)
{
    unsigned opened = atomic_load(&wrap.opened);
    carom_engine *engine = crowd_engine(c, def);
    hooks.gl_errors_asked = 0, hooks.gl_error_at = call, hooks.gl_error = GL_CONTEXT_LOST;
    crowd_ask(c, engine);
    assert_true(hooks.gl_errors_asked >= call);
    uint64_t drawn = count_drawn(engine);
    crowd_ask(c, engine);
    assert_true(count_drawn(engine) > drawn);
    assert_int_equal(atomic_load(&wrap.opened), opened + 2); /* one was lost */
    carom_engine_destroy(engine);
    assert_int_equal(hooks.alive[HOOK_CONTEXTS], 0);
}

static void test_lost_at_calls(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    wrap.hooked = true;
    crowd c = crowd_open(1, 0.0);
    for (int e = 0; e < EXACT_COUNT; e++)
    {
        carom_engine_def def = {.engine = EXACT[e], .image_always = true};
        uint64_t calls = count_calls(&c, &def), first = 40, lost = 0;
        /* each of the first calls, which make things, and some of those that draw */
        uint64_t parts = e == 2 ? 6 : 25; /* streams make many calls */
        for (uint64_t k = 1; k <= calls; k += k < first ? 3 : calls / parts, lost++)
            lose_at(&c, &def, k);
        printf("%s: lost at %llu of %llu calls\n", EXACT[e], (unsigned long long)lost, (unsigned long long)calls);
        assert_true(lost > (e == 2 ? 18 : 30) && calls > 500);
    }
    crowd_close(&c);
    gpu_wrap_check();
}

/* Lost between frames, for as long as the driver says so. */
static void test_lost_between_frames(void **state)
{
    (void)state;
    static const gl_enum resets[] = {GL_GUILTY_CONTEXT_RESET, GL_INNOCENT_CONTEXT_RESET, GL_UNKNOWN_CONTEXT_RESET};
    gpu_test_needs_driver();
    wrap.hooked = true;
    crowd c = crowd_open(1, 0.0);
    for (int e = 0; e < EXACT_COUNT; e++)
        for (int i = 0; i < 3; i++)
        {
            carom_engine *engine = crowd_engine(&c, &(carom_engine_def){.engine = EXACT[e], .image_always = true});
            crowd_ask(&c, engine);
            uint64_t drawn = count_drawn(engine);
            hooks.reset = resets[i];
            crowd_ask(&c, engine);
            assert_int_equal(count_drawn(engine), drawn);
            hooks.reset = GL_NO_ERROR;
            crowd_ask(&c, engine);
            assert_true(count_drawn(engine) > drawn);
            carom_engine_destroy(engine);
        }
    crowd_close(&c);
    gpu_wrap_check();
}

static uint64_t resets_asked, reset_at;

static gl_enum reset_once(void) { return ++resets_asked == reset_at ? GL_UNKNOWN_CONTEXT_RESET : GL_NO_ERROR; }

/* Noticed at each question in turn whether there was a reset: when a turn begins, when something was read, when it ends
 * and everything has been answered. */
static void test_reset_at_questions(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    crowd c = crowd_open(1, 0.0);
    wrap.hooked = true;
    hooks.own_name = "glGetGraphicsResetStatus", hooks.own = (gpu_function *)reset_once;
    for (int e = 0; e < EXACT_COUNT; e++)
        for (uint64_t k = 1; k <= 60; k += e == 0 ? 1 : e == 1 ? 3 : 10)
        {
            carom_engine *engine = crowd_engine(&c, &(carom_engine_def){.engine = EXACT[e], .image_always = true});
            carom_scene_report report;
            resets_asked = 0, reset_at = k;
            assert_int_equal(crowd_run(&c, engine, CAROM_COLLIDE_ANY, &report), CAROM_OK);
            assert_true(report.hash == c.any_truth && resets_asked >= k);
            carom_engine_destroy(engine);
        }
    crowd_close(&c);
    gpu_wrap_check();
}

/* The driver is gone after it lost the context: answers stay right, attempts to open it are few, and it is used again
 * when it is back. */
static void test_driver_gone(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    wrap.hooked = true;
    crowd c = crowd_open(1, 0.0);
    for (int e = 0; e < EXACT_COUNT; e++)
    {
        carom_engine *engine = crowd_engine(&c, &(carom_engine_def){.engine = EXACT[e], .image_always = true});
        carom_scene_report report;
        crowd_ask(&c, engine);
        assert_int_equal(crowd_run(&c, engine, CAROM_COLLIDE_ALL, &report), CAROM_OK);
        uint64_t drawn = count_drawn(engine), searches = 0;
        unsigned refused = atomic_load(&wrap.refused);
        hooks.reset = GL_UNKNOWN_CONTEXT_RESET, wrap.refuse = true;
        for (int i = 0; i < 10; i++)
            crowd_ask(&c, engine), searches += 2 * report.body_pairs_examined;
        refused = atomic_load(&wrap.refused) - refused;
        assert_int_equal(count_drawn(engine), drawn);
        assert_true(refused > 0 && refused <= (e != 1 ? searches / 32 : 20));
        hooks.reset = GL_NO_ERROR, wrap.refuse = false;
        for (int i = 0; i < 10 && count_drawn(engine) == drawn; i++)
            crowd_ask(&c, engine);
        assert_true(count_drawn(engine) > drawn);
        printf("%s: %u attempts in %llu searches\n", EXACT[e], refused, (unsigned long long)searches);
        carom_engine_destroy(engine);
    }
    crowd_close(&c);
    gpu_wrap_check();
}

/* What is sampled can't do without images: a status, and the next frame works. */
static void test_sampled_lost(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    wrap.hooked = true;
    crowd c = crowd_open(1, 0.0);
    carom_engine *engine = crowd_engine(&c, &(carom_engine_def){.engine = "image-sampled"});
    carom_scene_report report;
    assert_int_equal(crowd_run(&c, engine, CAROM_COLLIDE_ALL, &report), CAROM_OK);
    uint64_t hash = report.hash;
    for (uint64_t call = 1; call < 4000; call += 397)
    {
        hooks.gl_errors_asked = 0, hooks.gl_error_at = call, hooks.gl_error = GL_CONTEXT_LOST;
        gpu_test_fails(c.context, CAROM_UNAVAILABLE, "lost the context",
                       crowd_run(&c, engine, CAROM_COLLIDE_ALL, &report));
        assert_int_equal(crowd_run(&c, engine, CAROM_COLLIDE_ALL, &report), CAROM_OK);
        assert_true(report.hash == hash);
    }
    carom_engine_destroy(engine);
    crowd_close(&c);
    gpu_wrap_check();
}

/* ---- calls that fail ---- */

/* Errors that are not a lost context come back, with the call's name; the next frame works. */
static void test_refused_calls(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    wrap.hooked = true;
    crowd c = crowd_open(1, 0.0);
    for (int e = 0; e < 2 * EXACT_COUNT; e++)
    {
        carom_engine_def def = {.engine = EXACT[e / 2], .image_always = true};
        uint64_t calls = count_calls(&c, &def) / 2, failures = 0;
        gl_enum error = e % 2 ? GL_OUT_OF_MEMORY : GL_INVALID_OPERATION;
        for (uint64_t k = 1; k <= calls; k += k < 40 ? 2 : calls / (e / 2 == 2 ? 3 : 10))
        {
            carom_engine *engine = crowd_engine(&c, &def);
            carom_scene_report report;
            hooks.gl_errors_asked = 0, hooks.gl_error_at = k, hooks.gl_error = error;
            carom_status status = crowd_run(&c, engine, CAROM_COLLIDE_ALL, &report);
            if (hooks.gl_errors_asked >= k)
            {
                gpu_test_fails(c.context, e % 2 ? CAROM_OUT_OF_MEMORY : CAROM_UNSUPPORTED, "gl", status);
                failures++;
            }
            hooks.gl_error_at = 0;
            crowd_ask(&c, engine);
            carom_engine_destroy(engine);
        }
        assert_true(failures > 20);
    }
    crowd_close(&c);
    gpu_wrap_check();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_no_driver, begin),     cmocka_unit_test_setup(test_arguments, begin),
        cmocka_unit_test_setup(test_lost_at_calls, begin), cmocka_unit_test_setup(test_lost_between_frames, begin),
        cmocka_unit_test_setup(test_driver_gone, begin),   cmocka_unit_test_setup(test_sampled_lost, begin),
        cmocka_unit_test_setup(test_refused_calls, begin), cmocka_unit_test_setup(test_reset_at_questions, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
