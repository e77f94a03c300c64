/* mipmap: engine `geoimage` (the geometry-image paper). A mesh is a grid of cells with a quadtree of boxes above them,
 * a min / max mipmap. Pairs of bodies are searched on a compute device, all of a frame at once and level by level: each
 * pair of nodes has up to 16 pairs of children; those that are certainly apart are removed by compaction through a
 * count pyramid, which keeps the order. See docs/geometry-images.md.
 *
 *   asset    per mesh: points in float, and a table of the grid; of a mesh that is no grid, an atlas of its triangles
 *   runner   a device with its kernels and buffers; the meshes that were uploaded
 *   job      a search of some pairs on a runner, in rounds: one, unless a frontier outgrows its buffer
 *
 * Places, batches and sorting are those of engine `stream` (engine/stream/frontier.h). */
#ifndef ENGINE_GEOIMAGE_MIPMAP_H
#define ENGINE_GEOIMAGE_MIPMAP_H

#include "engine/stream/frontier.h"
#include "geoimage/geoimage.h"

enum
{
    MIPMAP_CHILDREN = 16, /* pairs of children of a pair of nodes */
    MIPMAP_STEPS = 16,    /* levels in one round: as many as a quadtree has */
    MIPMAP_COUNTERS = 96, /* words: see mipmap_counter */
    MIPMAP_LISTS = 32,    /* words of a table before its lists: see mipmap_word */
    MIPMAP_ALIGNMENT = 16 /* words: tables begin at multiples */
};

/* Words of a mesh's table. After MIPMAP_LISTS, for an atlas: where the list of each cell begins, and the end of the
 * last; then three points for each triangle that is listed. */
typedef enum mipmap_word
{
    MIPMAP_COLUMNS,
    MIPMAP_ROWS,
    MIPMAP_LISTED,     /* 1: an atlas */
    MIPMAP_FIRST_NODE, /* in the device's buffers */
    MIPMAP_FIRST_POINT,
    MIPMAP_FIRST_OF_LEVEL /* GEOIMAGE_LEVELS of them */
} mipmap_word;

/* Words of the buffer of counters. The first four are limits that the kernels obey. */
typedef enum mipmap_counter
{
    MIPMAP_BEAM,           /* items of a frontier */
    MIPMAP_MAX_LEAVES,     /* pairs of cells */
    MIPMAP_MAX_SPILLED,    /* items that these had no room for */
    MIPMAP_MAX_CANDIDATES, /* that are listed at a time */
    MIPMAP_ENTRIES,        /* of the count pyramid */
    MIPMAP_CANDIDATES,
    MIPMAP_TESTED,      /* pairs of triangles */
    MIPMAP_BOXES,       /* pairs of boxes */
    MIPMAP_ITEMS = 16,  /* and MIPMAP_STEPS more: items before each step */
    MIPMAP_LEAVES = 40, /* the same: pairs of cells */
    MIPMAP_SPILLED = 64
} mipmap_counter;

/* A node as a number. */
static inline uint32_t mipmap_node(uint32_t level, uint32_t x, uint32_t y) { return level << 28 | y << 14 | x; }

/* ---- assets ---- */

typedef struct mipmap_asset
{
    carom_context *context;
    uint64_t serial;        /* unique, and new with each fit */
    bool by_trees;          /* it can't be a grid: left to the default trees */
    math_frame frame;       /* of the points */
    geoimage_levels levels; /* without levels for a shape that is not a mesh, or a mesh without triangles */
    uint32_t point_count, table_size, triangle_count;
    float *points;   /* GEOIMAGE_POINT per point */
    uint32_t *table; /* but for where it is on a device */
    uint32_t *order; /* triangle per number in a list; null: the same */
    base_arena arena;
} mipmap_asset;

carom_status mipmap_create_asset(void *context, const carom_shape *shape, void **out);
/* Fits it to a mesh with the same triangles; a mesh with others is built anew. */
carom_status mipmap_update_asset(void *context, const carom_shape *shape, void *object);
void mipmap_destroy_asset(void *context, void *object);

static inline bool mipmap_is_searched(const mipmap_asset *asset) { return asset->levels.count > 0; }
/* The triangle that a candidate's number stands for. */
static inline uint32_t mipmap_triangle(const mipmap_asset *asset, uint32_t number)
{
    return asset->order ? asset->order[number] : number;
}

/* One pair of bodies of a job. */
typedef struct mipmap_pair
{
    const mipmap_asset *a, *b;
    mesh_placed placed_a, placed_b;
} mipmap_pair;

frontier_verdict mipmap_place_pair(const mipmap_pair *pair, float out[FRONTIER_PLACE]);

/* ---- runners ---- */

/* What a mesh takes of the buffers: nodes, points, words of tables. */
enum
{
    MIPMAP_NODES,
    MIPMAP_POINTS,
    MIPMAP_TABLES,
    MIPMAP_STORES
};

/* A mesh that was uploaded. */
typedef struct mipmap_slot
{
    uint64_t serial;
    uint32_t first[MIPMAP_STORES], count[MIPMAP_STORES];
    uint64_t used; /* in which job */
} mipmap_slot;

