/* Any layout seen as nodes with children and leaves, for pairs of trees whose layouts differ. A node of the binary
 * layout is named by its index; one of the wide layouts by the lane that holds its box. */
#ifndef TREE_BINARY_VIEW_H
#define TREE_BINARY_VIEW_H

#include "tree/binary.h"

enum
{
    VIEW_ROOT = 0,
    VIEW_CHILDREN_MAX = 8
};

static inline bool view_is_binary(const carom_tree *tree) { return !tree->wide && !tree->rays; }
bool view_is_empty(const carom_tree *tree);
uint32_t view_node_count(const carom_tree *tree); /* approximate, for choosing the tree that stands still */

/* The triangles of a leaf, or null: then the node has children. */
const uint32_t *view_triangles_any(const carom_tree *tree, uint32_t node, uint32_t *count);
uint32_t view_children_any(const carom_tree *tree, uint32_t node, uint32_t out[VIEW_CHILDREN_MAX]);

static inline const uint32_t *view_triangles(const carom_tree *tree, uint32_t node, uint32_t *count)
{
    if (!view_is_binary(tree))
        return view_triangles_any(tree, node, count);
    tree_node n = tree->nodes[node];
    *count = n.count;
    return n.count > 0 ? tree->order + n.first : NULL;
}

static inline uint32_t view_children(const carom_tree *tree, uint32_t node, uint32_t out[VIEW_CHILDREN_MAX])
{
    if (!view_is_binary(tree))
        return view_children_any(tree, node, out);
    out[0] = tree->nodes[node].first, out[1] = out[0] + 1;
    return 2;
}

/* In the mesh's frame around tree->origin. */
void view_box(const carom_tree *tree, uint32_t node, volume_box *out);

#endif
