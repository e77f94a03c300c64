/* Compute devices: all kinds against the processor, limits, what fails and what is lost, and no driver at all. */
#include "support/check.h"

#include "compute/device.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* Opens a device of a kind, or says why there is none. */
static compute_device *open_kind(carom_context *context, compute_kind kind)
{
    compute_device *device;
    carom_status status = compute_open(context, &(compute_device_def){.kind = kind}, &device);
    if (status == CAROM_UNAVAILABLE)
    {
        char message[256];
        carom_context_message(context, message, sizeof message);
        print_message("no %s: %s\n", compute_kind_name(kind), message);
        assert_non_null(message[0] ? message : NULL);
        return NULL;
    }
    assert_int_equal(status, CAROM_OK);
    assert_int_equal(compute_kind_of(device), kind);
    assert_string_equal(compute_info(device)->kind, compute_kind_name(kind));
    return device;
}

static void every_kind_agrees_with_the_twin(void **state)
{
    carom_context *context = *state;
    compute_device *twin = open_kind(context, COMPUTE_PROCESSOR);
    assert_non_null(twin);
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
    {
        compute_device *device = open_kind(context, kind);
        if (!device)
            continue;
        print_message("%s: %s, %u units, groups of %u, %u bytes of local memory\n", compute_kind_name(kind),
                      compute_info(device)->name, compute_info(device)->units, compute_info(device)->group_size,
                      compute_info(device)->local_memory);
        for (uint32_t i = 0; compute_check_at(i); i++)
        {
            compute_device *other = kind == COMPUTE_PROCESSOR ? open_kind(context, kind) : twin;
            compute_check_result result = {0};
            assert_int_equal(compute_check_at(i)->run(device, other, &result), CAROM_OK);
            if (result.wrong > 0)
                fail_msg("%s on %s: %s", compute_check_at(i)->name, compute_kind_name(kind), result.detail);
            assert_true(result.compared > 1000);
            if (kind == COMPUTE_PROCESSOR)
                compute_close(other);
        }
        compute_close(device);
    }
    compute_close(twin);
}

/* ---- a kernel of the test's own, whose results are known ---- */

static const char SQUARES[] = "KERNEL(squares)\n"
                              "    BUFFER0(uint, values)\n"
                              "BODY\n"
                              "    for (uint i = ITEM; i < ARGUMENT; i += ITEMS)\n"
                              "        values[i] = values[i] * values[i] + 1u;\n"
                              "END\n";

static void squares_twin(void *const *buffers, uint32_t argument, uint32_t item, uint32_t items)
{
    uint32_t *values = buffers[0];
    for (uint32_t i = item; i < argument; i += items)
        values[i] = values[i] * values[i] + 1u;
}

static const compute_kernel_def SQUARES_DEF = {
    .name = "squares", .twin = squares_twin, .buffer_count = 1, .text = SQUARES};

enum
{
    COUNT = 10000
};

static carom_status use_device(compute_device *device, compute_kernel *kernel, compute_buffer *buffer, uint32_t *values)
{
    BASE_TRY(compute_kernel_create(device, &SQUARES_DEF, kernel));
    BASE_TRY(compute_buffer_create(device, COUNT * sizeof *values, buffer));
    BASE_TRY(compute_write(device, buffer, 0, values, COUNT * sizeof *values));
    compute_buffer *const buffers[] = {buffer};
    BASE_TRY(compute_dispatch(device, &(compute_dispatch_def){kernel, buffers, COUNT, COUNT}));
    return compute_read(device, buffer, 4, values + 1, (COUNT - 1) * sizeof *values);
}

/* A session from compute_begin to compute_end; its status. */
static carom_status square(compute_device *device, uint32_t *values)
{
    compute_kernel kernel = {0};
    compute_buffer buffer = {0};
    for (uint32_t i = 0; i < COUNT; i++)
        values[i] = i;
    BASE_TRY(compute_begin(device));
    carom_status status = use_device(device, &kernel, &buffer, values);
    compute_kernel_destroy(device, &kernel);
    compute_buffer_destroy(device, &buffer);
    carom_status ended = compute_end(device);
    return carom_failed(status) ? status : ended;
}

static void check_squares(const uint32_t *values)
{
    assert_int_equal(values[0], 0); /* was not read */
    for (uint32_t i = 1; i < COUNT; i++)
        assert_int_equal(values[i], i * i + 1u);
}

