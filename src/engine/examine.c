/* Examines pairs of bodies on any worker, in any order; the findings depend on neither.
 *
 * Without a budget every pair is searched to its end: light ones as a whole, each by one worker; a heavy one is
 * suspended after a slice of work and then split among all workers by its front, even if there is only one worker. What
 * the pair remembers comes from the first slice, so it too is the same for any number of workers.
 *
 * With a budget, pairs are examined breadth first (chapter 25.6): in rounds that give each undecided pair a slice of
 * work, the most urgent ones first, each round four times as much as the one before. A work budget is never drawn from
 * a shared counter, so the search stops at the same point for any number of workers; a deadline stops it anywhere. */
#include "engine/engine.h"

enum
{
    LIGHT_WORK = 1 << 16, /* tests of boxes and triangles after which a pair counts as heavy */
    MIN_SLICE = 256,      /* of a work budget: with less, starting the search would use it up */
    ROUND_FACTOR = 4,     /* work per pair, from one round to the next */
    STEP_WORK = 4096,     /* before a deadline: after as much, what the commit will take is looked at again */
    MIN_RANGE = 4         /* pairs that are worth handing to another worker */
};
static const uint64_t MAX_SHARE = (uint64_t)1 << 40; /* per pair and round */

typedef struct examination
{
    carom_engine *engine;
    const carom_frame *frame;
    size_t served;    /* the first of the waiting pairs have something to spend */
    double deadline;  /* of the whole call; 0: none */
    engine_load load; /* of the commit, as it was before this round */
    double reserve;   /* seconds for that */
    bool slices;      /* each waiting pair has one */
    bool limited;     /* by the caller's budget */
} examination;

/* ---- one pair ---- */

static query_question ask(carom_engine *engine, const carom_frame *frame, uint32_t index)
{
    const engine_pair *pair = &engine->pairs.items[index];
    const carom_placed *a = &frame->bodies[pair->a].placed, *b = &frame->bodies[pair->b].placed;
    return (query_question){.a = a,
                            .b = b,
                            .defect = math_pair_defect(&a->pose, &b->pose),
                            .method = engine->kind->method,
                            .asset_a = engine->kept ? engine->kept[pair->a] : NULL,
                            .asset_b = engine->kept ? engine->kept[pair->b] : NULL,
                            .memory = engine_memories_at(&engine->memories, index)};
}

static carom_collide_options pair_options(const carom_engine *engine, const carom_frame *frame, uint32_t index)
{
    const engine_pair *pair = &engine->pairs.items[index];
    carom_collide_options options = engine->options;
    options.clearance = engine_clearance_of(&frame->bodies[pair->a], &frame->bodies[pair->b], pair->clearance).above;
    return options;
}

