/* Checks: which pixels a triangle covers, alone, next to others, in strips, in tiles and as an instance. */
#include "gpu/check.h"

#include <math.h>
#include <stdio.h>

/* ---- coverage ---- */

enum
{
    COVERAGE_TRIANGLES = 64,
    COVERAGE_GRID = 16, /* corners per pixel: every driver has at least 4 bits below a pixel */
    COVERAGE_UNIT = 2 * COVERAGE_GRID
};

typedef struct corner
{
    int64_t x, y; /* in units of 1 / COVERAGE_UNIT pixel, in which centres are whole too */
} corner;

static int64_t edge_at(corner a, corner b, corner p) { return (b.x - a.x) * (p.y - a.y) - (b.y - a.y) * (p.x - a.x); }

/* Of a centre on the edge, counterclockwise with y up: left edges go down, top edges to the left. */
static bool owns_edge(corner a, corner b) { return b.y < a.y || (b.y == a.y && b.x < a.x); }

/* Is a pixel's centre in a counterclockwise triangle? margin: how many pixels it is inside all edges; negative: outside
 * one of them. */
static bool is_covered(const corner triangle[3], uint32_t pixel, double *margin)
{
    corner centre = {(int64_t)(pixel % CHECK_SIZE) * COVERAGE_UNIT + COVERAGE_GRID,
                     (int64_t)(pixel / CHECK_SIZE) * COVERAGE_UNIT + COVERAGE_GRID};
    bool inside = true;
    *margin = INFINITY;
    for (int i = 0; i < 3; i++)
    {
        corner a = triangle[i], b = triangle[(i + 1) % 3];
        int64_t edge = edge_at(a, b, centre);
        double length = sqrt((double)((b.x - a.x) * (b.x - a.x) + (b.y - a.y) * (b.y - a.y)));
        double distance = (double)edge / length / COVERAGE_UNIT;
        *margin = distance < *margin ? distance : *margin;
        inside = inside && (edge > 0 || (edge == 0 && owns_edge(a, b)));
    }
    return inside;
}

/* A triangle of random size, counterclockwise. */
static void random_triangle(uint64_t *state, corner out[3])
{
    do
        for (int i = 0; i < 3; i++)
        {
            uint32_t range = CHECK_SIZE * COVERAGE_GRID >> check_random_bits(state) % 3;
            out[i].x = 2 * (int64_t)(check_random_bits(state) % range);
            out[i].y = 2 * (int64_t)(check_random_bits(state) % range);
        }
    while (edge_at(out[0], out[1], out[2]) == 0);
    if (edge_at(out[0], out[1], out[2]) < 0)
    {
        corner swapped = out[1];
        out[1] = out[2], out[2] = swapped;
    }
}

static void compare_coverage(const check_canvas *canvas, const corner triangle[3], uint32_t number,
                             gpu_check_result *result)
{
    for (uint32_t i = 0; i < CHECK_TEXELS; i++)
    {
        double margin;
        bool covered = is_covered(triangle, i, &margin), drawn = canvas->drawn.floats[i] != 0.0f;
        if (covered == drawn)
        {
            result->compared++;
            continue;
        }
        char where[96];
        snprintf(where, sizeof where, "triangle %u, pixel (%u, %u), pixels from the edge", number, i % CHECK_SIZE,
                 i / CHECK_SIZE);
        gpu_compare_value(result, where, fabs(margin), 0.0);
    }
}

static carom_status run_coverage(check_canvas *canvas, gpu_check_result *result)
{
    uint64_t random = 1;
    gpu_state state = gpu_state_default();
    const check_paint paint = {.value = {1.0f}};
    for (uint32_t i = 0; i < COVERAGE_TRIANGLES; i++)
    {
        corner triangle[3];
        random_triangle(&random, triangle);
        for (int k = 0; k < 3; k++)
            check_add_corner(canvas, &paint, (float)triangle[k].x / COVERAGE_UNIT,
                             (float)triangle[k].y / COVERAGE_UNIT);
        BASE_TRY(check_wipe(canvas));
        BASE_TRY(check_draw(canvas, &state));
        BASE_TRY(check_read(canvas, GPU_COLOR0));
        compare_coverage(canvas, triangle, i, result);
    }
    return CAROM_OK;
}

