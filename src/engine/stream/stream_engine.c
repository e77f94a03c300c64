/* Engines `scd0`, `scd1`, `scd2` and `scd-triangles`. Distances, rays and what is near a segment, which the thesis does
 * not treat, are answered by the default trees. */
#include "engine/image/by_trees.h"
#include "engine/stream/stream.h"

static const query_method STREAM_METHOD = {.collide = stream_collide,
                                           .distance = image_distance_by_trees,
                                           .within = image_within_by_trees,
                                           .near = image_near_by_trees,
                                           .line_x = image_line_by_trees,
                                           .needs_trees = true,
                                           .repeats = true};

/* ---- the device ---- */

/* Trying to open a driver that is gone takes milliseconds: so many searches do without one before the next attempt. */
enum
{
    STREAM_PATIENCE = 64
};

static carom_status open_device(stream_state *state)
{
    if (state->next_attempt > state->balance.searches)
        return base_fail(state->context, CAROM_UNAVAILABLE, "engine: the driver was lost and can't be opened again");
    carom_status status = gpu_open(state->context, NULL, &state->device);
    state->next_attempt = status == CAROM_UNAVAILABLE ? state->balance.searches + STREAM_PATIENCE : 0;
    return status;
}

carom_status stream_begin_device(stream_state *state)
{
    if (!state->device)
        BASE_TRY(open_device(state));
    if (!state->current)
        BASE_TRY(gpu_begin(state->device));
    state->current = true;
    if (state->pass.device)
        return CAROM_OK;
    stream_pass_stats stats = state->pass.stats; /* what was drawn on earlier devices counts as well */
    carom_status status = stream_pass_create(state->device, &state->pass);
    state->pass.stats = stats;
    return status;
}

carom_status stream_end_device(stream_state *state)
{
    if (!state->current)
        return CAROM_OK;
    state->current = false;
    carom_status status = gpu_end(state->device);
    /* answers were read before it was lost; the next search opens another device */
    return gpu_is_lost(state->device) ? CAROM_OK : status;
}

void stream_close_device(stream_state *state)
{
    if (state->current)
        gpu_end(state->device);
    gpu_close(state->device);
    state->current = false, state->device = NULL;
    state->pass = (stream_pass){.stats = state->pass.stats};
}

/* ---- states ---- */

static void destroy_state(void *object)
{
    stream_state *state = object;
    carom_context *context = state->context;
    stream_close_device(state);
    for (int which = 0; which < 2; which++)
        base_array_free(context, &state->points[which]);
    base_array_free(context, &state->edges);
    base_array_free(context, &state->packed);
    base_array_free(context, &state->stencil);
    base_array_free(context, &state->hits);
    base_array_free(context, &state->open);
    base_array_free(context, &state->lists);
    edge_proposed_free(context, &state->proposed);
    edge_proposed_free(context, &state->printed_pairs);
    edge_proposed_free(context, &state->exact_pairs);
    tree_scratch_free(&state->scratch);
    base_release(context, state, 1, sizeof *state);
}

/* The device is opened at once, so that an engine that can't be used is not made. */
static carom_status create_state(carom_context *context, const carom_engine_def *def, stream_method method, void **out)
{
    *out = NULL;
    stream_state *state = base_allocate(context, 1, sizeof *state, BASE_CACHE_LINE);
    if (!state)
        return stream_out_of_memory(context);
    memset(state, 0, sizeof *state);
    state->context = state->scratch.context = context;
    state->scratch.ray_frame.pose = carom_pose_identity();
    state->method = method, state->always = def->image_always, state->printed = def->as_printed;
    state->processor = def->on_processor;
    carom_status status = state->processor ? CAROM_OK : gpu_open(context, NULL, &state->device);
    if (status != CAROM_OK)
        return destroy_state(state), status;
    *out = state;
    return CAROM_OK;
}

static carom_status create_scd0(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, STREAM_SCD0, out);
}

static carom_status create_scd1(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, STREAM_SCD1, out);
}

static carom_status create_scd2(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, STREAM_SCD2, out);
}

static carom_status create_triangles(carom_context *context, const carom_engine_def *def, void **out)
{
    *out = NULL;
    if (def->as_printed)
        return base_fail(context, CAROM_INVALID_ARGUMENT,
                         "engine create: as_printed: the thesis has no code for engine scd-triangles");
    return create_state(context, def, STREAM_TRIANGLE_PAIRS, out);
}

static void add_stats(const void *object, carom_engine_stats *sum)
{
    const stream_state *state = object;
    const carom_engine_stats *own = &state->stats;
    sum->edge_tests += own->edge_tests, sum->edge_box_tests += own->edge_box_tests;
    sum->passes_computed += own->passes_computed, sum->packed_textures += own->packed_textures;
    sum->exact_seconds += own->exact_seconds;
    sum->printed_searches += own->printed_searches, sum->printed_missed += own->printed_missed;
    sum->printed_wrong += own->printed_wrong, sum->printed_pairs += own->printed_pairs;
    sum->printed_pairs_missed += own->printed_pairs_missed, sum->printed_pairs_wrong += own->printed_pairs_wrong;
    const stream_pass_stats *pass = &state->pass.stats;
    sum->passes += pass->passes, sum->pixels += pass->pixels, sum->stencil_reads += pass->reads;
    sum->upload_seconds += pass->upload_seconds, sum->draw_seconds += pass->draw_seconds;
    sum->query_seconds += pass->query_seconds;
}

/* ---- the engines ---- */

const engine_kind engine_scd0 = {
    .info = {"scd0", "thesis 3.3: all edges as textures, a pass per triangle", CAROM_CLASS_EXACT, false},
    .method = &STREAM_METHOD,
    .create_state = create_scd0,
    .destroy_state = destroy_state,
    .add_stats = add_stats,
    .create_asset = stream_create_asset,
    .update_asset = stream_update_asset,
    .destroy_asset = stream_destroy_asset};

const engine_kind engine_scd1 = {
    .info = {"scd1", "thesis 3.5.1: the same, below the boxes of a tree that edges meet", CAROM_CLASS_EXACT, false},
    .method = &STREAM_METHOD,
    .create_state = create_scd1,
    .destroy_state = destroy_state,
    .add_stats = add_stats,
    .create_asset = stream_create_asset,
    .update_asset = stream_update_asset,
    .destroy_asset = stream_destroy_asset};

const engine_kind engine_scd2 = {.info = {"scd2",
                                          "thesis 3.5.2: the same, edges that met a box packed into smaller textures",
                                          CAROM_CLASS_EXACT, false},
                                 .method = &STREAM_METHOD,
                                 .create_state = create_scd2,
                                 .destroy_state = destroy_state,
                                 .add_stats = add_stats,
                                 .create_asset = stream_create_asset,
                                 .update_asset = stream_update_asset,
                                 .destroy_asset = stream_destroy_asset};

const engine_kind engine_scd_triangles = {
    .info = {"scd-triangles", "thesis 3.7: as scd2 with triangles for edges", CAROM_CLASS_EXACT, false},
    .method = &STREAM_METHOD,
    .create_state = create_triangles,
    .destroy_state = destroy_state,
    .add_stats = add_stats,
    .create_asset = stream_create_asset,
    .update_asset = stream_update_asset,
    .destroy_asset = stream_destroy_asset};
