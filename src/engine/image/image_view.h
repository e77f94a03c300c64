/* How a pair of convex pieces is looked at: the thesis's 2.4.2 and 2.4.3, with its errata.
 *
 * A view maps the world to three numbers, pixels across, pixels up and depth, by an affine map whose coefficients are
 * the doubles in image_view. Whatever these are, two sets whose images have no point in common have none in the world
 * either, so a view may be chosen carelessly; only the rounding of placed points counts. */
#ifndef ENGINE_IMAGE_VIEW_H
#define ENGINE_IMAGE_VIEW_H

#include "math/math.h"
#include "volume/volume.h"

enum
{
    IMAGE_MAX_SIDE = 4096 /* pixels of a tile */
};

/* Depth is in [-1, 1]. */
typedef struct image_view
{
    carom_vec3 axis[3]; /* world: right, up, away from the viewer; about unit length */
    carom_vec3 centre;  /* world: subtracted first */
    int side;           /* pixels of the square image */
    double low[2];      /* along the first two axes: where the image begins, */
    double scale[2];    /* and pixels per unit */
    double depth_scale; /* a power of two */
    double reach[2];    /* largest |pixel| of a drawn point */
    double error[3];    /* bounds what rounding does to a placed point: pixels, pixels, depth */
} image_view;

/* What the test of two boxes on their own axes says. */
typedef struct image_overlap
{
    bool apart;       /* on one of them, far beyond rounding */
    double length[6]; /* of the common part along the axes of a, then of b */
} image_overlap;

/* Boxes in the world. Lengths are those of the common part, clipped to either box: (2-8) alone overstates them where
 * one projection holds the other. */
image_overlap image_overlap_of(const volume_box *a, const volume_box *b);

/* Looks along the axis of a box with the longest overlap, at the rectangle that the other two leave; of the two boxes
 * the one with the smaller rectangle (2.4.3). Only axis and centre are set. */
void image_choose_view(const volume_box *a, const volume_box *b, const image_overlap *overlap, image_view *view);

/* Looks at the flat side of a hull without thickness. Its rectangle would be the smallest edge on, and there it covers
 * the centre of no pixel: a sampled image would show nothing of it, however many pixels it has. */
void image_choose_flat_view(const volume_box *flat, const volume_box *other, image_view *view);

/* Points of a placed piece, as seen before the image's rectangle is known. */
typedef struct image_seen
{
    carom_vec3 *points; /* view axes, world units, from the view's centre */
    uint32_t count;
    carom_vec3 low, high; /* of all points */
    double spread;        /* largest |component| of a placed vertex minus the view's centre, in the world's axes */
    double placement;     /* image_placement_error of the body */
} image_seen;

/* Bounds, along each axis of the world, how far a vertex of at most this extent is placed from the exact image of the
 * model's. */
double image_placement_error(const carom_pose *pose, double extent);

/* Adds a placed vertex; there is room. */
void image_see(const image_view *view, carom_vec3 world, image_seen *seen);
/* Forgets all points. */
void image_see_nothing(image_seen *seen);

/* Sets the rectangle to what both have in common, and errors. False: they are apart along one of the three axes. */
bool image_fit_view(const image_seen *a, const image_seen *b, int side, image_view *view);

/* A point in pixels and depth. */
static inline carom_vec3 image_to_pixels(const image_view *view, carom_vec3 seen)
{
    return vec3((seen.x - view->low[0]) * view->scale[0], (seen.y - view->low[1]) * view->scale[1],
                seen.z * view->depth_scale);
}

#endif
