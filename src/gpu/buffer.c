/* Buffers, and how a vertex shader's inputs lie in them. */
#include "gpu/device.h"

static carom_status check_size(gpu_device *device, size_t size)
{
    /* counts of the driver are 32-bit */
    return size > INT32_MAX ? gpu_fail(device, CAROM_TOO_LARGE, "a buffer of %llu bytes", (unsigned long long)size)
                            : CAROM_OK;
}

static carom_status fill_buffer(gpu_device *device, gpu_buffer *buffer, const void *data, size_t size)
{
    GPU_TRY(device, NamedBufferData, buffer->name, (ptrdiff_t)size, data,
            buffer->streaming ? GL_STREAM_DRAW : GL_STATIC_DRAW);
    buffer->size = size;
    return CAROM_OK;
}

carom_status gpu_buffer_create(gpu_device *device, const void *data, size_t size, bool streaming, gpu_buffer *out)
{
    gpu_buffer buffer = {.streaming = streaming};
    *out = (gpu_buffer){0};
    BASE_TRY(gpu_ready(device));
    BASE_TRY(check_size(device, size));
    device->gl.CreateBuffers(1, &buffer.name);
    carom_status status = gpu_check_call(device, "glCreateBuffers");
    if (!carom_failed(status))
        status = fill_buffer(device, &buffer, data, size);
    if (carom_failed(status))
        gpu_buffer_destroy(device, &buffer);
    *out = buffer;
    return status;
}

carom_status gpu_buffer_replace(gpu_device *device, gpu_buffer *buffer, const void *data, size_t size)
{
    BASE_TRY(gpu_ready(device));
    BASE_TRY(check_size(device, size));
    if (buffer->name == 0)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "a buffer that was not created");
    return fill_buffer(device, buffer, data, size);
}

carom_status gpu_buffer_read(gpu_device *device, const gpu_buffer *buffer, void *out, size_t size)
{
    BASE_TRY(gpu_ready(device));
    if (buffer->name == 0 || size > buffer->size)
        return gpu_fail(device, CAROM_OUT_OF_RANGE, "%llu bytes are read from a buffer of %llu",
                        (unsigned long long)size, (unsigned long long)buffer->size);
    GPU_TRY(device, GetNamedBufferSubData, buffer->name, 0, (ptrdiff_t)size, out);
    return gpu_check_reset(device);
}

static carom_status check_part(gpu_device *device, const gpu_buffer *buffer, size_t offset, size_t size)
{
    BASE_TRY(gpu_ready(device));
    if (buffer->name == 0 || offset > buffer->size || size > buffer->size - offset)
        return gpu_fail(device, CAROM_OUT_OF_RANGE, "bytes %llu to %llu of a buffer of %llu",
                        (unsigned long long)offset, (unsigned long long)offset + size,
                        (unsigned long long)buffer->size);
    return CAROM_OK;
}

carom_status gpu_buffer_write_part(gpu_device *device, gpu_buffer *buffer, size_t offset, const void *data, size_t size)
{
    BASE_TRY(check_part(device, buffer, offset, size));
    GPU_TRY(device, NamedBufferSubData, buffer->name, (ptrdiff_t)offset, (ptrdiff_t)size, data);
    return CAROM_OK;
}

carom_status gpu_buffer_read_part(gpu_device *device, const gpu_buffer *buffer, size_t offset, void *out, size_t size)
{
    BASE_TRY(check_part(device, buffer, offset, size));
    GPU_TRY(device, GetNamedBufferSubData, buffer->name, (ptrdiff_t)offset, (ptrdiff_t)size, out);
    return gpu_check_reset(device);
}

void gpu_buffer_destroy(gpu_device *device, gpu_buffer *buffer)
{
    if (gpu_can_delete(device, buffer->name))
        device->gl.DeleteBuffers(1, &buffer->name);
    *buffer = (gpu_buffer){0};
}

