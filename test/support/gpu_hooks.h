/* Faults for tests of src/gpu: functions of the driver replaced by wrappers that count, fail or lie. One set of hooks
 * for the process; not for several threads. */
#ifndef TEST_GPU_HOOKS_H
#define TEST_GPU_HOOKS_H

#include "gpu/gl.h"
#include "gpu/gpu.h"

/* Objects that the driver has. */
enum
{
    HOOK_BUFFERS,
    HOOK_TEXTURES,
    HOOK_FRAMEBUFFERS,
    HOOK_ARRAYS,
    HOOK_QUERIES,
    HOOK_SHADERS,
    HOOK_PROGRAMS,
    HOOK_CONTEXTS,
    HOOK_SURFACES,
    HOOK_KINDS
};

typedef struct gpu_hooks
{
    /* what to do */
    uint64_t gl_error_at; /* the glGetError that reports gl_error, the first is 1; 0: none */
    gl_enum gl_error;
    uint64_t egl_failure_at; /* the call of EGL that fails, of those that can; 0: none */
    gl_enum reset;           /* of glGetGraphicsResetStatus */
    const char *missing;     /* the function that the driver does not have; or null */
    const char *version;     /* of OpenGL; or null */
    const char *without[4];  /* extensions of EGL that it does not have */
    int max_texture_size;    /* or 0 */
    /* a wrapper of the test's own: for the function of this name; it finds the driver's in own_found */
    const char *own_name;
    gpu_function *own, *own_found;
    /* what was seen */
    uint64_t gl_errors_asked, egl_calls;
    int64_t alive[HOOK_KINDS];
} gpu_hooks;

extern gpu_hooks hooks;

/* Everything as the driver has it. */
void gpu_hooks_reset(void);
gpu_function *gpu_hooks_find(const char *name, gpu_function *found, void *user);
/* Resets the hooks; the device opened from it goes through them. */
gpu_device_def gpu_hooks_def(gpu_platform platform);
int64_t gpu_hooks_alive(void); /* of all kinds but contexts and surfaces */

#endif
