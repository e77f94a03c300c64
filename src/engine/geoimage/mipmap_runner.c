/* A device with the kernels of the engine and its buffers. */
#include "engine/geoimage/mipmap.h"

enum
{
    FIRST_BEAM = 1 << 14, /* items of a frontier */
    MAX_BEAM = 1 << 20,
    LEAVES_PER_ITEM = 4, /* room, per item of a frontier */
    SPILL_PER_ITEM = 4,
    CANDIDATES_PER_ITEM = 4
};

static const compute_kernel_def *const KERNELS[MIPMAP_KERNELS] = {
    &mipmap_cells_def,   &mipmap_parents_def, &mipmap_descend_def, &mipmap_sum_def,
    &mipmap_scatter_def, &mipmap_test_def,    &mipmap_list_def};

/* ---- opening ---- */

static carom_status make_kernels(mipmap_runner *runner)
{
    BASE_TRY(compute_begin(runner->device));
    carom_status status = compute_buffer_create(runner->device, MIPMAP_COUNTERS * sizeof(uint32_t), &runner->counters);
    for (int i = 0; i < MIPMAP_KERNELS && !carom_failed(status); i++)
        status = compute_kernel_create(runner->device, KERNELS[i], &runner->kernels[i]);
    carom_status ended = compute_end(runner->device);
    status = carom_failed(status) ? status : ended;
    if (carom_failed(status))
        mipmap_runner_close(runner);
    return status;
}

carom_status mipmap_runner_open(mipmap_runner *runner, carom_context *context, compute_kind kind)
{
    runner->context = context;
    compute_device_def def = compute_device_def_default();
    def.kind = kind, def.limits.buffer_size = runner->limits.buffer_size;
    BASE_TRY(compute_open(context, &def, &runner->device));
    runner->waits = runner->waits || compute_kind_of(runner->device) == COMPUTE_PROCESSOR;
    return make_kernels(runner);
}

carom_status mipmap_runner_use(mipmap_runner *runner, carom_context *context, compute_device *device)
{
    *runner = (mipmap_runner){.context = context, .device = device, .borrowed = true};
    return make_kernels(runner);
}

static void destroy_objects(mipmap_runner *runner)
{
    compute_buffer *const buffers[] = {&runner->poses, &runner->bases,      &runner->frontier,
                                       &runner->masks, &runner->pyramid,    &runner->leaves,
                                       &runner->spill, &runner->candidates, &runner->counters};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        compute_buffer_destroy(runner->device, buffers[i]);
    for (int i = 0; i < MIPMAP_STORES; i++)
        compute_buffer_destroy(runner->device, &runner->stores[i]);
    for (int i = 0; i < MIPMAP_KERNELS; i++)
        compute_kernel_destroy(runner->device, &runner->kernels[i]);
}

void mipmap_runner_close(mipmap_runner *runner)
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
    *runner = (mipmap_runner){
        .context = runner->context, .limits = runner->limits, .stats = runner->stats, .waits = runner->waits};
}

/* ---- room for frontiers ---- */

carom_status mipmap_remake(mipmap_runner *runner, compute_buffer *buffer, uint64_t count, size_t size)
{
    if (count > SIZE_MAX / size)
        return base_fail(runner->context, CAROM_TOO_LARGE, "engine geoimage: a buffer of %llu elements",
                         (unsigned long long)count);
    compute_buffer_destroy(runner->device, buffer);
    return compute_buffer_create(runner->device, (size_t)count * size, buffer);
}

/* The largest frontier whose buffers the device allows, and the tests' limit. */
uint32_t mipmap_max_beam(const mipmap_runner *runner)
{
    uint64_t beam = compute_info(runner->device)->buffer_size / (LEAVES_PER_ITEM * 2 * sizeof(frontier_item));
    beam = beam < MAX_BEAM ? beam : MAX_BEAM;
    if (runner->limits.frontier != 0 && runner->limits.frontier < beam)
        beam = runner->limits.frontier;
    return beam > MIPMAP_CHILDREN ? (uint32_t)beam : MIPMAP_CHILDREN;
}

/* A pyramid is at most 4/3 as large as its base, and 12 entries for what is rounded up. */
carom_status mipmap_runner_grow(mipmap_runner *runner, uint32_t beam)
{
    uint32_t max = mipmap_max_beam(runner);
    beam = beam == 0 ? FIRST_BEAM : beam;
    beam = beam < max ? beam : max;
    if (beam <= runner->beam)
        return CAROM_OK;
    uint64_t entries = LEAVES_PER_ITEM * (uint64_t)beam;
    const size_t size = sizeof(frontier_item);
    runner->beam = 0;
    BASE_TRY(mipmap_remake(runner, &runner->frontier, 2 * (uint64_t)beam, size));
    BASE_TRY(mipmap_remake(runner, &runner->leaves, entries, size));
    BASE_TRY(mipmap_remake(runner, &runner->masks, entries, sizeof(uint32_t)));
    BASE_TRY(mipmap_remake(runner, &runner->pyramid, entries + entries / 3 + 16, 2 * sizeof(uint32_t)));
    BASE_TRY(mipmap_remake(runner, &runner->spill, SPILL_PER_ITEM * (uint64_t)beam, size));
    BASE_TRY(mipmap_remake(runner, &runner->candidates, CANDIDATES_PER_ITEM * (uint64_t)beam, size));
    runner->beam = beam;
    return CAROM_OK;
}

/* ---- dispatches ---- */

carom_status mipmap_dispatch(mipmap_runner *runner, uint32_t kernel, compute_buffer *const *buffers, uint32_t argument,
                             uint32_t items)
{
    runner->stats.dispatches++;
    return compute_dispatch(runner->device,
                            &(compute_dispatch_def){&runner->kernels[kernel], buffers, argument, items});
}

carom_status mipmap_end_stage(mipmap_runner *runner, double *seconds)
{
    uint32_t word;
    if (runner->waits) /* a read waits for everything before it */
        BASE_TRY(compute_read(runner->device, &runner->counters, 0, &word, sizeof word));
    double now = base_now();
    *seconds += now - runner->clock;
    runner->clock = now;
    return CAROM_OK;
}
