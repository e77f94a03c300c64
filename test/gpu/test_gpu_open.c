/* Devices: every platform, what is wrong where none can be opened, threads, the host's contexts, open and close. */
#include "support/gpu_hooks.h"
#include "support/gpu_test.h"
#include "support/variable.h"

#include "gpu/device.h"

#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

/* A platform works, or its message says why not; at least one works. */
static void test_platforms(void **state)
{
    carom_context *context = *state;
    static const char *const names[] = {NULL, "surfaceless", "device", "display"};
    int opened = 0;
    gpu_test_needs_driver();
    for (gpu_platform platform = GPU_PLATFORM_SURFACELESS; platform <= GPU_PLATFORM_DISPLAY; platform++)
    {
        gpu_device_def def = gpu_device_def_default();
        gpu_device *device;
        def.platform = platform, def.debug = true;
        if (gpu_open(context, &def, &device) == CAROM_UNAVAILABLE)
        {
            char message[256];
            carom_context_message(context, message, sizeof message);
            print_message("%s\n", message);
            assert_non_null(strstr(message, names[platform]));
            assert_null(device);
            continue;
        }
        bool right;
        const char *first;
        assert_non_null(device);
        assert_string_equal(gpu_info(device)->platform, names[platform]);
        assert_true(gpu_info(device)->limits.texture_size >= 16384); /* OpenGL 4.5 requires it */
        assert_true(gpu_info(device)->limits.uniform_block >= 16384);
        assert_true(gpu_info(device)->limits.attributes >= 16 && gpu_info(device)->limits.draw_buffers >= 8);
        gpu_test_ok(context, gpu_session_run(device, 1000 + platform, &right));
        assert_true(right);
        if (gpu_debug_errors(device, &first) != 0)
            fail_msg("debug output: %s", first);
        gpu_close(device);
        opened++;
    }
    assert_true(opened > 0);
}

/* CAROM_GPU is for devices whose def leaves it open. */
static void test_environment(void **state)
{
    carom_context *context = *state;
    gpu_device *device;
    carom_gpu_info info;
    gpu_test_needs_driver();

    variable gpu = variable_set("CAROM_GPU", "off");
    gpu_test_fails(context, CAROM_UNAVAILABLE, "CAROM_GPU=off", gpu_open(context, NULL, &device));
    gpu_test_fails(context, CAROM_UNAVAILABLE, "CAROM_GPU=off", carom_gpu_describe(context, &info));
    gpu_test_fails(context, CAROM_UNAVAILABLE, "CAROM_GPU=off", carom_gpu_selftest(context, NULL, NULL));
    assert_string_equal(info.renderer, "");
    gpu_device_def def = gpu_device_def_default();
    def.platform = GPU_PLATFORM_DEVICE;
    if (gpu_open(context, &def, &device) == CAROM_OK)
        gpu_close(device);

    setenv("CAROM_GPU", "device", 1);
    if (carom_gpu_describe(context, &info) == CAROM_OK)
        assert_string_equal(info.platform, "device");
    setenv("CAROM_GPU", "nonsense", 1);
    gpu_test_ok(context, carom_gpu_describe(context, &info));
    setenv("CAROM_GPU", "", 1);
    gpu_test_ok(context, carom_gpu_describe(context, &info));
    variable_restore(&gpu);
}

static void test_refused(void **state)
{
    carom_context *context = *state;
    gpu_device *device;
    gpu_device_def def = gpu_device_def_default();
    def.platform = (gpu_platform)99;
    gpu_test_fails(context, CAROM_INVALID_ARGUMENT, "99", gpu_open(context, &def, &device));
    assert_null(device);
    gpu_close(NULL);
    assert_int_equal(carom_gpu_describe(NULL, NULL), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_gpu_selftest(NULL, NULL, NULL), CAROM_INVALID_ARGUMENT);
    gpu_test_fails(context, CAROM_INVALID_ARGUMENT, "out is null", carom_gpu_describe(context, NULL));

    /* no library at all */
    def = gpu_device_def_default();
    def.platform = GPU_PLATFORM_SURFACELESS;
    def.library = "libEGL-that-does-not-exist.so.1";
    gpu_test_fails(context, CAROM_UNAVAILABLE, "libEGL-that-does-not-exist.so.1", gpu_open(context, &def, &device));
    /* a library that is something else */
    def.library = "libm.so.6";
    gpu_test_fails(context, CAROM_UNAVAILABLE, "eglGetProcAddress", gpu_open(context, &def, &device));
}

