/* stream: chapter 3 of the thesis (ARCHITECTURE.md, "Sources"), collision detection as a computation on streams.
 *
 * All edges of body A are texels of two float textures. A rectangle as large as those is drawn for one triangle of body
 * B, or for one box of its tree of oriented boxes, whose numbers are attributes of the rectangle; the fragment program
 * tests every edge against it and writes where they meet as depth, which the depth test compares with the edge's
 * length. An occlusion query counts the edges that pass. Then the bodies change places.
 *
 *   scd0  all edges against one triangle after the other
 *   scd1  all edges against the boxes of a tree, and the triangles of leaves that are reached
 *   scd2  the same, but only the edges that met a node's box are tested below it: found in the stencil buffer, and
 *         packed into smaller textures
 *   scd-triangles  the same with a stream of triangles, which the thesis names as future work (3.7); there is nothing
 *         to exchange then
 *
 * The programs that are drawn are not the thesis's: their tests are closed and padded with derived bounds
 * (stream_twin.c), so that what they reject is apart, and the exact narrow phase decides the pairs of triangles that
 * they leave. The programs as printed are here too, for comparison (stream_printed.c). Each pass has a twin in plain C,
 * which gives the same stencil to the bit and takes over where so few edges are left that it is measured to be faster.
 * Containment is detected by the query layer, as for every engine. */
#ifndef ENGINE_STREAM_H
#define ENGINE_STREAM_H

#include "engine/edge/edge_list.h"
#include "engine/engine.h"
#include "engine/stream/stream_pass.h"
#include "volume/volume.h"

/* ---- asset: what is kept per mesh ---- */

typedef struct stream_asset
{
    carom_context *context;
    carom_tree *tree; /* binary, oriented boxes, as RAPID's */
    edge_list list;
    base_arena arena; /* owns the list's arrays */
} stream_asset;

/* Empty for a shape that is not a mesh: its body may get one later. */
carom_status stream_create_asset(void *context, const carom_shape *shape, void **out);
/* Follows a deformed mesh: the tree is refitted if the triangles are the same. */
carom_status stream_update_asset(void *context, const carom_shape *shape, void *object);
void stream_destroy_asset(void *context, void *object);

/* ---- state: one per engine worker ---- */

typedef enum stream_method
{
    STREAM_SCD0,
    STREAM_SCD1,
    STREAM_SCD2,
    STREAM_TRIANGLE_PAIRS /* as scd2 */
} stream_method;

/* Which edges a batch is about: some of the full stream, or null: all. */
typedef struct stream_set
{
    const uint32_t *list;
    uint32_t count;
} stream_set;

/* An edge and the records of the batch that it may touch, a bit each. */
typedef struct stream_hit
{
    uint32_t edge, records;
} stream_hit;

/* A node that is left to open, and its edges: in `lists`, if they are kept. */
typedef struct stream_open
{
    uint32_t node;
    uint32_t count;
    size_t first;
} stream_open;

/* Seconds over pixels (or tests), a straight line through what was measured lately. */
typedef struct stream_line
{
    double weight, x, y, xx, xy; /* sums */
    double largest;              /* x */
    bool begun;                  /* the first measurement is not believed */
} stream_line;

enum
{
    STREAM_SIZES = 16 /* 1 to 3 tests, 4 to 15, ... */
};

/* The thesis names load balance between processor and GPU as future work (3.7). */
typedef struct stream_balance
{
    stream_line drawn[2];         /* a batch on the GPU: with textures that are there, and with a packed one */
    stream_line computed;         /* a batch on the processor */
    double seconds[STREAM_SIZES]; /* of batches of similar size, since the slower way was tried */
    uint32_t searches;
} stream_balance;

