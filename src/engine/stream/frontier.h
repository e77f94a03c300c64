/* frontier: engine `stream`, the modern version of the thesis's chapter 3. Pairs of bodies are searched on a compute
 * device, many at once: a dispatch tests the whole frontier of pairs of nodes and appends their children, level by
 * level, then the triangles at the leaves. What certainly is apart in floats is dropped there; the exact narrow phase
 * decides the rest. See docs/kernels.md.
 *
 *   asset    per mesh: a binary tree of boxes and its triangles, flat arrays of float and uint
 *   round    of a job: levels, then triangles
 *
 * Places, runners, jobs and the search of a whole frame are those of engine/batch/batch.h. */
#ifndef ENGINE_STREAM_FRONTIER_H
#define ENGINE_STREAM_FRONTIER_H

#include "engine/batch/batch.h"

enum
{
    FRONTIER_LEAF = 2,      /* triangles of a leaf at most */
    FRONTIER_LEVELS = 40,   /* levels in one round; deeper trees take more rounds */
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
    batch_model model; /* first; without levels for a shape that is not a mesh, or a mesh without triangles */
    carom_context *context;
    uint32_t node_count, reference_count;
    uint32_t *links; /* 2 per node: first child, 0; or first reference, count */
    uint32_t *order; /* triangle per reference */
    float *boxes;    /* 6 per node: centre, half extents, rounded outwards */
    float *corners;  /* 9 per reference */
    base_arena arena;
} frontier_asset;

carom_status frontier_create_asset(void *context, const carom_shape *shape, void **out);
/* Fits it to a mesh with the same triangles; a mesh with others is built anew. */
carom_status frontier_update_asset(void *context, const carom_shape *shape, void *object);
void frontier_destroy_asset(void *context, void *object);

carom_status frontier_out_of_memory(carom_context *context);

static inline const frontier_asset *frontier_asset_of(const batch_model *model) { return (const void *)model; }

/* ---- runners ---- */

enum
{
    FRONTIER_REFINE_KERNEL,
    FRONTIER_TEST_KERNEL
};

/* What a mesh takes of the buffers: as many boxes as links. */
enum
{
    FRONTIER_BOXES,
    FRONTIER_LINKS,
    FRONTIER_CORNERS
};

enum
{
    FRONTIER_RUN_STAGE /* both kernels */
};

extern const compute_kernel_def frontier_refine_def, frontier_test_def;
extern const batch_kind frontier_kind;

/* batch_kind.round: several levels, and the triangles of the leaves. */
carom_status frontier_round(batch_job *job, uint32_t take);

/* ---- the engine ---- */

typedef struct frontier_state
{
    batch_state batch;  /* first */
    batch_runner steps; /* the processor, for searches with a budget, whose steps are small */
    narrow_front left;
} frontier_state;

carom_status frontier_collide(void *object, const query_task *task, const narrow_search *search, bool *violated);

/* The check of both kernels for carom_compute_selftest; null past the end. */
const compute_check *frontier_check_at(uint32_t index);

#endif
