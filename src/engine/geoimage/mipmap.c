/* Engine `geoimage`. Distances, rays and what is near a segment are answered by the default trees. */
#include "engine/geoimage/mipmap.h"

#include "engine/image/by_trees.h"

static const query_method MIPMAP_METHOD = IMAGE_METHOD_OF(mipmap_collide);

static void destroy_state(void *object)
{
    mipmap_state *state = object;
    carom_context *context = state->context;
    mipmap_runner_close(&state->device);
    mipmap_job_free(context, &state->job);
    base_array_free(context, &state->pairs);
    base_array_free(context, &state->places);
    base_array_free(context, &state->indices);
    base_array_free(context, &state->hits);
    frontier_sorted_free(context, &state->sorted);
    base_array_free(context, &state->batch.results);
    base_array_free(context, &state->batch.keys);
    tree_scratch_free(&state->scratch);
    base_release(context, state, 1, sizeof *state);
}

static carom_status create_state(carom_context *context, const carom_engine_def *def, void **out)
{
    *out = NULL;
    compute_kind kind;
    BASE_TRY(frontier_choose_kind(context, def, &kind));
    mipmap_state *state = base_allocate(context, 1, sizeof *state, BASE_CACHE_LINE);
    if (!state)
        return mipmap_out_of_memory(context);
    memset(state, 0, sizeof *state);
    state->context = state->scratch.context = state->device.context = context;
    state->scratch.ray_frame.pose = carom_pose_identity();
    state->time_stages = def->time_stages;
    state->kind = kind;
    *out = state;
    return CAROM_OK;
}

static void add_stats(const void *object, carom_engine_stats *sum)
{
    const mipmap_state *state = object;
    const mipmap_stats *own = &state->device.stats;
    sum->tasks += own->boxes, sum->passes += own->dispatches;
    sum->upload_seconds += own->upload_seconds, sum->query_seconds += own->read_seconds;
    sum->mipmap_seconds += own->mipmap_seconds, sum->traversal_seconds += own->traversal_seconds;
    sum->compaction_seconds += own->compaction_seconds, sum->triangle_seconds += own->triangle_seconds;
    sum->exact_seconds += state->exact_seconds;
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
    .prepare_pairs = mipmap_prepare_pairs};
