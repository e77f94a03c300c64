/* Poses, relative poses with their error bounds, and boxes. The bounds are derived in docs/exactness.md. */
#include "math/math.h"

static const double ROUNDING = 0x1p-53;   /* unit roundoff of double */
static const double SMALLEST = 0x1p-1022; /* normal, and more than all underflows add up to */

/* fmax is a call; nothing here is NaN. */
static inline double greater(double a, double b) { return a > b ? a : b; }

carom_pose carom_pose_identity(void) { return carom_pose_translation(0.0, 0.0, 0.0); }

carom_pose carom_pose_translation(double x, double y, double z)
{
    return (carom_pose){{1, 0, 0, 0, 1, 0, 0, 0, 1}, {x, y, z}};
}

/* The public functions have no context to refuse a float mode with: they set their own, and leave the arithmetic to a
 * function that is never inlined, so that none of it moves out of that mode. */

static BASE_NEVER_INLINE carom_pose make_from_quaternion(const double xyzw[4], carom_vec3 translation)
{
    double largest = 0.0;
    for (int i = 0; i < 4; i++)
        largest = fmax(largest, fabs(xyzw[i]));
    carom_pose pose = carom_pose_translation(translation.x, translation.y, translation.z);
    if (!(largest > 0.0) || !(largest < INFINITY))
    {
        pose.rotation[0] = NAN; /* no rotation: carom_pose_check refuses it */
        return pose;
    }
    int exponent;
    frexp(largest, &exponent);
    double x = ldexp(xyzw[0], -exponent), y = ldexp(xyzw[1], -exponent);
    double z = ldexp(xyzw[2], -exponent), w = ldexp(xyzw[3], -exponent);
    /* Divided by the square of the length: a root would be rounded, and turns by right angles no longer exact. */
    double xx = x * x, yy = y * y, zz = z * z, ww = w * w, square = (xx + yy) + (zz + ww);
    double *r = pose.rotation;
    r[0] = ((ww + xx) - (yy + zz)) / square;
    r[1] = 2 * (x * y - z * w) / square, r[3] = 2 * (x * y + z * w) / square;
    r[2] = 2 * (x * z + y * w) / square, r[6] = 2 * (x * z - y * w) / square;
    r[4] = ((ww + yy) - (xx + zz)) / square;
    r[5] = 2 * (y * z - x * w) / square, r[7] = 2 * (y * z + x * w) / square;
    r[8] = ((ww + zz) - (xx + yy)) / square;
    return pose;
}

carom_pose carom_pose_from_quaternion(const double xyzw[4], carom_vec3 translation)
{
    base_float_mode found = base_float_mode_enter();
    carom_pose pose = make_from_quaternion(xyzw, translation);
    base_float_mode_leave(&found);
    return pose;
}

/* One step of Newton's iteration to the nearest rotation: r becomes (r + r^-T) / 2. False where r has no inverse. */
static bool step_to_rotation(double r[9])
{
    double c[9] = {r[4] * r[8] - r[5] * r[7], r[5] * r[6] - r[3] * r[8], r[3] * r[7] - r[4] * r[6],
                   r[2] * r[7] - r[1] * r[8], r[0] * r[8] - r[2] * r[6], r[1] * r[6] - r[0] * r[7],
                   r[1] * r[5] - r[2] * r[4], r[2] * r[3] - r[0] * r[5], r[0] * r[4] - r[1] * r[3]};
    double volume = r[0] * c[0] + r[1] * c[1] + r[2] * c[2];
    if (!(volume > 0.0))
        return false;
    for (int i = 0; i < 9; i++)
        r[i] = 0.5 * (r[i] + c[i] / volume);
    return true;
}

static BASE_NEVER_INLINE carom_status make_from_matrix(const double matrix[12], carom_pose *out)
{
    *out = carom_pose_identity();
    for (int i = 0; i < 12; i++)
        if (!isfinite(matrix[i]))
            return CAROM_NOT_FINITE;
    carom_pose pose = {.translation = {matrix[3], matrix[7], matrix[11]}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            pose.rotation[3 * i + j] = matrix[4 * i + j];
    const double plausible = 1e-3; /* far above what rounding to float leaves, far below an intended scaling */
    if (!(math_rotation_defect(pose.rotation) <= plausible))
        return CAROM_NOT_RIGID;
    for (int step = 0; step < 4; step++) /* each squares the error */
        if (!step_to_rotation(pose.rotation))
            return CAROM_NOT_RIGID;
    carom_status status = math_check_pose(&pose);
    if (status == CAROM_OK)
        *out = pose;
    return status;
}

carom_status carom_pose_from_matrix(const double matrix[12], carom_pose *out)
{
    if (!matrix || !out)
        return CAROM_INVALID_ARGUMENT;
    base_float_mode found = base_float_mode_enter();
    carom_status status = make_from_matrix(matrix, out);
    base_float_mode_leave(&found);
    return status;
}

static BASE_NEVER_INLINE carom_vec3 apply(const carom_pose *pose, carom_vec3 point) { return pose_apply(pose, point); }

carom_vec3 carom_pose_apply(const carom_pose *pose, carom_vec3 point)
{
    base_float_mode found = base_float_mode_enter();
    carom_vec3 placed = apply(pose, point);
    base_float_mode_leave(&found);
    return placed;
}

BASE_NEVER_INLINE carom_status math_check_pose(const carom_pose *pose)
{
    const double *r = pose->rotation;
    carom_vec3 t = pose->translation;
    double zero = t.x * 0.0 + t.y * 0.0 + t.z * 0.0; /* NaN as soon as one is not finite */
    for (int i = 0; i < 9; i++)
        zero += r[i] * 0.0;
    if (!(zero == 0.0))
        return CAROM_NOT_FINITE;
    if (fabs(t.x) > MATH_COORDINATE_LIMIT || fabs(t.y) > MATH_COORDINATE_LIMIT || fabs(t.z) > MATH_COORDINATE_LIMIT)
        return CAROM_OUT_OF_RANGE;
    const double allowed = 1e-9;
    return math_rotation_defect(r) <= allowed && math_rotation_volume(r) > 0.0 ? CAROM_OK : CAROM_NOT_RIGID;
}

carom_status carom_pose_check(const carom_pose *pose)
{
    if (!pose)
        return CAROM_INVALID_ARGUMENT;
    base_float_mode found = base_float_mode_enter();
    carom_status status = math_check_pose(pose);
    base_float_mode_leave(&found);
    return status;
}

carom_aabb aabb_empty(void) { return (carom_aabb){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}}; }

