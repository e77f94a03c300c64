/* Support heights of a tree's triangles in eight directions at once: a branch-and-bound traversal, highest bound first.
 * A lane is a direction; neighbouring directions take nearly the same path. */
#include "tree/wide_kernels.h"

enum
{
    STACK = 256 /* 7 waiting children per level; deeper trees fall back to the box's own bound */
};

typedef struct directions
{
    f8 x, y, z;
} directions;

static BASE_ALWAYS_INLINE f8 along(const directions *u, float x, float y, float z)
{
    return f8_madd(u->x, f8_set1(x), f8_madd(u->y, f8_set1(y), f8_mul(u->z, f8_set1(z))));
}

/* Upper bounds of a child's heights. */
static BASE_ALWAYS_INLINE f8 child_heights(const wide_node *node, int lane, const directions *u)
{
    f8 height = along(u, node->centre[0][lane], node->centre[1][lane], node->centre[2][lane]);
    for (int k = 0; k < 3; k++)
    {
        f8 cosine = along(u, node->axis[k][0][lane], node->axis[k][1][lane], node->axis[k][2][lane]);
        height = f8_madd(f8_abs(cosine), f8_set1(node->half[k][lane]), height);
    }
    return height;
}

static f8 leaf_heights(const wide_leaf *leaf, const directions *u)
{
    f8 highest = f8_set1(-3e38f);
    for (uint32_t i = 0; i < leaf->count; i++)
        for (int c = 0; c < 3; c++)
            highest = f8_max(along(u, leaf->corner[c][0][i], leaf->corner[c][1][i], leaf->corner[c][2][i]), highest);
    return f8_add(highest, along(u, leaf->origin[0], leaf->origin[1], leaf->origin[2]));
}

/* Boxes are a little larger than what they hold. Without this much tolerance many equal leaves would all be visited;
 * the result stays an upper bound because it is added at the end. */
static const float HEIGHT_TOLERANCE = 0x1p-16f;

static BASE_ALWAYS_INLINE bool some_higher(f8 bound, f8 best)
{
    return f8_bits(f8_gt(bound, f8_add(best, f8_set1(HEIGHT_TOLERANCE)))) != 0;
}

void BASE_ISA(wide_heights)(const wide_tree *tree, float u[3][WIDE_LANES], uint32_t *highest, float out[WIDE_LANES])
{
    struct
    {
        f8 bound;
        uint32_t child;
        float key; /* one lane stands for all in the order */
    } stack[STACK];
    int top = 0;
    const directions all = {f8_loadu(u[0]), f8_loadu(u[1]), f8_loadu(u[2])};
    f8 best = leaf_heights(&tree->leaves[*highest], &all); /* a good guess cuts the walk short */
    stack[top].child = wide_child(tree, 0), stack[top].key = 3e38f, stack[top++].bound = f8_set1(3e38f);
    while (top > 0)
    {
        uint32_t child = stack[--top].child;
        f8 bound = stack[top].bound;
        if (!some_higher(bound, best))
            continue;
        if (child & WIDE_LEAF_FLAG)
        {
            f8 heights = leaf_heights(&tree->leaves[child & ~WIDE_LEAF_FLAG], &all);
            if (f8_bits(f8_gt(heights, best)))
                best = f8_max(heights, best), *highest = child & ~WIDE_LEAF_FLAG;
            continue;
        }
        if (top + WIDE_LANES > STACK)
        {
            best = f8_max(bound, best); /* as high as anything below can be */
            continue;
        }
        const wide_node *node = &tree->nodes[child];
        int first = top;
        for (int lane = 0; lane < WIDE_LANES; lane++)
        {
            f8 heights = child_heights(node, lane, &all);
            if (node->child[lane] == WIDE_NO_CHILD || !some_higher(heights, best))
                continue;
            float each[WIDE_LANES];
            f8_storeu(each, heights);
            int at = top++;
            for (; at > first && stack[at - 1].key > each[WIDE_LANES / 2]; at--)
                stack[at] = stack[at - 1];
            stack[at].child = node->child[lane], stack[at].key = each[WIDE_LANES / 2], stack[at].bound = heights;
        }
    }
    f8_storeu(out, f8_add(best, f8_set1(HEIGHT_TOLERANCE)));
}
