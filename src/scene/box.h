/* box: a solid box, parallel to the axes, against triangles, balls and capsules. Pure functions over plain values. */
#ifndef SCENE_BOX_H
#define SCENE_BOX_H

#include "query/query.h"

bool box_has_point(const carom_aabb *box, carom_vec3 p);

/* Do the closed box, which is not empty, and the closed triangle share a point? Either may be degenerate. Exact
 * (docs/exactness.md, section 24). */
bool box_meets_triangle(const carom_aabb *box, const narrow_triangle *triangle, narrow_counts *counts);
bool box_meets_round(const carom_aabb *box, const narrow_round *round, narrow_counts *counts);

/* The segment between the centres of the two faces that are farthest apart, and a distance from it within which all of
 * the box is. */
double box_core(const carom_aabb *box, carom_vec3 ends[2]);

#endif
