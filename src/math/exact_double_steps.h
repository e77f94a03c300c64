/* The operations of exact_double.h: sums err by less than 3 2^-106 of their size, products by 8 2^-106. Internal to the
 * math folder. */
#ifndef MATH_EXACT_DOUBLE_STEPS_H
#define MATH_EXACT_DOUBLE_STEPS_H

#include "math/math.h"

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

#endif