enum
{
    MIPMAP_CELLS_KERNEL,
    MIPMAP_PARENTS_KERNEL,
    MIPMAP_DESCEND_KERNEL,
    MIPMAP_SUM_KERNEL,
    MIPMAP_SCATTER_KERNEL,
    MIPMAP_TEST_KERNEL,
    MIPMAP_LIST_KERNEL,
    MIPMAP_KERNELS
};

typedef struct mipmap_stats
{
    uint64_t rounds, dispatches, boxes, triangles, candidates, uploads;
    double upload_seconds, mipmap_seconds, traversal_seconds, compaction_seconds, triangle_seconds, read_seconds;
} mipmap_stats;

typedef struct mipmap_runner
{
    carom_context *context;
    compute_device *device; /* null: not opened */
    bool borrowed;          /* it is someone else's */
    bool waits;             /* for the device after each stage */
    double clock;           /* when the current stage began */
    compute_kernel kernels[MIPMAP_KERNELS];
    compute_buffer stores[MIPMAP_STORES];
    compute_buffer poses, bases, frontier, masks, pyramid, leaves, spill, candidates, counters;
    uint32_t beam; /* items of a frontier; leaves, spill and candidates go with it */
    uint32_t ends[MIPMAP_STORES], rooms[MIPMAP_STORES];
    uint32_t pair_room;
    BASE_ARRAY(mipmap_slot) slots; /* sorted by serial */
    uint64_t job;
    frontier_limits limits;
    mipmap_stats stats;
} mipmap_runner;

extern const compute_kernel_def mipmap_cells_def, mipmap_parents_def, mipmap_descend_def, mipmap_sum_def,
    mipmap_scatter_def, mipmap_test_def, mipmap_list_def;

/* kind: COMPUTE_AUTO or one of them. */
carom_status mipmap_runner_open(mipmap_runner *runner, carom_context *context, compute_kind kind);
/* On a device that the caller keeps. */
carom_status mipmap_runner_use(mipmap_runner *runner, carom_context *context, compute_device *device);
void mipmap_runner_close(mipmap_runner *runner); /* keeps the statistics */
/* Room for a frontier of so many items. The device is in use, as for all below. */
carom_status mipmap_runner_grow(mipmap_runner *runner, uint32_t beam);
uint32_t mipmap_max_beam(const mipmap_runner *runner);
carom_status mipmap_remake(mipmap_runner *runner, compute_buffer *buffer, uint64_t count, size_t size);
carom_status mipmap_dispatch(mipmap_runner *runner, uint32_t kernel, compute_buffer *const *buffers, uint32_t argument,
                             uint32_t items);
/* Adds the time since the last stage to that of this one. */
carom_status mipmap_end_stage(mipmap_runner *runner, double *seconds);
/* Uploads what a job of these pairs needs, and makes the boxes of what is new. */
carom_status mipmap_runner_load(mipmap_runner *runner, const mipmap_pair *pairs, const float *places, uint32_t count);
const mipmap_slot *mipmap_slot_of(const mipmap_runner *runner, const mipmap_asset *asset);

/* ---- jobs ---- */

typedef struct mipmap_job
{
    mipmap_runner *runner;
    const mipmap_pair *pairs;
    frontier_items open;  /* pairs of nodes whose children are to be tested */
    frontier_items found; /* candidates: triangles */
    uint32_t beam;        /* limits a frontier further, to come to cells soon; 0: as the buffers are */
    uint32_t steps;       /* of one round */
    uint64_t boxes, triangles;
} mipmap_job;

/* The roots of all pairs. */
carom_status mipmap_job_begin(mipmap_job *job, mipmap_runner *runner, const mipmap_pair *pairs, uint32_t count);
/* Tests items from the end of `open`, and what comes of them; the rest of that goes back to `open`. */
carom_status mipmap_round(mipmap_job *job);
void mipmap_job_free(carom_context *context, mipmap_job *job);

/* ---- the engine ---- */

typedef struct mipmap_state
{
    tree_scratch scratch; /* first: what is left to the trees uses it */
    carom_context *context;
    compute_kind kind;
    bool time_stages;
    mipmap_runner device; /* opened when it is needed */
    mipmap_job job;
    BASE_ARRAY(mipmap_pair) pairs; /* of the job */
    BASE_ARRAY(float) places;
    BASE_ARRAY(uint32_t) indices; /* of the job's pairs among the frame's */
    BASE_ARRAY(uint8_t) hits;     /* per pair of the job, where one hit is enough */
    frontier_sorted sorted;
    frontier_batch batch;               /* of the first worker */
    const frontier_batch *shared_batch; /* that of the first worker */
    double exact_seconds;
    uint64_t pairs_by_trees;
} mipmap_state;

carom_status mipmap_out_of_memory(carom_context *context);
/* Searches the state's pairs from their roots on its device; if that fails, on the processor. any: of each pair, until
 * one pair of triangles meets. The candidates are in `sorted`, or for any one that meets. */
carom_status mipmap_search(mipmap_state *state, bool any);
carom_status mipmap_collide(void *object, const query_task *task, const narrow_search *search, bool *violated);
carom_status mipmap_prepare_pairs(carom_engine *engine, const carom_frame *frame);

/* The checks of all kernels for carom_compute_selftest; null past the end. */
const compute_check *mipmap_check_at(uint32_t index);

#endif
