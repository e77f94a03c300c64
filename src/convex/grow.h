/* The growth of all patches of a surface. Private to this folder. */
#ifndef CONVEX_GROW_H
#define CONVEX_GROW_H

#include "convex/surface.h"

/* Sets the piece of every triangle: the seed of its patch. */
carom_status patches_grow(convex_surface *surface);

#endif
