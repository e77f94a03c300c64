/* A world ray into the ray layout's frame, in double, x y z in one register; for rays_simd.c. docs/exactness.md,
 * section 16, has the error bounds. */
#ifndef TREE_RAYS_ENTER_H
#define TREE_RAYS_ENTER_H

#include "base/simd.h"
#include "tree/rays.h"

#define ENTER_VOLUME_SLACK       (5.5f * 0x1p-24f)
#define ENTER_WEIGHTS            0.78125f /* of the slack of parameters: 25.4 of 32.5 roundings, 2.05 of 2.625 placements */
#define ENTER_SMALLEST_COMPONENT 0x1p-60            /* of a direction of length 1 to 3.5; smaller ones count as this */
#define ENTER_LINE               (6.0625 * 0x1p-53) /* of an origin beyond RAY_NEAR: its length */
#define ENTER_STEP               (3.0 * 0x1p-53)    /* and its largest coordinate */

enum
{
    ENTER_ALL_AXES = 7,
    ENTER_LOWEST = 1023 - 100, /* exponents of directions: from 2^-100 to 2^100 */
    ENTER_HIGHEST = 1023 + 100
};

/* The bits of the power of two that the largest component is at least, and less than twice. */
static BASE_ALWAYS_INLINE uint64_t enter_power(carom_vec3 v)
{
    const uint64_t exponent = (uint64_t)0x7ff << 52;
    uint64_t bits[3], largest;
    memcpy(bits, &v, sizeof bits);
    largest = bits[0] & exponent;
    largest = (bits[1] & exponent) > largest ? bits[1] & exponent : largest;
    return (bits[2] & exponent) > largest ? bits[2] & exponent : largest;
}

