/* Is a mesh the surface of a convex body? */
#ifndef ENGINE_IMAGE_CONVEX_H
#define ENGINE_IMAGE_CONVEX_H

#include "mesh/mesh.h"

/* Exact, in time that is linear in the number of triangles. False also for some that are convex, such as those with
 * degenerate triangles. */
bool image_is_convex(const carom_mesh *mesh);

#endif
