/* The nearest or the farthest surface at the centre of each pixel: which triangle, and how deep.
 *
 * Sampled: what no centre hits is not seen. What is drawn is the number of a triangle, so depth and normal can be
 * computed from its corners in double. Rasterisation decides nothing: a rectangle of whole pixels is drawn per
 * triangle, and float arithmetic that the twin repeats says which centres are inside. */
#ifndef ENGINE_IMAGE_SURFACE_H
#define ENGINE_IMAGE_SURFACE_H

#include "gpu/gpu.h"
#include "math/math.h"

/* A triangle in pixels and depth from 0 to 1; an instance's attributes. */
typedef struct image_surface_record
{
    float rect[4];    /* pixels: first column and row, and those after the last */
    float edge[3][3]; /* a x + b y + c >= 0 for centres within, and a little beyond, so that no seam is open */
    float plane[3];   /* depth at a centre: g x + h y + z */
    float low, high;  /* of the corners' depths */
    float padding;
    uint32_t number; /* not 0 */
} image_surface_record;

typedef BASE_ARRAY(image_surface_record) image_surface_records;

/* False: it covers no centre, or is seen edge on. */
bool image_surface_prepare(uint32_t columns, uint32_t rows, const carom_vec3 corner[3], uint32_t number,
                           image_surface_record *out);

typedef struct image_surface_job
{
    const image_surface_records *records;
    uint32_t columns, rows;
    bool farthest;     /* instead of nearest */
    uint32_t *numbers; /* out: columns * rows; 0: nothing is there */
    float *depths;     /* out, or null; where nothing is: 1, or 0 if `farthest` */
} image_surface_job;

/* Zero-initialise. Everything belongs to the device; between gpu_begin and gpu_end. */
typedef struct image_surface
{
    gpu_device *device;
    gpu_program program;
    gpu_buffer records;
    gpu_layout layout;
    gpu_target target;
} image_surface;

carom_status image_surface_create(gpu_device *device, image_surface *out);
void image_surface_destroy(image_surface *surface);
carom_status image_surface_draw(image_surface *surface, const image_surface_job *job);

/* The same in plain C. depths must not be null. */
void image_surface_draw_twin(const image_surface_job *job);

#endif
