/* One axis of a patch: its knots, and the basis functions by the recursion of Cox and de Boor (1972). */
#include "geoimage/patch.h"

#include "math/math.h"

/* ---- knots ---- */

static carom_status check_knot(carom_context *context, const carom_patch_axis_def *def, const char *name, size_t i)
{
    const double *knots = def->knots;
    if (!isfinite(knots[i]))
        return base_fail(context, CAROM_NOT_FINITE, "knot %s[%zu] is not finite", name, i);
    if (fabs(knots[i]) > MATH_COORDINATE_LIMIT)
        return base_fail(context, CAROM_OUT_OF_RANGE, "knot %s[%zu], %g, is beyond 2^100", name, i, knots[i]);
    if (i > 0 && knots[i] < knots[i - 1])
        return base_fail(context, CAROM_BAD_DATA, "knot %s[%zu], %g, is less than the one before, %g", name, i,
                         knots[i], knots[i - 1]);
    if (i > def->degree && knots[i] == knots[i - def->degree - 1])
        return base_fail(context, CAROM_BAD_DATA, "knot %s[%zu], %g, is there more than degree + 1 = %u times", name, i,
                         knots[i], def->degree + 1);
    return CAROM_OK;
}

carom_status geoimage_axis_check(carom_context *context, const carom_patch_axis_def *def, const char *name)
{
    if (def->degree < 1 || def->degree > CAROM_PATCH_MAX_DEGREE)
        return base_fail(context, CAROM_OUT_OF_RANGE, "degree %u in %s: from 1 to %u are possible", def->degree, name,
                         CAROM_PATCH_MAX_DEGREE);
    if (def->count <= def->degree || def->count > CAROM_PATCH_MAX_COUNT)
        return base_fail(context, CAROM_OUT_OF_RANGE,
                         "%u control points in %s: with degree %u, from %u to %u are possible", def->count, name,
                         def->degree, def->degree + 1, CAROM_PATCH_MAX_COUNT);
    if (!def->knots)
        return CAROM_OK;
    for (size_t i = 0; i < geoimage_knot_count(def->degree, def->count); i++)
        BASE_TRY(check_knot(context, def, name, i));
    if (def->knots[def->degree] == def->knots[def->count])
        return base_fail(context, CAROM_BAD_DATA, "the domain is empty: knots %s[%u] and %s[%u] are both %g", name,
                         def->degree, name, def->count, def->knots[def->count]);
    return CAROM_OK;
}

void geoimage_axis_knots(const carom_patch_axis_def *def, double *out)
{
    uint32_t spans = def->count - def->degree;
    for (uint32_t i = 0; i < geoimage_knot_count(def->degree, def->count); i++)
        if (def->knots)
            out[i] = def->knots[i];
        else
            out[i] = i <= def->degree ? 0 : i >= def->count ? spans : i - def->degree;
}

double geoimage_axis_parameter(const geoimage_axis *axis, uint32_t i, uint32_t count)
{
    double min = axis->knots[axis->degree], max = axis->knots[axis->count];
    return i == count - 1 ? max : fmin(max, min + (max - min) * ((double)i / (count - 1)));
}

/* ---- basis functions ---- */

/* How many knots are less than the parameter; or_equal: or equal to it. */
static uint32_t count_below(const geoimage_axis *axis, double parameter, bool or_equal)
{
    uint32_t low = 0, high = (uint32_t)geoimage_knot_count(axis->degree, axis->count);
    while (low < high)
    {
        uint32_t middle = low + (high - low) / 2;
        bool below = or_equal ? axis->knots[middle] <= parameter : axis->knots[middle] < parameter;
        if (below)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* The knot at which the span of a parameter begins. At the end of the domain it is the last span of the domain if
 * degree or more knots are there. Otherwise position and slope are the same in the span that follows, whose sums are
 * then, bit by bit, those of the domain's first span if the patch closes. */
static uint32_t find_span(const geoimage_axis *axis, double parameter)
{
    uint32_t below = count_below(axis, parameter, false), up_to = count_below(axis, parameter, true);
    bool at_end = parameter == axis->knots[axis->count];
    return at_end && up_to - below >= axis->degree ? below - 1 : up_to - 1;
}

/* How many of the `count` functions of degree count - 1 have all their knots. The others begin at or after the end of
 * the domain, which is where we are: they are 0. */
static uint32_t count_known(const geoimage_axis *axis, uint32_t span, uint32_t count)
{
    uint32_t knots_after = axis->count + axis->degree - span;
    return count < knots_after ? count : knots_after;
}

/* From the functions of one degree less. All terms are positive, and each ratio is at most 1, however near the knots
 * are. */
static void raise_degree(const geoimage_axis *axis, uint32_t span, double parameter, uint32_t degree, double *value)
{
    uint32_t known = count_known(axis, span, degree);
    double carry = 0;
    for (uint32_t r = 0; r < known; r++)
    {
        double start = axis->knots[span + 1 + r - degree], end = axis->knots[span + 1 + r];
        double width = end - start, lower = value[r];
        value[r] = carry + (end - parameter) / width * lower;
        carry = (parameter - start) / width * lower;
    }
    value[known] = carry;
}

/* The derivatives, times the width of the span and divided by the degree, from the functions of one degree less. */
static void find_slopes(const geoimage_axis *axis, uint32_t span, const double *lower, double *slope)
{
    uint32_t degree = axis->degree, known = count_known(axis, span, degree);
    double width = axis->knots[span + 1] - axis->knots[span];
    slope[0] = 0;
    for (uint32_t r = 0; r < known; r++)
    {
        double share = width / (axis->knots[span + 1 + r] - axis->knots[span + 1 + r - degree]) * lower[r];
        slope[r] -= share;
        slope[r + 1] = share;
    }
}

/* Beyond the domain's last span, the last functions have no control points, and are 0: drop them. */
static void drop_last(double *values, uint32_t count, uint32_t dropped)
{
    memmove(values + dropped, values, (count - dropped) * sizeof *values);
    for (uint32_t i = 0; i < dropped; i++)
        values[i] = 0;
}

void geoimage_basis_at(const geoimage_axis *axis, double parameter, geoimage_basis *out)
{
    uint32_t span = find_span(axis, parameter), degree = axis->degree;
    *out = (geoimage_basis){.first = span - degree};
    out->value[0] = 1;
    for (uint32_t k = 1; k < degree; k++)
        raise_degree(axis, span, parameter, k, out->value);
    find_slopes(axis, span, out->value, out->slope);
    raise_degree(axis, span, parameter, degree, out->value);
    if (span >= axis->count)
    {
        uint32_t dropped = span - (axis->count - 1);
        drop_last(out->value, degree + 1, dropped);
        drop_last(out->slope, degree + 1, dropped);
        out->first -= dropped;
    }
    for (uint32_t i = 1; i <= degree; i++)
        if (out->value[i] > out->value[out->largest])
            out->largest = i;
}
