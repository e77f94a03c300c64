/* Builders: from a mesh to the structure of the canonical binary tree. Volumes are fitted to it afterwards. */
#ifndef TREE_BUILD_H
#define TREE_BUILD_H

#include "tree/tree.h"

/* Both arrays are allocated from the context with exactly these counts; tree_structure_free gives them back. A mesh
 * without triangles has no nodes. Node 0 is the root; children come after their parent. */
typedef struct tree_structure
{
    tree_node *nodes;
    uint32_t node_count;
    uint32_t *order; /* triangle ids, leaf by leaf */
    uint32_t reference_count;
} tree_structure;

/* def is complete: leaf_size is at least 1. */
carom_status tree_build_structure(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def,
                                  tree_structure *out);
void tree_structure_free(carom_context *context, tree_structure *structure);

#endif
