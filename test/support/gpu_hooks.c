/* Faults for tests of src/gpu. */
#include "support/gpu_hooks.h"

#include <stdio.h>
#include <string.h>

gpu_hooks hooks;

/* The driver's own functions, as they were found. */
static gpu_egl_functions real_egl;
static gpu_gl_functions real;

void gpu_hooks_reset(void) { memset(&hooks, 0, sizeof hooks); }

int64_t gpu_hooks_alive(void)
{
    int64_t sum = 0;
    for (int i = 0; i < HOOK_CONTEXTS; i++)
        sum += hooks.alive[i];
    return sum;
}

/* ---- OpenGL ---- */

static gl_enum hook_GetError(void)
{
    gl_enum error = real.GetError();
    hooks.gl_errors_asked++;
    return hooks.gl_errors_asked == hooks.gl_error_at ? hooks.gl_error : error;
}

static gl_enum hook_GetGraphicsResetStatus(void)
{
    gl_enum status = real.GetGraphicsResetStatus();
    return hooks.reset ? hooks.reset : status;
}

static const unsigned char *hook_GetString(gl_enum name)
{
    return name == GL_VERSION && hooks.version ? (const unsigned char *)hooks.version : real.GetString(name);
}

static void hook_GetIntegerv(gl_enum name, int *values)
{
    real.GetIntegerv(name, values);
    if (name == GL_MAX_TEXTURE_SIZE && hooks.max_texture_size)
        *values = hooks.max_texture_size;
}

#define COUNTED(kind, index)                                                                                           \
    static void hook_Create##kind(int count, gl_name *names)                                                           \
    {                                                                                                                  \
        real.Create##kind(count, names);                                                                               \
        hooks.alive[index] += count;                                                                                   \
    }                                                                                                                  \
    static void hook_Delete##kind(int count, const gl_name *names)                                                     \
    {                                                                                                                  \
        real.Delete##kind(count, names);                                                                               \
        hooks.alive[index] -= count;                                                                                   \
    }
#define COUNTED_BY_TARGET(kind, index)                                                                                 \
    static void hook_Create##kind(gl_enum target, int count, gl_name *names)                                           \
    {                                                                                                                  \
        real.Create##kind(target, count, names);                                                                       \
        hooks.alive[index] += count;                                                                                   \
    }                                                                                                                  \
    static void hook_Delete##kind(int count, const gl_name *names)                                                     \
    {                                                                                                                  \
        real.Delete##kind(count, names);                                                                               \
        hooks.alive[index] -= count;                                                                                   \
    }

COUNTED(Buffers, HOOK_BUFFERS)
COUNTED(Framebuffers, HOOK_FRAMEBUFFERS)
COUNTED(VertexArrays, HOOK_ARRAYS)
COUNTED_BY_TARGET(Textures, HOOK_TEXTURES)
COUNTED_BY_TARGET(Queries, HOOK_QUERIES)

static gl_name hook_CreateShader(gl_enum stage)
{
    hooks.alive[HOOK_SHADERS]++;
    return real.CreateShader(stage);
}

static void hook_DeleteShader(gl_name shader)
{
    hooks.alive[HOOK_SHADERS]--;
    real.DeleteShader(shader);
}

static gl_name hook_CreateProgram(void)
{
    hooks.alive[HOOK_PROGRAMS]++;
    return real.CreateProgram();
}

static void hook_DeleteProgram(gl_name program)
{
    hooks.alive[HOOK_PROGRAMS]--;
    real.DeleteProgram(program);
}

/* ---- EGL ---- */

static bool egl_fails(void) { return ++hooks.egl_calls == hooks.egl_failure_at; }

static egl_bool hook_Initialize(egl_handle display, int *major, int *minor)
{
    return egl_fails() ? 0 : real_egl.Initialize(display, major, minor);
}

static egl_bool hook_ChooseConfig(egl_handle display, const int *attributes, egl_handle *configs, int size, int *count)
{
    return egl_fails() ? 0 : real_egl.ChooseConfig(display, attributes, configs, size, count);
}

static egl_handle hook_CreateContext(egl_handle display, egl_handle config, egl_handle share, const int *attributes)
{
    egl_handle context = egl_fails() ? NULL : real_egl.CreateContext(display, config, share, attributes);
    hooks.alive[HOOK_CONTEXTS] += context != NULL;
    return context;
}

static egl_bool hook_DestroyContext(egl_handle display, egl_handle context)
{
    hooks.alive[HOOK_CONTEXTS]--;
    return real_egl.DestroyContext(display, context);
}

