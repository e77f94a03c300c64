/* fans.h: meshes with very many triangles around one or two vertices, or around one edge. */
#ifndef SCENES_FANS_H
#define SCENES_FANS_H

#include "carom/carom.h"

typedef enum fans_kind
{
    FANS_CONE,        /* open, and convex */
    FANS_CLOSED_CONE, /* its base cut into triangles from one vertex of the rim */
    FANS_BICONE,      /* two cones at one rim */
    FANS_WAVY,        /* a cone whose rim goes up and down at each vertex */
    FANS_WAVY_BICONE,
    FANS_WAVY_TWICE, /* each triangle twice */
    FANS_STAR,       /* a cone whose rim goes in and out */
    FANS_RANDOM,     /* a cone whose rim is of random heights */
    FANS_SADDLE,     /* the rim goes up and down twice */
    FANS_FLAT,
    FANS_FLAT_PIERCED, /* with a triangle through it */
    FANS_CONE_PIERCED,
    FANS_COLLAR,    /* a cone with a wider one below its rim */
    FANS_TUFT,      /* many pyramids with the same tip */
    FANS_BOOK,      /* triangles at one edge */
    FANS_BENT_BOOK, /* with a second triangle at each */
    FANS_COUNT
} fans_kind;

const char *fans_name(fans_kind kind);

/* About this many triangles, at least 16. */
carom_status fans_make(carom_context *context, fans_kind kind, uint32_t triangles, carom_mesh **out);

#endif
