/* Polyhedra made of the cells of the planes x, y, z, x +- y, y +- z, z +- x = integer: what two of them have in common
 * is known from their cells. Each unit cube is cut into 24 tetrahedra: its centre, the centre of a face, and an edge of
 * that face. Coordinates are counted in halves. */
#ifndef TEST_LATTICE_H
#define TEST_LATTICE_H

#include "carom/carom.h"
#include "support/check.h"

typedef struct lattice lattice;

/* side: cubes in each direction, at most 4. */
lattice *lattice_create(int side);
void lattice_destroy(lattice *lattice);

/* A body: a mesh, and which cells of every dimension belong to its point set. */
typedef struct lattice_body
{
    bool solid; /* the mesh is meant to be closed and oriented */
    bool *cells[4], *interior[4];
    double (*corners)[3]; /* three per triangle */
    size_t triangle_count, capacity;
} lattice_body;

/* A random body; `other` (or null) is one that it should resemble. */
lattice_body lattice_make(const lattice *lattice, check_random *random, const lattice_body *other);
void lattice_free(lattice_body *body);

/* What two bodies have in common, as point sets. */
typedef struct lattice_facts
{
    bool common;     /* a point */
    bool interior;   /* one meets the interior of the other */
    bool outside[2]; /* a is not in b; b is not in a */
    bool filled;     /* one of them has an interior */
} lattice_facts;

lattice_facts lattice_compare(const lattice *lattice, const lattice_body *a, const lattice_body *b);

/* The relation of two bodies that are not empty, as carom/report.h defines it. */
carom_relation lattice_relation(const lattice_facts *facts);

#endif
