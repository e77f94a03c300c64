/* The speed-up by workers, and the overhead of a pool of one: the same work on contexts without a pool, with one
 * worker, with two, and with as many as the machine has cores, in turn. The answers must be the same bits. */
#include "bench/workers.h"

#include "bench/machine.h"

#include <inttypes.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

enum
{
    NO_POOL = 0, /* sides */
    ONE_WORKER = 1,
    TWO_WORKERS = 2
};

/* Short work is repeated for this long or this many times as often as asked for, whichever comes first. */
static const double SHORT_SECONDS = 1.0, SHORT_SECONDS_QUICK = 0.1;
static const uint32_t SHORT_FACTOR = 20;

static const workers_model_def models[] = {
    {"torus-knot", 70000, false}, {"blob", 100000, false}, {"pipe-network", 100000, false},
    {"torus-knot", 500000, true}, {"blob", 500000, true},
};

static workers_group *find_group(workers_contest *contest, const char *name)
{
    for (uint32_t i = 0; i < contest->group_count; i++)
        if (strcmp(contest->groups[i].name, name) == 0)
            return &contest->groups[i];
    if (contest->group_count == WORKERS_MAX_GROUPS)
    {
        printf("%s: too many groups\n", name);
        contest->session->failed = true;
        return NULL;
    }
    workers_group *group = &contest->groups[contest->group_count++];
    *group = (workers_group){.name = name, .lowest_gain = INFINITY};
    return group;
}

static double ceiling_of(const workers_contest *contest, const double *seconds)
{
    return 2.0 * seconds[NO_POOL] / seconds[contest->timed_count];
}

static void add_to_group(workers_contest *contest, const char *name, const double *seconds)
{
    workers_group *group = find_group(contest, name);
    if (!group)
        return;
    double overhead = seconds[ONE_WORKER] / seconds[NO_POOL], gain = seconds[ONE_WORKER] / seconds[TWO_WORKERS];
    group->row_count++;
    group->log_overhead += log(overhead);
    group->log_gain += log(gain);
    group->log_ceiling += log(ceiling_of(contest, seconds));
    group->highest_overhead = fmax(group->highest_overhead, overhead);
    group->lowest_gain = fmin(group->lowest_gain, gain);
}

static void print_row(const workers_contest *contest, const char *name, const double *seconds, uint32_t repetitions)
{
    printf("%-48s %5" PRIu32 " %10.3f %10.3f %6.3f %10.3f %6.2f", name, repetitions, 1e3 * seconds[NO_POOL],
           1e3 * seconds[ONE_WORKER], seconds[ONE_WORKER] / seconds[NO_POOL], 1e3 * seconds[TWO_WORKERS],
           seconds[ONE_WORKER] / seconds[TWO_WORKERS]);
    for (uint32_t i = TWO_WORKERS + 1; i < contest->timed_count && i < WORKERS_MAX_TIMED; i++)
        printf(" %10.3f %6.2f", 1e3 * seconds[i], seconds[ONE_WORKER] / seconds[i]);
    printf(" %7.2f", ceiling_of(contest, seconds));
    printf("\n");
    fflush(stdout);
}

static bool wants_more(const workers_contest *contest, uint32_t done, double since)
{
    if (done < contest->min_repetitions)
        return true;
    double enough = contest->session->options->quick ? SHORT_SECONDS_QUICK : SHORT_SECONDS;
    return done < SHORT_FACTOR * contest->min_repetitions && bench_now() - since < enough;
}

/* ---- two at once ---- */

typedef struct twin_run
{
    const workers_task *task;
    uint32_t side;
    pthread_barrier_t *start;
    workers_sample sample;
    carom_status status;
} twin_run;

static void *run_twin(void *data)
{
    twin_run *run = data;
    pthread_barrier_wait(run->start);
    run->status = run->task->run(run->task->data, run->side, false, &run->sample);
    return NULL;
}

/* The work on two contexts without a pool at the same time; the time of the slower one goes to the first twin's place.
 * They are no other side's, whose caches would be warm then. */
static bool run_two_at_once(workers_contest *contest, const workers_task *task, double *seconds)
{
    uint32_t twin = contest->timed_count;
    pthread_barrier_t start;
    if (pthread_barrier_init(&start, NULL, 2) != 0)
        return false;
    twin_run runs[2] = {{.task = task, .side = twin, .start = &start},
                        {.task = task, .side = twin + 1, .start = &start}};
    pthread_t thread;
    bool good = pthread_create(&thread, NULL, run_twin, &runs[1]) == 0;
    if (good)
    {
        run_twin(&runs[0]);
        pthread_join(thread, NULL);
    }
    pthread_barrier_destroy(&start);
    for (int i = 0; good && i < 2; i++)
        good = bench_check_on(contest->session, contest->sides[runs[i].side].context, runs[i].status, task->name);
    if (good)
        seconds[twin] = fmin(seconds[twin], fmax(runs[0].sample.seconds, runs[1].sample.seconds));
    return good;
}

/* ---- in turn ---- */

