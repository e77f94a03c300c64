/* Clearing a target, and reading it back. */
#include "gpu/device.h"

/* The whole target, or a rectangle inside it. */
static carom_status check_rect(gpu_device *device, const gpu_target *target, gpu_rect *rect)
{
    if (target->name == 0)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "a target that was not created");
    if (rect->width == 0)
        *rect = (gpu_rect){0, 0, target->width, target->height};
    if (rect->height == 0 || rect->x > target->width || rect->width > target->width - rect->x ||
        rect->y > target->height || rect->height > target->height - rect->y)
        return gpu_fail(device, CAROM_OUT_OF_RANGE, "a rectangle of %u x %u at (%u, %u) in a target of %u x %u",
                        rect->width, rect->height, rect->x, rect->y, target->width, target->height);
    return CAROM_OK;
}

static bool has_plane(const gpu_target *target, gpu_plane plane)
{
    const gpu_format_row *depth = gpu_format_at(target->depth.format);
    if (plane < GPU_DEPTH)
        return (uint32_t)plane < target->color_count;
    return depth && (plane == GPU_DEPTH || depth->stencil);
}

static carom_status check_planes(gpu_device *device, const gpu_target *target, uint32_t planes)
{
    for (uint32_t i = 0; i < GPU_PLANE_COUNT; i++)
        if ((planes & GPU_PLANE_BIT(i)) && !has_plane(target, (gpu_plane)i))
            return gpu_fail(device, CAROM_INVALID_ARGUMENT, "the target has no %s image %u",
                            i < GPU_DEPTH    ? "colour"
                            : i == GPU_DEPTH ? "depth"
                                             : "stencil",
                            i < GPU_DEPTH ? i : 0);
    return CAROM_OK;
}

static carom_status clear_planes(gpu_device *device, const gpu_target *target, const gpu_clear_values *values)
{
    const int stencil = values->stencil;
    for (uint32_t i = 0; i < target->color_count; i++)
    {
        if (!(values->planes & GPU_PLANE_BIT(i)))
            continue;
        if (gpu_format_at(target->colors[i].format)->integers)
            GPU_TRY(device, ClearNamedFramebufferuiv, target->name, GL_COLOR, (int)i, values->integers);
        else
            GPU_TRY(device, ClearNamedFramebufferfv, target->name, GL_COLOR, (int)i, values->color);
    }
    if (values->planes & GPU_PLANE_BIT(GPU_DEPTH))
        GPU_TRY(device, ClearNamedFramebufferfv, target->name, GL_DEPTH, 0, &values->depth);
    if (values->planes & GPU_PLANE_BIT(GPU_STENCIL))
        GPU_TRY(device, ClearNamedFramebufferiv, target->name, GL_STENCIL, 0, &stencil);
    return CAROM_OK;
}

carom_status gpu_clear(gpu_device *device, const gpu_target *target, const gpu_clear_values *values)
{
    gpu_rect rect = values->rect;
    BASE_TRY(gpu_ready(device));
    BASE_TRY(check_rect(device, target, &rect));
    BASE_TRY(check_planes(device, target, values->planes));
    /* the masks and the scissor of a draw call hold for clearing too */
    gpu_state state = gpu_state_default();
    state.depth_write = true;
    state.viewport = (gpu_rect){0, 0, 1, 1}; /* no matter which: a target may be larger than any viewport */
    if (values->rect.width != 0)
        state.scissor = rect;
    BASE_TRY(gpu_state_apply(device, &state, target));
    return clear_planes(device, target, values);
}

carom_status gpu_read(gpu_device *device, const gpu_target *target, const gpu_read_def *def)
{
    gpu_rect rect = def->rect;
    BASE_TRY(gpu_ready(device));
    if ((unsigned)def->plane >= GPU_PLANE_COUNT || !def->out)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "gpu_read: no such plane, or nowhere to write it");
    BASE_TRY(check_rect(device, target, &rect));
    BASE_TRY(check_planes(device, target, GPU_PLANE_BIT(def->plane)));
    gl_enum external = def->plane == GPU_DEPTH ? GL_DEPTH_COMPONENT : GL_STENCIL_INDEX;
    gl_enum type = def->plane == GPU_DEPTH ? GL_FLOAT : GL_UNSIGNED_BYTE;
    uint32_t texel = def->plane == GPU_DEPTH ? 4 : 1;
    if (def->plane < GPU_DEPTH)
    {
        const gpu_format_row *row = gpu_format_at(target->colors[def->plane].format);
        external = row->external, type = row->type, texel = row->texel;
    }
    uint64_t size = (uint64_t)texel * rect.width * rect.height;
    if (size != def->size || size > INT32_MAX)
        return gpu_fail(device, size > INT32_MAX ? CAROM_TOO_LARGE : CAROM_OUT_OF_RANGE,
                        "gpu_read: %llu bytes are read into %llu", (unsigned long long)size,
                        (unsigned long long)def->size);
    GPU_TRY(device, BindFramebuffer, GL_FRAMEBUFFER, target->name);
    if (def->plane < GPU_DEPTH)
        GPU_TRY(device, NamedFramebufferReadBuffer, target->name, GL_COLOR_ATTACHMENT0 + (gl_enum)def->plane);
    GPU_TRY(device, ReadnPixels, (int)rect.x, (int)rect.y, (int)rect.width, (int)rect.height, external, type, (int)size,
            def->out);
    return gpu_check_reset(device);
}
