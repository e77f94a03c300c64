/* Truth about convex pieces in GMP rationals, by other means than the library's: a hull is the list of half-spaces
 * through its points, found by trying all of them, and a triangle is clipped by it. Slow and simple. */
#ifndef SUPPORT_PATCHES_H
#define SUPPORT_PATCHES_H

#include "carom/pieces.h"

enum
{
    PATCHES_VERTICES = 30 /* pieces with more of them are left out: their triples are too many */
};

typedef struct patches_count
{
    uint32_t pieces, skipped; /* looked at; too large */
    uint32_t strangers;       /* triangles outside that were compared with a hull */
    uint32_t touching;        /* of them: those that meet it in a shared corner or edge */
} patches_count;

/* Asserts that each piece is on its hull and, unless it is a single triangle, that this meets nothing else. */
patches_count patches_verify(const carom_mesh *mesh, const carom_pieces *pieces);

/* Asserts that the vertices of each node's hull are in its box. */
void patches_verify_boxes(const carom_mesh *mesh, const carom_pieces *pieces);

#endif
