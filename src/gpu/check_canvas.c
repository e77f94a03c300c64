/* What the checks draw on. */
#include "gpu/check.h"

static carom_status open_canvas(check_canvas *canvas, const check_job *job)
{
    gpu_device *device = canvas->device;
    const gpu_target_def target = {CHECK_SIZE, CHECK_SIZE, {job->color}, job->depth};
    BASE_TRY(gpu_target_create(device, &target, &canvas->target));
    const gpu_program_def program = {.vertex = "check_vertices.vert.glsl", .fragment = job->fragment};
    BASE_TRY(gpu_program_create(device, &program, &canvas->program));
    BASE_TRY(gpu_buffer_create(device, NULL, sizeof canvas->room, true, &canvas->vertices));
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &canvas->indices));
    const gpu_buffer *buffer = &canvas->vertices;
    const uint32_t stride = sizeof(check_vertex);
    const gpu_attribute attributes[] = {
        {0, GPU_FLOAT, 4, buffer, offsetof(check_vertex, corner), stride, false},
        {1, GPU_FLOAT, 4, buffer, offsetof(check_vertex, value), stride, false},
        {2, GPU_UINT, 1, buffer, offsetof(check_vertex, number), stride, false},
    };
    BASE_TRY(gpu_layout_create(device, attributes, 3, NULL, &canvas->layout));
    return gpu_layout_create(device, attributes, 3, &canvas->indices, &canvas->indexed_layout);
}

static void close_canvas(check_canvas *canvas)
{
    gpu_device *device = canvas->device;
    gpu_layout_destroy(device, &canvas->indexed_layout);
    gpu_layout_destroy(device, &canvas->layout);
    gpu_buffer_destroy(device, &canvas->indices);
    gpu_buffer_destroy(device, &canvas->vertices);
    gpu_program_destroy(device, &canvas->program);
    gpu_target_destroy(device, &canvas->target);
}

carom_status check_on_canvas(gpu_device *device, const check_job *job, gpu_check_result *result)
{
    carom_context *context = gpu_context(device);
    check_canvas *canvas = base_allocate(context, 1, sizeof *canvas, _Alignof(check_canvas));
    if (!canvas)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "no memory for the image of a check");
    memset(canvas, 0, sizeof *canvas);
    canvas->device = device;
    carom_status status = open_canvas(canvas, job);
    if (!carom_failed(status))
        status = check_wipe(canvas);
    if (!carom_failed(status))
        status = job->run(canvas, result);
    close_canvas(canvas);
    base_release(context, canvas, 1, sizeof *canvas);
    return status;
}

/* ---- triangles ---- */

void check_add_corner(check_canvas *canvas, const check_paint *paint, float x, float y)
{
    if (canvas->count == CHECK_MAX_VERTICES)
        return; /* the comparison will notice */
    check_vertex *vertex = &canvas->room[canvas->count++];
    const float scale = 2.0f / CHECK_SIZE; /* a power of two: no rounding for positions of 16 bits */
    *vertex =
        (check_vertex){.corner = {x * scale - 1.0f, y * scale - 1.0f, paint->depth, 1.0f}, .number = paint->number};
    memcpy(vertex->value, paint->value, sizeof vertex->value);
}

void check_add_rect(check_canvas *canvas, const check_paint *paint)
{
    static const unsigned char order[2][6] = {{0, 1, 3, 0, 3, 2}, {0, 3, 1, 0, 2, 3}};
    for (int i = 0; i < 6; i++)
    {
        unsigned corner = order[paint->backwards][i];
        check_add_corner(canvas, paint, paint->x + (corner & 1 ? paint->width : 0),
                         paint->y + (corner & 2 ? paint->height : 0));
    }
}

gpu_draw_def check_draw_call(const check_canvas *canvas, const gpu_state *state)
{
    gpu_draw_def call = gpu_draw_def_default();
    call.target = &canvas->target, call.program = &canvas->program, call.layout = &canvas->layout;
    call.state = state;
    call.count = canvas->count;
    return call;
}

carom_status check_draw(check_canvas *canvas, const gpu_state *state)
{
    gpu_draw_def call = check_draw_call(canvas, state);
    uint32_t count = canvas->count;
    canvas->count = 0;
    BASE_TRY(gpu_buffer_replace(canvas->device, &canvas->vertices, canvas->room, count * sizeof *canvas->room));
    return gpu_draw(canvas->device, &call);
}

/* ---- images ---- */

carom_status check_wipe(check_canvas *canvas)
{
    gpu_clear_values values = {.planes = GPU_PLANE_BIT(GPU_COLOR0), .depth = 1.0f};
    gpu_format depth = canvas->target.depth.format;
    if (depth != GPU_NONE)
        values.planes |= GPU_PLANE_BIT(GPU_DEPTH);
    if (depth == GPU_DEPTH24_STENCIL8 || depth == GPU_DEPTH32F_STENCIL8)
        values.planes |= GPU_PLANE_BIT(GPU_STENCIL);
    return gpu_clear(canvas->device, &canvas->target, &values);
}

carom_status check_read(check_canvas *canvas, gpu_plane plane)
{
    uint32_t texel = plane == GPU_DEPTH     ? 4
                     : plane == GPU_STENCIL ? 1
                                            : gpu_format_texel(canvas->target.colors[plane].format);
    const gpu_read_def def = {.plane = plane, .out = &canvas->drawn, .size = (size_t)texel * CHECK_TEXELS};
    return gpu_read(canvas->device, &canvas->target, &def);
}

void check_compare(const check_canvas *canvas, gpu_check_result *result, const char *name, uint32_t components)
{
    const gpu_compared image = {name, CHECK_SIZE, components, CHECK_TEXELS};
    gpu_compare_words(result, &image, &canvas->drawn, &canvas->computed);
}

void check_compare_floats(const check_canvas *canvas, gpu_check_result *result, const char *name, uint32_t components)
{
    const gpu_compared image = {name, CHECK_SIZE, components, CHECK_TEXELS};
    gpu_compare_floats(result, &image, canvas->drawn.floats, canvas->computed.floats);
}

uint32_t check_random_bits(uint64_t *state)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    uint64_t mixed = *state ^ (*state >> 33);
    return (uint32_t)(mixed * 0x9e3779b97f4a7c15u >> 32);
}
