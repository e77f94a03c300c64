/* Depth and stencil images of many pairs of hulls. */
#include "engine/image/image_sheet.h"

/* ---- objects ---- */

static carom_status create_body(gpu_device *device, image_sheet_body *out)
{
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &out->position_buffer));
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &out->index_buffer));
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &out->plane_buffer));
    gpu_attribute position = {
        .location = 0, .type = GPU_FLOAT, .components = 4, .buffer = &out->position_buffer, .offset = 0, .stride = 16};
    BASE_TRY(gpu_layout_create(device, &position, 1, &out->index_buffer, &out->layout));
    return gpu_buffer_texture(device, &out->plane_buffer, GPU_RGBA32F, &out->plane_texture);
}

carom_status image_sheet_create(gpu_device *device, image_sheet *out)
{
    gpu_program_def program = {.vertex = "sheet.vert.glsl", .fragment = "sheet.frag.glsl"};
    out->device = device;
    BASE_TRY(gpu_program_create(device, &program, &out->program));
    BASE_TRY(create_body(device, &out->bodies[0]));
    return create_body(device, &out->bodies[1]);
}

void image_sheet_destroy(image_sheet *sheet)
{
    gpu_device *device = sheet->device;
    for (int i = 0; i < 2; i++)
    {
        image_sheet_body *body = &sheet->bodies[i];
        gpu_layout_destroy(device, &body->layout);
        gpu_texture_destroy(device, &body->plane_texture);
        gpu_buffer_destroy(device, &body->position_buffer);
        gpu_buffer_destroy(device, &body->index_buffer);
        gpu_buffer_destroy(device, &body->plane_buffer);
    }
    for (int i = 0; i < IMAGE_TARGET_SIZES; i++)
        gpu_target_destroy(device, &sheet->targets[i]);
    gpu_program_destroy(device, &sheet->program);
}

void image_sheet_free(carom_context *context, image_sheet *sheet)
{
    for (int i = 0; i < 2; i++)
    {
        base_array_free(context, &sheet->bodies[i].positions);
        base_array_free(context, &sheet->bodies[i].planes);
        base_array_free(context, &sheet->bodies[i].indices);
    }
    base_array_free(context, &sheet->first);
    base_array_free(context, &sheet->second);
}

/* ---- a batch ---- */

carom_status image_sheet_begin(image_sheet *sheet, uint32_t side, size_t pairs)
{
    sheet->count = 0;
    for (int i = 0; i < 2; i++)
        sheet->bodies[i].positions.count = sheet->bodies[i].planes.count = sheet->bodies[i].indices.count = 0;
    return image_lay_out_tiles(sheet->device, side, pairs, &sheet->tiles);
}

bool image_sheet_has_room(const image_sheet *sheet, uint32_t triangles_a, uint32_t triangles_b)
{
    size_t limit = gpu_info(sheet->device)->limits.texture_buffer; /* texels; a plane has two */
    size_t a = sheet->bodies[0].planes.count / 4 + 2 * (size_t)triangles_a;
    size_t b = sheet->bodies[1].planes.count / 4 + 2 * (size_t)triangles_b;
    return sheet->count < sheet->tiles.capacity && (sheet->count == 0 || (a <= limit && b <= limit));
}

static void add_positions(image_sheet_body *body, const image_drawing *drawing, const float tile[2])
{
    for (uint32_t i = 0; i < drawing->position_count; i++)
    {
        float *out = body->positions.items + body->positions.count;
        out[0] = drawing->positions[i][0] + tile[0], out[1] = drawing->positions[i][1] + tile[1];
        out[2] = tile[0], out[3] = tile[1];
        body->positions.count += 4;
    }
}

/* A hull on its way to a sheet. */
typedef struct hull_way
{
    image_sheet_body *body;
    const image_drawing *drawing;
    float tile[2], side;
    uint32_t base; /* of its positions */
} hull_way;

/* Only triangles that reach into the tile, which are few of a large hull: so they are no strips any more. */
static void add_triangle(const float *const corner[3], const float plane[8], void *user)
{
    const hull_way *way = user;
    image_sheet_body *body = way->body;
    if (!image_is_within(corner, way->side))
        return;
    float *out = body->planes.items + body->planes.count;
    memcpy(out, plane, 6 * sizeof *plane);
    out[6] = way->tile[0], out[7] = way->tile[1];
    body->planes.count += 8;
    for (int k = 0; k < 3; k++)
        body->indices.items[body->indices.count++] =
            way->base + (uint32_t)((corner[k] - way->drawing->positions[0]) / 4);
}

