/* The gap between two elements, to the last digit: the nearest double, comparisons with a limit and with each other.
 * The canonical distance in double decides what its error bound allows; then twice the precision; then integers. */
#include "narrow/gap.h"

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

static void set_measured(narrow_gap *gap, const narrow_distance_result *near)
{
    gap->searched = gap->found = gap->certain = gap->rounded = false;
    gap->corners[0] = near->corners_a, gap->corners[1] = near->corners_b;
    gap->low = near->distance - near->error, gap->high = near->distance + near->error;
    if (near->distance > 0.0)
        return;
    gap->low = gap->high = 0.0;
    gap->length = (exact_length){0.0, 0.0, true};
    gap->rounded = true;
}

narrow_gap gap_of_triangles(const narrow_triangle *a, const narrow_triangle *b, const narrow_distance_result *near)
{
    narrow_gap gap;
    set_triangle(&gap, 0, a);
    set_triangle(&gap, 1, b);
    set_measured(&gap, near);
    return gap;
}

narrow_gap gap_of_rounds(const narrow_round *a, const narrow_round *b, const narrow_distance_result *near)
{
    narrow_gap gap;
    set_round(&gap, 0, a);
    set_round(&gap, 1, b);
    set_measured(&gap, near);
    return gap;
}

narrow_gap gap_of_triangle_round(const narrow_triangle *a, const narrow_round *b, const narrow_distance_result *near)
{
    narrow_gap gap;
    set_triangle(&gap, 0, a);
    set_round(&gap, 1, b);
    set_measured(&gap, near);
    return gap;
}

/* False: it is beyond the limit. */
static bool find_way(narrow_gap *gap, const exact_interval *limit)
{
    exact_part a = {gap->points[0], gap->corners[0]}, b = {gap->points[1], gap->corners[1]};
    exact_search search = exact_distance_of_parts(&a, &b, limit, &gap->way);
    gap->found = search == EXACT_SEARCH_FOUND;
    gap->corners[0] = a.corners, gap->corners[1] = b.corners;
    if (!gap->found)
        return search != EXACT_SEARCH_BEYOND;
    gap->interval = exact_interval_less(&gap->way.distance, gap->radius[0], gap->radius[1]);
    double low, high;
    exact_interval_bounds(&gap->interval, &low, &high);
    gap->low = low > gap->low ? low : gap->low;
    gap->high = high < gap->high ? high : gap->high;
    return true;
}

bool gap_refine_within(narrow_gap *gap, const exact_interval *limit)
{
    if (gap->searched || gap->rounded)
        return true;
    gap->searched = true;
    bool within = find_way(gap, limit);
    gap->certain = gap->found && gap->way.certain;
    return within;
}

void gap_refine(narrow_gap *gap) { gap_refine_within(gap, NULL); }

/* Repeated points count once. */
static unsigned different_corners(const narrow_gap *gap, int side)
{
    unsigned corners = gap->corners[side];
    return gap->count[side] == 3 ? corners : gap->count[side] == 1 ? 1u : (corners & 1u) | (corners & 6u ? 2u : 0u);
}

exact_gap gap_exact(const narrow_gap *gap)
{
    return (exact_gap){{gap->points[0], gap->count[0], gap->radius[0]},
                       {gap->points[1], gap->count[1], gap->radius[1]},
                       different_corners(gap, 0),
                       different_corners(gap, 1)};
}

static bool meets(const narrow_gap *gap) { return gap->rounded && gap->length.nearest == 0.0; }

#define GAP_SUM_ERROR 0x1p-52 /* of a sum that may be off by a unit in the last place */

/* The points without radii are at most this far apart. */
static double reach_of(const narrow_gap *gap)
{
    return (gap->high + (gap->radius[0] + gap->radius[1])) * (1.0 + GAP_SUM_ERROR);
}

void gap_make_certain(narrow_gap *gap, narrow_counts *counts)
{
    gap_refine(gap);
    if (gap->certain || meets(gap))
        return;
    exact_gap exact = gap_exact(gap);
    exact_gap_search(&exact, reach_of(gap), &counts->exact_fallbacks);
    gap->corners[0] = exact.corners_a, gap->corners[1] = exact.corners_b;
    find_way(gap, NULL);
    gap->found &= gap->corners[0] == exact.corners_a && gap->corners[1] == exact.corners_b;
    gap->corners[0] = exact.corners_a, gap->corners[1] = exact.corners_b;
    gap->certain = true;
}

