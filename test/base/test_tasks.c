/* Parallel runs on pools of every size and on hosts of every kind: each item once, worker numbers that are not shared,
 * nested runs inline, several callers at once, float modes set and restored. The truth is a count per item. */
#ifdef __linux__
#define _GNU_SOURCE /* pthread_setattr_default_np. NOLINT(bugprone-reserved-identifier): the system's own word */
#endif
#include "base/base.h"
#include "support/check.h"

#include <fenv.h>
#include <signal.h>
#include <stdlib.h>
#include <time.h>

enum
{
    MAX_ITEMS = 5000,
    MAX_RANGES = 128
};

static const uint32_t worker_counts[] = {0, 1, 2, 3, 4, 8, 32};
#define WORKER_COUNTS (sizeof worker_counts / sizeof *worker_counts)

static carom_context *make_pool(uint32_t workers)
{
    carom_context_def def = carom_context_def_default();
    def.workers = workers;
    carom_context *context = NULL;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    return context;
}

static void nap(long microseconds) { nanosleep(&(struct timespec){.tv_nsec = microseconds * 1000}, NULL); }

/* ---- hosts ---- */

typedef struct host_range
{
    carom_task_fn *task;
    void *task_data;
    uint32_t first, last, worker;
} host_range;

static void *run_range(void *data)
{
    const host_range *range = data;
    range->task(range->first, range->last, range->worker, range->task_data);
    return NULL;
}

/* Cuts into ranges of min_range and a little more; how many there are. */
static uint32_t cut(const host_range *whole, uint32_t min_range, host_range *out)
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

