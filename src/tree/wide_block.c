/* The memory block of a wide tree, and how the builder, refits and the reader of baked blocks write its nodes and
 * leaves. */
#include "tree/wide_build.h"

static size_t align_up(size_t n) { return (n + BASE_CACHE_LINE - 1) & ~(size_t)(BASE_CACHE_LINE - 1); }

/* One block: header, nodes, leaves, leaf runs, smallest triangles, support heights. */
wide_tree *wide_tree_allocate(carom_context *context, uint32_t node_count, uint32_t leaf_count, bool support)
{
    size_t header = align_up(sizeof(wide_tree));
    size_t nodes = node_count * sizeof(wide_node), leaves = leaf_count * sizeof(wide_leaf);
    size_t runs = (size_t)node_count * WIDE_LANES * sizeof(uint32_t);
    size_t size = header + nodes + leaves + 2 * runs + (support ? WIDE_SUPPORT_ENTRIES * sizeof(float) : 0);
    char *block = base_allocate(context, 1, size, BASE_CACHE_LINE);
    if (!block)
        return NULL;
    wide_tree *tree = (wide_tree *)(void *)block;
    memset(tree, 0, sizeof *tree);
    tree->block_size = size;
    tree->node_count = node_count, tree->leaf_count = leaf_count;
    tree->nodes = (wide_node *)(void *)(block + header);
    tree->leaves = (wide_leaf *)(void *)(block + header + nodes);
    tree->first_leaf = (uint32_t *)(void *)(block + header + nodes + leaves);
    memset(tree->first_leaf, 0, runs);
    tree->smallest_triangle = (uint32_t *)(void *)(block + header + nodes + leaves + runs);
    tree->support = support ? (float *)(void *)(block + header + nodes + leaves + 2 * runs) : NULL;
    return tree;
}

void wide_tree_destroy(carom_context *context, wide_tree *tree)
{
    if (tree)
        base_release(context, tree, 1, tree->block_size);
}

wide_tree *wide_tree_copy(carom_context *context, const wide_tree *tree)
{
    wide_tree *copy = wide_tree_allocate(context, tree->node_count, tree->leaf_count, tree->support != NULL);
    if (!copy)
        return NULL;
    /* Both blocks have the same layout; in the header only the pointers differ. */
    size_t header = align_up(sizeof *tree);
    memcpy((char *)copy + header, (const char *)tree + header, tree->block_size - header);
    copy->centre = tree->centre, copy->scale = tree->scale;
    copy->depth = tree->depth, copy->radius = tree->radius;
    return copy;
}

/* Children come after their parent, so one backward sweep suffices. */
void wide_find_smallest_triangles(wide_tree *tree)
{
    for (uint32_t slot = tree->node_count * WIDE_LANES; slot-- > 0;)
    {
        uint32_t child = wide_child(tree, slot), smallest = CAROM_NO_TRIANGLE;
        bool none = child == WIDE_NO_CHILD, leaf = child & WIDE_LEAF_FLAG;
        uint32_t count = none ? 0 : leaf ? WIDE_LEAF_TRIANGLES : WIDE_LANES;
        const uint32_t *below = none   ? NULL
                                : leaf ? tree->leaves[child & ~WIDE_LEAF_FLAG].triangle
                                       : tree->smallest_triangle + (size_t)child * WIDE_LANES;
        for (uint32_t i = 0; i < count; i++)
            smallest = below[i] < smallest ? below[i] : smallest;
        tree->smallest_triangle[slot] = smallest;
    }
}

void wide_put_box(wide_node *node, int lane, const wide_box *box)
{
    for (int k = 0; k < 3; k++)
    {
        node->centre[k][lane] = box->centre[k];
        node->half[k][lane] = box->half[k];
        for (int j = 0; j < 3; j++)
            node->axis[k][j][lane] = box->axis[k][j];
    }
}

/* A box that nothing meets: no half extent can compensate for it. */
void wide_clear_node(wide_node *node)
{
    memset(node, 0, sizeof *node);
    for (int lane = 0; lane < WIDE_LANES; lane++)
    {
        for (int k = 0; k < 3; k++)
            node->half[k][lane] = WIDE_EMPTY_HALF, node->axis[k][k][lane] = 1.0f;
        node->child[lane] = WIDE_NO_CHILD;
    }
}
