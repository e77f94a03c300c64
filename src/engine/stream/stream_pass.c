/* Edges or triangles as textures, and a rectangle per triangle or box. */
#include "engine/stream/stream_pass.h"

#include <math.h>

/* ---- life ---- */

static carom_status make_layout(gpu_device *device, const gpu_buffer *records, gpu_layout *out)
{
    enum
    {
        ROWS = sizeof(stream_record) / 16
    };
    gpu_attribute attributes[ROWS];
    for (uint32_t i = 0; i < ROWS; i++)
        attributes[i] = (gpu_attribute){.location = i,
                                        .type = GPU_FLOAT,
                                        .components = 4,
                                        .buffer = records,
                                        .offset = 16 * i,
                                        .stride = sizeof(stream_record),
                                        .per_instance = true};
    return gpu_layout_create(device, attributes, ROWS, NULL, out);
}

carom_status stream_pass_create(gpu_device *device, stream_pass *out)
{
    static const gpu_program_def lengths = {.vertex = "tiles.vert.glsl", .fragment = "stream_lengths.frag.glsl"};
    *out = (stream_pass){.device = device};
    BASE_TRY(gpu_program_create(device, &lengths, &out->lengths));
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &out->records));
    BASE_TRY(make_layout(device, &out->records, &out->rectangle));
    BASE_TRY(gpu_layout_create(device, NULL, 0, NULL, &out->nothing));
    for (int i = 0; i < STREAM_BATCH; i++)
        BASE_TRY(gpu_query_create(device, true, &out->queries[i]));
    return CAROM_OK;
}

/* Made on first use: compiling takes a while. */
static carom_status find_program(stream_pass *pass, stream_kind kind, const gpu_program **out)
{
    static const char triangle[] = "stream_triangle.vert.glsl", box[] = "stream_box.vert.glsl";
    static const char tests[] = "stream.frag.glsl";
    static const gpu_program_def defs[STREAM_KINDS] = {
        {.vertex = triangle, .fragment = tests, .definitions = "#define EDGE_TRIANGLE\n"},
        {.vertex = box, .fragment = tests, .definitions = "#define EDGE_BOX\n"},
        {.vertex = triangle, .fragment = "stream_printed_triangle.frag.glsl"},
        {.vertex = box, .fragment = "stream_printed_box.frag.glsl"},
        {.vertex = triangle, .fragment = tests, .definitions = "#define TRIANGLE_TRIANGLE\n"},
        {.vertex = box, .fragment = tests, .definitions = "#define TRIANGLE_BOX\n"}};
    *out = &pass->programs[kind];
    return (*out)->name ? CAROM_OK : gpu_program_create(pass->device, &defs[kind], &pass->programs[kind]);
}

void stream_pass_destroy(stream_pass *pass)
{
    for (int i = 0; i < STREAM_BATCH; i++)
        gpu_query_destroy(pass->device, &pass->queries[i]);
    gpu_layout_destroy(pass->device, &pass->rectangle);
    gpu_layout_destroy(pass->device, &pass->nothing);
    gpu_buffer_destroy(pass->device, &pass->records);
    gpu_program_destroy(pass->device, &pass->lengths);
    for (int i = 0; i < STREAM_KINDS; i++)
        gpu_program_destroy(pass->device, &pass->programs[i]);
}

/* ---- textures ---- */

/* The thesis's (3-1) always leaves texels without an edge. */
uint32_t stream_side(const gpu_device *device, uint32_t count)
{
    uint32_t limit = gpu_max_target(device), side = (uint32_t)sqrt((double)count) + 1;
    return side < limit ? side : limit;
}

/* The texels of a square as the two textures want them. */
typedef struct stream_texels
{
    float (*origins)[4], (*directions)[4], (*thirds)[4];
    size_t count;
} stream_texels;

static void fill_texels(stream_texels *texels, const stream_edge *edges, uint32_t count)
{
    for (size_t i = 0; i < count; i++)
    {
        memcpy(texels->origins[i], edges[i].origin, sizeof *texels->origins);
        memcpy(texels->directions[i], edges[i].direction, 3 * sizeof(float));
        texels->directions[i][3] = edges[i].length;
        memcpy(texels->thirds[i], edges[i].third, sizeof *texels->thirds);
    }
    for (size_t i = count; i < texels->count; i++)
    {
        memset(texels->origins[i], 0, sizeof *texels->origins);
        memset(texels->directions[i], 0, sizeof *texels->directions);
        memset(texels->thirds[i], 0, sizeof *texels->thirds);
        texels->directions[i][3] = -1.0f;
    }
}

