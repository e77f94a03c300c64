/* Faults of the driver and of memory, at every call in turn: a clean status that names the call, nothing left behind,
 * and a device that can be closed and opened again. */
#include "support/failing.h"
#include "support/gpu_hooks.h"
#include "support/gpu_test.h"

#include "gpu/device.h"

/* Opens, draws, closes. driver_left: what the session did not delete. */
static carom_status whole_session(carom_context *context, const gpu_device_def *def, int64_t *driver_left)
{
    gpu_device *device;
    bool right;
    *driver_left = 0;
    carom_status status = gpu_open(context, def, &device);
    if (carom_failed(status))
        return status;
    status = gpu_session_run(device, 42, &right);
    *driver_left = gpu_hooks_alive();
    gpu_close(device);
    if (!carom_failed(status))
        assert_true(right);
    return status;
}

static void check_nothing_left(uint64_t call, int64_t driver_left)
{
    if (driver_left != 0 || hooks.alive[HOOK_CONTEXTS] != 0 || hooks.alive[HOOK_SURFACES] != 0)
        fail_msg("fault at call %llu: %lld objects, %lld contexts, %lld surfaces are left", (unsigned long long)call,
                 (long long)driver_left, (long long)hooks.alive[HOOK_CONTEXTS], (long long)hooks.alive[HOOK_SURFACES]);
}

/* The k-th question for an error gets one, for every k. */
static void run_gl_errors(carom_context *context, gl_enum error, carom_status expected)
{
    uint64_t k = 1;
    for (;; k++)
    {
        gpu_device_def def = gpu_hooks_def(GPU_PLATFORM_SURFACELESS);
        int64_t left;
        hooks.gl_error_at = k, hooks.gl_error = error;
        carom_status status = whole_session(context, &def, &left);
        uint64_t asked = hooks.gl_errors_asked;
        check_nothing_left(k, left);
        if (asked < k)
        {
            gpu_test_ok(context, status);
            break;
        }
        char message[256];
        carom_context_message(context, message, sizeof message);
        /* while a device is opened, whatever is wrong with it means that there is none */
        bool right = status == expected || (status == CAROM_UNAVAILABLE && strstr(message, "no driver"));
        if (!right || (!strstr(message, "gl") && !strstr(message, "lost")))
            fail_msg("error 0x%04x at call %llu: %s (%s)", error, (unsigned long long)k, carom_status_name(status),
                     message);
    }
    print_message("error 0x%04x injected at each of %llu calls\n", error, (unsigned long long)(k - 1));
    assert_true(k > 100);
}

static void test_out_of_driver_memory(void **state)
{
    gpu_test_needs_driver();
    run_gl_errors(*state, GL_OUT_OF_MEMORY, CAROM_OUT_OF_MEMORY);
}

static void test_refused_calls(void **state)
{
    gpu_test_needs_driver();
    run_gl_errors(*state, GL_INVALID_OPERATION, CAROM_UNSUPPORTED);
}

static void test_lost_at_each_call(void **state)
{
    gpu_test_needs_driver();
    run_gl_errors(*state, GL_CONTEXT_LOST, CAROM_UNAVAILABLE);
}

/* The same for the calls of EGL, on every platform in turn. */
static void test_egl_failures(void **state)
{
    carom_context *context = *state;
    gpu_test_needs_driver();
    for (int mode = 0; mode < 3; mode++)
    {
        uint64_t k = 1, failed = 0;
        for (;; k++)
        {
            gpu_device_def def = gpu_hooks_def(mode == 0 ? GPU_PLATFORM_AUTO : GPU_PLATFORM_DEVICE);
            int64_t left;
            if (mode == 2)
                hooks.without[0] = "EGL_KHR_surfaceless_context", hooks.without[1] = "EGL_KHR_no_config_context";
            hooks.egl_failure_at = k;
            carom_status status = whole_session(context, &def, &left);
            uint64_t calls = hooks.egl_calls;
            check_nothing_left(k, left);
            if (calls < k)
            {
                gpu_test_ok(context, status);
                break;
            }
            failed += status == CAROM_UNAVAILABLE;
            assert_true(status == CAROM_OK ||
                        status == CAROM_UNAVAILABLE); /* another platform, or no reports of resets */
        }
        print_message("mode %d: EGL failed at each of %llu calls, %llu times for good\n", mode,
                      (unsigned long long)(k - 1), (unsigned long long)failed);
        assert_true(k > 5 && failed > 0);
    }
}

/* Our own memory, at every allocation. */
static void test_out_of_memory(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    failing memory = {0};
    carom_context *context;
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    uint64_t k = 1, before = memory.blocks_out;
    for (;; k++)
    {
        gpu_device_def def = gpu_hooks_def(GPU_PLATFORM_DEVICE);
        int64_t left;
        failing_arm(&memory, k);
        carom_status status = whole_session(context, &def, &left);
        bool failed = memory.failed;
        failing_arm(&memory, 0);
        check_nothing_left(k, left);
        assert_int_equal(memory.blocks_out, before);
        if (!failed)
        {
            gpu_test_ok(context, status);
            break;
        }
        assert_int_equal(status, CAROM_OUT_OF_MEMORY);
    }
    assert_true(k > 2);
    carom_context_destroy(context);
    assert_int_equal(memory.blocks_out, 0);
}

