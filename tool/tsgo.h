/* The experiment of the grid paper (Wang, Xu 2017, section 4): its scenes, the methods that it compares and ours, and
 * the grid at several depths. `carom bench tsgo` prints what is measured here. */
#ifndef TOOL_TSGO_H
#define TOOL_TSGO_H

#include "tool/scene_twins.h"

enum
{
    TSGO_ROW_COUNT = 7, /* of table 1 */
    TSGO_MAX_STEPS = 100,
    TSGO_MAX_DEPTH = 5 /* k_max: at the next one cells are smaller than the largest piece */
};

/* Methods. All but the last use the same binary trees of area-weighted oriented boxes. */
typedef enum tsgo_method
{
    TSGO_TREES = 0, /* every body against every other: RAPID in the paper */
    TSGO_HYBRID,
    TSGO_OURS,
    TSGO_AT_DEPTH, /* the topological grid, at depth 0; the next ones at depth 1, 2, ... */
    TSGO_METHOD_COUNT = TSGO_AT_DEPTH + TSGO_MAX_DEPTH + 1
} tsgo_method;

/* A row of table 1. */
typedef struct tsgo_published
{
    uint32_t pieces, triangles, points;
    double ms[3]; /* RAPID, hybrid, TSGO */
} tsgo_published;

extern const tsgo_published TSGO_TABLE[TSGO_ROW_COUNT];

typedef struct tsgo_run
{
    carom_engine *engine;
    double best_ms[TSGO_MAX_STEPS]; /* per step, over all repeats */
    double mean_ms;                 /* of these */
    double pairs, boxes, triangles; /* per step: body pairs examined, boxes and triangles tested */
    double broad_ms;                /* the mean over all runs */
    uint64_t runs;
} tsgo_run;

typedef struct tsgo_options
{
    uint32_t steps, repeats, depth; /* depth: of the grid in table 1 */
} tsgo_options;

/* A scene, measured. */
typedef struct tsgo_row
{
    const tsgo_published *published;
    const tsgo_options *options;
    uint32_t step_count;
    uint32_t chosen_depth;   /* what the automatic choice would be */
    double cell_size;        /* of the grid in table 1 */
    double points;           /* per step */
    double meeting;          /* pairs of bodies that meet, per step */
    bool differ;             /* some answer does */
    carom_grid_stats missed; /* by the paper's diagonal rule, summed over steps; objects: 0 if not measured */
    tsgo_run runs[TSGO_METHOD_COUNT];
    uint64_t hashes[TSGO_MAX_STEPS];

    carom_context *context;
    scene_twins twins; /* the first with the paper's (1) to (5) */
} tsgo_row;

/* Measures all methods. The row's published and options are set, the rest is zero. Close it in either case. */
carom_status tsgo_measure(tsgo_row *row);
void tsgo_close(tsgo_row *row);

#endif
