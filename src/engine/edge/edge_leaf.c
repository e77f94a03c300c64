/* Edges against the triangles of a leaf, and the exact test of the pairs that they propose. */
#include "engine/edge/edge.h"

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
    carom_vec3 p = pose_apply(placed->pose, placed->mesh->vertices[asset->list.ends[edge][0]]);
    carom_vec3 q = pose_apply(placed->pose, placed->mesh->vertices[asset->list.ends[edge][1]]);
    carom_aabb box = {vec3_min(p, q), vec3_max(p, q)};
    lane->edge_tests += lane->faces.count;
    for (size_t i = 0; i < lane->faces.count; i++)
    {
        const edge_face *face = &lane->faces.items[i];
        if (!boxes_meet(&box, &face->box) || !may_touch(p, q, &face->corners))
            continue;
        if (!edge_propose_users(walk->task->context, &lane->proposed, &asset->list, edges_of,
                                edge_with_triangle(edge, face->triangle)))
            return edge_out_of_memory(walk->task->context);
    }
    return CAROM_OK;
}

/* ---- proposed pairs ---- */

carom_status edge_certify(const edge_walk *walk, edge_lane *lane)
{
    carom_context *context = walk->task->context;
    edge_judge judge = {&walk->body[0].placed, &walk->body[1].placed, walk->search->need_meeting};
    if (!edge_sort_proposed(context, &lane->proposed))
        return edge_out_of_memory(context);
    size_t count = lane->proposed.pairs.count;
    lane->proposed.pairs.count = 0; /* the items stay until the next task */
    for (size_t i = 0; i < count; i++)
    {
        uint64_t pair = lane->proposed.pairs.items[i];
        uint32_t meeting = edge_meet(&judge, pair, &lane->counts);
        lane->counters.triangles_tested++;
        if (meeting == CAROM_MEET_NONE)
            continue;
        if (!base_array_reserve(context, &lane->found, 1))
            return edge_out_of_memory(context);
        lane->found.items[lane->found.count++] = (edge_found){(uint32_t)(pair >> 32), (uint32_t)pair, meeting};
        if (!walk->search->every_pair)
            return CAROM_OK;
    }
    return CAROM_OK;
}
