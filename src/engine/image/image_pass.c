/* Certified images on the GPU. */
#include "engine/image/image_pass.h"

carom_status image_records_layout(gpu_device *device, const gpu_buffer *records, gpu_layout *out)
{
    enum
    {
        VECTORS = sizeof(image_record) / 16
    };
    gpu_attribute attributes[VECTORS];
    for (uint32_t i = 0; i < VECTORS; i++)
        attributes[i] = (gpu_attribute){.location = i,
                                        .type = GPU_FLOAT,
                                        .components = 4,
                                        .buffer = records,
                                        .offset = 16 * i,
                                        .stride = sizeof(image_record),
                                        .per_instance = true};
    return gpu_layout_create(device, attributes, VECTORS, NULL, out);
}

carom_status image_pass_create(gpu_device *device, image_pass *out)
{
    *out = (image_pass){.device = device};
    gpu_program_def draw = {
        .vertex = "interval.vert.glsl", .fragment = "interval.frag.glsl", .definitions = "#define PAIRS\n"};
    gpu_program_def meet = {.vertex = "tiles.vert.glsl", .fragment = "meet.frag.glsl"};
    BASE_TRY(gpu_program_create(device, &draw, &out->draw));
    BASE_TRY(gpu_program_create(device, &meet, &out->meet));
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &out->records));
    BASE_TRY(image_records_layout(device, &out->records, &out->layout));
    return gpu_layout_create(device, NULL, 0, NULL, &out->nothing);
}

static void destroy_targets(gpu_device *device, image_pass_targets *targets)
{
    gpu_target_destroy(device, &targets->depths);
    gpu_target_destroy(device, &targets->blocks);
    *targets = (image_pass_targets){0};
}

void image_pass_destroy(image_pass *pass)
{
    for (int i = 0; i < IMAGE_TARGET_SIZES; i++)
        destroy_targets(pass->device, &pass->targets[i]);
    gpu_layout_destroy(pass->device, &pass->layout);
    gpu_layout_destroy(pass->device, &pass->nothing);
    gpu_buffer_destroy(pass->device, &pass->records);
    gpu_program_destroy(pass->device, &pass->draw);
    gpu_program_destroy(pass->device, &pass->meet);
}

/* ---- targets ---- */

uint32_t image_max_tile(const gpu_device *device)
{
    uint32_t limit = gpu_max_target(device), width = limit < IMAGE_MIN_TARGET ? limit : IMAGE_MIN_TARGET;
    while (2 * width <= limit && 2 * width <= IMAGE_MIN_TARGET << (IMAGE_TARGET_SIZES - 1))
        width *= 2;
    return width;
}

carom_status image_pass_layout(const image_pass *pass, uint32_t side, size_t count, image_tiles *out)
{
    return image_lay_out_tiles(pass->device, side, count, out);
}

carom_status image_lay_out_tiles(const gpu_device *device, uint32_t side, size_t count, image_tiles *out)
{
    uint32_t limit = image_max_tile(device), width = limit < IMAGE_MIN_TARGET ? limit : IMAGE_MIN_TARGET;
    if (side == 0 || side > limit)
        return base_fail(gpu_context(device), CAROM_TOO_LARGE, "image: a tile of %u pixels does not fit into %u", side,
                         limit);
    while (width < limit && (size_t)(width / side) * (width / side) < count)
        width *= 2;
    while (width < side)
        width *= 2;
    *out = (image_tiles){side, width / side, width, (width / side) * (width / side)};
    return CAROM_OK;
}

static carom_status find_targets(image_pass *pass, const image_tiles *tiles, image_pass_targets **out)
{
    int index = 0;
    while ((uint32_t)IMAGE_MIN_TARGET << index < tiles->width)
        index++;
    image_pass_targets *targets = *out = &pass->targets[index];
    if (targets->side == (int)tiles->side)
        return CAROM_OK;
    destroy_targets(pass->device, targets);
    uint32_t blocks = (tiles->side + IMAGE_MEET_BLOCK - 1) / IMAGE_MEET_BLOCK, width = tiles->per_row * blocks;
    gpu_target_def depths = {.width = tiles->width, .height = tiles->width, .colors = {GPU_RGBA32F}};
    gpu_target_def small = {.width = width, .height = width, .colors = {GPU_R8UI}};
    BASE_TRY(gpu_target_create(pass->device, &depths, &targets->depths));
    BASE_TRY(gpu_target_create(pass->device, &small, &targets->blocks));
    targets->side = (int)tiles->side, targets->blocks_per_side = (int)blocks;
    return CAROM_OK;
}

/* ---- a batch ---- */

