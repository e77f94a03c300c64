/* Where an edge passes a plane or another edge, correctly rounded: each coordinate is the double nearest to the exact
 * one, the even one of two that are equally near.
 *
 * With N_p and N_q the magnitudes of the determinants at the edge's ends, the point is (N_q p + N_p q) / (N_p + N_q), a
 * quotient of integers. docs/exactness.md, section 5. */
#include "math/exact_small.h"
#include "math/exact_wide.h"

#if MATH_HAS_SMALL

/* Not negative, below 2^192; least significant first. */
typedef struct magnitude
{
    uint64_t limb[3];
} magnitude;

static magnitude magnitude_of(small_192 v)
{
    magnitude m = {{v.low, (uint64_t)v.high, (uint64_t)(v.high >> 64)}};
    if (v.high >= 0)
        return m;
    small_u128 high = ~(small_u128)v.high + (v.low == 0);
    return (magnitude){{~v.low + 1, (uint64_t)high, (uint64_t)(high >> 64)}};
}

static magnitude magnitude_add(magnitude a, magnitude b)
{
    small_u128 carry = 0;
    for (int i = 0; i < 3; i++)
    {
        carry += (small_u128)a.limb[i] + b.limb[i];
        a.limb[i] = (uint64_t)carry;
        carry >>= 64;
    }
    return a;
}

static magnitude magnitude_shift(magnitude m, int limbs, int bits)
{
    magnitude out;
    for (int i = 2; i >= 0; i--)
    {
        uint64_t here = i >= limbs ? m.limb[i - limbs] : 0, below = i > limbs ? m.limb[i - limbs - 1] : 0;
        out.limb[i] = bits == 0 ? here : here << bits | below >> (64 - bits);
    }
    return out;
}

/* A share `part` / `whole` of a way, both shifted so that the whole begins with a set bit. */
typedef struct small_share
{
    magnitude part, whole;
} small_share;

static small_share make_share(magnitude part, magnitude rest)
{
    magnitude whole = magnitude_add(part, rest);
    int limbs = whole.limb[2] ? 0 : whole.limb[1] ? 1 : 2, bits = __builtin_clzll(whole.limb[2 - limbs]);
    return (small_share){magnitude_shift(part, limbs, bits), magnitude_shift(whole, limbs, bits)};
}

/* floor(value / whole) for a value below 2^64 whole; the value becomes the remainder. An estimate from the leading
 * limbs is too large by at most 2, because the whole begins with a set bit (Knuth, volume 2, 4.3.1). */
static uint64_t divide(uint64_t value[4], const magnitude *whole)
{
    small_u128 estimate = ((small_u128)value[3] << 64 | value[2]) / whole->limb[2];
    uint64_t quotient = estimate >> 64 ? UINT64_MAX : (uint64_t)estimate, borrow = 0;
    small_u128 carry = 0;
    for (int i = 0; i < 4; i++)
    {
        carry += i < 3 ? (small_u128)quotient * whole->limb[i] : 0;
        uint64_t take = (uint64_t)carry, before = value[i];
        value[i] = before - take - borrow;
        borrow = before < take || (before == take && borrow);
        carry >>= 64;
    }
    while (borrow)
    {
        carry = 0;
        for (int i = 0; i < 4; i++)
        {
            carry += (small_u128)value[i] + (i < 3 ? whole->limb[i] : 0);
            value[i] = (uint64_t)carry;
            carry >>= 64;
        }
        borrow = carry == 0;
        quotient--;
    }
    return quotient;
}

static bool any(const uint64_t value[4]) { return (value[0] | value[1] | value[2] | value[3]) != 0; }

/* An x with floor(x) = floor and a fraction, or none, as a double. Twice the floor plus 1 has the place of 2x among the
 * even numbers, hence among the midpoints of doubles, once those are even: from 2^54 on. */
static bool round_floor(small_128 floor, bool fraction, double *out)
{
    if (fraction && floor < ((small_128)1 << 53) && floor >= -((small_128)1 << 53))
        return false;
    *out = (double)(2 * floor + fraction) * 0.5;
    return true;
}

