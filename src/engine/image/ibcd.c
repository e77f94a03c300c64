/* Engines `image` and `image-sampled`. Distances, rays and what is near a segment, which the thesis does not treat, are
 * answered by the default trees. */
#include "engine/image/ibcd.h"

carom_status image_out_of_memory(carom_context *context)
{
    return base_fail(context, CAROM_OUT_OF_MEMORY, "engine: no memory for images");
}

/* ---- the other questions ---- */

static carom_status distance(void *state, const query_task *task, narrow_closest *closest)
{
    return query_tree_method.distance(&((image_state *)state)->scratch, task, closest);
}

static carom_status within(void *state, const query_task *task, double limit, bool *within)
{
    return query_tree_method.within(&((image_state *)state)->scratch, task, limit, within);
}

static carom_status near_shape(void *state, const query_mesh_task *task, const narrow_near *near)
{
    return query_tree_method.near(&((image_state *)state)->scratch, task, near);
}

static carom_status line_x(void *state, const query_mesh_task *task, carom_vec3 point,
                           void (*on_triangle)(uint32_t triangle, void *user), void *user)
{
    return query_tree_method.line_x(&((image_state *)state)->scratch, task, point, on_triangle, user);
}

static const query_method IMAGE_METHOD = {.collide = image_collide,
                                          .distance = distance,
                                          .within = within,
                                          .near = near_shape,
                                          .line_x = line_x,
                                          .needs_trees = true};

/* ---- states ---- */

static void destroy_state(void *object)
{
    image_state *state = object;
    carom_context *context = state->context;
    gpu_close(state->device); /* with all that the pass has there */
    base_array_free(context, &state->open);
    base_array_free(context, &state->current_level);
    base_array_free(context, &state->next_level);
    base_array_free(context, &state->drawn);
    base_array_free(context, &state->records);
    base_array_free(context, &state->meets);
    for (int which = 0; which < 2; which++)
    {
        base_array_free(context, &state->place[which]);
        base_array_free(context, &state->strips[which]);
        image_canvas_free(context, &state->canvas[which]);
        base_array_free(context, &state->points[which]);
        base_array_free(context, &state->faces[which]);
    }
    base_array_free(context, &state->order);
    base_array_free(context, &state->space);
    tree_scratch_free(&state->scratch);
    base_release(context, state, 1, sizeof *state);
}

/* The device is opened at once, so that an engine that can't be used is not made. */
static carom_status create_state(carom_context *context, const carom_engine_def *def, bool sampled, void **out)
{
    uint32_t side = def->image_side > 0 ? def->image_side : IMAGE_SIDE;
    *out = NULL;
    if (side > IMAGE_MAX_SIDE)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "engine create: image_side is %u, more than %d", side,
                         IMAGE_MAX_SIDE);
    image_state *state = base_allocate(context, 1, sizeof *state, BASE_CACHE_LINE);
    if (!state)
        return image_out_of_memory(context);
    memset(state, 0, sizeof *state);
    state->context = state->scratch.context = context;
    state->scratch.ray_frame.pose = carom_pose_identity();
    state->side = side, state->always = def->image_always;
    state->sampled = sampled, state->accuracy = def->image_accuracy;
    carom_status status = gpu_open(context, NULL, &state->device);
    if (status != CAROM_OK)
        return destroy_state(state), status;
    *out = state;
    return CAROM_OK;
}

static carom_status create_certified(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, false, out);
}

static carom_status create_sampled(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, true, out);
}

static void add_stats(const void *object, carom_engine_stats *sum)
{
    const image_state *state = object;
    sum->depth = state->stats.depth > sum->depth ? state->stats.depth : sum->depth;
    sum->images_apart += state->stats.images_apart, sum->image_seconds += state->stats.image_seconds;
    sum->passes += state->pass.stats.passes, sum->images += state->pass.stats.tiles;
    sum->pixels += state->pass.stats.pixels;
    sum->passes += state->stencil.stats.passes, sum->images += state->stencil.stats.pairs;
    sum->pixels += state->stencil.stats.pixels;
}

/* ---- assets ---- */

carom_status image_create_asset(void *context, const carom_shape *shape, void **out)
{
    *out = NULL;
    if (shape->kind != CAROM_SHAPE_MESH)
        return CAROM_OK;
    return convex_pieces_create(context, shape->mesh, (convex_pieces **)out);
}

static carom_status load_asset(carom_context *context, const carom_shape *shape, const char *folder, void **out)
{
    *out = NULL;
    if (shape->kind != CAROM_SHAPE_MESH)
        return CAROM_OK;
    return convex_pieces_create_cached(context, shape->mesh, folder, (convex_pieces **)out);
}

void image_destroy_asset(void *context, void *object) { convex_pieces_destroy(context, object); }

const engine_kind engine_image = {
    .info = {"image", "thesis 2: trees of convex hulls, certified depth images on the GPU", CAROM_CLASS_EXACT},
    .method = &IMAGE_METHOD,
    .create_state = create_certified,
    .destroy_state = destroy_state,
    .add_stats = add_stats,
    .create_asset = image_create_asset,
    .load_asset = load_asset,
    .destroy_asset = image_destroy_asset};

const engine_kind engine_image_sampled = {
    .info = {"image-sampled", "thesis 2: the same trees, depth and stencil images sampled at pixels",
             CAROM_CLASS_SAMPLED},
    .method = &IMAGE_METHOD,
    .create_state = create_sampled,
    .destroy_state = destroy_state,
    .add_stats = add_stats,
    .create_asset = image_create_asset,
    .load_asset = load_asset,
    .destroy_asset = image_destroy_asset};
