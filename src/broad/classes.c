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

/* The largest class that does not pair with itself, nor with any of a set, which it is not in. */
static int next_apart(const broad_classes *classes, const uint32_t *counts, uint64_t candidates, uint64_t set)
{
    int largest = -1;
    for (uint64_t left = candidates & ~set; left; left &= left - 1)
    {
        int class = __builtin_ctzll(left);
        if (!(classes->may_pair[class] & (set | (uint64_t)1 << class)) &&
            (largest < 0 || counts[class] > counts[largest]))
            largest = class;
    }
    return largest;
}

/* A set of which no two classes may pair, with more of them. */
static uint64_t grow_set(const broad_classes *classes, const uint32_t *counts, uint64_t candidates, uint64_t set)
{
    for (int class; (class = next_apart(classes, counts, candidates, set)) >= 0;)
        set |= (uint64_t)1 << class;
    return set;
}

static void add_role(broad_roles *roles, const uint32_t *counts, broad_role role, uint64_t set)
{
    for (; set; set &= set - 1)
    {
        int class = __builtin_ctzll(set);
        roles->of[class] = (uint8_t)role;
        roles->counts[role] += counts[class];
    }
}

static bool may_any_pair(const broad_classes *classes, uint64_t set, uint64_t other)
{
    uint64_t partners = 0;
    for (; set; set &= set - 1)
        partners |= classes->may_pair[__builtin_ctzll(set)];
    return partners & other;
}

/* Those of some classes that may pair with none of them. */
static uint64_t idle_among(const broad_classes *classes, uint64_t present)
{
    uint64_t idle = 0;
    for (uint64_t left = present; left; left &= left - 1)
        if (!(classes->may_pair[__builtin_ctzll(left)] & present))
            idle |= left & -left;
    return idle;
}

static void relate_roles(const broad_classes *classes, broad_roles *roles, const uint64_t sets[BROAD_ROLES])
{
    for (broad_role role = 0; role < BROAD_ROLES; role++)
        for (broad_role other = 0; other < BROAD_ROLES; other++)
            if (may_any_pair(classes, sets[role], sets[other]))
            {
                roles->partners[role] |= (uint8_t)(1u << other);
                roles->partner_counts[role] += roles->counts[other];
            }
}

/* Static boxes are passive, however few: there may be any number of them in one place. */
broad_roles broad_classes_roles(const broad_classes *classes, const uint32_t counts[BROAD_MAX_CLASSES])
{
    broad_roles roles = {.of = {[BROAD_NO_CLASS] = BROAD_IDLE}};
    uint64_t present = 0, statics = 0, sets[BROAD_ROLES];
    for (uint32_t i = 0; i < BROAD_MAX_CLASSES; i++)
    {
        present |= (uint64_t)(counts[i] > 0) << i;
        statics |= (uint64_t)classes->traits[i].is_static << i;
    }
    uint64_t idle = idle_among(classes, present), rest = present & ~idle;
    for (uint64_t left = idle; left; left &= left - 1)
        roles.of[__builtin_ctzll(left)] = BROAD_IDLE;
    sets[BROAD_PASSIVE] = grow_set(classes, counts, rest, rest & statics);
    rest &= ~sets[BROAD_PASSIVE];
    sets[BROAD_SELECTIVE] = grow_set(classes, counts, rest, 0);
    sets[BROAD_ACTIVE] = rest & ~sets[BROAD_SELECTIVE];
    for (broad_role role = 0; role < BROAD_ROLES; role++)
        add_role(&roles, counts, role, sets[role]);
    relate_roles(classes, &roles, sets);
    return roles;
}

bool broad_classify(carom_context *context, broad_classes *classes, const broad_input *input,
                    broad_class_list *class_of, broad_roles *roles)
{
    uint32_t counts[BROAD_NO_CLASS + 1] = {0};
    broad_classes_reset(classes);
    class_of->count = 0;
    if (!base_array_reserve(context, class_of, input->slot_count))
        return false;
    for (uint32_t slot = 0; slot < input->slot_count; slot++)
    {
        bool is_empty = broad_is_empty(&input->boxes[slot]);
        uint32_t class = is_empty ? BROAD_NO_CLASS : broad_class_of(classes, &input->traits[slot]);
        class_of->items[slot] = (uint8_t) class;
        counts[class]++;
    }
    class_of->count = input->slot_count;
    *roles = broad_classes_roles(classes, counts);
    return true;
}
