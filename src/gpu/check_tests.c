/* Checks: what happens to a fragment. Depth and stencil tests, blending, occlusion queries. */
#include "gpu/check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* stored: what is in the image; the comparison is fragment OP stored. */
static bool passes(gpu_compare compare, float fragment, float stored)
{
    switch (compare)
    {
    case GPU_NEVER: return false;
    case GPU_LESS: return fragment < stored;
    case GPU_EQUAL: return fragment == stored;
    case GPU_LESS_EQUAL: return fragment <= stored;
    case GPU_GREATER: return fragment > stored;
    case GPU_NOT_EQUAL: return fragment != stored;
    case GPU_GREATER_EQUAL: return fragment >= stored;
    default: return true;
    }
}

/* ---- depth ---- */

enum
{
    DEPTH_BANDS = 8 /* columns of 8 pixels, each with a depth */
};

static float band_depth(uint32_t band) { return (float)(band + 1) / (DEPTH_BANDS + 2); }

/* Columns of different depths without a test, then rows of the same depths with one: every pair of depths meets. */
static carom_status draw_depths(check_canvas *canvas, gpu_compare compare, bool write)
{
    gpu_state state = gpu_state_default();
    state.depth_test = state.depth_write = true, state.depth_compare = GPU_ALWAYS;
    for (uint32_t i = 0; i < DEPTH_BANDS; i++)
        check_add_rect(canvas, &(check_paint){(float)(8 * i), 0, 8, CHECK_SIZE, band_depth(i), .value = {1.0f}});
    BASE_TRY(check_draw(canvas, &state));
    state.depth_compare = compare, state.depth_write = write;
    for (uint32_t i = 0; i < DEPTH_BANDS; i++)
        check_add_rect(canvas, &(check_paint){0, (float)(8 * i), CHECK_SIZE, 8, band_depth(i), .value = {2.0f}});
    return check_draw(canvas, &state);
}

static void compute_depths(check_canvas *canvas, gpu_compare compare, bool write, bool color)
{
    for (uint32_t i = 0; i < CHECK_TEXELS; i++)
    {
        float stored = band_depth(i % CHECK_SIZE / 8), fragment = band_depth(i / CHECK_SIZE / 8);
        bool pass = passes(compare, fragment, stored);
        float depth = pass && write ? fragment : stored;
        canvas->computed.floats[i] = !color ? depth : pass ? 2.0f : 1.0f;
    }
}

static carom_status run_depth(check_canvas *canvas, gpu_check_result *result)
{
    for (int i = 0; i < 16; i++)
    {
        gpu_compare compare = (gpu_compare)(i / 2);
        bool write = i % 2;
        BASE_TRY(check_wipe(canvas));
        BASE_TRY(draw_depths(canvas, compare, write));
        compute_depths(canvas, compare, write, true);
        BASE_TRY(check_read(canvas, GPU_COLOR0));
        check_compare(canvas, result, "colour after a depth test", 1);
        compute_depths(canvas, compare, write, false);
        BASE_TRY(check_read(canvas, GPU_DEPTH));
        check_compare_floats(canvas, result, gpu_format_name(canvas->target.depth.format), 1);
    }
    return CAROM_OK;
}

/* Which fragments pass, to the bit: their depths are equal or far apart. The depths themselves within the error of
 * interpolating a constant, and the rounding to 24 bits. */
carom_status check_depth(gpu_device *device, gpu_check_result *result)
{
    static const gpu_format formats[] = {GPU_DEPTH24_STENCIL8, GPU_DEPTH32F_STENCIL8, GPU_DEPTH32F};
    result->bound = 0x1p-22;
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    {
        const check_job job = {GPU_R32F, formats[i], "check_floats.frag.glsl", run_depth};
        BASE_TRY(check_on_canvas(device, &job, result));
    }
    return CAROM_OK;
}

/* ---- stencil ---- */

static uint8_t operate(gpu_stencil_op op, uint8_t stored, uint8_t reference)
{
    switch (op)
    {
    case GPU_ZERO: return 0;
    case GPU_REPLACE: return reference;
    case GPU_INCREASE: return stored == 255 ? 255 : (uint8_t)(stored + 1);
    case GPU_DECREASE: return stored == 0 ? 0 : (uint8_t)(stored - 1);
    case GPU_INCREASE_WRAP: return (uint8_t)(stored + 1);
    case GPU_DECREASE_WRAP: return (uint8_t)(stored - 1);
    case GPU_INVERT: return (uint8_t)~stored;
    default: return stored;
    }
}

static uint8_t step_stencil(const gpu_stencil_face *face, uint8_t stored, bool depth_passes)
{
    bool pass = passes(face->compare, (float)(face->reference & face->mask), (float)(stored & face->mask));
    gpu_stencil_op op = !pass ? face->fail : depth_passes ? face->pass : face->depth_fail;
    return (uint8_t)((operate(op, stored, face->reference) & face->write_mask) | (stored & ~face->write_mask));
}

