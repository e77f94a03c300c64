/* The thesis's images of pairs of nodes, one pair at a time or all of a level together: sampled. */
#include "engine/image/ibcd.h"

/* A polygon has facets on one side only: adds those of the other. Repeating the first index of a strip turns all of
 * its triangles around. */
static uint32_t add_back(uint32_t *indices, uint32_t count)
{
    uint32_t end = count;
    for (uint32_t i = 0; i < count; i++)
    {
        bool first = i == 0 || indices[i - 1] == CONVEX_NONE;
        if (i == 0)
            indices[end++] = CONVEX_NONE;
        if (first)
            indices[end++] = indices[i];
        indices[end++] = indices[i];
    }
    return end;
}

/* Strips are decoded when they are drawn (thesis, 2.3.4). Hulls without area cover no centre for certain. */
static carom_status draw(image_walk *walk, int which, uint32_t node, const image_sight *sight, image_drawing *out)
{
    image_state *state = walk->state;
    const convex_node *hull = &convex_nodes(walk->body[which].pieces)[node];
    uint32_t count = hull->index_count;
    state->strips[which].count = 0;
    if (!base_array_reserve(state->context, &state->strips[which], 3 * (size_t)count + 2))
        return image_out_of_memory(state->context);
    uint32_t *indices = state->strips[which].items;
    convex_decode_strips(walk->body[which].pieces, hull, indices);
    for (uint32_t i = 0; i < count; i++)
        if (indices[i] != CONVEX_NONE)
            indices[i] = state->place[which].items[indices[i]];
    if (hull->dimension == 2)
        count = add_back(indices, count);
    image_strips facets = {indices, count, true};
    return image_draw_hull(state->context, &sight->view, &sight->seen[which], &facets, &state->canvas[which], out)
               ? CAROM_OK
               : image_out_of_memory(state->context);
}

/* The resolution: as many pixels as the wanted accuracy takes, but not more than asked for; or as asked for. */
static int choose_side(const image_state *state, const image_view *view)
{
    uint32_t limit = gpu_max_target(state->device);
    uint32_t wanted = state->accuracy > 0.0 ? state->max_side : state->side, most = wanted < limit ? wanted : limit;
    return state->accuracy > 0.0 ? image_side_for(view, state->accuracy, (int)most) : (int)most;
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
    state->stencil.kept = state->on_image ? &state->kept : NULL;
    BASE_TRY(image_stencil_meet(&state->stencil, &sight.view, drawings, meets));
    state->stats.images_apart += !*meets;
    if (state->on_image)
        BASE_TRY(image_show_sampled(walk, pair, &sight.view, *meets));
    double size = image_sampled_size(&sight.view);
    if (!*meets && size > walk->task->counters->sampled_size)
        walk->task->counters->sampled_size = size;
    return CAROM_OK;
}

/* ---- all pairs of a level ---- */

static uint32_t index_count(const image_walk *walk, int which, uint32_t node)
{
    return 3 * convex_nodes(walk->body[which].pieces)[node].index_count; /* polygons have two sides */
}

/* Adds a pair to the sheet, unless it is apart anyway. */
static carom_status add_to_sheet(image_walk *walk, narrow_part_pair pair, bool *apart)
{
    image_state *state = walk->state;
    image_sight sight;
    image_drawing drawings[2];
    BASE_TRY(image_look(walk, pair, (int)state->sheet.tiles.side, &sight));
    *apart = sight.apart;
    if (*apart)
        return CAROM_OK;
    BASE_TRY(draw(walk, 0, pair.part_a, &sight, &drawings[0]));
    BASE_TRY(draw(walk, 1, pair.part_b, &sight, &drawings[1]));
    if (!image_sheet_add(state->context, &state->sheet, drawings) ||
        !base_array_reserve(state->context, &state->sizes, 1))
        return image_out_of_memory(state->context);
    state->sizes.items[state->sizes.count++] = image_sampled_size(&sight.view);
    return CAROM_OK;
}

/* Pairs of `drawn` from *at on until the sheet is full. They are gathered from `first` on. */
static carom_status fill_sheet(image_walk *walk, size_t *at, size_t first)
{
    image_state *state = walk->state;
    double start = base_now();
    state->sizes.count = 0;
    uint32_t max_side = image_max_tile(state->device), side = state->side < max_side ? state->side : max_side;
    BASE_TRY(image_sheet_begin(&state->sheet, side, state->drawn.count - *at));
    for (; *at < state->drawn.count; ++*at)
    {
        bool apart;
        narrow_part_pair pair = state->drawn.items[*at];
        if (!image_sheet_has_room(&state->sheet, index_count(walk, 0, pair.part_a), index_count(walk, 1, pair.part_b)))
            break;
        BASE_TRY(add_to_sheet(walk, pair, &apart));
        if (!apart)
            state->drawn.items[first + state->sheet.count - 1] = pair;
    }
    state->stats.view_seconds += base_now() - start;
    return CAROM_OK;
}

static carom_status run_sheet(image_walk *walk, size_t *at, size_t *kept)
{
    image_state *state = walk->state;
    size_t first = *kept;
    BASE_TRY(fill_sheet(walk, at, first));
    state->meets.count = 0;
    if (!base_array_reserve(state->context, &state->meets, state->sheet.count))
        return image_out_of_memory(state->context);
    BASE_TRY(image_sheet_run(state->context, &state->sheet, state->meets.items));
    for (uint32_t i = 0; i < state->sheet.count; i++)
    {
        state->stats.images_apart += !state->meets.items[i];
        double *stated = &walk->task->counters->sampled_size;
        if (state->meets.items[i])
            state->drawn.items[(*kept)++] = state->drawn.items[first + i];
        else if (state->sizes.items[i] > *stated)
            *stated = state->sizes.items[i];
    }
    return CAROM_OK;
}

carom_status image_reject_sampled(image_walk *walk)
{
    image_state *state = walk->state;
    size_t at = 0, kept = 0;
    BASE_TRY(image_begin_device(state));
    while (at < state->drawn.count)
        BASE_TRY(run_sheet(walk, &at, &kept));
    state->drawn.count = kept;
    return CAROM_OK;
}
