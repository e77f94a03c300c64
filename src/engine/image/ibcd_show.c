/* Hands images over to who wants to see them (carom_engine_def.on_image). */
#include "engine/image/ibcd.h"

static carom_engine_image describe(const image_walk *walk, narrow_part_pair pair, const image_view *view, bool meets)
{
    carom_engine_image image = {.node_a = pair.part_a,
                                .node_b = pair.part_b,
                                .leaf_a = image_is_leaf(walk->body[0].pieces, pair.part_a),
                                .leaf_b = image_is_leaf(walk->body[1].pieces, pair.part_b),
                                .meets = meets,
                                .side = (uint32_t)view->side,
                                .axis = {view->axis[0], view->axis[1], view->axis[2]},
                                .centre = view->centre,
                                .low = {view->low[0], view->low[1]},
                                .pixel = {1.0 / view->scale[0], 1.0 / view->scale[1]}};
    return image;
}

/* Room for the layers of an image. */
static carom_status make_room(image_state *state, size_t pixels)
{
    state->shown.count = 0;
    return base_array_reserve(state->context, &state->shown, 4 * pixels) ? CAROM_OK
                                                                         : image_out_of_memory(state->context);
}

/* ---- sampled ---- */

carom_status image_show_sampled(image_walk *walk, narrow_part_pair pair, const image_view *view, bool meets)
{
    static const char *const names[2][2] = {{"a-front", "a-stencil"}, {"b-front", "b-stencil"}};
    image_state *state = walk->state;
    size_t pixels = (size_t)view->side * (size_t)view->side;
    carom_engine_image image = describe(walk, pair, view, meets);
    carom_engine_layer layers[4];
    BASE_TRY(make_room(state, pixels));
    for (int turn = 0; turn < 1 + state->kept.swapped; turn++)
    {
        const float *depth = state->kept.depth[turn].items;
        const uint8_t *stencil = state->kept.stencil[turn].items;
        float *fronts = state->shown.items + 2 * turn * pixels, *counts = fronts + pixels;
        for (size_t i = 0; i < pixels; i++)
        {
            counts[i] = stencil[i];
            fronts[i] = stencil[i] > 0 ? (float)((2.0 * (double)depth[i] - 1.0) / view->depth_scale) : NAN;
        }
        layers[image.layer_count++] = (carom_engine_layer){names[turn][0], true, fronts};
        layers[image.layer_count++] = (carom_engine_layer){names[turn][1], false, counts};
    }
    image.layers = layers, image.sampled_size = image_sampled_size(view);
    state->on_image(&image, state->on_image_user);
    return CAROM_OK;
}

/* ---- certified ---- */

/* The depths of a tile, by layer. */
static void take_tile(const image_state *state, const image_tiles *tiles, uint32_t tile, float *out)
{
    float at[2];
    double depth_scale = state->views.items[tile].depth_scale;
    size_t side = tiles->side, pixels = side * side;
    image_tile_at(tiles, tile, at);
    for (size_t i = 0; i < pixels; i++)
    {
        size_t x = (size_t)at[0] + i % side, y = (size_t)at[1] + i / side;
        const float *depth = state->texels.items[y * tiles->width + x].depth;
        for (size_t layer = 0; layer < 4; layer++)
        {
            double value = layer % 2 ? (double)depth[layer] : -(double)depth[layer]; /* -low, high */
            out[layer * pixels + i] = depth[layer] > IMAGE_NOTHING ? (float)(value / depth_scale) : NAN;
        }
    }
}

carom_status image_show_certified(image_walk *walk, const image_tiles *tiles, const narrow_part_pair *pairs)
{
    static const char *const names[4] = {"a-near", "a-far", "b-near", "b-far"};
    image_state *state = walk->state;
    size_t texels = (size_t)tiles->width * tiles->width, pixels = (size_t)tiles->side * tiles->side;
    state->texels.count = 0;
    if (!base_array_reserve(state->context, &state->texels, texels))
        return image_out_of_memory(state->context);
    BASE_TRY(make_room(state, pixels));
    BASE_TRY(image_pass_depths(&state->pass, tiles, state->texels.items));
    for (uint32_t i = 0; i < state->views.count; i++)
    {
        carom_engine_image image = describe(walk, pairs[i], &state->views.items[i], state->meets.items[i]);
        carom_engine_layer layers[4];
        take_tile(state, tiles, i, state->shown.items);
        for (int k = 0; k < 4; k++)
            layers[k] = (carom_engine_layer){names[k], true, state->shown.items + (size_t)k * pixels};
        image.layers = layers, image.layer_count = 4;
        state->on_image(&image, state->on_image_user);
    }
    return CAROM_OK;
}
