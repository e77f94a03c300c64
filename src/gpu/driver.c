/* The driver's libraries, opened at run time, and the addresses of its functions. */
#include "gpu/device.h"

/* The function for a name, after the caller of gpu_open had a look at it. */
static gpu_function *choose(const gpu_device *device, const char *name, gpu_function *found)
{
    return device->def.find ? device->def.find(name, found, device->def.find_user) : found;
}

static gpu_function *find_egl(const gpu_device *device, const char *name)
{
    gpu_function *found = base_library_find(device->libraries[0], name);
    if (!found && device->get_address)
        found = device->get_address(name);
    return choose(device, name, found);
}

/* EGL 1.5 hands out every function; before, those of old versions were in the libraries alone. */
static gpu_function *find_gl(gpu_device *device, const char *name)
{
    static const char *const names[GPU_LIBRARIES] = {NULL, "libOpenGL.so.0", "libGL.so.1"};
    gpu_function *found = device->get_address(name);
    for (int i = 1; i < GPU_LIBRARIES && !found; i++)
    {
        if (!device->libraries[i])
            device->libraries[i] = base_library_open(names[i]);
        if (device->libraries[i])
            found = base_library_find(device->libraries[i], name);
    }
    return choose(device, name, found);
}

static carom_status missing(gpu_device *device, const char *name)
{
    return gpu_fail(device, CAROM_UNAVAILABLE, "the driver has no %s", name);
}

/* The pointers' types come from the table; a gpu_function is converted to each of them. */
/* NOLINTBEGIN(bugprone-macro-parentheses): types and names can't have any */
#define GPU_LOAD_EGL(result, name, parameters) device->egl.name = (result(*) parameters)find_egl(device, "egl" #name);
#define GPU_REQUIRE_EGL(result, name, parameters)                                                                      \
    GPU_LOAD_EGL(result, name, parameters)                                                                             \
    if (!device->egl.name)                                                                                             \
        return missing(device, "egl" #name);
#define GPU_REQUIRE_GL(result, name, parameters)                                                                       \
    device->gl.name = (result(*) parameters)find_gl(device, "gl" #name);                                               \
    if (!device->gl.name)                                                                                              \
        return missing(device, "gl" #name);
/* NOLINTEND(bugprone-macro-parentheses) */

carom_status gpu_driver_open(gpu_device *device)
{
    if (base_is_static_program())
        return gpu_fail(device, CAROM_UNAVAILABLE, "a program that is linked statically can't open a driver");
    device->libraries[0] = base_library_open(device->def.library ? device->def.library : "libEGL.so.1");
    if (!device->libraries[0])
        return gpu_fail(device, CAROM_UNAVAILABLE, "no EGL on this machine: %s", base_library_error());
    gpu_function *get =
        choose(device, "eglGetProcAddress", base_library_find(device->libraries[0], "eglGetProcAddress"));
    device->get_address = (gpu_function * (*)(const char *)) get;
    if (!device->get_address)
        return missing(device, "eglGetProcAddress");
    GPU_EGL_REQUIRED(GPU_REQUIRE_EGL)
    GPU_EGL_OPTIONAL(GPU_LOAD_EGL)
    return CAROM_OK;
}

carom_status gpu_driver_load_gl(gpu_device *device)
{
    GPU_GL_REQUIRED(GPU_REQUIRE_GL)
    return CAROM_OK;
}

void gpu_driver_close(gpu_device *device)
{
    for (int i = 0; i < GPU_LIBRARIES; i++)
    {
        base_library_close(device->libraries[i]);
        device->libraries[i] = NULL;
    }
}
