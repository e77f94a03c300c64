/* What an engine's worker keeps from frame to frame. */
#include "engine/batch/batch.h"

static carom_status choose_device(carom_context *context, const carom_engine_def *def, compute_kind *out)
{
    const char *name = def->compute ? def->compute : def->on_processor ? "processor" : NULL;
    *out = name ? compute_find_kind(name) : compute_wanted_kind(context);
    if (*out == COMPUTE_KIND_COUNT)
        return base_fail(context, CAROM_INVALID_ARGUMENT,
                         "engine %s: compute '%.40s' is none of auto, opencl, opengl and processor", def->engine, name);
    return compute_probe(context, *out);
}

carom_status batch_state_create(carom_context *context, const batch_kind *kind, const carom_engine_def *def,
                                size_t size, void **out)
{
    *out = NULL;
    batch_runner runner = {.kind = kind, .context = context};
    compute_kind compute;
    BASE_TRY(choose_device(context, def, &compute));
    batch_state *state = base_allocate(context, 1, size, BASE_CACHE_LINE);
    if (!state)
        return batch_out_of_memory(&runner);
    memset(state, 0, size);
    state->context = state->scratch.context = context;
    state->scratch.ray_frame.pose = carom_pose_identity();
    state->device = runner;
    state->compute = compute;
    *out = state;
    return CAROM_OK;
}

void batch_state_destroy(batch_state *state, size_t size)
{
    carom_context *context = state->context;
    batch_runner_close(&state->device);
    batch_job_free(context, &state->job);
    base_array_free(context, &state->list.pairs);
    base_array_free(context, &state->list.places);
    base_array_free(context, &state->list.indices);
    base_array_free(context, &state->hits);
    base_array_free(context, &state->sorted.keys);
    base_array_free(context, &state->sorted.space);
    base_array_free(context, &state->sorted.starts);
    base_array_free(context, &state->results.items);
    base_array_free(context, &state->results.keys);
    tree_scratch_free(&state->scratch);
    base_release(context, state, 1, size);
}

void batch_add_stats(const batch_stats *own, carom_engine_stats *sum)
{
    sum->tasks += own->boxes, sum->passes += own->dispatches;
    sum->upload_seconds += own->upload_seconds, sum->query_seconds += own->read_seconds;
}