/* Once on every side, another one first each time, then two at once. False after an error or a difference. */
static bool repeat(workers_contest *contest, const workers_task *task, uint32_t repetition, double *seconds)
{
    uint64_t answers[WORKERS_MAX_SIDES];
    for (uint32_t i = 0; i < contest->timed_count; i++)
    {
        uint32_t side = (i + repetition) % contest->timed_count;
        workers_sample sample = {0};
        if (!bench_check_on(contest->session, contest->sides[side].context,
                            task->run(task->data, side, repetition == 0, &sample), task->name))
            return false;
        answers[side] = sample.answer;
        seconds[side] = fmin(seconds[side], sample.seconds);
    }
    for (uint32_t side = 1; side < contest->timed_count; side++)
        if (answers[side] != answers[0])
        {
            printf("%s DIFFERS: %016" PRIx64 " with %u workers, not %016" PRIx64 "\n", task->name, answers[side],
                   contest->sides[side].workers, answers[0]);
            contest->session->failed = true;
            return false;
        }
    return run_two_at_once(contest, task, seconds);
}

void workers_measure(workers_contest *contest, const workers_task *task)
{
    double seconds[WORKERS_MAX_SIDES];
    for (int i = 0; i < WORKERS_MAX_SIDES; i++)
        seconds[i] = INFINITY;
    double begin = bench_now();
    uint32_t repetition = 0;
    for (; wants_more(contest, repetition, begin); repetition++)
        if (!repeat(contest, task, repetition, seconds))
            return;
    print_row(contest, task->name, seconds, repetition);
    add_to_group(contest, task->group, seconds);
}

static void print_groups(const workers_contest *contest)
{
    printf("\n%-24s %5s %12s %10s %12s %10s %10s\n", "geometric means", "rows", "1 over none", "highest", "2 against 1",
           "lowest", "ceiling");
    for (uint32_t i = 0; i < contest->group_count; i++)
    {
        const workers_group *group = &contest->groups[i];
        printf("%-24s %5" PRIu32 " %12.3f %10.3f %12.2f %10.2f %10.2f\n", group->name, group->row_count,
               exp(group->log_overhead / group->row_count), group->highest_overhead,
               exp(group->log_gain / group->row_count), group->lowest_gain, exp(group->log_ceiling / group->row_count));
    }
}

static bool open_sides(workers_contest *contest)
{
    const bench_options *options = contest->session->options;
    uint32_t wanted = options->threads ? options->threads : machine_cores();
    uint32_t workers[WORKERS_MAX_SIDES] = {0, 1, 2, wanted};
    contest->timed_count = wanted > 2 ? WORKERS_MAX_TIMED : TWO_WORKERS + 1;
    contest->side_count = contest->timed_count + 2;
    workers[contest->timed_count] = workers[contest->timed_count + 1] = 0;
    for (uint32_t i = 0; i < contest->side_count; i++)
    {
        workers_side *side = &contest->sides[i];
        side->workers = workers[i];
        carom_context_def def = carom_context_def_default();
        def.workers = workers[i];
        if (carom_context_create(&def, &side->context) != CAROM_OK ||
            carom_query_create(side->context, &side->query) != CAROM_OK)
        {
            printf("no context with %u workers\n", workers[i]);
            contest->session->failed = true;
            return false;
        }
    }
    return true;
}

static void close_sides(workers_contest *contest)
{
    for (uint32_t i = 0; i < contest->side_count; i++)
    {
        carom_query_destroy(contest->sides[i].query);
        carom_context_destroy(contest->sides[i].context);
    }
}

static void print_head(const workers_contest *contest)
{
    char machine[MACHINE_TEXT_SIZE];
    machine_describe(machine);
    printf("\nworkers: %s\nminimum of at least %u repetitions, all contexts in turn; ms with no pool, with 1 worker, 1 "
           "over "
           "none,\nwith 2 workers, the speed-up of 2 against 1%s; ceiling: of two runs at once without a pool\n",
           machine, contest->min_repetitions, contest->timed_count > TWO_WORKERS + 1 ? ", and the same for more" : "");
    printf("%-48s %5s %10s %10s %6s %10s %6s", "work", "times", "none", "1 worker", "ratio", "2 workers", "gain");
    for (uint32_t i = TWO_WORKERS + 1; i < contest->timed_count; i++)
        printf(" %2u workers %6s", contest->sides[i].workers, "gain");
    printf(" %7s\n", "ceiling");
}

void bench_workers(bench_session *session)
{
    if (!bench_wanted(session, "workers"))
        return;
    const bench_options *options = session->options;
    workers_contest contest = {.session = session};
    contest.min_repetitions = options->repetitions ? options->repetitions : options->quick ? 3 : 15;
    if (open_sides(&contest))
    {
        print_head(&contest);
        for (size_t i = 0; i < sizeof models / sizeof models[0]; i++)
        {
            workers_model_def def = models[i];
            def.triangles /= options->quick ? 10 : 1;
            workers_run_model(&contest, &def);
        }
        workers_run_bodies(&contest);
        workers_run_files(&contest);
        print_groups(&contest);
    }
    close_sides(&contest);
}
