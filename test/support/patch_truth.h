/* Truth about patches in GMP rationals, by other means than the library's: every basis function of every degree from
 * its definition, and sums over all control points. Slow and simple. */
#ifndef SUPPORT_PATCH_TRUTH_H
#define SUPPORT_PATCH_TRUTH_H

#include "carom/patch.h"

#include <gmp.h>
#include <stdbool.h>

typedef struct patch_truth
{
    mpq_t position[3], along_u[3], along_v[3];
    double reach[3]; /* per coordinate: the largest absolute value of the control points that contribute */
} patch_truth;

void patch_truth_init(patch_truth *truth);
void patch_truth_clear(patch_truth *truth);

/* At the end of the domain from below, elsewhere from above. Knots must be given. */
void patch_truth_at(const carom_patch_def *def, double u, double v, patch_truth *out);

/* |computed - truth| of a coordinate, rounded, and the bound that the library states for it. */
double patch_truth_error(const patch_truth *truth, carom_vec3 computed, int axis);
double patch_truth_bound(const patch_truth *truth, const carom_patch_def *def, int axis);

/* Cross product of the partial derivatives, of unit length. False if their angle is less than 0.01 or one is null. */
bool patch_truth_normal(const patch_truth *truth, carom_vec3 *normal);

#endif
