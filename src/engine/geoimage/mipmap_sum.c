/* The kernel mipmap_sum as C. */
#include "engine/geoimage/mipmap.h"

#include "compute/twin.h"

#include "engine/geoimage/mipmap_sum.kernel"

const compute_kernel_def mipmap_sum_def = {.name = "mipmap_sum", .twin = mipmap_sum, .buffer_count = 2};
