/* EGL: finding a display that needs no window, making a context of OpenGL 4.5 on it, and taking turns with the host's
 * own contexts.
 *
 * EGL keeps one display per platform and process, and hands it to everybody who asks. Initialising it again does
 * nothing, from any thread; terminating it ends it for all, the host included. So displays are never terminated here:
 * what a driver keeps for one stays until the process ends, once, however often devices are opened. Contexts and
 * surfaces are ours alone, and are destroyed. */
#include "gpu/device.h"

#include <stdio.h>
#include <stdlib.h>

static const char *error_name(int error)
{
    static const char *const names[] = {"EGL_SUCCESS",       "EGL_NOT_INITIALIZED",     "EGL_BAD_ACCESS",
                                        "EGL_BAD_ALLOC",     "EGL_BAD_ATTRIBUTE",       "EGL_BAD_CONFIG",
                                        "EGL_BAD_CONTEXT",   "EGL_BAD_CURRENT_SURFACE", "EGL_BAD_DISPLAY",
                                        "EGL_BAD_MATCH",     "EGL_BAD_NATIVE_PIXMAP",   "EGL_BAD_NATIVE_WINDOW",
                                        "EGL_BAD_PARAMETER", "EGL_BAD_SURFACE",         "EGL_CONTEXT_LOST"};
    return error >= EGL_SUCCESS && error <= EGL_CONTEXT_LOST ? names[error - EGL_SUCCESS] : "an unknown error";
}

static carom_status fail_call(gpu_device *device, const char *name)
{
    int error = device->egl.GetError();
    return gpu_fail(device, error == EGL_BAD_ALLOC ? CAROM_OUT_OF_MEMORY : CAROM_UNAVAILABLE, "%s: %s", name,
                    error_name(error));
}

