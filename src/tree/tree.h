/* tree: builders, refit, layouts, and the traversals that answer pair and ray questions over them.
 *
 * One canonical form, the binary tree; the wide layouts are derived from it. Two kinds of traversal answer all
 * questions about pairs: `binary` over any volume, and `wide` over eight oriented boxes in SIMD lanes. Both decide each
 * pair with the exact narrow phase, so they give the same answers. */
#ifndef TREE_TREE_H
#define TREE_TREE_H

#include "carom/report.h"
#include "carom/tree.h"
#include "mesh/mesh.h"
#include "narrow/narrow.h"

/* Node of the canonical binary tree. Children come after their parent, so one backward sweep refits.
 * count > 0: leaf over order[first .. first + count); count == 0: children are nodes first and first + 1. */
typedef struct tree_node
{
    uint32_t first, count;
} tree_node;

typedef struct wide_tree wide_tree; /* eight oriented boxes per node: wide.h */
typedef struct ray_tree ray_tree;   /* eight axis-aligned boxes per node: rays.h */

struct carom_tree
{
    carom_context *context;
    const carom_mesh *mesh;
    atomic_uint references;
    bool belongs_to_mesh; /* a default tree: it lives as long as its mesh and holds no reference to it */
    uint64_t serial;      /* unique within the context, and new with each refit */
    uint64_t structure;   /* the same for all trees with the same nodes over the same triangles: refits keep it */
    carom_tree_def def;
    carom_tree_info info;

    /* CAROM_LAYOUT_BINARY: the canonical tree with its volumes */
    tree_node *nodes;
    uint32_t node_count;
    uint32_t *order; /* triangle ids, leaf by leaf; a triangle may come twice (CAROM_BUILDER_BALANCED) */
    uint32_t reference_count;
    float *volumes; /* volume_floats(def.volume) per node, rounded outwards */
    carom_vec3
        origin; /* of the volumes' frame, in the mesh's: keeps the floats precise for a body far from its own origin */

    /* CAROM_LAYOUT_WIDE: exactly one of these */
    wide_tree *wide;
    ray_tree *rays;
};

/* ---- life ---- */

/* The mesh's own tree for pairs or for rays, built on first use. Safe from several threads. */
typedef enum tree_use
{
    TREE_FOR_PAIRS,
    TREE_FOR_RAYS
} tree_use;
carom_status tree_default(const carom_mesh *mesh, tree_use use, const carom_tree **out);
static inline const carom_tree *tree_default_if_built(const carom_mesh *mesh, tree_use use)
{
    return atomic_load_explicit(&mesh->slots[use].object, memory_order_acquire);
}

/* Gives `deformed` refitted copies of the default trees of `mesh`, if both have the same triangles. */
carom_status tree_inherit_defaults(const carom_mesh *mesh, const carom_mesh *deformed);

/* Does the def describe a supported tree? */
carom_status tree_check_def(carom_context *context, const carom_tree_def *def);

/* Makes the layout's parts of a tree whose context, mesh and def are set. On failure, partial results are freed with
 * the tree. */
typedef carom_status tree_layout_fn(carom_tree *tree, void *source);
carom_status tree_create_layout(carom_tree *tree, void *unused); /* built from the mesh as the def says */

/* Makes a tree like `blank` with the parts that `make` adds; sets serial and info. */
carom_status tree_assemble(const carom_tree *blank, tree_layout_fn *make, void *source, carom_tree **out);

/* ---- pair questions ---- */

typedef struct tree_stack_entry
{
    uint32_t node_a, node_b;
    float key;
    uint32_t more;
} tree_stack_entry;

/* How far rounding may shift a ray in the frame of a tree with axis-aligned boxes, and what is enlarged by it. */
typedef struct tree_ray_margins
{
    _Alignas(32) double low[4], high[4]; /* the mesh's box in the frame, grown */
    double placement;                    /* the shift, apart from the rounding of floats */
    double pad;                          /* by which all boxes grow */
    float slack;                         /* of the triangle test, in units of edges */
} tree_ray_margins;

/* The world pose of the frame of a tree with axis-aligned boxes: a function of the pose, the frame and the mesh's
 * extent, kept from ray to ray. */
