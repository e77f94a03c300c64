/* carom_gpu_selftest: every pass that the library draws, compared with its twin on the processor. The passes are in the
 * folders that use them; this file is above all of those. */
#include "engine/image/filter.h"
#include "engine/image/image.h"
#include "engine/image/image_stencil.h"
#include "engine/stream/stream.h"
#include "gpu/gpu.h"

/* Add the table of checks of a new folder here. Each returns null past its end. */
static const gpu_check *(*const tables[])(uint32_t index) = {
    gpu_check_at, image_check_at, image_hull_check_at, image_layers_check_at, stream_check_at,
};

typedef struct selftest
{
    carom_context *context;
    carom_gpu_check_fn *on_check;
    void *user;
    uint32_t failed;
    const char *first_failed;
    bool stopped;
} selftest;

/* Fresh for each check, so that none depends on what another left behind. */
static carom_status run_check(carom_context *context, const gpu_check *check, gpu_check_result *result)
{
    gpu_device *device;
    BASE_TRY(gpu_open(context, NULL, &device));
    carom_status status = gpu_begin(device);
    if (!carom_failed(status))
    {
        status = check->run(device, result);
        carom_status ended = gpu_end(device);
        status = carom_failed(status) ? status : ended;
    }
    gpu_close(device);
    return status;
}

static void report(selftest *test, const gpu_check *check)
{
    gpu_check_result result = {0};
    double start = base_now();
    carom_gpu_check told = {.name = check->name, .status = run_check(test->context, check, &result)};
    char message[BASE_MESSAGE_SIZE] = "";
    if (carom_failed(told.status))
        carom_context_message(test->context, message, sizeof message);
    told.detail = carom_failed(told.status) ? message : result.detail;
    told.compared = result.compared;
    told.difference = result.difference, told.bound = result.bound;
    told.passed = !carom_failed(told.status) && result.wrong == 0 && result.compared > 0;
    told.milliseconds = 1e3 * (base_now() - start);
    if (!told.passed && test->failed++ == 0)
        test->first_failed = check->name;
    if (test->on_check && !test->on_check(&told, test->user))
        test->stopped = true;
}

carom_status carom_gpu_selftest(carom_context *context, carom_gpu_check_fn *on_check, void *user)
{
    if (!context)
        return CAROM_INVALID_ARGUMENT;
    /* is there a driver at all? If not, that is the answer, not a failure of each check */
    carom_gpu_info info;
    BASE_TRY(carom_gpu_describe(context, &info));
    selftest test = {.context = context, .on_check = on_check, .user = user};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
    {
        const gpu_check *check;
        for (uint32_t k = 0; !test.stopped && (check = tables[i](k)) != NULL; k++)
            report(&test, check);
    }
    if (test.failed > 0)
        return base_fail(context, CAROM_UNSUPPORTED,
                         "%u comparisons with the processor failed on %.80s; the first is %s", test.failed,
                         info.renderer, test.first_failed);
    return test.stopped ? CAROM_STOPPED : CAROM_OK;
}
