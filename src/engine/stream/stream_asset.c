/* The edges and the tree of a mesh. */
#include "engine/stream/stream.h"

carom_status stream_out_of_memory(carom_context *context)
{
    return base_fail(context, CAROM_OUT_OF_MEMORY, "engine: no memory for streams of edges");
}

/* RAPID's tree: oriented boxes, a triangle per leaf. */
static carom_status build_tree(stream_asset *asset, const carom_mesh *mesh)
{
    carom_tree_def def = carom_tree_def_default();
    def.layout = CAROM_LAYOUT_BINARY;
    def.volume = CAROM_VOLUME_OBB;
    def.leaf_size = 1;
    return carom_tree_create(asset->context, mesh, &def, &asset->tree);
}

static carom_status fill(stream_asset *asset, const carom_mesh *mesh)
{
    BASE_TRY(build_tree(asset, mesh));
    return edge_list_create(mesh, &asset->arena, &asset->list, NULL);
}

static void clear(stream_asset *asset)
{
    carom_tree_destroy(asset->tree);
    base_arena_free(&asset->arena);
    *asset = (stream_asset){.context = asset->context, .arena = {.context = asset->context}};
}

carom_status stream_create_asset(void *context, const carom_shape *shape, void **out)
{
    *out = NULL;
    stream_asset *asset = base_allocate(context, 1, sizeof *asset, BASE_CACHE_LINE);
    if (!asset)
        return stream_out_of_memory(context);
    *asset = (stream_asset){.context = context, .arena = {.context = context}};
    carom_status status = shape->kind == CAROM_SHAPE_MESH ? fill(asset, shape->mesh) : CAROM_OK;
    if (status != CAROM_OK)
        return stream_destroy_asset(context, asset), status;
    *out = asset;
    return CAROM_OK;
}

/* The same triangles, and the same vertices in one place each? Then the edges are the same. */
static bool has_same_edges(const carom_mesh *old, const carom_mesh *mesh)
{
    return old->vertex_count == mesh->vertex_count && old->triangle_count == mesh->triangle_count &&
           memcmp(old->indices, mesh->indices, 3 * (size_t)mesh->triangle_count * sizeof *mesh->indices) == 0 &&
           memcmp(old->merged, mesh->merged, mesh->vertex_count * sizeof *mesh->merged) == 0;
}

carom_status stream_update_asset(void *context, const carom_shape *shape, void *object)
{
    stream_asset *asset = object;
    (void)context;
    if (shape->kind != CAROM_SHAPE_MESH)
        return clear(asset), CAROM_OK;
    if (asset->tree && shape->mesh->triangle_count > 0 && has_same_edges(asset->tree->mesh, shape->mesh))
        return carom_tree_refit(asset->tree, shape->mesh);
    clear(asset);
    return fill(asset, shape->mesh);
}

void stream_destroy_asset(void *context, void *object)
{
    stream_asset *asset = object;
    if (!asset)
        return;
    clear(asset);
    base_release(context, asset, 1, sizeof *asset);
}
