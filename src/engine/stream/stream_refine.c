/* The kernel stream_refine as C. */
#include "engine/stream/stream.h"

#include "compute/twin.h"

#include "engine/stream/stream_refine.kernel"

const compute_kernel_def stream_refine_def = {.name = "stream_refine", .twin = stream_refine, .buffer_count = 8};
