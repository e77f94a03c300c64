/* The threads of a context: odd numbers of workers, hosts that count them from 1, signals, threads that can't start. */
#ifdef __linux__
#define _GNU_SOURCE /* pthread_setattr_default_np. NOLINT(bugprone-reserved-identifier): the system's own word */
#endif
#include "base/runs.h"

#include <signal.h>

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
