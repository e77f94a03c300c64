/* The engine's kernels, and its meshes on a device: points and tables are uploaded, boxes are made there, level by
 * level. */
#include "engine/geoimage/mipmap.h"

enum
{
    LEAVES_PER_ITEM = 4, /* room, per item of a frontier */
    CANDIDATES_PER_ITEM = 4
};

static const char *const NAMES[BATCH_STORES] = {"nodes", "points", "words of tables"};

static carom_status refuse(const batch_runner *runner, const uint64_t counts[BATCH_STORES], int store)
{
    return base_fail(runner->context, CAROM_TOO_LARGE, "engine geoimage: %llu %s do not fit a buffer of %llu bytes",
                     (unsigned long long)counts[store], NAMES[store],
                     (unsigned long long)compute_info(runner->device)->buffer_size);
}

/* ---- one mesh ---- */

static carom_status upload_points(batch_runner *runner, const mipmap_asset *asset, const batch_slot *slot)
{
    const uint32_t first[2] = {slot->first[MIPMAP_NODES], slot->first[MIPMAP_POINTS]};
    const size_t point = GEOIMAGE_POINT * sizeof(float), word = sizeof(uint32_t);
    size_t table = slot->first[MIPMAP_TABLES];
    compute_buffer *stores = runner->stores;
    BASE_TRY(compute_write(runner->device, &stores[MIPMAP_POINTS], point * slot->first[MIPMAP_POINTS], asset->points,
                           point * asset->point_count));
    BASE_TRY(
        compute_write(runner->device, &stores[MIPMAP_TABLES], word * table, asset->table, word * asset->table_size));
    return compute_write(runner->device, &stores[MIPMAP_TABLES], word * (table + MIPMAP_FIRST_NODE), first,
                         sizeof first);
}

static carom_status make_boxes(batch_runner *runner, const mipmap_asset *asset, const batch_slot *slot)
{
    compute_buffer *stores = runner->stores;
    compute_buffer *const cells[] = {&stores[MIPMAP_POINTS], &stores[MIPMAP_TABLES], &stores[MIPMAP_NODES]};
    compute_buffer *const parents[] = {&stores[MIPMAP_TABLES], &stores[MIPMAP_NODES]};
    const geoimage_levels *levels = &asset->levels;
    uint32_t table = slot->first[MIPMAP_TABLES];
    BASE_TRY(batch_dispatch(runner, MIPMAP_CELLS_KERNEL, cells, table,
                            (levels->columns + 1) / 2 * ((levels->rows + 1) / 2)));
    for (uint32_t level = 2; level < levels->count; level++)
        BASE_TRY(batch_dispatch(runner, MIPMAP_PARENTS_KERNEL, parents, table + level,
                                levels->first[level + 1] - levels->first[level]));
    return CAROM_OK;
}

static carom_status upload(batch_runner *runner, const batch_model *model, const batch_slot *slot)
{
    const mipmap_asset *asset = mipmap_asset_of(model);
    BASE_TRY(upload_points(runner, asset, slot));
    BASE_TRY(batch_end_stage(runner, &runner->stats.upload_seconds));
    BASE_TRY(make_boxes(runner, asset, slot));
    return batch_end_stage(runner, &runner->stats.stage_seconds[MIPMAP_BOX_STAGE]);
}

/* ---- room for frontiers ---- */

/* A pyramid is at most 4/3 as large as its base, and 12 entries for what is rounded up. */
static carom_status grow(batch_runner *runner, uint32_t beam)
{
    uint64_t entries = LEAVES_PER_ITEM * (uint64_t)beam;
    BASE_TRY(batch_remake(runner, &runner->extras[MIPMAP_MASKS], entries, sizeof(uint32_t)));
    return batch_remake(runner, &runner->extras[MIPMAP_PYRAMID], entries + entries / 3 + 16, 2 * sizeof(uint32_t));
}

const batch_kind mipmap_kind = {
    .name = "geoimage",
    .kernels = {&mipmap_cells_def, &mipmap_parents_def, &mipmap_descend_def, &mipmap_sum_def, &mipmap_scatter_def,
                &mipmap_test_def, &mipmap_list_def},
    .counter_words = MIPMAP_COUNTERS,
    .store_sizes = {GEOIMAGE_NODE * sizeof(float), GEOIMAGE_POINT * sizeof(float), sizeof(uint32_t)},
    .base_stores = {MIPMAP_TABLES},
    .base_count = 1,
    .spare_room = 1024,
    .upload = upload,
    .refuse = refuse,
    .first_beam = 1 << 14,
    .min_beam = MIPMAP_CHILDREN,
    .leaves_per_item = LEAVES_PER_ITEM,
    .candidates_per_item = CANDIDATES_PER_ITEM,
    .bytes_per_item = LEAVES_PER_ITEM * 2 * sizeof(batch_item),
    .grow = grow,
    .any_beam = 256,
    .any_per_pair = 64,
    .round = mipmap_round};