typedef struct tree_ray_frame
{
    carom_pose pose;
    uint64_t fit; /* serial of the tree's; 0: only the pose is set */
    double scale;
    uint64_t shrink_bits;                     /* minus those of a power of two: of 1 / (scale * power) */
    double near;                              /* |coordinates| in the frame up to which the margins hold */
    _Alignas(32) double rows[3][4], shift[4]; /* world to frame: sum of rows[i] x[i] + shift */
    tree_ray_margins margins;
    narrow_pose world;    /* the pose */
    const void *parts[2]; /* the tree's nodes, its blocks */
} tree_ray_frame;

/* Memory that traversals reuse from call to call; belongs to a query object. */
typedef struct tree_scratch
{
    tree_ray_frame ray_frame;
    carom_context *context;
    BASE_ARRAY(tree_stack_entry) stack;
    BASE_ARRAY(uint64_t) words;
    void *wide; /* memory of the wide traversal; freed by tree_scratch_free */
    size_t wide_size;
} tree_scratch;
void tree_scratch_free(tree_scratch *scratch);

/* How the last search for meeting pairs ended. */
typedef enum tree_verdict
{
    TREE_NO_VERDICT,
    TREE_APART_AS_A_WHOLE, /* one direction separates the meshes */
    TREE_APART_IN_PARTS,
    TREE_MET
} tree_verdict;

/* What a pair cache remembers between similar poses; the answer never depends on it. Zero-initialise. */
typedef struct tree_memory
{
    uint64_t structure_a, structure_b; /* of the two trees; refits keep it */
    uint32_t last_a, last_b;           /* triangles of the last hit or the last closest pair */
    bool has_last;
    tree_verdict verdict;
    uint32_t leaf_a, leaf_b; /* wide trees: leaves of the last hit */
    uint32_t misses;         /* since a remembered pair last met again */
    uint32_t since_thorough; /* searches for a direction since the last thorough one */
    float axis[3];           /* last separating direction in a's frame; zero: none */
} tree_memory;

/* One question about two placed trees, prepared by the query layer: poses and arguments are valid, trees not null. */
typedef struct tree_task
{
    carom_context *context;
    const mesh_placed *a, *b;
    double defect; /* math_pair_defect of their poses */
    tree_scratch *scratch;
    tree_memory *memory; /* or null */
    narrow_front *front; /* or null: from the roots, and what is left undecided is not kept */
    base_budget *budget;
    carom_counters *counters;
} tree_task;

/* A quick rejection test before the other questions: are the meshes as a whole certainly farther apart than the limit?
 * False proves nothing. memory may be null. */
bool tree_far_apart(const carom_context *context, const mesh_placed *a, const mesh_placed *b, double limit,
                    tree_memory *memory);

/* CAROM_OK, CAROM_STOPPED, CAROM_UNKNOWN (budget; the task's front then holds what is undecided), or an error.
 * *violated, out: some pair meets or is closer than the clearance; in: an earlier part of the search found that
 * already; may be null. */
carom_status tree_collide(const tree_task *task, const narrow_search *search, bool *violated);

/* The smallest (distance, triangle_a, triangle_b), by exact comparison. A meeting pair has distance 0. Begins with what
 * `closest` holds. */
carom_status tree_distance(const tree_task *task, narrow_closest *closest);

/* Decides distance <= limit, or strictly distance < limit, stopping at the first pair that proves it. */
carom_status tree_within(const tree_task *task, double limit, bool strictly, bool *within);

/* ---- for other traversals of the binary layout ---- */

/* What tests of two trees' volumes share, `moved` seen from `still`: takes points around moved's origin into still's
 * frame around its origin (volume.h). Both trees are of the binary layout. */
struct volume_frame;
void tree_relate(const mesh_placed *still, const mesh_placed *moved, struct volume_frame *out);

/* ---- what is near a ball or capsule ---- */

typedef struct tree_near_task
{
    carom_context *context;
    const mesh_placed *placed;
    double defect;       /* math_rotation_defect of the pose, or more */
    narrow_front *front; /* of nodes as part_a; or null: from the root, and what is left undecided is not kept */
    tree_scratch *scratch;
    base_budget *budget;
    carom_counters *counters;
} tree_near_task;

