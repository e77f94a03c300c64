/* Distances in twice the precision of double: picks the instruction set of the search for the nearest features, and
 * rounds what it found. All versions give the same bits. */
#include "math/exact_distance.h"

exact_search exact_distance_of_parts(exact_part *a, exact_part *b, const exact_interval *limit, exact_way *out)
{
#if BASE_HAS_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return distance_of_parts_avx2(a, b, limit, out);
    return distance_of_parts_sse2(a, b, limit, out);
#else
    return distance_of_parts_scalar(a, b, limit, out);
#endif
}

bool exact_parts_may_be_nearest(exact_part a, exact_part b, double limit)
{
#if BASE_HAS_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return parts_may_be_nearest_avx2(a, b, limit);
    return parts_may_be_nearest_sse2(a, b, limit);
#else
    return parts_may_be_nearest_scalar(a, b, limit);
#endif
}

int exact_way_side(const exact_way *way, carom_vec3 from, carom_vec3 to)
{
    doubled_vector r = {doubled_difference(to.x, from.x), doubled_difference(to.y, from.y),
                        doubled_difference(to.z, from.z)};
    if (!doubled_in_range(r.x) || !doubled_in_range(r.y) || !doubled_in_range(r.z))
        return 2;
    doubled height = doubled_dot(way->across, r);
    return doubled_negative_for_sure(height) ? -1 : !doubled_not_negative(height) ? 2 : height.size > 0.0;
}

double exact_height(carom_vec3 direction, carom_vec3 origin, const carom_vec3 points[3], bool turned)
{
#if BASE_HAS_X86
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma"))
        return height_of_points_avx2(direction, origin, points, turned);
    return height_of_points_sse2(direction, origin, points, turned);
#else
    return height_of_points_scalar(direction, origin, points, turned);
#endif
}

static doubled from_double(double x) { return (doubled){x, 0.0, fabs(x)}; }

double exact_height_to_spare(carom_vec3 direction, carom_vec3 from, carom_vec3 to, const exact_interval *distance)
{
    doubled_vector n = {from_double(direction.x), from_double(direction.y), from_double(direction.z)};
    doubled_vector r = {doubled_difference(to.x, from.x), doubled_difference(to.y, from.y),
                        doubled_difference(to.z, from.z)};
    doubled square = doubled_dot(n, n);
    double root = sqrt(square.high), product = root * root;
    double lack = (square.high - product) - doubled_product_rest(root, root, product) + square.low;
    doubled length = doubled_join(root, lack / (2.0 * root), root);
    doubled demand = doubled_multiply((doubled){distance->high, distance->low, distance->high}, length);
    doubled spare = doubled_subtract(doubled_dot(n, r), demand);
    double error = DOUBLED_SPARE_ERROR * spare.size + (1.0 + 0x1p-50) * root * distance->error + 0x1p-1000;
    return spare.high + (spare.low - (DOUBLED_LAST_SUM * fabs(spare.high) + error));
}

exact_interval exact_interval_less(const exact_interval *interval, double radius_a, double radius_b)
{
    doubled value = {interval->high, interval->low, interval->high};
    value = doubled_subtract(value, (doubled){radius_a, 0.0, fabs(radius_a)});
    value = doubled_subtract(value, (doubled){radius_b, 0.0, fabs(radius_b)});
    bool exact = radius_a == 0.0 && radius_b == 0.0;
    return (exact_interval){value.high, value.low, interval->error + (exact ? 0.0 : DOUBLED_SUMS_ERROR * value.size)};
}

/* What is certainly not above and not below the low part of any number of the interval: the ends round, too. */
static void find_ends(const exact_interval *interval, double *from, double *to)
{
    double low = interval->low, error = interval->error;
    error = error == 0.0 ? 0.0 : error * (1.0 + DOUBLED_END_ERROR) + DOUBLED_END_LOW_ERROR * fabs(low);
    *from = low - error, *to = low + error;
}

void exact_interval_bounds(const exact_interval *interval, double *lower, double *upper)
{
    double high = interval->high, from, to;
    find_ends(interval, &from, &to);
    double least = high + from, most = high + to;
    *lower = doubled_sum_rest(high, from, least) < 0.0 ? nextafter(least, -INFINITY) : least;
    *upper = doubled_sum_rest(high, to, most) > 0.0 ? nextafter(most, INFINITY) : most;
}

/* Rounding is monotonic, so both ends decide for what is between them. Next to the middle between two doubles, what the
 * ends round by matters. */
bool exact_round_interval(const exact_interval *interval, exact_length *out)
{
    double high = interval->high, from, to;
    find_ends(interval, &from, &to);
    if (!(high > 0.0) || high + from != high || high + to != high)
        return false;
    bool whole = from == 0.0 && to == 0.0;
    *out = (exact_length){high, to < 0.0 ? nextafter(high, 0.0) : high, whole};
    return whole || from > 0.0 || to < 0.0;
}
