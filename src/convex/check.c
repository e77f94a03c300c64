/* Everything about pieces verified again, from the mesh: lists, tree, hulls, boxes, strips. */
#include "convex/check.h"

#include <stdio.h>

carom_status check_fail_at(const check_state *state, const char *format, ...)
{
    char text[BASE_MESSAGE_SIZE];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    return base_fail(state->context, CAROM_BAD_DATA, "pieces of %s: %s", state->mesh->name, text);
}

/* ---- lists ---- */

static carom_status check_lists(check_state *state)
{
    const convex_pieces *pieces = state->pieces;
    const uint32_t *first = convex_items(pieces, CONVEX_PIECE_FIRST), *list = convex_items(pieces, CONVEX_TRIANGLES);
    if (pieces->triangle_count != state->mesh->triangle_count || first[0] != 0 ||
        first[pieces->piece_count] != pieces->triangle_count)
        return check_fail(state, "the numbers of triangles differ");
    memset(state->piece_of, 0xff, pieces->triangle_count * sizeof *state->piece_of);
    for (uint32_t piece = 0; piece < pieces->piece_count; piece++)
    {
        if (first[piece + 1] <= first[piece])
            return check_fail(state, "piece %u is empty", piece);
        for (uint32_t i = first[piece]; i < first[piece + 1]; i++)
        {
            if (list[i] >= pieces->triangle_count || state->piece_of[list[i]] != CONVEX_NONE)
                return check_fail(state, "triangle %u is in two pieces, or none", list[i]);
            state->piece_of[list[i]] = piece;
        }
    }
    return CAROM_OK;
}

/* ---- the tree ---- */

static carom_status check_links(check_state *state)
{
    const convex_pieces *pieces = state->pieces;
    const convex_node *nodes = convex_nodes(pieces);
    uint32_t leaves = 0, children = 1;
    if (pieces->node_count != (pieces->piece_count > 0 ? 2 * pieces->piece_count - 1 : 0))
        return check_fail(state, "%u nodes for %u pieces", pieces->node_count, pieces->piece_count);
    for (uint32_t i = 0; i < pieces->node_count; i++)
    {
        const convex_node *node = &nodes[i];
        if (node->first_child == 0)
        {
            leaves++;
            if (node->piece >= pieces->piece_count)
                return check_fail(state, "leaf %u has no piece", i);
            continue;
        }
        /* Children are numbered in the order of their parents, so each has exactly one. */
        if (node->first_child != children || children + 2 > pieces->node_count || node->first_child <= i ||
            nodes[children].parent != i || nodes[children + 1].parent != i || node->piece != CONVEX_NONE)
            return check_fail(state, "node %u has wrong children", i);
        children += 2;
    }
    return leaves == pieces->piece_count ? CAROM_OK : check_fail(state, "%u leaves", leaves);
}

/* ---- hulls ---- */

/* Lists the vertices that a hull must have: of the piece, or of the children's hulls. */
static carom_status list_vertices(check_state *state, const convex_node *node)
{
    const uint32_t *first = convex_items(state->pieces, CONVEX_PIECE_FIRST);
    const uint32_t *list = convex_items(state->pieces, CONVEX_TRIANGLES);
    const carom_mesh *mesh = state->mesh;
    state->list.count = 0;
    size_t count = node->first_child == 0 ? 3 * (size_t)(first[node->piece + 1] - first[node->piece]) : 0;
    for (uint32_t k = 0; k < 2 && node->first_child > 0; k++)
        count += convex_nodes(state->pieces)[node->first_child + k].vertex_count;
    if (!base_array_reserve(state->context, &state->list, count))
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t k = 0; k < 2 && node->first_child > 0; k++)
    {
        const convex_node *child = convex_nodes(state->pieces) + node->first_child + k;
        for (uint32_t i = 0; i < child->vertex_count; i++)
            state->list.items[state->list.count++] = convex_vertices(state->pieces, child)[i];
    }
    for (uint32_t i = 0; node->first_child == 0 && i < count; i++)
        state->list.items[state->list.count++] =
            mesh->merged[mesh->indices[3 * (size_t)list[first[node->piece] + i / 3] + i % 3]];
    return CAROM_OK;
}

