/* What the files about exact distances share: one gap, from its estimate in double to its last digit. */
#ifndef NARROW_GAP_H
#define NARROW_GAP_H

#include "narrow/round.h"

/* Of elements that were measured. */
narrow_gap gap_of_triangles(const narrow_triangle *a, const narrow_triangle *b, const narrow_distance_result *near);
narrow_gap gap_of_rounds(const narrow_round *a, const narrow_round *b, const narrow_distance_result *near);
narrow_gap gap_of_triangle_round(const narrow_triangle *a, const narrow_round *b, const narrow_distance_result *near);

/* Looks for the nearest features in twice the precision, which brings the bounds close together. */
void gap_refine(narrow_gap *gap);

/* The same, unless the distance of the points is certainly larger than the limit: false. */
bool gap_refine_within(narrow_gap *gap, const exact_interval *limit);

/* Makes sure of the features. */
void gap_make_certain(narrow_gap *gap, narrow_counts *counts);

/* Finds the length. */
void gap_round(narrow_gap *gap, narrow_counts *counts);

/* The sign of x - y; the sums of radii are equal. */
int gap_compare(narrow_gap *x, narrow_gap *y, narrow_counts *counts);

/* The sign of the gap minus a limit. */
int gap_sign(narrow_gap *gap, double limit, narrow_counts *counts);

/* The sign of the gap minus the exact sum of the terms, which is not 0. */
int gap_sum_sign(narrow_gap *gap, const double terms[EXACT_TERMS], narrow_counts *counts);

/* For integers; the features are certain. */
exact_gap gap_exact(const narrow_gap *gap);

/* A lower bound of the distance of two triangles that is good to a few roundings, from the planes across the edges or
 * the face that should be nearest. */
double gap_plane_bound(const narrow_triangle *a, const narrow_triangle *b, const narrow_distance_result *near);

/* The same from the planes of both faces, whatever is nearest: are the triangles certainly farther apart? */
bool gap_faces_beyond(const narrow_triangle *a, const narrow_triangle *b, double limit);

/* The sign of what was measured minus a limit, if its error allows that; otherwise 0. */
int gap_measured_sign(const narrow_distance_result *near, double limit);

#endif
