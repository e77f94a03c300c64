/* Bodies as the broad phase sees them: boxes in slots that stay the same while a body lives, and the list of slots that
 * changed. A body is one proxy; a large static mesh may be several, the subtrees that fit a size, and then, if it can
 * contain something (probably, even, where that is to be estimated), its whole box for that alone. */
#include "engine/engine.h"

static carom_status out_of_memory(engine_proxies *proxies, const carom_frame *frame)
{
    return base_fail(proxies->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for the boxes of %u bodies",
                     frame->body_count);
}

void engine_proxies_free(engine_proxies *proxies)
{
    carom_context *context = proxies->context;
    base_array_free(context, &proxies->bodies);
    base_array_free(context, &proxies->boxes);
    base_array_free(context, &proxies->traits);
    base_array_free(context, &proxies->proxies);
    base_array_free(context, &proxies->marks);
    base_array_free(context, &proxies->changed);
    base_array_free(context, &proxies->parts);
}

/* ---- slots ---- */

/* There is room for every slot: no change is lost when out of memory. */
static void mark_changed(engine_proxies *proxies, uint32_t slot)
{
    if (proxies->marks.items[slot])
        return;
    proxies->marks.items[slot] = 1;
    proxies->changed.items[proxies->changed.count++] = slot;
}

void engine_proxies_forget_changes(engine_proxies *proxies)
{
    for (size_t i = 0; i < proxies->changed.count; i++)
        proxies->marks.items[proxies->changed.items[i]] = 0;
    proxies->changed.count = 0;
    proxies->other_traits = false;
}

static bool new_slot(engine_proxies *proxies, uint32_t *out)
{
    if (proxies->first_free != ENGINE_NO_SLOT)
    {
        *out = proxies->first_free;
        proxies->first_free = proxies->proxies.items[*out].next;
        return true;
    }
    carom_context *context = proxies->context;
    size_t unlisted = proxies->boxes.count + 1 - proxies->changed.count;
    if (proxies->boxes.count >= ENGINE_NO_SLOT - 1 || !base_array_reserve(context, &proxies->boxes, 1) ||
        !base_array_reserve(context, &proxies->traits, 1) || !base_array_reserve(context, &proxies->proxies, 1) ||
        !base_array_reserve(context, &proxies->marks, 1) || !base_array_reserve(context, &proxies->changed, unlisted))
        return false;
    *out = (uint32_t)proxies->boxes.count;
    proxies->boxes.items[proxies->boxes.count++] = aabb_empty();
    proxies->traits.items[proxies->traits.count++] = (broad_traits){0};
    proxies->proxies.items[proxies->proxies.count++] = (engine_proxy){0};
    proxies->marks.items[proxies->marks.count++] = 0;
    return true;
}

static void free_slots(engine_proxies *proxies, engine_seen_body *seen)
{
    for (uint32_t slot = seen->first_slot, next; slot != ENGINE_NO_SLOT; slot = next)
    {
        next = proxies->proxies.items[slot].next;
        proxies->boxes.items[slot] = aabb_empty();
        proxies->proxies.items[slot].next = proxies->first_free;
        proxies->first_free = slot;
        mark_changed(proxies, slot);
    }
    seen->first_slot = ENGINE_NO_SLOT;
}

static bool add_proxy(engine_proxies *proxies, engine_seen_body *seen, engine_proxy proxy)
{
    uint32_t slot;
    if (!new_slot(proxies, &slot))
        return false;
    proxy.next = seen->first_slot;
    proxies->proxies.items[slot] = proxy;
    seen->first_slot = slot;
    return true;
}

/* ---- one body ---- */

static bool is_cut(const engine_proxies *proxies, const carom_frame_body *body)
{
    const carom_shape *shape = &body->placed.shape;
    if (!(proxies->cut_size > 0.0) || !body->is_static || shape->kind != CAROM_SHAPE_MESH ||
        broad_is_empty(&body->bounds))
        return false;
    carom_vec3 size = vec3_sub(body->bounds.max, body->bounds.min);
    return fmax(size.x, fmax(size.y, size.z)) > proxies->cut_size;
}

static carom_status make_parts(engine_proxies *proxies, const carom_frame_body *body, engine_seen_body *seen)
{
    const carom_shape *shape = &body->placed.shape;
    const carom_tree *tree = shape->tree;
    if (!tree)
        BASE_TRY(tree_default(shape->mesh, TREE_FOR_PAIRS, &tree));
    BASE_TRY(tree_cut(tree, proxies->cut_size, &proxies->parts));
    bool enough = true;
    for (size_t i = 0; i < proxies->parts.count && enough; i++)
        enough = add_proxy(proxies, seen,
                           (engine_proxy){.local = proxies->parts.items[i].box,
                                          .part = proxies->parts.items[i].part,
                                          .is_part = true,
                                          .searched = true});
    if (enough && (query_has_inside(shape) || proxies->estimates))
        enough = add_proxy(proxies, seen, (engine_proxy){.searched = false});
    return enough ? CAROM_OK
                  : base_fail(proxies->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for the parts of body %u",
                              body->id.index);
}

