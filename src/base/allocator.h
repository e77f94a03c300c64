/* The allocator of contexts that bring none. */
#ifndef CAROM_BASE_ALLOCATOR_H
#define CAROM_BASE_ALLOCATOR_H

#include "base/base.h"

/* The address sanitizer must see every release. */
#if defined(__SANITIZE_ADDRESS__)
#define BASE_KEEPS_SPARE 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BASE_KEEPS_SPARE 0
#endif
#endif
#ifndef BASE_KEEPS_SPARE
#define BASE_KEEPS_SPARE 1
#endif

carom_allocator base_default_allocator(void);

/* A context's spare blocks, which its allocator uses from base_spare_begin on if it is the default one. Before
 * base_spare_end, everything but the context itself has been released. */
void base_spare_begin(carom_allocator *allocator, base_spare *spare);
void base_spare_end(base_spare *spare);

#endif
