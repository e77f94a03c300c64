/* Pictures by our own software rasteriser: z-buffer, supersampling, drawn edges, marked triangles in red, and red
 * shining through where they are hidden. */
#ifndef TOOL_PICTURE_H
#define TOOL_PICTURE_H

#include "carom/carom.h"

typedef enum picture_mark
{
    PICTURE_PLAIN = 0,
    PICTURE_CONTACT = 1, /* amber: touches, or lies flat on another */
    PICTURE_CLASH = 2    /* red, also through what hides it */
} picture_mark;

typedef struct picture_part
{
    const carom_mesh *mesh;
    carom_pose pose;
    const unsigned char *marked; /* a picture_mark per triangle; null: none */
    uint32_t tint;               /* 0xRRGGBB */
} picture_part;

/* Marks the elements of two bodies by their relation and pairs, in one array per body; the worse mark stays. Bodies
 * that touch have contacts only. A body inside another clashes as a whole. */
void picture_mark_report(const carom_placed *a, const carom_placed *b, const carom_report *report,
                         unsigned char *marks[2]);

typedef struct picture_def
{
    uint32_t width, height;
    carom_vec3 from; /* direction from the models to the eye; z is up */
    /* What must fit into the picture, in the world, so that the camera rests while the parts move; null: the parts. */
    const carom_mesh *extent;
} picture_def;

picture_def picture_def_default(void);

/* Muted colours that are easy to distinguish. */
uint32_t picture_tint(uint32_t index);

typedef struct picture_pixels
{
    uint32_t width, height;
    unsigned char *rgb; /* rows from the top */
} picture_pixels;

/* Draws the parts; free the pixels' rgb. */
carom_status picture_draw(const picture_def *def, const picture_part *parts, uint32_t count, picture_pixels *out);

/* Draws the parts and writes a PNG whole or not at all. */
carom_status picture_write(carom_context *context, const picture_def *def, const picture_part *parts, uint32_t count,
                           const char *path);

/* ---- files ---- */

/* Does the name end in .png? A typo must not overwrite a model. */
bool picture_is_png(const char *path);

/* Writes a PNG whole or not at all. */
carom_status picture_write_png(carom_context *context, const picture_pixels *pixels, const char *path);

#endif
