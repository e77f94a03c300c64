/* Hulls by brute force, and what must hold for any hull. Slow and plain: no code is shared with src/hull. */
#ifndef TEST_HULLS_H
#define TEST_HULLS_H

#include "hull/hull.h"
#include "support/check.h"

/* Is a point in the closed hull of others, by all planes, lines or ends that support them? */
bool hulls_contain(const carom_vec3 *points, uint32_t count, carom_vec3 p);

/* The dimension of points, by trying all simplices. */
int hulls_dimension(const carom_vec3 *points, uint32_t count);

/* Fails unless the arrays are a closed surface (dimension 3) or a convex polygon with facets around it, canonical, and
 * with all points on or behind every facet. Takes time in proportion to facets times points, of which only every
 * `stride`-th is looked at. */
void hulls_check(const carom_vec3 *points, uint32_t count, const hull *h, uint32_t stride);

/* Fails unless the vertices are the points that are not in the hull of the others, by brute force. */
void hulls_check_vertices(const carom_vec3 *points, uint32_t count, const hull *h);

void hulls_check_same(const hull *a, const hull *b);

#endif
