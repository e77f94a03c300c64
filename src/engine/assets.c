/* An engine's data per mesh, or per body for primitives: made when the shape first appears, updated when a body's mesh
 * is replaced by a deformed one, destroyed when no body of a frame uses it any more. */
#include "engine/engine.h"

void engine_assets_begin(engine_assets *assets) { assets->frame++; }

static uint64_t serial_of(const carom_frame_body *body)
{
    return query_is_mesh(&body->placed) ? body->placed.shape.mesh->serial : 0;
}

/* The index where an asset is or belongs. */
static size_t find(const engine_assets *assets, uint64_t serial, uint32_t body_index)
{
    size_t low = 0, high = assets->items.count;
    while (low < high)
    {
        size_t middle = low + (high - low) / 2;
        const engine_asset *item = &assets->items.items[middle];
        bool before =
            item->mesh_serial < serial || (serial == 0 && item->mesh_serial == 0 && item->body.index < body_index);
        if (before)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Unused bytes may differ too: an unnecessary update does no harm. */
static bool is_same_shape(const carom_shape *one, const carom_shape *other)
{
    return one->kind == other->kind && memcmp(one->reserved, other->reserved, sizeof one->reserved) == 0;
}

static bool is_wanted(const engine_asset *asset, const carom_frame_body *body, uint64_t serial)
{
    if (serial != 0)
        return asset->mesh_serial == serial;
    return asset->mesh_serial == 0 && asset->body.index == body->id.index &&
           asset->body.generation == body->id.generation && is_same_shape(&asset->shape, &body->placed.shape);
}

/* The asset of the mesh that this body had in an earlier frame, if no other body has asked for it in this one. */
static engine_asset *find_earlier(engine_assets *assets, const carom_frame_body *body)
{
    for (size_t i = 0; i < assets->items.count; i++)
    {
        engine_asset *item = &assets->items.items[i];
        if (item->last_seen != assets->frame && item->body.index == body->id.index &&
            item->body.generation == body->id.generation)
            return item;
    }
    return NULL;
}

/* Removes an asset from the list and returns the object. */
static void *take_out(engine_assets *assets, engine_asset *asset)
{
    void *object = asset->object;
    size_t at = (size_t)(asset - assets->items.items);
    memmove(asset, asset + 1, (assets->items.count - at - 1) * sizeof *asset);
    assets->items.count--;
    return object;
}

static carom_status make_object(engine_assets *assets, const carom_frame_body *body, void **out)
{
    engine_asset *earlier = assets->update ? find_earlier(assets, body) : NULL;
    if (!earlier && assets->load && assets->folder)
        return assets->load(assets->context, &body->placed.shape, assets->folder, out);
    if (!earlier)
        return assets->create(assets->owner, &body->placed.shape, out);
    *out = take_out(assets, earlier);
    carom_status status = assets->update(assets->owner, &body->placed.shape, *out);
    if (carom_failed(status))
        assets->destroy(assets->owner, *out);
    return status;
}

carom_status engine_assets_find(engine_assets *assets, const carom_frame_body *body, void **out)
{
    *out = NULL;
    if (!assets->create)
        return CAROM_OK;
    uint64_t serial = serial_of(body);
    size_t at = find(assets, serial, body->id.index);
    if (at < assets->items.count && is_wanted(&assets->items.items[at], body, serial))
    {
        assets->items.items[at].last_seen = assets->frame;
        return *out = assets->items.items[at].object, CAROM_OK;
    }
    if (!base_array_reserve(assets->context, &assets->items, 1))
        return base_fail(assets->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for what it keeps per mesh");
    BASE_TRY(make_object(assets, body, out));
    at = find(assets, serial, body->id.index); /* the list may have shrunk */
    engine_asset *items = assets->items.items;
    memmove(items + at + 1, items + at, (assets->items.count - at) * sizeof *items);
    items[at] = (engine_asset){serial, body->id, body->placed.shape, assets->frame, *out};
    assets->items.count++;
    return CAROM_OK;
}

/* Marks the asset of a body's shape, if any, as used in this frame. */
static void see_asset(engine_assets *assets, const carom_frame_body *body)
{
    uint64_t serial = serial_of(body);
    size_t at = find(assets, serial, body->id.index);
    if (at < assets->items.count && is_wanted(&assets->items.items[at], body, serial))
        assets->items.items[at].last_seen = assets->frame;
}

void engine_assets_end(engine_assets *assets, const carom_frame *frame)
{
    size_t kept = 0;
    for (uint32_t i = 0; assets->items.count > 0 && i < frame->body_count; i++)
        see_asset(assets, &frame->bodies[i]);
    for (size_t i = 0; i < assets->items.count; i++)
        if (assets->items.items[i].last_seen == assets->frame)
            assets->items.items[kept++] = assets->items.items[i];
        else
            assets->destroy(assets->owner, assets->items.items[i].object);
    assets->items.count = kept;
}

void engine_assets_free(engine_assets *assets)
{
    for (size_t i = 0; i < assets->items.count; i++)
        assets->destroy(assets->owner, assets->items.items[i].object);
    base_array_free(assets->context, &assets->items);
    if (assets->folder)
        base_release(assets->context, assets->folder, strlen(assets->folder) + 1, 1);
}
