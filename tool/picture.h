/* Pictures by our own software rasteriser: z-buffer, supersampling, drawn edges, marked triangles in red, and red
 * shining through where they are hidden. */
#ifndef TOOL_PICTURE_H
#define TOOL_PICTURE_H

#include "carom/carom.h"

typedef struct picture_part
{
    const carom_mesh *mesh;
    carom_pose pose;
    const unsigned char *marked; /* one per triangle, non-zero: red; null: none */
    uint32_t tint;               /* 0xRRGGBB */
} picture_part;

typedef struct picture_def
{
    uint32_t width, height;
    carom_vec3 from; /* direction from the models to the eye; z is up */
} picture_def;

picture_def picture_def_default(void);

/* Muted colours that are easy to tell apart, one after the other. */
uint32_t picture_tint(uint32_t index);

/* Draws the parts and writes a PNG whole or not at all. */
carom_status picture_write(carom_context *context, const picture_def *def, const picture_part *parts, uint32_t count,
                           const char *path);

#endif
