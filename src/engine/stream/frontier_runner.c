/* A device with the kernels of the engine, its buffers, and the meshes that were uploaded. */
#include "engine/stream/frontier.h"

enum
{
    FIRST_BEAM = 1 << 15, /* items of a frontier */
    MAX_BEAM = 1 << 20,
    LEAVES_PER_ITEM = 1, /* room, per item of a frontier */
    SPILL_PER_ITEM = 4,
    CANDIDATES_PER_LEAVES = FRONTIER_LEAF * FRONTIER_LEAF,
    FIRST_ROOM = 256 /* nodes, references, pairs */
};

carom_status frontier_out_of_memory(carom_context *context)
{
    return base_fail(context, CAROM_OUT_OF_MEMORY, "engine stream: no memory");
}

/* ---- opening ---- */

static carom_status make_kernels(frontier_runner *runner)
{
    BASE_TRY(compute_begin(runner->device));
    carom_status status = compute_kernel_create(runner->device, &frontier_refine_def, &runner->refine);
    if (!carom_failed(status))
        status = compute_kernel_create(runner->device, &frontier_test_def, &runner->test);
    if (!carom_failed(status))
        status = compute_buffer_create(runner->device, FRONTIER_COUNTERS * sizeof(uint32_t), &runner->counters);
    carom_status ended = compute_end(runner->device);
    return carom_failed(status) ? status : ended;
}

carom_status frontier_runner_open(frontier_runner *runner, carom_context *context, compute_kind kind)
{
    runner->context = context;
    compute_device_def def = compute_device_def_default();
    def.kind = kind, def.limits.buffer_size = runner->limits.buffer_size;
    BASE_TRY(compute_open(context, &def, &runner->device));
    carom_status status = make_kernels(runner);
    if (carom_failed(status))
        frontier_runner_close(runner);
    return status;
}

carom_status frontier_runner_use(frontier_runner *runner, carom_context *context, compute_device *device)
{
    *runner = (frontier_runner){.context = context, .device = device, .borrowed = true};
    carom_status status = make_kernels(runner);
    if (carom_failed(status))
        frontier_runner_close(runner);
    return status;
}

static void destroy_objects(frontier_runner *runner)
{
    compute_buffer *const buffers[] = {&runner->boxes,    &runner->links,     &runner->corners, &runner->poses,
                                       &runner->bases,    &runner->frontier,  &runner->leaves,  &runner->spill,
                                       &runner->counters, &runner->candidates};
    for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++)
        compute_buffer_destroy(runner->device, buffers[i]);
    compute_kernel_destroy(runner->device, &runner->refine);
    compute_kernel_destroy(runner->device, &runner->test);
}

void frontier_runner_close(frontier_runner *runner)
{
    if (runner->device)
    {
        bool begun = compute_begin(runner->device) == CAROM_OK;
        destroy_objects(runner);
        if (begun)
            compute_end(runner->device);
        if (!runner->borrowed)
            compute_close(runner->device);
        base_array_free(runner->context, &runner->slots);
    }
    *runner = (frontier_runner){.context = runner->context, .limits = runner->limits, .stats = runner->stats};
}

/* ---- room for frontiers ---- */

static carom_status remake(frontier_runner *runner, compute_buffer *buffer, uint64_t count, size_t size)
{
    if (count > SIZE_MAX / size)
        return base_fail(runner->context, CAROM_TOO_LARGE, "engine stream: a buffer of %llu elements",
                         (unsigned long long)count);
    compute_buffer_destroy(runner->device, buffer);
    return compute_buffer_create(runner->device, (size_t)count * size, buffer);
}

/* The largest frontier whose buffers the device allows, and the tests' limit. */
uint32_t frontier_max_beam(const frontier_runner *runner)
{
    uint64_t items = compute_info(runner->device)->buffer_size / sizeof(frontier_item);
    uint64_t beam = items / (LEAVES_PER_ITEM * CANDIDATES_PER_LEAVES); /* candidates have the largest buffer */
    beam = beam < MAX_BEAM ? beam : MAX_BEAM;
    if (runner->limits.frontier != 0 && runner->limits.frontier < beam)
        beam = runner->limits.frontier;
    return beam > FRONTIER_MIN_ITEMS ? (uint32_t)beam : FRONTIER_MIN_ITEMS;
}

