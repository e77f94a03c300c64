/* The pool: threads that sleep until a run is posted and then share it by work stealing (Blumofe and Leiserson, 1999,
 * over ranges instead of queues).
 *
 * A run is cut into chunks of min_range items. Each worker has a range of chunks in one 64-bit word; the caller begins
 * with all of them. An owner takes one chunk at a time from the front of its range, a worker without chunks takes half
 * of the longest range from its back. A compare-and-swap does either; the lock is only for sleeping and waking.
 *
 * Runs live in the pool, not on the caller's stack, so that a thread may look at one that has just ended: it finds no
 * chunk there, or those of the next run. A thread is counted in `inside` before it looks. A helper leaves with its
 * range empty and its chunks done, so a run is over when the caller's range is empty and no helper is inside. */
#ifdef __linux__
#define _GNU_SOURCE /* sched_getaffinity. NOLINT(bugprone-reserved-identifier): the system's own word */
#endif
#include "base/tasks.h"

#include <sched.h>
#include <signal.h>
#include <unistd.h>

enum
{
    MAX_RUNS = 16, /* at the same time, from different threads of the host; one more gets no helpers */
    CALLER = 0     /* worker number; helpers have 1 and up */
};

/* How long a thread looks for work before it sleeps. Phases follow one another within microseconds, while waking a
 * thread takes tens of them. With fewer processors than workers a thread that spins keeps another from working. */
#define SPIN_SECONDS 50e-6

typedef struct pool_range
{
    _Alignas(BASE_CACHE_LINE) _Atomic uint64_t chunks; /* first in the low half, end in the high half */
} pool_range;

typedef struct pool_run
{
    _Alignas(BASE_CACHE_LINE) atomic_bool claimed; /* by a caller */
    atomic_bool caller_sleeps;
    _Atomic uint32_t inside; /* helpers */
    base_job job;            /* written before the first chunk is published, read after one was taken */
    pool_range *ranges;      /* one per worker */
} pool_run;

typedef struct pool_thread
{
    base_pool *pool;
    uint32_t worker;
    pthread_t id;
} pool_thread;

struct base_pool
{
    pool_run runs[MAX_RUNS];

    _Alignas(BASE_CACHE_LINE) _Atomic uint64_t posted; /* counts runs; a change wakes */
    _Atomic uint32_t sleeping;                         /* helpers */
    atomic_bool started, stopping;
    carom_context *context;
    double spin_seconds;
    pool_range *ranges; /* of all runs */
    uint32_t worker_count, thread_count;
    pthread_mutex_t lock;
    pthread_cond_t run_posted, helper_left;
    pool_thread threads[CAROM_MAX_WORKERS - 1];
};

