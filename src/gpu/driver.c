/* The driver's libraries, opened at run time, and the addresses of its functions.
 *
 * libEGL stays in the process once it was opened (RTLD_NODELETE): drivers start threads and register handlers that
 * would run on after their code was unmapped. The handles are still closed, so opening often costs nothing. */
#include "gpu/device.h"

#if defined(__has_include)
#if __has_include(<dlfcn.h>)
#include <dlfcn.h>
#define GPU_HAS_LIBRARIES 1
#endif
#endif

#if defined(GPU_HAS_LIBRARIES)

#if defined(RTLD_NODELETE)
#define GPU_OPEN_MODE (RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE)
#else
#define GPU_OPEN_MODE (RTLD_NOW | RTLD_LOCAL)
#endif

static void *open_library(const char *name) { return dlopen(name, GPU_OPEN_MODE); }

static void close_library(void *library)
{
#if defined(RTLD_NODELETE)
    dlclose(library);
#else
    (void)library;
#endif
}

/* C has no conversion from a pointer to data to one to a function; POSIX says that the bits are the same. */
static gpu_function *find_symbol(void *library, const char *name)
{
    void *symbol = dlsym(library, name);
    gpu_function *function = NULL;
    memcpy(&function, &symbol, sizeof function);
    return function;
}

static const char *library_error(void)
{
    const char *error = dlerror();
    return error ? error : "not found";
}

/* A program that was linked statically has no dynamic symbols. It could open a driver, but that would bring a second C
 * library into the process, and threads that use it. (The linker warns of dlopen in such a program: this is why that is
 * harmless.) */
static bool is_static_program(void)
{
    void *self = dlopen(NULL, RTLD_NOW);
    bool dynamic = self && dlsym(self, "malloc");
    if (self)
        dlclose(self);
    return !dynamic;
}

#else

static void *open_library(const char *name) { return (void)name, NULL; }
static void close_library(void *library) { (void)library; }
static gpu_function *find_symbol(void *library, const char *name) { return (void)library, (void)name, NULL; }
static const char *library_error(void) { return "this system can't open libraries at run time"; }
static bool is_static_program(void) { return false; }

#endif

/* The function for a name, after the caller of gpu_open had a look at it. */
static gpu_function *choose(const gpu_device *device, const char *name, gpu_function *found)
{
    return device->def.find ? device->def.find(name, found, device->def.find_user) : found;
}

static gpu_function *find_egl(const gpu_device *device, const char *name)
{
    gpu_function *found = find_symbol(device->libraries[0], name);
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
            device->libraries[i] = open_library(names[i]);
        if (device->libraries[i])
            found = find_symbol(device->libraries[i], name);
    }
    return choose(device, name, found);
}

static carom_status missing(gpu_device *device, const char *name)
{
    return gpu_fail(device, CAROM_UNAVAILABLE, "the driver has no %s", name);
}

/* The pointers' types come from the table; a gpu_function is converted to each of them. */
#define GPU_LOAD_EGL(result, name, parameters) device->egl.name = (result(*) parameters)find_egl(device, "egl" #name);
#define GPU_REQUIRE_EGL(result, name, parameters)                                                                      \
    GPU_LOAD_EGL(result, name, parameters)                                                                             \
    if (!device->egl.name)                                                                                             \
        return missing(device, "egl" #name);
#define GPU_REQUIRE_GL(result, name, parameters)                                                                       \
    device->gl.name = (result(*) parameters)find_gl(device, "gl" #name);                                               \
    if (!device->gl.name)                                                                                              \
        return missing(device, "gl" #name);

carom_status gpu_driver_open(gpu_device *device)
{
    if (is_static_program())
        return gpu_fail(device, CAROM_UNAVAILABLE, "a program that is linked statically can't open a driver");
    device->libraries[0] = open_library(device->def.library ? device->def.library : "libEGL.so.1");
    if (!device->libraries[0])
        return gpu_fail(device, CAROM_UNAVAILABLE, "no EGL on this machine: %s", library_error());
    gpu_function *get = choose(device, "eglGetProcAddress", find_symbol(device->libraries[0], "eglGetProcAddress"));
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
        if (device->libraries[i])
            close_library(device->libraries[i]);
        device->libraries[i] = NULL;
    }
}