/* Is a word in a list separated by spaces? */
static bool has_word(const char *list, const char *word)
{
    size_t length = strlen(word);
    for (const char *at = list; at && (at = strstr(at, word)) != NULL; at += length)
        if ((at == list || at[-1] == ' ') && (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

/* ---- turns with the host ---- */

/* What is current is asked per API. */
static gpu_current find_current(const gpu_egl_functions *egl)
{
    gpu_current current = {.api = egl->QueryAPI()};
    const unsigned apis[] = {current.api, EGL_OPENGL_API, EGL_OPENGL_ES_API};
    for (size_t i = 0; i < sizeof apis / sizeof *apis && !current.context; i++)
        if (egl->BindAPI(apis[i]) && (current.context = egl->GetCurrentContext()) != NULL)
        {
            current.context_api = apis[i];
            current.display = egl->GetCurrentDisplay();
            current.draw = egl->GetCurrentSurface(EGL_DRAW), current.read = egl->GetCurrentSurface(EGL_READ);
        }
    egl->BindAPI(current.api);
    return current;
}

carom_status gpu_egl_make_current(gpu_device *device)
{
    const gpu_egl_functions *egl = &device->egl;
    gpu_current host = find_current(egl);
    if (!egl->BindAPI(EGL_OPENGL_API))
        return fail_call(device, "eglBindAPI");
    if (!egl->MakeCurrent(device->display, device->surface, device->surface, device->egl_context))
    {
        carom_status status = fail_call(device, "eglMakeCurrent");
        egl->BindAPI(host.api);
        return status;
    }
    device->host = host;
    return CAROM_OK;
}

carom_status gpu_egl_restore(gpu_device *device)
{
    const gpu_egl_functions *egl = &device->egl;
    const gpu_current *host = &device->host;
    carom_status status = CAROM_OK;
    if (host->context)
    {
        egl->BindAPI(host->context_api);
        if (!egl->MakeCurrent(host->display, host->draw, host->read, host->context))
        {
            status = fail_call(device, "eglMakeCurrent (the host's context)");
            egl->BindAPI(EGL_OPENGL_API);
            egl->MakeCurrent(device->display, NULL, NULL, NULL);
        }
    }
    else if (!egl->MakeCurrent(device->display, NULL, NULL, NULL))
        status = fail_call(device, "eglMakeCurrent (none)");
    egl->BindAPI(host->api);
    return status;
}

/* ---- a context on a display ---- */

/* Attributes in the order of what is given up first: reports of resets. */
static egl_handle create_context(const gpu_device *device, egl_handle config, bool robust)
{
    int attributes[16], count = 0;
    attributes[count++] = EGL_CONTEXT_MAJOR_VERSION, attributes[count++] = 4;
    attributes[count++] = EGL_CONTEXT_MINOR_VERSION, attributes[count++] = 5;
    attributes[count++] = EGL_CONTEXT_OPENGL_PROFILE_MASK, attributes[count++] = EGL_CONTEXT_OPENGL_CORE_PROFILE_BIT;
    if (device->def.debug)
        attributes[count++] = EGL_CONTEXT_OPENGL_DEBUG, attributes[count++] = 1;
    if (robust)
    {
        attributes[count++] = EGL_CONTEXT_OPENGL_ROBUST_ACCESS, attributes[count++] = 1;
        attributes[count++] = EGL_CONTEXT_OPENGL_RESET_NOTIFICATION_STRATEGY;
        attributes[count++] = EGL_LOSE_CONTEXT_ON_RESET;
    }
    attributes[count] = EGL_NONE;
    return device->egl.CreateContext(device->display, config, NULL, attributes);
}

/* A context, and a surface if the driver can't do without. */
static carom_status create_objects(gpu_device *device, const char *extensions)
{
    const gpu_egl_functions *egl = &device->egl;
    bool no_config =
        has_word(extensions, "EGL_KHR_no_config_context") || has_word(extensions, "EGL_MESA_configless_context");
    bool no_surface = has_word(extensions, "EGL_KHR_surfaceless_context");
    egl_handle config = NULL;
    if (!no_config || !no_surface)
    {
        const int wanted[] = {EGL_SURFACE_TYPE, no_surface ? 0 : EGL_PBUFFER_BIT, EGL_RENDERABLE_TYPE, EGL_OPENGL_BIT,
                              EGL_NONE};
        int count = 0;
        if (!egl->ChooseConfig(device->display, wanted, &config, 1, &count))
            return fail_call(device, "eglChooseConfig");
        if (count < 1)
            return gpu_fail(device, CAROM_UNAVAILABLE, "no configuration of EGL can draw with OpenGL off screen");
    }
    device->egl_context = create_context(device, config, true);
    device->info.reports_resets = device->egl_context != NULL;
    if (!device->egl_context)
        device->egl_context = create_context(device, config, false);
    if (!device->egl_context)
        return fail_call(device, "eglCreateContext (OpenGL 4.5 core)");
    if (!no_surface)
    {
        const int size[] = {EGL_WIDTH, 1, EGL_HEIGHT, 1, EGL_NONE};
        device->surface = egl->CreatePbufferSurface(device->display, config, size);
        if (!device->surface)
            return fail_call(device, "eglCreatePbufferSurface");
    }
    return CAROM_OK;
}

/* A context that is destroyed while it is current lives on until it is not: if a driver refused to give it up before, it
 * is asked again. */
static void release_current(const gpu_device *device)
{
    const gpu_egl_functions *egl = &device->egl;
    unsigned api = egl->QueryAPI();
    egl->BindAPI(EGL_OPENGL_API);
    if (egl->GetCurrentContext() == device->egl_context)
        egl->MakeCurrent(device->display, NULL, NULL, NULL);
    egl->BindAPI(api);
}

void gpu_egl_close(gpu_device *device)
{
    if (device->egl_context)
        release_current(device);
    if (device->surface)
        device->egl.DestroySurface(device->display, device->surface);
    if (device->egl_context)
        device->egl.DestroyContext(device->display, device->egl_context);
    device->surface = device->egl_context = device->display = NULL;
}

/* Is the context good enough? It is current. */
static carom_status prepare(gpu_device *device)
{
    BASE_TRY(gpu_driver_load_gl(device));
    BASE_TRY(gpu_info_ask(device));
    return gpu_state_begin(device);
}

static carom_status try_created(gpu_device *device, egl_handle display, const char *extensions)
{
    device->display = display;
    BASE_TRY(create_objects(device, extensions));
    BASE_TRY(gpu_egl_make_current(device));
    carom_status status = prepare(device), restored = gpu_egl_restore(device);
    return carom_failed(status) ? status : restored;
}

/* Leaves the device open, or as it was. */
static carom_status try_display(gpu_device *device, egl_handle display)
{
    const gpu_egl_functions *egl = &device->egl;
    int major = 0, minor = 0;
    if (!display)
        return fail_call(device, "eglGetPlatformDisplay");
    if (!egl->Initialize(display, &major, &minor))
        return fail_call(device, "eglInitialize");
    const char *extensions = egl->QueryString(display, EGL_EXTENSIONS);
    bool modern = major > 1 || (major == 1 && minor >= 5);
    if (!modern && !has_word(extensions, "EGL_KHR_create_context"))
        return gpu_fail(device, CAROM_UNAVAILABLE, "EGL %d.%d without EGL_KHR_create_context", major, minor);
    const char *vendor = egl->QueryString(display, EGL_VENDOR);
    snprintf(device->info.egl, sizeof device->info.egl, "%d.%d %s", major, minor, vendor ? vendor : "");

    unsigned api = egl->QueryAPI();
    if (!egl->BindAPI(EGL_OPENGL_API))
        return gpu_fail(device, CAROM_UNAVAILABLE, "EGL %s has no OpenGL", device->info.egl);
    carom_status status = try_created(device, display, extensions);
    egl->BindAPI(api);
    if (carom_failed(status))
        gpu_egl_close(device);
    return status;
}

/* ---- platforms ---- */

static carom_status try_surfaceless(gpu_device *device)
{
    const gpu_egl_functions *egl = &device->egl;
    if (!egl->GetPlatformDisplayEXT ||
        !has_word(egl->QueryString(NULL, EGL_EXTENSIONS), "EGL_MESA_platform_surfaceless"))
        return gpu_fail(device, CAROM_UNAVAILABLE, "EGL has no such platform");
    return try_display(device, egl->GetPlatformDisplayEXT(EGL_PLATFORM_SURFACELESS_MESA, NULL, NULL));
}

/* The first device that works. */
static carom_status try_each(gpu_device *device, const egl_handle *devices, int count)
{
    carom_status status = gpu_fail(device, CAROM_UNAVAILABLE, "EGL knows no device");
    for (int i = 0; i < count; i++)
    {
        status = try_display(device, device->egl.GetPlatformDisplayEXT(EGL_PLATFORM_DEVICE_EXT, devices[i], NULL));
        if (!carom_failed(status) || status == CAROM_OUT_OF_MEMORY)
            break;
    }
    return status;
}

static carom_status try_devices(gpu_device *device)
{
    const gpu_egl_functions *egl = &device->egl;
    const char *extensions = egl->QueryString(NULL, EGL_EXTENSIONS);
    if (!egl->GetPlatformDisplayEXT || !egl->QueryDevicesEXT || !has_word(extensions, "EGL_EXT_platform_device"))
        return gpu_fail(device, CAROM_UNAVAILABLE, "EGL has no such platform");
    int count = 0;
    if (!egl->QueryDevicesEXT(0, NULL, &count))
        return fail_call(device, "eglQueryDevicesEXT");
    size_t room = count > 0 ? (size_t)count : 0;
    egl_handle *devices = base_allocate(device->context, room, sizeof *devices, sizeof(void *));
    if (!devices)
        return gpu_fail(device, CAROM_OUT_OF_MEMORY, "no memory for a list of %d devices", count);
    carom_status status = egl->QueryDevicesEXT((int)room, devices, &count)
                              ? try_each(device, devices, count < (int)room ? count : (int)room)
                              : fail_call(device, "eglQueryDevicesEXT");
    base_release(device->context, devices, room, sizeof *devices);
    return status;
}

static carom_status try_default(gpu_device *device) { return try_display(device, device->egl.GetDisplay(NULL)); }

typedef struct platform_row
{
    const char *name;
    gpu_platform platform;
    carom_status (*attempt)(gpu_device *device);
} platform_row;

static const platform_row platforms[] = {
    {"surfaceless", GPU_PLATFORM_SURFACELESS, try_surfaceless},
    {"device", GPU_PLATFORM_DEVICE, try_devices},
    {"display", GPU_PLATFORM_DISPLAY, try_default},
    {"off", GPU_PLATFORM_OFF, NULL},
};

enum
{
    PLATFORM_COUNT = sizeof platforms / sizeof *platforms
};

/* What CAROM_GPU asks for, where the caller did not say. */
static gpu_platform choose_platform(const gpu_device *device)
{
    const char *word = getenv("CAROM_GPU");
    if (device->def.platform != GPU_PLATFORM_AUTO || !word || !*word)
        return device->def.platform;
    for (int i = 0; i < PLATFORM_COUNT; i++)
        if (strcmp(platforms[i].name, word) == 0)
            return platforms[i].platform;
    base_log(device->context, CAROM_LOG_WARNING,
             "CAROM_GPU=%s is not one of surfaceless, device, display, off: it is ignored", word);
    return GPU_PLATFORM_AUTO;
}

/* Each platform in turn, with the reasons of all that failed. */
static carom_status try_platforms(gpu_device *device, gpu_platform wanted)
{
    char reasons[BASE_MESSAGE_SIZE] = "";
    size_t used = 0;
    carom_status status = CAROM_UNAVAILABLE;
    for (int i = 0; i < PLATFORM_COUNT && status == CAROM_UNAVAILABLE; i++)
    {
        const platform_row *row = &platforms[i];
        if (!row->attempt || (wanted != GPU_PLATFORM_AUTO && wanted != row->platform))
            continue;
        snprintf(device->info.platform, sizeof device->info.platform, "%s", row->name);
        status = row->attempt(device);
        if (carom_failed(status) && status != CAROM_OUT_OF_MEMORY)
            status = CAROM_UNAVAILABLE; /* whatever is wrong with this one, another may work */
        if (carom_failed(status) && used < sizeof reasons)
            used += (size_t)snprintf(reasons + used, sizeof reasons - used, "%s%s: %s", used ? "; " : "", row->name,
                                     device->reason);
    }
    return carom_failed(status) ? gpu_fail(device, status, "no driver with OpenGL 4.5 (%s)", reasons) : status;
}

carom_status gpu_egl_open(gpu_device *device)
{
    gpu_platform wanted = choose_platform(device);
    if (wanted == GPU_PLATFORM_OFF)
        return gpu_fail(device, CAROM_UNAVAILABLE, "the GPU is switched off (CAROM_GPU=off)");
    BASE_TRY(gpu_driver_open(device));
    return try_platforms(device, wanted);
}
