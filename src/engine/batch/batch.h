/* batch: what engines share that search all pairs of a frame at once on a compute device, before the pairs are examined
 * one by one: `stream` (engine/stream/frontier.h) and `geoimage` (engine/geoimage/mipmap.h). A batch_kind says what is
 * the engine's own: its kernels, how its meshes are stored on a device, and what a round of a search is.
 *
 *   model     what an engine's asset of a mesh begins with
 *   place     per pair of bodies: the relative pose in float, with bounds of all rounding
 *   runner    a device with the engine's kernels and buffers; the meshes that were uploaded
 *   job       a search of some pairs on a runner, in rounds: one, unless a frontier outgrows its buffer
 *   results   of the job of all pairs of a frame
 *   state     of a worker: a runner and a job with its pairs; the results of the frame */
#ifndef ENGINE_BATCH_BATCH_H
#define ENGINE_BATCH_BATCH_H

#include "compute/compute.h"
#include "engine/engine.h"

enum
{
    BATCH_PLACE = 20,  /* floats per pair: see batch_place_pair */
    BATCH_STORES = 3,  /* buffers with data of meshes */
    BATCH_BASES = 2,   /* stores whose first elements kernels are told, per body */
    BATCH_KERNELS = 7, /* of an engine, at most; */
    BATCH_EXTRAS = 2,  /* buffers that go with a frontier, besides those of all engines; */
    BATCH_STAGES = 4   /* and parts of its time */
};

/* ---- pairs ---- */

/* What an asset begins with. */
typedef struct batch_model
{
    uint64_t serial;               /* unique, and new with each fit */
    math_frame frame;              /* of its coordinates */
    uint32_t root;                 /* node */
    uint32_t levels;               /* of nodes; 0: there is nothing to search, or only the trees can */
    uint32_t counts[BATCH_STORES]; /* elements that it takes in each store */
} batch_model;

/* One pair of bodies of a job. */
typedef struct batch_pair
{
    const batch_model *a, *b;
    mesh_placed placed_a, placed_b;
} batch_pair;

typedef enum batch_verdict
{
    BATCH_SEARCH,
    BATCH_FAR,      /* certainly apart as a whole */
    BATCH_UNCERTAIN /* floats can't tell much: leave it to the trees */
} batch_verdict;

/* rotation[9], translation[3], scale_a, scale_b, pad_a, pad_b, slack: all in one unit, that of the larger body. */
batch_verdict batch_place_pair(const batch_pair *pair, float out[BATCH_PLACE]);

/* ---- engines ---- */

typedef struct batch_item
{
    uint32_t pair, a, b; /* nodes, or triangles */
} batch_item;
typedef BASE_ARRAY(batch_item) batch_items;

/* A mesh that was uploaded. */
typedef struct batch_slot
{
    uint64_t serial;
    uint32_t first[BATCH_STORES], count[BATCH_STORES];
    uint64_t used; /* in which job */
} batch_slot;

typedef struct batch_runner batch_runner;
typedef struct batch_job batch_job;

typedef struct batch_kind
{
    const char *name; /* of the engine */
    const compute_kernel_def *kernels[BATCH_KERNELS];
    uint32_t counter_words; /* of the buffer of counters */

    /* meshes */
    size_t store_sizes[BATCH_STORES]; /* bytes of an element */
    uint32_t base_stores[BATCH_BASES], base_count;
    uint32_t spare_room; /* elements, and pairs, that a new buffer has room for besides those that are needed */
    /* Fills the slot of a mesh. The device is in use, as for all below. */
    carom_status (*upload)(batch_runner *runner, const batch_model *model, const batch_slot *slot);
    /* Says that so many elements are too many for a buffer, those of this store in particular. */
    carom_status (*refuse)(const batch_runner *runner, const uint64_t counts[BATCH_STORES], int store);

    /* frontiers: room per item of one */
    uint32_t first_beam, min_beam; /* items */
    uint32_t leaves_per_item, candidates_per_item;
    size_t bytes_per_item;                                     /* of the largest buffer */
    carom_status (*grow)(batch_runner *runner, uint32_t beam); /* its extra buffers; null: it has none */

    /* jobs */
    uint32_t any_beam, any_per_pair; /* where one hit is enough: items at first, or so many for each pair */
    /* Tests items from the end of `open`, at most `take` of them, and what comes of them; the rest of that goes back to
     * `open`. */
    carom_status (*round)(batch_job *job, uint32_t take);
} batch_kind;

