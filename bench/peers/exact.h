/* exact.h: Carom's exact triangle tests for C++, whose compilers don't take the internal headers. Corners as nine
 * coordinates. */
#ifndef BENCH_EXACT_H
#define BENCH_EXACT_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C"
{
#endif

    bool exact_meets(const double a[9], const double b[9]);
    double exact_distance(const double a[9], const double b[9]);

    /* A ball or capsule, as six coordinates and a radius, and a triangle. */
    bool exact_round_meets(const double ends[6], double radius, const double triangle[9]);
    double exact_round_distance(const double ends[6], double radius, const double triangle[9]);

#ifdef __cplusplus
}
#endif

#endif
