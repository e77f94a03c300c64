/* The half line from a point along the world's x axis through a wide tree: which triangles may it meet? It decides
 * whether a body is inside another, so it runs after most queries that find nothing. */
#include "tree/wide_kernels.h"

/* The lanes whose boxes the half line may meet. Seen along the line a box is a hexagon: three directions across. The
 * margin is derived in docs/exactness.md. */
static BASE_ALWAYS_INLINE uint32_t test_boxes(const wide_line *line, const wide_node *node)
{
    f8 d[3], t[3], e[3], half[3], margin = f8_set1(line->margin), pad = f8_set1(line->pad);
    for (int j = 0; j < 3; j++)
        d[j] = f8_sub(f8_load(node->centre[j]), f8_set1(line->origin[j]));
    f8 ahead = f8_madd(d[0], f8_set1(line->direction[0]),
                       f8_madd(d[1], f8_set1(line->direction[1]), f8_mul(d[2], f8_set1(line->direction[2]))));
    for (int k = 0; k < 3; k++)
    {
        f8 x = f8_load(node->axis[k][0]), y = f8_load(node->axis[k][1]), z = f8_load(node->axis[k][2]);
        t[k] = f8_madd(d[0], x, f8_madd(d[1], y, f8_mul(d[2], z)));
        e[k] = f8_madd(x, f8_set1(line->direction[0]),
                       f8_madd(y, f8_set1(line->direction[1]), f8_mul(z, f8_set1(line->direction[2]))));
        half[k] = f8_add(f8_load(node->half[k]), pad);
        ahead = f8_madd(f8_abs(e[k]), half[k], ahead);
    }
    f8 missed = f8_lt(f8_add(ahead, margin), f8_zero()); /* all behind the point */
    for (int i = 0; i < 3; i++)
    {
        int j = (i + 1) % 3;
        f8 off = f8_abs(f8_msub(t[i], e[j], f8_mul(t[j], e[i])));
        f8 reach = f8_madd(half[i], f8_abs(e[j]), f8_madd(half[j], f8_abs(e[i]), margin));
        missed = f8_or(missed, f8_gt(off, reach));
    }
    return f8_bits(f8_gt(f8_load(node->half[0]), f8_zero())) & ~f8_bits(missed);
}

/* Rounding of the line's side of an edge, for coordinates of up to 1: derived in docs/exactness.md. */
static const float TRIANGLE_ROUNDING = 120.0f * 0x1p-24f;

/* The triangles of a leaf that the line may pass: not those that it certainly passes on different sides of two edges.
 */
static BASE_ALWAYS_INLINE uint32_t test_triangles(const wide_line *line, const wide_leaf *leaf)
{
    float reach = leaf->reach;
    f8 c[3][3], out[3], side[3];
    f8 direction[3] = {f8_set1(line->direction[0]), f8_set1(line->direction[1]), f8_set1(line->direction[2])};
    for (int k = 0; k < 3; k++)
    {
        float from = (float)(line->exact_origin[k] - (double)leaf->origin[k]);
        reach = fabsf(from) > reach ? fabsf(from) : reach;
        for (int i = 0; i < 3; i++)
            c[i][k] = f8_sub(f8_twice(leaf->corner[i][k]), f8_set1(from));
    }
    for (int i = 0; i < 3; i++)
    {
        cross(c[i], c[(i + 1) % 3], out);
        side[i] = dot(direction, out);
    }
    f8 error = f8_set1(TRIANGLE_ROUNDING * reach * reach + 9.0f * line->pad * reach + 0x1p-120f);
    f8 low = f8_min(side[0], f8_min(side[1], side[2])), high = f8_max(side[0], f8_max(side[1], side[2]));
    uint32_t missed = f8_bits(f8_and(f8_lt(low, f8_neg(error)), f8_gt(high, error)));
    return ~missed & ((1u << leaf->count) - 1);
}

bool BASE_ISA(wide_line_walk)(const wide_line *line)
{
    const tree_ray_task *task = line->task;
    const wide_tree *tree = task->placed->tree->wide;
    tree_scratch *scratch = task->scratch;
    uint32_t root = wide_child(tree, 0), node = root & WIDE_LEAF_FLAG ? 0 : root;
    for (scratch->stack.count = 0;; node = scratch->stack.items[--scratch->stack.count].node_a)
    {
        if (!base_array_reserve(task->context, &scratch->stack, WIDE_LANES))
            return false;
        task->counters->boxes_tested += WIDE_LANES;
        for (uint32_t met = test_boxes(line, &tree->nodes[node]); met; met &= met - 1)
        {
            uint32_t child = tree->nodes[node].child[__builtin_ctz(met)];
            const wide_leaf *leaf = child & WIDE_LEAF_FLAG ? &tree->leaves[child & ~WIDE_LEAF_FLAG] : NULL;
            if (!leaf)
                scratch->stack.items[scratch->stack.count++] = (tree_stack_entry){.node_a = child};
            else
                for (uint32_t may = test_triangles(line, leaf); may; may &= may - 1)
                    line->on_triangle(leaf->triangle[__builtin_ctz(may)], line->user);
        }
        if (scratch->stack.count == 0)
            return true;
    }
}
