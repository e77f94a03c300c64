/* Checks of the compute layer itself: arithmetic to the bit, and appends behind an atomic counter. */
#include "compute/compute.h"
#include "compute/twin.h"

#include <stdio.h>

#include "compute/check_append.kernel"
#include "compute/check_arithmetic.kernel"

static const compute_kernel_def ARITHMETIC = {.name = "check_arithmetic", .twin = check_arithmetic, .buffer_count = 2},
                                APPEND = {.name = "check_append", .twin = check_append, .buffer_count = 2};

void compute_compare_words(compute_check_result *result, const char *what, const uint32_t *one, const uint32_t *other,
                           size_t count)
{
    result->compared += count;
    for (size_t i = 0; i < count; i++)
        if (one[i] != other[i] && result->wrong++ == 0)
            snprintf(result->detail, sizeof result->detail, "%s %llu: 0x%08x, but the processor has 0x%08x", what,
                     (unsigned long long)i, one[i], other[i]);
}

/* One dispatch over two buffers: contents in, contents out. */
typedef struct check_run
{
    const compute_kernel_def *def;
    uint32_t argument, items;
    void *data[2];
    size_t size[2];
} check_run;

static carom_status dispatch_buffers(compute_device *device, const check_run *run, compute_kernel *kernel,
                                     compute_buffer buffers[2])
{
    BASE_TRY(compute_kernel_create(device, run->def, kernel));
    for (int i = 0; i < 2; i++)
    {
        BASE_TRY(compute_buffer_create(device, run->size[i], &buffers[i]));
        BASE_TRY(compute_write(device, &buffers[i], 0, run->data[i], run->size[i]));
    }
    compute_buffer *const used[2] = {&buffers[0], &buffers[1]};
    BASE_TRY(compute_dispatch(device, &(compute_dispatch_def){kernel, used, run->argument, run->items}));
    for (int i = 0; i < 2; i++)
        BASE_TRY(compute_read(device, &buffers[i], 0, run->data[i], run->size[i]));
    return CAROM_OK;
}

static carom_status run_on(compute_device *device, const check_run *run)
{
    compute_kernel kernel = {0};
    compute_buffer buffers[2] = {{0}, {0}};
    BASE_TRY(compute_begin(device));
    carom_status status = dispatch_buffers(device, run, &kernel, buffers);
    compute_buffer_destroy(device, &buffers[0]);
    compute_buffer_destroy(device, &buffers[1]);
    compute_kernel_destroy(device, &kernel);
    carom_status ended = compute_end(device);
    return carom_failed(status) ? status : ended;
}

enum
{
    VALUES = 64,
    NUMBERS = 3000,
    MAX_APPENDED = 2 * NUMBERS
};

/* Values of all sizes, of both signs, without subnormal products. */
static carom_status check_floats(compute_device *device, compute_device *twin, compute_check_result *result)
{
    float values[VALUES], results[2][VALUES * VALUES] = {{0}};
    uint32_t words[2][VALUES * VALUES], state = 12345;
    for (int i = 0; i < VALUES; i++)
    {
        state = state * 1664525u + 1013904223u;
        values[i] = ldexpf(1.0f + (float)(state >> 9) * 0x1p-23f, i % 16 - 8) * (state & 256 ? -1.0f : 1.0f);
    }
    compute_device *devices[2] = {device, twin};
    for (int i = 0; i < 2; i++)
    {
        BASE_TRY(run_on(
            devices[i],
            &(check_run){
                &ARITHMETIC, VALUES, VALUES * VALUES, {values, results[i]}, {sizeof values, sizeof results[i]}}));
        memcpy(words[i], results[i], sizeof results[i]);
    }
    compute_compare_words(result, "value", words[0], words[1], (size_t)VALUES * VALUES);
    return CAROM_OK;
}

/* In any order: how often each number was appended. */
static void count_numbers(const uint32_t *numbers, uint32_t count, uint32_t out[NUMBERS])
{
    for (uint32_t i = 0; i < count; i++)
        if (numbers[i] < NUMBERS)
            out[numbers[i]]++;
}

static carom_status check_appends(compute_device *device, compute_device *twin, compute_check_result *result)
{
    uint32_t counter[2] = {0}, numbers[2][MAX_APPENDED], counts[2][NUMBERS] = {{0}};
    compute_device *devices[2] = {device, twin};
    for (int i = 0; i < 2; i++)
    {
        memset(numbers[i], 0xff, sizeof numbers[i]);
        BASE_TRY(
            run_on(devices[i],
                   &(check_run){
                       &APPEND, NUMBERS, NUMBERS, {&counter[i], numbers[i]}, {sizeof counter[i], sizeof numbers[i]}}));
        count_numbers(numbers[i], counter[i] < MAX_APPENDED ? counter[i] : MAX_APPENDED, counts[i]);
    }
    compute_compare_words(result, "counter", &counter[0], &counter[1], 1);
    compute_compare_words(result, "number", counts[0], counts[1], NUMBERS);
    return CAROM_OK;
}

static const compute_check CHECKS[] = {{"arithmetic", check_floats}, {"append", check_appends}};

const compute_check *compute_check_at(uint32_t index)
{
    return index < sizeof CHECKS / sizeof *CHECKS ? &CHECKS[index] : NULL;
}