/* p + (q - p) part / whole, rounded; false: that takes more bits. */
static bool small_coordinate(const small_share *share, int64_t p, int64_t q, double *out)
{
    uint64_t way = q < p ? (uint64_t)p - (uint64_t)q : (uint64_t)q - (uint64_t)p, value[4] = {0};
    small_u128 carry = 0;
    for (int i = 0; i < 3; i++)
    {
        carry += (small_u128)way * share->part.limb[i];
        value[i] = (uint64_t)carry;
        carry >>= 64;
    }
    value[3] = (uint64_t)carry;
    small_128 step = (small_128)divide(value, &share->whole);
    bool fraction = any(value);
    small_128 floor = q < p ? p - step - fraction : p + step;
    int64_t narrow = (int64_t)floor; /* converts faster */
    if (!fraction || narrow >= (int64_t)1 << 53 || narrow < -((int64_t)1 << 53))
    {
        *out = (double)(2 * narrow + fraction) * 0.5;
        return true;
    }
    value[3] = value[2], value[2] = value[1], value[1] = value[0], value[0] = 0;
    step = step << 64 | divide(value, &share->whole);
    fraction = any(value);
    floor = (small_128)p * ((small_128)1 << 64) + (q < p ? -step - fraction : step);
    if (!round_floor(floor, fraction, out))
        return false;
    *out *= 0x1p-64;
    return true;
}

static bool small_pass(const small_share *share, const small_point ends[2], double unit, carom_vec3 *out)
{
    carom_vec3 at;
    if (!small_coordinate(share, ends[0].x, ends[1].x, &at.x) ||
        !small_coordinate(share, ends[0].y, ends[1].y, &at.y) || !small_coordinate(share, ends[0].z, ends[1].z, &at.z))
        return false;
    *out = vec3_scale(at, unit);
    return true;
}

static magnitude widened(small_128 v)
{
    small_u128 m = v < 0 ? -(small_u128)v : (small_u128)v;
    return (magnitude){{(uint64_t)m, (uint64_t)(m >> 64), 0}};
}

static bool small_pass3d(const carom_vec3 points[5], carom_vec3 *out)
{
    small_point s[5];
    double unit;
    if (!small_points_in(points, 5, s, &unit))
        return false;
    small_192 at_p = small_orient3d(s), at_q = small_orient3d((small_point[]){s[0], s[1], s[2], s[4]});
    small_share share = make_share(magnitude_of(at_p), magnitude_of(at_q));
    return small_pass(&share, s + 3, unit, out);
}

static bool small_pass2d(const carom_vec3 points[4], int axis, carom_vec3 *out)
{
    small_point s[4];
    double unit;
    if (!small_points_in(points, 4, s, &unit))
        return false;
    small_128 at_p = small_orient2d(s, axis), at_q = small_orient2d((small_point[]){s[0], s[1], s[3]}, axis);
    small_share share = make_share(widened(at_p), widened(at_q));
    return small_pass(&share, s + 2, unit, out);
}

#endif

/* The same in wide integers, which become magnitudes. */
static double wide_coordinate(const wide *at_p, const wide *at_q, double p, double q, int exponent)
{
    wide end, sum, term, whole;
    integer_from_double(&end, p, exponent);
    integer_multiply(&sum, at_q, &end);
    integer_from_double(&end, q, exponent);
    integer_multiply(&term, at_p, &end);
    integer_add(&sum, &sum, &term);
    integer_add(&whole, at_p, at_q);
    return integer_quotient(&sum, &whole, exponent);
}

static carom_vec3 wide_pass(wide *at_p, wide *at_q, const carom_vec3 ends[2], int exponent)
{
    at_p->sign = at_q->sign = 1;
    return vec3(wide_coordinate(at_p, at_q, ends[0].x, ends[1].x, exponent),
                wide_coordinate(at_p, at_q, ends[0].y, ends[1].y, exponent),
                wide_coordinate(at_p, at_q, ends[0].z, ends[1].z, exponent));
}

carom_vec3 exact_pass3d(const carom_vec3 plane[3], carom_vec3 p, carom_vec3 q)
{
    const carom_vec3 points[5] = {plane[0], plane[1], plane[2], p, q};
#if MATH_HAS_SMALL
    carom_vec3 out;
    if (small_pass3d(points, &out))
        return out;
#endif
    const carom_vec3 with_q[4] = {plane[0], plane[1], plane[2], q};
    int exponent = integer_common_exponent(&points[0].x, 15);
    wide at_p, at_q;
    integer_orient3d(&at_p, points, exponent);
    integer_orient3d(&at_q, with_q, exponent);
    return wide_pass(&at_p, &at_q, points + 3, exponent);
}

carom_vec3 exact_pass2d(const carom_vec3 line[2], carom_vec3 p, carom_vec3 q, int axis)
{
    const carom_vec3 points[4] = {line[0], line[1], p, q};
#if MATH_HAS_SMALL
    carom_vec3 out;
    if (small_pass2d(points, axis, &out))
        return out;
#endif
    const carom_vec3 with_q[3] = {line[0], line[1], q};
    int exponent = integer_common_exponent(&points[0].x, 12);
    wide at_p, at_q;
    integer_orient2d(&at_p, points, axis, exponent);
    integer_orient2d(&at_q, with_q, axis, exponent);
    return wide_pass(&at_p, &at_q, points + 2, exponent);
}
