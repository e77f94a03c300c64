/* Rays and the triangles that they hit at nearly or exactly the same t: planes that cross near the ray, shared corners
 * and edges, planes across an axis, edge-on planes, triangles in one plane with the ray. Sizes from 1e-6 to 1e24.
 * Deterministic in the random state. */
#ifndef TEST_NEAR_TIES_H
#define TEST_NEAR_TIES_H

#include "narrow/narrow.h"
#include "support/check.h"

typedef struct near_ties
{
    narrow_ray ray;
    double t;          /* about where */
    double size;       /* of the triangles */
    carom_vec3 target; /* the ray at t: exactly on a lattice, rounded otherwise */
    bool lattice;
} near_ties;

near_ties near_ties_begin(check_random *random);

/* Most of them hit. */
narrow_triangle near_ties_make(check_random *random, const near_ties *ties, const narrow_triangle *previous);

/* t, a neighbour of it, or about it. */
double near_ties_limit(check_random *random, double t);

#endif
