/* The part of a context that libraries outside the core can use: the same memory, messages and workers as inside. */
#include "carom/extend.h"

#include "base/base.h"

void *carom_context_allocate(carom_context *context, size_t size, size_t alignment)
{
    bool power_of_two = alignment != 0 && (alignment & (alignment - 1)) == 0;
    if (!context || !power_of_two || alignment > BASE_CACHE_LINE)
        return NULL;
    return base_allocate(context, size, 1, alignment);
}

void carom_context_release(carom_context *context, void *memory, size_t size)
{
    if (context)
        base_release(context, memory, size, 1);
}

carom_status carom_context_fail(carom_context *context, carom_status status, const char *message)
{
    return base_fail(context, status, "%s", message ? message : "");
}

void carom_context_log(const carom_context *context, carom_log_level level, const char *message)
{
    if (context && message)
        base_log(context, level, "%s", message);
}

bool carom_context_progress(const carom_context *context, const carom_progress *progress)
{
    return !context || !progress || !context->progress || context->progress(progress, context->progress_user);
}

carom_status carom_context_run(carom_context *context, uint32_t count, uint32_t min_range, carom_task_fn *task,
                               void *task_data)
{
    if (!context)
        return CAROM_INVALID_ARGUMENT;
    if (!task)
        return base_fail(context, CAROM_INVALID_ARGUMENT, "carom_context_run: task is null");
    BASE_TRY(base_check_float_mode(context));
    base_parallel_for(context, count, min_range, task, task_data);
    return CAROM_OK;
}
