/* The versions of the search for the nearest features in twice the precision. Internal to the math folder. */
#ifndef MATH_EXACT_DISTANCE_H
#define MATH_EXACT_DISTANCE_H

#include "math/exact_double.h"

BASE_DECLARE_ISA(exact_search, distance_of_parts,
                 (exact_part * a, exact_part *b, const exact_interval *limit, exact_way *out));

#endif
