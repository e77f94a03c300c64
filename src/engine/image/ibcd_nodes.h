/* The nodes of a mesh's tree of hulls, as the image engines use them. */
#ifndef ENGINE_IBCD_NODES_H
#define ENGINE_IBCD_NODES_H

#include "convex/convex.h"

static inline const volume_box *image_node_box(const convex_pieces *pieces, uint32_t node)
{
    return &convex_nodes(pieces)[node].box;
}

static inline bool image_is_leaf(const convex_pieces *pieces, uint32_t node)
{
    return convex_nodes(pieces)[node].first_child == 0;
}

/* The triangles of a leaf's patch. */
static inline const uint32_t *image_patch(const convex_pieces *pieces, uint32_t node, uint32_t *count)
{
    const uint32_t *first =
        (const uint32_t *)convex_items(pieces, CONVEX_PIECE_FIRST) + convex_nodes(pieces)[node].piece;
    *count = first[1] - first[0];
    return (const uint32_t *)convex_items(pieces, CONVEX_TRIANGLES) + first[0];
}

#endif
