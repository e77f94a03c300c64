/* The block of a mesh's pieces: made from the patches, the nodes and the strips. */
#include "convex/convex.h"

#include "convex/grow.h"
#include "convex/nodes.h"
#include "convex/stored.h"

/* ---- patches as lists ---- */

/* Numbers the pieces in the order of their first triangles; number: per triangle, scratch. */
static uint32_t number_pieces(convex_surface *surface, uint32_t *number)
{
    uint32_t count = 0, triangles = surface->mesh->triangle_count;
    memset(number, 0xff, triangles * sizeof *number);
    for (uint32_t i = 0; i < triangles; i++)
    {
        uint32_t seed = surface->piece[i];
        if (number[seed] == CONVEX_NONE)
            number[seed] = count++;
    }
    for (uint32_t i = 0; i < triangles; i++)
        surface->piece[i] = number[surface->piece[i]];
    return count;
}

/* first: room for one more than the pieces. */
static void list_pieces(const convex_surface *surface, uint32_t count, uint32_t *first, uint32_t *list)
{
    uint32_t triangles = surface->mesh->triangle_count;
    memset(first, 0, ((size_t)count + 1) * sizeof *first);
    for (uint32_t i = 0; i < triangles; i++)
        first[surface->piece[i] + 1]++;
    for (uint32_t i = 0; i < count; i++)
        first[i + 1] += first[i];
    for (uint32_t i = triangles; i-- > 0;)
        list[--first[surface->piece[i] + 1]] = i;
    memmove(first, first + 1, count * sizeof *first);
    first[count] = triangles;
}

/* ---- the block ---- */

typedef struct block_build
{
    node_build nodes;
    uint32_t *piece_first, *triangles; /* room for one more than there are triangles */
    strip_set mesh_strips;
} block_build;

static const size_t item_sizes[CONVEX_ARRAYS] = {sizeof(uint32_t),     sizeof(uint32_t), sizeof(convex_node),
                                                 sizeof(uint32_t),     sizeof(uint32_t), sizeof(uint32_t),
                                                 sizeof(convex_strip), sizeof(uint8_t)};

bool convex_place_arrays(convex_pieces *pieces)
{
    const uint64_t limit = UINT64_C(1) << 56;
    pieces->size = (sizeof *pieces + BASE_CACHE_LINE - 1) / BASE_CACHE_LINE * BASE_CACHE_LINE;
    for (int i = 0; i < CONVEX_ARRAYS; i++)
    {
        if (pieces->count[i] > limit / item_sizes[i])
            return false;
        pieces->offset[i] = pieces->size;
        pieces->size += (pieces->count[i] * item_sizes[i] + BASE_CACHE_LINE - 1) / BASE_CACHE_LINE * BASE_CACHE_LINE;
    }
    return true;
}

static convex_pieces measure_block(const block_build *build)
{
    convex_pieces out = {.triangle_count = build->nodes.mesh->triangle_count,
                         .piece_count = build->nodes.piece_count,
                         .node_count = build->nodes.node_count,
                         .mesh_strip_count = (uint32_t)build->mesh_strips.strips.count,
                         .mesh_index_count = (uint32_t)build->mesh_strips.index_count};
    out.count[CONVEX_PIECE_FIRST] = (uint64_t)out.piece_count + 1, out.count[CONVEX_TRIANGLES] = out.triangle_count;
    out.count[CONVEX_NODES] = out.node_count;
    for (uint32_t i = 0; i < out.node_count; i++)
    {
        const node_part *part = &build->nodes.parts[i];
        out.count[CONVEX_VERTICES] += part->hull.vertex_count, out.count[CONVEX_FACETS] += 3 * part->hull.facet_count;
        out.count[CONVEX_STRIPS] += part->strips.strips.count, out.count[CONVEX_BITS] += part->strips.bits.count;
    }
    out.count[CONVEX_NEIGHBOURS] = out.count[CONVEX_FACETS];
    out.mesh_strip_first = out.count[CONVEX_STRIPS], out.mesh_bit_first = 8 * out.count[CONVEX_BITS];
    out.count[CONVEX_STRIPS] += build->mesh_strips.strips.count,
        out.count[CONVEX_BITS] += build->mesh_strips.bits.count;
    convex_place_arrays(&out);
    return out;
}

