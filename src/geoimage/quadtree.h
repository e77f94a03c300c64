/* The versions of quadtree_simd.c for each instruction set. */
#ifndef GEOIMAGE_QUADTREE_H
#define GEOIMAGE_QUADTREE_H

#include "geoimage/geoimage.h"

BASE_DECLARE_ISA(void, geoimage_normalise_points,
                 (const math_frame *frame, const carom_vec3 *points, size_t count, float *out));
BASE_DECLARE_ISA(void, geoimage_fit_cells,
                 (const geoimage_levels *levels, const float *points, uint32_t row, float *nodes));
BASE_DECLARE_ISA(void, geoimage_fit_parents,
                 (const geoimage_levels *levels, uint32_t below, uint32_t row, float *nodes));

#endif