/* A job of its own for a pair that may be suspended: one that is free, with the memory that its arrays have. */
static engine_open_pair *new_open(carom_engine *engine, engine_worker *worker)
{
    if (worker->spare.count > 0)
        return worker->spare.items[--worker->spare.count];
    engine_open_pair *open = base_allocate(engine->context, 1, sizeof *open, BASE_CACHE_LINE);
    if (open)
        memset(open, 0, sizeof *open);
    else
        base_fail(engine->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for an open pair");
    return open;
}

/* Keeps the query's job for later; the query gets an empty one. */
static carom_status suspend(const engine_task *task, query_job *job)
{
    engine_open_pair *open = new_open(task->engine, task->worker);
    if (!open)
        return CAROM_OUT_OF_MEMORY;
    query_job_free(task->engine->context, &open->job);
    open->job = *job;
    open->options = *job->options;
    open->bound = 0.0;
    open->job.options = &open->options;
    memset(job, 0, sizeof *job);
    task->engine->open.items[task->index] = open;
    return CAROM_OK;
}

static void take_back(const engine_task *task)
{
    engine_open_pair **open = &task->engine->open.items[task->index];
    engine_free_open(task->engine, task->worker, *open);
    *open = NULL;
}

/* Gives a job the parts where its search begins. */
static carom_status begin_front(const engine_task *task, query_job *job)
{
    const engine_pair *pair = &task->engine->pairs.items[task->index];
    job->searched = !pair->searched;
    if (!base_array_reserve(task->engine->context, &job->front, pair->part_count))
        return base_fail(task->engine->context, CAROM_OUT_OF_MEMORY, "engine run: no memory for the parts of a pair");
    if (pair->part_count > 0)
        memcpy(job->front.items, task->engine->fronts.items + pair->first_part,
               pair->part_count * sizeof *job->front.items);
    job->front.count = pair->part_count;
    return CAROM_OK;
}

/* A search leaves what it would have looked at next first: deep parts before those near the roots. The other way round,
 * a pair too is refined breadth first, slice by slice. */
static void turn_front(narrow_front *front)
{
    for (size_t i = 0, k = front->count; i + 1 < k; i++)
    {
        narrow_part_pair last = front->items[--k];
        front->items[k] = front->items[i];
        front->items[i] = last;
    }
}

/* Continues a job; suspends it, or stores its report. */
static carom_status advance(const engine_task *task, query_job *job, bool is_open)
{
    carom_query *query = task->worker->query;
    if (is_open && task->limited)
        turn_front(&job->front);
    carom_status status = query_job_search(query, job, task->budget);
    carom_report report;
    if (status != CAROM_UNKNOWN && !carom_failed(status))
        status = engine_answer(task, job, &report);
    if (status != CAROM_UNKNOWN && !carom_failed(status))
        status = engine_file_report(task, job, &report);
    if (carom_failed(status))
        return status;
    if (status == CAROM_UNKNOWN)
        return is_open ? CAROM_OK : suspend(task, job);
    if (is_open)
        take_back(task);
    return CAROM_OK;
}

/* Begins a pair that the caller's budget may cut short. */
static carom_status begin_limited(const engine_task *task, const query_question *question,
                                  const carom_collide_options *options)
{
    engine_open_pair *open = new_open(task->engine, task->worker);
    if (!open)
        return CAROM_OUT_OF_MEMORY;
    task->engine->open.items[task->index] = open;
    task->worker->opened++;
    open->options = *options;
    open->bound = 0.0;
    query_job_begin(&open->job, question, &open->options);
    BASE_TRY(begin_front(task, &open->job));
    return advance(task, &open->job, true);
}

static carom_status examine_pair(const engine_task *task)
{
    carom_engine *engine = task->engine;
    engine_open_pair *open = engine->open.items[task->index];
    const engine_pair *pair = &engine->pairs.items[task->index];
    if (open)
        return advance(task, &open->job, true);
    if (task->budget->deadline > 0.0 && engine_pair_lacks_trees(engine, task->frame, pair))
        return CAROM_OK; /* there was no time to build them */
    carom_query *query = task->worker->query;
    query_question question = ask(engine, task->frame, task->index);
    BASE_TRY(query_find_trees(query, &question));
    carom_collide_options options = pair_options(engine, task->frame, task->index);
    carom_report report;
    query_clear_report(&report);
    query_job_begin(&query->job, &question, &options);
    if (base_budget_is_unlimited(task->budget) && pair->searched && pair->part_count == 0)
    {
        BASE_TRY(query_collide(query, &question, &options, task->budget, &report));
        return engine_file_report(task, &query->job, &report);
    }
    if (query_apart_at_once(engine->context, &question, &options))
    {
        report.relation = CAROM_RELATION_APART;
        return engine_file_report(task, &query->job, &report);
    }
    if (task->limited)
        return begin_limited(task, &question, &options);
    BASE_TRY(begin_front(task, &query->job));
    return advance(task, &query->job, false);
}

/* ---- many pairs ---- */

static double cost_of_commit(const carom_engine *engine, const engine_load *load)
{
    bool extras = engine->estimates_undecided || engine->options.clearance > 0.0;
    return engine_pace_careful(engine_pace_cost(&engine->pace, load)) +
           (extras ? engine_pace_extra_cost(&engine->pace, load->open) : 0.0);
}

/* Seconds for the commit, if all workers have found as much in this round as this one. */
static double reserve_of(const examination *run, const engine_worker *own)
{
    const carom_engine *engine = run->engine;
    const engine_load now = engine_load_of_findings(&own->findings), *before = &own->found;
    engine_load load = run->load;
    load.listed += engine->worker_count * (now.listed - before->listed);
    load.pairs += engine->worker_count * (now.pairs - before->pairs);
    load.contacts += engine->worker_count * (now.contacts - before->contacts);
    load.points += engine->worker_count * (now.points - before->points);
    load.open += engine->worker_count * own->opened;
    load.growth = engine_report_growth(engine, &load);
    return cost_of_commit(engine, &load);
}

/* Examines a pair up to the deadline, step by step: what it finds adds to the commit. False: it is late. */
static bool examine_before_deadline(const examination *run, engine_task *task, uint64_t *slice)
{
    engine_worker *own = task->worker;
    const engine_finding_ref *ref = &run->engine->finding_refs.items[task->index];
    for (bool progress = true; progress && *slice > 0 && *ref == ENGINE_UNDECIDED && own->failure == CAROM_OK;)
    {
        uint64_t step = *slice < STEP_WORK ? *slice : STEP_WORK;
        task->reserve = reserve_of(run, own);
        base_budget budget = {.work_left = step, .deadline = run->deadline - task->reserve};
        if (base_now() >= budget.deadline)
            return false;
        task->budget = &budget;
        own->failure = examine_pair(task);
        task->budget = NULL;
        *slice -= step - budget.work_left;
        progress = budget.work_left < step;
    }
    return true;
}

static void examine_range(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    const examination *run = data;
    carom_engine *engine = run->engine;
    engine_worker *own = &engine->workers[worker];
    bool in_time = true;
    for (uint32_t i = first; i < last && own->failure == CAROM_OK && in_time; i++)
    {
        engine_task task = {engine, run->frame, own, worker, engine->waiting.items[i], NULL, run->limited, 0.0};
        if (run->deadline > 0.0)
        {
            in_time = examine_before_deadline(run, &task, &engine->slices.items[i]);
            continue;
        }
        base_budget budget = {.work_left = run->slices ? engine->slices.items[i] : UINT64_MAX};
        task.budget = &budget;
        own->failure = examine_pair(&task);
        if (run->slices)
            engine->slices.items[i] = budget.work_left;
    }
}

static carom_status examine_waiting(carom_engine *engine, examination *run)
{
    for (uint32_t i = 0; i < engine->worker_count; i++)
        engine->workers[i].failure = CAROM_OK;
    uint32_t count = (uint32_t)run->served;
    if (engine->kind->parallel_inside)
        examine_range(0, count, 0, run);
    else
        base_parallel_for(engine->context, count, MIN_RANGE, examine_range, run);
    for (uint32_t i = 0; i < engine->worker_count; i++)
        if (engine->workers[i].failure != CAROM_OK)
            return engine->workers[i].failure;
    return CAROM_OK;
}

/* The pairs that are undecided, in order. */
static void list_waiting(carom_engine *engine)
{
    engine->waiting.count = 0;
    for (uint32_t i = 0; i < engine->pairs.count; i++)
        if (engine->finding_refs.items[i] == ENGINE_UNDECIDED)
            engine->waiting.items[engine->waiting.count++] = i;
}

/* ---- without a budget ---- */

static carom_status finish_heavy(carom_engine *engine, const carom_frame *frame, uint32_t index)
{
    base_budget unlimited = base_budget_begin(NULL);
    engine_task task = {engine, frame, &engine->workers[0], 0, index, &unlimited, false, 0.0};
    engine_open_pair *open = engine->open.items[index];
    carom_status status = query_job_search_all(task.worker->query, &open->job);
    return carom_failed(status) ? status : advance(&task, &open->job, true);
}

static carom_status examine_all(carom_engine *engine, const carom_frame *frame)
{
    examination run = {.engine = engine,
                       .frame = frame,
                       .served = engine->waiting.count,
                       .slices = engine->kind->method == &query_tree_method};
    for (size_t i = 0; run.slices && i < engine->waiting.count; i++)
        engine->slices.items[i] = LIGHT_WORK;
    BASE_TRY(examine_waiting(engine, &run));
    list_waiting(engine);
    for (size_t i = 0; i < engine->waiting.count; i++)
        BASE_TRY(finish_heavy(engine, frame, engine->waiting.items[i]));
    return CAROM_OK;
}

/* ---- with a budget ---- */

static carom_status find_urgencies(carom_engine *engine, const carom_frame *frame)
{
    engine->urgencies.count = 0;
    if (!base_array_reserve(engine->context, &engine->urgencies, engine->pairs.count))
        return base_fail(engine->context, CAROM_OUT_OF_MEMORY, "engine run: no memory to share out the budget");
    double largest = engine_largest_side(frame);
    for (size_t i = 0; i < engine->pairs.count; i++)
    {
        const engine_pair *pair = &engine->pairs.items[i];
        engine->urgencies.items[i] = engine_urgency(&frame->bodies[pair->a], &frame->bodies[pair->b], largest);
    }
    engine->urgencies.count = engine->pairs.count;
    return CAROM_OK;
}

/* Before a deadline, what has been searched but not listed comes first, while there is time for steps that can't be cut
 * short. */
static bool waits_for_time(const carom_engine *engine, uint32_t index)
{
    const engine_open_pair *open = engine->open.items[index];
    return engine->pace.deadline > 0.0 && open && open->job.searched;
}

/* Urgent pairs first; pairs of equal urgency keep their order. */
static void sort_by_urgency(carom_engine *engine)
{
    size_t count = engine->waiting.count;
    base_key_value *keys = engine->grouped.items;
    for (size_t i = 0; i < count; i++)
    {
        double urgency = engine->urgencies.items[engine->waiting.items[i]];
        uint64_t bits;
        memcpy(&bits, &urgency, sizeof bits); /* not negative: the bits sort as the numbers do, the first 32 suffice */
        uint64_t key = ~bits >> 32, later = (uint64_t)!waits_for_time(engine, engine->waiting.items[i]) << 32;
        keys[i] = (base_key_value){later | key, engine->waiting.items[i]};
    }
    base_sort_keys(keys, engine->space.items, count);
    for (size_t i = 0; i < count; i++)
        engine->waiting.items[i] = (uint32_t)keys[i].value;
}

/* Cuts the work into slices by urgency; the last pairs may get none. Returns the sum of the slices. */
static uint64_t deal_slices(carom_engine *engine, uint64_t work, size_t *served)
{
    double total = 0.0;
    size_t count = engine->waiting.count;
    for (size_t i = 0; i < count; i++)
        total += engine->urgencies.items[engine->waiting.items[i]];
    uint64_t left = work;
    for (*served = 0; *served < count && left > 0; ++*served)
    {
        double share = engine->urgencies.items[engine->waiting.items[*served]];
        double part = total > 0.0 ? share / total : 1.0 / (double)count;
        double fair = (double)work * part;
        uint64_t slice = fair < (double)left ? (uint64_t)fair : left;
        slice = slice < MIN_SLICE ? MIN_SLICE : slice;
        slice = slice < left ? slice : left;
        engine->slices.items[*served] = slice;
        left -= slice;
    }
    return work - left;
}

/* Drops what was decided from the list. True: something was. */
static bool keep_undecided(carom_engine *engine)
{
    size_t kept = 0, count = engine->waiting.count;
    for (size_t i = 0; i < count; i++)
        if (engine->finding_refs.items[engine->waiting.items[i]] == ENGINE_UNDECIDED)
            engine->waiting.items[kept++] = engine->waiting.items[i];
    engine->waiting.count = kept;
    return kept < count;
}

/* What the commit would have to deal with if the examination ended now, and the seconds that it would take. */
static double set_reserve(carom_engine *engine, engine_load *load)
{
    *load = engine_load_of(engine);
    engine_prepare_report(engine, load);
    for (uint32_t i = 0; i < engine->worker_count; i++)
    {
        engine->workers[i].opened = 0;
        engine->workers[i].found = engine_load_of_findings(&engine->workers[i].findings);
    }
    return cost_of_commit(engine, load);
}

/* Brings the waiting pairs into their order, if there is time to examine any. */
static carom_status line_up(carom_engine *engine, const carom_frame *frame)
{
    const double per_pair = 1.5e-7;
    double cost = per_pair * (double)engine->waiting.count;
    engine_load load;
    double end = engine->pace.deadline, ready = base_now() + cost;
    bool late = end > 0.0 && (ready >= end || ready >= end - set_reserve(engine, &load)); /* which may take memory */
    if (!late)
    {
        BASE_TRY(find_urgencies(engine, frame));
        sort_by_urgency(engine);
    }
    else
        engine->waiting.count = 0;
    if (!engine->pace.continued)
        engine_pace_prepared(&engine->pace, frame->body_count);
    return CAROM_OK;
}

static carom_status examine_in_rounds(carom_engine *engine, const carom_frame *frame, uint64_t work)
{
    examination run = {
        .engine = engine, .frame = frame, .deadline = engine->pace.deadline, .slices = true, .limited = true};
    uint64_t left = work > 0 ? work : UINT64_MAX, share = MIN_SLICE;
    BASE_TRY(line_up(engine, frame));
    for (bool progress = engine->waiting.count > 0; progress;)
    {
        uint64_t wanted = share * (uint64_t)engine->waiting.count, unused = 0;
        uint64_t dealt = deal_slices(engine, wanted < left ? wanted : left, &run.served);
        run.reserve = run.deadline > 0.0 ? set_reserve(engine, &run.load) : 0.0;
        BASE_TRY(examine_waiting(engine, &run));
        for (size_t i = 0; i < run.served; i++)
            unused += engine->slices.items[i];
        left -= dealt - unused;
        bool in_time = run.deadline == 0.0 || base_now() < run.deadline - run.reserve;
        bool moved = keep_undecided(engine) || dealt > unused; /* a pair may be decided without any test */
        progress = moved && left > 0 && in_time && engine->waiting.count > 0;
        share = share < MAX_SHARE ? share * ROUND_FACTOR : share;
    }
    return CAROM_OK;
}

/* ---- the stage ---- */

carom_status engine_examine(carom_engine *engine, const carom_frame *frame, const carom_budget *budget)
{
    uint64_t work = budget ? budget->work : 0;
    list_waiting(engine);
    return work > 0 || engine->pace.deadline > 0.0 ? examine_in_rounds(engine, frame, work)
                                                   : examine_all(engine, frame);
}

void engine_reopen(carom_engine *engine, const carom_frame *frame)
{
    for (size_t i = 0; i < engine->open.count; i++)
    {
        engine_open_pair *open = engine->open.items[i];
        if (!open)
            continue;
        const engine_pair *pair = &engine->pairs.items[i];
        query_question *question = &open->job.question;
        question->a = &frame->bodies[pair->a].placed;
        question->b = &frame->bodies[pair->b].placed;
        question->asset_a = engine->kept ? engine->kept[pair->a] : NULL;
        question->asset_b = engine->kept ? engine->kept[pair->b] : NULL;
        if (question->memory)
            question->memory = engine_memories_at(&engine->memories, i);
    }
}

void engine_free_open(carom_engine *engine, engine_worker *worker, engine_open_pair *open)
{
    if (base_array_reserve(engine->context, &worker->spare, 1))
    {
        worker->spare.items[worker->spare.count++] = open;
        return;
    }
    query_job_free(engine->context, &open->job);
    base_release(engine->context, open, 1, sizeof *open);
}

/* To each worker its share, so that none has to ask for memory while others have it to spare. */
void engine_forget_open(carom_engine *engine, engine_open_pairs *open)
{
    for (size_t i = 0; i < open->count; i++)
        if (open->items[i])
            engine_free_open(engine, &engine->workers[i % engine->worker_count], open->items[i]);
    open->count = 0;
}

void engine_free_spare(carom_engine *engine, engine_worker *worker)
{
    for (size_t i = 0; i < worker->spare.count; i++)
    {
        query_job_free(engine->context, &worker->spare.items[i]->job);
        base_release(engine->context, worker->spare.items[i], 1, sizeof *worker->spare.items[i]);
    }
    base_array_free(engine->context, &worker->spare);
}
