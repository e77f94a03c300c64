/* Classes of traits. */
#include "broad/classes.h"

void broad_classes_reset(broad_classes *classes)
{
    memset(classes, 0, sizeof *classes);
    for (int i = 0; i < BROAD_MAX_CLASSES; i++)
    {
        classes->may_pair[i] = classes->ask[i] = (uint64_t)1 << BROAD_CLASS_OTHER;
        if (i == BROAD_CLASS_OTHER)
            classes->may_pair[i] = classes->ask[i] = ~(uint64_t)0;
    }
}

static bool may_pair(const broad_traits *a, const broad_traits *b)
{
    return !(a->is_static && b->is_static) && broad_filter_allows(&a->filter, &b->filter);
}

uint32_t broad_class_of(broad_classes *classes, const broad_traits *traits)
{
    uint32_t own = 0;
    while (own < classes->count && !broad_same_class(&classes->traits[own], traits))
        own++;
    if (own < classes->count || own == BROAD_CLASS_OTHER)
        return own;
    classes->traits[classes->count++] = *traits;
    for (uint32_t i = 0; i <= own; i++)
        if (may_pair(&classes->traits[i], traits))
        {
            classes->may_pair[i] |= (uint64_t)1 << own;
            classes->may_pair[own] |= (uint64_t)1 << i;
        }
    return own;
}
