/* The kernel mipmap_test as C. */
#include "engine/geoimage/mipmap.h"

#include "compute/twin.h"

#include "engine/stream/frontier_triangles.kernel"

#include "engine/geoimage/mipmap_test.kernel"

const compute_kernel_def mipmap_test_def = {
    .name = "mipmap_test", .functions = "frontier_triangles", .twin = mipmap_test, .buffer_count = 8};
