/* Images of pairs of nodes: which of them may meet? */
#include "engine/image/ibcd.h"

/* ---- one pair ---- */

static volume_box place_box(const carom_pose *pose, const volume_box *box)
{
    volume_box placed = *box;
    carom_pose turn = *pose;
    turn.translation = vec3(0.0, 0.0, 0.0);
    placed.centre = pose_apply(pose, box->centre);
    for (int i = 0; i < 3; i++)
        placed.axis[i] = pose_apply(&turn, box->axis[i]);
    return placed;
}

/* The box that sets the view. */
static volume_box box_of(const image_walk *walk, int which, uint32_t node)
{
    const image_body *body = &walk->body[which];
    if (!walk->state->recode)
        return place_box(body->placed->pose, image_node_box(body->pieces, node));
    carom_aabb box = image_piece_box(walk, which, node);
    return image_upright_box(&box);
}

/* The vertices of a node's hull as a view sees them. */
static carom_status see_node(image_walk *walk, int which, uint32_t node, const image_view *view, image_seen *out)
{
    image_state *state = walk->state;
    const image_body *body = &walk->body[which];
    const convex_node *hull = &convex_nodes(body->pieces)[node];
    const uint32_t *vertices = convex_vertices(body->pieces, hull);
    state->points[which].count = state->place[which].count = 0;
    if (!base_array_reserve(state->context, &state->points[which], hull->vertex_count) ||
        !base_array_reserve(state->context, &state->place[which], body->placed->mesh->vertex_count))
        return image_out_of_memory(state->context);
    out->points = state->points[which].items, out->placement = body->placement;
    image_see_nothing(out);
    for (uint32_t i = 0; i < hull->vertex_count; i++)
    {
        image_see(view, pose_apply(body->placed->pose, body->placed->mesh->vertices[vertices[i]]), out);
        state->place[which].items[vertices[i]] = i;
    }
    return CAROM_OK;
}

/* The triangle i of a hull; hulls without area are drawn as one that is degenerate. */
static void facet_corners(const convex_node *hull, const uint32_t *facet, const uint32_t *place, uint32_t out[3])
{
    for (uint32_t k = 0; k < 3; k++)
        out[k] = hull->facet_count > 0 ? place[facet[k]] : k < hull->vertex_count ? k : 0;
}

static carom_status draw_node(image_walk *walk, int which, uint32_t node, const image_view *view, const float tile[2])
{
    image_state *state = walk->state;
    const convex_pieces *pieces = walk->body[which].pieces;
    const convex_node *hull = &convex_nodes(pieces)[node];
    const uint32_t *facets = convex_facets(pieces, hull);
    const carom_vec3 *points = state->points[which].items;
    uint32_t count = hull->facet_count > 0 ? hull->facet_count : 1;
    if (!base_array_reserve(state->context, &state->records, count))
        return image_out_of_memory(state->context);
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t index[3];
        carom_vec3 corner[3];
        image_record *record = &state->records.items[state->records.count];
        facet_corners(hull, facets + 3 * (size_t)i, state->place[which].items, index);
        for (int k = 0; k < 3; k++)
            corner[k] = image_to_pixels(view, points[index[k]]);
        if (!image_prepare(view, corner, record))
            continue;
        record->tile[0] = tile[0], record->tile[1] = tile[1], record->body = (float)which;
        state->records.count++;
    }
    return CAROM_OK;
}

static bool is_flat(const image_walk *walk, int which, uint32_t node)
{
    return convex_nodes(walk->body[which].pieces)[node].dimension == 2;
}

/* RECODE's is given by the world's axes; intervals show hulls from every side. */
static void choose_view(const image_walk *walk, narrow_part_pair pair, const volume_box *const boxes[2],
                        image_view *view)
{
    bool may_vanish = walk->state->sampled && !walk->state->recode;
    if (may_vanish && is_flat(walk, 0, pair.part_a))
        image_choose_flat_view(boxes[0], boxes[1], view);
    else if (may_vanish && is_flat(walk, 1, pair.part_b))
        image_choose_flat_view(boxes[1], boxes[0], view);
    else
    {
        image_overlap overlap = image_overlap_of(boxes[0], boxes[1]);
        image_choose_view(boxes[0], boxes[1], &overlap, view);
    }
}

