/* A tree that is numbered depth first, cut into subtrees: what goes from the leaves to the root does so in all of them
 * at the same time, then in the few nodes above them. */
#ifndef TREE_SUBTREES_H
#define TREE_SUBTREES_H

#include "base/base.h"

enum
{
    TREE_MAX_SUBTREES = 256,
    TREE_MAX_CHILDREN = 8
};

/* A root and its descendants, nodes [first, last). */
typedef struct tree_subtree
{
    uint32_t root, first, last;
} tree_subtree;

typedef struct tree_subtrees
{
    tree_subtree items[TREE_MAX_SUBTREES];
    uint32_t count;
    uint32_t top[TREE_MAX_SUBTREES * 2]; /* nodes that are in no part, parents first */
    uint32_t top_count;
} tree_subtrees;

/* The first of a node's children, which are neighbours, and their number; 0: a leaf. */
typedef uint32_t tree_children_fn(const void *nodes, uint32_t node, uint32_t *count);

/* Children come after their parent, and the descendants of a node are in a row: so builders number them. */
void tree_subtrees_cut(const void *nodes, uint32_t node_count, tree_children_fn *children, tree_subtrees *out);

/* Calls visit for ranges of nodes, in parallel, such that those below a node are done before it; within a range that is
 * up to visit, which goes from its last to its first. */
typedef void tree_visit_fn(uint32_t first, uint32_t last, void *data);
void tree_subtrees_climb(carom_context *context, const tree_subtrees *parts, tree_visit_fn *visit, void *data);

#endif