static void *items_of(convex_pieces *pieces, convex_array array) { return (char *)pieces + pieces->offset[array]; }

static void copy_numbers(convex_pieces *pieces, convex_array array, uint64_t at, const uint32_t *from, size_t count)
{
    if (count > 0)
        memcpy((uint32_t *)items_of(pieces, array) + at, from, count * sizeof *from);
}

static void copy_strips(convex_pieces *pieces, const strip_set *set, uint64_t strip_first, uint64_t bit_first)
{
    if (set->strips.count > 0)
        memcpy((convex_strip *)items_of(pieces, CONVEX_STRIPS) + strip_first, set->strips.items,
               set->strips.count * sizeof *set->strips.items);
    if (set->bits.count > 0)
        memcpy((uint8_t *)items_of(pieces, CONVEX_BITS) + bit_first / 8, set->bits.items, set->bits.count);
}

static void fill_block(const block_build *build, convex_pieces *out)
{
    uint64_t vertices = 0, facets = 0, strips = 0, bytes = 0;
    convex_node *nodes = items_of(out, CONVEX_NODES);
    copy_numbers(out, CONVEX_PIECE_FIRST, 0, build->piece_first, (size_t)out->piece_count + 1);
    copy_numbers(out, CONVEX_TRIANGLES, 0, build->triangles, out->triangle_count);
    for (uint32_t i = 0; i < out->node_count; i++)
    {
        const node_part *part = &build->nodes.parts[i];
        const hull *h = &part->hull;
        nodes[i] = part->node;
        nodes[i].vertex_first = vertices, nodes[i].facet_first = facets;
        nodes[i].strip_first = strips, nodes[i].bit_first = 8 * bytes;
        copy_numbers(out, CONVEX_VERTICES, vertices, h->vertices, h->vertex_count);
        copy_numbers(out, CONVEX_FACETS, 3 * facets, h->facets, 3 * (size_t)h->facet_count);
        copy_numbers(out, CONVEX_NEIGHBOURS, 3 * facets, h->neighbours, 3 * (size_t)h->facet_count);
        copy_strips(out, &part->strips, strips, 8 * bytes);
        vertices += h->vertex_count, facets += h->facet_count;
        strips += part->strips.strips.count, bytes += part->strips.bits.count;
    }
    copy_strips(out, &build->mesh_strips, out->mesh_strip_first, out->mesh_bit_first);
}

static carom_status make_block(const block_build *build, convex_pieces **out)
{
    convex_pieces header = measure_block(build);
    convex_pieces *block = base_allocate(build->nodes.context, 1, (size_t)header.size, BASE_CACHE_LINE);
    if (!block)
        return CAROM_OUT_OF_MEMORY;
    memset(block, 0, (size_t)header.size); /* the gaps too: equal input gives equal bytes */
    *block = header;
    fill_block(build, block);
    *out = block;
    return CAROM_OK;
}

/* ---- steps ---- */

static carom_status find_pieces(block_build *build)
{
    convex_surface surface;
    node_build *nodes = &build->nodes;
    BASE_TRY(surface_create(nodes->context, nodes->mesh, &surface));
    carom_status status = patches_grow(&surface);
    if (status == CAROM_OK)
    {
        nodes->piece_count = number_pieces(&surface, build->triangles);
        nodes->node_count = 2 * nodes->piece_count - 1;
        list_pieces(&surface, nodes->piece_count, build->piece_first, build->triangles);
        nodes->piece_first = build->piece_first, nodes->triangles = build->triangles;
    }
    surface_free(&surface);
    return status;
}

