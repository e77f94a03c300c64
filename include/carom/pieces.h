/* carom/pieces.h: a mesh as convex pieces of its surface, and a tree of their hulls.
 *
 *   carom_pieces *pieces;
 *   carom_status status = carom_pieces_create(context, mesh, &pieces);
 *
 * The surface is cut into patches, each of which lies on the surface of its own convex hull, and that hull meets the
 * rest of the mesh only along the patch's border. Any mesh will do: open, not manifold, self-intersecting, degenerate;
 * where a larger patch would break a rule, patches stay smaller, down to single triangles. Hulls of neighbouring
 * patches are joined in a binary tree. Every decision is exact, and the result does not depend on the number of
 * workers. */
#ifndef CAROM_PIECES_H
#define CAROM_PIECES_H

#include "carom/mesh.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* Immutable; may be used by several threads at once. Holds a reference to the mesh. */
    typedef struct carom_pieces carom_pieces;

    CAROM_API carom_status carom_pieces_create(carom_context *context, const carom_mesh *mesh, carom_pieces **out);
    /* The same with a cache: a folder, which may be that of carom_tree_create_cached, with a file per mesh. If the file
     * is missing, damaged or of another version, the pieces are made and then stored; a folder that can't be written
     * causes a warning in the log. Any bytes are safe to load, but of hulls and patches only the form is checked: who
     * can forge files in the folder, checksum included, can make the pieces wrong, which carom_pieces_check finds. */
    CAROM_API carom_status carom_pieces_create_cached(carom_context *context, const carom_mesh *mesh,
                                                      const char *folder, carom_pieces **out);
    CAROM_API void carom_pieces_destroy(carom_pieces *pieces); /* before its context; null is fine */

    /* Verifies everything again, independently of how it was made and exactly: CAROM_OK, or CAROM_BAD_DATA with a
     * message that names the piece and what is wrong. */
    CAROM_API carom_status carom_pieces_check(const carom_pieces *pieces);

    typedef struct carom_pieces_info
    {
        uint32_t triangle_count;
        uint32_t piece_count;       /* 0 for a mesh without triangles */
        uint32_t single_count;      /* pieces of one triangle */
        uint32_t largest;           /* triangles in the largest piece */
        uint32_t node_count;        /* of the tree: 2 piece_count - 1 */
        uint32_t depth;             /* levels of the tree */
        uint64_t hull_vertex_count; /* of all nodes together, and so on */
        uint64_t hull_facet_count;
        uint64_t strip_count;
        uint64_t strip_index_count; /* to draw all hulls: vertices, and restarts between the strips of one hull */
        uint64_t strip_bytes;       /* as encoded */
        uint64_t mesh_strip_count;  /* the same for the triangles of the mesh itself */
        uint64_t mesh_index_count;
        size_t bytes; /* memory used */
        double ms;    /* time to make it, or to load it */
    } carom_pieces_info;

    CAROM_API carom_pieces_info carom_pieces_get_info(const carom_pieces *pieces);

    /* The triangles of a piece, ascending: borrowed, valid as long as the pieces. Null, and 0, for a number that is too
     * large. Every triangle of the mesh is in exactly one piece. */
    CAROM_API const uint32_t *carom_pieces_triangles(const carom_pieces *pieces, uint32_t piece, uint32_t *count);

#define CAROM_NO_NODE UINT32_MAX

    /* A node of the tree and its convex hull. Node 0 is the root; children come after their parents. */
    typedef struct carom_pieces_node
    {
        uint32_t parent;          /* CAROM_NO_NODE: the root */
        uint32_t child[2];        /* CAROM_NO_NODE: a leaf */
        uint32_t piece;           /* of a leaf; otherwise UINT32_MAX */
        int dimension;            /* of the hull: 3, or 2 (a polygon), 1 (a segment), 0 (a point) */
        uint32_t vertex_count;    /* extreme points only */
        uint32_t facet_count;     /* triangles; of a polygon one side; below that none */
        uint32_t index_count;     /* of the strips */
        const uint32_t *vertices; /* of the mesh, ascending */
        const uint32_t *facets;   /* three vertices of the mesh each, counterclockwise seen from outside */
        carom_vec3 centre;        /* of an oriented box around the hull, which is in it exactly: */
        carom_vec3 axis[3];       /*   { centre + sum of x_i axis_i with |x_i| <= half_i } */
        double half[3];
    } carom_pieces_node;

    /* CAROM_OUT_OF_RANGE if there is no such node. The arrays are borrowed, valid as long as the pieces. */
    CAROM_API carom_status carom_pieces_get_node(const carom_pieces *pieces, uint32_t node, carom_pieces_node *out);

    /* The facets of a node as triangle strips: index_count vertices of the mesh, with UINT32_MAX, which restarts a
     * strip, in between. The triangles, without degenerate ones, are the facets with their orientation. */
    CAROM_API carom_status carom_pieces_strips(const carom_pieces *pieces, uint32_t node, uint32_t *out);

#ifdef __cplusplus
}
#endif

#endif
