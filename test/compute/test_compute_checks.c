/* The comparisons of kernels with their twins: each fails on a device that is wrong in any single step, be it that it
 * never runs a kernel, that one word of what a kernel writes is off by a bit, or that a word is read wrongly. */
#include "support/check.h"

#include "compute/device.h"
#include "engine/geoimage/mipmap.h"
#include "engine/stream/frontier.h"

#include <stdlib.h>

/* ---- the checks ---- */

static const compute_check *check_at(uint32_t index)
{
    static const compute_check *(*const tables[])(uint32_t) = {compute_check_at, frontier_check_at, mipmap_check_at};
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++)
        for (uint32_t k = 0; tables[i](k); k++)
            if (index-- == 0)
                return tables[i](k);
    return NULL;
}

/* ---- devices that lie ---- */

typedef enum lie
{
    TRUTH,
    SKIP,   /* a kernel is never run */
    CHANGE, /* a bit of what a kernel writes to a buffer, once */
    MISREAD /* a bit of the first word that is read, once */
} lie;

enum
{
    MAX_SPOTS = 64
};

/* A buffer that a kernel writes to. */
typedef struct spot
{
    const compute_kernel_def *kernel;
    uint32_t buffer;
} spot;

static struct liar
{
    const compute_backend *real;
    compute_backend backend;
    lie lie;
    spot spot;
    uint32_t read; /* which one is wrong, from 1 on */
    bool lied;
    /* what was seen */
    uint32_t reads, spot_count;
    spot spots[MAX_SPOTS];
} liar;

/* Zeros are places that exist, whatever leads a kernel there. */
static carom_status create_zeros(compute_device *device, compute_buffer *buffer)
{
    BASE_TRY(liar.real->create_buffer(device, buffer));
    memset(buffer->object, 0, buffer->size);
    return CAROM_OK;
}

static carom_status lying_read(compute_device *device, const compute_buffer *buffer, size_t offset, void *out,
                               size_t size)
{
    BASE_TRY(liar.real->read(device, buffer, offset, out, size));
    if (++liar.reads == liar.read && liar.lie == MISREAD)
        *(uint32_t *)out ^= 1, liar.lied = true;
    return CAROM_OK;
}

static void note_spot(const compute_kernel_def *kernel, uint32_t buffer)
{
    for (uint32_t i = 0; i < liar.spot_count; i++)
        if (liar.spots[i].kernel == kernel && liar.spots[i].buffer == buffer)
            return;
    assert_true(liar.spot_count < MAX_SPOTS);
    liar.spots[liar.spot_count++] = (spot){kernel, buffer};
}

/* The word in the middle of those that have changed; null: none has. */
static uint32_t *find_changed(const compute_buffer *buffer, const uint32_t *before)
{
    uint32_t *words = buffer->object, changed = 0, seen = 0;
    size_t count = buffer->size / sizeof *words, i = 0;
    for (size_t k = 0; k < count; k++)
        changed += words[k] != before[k];
    if (changed == 0)
        return NULL;
    for (; seen <= changed / 2 && i < count; i++)
        seen += words[i] != before[i];
    return &words[i - 1];
}

static carom_status lying_dispatch(compute_device *device, const compute_dispatch_def *def)
{
    const compute_kernel_def *kernel = def->kernel->def;
    const uint32_t count = kernel->buffer_count;
    uint32_t *before[COMPUTE_BUFFERS];
    if (liar.lie == SKIP && kernel == liar.spot.kernel)
        return liar.lied = true, CAROM_OK;
    for (uint32_t i = 0; i < count; i++)
    {
        before[i] = malloc(def->buffers[i]->size);
        assert_non_null(before[i]);
        memcpy(before[i], def->buffers[i]->object, def->buffers[i]->size);
    }
    carom_status status = liar.real->dispatch(device, def);
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t *word = find_changed(def->buffers[i], before[i]);
        if (word)
            note_spot(kernel, i);
        if (word && liar.lie == CHANGE && !liar.lied && kernel == liar.spot.kernel && i == liar.spot.buffer)
            *word ^= 1, liar.lied = true;
        free(before[i]);
    }
    return status;
}

/* Does the check pass on a device of this kind? False in *there: there is none. */
static bool passes(carom_context *context, compute_kind kind, const compute_check *check, bool *there)
{
    compute_device *device, *twin;
    compute_check_result result = {0};
    carom_status status = compute_open(context, &(compute_device_def){.kind = kind}, &device);
    *there = status != CAROM_UNAVAILABLE;
    if (!*there)
        return false;
    assert_int_equal(status, CAROM_OK);
    assert_int_equal(compute_open(context, &(compute_device_def){.kind = COMPUTE_PROCESSOR}, &twin), CAROM_OK);
    liar.real = device->backend, liar.backend = *device->backend, liar.reads = 0, liar.lied = false;
    liar.backend.read = lying_read;
    if (kind == COMPUTE_PROCESSOR) /* whose buffers are memory */
        liar.backend.dispatch = lying_dispatch, liar.backend.create_buffer = create_zeros;
    device->backend = &liar.backend;
    status = check->run(device, twin, &result);
    device->backend = liar.real;
    compute_close(twin);
    compute_close(device);
    assert_true(result.wrong == 0 || result.detail[0]);
    return !carom_failed(status) && result.wrong == 0 && result.compared > 0;
}

static void every_step_is_checked(void **state)
{
    carom_context *context = *state;
    const compute_check *check;
    bool there;
    for (uint32_t k = 0; (check = check_at(k)) != NULL; k++)
    {
        liar = (struct liar){.lie = TRUTH};
        assert_true(passes(context, COMPUTE_PROCESSOR, check, &there));
        struct liar seen = liar;
        print_message("%s: %u buffers are written\n", check->name, seen.spot_count);
        assert_true(seen.spot_count > 0);
        for (uint32_t i = 0; i < 2 * seen.spot_count; i++)
        {
            liar = (struct liar){.lie = i % 2 ? SKIP : CHANGE, .spot = seen.spots[i / 2]};
            if (passes(context, COMPUTE_PROCESSOR, check, &there))
                fail_msg("%s passes if kernel %s %s buffer %u", check->name, liar.spot.kernel->name,
                         i % 2 ? "does not write" : "writes a wrong bit to", liar.spot.buffer);
            assert_true(liar.lied);
        }
    }
}

static void every_device_is_checked(void **state)
{
    carom_context *context = *state;
    const compute_check *check;
    bool there;
    for (compute_kind kind = COMPUTE_OPENCL; kind < COMPUTE_KIND_COUNT; kind++)
        for (uint32_t k = 0; (check = check_at(k)) != NULL; k++)
        {
            liar = (struct liar){.lie = TRUTH};
            bool passed = passes(context, kind, check, &there);
            uint32_t reads = liar.reads;
            if (!there)
                break;
            assert_true(passed && reads > 0);
            /* early ones: in later rounds the order of appends decides what is read, and some of it may be dropped */
            for (uint32_t i = 1; i <= reads && i <= 3; i++)
            {
                liar = (struct liar){.lie = MISREAD, .read = i};
                if (passes(context, kind, check, &there))
                    fail_msg("%s passes on %s if read %u of %u is wrong", check->name, compute_kind_name(kind),
                             liar.read, reads);
                assert_true(liar.lied);
            }
        }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_step_is_checked),
        cmocka_unit_test(every_device_is_checked),
    };
    return cmocka_run_group_tests(tests, check_open_context, check_close_context);
}