/* Does the facet across an edge have it, too? */
static bool is_mutual(const uint32_t *facets, const uint32_t *across, size_t edge)
{
    const uint32_t *own = facets + edge / 3 * 3, *other = facets + 3 * (size_t)across[edge];
    uint32_t from = own[edge % 3], to = own[(edge % 3 + 1) % 3];
    for (uint32_t side = 0; side < 3; side++)
        if (other[side] == to && other[(side + 1) % 3] == from)
            return across[3 * (size_t)across[edge] + side] == edge / 3;
    return false;
}

/* Of a polygon: has its rim as many edges as vertices? */
static carom_status check_rim(check_state *state, const convex_node *node, uint32_t number)
{
    const uint32_t *facets = convex_facets(state->pieces, node), *across = convex_neighbours(state->pieces, node);
    uint32_t rim = 0;
    for (size_t i = 0; i < 3 * (size_t)node->facet_count; i++)
    {
        if (across[i] == HULL_NONE)
            rim++;
        else if (across[i] >= node->facet_count || !is_mutual(facets, across, i))
            return check_fail(state, "facet %zu of node %u has a wrong neighbour", i / 3, number);
    }
    return rim == node->vertex_count ? CAROM_OK : check_fail(state, "the rim of node %u has gaps", number);
}

/* Is the surface closed, and locally convex everywhere? With the topology of a sphere it is that of a convex body. */
static carom_status check_convex(check_state *state, const convex_node *node, uint32_t number)
{
    const uint32_t *facets = convex_facets(state->pieces, node), *across = convex_neighbours(state->pieces, node);
    const carom_vec3 *p = state->mesh->vertices;
    if (node->dimension == 3 && node->facet_count != 2 * node->vertex_count - 4)
        return check_fail(state, "the hull of node %u is no sphere", number);
    for (size_t i = 0; node->dimension == 3 && i < 3 * (size_t)node->facet_count; i++)
    {
        const uint32_t *own = facets + i / 3 * 3,
                       *other = facets + 3 * (size_t)(across[i] < node->facet_count ? across[i] : 0);
        uint32_t from = own[i % 3], to = own[(i % 3 + 1) % 3];
        int side = 0;
        if (across[i] >= node->facet_count)
            return check_fail(state, "the hull of node %u is open", number);
        while (side < 3 && (other[side] != to || other[(side + 1) % 3] != from))
            side++;
        if (side == 3 || exact_collinear(p[own[0]], p[own[1]], p[own[2]], NULL) ||
            exact_orient3d(p[own[0]], p[own[1]], p[own[2]], p[other[(side + 2) % 3]], NULL) < 0)
            return check_fail(state, "the hull of node %u is not convex at facet %zu", number, i / 3);
    }
    return CAROM_OK;
}

/* Is it the hull of all that it has to have? */
static carom_status check_hull(check_state *state, const convex_node *node, uint32_t number)
{
    hull h;
    BASE_TRY(list_vertices(state, node));
    state->points.count = 0;
    if (!base_array_reserve(state->context, &state->points, state->list.count))
        return CAROM_OUT_OF_MEMORY;
    for (size_t i = 0; i < state->list.count; i++)
        state->points.items[state->points.count++] = state->mesh->vertices[state->list.items[i]];
    BASE_TRY(hull_build_in(state->space, state->points.items, (uint32_t)state->points.count, &h));
    bool same =
        h.dimension == node->dimension && h.vertex_count == node->vertex_count && h.facet_count == node->facet_count;
    /* As sets: ours are ascending, and positions are merged. */
    const uint32_t *vertices = convex_vertices(state->pieces, node);
    for (uint32_t i = 0; same && i < h.vertex_count; i++)
    {
        uint32_t wanted = state->list.items[h.vertices[i]], low = 0, high = node->vertex_count;
        while (low < high)
        {
            uint32_t middle = low + (high - low) / 2;
            if (vertices[middle] < wanted)
                low = middle + 1;
            else
                high = middle;
        }
        same = low < node->vertex_count && vertices[low] == wanted && (low == 0 || vertices[low - 1] < wanted);
    }
    hull_free(&h);
    if (!same)
        return check_fail(state, "node %u has the wrong hull", number);
    return node->dimension == 2 ? check_rim(state, node, number) : check_convex(state, node, number);
}

/* ---- boxes ---- */

