/* Parallel runs: on the calling thread, through the host's hooks, or on the pool (pool.c). */
#include "base/tasks.h"

/* The shared task that this thread is executing; context null: none. A run with a single range does not count: runs
 * within it may still be shared. */
typedef struct task_mark
{
    const carom_context *context;
    uint32_t worker;
} task_mark;
static _Thread_local task_mark inside;

void base_job_call(const base_job *job, uint32_t first, uint32_t last, uint32_t worker)
{
    base_float_mode found = base_float_mode_enter();
    task_mark outer = inside; /* a callback may have re-entered the host's scheduler, and that came here */
    inside = (task_mark){job->context, worker};
    job->task(first, last, worker, job->data);
    inside = outer;
    base_float_mode_leave(&found);
}

/* Numbers that start at 1, say: they must not reach memory that no worker has. */
static uint32_t reduce_number(carom_context *context, uint32_t worker)
{
    if (!atomic_exchange(&context->warned_of_numbers, true))
        base_log(context, CAROM_LOG_WARNING, "tasks.run: worker number %u of %u; taken modulo the latter", worker,
                 context->worker_count);
    return worker % context->worker_count;
}

static void call_from_host(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const base_job *job = data;
    if (BASE_UNLIKELY(worker >= job->context->worker_count))
        worker = reduce_number(job->context, worker);
    base_job_call(job, first, last, worker);
}

/* False if this thread must do it alone. */
static bool share(base_job *job)
{
    const carom_context *context = job->context;
    if (inside.context || job->count <= job->min_range)
        return false;
    if (context->pool)
        return base_pool_run(context->pool, job);
    context->tasks.run(call_from_host, job->count, job->min_range, job, context->tasks.user);
    return true;
}

void base_parallel_for(carom_context *context, uint32_t count, uint32_t min_range, carom_task_fn *task, void *data)
{
    if (count == 0)
        return;
    uint32_t worker = 0;
    if (context->pool || context->tasks.run)
    {
        base_job job = {context, task, data, count, min_range > 0 ? min_range : 1};
        if (share(&job))
            return;
        if (inside.context == context)
            worker = inside.worker;
    }
    base_float_mode found = base_float_mode_enter();
    task(0, count, worker, data);
    base_float_mode_leave(&found);
}