static void limits_are_kept(void **state)
{
    carom_context *context = *state;
    uint32_t values[COUNT];
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
        for (uint32_t group = 1; group <= 256; group *= 16)
        {
            compute_device *device;
            compute_device_def def = {
                .kind = kind,
                .limits = {.buffer_size = COUNT * sizeof *values, .group_size = group, .local_memory = 32 << 10}};
            if (compute_open(context, &def, &device) == CAROM_UNAVAILABLE)
                break;
            assert_true(compute_info(device)->group_size <= group);
            assert_true(compute_info(device)->local_memory <= 32 << 10);
            assert_int_equal(square(device, values), CAROM_OK);
            check_squares(values);
            compute_buffer buffer;
            assert_int_equal(compute_begin(device), CAROM_OK);
            assert_int_equal(compute_begin(device), CAROM_BUSY);
            assert_int_equal(compute_buffer_create(device, COUNT * sizeof *values + 4, &buffer), CAROM_TOO_LARGE);
            assert_int_equal(compute_buffer_create(device, 0, &buffer), CAROM_INVALID_ARGUMENT);
            assert_int_equal(compute_buffer_create(device, 64, &buffer), CAROM_OK);
            assert_int_equal(compute_read(device, &buffer, 60, values, 8), CAROM_OUT_OF_RANGE);
            assert_int_equal(compute_write(device, &buffer, 65, values, 0), CAROM_OUT_OF_RANGE);
            assert_int_equal(compute_write(device, &buffer, SIZE_MAX, values, 4), CAROM_OUT_OF_RANGE);
            compute_buffer_destroy(device, &buffer);
            assert_int_equal(compute_end(device), CAROM_OK);
            assert_int_equal(compute_buffer_create(device, 64, &buffer), CAROM_INVALID_ARGUMENT);
            compute_close(device);
        }
}

static void a_kernel_that_does_not_compile_is_bad_data(void **state)
{
    carom_context *context = *state;
    static const compute_kernel_def bad = {.name = "bad",
                                           .twin = squares_twin,
                                           .buffer_count = 1,
                                           .text = "KERNEL(bad) BUFFER0(uint, values) BODY values[0] = ; END"};
    for (compute_kind kind = COMPUTE_OPENCL; kind <= COMPUTE_OPENGL; kind++)
    {
        compute_device *device = open_kind(context, kind);
        if (!device)
            continue;
        compute_kernel kernel;
        char message[256];
        assert_int_equal(compute_begin(device), CAROM_OK);
        assert_int_equal(compute_kernel_create(device, &bad, &kernel), CAROM_BAD_DATA);
        carom_context_message(context, message, sizeof message);
        assert_non_null(strstr(message, "bad"));
        compute_kernel_destroy(device, &kernel);
        assert_int_equal(compute_end(device), CAROM_OK);
        compute_close(device);
    }
}

/* ---- no driver ---- */

static void without_a_library_the_reason_is_told(void **state)
{
    carom_context *context = *state;
    compute_device *device;
    char message[256];
    compute_device_def def = {.kind = COMPUTE_OPENCL, .library = "libNoOpenCL.so.7"};
    assert_int_equal(compute_open(context, &def, &device), CAROM_UNAVAILABLE);
    assert_null(device);
    carom_context_message(context, message, sizeof message);
    assert_non_null(strstr(message, "libNoOpenCL.so.7"));
    def.kind = COMPUTE_AUTO; /* something is there all the same */
    assert_int_equal(compute_open(context, &def, &device), CAROM_OK);
    assert_int_not_equal(compute_kind_of(device), COMPUTE_OPENCL);
    uint32_t values[COUNT];
    assert_int_equal(square(device, values), CAROM_OK);
    check_squares(values);
    compute_close(device);
}

static void the_environment_chooses(void **state)
{
    carom_context *context = *state;
    compute_device *device;
    setenv("CAROM_COMPUTE", "processor", 1);
    assert_int_equal(compute_open(context, NULL, &device), CAROM_OK);
    assert_int_equal(compute_kind_of(device), COMPUTE_PROCESSOR);
    compute_close(device);
    setenv("CAROM_COMPUTE", "abacus", 1); /* a warning, and what there is */
    assert_int_equal(compute_open(context, NULL, &device), CAROM_OK);
    compute_close(device);
    unsetenv("CAROM_COMPUTE");
}

/* ---- faults: functions of OpenCL that are missing or fail ---- */

static struct
{
    const char *missing;
    int calls, fail_at, error; /* the call of clEnqueueNDRangeKernel or clEnqueueReadBuffer that fails */
    const char *failing;
    compute_function *found;
} hooks;

static int fail_read(cl_handle queue, cl_handle memory, uint32_t blocking, size_t offset, size_t size, void *data,
                     uint32_t waits, const cl_handle *events, cl_handle *event)
{
    typedef int read_fn(cl_handle, cl_handle, uint32_t, size_t, size_t, void *, uint32_t, const cl_handle *,
                        cl_handle *);
    if (++hooks.calls == hooks.fail_at)
        return hooks.error;
    return ((read_fn *)hooks.found)(queue, memory, blocking, offset, size, data, waits, events, event);
}

