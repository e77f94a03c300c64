/* The growth of all patches of a surface. Private to this folder. */
#ifndef CONVEX_GROW_H
#define CONVEX_GROW_H

#include "convex/surface.h"

/* Sets the piece of every triangle: the seed of its patch. */
carom_status patches_grow(convex_surface *surface);

/* Makes a component, given as all its triangles, one piece if that is possible and easy to tell. */
carom_status patches_take_whole(convex_surface *surface, const uint32_t *triangles, uint32_t count, bool *taken);

#endif
