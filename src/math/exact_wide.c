/* Wide integers for the exact predicates: sign and magnitude, 32-bit limbs, schoolbook products. */
#include "math/exact_wide.h"

/* value = mantissa 2^exponent with an odd mantissa, or zero; returns |mantissa|. */
static uint64_t split_double(double value, int *exponent)
{
    uint64_t bits;
    memcpy(&bits, &value, sizeof bits);
    int biased = (int)(bits >> 52 & 0x7ff);
    uint64_t mantissa = bits & 0xfffffffffffffu;
    if (biased > 0)
        mantissa |= 0x10000000000000u;
    else
        biased = 1;
    *exponent = biased - 1075;
    if (mantissa)
    {
        int zeros = __builtin_ctzll(mantissa);
        mantissa >>= zeros, *exponent += zeros;
    }
    return mantissa;
}

int integer_common_exponent(const double *values, int count)
{
    int smallest = INT32_MAX;
    for (int i = 0; i < count; i++)
    {
        int exponent;
        if (split_double(values[i], &exponent) && exponent < smallest)
            smallest = exponent;
    }
    return smallest == INT32_MAX ? 0 : smallest;
}

static void trim(wide *w, int size)
{
    while (size > 0 && w->limb[size - 1] == 0)
        size--;
    w->size = size;
    if (size == 0)
        w->sign = 0;
}

void integer_from_double(wide *out, double value, int exponent)
{
    int own;
    uint64_t mantissa = split_double(value, &own);
    out->sign = value < 0.0 ? -1 : 1;
    if (!mantissa)
    {
        trim(out, 0);
        return;
    }
    unsigned shift = (unsigned)(own - exponent), first = shift / 32, within = shift % 32;
    for (unsigned i = 0; i < first; i++)
        out->limb[i] = 0;
    uint64_t low = (mantissa & 0xffffffffu) << within, high = (mantissa >> 32) << within;
    out->limb[first] = (uint32_t)low;
    high += low >> 32;
    out->limb[first + 1] = (uint32_t)high;
    out->limb[first + 2] = (uint32_t)(high >> 32);
    trim(out, (int)first + 3);
}

static int compare_magnitude(const wide *a, const wide *b)
{
    if (a->size != b->size)
        return a->size < b->size ? -1 : 1;
    for (int i = a->size - 1; i >= 0; i--)
        if (a->limb[i] != b->limb[i])
            return a->limb[i] < b->limb[i] ? -1 : 1;
    return 0;
}

/* |long| + |short| where long has at least as many limbs. */
static void add_magnitude(wide *out, const wide *longer, const wide *shorter)
{
    uint64_t carry = 0;
    int i = 0, size = longer->size;
    for (; i < shorter->size; i++)
    {
        carry += (uint64_t)longer->limb[i] + shorter->limb[i];
        out->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    for (; i < size; i++)
    {
        carry += longer->limb[i];
        out->limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        out->limb[size++] = (uint32_t)carry;
    out->size = size;
}

/* |larger| - |smaller|. */
static void subtract_magnitude(wide *out, const wide *larger, const wide *smaller)
{
    uint64_t borrow = 0;
    int size = larger->size;
    for (int i = 0; i < size; i++)
    {
        uint64_t take = borrow + (i < smaller->size ? smaller->limb[i] : 0u);
        borrow = larger->limb[i] < take;
        out->limb[i] = (uint32_t)(larger->limb[i] - take);
    }
    trim(out, size);
}

static void add_signed(wide *out, const wide *a, const wide *b, int sign_b)
{
    int sign_a = a->sign;
    if (sign_a == sign_b || sign_a == 0 || sign_b == 0)
    {
        bool a_longer = a->size >= b->size;
        add_magnitude(out, a_longer ? a : b, a_longer ? b : a);
        out->sign = sign_a ? sign_a : sign_b;
        return;
    }
    int order = compare_magnitude(a, b);
    subtract_magnitude(out, order >= 0 ? a : b, order >= 0 ? b : a);
    out->sign = order > 0 ? sign_a : order < 0 ? sign_b : 0;
}

void integer_add(wide *out, const wide *a, const wide *b) { add_signed(out, a, b, b->sign); }
void integer_subtract(wide *out, const wide *a, const wide *b) { add_signed(out, a, b, -b->sign); }

void integer_multiply(wide *out, const wide *a, const wide *b)
{
    int size = a->size + b->size;
    out->sign = a->sign * b->sign;
    if (out->sign == 0)
    {
        trim(out, 0);
        return;
    }
    memset(out->limb, 0, (size_t)size * sizeof out->limb[0]);
    for (int i = 0; i < a->size; i++)
    {
        uint64_t carry = 0, factor = a->limb[i];
        for (int j = 0; j < b->size; j++)
        {
            carry += factor * b->limb[j] + out->limb[i + j];
            out->limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        out->limb[i + b->size] = (uint32_t)carry;
    }
    trim(out, size);
}

void integer_minor(wide *out, const wide *a, const wide *b, const wide *c, const wide *d)
{
    wide other;
    integer_multiply(out, a, d);
    integer_multiply(&other, b, c);
    integer_subtract(out, out, &other);
}

void integer_dot(wide *out, const wide a[3], const wide b[3])
{
    wide term;
    integer_multiply(out, &a[0], &b[0]);
    integer_multiply(&term, &a[1], &b[1]);
    integer_add(out, out, &term);
    integer_multiply(&term, &a[2], &b[2]);
    integer_add(out, out, &term);
}

void integer_cross(wide out[3], const wide a[3], const wide b[3])
{
    integer_minor(&out[0], &a[1], &a[2], &b[1], &b[2]);
    integer_minor(&out[1], &a[2], &a[0], &b[2], &b[0]);
    integer_minor(&out[2], &a[0], &a[1], &b[0], &b[1]);
}

void integer_differences(wide out[3], carom_vec3 p, carom_vec3 origin, int exponent)
{
    const double from[3] = {origin.x, origin.y, origin.z}, to[3] = {p.x, p.y, p.z};
    for (int axis = 0; axis < 3; axis++)
    {
        wide o;
        integer_from_double(&out[axis], to[axis], exponent);
        integer_from_double(&o, from[axis], exponent);
        integer_subtract(&out[axis], &out[axis], &o);
    }
}

int integer_compare(const wide *a, const wide *b)
{
    if (a->sign != b->sign)
        return a->sign < b->sign ? -1 : 1;
    return a->sign * compare_magnitude(a, b);
}

/* From the three top limbs. */
double integer_leading(const wide *w, int *exponent)
{
    double value = 0.0;
    int used = w->size < 3 ? w->size : 3;
    for (int i = 0; i < used; i++)
        value = value * 0x1p32 + w->limb[w->size - 1 - i];
    *exponent = 32 * (w->size - used);
    return w->sign < 0 ? -value : value;
}

double integer_ratio(const wide *numerator, const wide *denominator, int exponent)
{
    int up, down;
    double top = integer_leading(numerator, &up), bottom = integer_leading(denominator, &down);
    return ldexp(top / bottom, up - down + exponent);
}
