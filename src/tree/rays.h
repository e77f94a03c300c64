/* The ray layout: eight axis-aligned boxes per node, four triangles per leaf, all in float in a build_frame, derived
 * from any builder's tree. One relocatable block without pointers. What floats can't decide is certified by
 * narrow_ray_hit; the error bounds are in docs/exactness.md, section 16. */
#ifndef TREE_RAYS_H
#define TREE_RAYS_H

#include "tree/build.h"

enum
{
    RAY_WIDTH = 8,
    RAY_LEAF = 4,
    RAY_PLANES = 6,
    RAY_PLANE = RAY_WIDTH * (int)sizeof(float), /* bytes of one plane of all boxes */
    RAY_HEADER = 3 * BASE_CACHE_LINE            /* bytes before the nodes */
};

#define RAY_LEAF_FLAG 0x80000000u /* a child that is a leaf: the rest is about its block */
#define RAY_NO_CHILD  UINT32_MAX

typedef struct ray_node
{
    _Alignas(32) float planes[RAY_PLANES][RAY_WIDTH]; /* min x, max x, min y, max y, min z, max z; empty: 8, -8 */
    uint32_t child[RAY_WIDTH];                        /* ray_child_at of their indices */
} ray_node;

typedef struct ray_block
{
    _Alignas(32) float edges[3][2 * RAY_LEAF]; /* x y z of the edges from corner 0 to 1 (four) and to 2 (four) */
    float corner[3][RAY_LEAF];
    uint32_t triangle[RAY_LEAF]; /* CAROM_NO_TRIANGLE where empty; filled from the front */
} ray_block;

/* A node names a child by where it begins, in these units from the first node or block: a ray on its way needs no more
 * than a shift to find it. */
enum
{
    RAY_UNIT = 32, /* bytes */
    RAY_NODE_UNITS = sizeof(ray_node) / RAY_UNIT,
    RAY_BLOCK_UNITS = sizeof(ray_block) / RAY_UNIT
};
_Static_assert(sizeof(ray_node) % RAY_UNIT == 0 && sizeof(ray_block) % RAY_UNIT == 0, "whole units");

/* From the index of a node, or of a block with RAY_LEAF_FLAG, and back; RAY_NO_CHILD stays. */
static inline uint32_t ray_child_at(uint32_t index)
{
    if (index == RAY_NO_CHILD || !(index & RAY_LEAF_FLAG))
        return index == RAY_NO_CHILD ? index : index * RAY_NODE_UNITS;
    return RAY_LEAF_FLAG | (index & ~RAY_LEAF_FLAG) * RAY_BLOCK_UNITS;
}
static inline uint32_t ray_child_index(uint32_t child)
{
    if (child == RAY_NO_CHILD || !(child & RAY_LEAF_FLAG))
        return child == RAY_NO_CHILD ? child : child / RAY_NODE_UNITS;
    return RAY_LEAF_FLAG | (child & ~RAY_LEAF_FLAG) / RAY_BLOCK_UNITS;
}

struct ray_tree
{
    size_t size; /* of the whole block */
    build_frame frame;
    uint32_t node_count, block_count;
    uint32_t triangle_count, reference_count;
    uint32_t depth;
    uint32_t unused;
    uint64_t fit;                        /* a serial for each fit to positions */
    _Alignas(32) double low[4], high[4]; /* the mesh's box in the frame; the last lanes are without end */
};

/* Nodes and blocks follow the header. */
static inline ray_node *ray_tree_nodes(const ray_tree *tree) { return (ray_node *)((char *)tree + RAY_HEADER); }
static inline ray_block *ray_tree_blocks(const ray_tree *tree)
{
    return (ray_block *)(ray_tree_nodes(tree) + tree->node_count);
}

/* def->volume is CAROM_VOLUME_AABB; leaf_size above RAY_LEAF counts as RAY_LEAF. An empty mesh gives a tree without
 * nodes. */
carom_status ray_tree_create(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def, ray_tree **out);
void ray_tree_destroy(carom_context *context, ray_tree *tree);

/* Fits boxes and triangles to other positions; on failure the tree is unchanged. `old` is the mesh that it fits now. */
carom_status ray_tree_refit(carom_context *context, ray_tree *tree, const carom_mesh *old, const carom_mesh *moved);

/* Sets node, leaf and reference counts and depth, adds bytes. */
void ray_tree_describe(const ray_tree *tree, carom_tree_info *info);
void ray_tree_costs(const ray_tree *tree, double *area_cost, double *volume_cost);

/* For trees that come out of a block: one without content, its parts, and the fit of everything. Null after base_fail.
 */
