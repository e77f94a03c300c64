/* The kernel mipmap_descend as C. */
#include "engine/geoimage/mipmap.h"

#include "compute/twin.h"

#include "engine/stream/frontier_apart.kernel"

#include "engine/geoimage/mipmap_descend.kernel"

const compute_kernel_def mipmap_descend_def = {
    .name = "mipmap_descend", .functions = "frontier_apart", .twin = mipmap_descend, .buffer_count = 8};
