/* A grid of square pixels across an axis of the world, over a box: how the methods of layers look at bodies.
 *
 * Bodies are what their placed vertices say, to the bit, and the grid is what the doubles below say, so that nothing
 * but the rounding of pixel coordinates needs a bound. Columns count along the axis after the one that is looked along,
 * rows along the one after that. */
#ifndef ENGINE_IMAGE_GRID_H
#define ENGINE_IMAGE_GRID_H

#include "engine/image/image_view.h"
#include "mesh/mesh.h"

typedef struct image_grid
{
    int axis;               /* of the world, looked along: 0, 1, 2 */
    image_view view;        /* only side and error, as image_prepare reads them */
    uint32_t columns, rows; /* that the box reaches into */
    double low[2];          /* world: where pixel 0 begins */
    double scale;           /* pixels per unit */
    double depth_centre;    /* world: of the box */
    double depth_scale;     /* a power of two: the box has depths from -1 to 1 */
    double sample_error;    /* pixels: from the exact centre of a pixel to its sample */
} image_grid;

/* Pixels for a box, `side` of them along the longer of its two sides across the axis. everything: holds the vertices of
 * all bodies. A pixel is never so small that rounding would matter, so a tiny box far from the origin gets few. */
void image_grid_fit(const carom_aabb *box, const carom_aabb *everything, int axis, uint32_t side, image_grid *out);

/* A point in pixels and depth. */
static inline carom_vec3 image_grid_see(const image_grid *grid, carom_vec3 world)
{
    return vec3((vec3_at(&world, (grid->axis + 1) % 3) - grid->low[0]) * grid->scale,
                (vec3_at(&world, (grid->axis + 2) % 3) - grid->low[1]) * grid->scale,
                (vec3_at(&world, grid->axis) - grid->depth_centre) * grid->depth_scale);
}

/* The sample of a pixel: a point of the world whose coordinate along the axis is 0. All triangles see the same one. */
carom_vec3 image_grid_sample(const image_grid *grid, uint32_t column, uint32_t row);

/* A depth in the world. */
static inline double image_grid_depth(const image_grid *grid, double depth)
{
    return grid->depth_centre + depth / grid->depth_scale;
}

/* Of a body's placed vertices. */
carom_aabb image_placed_box(const mesh_placed *placed);
carom_aabb image_common_box(const carom_aabb *a, const carom_aabb *b); /* min > max along an axis: none */

#endif
