/* A stopwatch for answers that take a tenth of a microsecond: reading the clock twice would add a third to that. If the
 * processor has a counter of constant rate, whatever its own frequency, that is read instead, and the clock gives the
 * rate. */
#include "base/base.h"

#include <time.h>

#if BASE_HAS_X86
#include <cpuid.h>
#include <x86intrin.h>
#endif

bool base_has_counter(void)
{
#if BASE_HAS_X86
    unsigned a, b, c, d;
    bool reads_in_order = __get_cpuid(0x80000001, &a, &b, &c, &d) && (d >> 27 & 1);
    bool constant_rate = __get_cpuid(0x80000007, &a, &b, &c, &d) && (d >> 8 & 1);
    return reads_in_order && constant_rate;
#else
    return false;
#endif
}

/* Waits neither for earlier instructions nor delays later ones: accurate to some ten nanoseconds. Waiting would take as
 * long. */
static inline uint64_t read_counter(void)
{
#if BASE_HAS_X86
    return __rdtsc();
#else
    return 0;
#endif
}

static uint64_t read_named_clock(clockid_t name)
{
    struct timespec now;
    clock_gettime(name, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static uint64_t read_clock(void) { return read_named_clock(CLOCK_MONOTONIC); }

/* How long the machine has been suspended, to within the time between two readings. During a suspension the clock
 * stands still; the counter continues or restarts. */
static uint64_t time_asleep(void)
{
#ifdef CLOCK_BOOTTIME
    uint64_t awake = read_clock(), all = read_named_clock(CLOCK_BOOTTIME);
    return all > awake ? all - awake : 0;
#else
    return 0;
#endif
}

/* The thread may be preempted between two readings: take the fastest of a few tries. */
base_moment base_moment_now(void)
{
    base_moment best = {.doubt = UINT64_MAX};
    for (int attempt = 0; attempt < 4; attempt++)
    {
        uint64_t before = read_counter(), clock = read_clock(), doubt = read_counter() - before;
        if (doubt < best.doubt)
            best = (base_moment){clock, before + doubt / 2, doubt, 0};
    }
    best.asleep = time_asleep();
    return best;
}

/* Do the two moments determine the rate? Not if the machine slept between them, nor if the counter makes no sense, as
 * it would where it started again or differs between processors. */
static bool rate_is_known(const base_moment *then, const base_moment *now, double rate)
{
    const uint64_t nap = 10000000; /* nanoseconds: longer than two readings take, shorter than any sleep */
    uint64_t counted = now->counter - then->counter;
    bool slept = now->asleep - then->asleep + nap > 2 * nap;
    bool certain = counted / 64 > now->doubt && counted / 64 > then->doubt;
    return certain && !slept && rate > 1e-11 && rate < 1e-6;
}

/* Seconds per count, in any float mode: queries are made before a mode is refused. Volatile keeps the division between
 * the mode changes. */
static double rate_between(const base_moment *then, const base_moment *now)
{
    base_float_mode found = base_float_mode_enter();
    volatile double clock = (double)(now->clock - then->clock), counter = (double)(now->counter - then->counter);
    volatile double rate = 1e-9 * clock / counter;
    base_float_mode_leave(&found);
    return rate;
}

base_watch base_watch_create(const carom_context *context)
{
    const uint64_t long_enough = 40000; /* nanoseconds: a hundred times what the readings take */
    const base_moment *then = &context->created;
    base_watch by_clock = {0.0};
    if (!context->has_counter)
        return by_clock;
    base_moment now = base_moment_now();
    for (int attempt = 0; now.clock - then->clock < long_enough; attempt++)
    {
        if (attempt == 10000) /* the clock stands still */
            return by_clock;
        now = base_moment_now();
    }
    double rate = rate_between(then, &now);
    base_watch by_counter = {rate};
    return rate_is_known(then, &now, rate) ? by_counter : by_clock;
}

uint64_t base_watch_start(const base_watch *watch)
{
#if BASE_HAS_X86
    if (BASE_LIKELY(watch->rate > 0.0))
        return __rdtsc(); /* may be read a little early, which only adds to the time */
#endif
    return watch->rate > 0.0 ? read_counter() : read_clock();
}

double base_watch_read(const base_watch *watch, uint64_t start)
{
    uint64_t now = watch->rate > 0.0 ? read_counter() : read_clock();
    double passed = now > start ? (double)(now - start) : 0.0;
    return passed * (watch->rate > 0.0 ? watch->rate : 1e-9);
}