void gap_round(narrow_gap *gap, narrow_counts *counts)
{
    if (gap->rounded)
        return;
    gap_refine(gap);
    if (!gap->found || BASE_UNLIKELY(!exact_round_interval(&gap->interval, &gap->length)))
    {
        gap_make_certain(gap, counts);
        exact_gap exact = gap_exact(gap);
        gap->length = exact_gap_length(&exact, &counts->exact_fallbacks);
        if (gap->length.nearest == 0.0)
            gap->length.nearest = DBL_TRUE_MIN; /* 0 means that they meet */
    }
    gap->rounded = true;
    gap->low = gap->length.below;
    gap->high = gap->length.whole ? gap->length.below : nextafter(gap->length.below, INFINITY);
}

/* ---- compared with a limit ---- */

/* What twice the precision can tell; otherwise 2. */
static int compare_interval(const narrow_gap *gap, double limit)
{
    const exact_interval *x = &gap->interval;
    if (!gap->found || !(x->high >= 0.5 * limit && x->high <= 2.0 * limit))
        return 2;
    double difference = (x->high - limit) + x->low; /* only the sum is rounded, and rounding is monotonic */
    return difference > x->error ? 1 : difference < -x->error ? -1 : x->error == 0.0 ? 0 : 2;
}

int gap_sign(narrow_gap *gap, double limit, narrow_counts *counts)
{
    if (gap->low > limit)
        return 1;
    if (gap->high < limit)
        return -1;
    gap_refine(gap);
    int sign = gap->rounded ? narrow_length_sign(&gap->length, limit) : compare_interval(gap, limit);
    if (sign != 2)
        return sign;
    gap_make_certain(gap, counts);
    exact_gap exact = gap_exact(gap);
    return exact_gap_compare_limit(&exact, limit, &counts->exact_fallbacks);
}

/* What the bounds of a gap can tell; otherwise 2. */
static int compare_sum(const narrow_gap *gap, const double terms[EXACT_TERMS])
{
    double sum = (terms[0] + terms[1]) + terms[2];
    return gap->high < sum * (1.0 - GAP_SUM_ERROR) ? -1 : gap->low > sum * (1.0 + GAP_SUM_ERROR) ? 1 : 2;
}

