/* The checks of this folder, and what they share: a canvas to draw triangles on that are given in pixels. */
#ifndef GPU_CHECK_H
#define GPU_CHECK_H

#include "gpu/gpu.h"

/* ---- the checks, a file per subject ---- */

carom_status check_clear(gpu_device *device, gpu_check_result *result);
carom_status check_fetch(gpu_device *device, gpu_check_result *result);
carom_status check_elements(gpu_device *device, gpu_check_result *result);
carom_status check_coverage(gpu_device *device, gpu_check_result *result);
carom_status check_seams(gpu_device *device, gpu_check_result *result);
carom_status check_strips(gpu_device *device, gpu_check_result *result);
carom_status check_tiles(gpu_device *device, gpu_check_result *result);
carom_status check_instances(gpu_device *device, gpu_check_result *result);
carom_status check_depth(gpu_device *device, gpu_check_result *result);
carom_status check_stencil(gpu_device *device, gpu_check_result *result);
carom_status check_blend(gpu_device *device, gpu_check_result *result);
carom_status check_cull(gpu_device *device, gpu_check_result *result);
carom_status check_queries(gpu_device *device, gpu_check_result *result);

/* ---- the canvas ---- */

enum
{
    CHECK_SIZE = 64,                        /* of a canvas, in pixels: a power of two, so corners are exact */
    CHECK_TEXELS = CHECK_SIZE * CHECK_SIZE, /* of a canvas */
    CHECK_MAX_VERTICES = 1024               /* of one draw call */
};

typedef struct check_vertex
{
    float corner[4]; /* clip space */
    float value[4];
    uint32_t number;
} check_vertex;

/* Texels of any colour format, depth or stencil. */
typedef union check_plane
{
    float floats[4 * CHECK_TEXELS];
    uint32_t words[4 * CHECK_TEXELS];
    uint8_t bytes[16 * CHECK_TEXELS];
} check_plane;

/* A target of CHECK_SIZE x CHECK_SIZE, a program that draws values or numbers, triangles, and room for two images: what
 * was drawn and what was computed. */
typedef struct check_canvas
{
    gpu_device *device;
    gpu_target target;
    gpu_program program;
    gpu_buffer vertices, indices;
    gpu_layout layout;         /* the vertices one after another */
    gpu_layout indexed_layout; /* by the indices */
    uint32_t count;            /* of the vertices in `room` */
    check_vertex room[CHECK_MAX_VERTICES];
    check_plane drawn, computed;
} check_canvas;

typedef struct check_paint
{
    float x, y, width, height; /* pixels, from the lower left */
    float depth;
    float value[4];
    uint32_t number;
    bool backwards; /* seen from the back */
} check_paint;

/* What a check needs, and what it does with it. */
typedef struct check_job
{
    gpu_format color, depth;
    const char *fragment; /* the shader's name */
    carom_status (*run)(check_canvas *canvas, gpu_check_result *result);
} check_job;

/* Runs the job on a new canvas. */
carom_status check_on_canvas(gpu_device *device, const check_job *job, gpu_check_result *result);
/* The draw call for everything that was added; the caller may change it. */
gpu_draw_def check_draw_call(const check_canvas *canvas, const gpu_state *state);
/* Adds a corner at a position in pixels, with the value, number and depth of the paint. */
void check_add_corner(check_canvas *canvas, const check_paint *paint, float x, float y);
/* Adds the two triangles of the paint's rectangle. */
void check_add_rect(check_canvas *canvas, const check_paint *paint);
/* Draws what was added, and forgets it. */
carom_status check_draw(check_canvas *canvas, const gpu_state *state);
/* Everything to 0, depth to 1. */
carom_status check_wipe(check_canvas *canvas);
/* Into `drawn`. */
carom_status check_read(check_canvas *canvas, gpu_plane plane);
/* `drawn` with `computed`, to the bit: as many components of 4 bytes, or bytes if 0. */
void check_compare(const check_canvas *canvas, gpu_check_result *result, const char *name, uint32_t components);
/* `drawn` with `computed` within the result's bound. */
void check_compare_floats(const check_canvas *canvas, gpu_check_result *result, const char *name, uint32_t components);

/* Does a pixel belong to the paint's rectangle, whose corners are whole pixels? */
static inline bool check_is_in(const check_paint *paint, uint32_t pixel)
{
    float x = (float)(pixel % CHECK_SIZE) + 0.5f, y = (float)(pixel / CHECK_SIZE) + 0.5f;
    return x > paint->x && x < paint->x + paint->width && y > paint->y && y < paint->y + paint->height;
}

/* Random bits that are the same everywhere. */
uint32_t check_random_bits(uint64_t *state);

#endif
