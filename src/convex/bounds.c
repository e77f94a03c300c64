/* Planes that boxes are compared with, and the boxes of triangles around a hub without the hub. */
#include "convex/bounds.h"

#include "convex/nodes.h"

/* ---- planes ---- */

double bounds_reach(const carom_tree *tree)
{
    carom_vec3 low = vec3_sub(tree->mesh->info.bounds.min, tree->origin),
               high = vec3_sub(tree->mesh->info.bounds.max, tree->origin);
    double corner[6] = {low.x, low.y, low.z, high.x, high.y, high.z}, reach = 0.0;
    for (int i = 0; i < 6; i++)
        reach = fabs(corner[i]) > reach ? fabs(corner[i]) : reach;
    return reach;
}

static carom_vec3 in_tree(const carom_tree *tree, uint32_t vertex)
{
    return vec3_sub(tree->mesh->vertices[vertex], tree->origin);
}

/* Through a point, with two directions in it; moved outwards by more than all rounding: of the points to the tree's
 * frame, of the normal and of its product with a box. */
static bounds_plane outer_plane(double reach, carom_vec3 a, carom_vec3 u, carom_vec3 v)
{
    carom_vec3 normal = vec3_cross(u, v);
    carom_vec3 s = vec3(fabs(u.x), fabs(u.y), fabs(u.z)), t = vec3(fabs(v.x), fabs(v.y), fabs(v.z));
    double size = (s.y * t.z + s.z * t.y) + (s.z * t.x + s.x * t.z) + (s.x * t.y + s.y * t.x);
    /* The points err by 2^-53 of the reach each, so the normal by 2^-50 of the reach times the lengths. */
    double length = s.x + s.y + s.z + t.x + t.y + t.z;
    double slack = 0x1p-48 * reach * (size + length * reach) + 0x1p-1000; /* the last against underflow */
    return (bounds_plane){normal, vec3_dot(normal, a) + slack, slack, {CONVEX_NONE, CONVEX_NONE, CONVEX_NONE}};
}

bounds_plane bounds_plane_through(const bounds_frame *frame, const uint32_t corner[3])
{
    carom_vec3 a = in_tree(frame->tree, corner[0]);
    bounds_plane out = outer_plane(frame->reach, a, vec3_sub(in_tree(frame->tree, corner[1]), a),
                                   vec3_sub(in_tree(frame->tree, corner[2]), a));
    memcpy(out.corner, corner, sizeof out.corner);
    return out;
}

/* Are all vertices but the edge's ends behind? The offset is more than the plane's own by the slack; behind by as much
 * is behind for certain. */
static bool has_behind(const bounds_frame *frame, const bounds_plane *plane, const bounds_edge *edge)
{
    for (size_t i = 0; i < edge->count; i++)
        if (edge->vertices[i] != edge->end[0] && edge->vertices[i] != edge->end[1] &&
            !(vec3_dot(plane->normal, in_tree(frame->tree, edge->vertices[i])) < plane->offset - 2.0 * plane->slack))
            return false;
    return true;
}

bool bounds_plane_along(const bounds_frame *frame, const bounds_edge *edge, carom_vec3 direction, bounds_plane *out)
{
    carom_vec3 a = in_tree(frame->tree, edge->end[0]), u = vec3_sub(in_tree(frame->tree, edge->end[1]), a);
    *out = outer_plane(frame->reach, a, u, direction);
    out->corner[0] = edge->end[0], out->corner[1] = edge->end[1];
    return has_behind(frame, out, edge);
}

bool bounds_plane_across(const bounds_frame *frame, const uint32_t corner[3], bounds_plane *out)
{
    const bounds_edge edge = {{corner[0], corner[1]}, corner, 3};
    carom_vec3 a = in_tree(frame->tree, corner[0]), u = vec3_sub(in_tree(frame->tree, corner[1]), a);
    carom_vec3 up = vec3_cross(u, vec3_sub(in_tree(frame->tree, corner[2]), a));
    return bounds_plane_along(frame, &edge, vec3_scale(bounds_unit(up), frame->reach), out);
}

bool bounds_plane_between(const bounds_frame *frame, const bounds_edge *edge, const bounds_plane sides[2],
                          bounds_plane *out)
{
    carom_vec3 a = in_tree(frame->tree, edge->end[0]), u = vec3_sub(in_tree(frame->tree, edge->end[1]), a);
    carom_vec3 one = sides[0].normal, other = sides[1].normal;
    one = vec3_scale(one, 1.0 / sqrt(vec3_dot(one, one))),
    other = vec3_scale(other, 1.0 / sqrt(vec3_dot(other, other)));
    carom_vec3 along = vec3_cross(vec3_add(one, other), u);
    return bounds_plane_along(frame, edge, vec3_scale(bounds_unit(along), frame->reach), out);
}

