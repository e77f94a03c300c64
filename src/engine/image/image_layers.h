/* All layers of closed bodies over a grid of pixels, certified.
 *
 * Bruno Heidelberger, Matthias Teschner, Markus Gross, "Real-Time Volumetric Intersections of Deforming Objects", VMV
 * 2003, and "Detection of Collisions and Self-collisions Using Image-space Techniques", WSCG 2004: layered depth images
 * have, for each pixel, the depths at which a body is entered and left. They peel layer by layer and sample at centres.
 *
 * Here a list of fragments has every triangle that may touch a pixel's closed square, with a depth interval that holds
 * all of it over that square (image_interval.h). Where no interval is, no surface is, so the whole prism over the
 * square is either inside or outside; which of the two, the winding number at one sample says. The driver tells most
 * samples; the few that are close to an edge are decided by exact predicates. */
#ifndef ENGINE_IMAGE_LAYERS_H
#define ENGINE_IMAGE_LAYERS_H

#include "engine/image/image_grid.h"
#include "engine/image/image_pass.h"
#include "query/query.h"

/* Is the sample of the pixel inside the triangle? */
typedef enum image_sample
{
    IMAGE_SAMPLE_OUTSIDE = 0,
    IMAGE_SAMPLE_INSIDE = 1,
    IMAGE_SAMPLE_UNSURE = 2,
    IMAGE_SAMPLE_COVERED = 3 /* with the whole pixel */
} image_sample;

/* A triangle over a pixel, as the driver lists it. */
typedef struct image_layer_fragment
{
    uint32_t pixel;  /* image_sample << 24 | row * columns + column */
    uint32_t record; /* its number */
    float low, high; /* depth over the whole pixel */
} image_layer_fragment;

typedef BASE_ARRAY(image_layer_fragment) image_layer_fragments;

typedef struct image_layer_origin
{
    uint32_t triangle;
    int8_t body; /* 0 or 1 */
    int8_t turn; /* 1: counterclockwise as seen, which is where a line along the axis leaves a body; -1; 0: edge on */
} image_layer_origin;

/* One or two bodies, prepared. Zero-initialise; image_layers_free. */
typedef struct image_layers
{
    carom_context *context;
    image_grid grid;
    mesh_placed bodies[2];
    image_records records;
    BASE_ARRAY(image_layer_origin) origins; /* per record */
} image_layers;

/* Prepares a triangle (pixels, depth) for interval.frag.glsl. False: it touches no pixel of the grid. */
bool image_layer_prepare(const image_grid *grid, const carom_vec3 corner[3], uint32_t number, image_record *record);
/* Adds the triangles of bodies[body] that may touch the grid. */
carom_status image_layers_add(image_layers *layers, int body);
void image_layers_free(image_layers *layers);

/* ---- fragments ---- */

/* Rows of the grid. */
typedef struct image_band
{
    uint32_t first, end;
} image_band;

/* Lists the fragments of a band, in any order, after those that are there. */
typedef struct image_layers_pass image_layers_pass;
carom_status image_layers_pass_create(carom_context *context, gpu_device *device, image_layers_pass **out);
void image_layers_pass_destroy(image_layers_pass *pass);
carom_status image_layers_draw(image_layers_pass *pass, const image_layers *layers, const image_band *band,
                               image_layer_fragments *out);
/* The same in plain C: the twin of interval.frag.glsl. */
carom_status image_layers_draw_twin(const image_layers *layers, const image_band *band, image_layer_fragments *out);

/* ---- columns ---- */

/* A triangle over a pixel, resolved. */
typedef struct image_hit
{
    double low, high;               /* depth over the whole pixel */
    double sample_low, sample_high; /* depth at its centre and its sample; where the sample is inside */
    uint32_t record;
    int8_t body;
    int8_t turn; /* of a triangle that has the sample inside; 0: of another */
    bool covers; /* the pixel */
} image_hit;

typedef struct image_column
{
    uint32_t column, row;
    const image_hit *hits; /* by body, then by `low` */
    size_t count;
} image_column;

/* Gets each pixel that has fragments, in order. */
typedef carom_status image_column_fn(const image_column *column, void *user);

/* Draws band by band, sorts and resolves. pass null: the twin draws. */
typedef struct image_layers_walk
{
    image_layers *layers;
    image_layers_pass *pass;
    image_column_fn *on_column;
    void *user;
    uint64_t fragments, unsure; /* counts; unsure: samples that exact predicates decided */
} image_layers_walk;
carom_status image_layers_each(image_layers_walk *walk);

#endif
