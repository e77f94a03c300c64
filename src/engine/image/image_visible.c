/* Certified visibility of bodies, on the GPU and in plain C. */
#include "engine/image/image_visible.h"

/* ---- life ---- */

carom_status image_visible_create(carom_context *context, gpu_device *device, image_visible *out)
{
    *out = (image_visible){.context = context, .device = device};
    gpu_program_def def = {
        .vertex = "interval.vert.glsl", .fragment = "interval.frag.glsl", .definitions = "#define REACH\n"};
    BASE_TRY(gpu_program_create(device, &def, &out->draw));
    def.definitions = "#define TESTS\n";
    BASE_TRY(gpu_program_create(device, &def, &out->test));
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &out->records));
    return image_records_layout(device, &out->records, &out->layout);
}

void image_visible_destroy(image_visible *visible)
{
    for (size_t i = 0; i < visible->queries.count; i++)
        gpu_query_destroy(visible->device, &visible->queries.items[i]);
    base_array_free(visible->context, &visible->queries);
    gpu_target_destroy(visible->device, &visible->reached);
    gpu_target_destroy(visible->device, &visible->nothing);
    gpu_layout_destroy(visible->device, &visible->layout);
    gpu_buffer_destroy(visible->device, &visible->records);
    gpu_program_destroy(visible->device, &visible->draw);
    gpu_program_destroy(visible->device, &visible->test);
}

/* ---- a run ---- */

static carom_status fit_targets(image_visible *visible, uint32_t side)
{
    if (visible->reached.width == side)
        return CAROM_OK;
    gpu_target_destroy(visible->device, &visible->reached);
    gpu_target_destroy(visible->device, &visible->nothing);
    gpu_target_def reached = {.width = side, .height = side, .colors = {GPU_R32F}};
    gpu_target_def nothing = {.width = side, .height = side, .colors = {GPU_R8UI}};
    BASE_TRY(gpu_target_create(visible->device, &reached, &visible->reached));
    return gpu_target_create(visible->device, &nothing, &visible->nothing);
}

static carom_status fit_queries(image_visible *visible, uint32_t count)
{
    if (visible->queries.count < count && !base_array_reserve(visible->context, &visible->queries, count))
        return base_fail(visible->context, CAROM_OUT_OF_MEMORY, "image: no memory for %u queries", count);
    while (visible->queries.count < count)
    {
        BASE_TRY(gpu_query_create(visible->device, false, &visible->queries.items[visible->queries.count]));
        visible->queries.count++;
    }
    return CAROM_OK;
}

static carom_status set_uniforms(image_visible *visible, const image_visible_job *job)
{
    float size[2] = {(float)job->side, (float)job->side}, way = job->backwards ? -1.0f : 1.0f;
    const gpu_program *programs[] = {&visible->draw, &visible->test};
    for (int i = 0; i < 2; i++)
    {
        BASE_TRY(gpu_program_set(visible->device, programs[i], &(gpu_uniform){"target_size", GPU_FLOAT, 2, 1, size}));
        BASE_TRY(gpu_program_set(visible->device, programs[i], &(gpu_uniform){"way", GPU_FLOAT, 1, 1, &way}));
    }
    return CAROM_OK;
}

static carom_status begin_run(image_visible *visible, const image_visible_job *job)
{
    gpu_clear_values clear = {.planes = GPU_PLANE_BIT(GPU_COLOR0), .color = {IMAGE_NOTHING}};
    BASE_TRY(fit_targets(visible, job->side));
    BASE_TRY(fit_queries(visible, job->count));
    BASE_TRY(set_uniforms(visible, job));
    if (visible->uploaded != job->records->items)
        BASE_TRY(gpu_buffer_replace(visible->device, &visible->records, job->records->items,
                                    job->records->count * sizeof *job->records->items));
    visible->uploaded = job->records->items;
    return gpu_clear(visible->device, &visible->reached, &clear);
}

/* Tests a body against those before it, then draws it. */
static carom_status take_body(image_visible *visible, const image_visible_body *body, gpu_query *query)
{
    gpu_state state = gpu_state_default();
    gpu_draw_def draw = gpu_draw_def_default();
    draw.layout = &visible->layout, draw.state = &state;
    draw.mode = GPU_TRIANGLE_STRIP, draw.count = 4;
    draw.first_instance = body->first, draw.instances = body->count;
    if (query)
    {
        draw.target = &visible->nothing, draw.program = &visible->test, state.color_write = false;
        draw.textures[0] = &visible->reached.colors[0];
        BASE_TRY(gpu_query_begin(visible->device, query));
        carom_status status = gpu_draw(visible->device, &draw);
        carom_status ended = gpu_query_end(visible->device, query);
        BASE_TRY(status);
        BASE_TRY(ended);
    }
    draw.target = &visible->reached, draw.program = &visible->draw, draw.textures[0] = NULL;
    state.color_write = true, state.blend = GPU_BLEND_MAX;
    visible->draws += query ? 2 : 1;
    return gpu_draw(visible->device, &draw);
}

carom_status image_visible_run(image_visible *visible, const image_visible_job *job, uint8_t *beyond)
{
    BASE_TRY(begin_run(visible, job));
    for (uint32_t i = 0; i < job->count; i++)
        BASE_TRY(take_body(visible, &job->bodies[job->order[i]], i > 0 ? &visible->queries.items[i] : NULL));
    for (uint32_t i = 0; i < job->count; i++)
    {
        uint64_t any = 0;
        if (i > 0)
            BASE_TRY(gpu_query_result(visible->device, &visible->queries.items[i], &any));
        beyond[i] = any == 0;
    }
    return CAROM_OK;
}

carom_status image_visible_reached(image_visible *visible, const image_visible_job *job, float *out)
{
    gpu_read_def read = {GPU_COLOR0, {0}, out, (size_t)job->side * job->side * sizeof *out};
    return gpu_read(visible->device, &visible->reached, &read);
}

/* ---- the twin ---- */

/* Tests (draws false) or draws a triangle. True: it is not surely beyond in some pixel. */
static bool take_triangle(const image_visible_job *job, const image_record *record, float *reached, bool draws)
{
    bool any = false;
    for (int row = (int)record->rect[1]; row < (int)record->rect[3]; row++)
        for (int column = (int)record->rect[0]; column < (int)record->rect[2]; column++)
        {
            float own[2], *at = &reached[(size_t)row * job->side + (size_t)column];
            if (!image_depths_twin(record, column, row, own))
                continue;
            float nearest = job->backwards ? -own[1] : -own[0], farthest = job->backwards ? own[0] : own[1];
            if (draws)
                *at = fmaxf(*at, farthest);
            else
                any = any || !(nearest > *at);
        }
    return any;
}

void image_visible_twin(const image_visible_job *job, float *reached, uint8_t *beyond)
{
    for (size_t i = 0; i < (size_t)job->side * job->side; i++)
        reached[i] = IMAGE_NOTHING;
    for (uint32_t i = 0; i < job->count; i++)
    {
        const image_visible_body *body = &job->bodies[job->order[i]];
        const image_record *records = job->records->items + body->first;
        bool any = false;
        for (uint32_t k = 0; k < body->count; k++)
            any = take_triangle(job, &records[k], reached, false) || any;
        for (uint32_t k = 0; k < body->count; k++)
            take_triangle(job, &records[k], reached, true);
        beyond[i] = !any;
    }
}
