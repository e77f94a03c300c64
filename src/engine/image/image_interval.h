/* The certified image of a pair: for each pixel, depth intervals that enclose each of two convex pieces over the whole
 * closed square of the pixel. Where no pixel has intervals that meet, the pieces are apart.
 *
 * The depths of a convex piece over a square are attained on its surface, so triangles are drawn one by one. What
 * rasterisation decides is only which whole pixels a rectangle with integer corners covers; everything else is +, *,
 * comparison, minimum and maximum in float, of numbers that are prepared here in double. They include all errors, also
 * those of the float arithmetic that follows: rounded to within 1 ulp, fused or not, denormals flushed or not. */
#ifndef ENGINE_IMAGE_INTERVAL_H
#define ENGINE_IMAGE_INTERVAL_H

#include "engine/image/image_view.h"

/* A triangle as drawn, in pixels of its tile; an instance's attributes: six vectors of four floats. */
typedef struct image_record
{
    float rect[4];    /* pixels: first column and row, and those after the last */
    float tile[2];    /* where its tile begins in the target */
    float body;       /* 0 or 1 */
    float low;        /* of the corners' depths, rounded down, */
    float edge[3][3]; /* a x + b y + c >= 0 for the centre of each pixel that the triangle may touch */
    float high;       /* and up */
    float plane[4];   /* depth at a pixel's centre: g x + h y + z, plus or minus the last */
    float padding[2];
} image_record;

#define IMAGE_NOTHING (-3e38f) /* of -low and high where nothing is drawn */

/* Prepares the triangle with these corners (pixels, depth). False: it touches no pixel. */
bool image_prepare(const image_view *view, const carom_vec3 corner[3], image_record *out);

/* ---- the passes, in plain C: the twins of interval.*.glsl and meet.frag.glsl ---- */

/* -low, high of body 0, then of body 1 */
typedef struct image_texel
{
    float depth[4];
} image_texel;

/* The depths of a record's triangle over a pixel: -low and high. False: it does not touch it. */
bool image_depths_twin(const image_record *record, int column, int row, float out[2]);

/* The target begins with IMAGE_NOTHING in all texels; each record's triangle widens the intervals of its pixels. */
void image_draw_twin(const image_record *records, size_t count, image_texel *target, int width);

/* Do the intervals of the two bodies meet in any pixel of a tile? */
bool image_meets_twin(const image_texel *target, int width, const int tile[2], int side);

#endif
