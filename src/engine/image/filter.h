/* filter: the methods of the survey (thesis, 1.3.4 and 2.1) that look at images of a pair of bodies and say whether the
 * two may meet. Where they say so, the default trees decide exactly; so what is reported is certain, and a sampled
 * method can only miss.
 *
 *   rossignac   Rossignac, Megahed, Schneider, "Interactive inspection of solids: cross-sections and interferences",
 *               SIGGRAPH 1992: a plane slides through both bodies
 *   shinya      Shinya, Forgue, "Interference detection through rasterization", Journal of Visualization and Computer
 *               Animation 2(4), 1991: lists of depths per pixel
 *   myszkowski  Myszkowski, Okunev, Kunii, "Fast collision detection between complex solids using rasterizing graphics
 *               hardware", The Visual Computer 11(9), 1995: stencil counts for convex bodies
 *   lombardo    Lombardo, Cani, Neyret, "Real-time collision detection for virtual surgery", Computer Animation 1999: a
 *               body's box as the volume that is viewed */
#ifndef ENGINE_IMAGE_FILTER_H
#define ENGINE_IMAGE_FILTER_H

#include "engine/engine.h"
#include "engine/image/image_solid.h"

/* A pair of bodies. */
typedef struct image_question
{
    image_placed placed[2];
    const carom_pose *pose[2];
    const void *asset[2]; /* see image_filter; or null */
    carom_aabb region;    /* what the boxes of the placed vertices have in common; not empty */
    double accuracy;      /* carom_engine_def.image_accuracy */
    uint32_t side;        /* and image_side */
} image_question;

typedef struct image_verdict
{
    bool may_meet;
    double size; /* if not: an intersection that holds a ball of this diameter was not missed; 0: nothing was */
} image_verdict;

typedef struct image_filter
{
    const char *name;
    bool for_solids; /* only for bodies that are closed and oriented */
    /* What is kept per mesh, as in engine_kind; or null. */
    carom_status (*create_asset)(void *context, const carom_shape *shape, void **out);
    void (*destroy_asset)(void *context, void *asset);
    size_t pass_size; /* bytes of what `fill` makes */
    /* All between gpu_begin and gpu_end, except forget, which frees memory of a device that is closed: what is in the
     * pass, even if it was filled in part. It is zero at first. */
    carom_status (*fill)(gpu_device *device, void *pass);
    carom_status (*may_meet)(void *state, const image_question *question, image_verdict *out);
    /* Compares what may_meet has just drawn with the twin, pixel by pixel, except those whose centre is on an edge.
     * Nothing is compared if it drew nothing. */
    carom_status (*compare)(void *state, gpu_check_result *result);
    void (*forget)(carom_context *context, void *pass);
} image_filter;

/* A filter's pass, which all its functions get as their state. */
carom_status image_filter_create(const image_filter *filter, gpu_device *device, void **out);
void image_filter_forget(const image_filter *filter, carom_context *context, void *pass);

/* The filters; null past the end. */
const image_filter *image_filter_at(uint32_t index);

extern const image_filter image_rossignac, image_shinya, image_myszkowski, image_lombardo;

/* Each filter on a few bodies, drawn and computed: rows of the table of `carom gpu --selftest`. Null past the end. */
const gpu_check *image_check_at(uint32_t index);

#endif
