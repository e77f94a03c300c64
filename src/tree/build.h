/* Builders: from a mesh to the structure of the canonical binary tree. Volumes are fitted to it afterwards.
 *
 * Every builder works on one record per triangle (build_box), is deterministic down to the bits on every instruction
 * set, uses no recursion, and gives trees no deeper than BUILD_DEPTH_LIMIT whatever the input. */
#ifndef TREE_BUILD_H
#define TREE_BUILD_H

#include "tree/build_top.h"
#include "tree/tree.h"

/* Both arrays are allocated from the context with exactly these counts; tree_structure_free frees them. A mesh without
 * triangles has no nodes. Node 0 is the root; children come after their parent. */
typedef struct tree_structure
{
    tree_node *nodes;
    uint32_t node_count;
    uint32_t *order; /* triangle ids, leaf by leaf */
    uint32_t reference_count;
} tree_structure;

/* def is complete: leaf_size is at least 1. */
carom_status tree_build_structure(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def,
                                  tree_structure *out);
void tree_structure_free(carom_context *context, tree_structure *structure);

/* ---- the records ---- */

/* The frame that builders work in: (point - centre) * scale, scale a power of two, lies within [-1, 1], so that
 * floats keep their digits and nothing overflows, wherever and however large the mesh is. */
typedef struct build_frame
{
    carom_vec3 centre;
    double scale;
} build_frame;
build_frame build_frame_of(const carom_aabb *bounds);

/* Float box in a build_frame with an id: -min x y z, id, max x y z, 0. With the minimum negated, one maximum of eight
 * lanes merges two boxes. Corners are rounded to nearest: add 2^-24 to enclose the triangle. The id is kept as the bits
 * of a float so that a record moves as one register. As a number these bits are mostly denormal, which slows arithmetic
 * down a hundredfold even in a lane that is never read: clear the lane first. */
typedef struct build_box
{
    _Alignas(32) float v[8];
} build_box;

enum
{
    BUILD_ID_LANE = 3
};

static inline uint32_t build_box_id(const build_box *box)
{
    uint32_t id;
    memcpy(&id, &box->v[BUILD_ID_LANE], sizeof id);
    return id;
}

static inline void build_box_set_id(build_box *box, uint32_t id) { memcpy(&box->v[BUILD_ID_LANE], &id, sizeof id); }

/* Twice the centre along an axis. */
static inline float build_box_centre(const build_box *box, int axis) { return box->v[4 + axis] - box->v[axis]; }

/* The smallest and largest of them; inverted infinities if there are no boxes. */
static inline void build_centre_range(const build_box *boxes, uint32_t count, float low[3], float high[3])
{
    for (int axis = 0; axis < 3; axis++)
        low[axis] = INFINITY, high[axis] = -INFINITY;
    for (uint32_t i = 0; i < count; i++)
        for (int axis = 0; axis < 3; axis++)
        {
            float centre = build_box_centre(&boxes[i], axis);
            low[axis] = centre < low[axis] ? centre : low[axis];
            high[axis] = centre > high[axis] ? centre : high[axis];
        }
}

/* Vertices in the frame, rounded; a fourth coordinate of 0 fills the register. Room for vertex_count. */
void build_vertices(carom_context *context, const carom_mesh *mesh, const build_frame *frame, float (*out)[4]);

/* Boxes of the mesh's triangles, in order, into an array with room for triangle_count. As below, scratch is left as it
 * was. */
carom_status build_triangle_boxes(base_arena *scratch, const carom_mesh *mesh, build_box *out);

/* ---- the core ---- */

enum
{
    BUILD_FREE_DEPTH = 48,   /* below this depth, ranges are halved by count */
    BUILD_DEPTH_LIMIT = 128, /* no leaf is deeper: 48 free levels (Morton: 62), then at most 32 halvings */
    BUILD_MAX_DEPTH_LIMIT = BUILD_DEPTH_LIMIT - 32, /* the limit that a caller may set: halvings may follow */
    BUILD_MAX_BINS = 32,
    BUILD_FEW_BLOCKS = 6 /* SIMD leaves; ranges of at most this many are cut into full ones */
};