bool bounds_box_is_beyond(const bounds_plane *plane, const volume_box *box)
{
    double spread = 0.0;
    for (int i = 0; i < 3; i++)
        spread += fabs(vec3_dot(plane->normal, box->axis[i])) * box->half[i];
    /* The sums of a dozen products err by less than three slacks. */
    return box->half[0] < 0.0 || vec3_dot(plane->normal, box->centre) - spread > plane->offset + 3.0 * plane->slack;
}

/* Is a vertex exactly on the plane that this one stands for? */
static bool is_on_plane(const bounds_frame *frame, const bounds_plane *plane, uint32_t vertex)
{
    const carom_vec3 *p = frame->tree->mesh->vertices;
    const uint32_t *c = plane->corner;
    if (vertex == c[0] || vertex == c[1] || vertex == c[2])
        return true;
    return c[2] == CONVEX_NONE ? exact_collinear(p[c[0]], p[c[1]], p[vertex], NULL)
                               : exact_orient3d(p[c[0]], p[c[1]], p[c[2]], p[vertex], NULL) == 0;
}

bool bounds_has_hub_beyond(const bounds_frame *frame, const bounds_plane *plane, const bounds_hub *hub)
{
    if (!bounds_box_is_beyond(plane, &hub->opposite))
        return false;
    for (int i = 0; i < 2; i++)
    {
        uint32_t vertex = hub->hub[i];
        if (vertex == CONVEX_NONE || vec3_dot(plane->normal, in_tree(frame->tree, vertex)) > plane->offset)
            continue;
        if (frame->owner[vertex] != frame->own || !is_on_plane(frame, plane, vertex))
            return false;
    }
    return true;
}

/* The body has only the edge on the plane, and the triangles only the hub, which is not in line with the edge. */
bool bounds_edge_parts(const bounds_frame *frame, const bounds_edge *edge, const bounds_hub *hub)
{
    for (int turned = 0; turned < 2 && hub->hub[1] == CONVEX_NONE; turned++)
    {
        const uint32_t corner[3] = {edge->end[turned], edge->end[1 - turned], hub->hub[0]};
        bounds_plane plane = bounds_plane_through(frame, corner);
        if (has_behind(frame, &plane, edge))
            return bounds_box_is_beyond(&plane, &hub->opposite);
    }
    return false;
}

/* ---- hubs ---- */

typedef struct hub_search
{
    carom_context *context;
    const carom_tree *tree;
    uint32_t *degree; /* per vertex */
    bounds_hub *hubs;
    BASE_ARRAY(uint32_t) stack;
    BASE_ARRAY(carom_vec3) opposite, rest;
} hub_search;

static uint32_t corner_of(const hub_search *search, uint32_t triangle, int i)
{
    const carom_mesh *mesh = search->tree->mesh;
    return mesh->merged[mesh->indices[3 * (size_t)triangle + (size_t)i]];
}

static bool has_hub(const bounds_hub *of, uint32_t vertex)
{
    return vertex != CONVEX_NONE && (of->hub[0] == vertex || of->hub[1] == vertex);
}

static bounds_hub hubs_of_triangle(const hub_search *search, uint32_t triangle)
{
    bounds_hub out = {.hub = {CONVEX_NONE, CONVEX_NONE}};
    uint32_t found = 0;
    for (int i = 0; i < 3 && found < 2; i++)
    {
        uint32_t vertex = corner_of(search, triangle, i);
        if (search->degree[vertex] > BOUNDS_HUB && !has_hub(&out, vertex))
            out.hub[found++] = vertex;
    }
    out.count = found > 0;
    return out;
}

/* Hubs that both have, or else those of the one with more triangles. */
static bounds_hub join(const bounds_hub *one, const bounds_hub *other)
{
    bounds_hub common = {.hub = {CONVEX_NONE, CONVEX_NONE}, .count = one->count + other->count};
    uint32_t found = 0;
    for (int i = 0; i < 2; i++)
        if (has_hub(other, one->hub[i]))
            common.hub[found++] = one->hub[i];
    return found > 0 ? common : one->count >= other->count ? *one : *other;
}