typedef struct stream_state
{
    tree_scratch scratch; /* for the questions that trees answer; first, see by_trees.h */
    carom_context *context;
    gpu_device *device; /* opened on first use */
    stream_pass pass;
    stream_textures full; /* of all edges of the current direction; made when they are first drawn */
    bool current;         /* the device is, on this thread */
    uint32_t next_attempt;
    stream_method method;
    bool printed;           /* the thesis's code as it stands */
    bool always, processor; /* draw all passes, or none */
    stream_balance balance;
    BASE_ARRAY(carom_vec3) points[2]; /* placed vertices */
    BASE_ARRAY(stream_edge) edges;    /* of the current direction */
    BASE_ARRAY(stream_edge) packed;   /* those of a set */
    BASE_ARRAY(uint8_t) stencil;      /* as read */
    BASE_ARRAY(stream_hit) hits;      /* of a batch, if they are wanted */
    uint64_t counts[STREAM_BATCH];    /* of a batch: edges per record */
    BASE_ARRAY(stream_open) open;
    BASE_ARRAY(uint32_t) lists;
    edge_proposed proposed;
    edge_proposed printed_pairs, exact_pairs; /* of a search, to compare what the printed code says */
    carom_engine_stats stats;
} stream_state;

carom_status stream_out_of_memory(carom_context *context);

/* Makes the device current, unless it is, and makes what is missing there. */
carom_status stream_begin_device(stream_state *state);
/* Gives the thread back, if it was taken. */
carom_status stream_end_device(stream_state *state);
/* What is on the device may be lost or incomplete: the next search opens another one. */
void stream_close_device(stream_state *state);

/* ---- a search ---- */

/* Coordinates of the floats: x = (world - centre) * scale; all of both bodies is within [-1, 1]. */
typedef struct stream_frame
{
    carom_vec3 centre;
    double scale;       /* a power of two */
    double depth_scale; /* makes depths of lengths, at most 1/2 */
} stream_frame;

typedef struct stream_body
{
    const stream_asset *asset;
    const mesh_placed *placed;
    const carom_vec3 *points;
} stream_body;

typedef struct stream_walk
{
    stream_state *state;
    const query_task *task;
    const narrow_search *search;
    stream_body body[2];
    stream_frame frame;
    int edges_of; /* whose edges are the stream */
    narrow_counts counts;
    bool violated;
    bool given_up; /* printed: the answer is "none" */
} stream_walk;

/* Like BASE_TRY, but CAROM_STOPPED, which is no failure, ends a search as well. */
#define STREAM_GO_ON(call)                                                                                             \
    do                                                                                                                 \
    {                                                                                                                  \
        carom_status stream_status = (call);                                                                           \
        if (stream_status != CAROM_OK)                                                                                 \
            return stream_status;                                                                                      \
    } while (0)

/* The method's collide function. */
carom_status stream_collide(void *object, const query_task *task, const narrow_search *search_for, bool *violated);

/* ---- placing: stream_place.c ---- */

/* Places the vertices of both bodies and chooses the frame. */
carom_status stream_place(stream_walk *walk);
/* The edges of walk->body[edges_of] as floats, or its triangles, into state->edges. */
carom_status stream_place_edges(stream_walk *walk, int edges_of);
stream_record stream_place_triangle(const stream_walk *walk, uint32_t triangle); /* of the other body */
stream_record stream_place_box(const stream_walk *walk, uint32_t node);          /* of the other body's tree */

/* ---- batches: stream_run.c ---- */

/* Tests the edges of a set against the records: state->counts, and state->hits if they are wanted. Drawn or computed,
 * as stream_choose says. */
carom_status stream_run(stream_walk *walk, const stream_batch *batch, stream_set set);

/* ---- drawn or computed: stream_balance.c ---- */

/* Is a batch of so many records drawn? Otherwise it is computed. */
bool stream_choose(stream_state *state, uint32_t records, stream_set set);
/* What a batch took. */
void stream_note_seconds(stream_state *state, bool drawn, uint32_t records, stream_set set, double seconds);

/* ---- the code as printed: stream_printed.c ---- */

/* Compares what the printed code found with the exact answer: adds to the statistics and states the class. */
carom_status stream_judge_printed(stream_walk *walk);

/* ---- rows of carom gpu --selftest ---- */
const gpu_check *stream_check_at(uint32_t index);

#endif