/* ---- runners ---- */

/* Lower limits than the device's, for tests. 0: none. */
typedef struct batch_limits
{
    uint32_t frontier;    /* items */
    uint64_t buffer_size; /* bytes */
} batch_limits;

typedef struct batch_stats
{
    uint64_t rounds, dispatches, boxes, triangles, candidates, uploads;
    double upload_seconds, read_seconds;
    double stage_seconds[BATCH_STAGES]; /* the engine's own */
} batch_stats;

struct batch_runner
{
    const batch_kind *kind;
    carom_context *context;
    compute_device *device; /* null: not opened */
    bool borrowed;          /* it is someone else's */
    bool waits;             /* for the device after each stage */
    double clock;           /* when the current stage began */
    compute_kernel kernels[BATCH_KERNELS];
    compute_buffer stores[BATCH_STORES], extras[BATCH_EXTRAS];
    compute_buffer poses, bases, frontier, leaves, spill, candidates, counters;
    uint32_t beam; /* items of a frontier; leaves, spill, candidates and extras go with it */
    uint32_t ends[BATCH_STORES], rooms[BATCH_STORES]; /* of stores: elements in use, and all */
    uint32_t pair_room;
    BASE_ARRAY(batch_slot) slots; /* sorted by serial */
    uint64_t job;
    batch_limits limits;
    batch_stats stats;
};

/* Opens a device for a runner with a kind and a context. compute: COMPUTE_AUTO or one of them. */
carom_status batch_runner_open(batch_runner *runner, compute_kind compute);
/* On a device that the caller keeps. */
carom_status batch_runner_use(batch_runner *runner, const batch_kind *kind, compute_device *device);
void batch_runner_close(batch_runner *runner); /* keeps the statistics */
/* Uploads what a job of these pairs needs. The device is in use, as for all below. */
carom_status batch_runner_load(batch_runner *runner, const batch_pair *pairs, const float *places, uint32_t count);
/* Room for a frontier of so many items, as far as the limits allow it. */
carom_status batch_runner_grow(batch_runner *runner, uint32_t beam);
uint32_t batch_max_beam(const batch_runner *runner);
/* Makes a buffer of so many elements in place of an older one. */
carom_status batch_remake(batch_runner *runner, compute_buffer *buffer, uint64_t count, size_t size);
carom_status batch_dispatch(batch_runner *runner, uint32_t kernel, compute_buffer *const *buffers, uint32_t argument,
                            uint32_t items);
/* Adds the time since the last stage to that of this one. */
carom_status batch_end_stage(batch_runner *runner, double *seconds);
/* Appends items of a buffer. */
carom_status batch_read_items(batch_runner *runner, const compute_buffer *buffer, size_t first, uint32_t count,
                              batch_items *out);
/* Null: it was not uploaded. */
const batch_slot *batch_slot_of(const batch_runner *runner, const batch_model *model);
carom_status batch_out_of_memory(const batch_runner *runner);

/* ---- jobs ---- */

struct batch_job
{
    batch_runner *runner;
    const batch_pair *pairs;
    batch_items open;  /* pairs of nodes that are to be tested */
    batch_items found; /* candidates: triangles */
    uint32_t levels;   /* of nodes, of all pairs */
    uint32_t beam;     /* limits a frontier further, to come to leaves soon; 0: as the buffers are */
    uint64_t boxes, triangles;
};

/* The roots of all pairs. */
carom_status batch_job_begin(batch_job *job, batch_runner *runner, const batch_pair *pairs, uint32_t count);
uint32_t batch_job_beam(const batch_job *job); /* items of a frontier */
void batch_job_free(carom_context *context, batch_job *job);

/* ---- results ---- */

