/* Compute devices: which kind, and the checks that all backends share. */
#include "compute/device.h"

#include <stdio.h>
#include <stdlib.h>

compute_device_def compute_device_def_default(void) { return (compute_device_def){.kind = COMPUTE_AUTO}; }

static const struct
{
    const char *name;
    const compute_backend *backend;
} KINDS[COMPUTE_KIND_COUNT] = {
    {"auto", NULL}, {"opencl", &compute_opencl}, {"opengl", &compute_opengl}, {"processor", &compute_processor}};

const char *compute_kind_name(compute_kind kind)
{
    return (unsigned)kind < COMPUTE_KIND_COUNT ? KINDS[kind].name : "none";
}

const char *compute_source_find(const char *name)
{
    for (uint32_t i = 0; i < compute_source_count; i++)
        if (strcmp(compute_sources[i].name, name) == 0)
            return compute_sources[i].text;
    return NULL;
}

/* ---- life ---- */

compute_kind compute_find_kind(const char *name)
{
    int kind = 0;
    while (kind < COMPUTE_KIND_COUNT && strcmp(name, KINDS[kind].name) != 0)
        kind++;
    return (compute_kind)kind;
}

compute_kind compute_wanted_kind(const carom_context *context)
{
    const char *wish = getenv("CAROM_COMPUTE"); /* NOLINT(concurrency-mt-unsafe): read only */
    compute_kind kind = wish && wish[0] ? compute_find_kind(wish) : COMPUTE_AUTO;
    if (kind != COMPUTE_KIND_COUNT)
        return kind;
    base_log(context, CAROM_LOG_WARNING, "CAROM_COMPUTE=%.40s is none of auto, opencl, opengl and processor", wish);
    return COMPUTE_AUTO;
}

bool compute_drivers_are_off(void)
{
    const char *wish = getenv("CAROM_GPU"); /* NOLINT(concurrency-mt-unsafe): read only */
    return wish && strcmp(wish, "off") == 0;
}

static carom_status open_kind(compute_device *device, compute_kind kind)
{
    device->kind = kind, device->backend = KINDS[kind].backend;
    snprintf(device->info.kind, sizeof device->info.kind, "%s", KINDS[kind].name);
    carom_status status = device->backend->open(device);
    if (carom_failed(status))
        device->backend->close(device);
    else
        compute_apply_limits(device);
    return status;
}

/* OpenCL, then OpenGL, then the processor, which is always there. A device that fails in another way than by being
 * absent is passed over, too. */
static carom_status open_first(compute_device *device)
{
    carom_status status = CAROM_UNAVAILABLE;
    int first = compute_drivers_are_off() ? COMPUTE_PROCESSOR : COMPUTE_OPENCL;
    for (int kind = first; kind < COMPUTE_KIND_COUNT && carom_failed(status); kind++)
        status = open_kind(device, (compute_kind)kind);
    return status;
}

carom_status compute_open(carom_context *context, const compute_device_def *def, compute_device **out)
{
    *out = NULL;
    compute_device_def chosen = def ? *def : compute_device_def_default();
    if ((unsigned)chosen.kind >= COMPUTE_KIND_COUNT)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "compute_open: no kind has number %d", (int)chosen.kind);
    if (chosen.kind == COMPUTE_AUTO)
        chosen.kind = compute_wanted_kind(context);
    compute_device *device = base_allocate(context, 1, sizeof *device, _Alignof(compute_device));
    if (!device)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "no memory for a compute device");
    *device = (compute_device){.context = context, .def = chosen};
    carom_status status = chosen.kind == COMPUTE_AUTO ? open_first(device) : open_kind(device, chosen.kind);
    if (carom_failed(status))
        return base_release(context, device, 1, sizeof *device), status;
    *out = device;
    return CAROM_OK;
}

void compute_close(compute_device *device)
{
    if (!device)
        return;
    device->backend->close(device);
    base_release(device->context, device, 1, sizeof *device);
}

