/* Hill climbing over a few numbers between -1 and 1, by the climber of climb.h: what an attack does to find the input
 * for which a bound is nearly reached, where it wants to know the input itself or needs more than its numbers. */
#ifndef TEST_HILL_H
#define TEST_HILL_H

#include "support/check.h"

enum
{
    HILL_NUMBERS = 64
};

/* What is to become large, as a function of numbers between -1 and 1; what they mean is its own affair. */
typedef struct hill
{
    double (*height)(const double *numbers, void *user);
    void *user;
    int count, steps; /* numbers; steps of a climb */
} hill;

/* The highest of several climbs, each from the best of random starts; numbers gets the place. Returns the height, and
 * prints the place with CAROM_TEST_PRINT. */
double hill_climb(uint64_t seed, int climbs, const hill *hill, double *numbers);

#endif
