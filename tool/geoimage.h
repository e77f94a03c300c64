/* What carom geoimage writes and draws. */
#ifndef TOOL_GEOIMAGE_H
#define TOOL_GEOIMAGE_H

#include "tool/picture.h"
#include "tool/tool.h"

enum
{
    GEOIMAGE_PATH = 4096
};

/* All charts next to each other: their points as colours (x, y, z as red, green and blue, from the smallest to the
 * largest coordinates), or their normals. */
carom_status geoimage_write_points(carom_context *context, const carom_geoimage *image, const char *path);
carom_status geoimage_write_normals(carom_context *context, const carom_geoimage *image, const char *path);

/* Draws the surfaces of all charts, each in its own colour. */
carom_status geoimage_draw(carom_context *context, const carom_geoimage *image, const picture_def *def,
                           const char *path);

#endif