int gap_sum_sign(narrow_gap *gap, const double terms[EXACT_TERMS], narrow_counts *counts)
{
    int sign = meets(gap) ? -1 : compare_sum(gap, terms);
    if (sign != 2)
        return sign;
    gap_make_certain(gap, counts);
    exact_gap exact = gap_exact(gap);
    return exact_gap_compare_sum(&exact, terms, &counts->exact_fallbacks);
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

/* The sign of x - y without errors. If the difference of the high parts rounds, the low ones do not matter. */
static int compare_exactly(const exact_interval *x, const exact_interval *y)
{
    double high = x->high - y->high, sum = high + x->low, part = sum - high;
    double rest = (high - (sum - part)) + (x->low - part); /* what the sum lacks, exactly */
    return sum != y->low ? (sum > y->low) - (sum < y->low) : (rest > 0.0) - (rest < 0.0);
}

#define GAP_LOW_ERROR (1.125 * 0x1p-53) /* of the difference of low parts; docs/exactness.md derives it */

/* The sign of x - y, if the intervals can tell; otherwise 0. */
static int compare_intervals(const exact_interval *x, const exact_interval *y)
{
    if (x->error == 0.0 && y->error == 0.0)
        return compare_exactly(x, y);
    double low = x->low - y->low, difference = (x->high - y->high) + low;
    double error = (x->error + y->error) * (1.0 + GAP_SUM_ERROR) + GAP_LOW_ERROR * fabs(low);
    return difference > error ? 1 : -(difference < -error);
}

int gap_compare(narrow_gap *x, narrow_gap *y, narrow_counts *counts)
{
    gap_refine(x);
    gap_refine(y);
    if (meets(x) || meets(y))
        return meets(y) - meets(x);
    if (x->low > y->high || y->low > x->high)
        return x->low > y->high ? 1 : -1;
    if (x->found && y->found)
    {
        int sign = compare_intervals(&x->interval, &y->interval);
        if (sign != 0 || (x->interval.error == 0.0 && y->interval.error == 0.0))
            return sign;
    }
    gap_make_certain(x, counts);
    gap_make_certain(y, counts);
    if (features_within(x, y) && features_within(y, x))
        return 0;
    exact_gap first = gap_exact(x), second = gap_exact(y);
    return exact_gap_compare(&first, &second, &counts->exact_fallbacks);
}

/* ---- a lower bound from planes ---- */

#define GAP_PLANE_ERROR  (9 * 0x1p-53) /* of the sum of magnitudes */
#define GAP_LENGTH_ERROR (5 * 0x1p-53) /* of what is divided by a length */

/* The gap between the triangles along a direction, which counts as exact; less than that by the errors of projections.
 * docs/exactness.md derives them. */
static double gap_along(const narrow_triangle *a, const narrow_triangle *b, carom_vec3 normal)
{
    carom_vec3 origin = a->corner[0];
    double highest_a = 0.0, lowest_b = INFINITY, highest_b = -INFINITY, lowest_a = 0.0, magnitude = 0.0;
    for (int i = 0; i < 6; i++)
    {
        carom_vec3 r = vec3_sub(i < 3 ? a->corner[i] : b->corner[i - 3], origin);
        double x = normal.x * r.x, y = normal.y * r.y, z = normal.z * r.z, height = (x + y) + z;
        double size = (fabs(x) + fabs(y)) + fabs(z);
        magnitude = size > magnitude ? size : magnitude;
        double *highest = i < 3 ? &highest_a : &highest_b, *lowest = i < 3 ? &lowest_a : &lowest_b;
        *highest = height > *highest ? height : *highest;
        *lowest = height < *lowest ? height : *lowest;
    }
    double above = lowest_b - highest_a, below = lowest_a - highest_b, gap = above > below ? above : below;
    return gap - (GAP_PLANE_ERROR * magnitude + 0x1p-1000);
}

/* Not more than a gap in units of a vector is in units of length, if it is positive. */
static double over_length(double gap, double square) { return gap / sqrt(square) * (1.0 - GAP_LENGTH_ERROR); }

static double bound_along(const narrow_triangle *a, const narrow_triangle *b, carom_vec3 normal)
{
    double square = vec3_dot(normal, normal);
    return square > 0x1p-500 ? over_length(gap_along(a, b, normal), square) : 0.0;
}

/* From the first to the second of two corners, or 0 to 1. */
static carom_vec3 edge_of(const narrow_triangle *t, unsigned corners)
{
    int from = corners & 1u ? 0 : 1, to = corners & 4u ? 2 : 1;
    return vec3_sub(t->corner[to], t->corner[from]);
}

static carom_vec3 normal_of(const narrow_triangle *t)
{
    return vec3_cross(vec3_sub(t->corner[1], t->corner[0]), vec3_sub(t->corner[2], t->corner[0]));
}

static bool is_edge(unsigned corners) { return corners == 3u || corners == 5u || corners == 6u; }

double gap_plane_bound(const narrow_triangle *a, const narrow_triangle *b, const narrow_distance_result *near)
{
    if (is_edge(near->corners_a) && is_edge(near->corners_b))
        return bound_along(a, b, vec3_cross(edge_of(a, near->corners_a), edge_of(b, near->corners_b)));
    if (near->corners_a == 7u || near->corners_b == 7u)
        return bound_along(a, b, normal_of(near->corners_a == 7u ? a : b));
    double of_a = bound_along(a, b, normal_of(a)), of_b = bound_along(a, b, normal_of(b));
    return of_a > of_b ? of_a : of_b;
}

bool gap_faces_beyond(const narrow_triangle *a, const narrow_triangle *b, double limit)
{
    return bound_along(a, b, normal_of(a)) > limit || bound_along(a, b, normal_of(b)) > limit;
}

/* ---- decisions ---- */

int gap_measured_sign(const narrow_distance_result *near, double limit)
{
    return near->distance + near->error < limit ? -1 : near->distance - near->error > limit;
}

int narrow_measured_sign(const narrow_distance_result *near, const narrow_triangle *a, const narrow_triangle *b,
                         double limit, narrow_counts *counts)
{
    int sign = gap_measured_sign(near, limit);
    if (BASE_LIKELY(sign != 0))
        return sign;
    narrow_gap gap = gap_of_triangles(a, b, near);
    return gap_refine_within(&gap, &(exact_interval){limit, 0.0, 0.0}) ? gap_sign(&gap, limit, counts) : 1;
}

int narrow_distance_sign(const narrow_triangle *a, const narrow_triangle *b, double limit, narrow_counts *counts)
{
    narrow_distance_result near = narrow_distance(a, b, counts);
    return narrow_measured_sign(&near, a, b, limit, counts);
}

int narrow_round_distance_sign(const narrow_round *a, const narrow_round *b, double limit, narrow_counts *counts)
{
    narrow_distance_result near = narrow_round_distance(a, b, counts);
    int sign = gap_measured_sign(&near, limit);
    if (BASE_LIKELY(sign != 0))
        return sign;
    narrow_gap gap = gap_of_rounds(a, b, &near);
    return gap_sign(&gap, limit, counts);
}

int narrow_round_triangle_distance_sign(const narrow_round *a, const narrow_triangle *b, double limit,
                                        narrow_counts *counts)
{
    narrow_distance_result found = narrow_round_triangle_distance(a, b, counts);
    int sign = gap_measured_sign(&found, limit);
    if (BASE_LIKELY(sign != 0))
        return sign;
    narrow_distance_result near = narrow_swap_points(&found);
    narrow_gap gap = gap_of_triangle_round(b, a, &near);
    return gap_sign(&gap, limit, counts);
}
