/* carom/pieces.h: pieces for callers. */
#include "convex/convex.h"

struct carom_pieces
{
    carom_context *context;
    const carom_mesh *mesh;
    convex_pieces *block;
    double ms;
};

/* folder: of the cache, or null. */
static carom_status create(carom_context *context, const carom_mesh *mesh, const char *folder, carom_pieces **out)
{
    BASE_TRY(base_check_float_mode(context));
    carom_pieces *pieces = base_allocate(context, 1, sizeof *pieces, _Alignof(carom_pieces));
    if (!pieces)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "out of memory for the pieces of %s", mesh->name);
    double start = base_now();
    *pieces = (carom_pieces){.context = context, .mesh = mesh};
    carom_status status = folder ? convex_pieces_create_cached(context, mesh, folder, &pieces->block)
                                 : convex_pieces_create(context, mesh, &pieces->block);
    if (carom_failed(status))
        return base_release(context, pieces, 1, sizeof *pieces), status;
    carom_mesh_retain(mesh);
    pieces->ms = 1e3 * (base_now() - start);
    *out = pieces;
    return CAROM_OK;
}

carom_status carom_pieces_create(carom_context *context, const carom_mesh *mesh, carom_pieces **out)
{
    if (!context || !out)
        return CAROM_INVALID_ARGUMENT;
    *out = NULL;
    if (!mesh)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "carom_pieces_create: no mesh");
    return create(context, mesh, NULL, out);
}

carom_status carom_pieces_create_cached(carom_context *context, const carom_mesh *mesh, const char *folder,
                                        carom_pieces **out)
{
    if (!context || !out)
        return CAROM_INVALID_ARGUMENT;
    *out = NULL;
    if (!mesh || !folder || folder[0] == '\0')
        return base_fail(context, CAROM_INVALID_ARGUMENT, "carom_pieces_create_cached: no %s",
                         mesh ? "name of a folder" : "mesh");
    return create(context, mesh, folder, out);
}

void carom_pieces_destroy(carom_pieces *pieces)
{
    if (!pieces)
        return;
    carom_context *context = pieces->context;
    carom_mesh_destroy((carom_mesh *)pieces->mesh);
    convex_pieces_destroy(context, pieces->block);
    base_release(context, pieces, 1, sizeof *pieces);
}

carom_status carom_pieces_check(const carom_pieces *pieces)
{
    if (!pieces)
        return CAROM_INVALID_ARGUMENT;
    BASE_TRY(base_check_float_mode(pieces->context));
    return convex_check(pieces->context, pieces->mesh, pieces->block);
}

static uint32_t depth_of(const convex_pieces *block)
{
    /* Levels follow one another, so the last node is on the deepest one. */
    uint32_t depth = 0;
    const convex_node *nodes = convex_nodes(block);
    for (uint32_t at = block->node_count - 1; block->node_count > 0 && at != CONVEX_NONE; at = nodes[at].parent)
        depth++;
    return depth;
}

carom_pieces_info carom_pieces_get_info(const carom_pieces *pieces)
{
    carom_pieces_info out = {0};
    if (!pieces)
        return out;
    const convex_pieces *block = pieces->block;
    const uint32_t *first = convex_items(block, CONVEX_PIECE_FIRST);
    const convex_node *nodes = convex_nodes(block);
    out.triangle_count = block->triangle_count, out.piece_count = block->piece_count;
    out.node_count = block->node_count, out.depth = depth_of(block);
    for (uint32_t i = 0; i < block->piece_count; i++)
    {
        uint32_t size = first[i + 1] - first[i];
        out.single_count += size == 1;
        out.largest = size > out.largest ? size : out.largest;
    }
    for (uint32_t i = 0; i < block->node_count; i++)
    {
        out.hull_vertex_count += nodes[i].vertex_count, out.hull_facet_count += nodes[i].facet_count;
        out.strip_count += nodes[i].strip_count, out.strip_index_count += nodes[i].index_count;
    }
    out.strip_bytes = out.strip_count * sizeof(convex_strip) + block->mesh_bit_first / 8;
    out.mesh_strip_count = block->mesh_strip_count, out.mesh_index_count = block->mesh_index_count;
    out.bytes = (size_t)block->size + sizeof *pieces, out.ms = pieces->ms;
    return out;
}

const uint32_t *carom_pieces_triangles(const carom_pieces *pieces, uint32_t piece, uint32_t *count)
{
    bool known = pieces && piece < pieces->block->piece_count;
    const uint32_t *first = known ? convex_items(pieces->block, CONVEX_PIECE_FIRST) : NULL;
    if (count)
        *count = known ? first[piece + 1] - first[piece] : 0;
    return known ? (const uint32_t *)convex_items(pieces->block, CONVEX_TRIANGLES) + first[piece] : NULL;
}

static carom_status find_node(const carom_pieces *pieces, uint32_t node, const convex_node **out)
{
    if (!pieces)
        return CAROM_INVALID_ARGUMENT;
    if (node >= pieces->block->node_count)
        return base_fail(pieces->context, CAROM_OUT_OF_RANGE, "%s: there is no node %u, only %u nodes",
                         pieces->mesh->name, node, pieces->block->node_count);
    *out = convex_nodes(pieces->block) + node;
    return CAROM_OK;
}

carom_status carom_pieces_get_node(const carom_pieces *pieces, uint32_t node, carom_pieces_node *out)
{
    const convex_node *found = NULL;
    if (!out)
        return CAROM_INVALID_ARGUMENT;
    BASE_TRY(find_node(pieces, node, &found));
    bool leaf = found->first_child == 0;
    *out = (carom_pieces_node){
        .parent = found->parent,
        .child = {leaf ? CAROM_NO_NODE : found->first_child, leaf ? CAROM_NO_NODE : found->first_child + 1},
        .piece = found->piece,
        .dimension = found->dimension,
        .vertex_count = found->vertex_count,
        .facet_count = found->facet_count,
        .index_count = found->index_count,
        .vertices = convex_vertices(pieces->block, found),
        .facets = convex_facets(pieces->block, found),
        .centre = found->box.centre};
    memcpy(out->axis, found->box.axis, sizeof out->axis);
    memcpy(out->half, found->box.half, sizeof out->half);
    return CAROM_OK;
}

carom_status carom_pieces_strips(const carom_pieces *pieces, uint32_t node, uint32_t *out)
{
    const convex_node *found = NULL;
    BASE_TRY(find_node(pieces, node, &found));
    if (found->index_count > 0 && !out)
        return CAROM_INVALID_ARGUMENT;
    convex_decode_strips(pieces->block, found, out);
    return CAROM_OK;
}
