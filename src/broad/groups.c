/* Groups of eight boxes: memory. */
#include "broad/groups.h"

void broad_groups_free(broad_groups *groups)
{
    for (int level = 0; level < BROAD_LEVELS; level++)
        base_array_free(groups->context, &groups->levels[level]);
    groups->level_count = 0, groups->room = 0;
}

bool broad_groups_reserve(broad_groups *groups, size_t lanes)
{
    size_t count = (lanes + BROAD_LANES - 1) / BROAD_LANES;
    if (count <= groups->room)
        return true;
    for (int level = 0; level < BROAD_LEVELS; level++, count = (count + BROAD_LANES - 1) / BROAD_LANES)
    {
        size_t have = groups->levels[level].count;
        if (count > have && !base_array_reserve(groups->context, &groups->levels[level], count - have))
            return false;
        if (level == 0)
            count = groups->levels[0].capacity;
        else if (count == 1) /* the highest one */
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
