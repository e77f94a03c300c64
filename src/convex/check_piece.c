/* Is a piece what it should be? The criteria again, on the finished hull, without anything that the growth knows. */
#include "convex/check.h"

#include "narrow/narrow.h"

typedef struct piece_view
{
    check_state *state;
    const convex_node *leaf;
    const uint32_t *triangles, *facets, *vertices;
    uint32_t count;
    carom_aabb box;
} piece_view;

static const carom_vec3 *points_of(const piece_view *view) { return view->state->mesh->vertices; }

/* 1 in front of a facet, 0 on its plane, -1 behind it. */
static int facet_side(const piece_view *view, uint32_t facet, carom_vec3 point)
{
    const uint32_t *corner = view->facets + 3 * (size_t)facet;
    const carom_vec3 *p = points_of(view);
    return -exact_orient3d(p[corner[0]], p[corner[1]], p[corner[2]], point, NULL);
}

static narrow_triangle facet_triangle(const piece_view *view, uint32_t facet)
{
    const uint32_t *corner = view->facets + 3 * (size_t)facet;
    const carom_vec3 *p = points_of(view);
    return (narrow_triangle){{p[corner[0]], p[corner[1]], p[corner[2]]}};
}

static bool is_degenerate(const carom_mesh *mesh, uint32_t triangle)
{
    carom_vec3 corner[3];
    mesh_corners(mesh, triangle, corner);
    return exact_collinear(corner[0], corner[1], corner[2], NULL);
}

/* ---- connected across edges that are not concave ---- */

/* Do the two agree on what is outside? */
static bool share_outside(const carom_mesh *mesh, uint32_t a, int side, uint32_t b)
{
    const uint32_t *p = mesh->indices + 3 * (size_t)a, *q = mesh->indices + 3 * (size_t)b;
    uint32_t from = mesh->merged[p[side]], to = mesh->merged[p[(side + 1) % 3]];
    for (int i = 0; i < 3; i++)
        if (mesh->merged[q[i]] == to && mesh->merged[q[(i + 1) % 3]] == from)
            return true;
    return false;
}

static carom_status check_connected(const piece_view *view)
{
    check_state *state = view->state;
    const carom_mesh *mesh = state->mesh;
    uint32_t piece = view->leaf->piece;
    state->list.count = 0;
    if (!base_array_reserve(state->context, &state->list, view->count))
        return CAROM_OUT_OF_MEMORY;
    state->list.items[state->list.count++] = view->triangles[0];
    state->reached[view->triangles[0]] = piece;
    for (size_t i = 0; i < state->list.count; i++)
        for (int side = 0; side < 3; side++)
        {
            uint32_t triangle = state->list.items[i];
            uint32_t other = mesh->neighbours[3 * (size_t)triangle + (size_t)side];
            if (other == MESH_NONE || state->piece_of[other] != piece || state->reached[other] == piece ||
                !share_outside(mesh, triangle, side, other))
                continue;
            state->reached[other] = piece;
            state->list.items[state->list.count++] = other;
        }
    if (state->list.count != view->count)
        return check_fail(state, "piece %u is not connected", piece);
    return CAROM_OK;
}

/* ---- on the surface of the hull ---- */

/* Are all vertices of the hull on or behind the plane (or in front of it, turned)? */
static bool supports(const piece_view *view, const carom_vec3 corner[3], bool turned)
{
    const carom_vec3 *p = points_of(view);
    for (uint32_t i = 0; i < view->leaf->vertex_count; i++)
    {
        int below =
            exact_orient3d(corner[0], corner[turned ? 2 : 1], corner[turned ? 1 : 2], p[view->vertices[i]], NULL);
        if (below < 0)
            return false;
    }
    return true;
}

/* The same by a search on the hull, for many triangles. */
static bool supports_quickly(const piece_view *view, const hull *h, const carom_vec3 corner[3], bool turned)
{
    const carom_vec3 triangle[3] = {corner[0], corner[turned ? 2 : 1], corner[turned ? 1 : 2]};
    uint32_t start = 0;
    return hull_supports(h, points_of(view), triangle, &start);
}

enum
{
    CHECK_ALL_VERTICES = 4096 /* up to so many are compared with every triangle of the piece */
};

