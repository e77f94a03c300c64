/* workers.h: the speed-up by workers. A task runs on several contexts, the sides, that differ only in their workers.
 * Private to workers*.c. */
#ifndef BENCH_WORKERS_H
#define BENCH_WORKERS_H

#include "bench/bench.h"

enum
{
    WORKERS_MAX_TIMED = 4, /* no pool, 1 worker, 2 workers, and the machine's cores */
    WORKERS_MAX_SIDES = WORKERS_MAX_TIMED + 2,
    WORKERS_MAX_GROUPS = 16
};

typedef struct workers_side
{
    uint32_t workers; /* 0: a context without a pool */
    carom_context *context;
    carom_query *query;
} workers_side;

/* Logarithms summed up over the rows of one group. */
typedef struct workers_group
{
    const char *name;
    uint32_t row_count;
    double log_overhead, log_gain; /* of 1 worker over none; of 1 worker over 2 */
    double log_ceiling;            /* of twice the time without a pool over that of two runs at once */
    double highest_overhead, lowest_gain;
} workers_group;

typedef struct workers_contest
{
    bench_session *session;
    workers_side sides[WORKERS_MAX_SIDES];
    uint32_t timed_count; /* sides that take turns */
    uint32_t side_count;  /* and two without a pool that run at the same time, for the ceiling */
    uint32_t min_repetitions;
    workers_group groups[WORKERS_MAX_GROUPS];
    uint32_t group_count;
} workers_contest;

typedef struct workers_sample
{
    double seconds;  /* of the timed part */
    uint64_t answer; /* must be the same on every side in the same repetition */
} workers_sample;

/* Does the work once. An answer that is expensive to hash is needed only where `hash` is set. Called for two sides at
 * the same time, from two threads. */
typedef carom_status workers_run_fn(void *data, uint32_t side, bool hash, workers_sample *out);

typedef struct workers_task
{
    const char *group; /* rows with the same words are averaged */
    const char *name;
    workers_run_fn *run;
    void *data;
} workers_task;

/* All sides in turn, the minimum of many repetitions; prints the row. The ceiling is what the machine would give two
 * workers that share nothing: the work is done twice at the same time, on two contexts without a pool. */
void workers_measure(workers_contest *contest, const workers_task *task);

/* Rows of a model: making it, its trees, refits; where it is heavy, all pairs of two copies and a batch of rays. */
typedef struct workers_model_def
{
    const char *kind; /* of scenes/generate.h */
    uint32_t triangles;
    bool heavy;
} workers_model_def;
void workers_run_model(workers_contest *contest, const workers_model_def *def);
void workers_run_bodies(workers_contest *contest);
void workers_run_files(workers_contest *contest);

#endif
