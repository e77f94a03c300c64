/* image_cliffs.h: hard cases through the engines that draw images. */
#ifndef BENCH_IMAGE_CLIFFS_H
#define BENCH_IMAGE_CLIFFS_H

#include "bench/bench.h"

typedef struct image_case
{
    const char *name;
    void (*empty_caches)(void *user); /* before each frame; or null */
    void *user;
    carom_scene *scene; /* set by image_cliffs_run */
} image_case;

/* Prints the head of the table; false: there is no driver. */
bool image_cliffs_begin(bench_session *session);
/* Prints the rows of two bodies. */
void image_cliffs_run(bench_session *session, const carom_placed placed[2], image_case the_case);

#endif
