/* Formats, textures and targets. */
#include "gpu/device.h"

static const gpu_format_row formats[GPU_FORMAT_COUNT] = {
    [GPU_R8UI] = {"R8UI", GL_R8UI, GL_RED_INTEGER, GL_UNSIGNED_BYTE, 1, .integers = true},
    [GPU_R32UI] = {"R32UI", GL_R32UI, GL_RED_INTEGER, GL_UNSIGNED_INT, 4, .integers = true},
    [GPU_R32F] = {"R32F", GL_R32F, GL_RED, GL_FLOAT, 4},
    [GPU_RG32F] = {"RG32F", GL_RG32F, GL_RG, GL_FLOAT, 8},
    [GPU_RGBA32F] = {"RGBA32F", GL_RGBA32F, GL_RGBA, GL_FLOAT, 16},
    [GPU_DEPTH24_STENCIL8] = {"DEPTH24_STENCIL8", GL_DEPTH24_STENCIL8, GL_DEPTH_STENCIL, GL_UNSIGNED_INT_24_8,
                              .depth = true, .stencil = true},
    [GPU_DEPTH32F_STENCIL8] = {"DEPTH32F_STENCIL8", GL_DEPTH32F_STENCIL8, GL_DEPTH_STENCIL,
                               GL_FLOAT_32_UNSIGNED_INT_24_8_REV, .depth = true, .stencil = true},
    [GPU_DEPTH32F] = {"DEPTH32F", GL_DEPTH_COMPONENT32F, GL_DEPTH_COMPONENT, GL_FLOAT, .depth = true},
};

const gpu_format_row *gpu_format_at(gpu_format format)
{
    return format > GPU_NONE && format < GPU_FORMAT_COUNT ? &formats[format] : NULL;
}

const char *gpu_format_name(gpu_format format)
{
    const gpu_format_row *row = gpu_format_at(format);
    return row ? row->name : "none";
}

uint32_t gpu_format_texel(gpu_format format)
{
    const gpu_format_row *row = gpu_format_at(format);
    return row ? row->texel : 0;
}

/* ---- textures ---- */

static carom_status check_size(gpu_device *device, uint32_t width, uint32_t height, uint32_t limit)
{
    if (width == 0 || height == 0)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "an image of %u x %u texels", width, height);
    if (width > limit || height > limit)
        return gpu_fail(device, CAROM_TOO_LARGE, "an image of %u x %u texels: the driver's limit is %u", width, height,
                        limit);
    return CAROM_OK;
}

static carom_status fill_texture(gpu_device *device, const void *texels, const gpu_texture *texture)
{
    const gpu_format_row *row = gpu_format_at(texture->format);
    int width = (int)texture->width, height = (int)texture->height;
    GPU_TRY(device, TextureStorage2D, texture->name, 1, row->internal, width, height);
    /* integers and depth can't be filtered, and a texture that asks for it is incomplete */
    GPU_TRY(device, TextureParameteri, texture->name, GL_TEXTURE_MIN_FILTER, GL_NEAREST);
    GPU_TRY(device, TextureParameteri, texture->name, GL_TEXTURE_MAG_FILTER, GL_NEAREST);
    if (texels)
        GPU_TRY(device, TextureSubImage2D, texture->name, 0, 0, 0, width, height, row->external, row->type, texels);
    return CAROM_OK;
}

carom_status gpu_texture_create(gpu_device *device, const gpu_texture *wanted, const void *texels, gpu_texture *out)
{
    gpu_texture texture = *wanted;
    texture.name = 0;
    *out = (gpu_texture){0};
    BASE_TRY(gpu_ready(device));
    const gpu_format_row *row = gpu_format_at(wanted->format);
    if (!row || (row->depth && texels))
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "a texture of format %s%s", gpu_format_name(wanted->format),
                        row ? " with texels" : "");
    BASE_TRY(check_size(device, wanted->width, wanted->height, device->info.limits.texture_size));
    device->gl.CreateTextures(GL_TEXTURE_2D, 1, &texture.name);
    carom_status status = gpu_check_call(device, "glCreateTextures");
    if (!carom_failed(status))
        status = fill_texture(device, texels, &texture);
    if (carom_failed(status))
        gpu_texture_destroy(device, &texture);
    *out = texture;
    return status;
}

void gpu_texture_destroy(gpu_device *device, gpu_texture *texture)
{
    if (gpu_can_delete(device, texture->name))
        device->gl.DeleteTextures(1, &texture->name);
    *texture = (gpu_texture){0};
}

