/* The kernel mipmap_parents as C. */
#include "engine/geoimage/mipmap.h"

#include "compute/twin.h"

#include "engine/geoimage/mipmap_parents.kernel"

const compute_kernel_def mipmap_parents_def = {.name = "mipmap_parents", .twin = mipmap_parents, .buffer_count = 2};
