/* The parts of convex_check. Private to this folder. */
#ifndef CONVEX_CHECK_H
#define CONVEX_CHECK_H

#include "convex/bounds.h"
#include "hull/hull.h"

typedef struct check_state
{
    carom_context *context;
    const carom_mesh *mesh;
    const convex_pieces *pieces;
    carom_tree *tree;   /* boxes around the triangles */
    bounds_hub *hubs;   /* per node of the tree, or null */
    double reach;       /* see bounds_reach */
    uint32_t *below;    /* per node: the piece of all triangles below, or CONVEX_NONE */
    uint32_t *piece_of; /* per triangle */
    uint32_t *mark;     /* per vertex: the last piece that was found to have it; per triangle: see check_piece.c */
    uint32_t *reached;
    uint32_t *facet_at; /* per vertex: a facet of the last solid piece that had it */
    BASE_ARRAY(bounds_plane) planes;
    uint64_t effort; /* how many small things were looked at, which tests compare */
    BASE_ARRAY(uint32_t) list;
    BASE_ARRAY(carom_vec3) points;
    hull_space *space;
    base_map edges;
} check_state;

/* The piece of a leaf, whose hull is correct. */
carom_status check_piece(check_state *state, const convex_node *leaf);

typedef struct check_view
{
    check_state *state;
    const convex_node *leaf;
    const uint32_t *triangles, *facets, *neighbours, *vertices; /* the latter three: of the hull */
    uint32_t count;
    carom_aabb box;
    bounds_frame frame;
    size_t plane[3], facet; /* those that said last that something is apart */
} check_view;

static inline const carom_vec3 *points_of(const check_view *view) { return view->state->mesh->vertices; }

/* The hull of a piece of several triangles meets no others, but in a corner or edge that they share. */
carom_status check_apart(check_view *view);

/* "pieces of NAME: ..." */
#define check_fail(state, ...) check_fail_at((state), __VA_ARGS__)
carom_status check_fail_at(const check_state *state, const char *format, ...) BASE_PRINTF(2, 3);

#endif
