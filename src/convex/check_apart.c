/* The hull of a piece and the triangles of others. */
#include "convex/check.h"

#include "narrow/narrow.h"

/* 1 in front of a facet, 0 on its plane, -1 behind it. */
static int facet_side(const check_view *view, uint32_t facet, carom_vec3 point)
{
    const uint32_t *corner = view->facets + 3 * (size_t)facet;
    const carom_vec3 *p = points_of(view);
    return -exact_orient3d(p[corner[0]], p[corner[1]], p[corner[2]], point, NULL);
}

static narrow_triangle facet_triangle(const check_view *view, uint32_t facet)
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

/* ---- one triangle ---- */

typedef struct stranger
{
    narrow_triangle triangle; /* shared corners first */
    uint32_t vertex[3];
    int shared;
} stranger;

/* Is the triangle in front of a facet, but for the shared corners, which are on its plane? Then it has nothing else in
 * common with a solid. */
static bool is_in_front(check_view *view, uint32_t facet, const stranger *g)
{
    view->state->effort++;
    for (int i = 0; i < 3; i++)
        if (facet_side(view, facet, g->triangle.corner[2 - i]) != (2 - i >= g->shared))
            return false;
    view->facet = facet;
    return true;
}

enum
{
    CHECK_STEPS = 64 /* facets that are looked at around a shared corner, before all are */
};

/* Is there a facet that has it in front? Those around a shared corner come first, or the last one that had. */
static bool is_parted(check_view *view, const stranger *g)
{
    for (int i = 0; i < g->shared; i++)
    {
        uint32_t vertex = g->vertex[i], first = view->state->facet_at[vertex], facet = first;
        for (int step = 0; step < CHECK_STEPS && facet < view->leaf->facet_count; step++)
        {
            const uint32_t *f = view->facets + 3 * (size_t)facet;
            uint32_t at = f[0] == vertex ? 0 : f[1] == vertex ? 1 : 2;
            if (f[at] != vertex || (step > 0 && facet == first))
                break;
            if (is_in_front(view, facet, g))
                return true;
            facet = view->neighbours[3 * (size_t)facet + (at + 2) % 3];
        }
    }
    if (view->facet < view->leaf->facet_count && is_in_front(view, (uint32_t)view->facet, g))
        return true;
    for (uint32_t facet = 0; facet < view->leaf->facet_count; facet++)
        if (is_in_front(view, facet, g))
            return true;
    return false;
}

static bool is_inside(check_view *view, carom_vec3 point)
{
    bool inside = view->leaf->dimension == 3;
    for (uint32_t i = 0; i < view->leaf->facet_count && inside; i++)
        inside = facet_side(view, i, point) <= 0;
    return inside;
}

/* No common point: a facet has it in front, or no facet is touched and no corner is inside. */
static bool is_apart(check_view *view, const stranger *g)
{
    narrow_counts counts = {0};
    if (is_parted(view, g))
        return true;
    view->state->effort += view->leaf->facet_count;
    bool met = is_inside(view, g->triangle.corner[0]);
    for (uint32_t i = 0; i < view->leaf->facet_count && !met; i++)
    {
        narrow_triangle facet = facet_triangle(view, i);
        met = narrow_touches(&g->triangle, &facet, &counts);
    }
    return !met;
}

