/* When the stream engines draw: each batch of passes is drawn or computed, whichever was measured to be faster, in any
 * order and after interruptions. The times are made up here; in the last test, a driver is slow indeed. */
#include "crowd.h"
#include "engine/stream/stream.h"
#include "support/gpu_hooks.h"
#include "support/gpu_test.h"
#include "support/gpu_wrap.h"

/* What a machine takes, in seconds. */
typedef struct machine
{
    double pass, pixel; /* drawn: per batch, and per edge and record */
    double upload;      /* drawn: per edge of a packed texture */
    double call, test;  /* computed: per batch, and per edge and record */
    double busy;        /* how often other work interrupts a batch, by a millisecond */
} machine;

static const machine SOFTWARE = {50e-6, 13e-9, 20e-9, 0.3e-6, 45e-9, 0.0}, /* Mesa's software driver */
    BUSY = {50e-6, 13e-9, 20e-9, 0.3e-6, 45e-9, 0.02}, CARD = {30e-6, 0.05e-9, 2e-9, 0.3e-6, 45e-9, 0.0},
                     SLOW_CARD = {5e-3, 0.05e-9, 2e-9, 0.3e-6, 45e-9, 0.0},
                     STUCK = {50e-3, 0.05e-9, 2e-9, 0.3e-6, 45e-9, 0.0}; /* never the faster one */

typedef struct chooser
{
    stream_state state;
    check_random random;
    double best, spent; /* seconds: the faster way each time, and what was chosen */
    uint32_t drawn, right, batches;
} chooser;

static double seconds_of(const machine *m, bool drawn, uint32_t records, stream_set set)
{
    double tests = (double)records * set.count;
    return drawn ? m->pass + m->pixel * tests + (set.list ? m->upload * set.count : 0.0) : m->call + m->test * tests;
}

/* What it is said to take: clocks are not precise, and other work interrupts. */
static double measured(chooser *c, const machine *m, double seconds)
{
    bool interrupted = check_uniform(&c->random, 0.0, 1.0) < m->busy;
    return seconds * exp(check_uniform(&c->random, -0.7, 0.7)) + (interrupted ? 1e-3 : 0.0);
}

/* Batches of one to eight records; sets from one edge to so many, which are half of the time some of all edges.
 * disturbed: what the first batch takes longer. */
static void search_sets(chooser *c, const machine *m, uint32_t batches, double max_set, double disturbed)
{
    static const uint32_t some[1];
    c->best = c->spent = 0.0, c->drawn = c->right = 0, c->batches = batches;
    for (uint32_t i = 0; i < batches; i++)
    {
        uint32_t count = (uint32_t)exp(check_uniform(&c->random, 0.0, log(max_set)));
        uint32_t records = 1 + (uint32_t)(check_next(&c->random) % STREAM_BATCH);
        stream_set set = {check_next(&c->random) % 2 ? some : NULL, count};
        bool drawn = stream_choose(&c->state, records, set);
        double ways[2] = {seconds_of(m, false, records, set), seconds_of(m, true, records, set)};
        stream_note_seconds(&c->state, drawn, records, set, measured(c, m, ways[drawn]) + (i == 0 ? disturbed : 0.0));
        c->best += fmin(ways[0], ways[1]), c->spent += ways[drawn];
        c->drawn += drawn, c->right += ways[drawn] <= 1.1 * ways[!drawn];
    }
}

static void search(chooser *c, const machine *m, uint32_t batches, double disturbed)
{
    search_sets(c, m, batches, 60000.0, disturbed);
}

static void test_measured(void **state)
{
    (void)state;
    const machine machines[] = {SOFTWARE, CARD, SLOW_CARD, BUSY};
    for (int i = 0; i < 4; i++)
    {
        chooser c = {.random = {.state = 7 + (uint64_t)i}};
        search(&c, &machines[i], 2000, 0.0); /* learns */
        search(&c, &machines[i], 4000, 0.0);
        print_message("machine %d: %u of %u drawn, %.1f %% right, %.3f times the fastest\n", i, c.drawn, c.batches,
                      100.0 * c.right / c.batches, c.spent / c.best);
        assert_true(c.drawn > 50 && c.drawn < 3950);
        assert_true(c.right > 0.8 * c.batches && c.spent < 1.15 * c.best);
    }
}

/* Thousands of small sets, as below the boxes that few edges meet: hardly one is drawn, though other work interrupts.
 */
static void test_small_sets(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++)
    {
        chooser c = {.random = {.state = seed}};
        search(&c, &BUSY, 200, 0.0);
        search_sets(&c, &BUSY, 4000, 300.0, 0.0);
        if (c.drawn > 200 || c.spent >= 1.15 * c.best)
            fail_msg("seed %u: %u of %u drawn, %.3f times the fastest", (unsigned)seed, c.drawn, c.batches,
                     c.spent / c.best);
    }
}

/* The machine changes while the engine runs, in both directions. */
static void test_changes(void **state)
{
    (void)state;
    chooser c = {.random = {.state = 11}};
    const machine *machines[] = {&CARD, &SLOW_CARD, &CARD, &SOFTWARE, &CARD, &STUCK, &CARD};
    for (int i = 0; i < 7; i++)
    {
        search(&c, machines[i], 8000, 0.0); /* learns */
        search(&c, machines[i], 2000, 0.0);
        print_message("then: %u of %u drawn, %.3f times the fastest\n", c.drawn, c.batches, c.spent / c.best);
        assert_true(c.spent < 1.15 * c.best);
    }
}

