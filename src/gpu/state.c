/* The state of a draw call: set as a whole, skipped where the driver has it already. */
#include "gpu/device.h"

#include <stdio.h>

static void collect_error(gl_enum source, gl_enum type, gl_name id, gl_enum severity, int length, const char *message,
                          const void *user)
{
    (void)source, (void)id, (void)severity, (void)length;
    gpu_device *device = (gpu_device *)user;
    if (type != GL_DEBUG_TYPE_ERROR)
        return;
    if (device->debug_errors++ == 0)
        snprintf(device->debug_first, sizeof device->debug_first, "%s", message);
}

/* What never changes. Shaders of ours draw exact values: no dithering. */
carom_status gpu_state_begin(gpu_device *device)
{
    if (device->def.debug)
    {
        GPU_TRY(device, Enable, GL_DEBUG_OUTPUT);
        GPU_TRY(device, Enable, GL_DEBUG_OUTPUT_SYNCHRONOUS); /* on the thread of the call */
        GPU_TRY(device, DebugMessageCallback, collect_error, device);
    }
    GPU_TRY(device, ClipControl, GL_LOWER_LEFT, GL_ZERO_TO_ONE);
    GPU_TRY(device, PixelStorei, GL_PACK_ALIGNMENT, 1);
    GPU_TRY(device, PixelStorei, GL_UNPACK_ALIGNMENT, 1);
    GPU_TRY(device, Enable, GL_PRIMITIVE_RESTART_FIXED_INDEX);
    GPU_TRY(device, Disable, GL_DITHER);
    return CAROM_OK;
}

gpu_state gpu_state_default(void)
{
    const gpu_stencil_face face = {.compare = GPU_ALWAYS, .mask = 0xff, .write_mask = 0xff};
    return (gpu_state){.color_write = true, .depth_compare = GPU_LESS, .front = face, .back = face};
}

static bool same_rect(const gpu_rect *a, const gpu_rect *b)
{
    return a->x == b->x && a->y == b->y && a->width == b->width && a->height == b->height;
}

static bool same_face(const gpu_stencil_face *a, const gpu_stencil_face *b)
{
    return a->compare == b->compare && a->reference == b->reference && a->mask == b->mask &&
           a->write_mask == b->write_mask && a->fail == b->fail && a->depth_fail == b->depth_fail && a->pass == b->pass;
}

static bool same_state(const gpu_state *a, const gpu_state *b)
{
    return same_rect(&a->viewport, &b->viewport) && same_rect(&a->scissor, &b->scissor) && a->cull == b->cull &&
           a->blend == b->blend && a->color_write == b->color_write && a->depth_test == b->depth_test &&
           a->depth_write == b->depth_write && a->depth_compare == b->depth_compare &&
           a->depth_clamp == b->depth_clamp && a->stencil_test == b->stencil_test && same_face(&a->front, &b->front) &&
           same_face(&a->back, &b->back) && a->clip_distances == b->clip_distances;
}

static carom_status set_capability(gpu_device *device, gl_enum capability, bool on)
{
    if (on)
        GPU_TRY(device, Enable, capability);
    else
        GPU_TRY(device, Disable, capability);
    return CAROM_OK;
}

static carom_status apply_rects(gpu_device *device, const gpu_state *state, const gpu_target *target)
{
    const carom_gpu_limits *limits = &device->info.limits;
    gpu_rect view = state->viewport.width != 0 ? state->viewport : (gpu_rect){0, 0, target->width, target->height};
    if (view.width > limits->viewport_width || view.height > limits->viewport_height || view.x > INT32_MAX ||
        view.y > INT32_MAX)
        return gpu_fail(device, CAROM_TOO_LARGE, "a viewport of %u x %u at (%u, %u): the driver's limit is %u x %u",
                        view.width, view.height, view.x, view.y, limits->viewport_width, limits->viewport_height);
    GPU_TRY(device, Viewport, (int)view.x, (int)view.y, (int)view.width, (int)view.height);
    gpu_rect cut = state->scissor;
    BASE_TRY(set_capability(device, GL_SCISSOR_TEST, cut.width != 0));
    if (cut.width == 0)
        return CAROM_OK;
    if (cut.x > INT32_MAX || cut.y > INT32_MAX || cut.width > INT32_MAX || cut.height > INT32_MAX)
        return gpu_fail(device, CAROM_OUT_OF_RANGE, "a scissor of %u x %u at (%u, %u)", cut.width, cut.height, cut.x,
                        cut.y);
    GPU_TRY(device, Scissor, (int)cut.x, (int)cut.y, (int)cut.width, (int)cut.height);
    return CAROM_OK;
}

