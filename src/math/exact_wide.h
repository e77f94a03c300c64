/* Integers wide enough for the determinants of any doubles we accept. Internal to the math folder.
 *
 * A coordinate is m 2^e with an integer m; divided by a power of two that all inputs have in common it is an integer,
 * and sums and products of integers are exact without any thought of rounding, underflow or overflow. Sizes: a world
 * coordinate is below 2^110 and a multiple of 2^-1074, so a difference has at most 1185 bits (38 limbs), a 2x2 minor
 * 2371 (75 limbs), a 3x3 determinant 3558 (112 limbs); a ray's direction may be any double, 2098 bits (66 limbs), its
 * determinant 4471 (140 limbs). Most inputs need two or three limbs, and only the limbs in use are touched. */
#ifndef MATH_EXACT_WIDE_H
#define MATH_EXACT_WIDE_H

#include "math/math.h"

enum
{
    WIDE_LIMBS = 144
};

/* sign * magnitude; size counts the limbs without leading zeros; sign is 0 iff size is 0. */
typedef struct wide
{
    int sign, size;
    uint32_t limb[WIDE_LIMBS]; /* least significant first */
} wide;

/* The largest e for which every value is an integer times 2^e; 0 where all are zero. */
int integer_common_exponent(const double *values, int count);

/* value / 2^exponent, which must be an integer. */
void integer_from_double(wide *out, double value, int exponent);

/* out may be one of the operands, except for integer_multiply. */
void integer_add(wide *out, const wide *a, const wide *b);
void integer_subtract(wide *out, const wide *a, const wide *b);
void integer_multiply(wide *out, const wide *a, const wide *b);

/* a d - b c; out is none of them. */
void integer_minor(wide *out, const wide *a, const wide *b, const wide *c, const wide *d);

/* numerator / denominator to within one rounding each of the two, the division and the final scaling by 2^exponent;
 * the denominator is not zero. */
double integer_ratio(const wide *numerator, const wide *denominator, int exponent);

#endif
