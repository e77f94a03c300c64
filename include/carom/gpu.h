/* carom/gpu.h: which graphics driver there is, and whether it computes what the engines that use it rely on.
 *
 * EGL and OpenGL 4.5 are looked for when a program runs, not when it is built: without a driver these calls return
 * CAROM_UNAVAILABLE, the message says what was tried and why it failed, and everything else works as before.
 *
 * The environment variable CAROM_GPU chooses where to look: surfaceless (Mesa, with or without a graphics card), device
 * (each device of EGL_EXT_platform_device), display (the window system's), or off for nowhere. Without it the three are
 * tried in this order; any other value causes a warning in the log. */
#ifndef CAROM_GPU_H
#define CAROM_GPU_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* What the driver allows. */
    typedef struct carom_gpu_limits
    {
        uint32_t texture_size;      /* width and height of a texture, in texels */
        uint32_t renderbuffer_size; /* width and height of what can be drawn to */
        uint32_t viewport_width, viewport_height;
        uint32_t attributes;     /* of a vertex, with up to four components each */
        uint32_t draw_buffers;   /* colour images drawn at once */
        uint32_t texture_units;  /* textures that a fragment shader sees */
        uint32_t uniform_block;  /* bytes */
        uint32_t storage_block;  /* bytes */
        uint32_t texture_buffer; /* texels */
    } carom_gpu_limits;

    /* Texts come from the driver, cut off where they are too long. */
    typedef struct carom_gpu_info
    {
        char platform[16]; /* surfaceless, device or display */
        char egl[96];      /* EGL's version and vendor */
        char vendor[96], renderer[128], version[96], glsl[64];
        bool software;       /* drawn by the processor: Mesa's llvmpipe, for example */
        bool reports_resets; /* a lost context is noticed */
        carom_gpu_limits limits;
    } carom_gpu_info;

    /* Opens a driver, asks it, and closes it. CAROM_UNAVAILABLE: there is none. */
    CAROM_API carom_status carom_gpu_describe(carom_context *context, carom_gpu_info *out);

    /* ---- devices that run kernels ---- */

    /* A device of OpenCL, compute shaders of OpenGL, or the processor with the same kernels compiled as C. */
    typedef struct carom_compute_info
    {
        char kind[16]; /* opencl, opengl or processor */
        char platform[96], name[128], version[96];
        char lack[64]; /* why it can't be used; empty: it can */
        bool software; /* a processor */
        bool doubles;  /* has 64-bit floats; they are not used */
        uint32_t units;
        uint64_t buffer_size;  /* bytes of the largest buffer */
        uint32_t group_size;   /* items of the largest work group */
        uint32_t local_memory; /* bytes that a group can share */
    } carom_compute_info;

    /* False: no more of them. */
    typedef bool carom_compute_fn(const carom_compute_info *info, void *user);

    /* Tells every device there is, in the order in which they would be chosen, but that of several of OpenCL a graphics
     * card comes before a processor. libOpenCL, too, is looked for when a program runs. The environment variable
     * CAROM_COMPUTE chooses the kind: opencl, opengl, processor or auto, the first of them that is there; with
     * CAROM_GPU=off that is the processor. CAROM_OK, or CAROM_STOPPED: on_device said so. */
    CAROM_API carom_status carom_compute_list(carom_context *context, carom_compute_fn *on_device, void *user);

    /* ---- comparisons ---- */

    /* A pass that was drawn by the driver and computed in plain C. Valid during the callback. */
    typedef struct carom_gpu_check
    {
        const char *name;
        carom_status status; /* CAROM_OK, or why it could not be drawn */
        const char *detail;  /* the message, or the first texel that is wrong; empty: nothing to say */
        uint64_t compared;   /* texels and counts */
        double difference;   /* the largest; 0 where bits are compared and all agree */
        double bound;        /* what the difference may be */
        bool passed;
        double milliseconds;
    } carom_gpu_check;

    /* False: no more checks. */
    typedef bool carom_gpu_check_fn(const carom_gpu_check *check, void *user);

    /* Draws every pass that the library has and compares each with its twin on the processor, texel by texel. on_check
     * (or null) gets the results one by one, on this thread. CAROM_OK: all passed; CAROM_UNSUPPORTED: some did not, the
     * message names the first; CAROM_STOPPED: on_check said so. */
    CAROM_API carom_status carom_gpu_selftest(carom_context *context, carom_gpu_check_fn *on_check, void *user);

    /* The same for kernels: each on OpenCL and on compute shaders, compared with the processor to the bit; names are
     * like "opencl frontier". CAROM_UNAVAILABLE: there is neither. */
    CAROM_API carom_status carom_compute_selftest(carom_context *context, carom_gpu_check_fn *on_check, void *user);

#ifdef __cplusplus
}
#endif

#endif
