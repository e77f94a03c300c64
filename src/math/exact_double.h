/* Numbers of twice the precision of double, each with a bound on its error. Internal to the math folder.
 *
 * A number is high + low, and `size` is what the same operations give if every input is
 * replaced by its magnitude and every difference by a sum. docs/exactness.md shows that the error is below
 * DOUBLED_ERROR times the size for everything that is computed here, as long as nothing underflows. So a size of 0
 * means that the number is 0. */
#ifndef MATH_EXACT_DOUBLE_H
#define MATH_EXACT_DOUBLE_H

#include "math/exact_double_steps.h"

/* Of anything that is computed here; of the root of a quotient, relative, without that of its parts; of two sums. */
#define DOUBLED_ERROR      (104.0 * 0x1p-106)
#define DOUBLED_ROOT_ERROR (9.75 * 0x1p-106)
#define DOUBLED_SUMS_ERROR (2.25 * 0x1p-106)

/* Of the screen: a height, what is to spare, both of their size; a bound in double, of its value. */
#define DOUBLED_HEIGHT_ERROR (9.25 * 0x1p-106)
#define DOUBLED_SPARE_ERROR  (19.25 * 0x1p-106)
#define DOUBLED_LAST_SUM     (1.0625 * 0x1p-53)

/* Of the ends of an interval: of its error, and of its low part. */
#define DOUBLED_END_ERROR     0x1p-51
#define DOUBLED_END_LOW_ERROR (1.125 * 0x1p-53)

typedef exact_doubled_vector doubled_vector;

static BASE_ALWAYS_INLINE doubled doubled_dot(doubled_vector a, doubled_vector b)
{
    return doubled_add(doubled_add(doubled_multiply(a.x, b.x), doubled_multiply(a.y, b.y)), doubled_multiply(a.z, b.z));
}

/* What a square errs by is in proportion to the number itself, which may be much less than its size. */
static BASE_ALWAYS_INLINE doubled doubled_square(doubled a)
{
    double least = 0x1p-91 * a.size, value = fabs(a.high);
    doubled square = doubled_multiply(a, a);
    square.size = (value > least ? value : least) * a.size;
    return square;
}

static BASE_ALWAYS_INLINE doubled doubled_norm(doubled_vector a)
{
    return doubled_add(doubled_add(doubled_square(a.x), doubled_square(a.y)), doubled_square(a.z));
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
