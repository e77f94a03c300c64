/* Decimal to double and back, correctly rounded and independent of the locale.
 *
 * Three paths, each exact: doubles where mantissa and power of ten are both exact (Clinger 1990), one 128-bit
 * product or quotient for up to 19 digits, and a plain big integer for the rest. */
#include "carom/io.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

__extension__ typedef unsigned __int128 u128;

static const double small_powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                      1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

static const uint64_t integer_powers[] = {1u,
                                          10u,
                                          100u,
                                          1000u,
                                          10000u,
                                          100000u,
                                          1000000u,
                                          10000000u,
                                          100000000u,
                                          1000000000u,
                                          10000000000u,
                                          100000000000u,
                                          1000000000000u,
                                          10000000000000u,
                                          100000000000000u,
                                          1000000000000000u,
                                          10000000000000000u,
                                          100000000000000000u,
                                          1000000000000000000u,
                                          10000000000000000000u};

enum
{
    MANTISSA_DIGITS = 19,       /* always fit 64 bits */
    EXPONENT_LIMIT = 100000000, /* beyond the digits of any file, small enough to add */
    BIG_DIGITS = 800,           /* a point halfway between two doubles has at most 767 significant digits */
    BIG_WORDS = 224             /* 800 digits, shifted so that a division by 10^1130 leaves 64 bits */
};

static bool is_digit(char c) { return (unsigned char)(c - '0') < 10; }

/* top * 2^exponent, rounded to nearest even; top has its highest bit set, sticky says that more follows below. */
static double compose(uint64_t top, int exponent, bool sticky)
{
    /* subnormal results keep fewer bits */
    int drop = 11;
    int lowest = exponent + drop;
    if (lowest < -1074)
        drop += -1074 - lowest;
    if (drop > 64)
        return 0.0;
    uint64_t kept = drop == 64 ? 0 : top >> drop;
    uint64_t half = (uint64_t)1 << (drop - 1);
    uint64_t rest = top & (half | (half - 1));
    bool up = rest > half || (rest == half && (sticky || (kept & 1)));
    return ldexp((double)(kept + up), exponent + drop);
}

static double compose_wide(u128 value, int exponent, bool sticky)
{
    uint64_t high = (uint64_t)(value >> 64), low = (uint64_t)value;
    if (high == 0)
    {
        int shift = __builtin_clzll(low);
        return compose(low << shift, exponent - shift, sticky);
    }
    int shift = __builtin_clzll(high);
    uint64_t top = shift ? high << shift | low >> (64 - shift) : high;
    return compose(top, exponent + 64 - shift, sticky || (low << shift) != 0);
}

/* mantissa * 10^power, exact before the one rounding; false where a bigger integer is needed. */
static bool scale_small(uint64_t mantissa, int64_t power, double *out)
{
    if (mantissa == 0)
        return *out = 0.0, true;
    if (mantissa <= (uint64_t)1 << 53 && power >= -22 && power <= 22)
    {
        double exact = (double)mantissa;
        *out = power < 0 ? exact / small_powers[-power] : exact * small_powers[power];
        return true;
    }
    if (power >= 0 && power <= 19)
        return *out = compose_wide((u128)mantissa * integer_powers[power], 0, false), true;
    if (power < 0 && power >= -19)
    {
        int shift = __builtin_clzll(mantissa);
        u128 numerator = (u128)(mantissa << shift) << 64;
        u128 quotient = numerator / integer_powers[-power];
        bool sticky = quotient * integer_powers[-power] != numerator;
        return *out = compose_wide(quotient, -64 - shift, sticky), true;
    }
    return false;
}

/* ---- the slow path ---- */

typedef struct big_integer
{
    uint32_t words[BIG_WORDS]; /* least significant first */
    int count;
} big_integer;

static void big_multiply_add(big_integer *big, uint32_t factor, uint32_t addend)
{
    uint64_t carry = addend;
    for (int i = 0; i < big->count; i++)
    {
        carry += (uint64_t)big->words[i] * factor;
        big->words[i] = (uint32_t)carry;
        carry >>= 32;
    }
    if (carry)
        big->words[big->count++] = (uint32_t)carry;
}

