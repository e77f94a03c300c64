/* machine.h: what figures were measured on, for every bench in C or C++. */
#ifndef BENCH_MACHINE_H
#define BENCH_MACHINE_H

#include <stddef.h>

#ifdef __cplusplus
extern "C"
{
#endif

    enum
    {
        MACHINE_TEXT_SIZE = 256
    };

    /* "Intel(R) Xeon(R) CPU @ 2.20GHz, 4 cores, avx2": the processor's name, the cores in use by the system, and the
     * instruction set that Carom's contexts choose here. */
    void machine_describe(char out[MACHINE_TEXT_SIZE]);

    unsigned machine_cores(void); /* at least 1 */

#ifdef __cplusplus
}
#endif

#endif
