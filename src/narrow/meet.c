/* Do two triangles meet? Signs of determinants only, after Devillers and Guigue, "Faster Triangle-Triangle Intersection
 * Tests" (2002), extended to degenerate triangles and to the kind of meeting. */
#include "narrow/shape.h"

void plane_sides(const carom_vec3 t[3], const carom_vec3 p[3], int side[3], narrow_counts *counts)
{
    double height[3], bound = plane_heights(t, p, height);
    for (int i = 0; i < 3; i++)
    {
        side[i] = exact_filter_sign(height[i], bound);
        if (BASE_UNLIKELY(side[i] == 0))
            side[i] = -exact_orient3d_integers(t[0], t[1], t[2], p[i], &counts->exact_fallbacks);
    }
}

/* The corner that is alone on its side: the other two lie on the opposite side or on the plane, or it lies on the plane
 * and both others on one side of it. */
static int apex_of(const int side[3])
{
    for (int i = 0; i < 2; i++)
        if (side[i] * side[(i + 1) % 3] <= 0 && side[i] * side[(i + 2) % 3] <= 0 &&
            (side[i] != 0 || side[(i + 1) % 3] * side[(i + 2) % 3] > 0))
            return i;
    return 2;
}

narrow_intervals intervals_of(const narrow_triangle *a, const narrow_triangle *b, const int side_a[3],
                              const int side_b[3])
{
    int p = apex_of(side_a), q = apex_of(side_b);
    int p1 = (p + 1) % 3, p2 = (p + 2) % 3, q1 = (q + 1) % 3, q2 = (q + 2) % 3;
    /* An apex on the plane counts as being on the side where the others are not. */
    int sign_a = side_a[p] != 0 ? side_a[p] : -side_a[p1], sign_b = side_b[q] != 0 ? side_b[q] : -side_b[q1];
    narrow_edge a1 = {a->corner[p], a->corner[p1], side_a[p], side_a[p1]};
    narrow_edge a2 = {a->corner[p], a->corner[p2], side_a[p], side_a[p2]};
    narrow_edge b1 = {b->corner[q], b->corner[q1], side_b[q], side_b[q1]};
    narrow_edge b2 = {b->corner[q], b->corner[q2], side_b[q], side_b[q2]};
    /* Along normal_a x normal_b, the edge to the next corner passes later if the apex is above the other's plane. */
    return (narrow_intervals){.low_a = sign_a > 0 ? a2 : a1,
                              .high_a = sign_a > 0 ? a1 : a2,
                              .low_b = sign_b > 0 ? b1 : b2,
                              .high_b = sign_b > 0 ? b2 : b1,
                              .factor = -sign_a * sign_b};
}

int interval_order(const narrow_intervals *intervals, const narrow_edge *edge_a, const narrow_edge *edge_b,
                   narrow_counts *counts)
{
    return intervals->factor *
           exact_orient3d(edge_a->apex, edge_a->other, edge_b->apex, edge_b->other, &counts->exact_fallbacks);
}

static inline bool one_side(const int side[3]) { return side[0] != 0 && side[0] == side[1] && side[0] == side[2]; }

static inline bool all_on(const int side[3]) { return (side[0] | side[1] | side[2]) == 0; }

static inline bool straddles(const int side[3])
{
    return (side[0] > 0 || side[1] > 0 || side[2] > 0) && (side[0] < 0 || side[1] < 0 || side[2] < 0);
}

uint32_t narrow_meet(const narrow_triangle *a, const narrow_triangle *b, narrow_counts *counts)
{
    int side_a[3], side_b[3];
    plane_sides(b->corner, a->corner, side_a, counts);
    if (one_side(side_a))
        return CAROM_MEET_NONE;
    plane_sides(a->corner, b->corner, side_b, counts);
    if (one_side(side_b))
        return CAROM_MEET_NONE;
    if (BASE_UNLIKELY(all_on(side_a) || all_on(side_b)))
        return shape_meet(a, b, counts);
    narrow_intervals intervals = intervals_of(a, b, side_a, side_b);
    int b_ends_after = interval_order(&intervals, &intervals.low_a, &intervals.high_b, counts);
    if (b_ends_after < 0)
        return CAROM_MEET_NONE;
    int b_begins_after = interval_order(&intervals, &intervals.high_a, &intervals.low_b, counts);
    if (b_begins_after > 0)
        return CAROM_MEET_NONE;
    bool crossing = b_ends_after > 0 && b_begins_after < 0 && straddles(side_a) && straddles(side_b);
    return crossing ? CAROM_MEET_CROSSING : CAROM_MEET_TOUCHING;
}

bool narrow_touches(const narrow_triangle *a, const narrow_triangle *b, narrow_counts *counts)
{
    return narrow_meet(a, b, counts) != CAROM_MEET_NONE;
}