static gpu_draw_def draw_on(const stream_square *square, const gpu_program *program, const gpu_state *state)
{
    gpu_draw_def draw = gpu_draw_def_default();
    draw.target = &square->target, draw.program = program, draw.state = state;
    draw.mode = GPU_TRIANGLE_STRIP, draw.count = 4;
    draw.textures[0] = &square->origins, draw.textures[1] = &square->directions;
    draw.textures[2] = square->thirds.name ? &square->thirds : NULL;
    return draw;
}

static carom_status set_scale(stream_pass *pass, const gpu_program *program, float scale)
{
    gpu_uniform uniform = {"depth_scale", GPU_FLOAT, 1, 1, &scale};
    return gpu_program_set(pass->device, program, &uniform);
}

static carom_status write_lengths(stream_pass *pass, const stream_square *square, float depth_scale)
{
    gpu_state state = gpu_state_default();
    gpu_clear_values clear = {.planes = GPU_PLANE_BIT(GPU_STENCIL)};
    state.depth_test = state.depth_write = true, state.depth_compare = GPU_ALWAYS;
    gpu_draw_def draw = draw_on(square, &pass->lengths, &state);
    draw.layout = &pass->nothing, draw.textures[0] = draw.textures[2] = NULL;
    BASE_TRY(set_scale(pass, &pass->lengths, depth_scale));
    BASE_TRY(gpu_clear(pass->device, &square->target, &clear));
    return gpu_draw(pass->device, &draw);
}

static carom_status make_square(stream_pass *pass, const stream_texels *texels, const stream_textures *of,
                                stream_square *square)
{
    gpu_texture wanted = {.format = GPU_RGBA32F, .width = square->side, .height = square->side};
    gpu_target_def target = {.width = square->side, .height = square->side, .depth = GPU_DEPTH32F_STENCIL8};
    BASE_TRY(gpu_texture_create(pass->device, &wanted, texels->origins, &square->origins));
    BASE_TRY(gpu_texture_create(pass->device, &wanted, texels->directions, &square->directions));
    if (of->triangles)
        BASE_TRY(gpu_texture_create(pass->device, &wanted, texels->thirds, &square->thirds));
    BASE_TRY(gpu_target_create(pass->device, &target, &square->target));
    return write_lengths(pass, square, of->depth_scale);
}

static carom_status make_squares(stream_pass *pass, const stream_source *source, stream_texels *texels,
                                 stream_textures *out)
{
    uint32_t count = source->count, side = stream_side(pass->device, count);
    for (uint32_t i = 0; i < out->square_count; i++)
    {
        stream_square *square = &out->squares[i];
        square->side = side, square->first = i * (uint32_t)texels->count;
        square->count = count - square->first < texels->count ? count - square->first : (uint32_t)texels->count;
        fill_texels(texels, source->edges + square->first, square->count);
        BASE_TRY(make_square(pass, texels, out, square));
    }
    return CAROM_OK;
}

static bool make_texels(carom_context *context, stream_texels *texels)
{
    texels->origins = base_allocate(context, texels->count, sizeof *texels->origins, BASE_CACHE_LINE);
    texels->directions = base_allocate(context, texels->count, sizeof *texels->directions, BASE_CACHE_LINE);
    texels->thirds = base_allocate(context, texels->count, sizeof *texels->thirds, BASE_CACHE_LINE);
    return texels->origins && texels->directions && texels->thirds;
}

static void free_texels(carom_context *context, stream_texels *texels)
{
    base_release(context, texels->origins, texels->count, sizeof *texels->origins);
    base_release(context, texels->directions, texels->count, sizeof *texels->directions);
    base_release(context, texels->thirds, texels->count, sizeof *texels->thirds);
}

carom_status stream_textures_create(stream_pass *pass, const stream_source *source, stream_textures *out)
{
    carom_context *context = gpu_context(pass->device);
    double start = base_now();
    size_t side = stream_side(pass->device, source->count);
    stream_texels texels = {.count = side * side};
    uint32_t squares = (uint32_t)((source->count + texels.count - 1) / texels.count);
    *out = (stream_textures){.triangles = source->triangles, .depth_scale = source->depth_scale};
    out->squares = base_allocate(context, squares, sizeof *out->squares, BASE_CACHE_LINE);
    if (out->squares)
        memset(out->squares, 0, squares * sizeof *out->squares), out->square_count = squares;
    carom_status status = CAROM_OUT_OF_MEMORY;
    if (!make_texels(context, &texels) || !out->squares)
        base_fail(context, status, "engine: no memory for streams of edges");
    else
        status = make_squares(pass, source, &texels, out);
    free_texels(context, &texels);
    if (carom_failed(status))
        stream_textures_destroy(pass, out);
    pass->stats.upload_seconds += base_now() - start;
    return status;
}

