/* The kernel mipmap_list as C. */
#include "engine/geoimage/mipmap.h"

#include "compute/twin.h"

#include "engine/geoimage/mipmap_list.kernel"

const compute_kernel_def mipmap_list_def = {.name = "mipmap_list", .twin = mipmap_list, .buffer_count = 7};
