/* What the functions of carom/image.h share. */
#ifndef ENGINE_IMAGE_IMAGE_H
#define ENGINE_IMAGE_IMAGE_H

#include "carom/image.h"
#include "engine/image/image_layers.h"
#include "engine/image/image_surface.h"

struct carom_image
{
    carom_context *context;
    gpu_device *device; /* null: on the processor */
    image_layers_pass *layers;
    image_surface surface;
};

/* Around everything that draws. */
carom_status image_begin(carom_image *image);
carom_status image_end(carom_image *image, carom_status status);

/* Refuses what has no layers: shapes that are no meshes and, if solid, meshes that are not closed and oriented. */
carom_status image_check_body(carom_image *image, const carom_placed *placed, const char *whose, bool solid);
/* 0: the default. CAROM_TOO_LARGE beyond what there is. */
carom_status image_check_resolution(carom_image *image, uint32_t wanted, uint32_t standard, uint32_t *out);
carom_status image_check_axis(carom_image *image, carom_image_axis axis);
uint32_t image_max_resolution(const carom_image *image);

/* 0, 1 or 2: as asked for, or that with the least surface edge on, of triangles that reach into the box. */
int image_choose_axis(const mesh_placed *bodies, int count, const carom_aabb *box, carom_image_axis wanted);

/* Layers, visibility and surfaces, drawn and computed: rows of `carom gpu --selftest`. Null past the end. */
const gpu_check *image_layers_check_at(uint32_t index);

#endif
