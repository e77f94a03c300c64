/* Compute shaders of OpenGL as a compute device, through src/gpu. */
#include "compute/device.h"

#include <stdio.h>

static carom_status describe(compute_device *device)
{
    carom_compute_info *info = &device->info;
    const carom_gpu_info *gpu = gpu_info(device->gpu);
    snprintf(info->platform, sizeof info->platform, "OpenGL, %s", gpu->platform);
    snprintf(info->name, sizeof info->name, "%s", gpu->renderer);
    snprintf(info->version, sizeof info->version, "%s", gpu->version);
    info->software = gpu->software, info->doubles = true; /* all of OpenGL 4 has them */
    info->units = gpu->software ? 4 : 64;                 /* it does not say */
    info->buffer_size = gpu->limits.storage_block;
    BASE_TRY(gpu_begin(device->gpu));
    carom_status status = gpu_compute_limits(device->gpu, &info->group_size, &info->local_memory);
    carom_status ended = gpu_end(device->gpu);
    return carom_failed(status) ? status : ended;
}

static carom_status open_opengl(compute_device *device)
{
    BASE_TRY(gpu_open(device->context, NULL, &device->gpu));
    return describe(device);
}

static void close_opengl(compute_device *device)
{
    gpu_close(device->gpu);
    device->gpu = NULL;
    device->lost = false;
}

static carom_status begin(compute_device *device) { return gpu_begin(device->gpu); }
static carom_status end(compute_device *device) { return gpu_end(device->gpu); }

/* Notes whether the driver has lost the context. */
static carom_status checked(compute_device *device, carom_status status)
{
    device->lost = device->lost || gpu_is_lost(device->gpu);
    return status;
}

static gpu_buffer buffer_of(const compute_buffer *buffer) { return (gpu_buffer){buffer->name, buffer->size, true}; }

static carom_status create_buffer(compute_device *device, compute_buffer *buffer)
{
    gpu_buffer made;
    carom_status status = gpu_buffer_create(device->gpu, NULL, buffer->size, true, &made);
    buffer->name = made.name;
    return checked(device, status);
}

static void destroy_buffer(compute_device *device, compute_buffer *buffer)
{
    gpu_buffer made = buffer_of(buffer);
    gpu_buffer_destroy(device->gpu, &made);
}

static carom_status write_buffer(compute_device *device, compute_buffer *buffer, size_t offset, const void *data,
                                 size_t size)
{
    gpu_buffer made = buffer_of(buffer);
    return checked(device, gpu_buffer_write_part(device->gpu, &made, offset, data, size));
}

static carom_status read_buffer(compute_device *device, const compute_buffer *buffer, size_t offset, void *out,
                                size_t size)
{
    gpu_buffer made = buffer_of(buffer);
    return checked(device, gpu_buffer_read_part(device->gpu, &made, offset, out, size));
}

/* ---- kernels ---- */

static carom_status build(compute_device *device, const char *text, compute_kernel *kernel)
{
    char definitions[48];
    snprintf(definitions, sizeof definitions, "#define GROUP %u\n", compute_group(device));
    gpu_source source = {kernel->def->name, text};
    gpu_program program;
    gpu_program_def def = {
        .compute = kernel->def->name, .definitions = definitions, .sources = &source, .source_count = 1};
    BASE_TRY(gpu_program_create(device->gpu, &def, &program));
    kernel->name = program.name;
    return CAROM_OK;
}

/* The version, the prelude and the kernel as one text. */
static carom_status create_kernel(compute_device *device, const char *text, compute_kernel *kernel)
{
    const char *prelude = compute_source_find("opengl.prelude.kernel");
    static const char first[] = "#version 450 core\n", line[] = "\n#line 1\n";
    size_t size = sizeof first + sizeof line + strlen(prelude) + strlen(text);
    char *whole = base_allocate(device->context, size, 1, 1);
    if (!whole)
        return base_fail(device->context, CAROM_OUT_OF_MEMORY, "no memory for the text of kernel %s",
                         kernel->def->name);
    snprintf(whole, size, "%s%s%s%s", first, prelude, line, text);
    carom_status status = build(device, whole, kernel);
    base_release(device->context, whole, size, 1);
    return checked(device, status);
}

static void destroy_kernel(compute_device *device, compute_kernel *kernel)
{
    gpu_program program = {kernel->name};
    gpu_program_destroy(device->gpu, &program);
}

static carom_status dispatch(compute_device *device, const compute_dispatch_def *def)
{
    const compute_kernel *kernel = def->kernel;
    gpu_program program = {kernel->name};
    gpu_buffer buffers[COMPUTE_BUFFERS];
    gpu_dispatch_def run = {.program = &program};
    for (uint32_t i = 0; i < kernel->def->buffer_count; i++)
    {
        buffers[i] = buffer_of(def->buffers[i]);
        run.storage_blocks[i] = &buffers[i];
    }
    uint32_t argument = def->argument;
    carom_status status = gpu_program_set(device->gpu, &program, &(gpu_uniform){"argument", GPU_UINT, 1, 1, &argument});
    run.groups = compute_round_items(device, def->items) / compute_group(device);
    if (!carom_failed(status))
        status = gpu_dispatch(device->gpu, &run);
    return checked(device, status);
}

const compute_backend compute_opengl = {.open = open_opengl,
                                        .close = close_opengl,
                                        .begin = begin,
                                        .end = end,
                                        .create_buffer = create_buffer,
                                        .destroy_buffer = destroy_buffer,
                                        .write = write_buffer,
                                        .read = read_buffer,
                                        .create_kernel = create_kernel,
                                        .destroy_kernel = destroy_kernel,
                                        .dispatch = dispatch};
