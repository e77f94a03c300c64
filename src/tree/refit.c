/* Refit (chapter 25.7; FDH paper, theorem 3): the structure stays, one sweep from the leaves up fits the volumes, and
 * only those that hold a vertex that moved. */
#include "tree/binary.h"
#include "tree/build.h"
#include "tree/rays.h"
#include "tree/subtrees.h"
#include "tree/wide.h"

/* ---- the binary layout ---- */

/* Far from the origin that their floats count from, volumes lose digits; then everything is fitted around a new one. */
static bool origin_serves(const carom_tree *tree, const carom_aabb *bounds)
{
    carom_vec3 size = vec3_sub(bounds->max, bounds->min);
    carom_vec3 low = vec3_sub(bounds->min, tree->origin), high = vec3_sub(bounds->max, tree->origin);
    double largest = fmax(size.x, fmax(size.y, size.z)), reach = 0.0;
    reach = fmax(reach, fmax(fabs(low.x), fmax(fabs(low.y), fabs(low.z))));
    reach = fmax(reach, fmax(fabs(high.x), fmax(fabs(high.y), fabs(high.z))));
    return reach <= 2.0 * largest;
}

typedef struct binary_refit
{
    carom_tree *tree;
    const carom_mesh *old;
    uint8_t *node_changed;
    bool everything;
} binary_refit;

static bool leaf_moved(const binary_refit *refit, tree_node leaf)
{
    const carom_mesh *old = refit->old, *now = refit->tree->mesh;
    for (uint32_t i = leaf.first; i < leaf.first + leaf.count; i++)
    {
        const uint32_t *index = now->indices + 3 * (size_t)refit->tree->order[i];
        for (int corner = 0; corner < 3; corner++)
            if (!vec3_equal(old->vertices[index[corner]], now->vertices[index[corner]]))
                return true;
    }
    return false;
}

static void refit_node(const binary_refit *refit, uint32_t index)
{
    carom_tree *tree = refit->tree;
    tree_node node = tree->nodes[index];
    bool changed = refit->everything;
    if (!changed)
        changed = node.count ? leaf_moved(refit, node)
                             : refit->node_changed[node.first] | refit->node_changed[node.first + 1];
    refit->node_changed[index] = changed;
    if (changed && node.count)
        binary_fit_leaf(tree, index, binary_volume(tree, index));
    else if (changed)
        volume_merge(tree->def.volume, binary_volume(tree, node.first), binary_volume(tree, node.first + 1),
                     binary_volume(tree, index));
}

static void refit_nodes(uint32_t first, uint32_t last, void *data)
{
    for (uint32_t node = last; node-- > first;)
        refit_node(data, node);
}

static carom_status refit_binary(carom_tree *tree, const carom_mesh *deformed)
{
    binary_refit refit = {.tree = tree, .old = tree->mesh};
    refit.node_changed = base_allocate(tree->context, tree->node_count, sizeof *refit.node_changed, BASE_CACHE_LINE);
    if (!refit.node_changed)
        return base_fail(tree->context, CAROM_OUT_OF_MEMORY, "refit of %u triangles: out of memory",
                         deformed->triangle_count);
    const carom_aabb *bounds = &deformed->info.bounds;
    tree->mesh = deformed;
    if (tree->node_count && !origin_serves(tree, bounds))
    {
        tree->origin = vec3_add(vec3_scale(bounds->min, 0.5), vec3_scale(bounds->max, 0.5));
        refit.everything = true;
    }
    tree_subtrees parts;
    tree_subtrees_cut(tree->nodes, tree->node_count, build_children, &parts);
    tree_subtrees_climb(tree->context, &parts, refit_nodes, &refit);
    base_release(tree->context, refit.node_changed, tree->node_count, sizeof *refit.node_changed);
    return CAROM_OK;
}

/* ---- any layout ---- */

static carom_status check_deformed(const carom_tree *tree, const carom_mesh *deformed)
{
    carom_context *context = tree->context;
    if (!deformed)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "refit: mesh is null");
    const carom_mesh *old = tree->mesh;
    if (deformed->vertex_count != old->vertex_count || deformed->triangle_count != old->triangle_count)
        return base_fail(context, CAROM_INVALID_ARGUMENT,
                         "refit: the mesh has %u vertices and %u triangles, the tree's %u and %u",
                         deformed->vertex_count, deformed->triangle_count, old->vertex_count, old->triangle_count);
    size_t corners = 3 * (size_t)old->triangle_count, other = 0;
    if (corners == 0 || memcmp(deformed->indices, old->indices, corners * sizeof *old->indices) == 0)
        return CAROM_OK;
    while (deformed->indices[other] == old->indices[other])
        other++;
    return base_fail(context, CAROM_INVALID_ARGUMENT, "refit: triangle %zu has other corners", other / 3);
}

carom_status carom_tree_refit(carom_tree *tree, const carom_mesh *deformed)
{
    if (!tree)
        return CAROM_INVALID_ARGUMENT;
    BASE_TRY(check_deformed(tree, deformed));
    BASE_TRY(base_check_float_mode(tree->context));
    const carom_mesh *old = tree->mesh;
    if (tree->wide)
        BASE_TRY(wide_tree_refit(tree->context, tree->wide, old, deformed));
    else if (tree->rays)
        BASE_TRY(ray_tree_refit(tree->context, tree->rays, old, deformed));
    else
        BASE_TRY(refit_binary(tree, deformed));
    tree->serial = atomic_fetch_add(&tree->context->next_serial, 1);
    tree->mesh = deformed;
    if (!tree->belongs_to_mesh)
    {
        carom_mesh_retain(deformed);
        carom_mesh_destroy((carom_mesh *)old); /* gives the reference back */
    }
    return CAROM_OK;
}
