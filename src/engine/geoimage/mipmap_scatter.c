/* The kernel mipmap_scatter as C. */
#include "engine/geoimage/mipmap.h"

#include "compute/twin.h"

#include "engine/geoimage/mipmap_scatter.kernel"

const compute_kernel_def mipmap_scatter_def = {.name = "mipmap_scatter", .twin = mipmap_scatter, .buffer_count = 6};
