/* Wide integers for the exact predicates: sign and magnitude, 32-bit limbs, schoolbook products. */
#include "math/exact_wide.h"

/* value = mantissa 2^exponent with an odd mantissa, or zero; returns |mantissa|. */
static uint64_t split_double(double value, int *exponent)
{
    uint64_t mantissa = integer_mantissa(value, exponent);
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

void integer_determinant(wide *out, const wide a[3], const wide b[3], const wide c[3])
{
    wide minor, term;
    integer_minor(&minor, &b[1], &b[2], &c[1], &c[2]);
    integer_multiply(out, &a[0], &minor);
    integer_minor(&minor, &b[2], &b[0], &c[2], &c[0]);
    integer_multiply(&term, &a[1], &minor);
    integer_add(out, out, &term);
    integer_minor(&minor, &b[0], &b[1], &c[0], &c[1]);
    integer_multiply(&term, &a[2], &minor);
    integer_add(out, out, &term);
}

void integer_orient3d(wide *out, const carom_vec3 points[4], int exponent)
{
    wide rows[3][3];
    for (int i = 0; i < 3; i++)
        integer_differences(rows[i], points[i], points[3], exponent);
    integer_determinant(out, rows[0], rows[1], rows[2]);
}

void integer_orient2d(wide *out, const carom_vec3 points[3], int axis, int exponent)
{
    int u = (axis + 1) % 3, v = (axis + 2) % 3;
    wide p[3], q[3];
    integer_differences(p, points[1], points[0], exponent);
    integer_differences(q, points[2], points[0], exponent);
    integer_minor(out, &p[u], &p[v], &q[u], &q[v]);
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

/* ---- a quotient, correctly rounded ---- */

static int bit_length(const wide *w) { return 32 * w->size - __builtin_clz(w->limb[w->size - 1]); }

/* w 2^shift in `room` limbs, with zeros in front; the shift is not negative. */
static void shift_left(wide *out, const wide *w, int shift, int room)
{
    int limbs = shift / 32, bits = shift % 32;
    memset(out->limb, 0, (size_t)room * sizeof out->limb[0]);
    for (int i = 0; i < w->size; i++)
    {
        uint64_t moved = (uint64_t)w->limb[i] << bits;
        out->limb[i + limbs] |= (uint32_t)moved;
        if (moved >> 32)
            out->limb[i + limbs + 1] = (uint32_t)(moved >> 32);
    }
}

/* One digit of a long division (Knuth, volume 2, 4.3.1): floor(value / (divisor 2^(32 at))), which is below 2^32. The
 * divisor has `size` limbs and begins with a set bit; the value becomes the remainder. */
static uint32_t divide_digit(uint32_t *value, const uint32_t *divisor, int size, int at)
{
    uint32_t *low = value + at;
    uint64_t lead = (uint64_t)low[size] << 32 | low[size - 1], digit = lead / divisor[size - 1], carry = 0, borrow = 0;
    digit = digit > UINT32_MAX ? UINT32_MAX : digit;
    for (int i = 0; i <= size; i++)
    {
        carry += i < size ? digit * divisor[i] : 0;
        uint64_t take = (carry & UINT32_MAX) + borrow;
        borrow = low[i] < take;
        low[i] = (uint32_t)(low[i] - take);
        carry >>= 32;
    }
    for (; borrow; digit--)
    {
        carry = 0;
        for (int i = 0; i <= size; i++)
        {
            carry += (uint64_t)low[i] + (i < size ? divisor[i] : 0);
            low[i] = (uint32_t)carry;
            carry >>= 32;
        }
        borrow = carry == 0;
    }
    return (uint32_t)digit;
}

/* bits 2^exponent and, if `more`, a little more, to the nearest double; 2^61 <= bits < 2^63. */
static double round_bits(uint64_t bits, bool more, int exponent)
{
    int drop = 11 - __builtin_clzll(bits);
    if (exponent + drop < -1074)
        drop = -1074 - exponent;
    if (drop > 63)
        return 0.0;
    uint64_t kept = bits >> drop, rest = bits & (((uint64_t)1 << drop) - 1), half = (uint64_t)1 << (drop - 1);
    kept += rest > half || (rest == half && (more || kept % 2 == 1));
    return ldexp((double)kept, exponent + drop);
}

double integer_quotient(const wide *numerator, const wide *denominator, int exponent)
{
    if (numerator->sign == 0)
        return 0.0;
    /* 2^62 < numerator 2^shift / denominator < 2^64; the denominator gets whole limbs */
    int length = bit_length(denominator), shift = 63 - bit_length(numerator) + length;
    int fill = (32 - length % 32) % 32 + (shift < 0 ? (31 - shift) / 32 * 32 : 0), size = (length + fill) / 32;
    wide value, divisor;
    shift_left(&value, numerator, shift + fill, size + 2);
    shift_left(&divisor, denominator, fill, size);
    uint64_t bits = (uint64_t)divide_digit(value.limb, divisor.limb, size, 1) << 32;
    bits |= divide_digit(value.limb, divisor.limb, size, 0);
    bool more = bits & 1;
    for (int i = 0; i < size && !more; i++)
        more = value.limb[i] != 0;
    double magnitude = round_bits(bits >> 1, more, exponent - shift + 1);
    return numerator->sign * denominator->sign < 0 ? -magnitude : magnitude;
}
