/* What the pair traversals of the binary layout share: one tree stands still, the volumes of the other, smaller one
 * are brought into its frame when they are first needed. Pairs of trees whose layouts differ are walked too, as
 * oriented boxes. */
#ifndef TREE_BINARY_WALK_H
#define TREE_BINARY_WALK_H

#include "tree/binary_view.h"
#include "tree/memory.h"

typedef struct binary_walk
{
    const tree_task *task;
    const mesh_placed *still, *moved;
    bool swapped; /* still is task->b */
    bool boxes;   /* not both are binary: oriented boxes through the view */
    uint32_t still_floats, moved_floats;
    volume_frame frame;
    /* Brought into the frame already: direct mapped, tags[node & mask] == node + 1. */
    volume_moved *cached;
    uint32_t *tags;
    uint32_t mask;
    narrow_counts counts;
} binary_walk;

carom_status binary_walk_begin(binary_walk *walk, const tree_task *task);
/* Adds what was counted to the task's counters. */
void binary_walk_end(binary_walk *walk);

const volume_moved *binary_walk_move(binary_walk *walk, uint32_t node);

static inline const volume_moved *binary_walk_moved(binary_walk *walk, uint32_t node)
{
    uint32_t slot = node & walk->mask;
    return walk->tags[slot] == node + 1 ? &walk->cached[slot] : binary_walk_move(walk, node);
}

/* Certainly farther apart than the margin? */
bool binary_walk_apart(binary_walk *walk, uint32_t still_node, uint32_t moved_node, double margin);
/* Lower bound of the distance. */
double binary_walk_bound(binary_walk *walk, uint32_t still_node, uint32_t moved_node);

/* The larger volume is opened first (chapter 25.2), a leaf never. Of two leaves: neither. */
typedef enum binary_opening
{
    BINARY_OPEN_NONE,
    BINARY_OPEN_STILL,
    BINARY_OPEN_MOVED
} binary_opening;
binary_opening binary_walk_opening(const binary_walk *walk, uint32_t still_node, uint32_t moved_node);

/* Pairs of nodes that stand for a pair once one of its nodes is opened; returns their number. */
uint32_t binary_walk_open(const binary_walk *walk, tree_stack_entry pair, binary_opening opening,
                          tree_stack_entry out[VIEW_CHILDREN_MAX]);

/* The triangles in the caller's order of bodies. */
static inline tree_pair binary_walk_pair(const binary_walk *walk, uint32_t still_triangle, uint32_t moved_triangle)
{
    return walk->swapped ? (tree_pair){moved_triangle, still_triangle} : (tree_pair){still_triangle, moved_triangle};
}

/* Fills the stack with what the task's front holds, or with the roots; and the front with what is left on the stack,
 * or with nothing where the search is done. */
carom_status binary_walk_begin_stack(const binary_walk *walk);
carom_status binary_walk_leave_front(const binary_walk *walk, bool done);

static inline bool binary_walk_push(const tree_task *task, tree_stack_entry entry)
{
    if (!base_array_reserve(task->scratch->context, &task->scratch->stack, 1))
        return false;
    task->scratch->stack.items[task->scratch->stack.count++] = entry;
    return true;
}

#endif
