/* Planes that boxes are compared with, and the boxes of triangles around a hub without the hub. */
#include "convex/bounds.h"

#include "volume/parts.h"

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
    double slack = 0x1p-48 * reach * (size + length * reach);
    return (bounds_plane){normal, vec3_dot(normal, a) + slack, {CONVEX_NONE, CONVEX_NONE, CONVEX_NONE}};
}

bounds_plane bounds_plane_through(const carom_tree *tree, double reach, const uint32_t corner[3])
{
    carom_vec3 a = in_tree(tree, corner[0]);
    bounds_plane out = outer_plane(reach, a, vec3_sub(in_tree(tree, corner[1]), a),
                                   vec3_sub(in_tree(tree, corner[2]), a));
    memcpy(out.corner, corner, sizeof out.corner);
    return out;
}

bool bounds_plane_along(const carom_tree *tree, double reach, const uint32_t corner[3], int axis, bounds_plane *out)
{
    carom_vec3 a = in_tree(tree, corner[0]), u = vec3_sub(in_tree(tree, corner[1]), a), c = in_tree(tree, corner[2]);
    double length = fabs(u.x) + fabs(u.y) + fabs(u.z);
    for (int side = 0; side < 2; side++)
    {
        double along = side ? -length : length;
        *out = outer_plane(reach, a, u, vec3(axis == 0 ? along : 0.0, axis == 1 ? along : 0.0, axis == 2 ? along : 0.0));
        out->corner[0] = corner[0], out->corner[1] = corner[1];
        /* The offset is more than the plane's own by the slack; behind by as much is behind for certain. */
        if (vec3_dot(out->normal, c) < 2.0 * vec3_dot(out->normal, a) - out->offset)
            return true;
    }
    return false;
}

/* ---- hubs ---- */

static void include_point(float *box, carom_vec3 p)
{
    const double at[3] = {p.x, p.y, p.z};
    for (int i = 0; i < 3; i++)
    {
        float low = float_below(at[i]), high = float_above(at[i]);
        box[i] = low < box[i] ? low : box[i], box[3 + i] = high > box[3 + i] ? high : box[3 + i];
    }
}

static void include_box(float *box, const float *other)
{
    for (int i = 0; i < 3; i++)
    {
        box[i] = other[i] < box[i] ? other[i] : box[i];
        box[3 + i] = other[3 + i] > box[3 + i] ? other[3 + i] : box[3 + i];
    }
}

static bounds_hub nothing(void)
{
    bounds_hub out = {.hub = {CONVEX_NONE, CONVEX_NONE}};
    for (int i = 0; i < 3; i++)
        out.opposite[i] = out.rest[i] = INFINITY, out.opposite[3 + i] = out.rest[3 + i] = -INFINITY;
    return out;
}

static bounds_hub of_triangle(const carom_tree *tree, const uint32_t *degree, uint32_t triangle)
{
    const carom_mesh *mesh = tree->mesh;
    bounds_hub out = nothing();
    int hubs = 0;
    for (int i = 0; i < 3; i++)
    {
        uint32_t vertex = mesh->merged[mesh->indices[3 * (size_t)triangle + (size_t)i]];
        bool is_hub = degree[vertex] > BOUNDS_HUB && hubs < 2 && (hubs == 0 || out.hub[0] != vertex);
        if (is_hub)
            out.hub[hubs++] = vertex;
        else
            include_point(out.opposite, in_tree(tree, vertex));
    }
    out.count = hubs > 0;
    if (hubs == 0)
        memcpy(out.rest, out.opposite, sizeof out.rest), memcpy(out.opposite, nothing().opposite, sizeof out.opposite);
    return out;
}

static bool has_hub(const bounds_hub *of, uint32_t vertex)
{
    return vertex != CONVEX_NONE && (of->hub[0] == vertex || of->hub[1] == vertex);
}

