/* The balanced tree of a mesh, and its edges with the triangles that use each. */
#include "engine/edge/edge.h"

/* The thesis ends at nodes of fewer than 10 polygons (4.3.2). It gives no lambda: this is the library's default. */
static carom_status build_tree(edge_asset *asset, const carom_mesh *mesh)
{
    carom_tree_def def = carom_tree_def_default();
    def.layout = CAROM_LAYOUT_BINARY;
    def.volume = CAROM_VOLUME_AABB;
    def.builder = CAROM_BUILDER_BALANCED;
    def.leaf_size = 9;
    def.keep_large_leaves = true;
    return carom_tree_create(asset->context, mesh, &def, &asset->tree);
}

/* ---- edges ---- */

/* The edges of each leaf's triangles, each once per leaf. */
static bool list_leaf_edges(edge_asset *asset, const uint32_t *edge_of)
{
    const carom_tree *tree = asset->tree;
    base_arena *arena = &asset->arena;
    asset->first_of_leaf = base_arena_allocate(arena, (size_t)tree->node_count + 1, sizeof *asset->first_of_leaf, 8);
    asset->leaf_edges = base_arena_allocate(arena, 3 * (size_t)tree->reference_count, sizeof *asset->leaf_edges, 8);
    BASE_ARRAY(uint64_t) edges = {0}, space = {0};
    bool fits = asset->first_of_leaf && asset->leaf_edges;
    size_t count = 0;
    for (uint32_t node = 0; node < tree->node_count && fits; node++)
    {
        tree_node leaf = tree->nodes[node];
        asset->first_of_leaf[node] = count;
        edges.count = space.count = 0;
        size_t side_count = 3 * (size_t)leaf.count;
        fits = base_array_reserve(asset->context, &edges, side_count) &&
               base_array_reserve(asset->context, &space, side_count);
        for (size_t i = 0; i < side_count && fits; i++)
            edges.items[edges.count++] = edge_of[3 * (size_t)tree->order[leaf.first + i / 3] + i % 3];
        base_sort_u64(edges.items, space.items, edges.count);
        for (size_t i = 0; i < edges.count; i++)
            if (i == 0 || edges.items[i] != edges.items[i - 1])
                asset->leaf_edges[count++] = (uint32_t)edges.items[i];
    }
    if (fits)
        asset->first_of_leaf[tree->node_count] = count;
    base_array_free(asset->context, &edges);
    base_array_free(asset->context, &space);
    return fits;
}

static carom_status fill(edge_asset *asset, const carom_mesh *mesh)
{
    BASE_TRY(build_tree(asset, mesh));
    size_t side_count = 3 * (size_t)mesh->triangle_count;
    uint32_t *edge_of = base_allocate(asset->context, side_count, sizeof *edge_of, BASE_CACHE_LINE);
    if (!edge_of)
        return edge_out_of_memory(asset->context);
    carom_status status = edge_list_create(mesh, &asset->arena, &asset->list, edge_of);
    if (status == CAROM_OK && !list_leaf_edges(asset, edge_of))
        status = edge_out_of_memory(asset->context);
    base_release(asset->context, edge_of, side_count, sizeof *edge_of);
    return status;
}

/* ---- life ---- */

carom_status edge_create_asset(void *context, const carom_shape *shape, void **out)
{
    *out = NULL;
    if (shape->kind != CAROM_SHAPE_MESH)
        return CAROM_OK;
    edge_asset *asset = base_allocate(context, 1, sizeof *asset, BASE_CACHE_LINE);
    if (!asset)
        return edge_out_of_memory(context);
    *asset = (edge_asset){.context = context, .arena = {.context = context}};
    carom_status status = fill(asset, shape->mesh);
    if (status != CAROM_OK)
        return edge_destroy_asset(context, asset), status;
    *out = asset;
    return CAROM_OK;
}

void edge_destroy_asset(void *context, void *object)
{
    edge_asset *asset = object;
    if (!asset)
        return;
    carom_tree_destroy(asset->tree);
    base_arena_free(&asset->arena);
    base_release(context, asset, 1, sizeof *asset);
}
