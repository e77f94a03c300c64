/* The table of broad phases. */
#include "broad/broad.h"

static const broad_kind *const KINDS[] = {&broad_auto,   &broad_tree,  &broad_sweep,        &broad_sweep3,
                                          &broad_grid,   &broad_hash,  &broad_hierarchical, &broad_dynamic,
                                          &broad_octree, &broad_brute, &broad_all};

const broad_kind *broad_find(uint32_t index) { return index < sizeof KINDS / sizeof KINDS[0] ? KINDS[index] : NULL; }

const broad_kind *broad_find_name(const char *name)
{
    for (uint32_t i = 0; broad_find(i); i++)
        if (strcmp(broad_find(i)->info.name, name) == 0)
            return broad_find(i);
    return NULL;
}

const carom_broad_info *carom_broad_list(uint32_t index)
{
    const broad_kind *kind = broad_find(index);
    return kind ? &kind->info : NULL;
}
