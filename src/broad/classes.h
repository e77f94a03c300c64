/* classes: what traits have in common. Few bodies differ in their filters, so one bit says whether two boxes may pair.
 */
#ifndef BROAD_CLASSES_H
#define BROAD_CLASSES_H

#include "broad/broad.h"

enum
{
    BROAD_MAX_CLASSES = 64,
    BROAD_CLASS_OTHER = BROAD_MAX_CLASSES - 1 /* all that there is no room for: ask the traits */
};

typedef struct broad_classes
{
    uint32_t count;
    broad_traits traits[BROAD_MAX_CLASSES]; /* owners do not matter */
    uint64_t may_pair[BROAD_MAX_CLASSES];   /* by class: bits of those it may pair with */
    uint64_t ask[BROAD_MAX_CLASSES];        /* by class: bits of those where the traits decide */
} broad_classes;

void broad_classes_reset(broad_classes *classes);

static inline bool broad_same_class(const broad_traits *a, const broad_traits *b)
{
    return a->is_static == b->is_static && a->filter.category == b->filter.category &&
           a->filter.mask == b->filter.mask && a->filter.group == b->filter.group;
}

/* Is this the class of the traits? */
static inline bool broad_has_class(const broad_classes *classes, uint32_t class, const broad_traits *traits)
{
    return class < classes->count && broad_same_class(&classes->traits[class], traits);
}

uint32_t broad_class_of(broad_classes *classes, const broad_traits *traits);

#endif
