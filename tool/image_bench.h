/* The experiment of the thesis's chapter 2 (2.5): its two scenes in five sizes, image-based collision detection, RECODE
 * and a tree of oriented boxes as in RAPID. `carom bench image` prints what is measured here. */
#ifndef TOOL_IMAGE_BENCH_H
#define TOOL_IMAGE_BENCH_H

#include "tool/scene_twins.h"

enum
{
    IMAGE_BENCH_SCENES = 2,
    IMAGE_BENCH_SIZES = 5,
    IMAGE_BENCH_MAX_STEPS = 1000
};

/* All are asked the same: whether bodies meet, as RAPID with its first contact, or where. */
typedef enum image_bench_method
{
    IMAGE_BENCH_TREE = 0,  /* binary trees of oriented boxes: exact, what the others are compared with */
    IMAGE_BENCH_IBCD,      /* the thesis's: image-sampled */
    IMAGE_BENCH_CERTIFIED, /* image, with image_always */
    IMAGE_BENCH_CHOICE,    /* image, which chooses trees where these are faster, and may draw nothing at all */
    IMAGE_BENCH_RECODE,
    IMAGE_BENCH_METHODS
} image_bench_method;

extern const char *const IMAGE_BENCH_NAMES[IMAGE_BENCH_METHODS];
extern const char *const IMAGE_BENCH_SCENE_NAMES[IMAGE_BENCH_SCENES];
extern const uint32_t IMAGE_BENCH_TRIANGLES[IMAGE_BENCH_SCENES][IMAGE_BENCH_SIZES];

typedef struct image_bench_run
{
    carom_engine *engine;
    double ms[IMAGE_BENCH_MAX_STEPS];          /* per step, the fastest of all repeats */
    double step_images[IMAGE_BENCH_MAX_STEPS]; /* drawn in that run */
    double mean_ms;
    double correlation;  /* of time and number of images, step by step; not finite: one of them is always the same */
    double spread;       /* the standard deviation of eta (2-12), as a part: 1 is 100 % */
    double mean_off;     /* the mean of |eta|; that of eta is 0 by its definition */
    double processor_ms; /* of all threads, per step: not disturbed by other load on the machine */
    double elapsed_ms;   /* the same by the clock */
    double images, images_apart, views_apart, passes, pixels; /* per step */
    double image_us;                                          /* what an image takes, preparation included */
    carom_engine_stats seconds;                               /* only its times: per step */
    uint64_t missed;                                          /* pairs of bodies that the tree finds, over all steps */
    double sampled_size;                                      /* the largest that was stated */
    carom_engine_stats before;
    uint64_t images_before; /* the last run */
    uint64_t count;         /* of calls */
} image_bench_run;

typedef struct image_bench_options
{
    uint32_t steps, repeats, side;
    bool elapsed;   /* time by the clock; otherwise processor time of all threads */
    bool all;       /* pairs of triangles; otherwise, whether bodies meet */
    bool certified; /* IMAGE_BENCH_CERTIFIED as well, which takes several times as long as all others */
} image_bench_options;

/* A scene in one size, measured. */
typedef struct image_bench_row
{
    const image_bench_options *options;
    carom_context *context; /* with one worker */
    int scene, size;
    uint32_t triangles; /* in fact */
    uint64_t meeting;   /* pairs of bodies that meet, over all steps */
    bool differ;        /* some exact answer does, or a sampled one has what is not there */
    image_bench_run runs[IMAGE_BENCH_METHODS];

    scene_twins twins;
} image_bench_row;

/* Where in the motion of 1,000 steps the given step is: fewer are spread over all of it, since little meets in the
 * beginning. */
static inline uint32_t image_bench_moment(const image_bench_options *options, uint32_t step)
{
    return step * IMAGE_BENCH_MAX_STEPS / options->steps;
}

static inline bool image_bench_has(const image_bench_options *options, int method)
{
    return options->certified || method != IMAGE_BENCH_CERTIFIED;
}

/* Measures all methods, step by step in turn. The first five members are set, the rest is zero. Close it in either
 * case; the figures stay. CAROM_UNAVAILABLE: there is no driver. */
carom_status image_bench_measure(image_bench_row *row);
void image_bench_close(image_bench_row *row);

#endif