typedef struct build_options
{
    uint32_t leaf_size;  /* at least 1; ranges are split until they are not larger */
    uint32_t block_size; /* triangles that cost as much as one: 1, 2, 4, 8 (SIMD leaves); a power of two */
    bool by_volume;      /* cost by volume instead of surface area (chapter, eq. 25.2) */
} build_options;

/* The canonical tree over boxes, with the surface area of each node's box. */
typedef struct build_tree
{
    tree_node *nodes; /* leaves: ranges of the reordered boxes */
    float *areas;     /* per node: half of it; or null */
    uint32_t node_count;
    uint32_t capacity; /* of both arrays */
} build_tree;

/* Top-down, binned; reorders the boxes so that each leaf is a range of them. count may be 0. */
carom_status build_binned(base_arena *scratch, build_box *boxes, uint32_t count, const build_options *options,
                          build_tree *out);
void build_tree_free(carom_context *context, build_tree *tree);

/* Any builder's tree with the areas of its nodes; like tree_build_structure otherwise. */
typedef struct build_result
{
    build_tree tree;
    uint32_t *order;
    uint32_t reference_count;
} build_result;
carom_status build_with_areas(base_arena *scratch, const carom_mesh *mesh, const carom_tree_def *def,
                              uint32_t block_size, build_result *out);
/* Makes room for all that build_with_areas takes from scratch at the same time, and for as many bytes afterwards: in
 * one piece, which an allocator keeps more readily than several. */
bool build_reserve(base_arena *scratch, const carom_mesh *mesh, size_t bytes_per_triangle);
void build_result_free(carom_context *context, build_result *result);

/* ---- the other builders; like build_binned ---- */

typedef struct build_input
{
    carom_context *context;
    const char *name; /* of the mesh */
    base_arena *scratch;
    build_box *boxes; /* reordered */
    uint32_t count;   /* at least 1 */
    uint32_t leaf_size;
    uint32_t block_size;    /* of SIMD leaves, which should be full; 0 or 1: none */
    double balance_penalty; /* the balanced builder's, as the two below; see carom_tree_def */
    uint32_t depth_limit;
    bool keep_large_leaves;
} build_input;

enum
{
    BUILD_STEP = 1 << 19 /* records handled, about, between two steps: a few hundredths of a second */
};

/* A step of a long build: done of count records are where they belong, or count + done have volumes. OK, or
 * CAROM_CANCELLED. */
carom_status build_step(carom_context *context, const char *name, uint64_t done, uint64_t count);

/* How many of `count` records go left where a builder would send `left`: whole blocks, in ranges of a few of them. */
static inline uint32_t build_left_blocks(uint32_t count, uint32_t left, uint32_t block)
{
    if (block <= 1 || count > BUILD_FEW_BLOCKS * block || count <= block)
        return left;
    uint32_t rounded = (left + block / 2) / block * block, max_left = (count - 1) / block * block;
    return rounded < block ? block : rounded < max_left ? rounded : max_left;
}

/* Nodes while a tree grows. */
typedef BASE_ARRAY(tree_node) build_nodes;

/* Fill nodes; leaves are ranges of the reordered input->boxes. */
carom_status build_median(const build_input *input, build_nodes *nodes);
carom_status build_mean(const build_input *input, build_nodes *nodes);
carom_status build_morton(const build_input *input, build_nodes *nodes);
carom_status build_bottom_up(const build_input *input, build_nodes *nodes);
carom_status build_insertion(const build_input *input, build_nodes *nodes);

/* Duplicates references, so it makes its own order array of *order_count ids, allocated with exactly that count. */
carom_status build_balanced(const build_input *input, build_nodes *nodes, uint32_t **order, uint32_t *order_count);

