/* The distance kernel's versions, for distance.c and for the test that compares them. Corners of each triangle and the
 * triangles themselves come in lexicographic order. */
#ifndef NARROW_DISTANCE_H
#define NARROW_DISTANCE_H

#include "narrow/shape.h"

BASE_DECLARE_ISA(narrow_distance_result, distance_of_sorted,
                 (const narrow_triangle *a, const narrow_triangle *b, narrow_counts *counts));

#endif
