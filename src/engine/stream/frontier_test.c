/* The kernel frontier_test as C. */
#include "engine/stream/frontier.h"

#include "compute/twin.h"

#include "engine/stream/frontier_triangles.kernel"

#include "engine/stream/frontier_test.kernel"

const compute_kernel_def frontier_test_def = {
    .name = "frontier_test", .functions = "frontier_triangles", .twin = frontier_test, .buffer_count = 7};