static cl_handle fail_buffer(cl_handle context, uint64_t flags, size_t size, void *host, int *error)
{
    typedef cl_handle create_fn(cl_handle, uint64_t, size_t, void *, int *);
    if (++hooks.calls == hooks.fail_at)
        return *error = hooks.error, NULL;
    return ((create_fn *)hooks.found)(context, flags, size, host, error);
}

static compute_function *find_hook(const char *name, compute_function *found, void *user)
{
    (void)user;
    if (hooks.missing && strcmp(name, hooks.missing) == 0)
        return NULL;
    if (!hooks.failing || strcmp(name, hooks.failing) != 0)
        return found;
    hooks.found = found;
    return strcmp(name, "clCreateBuffer") == 0 ? (compute_function *)fail_buffer : (compute_function *)fail_read;
}

static void missing_functions_are_named(void **state)
{
    carom_context *context = *state;
    compute_device *device = open_kind(context, COMPUTE_OPENCL);
    if (!device)
        skip();
    compute_close(device);
    static const char *const names[] = {"clGetPlatformIDs", "clBuildProgram", "clFinish"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    {
        char message[256];
        memset(&hooks, 0, sizeof hooks);
        hooks.missing = names[i];
        compute_device_def def = {.kind = COMPUTE_OPENCL, .find = find_hook};
        assert_int_equal(compute_open(context, &def, &device), CAROM_UNAVAILABLE);
        carom_context_message(context, message, sizeof message);
        assert_non_null(strstr(message, names[i]));
    }
}

static void failing_calls_are_named(void **state)
{
    carom_context *context = *state;
    static const struct
    {
        const char *name;
        int error;
        carom_status status;
        bool lost;
    } faults[] = {{"clEnqueueReadBuffer", CL_OUT_OF_RESOURCES, CAROM_UNAVAILABLE, true},
                  {"clEnqueueReadBuffer", CL_DEVICE_NOT_AVAILABLE, CAROM_UNAVAILABLE, true},
                  {"clEnqueueReadBuffer", -30, CAROM_UNSUPPORTED, false},
                  {"clCreateBuffer", CL_MEM_OBJECT_ALLOCATION_FAILURE, CAROM_OUT_OF_MEMORY, false},
                  {"clCreateBuffer", CL_OUT_OF_HOST_MEMORY, CAROM_OUT_OF_MEMORY, false}};
    for (size_t i = 0; i < sizeof faults / sizeof *faults; i++)
    {
        compute_device *device;
        uint32_t values[COUNT];
        char message[256];
        memset(&hooks, 0, sizeof hooks);
        hooks.failing = faults[i].name, hooks.error = faults[i].error, hooks.fail_at = 1;
        compute_device_def def = {.kind = COMPUTE_OPENCL, .find = find_hook};
        if (compute_open(context, &def, &device) == CAROM_UNAVAILABLE)
            skip();
        assert_int_equal(square(device, values), faults[i].status);
        carom_context_message(context, message, sizeof message);
        assert_non_null(strstr(message, faults[i].name));
        assert_int_equal(compute_is_lost(device), faults[i].lost);
        /* a lost device stays lost; otherwise the next call works */
        assert_int_equal(square(device, values), faults[i].lost ? CAROM_UNAVAILABLE : CAROM_OK);
        if (!faults[i].lost)
            check_squares(values);
        compute_close(device);
    }
}

static bool count_device(const carom_compute_info *info, void *user)
{
    int *counts = user;
    counts[strcmp(info->kind, "processor") == 0]++;
    assert_true(info->name[0] != '\0');
    return true;
}

static void devices_are_listed(void **state)
{
    int counts[2] = {0, 0};
    assert_int_equal(carom_compute_list(*state, count_device, counts), CAROM_OK);
    assert_int_equal(counts[1], 1);
    assert_int_equal(carom_compute_list(NULL, count_device, counts), CAROM_INVALID_ARGUMENT);
    assert_int_equal(carom_compute_list(*state, NULL, counts), CAROM_INVALID_ARGUMENT);
}

static int open_context(void **state) { return carom_context_create(NULL, (carom_context **)state) != CAROM_OK; }

static int close_context(void **state) { return carom_context_destroy(*state), 0; }

int main(void)
{
#define COMPUTE_TEST(name) cmocka_unit_test_setup_teardown(name, open_context, close_context)
    const struct CMUnitTest tests[] = {COMPUTE_TEST(every_kind_agrees_with_the_twin),
                                       COMPUTE_TEST(limits_are_kept),
                                       COMPUTE_TEST(a_kernel_that_does_not_compile_is_bad_data),
                                       COMPUTE_TEST(without_a_library_the_reason_is_told),
                                       COMPUTE_TEST(the_environment_chooses),
                                       COMPUTE_TEST(missing_functions_are_named),
                                       COMPUTE_TEST(failing_calls_are_named),
                                       COMPUTE_TEST(devices_are_listed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
