/* Engine `stream`. Distances, rays and what is near a segment are answered by the default trees. */
#include "engine/stream/frontier.h"

#include "engine/image/by_trees.h"

static const query_method FRONTIER_METHOD = IMAGE_METHOD_OF(frontier_collide);

static void destroy_state(void *object)
{
    frontier_state *state = object;
    carom_context *context = state->context;
    frontier_runner_close(&state->device);
    frontier_runner_close(&state->steps);
    frontier_job_free(context, &state->job);
    base_array_free(context, &state->pairs);
    base_array_free(context, &state->places);
    base_array_free(context, &state->indices);
    base_array_free(context, &state->hits);
    base_array_free(context, &state->triangles);
    frontier_sorted_free(context, &state->sorted);
    base_array_free(context, &state->left);
    base_array_free(context, &state->batch.results);
    base_array_free(context, &state->batch.keys);
    tree_scratch_free(&state->scratch);
    base_release(context, state, 1, sizeof *state);
}

carom_status frontier_choose_kind(carom_context *context, const carom_engine_def *def, compute_kind *out)
{
    const char *name = def->compute ? def->compute : def->on_processor ? "processor" : NULL;
    *out = name ? compute_find_kind(name) : compute_wanted_kind(context);
    if (*out == COMPUTE_KIND_COUNT)
        return base_fail(context, CAROM_INVALID_ARGUMENT,
                         "engine %s: compute '%.40s' is none of auto, opencl, opengl and processor", def->engine, name);
    return compute_probe(context, *out);
}

static carom_status create_state(carom_context *context, const carom_engine_def *def, void **out)
{
    *out = NULL;
    compute_kind kind;
    BASE_TRY(frontier_choose_kind(context, def, &kind));
    frontier_state *state = base_allocate(context, 1, sizeof *state, BASE_CACHE_LINE);
    if (!state)
        return frontier_out_of_memory(context);
    memset(state, 0, sizeof *state);
    state->context = state->scratch.context = context;
    state->device.context = state->steps.context = context;
    state->scratch.ray_frame.pose = carom_pose_identity();
    state->kind = kind;
    *out = state;
    return CAROM_OK;
}

static void add_runner(const frontier_stats *own, carom_engine_stats *sum)
{
    sum->tasks += own->boxes, sum->passes += own->dispatches;
    sum->upload_seconds += own->upload_seconds, sum->draw_seconds += own->run_seconds;
    sum->query_seconds += own->read_seconds;
}

static void add_stats(const void *object, carom_engine_stats *sum)
{
    const frontier_state *state = object;
    add_runner(&state->device.stats, sum);
    add_runner(&state->steps.stats, sum);
    sum->exact_seconds += state->exact_seconds;
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
    .prepare_pairs = frontier_prepare_pairs};