static void run_serially(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
{
    (void)user;
    host_range ranges[MAX_RANGES];
    uint32_t used = cut(&(host_range){task, task_data, 0, count, 0}, min_range, ranges);
    for (uint32_t i = 0; i < used; i++)
        ranges[i].worker = i % 4, run_range(&ranges[i]);
}

static void run_backwards(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
{
    (void)user;
    host_range ranges[MAX_RANGES];
    for (uint32_t used = cut(&(host_range){task, task_data, 0, count, 0}, min_range, ranges); used-- > 0;)
        run_range(&ranges[used]);
}

/* A new thread for each range, and never two of them. */
static void run_one_thread_at_a_time(carom_task_fn *task, uint32_t count, uint32_t min_range, void *data, void *user)
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
static void run_on_threads(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
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

static void (*const hosts[])(carom_task_fn *, uint32_t, uint32_t, void *,
                             void *) = {run_serially, run_backwards, run_one_thread_at_a_time, run_on_threads};
#define HOST_COUNT (sizeof hosts / sizeof *hosts)

static carom_context *make_hosted(size_t host)
{
    carom_context_def def = carom_context_def_default();
    def.tasks = (carom_task_hooks){hosts[host], 4, NULL};
    carom_context *context = NULL;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    assert_int_equal(carom_context_workers(context), 4);
    return context;
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

static notes *make_notes(carom_context *context, uint32_t count, uint32_t min_range)
{
    notes *n = calloc(1, sizeof *n);
    assert_non_null(n);
    assert_true(count <= MAX_ITEMS);
    n->context = context, n->count = count, n->min_range = min_range;
    return n;
}

static void note(uint32_t first, uint32_t last, uint32_t worker, void *data)
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

static int workers_seen(const notes *n)
{
    int seen = 0;
    for (size_t i = 0; i < CAROM_MAX_WORKERS; i++)
        seen += n->calls[i] > 0;
    return seen;
}

/* Every item so many times, and no breach. */
static void check_notes(notes *n, int times)
{
    for (uint32_t i = 0; i < n->count; i++)
        if (n->times[i] != times)
            fail_msg("item %u of %u was worked on %d times, not %d", i, n->count, n->times[i], times);
    assert_int_equal(n->out_of_range, 0);
    assert_int_equal(n->shared, 0);
    assert_int_equal(n->too_short, 0);
}

static void check_runs(carom_context *context)
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

static void every_item_once_for_any_number_of_workers(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORKER_COUNTS; i++)
    {
        carom_context *context = make_pool(worker_counts[i]);
        assert_int_equal(base_worker_count(context), worker_counts[i] > 1 ? worker_counts[i] : 1);
        check_runs(context);
        carom_context_destroy(context);
    }
}

static void every_item_once_for_any_host(void **state)
{
    (void)state;
    for (size_t i = 0; i < HOST_COUNT; i++)
    {
        carom_context *context = make_hosted(i);
        check_runs(context);
        carom_context_destroy(context);
    }
}

static void workers_do_not_share_a_number(void **state)
{
    (void)state;
    for (size_t i = 2; i < WORKER_COUNTS; i++)
    {
        carom_context *context = make_pool(worker_counts[i]);
        notes *n = make_notes(context, 300, 1);
        n->nap = 50; /* so that others get their turn on few processors */
        base_parallel_for(context, n->count, 1, note, n);
        check_notes(n, 1);
        assert_true(workers_seen(n) > 1);
        free(n);
        carom_context_destroy(context);
    }
}

/* ---- stealing ---- */

/* Item 0 ends when all others are done (or after a timeout), so all items behind it must have been stolen. */
static void hold_first(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    notes *n = data;
    for (int i = 0; first == 0 && i < 100000 && n->done < (int)n->count - 1; i++)
        nap(100);
    if (first == 0 && n->done < (int)n->count - 1)
        n->out_of_range++;
    note(first, last, worker, data);
}

static void work_behind_a_slow_item_is_stolen(void **state)
{
    (void)state;
    for (size_t i = 2; i < WORKER_COUNTS; i++)
    {
        carom_context *context = make_pool(worker_counts[i]);
        notes *n = make_notes(context, 1000, 1);
        base_parallel_for(context, n->count, 1, hold_first, n);
        check_notes(n, 1);
        int stolen = 0;
        for (size_t worker = 1; worker < CAROM_MAX_WORKERS; worker++)
            stolen += n->calls[worker];
        assert_true(stolen >= (int)n->count - 1);
        free(n);
        carom_context_destroy(context);
    }
}

/* ---- nesting ---- */

typedef struct nested
{
    carom_context *context, *other;
    notes *inner;
    atomic_int wandered;
} nested;

typedef struct place
{
    nested *nest;
    pthread_t thread;
    uint32_t worker;
} place;

static void check_place(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const place *p = data;
    p->nest->wandered += !pthread_equal(p->thread, pthread_self()) || worker != p->worker || first != 0;
    for (uint32_t i = first; i < last; i++)
        p->nest->inner->times[i]++;
}

/* On another context the run stays on the thread, too, and has a number that is valid there. */
static void check_place_elsewhere(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const place *p = data;
    p->nest->wandered += !pthread_equal(p->thread, pthread_self()) || worker != 0 || first != 0;
    base_parallel_for(p->nest->context, p->nest->inner->count, 1, check_place, data); /* and back */
    (void)last;
}

static void start_nested(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    nested *nest = data;
    for (uint32_t i = first; i < last; i++)
    {
        place p = {nest, pthread_self(), worker};
        base_parallel_for(nest->context, nest->inner->count, 1, check_place, &p);
        base_parallel_for(nest->other, 100, 1, check_place_elsewhere, &p);
    }
}

static void check_nesting(carom_context *context, carom_context *other)
{
    nested nest = {.context = context, .other = other, .inner = make_notes(context, 100, 1)};
    base_parallel_for(context, 50, 1, start_nested, &nest);
    check_notes(nest.inner, 100);
    assert_int_equal(nest.wandered, 0);
    notes *after = make_notes(context, 100, 1); /* the mark was taken off again */
    after->nap = 100;
    base_parallel_for(context, after->count, 1, note, after);
    check_notes(after, 1);
    free(nest.inner), free(after);
}

static void nested_runs_stay_inline(void **state)
{
    (void)state;
    carom_context *other = make_pool(2);
    for (size_t i = 2; i < WORKER_COUNTS; i++)
    {
        carom_context *context = make_pool(worker_counts[i]);
        check_nesting(context, other);
        carom_context_destroy(context);
    }
    for (size_t i = 0; i < HOST_COUNT; i++)
    {
        carom_context *context = make_hosted(i);
        check_nesting(context, other);
        carom_context_destroy(context);
    }
    carom_context_destroy(other);
}

static void start_one_within(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)first, (void)last, (void)worker;
    notes *n = data;
    base_parallel_for(n->context, n->count, 1, note, n);
}

static void a_run_of_one_range_leaves_the_sharing_to_what_it_starts(void **state)
{
    (void)state;
    carom_context *context = make_pool(4);
    notes *n = make_notes(context, 300, 1);
    n->nap = 50;
    base_parallel_for(context, 1, 1, start_one_within, n);
    check_notes(n, 1);
    assert_true(workers_seen(n) > 1);
    free(n);
    carom_context_destroy(context);
}

/* ---- several callers, many runs ---- */

typedef struct caller
{
    carom_context *context;
    pthread_t thread;
    uint32_t count;
    int rounds;
    notes *n;
} caller;

static void *call_often(void *data)
{
    caller *c = data;
    for (int i = 0; i < c->rounds; i++)
        base_parallel_for(c->context, c->count, 1, note, c->n);
    return NULL;
}

static void check_callers(carom_context *context, int rounds)
{
    enum
    {
        CALLERS = 20 /* more than the pool has room for: some have to work alone */
    };
    caller callers[CALLERS];
    for (uint32_t i = 0; i < CALLERS; i++)
    {
        callers[i] = (caller){.context = context, .count = 1 + 7 * i, .rounds = rounds};
        callers[i].n = make_notes(context, callers[i].count, 1);
        assert_int_equal(pthread_create(&callers[i].thread, NULL, call_often, &callers[i]), 0);
    }
    for (int i = 0; i < CALLERS; i++)
    {
        pthread_join(callers[i].thread, NULL);
        check_notes(callers[i].n, rounds);
        free(callers[i].n);
    }
}

static void several_threads_share_a_pool(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORKER_COUNTS; i++)
    {
        carom_context *context = make_pool(worker_counts[i]);
        check_callers(context, 50);
        carom_context_destroy(context);
    }
    carom_context *context = make_hosted(HOST_COUNT - 1);
    check_callers(context, 1);
    carom_context_destroy(context);
}

static void a_thousand_tiny_runs(void **state)
{
    (void)state;
    for (size_t i = 0; i < WORKER_COUNTS; i++)
    {
        carom_context *context = make_pool(worker_counts[i]);
        notes *n = make_notes(context, 10, 1);
        for (int run = 0; run < 1000; run++)
        {
            if (run % 100 == 0)
                nap(200); /* time for them to fall asleep */
            base_parallel_for(context, n->count, 1, note, n);
            assert_int_equal(n->done, (run + 1) * 10);
        }
        check_notes(n, 1000);
        free(n);
        carom_context_destroy(context);
    }
}

static void a_context_ends_right_after_a_run(void **state)
{
    (void)state;
    for (int round = 0; round < 100; round++)
    {
        carom_context *context = make_pool(1 + (uint32_t)round % 8);
        notes *n = make_notes(context, 20, 1);
        if (round % 10 != 0) /* else: threads that were never started */
            base_parallel_for(context, n->count, 1, note, n);
        carom_context_destroy(context);
        check_notes(n, round % 10 != 0);
        free(n);
    }
}

static void cancel_at_seven(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)last, (void)worker;
    base_cancel *cancel = data;
    if (first == 7)
        base_cancel_set(cancel);
    for (int i = 0; i < 100000 && !base_cancel_is_set(cancel); i++) /* all others wait for it */
        nap(100);
}

