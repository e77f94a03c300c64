/* Draw calls and occlusion queries. */
#include "gpu/device.h"

gpu_draw_def gpu_draw_def_default(void) { return (gpu_draw_def){.mode = GPU_TRIANGLES, .instances = 1}; }

static carom_status check_def(gpu_device *device, const gpu_draw_def *def)
{
    const char *missing = !def->target || def->target->name == 0     ? "target"
                          : !def->program || def->program->name == 0 ? "program"
                          : !def->layout || def->layout->name == 0   ? "layout"
                          : !def->state                              ? "state"
                                                                     : NULL;
    if (missing)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "gpu_draw: there is no %s", missing);
    if ((unsigned)def->mode > GPU_TRIANGLE_STRIP)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "gpu_draw: no mode has number %d", (int)def->mode);
    if (def->first > INT32_MAX || def->count > INT32_MAX || def->instances > INT32_MAX || def->base_vertex > INT32_MAX)
        return gpu_fail(device, CAROM_TOO_LARGE, "gpu_draw: %u vertices from %u on, %u times", def->count, def->first,
                        def->instances);
    return CAROM_OK;
}

/* What the shaders see. */
static carom_status bind(gpu_device *device, const gpu_draw_def *def)
{
    for (unsigned i = 0; i < GPU_TEXTURES; i++)
        if (def->textures[i])
            GPU_TRY(device, BindTextureUnit, i, def->textures[i]->name);
    for (unsigned i = 0; i < GPU_BLOCKS; i++)
    {
        if (def->uniform_blocks[i])
            GPU_TRY(device, BindBufferBase, GL_UNIFORM_BUFFER, i, def->uniform_blocks[i]->name);
        if (def->storage_blocks[i])
            GPU_TRY(device, BindBufferBase, GL_SHADER_STORAGE_BUFFER, i, def->storage_blocks[i]->name);
    }
    GPU_TRY(device, BindFramebuffer, GL_FRAMEBUFFER, def->target->name);
    GPU_TRY(device, UseProgram, def->program->name);
    GPU_TRY(device, BindVertexArray, def->layout->name);
    return CAROM_OK;
}

/* Of a call whose shaders may have written to storage blocks: later ones and the processor see it. */
static carom_status finish_storage(gpu_device *device, const gpu_draw_def *def)
{
    bool writes = false;
    for (unsigned i = 0; i < GPU_BLOCKS; i++)
        writes = writes || def->storage_blocks[i];
    if (writes)
        GPU_TRY(device, MemoryBarrier, GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
    return CAROM_OK;
}

carom_status gpu_draw(gpu_device *device, const gpu_draw_def *def)
{
    static const gl_enum modes[] = {GL_POINTS, GL_LINES, GL_TRIANGLES, GL_TRIANGLE_STRIP};
    BASE_TRY(gpu_ready(device));
    BASE_TRY(check_def(device, def));
    if (def->count == 0 || def->instances == 0)
        return CAROM_OK;
    BASE_TRY(bind(device, def));
    BASE_TRY(gpu_state_apply(device, def->state, def->target));
    gl_enum mode = modes[def->mode];
    int count = (int)def->count, instances = (int)def->instances;
    if (!def->layout->indexed)
    {
        GPU_TRY(device, DrawArraysInstancedBaseInstance, mode, (int)def->first, count, instances, def->first_instance);
        return finish_storage(device, def);
    }
    /* a position in the buffer of indices, in the clothes of a pointer */
    uintptr_t offset = (uintptr_t)def->first * sizeof(uint32_t);
    const void *at = (const void *)offset; /* NOLINT(performance-no-int-to-ptr): OpenGL wants it */
    GPU_TRY(device, DrawElementsInstancedBaseVertexBaseInstance, mode, count, GL_UNSIGNED_INT, at, instances,
            (int)def->base_vertex, def->first_instance);
    return finish_storage(device, def);
}

/* ---- occlusion queries ---- */

static gl_enum query_target(const gpu_query *query)
{
    return query->counting ? GL_SAMPLES_PASSED : GL_ANY_SAMPLES_PASSED;
}

carom_status gpu_query_create(gpu_device *device, bool counting, gpu_query *out)
{
    gpu_query query = {.counting = counting};
    *out = (gpu_query){0};
    BASE_TRY(gpu_ready(device));
    device->gl.CreateQueries(query_target(&query), 1, &query.name);
    carom_status status = gpu_check_call(device, "glCreateQueries");
    if (carom_failed(status))
        gpu_query_destroy(device, &query);
    *out = query;
    return status;
}

void gpu_query_destroy(gpu_device *device, gpu_query *query)
{
    if (gpu_can_delete(device, query->name))
        device->gl.DeleteQueries(1, &query->name);
    *query = (gpu_query){0};
}

static carom_status check_query(gpu_device *device, const gpu_query *query, bool active)
{
    BASE_TRY(gpu_ready(device));
    if (query->name == 0 || query->active != active)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "an occlusion query that %s",
                        query->name == 0 ? "was not created"
                        : active         ? "was not begun"
                                         : "was not ended");
    return CAROM_OK;
}

carom_status gpu_query_begin(gpu_device *device, gpu_query *query)
{
    BASE_TRY(check_query(device, query, false));
    device->query_begun[query->counting] = true;
    GPU_TRY(device, BeginQuery, query_target(query), query->name);
    query->active = true;
    return CAROM_OK;
}

carom_status gpu_query_end(gpu_device *device, gpu_query *query)
{
    BASE_TRY(check_query(device, query, true));
    query->active = device->query_begun[query->counting] = false;
    GPU_TRY(device, EndQuery, query_target(query));
    return CAROM_OK;
}

void gpu_queries_abandon(gpu_device *device)
{
    for (int counting = 0; counting < 2; counting++)
        if (device->query_begun[counting])
            device->gl.EndQuery(query_target(&(gpu_query){.counting = counting == 1}));
    device->query_begun[0] = device->query_begun[1] = false;
}

carom_status gpu_query_ready(gpu_device *device, const gpu_query *query, bool *out)
{
    uint64_t ready = 0;
    BASE_TRY(check_query(device, query, false));
    GPU_TRY(device, GetQueryObjectui64v, query->name, GL_QUERY_RESULT_AVAILABLE, &ready);
    *out = ready != 0;
    return CAROM_OK;
}

carom_status gpu_query_result(gpu_device *device, const gpu_query *query, uint64_t *out)
{
    *out = 0;
    BASE_TRY(check_query(device, query, false));
    GPU_TRY(device, GetQueryObjectui64v, query->name, GL_QUERY_RESULT, out);
    return gpu_check_reset(device);
}
