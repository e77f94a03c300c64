/* The basis functions of B-splines, as pure functions over one axis of a patch. */
#ifndef GEOIMAGE_PATCH_H
#define GEOIMAGE_PATCH_H

#include "carom/patch.h"

#include "base/base.h"

#define GEOIMAGE_PATCH_ORDER (CAROM_PATCH_MAX_DEGREE + 1)

typedef struct geoimage_axis
{
    uint32_t degree, count; /* of control points */
    const double *knots;    /* count + degree + 1 */
} geoimage_axis;

static inline size_t geoimage_knot_count(uint32_t degree, uint32_t count) { return (size_t)count + degree + 1; }

/* The functions that may differ from 0 at one parameter: degree + 1 of them. Their values have small relative errors.
 */
typedef struct geoimage_basis
{
    uint32_t first;   /* control point */
    uint32_t largest; /* the first of the largest values, from 0 to degree */
    double value[GEOIMAGE_PATCH_ORDER];
    double slope[GEOIMAGE_PATCH_ORDER]; /* the derivatives, times a positive number that they have in common */
} geoimage_basis;

/* The parameter is in the domain. */
void geoimage_basis_at(const geoimage_axis *axis, double parameter, geoimage_basis *out);

/* Where sample i of count is. */
double geoimage_axis_parameter(const geoimage_axis *axis, uint32_t i, uint32_t count);

/* Checks what the caller gave for an axis, except that knots may be null. name: "u" or "v". */
carom_status geoimage_axis_check(carom_context *context, const carom_patch_axis_def *def, const char *name);

/* Copies the knots, or sets those that are the default. */
void geoimage_axis_knots(const carom_patch_axis_def *def, double *out);

#endif
