/* scenes/grids.h: points of surfaces that are grids, as geometry images are; row by row, the same bits on every
 * machine.
 *
 *   carom_vec3 points[33 * 17];
 *   grids_sphere(33, 17, 0.5, points);
 *   carom_mesh *mesh;
 *   carom_status status = grids_mesh(context, 33, 17, points, &mesh); */
#ifndef SCENES_GRIDS_H
#define SCENES_GRIDS_H

#include "carom/geoimage.h"

/* Around the origin, rows from the south pole to the north pole, first and last column the same: outward. */
void grids_sphere(uint32_t width, uint32_t height, double radius, carom_vec3 *out);

/* A square of side 2 around the z axis that waves, up to 0.2 up and down: upward. The wave repeats after one turn. */
void grids_sheet(uint32_t width, uint32_t height, double turns, carom_vec3 *out);

/* The triangles of the grid, in the order of carom_geoimage_mesh. */
carom_status grids_mesh(carom_context *context, uint32_t width, uint32_t height, const carom_vec3 *points,
                        carom_mesh **out);

/* The same mesh with other points, as many as it has vertices: its trees are refitted, not built. */
carom_status grids_deform(const carom_mesh *mesh, const carom_vec3 *points, carom_mesh **out);

#endif
