/* The collision layout: eight children per node, each with its own oriented box, in SIMD lanes; leaves of up to four
 * triangles with coordinates relative to the leaf. Private to src/tree.
 *
 * Everything is in the tree's normalised frame: y = (x - centre) * scale, scale a power of two, |y| <= 1, so that the
 * float error bounds hold whatever the model's unit. */
#ifndef TREE_WIDE_H
#define TREE_WIDE_H

#include "tree/tree.h"

enum
{
    WIDE_LANES = 8,
    WIDE_LEAF_TRIANGLES = 4
};

/* The table of support heights: a grid on each face of the cube of directions. Small meshes have none: traversing their
 * tree is as fast as reading the table. */
enum
{
    WIDE_SUPPORT_SIDE = 17,
    WIDE_SUPPORT_ENTRIES = 6 * WIDE_SUPPORT_SIDE * WIDE_SUPPORT_SIDE,
    WIDE_SUPPORT_FROM = 256 /* triangles */
};

/* Rounding of support heights: of the bounds that a walk through the tree trusts, and of those from vertices. Derived
 * in docs/exactness.md. */
static const float WIDE_WALK_ROUNDING = 32.0f * 0x1p-24f, WIDE_POINT_ROUNDING = 12.0f * 0x1p-24f;

#define WIDE_NO_CHILD  UINT32_MAX
#define WIDE_LEAF_FLAG 0x80000000u

/* Half extent of a lane without a child: so negative that most separation tests find a gap. */
#define WIDE_EMPTY_HALF (-1e30f)

/* Boxes of eight children, structure of arrays. */
typedef struct wide_node
{
    float centre[3][WIDE_LANES];
    float half[3][WIDE_LANES];
    float axis[3][3][WIDE_LANES]; /* [k][j]: component j of the k-th unit axis */
    uint32_t child[WIDE_LANES];   /* node index, or leaf index | WIDE_LEAF_FLAG, or WIDE_NO_CHILD */
} wide_node;

/* Up to four triangles; missing lanes repeat the first. Corners are relative to origin. */
typedef struct wide_leaf
{
    float corner[3][3][WIDE_LEAF_TRIANGLES]; /* [corner][coordinate][lane] */
    float origin[3];
    float reach;    /* largest |coordinate| of a corner */
    float radius;   /* a corner's largest distance from origin */
    float longest;  /* length of the longest edge */
    uint32_t count; /* 1 .. 4 */
    uint32_t triangle[WIDE_LEAF_TRIANGLES];
    uint32_t unused;
} wide_leaf;

struct wide_tree
{
    carom_vec3 centre; /* of the normalised frame, in the mesh's own frame */
    double scale;      /* power of two */
    uint32_t node_count, leaf_count;
    uint32_t depth;
    float radius;                /* of a ball around the centre that holds everything, normalised; set with `support` */
    wide_node *nodes;            /* node 0 is a handle: its lane 0 is the root's box, its child 0 the root */
    wide_leaf *leaves;           /* in the order of a depth-first walk, so a subtree is a run of leaves */
    uint32_t *first_leaf;        /* per node and lane: first leaf of the child's run; with the next one its end */
    uint32_t *smallest_triangle; /* per node and lane: smallest triangle id below */
    float *support;              /* heights in WIDE_SUPPORT_ENTRIES directions, or null where the mesh is small */
    size_t block_size;           /* this struct and the arrays are one block */
};

/* Axes, rotations and centres often contain tiny residues, such as a computed sine of pi. They are negligible compared
 * to the rounding of 2^-24, but products of three such numbers are denormal, and some processors take a hundred times
 * as long for those. */
static inline float wide_without_dust(float x) { return fabsf(x) > 0x1p-40f ? x : 0.0f; }

/* A child is named by node * 8 + lane. */
typedef uint32_t wide_slot;
static inline uint32_t wide_child(const wide_tree *tree, wide_slot slot)
{
    return tree->nodes[slot >> 3].child[slot & 7];
}

carom_status wide_tree_create(carom_context *context, const carom_mesh *mesh, const carom_tree_def *def,
                              wide_tree **out);
void wide_tree_destroy(carom_context *context, wide_tree *tree);
wide_tree *wide_tree_copy(carom_context *context, const wide_tree *tree); /* null: out of memory */
wide_tree *wide_tree_allocate(carom_context *context, uint32_t node_count, uint32_t leaf_count, bool support);
/* Corners and what follows from them, from count and triangle ids. */
BASE_DECLARE_ISA(void, wide_leaf_fill, (wide_leaf * leaf, const wide_tree *tree, const carom_mesh *mesh));
void wide_find_smallest_triangles(wide_tree *tree); /* once the leaves are filled */
void wide_tree_info(carom_context *context, const wide_tree *tree, carom_tree_info *info);
/* previous: the mesh that the tree fits now. */
carom_status wide_tree_refit(carom_context *context, wide_tree *tree, const carom_mesh *previous,
                             const carom_mesh *moved);

/* Points in the normalised frame, structure of arrays; count is a multiple of WIDE_LANES. */
typedef struct wide_points
{
    float *x, *y, *z;
    uint32_t count;
    bool *used; /* per vertex of the mesh */
} wide_points;

/* Room for what wide_support_fill needs; none for a large mesh, or where no heights are wanted. False: out of memory.
 */
bool wide_points_reserve(base_arena *arena, const carom_mesh *mesh, bool wanted, wide_points *out);
/* mesh: the one that the tree fits now. Without room the heights come from the tree alone and are a little looser. */
void wide_support_fill(carom_context *context, wide_tree *tree, const carom_mesh *mesh, wide_points *room);

