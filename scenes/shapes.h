/* The generators themselves: each adds about def->triangles, never more unless that is fewer than its fewest;
 * generate_mesh fills up to the exact count. Private to this folder. */
#ifndef SCENES_SHAPES_H
#define SCENES_SHAPES_H

#include "scenes/numeric.h"
#include "scenes/shape.h"

void shapes_box(shape *shape, const generate_def *def);
void shapes_uv_sphere(shape *shape, const generate_def *def);
void shapes_ico_sphere(shape *shape, const generate_def *def);
void shapes_torus(shape *shape, const generate_def *def);
void shapes_torus_knot(shape *shape, const generate_def *def);
void shapes_blob(shape *shape, const generate_def *def);

#endif
