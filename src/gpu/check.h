/* The checks of this folder, and what they share: a canvas of triangles in pixels. */
#ifndef GPU_CHECK_H
#define GPU_CHECK_H

#include "gpu/gpu.h"

carom_status check_clear(gpu_device *device, gpu_check_result *result);

#endif
