/* Pieces from untrusted bytes: everything that a reader of the block relies on. */
#include "convex/stored.h"

#include "convex/strips.h"

typedef struct stored_view
{
    const carom_mesh *mesh;
    const convex_pieces *pieces;
    uint8_t *seen; /* a bit per triangle, then per piece */
} stored_view;

/* True if it was not set before. */
static bool set_bit(uint8_t *bits, uint32_t number)
{
    uint8_t bit = (uint8_t)(1u << number % 8);
    bool fresh = !(bits[number / 8] & bit);
    bits[number / 8] |= bit;
    return fresh;
}

static const char *layout_complaint(const carom_mesh *mesh, const convex_pieces *pieces, size_t size)
{
    convex_pieces expected = *pieces;
    if (size < sizeof *pieces || pieces->size != size || pieces->triangle_count != mesh->triangle_count ||
        pieces->unused != 0)
        return "its sizes are wrong";
    bool counts = pieces->piece_count <= pieces->triangle_count &&
                  (pieces->piece_count == 0) == (pieces->triangle_count == 0) &&
                  pieces->node_count == (pieces->piece_count > 0 ? 2 * (uint64_t)pieces->piece_count - 1 : 0) &&
                  pieces->count[CONVEX_PIECE_FIRST] == (uint64_t)pieces->piece_count + 1 &&
                  pieces->count[CONVEX_TRIANGLES] == pieces->triangle_count &&
                  pieces->count[CONVEX_NODES] == pieces->node_count && pieces->count[CONVEX_FACETS] % 3 == 0 &&
                  pieces->count[CONVEX_NEIGHBOURS] == pieces->count[CONVEX_FACETS];
    if (!counts || !convex_place_arrays(&expected) || memcmp(&expected, pieces, sizeof expected) != 0)
        return "its sizes are wrong";
    return NULL;
}

static const char *list_complaint(const stored_view *view)
{
    const convex_pieces *pieces = view->pieces;
    const uint32_t *first = convex_items(pieces, CONVEX_PIECE_FIRST), *list = convex_items(pieces, CONVEX_TRIANGLES);
    bool right = first[0] == 0 && first[pieces->piece_count] == pieces->triangle_count;
    for (uint32_t i = 0; i < pieces->piece_count && right; i++)
        right = first[i] < first[i + 1];
    for (uint32_t i = 0; i < pieces->triangle_count && right; i++)
        right = list[i] < pieces->triangle_count && set_bit(view->seen, list[i]);
    return right ? NULL : "its lists of triangles are wrong";
}

/* ---- nodes ---- */

static bool fits(uint64_t first, uint64_t count, uint64_t end) { return first <= end && count <= end - first; }

static bool is_linked(const convex_pieces *pieces, uint32_t number, uint32_t *children)
{
    const convex_node *nodes = convex_nodes(pieces), *node = &nodes[number];
    if (number == 0 && node->parent != CONVEX_NONE)
        return false;
    if (node->first_child == 0)
        return node->piece < pieces->piece_count;
    /* Children are numbered in the order of their parents, so each has exactly one. */
    bool right = node->piece == CONVEX_NONE && node->first_child == *children && *children > number &&
                 *children + 1 < pieces->node_count && nodes[*children].parent == number &&
                 nodes[*children + 1].parent == number;
    *children += 2;
    return right;
}

static bool has_arrays(const convex_pieces *pieces, const convex_node *node)
{
    return node->vertex_count > 0 && node->dimension >= 0 && node->dimension <= 3 &&
           (node->dimension >= 2) == (node->facet_count > 0) &&
           fits(node->vertex_first, node->vertex_count, pieces->count[CONVEX_VERTICES]) &&
           fits(node->facet_first, node->facet_count, pieces->count[CONVEX_FACETS] / 3) &&
           fits(node->strip_first, node->strip_count, pieces->mesh_strip_first) &&
           node->bit_first <= pieces->mesh_bit_first;
}

static bool has_vertex(const uint32_t *vertices, uint32_t count, uint32_t vertex)
{
    uint32_t low = 0, high = count;
    while (low < high)
    {
        uint32_t middle = low + (high - low) / 2;
        if (vertices[middle] < vertex)
            low = middle + 1;
        else
            high = middle;
    }
    return low < count && vertices[low] == vertex;
}

