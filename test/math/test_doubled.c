/* Attacks the error bounds of numbers of twice the precision (docs/exactness.md, section 21): climbs on the error of a
 * sum, of a product and of a square, in units of what is derived for them, of the root of a quotient, and of a distance
 * less two radii. The truth is in 1024 bits. */
#define CAROM_ISA scalar_here
#define CAROM_ISA_SCALAR
/* NOLINTNEXTLINE(bugprone-suspicious-include): its static functions are what is tested */
#include "math/exact_distance_simd.c"

#include "support/climb.h"

#include <gmp.h>

static const double SUM_ERROR = 3.0 * 0x1p-106, PRODUCT_ERROR = 8.0 * 0x1p-106;

/* An input that a longer climb found. */
static const double ROOT[] = {0x1.00ce3c7db049fp+0, -0x1.fffffffffffd8p-1, 0x1.000000026857ap+1, 0x1.fffffffffffffp-1};

enum
{
    BITS = 1024
};

/* As operations leave it: the low part is at most half a unit in the last place of the high one. */
static doubled number_at(const double *n)
{
    double low = fmax(-1.0, fmin(1.0, n[1])) * 0x1p-53 * fabs(n[0]), high = n[0] + low;
    return (doubled){high, low - (high - n[0]), fabs(high)};
}

static void set_exactly(mpf_t out, doubled a)
{
    mpf_t low;
    mpf_init2(low, BITS);
    mpf_set_d(out, a.high), mpf_set_d(low, a.low), mpf_add(out, out, low);
    mpf_clear(low);
}

typedef void combine_fn(mpf_t, const mpf_t, const mpf_t);

/* |found - a (operation) b| */
static double error_of(doubled found, doubled a, doubled b, combine_fn *operation)
{
    mpf_t x, y, z;
    mpf_init2(x, BITS), mpf_init2(y, BITS), mpf_init2(z, BITS);
    set_exactly(x, a), set_exactly(y, b), set_exactly(z, found);
    operation(x, x, y), mpf_sub(x, x, z);
    double error = fabs(mpf_get_d(x));
    mpf_clear(x), mpf_clear(y), mpf_clear(z);
    return error;
}

static bool is_ordinary(doubled a) { return a.size > 0x1p-100 && a.size < 0x1p100; }

static double sum_ratio(const double *n)
{
    doubled a = number_at(n), b = number_at(n + 2), sum = doubled_add(a, b);
    return is_ordinary(a) && is_ordinary(b) ? error_of(sum, a, b, mpf_add) / (SUM_ERROR * sum.size) : 0.0;
}

static double product_ratio(const double *n)
{
    doubled a = number_at(n), b = number_at(n + 2), product = doubled_multiply(a, b);
    return is_ordinary(a) && is_ordinary(b) ? error_of(product, a, b, mpf_mul) / (PRODUCT_ERROR * product.size) : 0.0;
}

/* The square of a number that is itself off by a part of its size, as a gap may be, and is up to 2^-128 of that. */
static double square_ratio(const double *n)
{
    const double off = 45.0, bound = 2.0 * off + 8.0 + off * off * 0x1p-15;
    doubled a = number_at(n);
    if (!is_ordinary(a))
        return 0.0;
    a.size *= exp2(128.0 * fmin(1.0, fabs(n[2])));
    doubled square = doubled_square(a);
    mpf_t x, y;
    mpf_init2(x, BITS), mpf_init2(y, BITS);
    set_exactly(x, a), mpf_set_d(y, fmax(-1.0, fmin(1.0, n[3])) * off * 0x1p-106 * a.size), mpf_add(x, x, y);
    mpf_mul(x, x, x), set_exactly(y, square), mpf_sub(x, x, y);
    double error = fabs(mpf_get_d(x));
    mpf_clear(x), mpf_clear(y);
    return error / (bound * 0x1p-106 * square.size);
}

/* sqrt(top / bottom) of numbers without errors of their own. */
static double root_ratio(const double *n)
{
    doubled top = number_at(n), bottom = number_at(n + 2);
    if (!(top.high > 0x1p-50) || !(bottom.high > 0x1p-50))
        return 0.0;
    top.size = bottom.size = 0.0;
    exact_interval found;
    if (!take_root(&(features){.certain = true}, &(way){.top = top, .bottom = bottom}, &found))
        return 0.0;
    mpf_t x, y;
    mpf_init2(x, BITS), mpf_init2(y, BITS);
    set_exactly(x, top), set_exactly(y, bottom), mpf_div(x, x, y), mpf_sqrt(x, x);
    set_exactly(y, (doubled){found.high, found.low, 0.0}), mpf_sub(x, x, y);
    double error = fabs(mpf_get_d(x));
    mpf_clear(x), mpf_clear(y);
    return error / found.error;
}

