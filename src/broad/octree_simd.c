/* The broad phase `octree`: bounds, and the descent of a box, which meets or misses eight children at once. */
#include "base/simd.h"
#include "broad/octree.h"

static void add_own(const broad_octants *tree, const broad_octant *node, float bounds[6])
{
    const broad_rows *rows = &tree->rows;
    for (int row = 0; row < 6; row++)
        bounds[row] = row < 3 ? INFINITY : -INFINITY;
    for (uint32_t i = node->first; i < node->ends[BROAD_ROLES - 1]; i++)
        for (size_t axis = 0; axis < 3; axis++)
        {
            float low = rows->bounds.items[axis * rows->stride + i];
            float high = rows->bounds.items[(axis + 3) * rows->stride + i];
            bounds[axis] = low < bounds[axis] ? low : bounds[axis];
            bounds[axis + 3] = high > bounds[axis + 3] ? high : bounds[axis + 3];
        }
}

/* A node's bounds go to the lane of its parent; children come after their parents. */
void BASE_ISA(broad_octree_bound)(broad_octants *tree)
{
    for (size_t index = tree->nodes.count; index-- > 0;)
    {
        broad_octant *node = &tree->nodes.items[index];
        for (int lane = 0; lane < BROAD_LANES; lane++)
        {
            if (node->child[lane] == BROAD_NO_SLOT)
                continue;
            const broad_octant *child = &tree->nodes.items[node->child[lane]];
            float bounds[6];
            add_own(tree, child, bounds);
            for (int axis = 0; axis < 3; axis++)
            {
                float low = f8_min_lane(f8_load(child->bounds.low[axis]));
                float high = -f8_min_lane(f8_neg(f8_load(child->bounds.high[axis])));
                node->bounds.low[axis][lane] = low < bounds[axis] ? low : bounds[axis];
                node->bounds.high[axis][lane] = high > bounds[axis + 3] ? high : bounds[axis + 3];
            }
            for (int role = 0; role < BROAD_ROLES; role++)
                node->partners[role] |= (uint32_t)(child->partners[role] != 0) << lane;
        }
    }
}

typedef struct box8
{
    f8 low[3], high[3];
} box8;

static BASE_ALWAYS_INLINE uint32_t meet(const broad_octant_bounds *group, const box8 *box)
{
    f8 x = f8_and(f8_le(f8_load(group->low[0]), box->high[0]), f8_ge(f8_load(group->high[0]), box->low[0]));
    f8 y = f8_and(f8_le(f8_load(group->low[1]), box->high[1]), f8_ge(f8_load(group->high[1]), box->low[1]));
    f8 z = f8_and(f8_le(f8_load(group->low[2]), box->high[2]), f8_ge(f8_load(group->high[2]), box->low[2]));
    return f8_bits(f8_and(f8_and(x, y), z));
}

/* Those of a node's own boxes behind a position that have some roles. */
static void add_own_runs(broad_search *search, const broad_octant *node, uint32_t own, uint32_t partners)
{
    broad_run run = {own, 0, 0};
    for (uint32_t left = partners; left; left &= left - 1)
    {
        int role = __builtin_ctz(left);
        uint32_t first = role > 0 ? node->ends[role - 1] : node->first, last = node->ends[role];
        first = first > own ? first : own + 1;
        if (first < last)
            broad_extend_run(search, &run, first, last);
    }
    broad_add_run(search, run);
}

static void descend(const broad_octants *tree, broad_search *search, uint32_t own)
{
    const broad_octant *nodes = tree->nodes.items;
    const broad_rows *rows = &tree->rows;
    uint32_t stack[BROAD_OCTREE_DEPTH * BROAD_LANES + 1], depth = 0;
    broad_role role = broad_rows_role(rows, rows->boxes.items[own].slot);
    box8 box;
    for (size_t axis = 0; axis < 3; axis++)
    {
        box.low[axis] = f8_set1(rows->bounds.items[axis * rows->stride + own] - rows->margin);
        box.high[axis] = f8_set1(rows->bounds.items[(axis + 3) * rows->stride + own] + rows->margin);
    }
    stack[depth++] = 0;
    while (depth > 0)
    {
        const broad_octant *node = &nodes[stack[--depth]];
        if (node->last <= own + 1)
            continue;
        uint32_t counting = node->partners[role];
        if (counting >> BROAD_LANES)
            add_own_runs(search, node, own, rows->roles.partners[role]);
        for (uint32_t mask = meet(&node->bounds, &box) & counting; mask; mask &= mask - 1)
            stack[depth++] = node->child[__builtin_ctz(mask)];
    }
}

void BASE_ISA(broad_octree_descend)(const broad_octants *tree, broad_search *search, uint32_t first, uint32_t last)
{
    for (uint32_t i = first; i < last; i++)
        descend(tree, search, i);
}
