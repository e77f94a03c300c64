/* convex: a mesh as convex pieces of its surface, the tree of their hulls, and triangle strips to draw these (the
 * thesis, 2.3). One block per mesh, without pointers: it can be copied, stored and shared by threads. */
#ifndef CONVEX_CONVEX_H
#define CONVEX_CONVEX_H

#include "carom/pieces.h"
#include "mesh/mesh.h"
#include "volume/volume.h"

#define CONVEX_NONE UINT32_MAX

/* Triangles in a row. start: 3 * facet + i; the strip begins with corners i, i + 1, i + 2 of that facet and leaves it
 * between the last two. Each triangle in between has a bit: 0, the strip goes on across the edge of its last two
 * vertices; 1, across that of its last and its last but two. */
typedef struct convex_strip
{
    uint32_t start, count;
} convex_strip;

/* A node of the tree; node 0 is the root. Nodes come after their parents, in levels. */
typedef struct convex_node
{
    uint32_t parent;      /* CONVEX_NONE: the root */
    uint32_t first_child; /* and the one after it; 0: a leaf */
    uint32_t piece;       /* of a leaf; otherwise CONVEX_NONE */
    int32_t dimension;    /* of the hull: 0 to 3 */
    uint32_t vertex_count, facet_count, strip_count;
    uint32_t index_count; /* of the strips, with restarts in between */
    uint64_t vertex_first, facet_first, strip_first, bit_first;
    volume_box box; /* around the hull, which is in it exactly; axes by covariance (2-5, 2-6) */
} convex_node;

typedef enum convex_array
{
    CONVEX_PIECE_FIRST, /* uint32_t, one more than there are pieces: the first of each in CONVEX_TRIANGLES */
    CONVEX_TRIANGLES,   /* uint32_t: triangles of the mesh, piece after piece, ascending within a piece */
    CONVEX_NODES,       /* convex_node */
    CONVEX_VERTICES,    /* uint32_t: of a node's hull, vertices of the mesh, ascending */
    CONVEX_FACETS,      /* uint32_t, 3 per facet: vertices of the mesh, counterclockwise seen from outside */
    CONVEX_NEIGHBOURS,  /* uint32_t, 3 per facet: facets of the node across its edges, as in hull.h */
    CONVEX_STRIPS,      /* convex_strip, those of the whole mesh last */
    CONVEX_BITS,        /* uint8_t */
    CONVEX_ARRAYS
} convex_array;

typedef struct convex_pieces
{
    uint64_t size; /* of the block, this header included */
    uint32_t triangle_count, piece_count, node_count;
    uint32_t mesh_strip_count, mesh_index_count;
    uint32_t unused;
    uint64_t mesh_strip_first, mesh_bit_first;
    uint64_t offset[CONVEX_ARRAYS], count[CONVEX_ARRAYS]; /* bytes from the start of the block; items */
} convex_pieces;

/* `out` is freed with convex_pieces_destroy. Progress is reported as "pieces". */
carom_status convex_pieces_create(carom_context *context, const carom_mesh *mesh, convex_pieces **out);
void convex_pieces_destroy(carom_context *context, convex_pieces *pieces);

/* The same with a cache, see carom_pieces_create_cached. */
carom_status convex_pieces_create_cached(carom_context *context, const carom_mesh *mesh, const char *folder,
                                         convex_pieces **out);

static inline const void *convex_items(const convex_pieces *pieces, convex_array array)
{
    return (const char *)pieces + pieces->offset[array];
}
static inline const convex_node *convex_nodes(const convex_pieces *pieces)
{
    return (const convex_node *)convex_items(pieces, CONVEX_NODES);
}
static inline const uint32_t *convex_vertices(const convex_pieces *pieces, const convex_node *node)
{
    return (const uint32_t *)convex_items(pieces, CONVEX_VERTICES) + node->vertex_first;
}
static inline const uint32_t *convex_facets(const convex_pieces *pieces, const convex_node *node)
{
    return (const uint32_t *)convex_items(pieces, CONVEX_FACETS) + 3 * node->facet_first;
}
static inline const uint32_t *convex_neighbours(const convex_pieces *pieces, const convex_node *node)
{
    return (const uint32_t *)convex_items(pieces, CONVEX_NEIGHBOURS) + 3 * node->facet_first;
}

/* The strips of a node, or of the whole mesh, as a list of node->index_count vertices of the mesh, or
 * mesh_index_count, with CONVEX_NONE between strips. */
void convex_decode_strips(const convex_pieces *pieces, const convex_node *node, uint32_t *out);
void convex_decode_mesh_strips(const convex_pieces *pieces, const carom_mesh *mesh, uint32_t *out);

/* Are all vertices of the node's hull in its box? */
bool convex_box_has(const carom_mesh *mesh, const convex_pieces *pieces, const convex_node *node);

/* Verifies everything again, from the mesh and exactly: every triangle is in one piece; pieces are connected across
 * edges that two triangles share and lie on the surface of their hulls, which are convex; hulls meet no triangle
 * outside their piece but in a shared corner or edge, unless the piece is a single triangle; hulls of nodes have those
 * of their children; boxes have the hulls; strips are the facets. CAROM_BAD_DATA names what is wrong. */
carom_status convex_check(carom_context *context, const carom_mesh *mesh, const convex_pieces *pieces);
/* The same; effort: how many small things it has looked at. */
carom_status convex_check_counted(carom_context *context, const carom_mesh *mesh, const convex_pieces *pieces,
                                  uint64_t *effort);

#endif
