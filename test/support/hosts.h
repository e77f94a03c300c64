/* Hosts that lend their threads to a context in odd ways, and the contexts that tests compare: any number of workers,
 * each host, and none. */
#ifndef SUPPORT_HOSTS_H
#define SUPPORT_HOSTS_H

#include "support/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <time.h>

enum
{
    HOST_THREADS = 4,
    HOST_COUNT = 12 /* contexts that differ in who does the work */
};

/* One range after another, in order. */
static inline void host_serial(carom_task_fn *task, uint32_t count, uint32_t min_range, void *data, void *user)
{
    (void)user;
    for (uint32_t first = 0; first < count; first += min_range)
        task(first, count - first < min_range ? count : first + min_range, 0, data);
}

/* The last range first, worker numbers in turn. */
static inline void host_reversed(carom_task_fn *task, uint32_t count, uint32_t min_range, void *data, void *user)
{
    (void)user;
    uint32_t ranges = (count + min_range - 1) / min_range;
    while (ranges-- > 0)
    {
        uint32_t first = ranges * min_range;
        task(first, count - first < min_range ? count : first + min_range, ranges % HOST_THREADS, data);
    }
}

typedef struct host_range
{
    carom_task_fn *task;
    void *data;
    uint32_t first, last, worker;
    uint64_t delay; /* nanoseconds at most */
} host_range;

static inline void *host_run_range(void *data)
{
    const host_range *range = (const host_range *)data;
    if (range->delay > 0)
    {
        struct timespec pause = {0, (long)range->delay};
        nanosleep(&pause, NULL);
    }
    range->task(range->first, range->last, range->worker, range->data);
    return NULL;
}

/* A thread for each range, but never two at a time. */
static inline void host_one_at_a_time(carom_task_fn *task, uint32_t count, uint32_t min_range, void *data, void *user)
{
    (void)user;
    uint32_t length = count / 5 > min_range ? count / 5 : min_range;
    for (uint32_t first = 0, turn = 0; first < count; first += length, turn++)
    {
        host_range range = {task, data, first, count - first < length ? count : first + length, turn % HOST_THREADS, 0};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, host_run_range, &range), 0);
        pthread_join(thread, NULL);
    }
}

/* Ranges of different lengths on threads of their own. user: null, or the state of a random generator: threads then
 * begin at random times. */
static inline void host_threads(carom_task_fn *task, uint32_t count, uint32_t min_range, void *data, void *user)
{
    host_range ranges[HOST_THREADS];
    pthread_t threads[HOST_THREADS];
    uint32_t used = 0, first = 0;
    atomic_uint_fast64_t *random = (atomic_uint_fast64_t *)user;
    for (; used < HOST_THREADS && first < count; used++)
    {
        uint32_t length = min_range * (used + 1) + used;
        uint32_t last = used + 1 == HOST_THREADS || count - first <= length ? count : first + length;
        check_random delay = {random ? atomic_fetch_add(random, 1) : 0};
        uint64_t nanoseconds = random && check_next(&delay) % 2 ? check_next(&delay) % 200000 : 0;
        ranges[used] = (host_range){task, data, first, last, used, nanoseconds};
        first = last;
    }
    for (uint32_t i = used; i-- > 0;)
        assert_int_equal(pthread_create(&threads[i], NULL, host_run_range, &ranges[i]), 0);
    for (uint32_t i = 0; i < used; i++)
        pthread_join(threads[i], NULL);
}

/* Who does the work of context i, below HOST_COUNT; 0: the calling thread alone. */
static inline carom_context_def host_def(uint32_t i)
{
    static const uint32_t workers[8] = {0, 1, 2, 3, 4, 8, 32, 5};
    carom_context_def def = carom_context_def_default();
    if (i < 8)
        def.workers = workers[i];
    else
    {
        def.tasks.run = i == 8 ? host_serial : i == 9 ? host_reversed : i == 10 ? host_one_at_a_time : host_threads;
        def.tasks.worker_count = i == 8 ? 1 : HOST_THREADS;
    }
    return def;
}

#endif