carom_status compute_probe(carom_context *context, compute_kind kind)
{
    compute_device *device;
    if (kind == COMPUTE_AUTO)
        return CAROM_OK;
    BASE_TRY(compute_open(context, &(compute_device_def){.kind = kind}, &device));
    compute_close(device);
    return CAROM_OK;
}

carom_status compute_begin(compute_device *device)
{
    bool busy = false;
    if (!atomic_compare_exchange_strong(&device->busy, &busy, true))
        return base_fail(device->context, CAROM_BUSY, "the compute device is already in use");
    carom_status status = device->backend->begin ? device->backend->begin(device) : CAROM_OK;
    if (carom_failed(status))
        atomic_store(&device->busy, false);
    return status;
}

carom_status compute_end(compute_device *device)
{
    carom_status status = device->backend->end ? device->backend->end(device) : CAROM_OK;
    atomic_store(&device->busy, false);
    return status;
}

compute_kind compute_kind_of(const compute_device *device) { return device->kind; }
const carom_compute_info *compute_info(const compute_device *device) { return &device->info; }
carom_context *compute_context(const compute_device *device) { return device->context; }
bool compute_is_lost(const compute_device *device) { return device->lost; }

/* ---- limits ---- */

static uint64_t lower(uint64_t found, uint64_t wanted) { return wanted != 0 && wanted < found ? wanted : found; }

void compute_apply_limits(compute_device *device)
{
    carom_compute_info *info = &device->info;
    const compute_limits *wanted = &device->def.limits;
    info->buffer_size = lower(info->buffer_size, wanted->buffer_size);
    info->group_size = (uint32_t)lower(info->group_size, wanted->group_size);
    info->local_memory = (uint32_t)lower(info->local_memory, wanted->local_memory);
}

enum
{
    GROUP = 64,               /* items: two or one of what cards run in step */
    GROUPS_PER_UNIT = 64,     /* enough to keep a card's memory busy */
    SOFT_GROUPS_PER_UNIT = 2, /* the processor only loses time with more */
    MAX_ITEMS = 1 << 20
};

uint32_t compute_group(const compute_device *device)
{
    uint32_t max = device->info.group_size;
    return max == 0 ? 1 : max < GROUP ? max : GROUP;
}

uint32_t compute_round_items(const compute_device *device, uint32_t items)
{
    uint32_t group = compute_group(device), units = device->info.units > 0 ? device->info.units : 1;
    uint32_t per_unit = device->info.software ? SOFT_GROUPS_PER_UNIT : GROUPS_PER_UNIT;
    uint64_t max = (uint64_t)group * per_unit * units;
    max = max < MAX_ITEMS ? max : MAX_ITEMS;
    uint64_t wanted = items > 0 ? items : 1;
    wanted = wanted < max ? wanted : max;
    return (uint32_t)((wanted + group - 1) / group * group);
}

/* ---- buffers and kernels ---- */

static carom_status refuse_unready(compute_device *device)
{
    if (device->lost)
        return base_fail(device->context, CAROM_UNAVAILABLE, "the compute device is lost; open another one");
    return base_fail(device->context, CAROM_INVALID_ARGUMENT, "the compute device is used without compute_begin");
}

static bool is_ready(const compute_device *device)
{
    return !device->lost && atomic_load_explicit(&device->busy, memory_order_relaxed);
}

carom_status compute_buffer_create(compute_device *device, size_t size, compute_buffer *out)
{
    *out = (compute_buffer){0};
    if (!is_ready(device))
        return refuse_unready(device);
    if (size == 0)
        return base_fail(device->context, CAROM_INVALID_ARGUMENT, "a compute buffer without bytes");
    if (size > device->info.buffer_size)
        return base_fail(device->context, CAROM_TOO_LARGE, "a compute buffer of %llu bytes: the device's limit is %llu",
                         (unsigned long long)size, (unsigned long long)device->info.buffer_size);
    compute_buffer buffer = {.size = size};
    BASE_TRY(device->backend->create_buffer(device, &buffer));
    *out = buffer;
    return CAROM_OK;
}

