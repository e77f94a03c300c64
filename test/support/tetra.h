/* The volume of the intersection of two closed meshes, by clipping signed tetrahedra: the truth for image methods. */
#ifndef TEST_TETRA_H
#define TEST_TETRA_H

#include "carom/shape.h"

typedef struct tetra_volume
{
    double volume;
    double error; /* bounds what rounding did, roughly: 1e-13 of all terms' magnitudes */
    uint64_t terms;
} tetra_volume;

/* A closed and oriented mesh is the sum of the tetrahedra from any apex to its triangles, signed by their orientation;
 * a point counts as often as the mesh winds around it. So the volume of the intersection is the sum over all pairs of
 * tetrahedra of the signed volumes that they have in common. Meshes must not overlap themselves. */
tetra_volume tetra_intersection(const carom_placed *a, const carom_placed *b);

#endif
