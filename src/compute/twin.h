/* What makes a kernel C: include this, then the file *.kernel. Each kernel becomes a compute_twin_fn of its name. */
#ifndef COMPUTE_TWIN_H
#define COMPUTE_TWIN_H

#include "compute/compute.h"

#include <math.h>

typedef uint32_t compute_uint;
#define uint compute_uint

#define KERNEL(name)                                                                                                   \
    static void name(void *const *buffers, uint32_t argument, uint32_t item, uint32_t items)                           \
    {
#define BUFFER0(type, name) type *name = buffers[0]
#define BUFFER1(type, name) type *name = buffers[1]
#define BUFFER2(type, name) type *name = buffers[2]
#define BUFFER3(type, name) type *name = buffers[3]
#define BUFFER4(type, name) type *name = buffers[4]
#define BUFFER5(type, name) type *name = buffers[5]
#define BUFFER6(type, name) type *name = buffers[6]
#define BUFFER7(type, name) type *name = buffers[7]
#define NEXT                ;
#define BODY                ;
#define END                 }
#define ARGUMENT            argument
#define ITEM                item
#define ITEMS               items
#define ADD(place, value)   __atomic_fetch_add(&(place), (value), __ATOMIC_RELAXED)
#define STRUCT(name)                                                                                                   \
    typedef struct                                                                                                     \
    {
/* NOLINTBEGIN(bugprone-macro-parentheses): a name can't have any */
#define STRUCT_END(name)                                                                                               \
    }                                                                                                                  \
    name;
/* NOLINTEND(bugprone-macro-parentheses) */
#define FUNCTION static inline
#define PRECISE
#define ABS(x)        fabsf(x)
#define LARGER(x, y)  ((x) > (y) ? (x) : (y))
#define SMALLER(x, y) ((x) < (y) ? (x) : (y))

#endif