/* A distance less two radii; it is itself off by as much as it may be, which is up to what the sums are off by. */
static double less_ratio(const double *n)
{
    doubled from = number_at(n), radii[2] = {{fabs(n[2]), 0.0, 0.0}, {fabs(n[3]), 0.0, 0.0}};
    double off = fmax(-1.0, fmin(1.0, n[4])) * DOUBLED_SUMS_ERROR * from.high;
    exact_interval found =
        exact_interval_less(&(exact_interval){from.high, from.low, fabs(off)}, radii[0].high, radii[1].high);
    if (!is_ordinary(from) || !(from.high > 0.0) || !(found.error > fabs(off)))
        return 0.0;
    mpf_t x, y;
    mpf_init2(x, BITS), mpf_init2(y, BITS);
    set_exactly(x, from), set_exactly(y, (doubled){off, 0.0, 0.0}), mpf_add(x, x, y);
    for (int i = 0; i < 2; i++)
        set_exactly(y, radii[i]), mpf_sub(x, x, y);
    set_exactly(y, (doubled){found.high, found.low, 0.0}), mpf_sub(x, x, y);
    double error = fabs(mpf_get_d(x));
    mpf_clear(x), mpf_clear(y);
    return error / found.error;
}

/* How much of what is added to an interval's error is needed next to the middle between two doubles: 1 or more if it
 * is rounded although its end is beyond that. numbers: the high part; how much nearer the low one is to the middle. */
static double end_ratio(const double *n)
{
    double high = 1.0 + 0.75 * fmin(1.0, fabs(n[0])), middle = 0x1p-53; /* half a unit in its last place */
    double nearer = exp2(-2.0 - 30.0 * fmin(1.0, fabs(n[1]))) * (1.0 + fmin(1.0, fabs(n[2])));
    double low = middle * (1.0 - nearer), from = 0.0, to = middle;
    for (int i = 0; i < 64; i++)
    {
        exact_length length;
        double error = 0.5 * (from + to);
        *(exact_round_interval(&(exact_interval){high, low, error}, &length) ? &from : &to) = error;
    }
    double spare = DOUBLED_END_ERROR * from + DOUBLED_END_LOW_ERROR * low;
    return 1.0 - ((middle - low) - from) / spare; /* the differences are exact */
}

static void operations_are_within_their_bounds(void **state)
{
    (void)state;
    climb_attack(&(climb){"sums", sum_ratio, 4, 0.9, 1, NULL, 20, 10000, false});
    climb_attack(&(climb){"products", product_ratio, 4, 0.55, 2, NULL, 20, 10000, false});
    climb_attack(&(climb){"squares", square_ratio, 4, 0.9, 5, NULL, 20, 10000, false});
    climb_attack(&(climb){"roots of quotients", root_ratio, 4, 0.51, 3, ROOT, 20, 10000, false});
    climb_attack(&(climb){"less two radii", less_ratio, 5, 0.8, 4, NULL, 20, 10000, false});
    climb_attack(&(climb){"ends of intervals", end_ratio, 3, 0.8, 6, NULL, 10, 2000, false});
}

/* The sign of a double minus an end of an interval, or minus a number next to it. */
static int sign_from_end(double bound, const exact_interval *x, double error)
{
    mpf_t sum, part;
    mpf_init2(sum, BITS), mpf_init2(part, BITS);
    mpf_set_d(sum, bound);
    const double parts[3] = {x->high, x->low, error};
    for (int i = 0; i < 3; i++)
        mpf_set_d(part, parts[i]), mpf_sub(sum, sum, part);
    int sign = mpf_sgn(sum);
    mpf_clear(sum), mpf_clear(part);
    return sign;
}

/* Next to a power of two, with low parts and errors of any size, or none. */
static exact_interval any_interval(check_random *random)
{
    double high = 1.0 + 0x1p-53 * (double)((int)(check_next(random) % 9) - 4);
    double low = (check_next(random) % 4 ? check_uniform(random, -1.0, 1.0) : 1.0) * 0x1p-53;
    double error = exp2(-(double)(check_next(random) % 160)) * check_uniform(random, 0.5, 1.0);
    return (exact_interval){high, check_next(random) % 8 ? low : 0.0, check_next(random) % 4 ? error : 0.0};
}

/* Bounds of an interval are the doubles next to its ends: they hold, and the next ones do not unless what the ends
 * round by makes up for it. */
static void bounds_are_next_to_the_ends(void **state)
{
    (void)state;
    check_random random = {10};
    long spared = 0;
    for (long i = 0; i < 200000; i++)
    {
        exact_interval x = any_interval(&random);
        double lower, upper;
        exact_interval_bounds(&x, &lower, &upper);
        assert_true(sign_from_end(lower, &x, -x.error) <= 0 && sign_from_end(upper, &x, x.error) >= 0);
        /* twice what the ends round by */
        double more = x.error == 0.0 ? 0.0 : x.error * (1.0 + 0x1p-50) + 0x1p-52 * fabs(x.low);
        assert_true(sign_from_end(nextafter(lower, 2.0), &x, -more) > 0);
        assert_true(sign_from_end(nextafter(upper, -2.0), &x, more) < 0);
        spared += lower == upper;
    }
    assert_true(spared > 1000);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(operations_are_within_their_bounds),
                                       cmocka_unit_test(bounds_are_next_to_the_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
