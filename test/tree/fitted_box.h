/* Boxes as a fit may leave them, from numbers between -1 and 1: for attacks that climb over them. */
#ifndef TEST_FITTED_BOX_H
#define TEST_FITTED_BOX_H

#include "support/rooted.h"
#include "tree/wide_build.h"

#include <math.h>
#include <string.h>

enum
{
    FITTED_NUMBERS = 10 /* a quaternion, the centre along the axes, the halves */
};

typedef struct fitted_box
{
    double centre[3], half[3], axis[3][3];
} fitted_box;

static inline double dot3(const double a[3], const double b[3]) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }

/* What section 10 of docs/exactness.md says of the size of a box around points of the cube; more than 1: too large. */
static inline double fitted_size(const double middle[3], const double half[3], double axis[3][3])
{
    double largest = 0.0;
    for (int k = 0; k < 3; k++)
    {
        double reach = fabs(middle[k]) + half[k], square = reach * reach;
        for (int l = 0; l < 3; l++)
            if (l != k && fabs(middle[l]) > half[l])
                square += (fabs(middle[l]) - half[l]) * (fabs(middle[l]) - half[l]);
        largest = fmax(largest, sqrt(square / 3.0));
        largest = fmax(largest, reach / (fabs(axis[k][0]) + fabs(axis[k][1]) + fabs(axis[k][2])));
    }
    return largest;
}

/* The box as stored in the node's first lane, its axes rounded. */
static inline fitted_box make_fitted_box(const double *n, wide_node *node)
{
    fitted_box out;
    carom_pose pose = rooted_pose(n, (carom_vec3){0.0, 0.0, 0.0});
    double middle[3], half[3], axis[3][3];
    memcpy(axis, pose.rotation, sizeof axis);
    for (int k = 0; k < 3; k++)
        middle[k] = 1.75 * n[4 + k], half[k] = 1.75 * fabs(n[7 + k]);
    double shrink = 1.0 / fmax(1.0, fitted_size(middle, half, axis));
    memset(node, 0, sizeof *node);
    for (int k = 0; k < 3; k++)
    {
        double along = middle[0] * axis[0][k] + middle[1] * axis[1][k] + middle[2] * axis[2][k];
        node->centre[k][0] = wide_rounded(along * shrink), out.centre[k] = (double)node->centre[k][0];
        node->half[k][0] = wide_rounded(half[k] * shrink), out.half[k] = (double)node->half[k][0];
        for (int j = 0; j < 3; j++)
            node->axis[k][j][0] = wide_rounded(axis[k][j]), out.axis[k][j] = (double)node->axis[k][j][0];
    }
    return out;
}

#endif
