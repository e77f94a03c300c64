/* What tests of parallel runs share: pools, hosts that lend their threads, and notes of what a run did. */
#ifndef TEST_BASE_RUNS_H
#define TEST_BASE_RUNS_H

#include "base/base.h"
#include "support/check.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

enum
{
    MAX_ITEMS = 5000,
    MAX_RANGES = 128
};

static inline carom_context *make_pool(uint32_t workers)
{
    carom_context_def def = carom_context_def_default();
    def.workers = workers;
    carom_context *context = NULL;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    return context;
}

static inline void nap(long microseconds) { nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL); }

/* ---- hosts ---- */

typedef struct host_range
{
    carom_task_fn *task;
    void *task_data;
    uint32_t first, last, worker;
} host_range;

static inline void *run_range(void *data)
{
    const host_range *range = data;
    range->task(range->first, range->last, range->worker, range->task_data);
    return NULL;
}

/* Cuts into ranges of min_range and a little more; how many there are. */
static inline uint32_t cut(const host_range *whole, uint32_t min_range, host_range *out)
{
    uint32_t used = 0;
    for (uint32_t first = whole->first; first < whole->last; used++)
    {
        uint32_t length = min_range + used % 3, left = whole->last - first;
        bool ends = left <= length || used + 1 == MAX_RANGES;
        out[used] = (host_range){whole->task, whole->task_data, first, ends ? whole->last : first + length, 0};
        first = out[used].last;
    }
    return used;
}

static inline void run_serially(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
{
    (void)user;
    host_range ranges[MAX_RANGES];
    uint32_t used = cut(&(host_range){task, task_data, 0, count, 0}, min_range, ranges);
    for (uint32_t i = 0; i < used; i++)
        ranges[i].worker = i % 4, run_range(&ranges[i]);
}

static inline void run_backwards(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
{
    (void)user;
    host_range ranges[MAX_RANGES];
    for (uint32_t used = cut(&(host_range){task, task_data, 0, count, 0}, min_range, ranges); used-- > 0;)
        run_range(&ranges[used]);
}

/* A new thread for each range, and never two of them. */
static inline void run_one_thread_at_a_time(carom_task_fn *task, uint32_t count, uint32_t min_range, void *data,
                                            void *user)
{
    (void)user;
    host_range ranges[MAX_RANGES];
    uint32_t used = cut(&(host_range){task, data, 0, count, 0}, min_range, ranges);
    for (uint32_t i = 0; i < used; i++)
    {
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, run_range, &ranges[i]), 0);
        pthread_join(thread, NULL);
    }
}

/* Four threads at once, wave after wave. */
static inline void run_on_threads(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
{
    (void)user;
    host_range ranges[MAX_RANGES];
    uint32_t used = cut(&(host_range){task, task_data, 0, count, 0}, min_range, ranges);
    for (uint32_t wave = 0; wave < used; wave += 4)
    {
        pthread_t threads[4];
        uint32_t size = used - wave < 4 ? used - wave : 4;
        for (uint32_t i = 0; i < size; i++)
        {
            ranges[wave + i].worker = i;
            assert_int_equal(pthread_create(&threads[i], NULL, run_range, &ranges[wave + i]), 0);
        }
        for (uint32_t i = 0; i < size; i++)
            pthread_join(threads[i], NULL);
    }
}

/* ---- what a run did ---- */

typedef struct notes
{
    carom_context *context;
    uint32_t count, min_range;
    atomic_int times[MAX_ITEMS];           /* that an item was worked on */
    atomic_int running[CAROM_MAX_WORKERS]; /* tasks per worker number, at this moment */
    atomic_int calls[CAROM_MAX_WORKERS];
    atomic_int shared, out_of_range, too_short; /* breaches of the contract */
    atomic_int done;
    long nap; /* microseconds per task */
} notes;

static inline notes *make_notes(carom_context *context, uint32_t count, uint32_t min_range)
{
    notes *n = calloc(1, sizeof *n);
    assert_non_null(n);
    assert_true(count <= MAX_ITEMS);
    n->context = context, n->count = count, n->min_range = min_range;
    return n;
}

static inline void note(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    notes *n = data;
    if (first >= last || last > n->count || worker >= base_worker_count(n->context))
    {
        n->out_of_range++;
        return;
    }
    n->shared += atomic_fetch_add(&n->running[worker], 1) != 0;
    n->too_short += last < n->count && last - first < n->min_range;
    n->calls[worker]++;
    if (n->nap)
        nap(n->nap);
    for (uint32_t i = first; i < last; i++)
    {
        n->times[i]++;
        n->done++;
    }
    n->running[worker]--;
}

/* Every item so many times, and no breach. */
static inline void check_notes(notes *n, int times)
{
    for (uint32_t i = 0; i < n->count; i++)
        if (n->times[i] != times)
            fail_msg("item %u of %u was worked on %d times, not %d", i, n->count, n->times[i], times);
    assert_int_equal(n->out_of_range, 0);
    assert_int_equal(n->shared, 0);
    assert_int_equal(n->too_short, 0);
}

static inline void check_runs(carom_context *context)
{
    const uint32_t counts[] = {1, 2, 3, 7, 64, 65, 1000, MAX_ITEMS}, min_ranges[] = {0, 1, 3, 64, 4999, UINT32_MAX};
    for (size_t c = 0; c < sizeof counts / sizeof *counts; c++)
        for (size_t m = 0; m < sizeof min_ranges / sizeof *min_ranges; m++)
        {
            notes *n = make_notes(context, counts[c], min_ranges[m]);
            base_parallel_for(context, counts[c], min_ranges[m], note, n);
            check_notes(n, 1);
            free(n);
        }
    base_parallel_for(context, 0, 1, note, NULL); /* nothing to do: not called */
}

#endif
