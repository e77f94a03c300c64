/* What a driver says of itself: its version, which must be 4.5 or later, and its limits. */
#include "gpu/device.h"

#include <stdio.h>

static carom_status ask_text(gpu_device *device, gl_enum name, char *out, size_t size)
{
    const unsigned char *text;
    GPU_TRY_RESULT(&text, device, GetString, name);
    if (!text)
        return gpu_fail(device, CAROM_UNAVAILABLE, "glGetString: the driver does not say its name or version");
    snprintf(out, size, "%s", (const char *)text);
    return CAROM_OK;
}

/* Compatible with what shaders and calls need? */
static carom_status check_version(gpu_device *device)
{
    int major = 0, minor = 0;
    if (sscanf(device->info.version, "%d.%d", &major, &minor) != 2)
        return gpu_fail(device, CAROM_UNAVAILABLE, "the driver's version can't be read: '%.80s'", device->info.version);
    if (major < 4 || (major == 4 && minor < 5))
        return gpu_fail(device, CAROM_UNAVAILABLE, "the driver has OpenGL %d.%d, but 4.5 is needed (%.80s)", major,
                        minor, device->info.renderer);
    return CAROM_OK;
}

/* What draws on the processor; drivers have no better way to say so. */
static bool is_software(const char *renderer)
{
    static const char *const names[] = {"llvmpipe", "softpipe",    "swrast",  "Software Rasterizer",
                                        "SWR",      "SwiftShader", "lavapipe"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strstr(renderer, names[i]))
            return true;
    return false;
}

/* The driver's limit, or the lower one of the caller. */
static carom_status ask_limit(gpu_device *device, gl_enum name, uint32_t wanted, uint32_t *out)
{
    int value = 0;
    GPU_TRY(device, GetIntegerv, name, &value);
    *out = value > 0 ? (uint32_t)value : 0;
    if (wanted != 0 && wanted < *out)
        *out = wanted;
    return CAROM_OK;
}

static carom_status ask_limits(gpu_device *device)
{
    carom_gpu_limits *found = &device->info.limits;
    const carom_gpu_limits *wanted = &device->def.limits;
    BASE_TRY(ask_limit(device, GL_MAX_TEXTURE_SIZE, wanted->texture_size, &found->texture_size));
    BASE_TRY(ask_limit(device, GL_MAX_RENDERBUFFER_SIZE, wanted->renderbuffer_size, &found->renderbuffer_size));
    BASE_TRY(ask_limit(device, GL_MAX_VERTEX_ATTRIBS, wanted->attributes, &found->attributes));
    BASE_TRY(ask_limit(device, GL_MAX_DRAW_BUFFERS, wanted->draw_buffers, &found->draw_buffers));
    BASE_TRY(ask_limit(device, GL_MAX_TEXTURE_IMAGE_UNITS, wanted->texture_units, &found->texture_units));
    BASE_TRY(ask_limit(device, GL_MAX_UNIFORM_BLOCK_SIZE, wanted->uniform_block, &found->uniform_block));
    BASE_TRY(ask_limit(device, GL_MAX_SHADER_STORAGE_BLOCK_SIZE, wanted->storage_block, &found->storage_block));
    BASE_TRY(ask_limit(device, GL_MAX_TEXTURE_BUFFER_SIZE, wanted->texture_buffer, &found->texture_buffer));
    int size[2] = {0, 0};
    GPU_TRY(device, GetIntegerv, GL_MAX_VIEWPORT_DIMS, size);
    found->viewport_width = size[0] > 0 ? (uint32_t)size[0] : 0;
    found->viewport_height = size[1] > 0 ? (uint32_t)size[1] : 0;
    if (wanted->viewport_width != 0 && wanted->viewport_width < found->viewport_width)
        found->viewport_width = wanted->viewport_width;
    if (wanted->viewport_height != 0 && wanted->viewport_height < found->viewport_height)
        found->viewport_height = wanted->viewport_height;
    return CAROM_OK;
}

carom_status gpu_info_ask(gpu_device *device)
{
    carom_gpu_info *info = &device->info;
    BASE_TRY(ask_text(device, GL_RENDERER, info->renderer, sizeof info->renderer));
    BASE_TRY(ask_text(device, GL_VENDOR, info->vendor, sizeof info->vendor));
    BASE_TRY(ask_text(device, GL_VERSION, info->version, sizeof info->version));
    BASE_TRY(check_version(device));
    BASE_TRY(ask_text(device, GL_SHADING_LANGUAGE_VERSION, info->glsl, sizeof info->glsl));
    info->software = is_software(info->renderer);
    return ask_limits(device);
}
