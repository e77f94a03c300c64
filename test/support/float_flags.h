/* What the processor noted about floating point: denormal operands and inexact results below the smallest normal
 * number. Both cost more than a hundred cycles each on some processors. */
#ifndef SUPPORT_FLOAT_FLAGS_H
#define SUPPORT_FLOAT_FLAGS_H

#include "base/base.h"

#if BASE_HAS_X86
#include <xmmintrin.h>

enum
{
    FLOAT_DENORMAL = 1 << 1,
    FLOAT_UNDERFLOW = 1 << 4,
    FLOAT_SLOW = FLOAT_DENORMAL | FLOAT_UNDERFLOW
};

static inline void float_flags_clear(void) { _mm_setcsr(_mm_getcsr() & ~(unsigned)FLOAT_SLOW); }

static inline unsigned float_flags_raised(void) { return _mm_getcsr() & FLOAT_SLOW; }
#endif

#endif
