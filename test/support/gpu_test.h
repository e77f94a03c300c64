/* What the tests of src/gpu share: a context, a device or a skipped test, and a small session of drawing. */
#ifndef TEST_GPU_TEST_H
#define TEST_GPU_TEST_H

#include "support/check.h"

#include "gpu/gpu.h"

#include <string.h>

/* Skips the test where the machine has no driver. */
static inline void gpu_test_needs_driver(void)
{
    carom_context *context;
    carom_gpu_info info;
    char message[256];
    assert_int_equal(carom_context_create(NULL, &context), CAROM_OK);
    carom_status status = carom_gpu_describe(context, &info);
    carom_context_message(context, message, sizeof message);
    carom_context_destroy(context);
    if (status == CAROM_UNAVAILABLE)
    {
        print_message("skipped: %s\n", message);
        skip();
    }
    assert_int_equal(status, CAROM_OK);
}

/* A debug context that is current; null where there is no driver. */
static inline gpu_device *gpu_test_open(carom_context *context)
{
    gpu_device_def def = gpu_device_def_default();
    gpu_device *device = NULL;
    char message[256];
    def.debug = true;
    carom_status status = gpu_open(context, &def, &device);
    carom_context_message(context, message, sizeof message);
    if (status == CAROM_UNAVAILABLE)
        print_message("skipped: %s\n", message);
    else
        assert_int_equal(status, CAROM_OK);
    if (device)
        assert_int_equal(gpu_begin(device), CAROM_OK);
    return device;
}

/* Its debug output had no errors. Null: nothing. */
static inline void gpu_test_close(gpu_device *device)
{
    const char *first = "";
    if (!device)
        return;
    assert_int_equal(gpu_end(device), CAROM_OK);
    if (gpu_debug_errors(device, &first) > 0)
        fail_msg("debug output: %s", first);
    gpu_close(device);
}

#define gpu_test_ok(context, call)                                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        carom_status gpu_test_status = (call);                                                                         \
        char gpu_test_message[256] = "";                                                                               \
        if (gpu_test_status != CAROM_OK)                                                                               \
        {                                                                                                              \
            carom_context_message((context), gpu_test_message, sizeof gpu_test_message);                               \
            fail_msg("%s: %s (%s)", #call, carom_status_name(gpu_test_status), gpu_test_message);                      \
        }                                                                                                              \
    } while (0)

/* The status, and the message has these words. */
#define gpu_test_fails(context, status, words, call)                                                                   \
    do                                                                                                                 \
    {                                                                                                                  \
        carom_status gpu_test_status = (call);                                                                         \
        char gpu_test_message[256] = "";                                                                               \
        carom_context_message((context), gpu_test_message, sizeof gpu_test_message);                                   \
        if (gpu_test_status != (status) || !strstr(gpu_test_message, (words)))                                         \
            fail_msg("%s: %s (%s), expected %s (%s)", #call, carom_status_name(gpu_test_status), gpu_test_message,     \
                     carom_status_name(status), (words));                                                              \
    } while (0)

enum
{
    GPU_TEST_SIZE = 16
};

/* One of everything: a target of 16 x 16, its left half drawn with a number. */
typedef struct gpu_session
{
    gpu_target target;
    gpu_program program;
    gpu_buffer vertices;
    gpu_layout layout;
    gpu_query query;
    gpu_texture texture;
    uint32_t texels[GPU_TEST_SIZE * GPU_TEST_SIZE];
    uint64_t count;
} gpu_session;

carom_status gpu_session_make(gpu_device *device, gpu_session *session);
carom_status gpu_session_draw(gpu_device *device, gpu_session *session, uint32_t number);
void gpu_session_destroy(gpu_device *device, gpu_session *session);
/* Are the texels and the count what they should be? */
bool gpu_session_is_right(const gpu_session *session, uint32_t number);

/* All of it: begin, make, draw, destroy, end. */
carom_status gpu_session_run(gpu_device *device, uint32_t number, bool *right);

#endif
