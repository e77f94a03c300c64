/* Exact tests over plain arrays, handed on to src/narrow. */
#include "exact.h"

#include "narrow/narrow.h"

static narrow_triangle to_narrow(const double t[9])
{
    return (narrow_triangle){{{t[0], t[1], t[2]}, {t[3], t[4], t[5]}, {t[6], t[7], t[8]}}};
}

bool exact_meets(const double a[9], const double b[9])
{
    narrow_triangle narrow_a = to_narrow(a), narrow_b = to_narrow(b);
    narrow_counts counts = {0};
    return narrow_meet(&narrow_a, &narrow_b, &counts) != CAROM_MEET_NONE;
}

double exact_distance(const double a[9], const double b[9])
{
    narrow_triangle narrow_a = to_narrow(a), narrow_b = to_narrow(b);
    narrow_counts counts = {0};
    return narrow_distance(&narrow_a, &narrow_b, &counts).distance;
}

static narrow_round to_round(const double ends[6], double radius)
{
    return (narrow_round){{{ends[0], ends[1], ends[2]}, {ends[3], ends[4], ends[5]}}, radius};
}

bool exact_round_meets(const double ends[6], double radius, const double triangle[9])
{
    narrow_round round = to_round(ends, radius);
    narrow_triangle narrow = to_narrow(triangle);
    narrow_counts counts = {0};
    return narrow_round_triangle_meet(&round, &narrow, &counts) != CAROM_MEET_NONE;
}

double exact_round_distance(const double ends[6], double radius, const double triangle[9])
{
    narrow_round round = to_round(ends, radius);
    narrow_triangle narrow = to_narrow(triangle);
    narrow_counts counts = {0};
    return narrow_round_triangle_distance(&round, &narrow, &counts).distance;
}
