/* Bottom-up passes over a tree on all workers: fits, refits, sums over subtrees. A tree whose nodes are numbered depth
 * first is cut into subtrees, which are climbed at the same time, and then the few nodes above them. Private to
 * src/tree.
 */
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

/* Node 0 is the root, children come after their parent, and the descendants of a node are in a row. Every builder
 * numbers nodes like this, and baked trees that do not are refused. */
void tree_subtrees_cut(const void *nodes, uint32_t node_count, tree_children_fn *children, tree_subtrees *out);

/* Calls visit for ranges of nodes, in parallel, after the nodes below each range. Within a range, visit goes from the
 * last node to the first, so that children come before their parent. */
typedef void tree_visit_fn(uint32_t first, uint32_t last, void *data);
void tree_subtrees_climb(carom_context *context, const tree_subtrees *parts, tree_visit_fn *visit, void *data);

#endif
