/* The images of image_stencil.h for many pairs at once, as tiles of one target. The stencil is read back and looked at
 * on the processor, so that neither the number of pairs nor what they show changes the number of draw calls: two, or
 * four where for some pair the two bodies have to change places. */
#ifndef ENGINE_IMAGE_SHEET_H
#define ENGINE_IMAGE_SHEET_H

#include "engine/image/image_pass.h"
#include "engine/image/image_stencil.h"

/* The hulls that a batch has of one of the two bodies. */
typedef struct image_sheet_body
{
    BASE_ARRAY(float) positions, planes;
    BASE_ARRAY(uint32_t) indices; /* three per triangle */
    gpu_buffer position_buffer, plane_buffer, index_buffer;
    gpu_texture plane_texture;
    gpu_layout layout;
} image_sheet_body;

/* Zero-initialise. What is on the device belongs to it, arrays to the context. */
typedef struct image_sheet
{
    gpu_device *device;
    gpu_program program;
    gpu_target targets[IMAGE_TARGET_SIZES];
    image_sheet_body bodies[2];
    image_tiles tiles;
    uint32_t count;                    /* tiles with a pair */
    BASE_ARRAY(uint8_t) first, second; /* stencil of the target's used rows, before and after bodies change places */
    image_stencil_stats stats;
} image_sheet;

/* Between gpu_begin and gpu_end, like image_sheet_run. */
carom_status image_sheet_create(gpu_device *device, image_sheet *out);
void image_sheet_destroy(image_sheet *sheet);
void image_sheet_free(carom_context *context, image_sheet *sheet); /* the arrays */

/* A new batch of up to tiles.capacity pairs. CAROM_TOO_LARGE: not even one image of this side fits. */
carom_status image_sheet_begin(image_sheet *sheet, uint32_t side, size_t pairs);
/* Is there room for another pair with these numbers of triangles, at most? */
bool image_sheet_has_room(const image_sheet *sheet, uint32_t triangles_a, uint32_t triangles_b);
/* Adds a pair; its view has the batch's side. False when out of memory. */
bool image_sheet_add(carom_context *context, image_sheet *sheet, const image_drawing drawings[2]);

/* Draws the batch. meets: a byte per pair. */
carom_status image_sheet_run(carom_context *context, image_sheet *sheet, uint8_t *meets);

/* The stencil of a pair's tile after a run, row by row from the bottom: side * side values. swapped: after the bodies
 * changed places; all 0 if they did not. */
void image_sheet_tile(const image_sheet *sheet, uint32_t pair, bool swapped, uint8_t *out);

#endif
