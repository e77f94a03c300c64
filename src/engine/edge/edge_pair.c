/* SSTCD and SPCD: a task is a pair of nodes (figures 4-5 and 4-6). */
#include "engine/edge/edge.h"

/* The basic algorithm (figure 4-2) on two leaves: the edges of each against the triangles of the other. */
static carom_status test_leaves(const edge_walk *walk, edge_lane *lane, const uint32_t leaf[2])
{
    uint64_t work = 0;
    for (int own = 0; own < 2; own++)
    {
        const edge_asset *asset = walk->body[own].asset;
        size_t edges = asset->first_of_leaf[leaf[own] + 1] - asset->first_of_leaf[leaf[own]];
        work += (uint64_t)edges * walk->body[!own].asset->tree->nodes[leaf[!own]].count;
    }
    if (!edge_end_step(lane, work))
        return CAROM_UNKNOWN;
    for (int own = 0; own < 2; own++)
    {
        const edge_asset *asset = walk->body[own].asset;
        BASE_TRY(edge_place_faces(lane, &walk->body[!own], leaf[!own], walk->task->context));
        for (size_t i = asset->first_of_leaf[leaf[own]]; i < asset->first_of_leaf[leaf[own] + 1]; i++)
            BASE_TRY(edge_propose(walk, lane, own, asset->leaf_edges[i]));
    }
    return edge_certify(walk, lane);
}

/* Four pairs of children, or two where one node is a leaf. */
static carom_status open_nodes(const edge_walk *walk, edge_lane *lane, narrow_part_pair task)
{
    tree_node a = walk->body[0].asset->tree->nodes[task.part_a], b = walk->body[1].asset->tree->nodes[task.part_b];
    uint32_t first_a = a.count ? task.part_a : a.first, last_a = a.count ? task.part_a : a.first + 1;
    uint32_t first_b = b.count ? task.part_b : b.first, last_b = b.count ? task.part_b : b.first + 1;
    if (!base_array_reserve(walk->task->context, &lane->children, 4))
        return edge_out_of_memory(walk->task->context);
    for (uint32_t i = first_a; i <= last_a; i++)
        for (uint32_t j = first_b; j <= last_b; j++)
            lane->children.items[lane->children.count++] = (narrow_part_pair){i, j, 0.0f};
    return CAROM_OK;
}

carom_status edge_run_pair(edge_walk *walk, edge_lane *lane, narrow_part_pair task)
{
    const carom_tree *a = walk->body[0].asset->tree, *b = walk->body[1].asset->tree;
    volume_moved moved;
    if (!edge_begin_step(lane, 1))
        return CAROM_UNKNOWN;
    volume_move(&walk->frame, edge_node_box(b, task.part_b), &moved);
    lane->counters.boxes_tested++, lane->counters.volumes_updated++;
    if (volume_apart(&walk->frame, edge_node_box(a, task.part_a), &moved, 0.0))
        return CAROM_OK;
    if (a->nodes[task.part_a].count && b->nodes[task.part_b].count)
        return test_leaves(walk, lane, (uint32_t[2]){task.part_a, task.part_b});
    return open_nodes(walk, lane, task);
}