/* ---- targets ---- */

static carom_status check_def(gpu_device *device, const gpu_target_def *def, uint32_t *color_count)
{
    const carom_gpu_limits *limits = &device->info.limits;
    uint32_t count = 0, texture = limits->texture_size, drawn = limits->renderbuffer_size;
    BASE_TRY(check_size(device, def->width, def->height, texture < drawn ? texture : drawn));
    while (count < GPU_COLORS && def->colors[count] != GPU_NONE)
        count++;
    for (uint32_t i = 0; i < GPU_COLORS; i++)
    {
        const gpu_format_row *row = gpu_format_at(def->colors[i]);
        if (i < count ? !row || row->depth : def->colors[i] != GPU_NONE)
            return gpu_fail(device, CAROM_INVALID_ARGUMENT, "colour image %u of a target has format %s", i,
                            gpu_format_name(def->colors[i]));
    }
    const gpu_format_row *depth = gpu_format_at(def->depth);
    if (def->depth != GPU_NONE && (!depth || !depth->depth))
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "the depth image of a target has format %s",
                        gpu_format_name(def->depth));
    if (count == 0 && !depth)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "a target without any image");
    if (count > limits->draw_buffers)
        return gpu_fail(device, CAROM_TOO_LARGE, "%u colour images: the driver's limit is %u", count,
                        limits->draw_buffers);
    *color_count = count;
    return CAROM_OK;
}

static carom_status make_images(gpu_device *device, const gpu_target_def *def, gpu_target *target)
{
    gpu_texture wanted = {.width = def->width, .height = def->height};
    for (uint32_t i = 0; i < target->color_count; i++)
    {
        wanted.format = def->colors[i];
        BASE_TRY(gpu_texture_create(device, &wanted, NULL, &target->colors[i]));
    }
    wanted.format = def->depth;
    if (def->depth != GPU_NONE)
        BASE_TRY(gpu_texture_create(device, &wanted, NULL, &target->depth));
    return CAROM_OK;
}

static carom_status attach_images(gpu_device *device, gpu_target *target)
{
    gl_enum buffers[GPU_COLORS], complete;
    GPU_TRY(device, CreateFramebuffers, 1, &target->name);
    for (uint32_t i = 0; i < target->color_count; i++)
    {
        buffers[i] = GL_COLOR_ATTACHMENT0 + i;
        GPU_TRY(device, NamedFramebufferTexture, target->name, buffers[i], target->colors[i].name, 0);
    }
    GPU_TRY(device, NamedFramebufferDrawBuffers, target->name, (int)target->color_count, buffers);
    if (target->depth.format != GPU_NONE)
    {
        bool stencil = gpu_format_at(target->depth.format)->stencil;
        GPU_TRY(device, NamedFramebufferTexture, target->name,
                stencil ? GL_DEPTH_STENCIL_ATTACHMENT : GL_DEPTH_ATTACHMENT, target->depth.name, 0);
    }
    GPU_TRY_RESULT(&complete, device, CheckNamedFramebufferStatus, target->name, GL_FRAMEBUFFER);
    if (complete == GL_FRAMEBUFFER_COMPLETE)
        return CAROM_OK;
    return gpu_fail(device, CAROM_UNSUPPORTED, "glCheckNamedFramebufferStatus: %s with %s can't be drawn to (0x%04x)",
                    gpu_format_name(target->colors[0].format), gpu_format_name(target->depth.format), complete);
}

carom_status gpu_target_create(gpu_device *device, const gpu_target_def *def, gpu_target *out)
{
    gpu_target target = {.width = def->width, .height = def->height};
    *out = (gpu_target){0};
    BASE_TRY(gpu_ready(device));
    BASE_TRY(check_def(device, def, &target.color_count));
    carom_status status = make_images(device, def, &target);
    if (!carom_failed(status))
        status = attach_images(device, &target);
    if (carom_failed(status))
        gpu_target_destroy(device, &target);
    *out = target;
    return status;
}

void gpu_target_destroy(gpu_device *device, gpu_target *target)
{
    if (gpu_can_delete(device, target->name))
        device->gl.DeleteFramebuffers(1, &target->name);
    for (uint32_t i = 0; i < GPU_COLORS; i++)
        gpu_texture_destroy(device, &target->colors[i]);
    gpu_texture_destroy(device, &target->depth);
    *target = (gpu_target){0};
}
