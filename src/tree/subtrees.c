/* Cuts a tree into subtrees of similar size, and climbs them in parallel. */
#include "tree/subtrees.h"

enum
{
    PARTS = 64,         /* roughly: enough that workers end at nearly the same time */
    MIN_PART_SIZE = 256 /* nodes */
};

/* One past the descendants of child i: where those of the next sibling begin. begins: 0 for leaves. */
static uint32_t end_of(const uint32_t *begins, uint32_t count, uint32_t i, uint32_t last)
{
    uint32_t end = last;
    for (uint32_t k = 0; k < count; k++)
        if (begins[k] > begins[i] && begins[k] < end)
            end = begins[k];
    return end;
}

void tree_subtrees_cut(const void *nodes, uint32_t node_count, tree_children_fn *children, tree_subtrees *out)
{
    uint32_t grain = node_count / PARTS > MIN_PART_SIZE ? node_count / PARTS : MIN_PART_SIZE;
    out->count = out->top_count = 0;
    if (!node_count)
        return;
    out->items[out->count++] = (tree_subtree){0, 1, node_count};
    for (uint32_t at = 0; at < out->count;)
    {
        tree_subtree part = out->items[at];
        if (part.last - part.first <= grain || out->count + TREE_MAX_CHILDREN > TREE_MAX_SUBTREES ||
            out->top_count + 1 + TREE_MAX_CHILDREN > TREE_MAX_SUBTREES * 2)
        {
            at++;
            continue;
        }
        /* Replace it by its children. */
        uint32_t count, first = children(nodes, part.root, &count), begins[TREE_MAX_CHILDREN], unused;
        for (uint32_t i = 0; i < count; i++)
            begins[i] = children(nodes, first + i, &unused);
        out->top[out->top_count++] = part.root;
        out->items[at] = out->items[--out->count];
        for (uint32_t i = 0; i < count; i++)
            if (begins[i])
                out->items[out->count++] = (tree_subtree){first + i, begins[i], end_of(begins, count, i, part.last)};
            else
                out->top[out->top_count++] = first + i;
    }
}

typedef struct climb
{
    const tree_subtrees *parts;
    tree_visit_fn *visit;
    void *data;
} climb;

static void climb_parts(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const climb *task = data;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
    {
        const tree_subtree *part = &task->parts->items[i];
        task->visit(part->first, part->last, task->data);
        task->visit(part->root, part->root + 1, task->data);
    }
}

void tree_subtrees_climb(carom_context *context, const tree_subtrees *parts, tree_visit_fn *visit, void *data)
{
    climb task = {parts, visit, data};
    base_parallel_for(context, parts->count, 1, climb_parts, &task);
    for (uint32_t i = parts->top_count; i-- > 0;)
        visit(parts->top[i], parts->top[i] + 1, data);
}
