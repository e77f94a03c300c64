/* carom/image.h: questions answered by images: how large is an intersection, which vertices are inside, does a body
 * overlap itself; points of cloth and particles against a body as a camera sees it.
 *
 * The images are drawn by a graphics driver (carom/gpu.h); without one, carom_image_create returns CAROM_UNAVAILABLE
 * and the reason. Each pass also exists in plain C, with the same result to the bit: carom_image_def.on_processor.
 *
 * Answers are of two kinds. Bounds are proven: whatever the driver interpolates, the true value is within them, and a
 * vertex that is sure is right. Sampled answers look at the centres of pixels only and state the size below which they
 * may miss something. */
#ifndef CAROM_IMAGE_H
#define CAROM_IMAGE_H

#include "carom/shape.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* A driver's context with programs and targets. It belongs to one thread at a time; several of them, on several
     * threads, work at once. */
    typedef struct carom_image carom_image;

    typedef struct carom_image_def
    {
        bool on_processor; /* compute the passes in plain C instead of drawing them: no driver is needed */
    } carom_image_def;

    CAROM_API carom_image_def carom_image_def_default(void);
    /* def may be null for the default. */
    CAROM_API carom_status carom_image_create(carom_context *context, const carom_image_def *def, carom_image **out);
    CAROM_API void carom_image_destroy(carom_image *image);

#define CAROM_IMAGE_MAX_RESOLUTION 4096u /* a driver may allow less: see carom_gpu_limits */

    /* Which axis of the world to look along. */
    typedef enum carom_image_axis
    {
        CAROM_IMAGE_AXIS_AUTO = 0, /* the one with the least surface seen edge on */
        CAROM_IMAGE_AXIS_X = 1,
        CAROM_IMAGE_AXIS_Y = 2,
        CAROM_IMAGE_AXIS_Z = 3
    } carom_image_axis;

    /* ---- layers of closed, oriented meshes ---- */

    typedef struct carom_image_volume_def
    {
        carom_placed a, b; /* meshes that are closed and oriented; others are refused by name */
        carom_image_axis axis;
        uint32_t resolution; /* pixels along the longer side of what the two boxes have in common; 0: 256, or what
                              * the accuracy demands */
        double accuracy;     /* > 0 and no resolution: double it until `error` is at most this share of the volume */
        uint32_t max_resolution; /* for that; 0: 1024 */
    } carom_image_volume_def;

    CAROM_API carom_image_volume_def carom_image_volume_def_default(void);

    typedef struct carom_image_volume_result
    {
        carom_status status;  /* CAROM_OK, or CAROM_UNKNOWN: the accuracy was not reached; everything below holds */
        double volume, error; /* the intersection's: the true one is at most `error` away */
        double lower, upper;  /* the same as bounds */
        carom_aabb bounds;    /* world: holds the intersection; min > max: there is none */
        carom_image_axis axis;
        uint32_t columns, rows;  /* of the image */
        double pixel;            /* world: width of a pixel */
        uint32_t max_layers;     /* of both bodies in one pixel */
        uint64_t entries, exits; /* surfaces that the lines through the pixels' samples cross, of both bodies */
        uint64_t fragments;      /* triangles over pixels */
        uint64_t exact_samples;  /* of these, samples too close to an edge, decided by exact predicates */
    } carom_image_volume_result;

    /* The volume of what two bodies have in common. A point is inside a body if its winding number is not 0. */
    CAROM_API carom_status carom_image_volume(carom_image *image, const carom_image_volume_def *def,
                                              carom_image_volume_result *result);

    typedef enum carom_image_place
    {
        CAROM_IMAGE_OUTSIDE = 0,
        CAROM_IMAGE_INSIDE = 1,
        CAROM_IMAGE_UNSURE = 2 /* in a pixel and at a depth where the surface may be */
    } carom_image_place;

    typedef struct carom_image_vertices_result
    {
        uint64_t outside, inside, unsure;
        double pixel; /* world: width of a pixel */
    } carom_image_vertices_result;

    /* Which vertices of a are inside b? places: a carom_image_place per vertex of a's mesh; those that are sure are
     * right. def.accuracy is not used; a may be any mesh. */
    CAROM_API carom_status carom_image_vertices(carom_image *image, const carom_image_volume_def *def, uint8_t *places,
                                                carom_image_vertices_result *result);

    typedef struct carom_image_self_def
    {
        carom_placed body; /* closed and oriented */
        carom_image_axis axis;
        uint32_t resolution; /* 0: 256 */
    } carom_image_self_def;

    typedef struct carom_image_self_result
    {
        bool overlaps;    /* sure: somewhere the winding number is neither 0 nor that of the body's inside */
        double size;      /* world: an overlap may be missed unless it holds a ball of this diameter that no surface
                           * crosses */
        uint64_t columns; /* pixels that show an overlap */
        carom_vec3 point; /* world: in the overlap of the first of them */
        double pixel;
    } carom_image_self_result;

    /* Does a body overlap itself: are two entries, or two exits, next to each other along a line of sight? */
    CAROM_API carom_status carom_image_self(carom_image *image, const carom_image_self_def *def,
                                            carom_image_self_result *result);

#ifdef __cplusplus
}
#endif

#endif