static carom_status draw_records(image_pass *pass, const image_pass_targets *targets, const image_records *records)
{
    gpu_clear_values clear = {.planes = GPU_PLANE_BIT(GPU_COLOR0),
                              .color = {IMAGE_NOTHING, IMAGE_NOTHING, IMAGE_NOTHING, IMAGE_NOTHING}};
    gpu_state state = gpu_state_default();
    gpu_draw_def draw = gpu_draw_def_default();
    float size[2] = {(float)targets->depths.width, (float)targets->depths.height};
    gpu_uniform target_size = {"target_size", GPU_FLOAT, 2, 1, size};
    state.blend = GPU_BLEND_MAX;
    draw.target = &targets->depths, draw.program = &pass->draw, draw.layout = &pass->layout, draw.state = &state;
    draw.mode = GPU_TRIANGLE_STRIP, draw.count = 4, draw.instances = (uint32_t)records->count;
    BASE_TRY(gpu_clear(pass->device, &targets->depths, &clear));
    BASE_TRY(gpu_program_set(pass->device, &pass->draw, &target_size));
    return gpu_draw(pass->device, &draw);
}

/* rows: of tiles */
static carom_status compare_blocks(image_pass *pass, const image_pass_targets *targets, uint32_t rows)
{
    gpu_state state = gpu_state_default();
    gpu_draw_def draw = gpu_draw_def_default();
    int32_t side = targets->side, blocks = targets->blocks_per_side, block = IMAGE_MEET_BLOCK;
    const gpu_uniform uniforms[] = {
        {"side", GPU_INT, 1, 1, &side}, {"block", GPU_INT, 1, 1, &block}, {"blocks", GPU_INT, 1, 1, &blocks}};
    state.scissor = (gpu_rect){0, 0, targets->blocks.width, rows * (uint32_t)blocks};
    draw.target = &targets->blocks, draw.program = &pass->meet, draw.layout = &pass->nothing, draw.state = &state;
    draw.mode = GPU_TRIANGLE_STRIP, draw.count = 4, draw.textures[0] = &targets->depths.colors[0];
    for (int i = 0; i < 3; i++)
        BASE_TRY(gpu_program_set(pass->device, &pass->meet, &uniforms[i]));
    return gpu_draw(pass->device, &draw);
}

/* Tiles of one block each, which may be very many: the full rows, then the rest. */
static carom_status read_tiles(image_pass *pass, const image_pass_targets *targets, uint32_t count, uint8_t *meets)
{
    uint32_t per_row = targets->blocks.width, rows = count / per_row, full = rows * per_row;
    gpu_read_def whole = {GPU_COLOR0, {0, 0, per_row, rows}, meets, full};
    gpu_read_def rest = {GPU_COLOR0, {0, rows, count - full, 1}, meets + full, count - full};
    if (full > 0)
        BASE_TRY(gpu_read(pass->device, &targets->blocks, &whole));
    return count > full ? gpu_read(pass->device, &targets->blocks, &rest) : CAROM_OK;
}

/* Tiles of several blocks: any of them will do. */
static carom_status read_blocks(image_pass *pass, const image_pass_targets *targets, uint32_t count, uint8_t *meets)
{
    enum
    {
        MAX_WIDTH =
            (IMAGE_MIN_TARGET << (IMAGE_TARGET_SIZES - 1)) / IMAGE_MEET_BLOCK * 2 /* tiles have 2 blocks or more */
    };
    uint8_t found[MAX_WIDTH * MAX_WIDTH];
    uint32_t width = targets->blocks.width, blocks = (uint32_t)targets->blocks_per_side, per_row = width / blocks;
    uint32_t rows = (count + per_row - 1) / per_row * blocks;
    gpu_read_def read = {GPU_COLOR0, {0, 0, width, rows}, found, (size_t)width * rows};
    BASE_TRY(gpu_read(pass->device, &targets->blocks, &read));
    memset(meets, 0, count);
    for (uint32_t i = 0; i < width * rows; i++)
    {
        uint32_t tile = i / width / blocks * per_row + i % width / blocks;
        if (tile < count)
            meets[tile] |= found[i];
    }
    return CAROM_OK;
}

carom_status image_pass_run(image_pass *pass, const image_tiles *tiles, const image_records *records, uint32_t count,
                            uint8_t *meets)
{
    image_pass_targets *targets;
    double at[4];
    BASE_TRY(find_targets(pass, tiles, &targets));
    at[0] = base_now();
    BASE_TRY(gpu_buffer_replace(pass->device, &pass->records, records->items, records->count * sizeof *records->items));
    at[1] = base_now();
    BASE_TRY(draw_records(pass, targets, records));
    BASE_TRY(compare_blocks(pass, targets, (count + tiles->per_row - 1) / tiles->per_row));
    at[2] = base_now();
    BASE_TRY((targets->blocks_per_side > 1 ? read_blocks : read_tiles)(pass, targets, count, meets));
    at[3] = base_now();
    image_pass_stats *stats = &pass->stats;
    stats->passes++, stats->tiles += count, stats->triangles += records->count;
    stats->pixels += (uint64_t)tiles->width * tiles->width;
    stats->upload_seconds += at[1] - at[0], stats->draw_seconds += at[2] - at[1];
    stats->read_seconds += at[3] - at[2];
    return CAROM_OK;
}

carom_status image_pass_depths(image_pass *pass, const image_tiles *tiles, image_texel *out)
{
    image_pass_targets *targets;
    BASE_TRY(find_targets(pass, tiles, &targets));
    gpu_read_def read = {GPU_COLOR0, {0}, out, (size_t)tiles->width * tiles->width * sizeof *out};
    return gpu_read(pass->device, &targets->depths, &read);
}
