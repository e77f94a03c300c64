/* What every test includes: cmocka with its prerequisites, and our own double comparison (cmocka's casts to float). */
#ifndef TEST_CHECK_H
#define TEST_CHECK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "carom/math.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#define check_near(actual, expected, tolerance)                                                                        \
    do                                                                                                                 \
    {                                                                                                                  \
        double check_actual = (actual), check_expected = (expected);                                                   \
        if (!(fabs(check_actual - check_expected) <= (tolerance)))                                                     \
            fail_msg("%s is %.17g, expected %.17g within %g", #actual, check_actual, check_expected,                   \
                     (double)(tolerance));                                                                             \
    } while (0)

/* Set-up and tear-down of tests whose state is a context and nothing else. */
static inline int check_open_context(void **state)
{
    return carom_context_create(NULL, (carom_context **)state) != CAROM_OK;
}

static inline int check_close_context(void **state)
{
    carom_context_destroy((carom_context *)*state);
    return 0;
}

/* What CAROM_TEST_SCALE multiplies the rounds of long tests by; 1 unless it is set. */
static inline long check_scale(void)
{
    const char *scale = getenv("CAROM_TEST_SCALE");
    return scale ? strtol(scale, NULL, 10) : 1;
}

/* Deterministic random numbers for tests; print the seed when a case fails. */
typedef struct check_random
{
    uint64_t state;
} check_random;

static inline uint64_t check_next(check_random *random)
{
    uint64_t z = (random->state += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
}

static inline double check_uniform(check_random *random, double low, double high)
{
    return low + (high - low) * ((double)(check_next(random) >> 11) * 0x1p-53);
}

/* A point of the cube [low, high]^3, the same with every compiler: arguments of a call are evaluated in any order. */
static inline carom_vec3 check_random_point(check_random *random, double low, double high)
{
    carom_vec3 point;
    point.x = check_uniform(random, low, high);
    point.y = check_uniform(random, low, high);
    point.z = check_uniform(random, low, high);
    return point;
}

/* A point with whole coordinates from 0 to count - 1. */
static inline carom_vec3 check_random_grid_point(check_random *random, uint32_t count)
{
    carom_vec3 point;
    point.x = (double)(check_next(random) % count);
    point.y = (double)(check_next(random) % count);
    point.z = (double)(check_next(random) % count);
    return point;
}

#endif
