/* Devices: opening, closing, and taking turns on a thread. */
#include "gpu/device.h"

#include <stdio.h>

gpu_device_def gpu_device_def_default(void) { return (gpu_device_def){.platform = GPU_PLATFORM_AUTO}; }

carom_status gpu_open(carom_context *context, const gpu_device_def *def, gpu_device **out)
{
    *out = NULL;
    if (def && ((unsigned)def->platform > GPU_PLATFORM_OFF))
        return base_fail(context, CAROM_INVALID_ARGUMENT, "gpu_open: no platform has number %d", (int)def->platform);
    gpu_device *device = base_allocate(context, 1, sizeof *device, _Alignof(gpu_device));
    if (!device)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "no memory for a GPU device");
    *device = (gpu_device){.context = context, .def = def ? *def : gpu_device_def_default(), .opening = true};
    carom_status status = gpu_egl_open(device);
    device->opening = false;
    if (carom_failed(status))
    {
        status = base_fail(context, status, "%s", device->reason);
        gpu_close(device);
        return status;
    }
    *out = device;
    return CAROM_OK;
}

void gpu_close(gpu_device *device)
{
    if (!device)
        return;
    if (device->egl_context && atomic_load(&device->busy) && pthread_equal(device->thread, pthread_self()))
    {
        gpu_queries_abandon(device);
        gpu_egl_restore(device); /* gpu_end was forgotten: the host gets its thread back all the same */
    }
    if (device->egl_context)
        gpu_egl_close(device);
    gpu_driver_close(device);
    base_release(device->context, device, 1, sizeof *device);
}

carom_status gpu_begin(gpu_device *device)
{
    bool busy = false;
    if (!atomic_compare_exchange_strong(&device->busy, &busy, true))
        return base_fail(device->context, CAROM_BUSY, "the GPU device is already in use");
    device->thread = pthread_self();
    carom_status status = gpu_ready(device);
    if (!carom_failed(status))
        status = gpu_egl_make_current(device);
    if (carom_failed(status))
    {
        atomic_store(&device->busy, false);
        return status;
    }
    status = gpu_check_reset(device);
    if (carom_failed(status))
    {
        gpu_egl_restore(device);
        atomic_store(&device->busy, false);
    }
    return status;
}

carom_status gpu_end(gpu_device *device)
{
    carom_status status = gpu_ready(device);
    if (status == CAROM_INVALID_ARGUMENT || status == CAROM_BUSY)
        return status; /* it is not ours to end */
    if (!carom_failed(status))
        status = gpu_check_reset(device);
    gpu_queries_abandon(device);
    carom_status restored = gpu_egl_restore(device);
    atomic_store(&device->busy, false);
    return carom_failed(status) ? status : restored;
}

const carom_gpu_info *gpu_info(const gpu_device *device) { return &device->info; }

carom_context *gpu_context(const gpu_device *device) { return device->context; }

uint32_t gpu_max_target(const gpu_device *device)
{
    const carom_gpu_limits *limits = &device->info.limits;
    const uint32_t sizes[] = {limits->renderbuffer_size, limits->viewport_width, limits->viewport_height};
    uint32_t max = limits->texture_size;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
        max = sizes[i] < max ? sizes[i] : max;
    return max;
}

bool gpu_is_lost(const gpu_device *device) { return device->lost; }

uint64_t gpu_debug_errors(const gpu_device *device, const char **first)
{
    if (first)
        *first = device->debug_first;
    return device->debug_errors;
}

carom_status gpu_clock(gpu_device *device, double *seconds)
{
    BASE_TRY(gpu_ready(device));
    device->gl.Finish();
    BASE_TRY(gpu_check_call(device, "glFinish"));
    *seconds = base_now();
    return CAROM_OK;
}

carom_status carom_gpu_describe(carom_context *context, carom_gpu_info *out)
{
    if (!context || !out)
        return context ? base_fail(context, CAROM_INVALID_ARGUMENT, "carom_gpu_describe: out is null")
                       : CAROM_INVALID_ARGUMENT;
    gpu_device *device;
    *out = (carom_gpu_info){0};
    BASE_TRY(gpu_open(context, NULL, &device));
    *out = device->info;
    gpu_close(device);
    return CAROM_OK;
}
