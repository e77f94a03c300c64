/* Engine `recode`: Baciu, Wong, Sun, "RECODE: an image-based collision detection algorithm", The Journal of
 * Visualization and Computer Animation 10(4), 1999, which the thesis compares itself with (2.5).
 *
 * RECODE is for convex bodies. So it gets the same convex pieces as `image-sampled`, but no tree of hulls: every pair
 * of pieces whose boxes along the world's axes overlap is drawn. What the boxes have in common is the view volume, and
 * its longest side the line of sight; the image is that of image_stencil.h. */
#include "engine/image/ibcd.h"

carom_aabb image_piece_box(const image_walk *walk, int which, uint32_t node)
{
    const image_body *body = &walk->body[which];
    const convex_node *hull = &convex_nodes(body->pieces)[node];
    const uint32_t *vertices = convex_vertices(body->pieces, hull);
    carom_aabb box = aabb_empty();
    for (uint32_t i = 0; i < hull->vertex_count; i++)
        box = aabb_add_point(box, pose_apply(body->placed->pose, body->placed->mesh->vertices[vertices[i]]));
    /* other vertices of the patch are placed within the hull, but for rounding */
    carom_vec3 off = vec3(body->placement, body->placement, body->placement);
    return (carom_aabb){vec3_sub(box.min, off), vec3_add(box.max, off)};
}

volume_box image_upright_box(const carom_aabb *box)
{
    carom_vec3 half = vec3_scale(vec3_sub(box->max, box->min), 0.5);
    return (volume_box){.centre = vec3_add(box->min, half),
                        .axis = {vec3(1.0, 0.0, 0.0), vec3(0.0, 1.0, 0.0), vec3(0.0, 0.0, 1.0)},
                        .half = {half.x, half.y, half.z}};
}

/* ---- pairs of pieces ---- */

/* The pieces whose boxes meet the given one, and the box around them. */
static carom_status list_pieces(image_walk *walk, int which, carom_aabb within, carom_aabb *bounds)
{
    image_state *state = walk->state;
    const convex_pieces *pieces = walk->body[which].pieces;
    state->faces[which].count = 0;
    if (!base_array_reserve(state->context, &state->faces[which], pieces->piece_count))
        return image_out_of_memory(state->context);
    *bounds = aabb_empty();
    for (uint32_t node = 0; node < pieces->node_count; node++)
    {
        if (!image_is_leaf(pieces, node))
            continue;
        carom_aabb box = image_piece_box(walk, which, node);
        if (!image_boxes_meet(&within, &box))
            continue;
        bounds->min = vec3_min(bounds->min, box.min), bounds->max = vec3_max(bounds->max, box.max);
        state->faces[which].items[state->faces[which].count++] = (image_face){.box = box, .number = node};
    }
    return CAROM_OK;
}

static carom_status add_pair(image_walk *walk, const image_face *a, const image_face *b)
{
    image_state *state = walk->state;
    walk->task->counters->boxes_tested++;
    if (!image_boxes_meet(&a->box, &b->box))
        return CAROM_OK;
    if (!base_array_reserve(state->context, &state->drawn, 1))
        return image_out_of_memory(state->context);
    state->drawn.items[state->drawn.count++] = (narrow_part_pair){a->number, b->number, 0.0f};
    return CAROM_OK;
}

static carom_status list_pairs(image_walk *walk)
{
    image_state *state = walk->state;
    carom_aabb bounds[2];
    state->drawn.count = 0;
    bounds[0] = image_piece_box(walk, 0, 0);
    BASE_TRY(list_pieces(walk, 1, bounds[0], &bounds[1]));
    BASE_TRY(list_pieces(walk, 0, bounds[1], &bounds[0]));
    walk->task->counters->volumes_updated += walk->body[0].pieces->piece_count + walk->body[1].pieces->piece_count;
    return image_pair_faces(walk, bounds, add_pair);
}

carom_status image_run_recode(image_walk *walk)
{
    image_state *state = walk->state;
    double start = base_now();
    BASE_TRY(list_pairs(walk));
    state->stats.box_seconds += base_now() - start;
    state->stats.depth = state->stats.depth > 1 ? state->stats.depth : 1;
    return state->drawn.count > 0 ? image_sample_pairs(walk) : CAROM_OK;
}
