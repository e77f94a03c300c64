/* Checks: clearing, reading back, and what a shader reads from textures and buffers. */
#include "gpu/check.h"

#include <float.h>
#include <math.h>
#include <stdio.h>

/* A float with random bits that is neither NaN nor denormal: OpenGL leaves those two to the driver. */
static float random_float(uint64_t *state)
{
    uint32_t bits = check_random_bits(state), exponent = bits >> 23 & 0xff;
    if (exponent == 0 || exponent == 0xff)
        bits = (bits & 0x807fffffu) | 0x3f800000u;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* ---- clear ---- */

static const float clear_colors[][4] = {
    {0.0f, 1.0f, -1.0f, 0.5f}, {INFINITY, -INFINITY, FLT_MAX, -FLT_MAX}, {FLT_MIN, -FLT_MIN, 1e-30f, 16777217.0f}};
static const uint32_t clear_integers[] = {0, 1, 0xa5};
static const float clear_depths[] = {0.0f, 1.0f, 0.7f};
static const uint8_t clear_stencils[] = {0, 0xff, 0x5a};

enum
{
    CLEAR_ROUNDS = 3,
    CLEAR_FIRST = 16, /* the rectangle that is cleared once more begins here and ends */
    CLEAR_LAST = 40
};

/* What a round leaves: the first values everywhere, those of the round in a rectangle. */
static int round_at(int round, uint32_t texel)
{
    uint32_t x = texel % CHECK_SIZE, y = texel / CHECK_SIZE;
    bool in = x >= CLEAR_FIRST && x < CLEAR_LAST && y >= CLEAR_FIRST && y < CLEAR_LAST;
    return in ? round : 0;
}

static gpu_clear_values values_of(int round, uint32_t planes)
{
    gpu_clear_values values = {.planes = planes, .depth = clear_depths[round], .stencil = clear_stencils[round]};
    for (int i = 0; i < 4; i++)
        values.color[i] = clear_colors[round][i], values.integers[i] = clear_integers[round];
    return values;
}

static carom_status clear_round(check_canvas *canvas, int round, uint32_t planes)
{
    gpu_clear_values values = values_of(0, planes);
    BASE_TRY(gpu_clear(canvas->device, &canvas->target, &values));
    values = values_of(round, planes);
    values.rect = (gpu_rect){CLEAR_FIRST, CLEAR_FIRST, CLEAR_LAST - CLEAR_FIRST, CLEAR_LAST - CLEAR_FIRST};
    return gpu_clear(canvas->device, &canvas->target, &values);
}

static carom_status compare_color(check_canvas *canvas, int round, gpu_check_result *result)
{
    gpu_format format = canvas->target.colors[0].format;
    bool bytes = format == GPU_R8UI, words = format == GPU_R32UI;
    uint32_t components = gpu_format_texel(format) / 4;
    for (uint32_t i = 0; i < CHECK_TEXELS; i++)
    {
        int at = round_at(round, i);
        if (bytes)
            canvas->computed.bytes[i] = (uint8_t)clear_integers[at];
        else if (words)
            canvas->computed.words[i] = clear_integers[at];
        else
            memcpy(&canvas->computed.floats[i * components], clear_colors[at], components * sizeof(float));
    }
    BASE_TRY(check_read(canvas, GPU_COLOR0));
    check_compare(canvas, result, gpu_format_name(format), bytes ? 0 : components);
    return CAROM_OK;
}

static carom_status compare_depth(check_canvas *canvas, int round, gpu_check_result *result)
{
    gpu_format format = canvas->target.depth.format;
    for (uint32_t i = 0; i < CHECK_TEXELS; i++)
        canvas->computed.floats[i] = clear_depths[round_at(round, i)];
    BASE_TRY(check_read(canvas, GPU_DEPTH));
    if (format == GPU_DEPTH24_STENCIL8)
        check_compare_floats(canvas, result, "depth of 24 bits", 1);
    else
        check_compare(canvas, result, gpu_format_name(format), 1);
    if (format == GPU_DEPTH32F)
        return CAROM_OK;
    for (uint32_t i = 0; i < CHECK_TEXELS; i++)
        canvas->computed.bytes[i] = clear_stencils[round_at(round, i)];
    BASE_TRY(check_read(canvas, GPU_STENCIL));
    check_compare(canvas, result, "stencil", 0);
    return CAROM_OK;
}

static carom_status run_clear(check_canvas *canvas, gpu_check_result *result)
{
    uint32_t planes = GPU_PLANE_BIT(GPU_COLOR0) | GPU_PLANE_BIT(GPU_DEPTH);
    if (canvas->target.depth.format != GPU_DEPTH32F)
        planes |= GPU_PLANE_BIT(GPU_STENCIL);
    for (int round = 0; round < CLEAR_ROUNDS; round++)
    {
        BASE_TRY(clear_round(canvas, round, planes));
        BASE_TRY(compare_color(canvas, round, result));
        BASE_TRY(compare_depth(canvas, round, result));
    }
    return CAROM_OK;
}

/* To the bit; depth of 24 bits within its rounding, half a step there and that of a float here. */
carom_status check_clear(gpu_device *device, gpu_check_result *result)
{
    static const gpu_format pairs[][2] = {{GPU_R8UI, GPU_DEPTH32F_STENCIL8},
                                          {GPU_R32UI, GPU_DEPTH24_STENCIL8},
                                          {GPU_R32F, GPU_DEPTH32F},
                                          {GPU_RG32F, GPU_DEPTH32F_STENCIL8},
                                          {GPU_RGBA32F, GPU_DEPTH24_STENCIL8}};
    result->bound = 0x1p-24;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++)
    {
        bool integers = pairs[i][0] == GPU_R8UI || pairs[i][0] == GPU_R32UI;
        const check_job job = {pairs[i][0], pairs[i][1],
                               integers ? "check_integers.frag.glsl" : "check_floats.frag.glsl", run_clear};
        BASE_TRY(check_on_canvas(device, &job, result));
    }
    return CAROM_OK;
}