/* Nothing in common but the first corner. */
static bool meets_in_corner(check_view *view, const stranger *g)
{
    narrow_counts counts = {0};
    const carom_vec3 *c = g->triangle.corner;
    const narrow_triangle point = {{c[0], c[0], c[0]}};
    if (is_parted(view, g))
        return true;
    view->state->effort += view->leaf->facet_count;
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
static bool is_beyond_rim(check_view *view, const stranger *g)
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
static bool meets_in_edge(check_view *view, const stranger *g)
{
    if (view->leaf->dimension < 3)
        return facet_side(view, 0, g->triangle.corner[2]) != 0 || is_beyond_rim(view, g);
    return is_parted(view, g);
}

static stranger describe(check_view *view, uint32_t triangle)
{
    stranger out = {.shared = 0};
    const carom_mesh *mesh = view->state->mesh;
    for (int shared = 1; shared >= 0; shared--)
        for (int i = 0, at = shared ? 0 : out.shared; i < 3; i++)
        {
            uint32_t vertex = mesh->merged[mesh->indices[3 * (size_t)triangle + (size_t)i]];
            if ((view->state->mark[vertex] == view->leaf->piece) != (shared == 1))
                continue;
            out.vertex[at] = vertex, out.triangle.corner[at++] = mesh->vertices[vertex];
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

static bool may_stand(check_view *view, uint32_t triangle)
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

/* ---- many triangles ---- */

static bool add_plane(check_view *view, const uint32_t corner[3])
{
    check_state *state = view->state;
    if (!base_array_reserve(state->context, &state->planes, 1))
        return false;
    state->planes.items[state->planes.count++] = bounds_plane_through(&view->frame, corner);
    return true;
}

/* About the normal of a polygon. */
static carom_vec3 polygon_normal(const check_view *view)
{
    carom_vec3 sum = vec3(0.0, 0.0, 0.0);
    for (uint32_t i = 0; i < view->leaf->facet_count; i++)
    {
        const carom_vec3 *c = facet_triangle(view, i).corner;
        sum = vec3_add(sum, vec3_cross(vec3_sub(c[1], c[0]), vec3_sub(c[2], c[0])));
    }
    return sum;
}

/* Planes along the rim of a polygon, upright on it as far as rounding allows: all contain the same direction. If that
 * points to the front of the polygon, all of them have it behind, and one of its points tells. */
static bool add_rim_planes(check_view *view)
{
    check_state *state = view->state;
    size_t before = state->planes.count;
    carom_vec3 up = vec3_scale(bounds_unit(polygon_normal(view)), state->reach);
    bool behind = false;
    for (size_t i = 0; i < 3 * (size_t)view->leaf->facet_count; i++)
    {
        const uint32_t *corner = view->facets + i / 3 * 3;
        bounds_edge edge = {{corner[i % 3], corner[(i + 1) % 3]}, corner, 3};
        if (view->neighbours[i] != HULL_NONE)
            continue;
        if (!base_array_reserve(state->context, &state->planes, 1))
            return false;
        bounds_plane *plane = &state->planes.items[state->planes.count++];
        behind |= bounds_plane_along(&view->frame, &edge, up, plane);
    }
    state->planes.count = behind ? state->planes.count : before;
    return true;
}

/* Planes that have the hull behind; a polygon's own plane, from both sides, has it as well. */
static bool list_planes(check_view *view)
{
    view->state->planes.count = 0;
    for (uint32_t i = 0; i < view->leaf->facet_count; i++)
    {
        const uint32_t *corner = view->facets + 3 * (size_t)i;
        const uint32_t turned[3] = {corner[0], corner[2], corner[1]};
        if (!add_plane(view, corner) || (view->leaf->dimension == 2 && !add_plane(view, turned)))
            return false;
    }
    return view->leaf->dimension != 2 || add_rim_planes(view);
}

static bool boxes_meet(const check_state *state, uint32_t node, const carom_aabb *box)
{
    const float *low = state->tree->volumes + 6 * (size_t)node, *high = low + 3;
    carom_vec3 min = vec3_sub(box->min, state->tree->origin), max = vec3_sub(box->max, state->tree->origin);
    double slack = 0x1p-48 * (fabs(min.x) + fabs(min.y) + fabs(min.z) + fabs(max.x) + fabs(max.y) + fabs(max.z));
    return (double)low[0] <= max.x + slack && (double)high[0] >= min.x - slack && (double)low[1] <= max.y + slack &&
           (double)high[1] >= min.y - slack && (double)low[2] <= max.z + slack && (double)high[2] >= min.z - slack;
}

/* Is there a plane that has something in front? Each place of the view's hints is for one kind of thing. */
typedef bool plane_test(const check_view *view, const bounds_plane *plane, uint32_t node);
static bool is_any_beyond(check_view *view, plane_test *test, uint32_t node, int kind)
{
    check_state *state = view->state;
    size_t *hint = &view->plane[kind];
    state->effort++;
    if (*hint < state->planes.count && test(view, &state->planes.items[*hint], node))
        return true;
    for (size_t i = 0; i < state->planes.count; i++)
    {
        state->effort++;
        if (test(view, &state->planes.items[i], node))
            return *hint = i, true;
    }
    return false;
}

static bool is_box_beyond(const check_view *view, const bounds_plane *plane, uint32_t node)
{
    const float *low = view->state->tree->volumes + 6 * (size_t)node;
    return bounds_is_beyond(plane, low, low + 3);
}

static bool is_hub_beyond(const check_view *view, const bounds_plane *plane, uint32_t node)
{
    return bounds_has_hub_beyond(&view->frame, plane, &view->state->hubs[node]);
}

static bool is_rest_beyond(const check_view *view, const bounds_plane *plane, uint32_t node)
{
    return bounds_box_is_beyond(plane, &view->state->hubs[node].rest);
}

static bool is_edge_between(const check_view *view, const bounds_hub *hub)
{
    for (uint32_t i = 0; i < view->leaf->facet_count; i++)
        for (size_t side = 0; side < 3; side++)
        {
            const uint32_t *f = view->facets + 3 * (size_t)i;
            const bounds_edge edge = {{f[side], f[(side + 1) % 3]}, view->vertices, view->leaf->vertex_count};
            if (bounds_edge_parts(&view->frame, &edge, hub))
                return true;
        }
    return false;
}

enum
{
    CHECK_EDGES = 8 /* edges of hulls with so many facets are tried, too */
};

/* Is the hull apart from all triangles of a node, but for its vertices where they are at a hub? */
static bool is_node_parted(check_view *view, uint32_t node)
{
    const bounds_hub *hub = view->state->hubs ? &view->state->hubs[node] : NULL;
    if (is_any_beyond(view, is_box_beyond, node, 0))
        return true;
    if (!hub || !is_any_beyond(view, is_rest_beyond, node, 1))
        return false;
    return hub->count == 0 || is_any_beyond(view, is_hub_beyond, node, 2) ||
           (view->leaf->facet_count <= CHECK_EDGES && is_edge_between(view, hub));
}

static carom_status check_leaf(check_view *view, const tree_node *node)
{
    check_state *state = view->state;
    for (uint32_t i = 0; i < node->count; i++)
    {
        uint32_t triangle = state->tree->order[node->first + i];
        if (state->piece_of[triangle] != view->leaf->piece && !may_stand(view, triangle))
            return check_fail(state, "the hull of piece %u meets triangle %u of another piece", view->leaf->piece,
                              triangle);
    }
    return CAROM_OK;
}

carom_status check_apart(check_view *view)
{
    check_state *state = view->state;
    state->list.count = 0;
    view->frame = (bounds_frame){state->tree, state->reach, state->mark, view->leaf->piece};
    if (!list_planes(view) || !base_array_reserve(state->context, &state->list, 1))
        return CAROM_OUT_OF_MEMORY;
    state->list.items[state->list.count++] = 0;
    while (state->list.count > 0)
    {
        uint32_t number = state->list.items[--state->list.count];
        const tree_node *node = &state->tree->nodes[number];
        if (state->below[number] == view->leaf->piece || !boxes_meet(state, number, &view->box) ||
            is_node_parted(view, number))
            continue;
        BASE_TRY(check_leaf(view, node));
        if (node->count > 0)
            continue;
        if (!base_array_reserve(state->context, &state->list, 2))
            return CAROM_OUT_OF_MEMORY;
        state->list.items[state->list.count++] = node->first;
        state->list.items[state->list.count++] = node->first + 1;
    }
    return CAROM_OK;
}
