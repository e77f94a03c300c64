/* The versions of the search for the nearest features in twice the precision. Internal to the math folder. */
#ifndef MATH_EXACT_DISTANCE_H
#define MATH_EXACT_DISTANCE_H

#include "math/exact_double.h"

BASE_DECLARE_ISA(exact_search, distance_of_parts,
                 (exact_part * a, exact_part *b, const exact_interval *limit, exact_way *out));

/* False: the parts are certainly not the nearest ones, as the ends of their way are outside of them or it is longer
 * than the limit. */
BASE_DECLARE_ISA(bool, parts_may_be_nearest, (exact_part a, exact_part b, double limit));
bool exact_parts_may_be_nearest(exact_part a, exact_part b, double limit);

BASE_DECLARE_ISA(double, height_of_points,
                 (carom_vec3 direction, carom_vec3 origin, const carom_vec3 points[3], bool turned));

#endif
