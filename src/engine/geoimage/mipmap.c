/* Engine `geoimage`. Distances, rays and what is near a segment are answered by the default trees. */
#include "engine/geoimage/mipmap.h"

#include "engine/image/by_trees.h"

static const query_method MIPMAP_METHOD = IMAGE_METHOD_OF(mipmap_collide);

static carom_status create_state(carom_context *context, const carom_engine_def *def, void **out)
{
    BASE_TRY(batch_state_create(context, &mipmap_kind, def, sizeof(mipmap_state), out));
    ((mipmap_state *)*out)->batch.device.waits = def->time_stages;
    return CAROM_OK;
}

static void destroy_state(void *object)
{
    mipmap_state *state = object;
    batch_state_destroy(&state->batch, sizeof *state);
}

static void add_stats(const void *object, carom_engine_stats *sum)
{
    const mipmap_state *state = object;
    const batch_stats *own = &state->batch.device.stats;
    batch_add_stats(own, sum);
    sum->mipmap_seconds += own->stage_seconds[MIPMAP_BOX_STAGE];
    sum->traversal_seconds += own->stage_seconds[MIPMAP_TRAVERSAL_STAGE];
    sum->compaction_seconds += own->stage_seconds[MIPMAP_COMPACTION_STAGE];
    sum->triangle_seconds += own->stage_seconds[MIPMAP_TRIANGLE_STAGE];
    sum->exact_seconds += state->batch.exact_seconds;
    sum->pairs_by_trees += state->pairs_by_trees;
}

const engine_kind engine_geoimage = {
    .info = {"geoimage", "geometry-image paper: min / max mipmaps of grids, level by level with stream compaction",
             CAROM_CLASS_EXACT, false},
    .method = &MIPMAP_METHOD,
    .create_state = create_state,
    .destroy_state = destroy_state,
    .add_stats = add_stats,
    .create_asset = mipmap_create_asset,
    .destroy_asset = mipmap_destroy_asset,
    .update_asset = mipmap_update_asset,
    .prepare_pairs = batch_prepare_pairs};
