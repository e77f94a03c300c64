/* The inside of a device, and how its functions are called: every call through GPU_TRY, which asks for errors. */
#ifndef GPU_DEVICE_H
#define GPU_DEVICE_H

#include "gpu/gl.h"
#include "gpu/gpu.h"

/* What was current on a thread. */
typedef struct gpu_current
{
    unsigned api; /* that new contexts are of */
    egl_handle display, context, draw, read;
    unsigned context_api;
} gpu_current;

enum
{
    GPU_LIBRARIES = 3
};

struct gpu_device
{
    carom_context *context;
    gpu_device_def def;

    void *libraries[GPU_LIBRARIES];                 /* libEGL, libOpenGL, libGL; null: not opened */
    gpu_function *(*get_address)(const char *name); /* eglGetProcAddress */
    gpu_egl_functions egl;
    gpu_gl_functions gl;

    egl_handle display, egl_context, surface;
    carom_gpu_info info;
    bool opening;                   /* failures go to `reason`: there may be another driver to try */
    char reason[BASE_MESSAGE_SIZE]; /* of the latest one */

    atomic_bool busy; /* begun, on `thread` */
    pthread_t thread;
    gpu_current host; /* what gpu_end restores */
    bool lost;
    const char *lost_reason;

    bool query_begun[2]; /* one that counts, and one that does not, perhaps only in the driver */

    bool state_known; /* the driver has `state`, for a target of this size */
    gpu_state state;
    uint32_t state_width, state_height;

    uint64_t debug_errors;
    char debug_first[BASE_MESSAGE_SIZE];
};

/* ---- the driver's libraries: driver.c ---- */

/* Opens libEGL and looks its functions up; otherwise CAROM_UNAVAILABLE. */
carom_status gpu_driver_open(gpu_device *device);
carom_status gpu_driver_load_gl(gpu_device *device);
void gpu_driver_close(gpu_device *device);

/* ---- EGL: egl.c ---- */

/* A display with a context of OpenGL 4.5 that is good enough; it is not current afterwards. */
carom_status gpu_egl_open(gpu_device *device);
void gpu_egl_close(gpu_device *device);
carom_status gpu_egl_make_current(gpu_device *device); /* and remembers what was current before */
carom_status gpu_egl_restore(gpu_device *device);

/* ---- errors: call.c ---- */

/* As base_fail; while the device is being opened, only the reason is kept. */
carom_status gpu_fail(gpu_device *device, carom_status status, const char *format, ...) BASE_PRINTF(3, 4);
/* May the device be used, here and now? */
carom_status gpu_ready(gpu_device *device);
/* May objects be deleted? Otherwise the names would be those of another context's objects, the host's even. They stay
 * until the device is closed. */
static inline bool gpu_can_delete(const gpu_device *device, gl_name name)
{
    return name != 0 && atomic_load_explicit(&device->busy, memory_order_relaxed) &&
           pthread_equal(device->thread, pthread_self());
}
/* The error of the latest call, as a status with a message. */
carom_status gpu_check_call(gpu_device *device, const char *name);
/* Has the context been lost? Asked before what was read is believed. */
carom_status gpu_check_reset(gpu_device *device);

#define GPU_TRY(device, function, ...)                                                                                 \
    do                                                                                                                 \
    {                                                                                                                  \
        (device)->gl.function(__VA_ARGS__);                                                                            \
        BASE_TRY(gpu_check_call((device), "gl" #function));                                                            \
    } while (0)
/* For functions that return something. */
#define GPU_TRY_RESULT(out, device, function, ...)                                                                     \
    do                                                                                                                 \
    {                                                                                                                  \
        *(out) = (device)->gl.function(__VA_ARGS__);                                                                   \
        BASE_TRY(gpu_check_call((device), "gl" #function));                                                            \
    } while (0)

/* ---- the state that every draw call starts from: state.c ---- */

carom_status gpu_state_begin(gpu_device *device); /* once, after opening */
carom_status gpu_state_apply(gpu_device *device, const gpu_state *state, const gpu_target *target);

/* Ends queries that a failure has left open; the device is current. Drivers go wrong if a context is destroyed in the
 * middle of one: draw.c. */
void gpu_queries_abandon(gpu_device *device);

/* The limits and texts of the driver: info.c. */
carom_status gpu_info_ask(gpu_device *device);

/* A format in the words of OpenGL: texture.c. */
typedef struct gpu_format_row
{
    const char *name;
    gl_enum internal, external, type;
    uint32_t texel; /* bytes; 0 for depth */
    bool integers, depth, stencil;
} gpu_format_row;
const gpu_format_row *gpu_format_at(gpu_format format); /* null: no format */

/* The embedded shaders, generated by cmake/embed_shaders.cmake, in the order of their names. */
extern const gpu_source gpu_sources[];
extern const uint32_t gpu_source_count;

#endif