/* The coordinates below err by less than 2^-48 of the point's distance from the centre. */
static bool is_in_box(const volume_box *box, carom_vec3 point)
{
    carom_vec3 p = vec3_sub(point, box->centre);
    double slack = 0x1p-48 * (fabs(p.x) + fabs(p.y) + fabs(p.z)), determinant;
    const carom_vec3 *a = box->axis;
    determinant = vec3_dot(a[0], vec3_cross(a[1], a[2]));
    for (int i = 0; i < 3; i++)
    {
        double along = vec3_dot(vec3_cross(a[(i + 1) % 3], a[(i + 2) % 3]), p) / determinant;
        if (!(fabs(along) + slack <= box->half[i]))
            return false;
    }
    return true;
}

bool convex_box_has(const carom_mesh *mesh, const convex_pieces *pieces, const convex_node *node)
{
    bool inside = isfinite(node->box.half[0]) && isfinite(node->box.half[1]) && isfinite(node->box.half[2]);
    for (uint32_t i = 0; i < node->vertex_count && inside; i++)
        inside = is_in_box(&node->box, mesh->vertices[convex_vertices(pieces, node)[i]]);
    return inside;
}

/* ---- strips ---- */

static uint64_t edge_key(uint32_t from, uint32_t to) { return ((uint64_t)from << 32 | to) + 1; }

/* Takes a facet of the map: its first edge stands for it. False: it is not there. */
static bool take_triangle(check_state *state, const uint32_t *facets, const uint32_t triangle[3], uint32_t *left)
{
    for (int i = 0; i < 3; i++)
    {
        const uint64_t *facet = base_map_find(&state->edges, edge_key(triangle[i], triangle[(i + 1) % 3]));
        if (!facet || *facet == 0)
            continue;
        const uint32_t *corner = facets + 3 * (*facet - 1);
        if (corner[2] != triangle[(i + 2) % 3])
            continue;
        base_map_set(&state->edges, edge_key(corner[0], corner[1]), 0);
        --*left;
        return true;
    }
    return false;
}

/* A map that is much too large for this node, as it was made for another one, takes too long to clear. */
static void clear_edges(check_state *state, size_t count)
{
    if (state->edges.buckets.count > 16 * count + 64)
        base_map_free(state->context, &state->edges);
    else
        base_map_clear(&state->edges);
    state->effort += state->edges.buckets.count;
}

static carom_status check_strips(check_state *state, const convex_node *node, uint32_t number)
{
    const uint32_t *facets = convex_facets(state->pieces, node);
    uint32_t left = node->facet_count;
    state->list.count = 0;
    clear_edges(state, node->facet_count);
    if (!base_array_reserve(state->context, &state->list, node->index_count) ||
        !base_map_reserve(state->context, &state->edges, node->facet_count))
        return CAROM_OUT_OF_MEMORY;
    for (uint32_t i = 0; i < node->facet_count; i++)
        base_map_set(&state->edges, edge_key(facets[3 * (size_t)i], facets[3 * (size_t)i + 1]), (uint64_t)i + 1);
    uint32_t *list = state->list.items, run = 0;
    convex_decode_strips(state->pieces, node, list);
    for (uint32_t i = 0; i < node->index_count; i++)
    {
        run = list[i] == CONVEX_NONE ? 0 : run + 1;
        if (run < 3 || list[i] == list[i - 1] || list[i] == list[i - 2] || list[i - 1] == list[i - 2])
            continue;
        bool odd = (run - 3) % 2 == 1;
        uint32_t triangle[3] = {list[odd ? i - 1 : i - 2], list[odd ? i - 2 : i - 1], list[i]};
        if (!take_triangle(state, facets, triangle, &left))
            return check_fail(state, "node %u has a strip with a triangle that is no facet", number);
    }
    return left == 0 ? CAROM_OK : check_fail(state, "the strips of node %u lack %u facets", number, left);
}

/* ---- all ---- */

/* Finds the nodes of the tree that have triangles of one piece only. */
static void find_below(check_state *state)
{
    for (uint32_t i = state->tree->node_count; i-- > 0;)
    {
        const tree_node *node = &state->tree->nodes[i];
        uint32_t first = node->first, *below = state->below;
        below[i] = node->count == 0 ? below[first] : state->piece_of[state->tree->order[first]];
        for (uint32_t k = 1; k < (node->count == 0 ? 2 : node->count); k++)
            if ((node->count == 0 ? below[first + k] : state->piece_of[state->tree->order[first + k]]) != below[i])
                below[i] = CONVEX_NONE;
    }
}