/* Keeps the hubs that both have; the others are corners like any other. */
static bounds_hub keep_common(const carom_tree *tree, const bounds_hub *one, const bounds_hub *other)
{
    bounds_hub out = *one;
    int kept = 0;
    out.hub[0] = out.hub[1] = CONVEX_NONE;
    for (int i = 0; i < 2; i++)
    {
        if (has_hub(other, one->hub[i]))
            out.hub[kept++] = one->hub[i];
        else if (one->hub[i] != CONVEX_NONE)
            include_point(out.opposite, in_tree(tree, one->hub[i]));
        if (other->hub[i] != CONVEX_NONE && !has_hub(one, other->hub[i]))
            include_point(out.opposite, in_tree(tree, other->hub[i]));
    }
    include_box(out.opposite, other->opposite);
    include_box(out.rest, other->rest);
    out.count += other->count;
    return out;
}

/* All triangles of the other one count as the rest. */
static bounds_hub keep_first(const carom_tree *tree, const bounds_hub *one, const bounds_hub *other)
{
    bounds_hub out = *one;
    for (int i = 0; i < 2; i++)
        if (other->hub[i] != CONVEX_NONE)
            include_point(out.rest, in_tree(tree, other->hub[i]));
    include_box(out.rest, other->opposite);
    include_box(out.rest, other->rest);
    return out;
}

static bounds_hub join(const carom_tree *tree, const bounds_hub *one, const bounds_hub *other)
{
    if (has_hub(other, one->hub[0]) || has_hub(other, one->hub[1]))
        return keep_common(tree, one, other);
    return one->count >= other->count ? keep_first(tree, one, other) : keep_first(tree, other, one);
}

static void fill_hubs(const carom_tree *tree, const uint32_t *degree, bounds_hub *hubs)
{
    for (uint32_t i = tree->node_count; i-- > 0;)
    {
        const tree_node *node = &tree->nodes[i];
        hubs[i] = node->count == 0 ? join(tree, &hubs[node->first], &hubs[node->first + 1])
                                   : of_triangle(tree, degree, tree->order[node->first]);
        for (uint32_t k = 1; k < node->count; k++)
        {
            bounds_hub other = of_triangle(tree, degree, tree->order[node->first + k]);
            hubs[i] = join(tree, &hubs[i], &other);
        }
    }
}

carom_status bounds_find_hubs(carom_context *context, const carom_tree *tree, bounds_hub **out)
{
    const carom_mesh *mesh = tree->mesh;
    uint32_t largest = 0, *degree = base_allocate(context, mesh->vertex_count, sizeof *degree, _Alignof(uint32_t));
    *out = NULL;
    if (!degree)
        return CAROM_OUT_OF_MEMORY;
    memset(degree, 0, mesh->vertex_count * sizeof *degree);
    for (size_t i = 0; i < 3 * (size_t)mesh->triangle_count; i++)
    {
        uint32_t count = ++degree[mesh->merged[mesh->indices[i]]];
        largest = count > largest ? count : largest;
    }
    carom_status status = CAROM_OK;
    if (largest > BOUNDS_HUB)
    {
        *out = base_allocate(context, tree->node_count, sizeof **out, _Alignof(bounds_hub));
        if (*out)
            fill_hubs(tree, degree, *out);
        else
            status = CAROM_OUT_OF_MEMORY;
    }
    base_release(context, degree, mesh->vertex_count, sizeof *degree);
    return status;
}

void bounds_free_hubs(carom_context *context, const carom_tree *tree, bounds_hub *hubs)
{
    if (hubs)
        base_release(context, hubs, tree->node_count, sizeof *hubs);
}

bool bounds_has_hub_beyond(const carom_tree *tree, const bounds_plane *plane, const bounds_hub *hub)
{
    if (!bounds_is_beyond(plane, hub->opposite, hub->opposite + 3))
        return false;
    for (int i = 0; i < 2; i++)
    {
        uint32_t vertex = hub->hub[i];
        if (vertex != CONVEX_NONE && vertex != plane->corner[0] && vertex != plane->corner[1] &&
            vertex != plane->corner[2] && !(vec3_dot(plane->normal, in_tree(tree, vertex)) > plane->offset))
            return false;
    }
    return true;
}
