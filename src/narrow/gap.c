/* Distances to the last digit: the nearest double, comparisons with a limit and with each other. The canonical distance
 * in double decides what its error bound allows; then twice the precision, if the nearest features can be proven; then
 * integers. */
#include "narrow/round.h"

#include <float.h>

/* ---- one gap ---- */

static void set_triangle(narrow_gap *gap, int side, const narrow_triangle *triangle)
{
    memcpy(gap->points[side], triangle->corner, sizeof gap->points[side]);
    gap->count[side] = 3;
    gap->radius[side] = 0.0;
}

static void set_round(narrow_gap *gap, int side, const narrow_round *round)
{
    narrow_triangle core = round_core(round);
    set_triangle(gap, side, &core);
    gap->count[side] = round_is_ball(round) ? 1 : 2;
    gap->radius[side] = round->radius;
}

static exact_round hull_of(const narrow_gap *gap, int side)
{
    return (exact_round){gap->points[side], gap->count[side], gap->radius[side]};
}

/* The gap of elements that were measured in double. */
static void find_length(narrow_gap *gap, const narrow_distance_result *near, narrow_counts *counts)
{
    gap->length = (exact_length){0.0, 0.0, true};
    gap->proven = false;
    if (near->distance == 0.0)
        return;
    exact_part a = {gap->points[0], near->corners_a}, b = {gap->points[1], near->corners_b};
    exact_interval cores;
    gap->proven = exact_distance_of_parts(&a, &b, &cores);
    gap->corners[0] = a.corners, gap->corners[1] = b.corners;
    if (gap->proven)
        gap->interval = exact_interval_less(&cores, gap->radius[0], gap->radius[1]);
    if (gap->proven && BASE_LIKELY(exact_round_interval(&gap->interval, &gap->length)))
        return;
    exact_round hull_a = hull_of(gap, 0), hull_b = hull_of(gap, 1);
    gap->length = exact_gap_length(&hull_a, &hull_b, &counts->exact_fallbacks);
    if (gap->length.nearest == 0.0)
        gap->length.nearest = DBL_TRUE_MIN; /* 0 means that they meet */
}

/* ---- compared with a limit ---- */

/* What the canonical distance can tell; otherwise 0. */
static int proven_sign(const narrow_distance_result *near, double limit)
{
    return near->distance + near->error < limit ? -1 : near->distance - near->error > limit;
}

int narrow_measured_sign(const narrow_distance_result *near, const narrow_triangle *a, const narrow_triangle *b,
                         double limit, narrow_counts *counts)
{
    int sign = proven_sign(near, limit);
    if (BASE_LIKELY(sign != 0))
        return sign;
    narrow_gap gap;
    set_triangle(&gap, 0, a);
    set_triangle(&gap, 1, b);
    find_length(&gap, near, counts);
    return narrow_length_sign(&gap.length, limit);
}

int narrow_distance_sign(const narrow_triangle *a, const narrow_triangle *b, double limit, narrow_counts *counts)
{
    narrow_distance_result near = narrow_distance(a, b, counts);
    return narrow_measured_sign(&near, a, b, limit, counts);
}

int narrow_round_distance_sign(const narrow_round *a, const narrow_round *b, double limit, narrow_counts *counts)
{
    narrow_distance_result near = narrow_round_distance(a, b, counts);
    int sign = proven_sign(&near, limit);
    if (BASE_LIKELY(sign != 0))
        return sign;
    narrow_gap gap;
    set_round(&gap, 0, a);
    set_round(&gap, 1, b);
    find_length(&gap, &near, counts);
    return narrow_length_sign(&gap.length, limit);
}

int narrow_round_triangle_distance_sign(const narrow_round *a, const narrow_triangle *b, double limit,
                                        narrow_counts *counts)
{
    narrow_distance_result near = narrow_round_triangle_distance(a, b, counts);
    int sign = proven_sign(&near, limit);
    if (BASE_LIKELY(sign != 0))
        return sign;
    narrow_gap gap;
    set_round(&gap, 0, a);
    set_triangle(&gap, 1, b);
    find_length(&gap, &near, counts);
    return narrow_length_sign(&gap.length, limit);
}

/* ---- compared with each other ---- */

static bool has_corner(const narrow_gap *gap, int side, carom_vec3 point)
{
    for (int i = 0; i < 3; i++)
        if (gap->corners[side] >> i & 1 && vec3_equal(gap->points[side][i], point))
            return true;
    return false;
}

static bool features_within(const narrow_gap *x, const narrow_gap *y)
{
    for (int i = 0; i < 6; i++)
        if (x->corners[i / 3] >> i % 3 & 1 && !has_corner(y, i / 3, x->points[i / 3][i % 3]))
            return false;
    return true;
}

/* Triangles around a corner or an edge are equally near through it: no arithmetic. */
static bool same_features(const narrow_gap *x, const narrow_gap *y)
{
    return features_within(x, y) && features_within(y, x);
}

/* The sign of x - y where both are proven, if the intervals can tell. */
static int compare_intervals(const exact_interval *x, const exact_interval *y)
{
    double difference = (x->high - y->high) + (x->low - y->low), error = (x->error + y->error) * (1.0 + 0x1p-50);
    return difference > error ? 1 : -(difference < -error);
}