static void test_old_driver(void **state)
{
    carom_context *context = *state;
    static const char *const versions[] = {"3.0 Mesa 8.0", "4.4.0", "2.1", "OpenGL ES 3.2", ""};
    gpu_test_needs_driver();
    for (size_t i = 0; i < sizeof versions / sizeof *versions; i++)
    {
        gpu_device_def def = gpu_hooks_def(GPU_PLATFORM_AUTO);
        gpu_device *device;
        hooks.version = versions[i];
        gpu_test_fails(context, CAROM_UNAVAILABLE, i < 3 ? "but 4.5 is needed" : "version can't be read",
                       gpu_open(context, &def, &device));
        assert_int_equal(hooks.alive[HOOK_CONTEXTS], 0);
    }
    for (int i = 0; i < 2; i++)
    {
        gpu_device_def def = gpu_hooks_def(GPU_PLATFORM_AUTO);
        gpu_device *device;
        hooks.version = i == 0 ? "4.6.0 NVIDIA" : "5.0";
        gpu_test_ok(context, gpu_open(context, &def, &device));
        gpu_close(device);
    }
}

/* A driver that lacks a function is refused, whichever it is, unless it is optional. */
static void test_missing_functions(void **state)
{
    carom_context *context = *state;
    gpu_test_needs_driver();
#define GPU_NAME(result, name, parameters) GPU_PREFIX #name,
    static const char *const names[] = {
#define GPU_PREFIX "egl"
        "eglGetProcAddress", GPU_EGL_REQUIRED(GPU_NAME) GPU_EGL_OPTIONAL(GPU_NAME)
#undef GPU_PREFIX
#define GPU_PREFIX "gl"
                                 GPU_GL_REQUIRED(GPU_NAME)
#undef GPU_PREFIX
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        bool optional =
            strcmp(names[i], "eglGetPlatformDisplayEXT") == 0 || strcmp(names[i], "eglQueryDevicesEXT") == 0;
        gpu_device_def def = gpu_hooks_def(GPU_PLATFORM_DEVICE);
        gpu_device *device;
        hooks.missing = names[i];
        gpu_test_fails(context, CAROM_UNAVAILABLE, optional ? "no such platform" : names[i],
                       gpu_open(context, &def, &device));
        assert_int_equal(hooks.alive[HOOK_CONTEXTS], 0);
    }
}

/* Drivers that can't do without a configuration, or without a surface. */
static void test_surfaces(void **state)
{
    carom_context *context = *state;
    gpu_test_needs_driver();
    for (int mask = 0; mask < 4; mask++)
    {
        gpu_device_def def = gpu_hooks_def(GPU_PLATFORM_AUTO);
        gpu_device *device;
        bool right;
        int count = 0;
        if (mask & 1)
        {
            hooks.without[count++] = "EGL_KHR_no_config_context";
            hooks.without[count++] = "EGL_MESA_configless_context";
        }
        if (mask & 2)
            hooks.without[count++] = "EGL_KHR_surfaceless_context";
        gpu_test_ok(context, gpu_open(context, &def, &device));
        assert_int_equal(hooks.alive[HOOK_SURFACES], mask & 2 ? 1 : 0);
        gpu_test_ok(context, gpu_session_run(device, 5, &right));
        assert_true(right);
        gpu_close(device);
        assert_int_equal(hooks.alive[HOOK_SURFACES], 0);
        assert_int_equal(hooks.alive[HOOK_CONTEXTS], 0);
    }
}

