/* What the files of the narrow folder share: triangles seen as the point, segment or triangle they are, and how two of
 * them lie. */
#ifndef NARROW_SHAPE_H
#define NARROW_SHAPE_H

#include "narrow/narrow.h"

/* Lexicographic order; along any line it is monotone. */
static inline int shape_compare(carom_vec3 a, carom_vec3 b)
{
    if (a.x != b.x)
        return a.x < b.x ? -1 : 1;
    if (a.y != b.y)
        return a.y < b.y ? -1 : 1;
    return a.z == b.z ? 0 : a.z < b.z ? -1 : 1;
}

static inline void shape_sort2(carom_vec3 *a, carom_vec3 *b)
{
    if (shape_compare(*a, *b) > 0)
    {
        carom_vec3 t = *a;
        *a = *b, *b = t;
    }
}

static inline void shape_sort3(carom_vec3 corner[3])
{
    shape_sort2(&corner[0], &corner[1]);
    shape_sort2(&corner[1], &corner[2]);
    shape_sort2(&corner[0], &corner[1]);
}

/* The extreme points of a triangle: 1, 2 or 3 of them, in lexicographic order. */
typedef struct narrow_shape
{
    int count;
    carom_vec3 corner[3];
} narrow_shape;
narrow_shape shape_of(const narrow_triangle *triangle, narrow_counts *counts);

/* Axis along which the plane of all corners of two coplanar shapes can be projected without collapsing; -1 where all
 * corners lie on one line. The first such axis, so it does not depend on the order of anything. */
int shape_axis(const narrow_shape *a, const narrow_shape *b, narrow_counts *counts);

/* Does all of both lie in one plane? */
bool shape_coplanar(const narrow_shape *a, const narrow_shape *b, narrow_counts *counts);

/* Meeting of two coplanar shapes, without the flag. */
uint32_t shape_meet_flat(const narrow_shape *a, const narrow_shape *b, narrow_counts *counts);

/* Meeting of two triangles of which at least one sees all the other's corners in its plane, because they are coplanar
 * or because it has none. */
uint32_t shape_meet(const narrow_triangle *a, const narrow_triangle *b, narrow_counts *counts);

static inline double shape_largest3(double a, double b, double c)
{
    double ab = a > b ? a : b;
    return ab > c ? ab : c;
}

/* Heights of points above the plane of t, times twice its area, and one error bound for the three: the magnitudes of
 * all products with the points' factor at its largest. */
static inline double plane_heights(const carom_vec3 t[3], const carom_vec3 p[3], double height[3])
{
    carom_vec3 e = vec3_sub(t[1], t[0]), f = vec3_sub(t[2], t[0]), normal = vec3_cross(e, f);
    carom_vec3 r[3] = {vec3_sub(p[0], t[0]), vec3_sub(p[1], t[0]), vec3_sub(p[2], t[0])};
    carom_vec3 magnitude =
        vec3(fabs(e.y * f.z) + fabs(e.z * f.y), fabs(e.z * f.x) + fabs(e.x * f.z), fabs(e.x * f.y) + fabs(e.y * f.x));
    carom_vec3 reach = vec3(shape_largest3(fabs(r[0].x), fabs(r[1].x), fabs(r[2].x)),
                            shape_largest3(fabs(r[0].y), fabs(r[1].y), fabs(r[2].y)),
                            shape_largest3(fabs(r[0].z), fabs(r[1].z), fabs(r[2].z)));
    for (int i = 0; i < 3; i++)
        height[i] = vec3_dot(normal, r[i]);
    return EXACT_RELATIVE_3D * vec3_dot(magnitude, reach) + EXACT_ABSOLUTE_3D;
}

/* Side of each point on the plane of t: +1 where the normal (t1-t0) x (t2-t0) points. */
void plane_sides(const carom_vec3 t[3], const carom_vec3 p[3], int side[3], narrow_counts *counts);

/* An edge of one triangle that passes, or ends on, the other's plane. Neither lies in it. */
typedef struct narrow_edge
{
    carom_vec3 apex, other;
    int apex_side, other_side;
} narrow_edge;

/* Two triangles that meet each other's planes without being coplanar cut the common line of the planes in an interval
 * each. Its ends are where these edges pass. */
typedef struct narrow_intervals
{
    narrow_edge low_a, high_a, low_b, high_b;
    int factor; /* turns the sign of orient3d of two edges into their order on the line */
} narrow_intervals;
narrow_intervals intervals_of(const narrow_triangle *a, const narrow_triangle *b, const int side_a[3],
                              const int side_b[3]);

/* > 0 if b's edge passes the line further along than a's. */
int interval_order(const narrow_intervals *intervals, const narrow_edge *edge_a, const narrow_edge *edge_b,
                   narrow_counts *counts);

#endif
