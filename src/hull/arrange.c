/* Large inputs are copied in the order of a Morton curve: points that are close in space, which one facet deals with
 * together, are then close in memory. The result does not depend on the order. */
#include "hull/build.h"

typedef struct arranging
{
    const hull_space *space;
    const carom_vec3 *points;
    carom_vec3 origin, scale;
    uint64_t *items;
    carom_vec3 *sites;
    uint32_t *index;
} arranging;

/* Two zero bits between the low 10 bits of a number. */
static uint32_t spread(uint32_t x)
{
    x = (x | x << 16) & 0x030000ff;
    x = (x | x << 8) & 0x0300f00f;
    x = (x | x << 4) & 0x030c30c3;
    return (x | x << 2) & 0x09249249;
}

static uint32_t cell(double at, double origin, double scale)
{
    double position = (at - origin) * scale; /* NaN and infinity where a scale overflowed: any cell will do */
    return position < 1023.0 ? position > 0.0 ? (uint32_t)position : 0 : 1023;
}

static void find_codes(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    const arranging *a = data;
    for (uint32_t i = first; i < last; i++)
    {
        carom_vec3 p = a->points[i];
        uint64_t code = spread(cell(p.x, a->origin.x, a->scale.x)) | spread(cell(p.y, a->origin.y, a->scale.y)) << 1 |
                        spread(cell(p.z, a->origin.z, a->scale.z)) << 2;
        a->items[i] = code << 32 | i;
    }
}

static void copy_points(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)worker;
    const arranging *a = data;
    for (uint32_t i = first; i < last; i++)
    {
        a->index[i] = (uint32_t)a->items[i];
        a->sites[i] = a->points[a->index[i]];
    }
}

carom_status hull_arrange(hull_space *space, carom_vec3 origin)
{
    uint32_t count = space->count;
    if (count < space->tuning.many)
        return CAROM_OK;
    if (!hull_room(space, &space->sites, count) || !hull_room(space, &space->index_of_site, count) ||
        !hull_room(space, &space->keys, count)) /* two words each */
        return hull_no_memory(space->context, count);
    uint64_t *words = (uint64_t *)(void *)space->keys.items;
    carom_vec3 e = space->extent;
    arranging a = {space,
                   space->points,
                   origin,
                   vec3(1024.0 / e.x, 1024.0 / e.y, 1024.0 / e.z),
                   words,
                   space->sites.items,
                   space->index_of_site.items};
    base_parallel_for(space->context, count, HULL_TASK, find_codes, &a);
    base_sort_codes(space->context, words, words + count, count);
    a.items = words + count;
    base_parallel_for(space->context, count, HULL_TASK, copy_points, &a);
    space->points = space->sites.items, space->index = space->index_of_site.items;
    return CAROM_OK;
}
