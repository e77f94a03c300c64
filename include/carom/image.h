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

    /* The volume of what two bodies have in common. A point is inside a body if its winding number is not 0. The bounds
     * always hold; where coordinates are more than 1e11 times as large as what the bodies have in common, rounding
     * makes them wide, and `accuracy` is not reached. */
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

    /* ---- cloth on a body ---- */

    typedef struct carom_image_cloth_def
    {
        carom_placed body;        /* a mesh; open ones have a front and a back, too */
        carom_image_axis axis;    /* AUTO: along the shortest side of its box, as a person is seen from the front */
        uint32_t resolution;      /* pixels along the longer side across the axis; 0: 256 */
        const carom_vec3 *points; /* world */
        uint32_t point_count;
    } carom_image_cloth_def;

    typedef struct carom_image_cloth_point
    {
        bool inside;        /* between the front and the back of the body, in the point's pixel */
        double depth;       /* world: to the nearer of the two along the view */
        carom_vec3 surface; /* world: the point, moved there */
        carom_vec3 normal;  /* world, of length 1: the body's there, away from its inside as seen */
    } carom_image_cloth_point;

    typedef struct carom_image_cloth_result
    {
        /* World. A point is inside if a ball of this diameter around it is a part of the body. A convex body is at most
         * this far from a point that is inside; what else is between the front and the back of other bodies counts as
         * inside, too: between two legs, seen from the side. */
        double size;
        uint64_t inside;
        double pixel;
        carom_image_axis axis;
    } carom_image_cloth_result;

    /* Vassilev's images of the front and the back of a body: where is each point of cloth? out: an item per point. */
    CAROM_API carom_status carom_image_cloth(carom_image *image, const carom_image_cloth_def *def,
                                             carom_image_cloth_point *out, carom_image_cloth_result *result);

    /* ---- particles in view of a camera ---- */

    /* Looks along -z of its frame; x is right, y is up. */
    typedef struct carom_image_camera
    {
        carom_pose pose; /* from the camera's frame to the world */
        bool perspective;
        double width, height; /* of what is seen: world units; for a perspective, at distance 1 */
        double near_distance, far_distance;
        uint32_t columns, rows;
    } carom_image_camera;

    typedef struct carom_particle
    {
        carom_vec3 position, velocity; /* world */
        double radius;
    } carom_particle;

    typedef enum carom_particle_fate
    {
        CAROM_PARTICLE_FREE = 0,   /* no visible surface is near, or it is leaving one */
        CAROM_PARTICLE_HIT = 1,    /* it meets a visible surface */
        CAROM_PARTICLE_BEHIND = 2, /* it comes through a visible surface from behind: remove it */
        CAROM_PARTICLE_UNSEEN = 3  /* out of view, or behind a surface by more than its thickness */
    } carom_particle_fate;

    typedef struct carom_particle_hit
    {
        carom_particle_fate fate;
        carom_vec3 position; /* moved back to where it meets the surface; as it was where nothing is hit */
        carom_vec3 velocity; /* reflected; as it was where nothing is hit */
        carom_vec3 normal;   /* of the surface in its pixel, towards the camera; zero: there is none */
        uint32_t body;       /* whose; UINT32_MAX: there is none */
    } carom_particle_hit;

    typedef struct carom_image_particles_def
    {
        carom_image_camera camera;
        const carom_placed *bodies; /* meshes, drawn once */
        uint32_t body_count;
        double thickness; /* > 0: of what a surface hides; a particle deeper than that passes behind it */
        const carom_particle *particles;
        uint32_t particle_count;
    } carom_image_particles_def;

    typedef struct carom_image_particles_result
    {
        double size; /* world: of a pixel at the far distance; what is smaller may be missed */
        uint64_t hits, behind, unseen;
    } carom_image_particles_result;

    /* Particles against the depth buffer of a camera. out: an item per particle. */
    CAROM_API carom_status carom_image_particles(carom_image *image, const carom_image_particles_def *def,
                                                 carom_particle_hit *out, carom_image_particles_result *result);

#ifdef __cplusplus
}
#endif

#endif
