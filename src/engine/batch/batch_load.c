/* The meshes and pairs of a job on a device: a mesh is uploaded once, and again when it was deformed. */
#include "engine/batch/batch.h"

/* ---- slots ---- */

static size_t find_slot(const batch_runner *runner, uint64_t serial)
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

static batch_slot *slot_of(const batch_runner *runner, const batch_model *model)
{
    size_t at = find_slot(runner, model->serial);
    bool found = at < runner->slots.count && runner->slots.items[at].serial == model->serial;
    return found ? &runner->slots.items[at] : NULL;
}

const batch_slot *batch_slot_of(const batch_runner *runner, const batch_model *model) { return slot_of(runner, model); }

/* There is room for it. */
static void insert_slot(batch_runner *runner, const batch_slot *slot)
{
    size_t at = find_slot(runner, slot->serial);
    batch_slot *items = runner->slots.items;
    memmove(items + at + 1, items + at, (runner->slots.count - at) * sizeof *items);
    items[at] = *slot;
    runner->slots.count++;
}

/* Takes a slot of an earlier job with room for exactly this mesh: that of a body before it was deformed. */
static bool take_slot(batch_runner *runner, const batch_model *model, batch_slot *out)
{
    for (size_t i = 0; i < runner->slots.count; i++)
    {
        batch_slot *slot = &runner->slots.items[i];
        if (slot->used == runner->job || memcmp(slot->count, model->counts, sizeof slot->count) != 0)
            continue;
        *out = *slot;
        memmove(slot, slot + 1, (runner->slots.count - i - 1) * sizeof *slot);
        runner->slots.count--;
        return true;
    }
    return false;
}

/* Takes room at the end of all stores. */
static bool append_slot(batch_runner *runner, const batch_model *model, batch_slot *out)
{
    for (int i = 0; i < BATCH_STORES; i++)
        if (runner->rooms[i] - runner->ends[i] < model->counts[i])
            return false;
    memcpy(out->first, runner->ends, sizeof out->first);
    memcpy(out->count, model->counts, sizeof out->count);
    for (int i = 0; i < BATCH_STORES; i++)
        runner->ends[i] += model->counts[i];
    return true;
}

/* ---- meshes ---- */

/* CAROM_TOO_LARGE without a message: there is no room; nothing has changed. */
static carom_status add_mesh(batch_runner *runner, const batch_model *model)
{
    batch_slot slot = {0};
    if (!base_array_reserve(runner->context, &runner->slots, 1))
        return batch_out_of_memory(runner);
    if (!take_slot(runner, model, &slot) && !append_slot(runner, model, &slot))
        return CAROM_TOO_LARGE;
    slot.serial = model->serial, slot.used = runner->job;
    runner->stats.uploads++;
    BASE_TRY(runner->kind->upload(runner, model, &slot));
    insert_slot(runner, &slot);
    return CAROM_OK;
}

static const batch_model *model_at(const batch_pair *pairs, uint32_t i)
{
    return i % 2 ? pairs[i / 2].b : pairs[i / 2].a;
}

static carom_status see_meshes(batch_runner *runner, const batch_pair *pairs, uint32_t count)
{
    /* those that are there first: what is left over can be reused */
    for (uint32_t i = 0; i < 2 * count; i++)
    {
        batch_slot *slot = slot_of(runner, model_at(pairs, i));
        if (slot)
            slot->used = runner->job;
    }
    for (uint32_t i = 0; i < 2 * count; i++)
        if (!slot_of(runner, model_at(pairs, i)))
            BASE_TRY(add_mesh(runner, model_at(pairs, i)));
    return CAROM_OK;
}

/* Room for so much, and as much again; less where the device does not allow it. */
static carom_status make_room(batch_runner *runner, const uint64_t counts[BATCH_STORES])
{
    const batch_kind *kind = runner->kind;
    uint64_t rooms[BATCH_STORES];
    for (int i = 0; i < BATCH_STORES; i++)
    {
        uint64_t max = compute_info(runner->device)->buffer_size / kind->store_sizes[i];
        max = max < UINT32_MAX ? max : UINT32_MAX;
        rooms[i] = 2 * counts[i] + kind->spare_room;
        rooms[i] = rooms[i] < max ? rooms[i] : max;
        if (counts[i] > rooms[i])
            return kind->refuse(runner, counts, i);
        runner->ends[i] = runner->rooms[i] = 0;
    }
    for (int i = 0; i < BATCH_STORES; i++)
    {
        BASE_TRY(batch_remake(runner, &runner->stores[i], rooms[i], kind->store_sizes[i]));
        runner->rooms[i] = (uint32_t)rooms[i];
    }
    return CAROM_OK;
}

