/* Classes of traits, and which of them have to search. */
#include "broad/classes.h"

void broad_classes_reset(broad_classes *classes)
{
    const uint64_t others = (uint64_t)1 << BROAD_CLASS_OTHER | (uint64_t)1 << BROAD_CLASS_OTHER_STATIC;
    memset(classes, 0, sizeof *classes);
    for (int i = 0; i < BROAD_MAX_CLASSES; i++)
        classes->ask[i] = i < BROAD_CLASS_OTHER ? others : ~(uint64_t)0;
}

static bool may_pair(const broad_traits *a, const broad_traits *b)
{
    return !(a->is_static && b->is_static) && broad_filter_allows(&a->filter, &b->filter);
}

/* Those without traits yet have no category, so they pair with nothing. */
static void relate(broad_classes *classes, uint32_t own)
{
    for (uint32_t i = 0; i < BROAD_MAX_CLASSES; i++)
        if (may_pair(&classes->traits[i], &classes->traits[own]))
        {
            classes->may_pair[i] |= (uint64_t)1 << own;
            classes->may_pair[own] |= (uint64_t)1 << i;
        }
}

/* What there is no room for may pair if the bits of all that belongs there say so. */
static uint32_t join_others(broad_classes *classes, const broad_traits *traits)
{
    uint32_t own = traits->is_static ? BROAD_CLASS_OTHER_STATIC : BROAD_CLASS_OTHER;
    carom_filter *all = &classes->traits[own].filter;
    if ((traits->filter.category & ~all->category) || (traits->filter.mask & ~all->mask))
    {
        all->category |= traits->filter.category, all->mask |= traits->filter.mask;
        classes->traits[own].is_static = traits->is_static;
        relate(classes, own);
    }
    return own;
}

uint32_t broad_class_of(broad_classes *classes, const broad_traits *traits)
{
    uint32_t own = 0;
    while (own < classes->count && !broad_same_class(&classes->traits[own], traits))
        own++;
    if (own < classes->count)
        return own;
    if (own == BROAD_CLASS_OTHER)
        return join_others(classes, traits);
    classes->traits[classes->count++] = *traits;
    relate(classes, own);
    return own;
}

/* ---- roles ---- */

/* The largest class that is not idle, does not pair with itself, and pairs with none of some others. */
static int next_passive(const broad_classes *classes, const uint32_t *counts, uint64_t candidates, uint64_t passive)
{
    int largest = -1;
    for (uint64_t left = candidates & ~passive; left; left &= left - 1)
    {
        int class = __builtin_ctzll(left);
        if (!(classes->may_pair[class] & (passive | (uint64_t)1 << class)) &&
            (largest < 0 || counts[class] > counts[largest]))
            largest = class;
    }
    return largest;
}

broad_roles broad_classes_roles(const broad_classes *classes, const uint32_t counts[BROAD_MAX_CLASSES])
{
    broad_roles roles;
    uint64_t present = 0, idle = 0, passive = 0;
    for (int i = 0; i < BROAD_MAX_CLASSES; i++)
        present |= (uint64_t)(counts[i] > 0) << i;
    for (uint64_t left = present; left; left &= left - 1)
        if (!(classes->may_pair[__builtin_ctzll(left)] & present))
            idle |= left & -left;
    for (int class; (class = next_passive(classes, counts, present & ~idle, passive)) >= 0;)
        passive |= (uint64_t)1 << class;
    for (int i = 0; i < BROAD_MAX_CLASSES; i++)
        roles.of[i] = passive >> i & 1 ? BROAD_PASSIVE : idle >> i & 1 ? BROAD_IDLE : BROAD_ACTIVE;
    roles.of[BROAD_NO_CLASS] = BROAD_IDLE;
    return roles;
}
