/* Engine `geoimage` with budgets, and when its device or memory is lost. */
#include "engine/batches.h"

#include "support/failing.h"

static const uint64_t SEED = 20261119;

static void budgets_end_and_go_on(void **unused)
{
    (void)unused;
    assert_true(check_budgets("geoimage", COMPUTE_PROCESSOR, SEED + 4) > 3);
}

static void a_lost_device_is_replaced(void **unused)
{
    (void)unused;
    check_lost_devices("geoimage", SEED + 5);
}

static void too_small_a_device_says_so(void **unused)
{
    (void)unused;
    check_too_small_device("geoimage", SEED + 6);
}

static void no_memory_while_meshes_join(void **unused)
{
    (void)unused;
    assert_true(check_memory_while_growing("geoimage") > 30);
}

/* Every allocation of two frames fails once: an answer, or a status, and nothing is left behind. */
static void no_memory(void **unused)
{
    (void)unused;
    failing memory = {0};
    carom_context *context;
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    carom_mesh *meshes[2] = {stage_mesh(context, GENERATE_ICO_SPHERE, 40, 1.0),
                             stage_mesh(context, GENERATE_BLOB, 40, 1.0)};
    duo d = duo_open(context, meshes, carom_pose_translation(0.3, 0, 0));
    carom_frame frame;
    assert_int_equal(carom_scene_frame(d.scene, &frame), CAROM_OK);
    setenv("CAROM_COMPUTE", "processor", 1);
    uint64_t failures = 0, truth = 0;
    for (uint64_t k = 0; k <= 1 || memory.failed; k++)
    {
        carom_engine *engine = NULL;
        carom_scene_report report = {0};
        uint64_t blocks = memory.blocks_out;
        failing_arm(&memory, k);
        carom_status status = carom_engine_create(context, &(carom_engine_def){.engine = "geoimage"}, &engine);
        if (status == CAROM_OK)
            status = carom_engine_run(engine, &frame, NULL, &report);
        bool failed = memory.failed;
        failing_arm(&memory, 0);
        memory.failed = failed;
        truth = k == 0 ? report.hash : truth;
        if (status == CAROM_OK)
            assert_true(report.hash == truth);
        else
            assert_int_equal(status, CAROM_OUT_OF_MEMORY);
        failures += status != CAROM_OK;
        carom_engine_destroy(engine);
        if (k > 0) /* the first run made the meshes' trees */
            assert_int_equal(memory.blocks_out, blocks);
    }
    unsetenv("CAROM_COMPUTE");
    assert_true(failures > 30);
    carom_scene_destroy(d.scene);
    carom_mesh_destroy(meshes[0]), carom_mesh_destroy(meshes[1]);
    carom_context_destroy(context);
    assert_int_equal(memory.blocks_out, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(budgets_end_and_go_on),
                                       cmocka_unit_test(a_lost_device_is_replaced),
                                       cmocka_unit_test(no_memory_while_meshes_join),
                                       cmocka_unit_test(too_small_a_device_says_so), cmocka_unit_test(no_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
