/* Edges against the triangles of a leaf, and the exact test of the pairs that they propose. */
#include "engine/edge/edge.h"

carom_status edge_out_of_memory(carom_context *context)
{
    return base_fail(context, CAROM_OUT_OF_MEMORY, "engine: no memory for edges and tasks");
}

carom_status edge_place_faces(edge_lane *lane, const edge_body *body, uint32_t leaf, carom_context *context)
{
    const carom_tree *tree = body->asset->tree;
    tree_node node = tree->nodes[leaf];
    lane->faces.count = 0;
    if (!base_array_reserve(context, &lane->faces, node.count))
        return edge_out_of_memory(context);
    for (uint32_t i = 0; i < node.count; i++)
    {
        edge_face *face = &lane->faces.items[lane->faces.count++];
        const carom_vec3 *corner = face->corners.corner;
        face->triangle = tree->order[node.first + i];
        face->corners = tree_world_triangle(&body->placed, face->triangle);
        face->box = (carom_aabb){vec3_min(corner[0], vec3_min(corner[1], corner[2])),
                                 vec3_max(corner[0], vec3_max(corner[1], corner[2]))};
    }
    return CAROM_OK;
}

/* ---- one edge and one triangle ---- */

static int sign(carom_vec3 a, carom_vec3 b, carom_vec3 c)
{
    double bound, determinant = exact_filter3d(a, b, c, &bound);
    return exact_filter_sign(determinant, bound);
}

/* False only if the closed segment certainly misses the closed triangle: both its ends lie off the triangle's plane on
 * the same side, or its line passes outside one of the three sides. What lies in the plane is left to the boxes and to
 * the narrow phase. */
static bool may_touch(carom_vec3 p, carom_vec3 q, const narrow_triangle *triangle)
{
    const carom_vec3 *corner = triangle->corner;
    carom_vec3 a = vec3_sub(corner[0], p), b = vec3_sub(corner[1], p), c = vec3_sub(corner[2], p);
    int side_p = sign(a, b, c);
    if (side_p != 0 && side_p == sign(vec3_sub(corner[0], q), vec3_sub(corner[1], q), vec3_sub(corner[2], q)))
        return false;
    carom_vec3 way = vec3_sub(q, p);
    int hand[3] = {sign(way, a, b), sign(way, b, c), sign(way, c, a)};
    bool left = hand[0] > 0 || hand[1] > 0 || hand[2] > 0, right = hand[0] < 0 || hand[1] < 0 || hand[2] < 0;
    return !(left && right);
}

static bool boxes_meet(const carom_aabb *a, const carom_aabb *b)
{
    return a->min.x <= b->max.x && b->min.x <= a->max.x && a->min.y <= b->max.y && b->min.y <= a->max.y &&
           a->min.z <= b->max.z && b->min.z <= a->max.z;
}

carom_status edge_propose(const edge_walk *walk, edge_lane *lane, int edges_of, uint32_t edge)
{
    const edge_asset *asset = walk->body[edges_of].asset;
    const mesh_placed *placed = &walk->body[edges_of].placed;
    carom_vec3 p = pose_apply(placed->pose, placed->mesh->vertices[asset->ends[edge][0]]);
    carom_vec3 q = pose_apply(placed->pose, placed->mesh->vertices[asset->ends[edge][1]]);
    carom_aabb box = {vec3_min(p, q), vec3_max(p, q)};
    uint32_t first = asset->first_user[edge], last = asset->first_user[edge + 1];
    lane->edge_tests += lane->faces.count;
    for (size_t i = 0; i < lane->faces.count; i++)
    {
        const edge_face *face = &lane->faces.items[i];
        if (!boxes_meet(&box, &face->box) || !may_touch(p, q, &face->corners))
            continue;
        if (!base_array_reserve(walk->task->context, &lane->proposed, last - first))
            return edge_out_of_memory(walk->task->context);
        for (uint32_t user = first; user < last; user++)
        {
            uint64_t own = asset->users[user], other = face->triangle;
            lane->proposed.items[lane->proposed.count++] = edges_of == 0 ? own << 32 | other : other << 32 | own;
        }
    }
    return CAROM_OK;
}

/* ---- proposed pairs ---- */

static bool sort_proposed(edge_lane *lane, carom_context *context)
{
    lane->space.count = 0;
    if (!base_array_reserve(context, &lane->space, lane->proposed.count))
        return false;
    base_sort_u64(lane->proposed.items, lane->space.items, lane->proposed.count);
    return true;
}

static uint32_t meet(const edge_walk *walk, edge_lane *lane, uint32_t triangle_a, uint32_t triangle_b)
{
    narrow_triangle a = tree_world_triangle(&walk->body[0].placed, triangle_a);
    narrow_triangle b = tree_world_triangle(&walk->body[1].placed, triangle_b);
    lane->counters.triangles_tested++;
    if (walk->search->need_meeting)
        return narrow_meet(&a, &b, &lane->counts);
    return narrow_touches(&a, &b, &lane->counts) ? CAROM_MEET_TOUCHING : CAROM_MEET_NONE;
}

carom_status edge_certify(const edge_walk *walk, edge_lane *lane)
{
    carom_context *context = walk->task->context;
    if (!sort_proposed(lane, context))
        return edge_out_of_memory(context);
    size_t count = lane->proposed.count;
    const uint64_t *proposed = lane->proposed.items;
    lane->proposed.count = 0; /* the items stay until the next task */
    for (size_t i = 0; i < count; i++)
    {
        uint32_t triangle_a = (uint32_t)(proposed[i] >> 32), triangle_b = (uint32_t)proposed[i];
        if (i > 0 && proposed[i] == proposed[i - 1])
            continue;
        uint32_t meeting = meet(walk, lane, triangle_a, triangle_b);
        if (meeting == CAROM_MEET_NONE)
            continue;
        if (!base_array_reserve(context, &lane->found, 1))
            return edge_out_of_memory(context);
        lane->found.items[lane->found.count++] = (edge_found){triangle_a, triangle_b, meeting};
        if (!walk->search->every_pair)
            return CAROM_OK;
    }
    return CAROM_OK;
}
