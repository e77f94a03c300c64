/* A world ray into the ray layout's frame, in double, x y z in one register; docs/exactness.md, section 16, has the
 * error bounds. */
#include "base/simd.h"
#include "tree/rays.h"

static const double BOX_SLACK = 0x1p-20;
static const float TRIANGLE_SLACK = 40.0f * 0x1p-24f; /* in units of edges, besides the placement */
static const float VOLUME_SLACK = 12.0f * 0x1p-24f;
static const double SMALLEST_COMPONENT = 0x1p-60; /* of a direction of length 1 to 3.5; smaller ones count as this */
static const double ROUNDING = 0x1p-45;           /* of an origin, beyond RAY_NEAR */

enum
{
    ALL_AXES = 7
};

/* The powers of two that bring the largest component into [1, 2), and back. 0 and infinity at the ends of the range. */
static BASE_ALWAYS_INLINE void powers_of(carom_vec3 v, double *shrink, double *grow)
{
    const uint64_t exponent = (uint64_t)0x7ff << 52, sum = (uint64_t)0x7fe << 52;
    uint64_t bits[3], largest;
    memcpy(bits, &v, sizeof bits);
    largest = bits[0] & exponent;
    largest = (bits[1] & exponent) > largest ? bits[1] & exponent : largest;
    largest = (bits[2] & exponent) > largest ? bits[2] & exponent : largest;
    uint64_t other = sum - largest;
    memcpy(grow, &largest, sizeof *grow);
    memcpy(shrink, &other, sizeof *shrink);
}

/* sum of rows[i] v[i] */
static BASE_ALWAYS_INLINE d4 turn(const tree_ray_frame *ray_frame, carom_vec3 v)
{
    d4 x = d4_mul(d4_load(ray_frame->rows[0]), d4_set1(v.x)), y = d4_mul(d4_load(ray_frame->rows[1]), d4_set1(v.y));
    return d4_add(d4_add(x, y), d4_mul(d4_load(ray_frame->rows[2]), d4_set1(v.z)));
}

/* Where the line enters and leaves the mesh's box, grown by `pad`. */
static BASE_ALWAYS_INLINE void clip(const ray_tree *tree, d4 origin, d4 inverse, double pad, double s[2])
{
    d4 one = d4_mul(d4_sub(d4_sub(d4_load(tree->low), d4_set1(pad)), origin), inverse);
    d4 two = d4_mul(d4_sub(d4_add(d4_load(tree->high), d4_set1(pad)), origin), inverse);
    _Alignas(32) double enter[4], leave[4];
    d4_storeu(enter, d4_min(one, two));
    d4_storeu(leave, d4_max(one, two));
    double from = enter[0] > enter[1] ? enter[0] : enter[1], to = leave[0] < leave[1] ? leave[0] : leave[1];
    from = from > enter[2] ? from : enter[2];
    s[0] = from > 0.0 ? from : 0.0;
    s[1] = to < leave[2] ? to : leave[2];
}

/* Where the near planes x y z begin, by which components are negative (bits x y z). */
static const uint8_t NEAR[8][3] = {{0, 16, 32}, {8, 16, 32}, {0, 24, 32}, {8, 24, 32},
                                   {0, 16, 40}, {8, 16, 40}, {0, 24, 40}, {8, 24, 40}};
_Static_assert(RAY_WIDTH == 8, "or other numbers");

static BASE_ALWAYS_INLINE void set_float_ray(ray_walk *walk, d4 origin, d4 direction, d4 inverse, double pad)
{
    d4 shift = d4_mul(origin, inverse), outwards = d4_mul(d4_abs(inverse), d4_set1(pad));
    d4_store_floats(walk->origin, origin);
    d4_store_floats(walk->direction, direction);
    d4_store_floats(walk->inverse, inverse);
    d4_store_floats(walk->near_shift, d4_sub(d4_sub(d4_set1(0.0), shift), outwards));
    d4_store_floats(walk->far_shift, d4_sub(outwards, shift));
    walk->near = NEAR[d4_gt_bits(d4_set1(0.0), inverse) & ALL_AXES];
}

static BASE_ALWAYS_INLINE void set_slack(ray_walk *walk, float placement)
{
    float x = fabsf(walk->direction[0]), y = fabsf(walk->direction[1]), z = fabsf(walk->direction[2]);
    float longest = x > y ? x : y;
    longest = longest > z ? longest : z;
    walk->slack = TRIANGLE_SLACK + 2.5f * placement;
    walk->weight_slack = longest * walk->slack;
    walk->volume_slack = longest * VOLUME_SLACK;
}

ray_answer BASE_ISA(ray_enter)(const ray_tree *tree, const tree_ray_frame *ray_frame, const carom_ray *ray,
                               ray_entry *entry, ray_walk *walk)
{
    double shrink, grow, s[2];
    powers_of(ray->direction, &shrink, &grow);
    d4 origin = d4_add(turn(ray_frame, ray->origin), d4_load(ray_frame->shift));
    d4 direction = d4_mul(turn(ray_frame, ray->direction), d4_set1(shrink * ray_frame->size));
    d4 length = d4_max(d4_abs(direction), d4_set1(SMALLEST_COMPONENT));
    d4 inverse = d4_div(d4_set1(1.0), d4_with_sign(length, direction));
    entry->rate = grow * ray_frame->scale;
    entry->placement = ray_frame->placement;
    if (BASE_UNLIKELY(d4_gt_bits(d4_abs(origin), d4_set1(RAY_NEAR)) & ALL_AXES))
    {
        _Alignas(32) double o[4];
        d4_storeu(o, d4_abs(origin));
        entry->placement += ROUNDING * (o[0] + o[1] + o[2]);
    }
    if (BASE_UNLIKELY(!(entry->placement < 0.25) || !(entry->rate > 0x1p-900) || !(entry->rate < 0x1p900)))
        return RAY_UNDECIDED;
    double pad = BOX_SLACK + entry->placement;
    clip(tree, origin, inverse, 4.0 * pad, s);
    if (!(s[0] <= s[1]))
        return RAY_MISSES;
    entry->start = s[0];
    walk->begin = (float)(-0.999 * s[0]);
    entry->exit = s[1] - s[0] + 0x1p-16;
    origin = d4_add(origin, d4_mul(direction, d4_set1(s[0])));
    set_float_ray(walk, origin, direction, inverse, pad);
    set_slack(walk, (float)entry->placement);
    return RAY_ENTERS;
}