static carom_status check_on_hull(const piece_view *view)
{
    check_state *state = view->state;
    hull h = {.dimension = view->leaf->dimension,
              .vertex_count = view->leaf->vertex_count,
              .facet_count = view->leaf->facet_count,
              .vertices = (uint32_t *)view->vertices,
              .facets = (uint32_t *)view->facets,
              .neighbours = (uint32_t *)convex_neighbours(state->pieces, view->leaf)};
    bool few = view->leaf->vertex_count <= CHECK_ALL_VERTICES, side[2] = {true, true};
    for (uint32_t i = 0; i < view->count; i++)
    {
        carom_vec3 corner[3];
        mesh_corners(state->mesh, view->triangles[i], corner);
        if (exact_collinear(corner[0], corner[1], corner[2], NULL))
        {
            if (view->count > 1)
                return check_fail(state, "piece %u has the degenerate triangle %u", view->leaf->piece,
                                  view->triangles[i]);
            continue;
        }
        for (int turned = 0; turned < 2; turned++)
            if (side[turned])
                side[turned] = few ? supports(view, corner, turned) : supports_quickly(view, &h, corner, turned);
        if (!side[0] && !side[1])
            return check_fail(state, "triangle %u is not on the hull of its piece %u", view->triangles[i],
                              view->leaf->piece);
    }
    return CAROM_OK;
}

/* ---- the hull meets nothing else ---- */

typedef struct stranger
{
    narrow_triangle triangle; /* shared corners first */
    int shared;
} stranger;

/* No common point with a solid: a facet has it in front, or no facet is touched and no corner is inside. */
static bool is_apart(const piece_view *view, const stranger *g)
{
    narrow_counts counts = {0};
    bool inside = view->leaf->dimension == 3;
    for (uint32_t i = 0; i < view->leaf->facet_count; i++)
    {
        int in_front = 0;
        for (int k = 0; k < 3; k++)
            in_front += facet_side(view, i, g->triangle.corner[k]) > 0;
        if (in_front == 3)
            return true;
        inside = inside && facet_side(view, i, g->triangle.corner[0]) <= 0;
    }
    for (uint32_t i = 0; i < view->leaf->facet_count && !inside; i++)
    {
        narrow_triangle facet = facet_triangle(view, i);
        inside = narrow_touches(&g->triangle, &facet, &counts);
    }
    return !inside;
}

static bool is_inside(const piece_view *view, carom_vec3 point)
{
    bool inside = view->leaf->dimension == 3;
    for (uint32_t i = 0; i < view->leaf->facet_count && inside; i++)
        inside = facet_side(view, i, point) <= 0;
    return inside;
}

/* Nothing in common but the first corner. */
static bool meets_in_corner(const piece_view *view, const stranger *g)
{
    narrow_counts counts = {0};
    const carom_vec3 *c = g->triangle.corner;
    const narrow_triangle point = {{c[0], c[0], c[0]}};
    for (uint32_t i = 0; i < view->leaf->facet_count; i++)
        if (facet_side(view, i, c[1]) > 0 && facet_side(view, i, c[2]) > 0 && facet_side(view, i, c[0]) == 0)
            return true;
    if (is_inside(view, c[1]) || is_inside(view, c[2]))
        return false;
    for (uint32_t i = 0; i < view->leaf->facet_count; i++)
    {
        carom_vec3 contact[6];
        narrow_triangle facet = facet_triangle(view, i);
        if (narrow_touches(&g->triangle, &facet, &counts) &&
            (!narrow_touches(&point, &facet, &counts) || narrow_contact(&g->triangle, &facet, contact, &counts) != 1))
            return false;
    }
    return true;
}

/* Of a polygon: is the third corner, in its plane, beyond a line along its rim that has the other two? */
static bool is_beyond_rim(const piece_view *view, const stranger *g)
{
    const uint32_t *neighbours = convex_neighbours(view->state->pieces, view->leaf);
    for (uint32_t i = 0; i < view->leaf->facet_count; i++)
        for (int side = 0; side < 3; side++)
        {
            if (neighbours[3 * (size_t)i + (size_t)side] != HULL_NONE)
                continue;
            narrow_triangle facet = facet_triangle(view, i);
            const carom_vec3 *f = facet.corner, *c = g->triangle.corner;
            for (int axis = 0; axis < 3; axis++)
            {
                int turn = exact_orient2d(f[0], f[1], f[2], axis, NULL);
                carom_vec3 p = f[side], q = f[(side + 1) % 3];
                if (turn != 0 && turn * exact_orient2d(p, q, c[2], axis, NULL) < 0 &&
                    exact_orient2d(p, q, c[0], axis, NULL) == 0 && exact_orient2d(p, q, c[1], axis, NULL) == 0)
                    return true;
            }
        }
    return false;
}

/* Nothing in common but the edge of the first two corners. */
static bool meets_in_edge(const piece_view *view, const stranger *g)
{
    const carom_vec3 *c = g->triangle.corner;
    if (view->leaf->dimension < 3)
        return facet_side(view, 0, c[2]) != 0 || is_beyond_rim(view, g);
    for (uint32_t i = 0; i < view->leaf->facet_count; i++)
        if (facet_side(view, i, c[2]) > 0 && facet_side(view, i, c[0]) == 0 && facet_side(view, i, c[1]) == 0)
            return true;
    return false;
}