carom_status frontier_runner_grow(frontier_runner *runner, uint32_t beam)
{
    uint32_t max = frontier_max_beam(runner);
    beam = beam < max ? beam : max;
    if (beam <= runner->beam)
        return CAROM_OK;
    runner->beam = 0;
    const size_t size = sizeof(frontier_item);
    BASE_TRY(remake(runner, &runner->frontier, 2 * (uint64_t)beam, size));
    BASE_TRY(remake(runner, &runner->leaves, LEAVES_PER_ITEM * (uint64_t)beam, size));
    BASE_TRY(remake(runner, &runner->spill, SPILL_PER_ITEM * (uint64_t)beam, size));
    BASE_TRY(remake(runner, &runner->candidates, LEAVES_PER_ITEM * CANDIDATES_PER_LEAVES * (uint64_t)beam, size));
    runner->beam = beam;
    return CAROM_OK;
}

/* ---- meshes ---- */

static size_t find_slot(const frontier_runner *runner, uint64_t serial)
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

static frontier_slot *slot_of(const frontier_runner *runner, const frontier_asset *asset)
{
    size_t at = find_slot(runner, asset->serial);
    return at < runner->slots.count && runner->slots.items[at].serial == asset->serial ? &runner->slots.items[at]
                                                                                       : NULL;
}

static carom_status upload(frontier_runner *runner, const frontier_asset *asset, const frontier_slot *slot)
{
    size_t node = slot->node_base, reference = slot->reference_base;
    size_t nodes = asset->node_count, references = asset->reference_count;
    runner->stats.uploads++;
    BASE_TRY(compute_write(runner->device, &runner->boxes, 24 * node, asset->boxes, 24 * nodes));
    BASE_TRY(compute_write(runner->device, &runner->links, 8 * node, asset->links, 8 * nodes));
    return compute_write(runner->device, &runner->corners, 36 * reference, asset->corners, 36 * references);
}

/* A slot of an earlier job with room for exactly this mesh: that of a body before it was deformed. */
static bool reuse_slot(frontier_runner *runner, const frontier_asset *asset, frontier_slot *out)
{
    for (size_t i = 0; i < runner->slots.count; i++)
    {
        frontier_slot *slot = &runner->slots.items[i];
        if (slot->used == runner->job || slot->node_count != asset->node_count ||
            slot->reference_count != asset->reference_count)
            continue;
        *out = *slot;
        memmove(slot, slot + 1, (runner->slots.count - i - 1) * sizeof *slot);
        runner->slots.count--;
        return true;
    }
    return false;
}

/* CAROM_TOO_LARGE: there is no room; nothing has changed. */
static carom_status add_mesh(frontier_runner *runner, const frontier_asset *asset)
{
    frontier_slot slot = {0};
    if (!base_array_reserve(runner->context, &runner->slots, 1))
        return frontier_out_of_memory(runner->context);
    if (!reuse_slot(runner, asset, &slot))
    {
        if (runner->node_room - runner->node_end < asset->node_count ||
            runner->reference_room - runner->reference_end < asset->reference_count)
            return CAROM_TOO_LARGE;
        slot = (frontier_slot){.node_base = runner->node_end,
                               .node_count = asset->node_count,
                               .reference_base = runner->reference_end,
                               .reference_count = asset->reference_count};
        runner->node_end += asset->node_count, runner->reference_end += asset->reference_count;
    }
    slot.serial = asset->serial, slot.used = runner->job;
    BASE_TRY(upload(runner, asset, &slot));
    size_t at = find_slot(runner, slot.serial);
    frontier_slot *items = runner->slots.items;
    memmove(items + at + 1, items + at, (runner->slots.count - at) * sizeof *items);
    items[at] = slot;
    runner->slots.count++;
    return CAROM_OK;
}

static carom_status see_mesh(frontier_runner *runner, const frontier_asset *asset)
{
    frontier_slot *slot = slot_of(runner, asset);
    if (slot)
        return slot->used = runner->job, CAROM_OK;
    return add_mesh(runner, asset);
}

static carom_status see_meshes(frontier_runner *runner, const frontier_pair *pairs, uint32_t count)
{
    /* those that are there first: what is left over can be reused */
    for (uint32_t i = 0; i < 2 * count; i++)
    {
        frontier_slot *slot = slot_of(runner, i % 2 ? pairs[i / 2].b : pairs[i / 2].a);
        if (slot)
            slot->used = runner->job;
    }
    for (uint32_t i = 0; i < 2 * count; i++)
    {
        carom_status status = see_mesh(runner, i % 2 ? pairs[i / 2].b : pairs[i / 2].a);
        if (status != CAROM_OK)
            return status;
    }
    return CAROM_OK;
}

