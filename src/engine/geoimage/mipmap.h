/* mipmap: engine `geoimage` (the geometry-image paper). A mesh is a grid of cells with a quadtree of boxes above them,
 * a min / max mipmap. Pairs of bodies are searched on a compute device, all of a frame at once and level by level: each
 * pair of nodes has up to 16 pairs of children; those that are certainly apart are removed by compaction through a
 * count pyramid, which keeps the order. See docs/geometry-images.md.
 *
 *   asset    per mesh: points in float, and a table of the grid; of a mesh that is no grid, an atlas of its triangles
 *   round    of a job: levels, then triangles
 *
 * Places, runners, jobs and the search of a whole frame are those of engine/batch/batch.h. */
#ifndef ENGINE_GEOIMAGE_MIPMAP_H
#define ENGINE_GEOIMAGE_MIPMAP_H

#include "engine/batch/batch.h"
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
    batch_model model; /* first; without levels where the trees are left to search, or nothing is */
    carom_context *context;
    bool by_trees;          /* it can't be a grid: left to the default trees */
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

carom_status mipmap_out_of_memory(carom_context *context);

static inline const mipmap_asset *mipmap_asset_of(const batch_model *model) { return (const void *)model; }
/* The triangle that a candidate's number stands for. */
static inline uint32_t mipmap_triangle(const mipmap_asset *asset, uint32_t number)
{
    return asset->order ? asset->order[number] : number;
}

/* ---- runners ---- */

/* What a mesh takes of the buffers: nodes, points, words of tables. */
enum
{
    MIPMAP_NODES,
    MIPMAP_POINTS,
    MIPMAP_TABLES
};

/* Of compaction: which pairs of children, or of triangles, are left, and how many. */
enum
{
    MIPMAP_MASKS,
    MIPMAP_PYRAMID
};

enum
{
    MIPMAP_CELLS_KERNEL,
    MIPMAP_PARENTS_KERNEL,
    MIPMAP_DESCEND_KERNEL,
    MIPMAP_SUM_KERNEL,
    MIPMAP_SCATTER_KERNEL,
    MIPMAP_TEST_KERNEL,
    MIPMAP_LIST_KERNEL
};

enum
{
    MIPMAP_BOX_STAGE,
    MIPMAP_TRAVERSAL_STAGE,
    MIPMAP_COMPACTION_STAGE,
    MIPMAP_TRIANGLE_STAGE
};

extern const compute_kernel_def mipmap_cells_def, mipmap_parents_def, mipmap_descend_def, mipmap_sum_def,
    mipmap_scatter_def, mipmap_test_def, mipmap_list_def;
extern const batch_kind mipmap_kind;

/* batch_kind.round: several levels, and the triangles of the cells. */
carom_status mipmap_round(batch_job *job, uint32_t take);

/* ---- the engine ---- */

typedef struct mipmap_state
{
    batch_state batch; /* first */
    uint64_t pairs_by_trees;
} mipmap_state;

carom_status mipmap_collide(void *object, const query_task *task, const narrow_search *search, bool *violated);

/* The checks of all kernels for carom_compute_selftest; null past the end. */
const compute_check *mipmap_check_at(uint32_t index);

#endif