/* ---- shared by builders ---- */

/* Sorts input->boxes along a Morton curve of 30 bits; keys and spare have room for twice and once as many. False, and
 * the order as it was, if all centres coincide. */
bool build_sort_morton(const build_input *input, uint64_t *keys, build_box *spare);

/* A tree as builders that merge or insert make it: ids below count are records, id count + i has children[i]. Becomes
 * canonical: subtrees of at most leaf_size records are leaves, deep ones are halved from BUILD_FREE_DEPTH on. */
typedef struct build_links
{
    uint32_t (*children)[2]; /* count - 1 */
    uint32_t root;
} build_links;
carom_status build_from_links(const build_input *input, const build_links *links, build_nodes *nodes);

/* Half the surface of the box around two boxes, in units that keep it finite. */
static inline float build_joint_area(const build_box *a, const build_box *b, float unit)
{
    float e[3];
    for (int i = 0; i < 3; i++)
    {
        float low = a->v[i] > b->v[i] ? a->v[i] : b->v[i], high = a->v[i + 4] > b->v[i + 4] ? a->v[i + 4] : b->v[i + 4];
        e[i] = (low + high) * unit;
    }
    return e[0] * e[1] + e[1] * e[2] + e[2] * e[0];
}

/* Without an id. */
static inline build_box build_join(const build_box *a, const build_box *b)
{
    build_box joint;
    for (int i = 0; i < 8; i++)
        joint.v[i] = i != BUILD_ID_LANE && a->v[i] > b->v[i] ? a->v[i] : b->v[i];
    build_box_set_id(&joint, 0);
    return joint;
}

/* For tree_subtrees_cut. */
static inline uint32_t build_children(const void *nodes, uint32_t node, uint32_t *count)
{
    tree_node at = ((const tree_node *)nodes)[node];
    *count = at.count ? 0 : 2;
    return at.count ? 0 : at.first;
}

/* Copies a subtree that was numbered from 0 to where its branch belongs. */
static inline void build_place_nodes(const build_branch *branch, const tree_node *grown, tree_node *nodes)
{
    for (uint32_t i = 0; i < branch->node_count; i++)
    {
        tree_node node = grown[i];
        if (!node.count)
            node.first += branch->below - 1;
        nodes[i ? branch->below + i - 1 : branch->node] = node;
    }
}

/* One over the largest extent of all the boxes together. */
float build_unit(const build_box *boxes, uint32_t count);

carom_status build_out_of_memory(carom_context *context, uint64_t count);

/* ---- kernels, one version per instruction set ---- */

/* Bounds of a range's records and of twice their centres, and how a branch is split. */
typedef struct build_spread
{
    build_box bounds, centres;
    int axis;
    uint32_t bin; /* the last one on the left */
} build_spread;

typedef struct build_bins
{
    build_box box[3][BUILD_MAX_BINS];
    uint32_t count[3][BUILD_MAX_BINS];
} build_bins;

/* What is found in a block, and where it moved to. */
typedef struct build_binned_block
{
    build_bins bins;
    build_box centres[2];
} build_binned_block;

/* The builder of build_binned_method. */
typedef struct build_work
{
    build_box *boxes, *spare; /* count each; the result is in boxes */
    const build_options *options;
    build_spread *spreads;      /* per branch */
    build_binned_block *blocks; /* per block */
    tree_node *grown;           /* subtrees; a branch's begin at twice its first record */
    float *grown_areas;
    tree_node *nodes; /* the result */
    float *areas;
} build_work;

BASE_DECLARE_ISA(const build_method *, build_binned_method, (void));
BASE_DECLARE_ISA(void, build_add_spread, (const build_box *boxes, uint32_t count, build_spread *spread));
BASE_DECLARE_ISA(void, build_gather_boxes,
                 (const carom_mesh *mesh, float (*vertices)[4], uint32_t first, uint32_t last, build_box *out));

#endif
