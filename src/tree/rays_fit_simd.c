/* Fits the ray layout, children before parents. Rows of four floats are transposed into the layout's columns. */
#include "base/simd.h"
#include "tree/rays_fit.h"

/* A triangle that no ray in the frame meets, for empty lanes. */
static const float FAR_CORNER[4] = {64.0f, 64.0f, 64.0f, 0.0f};
static const float FAR_EDGES[8] = {1.0f, 0.0f, 0.0f, 0.0f, 0.0f, 1.0f, 0.0f, 0.0f};

static BASE_ALWAYS_INLINE f8 as_box(f8 twice) { return f8_xor(twice, f8_two(-0.0f, 0.0f)); }

/* Fills a leaf's triangles and returns its box. */
static BASE_ALWAYS_INLINE f8 fit_block(const ray_fit *fit, ray_block *block)
{
    f8 corner[RAY_LEAF], edges[RAY_LEAF], box = f8_set1(-INFINITY);
    for (int lane = 0; lane < RAY_LEAF; lane++)
    {
        uint32_t triangle = block->triangle[lane];
        if (triangle == CAROM_NO_TRIANGLE)
        {
            corner[lane] = f8_twice(FAR_CORNER);
            edges[lane] = f8_loadu(FAR_EDGES);
            continue;
        }
        const uint32_t *index = fit->mesh->indices + 3 * (size_t)triangle;
        const float *b = fit->vertices[index[1]], *c = fit->vertices[index[2]];
        corner[lane] = f8_twice(fit->vertices[index[0]]);
        edges[lane] = f8_sub(f8_join(b, c), corner[lane]);
        box = f8_max(f8_max(box, as_box(corner[lane])), f8_max(as_box(f8_twice(b)), as_box(f8_twice(c))));
    }
    f8_transpose(corner);
    f8_transpose(edges);
    for (int axis = 0; axis < 3; axis++)
    {
        f8_store_low(block->corner[axis], corner[axis]);
        f8_store(block->edges[axis], edges[axis]);
    }
    return box;
}

static bool block_changed(const ray_fit *fit, const ray_block *block)
{
    for (int lane = 0; lane < RAY_LEAF && block->triangle[lane] != CAROM_NO_TRIANGLE; lane++)
    {
        const uint32_t *index = fit->mesh->indices + 3 * (size_t)block->triangle[lane];
        if (fit->vertex_changed[index[0]] | fit->vertex_changed[index[1]] | fit->vertex_changed[index[2]])
            return true;
    }
    return false;
}

static f8 lane_box(const ray_node *node, int lane)
{
    _Alignas(32) float v[8] = {-node->planes[0][lane], -node->planes[2][lane], -node->planes[4][lane], 0.0f,
                               node->planes[1][lane],  node->planes[3][lane],  node->planes[5][lane],  0.0f};
    return f8_load(v);
}

static BASE_ALWAYS_INLINE void set_planes(ray_node *node, f8 boxes[RAY_WIDTH])
{
    for (int first = 0; first < RAY_WIDTH; first += 4)
    {
        f8_transpose(boxes + first);
        for (int axis = 0; axis < 3; axis++)
        {
            f8_store_low(node->planes[2 * axis] + first, f8_neg(boxes[first + axis]));
            f8_store_high(node->planes[2 * axis + 1] + first, boxes[first + axis]);
        }
    }
}

/* True if the box of the lane is another one now. */
static BASE_ALWAYS_INLINE bool fit_lane(const ray_fit *fit, const ray_node *node, int lane, f8 *box)
{
    uint32_t child = ray_child_index(node->child[lane]);
    ray_block *block = &ray_tree_blocks(fit->tree)[child & ~RAY_LEAF_FLAG];
    bool leaf = child & RAY_LEAF_FLAG;
    if (fit->vertex_changed && !(leaf ? block_changed(fit, block) : fit->node_changed[child]))
    {
        *box = lane_box(node, lane);
        return false;
    }
    *box = leaf ? fit_block(fit, block) : f8_load(fit->node_boxes[child].v);
    return true;
}

void BASE_ISA(ray_fit_nodes)(const ray_fit *fit, uint32_t first, uint32_t last)
{
    ray_node *nodes = ray_tree_nodes(fit->tree);
    for (uint32_t i = last; i-- > first;)
    {
        ray_node *node = &nodes[i];
        bool changed = false;
        f8 boxes[RAY_WIDTH], all = f8_set1(-INFINITY);
        for (int lane = 0; lane < RAY_WIDTH; lane++)
        {
            boxes[lane] = f8_set1(-8.0f);
            if (node->child[lane] == RAY_NO_CHILD)
                continue;
            changed |= fit_lane(fit, node, lane, &boxes[lane]);
            all = f8_max(all, boxes[lane]);
        }
        fit->node_changed[i] = changed;
        if (!changed)
            continue;
        f8_store(fit->node_boxes[i].v, all);
        set_planes(node, boxes);
    }
}
