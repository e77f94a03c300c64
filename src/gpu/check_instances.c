/* Check: instances with their own attributes, a uniform block and a uniform. */
#include "gpu/check.h"

enum
{
    INSTANCES = 16,
    FIRST_INSTANCE = 3
};

typedef struct instance
{
    float place[4]; /* x, y, width, height in pixels */
    float value[4];
    uint32_t number;
} instance;

typedef struct instance_objects
{
    gpu_buffer instances, block;
    gpu_program program;
    gpu_layout layout;
} instance_objects;

static carom_status make_objects(gpu_device *device, const instance *instances, instance_objects *out)
{
    static const float scale[4] = {2.0f / CHECK_SIZE, 2.0f / CHECK_SIZE};
    static const float depth = 0.5f;
    const gpu_program_def def = {.vertex = "check_instances.vert.glsl", .fragment = "check_floats.frag.glsl"};
    const gpu_uniform uniform = {"depth", GPU_FLOAT, 1, 1, &depth};
    const uint32_t stride = sizeof *instances;
    const gpu_attribute attributes[] = {
        {3, GPU_FLOAT, 4, &out->instances, offsetof(instance, place), stride, true},
        {1, GPU_FLOAT, 4, &out->instances, offsetof(instance, value), stride, true},
        {2, GPU_UINT, 1, &out->instances, offsetof(instance, number), stride, true},
    };
    BASE_TRY(gpu_buffer_create(device, instances, INSTANCES * sizeof *instances, false, &out->instances));
    BASE_TRY(gpu_buffer_create(device, scale, sizeof scale, false, &out->block));
    BASE_TRY(gpu_program_create(device, &def, &out->program));
    BASE_TRY(gpu_program_set(device, &out->program, &uniform));
    return gpu_layout_create(device, attributes, 3, NULL, &out->layout);
}

static void destroy_objects(gpu_device *device, instance_objects *objects)
{
    gpu_layout_destroy(device, &objects->layout);
    gpu_program_destroy(device, &objects->program);
    gpu_buffer_destroy(device, &objects->block);
    gpu_buffer_destroy(device, &objects->instances);
}

static carom_status draw_instances(check_canvas *canvas, const instance_objects *objects)
{
    gpu_state state = gpu_state_default();
    gpu_draw_def call = check_draw_call(canvas, &state);
    call.program = &objects->program, call.layout = &objects->layout;
    call.mode = GPU_TRIANGLE_STRIP, call.count = 4;
    call.first_instance = FIRST_INSTANCE, call.instances = INSTANCES - FIRST_INSTANCE;
    call.uniform_blocks[0] = &objects->block;
    BASE_TRY(gpu_draw(canvas->device, &call));
    return check_read(canvas, GPU_COLOR0);
}

static carom_status run_instances(check_canvas *canvas, gpu_check_result *result)
{
    instance instances[INSTANCES];
    instance_objects objects = {0};
    memset(&canvas->computed, 0, sizeof canvas->computed);
    for (uint32_t i = 0; i < INSTANCES; i++)
    {
        float x = (float)(i % 4 * 16), y = (float)(i / 4 * 16), size = (float)(1 + i);
        const check_paint paint = {x, y, size, size, .value = {(float)i, -1.0f, 0.5f, 1e30f}};
        instances[i] = (instance){{x, y, size, size}, {(float)i, -1.0f, 0.5f, 1e30f}, i};
        for (uint32_t k = 0; k < CHECK_TEXELS && i >= FIRST_INSTANCE; k++)
            if (check_is_in(&paint, k))
                memcpy(&canvas->computed.floats[4 * k], paint.value, sizeof paint.value);
    }
    carom_status status = make_objects(canvas->device, instances, &objects);
    if (!carom_failed(status))
        status = draw_instances(canvas, &objects);
    if (!carom_failed(status))
        check_compare(canvas, result, "instances", 4);
    destroy_objects(canvas->device, &objects);
    return status;
}

carom_status check_instances(gpu_device *device, gpu_check_result *result)
{
    static const check_job job = {GPU_RGBA32F, GPU_NONE, "check_floats.frag.glsl", run_instances};
    return check_on_canvas(device, &job, result);
}
