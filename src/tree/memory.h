/* The memory of a pair of trees. Private to src/tree. */
#ifndef TREE_MEMORY_H
#define TREE_MEMORY_H

#include "tree/tree.h"

/* A pair of triangles in the caller's order of bodies. */
typedef struct tree_pair
{
    uint32_t a, b;
} tree_pair;

/* Forgets what was remembered of trees of another structure. */
void tree_memory_begin(tree_memory *memory, const carom_tree *tree_a, const carom_tree *tree_b);

/* The pair that decided the last question about these trees, if it is remembered. */
bool tree_memory_last(const tree_task *task, tree_pair *last);
void tree_memory_remember(const tree_task *task, tree_pair last);

#endif