/* One side of a pair as the kernels see it: how lengths and points of the other tree's normalised frame are
 * transformed. */
typedef struct wide_transform
{
    float rotation[9];    /* pure rotation */
    float scaled[9];      /* rotation times ratio */
    float translation[3]; /* normalised units of the target */
    float ratio;          /* unit of the source in units of the target: a power of two */
    float pad;            /* placement uncertainty in units of the target, clearance not included */
    double exact_scaled[9], exact_translation[3]; /* the same in double, for leaf offsets */
} wide_transform;

typedef struct wide_pair
{
    const tree_task *task;
    const wide_tree *tree_a, *tree_b;
    math_relative b_in_a;
    wide_transform b_to_a, a_to_b;
    const narrow_search *options;
    float margin_a, margin_b; /* clearance in units of a and of b, rounded up */
    bool violated;
    wide_slot near_a, near_b;   /* where to start; 0: anywhere */
    narrow_threshold clearance; /* set where a clearance or limit is asked for */
} wide_pair;

/* False if the bodies are too far apart or too different in size for floats: then the binary traversal, in double, must
 * answer. */
bool wide_pair_begin(wide_pair *pair, const tree_task *task);
/* Does a face of one mesh's own box separate the meshes by more than the limit? Computed in double precision. */
bool wide_boxes_apart(const wide_pair *pair, double limit);

bool wide_far_apart(const carom_context *context, const mesh_placed *a, const mesh_placed *b, double limit,
                    tree_memory *memory);
carom_status wide_collide(const tree_task *task, const narrow_search *options, bool *violated);
carom_status wide_distance(const tree_task *task, narrow_closest *closest);
carom_status wide_within(const tree_task *task, double limit, bool strictly, bool *within);
carom_status wide_ray(const tree_ray_task *task, tree_ray_fn *on_hit, void *user);
carom_status wide_line_x(const tree_ray_task *task, carom_vec3 point,
                         void (*on_triangle)(uint32_t triangle, void *user), void *user);

/* A half line along the world's x axis, in the normalised frame. */
typedef struct wide_line
{
    const tree_ray_task *task;
    double exact_origin[3];
    float origin[3], direction[3];
    float pad, margin; /* placement; rounding */
    void (*on_triangle)(uint32_t triangle, void *user);
    void *user;
} wide_line;

/* Rounding in the tests of boxes against a half line from here: derived in docs/exactness.md. */
static inline float wide_line_margin(const float origin[3])
{
    return 14.0f * 0x1p-24f * (fabsf(origin[0]) + fabsf(origin[1]) + fabsf(origin[2]) + 3.25f);
}

/* The search for the closest pair: input and output of the traversal. Lengths in normalised units of a. */
typedef struct wide_nearest
{
    wide_pair *pair;
    narrow_closest *closest; /* the best of the pairs decided in double; null where only the limit matters */
    uint64_t seed;           /* the pair that was decided before the walk; or UINT64_MAX */
    float best;              /* pairs beyond this can't matter; shrinks */
    float along[3];          /* unit direction from A to B between the nearest points so far, in a's frame; or zero */
    float doubtful;          /* what may be this near is decided at once: it may meet, or be within the limit */
    bool stopped;            /* a meeting pair, or one within the limit, was found */
    carom_status status;
} wide_nearest;

/* The walk found a pair that may meet or be within the limit. False: it does or is; stop. */
bool wide_nearest_found(wide_nearest *search, uint32_t triangle_a, uint32_t triangle_b);

/* The maximum number of words of candidates (two each): in the worst case all pairs are equally near. */
enum
{
    WIDE_CANDIDATE_WORDS = 1 << 15
};

/* Decides between the candidates in double and forgets them. */
void wide_nearest_decide(wide_nearest *search);

enum
{
    WIDE_PATCH_VECTORS = 3, /* vectors of directions that a point is measured in at once */
    WIDE_PATCH_ENTRIES = 96 /* 9 x 9 entries, and the last repeated up to whole groups of vectors */
};

/* A rectangle of the table of support heights. */
typedef struct wide_patch
{
    float u[3][WIDE_PATCH_ENTRIES]; /* directions */
    uint32_t count;                 /* a multiple of WIDE_PATCH_VECTORS * WIDE_LANES */
    float centre[3], corner[4][3];  /* directions in the middle and at the corners */
} wide_patch;

/* kernels, one version per instruction set */
/* True if the meshes as a whole are certainly farther apart than the limit; both have support heights. axis: a
 * direction to start with, and the one that separates if it took one, in a's frame; zero or null: none. Not thorough:
 * only the steps that usually suffice. */
BASE_DECLARE_ISA(bool, wide_support_apart,
                 (const mesh_placed *a, const mesh_placed *b, double limit, bool thorough, float axis[3]));
/* Upper bounds of the triangles' heights along eight directions, to 2^-16; *highest: a leaf to guess from, and one that
 * reaches highest. */
BASE_DECLARE_ISA(void, wide_heights,
                 (const wide_tree *tree, float u[3][WIDE_LANES], uint32_t *highest, float out[WIDE_LANES]));
/* Upper bounds of the points' heights along the directions of a patch. */
BASE_DECLARE_ISA(void, wide_patch_heights,
                 (const wide_points *points, const wide_patch *patch, float heights[WIDE_PATCH_ENTRIES]));
BASE_DECLARE_ISA(bool, wide_line_walk, (const wide_line *line)); /* false: out of memory */
BASE_DECLARE_ISA(carom_status, wide_collide_walk, (wide_pair * pair));
BASE_DECLARE_ISA(carom_status, wide_distance_walk, (wide_nearest * search));

#endif
