/* Devices as engines open them, made worse by a test: the linker sends gpu_open and gpu_close here
 * (test/CMakeLists.txt) in tests that include this header. */
#ifndef TEST_GPU_WRAP_H
#define TEST_GPU_WRAP_H

#include "gpu/gpu.h"

#include <stdatomic.h>

/* Set between frames; devices that are opened from then on follow. */
typedef struct gpu_wrap
{
    carom_gpu_limits limits; /* 0: the driver's */
    bool hooked;             /* through support/gpu_hooks.h: one thread at a time */
    bool refuse;             /* no driver from now on */
    /* what was seen */
    atomic_uint opened, refused, closed;
    atomic_uint errors; /* in the debug output of devices that were closed */
    char first_error[256];
} gpu_wrap;

extern gpu_wrap wrap;

/* Forgets all of it. */
void gpu_wrap_reset(void);
/* Asserts that all devices were closed, and that none had an error in its debug output. */
void gpu_wrap_check(void);

#endif