enum
{
    STENCIL_STEPS = 16, /* a software driver compiles code for each */
    STENCIL_RECTS = 24  /* drawn in each */
};

/* Every comparison and operation in eight steps, with random masks. */
static gpu_stencil_face choose_face(uint32_t step, uint64_t *random)
{
    uint32_t bits = check_random_bits(random);
    return (gpu_stencil_face){.compare = (gpu_compare)(step % 8),
                              .reference = (uint8_t)bits,
                              .mask = step % 3 == 0 ? 0xff : (uint8_t)(bits >> 8),
                              .write_mask = step % 2 == 0 ? 0xff : (uint8_t)(bits >> 16),
                              .fail = (gpu_stencil_op)((3 * step + 1) % 8),
                              .depth_fail = (gpu_stencil_op)((5 * step + 2) % 8),
                              .pass = (gpu_stencil_op)((7 * step + 3) % 8)};
}

/* Adds a random rectangle, and does to the computed stencil what it should do to the drawn one. */
static void add_stencil_rect(check_canvas *canvas, const gpu_state *state, uint64_t *random)
{
    uint32_t bits = check_random_bits(random);
    const check_paint paint = {.x = (float)(bits % 48),
                               .y = (float)((bits >> 8) % 48),
                               .width = (float)(1 + (bits >> 16) % 40),
                               .height = (float)(1 + (bits >> 22) % 40),
                               .depth = bits & 0x40 ? 0.25f : 0.75f,
                               .backwards = bits >> 31};
    const gpu_stencil_face *face = paint.backwards ? &state->back : &state->front;
    check_add_rect(canvas, &paint);
    for (uint32_t i = 0; i < CHECK_TEXELS; i++)
        if (check_is_in(&paint, i))
            canvas->computed.bytes[i] = step_stencil(face, canvas->computed.bytes[i], paint.depth < 0.5f);
}

/* Rectangles before and behind a wall, front and back, each step on what the one before left. */
static carom_status run_stencil(check_canvas *canvas, gpu_check_result *result)
{
    uint64_t random = 3;
    gpu_state state = gpu_state_default();
    memset(&canvas->computed, 0, sizeof canvas->computed);
    state.depth_test = state.depth_write = true;
    check_add_rect(canvas, &(check_paint){.width = CHECK_SIZE, .height = CHECK_SIZE, .depth = 0.5f});
    BASE_TRY(check_draw(canvas, &state));
    state.stencil_test = true, state.depth_write = state.color_write = false;
    for (uint32_t step = 0; step < STENCIL_STEPS; step++)
    {
        state.front = choose_face(step, &random), state.back = choose_face(step + 5, &random);
        for (int i = 0; i < STENCIL_RECTS; i++)
            add_stencil_rect(canvas, &state, &random);
        BASE_TRY(check_draw(canvas, &state));
        BASE_TRY(check_read(canvas, GPU_STENCIL));
        check_compare(canvas, result, gpu_format_name(canvas->target.depth.format), 0);
    }
    return CAROM_OK;
}

carom_status check_stencil(gpu_device *device, gpu_check_result *result)
{
    static const gpu_format formats[] = {GPU_DEPTH24_STENCIL8, GPU_DEPTH32F_STENCIL8};
    for (size_t i = 0; i < sizeof formats / sizeof *formats; i++)
    {
        const check_job job = {GPU_R32F, formats[i], "check_floats.frag.glsl", run_stencil};
        BASE_TRY(check_on_canvas(device, &job, result));
    }
    return CAROM_OK;
}

/* ---- blending ---- */

/* Not denormal, and sums of two are exact. */
static const float blend_values[] = {-INFINITY, -FLT_MAX, -8.0f, -0.25f, 0.25f, 1.0f, 1024.0f, INFINITY};

enum
{
    BLEND_VALUES = sizeof blend_values / sizeof *blend_values /* 8: cells of 8 pixels fill the canvas */
};

static float blend(gpu_blend mode, float drawn, float stored)
{
    switch (mode)
    {
    case GPU_BLEND_MAX: return drawn > stored ? drawn : stored;
    case GPU_BLEND_MIN: return drawn < stored ? drawn : stored;
    case GPU_BLEND_ADD: return drawn + stored;
    default: return drawn;
    }
}

/* The values of a pass in a cell of 8 x 8 pixels: in the first pass by column, in the second by row, so that each meets
 * each other. ADD leaves the infinities and FLT_MAX out. */
static void choose_values(gpu_blend mode, uint32_t cell, bool second, float out[4])
{
    uint32_t first = mode == GPU_BLEND_ADD ? 2 : 0, range = BLEND_VALUES - (mode == GPU_BLEND_ADD ? 3 : 0);
    uint32_t column = cell % BLEND_VALUES, row = cell / BLEND_VALUES;
    for (uint32_t k = 0; k < 4; k++)
        out[k] = blend_values[first + (second ? row + 3 * k : column + k) % range];
}

