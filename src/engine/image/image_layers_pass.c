/* Fragments of layers on the GPU: drawn into a list that grows until everything fits. */
#include "engine/image/image_layers.h"

enum
{
    FIRST_CAPACITY = 1 << 16, /* fragments */
    MAX_RECORDS = 1 << 16     /* drawn at once */
};

struct image_layers_pass
{
    gpu_device *device;
    gpu_program program;
    gpu_buffer records, counter, list;
    gpu_layout layout;
    gpu_target target; /* nothing is drawn to it: it says what the pixels are */
    uint32_t capacity; /* of the list */
    carom_context *context;
};

static carom_status make_parts(image_layers_pass *pass)
{
    gpu_program_def def = {
        .vertex = "interval.vert.glsl", .fragment = "interval.frag.glsl", .definitions = "#define LAYERS\n"};
    uint32_t zeros[4] = {0};
    BASE_TRY(gpu_program_create(pass->device, &def, &pass->program));
    BASE_TRY(gpu_buffer_create(pass->device, NULL, 0, true, &pass->records));
    BASE_TRY(gpu_buffer_create(pass->device, zeros, sizeof zeros, true, &pass->counter));
    BASE_TRY(gpu_buffer_create(pass->device, NULL, 16 * (size_t)FIRST_CAPACITY, true, &pass->list));
    pass->capacity = FIRST_CAPACITY;
    return image_records_layout(pass->device, &pass->records, &pass->layout);
}

carom_status image_layers_pass_create(carom_context *context, gpu_device *device, image_layers_pass **out)
{
    *out = NULL;
    image_layers_pass *pass = base_allocate(context, 1, sizeof *pass, _Alignof(image_layers_pass));
    if (!pass)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "image: no memory");
    *pass = (image_layers_pass){.device = device, .context = context};
    carom_status status = make_parts(pass);
    if (carom_failed(status))
        return image_layers_pass_destroy(pass), status;
    *out = pass;
    return CAROM_OK;
}

void image_layers_pass_destroy(image_layers_pass *pass)
{
    if (!pass)
        return;
    gpu_target_destroy(pass->device, &pass->target);
    gpu_layout_destroy(pass->device, &pass->layout);
    gpu_buffer_destroy(pass->device, &pass->records);
    gpu_buffer_destroy(pass->device, &pass->counter);
    gpu_buffer_destroy(pass->device, &pass->list);
    gpu_program_destroy(pass->device, &pass->program);
    base_release(pass->context, pass, 1, sizeof *pass);
}

static carom_status fit_target(image_layers_pass *pass, const image_grid *grid)
{
    if (pass->target.width == grid->columns && pass->target.height == grid->rows)
        return CAROM_OK;
    gpu_target_destroy(pass->device, &pass->target);
    gpu_target_def def = {.width = grid->columns, .height = grid->rows, .colors = {GPU_R8UI}};
    return gpu_target_create(pass->device, &def, &pass->target);
}

/* ---- one draw call ---- */

typedef struct layer_range
{
    size_t first;
    uint32_t count;
} layer_range;

static carom_status set_uniforms(image_layers_pass *pass)
{
    float size[2] = {(float)pass->target.width, (float)pass->target.height};
    gpu_uniform target_size = {"target_size", GPU_FLOAT, 2, 1, size};
    gpu_uniform columns = {"columns", GPU_UINT, 1, 1, &pass->target.width};
    gpu_uniform capacity = {"capacity", GPU_UINT, 1, 1, &pass->capacity};
    BASE_TRY(gpu_program_set(pass->device, &pass->program, &target_size));
    BASE_TRY(gpu_program_set(pass->device, &pass->program, &columns));
    return gpu_program_set(pass->device, &pass->program, &capacity);
}

static carom_status draw_range(image_layers_pass *pass, const image_layers *layers, const image_band *band,
                               const layer_range *range, uint32_t *found)
{
    uint32_t zeros[4] = {0}, counts[4];
    gpu_state state = gpu_state_default();
    gpu_draw_def draw = gpu_draw_def_default();
    state.color_write = false;
    state.scissor = (gpu_rect){0, band->first, pass->target.width, band->end - band->first};
    draw.target = &pass->target, draw.program = &pass->program, draw.layout = &pass->layout, draw.state = &state;
    draw.mode = GPU_TRIANGLE_STRIP, draw.count = 4, draw.instances = range->count;
    draw.storage_blocks[0] = &pass->counter, draw.storage_blocks[1] = &pass->list;
    const image_record *records = layers->records.items + range->first;
    BASE_TRY(gpu_buffer_replace(pass->device, &pass->records, records, range->count * sizeof *records));
    BASE_TRY(gpu_buffer_replace(pass->device, &pass->counter, zeros, sizeof zeros));
    BASE_TRY(set_uniforms(pass));
    BASE_TRY(gpu_draw(pass->device, &draw));
    BASE_TRY(gpu_buffer_read(pass->device, &pass->counter, counts, sizeof counts));
    *found = counts[0];
    return CAROM_OK;
}

static carom_status take_fragments(image_layers_pass *pass, const image_layers *layers, const layer_range *range,
                                   uint32_t found, image_layer_fragments *out)
{
    if (!base_array_reserve(layers->context, out, found))
        return base_fail(layers->context, CAROM_OUT_OF_MEMORY, "image: no memory for %u fragments", found);
    image_layer_fragment *fragments = out->items + out->count;
    BASE_TRY(gpu_buffer_read(pass->device, &pass->list, fragments, found * sizeof *fragments));
    for (uint32_t i = 0; i < found; i++)
        fragments[i].record = (uint32_t)(range->first + ((fragments[i].record - (uint32_t)range->first) & 0xffffffu));
    out->count += found;
    return CAROM_OK;
}

/* A larger list, if the driver has one, or else fewer triangles at once. */
static carom_status make_room(image_layers_pass *pass, uint32_t found, uint32_t *chunk)
{
    uint64_t limit = gpu_info(pass->device)->limits.storage_block / 16;
    if (found > limit)
    {
        *chunk = *chunk / 2;
        return *chunk > 0
                   ? CAROM_OK
                   : base_fail(pass->context, CAROM_TOO_LARGE, "image: a triangle of %u pixels is too large", found);
    }
    uint64_t wanted = 2 * (uint64_t)found < limit ? 2 * (uint64_t)found : limit;
    BASE_TRY(gpu_buffer_replace(pass->device, &pass->list, NULL, 16 * (size_t)wanted));
    pass->capacity = (uint32_t)wanted;
    return CAROM_OK;
}

carom_status image_layers_draw(image_layers_pass *pass, const image_layers *layers, const image_band *band,
                               image_layer_fragments *out)
{
    BASE_TRY(fit_target(pass, &layers->grid));
    /* the counter has 32 bits */
    uint64_t pixels = (uint64_t)layers->grid.columns * (band->end - band->first), safe = UINT32_MAX / pixels;
    uint32_t chunk = safe < MAX_RECORDS ? (uint32_t)safe : MAX_RECORDS;
    layer_range range = {0, 0};
    while (range.first < layers->records.count)
    {
        size_t left = layers->records.count - range.first;
        uint32_t found;
        range.count = left < chunk ? (uint32_t)left : chunk;
        BASE_TRY(draw_range(pass, layers, band, &range, &found));
        if (found > pass->capacity)
        {
            chunk = range.count;
            BASE_TRY(make_room(pass, found, &chunk));
            continue;
        }
        BASE_TRY(take_fragments(pass, layers, &range, found, out));
        range.first += range.count;
    }
    return CAROM_OK;
}
