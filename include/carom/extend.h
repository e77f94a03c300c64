/* carom/extend.h: for libraries that stand beside Carom and work on the caller's context, as the readers of carom/io.h
 * do: memory that the context's allocator gives and counts, messages where users look for them, its workers.
 *
 * Programs that only use Carom need none of this. A context's inside may change from one version to the next; a library
 * that keeps to these functions works with any version that has them. */
#ifndef CAROM_EXTEND_H
#define CAROM_EXTEND_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* Memory of the context's allocator, not initialised; null where there is none, or for an alignment that is not a
     * power of two up to 64. Zero bytes give a pointer that is not null. Release it before the context goes, with the
     * same size. */
    CAROM_API void *carom_context_allocate(carom_context *context, size_t size, size_t alignment);
    CAROM_API void carom_context_release(carom_context *context, void *memory, size_t size); /* memory may be null */

    /* Makes `message` the context's latest (see carom_context_message; what is longer than 255 bytes is cut off), hands
     * it to the log as an error, and returns `status`: return carom_context_fail(context, CAROM_BAD_DATA, "..."). */
    CAROM_API carom_status carom_context_fail(carom_context *context, carom_status status, const char *message);

    /* Hands a message to the caller's log, where there is one. */
    CAROM_API void carom_context_log(const carom_context *context, carom_log_level level, const char *message);

    /* Calls task for ranges that cover [0, count), each at least min_range long but the last, on the context's workers
     * (carom_context_workers), and returns when all are done. The order and the threads are not defined, so let each
     * item write to a place of its own and collect afterwards. Tasks must not wait for each other. A run that is
     * started within a task stays on that thread. Carom's calls on the same context are allowed within a task.
     * CAROM_FLOAT_MODE, with no task called, where the calling thread's float mode is one that Carom refuses. */
    CAROM_API carom_status carom_context_run(carom_context *context, uint32_t count, uint32_t min_range,
                                             carom_task_fn *task, void *task_data);

#ifdef __cplusplus
}
#endif

#endif
