/* Layers, visibility and surfaces of some triangles, drawn and computed: their rows of `carom gpu --selftest`. */
#include "engine/image/image.h"
#include "engine/image/image_visible.h"

enum
{
    SIDE = 48,
    TEXELS = SIDE * SIDE,
    BODIES = 24,
    PER_BODY = 6
};

/* Numbers from -1 to 1, the same on every machine. */
static double next_number(uint32_t *state)
{
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) * 0x1p-23 - 1.0;
}

/* Triangles of bodies one behind the other, some of them meeting. */
static void make_triangle(uint32_t *state, uint32_t body, carom_vec3 corner[3])
{
    for (int i = 0; i < 3; i++)
    {
        double x = next_number(state), y = next_number(state), z = next_number(state);
        corner[i] = vec3(SIDE * (0.5 + 0.4 * x), SIDE * (0.5 + 0.4 * y), 1.8 * body / BODIES - 0.9 + 0.05 * z);
        if (body % 3 != 0) /* smaller, somewhere */
            corner[i].x = 0.2 * corner[i].x + body * 1.5, corner[i].y = 0.2 * corner[i].y + 40.0 - body;
    }
}

/* ---- layers ---- */

static uint32_t fragment_key(const image_layers *layers, const image_layer_fragment *fragment)
{
    return fragment->record * (uint32_t)TEXELS + (fragment->pixel & 0xffffffu) % (layers->grid.rows * SIDE);
}

/* Of a list in any order, to where its twin has it. */
static carom_status sort_list(const image_layers *layers, image_layer_fragments *list)
{
    size_t count = list->count;
    base_key_value *keys = base_allocate(layers->context, 2 * count, sizeof *keys, 16);
    image_layer_fragment *copy = base_allocate(layers->context, count, sizeof *copy, 16);
    carom_status status =
        keys && copy ? CAROM_OK : base_fail(layers->context, CAROM_OUT_OF_MEMORY, "image check: no memory");
    if (status == CAROM_OK)
    {
        for (size_t i = 0; i < count; i++)
            keys[i] = (base_key_value){fragment_key(layers, &list->items[i]), i};
        base_sort_keys(keys, keys + count, count);
        memcpy(copy, list->items, count * sizeof *copy);
        for (size_t i = 0; i < count; i++)
            list->items[i] = copy[keys[i].value];
    }
    base_release(layers->context, keys, 2 * count, sizeof *keys);
    base_release(layers->context, copy, count, sizeof *copy);
    return status;
}

static carom_status compare_lists(image_layers_pass *pass, const image_layers *layers, image_layer_fragments lists[2],
                                  gpu_check_result *result)
{
    image_band band = {0, layers->grid.rows};
    BASE_TRY(image_layers_draw(pass, layers, &band, &lists[0]));
    BASE_TRY(image_layers_draw_twin(layers, &band, &lists[1]));
    gpu_compare_bits(result, "number of fragments", (uint32_t)lists[0].count, (uint32_t)lists[1].count);
    if (lists[0].count != lists[1].count)
        return CAROM_OK;
    BASE_TRY(sort_list(layers, &lists[0]));
    BASE_TRY(sort_list(layers, &lists[1]));
    gpu_compared compared = {"layers", SIDE, 4, lists[0].count};
    gpu_compare_words(result, &compared, lists[0].items, lists[1].items);
    return CAROM_OK;
}

static carom_status check_layers(gpu_device *device, gpu_check_result *result)
{
    uint32_t state = 7;
    image_layers layers = {.context = gpu_context(device)};
    image_layers_pass *pass = NULL;
    image_layer_fragments lists[2] = {{0}, {0}};
    layers.grid = (image_grid){.columns = SIDE, .rows = SIDE, .view = {.side = SIDE, .error = {1e-9, 1e-9, 1e-9}}};
    carom_status status = base_array_reserve(layers.context, &layers.records, BODIES * PER_BODY)
                              ? image_layers_pass_create(layers.context, device, &pass)
                              : base_fail(layers.context, CAROM_OUT_OF_MEMORY, "image check: no memory");
    for (uint32_t i = 0; i < BODIES * PER_BODY && status == CAROM_OK; i++)
    {
        carom_vec3 corner[3];
        uint32_t number = (uint32_t)layers.records.count;
        make_triangle(&state, i / PER_BODY, corner);
        layers.records.count += image_layer_prepare(&layers.grid, corner, number, &layers.records.items[number]);
    }
    status = status == CAROM_OK ? compare_lists(pass, &layers, lists, result) : status;
    image_layers_pass_destroy(pass);
    base_array_free(layers.context, &lists[0]);
    base_array_free(layers.context, &lists[1]);
    image_layers_free(&layers);
    return status;
}

/* ---- visibility ---- */

