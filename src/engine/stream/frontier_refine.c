/* The kernel frontier_refine as C. */
#include "engine/stream/frontier.h"

#include "compute/twin.h"

#include "engine/stream/frontier_apart.kernel"

#include "engine/stream/frontier_refine.kernel"

const compute_kernel_def frontier_refine_def = {
    .name = "frontier_refine", .functions = "frontier_apart", .twin = frontier_refine, .buffer_count = 8};