static carom_status find_nodes(node_build *nodes)
{
    carom_context *context = nodes->context;
    nodes->piece_hulls = base_allocate(context, nodes->piece_count, sizeof *nodes->piece_hulls, _Alignof(hull));
    nodes->piece_boxes = base_allocate(context, nodes->piece_count, sizeof *nodes->piece_boxes, _Alignof(volume_box));
    nodes->centres = base_allocate(context, nodes->piece_count, sizeof *nodes->centres, _Alignof(carom_vec3));
    nodes->parts = base_allocate(context, nodes->node_count, sizeof *nodes->parts, _Alignof(node_part));
    for (uint32_t i = 0; nodes->piece_hulls && i < nodes->piece_count; i++)
        nodes->piece_hulls[i] = (hull){.context = context};
    for (uint32_t i = 0; nodes->parts && i < nodes->node_count; i++)
        nodes->parts[i] = (node_part){.hull.context = context};
    return nodes->piece_hulls && nodes->piece_boxes && nodes->centres && nodes->parts ? nodes_make(nodes)
                                                                                      : CAROM_OUT_OF_MEMORY;
}

static carom_status make_pieces(block_build *build, convex_pieces **out)
{
    const carom_mesh *mesh = build->nodes.mesh;
    if (!build->piece_first || !build->triangles)
        return CAROM_OUT_OF_MEMORY;
    build->piece_first[0] = 0;
    if (mesh->triangle_count > 0)
    {
        BASE_TRY(find_pieces(build));
        BASE_TRY(find_nodes(&build->nodes));
        strip_mesh whole = {mesh->indices, mesh->neighbours, mesh->triangle_count, NULL};
        strip_space space = {.halves = {0}};
        bool made = strips_make(build->nodes.context, &space, &whole, &build->mesh_strips);
        strips_free_space(build->nodes.context, &space);
        if (!made)
            return CAROM_OUT_OF_MEMORY;
    }
    return make_block(build, out);
}

carom_status convex_pieces_create(carom_context *context, const carom_mesh *mesh, convex_pieces **out)
{
    size_t room = (size_t)mesh->triangle_count + 1;
    block_build build = {.nodes = {.context = context, .mesh = mesh}};
    node_build *nodes = &build.nodes;
    *out = NULL;
    build.piece_first = base_allocate(context, room, sizeof(uint32_t), _Alignof(uint32_t));
    build.triangles = base_allocate(context, room, sizeof(uint32_t), _Alignof(uint32_t));
    carom_status status = make_pieces(&build, out);
    nodes_free(nodes);
    base_release(context, nodes->piece_hulls, nodes->piece_count, sizeof *nodes->piece_hulls);
    base_release(context, nodes->piece_boxes, nodes->piece_count, sizeof *nodes->piece_boxes);
    base_release(context, nodes->centres, nodes->piece_count, sizeof *nodes->centres);
    base_release(context, nodes->parts, nodes->node_count, sizeof *nodes->parts);
    strips_free(context, &build.mesh_strips);
    base_release(context, build.piece_first, room, sizeof(uint32_t));
    base_release(context, build.triangles, room, sizeof(uint32_t));
    if (status == CAROM_OUT_OF_MEMORY)
        return base_fail(context, status, "out of memory for the pieces of %s", mesh->name);
    return status;
}

void convex_pieces_destroy(carom_context *context, convex_pieces *pieces)
{
    if (pieces)
        base_release(context, pieces, 1, (size_t)pieces->size);
}

/* ---- strips ---- */

void convex_decode_strips(const convex_pieces *pieces, const convex_node *node, uint32_t *out)
{
    strip_mesh mesh = {convex_facets(pieces, node), convex_neighbours(pieces, node), node->facet_count, NULL};
    strip_code code = {(const convex_strip *)convex_items(pieces, CONVEX_STRIPS) + node->strip_first, node->strip_count,
                       convex_items(pieces, CONVEX_BITS), node->bit_first};
    strips_decode(&mesh, &code, out);
}

void convex_decode_mesh_strips(const convex_pieces *pieces, const carom_mesh *mesh, uint32_t *out)
{
    strip_mesh whole = {mesh->indices, mesh->neighbours, mesh->triangle_count, NULL};
    strip_code code = {(const convex_strip *)convex_items(pieces, CONVEX_STRIPS) + pieces->mesh_strip_first,
                       pieces->mesh_strip_count, convex_items(pieces, CONVEX_BITS), pieces->mesh_bit_first};
    strips_decode(&whole, &code, out);
}