typedef struct visible_room
{
    image_visible visible;
    image_visible_body bodies[BODIES];
    uint32_t order[BODIES];
    float drawn[TEXELS], computed[TEXELS];
    uint8_t drawn_beyond[BODIES], beyond[BODIES];
} visible_room;

static carom_status compare_visible(visible_room *room, image_records *records, gpu_check_result *result)
{
    uint32_t state = 11;
    image_view view = {.side = SIDE, .error = {1e-9, 1e-9, 1e-9}};
    for (uint32_t i = 0; i < BODIES; i++)
    {
        room->order[i] = i, room->bodies[i].first = (uint32_t)records->count;
        for (int k = 0; k < PER_BODY; k++)
        {
            carom_vec3 corner[3];
            make_triangle(&state, i, corner);
            records->count += image_prepare(&view, corner, &records->items[records->count]);
        }
        room->bodies[i].count = (uint32_t)records->count - room->bodies[i].first;
    }
    image_visible_job job = {records, room->bodies, room->order, BODIES, SIDE, false};
    gpu_compared reached = {"reached", SIDE, 1, TEXELS}, beyond = {"beyond", BODIES, 0, BODIES};
    BASE_TRY(image_visible_run(&room->visible, &job, room->drawn_beyond));
    BASE_TRY(image_visible_reached(&room->visible, &job, room->drawn));
    image_visible_twin(&job, room->computed, room->beyond);
    gpu_compare_words(result, &reached, room->drawn, room->computed);
    gpu_compare_words(result, &beyond, room->drawn_beyond, room->beyond);
    return CAROM_OK;
}

static carom_status check_visible(gpu_device *device, gpu_check_result *result)
{
    carom_context *context = gpu_context(device);
    image_records records = {0};
    visible_room *room = base_allocate(context, 1, sizeof *room, _Alignof(visible_room));
    if (!room || !base_array_reserve(context, &records, BODIES * PER_BODY))
    {
        base_release(context, room, 1, sizeof *room);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "image check: no memory");
    }
    carom_status status = image_visible_create(context, device, &room->visible);
    status = carom_failed(status) ? status : compare_visible(room, &records, result);
    image_visible_destroy(&room->visible);
    base_array_free(context, &records);
    base_release(context, room, 1, sizeof *room);
    return status;
}

/* ---- surfaces ---- */

typedef struct surface_room
{
    image_surface surface;
    uint32_t numbers[2][TEXELS]; /* drawn, computed */
    float depths[2][TEXELS];
} surface_room;

static carom_status compare_surfaces(surface_room *room, image_surface_records *records, gpu_check_result *result)
{
    uint32_t state = 13;
    for (uint32_t i = 0; i < BODIES * PER_BODY; i++)
    {
        carom_vec3 corner[3];
        make_triangle(&state, i / PER_BODY, corner);
        for (int k = 0; k < 3; k++)
            corner[k].z = 0.5 * corner[k].z + 0.5;
        records->count += image_surface_prepare(SIDE, SIDE, corner, i + 1, &records->items[records->count]);
    }
    for (int farthest = 0; farthest < 2; farthest++)
    {
        gpu_compared compared = {farthest ? "farthest" : "nearest", SIDE, 1, TEXELS};
        image_surface_job job = {records, SIDE, SIDE, farthest == 1, room->numbers[0], room->depths[0]};
        BASE_TRY(image_surface_draw(&room->surface, &job));
        job.numbers = room->numbers[1], job.depths = room->depths[1];
        image_surface_draw_twin(&job);
        gpu_compare_words(result, &compared, room->numbers[0], room->numbers[1]);
        gpu_compare_words(result, &compared, room->depths[0], room->depths[1]);
    }
    return CAROM_OK;
}

static carom_status check_surfaces(gpu_device *device, gpu_check_result *result)
{
    carom_context *context = gpu_context(device);
    image_surface_records records = {0};
    surface_room *room = base_allocate(context, 1, sizeof *room, _Alignof(surface_room));
    if (!room || !base_array_reserve(context, &records, BODIES * PER_BODY))
    {
        base_release(context, room, 1, sizeof *room);
        return base_fail(context, CAROM_OUT_OF_MEMORY, "image check: no memory");
    }
    carom_status status = image_surface_create(device, &room->surface);
    status = carom_failed(status) ? status : compare_surfaces(room, &records, result);
    image_surface_destroy(&room->surface);
    base_array_free(context, &records);
    base_release(context, room, 1, sizeof *room);
    return status;
}

const gpu_check *image_layers_check_at(uint32_t index)
{
    static const gpu_check checks[] = {
        {"layers", check_layers},
        {"visible", check_visible},
        {"surfaces", check_surfaces},
    };
    return index < sizeof checks / sizeof checks[0] ? &checks[index] : NULL;
}