static BASE_ALWAYS_INLINE double enter_number(uint64_t bits)
{
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* sum of rows[i] v[i] */
static BASE_ALWAYS_INLINE d4 enter_turn(const tree_ray_frame *ray_frame, carom_vec3 v)
{
    d4 x = d4_mul(d4_load(ray_frame->rows[0]), d4_set1(v.x)), y = d4_mul(d4_load(ray_frame->rows[1]), d4_set1(v.y));
    return d4_add(d4_add(x, y), d4_mul(d4_load(ray_frame->rows[2]), d4_set1(v.z)));
}

/* The ray in the frame; inverse: of the direction, never infinite. */
typedef struct enter_line
{
    d4 origin, direction, inverse;
} enter_line;

static BASE_ALWAYS_INLINE enter_line enter_make_line(const tree_ray_frame *ray_frame, const carom_ray *ray,
                                                     uint64_t power)
{
    enter_line line;
    double shrink = enter_number(ray_frame->shrink_bits - power);
    line.direction = d4_mul(enter_turn(ray_frame, ray->direction), d4_set1(shrink));
    d4 length = d4_max(d4_abs(line.direction), d4_set1(ENTER_SMALLEST_COMPONENT));
    line.inverse = d4_div(d4_set1(1.0), d4_with_sign(length, line.direction));
    line.origin = d4_add(enter_turn(ray_frame, ray->origin), d4_load(ray_frame->shift));
    return line;
}

/* Where the ray enters and leaves the mesh's box. */
static BASE_ALWAYS_INLINE void enter_box(const tree_ray_margins *margins, const enter_line *line, double s[2])
{
    d4 one = d4_mul(d4_sub(d4_load(margins->low), line->origin), line->inverse);
    d4 two = d4_mul(d4_sub(d4_load(margins->high), line->origin), line->inverse);
    _Alignas(32) double enter[4], leave[4];
    d4_storeu(enter, d4_max(d4_min(one, two), d4_set1(0.0)));
    d4_storeu(leave, d4_max(one, two));
    double from = enter[0] > enter[1] ? enter[0] : enter[1], to = leave[0] < leave[1] ? leave[0] : leave[1];
    s[0] = from > enter[2] ? from : enter[2];
    s[1] = to < leave[2] ? to : leave[2];
}

/* Where the near planes x y z begin, by which components are negative (bits x y z). */
static const size_t ENTER_NEAR[8][3] = {{0, 64, 128}, {32, 64, 128}, {0, 96, 128}, {32, 96, 128},
                                        {0, 64, 160}, {32, 64, 160}, {0, 96, 160}, {32, 96, 160}};
_Static_assert(RAY_PLANE == 32, "or other numbers");

/* What is still to come when `start` is known takes as few operations as possible: the first boxes wait for it. */
static BASE_ALWAYS_INLINE void enter_set_ray(ray_walk *walk, const enter_line *line, double start, double pad)
{
    d4 s = d4_set1(start), shift = d4_mul(line->origin, line->inverse);
    d4 outwards = d4_mul(d4_abs(line->inverse), d4_set1(pad));
    d4_store_floats(walk->near_shift, d4_sub(d4_sub(d4_set1(0.0), d4_add(shift, outwards)), s));
    d4_store_floats(walk->far_shift, d4_sub(d4_sub(outwards, shift), s));
    d4_store_floats(walk->inverse, line->inverse);
    walk->near = ENTER_NEAR[d4_gt_bits(d4_set1(0.0), line->inverse) & ENTER_ALL_AXES];
    d4_store_floats(walk->origin, d4_add(line->origin, d4_mul(line->direction, s)));
    d4_store_floats(walk->direction, line->direction);
}

static BASE_ALWAYS_INLINE void enter_set_slack(ray_walk *walk, float slack)
{
    float x = fabsf(walk->direction[0]), y = fabsf(walk->direction[1]), z = fabsf(walk->direction[2]);
    float longest = x > y ? x : y;
    longest = longest > z ? longest : z;
    walk->slack = slack;
    walk->weight_slack = longest * slack * ENTER_WEIGHTS;
    walk->volume_slack = longest * ENTER_VOLUME_SLACK;
}

/* The margins of a ray that starts further away than the frame's are made for. False: rounding is as large as the
 * mesh. */
static BASE_NEVER_INLINE bool enter_from_afar(const ray_tree *tree, const tree_ray_frame *ray_frame,
                                              const double origin[4], tree_ray_margins *margins)
{
    if (ray_frame->near < 0.0)
        return false;
    double x = fabs(origin[0]), y = fabs(origin[1]), z = fabs(origin[2]), farthest = x > y ? x : y;
    farthest = farthest > z ? farthest : z;
    double length = farthest * sqrt((x / farthest) * (x / farthest) + (y / farthest) * (y / farthest) +
                                    (z / farthest) * (z / farthest));
    ray_margins_set(margins, tree, ray_frame->margins.placement + ENTER_LINE * length + ENTER_STEP * farthest,
                    farthest);
    return margins->placement < 0.25;
}

/* Sets up the walk's ray and its entry. */
static BASE_ALWAYS_INLINE ray_answer enter_tree(ray_walk *walk, const tree_ray_frame *ray_frame, const carom_ray *ray)
{
    const tree_ray_margins *margins = &ray_frame->margins;
    tree_ray_margins far_margins;
    uint64_t power = enter_power(ray->direction);
    if (BASE_UNLIKELY((uint32_t)(power >> 52) - ENTER_LOWEST > ENTER_HIGHEST - ENTER_LOWEST))
        return RAY_UNDECIDED;
    enter_line line = enter_make_line(ray_frame, ray, power);
    double s[2];
    if (BASE_UNLIKELY(~d4_le_bits(d4_abs(line.origin), d4_set1(ray_frame->near)) & ENTER_ALL_AXES))
    {
        _Alignas(32) double at[4];
        d4_storeu(at, line.origin);
        if (!enter_from_afar(walk->tree, ray_frame, at, &far_margins))
            return RAY_UNDECIDED;
        margins = &far_margins;
    }
    enter_box(margins, &line, s);
    if (!(s[0] <= s[1]))
        return RAY_MISSES;
    enter_set_ray(walk, &line, s[0], margins->pad);
    walk->entry.start = s[0], walk->entry.exit = s[1] - s[0] + 0x1p-16;
    walk->entry.rate = enter_number(power) * ray_frame->scale;
    walk->entry.placement = margins->placement;
    enter_set_slack(walk, margins->slack);
    return RAY_ENTERS;
}

#endif
