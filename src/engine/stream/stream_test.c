/* The kernel stream_test as C. */
#include "engine/stream/stream.h"

#include "compute/twin.h"

#include "engine/stream/stream_test.kernel"

const compute_kernel_def stream_test_def = {.name = "stream_test", .twin = stream_test, .buffer_count = 7};
