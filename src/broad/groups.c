/* Groups of eight boxes: memory. */
#include "broad/groups.h"

void broad_groups_free(broad_groups *groups)
{
    for (int level = 0; level < BROAD_LEVELS; level++)
        base_array_free(groups->context, &groups->levels[level]);
    groups->level_count = 0, groups->room = 0;
}

/* A level above the boxes grows when they do, so it needs no room of its own to grow into. */
static bool reserve_level(broad_groups *groups, int level, size_t count)
{
    size_t have = groups->levels[level].capacity;
    if (count <= have)
        return true;
    broad_group *items = base_allocate(groups->context, count, sizeof *items, BASE_CACHE_LINE);
    if (!items)
        return false;
    if (have)
        memcpy(items, groups->levels[level].items, have * sizeof *items);
    base_release(groups->context, groups->levels[level].items, have, sizeof *items);
    groups->levels[level].items = items, groups->levels[level].capacity = count;
    return true;
}

bool broad_groups_reserve(broad_groups *groups, size_t lanes)
{
    size_t count = (lanes + BROAD_LANES - 1) / BROAD_LANES, have = groups->levels[0].count;
    if (count <= groups->room)
        return true;
    if (count > have && !base_array_reserve(groups->context, &groups->levels[0], count - have))
        return false;
    count = groups->levels[0].capacity;
    for (int level = 1; level < BROAD_LEVELS; level++)
    {
        count = (count + BROAD_LANES - 1) / BROAD_LANES;
        if (!reserve_level(groups, level, count))
            return false;
        if (count == 1) /* the highest one */
            break;
    }
    groups->room = groups->levels[0].capacity;
    return true;
}

bool broad_groups_add(broad_groups *groups)
{
    if (groups->levels[0].count == groups->room &&
        !broad_groups_reserve(groups, (groups->levels[0].count + 1) * BROAD_LANES))
        return false;
    broad_group *group = &groups->levels[0].items[groups->levels[0].count++];
    for (uint32_t i = 0; i < BROAD_LANES; i++)
        broad_group_clear(group, i), group->slot[i] = BROAD_NO_SLOT;
    return true;
}
