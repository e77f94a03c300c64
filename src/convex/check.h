/* The parts of convex_check. Private to this folder. */
#ifndef CONVEX_CHECK_H
#define CONVEX_CHECK_H

#include "convex/convex.h"
#include "hull/hull.h"
#include "tree/tree.h"

typedef struct check_state
{
    carom_context *context;
    const carom_mesh *mesh;
    const convex_pieces *pieces;
    carom_tree *tree;   /* boxes around the triangles */
    uint32_t *piece_of; /* per triangle */
    uint32_t *mark;     /* per vertex: the last piece that was found to have it; per triangle: see check_piece.c */
    uint32_t *reached;
    BASE_ARRAY(uint32_t) list;
    BASE_ARRAY(carom_vec3) points;
    hull_space *space;
    base_map edges;
} check_state;

/* The piece of a leaf, whose hull is correct. */
carom_status check_piece(check_state *state, const convex_node *leaf);

/* "pieces of NAME: ..." */
#define check_fail(state, ...) check_fail_at((state), __VA_ARGS__)
carom_status check_fail_at(const check_state *state, const char *format, ...) BASE_PRINTF(2, 3);

#endif
