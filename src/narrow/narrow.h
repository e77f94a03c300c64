/* narrow: exact answers for triangles, balls and capsules. Kernels over plain values; no mesh, no tree. */
#ifndef NARROW_NARROW_H
#define NARROW_NARROW_H

#include "math/math.h"
#include "narrow/search.h"

typedef struct narrow_triangle
{
    carom_vec3 corner[3]; /* world frame, as the contract places them */
} narrow_triangle;

/* What the kernels count; added to, never reset. */
typedef struct narrow_counts
{
    uint64_t exact_fallbacks;
} narrow_counts;

/* Do the closed triangles share a point? carom_meeting flags: NONE, or TOUCHING or CROSSING, perhaps with COPLANAR.
 * Degenerate triangles count as the segment or point they are. Exact; symmetric; independent of the corners' order.
 * Relative interior: of a segment its open segment, of a point the point. COPLANAR: all six corners lie in one plane.
 */
uint32_t narrow_meet(const narrow_triangle *a, const narrow_triangle *b, narrow_counts *counts);

/* The same, only yes or no, which can be cheaper. */
bool narrow_touches(const narrow_triangle *a, const narrow_triangle *b, narrow_counts *counts);

/* Do two triangles of one surface meet anywhere but in their common corners and the edges between these? Bit 3 i + j of
 * shared: corner i of a and corner j of b, at equal positions, are one. Without common corners the same as
 * narrow_touches; with three, true unless the triangle is degenerate. */
bool narrow_meets_beyond(const narrow_triangle *a, const narrow_triangle *b, uint32_t shared, narrow_counts *counts);

/* Points of the intersection of two triangles that meet: 1 point, 2 ends of a segment, 3 to 6 corners of a convex
 * polygon, in a canonical order that does not depend on the order of the arguments' corners. Each coordinate is the
 * double nearest to the exact one, the even one of two. */
uint32_t narrow_contact(const narrow_triangle *a, const narrow_triangle *b, carom_vec3 out[6], narrow_counts *counts);

typedef struct narrow_distance_result
{
    double distance; /* 0 iff narrow_touches */
    carom_vec3 point_a, point_b;
    double error;                  /* of the distance, at most */
    unsigned corners_a, corners_b; /* bits: those that span the features of the points, probably */
} narrow_distance_result;

/* An estimate of the distance with the contract's nearest points: the same bits whatever the engine. Error at most
 * NARROW_DISTANCE_ERROR times the largest |coordinate difference| from the corner that comes first in lexicographic
 * order (docs/exactness.md, section 6). */
#define NARROW_DISTANCE_ERROR 8.5e-15
narrow_distance_result narrow_distance(const narrow_triangle *a, const narrow_triangle *b, narrow_counts *counts);

/* The sign of a length minus a limit. */
static inline int narrow_length_sign(const exact_length *length, double limit)
{
    return length->below != limit ? (length->below < limit ? -1 : 1) : length->whole ? 0 : 1;
}

/* The sign of the exact distance minus the limit, which is not negative. */
int narrow_distance_sign(const narrow_triangle *a, const narrow_triangle *b, double limit, narrow_counts *counts);

/* The same where narrow_distance was called already. */
int narrow_measured_sign(const narrow_distance_result *near, const narrow_triangle *a, const narrow_triangle *b,
                         double limit, narrow_counts *counts);

/* The result for the elements in the other order. */
static inline narrow_distance_result narrow_swap_points(const narrow_distance_result *found)
{
    return (narrow_distance_result){found->distance, found->point_b,   found->point_a,
                                    found->error,    found->corners_b, found->corners_a};
}

/* Keeps this pair if it is nearer than the closest so far, or as near with smaller ids; by exact comparison. The
 * distance is an upper bound until narrow_closest_settle. */
void narrow_offer(narrow_closest *closest, const narrow_triangle *a, const narrow_triangle *b, carom_pair ids,
                  narrow_counts *counts);

/* Before pairs that are about as near as the closest one: they are then often recognised by its planes. */
void narrow_closest_sharpen(narrow_closest *closest);

/* True if triangles of these ids need not be offered (or asked whether they are within a limit): what is known of them
 * from other pairs suffices. */
bool narrow_is_screened(const narrow_closest *closest, carom_pair ids);

typedef struct narrow_ray
{
    carom_vec3 origin, direction;
} narrow_ray;

/* Closed: a ray through an edge or a corner hits every triangle that has it. False if it misses, or hits behind the
 * origin. A ray in the triangle's plane hits at its smallest t. t, u, v rounded; the decision exact. */
bool narrow_ray_hit(const narrow_ray *ray, const narrow_triangle *triangle, double *t, double uv[2],
                    narrow_counts *counts);

/* Rounded parameters of hits that differ by more than this have the order of the exact ones: each errs by less than
 * 2^-38.9 of itself, or by 2^-1074 where it underflows (docs/exactness.md, section 7). */
static inline double narrow_ray_beyond(double t) { return t + (t * 0x1.2p-38 + 0x1p-900); }

/* What the ray, which hits the triangle, hits at its exact t. */
exact_ray_at narrow_ray_at(const narrow_ray *ray, const narrow_triangle *triangle, narrow_counts *counts);

/* The sign of t of a minus t of b, exactly. Coordinates and directions up to 2^110. */
int narrow_ray_compare(const narrow_ray *ray, const exact_ray_at *a, const exact_ray_at *b, narrow_counts *counts);

/* The same t, u, v for a ray that is known to hit at a point that is not in its plane. */
void narrow_ray_solve(const narrow_ray *ray, const narrow_triangle *triangle, double tuv[3]);

/* A pose for registers: columns of the rotation, 0 in the last lanes. */
typedef struct narrow_pose
{
    _Alignas(32) double columns[3][4], translation[4];
} narrow_pose;
void narrow_pose_set(narrow_pose *out, const carom_pose *pose);

