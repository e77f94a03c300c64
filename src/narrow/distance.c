/* Distance between two triangles: puts corners and triangles into lexicographic order, so that the result is
 * bit-identical for every order of the arguments and of their corners, and picks the kernel's instruction set. All
 * versions of the kernel give the same bits, so this choice needs no context. */
#include "narrow/distance.h"

/* Without branches: the order of the corners is unpredictable. */
static inline int comes_before(carom_vec3 a, carom_vec3 b)
{
    return (a.x < b.x) | ((a.x == b.x) & ((a.y < b.y) | ((a.y == b.y) & (a.z < b.z))));
}

/* place: where each corner goes. */
static inline narrow_triangle sorted(const narrow_triangle *t, int place[3])
{
    const carom_vec3 *c = t->corner;
    int before_01 = comes_before(c[1], c[0]), before_02 = comes_before(c[2], c[0]),
        before_12 = comes_before(c[2], c[1]);
    narrow_triangle out;
    place[0] = before_01 + before_02, place[1] = 1 - before_01 + before_12, place[2] = 2 - before_02 - before_12;
    out.corner[place[0]] = c[0];
    out.corner[place[1]] = c[1];
    out.corner[place[2]] = c[2];
    return out;
}

static inline unsigned corners_at(unsigned corners, const int place[3])
{
    return (corners >> place[0] & 1u) | (corners >> place[1] & 1u) << 1 | (corners >> place[2] & 1u) << 2;
}

static narrow_distance_result distance_of_sorted(const narrow_triangle *a, const narrow_triangle *b,
                                                 narrow_counts *counts)
{
#if BASE_HAS_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return distance_of_sorted_avx2(a, b, counts);
    return distance_of_sorted_sse2(a, b, counts);
#else
    return distance_of_sorted_scalar(a, b, counts);
#endif
}

narrow_distance_result narrow_distance(const narrow_triangle *a, const narrow_triangle *b, narrow_counts *counts)
{
    int place_a[3], place_b[3];
    narrow_triangle sorted_a = sorted(a, place_a), sorted_b = sorted(b, place_b);
    int order = 0;
    for (int i = 0; i < 3 && order == 0; i++)
        order = shape_compare(sorted_a.corner[i], sorted_b.corner[i]);
    bool swap = order > 0;
    narrow_distance_result result =
        distance_of_sorted(swap ? &sorted_b : &sorted_a, swap ? &sorted_a : &sorted_b, counts);
    unsigned corners_a = swap ? result.corners_b : result.corners_a;
    unsigned corners_b = swap ? result.corners_a : result.corners_b;
    result.corners_a = corners_at(corners_a, place_a), result.corners_b = corners_at(corners_b, place_b);
    if (swap)
    {
        carom_vec3 point = result.point_a;
        result.point_a = result.point_b;
        result.point_b = point;
    }
    return result;
}
