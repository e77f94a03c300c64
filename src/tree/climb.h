/* Visits the nodes of a tree, each after its children, on all workers: how volumes are fitted from the leaves up.
 * Private to src/tree. */
#ifndef TREE_CLIMB_H
#define TREE_CLIMB_H

#include "base/base.h"

enum
{
    TREE_CLIMB_CHILDREN = 8 /* of a node at most */
};

/* Node 0 is the root, children come after their parents, no node is deeper than BUILD_DEPTH_LIMIT. Visits of nodes that
 * are not above each other may run at the same time. */
typedef struct tree_climb
{
    carom_context *context;
    uint32_t node_count;
    uint32_t (*children)(const void *data, uint32_t node, uint32_t out[TREE_CLIMB_CHILDREN]); /* how many it has */
    void (*visit)(const void *data, uint32_t node);
    const void *data;
} tree_climb;

void tree_climb_run(const tree_climb *climb);

#endif
