/* Poses as other programs make them of quaternions: divided by a rounded length. They err more than those of
 * carom_pose_from_quaternion, so attacks on bounds that depend on a rotation's defect begin there. */
#ifndef SUPPORT_ROOTED_H
#define SUPPORT_ROOTED_H

#include "math/math.h"

static inline carom_pose rooted_pose(const double xyzw[4], carom_vec3 translation)
{
    double largest = 0.0;
    for (int i = 0; i < 4; i++)
        largest = fmax(largest, fabs(xyzw[i]));
    carom_pose pose = carom_pose_translation(translation.x, translation.y, translation.z);
    if (!(largest > 0.0) || !(largest < INFINITY))
    {
        pose.rotation[0] = NAN; /* no rotation */
        return pose;
    }
    double x = xyzw[0] / largest, y = xyzw[1] / largest, z = xyzw[2] / largest, w = xyzw[3] / largest;
    double length = sqrt(x * x + y * y + z * z + w * w);
    x /= length, y /= length, z /= length, w /= length;
    double *r = pose.rotation;
    r[0] = 1 - 2 * (y * y + z * z), r[1] = 2 * (x * y - z * w), r[2] = 2 * (x * z + y * w);
    r[3] = 2 * (x * y + z * w), r[4] = 1 - 2 * (x * x + z * z), r[5] = 2 * (y * z - x * w);
    r[6] = 2 * (x * z - y * w), r[7] = 2 * (y * z + x * w), r[8] = 1 - 2 * (x * x + y * y);
    return pose;
}

#endif
