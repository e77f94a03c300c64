/* What parallel runs and the pool of threads share; for src/base only. */
#ifndef BASE_TASKS_H
#define BASE_TASKS_H

#include "base/base.h"

/* One call of base_parallel_for. */
typedef struct base_job
{
    carom_context *context;
    carom_task_fn *task;
    void *data;
    uint32_t count, min_range;
} base_job;

/* The one place from which shared tasks are called, on threads of the pool and of the host: marks the thread as being
 * inside a task and sets its float mode, for as long as the task runs. */
void base_job_call(const base_job *job, uint32_t first, uint32_t last, uint32_t worker);

typedef struct base_pool base_pool;

/* Null when out of memory. worker_count includes one for the threads that call base_pool_run; at least 2. */
base_pool *base_pool_create(carom_context *context, uint32_t worker_count);
void base_pool_destroy(base_pool *pool);

/* False, with nothing done, if too many runs are in progress already. */
bool base_pool_run(base_pool *pool, const base_job *job);

/* Processors that this process may use; at least 1. */
uint32_t base_processor_count(void);

#endif