static bool add_hull(carom_context *context, image_sheet *sheet, int which, const image_drawing *drawing)
{
    image_sheet_body *body = &sheet->bodies[which];
    hull_way way = {.body = body, .drawing = drawing, .side = (float)sheet->tiles.side};
    if (!base_array_reserve(context, &body->positions, 4 * (size_t)drawing->position_count) ||
        !base_array_reserve(context, &body->planes, 8 * (size_t)drawing->plane_count) ||
        !base_array_reserve(context, &body->indices, 3 * (size_t)drawing->plane_count))
        return false;
    way.base = (uint32_t)(body->positions.count / 4);
    image_tile_at(&sheet->tiles, sheet->count, way.tile);
    image_each_triangle(drawing, add_triangle, &way);
    add_positions(body, drawing, way.tile);
    return true;
}

bool image_sheet_add(carom_context *context, image_sheet *sheet, const image_drawing drawings[2])
{
    for (int i = 0; i < 2; i++)
        if (!add_hull(context, sheet, i, &drawings[i]))
            return false;
    sheet->count++;
    return true;
}

/* ---- drawing ---- */

static carom_status upload(image_sheet *sheet)
{
    double start = base_now();
    for (int i = 0; i < 2; i++)
    {
        image_sheet_body *body = &sheet->bodies[i];
        BASE_TRY(gpu_buffer_replace(sheet->device, &body->position_buffer, body->positions.items,
                                    body->positions.count * sizeof(float)));
        BASE_TRY(gpu_buffer_replace(sheet->device, &body->plane_buffer, body->planes.items,
                                    body->planes.count * sizeof(float)));
        BASE_TRY(gpu_buffer_replace(sheet->device, &body->index_buffer, body->indices.items,
                                    body->indices.count * sizeof(uint32_t)));
    }
    sheet->stats.upload_seconds += base_now() - start;
    return CAROM_OK;
}

static carom_status find_target(image_sheet *sheet, gpu_target **out)
{
    int index = 0;
    uint32_t width = sheet->tiles.width;
    while ((uint32_t)IMAGE_MIN_TARGET << index < width)
        index++;
    *out = &sheet->targets[index];
    if ((*out)->width == width)
        return CAROM_OK;
    gpu_target_def def = {.width = width, .height = width, .depth = GPU_DEPTH32F_STENCIL8};
    return gpu_target_create(sheet->device, &def, *out);
}

/* The rows of tiles that are in use, in pixels. */
static uint32_t used_rows(const image_sheet *sheet)
{
    const image_tiles *tiles = &sheet->tiles;
    return (sheet->count + tiles->per_row - 1) / tiles->per_row * tiles->side;
}

static carom_status draw_body(image_sheet *sheet, const gpu_target *target, int which, bool front)
{
    const image_sheet_body *body = &sheet->bodies[which];
    gpu_draw_def draw = gpu_draw_def_default();
    gpu_state state = image_stencil_state(front, 0xff);
    state.clip_distances = 4;
    draw.target = target, draw.program = &sheet->program, draw.layout = &body->layout, draw.state = &state;
    draw.mode = GPU_TRIANGLES, draw.count = (uint32_t)body->indices.count;
    draw.textures[0] = &body->plane_texture;
    sheet->stats.passes++, sheet->stats.triangles += body->planes.count / 8;
    sheet->stats.pixels += (uint64_t)sheet->tiles.width * used_rows(sheet);
    return gpu_draw(sheet->device, &draw);
}

