/* The engine's kernels, and its meshes on a device. */
#include "engine/stream/frontier.h"

enum
{
    LEAVES_PER_ITEM = 1, /* room, per item of a frontier */
    CANDIDATES_PER_ITEM = LEAVES_PER_ITEM * FRONTIER_LEAF * FRONTIER_LEAF
};

static carom_status upload(batch_runner *runner, const batch_model *model, const batch_slot *slot)
{
    const frontier_asset *asset = frontier_asset_of(model);
    const void *const data[BATCH_STORES] = {asset->boxes, asset->links, asset->corners};
    for (int i = 0; i < BATCH_STORES; i++)
    {
        size_t size = runner->kind->store_sizes[i];
        BASE_TRY(
            compute_write(runner->device, &runner->stores[i], size * slot->first[i], data[i], size * slot->count[i]));
    }
    return CAROM_OK;
}

static carom_status refuse(const batch_runner *runner, const uint64_t counts[BATCH_STORES], int store)
{
    (void)store;
    return base_fail(runner->context, CAROM_TOO_LARGE,
                     "engine stream: %llu nodes and %llu triangles do not fit a buffer of %llu bytes",
                     (unsigned long long)counts[FRONTIER_BOXES], (unsigned long long)counts[FRONTIER_CORNERS],
                     (unsigned long long)compute_info(runner->device)->buffer_size);
}

const batch_kind frontier_kind = {.name = "stream",
                                  .kernels = {&frontier_refine_def, &frontier_test_def},
                                  .counter_words = FRONTIER_COUNTERS,
                                  .store_sizes = {6 * sizeof(float), 2 * sizeof(uint32_t), 9 * sizeof(float)},
                                  .base_stores = {FRONTIER_BOXES, FRONTIER_CORNERS},
                                  .base_count = 2,
                                  .spare_room = 256,
                                  .upload = upload,
                                  .refuse = refuse,
                                  .first_beam = 1 << 15,
                                  .min_beam = FRONTIER_MIN_ITEMS,
                                  .leaves_per_item = LEAVES_PER_ITEM,
                                  .candidates_per_item = CANDIDATES_PER_ITEM,
                                  .bytes_per_item = CANDIDATES_PER_ITEM * sizeof(batch_item),
                                  .any_beam = 128,
                                  .any_per_pair = 8,
                                  .round = frontier_round};
