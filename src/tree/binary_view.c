/* The layouts seen as nodes with children, boxes and leaves: one set of functions per layout, and the choice. */
#include "tree/binary_view.h"
#include "tree/rays.h"
#include "tree/wide.h"

bool view_is_empty(const carom_tree *tree) { return tree->mesh->triangle_count == 0; }

uint32_t view_node_count(const carom_tree *tree)
{
    if (tree->wide)
        return tree->wide->node_count * WIDE_LANES;
    return tree->rays ? tree->rays->node_count * RAY_WIDTH : tree->node_count;
}

/* ---- the ray layout: 0 is the whole tree, 1 + 8 n + i is lane i of node n ---- */

static uint32_t ray_child(const ray_tree *rays, uint32_t node)
{
    return node ? ray_child_index(ray_tree_nodes(rays)[(node - 1) / RAY_WIDTH].child[(node - 1) % RAY_WIDTH]) : 0;
}

static const uint32_t *ray_triangles(const ray_tree *rays, uint32_t node, uint32_t *count)
{
    uint32_t child = ray_child(rays, node);
    *count = 0;
    if (!(child & RAY_LEAF_FLAG))
        return NULL;
    const ray_block *block = &ray_tree_blocks(rays)[child & ~RAY_LEAF_FLAG];
    while (*count < RAY_LEAF && block->triangle[*count] != CAROM_NO_TRIANGLE)
        (*count)++;
    return block->triangle;
}

static uint32_t ray_children(const ray_tree *rays, uint32_t node, uint32_t out[VIEW_CHILDREN_MAX])
{
    uint32_t first = 1 + RAY_WIDTH * ray_child(rays, node), count = 0;
    for (uint32_t lane = 0; lane < RAY_WIDTH; lane++)
        if (ray_child(rays, first + lane) != RAY_NO_CHILD)
            out[count++] = first + lane;
    return count;
}

static void ray_box(const carom_tree *tree, uint32_t node, volume_box *out)
{
    carom_aabb box = node ? ray_tree_box(tree->rays, (node - 1) / RAY_WIDTH, (int)((node - 1) % RAY_WIDTH))
                          : tree->mesh->info.bounds;
    carom_vec3 centre = vec3_scale(vec3_add(box.min, box.max), 0.5);
    carom_vec3 half = vec3_max(vec3_sub(box.max, centre), vec3_sub(centre, box.min));
    *out = (volume_box){.centre = vec3_sub(centre, tree->origin),
                        .axis = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
                        .half = {half.x, half.y, half.z}};
}

/* ---- any ---- */

const uint32_t *view_triangles_any(const carom_tree *tree, uint32_t node, uint32_t *count)
{
    if (tree->rays)
        return ray_triangles(tree->rays, node, count);
    const wide_tree *wide = tree->wide;
    uint32_t child = wide_child(wide, node);
    *count = 0;
    if (!(child & WIDE_LEAF_FLAG))
        return NULL;
    const wide_leaf *leaf = &wide->leaves[child & ~WIDE_LEAF_FLAG];
    *count = leaf->count;
    return leaf->triangle;
}

uint32_t view_children_any(const carom_tree *tree, uint32_t node, uint32_t out[VIEW_CHILDREN_MAX])
{
    if (tree->rays)
        return ray_children(tree->rays, node, out);
    const wide_tree *wide = tree->wide;
    uint32_t first = WIDE_LANES * wide_child(wide, node), count = 0;
    for (uint32_t lane = 0; lane < WIDE_LANES; lane++)
        if (wide_child(wide, first + lane) != WIDE_NO_CHILD)
            out[count++] = first + lane;
    return count;
}

/* Out of the normalised frame, which is scaled by a power of two around the tree's centre. */
static void wide_box(const carom_tree *tree, wide_slot slot, volume_box *out)
{
    const wide_tree *wide = tree->wide;
    const wide_node *node = &wide->nodes[slot / WIDE_LANES];
    uint32_t lane = slot % WIDE_LANES;
    double unit = 1.0 / wide->scale;
    carom_vec3 centre =
        vec3((double)node->centre[0][lane], (double)node->centre[1][lane], (double)node->centre[2][lane]);
    out->centre = vec3_sub(vec3_add(vec3_scale(centre, unit), wide->centre), tree->origin);
    for (int k = 0; k < 3; k++)
    {
        out->axis[k] =
            vec3((double)node->axis[k][0][lane], (double)node->axis[k][1][lane], (double)node->axis[k][2][lane]);
        out->half[k] = (double)node->half[k][lane] * unit;
    }
    out->radius = 0.0;
}

void view_box(const carom_tree *tree, uint32_t node, volume_box *out)
{
    if (tree->wide)
        wide_box(tree, node, out);
    else if (tree->rays)
        ray_box(tree, node, out);
    else
        volume_to_box(tree->def.volume, binary_volume(tree, node), out);
}