static void a_task_can_cancel_the_others(void **state)
{
    (void)state;
    carom_context *context = make_pool(8);
    base_cancel cancel = {0};
    base_parallel_for(context, 8, 1, cancel_at_seven, &cancel);
    assert_true(base_cancel_is_set(&cancel));
    carom_context_destroy(context);
}

/* ---- float modes ---- */

/* How doubles are rounded; fegetround may ask the unit for long doubles instead. */
static int rounding(void)
{
#if BASE_HAS_MXCSR
    return (int)(__builtin_ia32_stmxcsr() >> 13 & 3);
#else
    return fegetround();
#endif
}

typedef struct float_notes
{
    carom_context *context;
    atomic_int wrong;
} float_notes;

static void check_float_mode(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    (void)last, (void)worker;
    float_notes *n = data;
    n->wrong += base_check_float_mode(n->context) != CAROM_OK;
    if (first % 2)
        fesetround(FE_DOWNWARD); /* a careless callback must not affect the next task */
    nap(20);
}

static void tasks_set_and_restore_the_float_mode(void **state)
{
    (void)state;
    const int roundings[] = {FE_TONEAREST, FE_UPWARD, FE_TOWARDZERO};
    for (int i = 0; i < 3; i++)
        for (size_t host = 0; host <= HOST_COUNT; host++)
            for (uint32_t min_range = 1; min_range <= 100; min_range += 99)
            {
                float_notes n = {.context = host < HOST_COUNT ? make_hosted(host) : make_pool(4)};
                fesetround(roundings[i]);
                base_parallel_for(n.context, 100, min_range, check_float_mode, &n);
                int after = rounding();
                fesetround(roundings[i]);
                int expected = rounding();
                fesetround(FE_TONEAREST);
                assert_int_equal(after, expected);
                assert_int_equal(n.wrong, 0);
                carom_context_destroy(n.context);
            }
}

