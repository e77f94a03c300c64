/* The processor's name, its cores and the instruction set in use. */
#include "bench/machine.h"

#include "carom/base.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

/* Linux names an x86 processor in /proc/cpuinfo. */
static bool read_model_name(char out[MACHINE_TEXT_SIZE])
{
    FILE *file = fopen("/proc/cpuinfo", "r");
    char line[MACHINE_TEXT_SIZE];
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file))
    {
        const char *colon = strstr(line, ": ");
        found = colon && strncmp(line, "model name", strlen("model name")) == 0;
        if (found)
            snprintf(out, MACHINE_TEXT_SIZE, "%.*s", (int)strcspn(colon + 2, "\n"), colon + 2);
    }
    if (file)
        fclose(file);
    return found;
}

static const char *instruction_set(void)
{
    carom_context *context = NULL;
    if (carom_context_create(NULL, &context) != CAROM_OK)
        return "no context";
    carom_simd simd = carom_context_simd(context);
    carom_context_destroy(context);
    return simd == CAROM_SIMD_AVX2 ? "avx2" : simd == CAROM_SIMD_SSE2 ? "sse2" : "scalar";
}

unsigned machine_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return cores > 1 ? (unsigned)cores : 1;
}

void machine_describe(char out[MACHINE_TEXT_SIZE])
{
    char name[MACHINE_TEXT_SIZE];
    struct utsname system;
    if (!read_model_name(name)) /* elsewhere its kind must do */
        snprintf(name, sizeof name, "%s", uname(&system) == 0 ? system.machine : "unknown processor");
    unsigned cores = machine_cores();
    snprintf(out, MACHINE_TEXT_SIZE, "%.180s, %u core%s, %s", name, cores, cores == 1 ? "" : "s", instruction_set());
}
