/* Compute shaders over storage blocks. */
#include "gpu/device.h"

enum
{
    MAX_GROUPS = 65535 /* every driver allows as many */
};

carom_status gpu_dispatch(gpu_device *device, const gpu_dispatch_def *def)
{
    BASE_TRY(gpu_ready(device));
    if (!def->program || def->program->name == 0)
        return gpu_fail(device, CAROM_INVALID_ARGUMENT, "gpu_dispatch: there is no program");
    if (def->groups > MAX_GROUPS)
        return gpu_fail(device, CAROM_TOO_LARGE, "gpu_dispatch: %u groups", def->groups);
    if (def->groups == 0)
        return CAROM_OK;
    for (unsigned i = 0; i < GPU_STORAGE_BLOCKS; i++)
        if (def->storage_blocks[i])
            GPU_TRY(device, BindBufferBase, GL_SHADER_STORAGE_BUFFER, i, def->storage_blocks[i]->name);
    GPU_TRY(device, UseProgram, def->program->name);
    GPU_TRY(device, DispatchCompute, def->groups, 1, 1);
    GPU_TRY(device, MemoryBarrier, GL_SHADER_STORAGE_BARRIER_BIT | GL_BUFFER_UPDATE_BARRIER_BIT);
    return CAROM_OK;
}

carom_status gpu_compute_limits(gpu_device *device, uint32_t *group_size, uint32_t *shared_memory)
{
    int size = 0, bytes = 0;
    BASE_TRY(gpu_ready(device));
    GPU_TRY(device, GetIntegerv, GL_MAX_COMPUTE_WORK_GROUP_INVOCATIONS, &size);
    GPU_TRY(device, GetIntegerv, GL_MAX_COMPUTE_SHARED_MEMORY_SIZE, &bytes);
    *group_size = size > 0 ? (uint32_t)size : 0, *shared_memory = bytes > 0 ? (uint32_t)bytes : 0;
    return CAROM_OK;
}