/* ---- worker counts ---- */

static void keep_message(carom_log_level level, const char *message, void *user)
{
    assert_int_equal(level, CAROM_LOG_ERROR);
    snprintf(user, 256, "%s", message);
}

static void check_def(carom_context_def def, carom_status expected, const char *culprit)
{
    char message[256] = "";
    carom_context *context = NULL;
    def.log = keep_message, def.log_user = message;
    assert_int_equal(carom_context_create(&def, &context), expected);
    assert_null(context);
    if (!strstr(message, culprit))
        fail_msg("'%s' does not name '%s'", message, culprit);
}

/* Counts workers from 1. */
static void run_from_one(carom_task_fn *task, uint32_t count, uint32_t min_range, void *task_data, void *user)
{
    (void)user;
    host_range ranges[MAX_RANGES];
    uint32_t used = cut(&(host_range){task, task_data, 0, count, 0}, min_range, ranges);
    for (uint32_t i = 0; i < used; i++)
        task(ranges[i].first, ranges[i].last, i % 4 + 1, task_data);
}

static void count_warnings(carom_log_level level, const char *message, void *user)
{
    *(int *)user += level == CAROM_LOG_WARNING && strstr(message, "worker number 4 of 4");
}

static void hosts_may_count_from_one(void **state)
{
    (void)state;
    int warnings = 0;
    carom_context_def def = carom_context_def_default();
    def.tasks = (carom_task_hooks){run_from_one, 4, NULL};
    def.log = count_warnings, def.log_user = &warnings;
    carom_context *context;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    check_runs(context);
    assert_int_equal(warnings, 1);
    carom_context_destroy(context);
}

static void odd_worker_counts_are_refused(void **state)
{
    (void)state;
    carom_context_def def = carom_context_def_default();
    def.workers = 1000;
    check_def(def, CAROM_OUT_OF_RANGE, "workers: 1000");
    def.workers = CAROM_MAX_WORKERS + 1;
    check_def(def, CAROM_OUT_OF_RANGE, "257");
    def.workers = CAROM_WORKERS_ALL - 1;
    check_def(def, CAROM_OUT_OF_RANGE, "4294967294");
    def.workers = 2;
    def.tasks = (carom_task_hooks){run_serially, 4, NULL};
    check_def(def, CAROM_INVALID_ARGUMENT, "both tasks.run and workers");
    def.workers = 0, def.tasks.worker_count = 0;
    check_def(def, CAROM_INVALID_ARGUMENT, "tasks.worker_count is 0");
    def.tasks.worker_count = 1000;
    check_def(def, CAROM_OUT_OF_RANGE, "tasks.worker_count: 1000");
    def.tasks = (carom_task_hooks){.worker_count = 7}; /* without run it says nothing */
    carom_context *context;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    assert_int_equal(carom_context_workers(context), 1);
    carom_context_destroy(context);
}

static void all_processors_and_the_largest_count_work(void **state)
{
    (void)state;
    const uint32_t counts[] = {CAROM_WORKERS_ALL, CAROM_MAX_WORKERS};
    for (int i = 0; i < 2; i++)
    {
        carom_context *context = make_pool(counts[i]);
        uint32_t workers = carom_context_workers(context);
        assert_true(i == 1 ? workers == CAROM_MAX_WORKERS : workers >= 1 && workers <= CAROM_MAX_WORKERS);
        notes *n = make_notes(context, 2000, 1);
        base_parallel_for(context, n->count, 1, note, n);
        check_notes(n, 1);
        free(n);
        carom_context_destroy(context);
    }
    assert_int_equal(carom_context_workers(NULL), 1);
}

/* ---- signals ---- */

