/* Shinya's lists: what is kept per pixel, and the twin of the two passes. */
#ifndef ENGINE_IMAGE_SHINYA_H
#define ENGINE_IMAGE_SHINYA_H

#include "engine/image/image_solid.h"

enum
{
    SHINYA_LONGEST = 32, /* entries of a pixel, as in lists.frag.glsl; with more, the pixel says "maybe" */
    SHINYA_SIDE = 256    /* pixels along a side at most, unless the engine is asked for another number */
};

/* In lists.frag.glsl: what a pixel says. */
typedef enum shinya_pixel
{
    SHINYA_APART,
    SHINYA_MEET,
    SHINYA_TOO_MANY,
    SHINYA_UNBALANCED /* a body is entered and not left, or the other way round: not as it should be drawn */
} shinya_pixel;

typedef struct shinya_pass
{
    image_solids solids;
    gpu_program draw, compare;
    gpu_buffer counts, entries;
    BASE_ARRAY(uint32_t) zeros;
    image_region region; /* of the last image */
    bool drawn;          /* there is one */
} shinya_pass;

/* The two bodies of `solids` are loaded. */
carom_status shinya_run(shinya_pass *pass, const image_region *region, bool *may_meet);

/* A pixel of the twin. */
typedef struct shinya_list
{
    uint32_t count;                   /* entries that were drawn, even if there was no room for all */
    uint32_t entries[SHINYA_LONGEST]; /* sorted: depth << 2 | body << 1 | leaves */
    shinya_pixel verdict;
    bool unsure;
} shinya_list;

/* out: a list per pixel, zero-initialised. */
void shinya_twin(const image_region *region, const image_solid solids[2], shinya_list *out);

#endif
