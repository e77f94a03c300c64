/* Engines `image`, `image-sampled` and `recode`. Distances, rays and what is near a segment, which the thesis does not
 * treat, are answered by the default trees. */
#include "engine/image/ibcd.h"

#include "engine/image/by_trees.h"
#include "engine/image/image_def.h"

carom_status image_out_of_memory(carom_context *context)
{
    return base_fail(context, CAROM_OUT_OF_MEMORY, "engine: no memory for images");
}

static const query_method IMAGE_METHOD = IMAGE_METHOD_OF(image_collide);

/* ---- states ---- */

static void destroy_state(void *object)
{
    image_state *state = object;
    carom_context *context = state->context;
    image_close_device(state);
    base_array_free(context, &state->current_level);
    base_array_free(context, &state->next_level);
    base_array_free(context, &state->waiting);
    base_array_free(context, &state->blocks);
    base_array_free(context, &state->drawn);
    base_array_free(context, &state->records);
    base_array_free(context, &state->meets);
    base_array_free(context, &state->sizes);
    image_sheet_free(context, &state->sheet);
    for (int which = 0; which < 2; which++)
    {
        base_array_free(context, &state->place[which]);
        base_array_free(context, &state->strips[which]);
        image_canvas_free(context, &state->canvas[which]);
        base_array_free(context, &state->points[which]);
        base_array_free(context, &state->faces[which]);
    }
    base_array_free(context, &state->found);
    base_array_free(context, &state->order);
    base_array_free(context, &state->space);
    base_array_free(context, &state->views);
    base_array_free(context, &state->texels);
    base_array_free(context, &state->shown);
    image_stencil_kept_free(context, &state->kept);
    tree_scratch_free(&state->scratch);
    base_release(context, state, 1, sizeof *state);
}

typedef enum image_kind
{
    CERTIFIED,
    SAMPLED,
    RECODE
} image_kind;

/* The device is opened at once, so that an engine that can't be used is not made. */
static carom_status create_state(carom_context *context, const carom_engine_def *def, image_kind kind, void **out)
{
    uint32_t side = def->image_side > 0 ? def->image_side : IMAGE_SIDE;
    *out = NULL;
    BASE_TRY(image_check_def(context, def));
    image_state *state = base_allocate(context, 1, sizeof *state, BASE_CACHE_LINE);
    if (!state)
        return image_out_of_memory(context);
    memset(state, 0, sizeof *state);
    state->context = state->scratch.context = context;
    state->scratch.ray_frame.pose = carom_pose_identity();
    state->side = side, state->max_side = def->image_side > 0 ? def->image_side : IMAGE_MAX_SIDE;
    state->always = def->image_always;
    state->sampled = kind != CERTIFIED, state->recode = kind == RECODE, state->accuracy = def->image_accuracy;
    state->on_image = def->on_image, state->on_image_user = def->on_image_user;
    carom_status status = gpu_open(context, NULL, &state->device);
    if (status != CAROM_OK)
        return destroy_state(state), status;
    *out = state;
    return CAROM_OK;
}

static carom_status create_certified(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, CERTIFIED, out);
}

static carom_status create_sampled(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, SAMPLED, out);
}

static carom_status create_recode(carom_context *context, const carom_engine_def *def, void **out)
{
    return create_state(context, def, RECODE, out);
}

static void add_stats(const void *object, carom_engine_stats *sum)
{
    const image_state *state = object;
    sum->depth = state->stats.depth > sum->depth ? state->stats.depth : sum->depth;
    sum->images_apart += state->stats.images_apart, sum->views_apart += state->stats.views_apart;
    sum->image_seconds += state->stats.image_seconds;
    sum->box_seconds += state->stats.box_seconds, sum->view_seconds += state->stats.view_seconds;
    sum->exact_seconds += state->stats.exact_seconds;
    const image_pass_stats *pass = &state->pass.stats;
    sum->passes += pass->passes, sum->images += pass->tiles, sum->pixels += pass->pixels;
    sum->upload_seconds += pass->upload_seconds, sum->draw_seconds += pass->draw_seconds;
    sum->query_seconds += pass->read_seconds;
    const image_stencil_stats *sampled[2] = {&state->stencil.stats, &state->sheet.stats};
    for (int i = 0; i < 2; i++)
    {
        sum->passes += sampled[i]->passes, sum->images += sampled[i]->pairs, sum->pixels += sampled[i]->pixels;
        sum->upload_seconds += sampled[i]->upload_seconds, sum->draw_seconds += sampled[i]->draw_seconds;
        sum->query_seconds += sampled[i]->query_seconds;
    }
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
    .info = {"image", "thesis 2: trees of convex hulls, certified depth images on the GPU", CAROM_CLASS_EXACT, true},
    .method = &IMAGE_METHOD,
    .create_state = create_certified,
    .destroy_state = destroy_state,
    .add_stats = add_stats,
    .create_asset = image_create_asset,
    .load_asset = load_asset,
    .destroy_asset = image_destroy_asset};

const engine_kind engine_image_sampled = {
    .info = {"image-sampled", "thesis 2: the same trees, depth and stencil images sampled at pixels",
             CAROM_CLASS_SAMPLED, true},
    .method = &IMAGE_METHOD,
    .create_state = create_sampled,
    .destroy_state = destroy_state,
    .add_stats = add_stats,
    .create_asset = image_create_asset,
    .load_asset = load_asset,
    .destroy_asset = image_destroy_asset};

const engine_kind engine_recode = {
    .info = {"recode", "Baciu, Wong, Sun 1999: depth and stencil images of all pairs of convex pieces",
             CAROM_CLASS_SAMPLED, true},
    .method = &IMAGE_METHOD,
    .create_state = create_recode,
    .destroy_state = destroy_state,
    .add_stats = add_stats,
    .create_asset = image_create_asset,
    .load_asset = load_asset,
    .destroy_asset = image_destroy_asset};
