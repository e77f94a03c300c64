/* Integers wide enough for the determinants of any doubles. Internal to the math folder.
 *
 * A coordinate is m 2^e with an integer m; divided by a power of two that all inputs have in common it is an integer,
 * and sums and products of integers are exact, without rounding, underflow or overflow. Most inputs need two or three
 * limbs, and only the limbs in use are touched. */
#ifndef MATH_EXACT_WIDE_H
#define MATH_EXACT_WIDE_H

#include "math/math.h"

/* No operation checks for room, because it always suffices: a finite double is below 2^1024 and a multiple of 2^-1074,
 * so below 2^2098 in any unit in which it is an integer, and exact.c computes
 *
 *   differences          below 2^2099
 *   2x2 minors           below 2^4199, each product in as many limbs as its factors have together
 *   3x3 determinants     below 3 2^6298 < 2^6300, likewise
 *   sums of up to three  below 2^6302
 *   products of those with a coordinate (exact_pass.c)    below 2^8400; integer_quotient adds less than 96 bits
 *
 * A row of a determinant may be a direction instead of a difference, which is smaller.
 *
 * exact_round_ray.c goes up to the sixth degree, in coordinates, radii and directions of at most 2^110, hence below
 * 2^1185 as integers:
 *
 *   differences, sums of two radii     below 2^1185
 *   their dot and cross products       below 2^2372
 *   determinants                       below 6 2^3555 < 2^3558
 *   squares of cross products          below 3 2^4742 < 2^4744
 *   squares of determinants, and squares of cross products times a squared radius    below 2^7116
 *   differences of two of those        below 2^7117 */
enum
{
    WIDE_LIMB_BITS = 32,
    WIDE_DIFFERENCE_LIMBS = (2099 + WIDE_LIMB_BITS - 1) / WIDE_LIMB_BITS,
    WIDE_MINOR_LIMBS = 2 * WIDE_DIFFERENCE_LIMBS,
    WIDE_DETERMINANT_LIMBS = WIDE_DIFFERENCE_LIMBS + WIDE_MINOR_LIMBS,
    WIDE_LIMBS = (8400 + 96 + WIDE_LIMB_BITS - 1) / WIDE_LIMB_BITS + 4 /* products of rounded-up factors */
};
_Static_assert(4199 <= WIDE_LIMB_BITS * (int)WIDE_MINOR_LIMBS, "a minor fits into the limbs of its products");
_Static_assert(6302 <= WIDE_LIMB_BITS * (int)WIDE_DETERMINANT_LIMBS, "so do sums of determinants");
_Static_assert((int)WIDE_DETERMINANT_LIMBS <= (int)WIDE_LIMBS, "there is room for determinants of any doubles");
_Static_assert(7117 <= WIDE_LIMB_BITS * (int)WIDE_LIMBS, "and for the sixth degree");
_Static_assert((2370 + 31) / 32 + (4744 + 31) / 32 <= (int)WIDE_LIMBS, "in whatever limbs the factors have");

/* sign * magnitude; size counts the limbs without leading zeros; sign is 0 iff size is 0. */
typedef struct wide
{
    int sign, size;
    uint32_t limb[WIDE_LIMBS]; /* least significant first */
} wide;

/* value = mantissa 2^exponent, the mantissa below 2^53; returns |mantissa|. */
static inline uint64_t integer_mantissa(double value, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int biased = (int)(bits >> 52 & 0x7ff);
    *exponent = (biased > 0 ? biased : 1) - 1075;
    return (bits & 0xfffffffffffffu) | (biased > 0 ? 0x10000000000000u : 0u);
}

/* The largest e for which every value is an integer times 2^e; 0 where all are zero. */
int integer_common_exponent(const double *values, int count);

/* value / 2^exponent; the exponent is common to some values that include this one. */
void integer_from_double(wide *out, double value, int exponent);

/* out may be one of the operands, except for integer_multiply. */
void integer_add(wide *out, const wide *a, const wide *b);
void integer_subtract(wide *out, const wide *a, const wide *b);
void integer_multiply(wide *out, const wide *a, const wide *b);

/* a d - b c; out is none of them. */
void integer_minor(wide *out, const wide *a, const wide *b, const wide *c, const wide *d);

/* The same on vectors; out is none of the operands. */
void integer_dot(wide *out, const wide a[3], const wide b[3]);
void integer_cross(wide out[3], const wide a[3], const wide b[3]);

/* p - origin in units of 2^exponent. */
void integer_differences(wide out[3], carom_vec3 p, carom_vec3 origin, int exponent);

/* Determinants: of three rows, det [a-d; b-d; c-d] of four points, (b-a) x (c-a) of three along an axis. */
void integer_determinant(wide *out, const wide a[3], const wide b[3], const wide c[3]);
void integer_orient3d(wide *out, const carom_vec3 points[4], int exponent);
void integer_orient2d(wide *out, const carom_vec3 points[3], int axis, int exponent);

/* The sign of a - b. */
int integer_compare(const wide *a, const wide *b);

/* The value divided by 2^exponent, rounded once or twice. */
double integer_leading(const wide *w, int *exponent);

/* numerator / denominator to within one rounding each of the two, the division and the final scaling by 2^exponent;
 * the denominator is not zero. */
double integer_ratio(const wide *numerator, const wide *denominator, int exponent);

/* numerator / denominator 2^exponent, correctly rounded (ties to even), denormal numbers included; the denominator is
 * not zero. */
double integer_quotient(const wide *numerator, const wide *denominator, int exponent);

#endif
