/* The meshes on a device: points and tables are uploaded once, and again when a mesh was deformed; boxes are made
 * there, level by level. */
#include "engine/geoimage/mipmap.h"

enum
{
    FIRST_ROOM = 1024 /* nodes, points, words, pairs */
};

static const size_t SIZES[MIPMAP_STORES] = {GEOIMAGE_NODE * sizeof(float), GEOIMAGE_POINT * sizeof(float),
                                            sizeof(uint32_t)};
static const char *const NAMES[MIPMAP_STORES] = {"nodes", "points", "words of tables"};

static void count_stores(const mipmap_asset *asset, uint32_t out[MIPMAP_STORES])
{
    out[MIPMAP_NODES] = geoimage_node_count(&asset->levels);
    out[MIPMAP_POINTS] = asset->point_count;
    out[MIPMAP_TABLES] = asset->table_size;
}

/* ---- slots ---- */

static size_t find_slot(const mipmap_runner *runner, uint64_t serial)
{
    size_t low = 0, high = runner->slots.count;
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        if (runner->slots.items[middle].serial < serial)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static mipmap_slot *slot_of(const mipmap_runner *runner, const mipmap_asset *asset)
{
    size_t at = find_slot(runner, asset->serial);
    bool found = at < runner->slots.count && runner->slots.items[at].serial == asset->serial;
    return found ? &runner->slots.items[at] : NULL;
}

const mipmap_slot *mipmap_slot_of(const mipmap_runner *runner, const mipmap_asset *asset)
{
    return slot_of(runner, asset);
}

static void insert_slot(mipmap_runner *runner, const mipmap_slot *slot)
{
    size_t at = find_slot(runner, slot->serial);
    mipmap_slot *items = runner->slots.items;
    memmove(items + at + 1, items + at, (runner->slots.count - at) * sizeof *items);
    items[at] = *slot;
    runner->slots.count++;
}

/* Takes a slot of an earlier job with room for exactly this mesh: that of a body before it was deformed. */
static bool take_slot(mipmap_runner *runner, const uint32_t counts[MIPMAP_STORES], mipmap_slot *out)
{
    for (size_t i = 0; i < runner->slots.count; i++)
    {
        mipmap_slot *slot = &runner->slots.items[i];
        if (slot->used == runner->job || memcmp(slot->count, counts, sizeof slot->count) != 0)
            continue;
        *out = *slot;
        memmove(slot, slot + 1, (runner->slots.count - i - 1) * sizeof *slot);
        runner->slots.count--;
        return true;
    }
    return false;
}

/* ---- one mesh ---- */

static carom_status upload(mipmap_runner *runner, const mipmap_asset *asset, const mipmap_slot *slot)
{
    const uint32_t first[2] = {slot->first[MIPMAP_NODES], slot->first[MIPMAP_POINTS]};
    size_t table = slot->first[MIPMAP_TABLES];
    compute_buffer *stores = runner->stores;
    runner->stats.uploads++;
    BASE_TRY(compute_write(runner->device, &stores[MIPMAP_POINTS], SIZES[MIPMAP_POINTS] * slot->first[MIPMAP_POINTS],
                           asset->points, SIZES[MIPMAP_POINTS] * asset->point_count));
    BASE_TRY(compute_write(runner->device, &stores[MIPMAP_TABLES], sizeof(uint32_t) * table, asset->table,
                           sizeof(uint32_t) * asset->table_size));
    return compute_write(runner->device, &stores[MIPMAP_TABLES], sizeof(uint32_t) * (table + MIPMAP_FIRST_NODE), first,
                         sizeof first);
}

static carom_status make_boxes(mipmap_runner *runner, const mipmap_asset *asset, const mipmap_slot *slot)
{
    compute_buffer *stores = runner->stores;
    compute_buffer *const cells[] = {&stores[MIPMAP_POINTS], &stores[MIPMAP_TABLES], &stores[MIPMAP_NODES]};
    compute_buffer *const parents[] = {&stores[MIPMAP_TABLES], &stores[MIPMAP_NODES]};
    const geoimage_levels *levels = &asset->levels;
    uint32_t table = slot->first[MIPMAP_TABLES];
    BASE_TRY(mipmap_dispatch(runner, MIPMAP_CELLS_KERNEL, cells, table,
                             (levels->columns + 1) / 2 * ((levels->rows + 1) / 2)));
    for (uint32_t level = 2; level < levels->count; level++)
        BASE_TRY(mipmap_dispatch(runner, MIPMAP_PARENTS_KERNEL, parents, table + level,
                                 levels->first[level + 1] - levels->first[level]));
    return CAROM_OK;
}

/* CAROM_TOO_LARGE without a message: there is no room; nothing has changed. */
static carom_status add_mesh(mipmap_runner *runner, const mipmap_asset *asset)
{
    mipmap_slot slot = {0};
    uint32_t counts[MIPMAP_STORES];
    count_stores(asset, counts);
    if (!base_array_reserve(runner->context, &runner->slots, 1))
        return mipmap_out_of_memory(runner->context);
    if (!take_slot(runner, counts, &slot))
    {
        for (int i = 0; i < MIPMAP_STORES; i++)
            if (runner->rooms[i] - runner->ends[i] < counts[i])
                return CAROM_TOO_LARGE;
        memcpy(slot.first, runner->ends, sizeof slot.first);
        memcpy(slot.count, counts, sizeof slot.count);
        for (int i = 0; i < MIPMAP_STORES; i++)
            runner->ends[i] += counts[i];
    }
    slot.serial = asset->serial, slot.used = runner->job;
    BASE_TRY(upload(runner, asset, &slot));
    BASE_TRY(mipmap_end_stage(runner, &runner->stats.upload_seconds));
    BASE_TRY(make_boxes(runner, asset, &slot));
    insert_slot(runner, &slot);
    return mipmap_end_stage(runner, &runner->stats.mipmap_seconds);
}

/* ---- all of a job ---- */

static const mipmap_asset *asset_at(const mipmap_pair *pairs, uint32_t i)
{
    return i % 2 ? pairs[i / 2].b : pairs[i / 2].a;
}

static carom_status see_meshes(mipmap_runner *runner, const mipmap_pair *pairs, uint32_t count)
{
    /* those that are there first: what is left over can be reused */
    for (uint32_t i = 0; i < 2 * count; i++)
    {
        mipmap_slot *slot = slot_of(runner, asset_at(pairs, i));
        if (slot)
            slot->used = runner->job;
    }
    for (uint32_t i = 0; i < 2 * count; i++)
    {
        carom_status status = slot_of(runner, asset_at(pairs, i)) ? CAROM_OK : add_mesh(runner, asset_at(pairs, i));
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

/* Room for so much, and as much again; less where the device does not allow it. */
static carom_status make_room(mipmap_runner *runner, const uint64_t counts[MIPMAP_STORES])
{
    uint64_t bytes = compute_info(runner->device)->buffer_size;
    runner->slots.count = 0;
    for (int i = 0; i < MIPMAP_STORES; i++)
    {
        uint64_t room = 2 * counts[i] + FIRST_ROOM, max = bytes / SIZES[i];
        max = max < UINT32_MAX ? max : UINT32_MAX;
        room = room < max ? room : max;
        if (counts[i] > room)
            return base_fail(runner->context, CAROM_TOO_LARGE,
                             "engine geoimage: %llu %s do not fit a buffer of %llu bytes",
                             (unsigned long long)counts[i], NAMES[i], (unsigned long long)bytes);
        runner->ends[i] = runner->rooms[i] = 0;
        BASE_TRY(mipmap_remake(runner, &runner->stores[i], room, SIZES[i]));
        runner->rooms[i] = (uint32_t)room;
    }
    return CAROM_OK;
}

/* All at once into larger buffers. */
static carom_status reload(mipmap_runner *runner, const mipmap_pair *pairs, uint32_t count)
{
    uint64_t sums[MIPMAP_STORES] = {0};
    runner->slots.count = 0;
    for (uint32_t i = 0; i < 2 * count; i++)
    {
        const mipmap_asset *asset = asset_at(pairs, i);
        uint32_t counts[MIPMAP_STORES];
        if (slot_of(runner, asset))
            continue;
        if (!base_array_reserve(runner->context, &runner->slots, 1))
            return mipmap_out_of_memory(runner->context);
        insert_slot(runner, &(mipmap_slot){.serial = asset->serial});
        count_stores(asset, counts);
        for (int k = 0; k < MIPMAP_STORES; k++)
            sums[k] += counts[k];
    }
    BASE_TRY(make_room(runner, sums));
    return see_meshes(runner, pairs, count);
}

static carom_status upload_pairs(mipmap_runner *runner, const mipmap_pair *pairs, const float *places, uint32_t count)
{
    const size_t size = FRONTIER_PLACE * sizeof(float);
    if (count > runner->pair_room)
    {
        uint64_t room = (uint64_t)count + count / 2 + FIRST_ROOM, bytes = compute_info(runner->device)->buffer_size;
        room = room < bytes / size ? room : bytes / size;
        if (room < count)
            return base_fail(runner->context, CAROM_TOO_LARGE,
                             "engine geoimage: %u pairs do not fit a buffer of %llu bytes", count,
                             (unsigned long long)bytes);
        runner->pair_room = 0;
        BASE_TRY(mipmap_remake(runner, &runner->poses, room, size));
        BASE_TRY(mipmap_remake(runner, &runner->bases, room, 2 * sizeof(uint32_t)));
        runner->pair_room = (uint32_t)room;
    }
    uint32_t(*bases)[2] = base_allocate(runner->context, count, sizeof *bases, BASE_CACHE_LINE);
    if (!bases)
        return mipmap_out_of_memory(runner->context);
    for (uint32_t i = 0; i < count; i++)
    {
        bases[i][0] = slot_of(runner, pairs[i].a)->first[MIPMAP_TABLES];
        bases[i][1] = slot_of(runner, pairs[i].b)->first[MIPMAP_TABLES];
    }
    carom_status status = compute_write(runner->device, &runner->bases, 0, bases, count * sizeof *bases);
    base_release(runner->context, bases, count, sizeof *bases);
    BASE_TRY(status);
    return compute_write(runner->device, &runner->poses, 0, places, count * size);
}

carom_status mipmap_runner_load(mipmap_runner *runner, const mipmap_pair *pairs, const float *places, uint32_t count)
{
    runner->clock = base_now();
    runner->job++;
    if (runner->beam == 0)
        BASE_TRY(mipmap_runner_grow(runner, 0));
    carom_status status = see_meshes(runner, pairs, count);
    if (status == CAROM_TOO_LARGE)
        status = reload(runner, pairs, count);
    BASE_TRY(status);
    BASE_TRY(upload_pairs(runner, pairs, places, count));
    return mipmap_end_stage(runner, &runner->stats.upload_seconds);
}