/* Pixels whose centre is farther than this from all edges: inside are drawn, outside are not. Closer ones depend on how
 * the driver rounds corners, for which OpenGL requires 4 bits below a pixel, and on its rule for edges. */
carom_status check_coverage(gpu_device *device, gpu_check_result *result)
{
    static const check_job job = {GPU_R32F, GPU_NONE, "check_floats.frag.glsl", run_coverage};
    result->bound = 1.0 / 16;
    return check_on_canvas(device, &job, result);
}

/* ---- seams: triangles that share edges cover each pixel once ---- */

static float random_position(uint64_t *state) { return (float)(check_random_bits(state) >> 8) * 0x1p-24f * CHECK_SIZE; }

/* Corners around the canvas, eight per side. */
static void rim_at(int i, float out[2])
{
    const float at = (float)(i % 8) * (CHECK_SIZE / 8.0f), size = CHECK_SIZE;
    const float sides[4][2] = {{at, 0.0f}, {size, at}, {size - at, size}, {0.0f, size - at}};
    memcpy(out, sides[i / 8 % 4], sizeof sides[0]);
}

static carom_status run_seams(check_canvas *canvas, gpu_check_result *result)
{
    uint64_t random = 2;
    gpu_state state = gpu_state_default();
    state.blend = GPU_BLEND_ADD;
    const check_paint paint = {.value = {1.0f}};
    for (uint32_t i = 0; i < CHECK_TEXELS; i++)
        canvas->computed.floats[i] = 1.0f;
    for (int round = 0; round < 16; round++)
    {
        float hub[2] = {random_position(&random), random_position(&random)}, rim[2];
        for (int i = 0; i < 32; i++)
        {
            check_add_corner(canvas, &paint, hub[0], hub[1]);
            rim_at(i, rim), check_add_corner(canvas, &paint, rim[0], rim[1]);
            rim_at(i + 1, rim), check_add_corner(canvas, &paint, rim[0], rim[1]);
        }
        BASE_TRY(check_wipe(canvas));
        BASE_TRY(check_draw(canvas, &state));
        BASE_TRY(check_read(canvas, GPU_COLOR0));
        check_compare(canvas, result, "fan", 1);
    }
    return CAROM_OK;
}

carom_status check_seams(gpu_device *device, gpu_check_result *result)
{
    static const check_job job = {GPU_R32F, GPU_NONE, "check_floats.frag.glsl", run_seams};
    return check_on_canvas(device, &job, result);
}

/* ---- strips with restarts ---- */

enum
{
    STRIP_CELL = 8, /* pixels */
    STRIP_CELLS = CHECK_SIZE / STRIP_CELL,
    STRIP_CORNERS = STRIP_CELLS + 1
};

/* A row of cells: a strip, ended by a restart. Returns how many indices. */
static uint32_t add_strip(uint32_t row, uint32_t *out)
{
    uint32_t count = 0;
    for (uint32_t x = 0; x < STRIP_CORNERS; x++)
        out[count++] = row * STRIP_CORNERS + x, out[count++] = (row + 1) * STRIP_CORNERS + x;
    out[count++] = UINT32_MAX;
    return count;
}

/* Every second row: without restarts, triangles would fill the gaps. */
static carom_status run_strips(check_canvas *canvas, gpu_check_result *result)
{
    uint32_t indices[STRIP_CELLS * (2 * STRIP_CORNERS + 1)], count = 0;
    const check_paint paint = {.value = {1.0f}};
    gpu_state state = gpu_state_default();
    state.blend = GPU_BLEND_ADD;
    for (uint32_t i = 0; i < STRIP_CORNERS * STRIP_CORNERS; i++)
        check_add_corner(canvas, &paint, (float)(i % STRIP_CORNERS * STRIP_CELL),
                         (float)(i / STRIP_CORNERS * STRIP_CELL));
    for (uint32_t row = 0; row < STRIP_CELLS; row += 2)
        count += add_strip(row, indices + count);
    gpu_draw_def call = check_draw_call(canvas, &state);
    call.layout = &canvas->indexed_layout, call.mode = GPU_TRIANGLE_STRIP, call.count = count;
    BASE_TRY(gpu_buffer_replace(canvas->device, &canvas->vertices, canvas->room, canvas->count * sizeof *canvas->room));
    BASE_TRY(gpu_buffer_replace(canvas->device, &canvas->indices, indices, count * sizeof *indices));
    BASE_TRY(gpu_draw(canvas->device, &call));
    for (uint32_t i = 0; i < CHECK_TEXELS; i++)
        canvas->computed.floats[i] = i / CHECK_SIZE / STRIP_CELL % 2 == 0 ? 1.0f : 0.0f;
    BASE_TRY(check_read(canvas, GPU_COLOR0));
    check_compare(canvas, result, "strips", 1);
    return CAROM_OK;
}