carom_aabb aabb_add_point(carom_aabb box, carom_vec3 point)
{
    return (carom_aabb){vec3_min(box.min, point), vec3_max(box.max, point)};
}

static double largest_coordinate(carom_vec3 v) { return greater(fabs(v.x), greater(fabs(v.y), fabs(v.z))); }

void math_relate(const carom_pose *pose_a, const carom_pose *pose_b, double extent, double defect, math_relative *out)
{
    const double *ra = pose_a->rotation, *rb = pose_b->rotation;
    carom_vec3 between = vec3_sub(pose_b->translation, pose_a->translation);
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            out->rotation[3 * i + j] = ra[i] * rb[j] + ra[3 + i] * rb[3 + j] + ra[6 + i] * rb[6 + j];
    out->translation = vec3(ra[0] * between.x + ra[3] * between.y + ra[6] * between.z,
                            ra[1] * between.x + ra[4] * between.y + ra[7] * between.z,
                            ra[2] * between.x + ra[5] * between.y + ra[8] * between.z);
    /* Deviation of the rotations from orthogonality (measured with an error of its own), the products above, and the
     * placement rounding of both bodies, of which only the last grows with the distance from the origin. */
    double away = largest_coordinate(between);
    double far = greater(largest_coordinate(pose_a->translation), largest_coordinate(pose_b->translation));
    out->error = 1.5625 * defect * (extent + away) + ROUNDING * (17.5 * extent + 10.0 * away + 1.75 * far) + SMALLEST;
}

math_relative math_relative_pose(const carom_pose *pose_a, const carom_pose *pose_b, double extent_a, double extent_b)
{
    math_relative relative;
    math_relate(pose_a, pose_b, greater(extent_a, extent_b), math_pair_defect(pose_a, pose_b), &relative);
    return relative;
}

math_relative math_relative_inverse(const math_relative *b_in_a)
{
    const double *r = b_in_a->rotation;
    carom_vec3 t = b_in_a->translation;
    math_relative inverse = {.rotation = {r[0], r[3], r[6], r[1], r[4], r[7], r[2], r[5], r[8]},
                             .error = 4.5 * b_in_a->error};
    inverse.translation = vec3(-(r[0] * t.x + r[3] * t.y + r[6] * t.z), -(r[1] * t.x + r[4] * t.y + r[7] * t.z),
                               -(r[2] * t.x + r[5] * t.y + r[8] * t.z));
    return inverse;
}

carom_aabb math_world_box(const carom_pose *pose, const carom_aabb *box)
{
    if (!(box->min.x <= box->max.x && box->min.y <= box->max.y && box->min.z <= box->max.z))
        return aabb_empty();
    carom_vec3 centre = vec3_scale(vec3_add(box->min, box->max), 0.5);
    carom_vec3 half = vec3_sub(box->max, centre);
    half = vec3_max(half, vec3_sub(centre, box->min));
    carom_vec3 moved = pose_apply(pose, centre);
    const double *r = pose->rotation;
    double extent = greater(largest_coordinate(box->min), largest_coordinate(box->max));
    double pad = 14.75 * ROUNDING * extent + 3.0625 * ROUNDING * largest_coordinate(pose->translation) + SMALLEST;
    carom_vec3 reach = vec3(fabs(r[0]) * half.x + fabs(r[1]) * half.y + fabs(r[2]) * half.z + pad,
                            fabs(r[3]) * half.x + fabs(r[4]) * half.y + fabs(r[5]) * half.z + pad,
                            fabs(r[6]) * half.x + fabs(r[7]) * half.y + fabs(r[8]) * half.z + pad);
    return (carom_aabb){vec3_sub(moved, reach), vec3_add(moved, reach)};
}

float math_float_down(double value)
{
    float rounded = (float)value;
    return (double)rounded > value ? nextafterf(rounded, -INFINITY) : rounded;
}

float math_float_up(double value)
{
    float rounded = (float)value;
    return (double)rounded < value ? nextafterf(rounded, INFINITY) : rounded;
}
