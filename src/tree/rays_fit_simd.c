/* Fits the ray layout, children before parents. */
#include "base/simd.h"
#include "tree/rays_fit.h"

/* A triangle that no ray in the frame meets, for empty lanes. */
static const float FAR_CORNER = 64.0f, FAR_EDGE = 1.0f;

static void set_lane(ray_block *block, int lane, const float *a, const float *b, const float *c)
{
    for (int axis = 0; axis < 3; axis++)
    {
        block->corner[axis][lane] = a[axis];
        block->edges[axis][lane] = b[axis] - a[axis];
        block->edges[axis][RAY_LEAF + lane] = c[axis] - a[axis];
    }
}

/* Fills a leaf's triangles and returns its box. */
static BASE_ALWAYS_INLINE f8 fit_block(const ray_fit *fit, ray_block *block)
{
    static const float corner[3] = {FAR_CORNER, FAR_CORNER, FAR_CORNER};
    static const float corner_x[3] = {FAR_CORNER + FAR_EDGE, FAR_CORNER, FAR_CORNER};
    static const float corner_y[3] = {FAR_CORNER, FAR_CORNER + FAR_EDGE, FAR_CORNER};
    f8 box = f8_set1(-INFINITY);
    for (int lane = 0; lane < RAY_LEAF; lane++)
    {
        uint32_t triangle = block->triangle[lane];
        if (triangle == CAROM_NO_TRIANGLE)
        {
            set_lane(block, lane, corner, corner_x, corner_y);
            continue;
        }
        const uint32_t *index = fit->mesh->indices + 3 * (size_t)triangle;
        const float *a = fit->vertices[index[0]].v, *b = fit->vertices[index[1]].v, *c = fit->vertices[index[2]].v;
        box = f8_max(f8_max(box, f8_load(a)), f8_max(f8_load(b), f8_load(c)));
        set_lane(block, lane, a + 4, b + 4, c + 4);
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

static void set_planes(ray_node *node, int lane, f8 box)
{
    _Alignas(32) float v[8];
    f8_store(v, box);
    for (int axis = 0; axis < 3; axis++)
    {
        node->planes[2 * axis][lane] = -v[axis];
        node->planes[2 * axis + 1][lane] = v[4 + axis];
    }
}

static f8 lane_box(const ray_node *node, int lane)
{
    _Alignas(32) float v[8] = {-node->planes[0][lane], -node->planes[2][lane], -node->planes[4][lane], 0.0f,
                               node->planes[1][lane],  node->planes[3][lane],  node->planes[5][lane],  0.0f};
    return f8_load(v);
}

void BASE_ISA(ray_fit_run)(const ray_fit *fit)
{
    ray_node *nodes = ray_tree_nodes(fit->tree);
    ray_block *blocks = ray_tree_blocks(fit->tree);
    for (uint32_t i = fit->tree->node_count; i-- > 0;)
    {
        ray_node *node = &nodes[i];
        uint32_t changed = 0; /* lanes */
        f8 all = f8_set1(-INFINITY);
        for (int lane = 0; lane < RAY_WIDTH && node->child[lane] != RAY_NO_CHILD; lane++)
        {
            uint32_t child = node->child[lane];
            ray_block *block = &blocks[child & ~RAY_LEAF_FLAG];
            bool leaf = child & RAY_LEAF_FLAG;
            bool stays = fit->vertex_changed && !(leaf ? block_changed(fit, block) : fit->node_changed[child]);
            f8 box = stays ? lane_box(node, lane) : leaf ? fit_block(fit, block) : f8_load(fit->node_boxes[child].v);
            all = f8_max(all, box);
            if (stays)
                continue;
            set_planes(node, lane, box);
            changed |= 1u << lane;
        }
        f8_store(fit->node_boxes[i].v, all);
        fit->node_changed[i] = changed != 0;
    }
}
