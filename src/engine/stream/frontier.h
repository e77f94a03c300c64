/* frontier: engine `stream`, the modern version of the thesis's chapter 3. Pairs of bodies are searched on a compute
 * device, many at once: a dispatch tests the whole frontier of pairs of nodes and appends their children, level by
 * level, then the triangles at the leaves. What certainly is apart in floats is dropped there; the exact narrow phase
 * decides the rest. See docs/kernels.md.
 *
 *   asset    per mesh: a binary tree of boxes and its triangles, flat arrays of float and uint
 *   place    per pair of bodies: the relative pose in float, with bounds of all rounding
 *   runner   a device with its kernels and buffers; the meshes that were uploaded
 *   job      a search of some pairs on a runner, in rounds: one, unless a frontier outgrows its buffer
 *   batch    the job of all pairs of a frame, before they are examined one by one */
#ifndef ENGINE_STREAM_FRONTIER_H
#define ENGINE_STREAM_FRONTIER_H

#include "compute/compute.h"
#include "engine/engine.h"

enum
{
    FRONTIER_LEAF = 2,      /* triangles of a leaf at most */
    FRONTIER_LEVELS = 40,   /* levels in one round; deeper trees take more rounds */
    FRONTIER_PLACE = 20,    /* floats per pair: see frontier_place_pair */
    FRONTIER_COUNTERS = 64, /* words: see frontier_counter */
    FRONTIER_MIN_ITEMS = 4, /* items: the children of one */
};

/* Words of the buffer of counters. The first three are limits that the kernels obey. */
typedef enum frontier_counter
{
    FRONTIER_BEAM,        /* items of a frontier */
    FRONTIER_MAX_LEAVES,  /* pairs of leaves */
    FRONTIER_MAX_SPILLED, /* items that the next frontier had no room for */
    FRONTIER_LEAVES = 4,
    FRONTIER_SPILLED,
    FRONTIER_CANDIDATES,
    FRONTIER_TESTED,    /* pairs of triangles */
    FRONTIER_ITEMS = 16 /* and FRONTIER_LEVELS more: items per level; more than the beam: the rest was spilled */
} frontier_counter;

/* ---- assets ---- */

typedef struct frontier_asset
{
    carom_context *context;
    uint64_t serial;   /* unique, and new with each fit */
    carom_vec3 centre; /* of the normalised frame: y = (x - centre) * scale, |y| <= 1 */
    double scale;      /* a power of two */
    uint32_t node_count, reference_count, depth;
    uint32_t *links; /* 2 per node: first child, 0; or first reference, count */
    uint32_t *order; /* triangle per reference */
    float *boxes;    /* 6 per node: centre, half extents, rounded outwards */
    float *corners;  /* 9 per reference */
    base_arena arena;
} frontier_asset;

/* Without nodes for a shape that is not a mesh, or a mesh without triangles. */
carom_status frontier_create_asset(void *context, const carom_shape *shape, void **out);
/* Fits it to a mesh with the same triangles; a mesh with others is built anew. */
carom_status frontier_update_asset(void *context, const carom_shape *shape, void *object);
void frontier_destroy_asset(void *context, void *object);

/* ---- places ---- */

typedef enum frontier_verdict
{
    FRONTIER_SEARCH,
    FRONTIER_FAR,      /* certainly apart as a whole */
    FRONTIER_UNCERTAIN /* floats can't tell much: leave it to the trees */
} frontier_verdict;

/* One pair of bodies of a job. */
typedef struct frontier_pair
{
    const frontier_asset *a, *b;
    mesh_placed placed_a, placed_b;
} frontier_pair;

/* rotation[9], translation[3], scale_a, scale_b, pad_a, pad_b, slack: all in one unit, that of the larger body. */
frontier_verdict frontier_place_pair(const frontier_pair *pair, float out[FRONTIER_PLACE]);

/* ---- runners ---- */

typedef struct frontier_item
{
    uint32_t pair, a, b; /* nodes, or references */
} frontier_item;
typedef BASE_ARRAY(frontier_item) frontier_items;

/* A mesh that was uploaded. */
typedef struct frontier_slot
{
    uint64_t serial;
    uint32_t node_base, node_count, reference_base, reference_count;
    uint64_t used; /* in which job */
} frontier_slot;

/* Lower limits than the device's, for tests. 0: none. */
typedef struct frontier_limits
{
    uint32_t frontier;    /* items */
    uint64_t buffer_size; /* bytes */
} frontier_limits;

typedef struct frontier_stats
{
    uint64_t rounds, dispatches, boxes, triangles, candidates, uploads;
    double upload_seconds, run_seconds, read_seconds;
} frontier_stats;

