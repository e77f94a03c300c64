/* image: chapter 2 of the thesis (ARCHITECTURE.md, "Sources"), image-based collision detection.
 *
 * A mesh is a binary tree of convex hulls of patches of its surface (src/convex). Two trees are searched breadth first:
 * a pair of nodes whose oriented boxes are apart is dropped, and so is one whose images say that the hulls are apart. A
 * pair of patches that is left at the end is decided by the exact narrow phase, triangle by triangle.
 *
 *   image          certified images, see image_interval.h: what they reject is apart, so the answer is exact
 *   image-sampled  the thesis's depth and stencil images (2.4.4), which look at the centres of pixels only
 *   recode         the same images of all pairs of pieces, without the trees: see recode.c
 *
 * Containment is detected by the query layer, as for every engine. */
#ifndef ENGINE_IBCD_H
#define ENGINE_IBCD_H

#include "engine/engine.h"
#include "engine/image/ibcd_nodes.h"
#include "engine/image/image_pass.h"
#include "engine/image/image_sheet.h"

/* ---- nodes: what is kept per mesh ---- */

/* Null for a shape that is not a mesh. */
carom_status image_create_asset(void *context, const carom_shape *shape, void **out);
void image_destroy_asset(void *context, void *object);

typedef BASE_ARRAY(narrow_part_pair) image_queue;

/* ---- state: one per engine worker ---- */

enum
{
    IMAGE_LEVELS = 64,      /* of a search that are measured apart */
    IMAGE_SIDE = 16,        /* pixels of an image, unless the engine is asked for another number */
    IMAGE_SHEET_SIDE = 256, /* larger ones are drawn one by one */
    IMAGE_BLOCK = 4,        /* pairs that are drawn at once, if they are sampled: at first, and */
    IMAGE_BLOCK_GROWTH = 16 /* one more per so many that were looked at */
};

/* What a level of the search has cost lately: the thesis's 5.2 wants processor and graphics hardware in balance. */
typedef struct image_level
{
    double below;    /* seconds spent below, per pair that was not dropped here */
    double rejected; /* of the pairs that images were drawn of, the part that they rejected */
    bool known;
} image_level;

typedef struct image_balance
{
    image_level levels[IMAGE_LEVELS];
    double tile_seconds; /* for an image */
    double pass_seconds; /* for as few as there may be: no search that draws takes less */
    uint32_t searches;
    bool warm; /* the device has drawn before */
} image_balance;

/* A triangle of a patch, placed; or a piece, of which there is only its box. */
typedef struct image_face
{
    narrow_triangle corners;
    carom_aabb box;
    uint32_t number; /* of the triangle, or of the piece's node */
} image_face;

typedef struct image_state
{
    tree_scratch scratch; /* for the questions that trees answer; first, see by_trees.h */
    carom_context *context;
    gpu_device *device; /* opened on first use */
    image_pass pass;
    image_stencil stencil;
    image_sheet sheet;
    bool current;          /* on this thread */
    uint32_t next_attempt; /* the search that tries to open a device again, once that has failed */
    bool sampled;          /* images look at the centres of pixels only */
    bool recode;           /* and show all pairs of pieces */
    uint32_t side;         /* pixels of an image */
    uint32_t max_side;     /* where `accuracy` chooses */
    double accuracy;       /* sampled: the wanted size, world units; 0: `side` pixels, whatever that is */
    bool always;           /* draw images of all pairs, whatever that costs */
    image_balance balance;
    image_queue current_level; /* breadth first */
    image_queue next_level;
    image_queue waiting;   /* sampled: what other blocks have left to do */
    image_queue blocks;    /* of it: where each begins, and its level */
    image_queue drawn;     /* pairs of a batch */
    image_records records; /* their triangles */
    BASE_ARRAY(uint8_t) meets;
    BASE_ARRAY(double) sizes;         /* sampled_size of the images of a batch */
    BASE_ARRAY(carom_vec3) points[2]; /* of two nodes, as seen */
    BASE_ARRAY(uint32_t) place[2];    /* per vertex of a mesh: which of these points it is, if the node has it */
    BASE_ARRAY(uint32_t) strips[2];   /* of two nodes, decoded */
    image_canvas canvas[2];
    BASE_ARRAY(image_face) faces[2]; /* of two patches, or two bodies */
    BASE_ARRAY(carom_pair) found;    /* by a search that may be given up */
    BASE_ARRAY(base_key_value) order, space;
    carom_engine_stats stats;
    carom_engine_image_fn *on_image; /* or null */
    void *on_image_user;
    BASE_ARRAY(image_view) views;   /* of the images of a batch, if someone wants to see them */
    BASE_ARRAY(image_texel) texels; /* the same */
    BASE_ARRAY(float) shown;
    image_stencil_kept kept;
} image_state;

