/* Determinants in 64-bit integers and their exact products, for coordinates whose set bits span at most 61 binary
 * places: most inputs that a filter cannot decide. Internal to the math folder. Used only if the compiler has 128-bit
 * integers; otherwise the wide ones do everything. */
#ifndef MATH_EXACT_SMALL_H
#define MATH_EXACT_SMALL_H

#include "math/math.h"

#if defined(__SIZEOF_INT128__)
#define MATH_HAS_SMALL 1

__extension__ typedef __int128 small_128;
__extension__ typedef unsigned __int128 small_u128;

typedef struct small_point
{
    int64_t x, y, z; /* below 2^61 */
} small_point;

/* Points as integers in a common unit, a power of two; false if that takes more bits. */
static inline bool small_points_in(const carom_vec3 *points, int count, small_point *out, double *unit)
{
    const double *values = (const double *)points;
    double largest = 0.0;
    for (int i = 0; i < 3 * count; i++)
        largest = fabs(values[i]) > largest ? fabs(values[i]) : largest;
    uint64_t bits;
    memcpy(&bits, &largest, sizeof bits);
    int exponent = (int)(bits >> 52) - 1023;
    if (exponent < -900 || exponent > 900)
        return false;
    /* brings the largest to [2^60, 2^61) */
    bits = (uint64_t)(1023 + 60 - exponent) << 52;
    double scale;
    memcpy(&scale, &bits, sizeof scale);
    *unit = 1.0 / scale;
    int64_t *to = (int64_t *)out;
    bool fits = true;
    for (int i = 0; i < 3 * count; i++)
    {
        double scaled = values[i] * scale;
        to[i] = (int64_t)scaled;
        fits &= (double)to[i] == scaled && (scaled == 0.0) == (values[i] == 0.0);
    }
    return fits;
}

static inline bool small_points(const carom_vec3 *points, int count, small_point *out)
{
    double unit;
    return small_points_in(points, count, out, &unit);
}

static inline small_point small_difference(small_point a, small_point b)
{
    return (small_point){a.x - b.x, a.y - b.y, a.z - b.z};
}

/* high 2^64 + low */
typedef struct small_192
{
    small_128 high;
    uint64_t low;
} small_192;

static inline void small_add_product(small_192 *sum, int64_t factor, small_128 minor)
{
    small_128 low_product = (small_128)factor * (uint64_t)minor;
    small_u128 low = (small_u128)sum->low + (uint64_t)low_product;
    sum->low = (uint64_t)low;
    sum->high += (small_128)factor * (int64_t)(minor >> 64) + (low_product >> 64) + (int64_t)(low >> 64);
}

/* det of three rows with entries below 2^62: minors stay below 2^125, the sum below 2^189. */
static inline small_192 small_determinant(small_point a, small_point b, small_point c)
{
    small_192 sum = {0, 0};
    small_add_product(&sum, a.x, (small_128)b.y * c.z - (small_128)b.z * c.y);
    small_add_product(&sum, a.y, (small_128)b.z * c.x - (small_128)b.x * c.z);
    small_add_product(&sum, a.z, (small_128)b.x * c.y - (small_128)b.y * c.x);
    return sum;
}

static inline int small_sign(small_192 v) { return v.high < 0 ? -1 : v.high > 0 || v.low > 0; }

static inline small_128 small_dot(small_point a, small_point b)
{
    return (small_128)a.x * b.x + (small_128)a.y * b.y + (small_128)a.z * b.z;
}

/* |a| |b| as high 2^128 + low */
static inline void small_multiply_magnitudes(small_128 a, small_128 b, small_u128 *high, small_u128 *low)
{
    small_u128 x = (small_u128)(a < 0 ? -a : a), y = (small_u128)(b < 0 ? -b : b);
    uint64_t x0 = (uint64_t)x, x1 = (uint64_t)(x >> 64), y0 = (uint64_t)y, y1 = (uint64_t)(y >> 64);
    small_u128 lowest = (small_u128)x0 * y0, first = (small_u128)x1 * y0, second = (small_u128)x0 * y1;
    small_u128 middle = (lowest >> 64) + (uint64_t)first + (uint64_t)second;
    *low = middle << 64 | (uint64_t)lowest;
    *high = (small_u128)x1 * y1 + (first >> 64) + (second >> 64) + (middle >> 64);
}

/* The sign of a b - c d. */
static inline int small_compare_products(small_128 a, small_128 b, small_128 c, small_128 d)
{
    int left = ((a > 0) - (a < 0)) * ((b > 0) - (b < 0)), right = ((c > 0) - (c < 0)) * ((d > 0) - (d < 0));
    if (left != right || left == 0)
        return (left > right) - (left < right);
    small_u128 high[2], low[2];
    small_multiply_magnitudes(a, b, &high[0], &low[0]);
    small_multiply_magnitudes(c, d, &high[1], &low[1]);
    int order = high[0] != high[1] ? (high[0] > high[1] ? 1 : -1) : (low[0] > low[1]) - (low[0] < low[1]);
    return left * order;
}

static inline int small_sign_128(small_128 v) { return (v > 0) - (v < 0); }

static inline small_192 small_orient3d(const small_point p[4])
{
    return small_determinant(small_difference(p[0], p[3]), small_difference(p[1], p[3]), small_difference(p[2], p[3]));
}

static inline small_128 small_orient2d(const small_point p[3], int axis)
{
    small_point a = small_difference(p[1], p[0]), b = small_difference(p[2], p[0]);
    return axis == 0   ? (small_128)a.y * b.z - (small_128)a.z * b.y
           : axis == 1 ? (small_128)a.z * b.x - (small_128)a.x * b.z
                       : (small_128)a.x * b.y - (small_128)a.y * b.x;
}

#else
#define MATH_HAS_SMALL 0
#endif

#endif
