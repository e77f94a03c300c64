/* The climber of climb.h. */
#include "support/climb.h"

#include <stdlib.h>
#include <string.h>

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

/* One to four numbers are changed; what is not worse is kept. */
static double climb_from(const climb *c, check_random *random, double *numbers)
{
    double best = c->ratio(numbers), trial[CLIMB_NUMBERS];
    for (int step = 0; step < c->steps; step++)
    {
        memcpy(trial, numbers, sizeof trial);
        for (int n = 1 << integer(random, 0, 2); n > 0; n--)
        {
            double *value = &trial[integer(random, 0, c->count - 1)];
            *value = change(c, random, trial, *value);
        }
        double ratio = c->ratio(trial);
        if (ratio >= best)
        {
            best = ratio;
            memcpy(numbers, trial, sizeof trial);
        }
    }
    return best;
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

static void print_numbers(const climb *c, const double *numbers)
{
    for (int i = 0; i < c->count; i++)
        print_message("%a,%s", numbers[i], i % 4 == 3 || i == c->count - 1 ? "\n" : " ");
}

void climb_attack(const climb *c)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    long climbs = c->climbs * (scale ? strtol(scale, NULL, 10) : 1);
    check_random random = {c->seed};
    double largest = 0.0, worst[CLIMB_NUMBERS] = {0.0};
    for (long i = c->recorded ? -1 : 0; i < climbs; i++)
    {
        double numbers[CLIMB_NUMBERS] = {0.0};
        if (i < 0)
            memcpy(numbers, c->recorded, (size_t)c->count * sizeof *numbers);
        else
            begin(c, &random, numbers);
        double reached = i < 0 ? c->ratio(numbers) : climb_from(c, &random, numbers);
        if (reached > largest)
        {
            largest = reached;
            memcpy(worst, numbers, sizeof worst);
        }
    }
    print_message("%s: %.3f of the bound reached\n", c->name, largest);
    if (getenv("CAROM_TEST_PRINT"))
        print_numbers(c, worst);
    if (!(largest < 1.0) || !(largest >= c->expected))
        fail_msg("%s: %.3f of the bound, expected %.2f to 1, seed %llu", c->name, largest, c->expected,
                 (unsigned long long)c->seed);
}
