/* How far a tree's triangles reach in a direction: a branch-and-bound walk, nearest bound first. */
#include "tree/wide_kernels.h"

enum
{
    STACK = 256 /* 7 waiting children a level; deeper trees fall back to the box's own bound */
};

/* Upper bounds of the lanes' heights along u. */
static BASE_ALWAYS_INLINE f8 node_heights(const wide_node *node, const float u[3])
{
    f8 x = f8_set1(u[0]), y = f8_set1(u[1]), z = f8_set1(u[2]);
    f8 height =
        f8_madd(x, f8_load(node->centre[0]), f8_madd(y, f8_load(node->centre[1]), f8_mul(z, f8_load(node->centre[2]))));
    for (int k = 0; k < 3; k++)
    {
        f8 along = f8_madd(x, f8_load(node->axis[k][0]),
                           f8_madd(y, f8_load(node->axis[k][1]), f8_mul(z, f8_load(node->axis[k][2]))));
        height = f8_madd(f8_abs(along), f8_load(node->half[k]), height);
    }
    return height;
}

static inline float leaf_height(const wide_leaf *leaf, const float u[3])
{
    f8 most = f8_set1(-3e38f), x = f8_set1(u[0]), y = f8_set1(u[1]), z = f8_set1(u[2]);
    for (int c = 0; c < 3; c++)
        most = f8_max(f8_madd(x, f8_twice(leaf->corner[c][0]),
                              f8_madd(y, f8_twice(leaf->corner[c][1]), f8_mul(z, f8_twice(leaf->corner[c][2])))),
                      most);
    float lane[8], height;
    f8_storeu(lane, most);
    height = lane[0];
    for (int i = 1; i < 4; i++)
        height = lane[i] > height ? lane[i] : height;
    return height + u[0] * leaf->origin[0] + u[1] * leaf->origin[1] + u[2] * leaf->origin[2];
}

/* Boxes are a little larger than what they hold. Without this much tolerance many equal leaves would all be visited;
 * the result stays an upper bound because it is added at the end. */
static const float HEIGHT_TOLERANCE = 0x1p-16f;

float BASE_ISA(wide_height)(const wide_tree *tree, const float u[3], uint32_t *highest)
{
    struct
    {
        uint32_t child;
        float bound;
    } stack[STACK];
    int top = 0;
    float best = leaf_height(&tree->leaves[*highest], u); /* a good guess cuts the walk short */
    stack[top].child = wide_child(tree, 0), stack[top++].bound = 3e38f;
    while (top > 0)
    {
        uint32_t child = stack[--top].child;
        float bound = stack[top].bound;
        if (!(bound > best + HEIGHT_TOLERANCE))
            continue;
        if (child & WIDE_LEAF_FLAG)
        {
            float height = leaf_height(&tree->leaves[child & ~WIDE_LEAF_FLAG], u);
            if (height > best)
                best = height, *highest = child & ~WIDE_LEAF_FLAG;
            continue;
        }
        if (top + WIDE_LANES > STACK)
        {
            best = bound; /* as high as anything below can be */
            continue;
        }
        const wide_node *node = &tree->nodes[child];
        float heights[8];
        f8_storeu(heights, node_heights(node, u));
        int first = top;
        for (int lane = 0; lane < WIDE_LANES; lane++)
        {
            if (node->child[lane] == WIDE_NO_CHILD || !(heights[lane] > best + HEIGHT_TOLERANCE))
                continue;
            int at = top++;
            for (; at > first && stack[at - 1].bound > heights[lane]; at--)
                stack[at] = stack[at - 1];
            stack[at].child = node->child[lane], stack[at].bound = heights[lane];
        }
    }
    return best + HEIGHT_TOLERANCE;
}