static carom_status apply_stencil(gpu_device *device, gl_enum side, const gpu_stencil_face *face)
{
    static const gl_enum ops[] = {GL_KEEP, GL_ZERO,      GL_REPLACE,   GL_INCR,
                                  GL_DECR, GL_INCR_WRAP, GL_DECR_WRAP, GL_INVERT};
    if ((unsigned)face->compare > GPU_ALWAYS || (unsigned)face->fail > GPU_INVERT ||
        (unsigned)face->depth_fail > GPU_INVERT || (unsigned)face->pass > GPU_INVERT)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "a stencil comparison or operation that does not exist");
    GPU_TRY(device, StencilFuncSeparate, side, GL_NEVER + (gl_enum)face->compare, face->reference, face->mask);
    GPU_TRY(device, StencilOpSeparate, side, ops[face->fail], ops[face->depth_fail], ops[face->pass]);
    GPU_TRY(device, StencilMaskSeparate, side, face->write_mask);
    return CAROM_OK;
}

static carom_status apply_depth(gpu_device *device, const gpu_state *state)
{
    if ((unsigned)state->depth_compare > GPU_ALWAYS)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "no depth comparison has number %d", (int)state->depth_compare);
    BASE_TRY(set_capability(device, GL_DEPTH_TEST, state->depth_test));
    BASE_TRY(set_capability(device, GL_DEPTH_CLAMP, state->depth_clamp));
    GPU_TRY(device, DepthFunc, GL_NEVER + (gl_enum)state->depth_compare);
    GPU_TRY(device, DepthMask, state->depth_write);
    return CAROM_OK;
}

static carom_status apply_color(gpu_device *device, const gpu_state *state)
{
    static const gl_enum equations[] = {GL_FUNC_ADD, GL_MAX, GL_MIN, GL_FUNC_ADD};
    if ((unsigned)state->blend > GPU_BLEND_ADD || (unsigned)state->cull > GPU_CULL_BACK)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "a way to blend or cull that does not exist");
    unsigned char write = state->color_write;
    GPU_TRY(device, ColorMask, write, write, write, write);
    BASE_TRY(set_capability(device, GL_BLEND, state->blend != GPU_BLEND_NONE));
    GPU_TRY(device, BlendEquation, equations[state->blend]);
    GPU_TRY(device, BlendFunc, GL_ONE, GL_ONE);
    BASE_TRY(set_capability(device, GL_CULL_FACE, state->cull != GPU_CULL_NONE));
    GPU_TRY(device, CullFace, state->cull == GPU_CULL_FRONT ? GL_FRONT : GL_BACK);
    return CAROM_OK;
}

static carom_status apply_clipping(gpu_device *device, uint32_t count)
{
    enum
    {
        DISTANCES = 8 /* OpenGL guarantees that many */
    };
    if (count > DISTANCES)
        return gpu_fail(device, CAROM_TOO_LARGE, "%u clip distances: up to 8 are possible", count);
    for (uint32_t i = 0; i < DISTANCES; i++)
        BASE_TRY(set_capability(device, GL_CLIP_DISTANCE0 + i, i < count));
    return CAROM_OK;
}

carom_status gpu_state_apply(gpu_device *device, const gpu_state *state, const gpu_target *target)
{
    if (device->state_known && device->state_width == target->width && device->state_height == target->height &&
        same_state(&device->state, state))
        return CAROM_OK;
    device->state_known = false;
    BASE_TRY(apply_rects(device, state, target));
    BASE_TRY(apply_color(device, state));
    BASE_TRY(apply_depth(device, state));
    BASE_TRY(set_capability(device, GL_STENCIL_TEST, state->stencil_test));
    BASE_TRY(apply_stencil(device, GL_FRONT, &state->front));
    BASE_TRY(apply_stencil(device, GL_BACK, &state->back));
    BASE_TRY(apply_clipping(device, state->clip_distances));
    device->state = *state;
    device->state_width = target->width, device->state_height = target->height;
    device->state_known = true;
    return CAROM_OK;
}
