/* A tree over boxes. The boxes are put in Morton order of their centres' ranks (ranks, not
 * coordinates, so that one body far away does not spoil the order of the rest); above them are levels of eight boxes
 * per node, implicit in the order. A box that changes a little is replaced in place. */
#include "broad/broad.h"

enum
{
    RANK_BITS = 21 /* three of them in a 64-bit code */
};

void broad_box_tree_free(broad_box_tree *tree)
{
    base_array_free(tree->context, &tree->order);
    base_array_free(tree->context, &tree->space);
    base_array_free(tree->context, &tree->codes);
    base_array_free(tree->context, &tree->axes);
    base_array_free(tree->context, &tree->boxes);
}

/* ---- order ---- */

/* Puts two zero bits between the low 21 bits of a number. */
static uint64_t spread(uint64_t x)
{
    x &= 0x1fffff;
    x = (x | x << 32) & 0x1f00000000ffff;
    x = (x | x << 16) & 0x1f0000ff0000ff;
    x = (x | x << 8) & 0x100f00f00f00f00f;
    x = (x | x << 4) & 0x10c30c30c30c30c3;
    return (x | x << 2) & 0x1249249249249249;
}

static double twice_centre(const carom_aabb *box, uint32_t axis)
{
    return axis == 0 ? box->min.x + box->max.x : axis == 1 ? box->min.y + box->max.y : box->min.z + box->max.z;
}

typedef struct sort_task
{
    broad_box_tree *tree;
    const carom_aabb *boxes;
    int rank_shift;
} sort_task;

/* The boxes' order along each axis of a range. */
static void sort_axes(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    const sort_task *task = data;
    size_t count = task->tree->order.count;
    for (uint32_t axis = first; axis < last; axis++)
    {
        base_key_value *order = task->tree->axes.items + 2 * axis * count;
        for (size_t i = 0; i < count; i++)
        {
            uint64_t slot = task->tree->order.items[i].value;
            order[i] = (base_key_value){broad_sortable(twice_centre(&task->boxes[slot], axis)), slot};
        }
        base_sort_keys(order, order + count, count);
    }
}

static bool sort_boxes(broad_box_tree *tree, const carom_aabb *boxes, uint32_t box_count)
{
    tree->order.count = tree->space.count = tree->codes.count = tree->axes.count = 0;
    if (!base_array_reserve(tree->context, &tree->order, box_count) ||
        !base_array_reserve(tree->context, &tree->space, box_count) ||
        !base_array_reserve(tree->context, &tree->codes, box_count) ||
        !base_array_reserve(tree->context, &tree->axes, 6 * (size_t)box_count))
        return false;
    for (uint32_t i = 0; i < box_count; i++)
    {
        tree->codes.items[i] = 0;
        if (!broad_is_empty(&boxes[i]))
            tree->order.items[tree->order.count++] = (base_key_value){0, i};
    }
    size_t count = tree->order.count;
    if (count == 0)
        return true;
    sort_task task = {.tree = tree, .boxes = boxes};
    while (count >> task.rank_shift >> RANK_BITS)
        task.rank_shift++;
    base_parallel_for(tree->context, 3, 1, sort_axes, &task);
    for (uint32_t axis = 0; axis < 3; axis++)
        for (size_t rank = 0; rank < count; rank++)
            tree->codes.items[tree->axes.items[2 * axis * count + rank].value] |= spread(rank >> task.rank_shift)
                                                                                  << axis;
    for (size_t i = 0; i < count; i++)
        tree->order.items[i].key = tree->codes.items[tree->order.items[i].value];
    base_sort_keys(tree->order.items, tree->space.items, count);
    return true;
}

/* ---- levels ---- */

static carom_aabb merge_children(const broad_box_tree *tree, uint32_t level, uint32_t index)
{
    broad_level below = tree->levels[level - 1];
    uint32_t first = index * BROAD_TREE_WIDTH;
    carom_aabb merged = aabb_empty();
    for (uint32_t child = first; child < first + BROAD_TREE_WIDTH && child < below.count; child++)
    {
        const carom_aabb *box = &tree->boxes.items[below.first + child];
        merged = aabb_add_point(aabb_add_point(merged, box->min), box->max);
    }
    return merged;
}

static void merge_level(broad_box_tree *tree, uint32_t level)
{
    broad_level own = tree->levels[level];
    for (uint32_t i = 0; i < own.count; i++)
        tree->boxes.items[own.first + i] = merge_children(tree, level, i);
}

void broad_box_tree_replace(broad_box_tree *tree, uint32_t index, const carom_aabb *box)
{
    tree->boxes.items[index] = *box;
    for (uint32_t level = 1; level < tree->level_count; level++)
    {
        index /= BROAD_TREE_WIDTH;
        tree->boxes.items[tree->levels[level].first + index] = merge_children(tree, level, index);
    }
}

bool broad_box_tree_build(broad_box_tree *tree, const carom_aabb *boxes, uint32_t box_count)
{
    if (!sort_boxes(tree, boxes, box_count))
        return false;
    size_t total = 0, count = tree->order.count;
    tree->level_count = 0;
    for (;;)
    {
        tree->levels[tree->level_count++] = (broad_level){total, (uint32_t)count};
        total += count;
        if (count <= BROAD_TREE_WIDTH)
            break;
        count = (count + BROAD_TREE_WIDTH - 1) / BROAD_TREE_WIDTH;
    }
    tree->boxes.count = 0;
    if (!base_array_reserve(tree->context, &tree->boxes, total))
        return false;
    for (size_t i = 0; i < tree->order.count; i++)
        tree->boxes.items[i] = boxes[tree->order.items[i].value];
    for (uint32_t level = 1; level < tree->level_count; level++)
        merge_level(tree, level);
    tree->boxes.count = total;
    return true;
}
