/* carom/math.h: vectors, poses and boxes as plain values, all in double. Units are the caller's. */
#ifndef CAROM_MATH_H
#define CAROM_MATH_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

    typedef struct carom_vec3
    {
        double x, y, z;
    } carom_vec3;

    /* Closed box; empty when any min > max. */
    typedef struct carom_aabb
    {
        carom_vec3 min, max;
    } carom_aabb;

    /* Places a body in the world: rotate (row-major), then translate. A point p of the body is at
     *   x' = ((r00*x + r01*y) + r02*z) + tx     and likewise y', z'
     * with every operation rounded to double, none fused: that rounding is part of the contract. */
    typedef struct carom_pose
    {
        double rotation[9];
        carom_vec3 translation;
    } carom_pose;

    /* The functions of this header compute the same in any float mode of the thread. */
    CAROM_API carom_pose carom_pose_identity(void);
    CAROM_API carom_pose carom_pose_translation(double x, double y, double z);

    /* From any non-zero quaternion, scalar last. It is normalised here, so one stored in floats is fine. Turns by right
     * angles are exact at any length: (0, 0, 1, 1) is a quarter turn about the z axis with entries 0, 1 and -1. A
     * quaternion that is zero or not finite gives a pose that carom_pose_check refuses as CAROM_NOT_FINITE. */
    CAROM_API carom_pose carom_pose_from_quaternion(const double xyzw[4], carom_vec3 translation);

    /* From a row-major 3 x 4 or 4 x 4 matrix (the last row of the latter is not read). The rotation is replaced by the
     * nearest one that carom_pose_check accepts, so matrices rounded to float work. CAROM_NOT_FINITE, or
     * CAROM_NOT_RIGID if an entry of |RtR - I| exceeds 1e-3 or the matrix mirrors: apply scaling, shearing and
     * mirroring to the mesh's vertices instead. */
    CAROM_API carom_status carom_pose_from_matrix(const double matrix[12], carom_pose *out);

    /* CAROM_OK, CAROM_NOT_FINITE, CAROM_NOT_RIGID if an entry of |RtR - I| exceeds 1e-9 or det R < 0, or
     * CAROM_OUT_OF_RANGE if a component of the translation exceeds 2^100. */
    CAROM_API carom_status carom_pose_check(const carom_pose *pose);

    /* Applies the formula above to a point. */
    CAROM_API carom_vec3 carom_pose_apply(const carom_pose *pose, carom_vec3 point);

    /* A half line in the world frame: origin + t direction with 0 <= t <= max_t. */
    typedef struct carom_ray
    {
        carom_vec3 origin, direction; /* the direction's largest |component|: 2^-100 to 2^100 */
        double max_t;                 /* may be infinity */
    } carom_ray;

#ifdef __cplusplus
}
#endif

#endif
