/* classes: what traits have in common. Few bodies differ in their filters, so one bit says whether two boxes may pair.
 */
#ifndef BROAD_CLASSES_H
#define BROAD_CLASSES_H

#include "broad/broad.h"

enum
{
    BROAD_MAX_CLASSES = 64,
    BROAD_CLASS_OTHER = BROAD_MAX_CLASSES - 2, /* all that there is no room for: ask the traits */
    BROAD_CLASS_OTHER_STATIC,                  /* the static ones among these */
    BROAD_NO_CLASS                             /* of an empty box */
};

typedef struct broad_classes
{
    uint32_t count;
    broad_traits traits[BROAD_MAX_CLASSES]; /* owners do not matter; of the others, all bits that any of them has */
    uint64_t may_pair[BROAD_MAX_CLASSES];   /* by class: bits of those it may pair with, if only some of its boxes */
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

/* Whether boxes of a class look for others. Were there any in one place, all that look would be tested with all, so
 * those that find nothing should not be among them. */
typedef enum broad_role
{
    BROAD_ACTIVE,  /* they are tested with each other and with the passive ones */
    BROAD_PASSIVE, /* no two of them may pair: the static ones as a rule, but also those of any filters like that */
    BROAD_IDLE     /* they may pair with nothing that is there */
} broad_role;

typedef struct broad_roles
{
    uint8_t of[BROAD_NO_CLASS + 1]; /* by class */
} broad_roles;

/* counts: boxes by class. As many as possible are idle, then passive. */
broad_roles broad_classes_roles(const broad_classes *classes, const uint32_t counts[BROAD_MAX_CLASSES]);

#endif
