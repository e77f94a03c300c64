/* The kernel mipmap_cells as C. */
#include "engine/geoimage/mipmap.h"

#include "compute/twin.h"

#include "engine/geoimage/mipmap_cells.kernel"

const compute_kernel_def mipmap_cells_def = {.name = "mipmap_cells", .twin = mipmap_cells, .buffer_count = 3};