/* How much all of them take, each counted once: the slots tell which were. */
static carom_status sum_counts(batch_runner *runner, const batch_pair *pairs, uint32_t count,
                               uint64_t sums[BATCH_STORES])
{
    for (uint32_t i = 0; i < 2 * count; i++)
    {
        const batch_model *model = model_at(pairs, i);
        if (slot_of(runner, model))
            continue;
        if (!base_array_reserve(runner->context, &runner->slots, 1))
            return batch_out_of_memory(runner);
        insert_slot(runner, &(batch_slot){.serial = model->serial});
        for (int k = 0; k < BATCH_STORES; k++)
            sums[k] += model->counts[k];
    }
    return CAROM_OK;
}

/* All at once into larger buffers. */
static carom_status reload(batch_runner *runner, const batch_pair *pairs, uint32_t count)
{
    uint64_t sums[BATCH_STORES] = {0};
    runner->slots.count = 0;
    carom_status status = sum_counts(runner, pairs, count, sums);
    runner->slots.count = 0; /* nothing was uploaded yet */
    BASE_TRY(status);
    BASE_TRY(make_room(runner, sums));
    return see_meshes(runner, pairs, count);
}

/* ---- pairs ---- */

static carom_status make_pair_room(batch_runner *runner, uint32_t count)
{
    const batch_kind *kind = runner->kind;
    const size_t size = BATCH_PLACE * sizeof(float);
    uint64_t bytes = compute_info(runner->device)->buffer_size, max = bytes / size;
    uint64_t room = (uint64_t)count + count / 2 + kind->spare_room;
    if (count <= runner->pair_room)
        return CAROM_OK;
    room = room < max ? room : max;
    if (room < count)
        return base_fail(runner->context, CAROM_TOO_LARGE, "engine %s: %u pairs do not fit a buffer of %llu bytes",
                         kind->name, count, (unsigned long long)bytes);
    runner->pair_room = 0;
    BASE_TRY(batch_remake(runner, &runner->poses, room, size));
    BASE_TRY(batch_remake(runner, &runner->bases, room, (size_t)2 * kind->base_count * sizeof(uint32_t)));
    runner->pair_room = (uint32_t)room;
    return CAROM_OK;
}

/* Where the two meshes of a pair begin, store by store. */
static void list_bases(const batch_runner *runner, const batch_pair *pair, uint32_t *out)
{
    const batch_kind *kind = runner->kind;
    const batch_slot *a = slot_of(runner, pair->a), *b = slot_of(runner, pair->b);
    for (uint32_t i = 0; i < kind->base_count; i++)
        out[2 * i] = a->first[kind->base_stores[i]], out[2 * i + 1] = b->first[kind->base_stores[i]];
}

static carom_status upload_pairs(batch_runner *runner, const batch_pair *pairs, const float *places, uint32_t count)
{
    size_t words = (size_t)2 * runner->kind->base_count;
    BASE_TRY(make_pair_room(runner, count));
    uint32_t *bases = base_allocate(runner->context, count, words * sizeof *bases, BASE_CACHE_LINE);
    if (!bases)
        return batch_out_of_memory(runner);
    for (uint32_t i = 0; i < count; i++)
        list_bases(runner, &pairs[i], bases + words * i);
    carom_status status = compute_write(runner->device, &runner->bases, 0, bases, count * words * sizeof *bases);
    base_release(runner->context, bases, count, words * sizeof *bases);
    BASE_TRY(status);
    return compute_write(runner->device, &runner->poses, 0, places, (size_t)count * BATCH_PLACE * sizeof *places);
}

carom_status batch_runner_load(batch_runner *runner, const batch_pair *pairs, const float *places, uint32_t count)
{
    runner->clock = base_now();
    runner->job++;
    if (runner->beam == 0)
        BASE_TRY(batch_runner_grow(runner, runner->kind->first_beam));
    carom_status status = see_meshes(runner, pairs, count);
    if (status == CAROM_TOO_LARGE)
        status = reload(runner, pairs, count);
    BASE_TRY(status);
    BASE_TRY(upload_pairs(runner, pairs, places, count));
    return batch_end_stage(runner, &runner->stats.upload_seconds);
}