typedef struct signal_notes
{
    uint32_t usual;             /* signals that the caller blocks */
    _Atomic uint32_t helped;    /* items on other threads than the caller's */
    _Atomic uint32_t open;      /* of these, with a signal that is not blocked */
    _Atomic uint32_t at_caller; /* items of the caller where others are blocked than usual */
} signal_notes;

static const int signals[] = {SIGUSR1, SIGINT, SIGTERM, SIGALRM, SIGCHLD};
#define SIGNALS (sizeof signals / sizeof *signals)

static uint32_t count_blocked(void)
{
    sigset_t blocked;
    sigemptyset(&blocked);
    pthread_sigmask(SIG_BLOCK, NULL, &blocked);
    uint32_t count = 0;
    for (size_t i = 0; i < SIGNALS; i++)
        count += sigismember(&blocked, signals[i]) == 1;
    return count;
}

static void note_signals(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    signal_notes *notes = data;
    uint32_t count = count_blocked();
    if (worker == 0)
        notes->at_caller += count != notes->usual;
    else
    {
        notes->helped++;
        notes->open += count < SIGNALS;
    }
    nap(100 * (long)(last - first));
}

/* A signal to the process must not interrupt a thread that its host knows nothing about. */
static void helpers_leave_signals_to_the_host(void **state)
{
    (void)state;
    carom_context *context = make_pool(3);
    signal_notes notes = {.usual = count_blocked()};
    for (int run = 0; run < 10000 && notes.helped < 10; run++)
        base_parallel_for(context, 16, 1, note_signals, &notes);
    assert_true(notes.helped >= 10);
    assert_int_equal(notes.open, 0);
    assert_int_equal(notes.at_caller, 0);
    assert_true(notes.usual < SIGNALS && count_blocked() == notes.usual);
    carom_context_destroy(context);
}

#ifdef __GLIBC__
static void keep_warning(carom_log_level level, const char *message, void *user)
{
    assert_int_equal(level, CAROM_LOG_WARNING);
    snprintf(user, 256, "%s", message);
}

/* Stacks that fit no address space: the system refuses every thread. */
static void threads_that_cannot_start_are_a_warning(void **state)
{
    (void)state;
    char message[256] = "";
    carom_context_def def = carom_context_def_default();
    def.workers = 4, def.log = keep_warning, def.log_user = message;
    carom_context *context = NULL;
    assert_int_equal(carom_context_create(&def, &context), CAROM_OK);
    pthread_attr_t before, huge;
    assert_int_equal(pthread_getattr_default_np(&before), 0);
    assert_int_equal(pthread_getattr_default_np(&huge), 0);
    assert_int_equal(pthread_attr_setstacksize(&huge, (size_t)1 << 50), 0);
    assert_int_equal(pthread_setattr_default_np(&huge), 0);
    notes *n = make_notes(context, 100, 1);
    base_parallel_for(context, n->count, 1, note, n);
    base_parallel_for(context, n->count, 1, note, n);
    assert_int_equal(pthread_setattr_default_np(&before), 0);
    check_notes(n, 2);
    assert_string_equal(message, "the system refused 3 of 3 threads: the others do the work");
    assert_int_equal(n->calls[0], 200);
    free(n);
    pthread_attr_destroy(&before);
    pthread_attr_destroy(&huge);
    carom_context_destroy(context);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_item_once_for_any_number_of_workers),
        cmocka_unit_test(every_item_once_for_any_host),
        cmocka_unit_test(workers_do_not_share_a_number),
        cmocka_unit_test(work_behind_a_slow_item_is_stolen),
        cmocka_unit_test(nested_runs_stay_inline),
        cmocka_unit_test(a_run_of_one_range_leaves_the_sharing_to_what_it_starts),
        cmocka_unit_test(several_threads_share_a_pool),
        cmocka_unit_test(a_thousand_tiny_runs),
        cmocka_unit_test(a_context_ends_right_after_a_run),
        cmocka_unit_test(a_task_can_cancel_the_others),
        cmocka_unit_test(tasks_set_and_restore_the_float_mode),
        cmocka_unit_test(hosts_may_count_from_one),
        cmocka_unit_test(odd_worker_counts_are_refused),
        cmocka_unit_test(all_processors_and_the_largest_count_work),
        cmocka_unit_test(helpers_leave_signals_to_the_host),
#ifdef __GLIBC__
        cmocka_unit_test(threads_that_cannot_start_are_a_warning),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
