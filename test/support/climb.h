/* Attacks on error bounds: hill climbing on error / bound over the numbers of an input. An attack must come near its
 * bound, or it shows nothing, and must not pass it. */
#ifndef TEST_CLIMB_H
#define TEST_CLIMB_H

#include "support/check.h"

enum
{
    CLIMB_NUMBERS = 48
};

/* error / bound of an input; 0 where it is none. */
typedef double climb_ratio(const double *numbers);

typedef struct climb
{
    const char *name;
    climb_ratio *ratio;
    int count;       /* numbers of an input, up to CLIMB_NUMBERS */
    double expected; /* what the attack reaches at least */
    uint64_t seed;
    const double *recorded; /* an input that a longer climb found, or NULL */
    int climbs, steps;      /* by default; CAROM_TEST_SCALE multiplies the climbs */
    bool floats;            /* the numbers' last bits that count are those of float */
} climb;

/* Climbs from random inputs and from the recorded one; fails unless expected <= largest ratio < 1. Prints the largest,
 * and with CAROM_TEST_PRINT its input. */
void climb_attack(const climb *c);

#endif