carom_status image_out_of_memory(carom_context *context);

/* Makes the device current, unless it is, and makes what is missing there. */
carom_status image_begin_device(image_state *state);
/* Gives the thread back, if it was taken. */
carom_status image_end_device(image_state *state);
/* What is on the device may be lost or incomplete: the next search opens another one. */
void image_close_device(image_state *state);

/* ---- a search ---- */

/* Like BASE_TRY, but CAROM_STOPPED, which is no failure, ends a search as well. */
#define IMAGE_GO_ON(call)                                                                                              \
    do                                                                                                                 \
    {                                                                                                                  \
        carom_status image_status = (call);                                                                            \
        if (image_status != CAROM_OK)                                                                                  \
            return image_status;                                                                                       \
    } while (0)

typedef struct image_body
{
    const convex_pieces *pieces;
    const mesh_placed *placed;
    double placement; /* image_placement_error */
} image_body;

typedef struct image_walk
{
    image_state *state;
    const query_task *task;
    const narrow_search *search;
    image_body body[2];
    volume_frame frame; /* boxes of b seen from a */
    narrow_counts counts;
    bool violated;
    double deadline; /* base_now: then trees take over; 0: never */
    bool late;       /* they do */
    uint32_t tests;  /* since the clock was looked at */
} image_walk;

carom_status image_collide(void *object, const query_task *task, const narrow_search *search, bool *violated);

/* ---- images or trees? See ibcd_choice.c ---- */

/* Is this pair to be searched with images? Sets the deadline. */
bool image_is_chosen(image_walk *walk);
/* What a search took, by images (which include those that were given up) or by trees. */
void image_note_seconds(const image_walk *walk, bool images, double seconds);
/* What a pass took. The first one of a device says nothing: the driver compiles its programs then, which takes as long
 * as a hundred passes; who believed it would never draw again. The first search's time begins after it. */
void image_note_pass(image_walk *walk, double seconds, size_t images);
/* CAROM_STOPPED, and walk->late: the deadline has passed. */
carom_status image_check_deadline(image_walk *walk);
/* How many images of this level are worth drawing? */
size_t image_count_worth(const image_walk *walk, const image_level *level);
/* A value that is measured again and again. */
static inline void image_learn(double *mean, double value, bool known)
{
    *mean = known ? 0.875 * *mean + 0.125 * value : value;
}

/* ---- steps of a search ---- */

/* Decides the triangles of two patches. CAROM_STOPPED: on_pair said so, or it is late. */
carom_status image_test_patches(image_walk *walk, narrow_part_pair pair);

bool image_boxes_meet(const carom_aabb *a, const carom_aabb *b);

/* Calls on_faces for all pairs of the state's faces whose boxes meet, and for others. */
typedef carom_status image_on_faces(image_walk *walk, const image_face *a, const image_face *b);
carom_status image_pair_faces(image_walk *walk, const carom_aabb bounds[2], image_on_faces *on_faces);

/* Which of the pairs of a level may meet, judging by certified images of the first so many? Keeps these, and the
 * others, in `drawn`. */
carom_status image_reject(image_walk *walk, size_t count);

/* The same by sampled images. */
carom_status image_reject_sampled(image_walk *walk);

/* Looks at the pairs in `drawn` one after the other, as in the thesis. Of those that seem to meet, nodes are opened and
 * patches decided, at once: the first hit may end the search. */
carom_status image_sample_pairs(image_walk *walk);

/* ---- what on_image gets ---- */

carom_status image_show_sampled(image_walk *walk, narrow_part_pair pair, const image_view *view, bool meets);
/* The images of a batch of certified ones, after they were drawn: pairs and verdicts by tile. */
carom_status image_show_certified(image_walk *walk, const image_tiles *tiles, const narrow_part_pair *pairs);

/* ---- recode ---- */

carom_status image_run_recode(image_walk *walk);
/* A box along the world's axes around a node's hull. */
carom_aabb image_piece_box(const image_walk *walk, int which, uint32_t node);
volume_box image_upright_box(const carom_aabb *box);

/* How a pair is looked at: both nodes' vertices are seen. False: they are apart. */
typedef struct image_sight
{
    image_view view;
    image_seen seen[2];
    bool apart;
} image_sight;
carom_status image_look(image_walk *walk, narrow_part_pair pair, int side, image_sight *out);

/* The thesis's image of a pair, with the size below which it may miss. */
carom_status image_sample(image_walk *walk, narrow_part_pair pair, bool *meets);

#endif