/* ---- turns ---- */

static void test_turns(void **state)
{
    carom_context *context = *state;
    gpu_device *device;
    gpu_test_needs_driver();
    gpu_test_ok(context, gpu_open(context, NULL, &device));
    gpu_test_fails(context, CAROM_INVALID_ARGUMENT, "gpu_begin", gpu_end(device));
    double seconds;
    gpu_test_fails(context, CAROM_INVALID_ARGUMENT, "gpu_begin", gpu_clock(device, &seconds));
    gpu_test_ok(context, gpu_begin(device));
    gpu_test_fails(context, CAROM_BUSY, "in use", gpu_begin(device));
    gpu_test_ok(context, gpu_clock(device, &seconds));
    gpu_test_ok(context, gpu_end(device));
    /* closing in between gives the thread back */
    gpu_test_ok(context, gpu_begin(device));
    gpu_egl_functions egl = device->egl;
    assert_non_null(egl.GetCurrentContext());
    gpu_close(device);
    assert_null(egl.GetCurrentContext());
}

/* The second device plays the library, the first one the host. */
static void test_host_keeps_its_context(void **state)
{
    carom_context *context = *state;
    gpu_device *host, *device;
    gpu_session session;
    bool right;
    gpu_test_needs_driver();
    gpu_test_ok(context, gpu_open(context, NULL, &host));
    gpu_test_ok(context, gpu_begin(host));
    gpu_test_ok(context, gpu_session_make(host, &session));
    egl_handle current = host->egl.GetCurrentContext();
    assert_non_null(current);

    gpu_test_ok(context, gpu_open(context, NULL, &device));
    assert_ptr_equal(host->egl.GetCurrentContext(), current);
    gpu_test_ok(context, gpu_session_run(device, 3, &right));
    assert_true(right);
    assert_ptr_equal(host->egl.GetCurrentContext(), current);

    /* objects that outlive their turn must not be deleted in the host's context, where their names mean others */
    gpu_session own;
    gpu_test_ok(context, gpu_begin(device));
    gpu_test_ok(context, gpu_session_make(device, &own));
    gpu_test_ok(context, gpu_end(device));
    gpu_session_destroy(device, &own);
    gpu_close(device);
    assert_ptr_equal(host->egl.GetCurrentContext(), current);

    gpu_test_ok(context, gpu_session_draw(host, &session, 77));
    assert_true(gpu_session_is_right(&session, 77));
    gpu_session_destroy(host, &session);
    gpu_test_ok(context, gpu_end(host));

    /* the API that the host has bound stays bound, with or without a context */
    assert_true(host->egl.BindAPI(EGL_OPENGL_ES_API));
    gpu_test_ok(context, gpu_session_run(host, 4, &right));
    assert_int_equal(host->egl.QueryAPI(), EGL_OPENGL_ES_API);
    assert_null(host->egl.GetCurrentContext());
    gpu_test_ok(context, gpu_open(context, NULL, &device));
    assert_int_equal(host->egl.QueryAPI(), EGL_OPENGL_ES_API);
    gpu_close(device);
    gpu_close(host);
}

/* ---- threads ---- */

enum
{
    THREADS = 2,
    THREAD_ROUNDS = 25
};

typedef struct thread_work
{
    uint32_t number;
    int failures;
} thread_work;

static void *work_on_thread(void *data)
{
    thread_work *work = data;
    carom_context *context;
    if (carom_context_create(NULL, &context) != CAROM_OK)
        return work->failures++, NULL;
    for (uint32_t round = 0; round < THREAD_ROUNDS; round++)
    {
        gpu_device *device;
        bool right = false;
        if (gpu_open(context, NULL, &device) != CAROM_OK)
        {
            work->failures++;
            continue;
        }
        for (uint32_t i = 0; i < 4; i++)
            work->failures += gpu_session_run(device, work->number * 1000 + round, &right) != CAROM_OK || !right;
        gpu_close(device);
    }
    carom_context_destroy(context);
    return NULL;
}