static stranger describe(const piece_view *view, uint32_t triangle)
{
    stranger out = {.shared = 0};
    const carom_mesh *mesh = view->state->mesh;
    for (int shared = 1; shared >= 0; shared--)
        for (int i = 0, at = shared ? 0 : out.shared; i < 3; i++)
        {
            uint32_t vertex = mesh->merged[mesh->indices[3 * (size_t)triangle + (size_t)i]];
            if ((view->state->mark[vertex] == view->leaf->piece) != (shared == 1))
                continue;
            out.triangle.corner[at++] = mesh->vertices[vertex];
            out.shared += shared;
        }
    return out;
}

/* A degenerate triangle between shared corners is a part of the edge between them. */
static bool is_between(const stranger *g)
{
    const carom_vec3 *c = g->triangle.corner;
    carom_vec3 low = vec3_min(c[0], c[1]), high = vec3_max(c[0], c[1]);
    return g->shared == 3 ||
           (g->shared == 2 && vec3_equal(vec3_min(low, c[2]), low) && vec3_equal(vec3_max(high, c[2]), high));
}

static bool may_stand(const piece_view *view, uint32_t triangle)
{
    stranger g = describe(view, triangle);
    if (is_degenerate(view->state->mesh, triangle) && is_between(&g))
        return true;
    switch (g.shared)
    {
    case 0: return is_apart(view, &g);
    case 1: return meets_in_corner(view, &g);
    case 2: return meets_in_edge(view, &g);
    default: return false;
    }
}

static bool boxes_meet(const check_state *state, uint32_t node, const carom_aabb *box)
{
    const float *low = state->tree->volumes + 6 * (size_t)node, *high = low + 3;
    carom_vec3 min = vec3_sub(box->min, state->tree->origin), max = vec3_sub(box->max, state->tree->origin);
    double slack = 0x1p-48 * (fabs(min.x) + fabs(min.y) + fabs(min.z) + fabs(max.x) + fabs(max.y) + fabs(max.z));
    return (double)low[0] <= max.x + slack && (double)high[0] >= min.x - slack && (double)low[1] <= max.y + slack &&
           (double)high[1] >= min.y - slack && (double)low[2] <= max.z + slack && (double)high[2] >= min.z - slack;
}

static carom_status check_alone(const piece_view *view)
{
    check_state *state = view->state;
    const carom_tree *tree = state->tree;
    state->list.count = 0;
    if (!base_array_reserve(state->context, &state->list, 1))
        return CAROM_OUT_OF_MEMORY;
    state->list.items[state->list.count++] = 0;
    while (state->list.count > 0)
    {
        uint32_t number = state->list.items[--state->list.count];
        const tree_node *node = &tree->nodes[number];
        if (!boxes_meet(state, number, &view->box))
            continue;
        for (uint32_t i = 0; i < node->count; i++)
        {
            uint32_t triangle = tree->order[node->first + i];
            if (state->piece_of[triangle] != view->leaf->piece && !may_stand(view, triangle))
                return check_fail(state, "the hull of piece %u meets triangle %u of another piece", view->leaf->piece,
                                  triangle);
        }
        if (node->count > 0)
            continue;
        if (!base_array_reserve(state->context, &state->list, 2))
            return CAROM_OUT_OF_MEMORY;
        state->list.items[state->list.count++] = node->first;
        state->list.items[state->list.count++] = node->first + 1;
    }
    return CAROM_OK;
}

carom_status check_piece(check_state *state, const convex_node *leaf)
{
    const uint32_t *first = convex_items(state->pieces, CONVEX_PIECE_FIRST);
    piece_view view = {.state = state, .leaf = leaf, .count = first[leaf->piece + 1] - first[leaf->piece]};
    view.triangles = (const uint32_t *)convex_items(state->pieces, CONVEX_TRIANGLES) + first[leaf->piece];
    view.facets = convex_facets(state->pieces, leaf), view.vertices = convex_vertices(state->pieces, leaf);
    view.box = aabb_empty();
    for (uint32_t i = 0; i < leaf->vertex_count; i++)
        view.box = aabb_add_point(view.box, state->mesh->vertices[view.vertices[i]]);
    for (uint32_t i = 0; i < view.count; i++)
        for (size_t k = 0; k < 3; k++)
            state->mark[state->mesh->merged[state->mesh->indices[3 * (size_t)view.triangles[i] + k]]] = leaf->piece;
    BASE_TRY(check_connected(&view));
    BASE_TRY(check_on_hull(&view));
    return view.count > 1 ? check_alone(&view) : CAROM_OK;
}