/* Room for so much, and as much again; less where the device does not allow it. */
static carom_status make_room(frontier_runner *runner, uint64_t nodes, uint64_t references)
{
    uint64_t bytes = compute_info(runner->device)->buffer_size;
    uint64_t max_nodes = bytes / 24, max_references = bytes / 36;
    uint64_t node_room = 2 * nodes + FIRST_ROOM, reference_room = 2 * references + FIRST_ROOM;
    node_room = node_room < max_nodes ? node_room : max_nodes;
    reference_room = reference_room < max_references ? reference_room : max_references;
    if (nodes > node_room || references > reference_room || node_room > UINT32_MAX || reference_room > UINT32_MAX)
        return base_fail(runner->context, CAROM_TOO_LARGE,
                         "engine stream: %llu nodes and %llu triangles do not fit a buffer of %llu bytes",
                         (unsigned long long)nodes, (unsigned long long)references, (unsigned long long)bytes);
    runner->slots.count = 0, runner->node_end = runner->reference_end = 0;
    runner->node_room = runner->reference_room = 0;
    BASE_TRY(remake(runner, &runner->boxes, node_room, 24));
    BASE_TRY(remake(runner, &runner->links, node_room, 8));
    BASE_TRY(remake(runner, &runner->corners, reference_room, 36));
    runner->node_room = (uint32_t)node_room, runner->reference_room = (uint32_t)reference_room;
    return CAROM_OK;
}

/* All at once into larger buffers; a mesh counts each time that it comes, which is more than enough, up to a bound. */
static carom_status reload(frontier_runner *runner, const frontier_pair *pairs, uint32_t count)
{
    uint64_t nodes = 0, references = 0;
    runner->slots.count = 0;
    for (uint32_t i = 0; i < 2 * count; i++)
    {
        const frontier_asset *asset = i % 2 ? pairs[i / 2].b : pairs[i / 2].a;
        if (slot_of(runner, asset))
            continue;
        if (!base_array_reserve(runner->context, &runner->slots, 1))
            return frontier_out_of_memory(runner->context);
        size_t at = find_slot(runner, asset->serial);
        frontier_slot *items = runner->slots.items;
        memmove(items + at + 1, items + at, (runner->slots.count - at) * sizeof *items);
        items[at] = (frontier_slot){.serial = asset->serial};
        runner->slots.count++;
        nodes += asset->node_count, references += asset->reference_count;
    }
    BASE_TRY(make_room(runner, nodes, references));
    return see_meshes(runner, pairs, count);
}

/* ---- pairs ---- */

static carom_status upload_pairs(frontier_runner *runner, const frontier_pair *pairs, const float *places,
                                 uint32_t count)
{
    if (count > runner->pair_room)
    {
        uint64_t room = (uint64_t)count + count / 2 + FIRST_ROOM, bytes = compute_info(runner->device)->buffer_size;
        uint64_t max = bytes / (FRONTIER_PLACE * sizeof(float));
        room = room < max ? room : max;
        if (room < count)
            return base_fail(runner->context, CAROM_TOO_LARGE,
                             "engine stream: %u pairs do not fit a buffer of %llu bytes", count,
                             (unsigned long long)bytes);
        runner->pair_room = 0;
        BASE_TRY(remake(runner, &runner->poses, room, FRONTIER_PLACE * sizeof(float)));
        BASE_TRY(remake(runner, &runner->bases, room, 4 * sizeof(uint32_t)));
        runner->pair_room = (uint32_t)room;
    }
    uint32_t(*bases)[4] = base_allocate(runner->context, count, sizeof *bases, BASE_CACHE_LINE);
    if (!bases)
        return frontier_out_of_memory(runner->context);
    for (uint32_t i = 0; i < count; i++)
    {
        const frontier_slot *a = slot_of(runner, pairs[i].a), *b = slot_of(runner, pairs[i].b);
        bases[i][0] = a->node_base, bases[i][1] = b->node_base;
        bases[i][2] = a->reference_base, bases[i][3] = b->reference_base;
    }
    carom_status status = compute_write(runner->device, &runner->bases, 0, bases, count * sizeof *bases);
    base_release(runner->context, bases, count, sizeof *bases);
    BASE_TRY(status);
    return compute_write(runner->device, &runner->poses, 0, places, (size_t)count * FRONTIER_PLACE * sizeof *places);
}

carom_status frontier_runner_load(frontier_runner *runner, const frontier_pair *pairs, const float *places,
                                  uint32_t count)
{
    double start = base_now();
    runner->job++;
    if (runner->beam == 0)
        BASE_TRY(frontier_runner_grow(runner, FIRST_BEAM));
    carom_status status = see_meshes(runner, pairs, count);
    if (status == CAROM_TOO_LARGE)
        status = reload(runner, pairs, count);
    if (!carom_failed(status))
        status = upload_pairs(runner, pairs, places, count);
    runner->stats.upload_seconds += base_now() - start;
    return status;
}