/* A box grown by a length, outwards whatever the rounding. */
static carom_aabb grow(carom_aabb box, double length)
{
    if (!(length > 0.0) || broad_is_empty(&box))
        return box;
    double largest = fmax(fmax(fabs(box.min.x), fabs(box.max.x)), fmax(fabs(box.min.y), fabs(box.max.y)));
    largest = fmax(largest, fmax(fabs(box.min.z), fabs(box.max.z)));
    double reach = length + 4.0 * NARROW_ROUND_DISTANCE_ERROR * (length + largest);
    carom_vec3 by = {reach, reach, reach};
    return (carom_aabb){vec3_sub(box.min, by), vec3_add(box.max, by)};
}

/* Sets boxes and traits of a body's slots. */
static void place_slots(engine_proxies *proxies, const carom_frame_body *body, const engine_seen_body *seen)
{
    uint32_t owner = (uint32_t)(seen - proxies->bodies.items);
    broad_traits traits = {.owner = owner, .is_static = body->is_static, .filter = body->filter};
    for (uint32_t slot = seen->first_slot; slot != ENGINE_NO_SLOT; slot = proxies->proxies.items[slot].next)
    {
        const engine_proxy *proxy = &proxies->proxies.items[slot];
        carom_aabb box = proxy->is_part ? math_world_box(&body->placed.pose, &proxy->local) : body->bounds;
        proxies->boxes.items[slot] = grow(box, body->margin);
        proxies->other_traits |= !broad_same_traits(&proxies->traits.items[slot], &traits);
        proxies->traits.items[slot] = traits;
        mark_changed(proxies, slot);
    }
}

/* A scene's ids are dense enough to count by. Those of a frame that the caller made may be any numbers, and nothing is
 * kept about its bodies from one frame to the next: its positions will do. */
static size_t number_of(const carom_frame *frame, uint32_t position)
{
    return frame->scene != 0 ? frame->bodies[position].id.index : (size_t)position + 1;
}

uint32_t engine_first_slot(const engine_proxies *proxies, const carom_frame *frame, uint32_t position)
{
    return proxies->bodies.items[number_of(frame, position)].first_slot;
}

static carom_status see_body(engine_proxies *proxies, const carom_frame *frame, uint32_t position)
{
    const carom_frame_body *body = &frame->bodies[position];
    engine_seen_body *seen = &proxies->bodies.items[number_of(frame, position)];
    bool known = frame->scene != 0 && seen->generation == body->id.generation;
    bool same_shape = known && seen->shape_version == body->shape_version &&
                      (!(proxies->cut_size > 0.0) || seen->settings_version == body->settings_version);
    bool same =
        same_shape && seen->pose_version == body->pose_version && seen->settings_version == body->settings_version;
    seen->position = position;
    seen->frame = proxies->frame;
    if (same)
        return CAROM_OK;
    bool whole = seen->first_slot != ENGINE_NO_SLOT && !(proxies->cut_size > 0.0); /* the single slot can be reused */
    if (!same_shape && !whole)
    {
        free_slots(proxies, seen);
        if (is_cut(proxies, body))
            BASE_TRY(make_parts(proxies, body, seen));
        else if (!add_proxy(proxies, seen, (engine_proxy){.searched = true}))
            return out_of_memory(proxies, frame);
    }
    seen->generation = body->id.generation;
    seen->pose_version = body->pose_version;
    seen->shape_version = body->shape_version;
    seen->settings_version = body->settings_version;
    place_slots(proxies, body, seen);
    return CAROM_OK;
}

/* ---- a frame ---- */

static bool reserve_bodies(engine_proxies *proxies, const carom_frame *frame)
{
    size_t needed = frame->body_count > 0 ? number_of(frame, frame->body_count - 1) + 1 : 0;
    if (needed > proxies->bodies.count &&
        !base_array_reserve(proxies->context, &proxies->bodies, needed - proxies->bodies.count))
        return false;
    while (proxies->bodies.count < needed)
        proxies->bodies.items[proxies->bodies.count++] = (engine_seen_body){.first_slot = ENGINE_NO_SLOT};
    return true;
}

carom_status engine_proxies_update(engine_proxies *proxies, const carom_frame *frame)
{
    if (!reserve_bodies(proxies, frame))
        return out_of_memory(proxies, frame);
    proxies->frame++;
    bool cut_otherwise = proxies->cut_size > 0.0 && proxies->estimates != proxies->kept_estimates;
    if (proxies->scene != frame->scene || cut_otherwise) /* versions of another scene can't be compared */
        for (size_t i = 0; i < proxies->bodies.count; i++)
            proxies->bodies.items[i].generation = 0;
    proxies->scene = frame->scene;
    proxies->kept_estimates = proxies->estimates;
    for (uint32_t i = 0; i < frame->body_count; i++)
    {
        carom_status status = see_body(proxies, frame, i);
        if (status != CAROM_OK)
        {
            proxies->scene = UINT64_MAX; /* what was recorded is incomplete: check everything next time */
            return status;
        }
    }
    for (size_t i = 0; i < proxies->bodies.count; i++)
    {
        engine_seen_body *seen = &proxies->bodies.items[i];
        if (seen->frame == proxies->frame || seen->first_slot == ENGINE_NO_SLOT)
            continue;
        free_slots(proxies, seen);
        seen->generation = 0;
    }
    return CAROM_OK;
}