static carom_status make_tree(check_state *state)
{
    carom_tree_def def = carom_tree_def_default();
    def.volume = CAROM_VOLUME_AABB, def.layout = CAROM_LAYOUT_BINARY, def.leaf_size = 4;
    BASE_TRY(carom_tree_create(state->context, state->mesh, &def, &state->tree));
    state->reach = bounds_reach(state->tree);
    state->below = base_allocate(state->context, state->tree->node_count, sizeof(uint32_t), _Alignof(uint32_t));
    return state->below ? bounds_find_hubs(state->context, state->tree, &state->hubs) : CAROM_OUT_OF_MEMORY;
}

static carom_status check_node(check_state *state, uint32_t number)
{
    const convex_node *node = convex_nodes(state->pieces) + number;
    BASE_TRY(check_hull(state, node, number));
    if (!convex_box_has(state->mesh, state->pieces, node))
        return check_fail(state, "the box of node %u is too small", number);
    BASE_TRY(check_strips(state, node, number));
    return node->first_child == 0 ? check_piece(state, node) : CAROM_OK;
}

static carom_status check_all(check_state *state)
{
    size_t triangles = state->mesh->triangle_count;
    state->piece_of = base_allocate(state->context, triangles, sizeof(uint32_t), _Alignof(uint32_t));
    state->reached = base_allocate(state->context, triangles, sizeof(uint32_t), _Alignof(uint32_t));
    state->facet_at = base_allocate(state->context, state->mesh->vertex_count, sizeof(uint32_t), _Alignof(uint32_t));
    state->mark = base_allocate(state->context, state->mesh->vertex_count, sizeof(uint32_t), _Alignof(uint32_t));
    if (!state->piece_of || !state->reached || !state->mark || !state->facet_at)
        return CAROM_OUT_OF_MEMORY;
    BASE_TRY(hull_space_create(state->context, &state->space));
    BASE_TRY(make_tree(state));
    memset(state->facet_at, 0, state->mesh->vertex_count * sizeof *state->facet_at);
    memset(state->reached, 0xff, triangles * sizeof *state->reached);
    memset(state->mark, 0xff, state->mesh->vertex_count * sizeof *state->mark);
    BASE_TRY(check_lists(state));
    BASE_TRY(check_links(state));
    find_below(state);
    for (uint32_t i = 0; i < state->pieces->node_count; i++)
    {
        carom_progress progress = {"verify", state->mesh->name, i, state->pieces->node_count};
        if (i % 256 == 0)
            BASE_TRY(base_step(state->context, &progress));
        BASE_TRY(check_node(state, i));
    }
    return CAROM_OK;
}

carom_status convex_check(carom_context *context, const carom_mesh *mesh, const convex_pieces *pieces)
{
    uint64_t effort;
    return convex_check_counted(context, mesh, pieces, &effort);
}

carom_status convex_check_counted(carom_context *context, const carom_mesh *mesh, const convex_pieces *pieces,
                                  uint64_t *effort)
{
    check_state state = {.context = context, .mesh = mesh, .pieces = pieces};
    size_t triangles = mesh->triangle_count;
    carom_status status = check_all(&state);
    *effort = state.effort;
    bounds_free_hubs(context, state.tree, state.hubs);
    if (state.below)
        base_release(context, state.below, state.tree->node_count, sizeof(uint32_t));
    carom_tree_destroy(state.tree);
    hull_space_destroy(state.space);
    base_release(context, state.piece_of, triangles, sizeof(uint32_t));
    base_release(context, state.reached, triangles, sizeof(uint32_t));
    base_release(context, state.mark, mesh->vertex_count, sizeof(uint32_t));
    base_release(context, state.facet_at, mesh->vertex_count, sizeof(uint32_t));
    base_array_free(context, &state.planes);
    base_array_free(context, &state.list);
    base_array_free(context, &state.points);
    base_map_free(context, &state.edges);
    if (status == CAROM_OUT_OF_MEMORY)
        return base_fail(context, status, "out of memory to check the pieces of %s", mesh->name);
    return status;
}
