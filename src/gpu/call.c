/* Errors of the driver as statuses, each with the name of the call. */
#include "gpu/device.h"

#include <stdio.h>

carom_status gpu_fail(gpu_device *device, carom_status status, const char *format, ...)
{
    char message[BASE_MESSAGE_SIZE];
    va_list values;
    va_start(values, format);
    vsnprintf(message, sizeof message, format, values);
    va_end(values);
    if (!device->opening)
        return base_fail(device->context, status, "%s", message);
    memcpy(device->reason, message, sizeof message);
    return status;
}

static const char *error_name(gl_enum error)
{
    switch (error)
    {
    case GL_INVALID_ENUM: return "GL_INVALID_ENUM";
    case GL_INVALID_VALUE: return "GL_INVALID_VALUE";
    case GL_INVALID_OPERATION: return "GL_INVALID_OPERATION";
    case GL_STACK_OVERFLOW: return "GL_STACK_OVERFLOW";
    case GL_STACK_UNDERFLOW: return "GL_STACK_UNDERFLOW";
    case GL_OUT_OF_MEMORY: return "GL_OUT_OF_MEMORY";
    case GL_INVALID_FRAMEBUFFER_OPERATION: return "GL_INVALID_FRAMEBUFFER_OPERATION";
    case GL_CONTEXT_LOST: return "GL_CONTEXT_LOST";
    default: return "an unknown error";
    }
}

static carom_status fail_as_lost(gpu_device *device)
{
    return gpu_fail(device, CAROM_UNAVAILABLE, "the driver has lost the context: %s; open another device",
                    device->lost_reason);
}

static carom_status mark_lost(gpu_device *device, gl_enum reset)
{
    device->lost = true;
    device->lost_reason = reset == GL_GUILTY_CONTEXT_RESET     ? "a reset that this context caused"
                          : reset == GL_INNOCENT_CONTEXT_RESET ? "a reset that another context caused"
                                                               : "a reset of unknown cause";
    return fail_as_lost(device);
}

carom_status gpu_ready(gpu_device *device)
{
    if (BASE_UNLIKELY(!atomic_load_explicit(&device->busy, memory_order_relaxed)))
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "the device is used without gpu_begin");
    if (BASE_UNLIKELY(!pthread_equal(device->thread, pthread_self())))
        return gpu_fail(device, CAROM_BUSY, "the device is in use on another thread");
    return BASE_UNLIKELY(device->lost) ? fail_as_lost(device) : CAROM_OK;
}

carom_status gpu_check_call(gpu_device *device, const char *name)
{
    gl_enum error = device->gl.GetError();
    if (BASE_LIKELY(error == GL_NO_ERROR))
        return CAROM_OK;
    if (error == GL_CONTEXT_LOST)
        return mark_lost(device, device->gl.GetGraphicsResetStatus());
    /* what the driver did of a failed call is unknown */
    device->state_known = false;
    return gpu_fail(device, error == GL_OUT_OF_MEMORY ? CAROM_OUT_OF_MEMORY : CAROM_UNSUPPORTED,
                    "%s: the driver reports %s (0x%04x)", name, error_name(error), error);
}

carom_status gpu_check_reset(gpu_device *device)
{
    gl_enum reset = device->gl.GetGraphicsResetStatus();
    return BASE_LIKELY(reset == GL_NO_ERROR) ? CAROM_OK : mark_lost(device, reset);
}
