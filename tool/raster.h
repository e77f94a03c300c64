/* The rasteriser's result for each sample, and the camera. Private to pictures. */
#ifndef TOOL_RASTER_H
#define TOOL_RASTER_H

#include "tool/picture.h"

enum
{
    RASTER_CONTACT = 1,      /* the visible surface is in contact */
    RASTER_CLASH = 2,        /* the visible surface clashes */
    RASTER_CLASH_HIDDEN = 4, /* a clashing triangle lies behind the visible surface */
    RASTER_NOTHING = 0xffff
};

typedef struct raster_sample
{
    float depth;           /* 1 / distance along the view; 0: background */
    signed char normal[3]; /* eye frame, 127 is 1 */
    unsigned char flags;
    uint16_t part;
} raster_sample;

typedef struct raster_camera
{
    carom_vec3 right, up, back; /* world frame, unit length */
    carom_vec3 eye;
    double scale; /* samples per unit of slope */
    double centre_x, centre_y;
} raster_camera;

typedef struct raster_image
{
    int width, height;
    raster_sample *samples;
} raster_image;

/* A point's position in the picture; false behind the eye. */
typedef struct raster_point
{
    double x, y, depth; /* in samples; 1 / distance along the view */
} raster_point;

bool raster_project(const raster_camera *camera, carom_vec3 point, raster_point *out);
/* Where in the world a sample is. */
carom_vec3 raster_unproject(const raster_camera *camera, double x, double y, double depth);

raster_camera raster_aim(const picture_def *def, const picture_part *parts, uint32_t count, const raster_image *image);

/* Normals of each triangle's corners, smooth over flat edges and sharp over creases; null when out of memory. */
float *raster_corner_normals(const carom_mesh *mesh);

/* False when out of memory. */
bool raster_draw(raster_image *image, const raster_camera *camera, const picture_part *part, uint16_t index);

/* Marks clashing triangles that are hidden: call when everything is drawn. */
void raster_draw_hidden(raster_image *image, const raster_camera *camera, const picture_part *part);

#endif