/* The front of the given body, both sides of the other; then the stencil. */
static carom_status draw_and_read(image_sheet *sheet, int first, uint8_t *out)
{
    gpu_target *target;
    gpu_rect used = {0, 0, sheet->tiles.width, used_rows(sheet)};
    gpu_clear_values clear = {
        .planes = GPU_PLANE_BIT(GPU_DEPTH) | GPU_PLANE_BIT(GPU_STENCIL), .depth = 1.0f, .rect = used};
    float side = (float)sheet->tiles.side, width = (float)sheet->tiles.width;
    gpu_uniform tile_side = {"side", GPU_FLOAT, 1, 1, &side}, target_width = {"width", GPU_FLOAT, 1, 1, &width};
    double start = base_now();
    BASE_TRY(find_target(sheet, &target));
    BASE_TRY(gpu_program_set(sheet->device, &sheet->program, &tile_side));
    BASE_TRY(gpu_program_set(sheet->device, &sheet->program, &target_width));
    BASE_TRY(gpu_clear(sheet->device, target, &clear));
    BASE_TRY(draw_body(sheet, target, first, true));
    BASE_TRY(draw_body(sheet, target, !first, false));
    double drawn = base_now();
    gpu_read_def read = {GPU_STENCIL, used, out, (size_t)used.width * used.height};
    BASE_TRY(gpu_read(sheet->device, target, &read));
    sheet->stats.draw_seconds += drawn - start, sheet->stats.query_seconds += base_now() - drawn;
    return CAROM_OK;
}

/* ---- looking ---- */

static const uint8_t *tile_row(const image_sheet *sheet, const uint8_t *stencil, uint32_t pair, uint32_t row)
{
    const image_tiles *tiles = &sheet->tiles;
    size_t y = (size_t)(pair / tiles->per_row) * tiles->side + row;
    return stencil + y * tiles->width + (size_t)(pair % tiles->per_row) * tiles->side;
}

/* Are there pixels at 2? Otherwise, at 3? */
static void look_first(const image_sheet *sheet, uint32_t pair, bool *hit, bool *undecided)
{
    for (uint32_t row = 0; row < sheet->tiles.side && !*hit; row++)
    {
        const uint8_t *at = tile_row(sheet, sheet->first.items, pair, row);
        for (uint32_t i = 0; i < sheet->tiles.side; i++)
            *hit |= at[i] == 2, *undecided |= at[i] == 3;
    }
}

/* At 2 with exchanged roles, or at 3 both times: equal fronts. */
static bool look_again(const image_sheet *sheet, uint32_t pair)
{
    bool hit = false;
    for (uint32_t row = 0; row < sheet->tiles.side && !hit; row++)
    {
        const uint8_t *before = tile_row(sheet, sheet->first.items, pair, row);
        const uint8_t *now = tile_row(sheet, sheet->second.items, pair, row);
        for (uint32_t i = 0; i < sheet->tiles.side; i++)
            hit |= now[i] == 2 || (before[i] == 3 && now[i] == 3);
    }
    return hit;
}

carom_status image_sheet_run(carom_context *context, image_sheet *sheet, uint8_t *meets)
{
    enum
    {
        UNDECIDED = 2
    };
    size_t pixels = (size_t)sheet->tiles.width * used_rows(sheet);
    bool any = false;
    sheet->first.count = sheet->second.count = 0;
    if (sheet->count == 0)
        return CAROM_OK;
    if (!base_array_reserve(context, &sheet->first, pixels) || !base_array_reserve(context, &sheet->second, pixels))
        return base_fail(context, CAROM_OUT_OF_MEMORY, "engine: no memory for images");
    BASE_TRY(upload(sheet));
    BASE_TRY(draw_and_read(sheet, 0, sheet->first.items));
    sheet->first.count = pixels, sheet->stats.pairs += sheet->count;
    for (uint32_t i = 0; i < sheet->count; i++)
    {
        bool hit = false, undecided = false;
        look_first(sheet, i, &hit, &undecided);
        meets[i] = hit ? 1 : undecided ? UNDECIDED : 0, any |= !hit && undecided;
    }
    if (!any)
        return CAROM_OK;
    BASE_TRY(draw_and_read(sheet, 1, sheet->second.items));
    sheet->second.count = pixels;
    for (uint32_t i = 0; i < sheet->count; i++)
        if (meets[i] == UNDECIDED)
            meets[i] = look_again(sheet, i), sheet->stats.swaps++;
    return CAROM_OK;
}

void image_sheet_tile(const image_sheet *sheet, uint32_t pair, bool swapped, uint8_t *out)
{
    uint32_t side = sheet->tiles.side;
    bool drawn = swapped ? sheet->second.count > 0 : sheet->first.count > 0;
    memset(out, 0, (size_t)side * side);
    for (uint32_t row = 0; row < side && drawn; row++)
        memcpy(out + (size_t)row * side, tile_row(sheet, swapped ? sheet->second.items : sheet->first.items, pair, row),
               side);
}
