/* Engine `stream`. Distances, rays and what is near a segment are answered by the default trees. */
#include "engine/stream/frontier.h"

#include "engine/image/by_trees.h"

static const query_method FRONTIER_METHOD = IMAGE_METHOD_OF(frontier_collide);

static carom_status create_state(carom_context *context, const carom_engine_def *def, void **out)
{
    BASE_TRY(batch_state_create(context, &frontier_kind, def, sizeof(frontier_state), out));
    ((frontier_state *)*out)->steps = (batch_runner){.kind = &frontier_kind, .context = context};
    return CAROM_OK;
}

static void destroy_state(void *object)
{
    frontier_state *state = object;
    batch_runner_close(&state->steps);
    base_array_free(state->batch.context, &state->left);
    batch_state_destroy(&state->batch, sizeof *state);
}

static void add_runner(const batch_stats *own, carom_engine_stats *sum)
{
    batch_add_stats(own, sum);
    sum->draw_seconds += own->stage_seconds[FRONTIER_RUN_STAGE];
}

static void add_stats(const void *object, carom_engine_stats *sum)
{
    const frontier_state *state = object;
    add_runner(&state->batch.device.stats, sum);
    add_runner(&state->steps.stats, sum);
    sum->exact_seconds += state->batch.exact_seconds;
}

const engine_kind engine_stream = {
    .info = {"stream", "thesis 3, modern: whole frontiers of all pairs at once, on OpenCL or compute shaders",
             CAROM_CLASS_EXACT, false},
    .method = &FRONTIER_METHOD,
    .create_state = create_state,
    .destroy_state = destroy_state,
    .add_stats = add_stats,
    .create_asset = frontier_create_asset,
    .destroy_asset = frontier_destroy_asset,
    .update_asset = frontier_update_asset,
    .prepare_pairs = batch_prepare_pairs};
