/* ESCD and EPCD: a task is a node of one tree and all edges of the other mesh (figures 4-7 and 4-8). */
#include "engine/edge/edge.h"

/* ---- the edges in the frame of the other mesh's tree ---- */

enum
{
    LANES = 8,
    EDGES_RANGE = 256 /* worth handing to another worker, and few enough that workers end together */
};

static double largest(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

/* Scales by a power of two such that nothing of both meshes lies outside [-1, 1], nor any box, which is a float and may
 * be far larger than what it holds: a mesh can be smaller than every normal float. What may shift an edge against a box
 * there: placement (the frame's slack), and the rounding to float of the positions, the box and the arithmetic, each a
 * few times 2^-24; the half ways are rounded relatively, so products of theirs err by 2^-20 of the other factor, which
 * the grown box covers, and by the placement. */
static void set_scale(edge_walk *walk)
{
    const carom_aabb *own = &walk->body[0].placed.mesh->info.bounds, *other = &walk->body[1].placed.mesh->info.bounds;
    double reach = largest(walk->frame.relative.translation) + vec3_length(vec3_sub(own->max, own->min)) +
                   vec3_length(vec3_sub(other->max, other->min)) + walk->frame.slack;
    const float *root = edge_node_box(walk->body[!walk->edges_of].asset->tree, 0);
    for (int i = 0; i < 6; i++)
        reach = fmax(reach, fabs((double)root[i]));
    int exponent;
    frexp(reach, &exponent);
    exponent = exponent < -900 ? -900 : exponent;
    walk->scale = ldexp(1.0, -exponent);
    float slack = math_float_up(walk->frame.slack * walk->scale);
    walk->grow = slack + 0x1p-20f;
    walk->slack = 8.0f * slack + 0x1p-100f;
}

static carom_vec3 place_vertex(const edge_walk *walk, carom_vec3 vertex)
{
    const math_relative *to = &walk->frame.relative;
    carom_vec3 v = vec3_sub(vertex, walk->body[walk->edges_of].asset->tree->origin);
    const double *r = to->rotation;
    carom_vec3 moved = vec3(r[0] * v.x + r[1] * v.y + r[2] * v.z + to->translation.x,
                            r[3] * v.x + r[4] * v.y + r[5] * v.z + to->translation.y,
                            r[6] * v.x + r[7] * v.y + r[8] * v.z + to->translation.z);
    return vec3_scale(moved, walk->scale);
}

static void place_vertices(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const edge_walk *walk = data;
    const carom_mesh *mesh = walk->body[walk->edges_of].placed.mesh;
    (void)worker;
    for (uint32_t i = first; i < last; i++)
        walk->state->positions.items[i] = place_vertex(walk, mesh->vertices[i]);
}

static void fill_groups(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const edge_walk *walk = data;
    const edge_asset *asset = walk->body[walk->edges_of].asset;
    const carom_vec3 *positions = walk->state->positions.items;
    (void)worker;
    for (uint32_t i = first * LANES; i < last * LANES; i++)
    {
        edge_group *group = &walk->state->groups.items[i / LANES];
        carom_vec3 middle = vec3(4.0, 4.0, 4.0), half = vec3(0.0, 0.0, 0.0);
        if (i < asset->list.count)
        {
            carom_vec3 p = positions[asset->list.ends[i][0]], q = positions[asset->list.ends[i][1]];
            middle = vec3_scale(vec3_add(p, q), 0.5), half = vec3_scale(vec3_sub(q, p), 0.5);
        }
        const double m[3] = {middle.x, middle.y, middle.z}, h[3] = {half.x, half.y, half.z};
        for (int axis = 0; axis < 3; axis++)
            group->middle[axis][i % LANES] = (float)m[axis], group->half[axis][i % LANES] = (float)h[axis];
    }
}

carom_status edge_begin_set(edge_walk *walk, int edges_of)
{
    edge_state *state = walk->state;
    carom_context *context = walk->task->context;
    const edge_body *edges = &walk->body[edges_of];
    uint32_t vertex_count = edges->placed.mesh->vertex_count;
    uint32_t group_count = edges->asset->list.count / LANES + (edges->asset->list.count % LANES > 0);
    state->groups.count = state->positions.count = 0;
    if (!base_array_reserve(context, &state->groups, group_count) ||
        !base_array_reserve(context, &state->positions, vertex_count))
        return edge_out_of_memory(context);
    walk->edges_of = edges_of;
    tree_relate(&walk->body[!edges_of].placed, &edges->placed, &walk->frame);
    set_scale(walk);
    if (walk->shared)
    {
        base_parallel_for(context, vertex_count, EDGES_RANGE, place_vertices, walk);
        base_parallel_for(context, group_count, EDGES_RANGE / LANES, fill_groups, walk);
    }
    else
    {
        place_vertices(0, vertex_count, 0, walk);
        fill_groups(0, group_count, 0, walk);
    }
    state->groups.count = group_count;
    walk->task->counters->volumes_updated += edges->asset->list.count;
    return CAROM_OK;
}

/* ---- a task ---- */

static edge_box place_box(const edge_walk *walk, const float *volume)
{
    edge_box box = {.slack = walk->slack};
    for (int axis = 0; axis < 3; axis++)
    {
        double low = walk->scale * (double)volume[axis], high = walk->scale * (double)volume[3 + axis];
        box.centre[axis] = (float)(0.5 * (low + high));
        box.half[axis] = (float)(0.5 * (high - low)) + walk->grow;
    }
    return box;
}

/* Every edge that touches the leaf's box against its triangles. */
static carom_status test_leaf(const edge_walk *walk, edge_lane *lane, uint32_t leaf, uint32_t hit_count)
{
    uint64_t candidates = 0;
    for (uint32_t i = 0; i < hit_count; i++)
        candidates += (uint64_t)__builtin_popcount((unsigned)(lane->hits.items[i] & 0xff));
    BASE_TRY(edge_place_faces(lane, &walk->body[!walk->edges_of], leaf, walk->task->context));
    if (!edge_end_step(lane, candidates * lane->faces.count))
        return CAROM_UNKNOWN;
    for (uint32_t i = 0; i < hit_count; i++)
    {
        uint32_t first = (uint32_t)(lane->hits.items[i] >> 8) * LANES;
        for (uint32_t lanes = (uint32_t)(lane->hits.items[i] & 0xff); lanes; lanes &= lanes - 1)
            BASE_TRY(edge_propose(walk, lane, walk->edges_of, first + (uint32_t)__builtin_ctz(lanes)));
    }
    return edge_certify(walk, lane);
}

static carom_status open_node(const edge_walk *walk, edge_lane *lane, uint32_t first_child)
{
    if (!base_array_reserve(walk->task->context, &lane->children, 2))
        return edge_out_of_memory(walk->task->context);
    for (uint32_t i = first_child; i < first_child + 2; i++)
        lane->children.items[lane->children.count++] =
            walk->edges_of == 0 ? (narrow_part_pair){EDGE_ALL, i, 0.0f} : (narrow_part_pair){i, EDGE_ALL, 0.0f};
    return CAROM_OK;
}

carom_status edge_run_set(edge_walk *walk, edge_lane *lane, narrow_part_pair task)
{
    const edge_state *state = walk->state;
    const carom_tree *tree = walk->body[!walk->edges_of].asset->tree;
    uint32_t node = walk->edges_of == 0 ? task.part_b : task.part_a, group_count = (uint32_t)state->groups.count;
    bool leaf = tree->nodes[node].count > 0;
    if (!edge_begin_step(lane, (uint64_t)LANES * group_count))
        return CAROM_UNKNOWN;
    lane->hits.count = 0;
    if (!base_array_reserve(walk->task->context, &lane->hits, group_count))
        return edge_out_of_memory(walk->task->context);
    /* One edge is enough to open a node; a leaf has to know them all. */
    edge_box box = place_box(walk, edge_node_box(tree, node));
    uint32_t hit_count = state->find(state->groups.items, group_count, &box, lane->hits.items, leaf ? group_count : 1);
    bool early = !leaf && hit_count > 0;
    lane->counters.boxes_tested += LANES * (early ? (lane->hits.items[0] >> 8) + 1 : group_count);
    if (hit_count == 0)
        return CAROM_OK;
    return leaf ? test_leaf(walk, lane, node, hit_count) : open_node(walk, lane, tree->nodes[node].first);
}
