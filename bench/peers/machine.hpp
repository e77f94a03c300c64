// machine.hpp: what the figures were measured on.
#pragma once

#include <string>

namespace bench
{

// "Intel(R) Xeon(R) CPU @ 2.20GHz, 4 cores, avx2": the processor's name, the cores in use by the system, and the
// instruction set that Carom's contexts choose here.
std::string machine_description();

} // namespace bench
