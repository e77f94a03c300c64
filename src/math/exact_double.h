/* Numbers of twice the precision of double, each with a bound on its error. Internal to the math folder.
 *
 * A number is high + low, and `size` is what the same operations give if every input is
 * replaced by its magnitude and every difference by a sum. docs/exactness.md shows that the error is below
 * DOUBLED_ERROR times the size, for up to 16 operations on the way, as long as nothing underflows. So a size of 0 means
 * that the number is 0. */
#ifndef MATH_EXACT_DOUBLE_H
#define MATH_EXACT_DOUBLE_H

#include "math/math.h"

#define DOUBLED_ERROR 0x1p-96

typedef exact_doubled doubled;

/* x + y with the larger part in front, exactly if |x| >= |y|. */
static BASE_ALWAYS_INLINE doubled doubled_join(double x, double y, double size)
{
    double high = x + y;
    return (doubled){high, y - (high - x), size};
}

/* What the rounded sum of x and y lacks. */
static BASE_ALWAYS_INLINE double doubled_sum_rest(double x, double y, double sum)
{
    double part = sum - x;
    return (x - (sum - part)) + (y - part);
}

/* The upper half of the digits; |x| is below 2^990. */
static BASE_ALWAYS_INLINE double doubled_upper(double x)
{
    double wide = 0x8000001p0 * x;
    return wide - (wide - x);
}

/* What the rounded product of x and y lacks. It is a double, so a fused operation gives the same bits. */
static BASE_ALWAYS_INLINE double doubled_product_rest(double x, double y, double product)
{
#if defined(__FMA__)
    return __builtin_fma(x, y, -product);
#else
    double x1 = doubled_upper(x), x2 = x - x1, y1 = doubled_upper(y), y2 = y - y1;
    return ((x1 * y1 - product) + x1 * y2 + x2 * y1) + x2 * y2;
#endif
}

/* a - b, exactly. */
static BASE_ALWAYS_INLINE doubled doubled_difference(double a, double b)
{
    double high = a - b;
    return (doubled){high, doubled_sum_rest(a, -b, high), fabs(high)};
}

/* Smaller differences are left to the integers, so that no product of six underflows. */
static inline bool doubled_in_range(doubled d) { return d.size == 0.0 || d.size >= 0x1p-120; }

static BASE_ALWAYS_INLINE doubled doubled_add(doubled a, doubled b)
{
    double sum = a.high + b.high;
    return doubled_join(sum, doubled_sum_rest(a.high, b.high, sum) + (a.low + b.low), a.size + b.size);
}

static BASE_ALWAYS_INLINE doubled doubled_negative(doubled a) { return (doubled){-a.high, -a.low, a.size}; }

static BASE_ALWAYS_INLINE doubled doubled_subtract(doubled a, doubled b) { return doubled_add(a, doubled_negative(b)); }

static BASE_ALWAYS_INLINE doubled doubled_multiply(doubled a, doubled b)
{
    double product = a.high * b.high;
    return doubled_join(product, doubled_product_rest(a.high, b.high, product) + (a.high * b.low + a.low * b.high),
                        a.size * b.size);
}

typedef exact_doubled_vector doubled_vector;

static BASE_ALWAYS_INLINE doubled doubled_dot(doubled_vector a, doubled_vector b)
{
    return doubled_add(doubled_add(doubled_multiply(a.x, b.x), doubled_multiply(a.y, b.y)), doubled_multiply(a.z, b.z));
}

static BASE_ALWAYS_INLINE doubled doubled_minor(doubled a, doubled b, doubled c, doubled d)
{
    return doubled_subtract(doubled_multiply(a, d), doubled_multiply(b, c));
}

static BASE_ALWAYS_INLINE doubled_vector doubled_cross(doubled_vector a, doubled_vector b)
{
    return (doubled_vector){doubled_minor(a.y, a.z, b.y, b.z), doubled_minor(a.z, a.x, b.z, b.x),
                            doubled_minor(a.x, a.y, b.x, b.y)};
}

/* Certainly not below 0? Certainly below? */
static inline bool doubled_not_negative(doubled a) { return a.high > DOUBLED_ERROR * a.size || a.size == 0.0; }
static inline bool doubled_negative_for_sure(doubled a) { return a.high < -DOUBLED_ERROR * a.size; }

#endif