/* Candidates as keys, triangle_a << 32 | triangle_b: those of pair i from starts[i] to starts[i + 1], sorted. */
typedef struct batch_sorted
{
    BASE_ARRAY(uint64_t) keys, space;
    BASE_ARRAY(size_t) starts;
} batch_sorted;

/* What was found of a pair of the frame, and for what exactly. */
typedef struct batch_result
{
    carom_pose pose_a, pose_b;
    uint64_t serial_a, serial_b;
    size_t first, count; /* in keys */
    bool known;          /* was searched */
    bool complete;       /* all of it; otherwise only up to a pair that meets */
    uint64_t boxes, triangles;
} batch_result;

typedef struct batch_results
{
    const engine_memory *memories; /* of the pairs, by their index; only compared */
    size_t pair_count;
    BASE_ARRAY(batch_result) items; /* by index of the pair */
    BASE_ARRAY(uint64_t) keys;      /* triangle_a << 32 | triangle_b, pair by pair, sorted */
} batch_results;

/* ---- states ---- */

/* The pairs of a job. */
typedef struct batch_list
{
    BASE_ARRAY(batch_pair) pairs;
    BASE_ARRAY(float) places;     /* BATCH_PLACE per pair */
    BASE_ARRAY(uint32_t) indices; /* among the frame's pairs; none for a pair that is searched alone */
} batch_list;

/* A worker's state begins with this. */
typedef struct batch_state
{
    tree_scratch scratch; /* first: what is left to the trees uses it */
    carom_context *context;
    compute_kind compute; /* what to open; the processor, once another was given up */
    batch_runner device;  /* opened when it is needed */
    batch_job job;
    batch_list list;
    BASE_ARRAY(uint8_t) hits; /* per pair of the job, where one hit is enough */
    batch_sorted sorted;
    batch_results results;       /* of the first worker */
    const batch_results *shared; /* those of the first worker, or null */
    double exact_seconds;
} batch_state;

/* A state of so many bytes, zero but for its batch_state. A device that was asked for is looked for at once, so that an
 * engine that can't be used is not made. */
carom_status batch_state_create(carom_context *context, const batch_kind *kind, const carom_engine_def *def,
                                size_t size, void **out);
void batch_state_destroy(batch_state *state, size_t size);
void batch_add_stats(const batch_stats *own, carom_engine_stats *sum);

void batch_list_clear(batch_list *list);
/* Appends a pair, if it is to be searched. */
carom_status batch_list_add(batch_state *state, const batch_pair *pair, batch_verdict *verdict);
/* Makes the pair of a task the only one, if it is to be searched. */
carom_status batch_list_task(batch_state *state, const query_task *task, batch_verdict *verdict);
static inline batch_pair batch_pair_of(const query_task *task)
{
    return (batch_pair){task->asset_a, task->asset_b, task->a, task->b};
}

/* Searches the list's pairs from their roots on the state's device; if that fails, on the processor. any: of each pair,
 * until one pair of triangles meets. The candidates are in `sorted`, or for any one that meets. */
carom_status batch_search(batch_state *state, bool any);
/* The candidates of job.found, into `sorted`. */
carom_status batch_sort_found(batch_state *state);

/* engine_kind.prepare_pairs. With a budget there are no results: each pair is searched in steps. */
carom_status batch_prepare_pairs(carom_engine *engine, const carom_frame *frame);

/* ---- decisions ---- */

/* Candidates of one pair, as they are decided. */
typedef struct batch_decider
{
    const query_task *task;
    const narrow_search *search;
    bool violated;
    bool told; /* a pair from an incomplete result was reported */
    uint64_t told_key;
    narrow_counts counts;
    double *seconds; /* what it takes is added */
} batch_decider;

/* Decides what is in `sorted` of the only pair of the list. CAROM_STOPPED: the caller has enough. */
carom_status batch_decide_sorted(batch_decider *decider, const batch_sorted *sorted);
/* Decides one pair without a budget: from the frame's results, or by a search of its own. */
carom_status batch_decide_pair(batch_decider *decider, batch_state *state);

#endif
