/* The nodes of a tree, deepest level first: those of one level can be fitted at the same time, once their children are.
 * Private to src/tree. */
#ifndef TREE_LEVELS_H
#define TREE_LEVELS_H

#include "base/base.h"

/* With a single worker there is nothing to sort: one pass over all nodes, backwards, as children come after parents. */
typedef struct tree_levels
{
    carom_context *context;
    uint32_t node_count, level_count;
    uint32_t *depth; /* per node, for the caller to fill: the root 0, children one more than their parent; or null */
    uint32_t *nodes; /* by depth, then by number; null: see above */
    uint32_t *ends;  /* per level: where its nodes end; they begin where those of the level above end */
} tree_levels;

/* False: out of memory. Free in any case. */
bool tree_levels_allocate(carom_context *context, uint32_t node_count, tree_levels *levels);
void tree_levels_free(tree_levels *levels);

/* Once the depths are filled in, if there are any. */
void tree_levels_sort(tree_levels *levels);

/* Runs the task on every node, one level after the other from the deepest up; its range is one of places, not nodes. */
void tree_levels_run(const tree_levels *levels, uint32_t min_range, carom_task_fn *task, void *data);

static inline uint32_t tree_levels_node(const tree_levels *levels, uint32_t place)
{
    return levels->nodes ? levels->nodes[place] : levels->node_count - 1 - place;
}

#endif