/* Floor division; true if there was a remainder. Floors of floors are floors, so 10^k may go in steps. */
static bool big_divide(big_integer *big, uint32_t divisor)
{
    uint64_t remainder = 0;
    for (int i = big->count - 1; i >= 0; i--)
    {
        uint64_t value = remainder << 32 | big->words[i];
        big->words[i] = (uint32_t)(value / divisor);
        remainder = value % divisor;
    }
    while (big->count > 0 && big->words[big->count - 1] == 0)
        big->count--;
    return remainder != 0;
}

static void big_shift_words(big_integer *big, int words)
{
    memmove(big->words + words, big->words, (size_t)big->count * sizeof *big->words);
    memset(big->words, 0, (size_t)words * sizeof *big->words);
    big->count += words;
}

static double big_to_double(const big_integer *big, int exponent, bool sticky)
{
    int last = big->count - 1;
    uint64_t high = big->words[last], low = last > 0 ? big->words[last - 1] : 0;
    uint64_t lowest = last > 1 ? big->words[last - 2] : 0;
    for (int i = 0; i < last - 2; i++)
        sticky = sticky || big->words[i] != 0;
    u128 value = (u128)high << 64 | (u128)low << 32 | lowest;
    return compose_wide(value, exponent + 32 * (last - 2), sticky);
}

/* The digits at `text`, a point among them perhaps, times ten to the exponent written after them. */
static double scale_big(const char *text, int exponent)
{
    big_integer big = {.count = 0};
    int kept = 0;
    int64_t point = 0;
    bool after_point = false, sticky = false;
    for (; is_digit(*text) || (*text == '.' && !after_point); text++)
    {
        if (*text == '.')
        {
            after_point = true;
            continue;
        }
        point -= after_point;
        if (kept == 0 && *text == '0')
            continue;
        if (kept < BIG_DIGITS)
            big_multiply_add(&big, 10, (uint32_t)(*text - '0')), kept++;
        else
            sticky = sticky || *text != '0', point++;
    }
    int64_t scale = exponent + point;
    if (big.count == 0 || kept + scale < -330)
        return 0.0;
    if (kept + scale > 310)
        return INFINITY;
    int power = (int)scale;
    for (; power > 0; power--)
        big_multiply_add(&big, 10, 0);
    if (power == 0)
        return big_to_double(&big, 0, sticky);
    int needed_words = (-power * 3322 / 1000 + 1 + 96) / 32 + 1; /* 10^k has at most 3.322 k + 1 bits */
    int shift = needed_words > big.count ? needed_words - big.count : 0;
    big_shift_words(&big, shift);
    for (; power <= -9; power += 9)
        sticky = big_divide(&big, 1000000000u) || sticky;
    for (; power < 0; power++)
        sticky = big_divide(&big, 10) || sticky;
    return big_to_double(&big, -32 * shift, sticky);
}

/* ---- the text ---- */

/* All digits, as one integer while 19 of them fit. */
typedef struct digits
{
    uint64_t mantissa;
    int64_t power; /* of ten, that the mantissa is to be multiplied with */
    bool dropped;  /* a digit other than 0 did not fit */
} digits;

static const char *scan_run(const char *text, uint64_t *mantissa)
{
    uint64_t value = *mantissa;
    for (; is_digit(*text); text++)
        value = 10 * value + (uint64_t)(*text - '0');
    *mantissa = value;
    return text;
}

/* The same for numbers with more digits than fit; leading zeros do not count. */
static digits scan_long(const char *text)
{
    digits found = {0};
    bool after_point = false;
    for (int used = 0; is_digit(*text) || (*text == '.' && !after_point); text++)
    {
        if (*text == '.')
            after_point = true;
        else if (used < MANTISSA_DIGITS)
        {
            found.mantissa = 10 * found.mantissa + (uint64_t)(*text - '0');
            used += found.mantissa != 0;
            found.power -= after_point;
        }
        else
        {
            found.dropped = found.dropped || *text != '0';
            found.power += !after_point;
        }
    }
    return found;
}

