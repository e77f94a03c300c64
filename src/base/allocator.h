/* The allocator of contexts that bring none. */
#ifndef CAROM_BASE_ALLOCATOR_H
#define CAROM_BASE_ALLOCATOR_H

#include "base/base.h"

carom_allocator base_default_allocator(void);

/* A context's spare blocks, which its allocator uses from base_spare_begin on if it is the default one. Before
 * base_spare_end, everything but the context itself has been released. */
void base_spare_begin(carom_allocator *allocator, base_spare *spare);
void base_spare_end(base_spare *spare);

#endif
