/* The processor as a compute device: kernels are their twins in C, divided among the context's workers. */
#include "compute/device.h"

#include <stdio.h>

static carom_status open_processor(compute_device *device)
{
    carom_compute_info *info = &device->info;
    snprintf(info->platform, sizeof info->platform, "Carom");
    snprintf(info->name, sizeof info->name, "the kernels compiled as C");
    snprintf(info->version, sizeof info->version, "C17");
    info->software = true, info->doubles = true;
    info->units = base_worker_count(device->context);
    info->buffer_size = SIZE_MAX / 4;
    info->group_size = 1;
    info->local_memory = 32 << 10;
    return CAROM_OK;
}

static void close_processor(compute_device *device) { (void)device; }

static carom_status create_buffer(compute_device *device, compute_buffer *buffer)
{
    buffer->object = base_allocate(device->context, buffer->size, 1, BASE_CACHE_LINE);
    if (!buffer->object)
        return base_fail(device->context, CAROM_OUT_OF_MEMORY, "no memory for a compute buffer of %llu bytes",
                         (unsigned long long)buffer->size);
    return CAROM_OK;
}

static void destroy_buffer(compute_device *device, compute_buffer *buffer)
{
    base_release(device->context, buffer->object, buffer->size, 1);
}

static carom_status write_buffer(compute_device *device, compute_buffer *buffer, size_t offset, const void *data,
                                 size_t size)
{
    (void)device;
    memcpy((unsigned char *)buffer->object + offset, data, size);
    return CAROM_OK;
}

static carom_status read_buffer(compute_device *device, const compute_buffer *buffer, size_t offset, void *out,
                                size_t size)
{
    (void)device;
    memcpy(out, (const unsigned char *)buffer->object + offset, size);
    return CAROM_OK;
}

static carom_status create_kernel(compute_device *device, const char *text, compute_kernel *kernel)
{
    (void)text;
    if (!kernel->def->twin)
        return base_fail(device->context, CAROM_INVALID_ARGUMENT, "kernel %s has no twin", kernel->def->name);
    return CAROM_OK;
}

static void destroy_kernel(compute_device *device, compute_kernel *kernel) { (void)device, (void)kernel; }

typedef struct twin_run
{
    compute_twin_fn *twin;
    void *buffers[COMPUTE_BUFFERS];
    uint32_t argument, items;
} twin_run;

static void run_items(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const twin_run *run = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
        run->twin(run->buffers, run->argument, i, run->items);
}

static carom_status dispatch(compute_device *device, const compute_dispatch_def *def)
{
    const compute_kernel_def *kernel = def->kernel->def;
    /* waking the others up takes longer than a few items */
    uint32_t workers = base_worker_count(device->context);
    twin_run run = {.twin = kernel->twin, .argument = def->argument, .items = def->items > 256 ? workers : 1};
    for (uint32_t i = 0; i < kernel->buffer_count; i++)
        run.buffers[i] = def->buffers[i]->object;
    base_parallel_for(device->context, run.items, 1, run_items, &run);
    return CAROM_OK;
}

const compute_backend compute_processor = {.open = open_processor,
                                           .close = close_processor,
                                           .create_buffer = create_buffer,
                                           .destroy_buffer = destroy_buffer,
                                           .write = write_buffer,
                                           .read = read_buffer,
                                           .create_kernel = create_kernel,
                                           .destroy_kernel = destroy_kernel,
                                           .dispatch = dispatch};
