/* carom/extend.h: for libraries built on top of Carom that work on the caller's context, such as carom/io.h: memory
 * from the context's allocator, messages where users look for them, and the context's workers.
 *
 * Programs that merely use Carom need none of this. The inside of a context may change from version to version; a
 * library that uses only these functions works with any version that has them. */
#ifndef CAROM_EXTEND_H
#define CAROM_EXTEND_H

#include "carom/base.h"

#ifdef __cplusplus
extern "C"
{
#endif

    /* Uninitialised memory from the context's allocator; null if there is none left, or if the alignment is not a power
     * of two up to 64. A size of zero gives a non-null pointer. Release it, with the same size, before the context is
     * destroyed. */
    CAROM_API void *carom_context_allocate(carom_context *context, size_t size, size_t alignment);
    CAROM_API void carom_context_release(carom_context *context, void *memory, size_t size); /* memory may be null */

    /* Makes `message` the context's latest (see carom_context_message; cut off after 255 bytes), logs it as an error,
     * and returns `status`: return carom_context_fail(context, CAROM_BAD_DATA, "..."). */
    CAROM_API carom_status carom_context_fail(carom_context *context, carom_status status, const char *message);

    /* Passes a message to the caller's log hook, if there is one. */
    CAROM_API void carom_context_log(const carom_context *context, carom_log_level level, const char *message);

    /* Passes the progress of a long call to the caller's hook, if there is one. False: stop, undo and return
     * CAROM_CANCELLED. */
    CAROM_API bool carom_context_progress(const carom_context *context, const carom_progress *progress);

    /* Calls task for ranges that cover [0, count), each of at least min_range items except the last, on the context's
     * workers (carom_context_workers), and returns when all are done. The order and the threads are unspecified, so
     * each item should write to its own memory, to be collected afterwards. Tasks must not wait for each other. A run
     * started within a task stays on that thread. Tasks may call Carom on the same context. CAROM_FLOAT_MODE, with no
     * task called, if the calling thread's float mode is one that Carom refuses. */
    CAROM_API carom_status carom_context_run(carom_context *context, uint32_t count, uint32_t min_range,
                                             carom_task_fn *task, void *task_data);

#ifdef __cplusplus
}
#endif

#endif