/* A program that is compiled, or other work: one batch takes 50 ms longer. */
static void test_interruption(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= 20; seed++)
    {
        chooser c = {.random = {.state = seed}};
        search(&c, &CARD, seed % 2 ? 0 : 500, 0.0);
        search(&c, &CARD, 2000, 50e-3);
        search(&c, &CARD, 2000, 0.0);
        if (c.spent >= 1.25 * c.best)
            fail_msg("seed %u: %.3f times the fastest", (unsigned)seed, c.spent / c.best);
    }
}

/* What was not measured is tried where it can't take long. */
static void test_unknown(void **state)
{
    (void)state;
    static const uint32_t some[1];
    stream_state fresh = {0};
    assert_false(stream_choose(&fresh, 8, (stream_set){some, 100}));
    assert_false(stream_choose(&fresh, 8, (stream_set){NULL, 2000}));
    assert_true(stream_choose(&fresh, 8, (stream_set){NULL, 30000}));
    stream_note_seconds(&fresh, false, 8, (stream_set){some, 100}, 1.0); /* the first, which is not believed */
    assert_false(stream_choose(&fresh, 8, (stream_set){some, 100}));
    stream_note_seconds(&fresh, false, 8, (stream_set){some, 100}, 30e-6);
    assert_false(stream_choose(&fresh, 8, (stream_set){some, 100}));
    assert_true(stream_choose(&fresh, 8, (stream_set){NULL, 2000}));
}

static void test_orders(void **state)
{
    (void)state;
    stream_state always = {.always = true}, processor = {.processor = true};
    for (uint32_t i = 0; i < 1000; i++)
    {
        stream_set set = {NULL, 1 + 40 * i};
        assert_true(stream_choose(&always, 1, set));
        assert_false(stream_choose(&processor, 1, set));
        stream_note_seconds(&always, true, 1, set, 1.0);
        stream_note_seconds(&processor, false, 1, set, 1.0);
    }
}

/* ---- a driver that is slow ---- */

#define REAL(name) ((__typeof__(((gpu_gl_functions *)0)->name))hooks.own_found)

static void draw_slowly(gl_enum mode, int first, int count, int instances, unsigned first_instance)
{
    REAL(DrawArraysInstancedBaseInstance)(mode, first, count, instances, first_instance);
    for (double end = base_now() + 2e-3; base_now() < end;)
        ;
}

/* Of a thousand passes, those that are drawn while two rings of 8,000 edges each are searched. */
static uint64_t count_drawn(const crowd *c, bool slow)
{
    carom_engine *tree = crowd_engine(c, &(carom_engine_def){.engine = "tree"});
    gpu_wrap_reset();
    wrap.hooked = true;
    if (slow)
        hooks.own_name = "glDrawArraysInstancedBaseInstance", hooks.own = (gpu_function *)draw_slowly;
    carom_engine *engine = crowd_engine(c, &(carom_engine_def){.engine = "scd2", .broad_phase = "all"});
    for (int i = 0; i < 3; i++)
    {
        carom_scene_report truth, report;
        assert_int_equal(crowd_run(c, tree, CAROM_COLLIDE_ALL, &truth), CAROM_OK);
        assert_int_equal(crowd_run(c, engine, CAROM_COLLIDE_ALL, &report), CAROM_OK);
        assert_true(report.hash == truth.hash && report.pair_count > 0);
    }
    carom_engine_stats stats = carom_engine_get_stats(engine);
    print_message("%s driver: %llu passes drawn, %llu computed\n", slow ? "slow" : "usual",
                  (unsigned long long)stats.passes, (unsigned long long)stats.passes_computed);
    carom_engine_destroy(engine), carom_engine_destroy(tree);
    gpu_wrap_check();
    assert_true(stats.passes > 0 && stats.passes_computed > 0);
    return 1000 * stats.passes / (stats.passes + stats.passes_computed);
}

static void test_slow_driver(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    world w = world_open();
    carom_mesh *ring = world_shape(&w, GENERATE_TORUS, 5400);
    crowd c = {.context = w.context};
    assert_int_equal(carom_scene_create(w.context, &c.scene), CAROM_OK);
    for (int i = 0; i < 2; i++)
    {
        carom_body_def body = carom_body_def_default();
        carom_body_id id;
        body.placed = world_place(ring, 0.4 * i, 0.1 * i, 0.0);
        assert_int_equal(carom_scene_add(c.scene, &body, &id), CAROM_OK);
    }
    assert_in_range(count_drawn(&c, true), 0, 20);
    count_drawn(&c, false);
    carom_scene_destroy(c.scene);
    carom_mesh_destroy(ring);
    world_close(&w);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_measured),     cmocka_unit_test(test_small_sets), cmocka_unit_test(test_changes),
        cmocka_unit_test(test_interruption), cmocka_unit_test(test_unknown),    cmocka_unit_test(test_orders),
        cmocka_unit_test(test_slow_driver),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
