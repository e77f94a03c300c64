/* Engine `tree`: the pipeline with bounding volume trees as its method. */
#include "engine/engine.h"

static carom_status create(carom_context *context, const broad_kind *broad, void **out)
{
    *out = NULL;
    engine_pipeline *pipeline = base_allocate(context, 1, sizeof *pipeline, BASE_CACHE_LINE);
    if (!pipeline)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine tree: no memory");
    carom_status status = engine_pipeline_open(pipeline, context, broad);
    if (status != CAROM_OK)
        base_release(context, pipeline, 1, sizeof *pipeline);
    else
        *out = pipeline;
    return status;
}

static void destroy(void *state)
{
    engine_pipeline *pipeline = state;
    engine_pipeline_close(pipeline);
    base_release(pipeline->context, pipeline, 1, sizeof *pipeline);
}

static carom_status run(void *state, const carom_frame *frame, const carom_collide_options *options,
                        engine_builder *builder)
{
    return engine_pipeline_run(state, frame, options, builder);
}

const engine_kind engine_tree = {
    {"tree", "bounding volume trees, exact triangle tests", CAROM_CLASS_EXACT}, create, run, destroy};