carom_status gpu_buffer_texture(gpu_device *device, const gpu_buffer *buffer, gpu_format format, gpu_texture *out)
{
    gpu_texture texture = {.format = format, .height = 1};
    *out = (gpu_texture){0};
    BASE_TRY(gpu_ready(device));
    const gpu_format_row *row = gpu_format_at(format);
    if (!row || row->depth || buffer->name == 0)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "a texture of format %s over a buffer",
                        gpu_format_name(format));
    texture.width = (uint32_t)(buffer->size / row->texel);
    if (texture.width > device->info.limits.texture_buffer)
        return gpu_fail(device, CAROM_TOO_LARGE, "a buffer of %u texels: the driver's limit is %u", texture.width,
                        device->info.limits.texture_buffer);
    device->gl.CreateTextures(GL_TEXTURE_BUFFER, 1, &texture.name);
    carom_status status = gpu_check_call(device, "glCreateTextures");
    if (!carom_failed(status))
    {
        device->gl.TextureBuffer(texture.name, row->internal, buffer->name);
        status = gpu_check_call(device, "glTextureBuffer");
    }
    if (carom_failed(status))
        gpu_texture_destroy(device, &texture);
    *out = texture;
    return status;
}

/* ---- layouts ---- */

static carom_status check_attribute(gpu_device *device, const gpu_attribute *attribute)
{
    if (attribute->location >= device->info.limits.attributes)
        return gpu_fail(device, CAROM_TOO_LARGE, "attribute %u: the driver has %u", attribute->location,
                        device->info.limits.attributes);
    if (attribute->components < 1 || attribute->components > 4 || (unsigned)attribute->type > GPU_UINT ||
        !attribute->buffer || attribute->buffer->name == 0)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "attribute %u: no buffer, type or number of components",
                        attribute->location);
    if (attribute->stride == 0 || attribute->stride > 2048)
        return gpu_fail(device, CAROM_OUT_OF_RANGE, "attribute %u: a stride of %u bytes", attribute->location,
                        attribute->stride);
    return CAROM_OK;
}

/* Each attribute has the binding point of its own number. */
static carom_status add_attribute(gpu_device *device, gl_name array, const gpu_attribute *attribute)
{
    static const gl_enum types[] = {GL_FLOAT, GL_INT, GL_UNSIGNED_INT};
    unsigned at = attribute->location;
    gl_enum type = types[attribute->type];
    int components = (int)attribute->components;
    if (attribute->type == GPU_FLOAT)
        GPU_TRY(device, VertexArrayAttribFormat, array, at, components, type, GL_FALSE, 0);
    else
        GPU_TRY(device, VertexArrayAttribIFormat, array, at, components, type, 0);
    GPU_TRY(device, VertexArrayVertexBuffer, array, at, attribute->buffer->name, (ptrdiff_t)attribute->offset,
            (int)attribute->stride);
    GPU_TRY(device, VertexArrayAttribBinding, array, at, at);
    GPU_TRY(device, VertexArrayBindingDivisor, array, at, attribute->per_instance ? 1 : 0);
    GPU_TRY(device, EnableVertexArrayAttrib, array, at);
    return CAROM_OK;
}

carom_status gpu_layout_create(gpu_device *device, const gpu_attribute *attributes, uint32_t count,
                               const gpu_buffer *indices, gpu_layout *out)
{
    gpu_layout layout = {.indexed = indices != NULL};
    *out = (gpu_layout){0};
    BASE_TRY(gpu_ready(device));
    for (uint32_t i = 0; i < count; i++)
        BASE_TRY(check_attribute(device, &attributes[i]));
    if (indices && indices->name == 0)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "a buffer of indices that was not created");
    device->gl.CreateVertexArrays(1, &layout.name);
    carom_status status = gpu_check_call(device, "glCreateVertexArrays");
    for (uint32_t i = 0; i < count && !carom_failed(status); i++)
        status = add_attribute(device, layout.name, &attributes[i]);
    if (indices && !carom_failed(status))
    {
        device->gl.VertexArrayElementBuffer(layout.name, indices->name);
        status = gpu_check_call(device, "glVertexArrayElementBuffer");
    }
    if (carom_failed(status))
        gpu_layout_destroy(device, &layout);
    *out = layout;
    return status;
}

void gpu_layout_destroy(gpu_device *device, gpu_layout *layout)
{
    if (gpu_can_delete(device, layout->name))
        device->gl.DeleteVertexArrays(1, &layout->name);
    *layout = (gpu_layout){0};
}
