/* The tree of hulls in the making. Private to this folder. */
#ifndef CONVEX_NODES_H
#define CONVEX_NODES_H

#include "convex/convex.h"
#include "convex/strips.h"
#include "hull/hull.h"

/* A node with what will be in the block's arrays. */
typedef struct node_part
{
    convex_node node;
    hull hull; /* of vertices of the mesh */
    strip_set strips;
} node_part;

typedef struct node_build
{
    carom_context *context;
    const carom_mesh *mesh;
    uint32_t piece_count, node_count;
    const uint32_t *piece_first, *triangles;
    hull *piece_hulls;       /* per piece, until its leaf has it */
    volume_box *piece_boxes; /* per piece */
    carom_vec3 *centres;     /* of mass, per piece */
    node_part *parts;        /* per node */
} node_build;

/* Makes all nodes of the pieces; on failure, what was made is freed by nodes_free as well. */
carom_status nodes_make(node_build *build);
void nodes_free(node_build *build);

/* The structure alone, from the centres: parent, children, piece of every node. levels: the first node of each, and
 * the number of nodes at the end. */
typedef BASE_ARRAY(uint32_t) node_levels;
carom_status nodes_arrange(node_build *build, node_levels *levels);

/* A box around at least one point; its axes are the principal ones. */
void nodes_fit_box(const volume_points *cloud, volume_box *out);

#endif