/* ---- fetch ---- */

static void fill_computed(check_canvas *canvas, gpu_format format)
{
    uint64_t state = (uint64_t)format + 1;
    uint32_t components = gpu_format_texel(format) / 4;
    for (uint32_t i = 0; i < CHECK_TEXELS * (components ? components : 1); i++)
        if (format == GPU_R8UI)
            canvas->computed.bytes[i] = (uint8_t)check_random_bits(&state);
        else if (format == GPU_R32UI)
            canvas->computed.words[i] = check_random_bits(&state);
        else
            canvas->computed.floats[i] = random_float(&state);
}

/* Draws the whole canvas with a texture, and compares with what was put into it. */
static carom_status draw_texture(check_canvas *canvas, const gpu_texture *texture, gpu_check_result *result)
{
    const check_paint all = {.width = CHECK_SIZE, .height = CHECK_SIZE};
    gpu_state state = gpu_state_default();
    check_add_rect(canvas, &all);
    gpu_draw_def call = check_draw_call(canvas, &state);
    call.textures[0] = texture;
    canvas->count = 0;
    BASE_TRY(gpu_buffer_replace(canvas->device, &canvas->vertices, canvas->room, 6 * sizeof *canvas->room));
    BASE_TRY(gpu_draw(canvas->device, &call));
    BASE_TRY(check_read(canvas, GPU_COLOR0));
    check_compare(canvas, result, gpu_format_name(texture->format), gpu_format_texel(texture->format) / 4);
    return CAROM_OK;
}

static carom_status run_fetch(check_canvas *canvas, gpu_check_result *result)
{
    const gpu_texture wanted = {.format = canvas->target.colors[0].format, .width = CHECK_SIZE, .height = CHECK_SIZE};
    gpu_texture texture;
    fill_computed(canvas, wanted.format);
    BASE_TRY(gpu_texture_create(canvas->device, &wanted, &canvas->computed, &texture));
    carom_status status = draw_texture(canvas, &texture, result);
    gpu_texture_destroy(canvas->device, &texture);
    return status;
}

carom_status check_fetch(gpu_device *device, gpu_check_result *result)
{
    for (gpu_format format = GPU_R8UI; format <= GPU_RGBA32F; format++)
    {
        bool integers = format == GPU_R8UI || format == GPU_R32UI;
        const check_job job = {format, GPU_NONE, integers ? "check_fetch_integers.frag.glsl" : "check_fetch.frag.glsl",
                               run_fetch};
        BASE_TRY(check_on_canvas(device, &job, result));
    }
    return CAROM_OK;
}

/* ---- elements of a buffer ---- */

static carom_status draw_buffer(check_canvas *canvas, const gpu_buffer *buffer, gpu_check_result *result)
{
    const int width = CHECK_SIZE;
    const gpu_uniform uniform = {"width", GPU_INT, 1, 1, &width};
    BASE_TRY(gpu_program_set(canvas->device, &canvas->program, &uniform));
    gpu_texture texture;
    BASE_TRY(gpu_buffer_texture(canvas->device, buffer, canvas->target.colors[0].format, &texture));
    carom_status status = draw_texture(canvas, &texture, result);
    gpu_texture_destroy(canvas->device, &texture);
    return status;
}

static carom_status run_elements(check_canvas *canvas, gpu_check_result *result)
{
    gpu_format format = canvas->target.colors[0].format;
    size_t size = (size_t)gpu_format_texel(format) * CHECK_TEXELS;
    gpu_buffer buffer;
    fill_computed(canvas, format);
    BASE_TRY(gpu_buffer_create(canvas->device, &canvas->computed, size, false, &buffer));
    carom_status status = draw_buffer(canvas, &buffer, result);
    if (!carom_failed(status))
        status = gpu_buffer_read(canvas->device, &buffer, &canvas->drawn, size);
    if (!carom_failed(status))
        check_compare(canvas, result, "buffer", gpu_format_texel(format) / 4);
    gpu_buffer_destroy(canvas->device, &buffer);
    return status;
}

carom_status check_elements(gpu_device *device, gpu_check_result *result)
{
    static const check_job job = {GPU_RGBA32F, GPU_NONE, "check_buffer.frag.glsl", run_elements};
    return check_on_canvas(device, &job, result);
}