/* narrow_ray_solve, to the bit, for three vertices in this pose and a direction whose largest |component| is between
 * 2^-100 and 2^100. False: only narrow_ray_solve can. */
BASE_DECLARE_ISA(bool, narrow_ray_solve_posed,
                 (const narrow_pose *pose, const carom_vec3 *const vertices[3], const carom_ray *ray, double tuv[3]));

/* ---- balls and capsules ---- */

/* All points within `radius` of the segment between the ends, which may be equal: a closed solid. World frame, as the
 * contract places the ends; |coordinate| up to 2^110, radius from 0 to 2^110. With radius 0 it is the segment or point
 * itself. */
typedef struct narrow_round
{
    carom_vec3 end[2];
    double radius;
} narrow_round;

/* Do they share a point? CROSSING where the distance of the segments is below the sum of the radii, TOUCHING where it
 * is equal; both decided exactly. Where both radii are 0, and only then, what narrow_meet says of the two segments,
 * COPLANAR included. Symmetric; independent of the order of ends and corners. */
uint32_t narrow_round_meet(const narrow_round *a, const narrow_round *b, narrow_counts *counts);
uint32_t narrow_round_triangle_meet(const narrow_round *a, const narrow_triangle *b, narrow_counts *counts);

/* Is all of it inside `outer`, which may be touched from within? Exact. */
bool narrow_round_in_round(const narrow_round *inner, const narrow_round *outer, narrow_counts *counts);
bool narrow_triangle_in_round(const narrow_triangle *inner, const narrow_round *outer, narrow_counts *counts);

/* A point of both, for a pair that meets: on the line between the nearest points of the two segments the middle of the
 * overlap, but not beyond these points. Where the segments themselves meet, a common point of them. Its distance from
 * either is at most NARROW_ROUND_DISTANCE_ERROR (below) and 2^-50 of the largest |coordinate|; the same bits for every
 * order. */
carom_vec3 narrow_round_contact(const narrow_round *a, const narrow_round *b, narrow_counts *counts);
carom_vec3 narrow_round_triangle_contact(const narrow_round *a, const narrow_triangle *b, narrow_counts *counts);

/* The distance of the point sets: 0 iff they meet, and then both points are the contact point. Points on the surfaces.
 * Error at most NARROW_ROUND_DISTANCE_ERROR times the largest |coordinate difference| of the ends and corners involved.
 * The same bits for every order, compiler and instruction set. */
#define NARROW_ROUND_DISTANCE_ERROR 2e-14
narrow_distance_result narrow_round_distance(const narrow_round *a, const narrow_round *b, narrow_counts *counts);
narrow_distance_result narrow_round_triangle_distance(const narrow_round *a, const narrow_triangle *b,
                                                      narrow_counts *counts);

/* The same as for triangles. */
int narrow_round_distance_sign(const narrow_round *a, const narrow_round *b, double limit, narrow_counts *counts);
int narrow_round_triangle_distance_sign(const narrow_round *a, const narrow_triangle *b, double limit,
                                        narrow_counts *counts);
void narrow_offer_rounds(narrow_closest *closest, const narrow_round *a, const narrow_round *b, narrow_counts *counts);
void narrow_offer_triangle_round(narrow_closest *closest, const narrow_triangle *a, const narrow_round *b,
                                 uint32_t triangle, narrow_counts *counts);

/* Rounds the distance of the closest pair so far, if there is one. */
void narrow_closest_settle(narrow_closest *closest, narrow_counts *counts);

/* Is a pair within the limit? Pairs like those that were not are recognised by their planes. */
void narrow_threshold_begin(narrow_threshold *threshold, double limit, bool strictly);
bool narrow_is_within(narrow_threshold *threshold, const narrow_triangle *a, const narrow_triangle *b, carom_pair ids,
                      narrow_counts *counts);

/* Is the closest pair nearer than the exact sum of the terms, which is not 0? There is one. */
bool narrow_closest_within(narrow_closest *closest, const double terms[EXACT_TERMS], narrow_counts *counts);

/* A triangle that meets the ball or capsule; the points are left as they are. True if it is now the closest. */
bool narrow_offer_meeting(narrow_closest *closest, carom_pair ids);

/* A triangle that a search found. certain: it is nearer to the segment than the radius, without a doubt. Return the new
 * largest distance of interest, from the segment, or a negative number to stop. */
typedef double narrow_near_fn(uint32_t triangle, bool certain, void *user);

/* Which triangles of a mesh are near a ball or capsule, whatever does the search? Distances are those from its segment.
 */
typedef struct narrow_near
{
    const narrow_round *round;
    double limit;             /* the first distance of interest; may be infinity; not below the radius */
    bool vanishing;           /* distances are often 0: search in double, since squares of floats would be denormal */
    bool nearest_only;        /* of triangles beyond the radius only the nearest matter, with all that are as near */
    const uint32_t *smallest; /* or null: only triangles with a smaller id matter; on_triangle may change it */
    double *open_bound;       /* or null; out, where the budget ran out: nothing that is still open is nearer */
    narrow_near_fn *on_triangle;
    void *user;
} narrow_near;

/* The first t >= 0 with the ray inside or on it, 0 if it starts there; grazing counts. False if there is none. The
 * decision exact, t rounded. |component| of the direction up to 2^110. */
bool narrow_round_ray_hit(const narrow_ray *ray, const narrow_round *round, double *t, narrow_counts *counts);

/* What a ray that hits it hits at its exact t. */
exact_ray_at narrow_round_ray_at(const narrow_ray *ray, const narrow_round *round, narrow_counts *counts);

#include "narrow/local.h" /* built on the types above */

#endif