ray_tree *ray_tree_allocate(carom_context *context, const carom_mesh *mesh, uint32_t node_count, uint32_t block_count);
void ray_node_fill(ray_node *node, const uint32_t *children, uint32_t count);
void ray_block_fill(ray_block *block, const uint32_t *triangles, uint32_t count);
bool ray_tree_in_order(const ray_tree *tree); /* are its nodes numbered as the builder does? fit relies on it */
carom_status ray_tree_fit(carom_context *context, ray_tree *tree, const carom_mesh *mesh);

/* tree_ray and tree_line_x for this layout. */
carom_status ray_tree_cast(const ray_tree *tree, const tree_ray_task *task, tree_ray_fn *on_hit, void *user);
carom_status ray_tree_line_x(const ray_tree *tree, const tree_ray_task *task, carom_vec3 point,
                             void (*on_triangle)(uint32_t triangle, void *user), void *user);

/* ---- for traversals that compare pairs ---- */

/* Conservative box of a node's child in the mesh's own frame. */
carom_aabb ray_tree_box(const ray_tree *tree, uint32_t node, int lane);

/* ---- kernels, one version per instruction set ---- */

/* A triangle that the ray may hit, between two parameters; sure: it does hit. */
typedef struct ray_candidate
{
    uint32_t triangle;
    bool sure;
    float low, high;
} ray_candidate;

enum
{
    RAY_MAX_WAITING = 16,
    RAY_NEAR = 1024 /* |coordinate| in the frame; further away rounding is counted ray by ray */
};

/* Where a walk begins, instead of at 0: a key holds its lane in the last bits and must stay a normal number. No limit
 * is below it. */
static const float RAY_BEGIN = 0x1p-126f;

/* How the tree's frame counts along a ray: s = t rate - start. rate is a power of two. */
typedef struct ray_entry
{
    double start, rate;
    double placement; /* what the pose's rounding may shift, in the frame */
    double exit;      /* s of the end of the mesh's box */
} ray_entry;

/* Largest s that can belong to a t up to max_t. */
static inline double ray_entry_limit(const ray_entry *entry, double max_t)
{
    if (max_t == INFINITY)
        return entry->exit;
    double t = max_t * entry->rate, s = t - entry->start;
    s += t * 0x1p-38 + fabs(s) * 0x1p-20 + (entry->placement + 0x1p-22);
    return s < entry->exit ? s : entry->exit;
}

/* A ray on its way through a tree. In the tree's frame: points origin + s direction, RAY_BEGIN <= s <= limit, direction
 * of length 1 to 3.5. */
typedef struct ray_walk
{
    /* Stored as a whole and loaded one by one soon after, which is slow across cache lines. */
    _Alignas(16) float origin[4], direction[4];
    float inverse[4], near_shift[4], far_shift[4]; /* s of a plane: plane * inverse + shift */

    /* What the caller sets. `look` examines the candidates that are waiting and empties the list; the traversal calls
     * it when there are `room` of them. What is left at the end is the caller's to examine. */
    const ray_tree *tree; /* not empty */
    const carom_mesh *mesh;
    double max_t;  /* largest t of interest; compared with rounded ones */
    bool nearest;  /* only the nearest hit matters */
    uint32_t room; /* up to RAY_MAX_WAITING */
    void (*look)(struct ray_walk *walk);

    ray_entry entry;
    float limit; /* lowered by what the walk finds, negative: stop */
    uint32_t boxes_tested;
    uint32_t waiting_count;
    ray_candidate waiting[RAY_MAX_WAITING];
    const size_t *near; /* where a node's near planes x y z begin, in bytes; ^ RAY_PLANE: the far ones */
    float slack, weight_slack, volume_slack; /* of the triangle test: see rays_simd.c */
} ray_walk;

typedef enum ray_answer
{
    RAY_MISSES,
    RAY_ENTERS,
    RAY_UNDECIDED /* rounding is larger than the mesh, or the direction beyond what a query accepts */
} ray_answer;

/* The ray is one of the world. Where it does not enter the tree, there are no candidates. */
BASE_DECLARE_ISA(ray_answer, ray_walk_run, (ray_walk * walk, const tree_ray_frame *ray_frame, const carom_ray *ray));

/* Sets everything except the pose; extent is the mesh's. */
void ray_frame_set(tree_ray_frame *ray_frame, const ray_tree *tree, double extent);

/* Sets the margins for this placement, and an origin whose coordinates are at most `farthest`. */
void ray_margins_set(tree_ray_margins *margins, const ray_tree *tree, double placement, double farthest);

#endif
