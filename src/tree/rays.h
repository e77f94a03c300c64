/* The ray layout: eight axis-aligned boxes a node, four triangles a leaf, all in float in a build_frame, derived from
 * any builder's tree. One relocatable block without pointers. What floats can't decide is certified by
 * narrow_ray_hit; the error bounds are in rays_simd.c and rays_enter_simd.c. */
#ifndef TREE_RAYS_H
#define TREE_RAYS_H

#include "tree/build.h"

enum
{
    RAY_WIDTH = 8,
    RAY_LEAF = 4,
    RAY_PLANES = 6
};

#define RAY_LEAF_FLAG 0x80000000u /* a child that is a leaf: the rest is the index of its block */
#define RAY_NO_CHILD  UINT32_MAX

typedef struct ray_node
{
    _Alignas(32) float planes[RAY_PLANES][RAY_WIDTH]; /* min x, max x, min y, max y, min z, max z; empty: 8, -8 */
    uint32_t child[RAY_WIDTH];
} ray_node;

typedef struct ray_block
{
    _Alignas(32) float edges[3][2 * RAY_LEAF]; /* x y z of the edges from corner 0 to 1 (four) and to 2 (four) */
    float corner[3][RAY_LEAF];
    uint32_t triangle[RAY_LEAF]; /* CAROM_NO_TRIANGLE where empty; filled from the front */
} ray_block;

struct ray_tree
{
    size_t size; /* of the whole block */
    build_frame frame;
    uint32_t node_count, block_count;
    uint32_t triangle_count, reference_count;
    uint32_t depth;
    uint32_t unused;
};

/* Nodes and blocks follow the header. */
static inline ray_node *ray_tree_nodes(const ray_tree *tree)
{
    return (ray_node *)((char *)tree + BASE_CACHE_LINE * 2);
}
static inline ray_block *ray_tree_blocks(const ray_tree *tree)
{
    return (ray_block *)(ray_tree_nodes(tree) + tree->node_count);
}

/* def->volume is CAROM_VOLUME_AABB; leaf_size above RAY_LEAF counts as RAY_LEAF. An empty mesh gives a tree without
 * nodes. */
carom_status ray_tree_create(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def, ray_tree **out);
void ray_tree_destroy(carom_context *context, ray_tree *tree);

/* Fits boxes and triangles to other positions; on failure the tree is as it was. `old` is the mesh that it fits now. */
carom_status ray_tree_refit(carom_context *context, ray_tree *tree, const carom_mesh *old, const carom_mesh *moved);

/* Sets node, leaf and reference counts and depth, adds bytes. */
void ray_tree_describe(const ray_tree *tree, carom_tree_info *info);
void ray_tree_costs(const ray_tree *tree, double *area_cost, double *volume_cost);

/* For trees that come out of a block: one without content, its parts, and the fit of everything. Null after base_fail.
 */
ray_tree *ray_tree_allocate(carom_context *context, const carom_mesh *mesh, uint32_t node_count, uint32_t block_count);
void ray_node_fill(ray_node *node, const uint32_t *children, uint32_t count);
void ray_block_fill(ray_block *block, const uint32_t *triangles, uint32_t count);
carom_status ray_tree_fit(carom_context *context, ray_tree *tree, const carom_mesh *mesh);

/* tree_ray and tree_line_x for this layout. */
carom_status ray_tree_cast(const ray_tree *tree, const tree_ray_task *task, tree_ray_fn *on_hit, void *user);
carom_status ray_tree_line_x(const ray_tree *tree, const tree_ray_task *task, carom_vec3 point,
                             void (*on_triangle)(uint32_t triangle, void *user), void *user);

/* ---- for traversals that compare pairs ---- */

/* Conservative box of a node's child in the mesh's own frame. */
carom_aabb ray_tree_box(const ray_tree *tree, uint32_t node, int lane);

/* ---- kernels, one version per instruction set ---- */

/* A triangle that the ray may hit, between two parameters; sure: it does hit. Returns the new limit, negative: stop. */
typedef struct ray_candidate
{
    uint32_t triangle;
    float low, high;
    bool sure;
} ray_candidate;
typedef float ray_candidate_fn(const ray_candidate *candidate, void *user);

/* The ray in the tree's frame: points origin + s direction, 0 <= s <= limit, largest |direction| component 1. */
typedef struct ray_walk
{
    const ray_node *nodes;
    const ray_block *blocks;
    float origin[3], direction[3];
    float inverse[3], near_shift[3], far_shift[3]; /* s of a plane: plane * inverse + shift */
    uint32_t near_plane[3], far_plane[3];
    float limit;
    float slack; /* of the triangle test, relative to edges */
    ray_candidate_fn *on_candidate;
    void *user;
    uint64_t boxes_tested;
} ray_walk;

BASE_DECLARE_ISA(void, ray_walk_run, (ray_walk * walk));

typedef enum ray_answer
{
    RAY_MISSES,
    RAY_ENTERS,
    RAY_UNDECIDED /* rounding is larger than the mesh */
} ray_answer;

/* How the tree's frame counts along a ray: s = (t - start) * rate. */
typedef struct ray_entry
{
    double start, rate;
    double first;     /* no hit has a smaller t */
    double placement; /* what the pose's rounding may shift, in the frame */
    float exit;       /* s of the end of the mesh's box */
} ray_entry;

/* Brings a world ray into the frame and sets up the walk but for its limit. */
BASE_DECLARE_ISA(ray_answer, ray_enter,
                 (const ray_tree *tree, const carom_placed *placed, const narrow_ray *ray, ray_entry *entry,
                  ray_walk *walk));

#endif