/* Adds a triangle's corners: without the node's hubs if it has all of them. */
static bool add_corners(hub_search *search, const bounds_hub *hub, uint32_t triangle)
{
    carom_vec3 corner[3];
    int hubs = 0, others = 0;
    for (int i = 0; i < 3; i++)
    {
        bool is_hub = has_hub(hub, corner_of(search, triangle, i));
        hubs += is_hub;
        if (!is_hub)
            corner[others++] = in_tree(search->tree, corner_of(search, triangle, i));
    }
    if (!base_array_reserve(search->context, &search->opposite, 3) ||
        !base_array_reserve(search->context, &search->rest, 3))
        return false;
    int wanted = (hub->hub[0] != CONVEX_NONE) + (hub->hub[1] != CONVEX_NONE);
    for (int i = 0; wanted > 0 && hubs == wanted && i < others; i++)
        search->opposite.items[search->opposite.count++] = corner[i];
    for (int i = 0; (wanted == 0 || hubs != wanted) && i < 3; i++)
        search->rest.items[search->rest.count++] = in_tree(search->tree, corner_of(search, triangle, i));
    return true;
}

static void fit_box(const carom_vec3 *points, size_t count, volume_box *out)
{
    *out = (volume_box){.half = {-1.0, -1.0, -1.0}};
    if (count > 0)
        nodes_fit_box(&(volume_points){points, NULL, (uint32_t)count}, out);
}

/* Fits both boxes of a node whose hubs are known. */
static bool fit_boxes(hub_search *search, uint32_t number)
{
    const carom_tree *tree = search->tree;
    bounds_hub *hub = &search->hubs[number];
    search->opposite.count = search->rest.count = search->stack.count = 0;
    if (!base_array_reserve(search->context, &search->stack, 1))
        return false;
    search->stack.items[search->stack.count++] = number;
    while (search->stack.count > 0)
    {
        const tree_node *node = &tree->nodes[search->stack.items[--search->stack.count]];
        for (uint32_t i = 0; i < node->count; i++)
            if (!add_corners(search, hub, tree->order[node->first + i]))
                return false;
        if (node->count > 0)
            continue;
        if (!base_array_reserve(search->context, &search->stack, 2))
            return false;
        search->stack.items[search->stack.count++] = node->first;
        search->stack.items[search->stack.count++] = node->first + 1;
    }
    fit_box(search->opposite.items, search->opposite.count, &hub->opposite);
    fit_box(search->rest.items, search->rest.count, &hub->rest);
    return true;
}

static bool fill_hubs(hub_search *search)
{
    const carom_tree *tree = search->tree;
    bool room = true;
    for (uint32_t i = tree->node_count; i-- > 0 && room;)
    {
        const tree_node *node = &tree->nodes[i];
        bounds_hub *hubs = search->hubs;
        if (node->count == 0)
            hubs[i] = join(&hubs[node->first], &hubs[node->first + 1]);
        for (uint32_t k = 0; k < node->count; k++)
        {
            bounds_hub other = hubs_of_triangle(search, tree->order[node->first + k]);
            hubs[i] = k == 0 ? other : join(&hubs[i], &other);
        }
        room = fit_boxes(search, i);
    }
    return room;
}

static bool has_hubs(hub_search *search)
{
    const carom_mesh *mesh = search->tree->mesh;
    uint32_t largest = 0;
    memset(search->degree, 0, mesh->vertex_count * sizeof *search->degree);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
    {
        uint32_t count = ++search->degree[mesh->merged[mesh->indices[i]]];
        largest = count > largest ? count : largest;
    }
    return largest > BOUNDS_HUB;
}

static carom_status find_hubs(hub_search *search)
{
    if (!search->degree)
        return CAROM_OUT_OF_MEMORY;
    if (!has_hubs(search))
        return CAROM_OK;
    search->hubs = base_allocate(search->context, search->tree->node_count, sizeof *search->hubs, _Alignof(bounds_hub));
    return search->hubs && fill_hubs(search) ? CAROM_OK : CAROM_OUT_OF_MEMORY;
}

carom_status bounds_find_hubs(carom_context *context, const carom_tree *tree, bounds_hub **out)
{
    hub_search search = {.context = context, .tree = tree};
    size_t vertices = tree->mesh->vertex_count;
    search.degree = base_allocate(context, vertices, sizeof *search.degree, _Alignof(uint32_t));
    carom_status status = find_hubs(&search);
    base_release(context, search.degree, vertices, sizeof *search.degree);
    base_array_free(context, &search.stack);
    base_array_free(context, &search.opposite);
    base_array_free(context, &search.rest);
    *out = search.hubs; /* even if they are not complete: then the caller frees them */
    return status;
}

void bounds_free_hubs(carom_context *context, const carom_tree *tree, bounds_hub *hubs)
{
    if (hubs)
        base_release(context, hubs, tree->node_count, sizeof *hubs);
}