static carom_status blend_pass(check_canvas *canvas, gpu_blend mode, bool second)
{
    gpu_state state = gpu_state_default();
    state.blend = second ? mode : GPU_BLEND_NONE;
    uint32_t components = gpu_format_texel(canvas->target.colors[0].format) / 4;
    for (uint32_t cell = 0; cell < BLEND_VALUES * BLEND_VALUES; cell++)
    {
        check_paint paint = {.x = (float)(8 * (cell % 8)), .y = (float)(8 * (cell / 8)), .width = 8, .height = 8};
        choose_values(mode, cell, second, paint.value);
        check_add_rect(canvas, &paint);
        for (uint32_t i = 0; i < CHECK_TEXELS; i++)
            for (uint32_t k = 0; k < components && check_is_in(&paint, i); k++)
            {
                float *stored = &canvas->computed.floats[i * components + k];
                *stored = blend(state.blend, paint.value[k], *stored);
            }
    }
    return check_draw(canvas, &state);
}

static carom_status run_blend(check_canvas *canvas, gpu_check_result *result)
{
    gpu_format format = canvas->target.colors[0].format;
    for (gpu_blend mode = GPU_BLEND_NONE; mode <= GPU_BLEND_ADD; mode++)
    {
        BASE_TRY(blend_pass(canvas, mode, false));
        BASE_TRY(blend_pass(canvas, mode, true));
        BASE_TRY(check_read(canvas, GPU_COLOR0));
        check_compare(canvas, result, gpu_format_name(format), gpu_format_texel(format) / 4);
    }
    return CAROM_OK;
}

carom_status check_blend(gpu_device *device, gpu_check_result *result)
{
    for (gpu_format format = GPU_R32F; format <= GPU_RGBA32F; format++)
    {
        const check_job job = {format, GPU_NONE, "check_floats.frag.glsl", run_blend};
        BASE_TRY(check_on_canvas(device, &job, result));
    }
    return CAROM_OK;
}

/* ---- occlusion queries ---- */

/* Draws a rectangle under both kinds of query. */
static carom_status count_both(check_canvas *canvas, const check_paint *paint, gpu_query queries[2], uint64_t counts[2])
{
    gpu_state state = gpu_state_default();
    state.depth_test = true;
    for (int i = 0; i < 2; i++)
    {
        check_add_rect(canvas, paint);
        BASE_TRY(gpu_query_begin(canvas->device, &queries[i]));
        BASE_TRY(check_draw(canvas, &state));
        BASE_TRY(gpu_query_end(canvas->device, &queries[i]));
        BASE_TRY(gpu_query_result(canvas->device, &queries[i], &counts[i]));
    }
    return CAROM_OK;
}

/* Half of the canvas is too near for what is drawn afterwards. */
static carom_status compare_counts(check_canvas *canvas, gpu_query queries[2], gpu_check_result *result)
{
    gpu_state state = gpu_state_default();
    state.depth_test = state.depth_write = true;
    const check_paint wall = {0, 0, CHECK_SIZE / 2, CHECK_SIZE, .depth = 0.25f};
    check_add_rect(canvas, &wall);
    BASE_TRY(check_draw(canvas, &state));
    uint64_t random = 4;
    for (int step = 0; step < 128; step++)
    {
        uint32_t bits = check_random_bits(&random), shift = step % 6; /* small ones too */
        check_paint paint = {(float)(bits % CHECK_SIZE), (float)(bits >> 8 & 31), (float)((bits >> 14 & 63) >> shift),
                             (float)((bits >> 20 & 63) >> shift), .depth = step % 7 == 0 ? 0.125f : 0.5f};
        uint64_t expected = 0, counts[2];
        for (uint32_t i = 0; i < CHECK_TEXELS; i++)
            expected += check_is_in(&paint, i) && (paint.depth < wall.depth || !check_is_in(&wall, i));
        BASE_TRY(count_both(canvas, &paint, queries, counts));
        char where[64];
        snprintf(where, sizeof where, "rectangle %d, fragments", step);
        gpu_compare_bits(result, where, (uint32_t)counts[0], (uint32_t)expected);
        snprintf(where, sizeof where, "rectangle %d, any fragment", step);
        gpu_compare_bits(result, where, (uint32_t)counts[1], expected > 0);
    }
    return CAROM_OK;
}

static carom_status run_queries(check_canvas *canvas, gpu_check_result *result)
{
    gpu_query queries[2] = {{0}};
    carom_status status = gpu_query_create(canvas->device, true, &queries[0]);
    if (!carom_failed(status))
        status = gpu_query_create(canvas->device, false, &queries[1]);
    if (!carom_failed(status))
        status = compare_counts(canvas, queries, result);
    gpu_query_destroy(canvas->device, &queries[0]);
    gpu_query_destroy(canvas->device, &queries[1]);
    return status;
}

carom_status check_queries(gpu_device *device, gpu_check_result *result)
{
    static const check_job job = {GPU_R32F, GPU_DEPTH32F_STENCIL8, "check_floats.frag.glsl", run_queries};
    return check_on_canvas(device, &job, result);
}
