/* The climber of climb.h and hill.h: what is not worse is kept. They differ in how numbers are changed. */
#include "support/climb.h"
#include "support/hill.h"

#include <stdlib.h>
#include <string.h>

/* What is climbed: the height as a function of numbers, and a random change of them. */
typedef struct slope
{
    double (*height)(const struct slope *slope, const double *numbers);
    void (*change)(const struct slope *slope, check_random *random, double *numbers);
    const void *of; /* the climb or hill */
    int count, steps;
} slope;

static double climb_on(const slope *slope, check_random *random, double *numbers, double height)
{
    double trial[HILL_NUMBERS];
    for (int step = 0; step < slope->steps; step++)
    {
        memcpy(trial, numbers, (size_t)slope->count * sizeof *trial);
        slope->change(slope, random, trial);
        double found = slope->height(slope, trial);
        if (found >= height)
        {
            height = found;
            memcpy(numbers, trial, (size_t)slope->count * sizeof *trial);
        }
    }
    return height;
}

static void print_numbers(const double *numbers, int count)
{
    for (int i = 0; i < count; i++)
        print_message("%a,%s", numbers[i], i % 4 == 3 || i == count - 1 ? "\n" : " ");
}

/* ---- error / bound ---- */

static int integer(check_random *random, int low, int high)
{
    return low + (int)(check_next(random) % (uint64_t)(high - low + 1));
}

/* Roundings are largest just above powers of two, and line up where numbers have a few bits or are alike. */
static double change(const climb *c, check_random *random, const double *numbers, double value)
{
    double ulp = c->floats ? 0x1p-24 : 0x1p-53;
    switch (integer(random, 0, 9))
    {
    case 0:
    case 1:
    case 2: return value + value * ulp * integer(random, -3, 3);
    case 3: return value * (1.0 + ulp * check_uniform(random, -1.0, 1.0) * exp2(integer(random, 0, 20)));
    case 4: return value * (1.0 + check_uniform(random, -1e-2, 1e-2));
    case 5: return check_uniform(random, -1.0, 1.0);
    case 6: return value * exp2(integer(random, -1, 1)) * (integer(random, 0, 1) ? 1.0 : -1.0);
    case 7: return numbers[integer(random, 0, c->count - 1)];
    case 8: return exp2(integer(random, -3, 0)) * (1.0 + ulp * integer(random, -2, 8)) * integer(random, -1, 1);
    default: return value + check_uniform(random, -1.0, 1.0) * exp2(-check_uniform(random, 2.0, 54.0));
    }
}

/* One, two or four numbers. */
static void change_some(const slope *slope, check_random *random, double *numbers)
{
    for (int n = 1 << integer(random, 0, 2); n > 0; n--)
    {
        double *value = &numbers[integer(random, 0, slope->count - 1)];
        *value = change(slope->of, random, numbers, *value);
    }
}

static double ratio_of(const slope *slope, const double *numbers) { return ((const climb *)slope->of)->ratio(numbers); }

static double climb_from(const climb *c, check_random *random, double *numbers)
{
    slope slope = {ratio_of, change_some, c, c->count, c->steps};
    return climb_on(&slope, random, numbers, c->ratio(numbers));
}

/* The best of some inputs: any numbers, or some of them near 1 and -1, where most are as large as they may be. */
static void begin(const climb *c, check_random *random, double *numbers)
{
    double best = -INFINITY;
    for (int i = 0; i < 400; i++)
    {
        double trial[CLIMB_NUMBERS] = {0.0}, share = (i % 4) / 3.0, ulp = c->floats ? 0x1p-24 : 0x1p-53;
        for (int k = 0; k < c->count; k++)
            trial[k] = check_uniform(random, 0.0, 1.0) < share
                           ? (integer(random, 0, 1) ? 1.0 : -1.0) * (1.0 + ulp * check_uniform(random, -2.0, 16.0))
                           : check_uniform(random, -1.0, 1.0);
        double ratio = c->ratio(trial);
        if (ratio > best)
        {
            best = ratio;
            memcpy(numbers, trial, sizeof trial);
        }
    }
}

void climb_attack(const climb *c)
{
    long climbs = c->climbs * check_scale();
    check_random random = {c->seed};
    double largest = 0.0, worst[CLIMB_NUMBERS] = {0.0};
    for (long i = c->recorded ? -1 : 0; i < climbs; i++)
    {
        double numbers[CLIMB_NUMBERS] = {0.0};
        if (i < 0)
            memcpy(numbers, c->recorded, (size_t)c->count * sizeof *numbers);
        else
            begin(c, &random, numbers);
        /* What a longer climb found is good enough for a short one, and where the next long one goes on. */
        double reached = i < 0 && climbs == c->climbs ? c->ratio(numbers) : climb_from(c, &random, numbers);
        if (reached > largest)
        {
            largest = reached;
            memcpy(worst, numbers, sizeof worst);
        }
    }
    print_message("%s: %.3f of the bound reached\n", c->name, largest);
    if (getenv("CAROM_TEST_PRINT"))
        print_numbers(worst, c->count);
    if (!(largest < 1.0) || !(largest >= c->expected))
        fail_msg("%s: %.3f of the bound, expected %.2f to 1, seed %llu", c->name, largest, c->expected,
                 (unsigned long long)c->seed);
}

/* ---- heights of numbers between -1 and 1 ---- */

/* One number, or two or three. */
static void change_within(const slope *slope, check_random *random, double *numbers)
{
    for (int changes = 1 + (int)(check_next(random) % 3); changes > 0; changes--)
    {
        double *n = &numbers[check_next(random) % (uint64_t)slope->count], sign = *n < 0.0 ? -1.0 : 1.0;
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

static double height_of(const slope *slope, const double *numbers)
{
    const hill *hill = slope->of;
    return hill->height(numbers, hill->user);
}

static double hill_climb_once(check_random *random, const hill *hill, double *numbers)
{
    double highest = -INFINITY, trial[HILL_NUMBERS];
    int starts = hill->steps / 20 > 0 ? hill->steps / 20 : 1;
    for (int start = 0; start < starts; start++)
    {
        for (int i = 0; i < hill->count; i++)
            trial[i] = check_uniform(random, -1.0, 1.0);
        double found = hill->height(trial, hill->user);
        if (found >= highest || start == 0)
        {
            highest = found;
            memcpy(numbers, trial, (size_t)hill->count * sizeof *numbers);
        }
    }
    slope slope = {height_of, change_within, hill, hill->count, hill->steps - starts};
    return climb_on(&slope, random, numbers, highest);
}

double hill_climb(uint64_t seed, int climbs, const hill *hill, double *numbers)
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
        print_numbers(numbers, hill->count);
    return highest;
}
