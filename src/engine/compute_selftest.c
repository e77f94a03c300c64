/* carom_compute_selftest: every kernel of the library on every kind of device, compared with its twin. */
#include "compute/compute.h"
#include "engine/geoimage/mipmap.h"
#include "engine/stream/frontier.h"

#include <stdio.h>

/* Add the table of checks of a new folder here. Each returns null past its end. */
static const compute_check *(*const tables[])(uint32_t index) = {compute_check_at, frontier_check_at, mipmap_check_at};

typedef struct selftest
{
    carom_context *context;
    carom_gpu_check_fn *on_check;
    void *user;
    uint32_t run, failed;
    char first_failed[64];
    bool stopped;
} selftest;

/* Fresh devices for each check, so that none depends on what another left behind. */
static carom_status run_check(carom_context *context, compute_kind kind, const compute_check *check,
                              compute_check_result *result)
{
    compute_device *device, *twin;
    BASE_TRY(compute_open(context, &(compute_device_def){.kind = kind}, &device));
    carom_status status = compute_open(context, &(compute_device_def){.kind = COMPUTE_PROCESSOR}, &twin);
    if (!carom_failed(status))
        status = check->run(device, twin, result);
    compute_close(twin);
    compute_close(device);
    return status;
}

static void report(selftest *test, compute_kind kind, const compute_check *check)
{
    compute_check_result result = {0};
    char name[64], message[BASE_MESSAGE_SIZE] = "";
    double start = base_now();
    snprintf(name, sizeof name, "%s %s", compute_kind_name(kind), check->name);
    carom_gpu_check told = {.name = name, .status = run_check(test->context, kind, check, &result)};
    if (told.status == CAROM_UNAVAILABLE)
        return;
    if (carom_failed(told.status))
        carom_context_message(test->context, message, sizeof message);
    told.detail = carom_failed(told.status) ? message : result.detail;
    told.compared = result.compared;
    told.passed = !carom_failed(told.status) && result.wrong == 0 && result.compared > 0;
    told.milliseconds = 1e3 * (base_now() - start);
    test->run++;
    if (!told.passed && test->failed++ == 0)
        snprintf(test->first_failed, sizeof test->first_failed, "%s", name);
    if (test->on_check && !test->on_check(&told, test->user))
        test->stopped = true;
}

carom_status carom_compute_selftest(carom_context *context, carom_gpu_check_fn *on_check, void *user)
{
    if (!context)
        return CAROM_INVALID_ARGUMENT;
    selftest test = {.context = context, .on_check = on_check, .user = user};
    for (compute_kind kind = COMPUTE_OPENCL; kind <= COMPUTE_OPENGL; kind++)
        for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        {
            const compute_check *check;
            for (uint32_t k = 0; !test.stopped && (check = tables[i](k)) != NULL; k++)
                report(&test, kind, check);
        }
    if (test.failed > 0)
        return base_fail(context, CAROM_UNSUPPORTED,
                         "%u comparisons of kernels with the processor failed; the first is %s", test.failed,
                         test.first_failed);
    if (test.run == 0)
        return base_fail(context, CAROM_UNAVAILABLE, "there is neither OpenCL nor a driver with compute shaders");
    return test.stopped ? CAROM_STOPPED : CAROM_OK;
}
