/* Engine `geoimage` against brute force: on every kind of device, with every limit, and with workers. */
#include "engine/batches.h"
#include "engine/geoimage/mipmap.h"

static const uint64_t SEED = 20261119;

static const batch_limits LIMITS[LIMIT_COUNT] = {{0, 0}, {64, 0}, {MIPMAP_CHILDREN, 0}, {0, 400000}};

/* The same hash; and where everything is searched, the same number of tests. The smallest frontier takes thousands of
 * rounds: there with fewer triangles. */
static void every_device_and_limit_agrees(void **unused)
{
    (void)unused;
    world w = world_open();
    carom_engine *brute = open_named(w.context, "brute");
    stage stages[2] = {stage_open(w.context, SEED, 600), stage_open(w.context, SEED, 60)};
    counts expected[2] = {0};
    int opened = 0;
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
        for (size_t limit = 0; limit < LIMIT_COUNT; limit++)
        {
            carom_engine *engine = open_on(w.context, "geoimage", kind);
            int small = LIMITS[limit].frontier == MIPMAP_CHILDREN;
            if (!engine)
                continue;
            counts found = compare_limit(engine, brute, &stages[small], LIMITS[limit], small ? 51 : 1);
            if (expected[small].boxes == 0)
                expected[small] = found;
            assert_memory_equal(&found, &expected[small], sizeof found);
            assert_int_equal(compute_kind_of(state_of(engine)->device.device), kind); /* it was not given up */
            carom_engine_destroy(engine);
            opened++;
        }
    print_message("%d engines, %llu tests of boxes, %llu of triangles\n", opened, (unsigned long long)expected[0].boxes,
                  (unsigned long long)expected[0].triangles);
    assert_true(expected[0].boxes > 1000 && expected[0].triangles > 100 && expected[0].candidates > 100);
    assert_true(expected[1].boxes > 200 && expected[1].triangles > 20 && expected[1].candidates > 20);
    assert_true(opened >= 4);
    stage_close(&stages[0]), stage_close(&stages[1]);
    carom_engine_destroy(brute);
    world_close(&w);
}

static void a_hundred_runs_are_the_same(void **unused)
{
    (void)unused;
    check_a_hundred_runs("geoimage", SEED + 1, (const uint32_t[2]){300, 20}, LIMITS, 0);
}

static void any_number_of_workers(void **unused)
{
    (void)unused;
    uint64_t truth[QUESTIONS] = {0};
    for (uint32_t workers = 0; workers <= 8; workers = workers < 4 ? workers + 1 : 2 * workers)
    {
        carom_context *context;
        carom_context_def def = carom_context_def_default();
        def.workers = workers;
        assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
        stage s = stage_open(context, SEED + 2, 500);
        carom_engine *engine = open_on(context, workers > 0 ? "geoimage" : "brute", COMPUTE_PROCESSOR);
        for (int number = 0; number < QUESTIONS; number++)
        {
            carom_collide_options options = question(number);
            uint64_t hash = run(engine, s.scene, &options).hash;
            truth[number] = workers == 0 ? hash : truth[number];
            assert_true(hash == truth[number]);
        }
        carom_engine_destroy(engine);
        stage_close(&s);
        carom_context_destroy(context);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(every_device_and_limit_agrees),
                                       cmocka_unit_test(a_hundred_runs_are_the_same),
                                       cmocka_unit_test(any_number_of_workers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