carom_status check_strips(gpu_device *device, gpu_check_result *result)
{
    static const check_job job = {GPU_R32F, GPU_NONE, "check_floats.frag.glsl", run_strips};
    return check_on_canvas(device, &job, result);
}

/* ---- tiles: a viewport each, some with a scissor ---- */

static bool rect_has(const gpu_rect *rect, uint32_t pixel)
{
    uint32_t x = pixel % CHECK_SIZE, y = pixel / CHECK_SIZE;
    return x >= rect->x && x - rect->x < rect->width && y >= rect->y && y - rect->y < rect->height;
}

static carom_status run_tiles(check_canvas *canvas, gpu_check_result *result)
{
    memset(&canvas->computed, 0, sizeof canvas->computed);
    for (uint32_t tile = 0; tile < 16; tile++)
    {
        gpu_state state = gpu_state_default();
        state.viewport = (gpu_rect){tile % 4 * 16, tile / 4 * 16, 16, 16};
        if (tile % 3 == 1)
            state.scissor = (gpu_rect){tile % 4 * 16 + 3, tile / 4 * 16 + 2, 7, 1 + tile % 5};
        /* twice as large as the viewport on all sides: what is beyond it is not drawn */
        const check_paint paint = {-CHECK_SIZE, -CHECK_SIZE, 3 * CHECK_SIZE, 3 * CHECK_SIZE,
                                   .value = {(float)tile + 1}};
        check_add_rect(canvas, &paint);
        BASE_TRY(check_draw(canvas, &state));
        for (uint32_t i = 0; i < CHECK_TEXELS; i++)
            if (rect_has(&state.viewport, i) && (state.scissor.width == 0 || rect_has(&state.scissor, i)))
                canvas->computed.floats[i] = (float)tile + 1;
    }
    BASE_TRY(check_read(canvas, GPU_COLOR0));
    check_compare(canvas, result, "tiles", 1);
    return CAROM_OK;
}

carom_status check_tiles(gpu_device *device, gpu_check_result *result)
{
    static const check_job job = {GPU_R32F, GPU_NONE, "check_floats.frag.glsl", run_tiles};
    return check_on_canvas(device, &job, result);
}

/* ---- culling, and integers from a shader ---- */

static carom_status run_cull(check_canvas *canvas, gpu_check_result *result)
{
    memset(&canvas->computed, 0, sizeof canvas->computed);
    for (uint32_t i = 0; i < 6; i++)
    {
        gpu_state state = gpu_state_default();
        state.cull = (gpu_cull)(i / 2);
        const check_paint paint = {(float)(8 * i), 8, 8, 8, .number = 0xfffffff0u + i, .backwards = i % 2};
        bool culled = state.cull == (paint.backwards ? GPU_CULL_BACK : GPU_CULL_FRONT);
        check_add_rect(canvas, &paint);
        BASE_TRY(check_draw(canvas, &state));
        for (uint32_t k = 0; k < CHECK_TEXELS && !culled; k++)
            if (check_is_in(&paint, k))
                canvas->computed.words[k] = paint.number;
    }
    BASE_TRY(check_read(canvas, GPU_COLOR0));
    check_compare(canvas, result, "culling", 1);
    return CAROM_OK;
}

carom_status check_cull(gpu_device *device, gpu_check_result *result)
{
    static const check_job job = {GPU_R32UI, GPU_NONE, "check_integers.frag.glsl", run_cull};
    return check_on_canvas(device, &job, result);
}
