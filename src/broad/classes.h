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

/* Which boxes a box is tested with. In a crowd, boxes of one role are all tested with each other if any two of them may
 * pair, so most should be where none may. */
typedef enum broad_role
{
    BROAD_ACTIVE,            /* the others */
    BROAD_SELECTIVE,         /* no two of them may pair, but as a rule some with passive ones */
    BROAD_PASSIVE,           /* no two of them may pair, either: the static ones, and those of any filters like that */
    BROAD_IDLE,              /* they may pair with nothing that is there */
    BROAD_ROLES = BROAD_IDLE /* of boxes that are tested */
} broad_role;

typedef struct broad_roles
{
    uint8_t of[BROAD_NO_CLASS + 1];       /* by class */
    uint8_t partners[BROAD_ROLES];        /* by role: bits of those that some of its boxes may pair with */
    uint32_t counts[BROAD_ROLES];         /* boxes by role */
    uint32_t partner_counts[BROAD_ROLES]; /* by role: boxes of all its partners */
} broad_roles;

/* counts: boxes by class. As many as possible are idle. */
broad_roles broad_classes_roles(const broad_classes *classes, const uint32_t counts[BROAD_MAX_CLASSES]);

static inline bool broad_roles_pair(const broad_roles *roles, broad_role one, broad_role other)
{
    return roles->partners[one] >> other & 1;
}

/* The class of each slot. */
typedef BASE_ARRAY(uint8_t) broad_class_list;

/* Finds the classes of all boxes, and their roles. False when out of memory. */
bool broad_classify(carom_context *context, broad_classes *classes, const broad_input *input,
                    broad_class_list *class_of, broad_roles *roles);

#endif
