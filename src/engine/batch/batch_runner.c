/* A device with the kernels of an engine and its buffers. */
#include "engine/batch/batch.h"

enum
{
    MAX_BEAM = 1 << 20, /* items of a frontier */
    SPILL_PER_ITEM = 4  /* room, per item of a frontier */
};

carom_status batch_out_of_memory(const batch_runner *runner)
{
    return base_fail(runner->context, CAROM_OUT_OF_MEMORY, "engine %s: no memory", runner->kind->name);
}

/* ---- opening ---- */

static carom_status make_kernels(batch_runner *runner)
{
    const batch_kind *kind = runner->kind;
    BASE_TRY(compute_begin(runner->device));
    carom_status status =
        compute_buffer_create(runner->device, kind->counter_words * sizeof(uint32_t), &runner->counters);
    for (int i = 0; i < BATCH_KERNELS && kind->kernels[i] && !carom_failed(status); i++)
        status = compute_kernel_create(runner->device, kind->kernels[i], &runner->kernels[i]);
    carom_status ended = compute_end(runner->device);
    return carom_failed(status) ? status : ended;
}

static carom_status make_kernels_or_close(batch_runner *runner)
{
    carom_status status = make_kernels(runner);
    if (carom_failed(status))
        batch_runner_close(runner);
    return status;
}

carom_status batch_runner_open(batch_runner *runner, compute_kind compute)
{
    compute_device_def def = compute_device_def_default();
    def.kind = compute, def.limits.buffer_size = runner->limits.buffer_size;
    BASE_TRY(compute_open(runner->context, &def, &runner->device));
    return make_kernels_or_close(runner);
}

carom_status batch_runner_use(batch_runner *runner, const batch_kind *kind, compute_device *device)
{
    *runner = (batch_runner){.kind = kind, .context = compute_context(device), .device = device, .borrowed = true};
    return make_kernels_or_close(runner);
}

static void destroy_objects(batch_runner *runner)
{
    compute_buffer *const buffers[] = {&runner->poses, &runner->bases,      &runner->frontier, &runner->leaves,
                                       &runner->spill, &runner->candidates, &runner->counters};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        compute_buffer_destroy(runner->device, buffers[i]);
    for (int i = 0; i < BATCH_STORES; i++)
        compute_buffer_destroy(runner->device, &runner->stores[i]);
    for (int i = 0; i < BATCH_EXTRAS; i++)
        compute_buffer_destroy(runner->device, &runner->extras[i]);
    for (int i = 0; i < BATCH_KERNELS; i++)
        compute_kernel_destroy(runner->device, &runner->kernels[i]);
}

void batch_runner_close(batch_runner *runner)
{
    if (runner->device)
    {
        bool begun = compute_begin(runner->device) == CAROM_OK;
        destroy_objects(runner);
        if (begun)
            compute_end(runner->device);
        if (!runner->borrowed)
            compute_close(runner->device);
        base_array_free(runner->context, &runner->slots);
    }
    *runner = (batch_runner){.kind = runner->kind,
                             .context = runner->context,
                             .waits = runner->waits,
                             .limits = runner->limits,
                             .stats = runner->stats};
}

/* ---- room for frontiers ---- */

carom_status batch_remake(batch_runner *runner, compute_buffer *buffer, uint64_t count, size_t size)
{
    if (count > SIZE_MAX / size)
        return base_fail(runner->context, CAROM_TOO_LARGE, "engine %s: a buffer of %llu elements", runner->kind->name,
                         (unsigned long long)count);
    compute_buffer_destroy(runner->device, buffer);
    return compute_buffer_create(runner->device, (size_t)count * size, buffer);
}

/* The largest frontier whose buffers the device allows, and the tests' limit. */
uint32_t batch_max_beam(const batch_runner *runner)
{
    const batch_kind *kind = runner->kind;
    uint64_t beam = compute_info(runner->device)->buffer_size / kind->bytes_per_item;
    beam = beam < MAX_BEAM ? beam : MAX_BEAM;
    if (runner->limits.frontier != 0 && runner->limits.frontier < beam)
        beam = runner->limits.frontier;
    return beam > kind->min_beam ? (uint32_t)beam : kind->min_beam;
}

carom_status batch_runner_grow(batch_runner *runner, uint32_t beam)
{
    const batch_kind *kind = runner->kind;
    const size_t size = sizeof(batch_item);
    uint32_t max = batch_max_beam(runner);
    beam = beam < max ? beam : max;
    if (beam <= runner->beam)
        return CAROM_OK;
    runner->beam = 0;
    BASE_TRY(batch_remake(runner, &runner->frontier, 2 * (uint64_t)beam, size));
    BASE_TRY(batch_remake(runner, &runner->leaves, kind->leaves_per_item * (uint64_t)beam, size));
    BASE_TRY(batch_remake(runner, &runner->spill, SPILL_PER_ITEM * (uint64_t)beam, size));
    BASE_TRY(batch_remake(runner, &runner->candidates, kind->candidates_per_item * (uint64_t)beam, size));
    if (kind->grow)
        BASE_TRY(kind->grow(runner, beam));
    runner->beam = beam;
    return CAROM_OK;
}

/* ---- dispatches ---- */

carom_status batch_dispatch(batch_runner *runner, uint32_t kernel, compute_buffer *const *buffers, uint32_t argument,
                            uint32_t items)
{
    runner->stats.dispatches++;
    return compute_dispatch(runner->device,
                            &(compute_dispatch_def){&runner->kernels[kernel], buffers, argument, items});
}

carom_status batch_end_stage(batch_runner *runner, double *seconds)
{
    uint32_t word;
    if (runner->waits) /* a read waits for everything before it */
        BASE_TRY(compute_read(runner->device, &runner->counters, 0, &word, sizeof word));
    double now = base_now();
    *seconds += now - runner->clock;
    runner->clock = now;
    return CAROM_OK;
}