/* Null if there is no digit. */
static const char *scan_digits(const char *text, digits *out)
{
    uint64_t mantissa = 0;
    const char *at = scan_run(text, &mantissa), *point = at;
    ptrdiff_t count = at - text;
    ptrdiff_t fraction = 0;
    if (*at == '.')
    {
        at = scan_run(at + 1, &mantissa);
        fraction = at - point - 1;
        count += fraction;
    }
    if (count == 0)
        return NULL;
    *out = (digits){.mantissa = mantissa, .power = -fraction};
    if (count > MANTISSA_DIGITS)
        *out = scan_long(text);
    return at;
}

/* e5, E+5, e-5, and the +e5 and -e5 that some exporters write. An e without digits is not part of the number. */
static const char *scan_exponent(const char *text, int *out)
{
    const char *at = text;
    bool negative = false, has_sign = false;
    if ((*at == '+' || *at == '-') && (at[1] == 'e' || at[1] == 'E'))
        negative = *at == '-', has_sign = true, at++;
    if (*at != 'e' && *at != 'E')
        return text;
    at++;
    if (!has_sign && (*at == '+' || *at == '-'))
        negative = *at == '-', at++;
    if (!is_digit(*at))
        return text;
    int value = 0;
    for (; is_digit(*at); at++)
        value = value < EXPONENT_LIMIT ? 10 * value + (*at - '0') : EXPONENT_LIMIT;
    *out = negative ? -value : value;
    return at;
}

const char *io_parse_number(const char *text, double *out)
{
    const char *at = text;
    bool negative = *at == '-';
    at += *at == '-' || *at == '+';
    const char *first_digit = at;
    digits found;
    at = scan_digits(at, &found);
    if (!at)
        return NULL;
    int exponent = 0;
    at = scan_exponent(at, &exponent);

    double value = 0, above = 0;
    int64_t power = found.power + exponent;
    bool decided = scale_small(found.mantissa, power, &value);
    /* digits that did not fit matter only if the next mantissa up rounds elsewhere */
    if (decided && found.dropped)
        decided = scale_small(found.mantissa + 1, power, &above) && value == above;
    if (!decided)
        value = scale_big(first_digit, exponent);
    *out = negative ? -value : value;
    return at;
}

/* ---- out ---- */

/* printf's %e, whatever the locale calls its decimal point, as digits and a power of ten. */
static int decimal_digits(double value, int count, char digits_out[20], int *power)
{
    char text[64];
    snprintf(text, sizeof text, "%.*e", count - 1, value);
    int length = 0;
    const char *at = text;
    for (; *at && *at != 'e'; at++)
        if (is_digit(*at) && length < 20)
            digits_out[length++] = *at;
    int exponent = 0;
    bool negative = *at && at[1] == '-';
    for (at += *at ? 2 : 0; is_digit(*at); at++)
        exponent = 10 * exponent + (*at - '0');
    *power = negative ? -exponent : exponent;
    while (length > 1 && digits_out[length - 1] == '0')
        length--;
    return length;
}

static size_t layout_digits(const char *number, int length, int power, char *out)
{
    size_t at = 0;
    if (power < -5 || power > 16)
    {
        out[at++] = number[0];
        if (length > 1)
            out[at++] = '.';
        for (int i = 1; i < length; i++)
            out[at++] = number[i];
        return at + (size_t)snprintf(out + at, 8, "e%d", power);
    }
    if (power < 0)
    {
        out[at++] = '0', out[at++] = '.';
        for (int i = -1; i > power; i--)
            out[at++] = '0';
    }
    for (int i = 0; i < length || i <= power; i++)
    {
        if (i == power + 1 && i > 0)
            out[at++] = '.';
        out[at++] = (char)(i < length ? number[i] : '0');
    }
    out[at] = '\0';
    return at;
}

size_t io_format_number(double value, char out[IO_NUMBER_SIZE])
{
    size_t at = 0;
    if (!isfinite(value))
        return (size_t)snprintf(out, IO_NUMBER_SIZE, "%s", isnan(value) ? "nan" : value < 0 ? "-inf" : "inf");
    if (signbit(value))
        out[at++] = '-', value = -value;
    size_t length = at;
    for (int count = 15; count <= 17; count++)
    {
        char number[20] = "0";
        int power;
        int used = decimal_digits(value, count, number, &power);
        length = at + layout_digits(number, used, power, out + at);
        double back;
        if (io_parse_number(out + at, &back) && back == value)
            break;
    }
    return length;
}
