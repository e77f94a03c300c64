/* The flat tree of a mesh. The structure comes from the library's builder; boxes and corners are computed here, in the
 * normalised frame, so that a mesh that was deformed only needs that again. */
#include "engine/stream/frontier.h"

carom_status frontier_out_of_memory(carom_context *context)
{
    return base_fail(context, CAROM_OUT_OF_MEMORY, "engine stream: no memory");
}

/* ---- boxes ---- */

static void store_box(const carom_aabb *box, float out[6])
{
    const double low[3] = {box->min.x, box->min.y, box->min.z}, high[3] = {box->max.x, box->max.y, box->max.z};
    for (int i = 0; i < 3; i++)
    {
        out[i] = (float)(0.5 * (low[i] + high[i]));
        out[3 + i] = math_float_up(fmax(high[i] - (double)out[i], (double)out[i] - low[i]));
    }
}

static carom_aabb place_leaf(frontier_asset *asset, const carom_mesh *mesh, uint32_t node)
{
    carom_aabb box = aabb_empty();
    for (uint32_t i = 0; i < asset->links[2 * (size_t)node + 1]; i++)
    {
        size_t reference = (size_t)asset->links[2 * (size_t)node] + i;
        const uint32_t *corner = mesh->indices + 3 * (size_t)asset->order[reference];
        for (int k = 0; k < 3; k++)
        {
            carom_vec3 y = math_normalise(&asset->model.frame, mesh->vertices[corner[k]]);
            float *out = asset->corners + 9 * reference + 3 * k;
            out[0] = (float)y.x, out[1] = (float)y.y, out[2] = (float)y.z;
            box = aabb_add_point(box, y);
        }
    }
    return box;
}

/* Children come after their parent. */
static carom_status fit(frontier_asset *asset, const carom_mesh *mesh)
{
    carom_aabb *boxes = base_allocate(asset->context, asset->node_count, sizeof *boxes, BASE_CACHE_LINE);
    if (!boxes)
        return frontier_out_of_memory(asset->context);
    asset->model.frame = math_frame_of(&mesh->info.bounds);
    for (uint32_t node = asset->node_count; node-- > 0;)
    {
        const uint32_t *link = asset->links + 2 * (size_t)node;
        if (link[1] > 0)
            boxes[node] = place_leaf(asset, mesh, node);
        else
            boxes[node] = (carom_aabb){vec3_min(boxes[link[0]].min, boxes[link[0] + 1].min),
                                       vec3_max(boxes[link[0]].max, boxes[link[0] + 1].max)};
        store_box(&boxes[node], asset->boxes + 6 * (size_t)node);
    }
    base_release(asset->context, boxes, asset->node_count, sizeof *boxes);
    asset->model.serial = atomic_fetch_add(&asset->context->next_serial, 1);
    return CAROM_OK;
}

/* ---- structure ---- */

static carom_status copy_structure(frontier_asset *asset, const carom_tree *tree)
{
    base_arena *arena = &asset->arena;
    asset->node_count = tree->node_count, asset->reference_count = tree->reference_count;
    asset->model.levels = tree->info.depth;
    asset->model.counts[FRONTIER_BOXES] = asset->model.counts[FRONTIER_LINKS] = tree->node_count;
    asset->model.counts[FRONTIER_CORNERS] = tree->reference_count;
    size_t nodes = tree->node_count, references = tree->reference_count;
    asset->links = base_arena_allocate(arena, 2 * nodes, sizeof *asset->links, 64);
    asset->order = base_arena_allocate(arena, references, sizeof *asset->order, 64);
    asset->boxes = base_arena_allocate(arena, 6 * nodes, sizeof *asset->boxes, 64);
    asset->corners = base_arena_allocate(arena, 9 * references, sizeof *asset->corners, 64);
    if (!asset->links || !asset->order || !asset->boxes || !asset->corners)
        return frontier_out_of_memory(asset->context);
    for (size_t i = 0; i < nodes; i++)
    {
        asset->links[2 * i] = tree->nodes[i].first, asset->links[2 * i + 1] = tree->nodes[i].count;
        if (tree->nodes[i].count > FRONTIER_LEAF)
            return base_fail(asset->context, CAROM_UNSUPPORTED, "engine stream: a leaf of %u triangles",
                             tree->nodes[i].count);
    }
    memcpy(asset->order, tree->order, references * sizeof *asset->order);
    return CAROM_OK;
}

static carom_status build(frontier_asset *asset, const carom_mesh *mesh)
{
    carom_tree_def def = carom_tree_def_default();
    def.layout = CAROM_LAYOUT_BINARY, def.volume = CAROM_VOLUME_AABB, def.builder = CAROM_BUILDER_SAH;
    def.leaf_size = FRONTIER_LEAF;
    carom_tree *tree;
    BASE_TRY(carom_tree_create(asset->context, mesh, &def, &tree));
    carom_status status = copy_structure(asset, tree);
    carom_tree_destroy(tree);
    return carom_failed(status) ? status : fit(asset, mesh);
}

/* ---- life ---- */

static carom_status build_for(frontier_asset *asset, const carom_shape *shape)
{
    if (shape->kind != CAROM_SHAPE_MESH || shape->mesh->triangle_count == 0)
        return CAROM_OK;
    return build(asset, shape->mesh);
}

carom_status frontier_create_asset(void *context, const carom_shape *shape, void **out)
{
    *out = NULL;
    frontier_asset *asset = base_allocate(context, 1, sizeof *asset, BASE_CACHE_LINE);
    if (!asset)
        return frontier_out_of_memory(context);
    *asset = (frontier_asset){.context = context, .arena = {.context = context}};
    carom_status status = build_for(asset, shape);
    if (carom_failed(status))
        return frontier_destroy_asset(context, asset), status;
    *out = asset;
    return CAROM_OK;
}

/* Which corners the triangles have does not matter: a tree over so many triangles is one for any of them, though not
 * always a good one. */
carom_status frontier_update_asset(void *context, const carom_shape *shape, void *object)
{
    frontier_asset *asset = object;
    bool refits = shape->kind == CAROM_SHAPE_MESH && asset->node_count > 0 &&
                  asset->reference_count == shape->mesh->triangle_count;
    if (refits)
        return fit(asset, shape->mesh);
    base_arena_free(&asset->arena);
    *asset = (frontier_asset){.context = context, .arena = {.context = context}};
    return build_for(asset, shape);
}

void frontier_destroy_asset(void *context, void *object)
{
    frontier_asset *asset = object;
    base_arena_free(&asset->arena);
    base_release(context, asset, 1, sizeof *asset);
}
