/* What surfaces look like around one exact point: which triangles contain it, in which directions they leave it within
 * the plane of one of them, and the winding number at points infinitely near. Pure functions over plain values.
 *
 * A sample is a point that is moved by infinitely small steps, each infinitely smaller than the one before:
 * p + e way[0] + e^2 way[1] + e^3 way[2]. The sign of a linear expression there is that of its first coefficient that
 * is not zero. */
#ifndef NARROW_LOCAL_H
#define NARROW_LOCAL_H

#include "narrow/narrow.h"

/* A triangle that is not degenerate, and an axis along which its projection is not either. */
typedef struct local_face
{
    carom_vec3 corner[3];
    int axis, sign; /* of the normal's component along the axis; sign 0: the triangle is degenerate */
    unsigned edges; /* a bit for each edge that bounds something within the triangle's plane; local_make: all three */
} local_face;

local_face local_make(const narrow_triangle *triangle, narrow_counts *counts);

/* The two corners of a degenerate triangle between which all of it lies. */
void local_extent(const local_face *b, carom_vec3 out[2]);

typedef struct local_sample
{
    const exact_point *point;
    exact_direction way[3];
    int count; /* of steps */
} local_sample;

/* Is the sample in the closed triangle, given that it is in its plane? */
bool local_holds(const local_face *triangle, const local_sample *sample, narrow_counts *counts);

/* Is the point in the closed triangle? */
bool local_holds_point(const local_face *triangle, const exact_point *point, narrow_counts *counts);

/* Do all corners of b lie in the plane of a? */
bool local_coplanar(const local_face *a, const local_face *b, narrow_counts *counts);

/* What a triangle adds to the winding number at a sample with three steps that is in no triangle's plane, along a ray
 * in the positive direction of an axis; where that would hit an edge, the sample is moved by e^4 along the next axis
 * and by e^5 along the one after it. */
int local_winding(const carom_vec3 corner[3], int axis, const local_sample *sample, narrow_counts *counts);

/* Is it the same at all samples around a point? */
bool local_winding_around(const carom_vec3 corner[3], int axis, const exact_point *point, int *winding,
                          narrow_counts *counts);

exact_point local_given(carom_vec3 p);
exact_point local_middle(const local_face *t);

enum
{
    LOCAL_ALL_EDGES = 7,
    LOCAL_MAX_EVENTS = 18, /* of two triangles */
    LOCAL_MAX_WAYS = 6     /* of a triangle around a point */
};

/* Sides of the plane of a triangle on which points are: +1 where its normal points to. */
void local_sides(const carom_vec3 plane[3], const carom_vec3 points[3], int out[3], narrow_counts *counts);

/* Of two triangles in one plane: do they share an area? */
bool local_overlaps(const local_face *a, const local_face *b, narrow_counts *counts);

/* Do the boxes around two triangles have no point in common? */
static inline bool local_boxes_apart(const carom_vec3 a[3], const carom_vec3 b[3])
{
    carom_vec3 low_a = vec3_min(a[0], vec3_min(a[1], a[2])), high_a = vec3_max(a[0], vec3_max(a[1], a[2])),
               low_b = vec3_min(b[0], vec3_min(b[1], b[2])), high_b = vec3_max(b[0], vec3_max(b[1], b[2]));
    return high_a.x < low_b.x || high_b.x < low_a.x || high_a.y < low_b.y || high_b.y < low_a.y || high_a.z < low_b.z ||
           high_b.z < low_a.z;
}

/* Does all that t and b have in common, if anything, lie in one point or in a common edge, by the sides of t on which
 * b's corners are? False says nothing. */
bool local_meets_at_edge(const local_face *t, const local_face *b, narrow_counts *counts);

/* Is t on one side of the plane of b, so that they share nothing but a corner of t, or points of one edge? False says
 * nothing. */
bool local_stands_on(const local_face *t, const local_face *b, narrow_counts *counts);

/* Points where the intersection of t and b has corners or meets the boundary of t, those of t itself left out. All are
 * in t. */
int local_events(const local_face *t, const local_face *b, exact_point out[LOCAL_MAX_EVENTS], narrow_counts *counts);

/* Where a segment passes strictly through the plane of b, in b, or, within that plane, through an edge of b. */
int local_passes(const local_face *b, const carom_vec3 end[2], exact_point out[LOCAL_MAX_EVENTS],
                 narrow_counts *counts);

/* What another face leaves in t: a segment. */
typedef struct local_cut
{
    local_face face;
    int edge; /* of a face in the plane of t: this edge of it; 3: the face cuts that plane */
} local_cut;

/* Where two of them cross, beyond local_events of the three pairs: at most one point, in t. Returns how many. */
int local_crossing(const local_face *t, const local_cut *first, const local_cut *second, exact_point *out,
                   narrow_counts *counts);

/* The directions, within the plane of t and within t, in which the boundary of t, of a coplanar b, or the intersection
 * with another b leaves the point, which is in both. b may be t. */
int local_ways(const local_face *t, const local_face *b, const exact_point *point, exact_direction out[LOCAL_MAX_WAYS],
               narrow_counts *counts);

/* Of two directions in the plane of t: 1 if `to` is counterclockwise of `from`, by less than half a turn; -1 if it is
 * clockwise; 0 if they are parallel. */
int local_turn(const local_face *t, const exact_direction *from, const exact_direction *to, narrow_counts *counts);

/* 0: from `first` counterclockwise to less than half a turn; 1: the other half. */
int local_half_of(const local_face *t, const exact_direction *first, const exact_direction *way, narrow_counts *counts);

/* A direction along an edge of t that is counterclockwise of this one, by less than half a turn. */
exact_direction local_turned(const local_face *t, const exact_direction *way, narrow_counts *counts);

#endif
