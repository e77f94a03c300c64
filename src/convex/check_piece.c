/* Is a piece what it should be? The criteria again, on the finished hull, without anything that the growth knows. */
#include "convex/check.h"

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

static carom_status check_connected(const check_view *view)
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

/* A triangle of the piece, or the same seen from behind. */
typedef struct own_triangle
{
    uint32_t vertex[3];
    carom_vec3 corner[3];
} own_triangle;

static own_triangle turn_triangle(const check_view *view, uint32_t triangle, bool turned)
{
    const carom_mesh *mesh = view->state->mesh;
    own_triangle out;
    for (int i = 0; i < 3; i++)
    {
        int from = turned && i > 0 ? 3 - i : i;
        out.vertex[i] = mesh->merged[mesh->indices[3 * (size_t)triangle + (size_t)from]];
        out.corner[i] = mesh->vertices[out.vertex[i]];
    }
    return out;
}

/* Are all vertices of the hull on or behind the plane? */
static bool supports(const check_view *view, const own_triangle *t)
{
    const carom_vec3 *p = points_of(view), *c = t->corner;
    view->state->effort += view->leaf->vertex_count;
    for (uint32_t i = 0; i < view->leaf->vertex_count; i++)
        if (exact_orient3d(c[0], c[1], c[2], p[view->vertices[i]], NULL) < 0)
            return false;
    return true;
}

/* The same at an edge that the triangle shares with the hull, or by a search on this. */
static bool supports_quickly(const check_view *view, const hull *h, const own_triangle *t, uint32_t *start)
{
    hull_answer answer = HULL_NO_EDGE;
    view->state->effort++;
    if (h->dimension == 3)
        answer = hull_supports_at_edge(h, points_of(view), t->vertex, view->state->facet_at);
    if (answer != HULL_NO_EDGE)
        return answer == HULL_YES;
    view->state->effort += h->dimension == 3 ? h->facet_count : 0; /* at most */
    return hull_supports(h, points_of(view), t->corner, start);
}

enum
{
    CHECK_ALL_VERTICES = 64 /* up to so many are compared with every triangle of the piece */
};

static hull hull_of(const check_view *view)
{
    for (size_t i = 0; i < 3 * (size_t)view->leaf->facet_count; i++)
        view->state->facet_at[view->facets[i]] = (uint32_t)(i / 3);
    return (hull){.dimension = view->leaf->dimension,
                  .vertex_count = view->leaf->vertex_count,
                  .facet_count = view->leaf->facet_count,
                  .vertices = (uint32_t *)view->vertices,
                  .facets = (uint32_t *)view->facets,
                  .neighbours = (uint32_t *)view->neighbours};
}

static carom_status check_on_hull(const check_view *view)
{
    check_state *state = view->state;
    const hull h = hull_of(view);
    bool few = view->leaf->vertex_count <= CHECK_ALL_VERTICES, side[2] = {true, true};
    uint32_t start = 0;
    for (uint32_t i = 0; i < view->count; i++)
    {
        own_triangle t = turn_triangle(view, view->triangles[i], false);
        if (exact_collinear(t.corner[0], t.corner[1], t.corner[2], NULL))
        {
            if (view->count > 1)
                return check_fail(state, "piece %u has the degenerate triangle %u", view->leaf->piece,
                                  view->triangles[i]);
            continue;
        }
        for (int turned = 0; turned < 2; turned++)
        {
            t = turn_triangle(view, view->triangles[i], turned);
            if (side[turned])
                side[turned] = few ? supports(view, &t) : supports_quickly(view, &h, &t, &start);
        }
        if (!side[0] && !side[1])
            return check_fail(state, "triangle %u is not on the hull of its piece %u", view->triangles[i],
                              view->leaf->piece);
    }
    return CAROM_OK;
}

carom_status check_piece(check_state *state, const convex_node *leaf)
{
    const uint32_t *first = convex_items(state->pieces, CONVEX_PIECE_FIRST);
    check_view view = {.state = state, .leaf = leaf, .count = first[leaf->piece + 1] - first[leaf->piece]};
    view.triangles = (const uint32_t *)convex_items(state->pieces, CONVEX_TRIANGLES) + first[leaf->piece];
    view.facets = convex_facets(state->pieces, leaf), view.neighbours = convex_neighbours(state->pieces, leaf);
    view.vertices = convex_vertices(state->pieces, leaf);
    view.box = aabb_empty();
    for (uint32_t i = 0; i < leaf->vertex_count; i++)
        view.box = aabb_add_point(view.box, state->mesh->vertices[view.vertices[i]]);
    for (uint32_t i = 0; i < view.count; i++)
        for (size_t k = 0; k < 3; k++)
            state->mark[state->mesh->merged[state->mesh->indices[3 * (size_t)view.triangles[i] + k]]] = leaf->piece;
    BASE_TRY(check_connected(&view));
    BASE_TRY(check_on_hull(&view));
    return view.count > 1 ? check_apart(&view) : CAROM_OK;
}