static void pause_briefly(void)
{
#if BASE_HAS_X86
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

/* ---- ranges of chunks ---- */

static uint64_t pack(uint32_t first, uint32_t end) { return (uint64_t)end << 32 | first; }
static uint32_t first_of(uint64_t chunks) { return (uint32_t)chunks; }
static uint32_t end_of(uint64_t chunks) { return (uint32_t)(chunks >> 32); }
static uint32_t length_of(uint64_t chunks) { return end_of(chunks) - first_of(chunks); }

static bool take_from_front(pool_range *own, uint32_t *chunk)
{
    uint64_t chunks = atomic_load_explicit(&own->chunks, memory_order_acquire);
    while (length_of(chunks) > 0)
        if (atomic_compare_exchange_weak_explicit(&own->chunks, &chunks, chunks + 1, memory_order_acq_rel,
                                                  memory_order_acquire))
            return *chunk = first_of(chunks), true;
    return false;
}

/* The longest range and its chunks; null if all are empty. */
static pool_range *find_victim(const pool_run *run, uint32_t worker_count, uint64_t *chunks)
{
    pool_range *victim = NULL;
    *chunks = 0;
    for (uint32_t i = 0; i < worker_count; i++)
    {
        uint64_t seen = atomic_load_explicit(&run->ranges[i].chunks, memory_order_acquire);
        if (length_of(seen) > length_of(*chunks))
            victim = &run->ranges[i], *chunks = seen;
    }
    return victim;
}

/* Moves half of another range to the thief's, which is empty. If the range changed and changed back in between (ABA),
 * no harm is done: its value is all that matters. */
static bool steal(const pool_run *run, uint32_t worker_count, uint32_t thief)
{
    uint64_t chunks;
    for (pool_range *victim; (victim = find_victim(run, worker_count, &chunks));)
    {
        uint32_t middle = first_of(chunks) + length_of(chunks) / 2, end = end_of(chunks);
        if (!atomic_compare_exchange_strong_explicit(&victim->chunks, &chunks, pack(first_of(chunks), middle),
                                                     memory_order_acq_rel, memory_order_relaxed))
            continue;
        atomic_store_explicit(&run->ranges[thief].chunks, pack(middle, end), memory_order_release);
        return true;
    }
    return false;
}

/* Works until no chunk is in sight. True if there was any. */
static bool work(const pool_run *run, uint32_t worker_count, uint32_t worker)
{
    bool found = false;
    do
        for (uint32_t chunk; take_from_front(&run->ranges[worker], &chunk); found = true)
        {
            const base_job *job = &run->job;
            uint32_t first = chunk * job->min_range, left = job->count - first;
            base_job_call(job, first, first + (left < job->min_range ? left : job->min_range), worker);
        }
    while (steal(run, worker_count, worker));
    return found;
}

/* ---- helpers ---- */

static void leave(base_pool *pool, pool_run *run)
{
    if (atomic_fetch_sub(&run->inside, 1) != 1 || !atomic_load(&run->caller_sleeps))
        return;
    pthread_mutex_lock(&pool->lock);
    pthread_cond_broadcast(&pool->helper_left);
    pthread_mutex_unlock(&pool->lock);
}

/* Helps with any run that has work; helpers begin at different runs. False if there was none. */
static bool help(base_pool *pool, uint32_t worker)
{
    bool found = false;
    for (uint32_t i = 0; i < MAX_RUNS; i++)
    {
        pool_run *run = &pool->runs[(worker + i) % MAX_RUNS];
        if (!atomic_load_explicit(&run->claimed, memory_order_relaxed))
            continue;
        atomic_fetch_add(&run->inside, 1);
        found |= work(run, pool->worker_count, worker);
        leave(pool, run);
    }
    return found;
}

static bool spin_until_posted(base_pool *pool, uint64_t seen)
{
    double end = base_now() + pool->spin_seconds;
    do
        for (int i = 0; i < 32; i++)
        {
            if (atomic_load(&pool->posted) != seen)
                return true;
            pause_briefly();
        }
    while (base_now() < end);
    return false;
}

static void sleep_until_posted(base_pool *pool, uint64_t seen)
{
    pthread_mutex_lock(&pool->lock);
    atomic_fetch_add(&pool->sleeping, 1); /* before the last look at `posted`; post does the same in reverse */
    while (atomic_load(&pool->posted) == seen)
        pthread_cond_wait(&pool->run_posted, &pool->lock);
    atomic_fetch_sub(&pool->sleeping, 1);
    pthread_mutex_unlock(&pool->lock);
}

static void *serve(void *data)
{
    const pool_thread *thread = data;
    base_pool *pool = thread->pool;
    for (uint64_t seen = 0;;)
    {
        if (!spin_until_posted(pool, seen))
            sleep_until_posted(pool, seen);
        seen = atomic_load(&pool->posted);
        if (atomic_load(&pool->stopping))
            return NULL;
        while (help(pool, thread->worker))
            ;
    }
}

/* ---- the caller of a run ---- */

/* Threads that the host does not know must not handle its signals. Returns how many threads were refused. */
static uint32_t start_threads(base_pool *pool)
{
    sigset_t all, before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    uint32_t wanted = pool->worker_count - 1;
    for (; pool->thread_count < wanted; pool->thread_count++)
    {
        pool_thread *thread = &pool->threads[pool->thread_count];
        *thread = (pool_thread){.pool = pool, .worker = pool->thread_count + 1};
        if (pthread_create(&thread->id, NULL, serve, thread) != 0)
            break;
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return wanted - pool->thread_count;
}

static void start_once(base_pool *pool)
{
    if (atomic_load_explicit(&pool->started, memory_order_acquire))
        return;
    uint32_t refused = 0;
    pthread_mutex_lock(&pool->lock);
    if (!atomic_load(&pool->started))
    {
        refused = start_threads(pool);
        atomic_store(&pool->started, true);
    }
    pthread_mutex_unlock(&pool->lock);
    if (refused > 0)
        base_log(pool->context, CAROM_LOG_WARNING, "the system refused %u of %u threads: the others do the work",
                 refused, pool->worker_count - 1);
}

static pool_run *claim_run(base_pool *pool)
{
    for (int i = 0; i < MAX_RUNS; i++)
    {
        bool expected = false;
        if (atomic_compare_exchange_strong(&pool->runs[i].claimed, &expected, true))
            return &pool->runs[i];
    }
    return NULL;
}

/* Makes the job visible and wakes as many helpers as can find a chunk. */
static void post(base_pool *pool, pool_run *run, const base_job *job)
{
    uint32_t chunk_count = job->count / job->min_range + (job->count % job->min_range > 0);
    run->job = *job;
    atomic_store_explicit(&run->ranges[CALLER].chunks, pack(0, chunk_count), memory_order_release);
    atomic_fetch_add(&pool->posted, 1);
    if (atomic_load(&pool->sleeping) == 0)
        return;
    pthread_mutex_lock(&pool->lock);
    if (chunk_count > pool->thread_count)
        pthread_cond_broadcast(&pool->run_posted);
    else
        for (uint32_t i = 1; i < chunk_count; i++)
            pthread_cond_signal(&pool->run_posted);
    pthread_mutex_unlock(&pool->lock);
}

static void sleep_until_left(base_pool *pool, pool_run *run)
{
    pthread_mutex_lock(&pool->lock);
    atomic_store(&run->caller_sleeps, true); /* before the last look at `inside`; leave does the same in reverse */
    while (atomic_load(&run->inside) > 0)
        pthread_cond_wait(&pool->helper_left, &pool->lock);
    atomic_store(&run->caller_sleeps, false);
    pthread_mutex_unlock(&pool->lock);
}

/* Waits for the helpers, and keeps stealing from them meanwhile. */
static void finish(base_pool *pool, pool_run *run)
{
    double end = 0.0;
    for (uint32_t i = 0; atomic_load(&run->inside) > 0; i++)
    {
        if (steal(run, pool->worker_count, CALLER))
            work(run, pool->worker_count, CALLER), end = 0.0;
        pause_briefly();
        if (i % 32 != 0)
            continue;
        double now = base_now();
        if (end == 0.0)
            end = now + pool->spin_seconds;
        else if (now >= end)
            sleep_until_left(pool, run);
    }
}

bool base_pool_run(base_pool *pool, const base_job *job)
{
    pool_run *run = claim_run(pool);
    if (!run)
        return false;
    start_once(pool);
    post(pool, run, job);
    work(run, pool->worker_count, CALLER);
    finish(pool, run);
    atomic_store(&run->claimed, false);
    return true;
}

/* ---- beginning and end ---- */

uint32_t base_processor_count(void)
{
    long count = 0;
#ifdef __linux__
    cpu_set_t allowed;
    if (sched_getaffinity(0, sizeof allowed, &allowed) == 0)
        count = CPU_COUNT(&allowed);
#endif
    if (count <= 0)
        count = sysconf(_SC_NPROCESSORS_ONLN);
    return count < 1 ? 1 : (uint32_t)count;
}

static bool create_locks(base_pool *pool)
{
    if (pthread_mutex_init(&pool->lock, NULL) != 0)
        return false;
    if (pthread_cond_init(&pool->run_posted, NULL) == 0)
    {
        if (pthread_cond_init(&pool->helper_left, NULL) == 0)
            return true;
        pthread_cond_destroy(&pool->run_posted);
    }
    pthread_mutex_destroy(&pool->lock);
    return false;
}

static void release_pool(base_pool *pool)
{
    carom_context *context = pool->context;
    base_release(context, pool->ranges, (size_t)MAX_RUNS * pool->worker_count, sizeof *pool->ranges);
    base_release(context, pool, 1, sizeof *pool);
}

base_pool *base_pool_create(carom_context *context, uint32_t worker_count)
{
    base_pool *pool = base_allocate(context, 1, sizeof *pool, BASE_CACHE_LINE);
    if (!pool)
        return NULL;
    memset(pool, 0, sizeof *pool);
    pool->context = context, pool->worker_count = worker_count;
    pool->spin_seconds = worker_count <= base_processor_count() ? SPIN_SECONDS : 0.0;
    size_t range_count = (size_t)MAX_RUNS * worker_count;
    pool->ranges = base_allocate(context, range_count, sizeof *pool->ranges, BASE_CACHE_LINE);
    if (!pool->ranges || !create_locks(pool))
        return release_pool(pool), NULL;
    memset(pool->ranges, 0, range_count * sizeof *pool->ranges);
    for (size_t i = 0; i < MAX_RUNS; i++)
        pool->runs[i].ranges = pool->ranges + i * worker_count;
    return pool;
}

void base_pool_destroy(base_pool *pool)
{
    if (!pool)
        return;
    pthread_mutex_lock(&pool->lock);
    atomic_store(&pool->stopping, true);
    atomic_fetch_add(&pool->posted, 1);
    pthread_cond_broadcast(&pool->run_posted);
    pthread_mutex_unlock(&pool->lock);
    for (uint32_t i = 0; i < pool->thread_count; i++)
        pthread_join(pool->threads[i].id, NULL);
    pthread_cond_destroy(&pool->helper_left);
    pthread_cond_destroy(&pool->run_posted);
    pthread_mutex_destroy(&pool->lock);
    release_pool(pool);
}
