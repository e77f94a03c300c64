/* The tree over the bodies' boxes that every question about a scene starts from. A body that moves changes its box in
 * place; the tree is built again when many have. */
#include "scene/scene.h"

#include <stdio.h>

void scene_boxes_free(carom_context *context, scene_boxes *boxes)
{
    broad_box_tree_free(&boxes->tree);
    base_array_free(context, &boxes->boxes);
    base_array_free(context, &boxes->indices);
    base_array_free(context, &boxes->changed);
}

static carom_status out_of_memory(carom_scene *scene, const carom_frame *frame)
{
    return base_fail(scene->context, CAROM_OUT_OF_MEMORY, "scene: no memory for a tree over %u bodies",
                     frame->body_count);
}

static carom_status build(carom_scene *scene, const carom_frame *frame)
{
    scene_boxes *boxes = &scene->boxes;
    boxes->boxes.count = boxes->indices.count = 0;
    if (!base_array_reserve(scene->context, &boxes->boxes, frame->body_count) ||
        !base_array_reserve(scene->context, &boxes->indices, frame->body_count))
        return out_of_memory(scene, frame);
    for (uint32_t i = 0; i < frame->body_count; i++)
        boxes->boxes.items[i] = frame->bodies[i].bounds;
    if (!broad_box_tree_build(&boxes->tree, boxes->boxes.items, frame->body_count))
        return out_of_memory(scene, frame);
    for (size_t i = 0; i < boxes->tree.order.count; i++)
        boxes->indices.items[boxes->tree.order.items[i].value] = (uint32_t)i;
    boxes->boxes.count = boxes->indices.count = frame->body_count;
    boxes->replaced = 0;
    return CAROM_OK;
}

static bool same_box(const carom_aabb *a, const carom_aabb *b)
{
    return a->min.x == b->min.x && a->min.y == b->min.y && a->min.z == b->min.z && a->max.x == b->max.x &&
           a->max.y == b->max.y && a->max.z == b->max.z;
}

/* Boxes in a wrong order cost more than sorting them. */
static size_t max_replaced(size_t body_count) { return body_count / 4; }

/* Replaces the box at a position if it differs. False: too much has changed for that. */
static bool replace(scene_boxes *boxes, const carom_frame *frame, uint32_t position)
{
    carom_aabb *box = &boxes->boxes.items[position];
    const carom_aabb *now = &frame->bodies[position].bounds;
    if (same_box(box, now))
        return true;
    if (broad_is_empty(box) || broad_is_empty(now) || ++boxes->replaced > max_replaced(frame->body_count))
        return false;
    *box = *now;
    broad_box_tree_replace(&boxes->tree, boxes->indices.items[position], now);
    return true;
}

/* Replaces the boxes that differ. False: too much has changed for that. */
static bool refit(scene_boxes *boxes, const carom_frame *frame)
{
    if (boxes->boxes.count != frame->body_count)
        return false;
    size_t count = boxes->unsure ? frame->body_count : boxes->changed.count;
    for (size_t i = 0; i < count; i++)
        if (!replace(boxes, frame, boxes->unsure ? (uint32_t)i : boxes->changed.items[i]))
            return false;
    return true;
}

void scene_boxes_note(carom_scene *scene, const uint32_t *positions, size_t count)
{
    scene_boxes *boxes = &scene->boxes;
    boxes->unsure |= !positions || boxes->changed.count + count > max_replaced(boxes->boxes.count) ||
                     !base_array_reserve(scene->context, &boxes->changed, count);
    if (boxes->unsure)
    {
        boxes->changed.count = 0;
        return;
    }
    for (size_t i = 0; i < count; i++)
        boxes->changed.items[boxes->changed.count++] = positions[i];
}

carom_status scene_boxes_update(carom_scene *scene, const carom_frame *frame)
{
    scene_boxes *boxes = &scene->boxes;
    if (boxes->version == scene->version)
        return CAROM_OK;
    bool built = boxes->version != 0;
    boxes->version = 0;
    if (!built || !refit(boxes, frame))
        BASE_TRY(build(scene, frame));
    boxes->changed.count = 0;
    boxes->unsure = false;
    boxes->version = scene->version;
    return CAROM_OK;
}

carom_status scene_check_trees(const carom_scene *scene, const carom_frame *frame, bool for_pairs)
{
    carom_context *context = scene->context;
    for (uint32_t i = 0; scene->tree_count > 0 && i < frame->body_count; i++)
    {
        const carom_frame_body *body = &frame->bodies[i];
        if (body->placed.shape.kind != CAROM_SHAPE_MESH || !body->placed.shape.tree)
            continue;
        char whose[32];
        snprintf(whose, sizeof whose, "body %u", body->id.index);
        BASE_TRY(query_check_shape(context, &body->placed.shape, whose));
        if (for_pairs && body->placed.shape.tree->rays)
            return base_fail(context, CAROM_UNSUPPORTED, "%s: its tree is one for rays; hand in another or none",
                             whose);
    }
    return CAROM_OK;
}