/* The lengths are the same as far as doubles can tell. */
static int compare_further(const narrow_gap *x, const narrow_gap *y, narrow_counts *counts)
{
    if (x->proven && y->proven)
    {
        if (same_features(x, y))
            return 0;
        int sign = compare_intervals(&x->interval, &y->interval);
        if (sign != 0 || (x->interval.error == 0.0 && y->interval.error == 0.0))
            return sign;
    }
    exact_round first[2] = {hull_of(x, 0), hull_of(x, 1)}, second[2] = {hull_of(y, 0), hull_of(y, 1)};
    return exact_compare_gaps(first, second, &counts->exact_fallbacks);
}

/* The sign of x - y; the sums of radii are equal. */
static int compare_gaps(const narrow_gap *x, const narrow_gap *y, narrow_counts *counts)
{
    const exact_length *of_x = &x->length, *of_y = &y->length;
    if (of_x->below != of_y->below)
        return of_x->below < of_y->below ? -1 : 1;
    if (of_x->whole || of_y->whole)
        return of_y->whole - of_x->whole;
    if (of_x->nearest != of_y->nearest)
        return of_x->nearest < of_y->nearest ? -1 : 1;
    return compare_further(x, y, counts);
}

/* ---- the closest of many ---- */

static bool has_smaller_ids(carom_pair ids, const narrow_closest *closest)
{
    return ids.triangle_a != closest->triangle_a ? ids.triangle_a < closest->triangle_a
                                                 : ids.triangle_b < closest->triangle_b;
}

/* Cannot change what is known, because other elements meet, or because it is farther away. */
static bool is_settled(const narrow_closest *closest, carom_pair ids)
{
    return closest->distance == 0.0 && !has_smaller_ids(ids, closest);
}

static bool is_farther(const narrow_closest *closest, const narrow_distance_result *near)
{
    return near->distance - near->error > closest->distance;
}

/* Does an axis keep two triangles as far apart as the closest pair so far? That recognises what lies in parallel planes
 * across an axis, where many pairs are equally near. */
static bool is_kept_apart(const narrow_closest *closest, const narrow_triangle *a, const narrow_triangle *b)
{
    const narrow_gap *known = &closest->gap;
    if (closest->triangle_a == CAROM_NO_TRIANGLE || !known->proven || known->interval.error > 0.0)
        return false;
    exact_interval gap = exact_axis_gap(a->corner, b->corner);
    return gap.high > known->interval.high || (gap.high == known->interval.high && gap.low >= known->interval.low);
}

static void keep_nearer(narrow_closest *closest, const narrow_distance_result *near, carom_pair ids,
                        const narrow_gap *gap, narrow_counts *counts)
{
    bool first = closest->triangle_a == CAROM_NO_TRIANGLE;
    int sign = first ? narrow_length_sign(&gap->length, closest->distance) : compare_gaps(gap, &closest->gap, counts);
    if (sign > 0 || (sign == 0 && !has_smaller_ids(ids, closest)))
        return;
    *closest = (narrow_closest){gap->length.nearest, closest->lower_bound, near->point_a, near->point_b,
                                ids.triangle_a,      ids.triangle_b,       *gap};
}

void narrow_offer(narrow_closest *closest, const narrow_triangle *a, const narrow_triangle *b, carom_pair ids,
                  narrow_counts *counts)
{
    if (is_settled(closest, ids))
        return;
    narrow_distance_result near = narrow_distance(a, b, counts);
    if (is_farther(closest, &near) || (!has_smaller_ids(ids, closest) && is_kept_apart(closest, a, b)))
        return;
    narrow_gap gap;
    set_triangle(&gap, 0, a);
    set_triangle(&gap, 1, b);
    find_length(&gap, &near, counts);
    keep_nearer(closest, &near, ids, &gap, counts);
}

void narrow_offer_rounds(narrow_closest *closest, const narrow_round *a, const narrow_round *b, narrow_counts *counts)
{
    narrow_distance_result near = narrow_round_distance(a, b, counts);
    if (is_farther(closest, &near))
        return;
    narrow_gap gap;
    set_round(&gap, 0, a);
    set_round(&gap, 1, b);
    find_length(&gap, &near, counts);
    keep_nearer(closest, &near, (carom_pair){0, 0, 0}, &gap, counts);
}

void narrow_offer_triangle_round(narrow_closest *closest, const narrow_triangle *a, const narrow_round *b,
                                 uint32_t triangle, narrow_counts *counts)
{
    const carom_pair ids = {triangle, 0, 0};
    if (is_settled(closest, ids))
        return;
    narrow_distance_result found = narrow_round_triangle_distance(b, a, counts);
    if (is_farther(closest, &found))
        return;
    narrow_distance_result near = {found.distance, found.point_b,   found.point_a,
                                   found.error,    found.corners_b, found.corners_a};
    narrow_gap gap;
    set_triangle(&gap, 0, a);
    set_round(&gap, 1, b);
    find_length(&gap, &near, counts);
    keep_nearer(closest, &near, ids, &gap, counts);
}

bool narrow_offer_meeting(narrow_closest *closest, carom_pair ids)
{
    if (is_settled(closest, ids))
        return false;
    closest->distance = 0.0;
    closest->triangle_a = ids.triangle_a, closest->triangle_b = ids.triangle_b;
    closest->gap.length = (exact_length){0.0, 0.0, true};
    return true;
}
