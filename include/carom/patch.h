/* carom/patch.h: B-spline and NURBS patches, evaluated point by point or straight into a geometry image.
 *
 *   carom_patch_def def = carom_patch_def_default(); // bicubic, 4 x 4 control points: a Bezier patch
 *   def.points = control_points;
 *   carom_patch *patch;
 *   carom_geoimage *image = NULL;
 *   carom_status status = carom_patch_create(context, &def, &patch);
 *   if (status == CAROM_OK)
 *       status = carom_geoimage_create_patch(context, patch, 129, 129, &image);
 *
 * A point is the same bits whoever asks for it, with any number of workers. A corner of the domain where degree or more
 * knots coincide, both ways, is the control point there, exactly; an edge whose control points are all the same is that
 * point all along. Where a patch closes, both sides of the seam are the same bits if their control points, weights and
 * differences of knots are.
 * docs/geometry-images.md has the details. */
#ifndef CAROM_PATCH_H
#define CAROM_PATCH_H

#include "carom/geoimage.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* Immutable; may be used by several threads at once. Keeps copies of what it was made from. */
    typedef struct carom_patch carom_patch;

#define CAROM_PATCH_MAX_DEGREE 15u
#define CAROM_PATCH_MAX_COUNT  16384u

    typedef struct carom_patch_axis_def
    {
        uint32_t degree; /* 1 to CAROM_PATCH_MAX_DEGREE */
        uint32_t count;  /* of control points: degree + 1 to CAROM_PATCH_MAX_COUNT */
        /* count + degree + 1 numbers that never fall, none more than degree + 1 times, up to 2^100. The domain is from
         * knots[degree] to knots[count]. Where an inner one is there degree + 1 times the surface jumps, and the knot
         * belongs to what follows. Null: 0 and count - degree, degree + 1 times each, and the whole numbers between. */
        const double *knots;
    } carom_patch_axis_def;

    typedef struct carom_patch_def
    {
        carom_patch_axis_def u, v;
        const carom_vec3 *points; /* u.count x v.count; the index along u runs first; coordinates up to 2^99 */
        const double *weights;    /* in the same order, 2^-100 to 2^100; null: all are 1 */
    } carom_patch_def;

    CAROM_API carom_patch_def carom_patch_def_default(void); /* degree 3 and 4 control points each way */

    /* The message names the axis and knot, or the control point (i, j): CAROM_NOT_FINITE, CAROM_OUT_OF_RANGE, and
     * CAROM_BAD_DATA for knots that fall, are repeated too often, or leave no domain. */
    CAROM_API carom_status carom_patch_create(carom_context *context, const carom_patch_def *def, carom_patch **out);
    CAROM_API void carom_patch_destroy(carom_patch *patch); /* before its context; null is fine */

    typedef struct carom_patch_info
    {
        double u_min, u_max, v_min, v_max; /* the domain */
        size_t bytes;                      /* memory used */
    } carom_patch_info;

    CAROM_API carom_patch_info carom_patch_get_info(const carom_patch *patch);

    typedef struct carom_patch_sample
    {
        /* Per coordinate at most 24 (p + q + 1) 2^-53 M from the truth, with the degrees p and q and the largest
         * absolute value M of this coordinate in the (p + 1)(q + 1) control points that matter here; and 2^-1060. */
        carom_vec3 position;
        carom_vec3 normal; /* dS/du x dS/dv, of unit length; zero where they are parallel or null, up to rounding */
    } carom_patch_sample;

    /* CAROM_OUT_OF_RANGE outside the domain. */
    CAROM_API carom_status carom_patch_evaluate(const carom_patch *patch, double u, double v, carom_patch_sample *out);

    /* One chart. Column i is at u_min + (u_max - u_min) * (i / (width - 1)), in doubles, the last one at u_max; rows
     * alike. Normals are those of the patch, and of the cells around a point where it has none. Sides are from 2 to
     * CAROM_GEOIMAGE_MAX_SIDE. The image does not need the patch any more. */
    CAROM_API carom_status carom_geoimage_create_patch(carom_context *context, const carom_patch *patch, uint32_t width,
                                                       uint32_t height, carom_geoimage **out);

#ifdef __cplusplus
}
#endif

#endif
