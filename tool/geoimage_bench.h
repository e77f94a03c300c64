/* The experiment of the geometry-image paper (figure 5): two spheres of 1,024 triangles, one of which turns about a
 * fixed axis, nearer after each full turn; and how fast boxes are rebuilt. `carom bench geoimage` prints what is
 * measured here. */
#ifndef TOOL_GEOIMAGE_BENCH_H
#define TOOL_GEOIMAGE_BENCH_H

#include "carom/carom.h"

enum
{
    GEOIMAGE_BENCH_DISTANCES = 16,
    GEOIMAGE_BENCH_MAX_STEPS = 360,
    GEOIMAGE_BENCH_SIDE = 513 /* points along a side of the sheet whose boxes are rebuilt */
};

typedef enum geoimage_bench_method
{
    GEOIMAGE_BENCH_TREE = 0, /* engine tree: what the others are compared with */
    GEOIMAGE_BENCH_PROCESSOR,
    GEOIMAGE_BENCH_OPENCL, /* engine geoimage, by what runs its kernels, as the one before */
    GEOIMAGE_BENCH_OPENGL,
    GEOIMAGE_BENCH_METHODS
} geoimage_bench_method;

typedef enum geoimage_bench_stage
{
    GEOIMAGE_BENCH_UPLOAD = 0,
    GEOIMAGE_BENCH_MIPMAP,
    GEOIMAGE_BENCH_TRAVERSAL,
    GEOIMAGE_BENCH_COMPACTION,
    GEOIMAGE_BENCH_TRIANGLES,
    GEOIMAGE_BENCH_READ, /* candidates, back to the processor */
    GEOIMAGE_BENCH_EXACT,
    GEOIMAGE_BENCH_STAGES
} geoimage_bench_stage;

extern const char *const GEOIMAGE_BENCH_NAMES[GEOIMAGE_BENCH_METHODS];
extern const char *const GEOIMAGE_BENCH_STAGE_NAMES[GEOIMAGE_BENCH_STAGES];

/* A full turn at one distance. */
typedef struct geoimage_bench_run
{
    double ms;                             /* per step, from new points to the answer */
    double stages[GEOIMAGE_BENCH_STAGES];  /* ms per step, elapsed, in searches of their own that wait after each */
    uint64_t pairs;                        /* of triangles that meet, over all steps */
    uint64_t boxes, triangles, dispatches; /* tested; of all steps */
} geoimage_bench_run;

typedef struct geoimage_bench_row
{
    double distance; /* between the centres, in diameters */
    geoimage_bench_run runs[GEOIMAGE_BENCH_METHODS];
} geoimage_bench_row;

/* Milliseconds, the shortest of all rounds; NAN: not measured. */
typedef struct geoimage_bench_rebuild
{
    uint32_t side;
    double tree_built, tree_refitted;
    double mipmap[GEOIMAGE_BENCH_METHODS]; /* boxes of all levels; those of the tree are above */
    double upload[GEOIMAGE_BENCH_METHODS]; /* new points as floats, handed to the device */
} geoimage_bench_rebuild;

/* How one method sees the two spheres: it has them to itself, so that no other's trees help it. */
typedef struct geoimage_bench_view
{
    carom_engine *engine, *staged; /* the second waits after each stage; null: there is none */
    carom_scene *scene;
    carom_body_id turning;
    carom_mesh *sphere, *turned;
} geoimage_bench_view;

typedef struct geoimage_bench
{
    carom_context *context; /* with one worker */
    uint32_t distances, steps, side;
    bool elapsed; /* time by the clock; otherwise processor time of all threads */
    bool rigid;   /* the sphere turns as a body; otherwise it gets new points, and boxes, as in the paper */
    geoimage_bench_row rows[GEOIMAGE_BENCH_DISTANCES];
    geoimage_bench_rebuild rebuild;
    bool measured[GEOIMAGE_BENCH_METHODS];
    bool differ;        /* some answer does */
    bool counts_differ; /* devices have not made the same tests */
    geoimage_bench_view views[GEOIMAGE_BENCH_METHODS];
} geoimage_bench;

/* Set the members up to rigid, zero the rest. Close it in either case; the figures stay. What the machine does not have
 * is left out. */
carom_status geoimage_bench_measure(geoimage_bench *bench);
void geoimage_bench_close(geoimage_bench *bench);

/* How much faster a method is than the processor's twin of the same search, over all distances: 0.13 is 13 %. NAN if it
 * was not measured. */
double geoimage_bench_gain(const geoimage_bench *bench, geoimage_bench_method method);

#endif
