#include "machine.hpp"

#include <carom/carom.h>
#include <fstream>
#include <sys/utsname.h>
#include <unistd.h>

namespace bench
{
namespace
{

// Linux names an x86 processor in /proc/cpuinfo; elsewhere its kind must do.
std::string processor_name()
{
    std::ifstream file("/proc/cpuinfo");
    for (std::string line; std::getline(file, line);)
    {
        const size_t colon = line.find(": ");
        if (line.rfind("model name", 0) == 0 && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    utsname system;
    return uname(&system) == 0 ? system.machine : "unknown processor";
}

std::string instruction_set()
{
    carom_context *context = nullptr;
    if (carom_context_create(nullptr, &context) != CAROM_OK)
        return "no context";
    const carom_simd simd = carom_context_simd(context);
    carom_context_destroy(context);
    return simd == CAROM_SIMD_AVX2 ? "avx2" : simd == CAROM_SIMD_SSE2 ? "sse2" : "scalar";
}

} // namespace

std::string machine_description()
{
    const long cores = sysconf(_SC_NPROCESSORS_ONLN);
    return processor_name() + ", " + std::to_string(cores) + (cores == 1 ? " core, " : " cores, ") + instruction_set();
}

} // namespace bench
