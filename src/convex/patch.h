/* One patch of a surface, grown from its seed. Private to this folder. */
#ifndef CONVEX_PATCH_H
#define CONVEX_PATCH_H

#include "convex/probe.h"

enum
{
    GROW_REPORT_EVERY = 4096 /* seeds, and sides of one patch */
};

/* An edge of the patch that is still to be tried. */
typedef struct grow_side
{
    uint32_t triangle, side;
    uint32_t culprit; /* try again when this triangle is in the patch */
} grow_side;

/* What one worker needs. */
typedef struct grow_space
{
    convex_surface *surface;
    convex_shell shell;
    convex_probe probe;
    BASE_ARRAY(grow_side) queue, waiting;
    /* The trial: triangles and vertices that would join, what they meet. */
    convex_numbers triangles, vertices;
    convex_numbers met;   /* triangles that have to join too */
    convex_numbers ready; /* those of them that are next, and perhaps others */
    uint64_t trial;       /* its number */
    size_t patience;      /* how many vertices a trial may take in */
    size_t member_count;  /* vertices of the patch */
    size_t wasted;        /* vertices of large trials that came to nothing */
    uint64_t effort;      /* of all patches, but for that of the shell and of the last patch's probe */
    uint32_t seed;
    carom_status status; /* why it ended, if not for lack of memory */
} grow_space;

void grow_begin(grow_space *space, convex_surface *surface);
void grow_free(grow_space *space);

/* Sets the piece of the triangles that join the seed, and of the seed. False: out of memory, or the status says why. */
bool grow_patch(grow_space *space, uint32_t seed);

#endif
