/* edge: chapter 4 of the thesis (ARCHITECTURE.md, "Sources"), four ways to search a pair of meshes over the balanced
 * box trees of its section 4.3.2. They differ in what a task is, and in how many tasks run at once:
 *
 *   sstcd   a node of each tree                              one
 *   spcd    a node of each tree                              all of a level
 *   escd    a node of one tree, all edges of the other mesh  one; then the meshes change places
 *   epcd    a node of one tree, all edges of the other mesh  K; then the meshes change places
 *
 * Tasks wait in a queue, LIVESET in the thesis, which is also this method's front. At the leaves, edges are tested
 * against triangles: if two triangles share a point, a side of one meets the other, even if they lie in one plane or
 * are degenerate. That test is closed and padded; the exact narrow phase decides the pairs that it proposes.
 * Containment, which the thesis excludes by assumption, is detected by the query layer, as for every engine. */
#ifndef ENGINE_EDGE_H
#define ENGINE_EDGE_H

#include "engine/edge/edge_list.h"
#include "engine/engine.h"
#include "volume/volume.h"

/* ---- asset: what is kept per mesh ---- */

typedef struct edge_asset
{
    carom_context *context;
    carom_tree *tree; /* balanced, axis-aligned boxes */
    edge_list list;
    size_t *first_of_leaf; /* node_count + 1: the edges of a leaf's triangles, in leaf_edges; none for inner nodes */
    uint32_t *leaf_edges;
    base_arena arena; /* owns the arrays */
} edge_asset;

/* Null for a shape that is not a mesh. */
carom_status edge_create_asset(void *context, const carom_shape *shape, void **out);
void edge_destroy_asset(void *context, void *object);

/* ---- state: memory and sums of a method, one per engine worker ---- */

/* A placed triangle of a leaf. */
typedef struct edge_face
{
    narrow_triangle corners;
    carom_aabb box;
    uint32_t triangle;
} edge_face;

/* A pair of triangles that meets. */
typedef struct edge_found
{
    uint32_t triangle_a, triangle_b, meeting;
} edge_found;

/* One worker's memory while tasks run in parallel. */
typedef struct edge_lane
{
    _Alignas(BASE_CACHE_LINE) carom_status status;
    base_budget budget;
    BASE_ARRAY(narrow_part_pair) children; /* the children of its tasks */
    BASE_ARRAY(edge_found) found;
    /* of the current task */
    bool first_step; /* is it the first that its budget is spent on? */
    BASE_ARRAY(edge_face) faces;
    edge_proposed proposed;
    BASE_ARRAY(uint64_t) hits; /* group << 8 | lanes */

    carom_counters counters;
    narrow_counts counts;
    uint64_t tasks, edge_tests;
    double busy_seconds;
} edge_lane;

/* Eight edges in the frame of a tree's boxes, scaled into [-1, 1]: the middle, and half the way from end to end.
 * Unused ones are far outside. */
typedef struct edge_group
{
    _Alignas(32) float middle[3][8], half[3][8];
} edge_group;

/* A box in that frame, grown by whatever rounding may shift an edge. */
typedef struct edge_box
{
    float centre[3], half[3];
    float slack; /* of products of lengths */
} edge_box;

/* Groups with an edge that may touch the box: group << 8 | lanes into hits, at most `limit` of them. Returns how many.
 */
#define EDGE_FIND_PARAMETERS                                                                                           \
    (const edge_group *groups, uint32_t count, const edge_box *box, uint64_t *hits, uint32_t limit)
typedef uint32_t edge_find_fn EDGE_FIND_PARAMETERS;
BASE_DECLARE_ISA(uint32_t, edge_find, EDGE_FIND_PARAMETERS);

/* How a method schedules its tasks. */
typedef struct edge_rules
{
    bool by_edges;                 /* escd, epcd */
    bool shared;                   /* tasks of a batch run on all workers */
    uint32_t batch;                /* tasks at once; 0: the K that the engine was asked for */
    uint32_t min_range, max_range; /* tasks that are handed to a worker together */
} edge_rules;