static bool has_hull(const stored_view *view, const convex_node *node)
{
    const uint32_t *vertices = convex_vertices(view->pieces, node), *facets = convex_facets(view->pieces, node);
    const uint32_t *neighbours = convex_neighbours(view->pieces, node);
    bool right = true;
    for (uint32_t i = 0; i < node->vertex_count && right; i++)
        right = vertices[i] < view->mesh->vertex_count && (i == 0 || vertices[i - 1] < vertices[i]);
    for (size_t i = 0; i < 3 * (size_t)node->facet_count && right; i++)
        right = has_vertex(vertices, node->vertex_count, facets[i]) &&
                (neighbours[i] < node->facet_count || (node->dimension == 2 && neighbours[i] == CONVEX_NONE));
    return right;
}

/* ---- strips ---- */

static bool has_strips(const stored_view *view, const convex_node *node)
{
    const convex_pieces *pieces = view->pieces;
    strip_mesh mesh = {convex_facets(pieces, node), convex_neighbours(pieces, node), node->facet_count, NULL};
    strip_code code = {(const convex_strip *)convex_items(pieces, CONVEX_STRIPS) + node->strip_first, node->strip_count,
                       convex_items(pieces, CONVEX_BITS), node->bit_first};
    return strips_valid(&mesh, &code, pieces->mesh_bit_first, node->index_count);
}

static bool has_mesh_strips(const stored_view *view)
{
    const convex_pieces *pieces = view->pieces;
    const carom_mesh *mesh = view->mesh;
    uint64_t bits = 8 * pieces->count[CONVEX_BITS];
    strip_mesh whole = {mesh->indices, mesh->neighbours, mesh->triangle_count, NULL};
    strip_code code = {(const convex_strip *)convex_items(pieces, CONVEX_STRIPS) + pieces->mesh_strip_first,
                       pieces->mesh_strip_count, convex_items(pieces, CONVEX_BITS), pieces->mesh_bit_first};
    return fits(pieces->mesh_strip_first, pieces->mesh_strip_count, pieces->count[CONVEX_STRIPS]) &&
           pieces->mesh_bit_first <= bits && strips_valid(&whole, &code, bits, pieces->mesh_index_count);
}

static const char *node_complaint(const stored_view *view)
{
    const convex_pieces *pieces = view->pieces;
    const convex_node *nodes = convex_nodes(pieces);
    uint32_t children = 1;
    for (uint32_t i = 0; i < pieces->node_count; i++)
    {
        if (!is_linked(pieces, i, &children) ||
            (nodes[i].first_child == 0 && !set_bit(view->seen + pieces->triangle_count / 8 + 1, nodes[i].piece)))
            return "its nodes are wrong";
        if (!has_arrays(pieces, &nodes[i]) || !has_hull(view, &nodes[i]))
            return "its hulls are wrong";
        if (!convex_box_has(view->mesh, pieces, &nodes[i]))
            return "its boxes are wrong";
        if (!has_strips(view, &nodes[i]))
            return "its strips are wrong";
    }
    return children == pieces->node_count || pieces->node_count == 0 ? NULL : "its nodes are wrong";
}

const char *stored_pieces_complaint(carom_context *context, const carom_mesh *mesh, const convex_pieces *pieces,
                                    size_t size)
{
    const char *complaint = layout_complaint(mesh, pieces, size);
    if (complaint)
        return complaint;
    size_t bytes = mesh->triangle_count / 8 + pieces->piece_count / 8 + 2;
    stored_view view = {mesh, pieces, base_allocate(context, bytes, 1, 1)};
    if (!view.seen)
        return "no memory for it";
    memset(view.seen, 0, bytes);
    if (pieces->mesh_strip_first > pieces->count[CONVEX_STRIPS] ||
        pieces->mesh_bit_first > 8 * pieces->count[CONVEX_BITS])
        complaint = "its strips are wrong";
    if (!complaint)
        complaint = list_complaint(&view);
    if (!complaint)
        complaint = node_complaint(&view);
    if (!complaint && !has_mesh_strips(&view))
        complaint = "its strips are wrong";
    base_release(context, view.seen, bytes, 1);
    return complaint;
}
