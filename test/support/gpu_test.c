/* A small session of drawing, for the tests of src/gpu. */
#include "support/gpu_test.h"

typedef struct session_vertex
{
    float corner[4], value[4];
    uint32_t number;
} session_vertex;

static carom_status make_layout(gpu_device *device, gpu_session *session)
{
    const uint32_t stride = sizeof(session_vertex);
    const gpu_attribute attributes[] = {
        {0, GPU_FLOAT, 4, &session->vertices, offsetof(session_vertex, corner), stride, false},
        {1, GPU_FLOAT, 4, &session->vertices, offsetof(session_vertex, value), stride, false},
        {2, GPU_UINT, 1, &session->vertices, offsetof(session_vertex, number), stride, false},
    };
    return gpu_layout_create(device, attributes, 3, NULL, &session->layout);
}

carom_status gpu_session_make(gpu_device *device, gpu_session *session)
{
    memset(session, 0, sizeof *session);
    const gpu_target_def target = {GPU_TEST_SIZE, GPU_TEST_SIZE, {GPU_R32UI}, GPU_DEPTH32F_STENCIL8};
    const gpu_program_def program = {.vertex = "check_vertices.vert.glsl", .fragment = "check_integers.frag.glsl"};
    const gpu_texture texture = {.format = GPU_R32F, .width = 2, .height = 2};
    const float texels[4] = {0};
    BASE_TRY(gpu_target_create(device, &target, &session->target));
    BASE_TRY(gpu_program_create(device, &program, &session->program));
    BASE_TRY(gpu_buffer_create(device, NULL, 0, true, &session->vertices));
    BASE_TRY(make_layout(device, session));
    BASE_TRY(gpu_query_create(device, true, &session->query));
    return gpu_texture_create(device, &texture, texels, &session->texture);
}

static carom_status draw(gpu_device *device, gpu_session *session)
{
    gpu_state state = gpu_state_default();
    gpu_draw_def call = gpu_draw_def_default();
    call.target = &session->target, call.program = &session->program, call.layout = &session->layout;
    call.state = &state, call.mode = GPU_TRIANGLE_STRIP, call.count = 4;
    call.textures[0] = &session->texture;
    BASE_TRY(gpu_query_begin(device, &session->query));
    carom_status status = gpu_draw(device, &call), ended = gpu_query_end(device, &session->query);
    return carom_failed(status) ? status : ended;
}

carom_status gpu_session_draw(gpu_device *device, gpu_session *session, uint32_t number)
{
    const session_vertex corners[4] = {{.corner = {-1, -1, 0, 1}, .number = number},
                                       {.corner = {0, -1, 0, 1}, .number = number},
                                       {.corner = {-1, 1, 0, 1}, .number = number},
                                       {.corner = {0, 1, 0, 1}, .number = number}};
    const gpu_clear_values clear = {.planes = GPU_PLANE_BIT(GPU_COLOR0) | GPU_PLANE_BIT(GPU_DEPTH) |
                                              GPU_PLANE_BIT(GPU_STENCIL),
                                    .integers = {7},
                                    .depth = 1.0f};
    const gpu_read_def read = {.plane = GPU_COLOR0, .out = session->texels, .size = sizeof session->texels};
    BASE_TRY(gpu_clear(device, &session->target, &clear));
    BASE_TRY(gpu_buffer_replace(device, &session->vertices, corners, sizeof corners));
    BASE_TRY(draw(device, session));
    BASE_TRY(gpu_query_result(device, &session->query, &session->count));
    return gpu_read(device, &session->target, &read);
}

void gpu_session_destroy(gpu_device *device, gpu_session *session)
{
    gpu_texture_destroy(device, &session->texture);
    gpu_query_destroy(device, &session->query);
    gpu_layout_destroy(device, &session->layout);
    gpu_buffer_destroy(device, &session->vertices);
    gpu_program_destroy(device, &session->program);
    gpu_target_destroy(device, &session->target);
}

bool gpu_session_is_right(const gpu_session *session, uint32_t number)
{
    bool right = session->count == GPU_TEST_SIZE * GPU_TEST_SIZE / 2;
    for (uint32_t i = 0; i < GPU_TEST_SIZE * GPU_TEST_SIZE; i++)
        right = right && session->texels[i] == (i % GPU_TEST_SIZE < GPU_TEST_SIZE / 2 ? number : 7);
    return right;
}

carom_status gpu_session_run(gpu_device *device, uint32_t number, bool *right)
{
    gpu_session session;
    *right = false;
    BASE_TRY(gpu_begin(device));
    carom_status status = gpu_session_make(device, &session);
    if (!carom_failed(status))
        status = gpu_session_draw(device, &session, number);
    gpu_session_destroy(device, &session);
    carom_status ended = gpu_end(device);
    *right = !carom_failed(status) && gpu_session_is_right(&session, number);
    return carom_failed(status) ? status : ended;
}