typedef struct frontier_runner
{
    carom_context *context;
    compute_device *device; /* null: not opened */
    bool borrowed;          /* it is someone else's */
    compute_kernel refine, test;
    compute_buffer boxes, links, corners, poses, bases, frontier, leaves, spill, candidates, counters;
    uint32_t beam;                /* items of a frontier; leaves, spill and candidates go with it */
    uint32_t node_end, node_room; /* of the meshes' buffers */
    uint32_t reference_end, reference_room;
    uint32_t pair_room;
    BASE_ARRAY(frontier_slot) slots; /* sorted by serial */
    uint64_t job;
    frontier_limits limits;
    frontier_stats stats;
} frontier_runner;

/* kind: COMPUTE_AUTO or one of them. */
carom_status frontier_runner_open(frontier_runner *runner, carom_context *context, compute_kind kind);
/* On a device that the caller keeps. */
carom_status frontier_runner_use(frontier_runner *runner, carom_context *context, compute_device *device);
void frontier_runner_close(frontier_runner *runner); /* keeps the statistics */
/* Uploads what a job of these pairs needs. The device is in use. */
carom_status frontier_runner_load(frontier_runner *runner, const frontier_pair *pairs, const float *places,
                                  uint32_t count);
/* Room for a frontier of so many items. */
carom_status frontier_runner_grow(frontier_runner *runner, uint32_t beam);
uint32_t frontier_max_beam(const frontier_runner *runner);

extern const compute_kernel_def frontier_refine_def, frontier_test_def;

/* ---- jobs ---- */

typedef struct frontier_job
{
    frontier_runner *runner;
    const frontier_pair *pairs;
    frontier_items open;  /* pairs of nodes that are to be tested */
    frontier_items found; /* candidates; references */
    uint32_t levels;      /* of one round */
    uint32_t beam;        /* limits a frontier further, to come to leaves soon; 0: as the buffers are */
    uint64_t boxes, triangles;
} frontier_job;

/* Tests items from the end of `open`, at most `take` of them, and what comes of them; the rest of that goes back to
 * `open`. The device is in use. */
carom_status frontier_round(frontier_job *job, uint32_t take);
void frontier_job_free(carom_context *context, frontier_job *job);

/* ---- the engine ---- */

/* A pair of a batch: what was found, and for what exactly. */
typedef struct frontier_result
{
    carom_pose pose_a, pose_b;
    uint64_t serial_a, serial_b;
    size_t first, count; /* in keys */
    bool known;          /* was searched */
    bool complete;       /* all of it; otherwise only up to a pair that meets */
    uint64_t boxes, triangles;
} frontier_result;

typedef struct frontier_batch
{
    const engine_memory *memories; /* of the pairs, by their index; only compared */
    size_t pair_count;
    BASE_ARRAY(frontier_result) results; /* by index of the pair */
    BASE_ARRAY(uint64_t) keys;           /* triangle_a << 32 | triangle_b, pair by pair, sorted */
} frontier_batch;

typedef struct frontier_state
{
    tree_scratch scratch; /* first: what is left to the trees uses it */
    carom_context *context;
    compute_kind kind;
    frontier_runner device; /* opened when it is needed */
    frontier_runner steps;  /* the processor, for searches with a budget, whose steps are small */
    frontier_job job;
    BASE_ARRAY(frontier_pair) pairs; /* of the job */
    BASE_ARRAY(float) places;
    BASE_ARRAY(uint32_t) indices; /* of the job's pairs among the frame's */
    BASE_ARRAY(uint8_t) hits;     /* per pair of the job, where one hit is enough */
    BASE_ARRAY(uint64_t) keys, space;
    BASE_ARRAY(size_t) starts;
    frontier_batch batch;               /* of the first worker */
    const frontier_batch *shared_batch; /* that of the first worker */
    narrow_front left;
    double exact_seconds;
} frontier_state;

carom_status frontier_out_of_memory(carom_context *context);

/* Searches the state's pairs from their roots on its device; if that fails, on the processor. any: of each pair, until
 * one pair of triangles meets. The candidates are in job.found, or for any the pairs that meet. */
carom_status frontier_search(frontier_state *state, bool any);
/* The candidates of job.found as keys, pair by pair: those of pair i from starts[i] to starts[i + 1]. */
carom_status frontier_sort_found(frontier_state *state);

/* The check of both kernels for carom_compute_selftest; null past the end. */
const compute_check *frontier_check_at(uint32_t index);

carom_status frontier_collide(void *object, const query_task *task, const narrow_search *search, bool *violated);
carom_status frontier_prepare_pairs(carom_engine *engine, const carom_frame *frame);

/* Of a batch, or null. */
const frontier_result *frontier_find_result(const frontier_state *state, const query_task *task);

#endif