/* Calls on_triangle for every triangle within the limit, possibly for others, mostly nearer ones first. CAROM_OK,
 * CAROM_STOPPED, CAROM_UNKNOWN (budget; the front then holds what is undecided) or an error. */
carom_status tree_near(const tree_near_task *task, const narrow_near *near);

/* ---- rays ---- */

/* Return the new largest t of interest, which is compared with rounded ones (narrow_ray_beyond), or a negative number
 * to stop. */
typedef double tree_ray_fn(uint32_t triangle, double t, const double uv[2], void *user);

typedef struct tree_ray_task
{
    carom_context *context;
    const mesh_placed *placed;
    const carom_ray *ray;
    tree_scratch *scratch;
    tree_ray_frame *ray_frame; /* one with this pose, to be kept for the next ray; or null, but not for first hits */
    carom_counters *counters;
} tree_ray_task;

/* Reports every triangle that the ray hits (narrow_ray_hit on world corners decides) with a rounded t up to the current
 * limit, which at first is max_t and what may be rounded to more. So every hit up to max_t is reported, perhaps twice,
 * and perhaps some that are beyond by less than rounding. */
carom_status tree_ray(const tree_ray_task *task, tree_ray_fn *on_hit, void *user);

/* A triangle that is hit at the rounded t, with the weights of its corners 1 and 2. */
typedef struct tree_hit
{
    double t;
    uint32_t triangle;
    double u, v; /* like t never -0 */
} tree_hit;

/* tree_ray_first for the ray layout, and for all layouts; `hit` holds none before. */
carom_status ray_tree_first(const ray_tree *tree, const tree_ray_task *task, tree_hit *hit);
carom_status tree_ray_first_any(const tree_ray_task *task, tree_hit *hit);

/* The first hit with an exact t up to max_t; of several at the same t the one with the smallest id. CAROM_NO_TRIANGLE:
 * there is none. */
static inline carom_status tree_ray_first(const tree_ray_task *task, tree_hit *hit)
{
    const ray_tree *rays = task->placed->tree->rays;
    hit->triangle = CAROM_NO_TRIANGLE;
    return rays ? ray_tree_first(rays, task, hit) : tree_ray_first_any(task, hit);
}

/* Calls on_triangle for every triangle that the world-frame half line from `point` along +x meets, possibly for others.
 */
carom_status tree_line_x(const tree_ray_task *task, carom_vec3 point,
                         void (*on_triangle)(uint32_t triangle, void *user), void *user);

/* World corners of a triangle of a placed mesh, by the contract's formula. */
static inline narrow_triangle tree_world_triangle(const mesh_placed *placed, uint32_t triangle)
{
    const uint32_t *index = placed->mesh->indices + 3 * (size_t)triangle;
    const carom_vec3 *vertices = placed->mesh->vertices;
    return (narrow_triangle){{pose_apply(placed->pose, vertices[index[0]]),
                              pose_apply(placed->pose, vertices[index[1]]),
                              pose_apply(placed->pose, vertices[index[2]])}};
}

/* ---- parts of a tree ---- */

/* A subtree, named as fronts name it, and a box around it in the mesh's frame. */
typedef struct tree_part
{
    uint32_t part;
    carom_aabb box;
} tree_part;
typedef BASE_ARRAY(tree_part) tree_parts;

/* The largest subtrees that fit a size: boxes no longer than it along any axis, or single leaves. Together they hold
 * every triangle. Replaces the contents of `out`. */
carom_status tree_cut(const carom_tree *tree, double size, tree_parts *out);

/* The oriented box of a part, in the mesh's frame: its centre and half of each edge. The tree is not empty. */
void tree_part_box(const carom_tree *tree, uint32_t part, carom_vec3 *centre, carom_vec3 half[3]);

/* World boxes around both parts of an entry of a front that tree_collide left. */
void tree_part_boxes(const mesh_placed *a, const mesh_placed *b, const narrow_part_pair *parts, carom_aabb out[2]);
/* A lower bound of the distance between any two parts of a front, infinity for an empty one; `known` if that is larger,
 * or if the budget runs out. */
double tree_front_bound(const mesh_placed *a, const mesh_placed *b, const narrow_front *front, double known,
                        base_budget *budget);

#endif
