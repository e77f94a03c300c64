/* math: vectors, poses, relative poses, boxes, exact predicates. Pure functions over plain values. */
#ifndef MATH_MATH_H
#define MATH_MATH_H

#include "base/base.h"
#include "carom/math.h"

#include <math.h>

/* Largest |coordinate| accepted anywhere. */
#define MATH_COORDINATE_LIMIT 0x1p100

static inline carom_vec3 vec3(double x, double y, double z) { return (carom_vec3){x, y, z}; }
static inline carom_vec3 vec3_add(carom_vec3 a, carom_vec3 b) { return vec3(a.x + b.x, a.y + b.y, a.z + b.z); }
static inline carom_vec3 vec3_sub(carom_vec3 a, carom_vec3 b) { return vec3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline carom_vec3 vec3_scale(carom_vec3 a, double s) { return vec3(a.x * s, a.y * s, a.z * s); }
static inline double vec3_dot(carom_vec3 a, carom_vec3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline carom_vec3 vec3_cross(carom_vec3 a, carom_vec3 b)
{
    return vec3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static inline double vec3_length(carom_vec3 a) { return sqrt(vec3_dot(a, a)); }
static inline carom_vec3 vec3_min(carom_vec3 a, carom_vec3 b)
{
    return vec3(a.x < b.x ? a.x : b.x, a.y < b.y ? a.y : b.y, a.z < b.z ? a.z : b.z);
}
static inline carom_vec3 vec3_max(carom_vec3 a, carom_vec3 b)
{
    return vec3(a.x > b.x ? a.x : b.x, a.y > b.y ? a.y : b.y, a.z > b.z ? a.z : b.z);
}
static inline bool vec3_finite(carom_vec3 a) { return isfinite(a.x) && isfinite(a.y) && isfinite(a.z); }
static inline bool vec3_equal(carom_vec3 a, carom_vec3 b) { return a.x == b.x && a.y == b.y && a.z == b.z; }

/* The contract's formula; every other placement in the library goes through it. */
static inline carom_vec3 pose_apply(const carom_pose *p, carom_vec3 v)
{
    const double *r = p->rotation;
    return vec3(((r[0] * v.x + r[1] * v.y) + r[2] * v.z) + p->translation.x,
                ((r[3] * v.x + r[4] * v.y) + r[5] * v.z) + p->translation.y,
                ((r[6] * v.x + r[7] * v.y) + r[8] * v.z) + p->translation.z);
}

carom_aabb aabb_empty(void);
carom_aabb aabb_add_point(carom_aabb box, carom_vec3 point);

/* ---- relative poses ---- */

/* Takes points of b's own frame into a's own frame, with a bound on how far that is from the truth: for every vertex v
 * of b, |rotation v + translation - (what a's frame sees of v's contract position in the world)| <= error per
 * coordinate, the placement rounding of both bodies and the deviation of both rotations from orthogonality included.
 * The same bound covers a's own vertices: world position of a's vertex u seen from a's frame is within error of u. */
typedef struct math_relative
{
    double rotation[9];
    carom_vec3 translation;
    double error;
} math_relative;

/* extent_a, extent_b: largest |coordinate| of a vertex of each mesh, in its own frame. */
math_relative math_relative_pose(const carom_pose *pose_a, const carom_pose *pose_b, double extent_a, double extent_b);
math_relative math_relative_inverse(const math_relative *b_in_a);

/* Conservative world box of a mesh from its own box: contains every contract position. */
carom_aabb math_world_box(const carom_pose *pose, const carom_aabb *box);

/* ---- floats that enclose doubles ---- */

float math_float_down(double value); /* largest float <= value */
float math_float_up(double value);   /* smallest float >= value */

/* ---- exact predicates: the sign of the real-valued expression, for any finite doubles up to the coordinate limit.
 * Filter first, then exact arithmetic; *fallbacks (may be null) counts the second. ---- */

/* > 0 if d lies below the plane through a, b, c seen counterclockwise from above (Shewchuk's convention):
 * the sign of det [a-d; b-d; c-d]. */
int exact_orient3d(carom_vec3 a, carom_vec3 b, carom_vec3 c, carom_vec3 d, uint64_t *fallbacks);

/* Sign of the cross product (b-a) x (c-a) along axis 0, 1, 2 (x, y, z). */
int exact_orient2d(carom_vec3 a, carom_vec3 b, carom_vec3 c, int axis, uint64_t *fallbacks);

/* Are three points on one line (or equal)? */
bool exact_collinear(carom_vec3 a, carom_vec3 b, carom_vec3 c, uint64_t *fallbacks);

#endif
