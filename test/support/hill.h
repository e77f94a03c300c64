/* Hill climbing over a few numbers: what an attack does to find the input for which a bound is nearly reached. */
#ifndef TEST_HILL_H
#define TEST_HILL_H

#include "support/check.h"

#include <stdlib.h>
#include <string.h>

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

/* One number, or two or three. */
static inline void hill_change(check_random *random, double *numbers, int count)
{
    for (int changes = 1 + (int)(check_next(random) % 3); changes > 0; changes--)
    {
        double *n = &numbers[check_next(random) % (uint64_t)count], sign = *n < 0.0 ? -1.0 : 1.0;
        double part = check_uniform(random, -1.0, 1.0); /* one after the other: C leaves the order of operands open */
        double fine = check_uniform(random, 0.0, 1.0);
        switch (check_next(random) % 6)
        {
        case 0: *n = part; break;
        case 1: *n = sign * exp2(-(double)(check_next(random) % 4)); break; /* 1, 1/2, 1/4, 1/8 */
        case 2: *n = -*n; break;
        case 3: *n += part * exp2(-20.0 - 20.0 * fine); break;
        default: *n *= 1.0 + part * exp2(-1.0 - 29.0 * fine); break;
        }
        *n = *n > 1.0 ? 1.0 : *n < -1.0 ? -1.0 : *n;
    }
}

/* Climbs from the best of random starts; numbers gets the place. Returns the height. */
static inline double hill_climb_once(check_random *random, const hill *hill, double *numbers)
{
    double highest = -INFINITY, trial[HILL_NUMBERS];
    for (int step = 0; step < hill->steps; step++)
    {
        bool starts = step < hill->steps / 20;
        for (int i = 0; i < hill->count; i++)
            trial[i] = starts ? check_uniform(random, -1.0, 1.0) : numbers[i];
        if (!starts)
            hill_change(random, trial, hill->count);
        double found = hill->height(trial, hill->user);
        if (found >= highest || step == 0)
        {
            highest = found;
            memcpy(numbers, trial, (size_t)hill->count * sizeof *numbers);
        }
    }
    return highest;
}

/* The highest of several climbs. */
static inline double hill_climb(uint64_t seed, int climbs, const hill *hill, double *numbers)
{
    check_random random = {seed};
    double highest = -INFINITY, trial[HILL_NUMBERS];
    for (int i = 0; i < climbs; i++)
    {
        double found = hill_climb_once(&random, hill, trial);
        if (found > highest)
        {
            highest = found;
            memcpy(numbers, trial, (size_t)hill->count * sizeof *numbers);
        }
    }
    if (getenv("CAROM_TEST_PRINT"))
        for (int i = 0; i < hill->count; i++)
            print_message("%a,%s", numbers[i], i % 4 == 3 || i == hill->count - 1 ? "\n" : " ");
    return highest;
}

#endif
