/* How a wide tree is made: split top-down into a binary tree, fit oriented boxes, choose the eight-wide tree by dynamic
 * programming, write it out. Private to src/tree/wide_*.c and baked_wide.c.
 *
 * Everything here works on triangles in the normalised frame, in float. Only the structure of the tree depends on it,
 * never an answer: the boxes written at the end enclose the true vertices. */
#ifndef TREE_WIDE_BUILD_H
#define TREE_WIDE_BUILD_H

#include "tree/subtrees.h"
#include "tree/wide.h"

/* A binary node over triangles [first, first + count) of the sorted order. */
typedef struct split_node
{
    uint32_t first, count;
    uint32_t left;              /* the right one follows; 0: not split */
    uint32_t smallest_triangle; /* smallest id; set with the moments */
    float area;                 /* of the box that bounds it, up to a constant factor */
} split_node;

/* Eight floats: the box's low corner, 0, the negated high corner, 0; the union of two is their lane-wise minimum. A
 * triangle's record has its id in the first 0: bits that must not reach arithmetic. */
typedef struct split_box
{
    float lane[8];
} split_box;

static inline uint32_t split_box_id(const split_box *record)
{
    uint32_t id;
    memcpy(&id, &record->lane[3], sizeof id);
    return id;
}

static inline void split_box_set_id(split_box *record, uint32_t id) { memcpy(&record->lane[3], &id, sizeof id); }

/* Area, first and second moments of a node's surface: w, w m, w m m'. */
typedef struct split_moments
{
    double weight, sum[3], square[6];
} split_moments;

typedef struct wide_build
{
    carom_context *context;
    uint32_t count;    /* triangles */
    float *corners;    /* 9 per triangle, in mesh order */
    split_box *boxes;  /* a record per triangle, in mesh order until they are split */
    uint32_t *order;   /* triangle ids, sorted by the splits */
    split_node *nodes; /* the root first, children after parents */
    uint32_t node_count;
    tree_subtrees parts;    /* of the nodes */
    split_moments *moments; /* per node */
    float *sorted[3];       /* x, y, z of all corners in sorted order, 3 per triangle */
    uint32_t split_above;   /* nodes of this many triangles or fewer stay whole */
    bool principal_splits;  /* try splits along principal axes too */
    bool oriented_area;     /* measure nodes by oriented boxes */
    bool search_rotation;   /* improve the fits of the boxes that are kept */
} wide_build;

/* The axes of a box, orthonormal before they were rounded to float, are so up to this in each product of two: derived
 * in docs/exactness.md. */
static const double WIDE_AXES_DEFECT = 1.75 * 0x1p-24;

/* gcc 12 drops a rounding to float that is widened again in the same vectorised block; what is measured from a rounded
 * number must be measured from the one that is stored. */
static inline float wide_rounded(double value)
{
    volatile float stored = (float)value;
    return stored;
}

typedef struct wide_box
{
    float centre[3], half[3], axis[3][3];
} wide_box;

/* Memory for `sorted`, with some zeros at the end that kernels may read. False: out of memory. */
bool wide_reserve_sorted(wide_build *build, base_arena *arena, size_t triangle_count);

/* From corners and boxes to order and nodes. */
carom_status wide_split(wide_build *build, base_arena *arena);

/* Box of a run of sorted triangles with these moments: quick, along principal axes; and the one worth keeping. */
BASE_DECLARE_ISA(void, wide_fit,
                 (const wide_build *build, const split_node *run, const split_moments *moments, wide_box *out));
BASE_DECLARE_ISA(void, wide_fit_well,
                 (const wide_build *build, const split_node *run, const split_moments *moments, wide_box *out));
/* Sets centre and half of a box with given axes. */
BASE_DECLARE_ISA(void, wide_enclose, (const wide_build *build, const split_node *run, wide_box *box));

static inline float wide_box_area(const wide_box *box)
{
    return box->half[0] * box->half[1] + box->half[1] * box->half[2] + box->half[2] * box->half[0];
}

/* Work on ranges of triangles or nodes, in parallel. */
typedef struct wide_pass
{
    wide_build *build;
    const carom_mesh *mesh;
    const wide_tree *frame;
} wide_pass;

enum
{
    WIDE_TRIANGLES_PER_TASK = 2048,
    WIDE_NODES_PER_TASK = 64
};

/* The eight-wide tree over a measured binary one; frame: centre and scale, it also gets the counts. */
carom_status wide_collapse(const wide_build *build, base_arena *arena, const carom_mesh *mesh, wide_tree *frame,
                           wide_tree **out);

/* Of a leaf; of at most four sorted triangles from first on. */
BASE_DECLARE_ISA(void, wide_leaf_moments, (const wide_leaf *leaf, split_moments *out));
BASE_DECLARE_ISA(void, wide_few_moments, (const wide_build *build, uint32_t first, uint32_t count, split_moments *out));
void wide_add_moments(const split_moments *a, const split_moments *b, split_moments *out);
void wide_subtract_moments(const split_moments *a, const split_moments *b, split_moments *out);

void wide_choose_frame(wide_tree *tree, const carom_mesh *mesh);
bool wide_frame_holds(const wide_tree *tree, const carom_mesh *mesh);
static inline carom_vec3 wide_normalise(const wide_tree *tree, carom_vec3 v)
{
    return vec3_scale(vec3_sub(v, tree->centre), tree->scale);
}

void wide_clear_node(wide_node *node); /* no children, boxes that nothing meets */
void wide_put_box(wide_node *node, int lane, const wide_box *box);
uint32_t wide_last_leaf(const wide_tree *tree, wide_slot slot); /* one past the child's last */

/* Unit eigenvectors of a symmetric matrix {xx, xy, xz, yy, yz, zz} as rows, largest eigenvalue first. */
void wide_principal_axes(const double covariance[6], float axis[3][3]);

#endif
