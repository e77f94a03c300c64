/* Describes the thread's float mode in words, and sets it, slowly, where there is no MXCSR. */
#ifdef __linux__
#define _GNU_SOURCE /* fegetexcept. NOLINT(bugprone-reserved-identifier): the system's own word */
#endif
#include "base/base.h"

#if BASE_HAS_MXCSR
static bool rounds_to_nearest(void) { return (__builtin_ia32_stmxcsr() & 0x6000u) == 0; }
static bool keeps_denormals(void) { return (__builtin_ia32_stmxcsr() & 0x8040u) == 0; }
static bool traps(void) { return (__builtin_ia32_stmxcsr() & 0x1f80u) != 0x1f80u; }
#else
static bool rounds_to_nearest(void) { return fegetround() == FE_TONEAREST; }

static bool traps(void)
{
#ifdef __GLIBC__
    return fegetexcept() != 0;
#else
    return false;
#endif
}

/* Finds out by computing with a denormal; not while exceptions are trapped. */
static bool keeps_denormals(void)
{
    static const volatile double smallest = 0x1p-1074;
    double value = smallest;
    return value + value > 0.0;
}

bool base_float_mode_is_right(void) { return rounds_to_nearest() && !traps() && keeps_denormals(); }

base_float_mode base_float_mode_enter(void)
{
    base_float_mode found;
    fegetenv(&found.environment);
    fesetenv(FE_DFL_ENV);
    return found;
}

void base_float_mode_leave(const base_float_mode *found) { fesetenv(&found->environment); }
#endif

carom_status base_refuse_float_mode(carom_context *context)
{
    bool trapping = traps();
    bool flushing = !(trapping && !BASE_HAS_MXCSR) && !keeps_denormals();
    return base_fail(context, CAROM_FLOAT_MODE,
                     "this thread's floating-point mode: rounding %s, denormals %s, traps %s",
                     rounds_to_nearest() ? "to nearest" : "other than to nearest",
                     flushing ? "flushed to zero" : "kept", trapping ? "on" : "off");
}
