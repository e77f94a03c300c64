/* What the fuzz programs share. */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

/* Aborts, which is what libFuzzer and the replay count as a finding, and says which fact did not hold. */
#define demand(fact)                                                                                                   \
    do                                                                                                                 \
    {                                                                                                                  \
        if (!(fact))                                                                                                   \
        {                                                                                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #fact);                                                 \
            abort();                                                                                                   \
        }                                                                                                              \
    } while (0)

#endif