carom_status image_look(image_walk *walk, narrow_part_pair pair, int side, image_sight *out)
{
    volume_box a = box_of(walk, 0, pair.part_a), b = box_of(walk, 1, pair.part_b);
    choose_view(walk, pair, (const volume_box *[2]){&a, &b}, &out->view);
    BASE_TRY(see_node(walk, 0, pair.part_a, &out->view, &out->seen[0]));
    BASE_TRY(see_node(walk, 1, pair.part_b, &out->view, &out->seen[1]));
    out->apart = !image_fit_view(&out->seen[0], &out->seen[1], side, &out->view);
    walk->state->stats.views_apart += out->apart;
    return CAROM_OK;
}

/* Adds a pair to the records, in this tile. *apart: there is no need to. */
static carom_status draw_pair(image_walk *walk, narrow_part_pair pair, const image_tiles *tiles, uint32_t tile,
                              bool *apart)
{
    image_state *state = walk->state;
    image_sight sight;
    float corner[2];
    BASE_TRY(image_look(walk, pair, (int)tiles->side, &sight));
    *apart = sight.apart;
    if (*apart)
        return CAROM_OK;
    if (state->on_image)
    {
        if (!base_array_reserve(state->context, &state->views, 1))
            return image_out_of_memory(state->context);
        state->views.items[state->views.count++] = sight.view;
    }
    image_tile_at(tiles, tile, corner);
    BASE_TRY(draw_node(walk, 0, pair.part_a, &sight.view, corner));
    return draw_node(walk, 1, pair.part_b, &sight.view, corner);
}

/* ---- batches ---- */

/* Draws pairs from *at to the end, or until a target is full; keeps those that may meet, also where it fails. */
static carom_status run_batch(image_walk *walk, size_t end, size_t *at, size_t *kept)
{
    image_state *state = walk->state;
    image_tiles tiles;
    size_t left = end - *at, first = *kept;
    uint32_t count = 0, max_side = image_max_tile(state->device);
    double start = base_now();
    BASE_TRY(image_pass_layout(&state->pass, state->side < max_side ? state->side : max_side, left, &tiles));
    state->records.count = state->views.count = 0;
    for (; *at < end && count < tiles.capacity; ++*at)
    {
        bool apart;
        narrow_part_pair pair = state->drawn.items[*at];
        BASE_TRY(draw_pair(walk, pair, &tiles, count, &apart));
        if (apart)
            continue;
        state->drawn.items[first + count++] = pair; /* those before are done with */
    }
    state->stats.view_seconds += base_now() - start;
    state->meets.count = 0;
    if (!base_array_reserve(state->context, &state->meets, count))
        return image_out_of_memory(state->context);
    carom_status status = CAROM_OK;
    if (count > 0)
        status = image_pass_run(&state->pass, &tiles, &state->records, count, state->meets.items);
    if (count > 0 && state->on_image && !carom_failed(status))
        status = image_show_certified(walk, &tiles, state->drawn.items + first);
    if (carom_failed(status))
        return *kept += count, status; /* nothing is known of these */
    for (uint32_t i = 0; i < count; i++)
        if (state->meets.items[i])
            state->drawn.items[(*kept)++] = state->drawn.items[first + i];
    state->stats.images_apart += first + count - *kept;
    return CAROM_OK;
}

/* Without a driver nothing is rejected: the answer stays exact. */
carom_status image_reject(image_walk *walk, size_t count)
{
    image_state *state = walk->state;
    size_t at = 0, kept = 0;
    carom_status status = image_begin_device(state);
    while (status == CAROM_OK && at < count)
        status = run_batch(walk, count, &at, &kept);
    if (carom_failed(status))
        image_close_device(state);
    if (status == CAROM_UNAVAILABLE)
        status = CAROM_OK;
    /* those that were not looked at stay */
    size_t left = state->drawn.count - at;
    memmove(state->drawn.items + kept, state->drawn.items + at, left * sizeof *state->drawn.items);
    state->drawn.count = kept + left;
    return status;
}