void stream_textures_destroy(stream_pass *pass, stream_textures *textures)
{
    for (uint32_t i = 0; i < textures->square_count; i++)
    {
        gpu_texture_destroy(pass->device, &textures->squares[i].origins);
        gpu_texture_destroy(pass->device, &textures->squares[i].directions);
        gpu_texture_destroy(pass->device, &textures->squares[i].thirds);
        gpu_target_destroy(pass->device, &textures->squares[i].target);
    }
    if (textures->squares)
        base_release(gpu_context(pass->device), textures->squares, textures->square_count, sizeof *textures->squares);
    *textures = (stream_textures){0};
}

/* ---- passes ---- */

static bool is_printed(stream_kind kind) { return kind == STREAM_PRINTED_TRIANGLES || kind == STREAM_PRINTED_BOXES; }

/* GL_LESS, as printed, would lose what meets the end of an edge. */
static gpu_state state_of(const stream_batch *batch)
{
    gpu_state state = gpu_state_default();
    state.depth_test = true, state.depth_compare = is_printed(batch->kind) ? GPU_LESS : GPU_LESS_EQUAL;
    state.stencil_test = batch->want_hits;
    return state;
}

static void write_bit(gpu_state *state, uint32_t record)
{
    gpu_stencil_face face = {.compare = GPU_ALWAYS,
                             .reference = 0xff,
                             .mask = 0xff,
                             .write_mask = (uint8_t)(1u << record),
                             .fail = GPU_KEEP,
                             .depth_fail = GPU_KEEP,
                             .pass = GPU_REPLACE};
    state->front = state->back = face;
}

static carom_status draw_records(stream_pass *pass, const stream_square *square, const stream_batch *batch)
{
    const gpu_program *program;
    gpu_state state = state_of(batch);
    BASE_TRY(find_program(pass, batch->kind, &program));
    if (batch->kind != STREAM_BOXES && batch->kind < STREAM_PAIRS)
        BASE_TRY(set_scale(pass, program, batch->depth_scale));
    gpu_draw_def draw = draw_on(square, program, &state);
    draw.layout = &pass->rectangle;
    for (uint32_t i = 0; i < batch->count; i++)
    {
        draw.first_instance = i;
        if (batch->want_hits)
            write_bit(&state, i);
        BASE_TRY(gpu_query_begin(pass->device, &pass->queries[i]));
        BASE_TRY(gpu_draw(pass->device, &draw));
        BASE_TRY(gpu_query_end(pass->device, &pass->queries[i]));
    }
    return CAROM_OK;
}

carom_status stream_pass_draw(stream_pass *pass, stream_square *square, const stream_batch *batch,
                              uint64_t counts[STREAM_BATCH])
{
    double start = base_now();
    gpu_clear_values clear = {.planes = GPU_PLANE_BIT(GPU_STENCIL)};
    if (batch->want_hits && square->stained)
        BASE_TRY(gpu_clear(pass->device, &square->target, &clear));
    BASE_TRY(gpu_buffer_replace(pass->device, &pass->records, batch->records, batch->count * sizeof *batch->records));
    BASE_TRY(draw_records(pass, square, batch));
    double drawn = base_now();
    uint64_t sum = 0;
    for (uint32_t i = 0; i < batch->count; i++)
    {
        BASE_TRY(gpu_query_result(pass->device, &pass->queries[i], &counts[i]));
        sum += counts[i];
    }
    square->stained = batch->want_hits && (sum > 0);
    stream_pass_stats *stats = &pass->stats;
    stats->passes += batch->count, stats->pixels += (uint64_t)batch->count * square->side * square->side;
    stats->draw_seconds += drawn - start, stats->query_seconds += base_now() - drawn;
    return CAROM_OK;
}

carom_status stream_pass_read(stream_pass *pass, const stream_square *square, uint8_t *out)
{
    double start = base_now();
    gpu_read_def read = {GPU_STENCIL, {0}, out, (size_t)square->side * square->side};
    BASE_TRY(gpu_read(pass->device, &square->target, &read));
    pass->stats.reads++, pass->stats.query_seconds += base_now() - start;
    return CAROM_OK;
}