static void test_two_threads(void **state)
{
    (void)state;
    pthread_t threads[THREADS];
    thread_work work[THREADS];
    gpu_test_needs_driver();
    for (int i = 0; i < THREADS; i++)
    {
        work[i] = (thread_work){(uint32_t)i + 1, 0};
        assert_int_equal(pthread_create(&threads[i], NULL, work_on_thread, &work[i]), 0);
    }
    for (int i = 0; i < THREADS; i++)
        pthread_join(threads[i], NULL);
    for (int i = 0; i < THREADS; i++)
        assert_int_equal(work[i].failures, 0);
}

typedef struct misuse
{
    gpu_device *device;
    carom_status begun, used, ended;
} misuse;

static void *use_on_thread(void *data)
{
    misuse *test = data;
    double seconds;
    test->begun = gpu_begin(test->device);
    test->used = gpu_clock(test->device, &seconds);
    test->ended = gpu_end(test->device);
    return NULL;
}

/* A device that one thread has begun is refused to another; afterwards it may move there. */
static void test_moves_between_threads(void **state)
{
    carom_context *context = *state;
    pthread_t thread;
    misuse test;
    gpu_test_needs_driver();
    gpu_test_ok(context, gpu_open(context, NULL, &test.device));
    gpu_test_ok(context, gpu_begin(test.device));
    assert_int_equal(pthread_create(&thread, NULL, use_on_thread, &test), 0);
    pthread_join(thread, NULL);
    assert_int_equal(test.begun, CAROM_BUSY);
    assert_int_equal(test.used, CAROM_BUSY);
    assert_int_equal(test.ended, CAROM_BUSY);
    gpu_test_ok(context, gpu_end(test.device));
    assert_int_equal(pthread_create(&thread, NULL, use_on_thread, &test), 0);
    pthread_join(thread, NULL);
    assert_int_equal(test.begun, CAROM_OK);
    assert_int_equal(test.used, CAROM_OK);
    assert_int_equal(test.ended, CAROM_OK);
    gpu_close(test.device);
}

/* ---- growth ---- */

/* Resident memory in bytes; 0: unknown. */
static size_t resident(void)
{
    FILE *file = fopen("/proc/self/statm", "r");
    unsigned long total = 0, pages = 0;
    int read = file ? fscanf(file, "%lu %lu", &total, &pages) : 0;
    if (file)
        fclose(file);
    return read == 2 ? pages * (size_t)sysconf(_SC_PAGESIZE) : 0;
}

static void test_open_and_close(void **state)
{
    carom_context *context = *state;
    size_t before = 0, after;
    gpu_test_needs_driver();
    for (int i = 0; i < 150; i++)
    {
        gpu_device_def def = gpu_hooks_def(GPU_PLATFORM_AUTO);
        gpu_device *device;
        bool right;
        gpu_test_ok(context, gpu_open(context, &def, &device));
        gpu_test_ok(context, gpu_session_run(device, 9, &right));
        assert_true(right);
        assert_int_equal(gpu_hooks_alive(), 0);
        gpu_close(device);
        assert_int_equal(hooks.alive[HOOK_CONTEXTS], 0);
        if (i == 49)
            before = resident(); /* the driver's caches are full by then */
    }
    after = resident();
    print_message("resident after 50: %zu KiB, after 150: %zu KiB\n", before / 1024, after / 1024);
#ifndef CAROM_SANITIZED
    assert_true(after < before + (4u << 20));
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_platforms),
        cmocka_unit_test(test_environment),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_old_driver),
        cmocka_unit_test(test_missing_functions),
        cmocka_unit_test(test_surfaces),
        cmocka_unit_test(test_turns),
        cmocka_unit_test(test_host_keeps_its_context),
        cmocka_unit_test(test_two_threads),
        cmocka_unit_test(test_moves_between_threads),
        cmocka_unit_test(test_open_and_close),
    };
    return cmocka_run_group_tests(tests, check_open_context, check_close_context);
}