static egl_handle hook_CreatePbufferSurface(egl_handle display, egl_handle config, const int *attributes)
{
    egl_handle surface = egl_fails() ? NULL : real_egl.CreatePbufferSurface(display, config, attributes);
    hooks.alive[HOOK_SURFACES] += surface != NULL;
    return surface;
}

static egl_bool hook_DestroySurface(egl_handle display, egl_handle surface)
{
    hooks.alive[HOOK_SURFACES]--;
    return real_egl.DestroySurface(display, surface);
}

static egl_bool hook_MakeCurrent(egl_handle display, egl_handle draw, egl_handle read, egl_handle context)
{
    return egl_fails() ? 0 : real_egl.MakeCurrent(display, draw, read, context);
}

static egl_handle hook_GetPlatformDisplayEXT(unsigned platform, void *native, const int *attributes)
{
    return egl_fails() ? NULL : real_egl.GetPlatformDisplayEXT(platform, native, attributes);
}

static egl_bool hook_QueryDevicesEXT(int size, egl_handle *devices, int *count)
{
    return egl_fails() ? 0 : real_egl.QueryDevicesEXT(size, devices, count);
}

/* Extensions without those that the test takes away, each overwritten by dashes. */
static const char *hook_QueryString(egl_handle display, int name)
{
    static char text[8192];
    const char *found = real_egl.QueryString(display, name);
    if (name != EGL_EXTENSIONS || !found || !hooks.without[0])
        return found;
    snprintf(text, sizeof text, "%s", found);
    for (size_t i = 0; i < sizeof hooks.without / sizeof *hooks.without && hooks.without[i]; i++)
        for (char *at = text; (at = strstr(at, hooks.without[i])) != NULL; at++)
            memset(at, '-', strlen(hooks.without[i]));
    return text;
}

/* ---- the table ---- */

#define HOOK_EGL(name)                                                                                                 \
    {                                                                                                                  \
        "egl" #name, (gpu_function *)hook_##name, (gpu_function **)(void *)&real_egl.name                              \
    }
#define HOOK_GL(name)                                                                                                  \
    {                                                                                                                  \
        "gl" #name, (gpu_function *)hook_##name, (gpu_function **)(void *)&real.name                                   \
    }

static const struct
{
    const char *name;
    gpu_function *wrapper, **found;
} wrappers[] = {
    HOOK_EGL(Initialize),
    HOOK_EGL(ChooseConfig),
    HOOK_EGL(CreateContext),
    HOOK_EGL(DestroyContext),
    HOOK_EGL(CreatePbufferSurface),
    HOOK_EGL(DestroySurface),
    HOOK_EGL(MakeCurrent),
    HOOK_EGL(GetPlatformDisplayEXT),
    HOOK_EGL(QueryDevicesEXT),
    HOOK_EGL(QueryString),
    HOOK_GL(GetError),
    HOOK_GL(GetGraphicsResetStatus),
    HOOK_GL(GetString),
    HOOK_GL(GetIntegerv),
    HOOK_GL(CreateBuffers),
    HOOK_GL(DeleteBuffers),
    HOOK_GL(CreateTextures),
    HOOK_GL(DeleteTextures),
    HOOK_GL(CreateFramebuffers),
    HOOK_GL(DeleteFramebuffers),
    HOOK_GL(CreateVertexArrays),
    HOOK_GL(DeleteVertexArrays),
    HOOK_GL(CreateQueries),
    HOOK_GL(DeleteQueries),
    HOOK_GL(CreateShader),
    HOOK_GL(DeleteShader),
    HOOK_GL(CreateProgram),
    HOOK_GL(DeleteProgram),
};

gpu_function *gpu_hooks_find(const char *name, gpu_function *found, void *user)
{
    (void)user;
    if (hooks.missing && strcmp(hooks.missing, name) == 0)
        return NULL;
    if (hooks.own_name && strcmp(hooks.own_name, name) == 0)
        return hooks.own_found = found, hooks.own;
    for (size_t i = 0; i < sizeof wrappers / sizeof *wrappers; i++)
        if (strcmp(wrappers[i].name, name) == 0 && found)
            return *wrappers[i].found = found, wrappers[i].wrapper;
    return found;
}

gpu_device_def gpu_hooks_def(gpu_platform platform)
{
    gpu_device_def def = gpu_device_def_default();
    gpu_hooks_reset();
    def.platform = platform;
    def.find = gpu_hooks_find;
    return def;
}
