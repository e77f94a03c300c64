/* flats.h: meshes with large flat regions, in which a decomposition has to decide about many triangles at once. */
#ifndef SCENES_FLATS_H
#define SCENES_FLATS_H

#include "carom/carom.h"

typedef enum flats_kind
{
    FLATS_GRID,    /* a flat square */
    FLATS_ANNULUS, /* a flat ring */
    FLATS_HOLES,   /* a flat square with round holes */
    FLATS_BOX,     /* a box with many triangles on each side */
    FLATS_PLATE,   /* a closed plate with holes drilled through it */
    FLATS_POSTS,   /* a plane with round pits, and a post in each that is as high as the plane */
    FLATS_PIERCED, /* a flat square with a triangle through it */
    FLATS_COUNT
} flats_kind;

const char *flats_name(flats_kind kind);

/* About this many triangles, at least 8. */
carom_status flats_make(carom_context *context, flats_kind kind, uint32_t triangles, carom_mesh **out);

#endif