/* A log that can't be kept still leaves a status. */
static void test_out_of_memory_for_a_log(void **state)
{
    (void)state;
    gpu_test_needs_driver();
    failing memory = {0};
    carom_context *context;
    gpu_device *device;
    gpu_program program;
    const gpu_source bad = {"bad.vert.glsl", "#version 450 core\nnonsense\n"};
    const gpu_program_def def = {.vertex = "bad.vert.glsl", .sources = &bad, .source_count = 1};
    assert_int_equal(failing_context(&memory, &context), CAROM_OK);
    gpu_test_ok(context, gpu_open(context, NULL, &device));
    gpu_test_ok(context, gpu_begin(device));
    failing_arm(&memory, 1);
    gpu_test_fails(context, CAROM_OUT_OF_MEMORY, "bad.vert.glsl", gpu_program_create(device, &def, &program));
    failing_arm(&memory, 0);
    gpu_test_fails(context, CAROM_BAD_DATA, "bad.vert.glsl", gpu_program_create(device, &def, &program));
    assert_int_equal(program.name, 0);
    gpu_test_ok(context, gpu_end(device));
    gpu_close(device);
    carom_context_destroy(context);
    assert_int_equal(memory.blocks_out, 0);
}

static void test_lost_context(void **state)
{
    carom_context *context = *state;
    static const gl_enum resets[] = {GL_GUILTY_CONTEXT_RESET, GL_INNOCENT_CONTEXT_RESET, GL_UNKNOWN_CONTEXT_RESET};
    static const char *const words[] = {"this context caused", "another context caused", "unknown cause"};
    gpu_test_needs_driver();
    for (int i = 0; i < 3; i++)
    {
        gpu_device_def def = gpu_hooks_def(GPU_PLATFORM_AUTO);
        gpu_device *device;
        gpu_session session, other;
        double seconds;
        bool right;
        gpu_test_ok(context, gpu_open(context, &def, &device));
        gpu_test_ok(context, gpu_begin(device));
        gpu_test_ok(context, gpu_session_make(device, &session));
        hooks.reset = resets[i];
        /* what was read is not believed */
        gpu_test_fails(context, CAROM_UNAVAILABLE, words[i], gpu_session_draw(device, &session, 1));
        gpu_test_fails(context, CAROM_UNAVAILABLE, words[i], gpu_clock(device, &seconds));
        gpu_test_fails(context, CAROM_UNAVAILABLE, words[i], gpu_session_make(device, &other));
        gpu_session_destroy(device, &session);
        assert_int_equal(gpu_hooks_alive(), 0);
        gpu_test_fails(context, CAROM_UNAVAILABLE, words[i], gpu_end(device));
        assert_null(device->egl.GetCurrentContext());
        gpu_test_fails(context, CAROM_UNAVAILABLE, words[i], gpu_begin(device));
        hooks.reset = GL_NO_ERROR; /* once lost, always lost */
        gpu_test_fails(context, CAROM_UNAVAILABLE, words[i], gpu_begin(device));
        gpu_close(device);

        gpu_test_ok(context, gpu_open(context, &def, &device));
        gpu_test_ok(context, gpu_session_run(device, 2, &right));
        assert_true(right);
        /* lost between two turns */
        hooks.reset = resets[i];
        gpu_test_fails(context, CAROM_UNAVAILABLE, words[i], gpu_begin(device));
        assert_null(device->egl.GetCurrentContext());
        gpu_close(device);
        hooks.reset = GL_NO_ERROR;
    }
}

/* Lost after all was drawn: neither texels nor counts are believed. */
static void test_lost_before_reading(void **state)
{
    carom_context *context = *state;
    gpu_test_needs_driver();
    for (int i = 0; i < 2; i++)
    {
        gpu_device_def def = gpu_hooks_def(GPU_PLATFORM_AUTO);
        gpu_device *device;
        gpu_session session;
        uint64_t count;
        gpu_test_ok(context, gpu_open(context, &def, &device));
        gpu_test_ok(context, gpu_begin(device));
        gpu_test_ok(context, gpu_session_make(device, &session));
        gpu_test_ok(context, gpu_session_draw(device, &session, 1));
        const gpu_read_def read = {.plane = GPU_COLOR0, .out = session.texels, .size = sizeof session.texels};
        hooks.reset = GL_UNKNOWN_CONTEXT_RESET;
        gpu_test_fails(context, CAROM_UNAVAILABLE, "unknown cause",
                       i == 0 ? gpu_read(device, &session.target, &read)
                              : gpu_query_result(device, &session.query, &count));
        assert_true(gpu_is_lost(device));
        gpu_close(device);
    }
    gpu_hooks_reset();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_out_of_driver_memory), cmocka_unit_test(test_refused_calls),
        cmocka_unit_test(test_lost_at_each_call),    cmocka_unit_test(test_egl_failures),
        cmocka_unit_test(test_out_of_memory),        cmocka_unit_test(test_out_of_memory_for_a_log),
        cmocka_unit_test(test_lost_context),         cmocka_unit_test(test_lost_before_reading),
    };
    return cmocka_run_group_tests(tests, check_open_context, check_close_context);
}
