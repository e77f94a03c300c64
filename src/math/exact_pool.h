/* Integers of any size out of one block of memory: each takes as many limbs as its value may need, so a chain of
 * operations stays small where fixed sizes would not. Internal to the math folder.
 *
 * Results are pushed onto the block; a caller that is done with steps in between moves the result down to where they
 * began. No operation checks for room: exact_round.c shows that it suffices. */
#ifndef MATH_EXACT_POOL_H
#define MATH_EXACT_POOL_H

#include "math/math.h"

enum
{
    POOL_LIMBS = 6144
};

typedef struct pool
{
    uint32_t used;
    uint32_t limbs[POOL_LIMBS];
} pool;

/* sign * magnitude; size counts limbs without leading zeros; sign is 0 iff size is 0. The limbs are in a pool, least
 * significant first. */
typedef struct number
{
    int sign, size;
    uint32_t *limb;
} number;

typedef struct number3
{
    number x, y, z;
} number3;

/* value / 2^exponent; the exponent is common to some values that include this one. */
number pool_from_double(pool *pool, double value, int exponent);

number pool_add(pool *pool, number a, number b);
number pool_subtract(pool *pool, number a, number b);
number pool_multiply(pool *pool, number a, number b);
number pool_shift(pool *pool, number a, unsigned bits); /* times 2^bits */
number pool_square(pool *pool, number a);

/* Moves a number that was pushed after the mark down to it and forgets all others since. */
number pool_keep(pool *pool, uint32_t mark, number a);

/* Nothing but the result is left in the pool. */
number pool_dot(pool *pool, const number3 *a, const number3 *b);
number pool_minor(pool *pool, number a, number b, number c, number d); /* a d - b c */
number3 pool_cross(pool *pool, const number3 *a, const number3 *b);
number3 pool_differences(pool *pool, carom_vec3 from, carom_vec3 to, int exponent);

static inline number pool_negative(number a) { return (number){-a.sign, a.size, a.limb}; }

/* The sign of a - b. */
int pool_compare(number a, number b);

/* The value divided by 2^exponent, rounded once or twice. */
double pool_leading(number a, int *exponent);

#endif