typedef BASE_ARRAY(narrow_part_pair) edge_queue;

typedef struct edge_state
{
    carom_context *context;
    const edge_rules *rules;
    edge_find_fn *find;
    base_watch watch;
    tree_scratch scratch;
    edge_lane *lanes; /* made on first use */
    uint32_t lane_count;
    uint32_t tasks_at_once;   /* K */
    edge_queue open;          /* tasks of later stages */
    edge_queue current, next; /* LIVESET: the rest of a level, and the level below */
    BASE_ARRAY(edge_group) groups;
    BASE_ARRAY(carom_vec3) positions; /* while groups are filled */
    carom_engine_stats stats;         /* since it was created */
} edge_state;

/* ---- a search in progress ---- */

typedef struct edge_body
{
    const edge_asset *asset;
    mesh_placed placed; /* with the asset's tree */
} edge_body;

typedef struct edge_walk
{
    edge_state *state;
    const query_task *task;
    const narrow_search *search;
    edge_body body[2]; /* a, b */
    bool shared;       /* among workers */
    base_cancel cancel;
    carom_status (*run_task)(struct edge_walk *walk, edge_lane *lane, narrow_part_pair task);
    const narrow_part_pair *batch;
    volume_frame frame; /* pairs: b seen from a; edges: the mesh with the edges seen from the other */
    /* edges */
    int edges_of;      /* whose */
    double scale;      /* into the groups' frame */
    float grow, slack; /* of edge_box */
} edge_walk;

/* A task is a narrow_part_pair: nodes of a's and b's trees, or one node and EDGE_ALL for the edges of the other mesh.
 * EDGE_ALL twice means the clearance, which is checked last. */
#define EDGE_ALL UINT32_MAX

/* The method's collide function. */
carom_status edge_collide(void *state, const query_task *task, const narrow_search *search, bool *violated);

/* The two kinds of task. CAROM_UNKNOWN: the lane's budget is spent, and the task has to be done again. */
carom_status edge_run_pair(edge_walk *walk, edge_lane *lane, narrow_part_pair task);
carom_status edge_run_set(edge_walk *walk, edge_lane *lane, narrow_part_pair task);

/* Brings the edges of body[edges_of] into the frame of the other side's boxes. */
carom_status edge_begin_set(edge_walk *walk, int edges_of);

/* ---- at the leaves ---- */

/* The triangles of a leaf into lane->faces. */
carom_status edge_place_faces(edge_lane *lane, const edge_body *body, uint32_t leaf, carom_context *context);
/* One edge of walk->body[edges_of] against lane->faces, which are the other's: adds to lane->proposed. */
carom_status edge_propose(const edge_walk *walk, edge_lane *lane, int edges_of, uint32_t edge);
/* Decides each proposed pair once; adds to lane->found. Ends at the first where one is enough. */
carom_status edge_certify(const edge_walk *walk, edge_lane *lane);

/* Spends work of any size. */
static inline bool edge_spend(edge_lane *lane, uint64_t work)
{
    return base_budget_spend(&lane->budget, work < UINT32_MAX ? (uint32_t)work : UINT32_MAX);
}

/* A task is one step of the search, which is made even where it takes more than the work there is, if it is the first:
 * what a task spends at once, and what it spends on top. */
static inline bool edge_begin_step(edge_lane *lane, uint64_t work)
{
    lane->first_step = !lane->budget.begun;
    return edge_spend(lane, work);
}

static inline bool edge_end_step(edge_lane *lane, uint64_t work)
{
    base_budget *budget = &lane->budget;
    if (lane->first_step && budget->work_left != UINT64_MAX && budget->work_left < work)
        return budget->work_left = 0, true;
    return edge_spend(lane, work);
}

static inline const float *edge_node_box(const carom_tree *tree, uint32_t node)
{
    return tree->volumes + 6 * (size_t)node; /* low, high */
}

#endif
