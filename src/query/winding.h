/* The generalized winding number of a mesh around a point: the solid angles of its triangles as seen from there, as a
 * part of the whole sphere (Jacobson, Kavan, Sorkine-Hornung, Robust inside-outside segmentation using generalized
 * winding numbers, 2013). Inside a closed surface it is 1, outside 0; with holes it is something between. Computed in
 * double without libm functions beyond sqrt, so its bits are the same everywhere, but it is an estimate: what is far
 * away counts as a few dipoles. */
#ifndef QUERY_WINDING_H
#define QUERY_WINDING_H

#include "mesh/mesh.h"

/* What a mesh keeps for this: its triangles in groups of groups. */
typedef struct winding_field winding_field;

/* Made when first needed; belongs to the mesh. Triangles that are turned the other way than most of the surface around
 * them are turned back. */
carom_status winding_field_of(const carom_mesh *mesh, const winding_field **out);

/* Of a point in the mesh's frame; on the surface it is the mean of both sides. Adds the number of triangles and groups
 * that were looked at to *work. */
double winding_number(const winding_field *field, carom_vec3 point, uint64_t *work);

#endif
