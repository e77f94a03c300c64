/* OpenCL as a compute device: the first that will do, graphics cards before processors. */
#include "compute/device.h"

#include <stdio.h>

/* ---- opening ---- */

typedef struct choice
{
    cl_handle device;
    carom_compute_info info;
    char lack[128]; /* of the last that would not do */
} choice;

static bool consider(compute_device *device, cl_handle platform, cl_handle found, void *user)
{
    choice *best = user;
    carom_compute_info info;
    compute_cl_describe(device, platform, found, &info);
    if (info.lack[0])
        snprintf(best->lack, sizeof best->lack, "%.60s: %.60s", info.name, info.lack);
    else if (!best->device || (best->info.software && !info.software))
        best->device = found, best->info = info;
    return true;
}

static carom_status open_opencl(compute_device *device)
{
    choice best = {0};
    int error = 0;
    BASE_TRY(compute_cl_load(device));
    BASE_TRY(compute_cl_visit(device, consider, &best));
    if (!best.device)
        return base_fail(device->context, CAROM_UNAVAILABLE, "OpenCL has no device that will do%s%s",
                         best.lack[0] ? "; " : "", best.lack);
    device->info = best.info, device->cl_device = best.device;
    device->cl_context = device->cl.CreateContext(NULL, 1, &best.device, NULL, NULL, &error);
    BASE_TRY(compute_cl_check(device, error, "clCreateContext"));
    device->cl_queue = device->cl.CreateCommandQueue(device->cl_context, best.device, 0, &error);
    return compute_cl_check(device, error, "clCreateCommandQueue");
}

static void close_opencl(compute_device *device)
{
    if (device->cl_queue)
    {
        device->cl.Finish(device->cl_queue);
        device->cl.ReleaseCommandQueue(device->cl_queue);
    }
    if (device->cl_context)
        device->cl.ReleaseContext(device->cl_context);
    device->cl_queue = device->cl_context = device->cl_device = NULL;
    device->lost = false;
    compute_cl_unload(device);
}

/* ---- buffers ---- */

static carom_status create_buffer(compute_device *device, compute_buffer *buffer)
{
    int error = 0;
    buffer->object = device->cl.CreateBuffer(device->cl_context, CL_MEM_READ_WRITE, buffer->size, NULL, &error);
    return compute_cl_check(device, error, "clCreateBuffer");
}

static void destroy_buffer(compute_device *device, compute_buffer *buffer)
{
    device->cl.ReleaseMemObject(buffer->object);
}

static carom_status write_buffer(compute_device *device, compute_buffer *buffer, size_t offset, const void *data,
                                 size_t size)
{
    int error = device->cl.EnqueueWriteBuffer(device->cl_queue, buffer->object, 1, offset, size, data, 0, NULL, NULL);
    return compute_cl_check(device, error, "clEnqueueWriteBuffer");
}

static carom_status read_buffer(compute_device *device, const compute_buffer *buffer, size_t offset, void *out,
                                size_t size)
{
    int error = device->cl.EnqueueReadBuffer(device->cl_queue, buffer->object, 1, offset, size, out, 0, NULL, NULL);
    return compute_cl_check(device, error, "clEnqueueReadBuffer");
}

/* ---- kernels ---- */

static carom_status refuse_program(compute_device *device, cl_handle program, const char *name)
{
    char log[2048] = "";
    size_t needed = 0;
    int error =
        device->cl.GetProgramBuildInfo(program, device->cl_device, CL_PROGRAM_BUILD_LOG, sizeof log - 1, log, &needed);
    if (error != CL_SUCCESS)
        snprintf(log, sizeof log, "the log has %llu bytes", (unsigned long long)needed);
    base_log(device->context, CAROM_LOG_ERROR, "%s: %s", name, log);
    for (char *end; (end = strchr(log, '\n')) != NULL;)
        *end = ' '; /* a message is one line */
    return base_fail(device->context, CAROM_BAD_DATA, "%s does not compile: %.160s", name, log);
}

static carom_status build(compute_device *device, const char *text, compute_kernel *kernel)
{
    const char *prelude = compute_source_find("opencl.prelude.kernel");
    const char *parts[] = {prelude, "\n#line 1\n", text};
    int error = 0;
    kernel->program = device->cl.CreateProgramWithSource(device->cl_context, 3, parts, NULL, &error);
    BASE_TRY(compute_cl_check(device, error, "clCreateProgramWithSource"));
    error = device->cl.BuildProgram(kernel->program, 1, &device->cl_device, "-cl-std=CL1.2", NULL, NULL);
    if (error == CL_BUILD_PROGRAM_FAILURE)
        return refuse_program(device, kernel->program, kernel->def->name);
    BASE_TRY(compute_cl_check(device, error, "clBuildProgram"));
    kernel->object = device->cl.CreateKernel(kernel->program, kernel->def->name, &error);
    return compute_cl_check(device, error, "clCreateKernel");
}

static void destroy_kernel(compute_device *device, compute_kernel *kernel)
{
    if (kernel->object)
        device->cl.ReleaseKernel(kernel->object);
    if (kernel->program)
        device->cl.ReleaseProgram(kernel->program);
}

static carom_status create_kernel(compute_device *device, const char *text, compute_kernel *kernel)
{
    carom_status status = build(device, text, kernel);
    if (carom_failed(status))
        destroy_kernel(device, kernel);
    return status;
}

static carom_status dispatch(compute_device *device, const compute_dispatch_def *def)
{
    const compute_kernel *kernel = def->kernel;
    uint32_t i = 0;
    for (; i < kernel->def->buffer_count; i++)
    {
        cl_handle memory = def->buffers[i]->object;
        BASE_TRY(compute_cl_check(device, device->cl.SetKernelArg(kernel->object, i, sizeof memory, &memory),
                                  "clSetKernelArg"));
    }
    BASE_TRY(compute_cl_check(device, device->cl.SetKernelArg(kernel->object, i, sizeof def->argument, &def->argument),
                              "clSetKernelArg"));
    size_t items = compute_round_items(device, def->items), group = compute_group(device);
    int error =
        device->cl.EnqueueNDRangeKernel(device->cl_queue, kernel->object, 1, NULL, &items, &group, 0, NULL, NULL);
    return compute_cl_check(device, error, "clEnqueueNDRangeKernel");
}

const compute_backend compute_opencl = {.open = open_opencl,
                                        .close = close_opencl,
                                        .create_buffer = create_buffer,
                                        .destroy_buffer = destroy_buffer,
                                        .write = write_buffer,
                                        .read = read_buffer,
                                        .create_kernel = create_kernel,
                                        .destroy_kernel = destroy_kernel,
                                        .dispatch = dispatch};
