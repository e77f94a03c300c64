/* The experiment of the thesis's chapter 3 (3.6): its four scenes, three of them in several sizes, the stream methods,
 * IBCD, RECODE and trees of oriented boxes as in RAPID. `carom bench stream` prints what is measured here. */
#ifndef TOOL_STREAM_BENCH_H
#define TOOL_STREAM_BENCH_H

#include "tool/scene_twins.h"

enum
{
    STREAM_BENCH_SCENES = 4,
    STREAM_BENCH_SIZES = 5, /* the last is the published one */
    STREAM_BENCH_MAX_STEPS = 100
};

/* All are asked whether the two bodies meet, or for all pairs of triangles that do. */
typedef enum stream_bench_method
{
    STREAM_BENCH_TREE = 0, /* binary trees of oriented boxes: what the others are compared with */
    STREAM_BENCH_SCD0,     /* every pass drawn */
    STREAM_BENCH_SCD1,
    STREAM_BENCH_SCD2,
    STREAM_BENCH_BALANCED, /* scd2, passes of few edges computed on the processor */
    STREAM_BENCH_PAIRS,    /* scd-triangles, every pass drawn */
    STREAM_BENCH_TWIN,     /* scd0 on the processor */
    STREAM_BENCH_IBCD,     /* image-sampled */
    STREAM_BENCH_RECODE,
    STREAM_BENCH_OPENCL, /* stream, by what runs its kernels */
    STREAM_BENCH_OPENGL,
    STREAM_BENCH_PROCESSOR,
    STREAM_BENCH_METHODS
} stream_bench_method;

extern const char *const STREAM_BENCH_NAMES[STREAM_BENCH_METHODS];
extern const uint32_t STREAM_BENCH_TRIANGLES[STREAM_BENCH_SCENES][STREAM_BENCH_SIZES];

typedef struct stream_bench_run
{
    bool measured;
    double ms;                                           /* per step */
    double passes, computed, pixels, packed, edge_tests; /* per step */
    uint64_t missed;                                     /* steps in which the tree finds a hit */
    uint64_t boxes, triangles; /* of stream: tests of all searches for all pairs, the same for all devices */
    carom_engine *engine;
    carom_engine_stats before;
} stream_bench_run;

typedef struct stream_bench_options
{
    uint32_t steps;
    bool elapsed; /* time by the clock; otherwise processor time of all threads */
    bool fast;    /* leaves out SCD0 and whatever else takes seconds */
    bool all;     /* times searches for all pairs of triangles; otherwise for any */
} stream_bench_options;

/* A scene in one size, measured. */
typedef struct stream_bench_row
{
    const stream_bench_options *options;
    carom_context *context; /* with one worker */
    int scene, size;
    uint32_t triangles, edges; /* in fact, of both bodies; edges as the methods count them */
    uint32_t step_count, meeting;
    uint32_t steps[STREAM_BENCH_MAX_STEPS]; /* those that are measured: the bodies' boxes overlap */
    bool differ;                            /* some exact answer does, or a sampled one has what is not there */
    bool counts_differ;                     /* devices of stream have not made the same tests */
    stream_bench_run runs[STREAM_BENCH_METHODS];

    scene_twins twins;
} stream_bench_row;

/* Measures the methods that a figure or the table shows for this row. The first four members are set, the rest is zero.
 * Close it in either case; the figures stay. CAROM_UNAVAILABLE: there is no driver. */
carom_status stream_bench_measure(stream_bench_row *row);
void stream_bench_close(stream_bench_row *row);

/* The cost model (3-14) with a cost per pass, fitted to runs of scd0 and scd1: ms per pixel (Cost_rd), per edge
 * (Cost_rb) and per pass. Errors are relative. */
typedef struct stream_bench_fit
{
    uint32_t run_count;
    double per_pixel, per_edge, per_pass;
    double mean_error, largest_error;
    double printed_error; /* the mean error of the best fit without a cost per pass, as printed */
    double per_test;      /* on the processor, ms */
    double break_even;    /* edges below which that is faster; 0: never */
} stream_bench_fit;

stream_bench_fit stream_bench_fit_costs(const stream_bench_row *const *rows, uint32_t count);

#endif
