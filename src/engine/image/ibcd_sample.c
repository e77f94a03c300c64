/* The thesis's images of pairs of nodes, one pair at a time: sampled. */
#include "engine/image/ibcd.h"

/* Strips are decoded when they are drawn (thesis, 2.3.4). Hulls without volume cover no centre for certain. */
static carom_status draw(image_walk *walk, int which, uint32_t node, const image_sight *sight, image_drawing *out)
{
    image_state *state = walk->state;
    const convex_node *hull = &convex_nodes(walk->body[which].pieces)[node];
    state->strips[which].count = 0;
    if (!base_array_reserve(state->context, &state->strips[which], hull->index_count))
        return image_out_of_memory(state->context);
    uint32_t *indices = state->strips[which].items;
    convex_decode_strips(walk->body[which].pieces, hull, indices);
    for (uint32_t i = 0; i < hull->index_count; i++)
        if (indices[i] != CONVEX_NONE)
            indices[i] = state->place[which].items[indices[i]];
    image_strips facets = {indices, hull->index_count, true};
    return image_draw_hull(state->context, &sight->view, &sight->seen[which], &facets, &state->canvas[which], out)
               ? CAROM_OK
               : image_out_of_memory(state->context);
}

/* The resolution: as many pixels as the wanted accuracy takes, or as asked for. */
static int choose_side(const image_state *state, const image_view *view)
{
    uint32_t limit = gpu_info(state->device)->limits.renderbuffer_size;
    int most = (int)(limit < IMAGE_MAX_SIDE ? limit : IMAGE_MAX_SIDE);
    if (state->accuracy > 0.0)
        return image_side_for(view, state->accuracy, most);
    return (int)state->side < most ? (int)state->side : most;
}

carom_status image_sample(image_walk *walk, narrow_part_pair pair, bool *meets)
{
    image_state *state = walk->state;
    image_sight sight;
    image_drawing drawings[2];
    double start = base_now();
    *meets = false;
    BASE_TRY(image_look(walk, pair, IMAGE_SIDE, &sight));
    if (sight.apart)
        return CAROM_OK;
    if (!image_fit_view(&sight.seen[0], &sight.seen[1], choose_side(state, &sight.view), &sight.view))
        return CAROM_OK;
    BASE_TRY(draw(walk, 0, pair.part_a, &sight, &drawings[0]));
    BASE_TRY(draw(walk, 1, pair.part_b, &sight, &drawings[1]));
    state->stats.view_seconds += base_now() - start;
    BASE_TRY(image_stencil_meet(&state->stencil, &sight.view, drawings, meets));
    double size = image_sampled_size(&sight.view);
    if (!*meets && size > walk->task->counters->sampled_size)
        walk->task->counters->sampled_size = size;
    return CAROM_OK;
}
