/* Families of triangle pairs: generic ones, and those that break careless code. Deterministic in the random state. */
#ifndef TEST_FAMILIES_H
#define TEST_FAMILIES_H

#include "narrow/narrow.h"
#include "support/check.h"

typedef struct family
{
    const char *name;
    void (*make)(check_random *random, narrow_triangle pair[2]);
} family;

extern const family families_random[];
extern const int families_random_count;
extern const family families_degenerate[];
extern const int families_degenerate_count;

int family_integer(check_random *random, int low, int high); /* both included */
double family_nudge(check_random *random, double value, int max_ulps);

#endif
