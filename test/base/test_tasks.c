/* Parallel runs on pools of every size and on hosts of every kind: each item once, worker numbers that are not shared,
 * nested runs inline, several callers at once, float modes set and restored. The truth is a count per item. How many
 * threads there are: test_task_threads.c. */
#include "base/runs.h"

#include <fenv.h>

static const uint32_t worker_counts[] = {0, 1, 2, 3, 4, 8, 32};
#define WORKER_COUNTS (sizeof worker_counts / sizeof *worker_counts)

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

static int workers_seen(const notes *n)
{
    int seen = 0;
    for (size_t i = 0; i < CAROM_MAX_WORKERS; i++)
        seen += n->calls[i] > 0;
    return seen;
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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
