/* Climbs: below a few hundred nodes near the root, subtree by subtree in parallel; then those nodes. */
#include "tree/climb.h"
#include "tree/build.h"

enum
{
    SUBTREES = 256,          /* enough that uneven ones balance out */
    TOP_ROOM = 4 * SUBTREES, /* in case that many of them are leaves */
    FEW = 64,                /* nodes that are not worth sharing */
    STACK = BUILD_DEPTH_LIMIT * TREE_CLIMB_CHILDREN + 1
};

typedef struct climb_split
{
    const tree_climb *climb;
    uint32_t nodes[TOP_ROOM]; /* level by level: first those above, then the roots of the subtrees */
    uint32_t above, count;
} climb_split;

static void split_tree(climb_split *split)
{
    const tree_climb *climb = split->climb;
    split->nodes[split->count++] = 0;
    while (split->above < split->count && split->count - split->above < SUBTREES &&
           split->count + TREE_CLIMB_CHILDREN <= TOP_ROOM)
        split->count += climb->children(climb->data, split->nodes[split->above++], split->nodes + split->count);
}

static void climb_subtree(const tree_climb *climb, uint32_t root)
{
    struct
    {
        uint32_t node;
        bool opened; /* its children are above it on the stack, or done */
    } stack[STACK];
    uint32_t top = 0, children[TREE_CLIMB_CHILDREN];
    stack[top].node = root, stack[top++].opened = false;
    while (top > 0)
    {
        uint32_t node = stack[top - 1].node;
        uint32_t count = stack[top - 1].opened ? 0 : climb->children(climb->data, node, children);
        if (count == 0)
        {
            climb->visit(climb->data, node);
            top--;
            continue;
        }
        stack[top - 1].opened = true;
        while (count > 0)
            stack[top].node = children[--count], stack[top++].opened = false;
    }
}

static void climb_subtrees(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    const climb_split *split = data;
    for (uint32_t i = first; i < last; i++)
        climb_subtree(split->climb, split->nodes[split->above + i]);
}

void tree_climb_run(const tree_climb *climb)
{
    if (base_worker_count(climb->context) == 1 || climb->node_count <= FEW)
    {
        for (uint32_t node = climb->node_count; node-- > 0;)
            climb->visit(climb->data, node);
        return;
    }
    climb_split split = {.climb = climb};
    split_tree(&split);
    base_parallel_for(climb->context, split.count - split.above, 1, climb_subtrees, &split);
    while (split.above > 0)
        climb->visit(climb->data, split.nodes[--split.above]);
}
