/* Truth about triangles in GMP integers and rationals, by other means than the library's: B is written as a list of
 * linear constraints and A, or the ray, is clipped by them. Slow and simple. */
#ifndef TEST_ORACLE_H
#define TEST_ORACLE_H

#include "narrow/narrow.h"

typedef struct oracle oracle;
oracle *oracle_create(void);
void oracle_destroy(oracle *o);

/* Signs; points as in the functions of the same name in math.h. */
int oracle_orient3d(oracle *o, const carom_vec3 points[4]);
int oracle_orient2d(oracle *o, const carom_vec3 points[3], int axis);
int oracle_ray3d(oracle *o, carom_vec3 direction, const carom_vec3 origin_a_b[3]);

typedef struct oracle_meeting
{
    uint32_t meeting;
    int point_count;     /* extreme points of the intersection */
    carom_vec3 point[6]; /* each coordinate the nearest double, the even one of two */
} oracle_meeting;
oracle_meeting oracle_meet(oracle *o, const narrow_triangle *a, const narrow_triangle *b);

/* Do they share more points than their common corners and the edges between them? Bit 3 i + j of shared: corner i of
 * the first and corner j of the second are one. */
bool oracle_meets_beyond(oracle *o, const narrow_triangle pair[2], uint32_t shared);

/* |computed - determinant| as a double, for the points of the function above; the direction replaces row 0 where it is
 * given. */
double oracle_error3d(oracle *o, const carom_vec3 *points, const carom_vec3 *direction, double computed);
double oracle_error2d(oracle *o, const carom_vec3 points[3], int axis, double computed);

/* |distance - truth| / max(truth, largest coordinate difference); *truth gets the true distance, rounded. */
double oracle_distance_error(oracle *o, const narrow_triangle *pair, double distance, double *truth);

/* Distance of a point from a triangle, rounded. */
double oracle_point_distance(oracle *o, carom_vec3 point, const narrow_triangle *triangle);

/* Smallest t >= 0 of the ray in the closed triangle, rounded. */
bool oracle_ray(oracle *o, const narrow_ray *ray, const narrow_triangle *triangle, double *t);

#endif