void compute_buffer_destroy(compute_device *device, compute_buffer *buffer)
{
    if (buffer->size > 0)
        device->backend->destroy_buffer(device, buffer);
    *buffer = (compute_buffer){0};
}

static carom_status check_range(compute_device *device, const compute_buffer *buffer, size_t offset, size_t size)
{
    if (!is_ready(device))
        return refuse_unready(device);
    if (offset > buffer->size || size > buffer->size - offset)
        return base_fail(device->context, CAROM_OUT_OF_RANGE, "bytes %llu to %llu of a compute buffer of %llu",
                         (unsigned long long)offset, (unsigned long long)offset + size,
                         (unsigned long long)buffer->size);
    return CAROM_OK;
}

carom_status compute_write(compute_device *device, compute_buffer *buffer, size_t offset, const void *data, size_t size)
{
    BASE_TRY(check_range(device, buffer, offset, size));
    return size > 0 ? device->backend->write(device, buffer, offset, data, size) : CAROM_OK;
}

carom_status compute_read(compute_device *device, const compute_buffer *buffer, size_t offset, void *out, size_t size)
{
    BASE_TRY(check_range(device, buffer, offset, size));
    return size > 0 ? device->backend->read(device, buffer, offset, out, size) : CAROM_OK;
}

/* The embedded file of a kernel or its functions, by its name without .kernel; or null. */
static const char *find_text(const char *name)
{
    char file[64];
    snprintf(file, sizeof file, "%s.kernel", name);
    return compute_source_find(file);
}

/* Compiles two texts as one. */
static carom_status create_joined(compute_device *device, const char *functions, const char *text,
                                  compute_kernel *kernel)
{
    size_t size = strlen(functions) + strlen(text) + 1;
    char *both = base_allocate(device->context, size, 1, 1);
    if (!both)
        return base_fail(device->context, CAROM_OUT_OF_MEMORY, "no memory for the text of kernel %s",
                         kernel->def->name);
    snprintf(both, size, "%s%s", functions, text);
    carom_status status = device->backend->create_kernel(device, both, kernel);
    base_release(device->context, both, size, 1);
    return status;
}

carom_status compute_kernel_create(compute_device *device, const compute_kernel_def *def, compute_kernel *out)
{
    *out = (compute_kernel){0};
    if (!is_ready(device))
        return refuse_unready(device);
    const char *text = def->text ? def->text : find_text(def->name);
    const char *functions = def->text || !def->functions ? "" : find_text(def->functions);
    if (!text || !functions || def->buffer_count > COMPUTE_BUFFERS)
        return base_fail(device->context, CAROM_INVALID_ARGUMENT, "no kernel is called %s, or it has too many buffers",
                         def->name);
    compute_kernel kernel = {.def = def};
    BASE_TRY(create_joined(device, functions, text, &kernel));
    *out = kernel;
    return CAROM_OK;
}

void compute_kernel_destroy(compute_device *device, compute_kernel *kernel)
{
    if (kernel->def)
        device->backend->destroy_kernel(device, kernel);
    *kernel = (compute_kernel){0};
}

carom_status compute_dispatch(compute_device *device, const compute_dispatch_def *def)
{
    if (!is_ready(device))
        return refuse_unready(device);
    const compute_kernel_def *kernel = def->kernel->def;
    if (!kernel)
        return base_fail(device->context, CAROM_INVALID_ARGUMENT, "compute_dispatch: a kernel that was not created");
    for (uint32_t i = 0; i < kernel->buffer_count; i++)
        if (!def->buffers[i] || def->buffers[i]->size == 0)
            return base_fail(device->context, CAROM_INVALID_ARGUMENT, "kernel %s: buffer %u was not created",
                             kernel->name, i);
    BASE_TRY(device->backend->dispatch(device, def));
    return device->watch ? device->watch(def, device->watch_user) : CAROM_OK;
}
