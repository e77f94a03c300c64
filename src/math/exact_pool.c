/* Integers out of one block of memory: sign and magnitude, 32-bit limbs, schoolbook products. */
#include "math/exact_pool.h"
#include "math/exact_wide.h"

static number push(pool *pool, int size)
{
    number out = {1, size, pool->limbs + pool->used};
    pool->used += (uint32_t)size;
    return out;
}

/* Drops leading zeros of the number that was pushed last. */
static number trim(pool *pool, number a)
{
    while (a.size > 0 && a.limb[a.size - 1] == 0)
        a.size--, pool->used--;
    if (a.size == 0)
        a.sign = 0;
    return a;
}

number pool_from_double(pool *pool, double value, int exponent)
{
    int own;
    uint64_t mantissa = integer_mantissa(value, &own);
    if (mantissa == 0)
        return (number){0, 0, pool->limbs + pool->used};
    int shift = own - exponent;
    if (shift < 0) /* then the lowest digits are zeros */
        mantissa >>= -shift, shift = 0;
    int first = shift / 32, within = shift % 32;
    number out = push(pool, first + 3);
    out.sign = value < 0.0 ? -1 : 1;
    memset(out.limb, 0, (size_t)first * sizeof *out.limb);
    uint64_t low = (mantissa & 0xffffffffu) << within, high = ((mantissa >> 32) << within) + (low >> 32);
    out.limb[first] = (uint32_t)low;
    out.limb[first + 1] = (uint32_t)high;
    out.limb[first + 2] = (uint32_t)(high >> 32);
    return trim(pool, out);
}

static int compare_magnitude(number a, number b)
{
    if (a.size != b.size)
        return a.size < b.size ? -1 : 1;
    for (int i = a.size - 1; i >= 0; i--)
        if (a.limb[i] != b.limb[i])
            return a.limb[i] < b.limb[i] ? -1 : 1;
    return 0;
}

/* |longer| + |shorter| */
static number add_magnitude(pool *pool, number longer, number shorter)
{
    number out = push(pool, longer.size + 1);
    uint64_t carry = 0;
    for (int i = 0; i < longer.size; i++)
    {
        carry += (uint64_t)longer.limb[i] + (i < shorter.size ? shorter.limb[i] : 0u);
        out.limb[i] = (uint32_t)carry;
        carry >>= 32;
    }
    out.limb[longer.size] = (uint32_t)carry;
    return trim(pool, out);
}

/* |larger| - |smaller| */
static number subtract_magnitude(pool *pool, number larger, number smaller)
{
    number out = push(pool, larger.size);
    uint64_t borrow = 0;
    for (int i = 0; i < larger.size; i++)
    {
        uint64_t take = borrow + (i < smaller.size ? smaller.limb[i] : 0u);
        borrow = larger.limb[i] < take;
        out.limb[i] = (uint32_t)(larger.limb[i] - take);
    }
    return trim(pool, out);
}

number pool_add(pool *pool, number a, number b)
{
    bool a_larger = compare_magnitude(a, b) >= 0;
    number larger = a_larger ? a : b, smaller = a_larger ? b : a;
    number out =
        a.sign * b.sign >= 0 ? add_magnitude(pool, larger, smaller) : subtract_magnitude(pool, larger, smaller);
    out.sign = out.size > 0 ? larger.sign : 0;
    return out;
}

number pool_subtract(pool *pool, number a, number b) { return pool_add(pool, a, pool_negative(b)); }

number pool_multiply(pool *pool, number a, number b)
{
    if (a.sign == 0 || b.sign == 0)
        return (number){0, 0, pool->limbs + pool->used};
    number out = push(pool, a.size + b.size);
    memset(out.limb, 0, (size_t)out.size * sizeof *out.limb);
    for (int i = 0; i < a.size; i++)
    {
        uint64_t carry = 0, factor = a.limb[i];
        for (int j = 0; j < b.size; j++)
        {
            carry += factor * b.limb[j] + out.limb[i + j];
            out.limb[i + j] = (uint32_t)carry;
            carry >>= 32;
        }
        out.limb[i + b.size] = (uint32_t)carry;
    }
    out = trim(pool, out);
    out.sign = a.sign * b.sign;
    return out;
}

number pool_square(pool *pool, number a) { return pool_multiply(pool, a, a); }

number pool_shift(pool *pool, number a, unsigned bits)
{
    int limbs = (int)(bits / 32), within = (int)(bits % 32);
    number out = push(pool, a.size + limbs + 1);
    memset(out.limb, 0, (size_t)out.size * sizeof *out.limb);
    for (int i = 0; i < a.size; i++)
    {
        uint64_t moved = (uint64_t)a.limb[i] << within;
        out.limb[i + limbs] |= (uint32_t)moved;
        out.limb[i + limbs + 1] = (uint32_t)(moved >> 32);
    }
    out = trim(pool, out);
    out.sign = a.sign;
    return out;
}

number pool_keep(pool *pool, uint32_t mark, number a)
{
    uint32_t *to = pool->limbs + mark;
    memmove(to, a.limb, (size_t)a.size * sizeof *to);
    pool->used = mark + (uint32_t)a.size;
    return (number){a.sign, a.size, to};
}

number pool_minor(pool *pool, number a, number b, number c, number d)
{
    uint32_t mark = pool->used;
    number left = pool_multiply(pool, a, d), right = pool_multiply(pool, b, c);
    return pool_keep(pool, mark, pool_subtract(pool, left, right));
}

number pool_dot(pool *pool, const number3 *a, const number3 *b)
{
    uint32_t mark = pool->used;
    number sum = pool_multiply(pool, a->x, b->x);
    sum = pool_add(pool, sum, pool_multiply(pool, a->y, b->y));
    sum = pool_keep(pool, mark, sum);
    return pool_keep(pool, mark, pool_add(pool, sum, pool_multiply(pool, a->z, b->z)));
}

number3 pool_cross(pool *pool, const number3 *a, const number3 *b)
{
    number3 out;
    out.x = pool_minor(pool, a->y, a->z, b->y, b->z);
    out.y = pool_minor(pool, a->z, a->x, b->z, b->x);
    out.z = pool_minor(pool, a->x, a->y, b->x, b->y);
    return out;
}

static number difference(pool *pool, double from, double to, int exponent)
{
    uint32_t mark = pool->used;
    number start = pool_from_double(pool, from, exponent), end = pool_from_double(pool, to, exponent);
    return pool_keep(pool, mark, pool_subtract(pool, end, start));
}

number3 pool_differences(pool *pool, carom_vec3 from, carom_vec3 to, int exponent)
{
    number3 out;
    out.x = difference(pool, from.x, to.x, exponent);
    out.y = difference(pool, from.y, to.y, exponent);
    out.z = difference(pool, from.z, to.z, exponent);
    return out;
}

int pool_compare(number a, number b)
{
    if (a.sign != b.sign)
        return a.sign < b.sign ? -1 : 1;
    return a.sign * compare_magnitude(a, b);
}

/* From the three top limbs. */
double pool_leading(number a, int *exponent)
{
    double value = 0.0;
    int used = a.size < 3 ? a.size : 3;
    for (int i = 0; i < used; i++)
        value = value * 0x1p32 + a.limb[a.size - 1 - i];
    *exponent = 32 * (a.size - used);
    return a.sign < 0 ? -value : value;
}
