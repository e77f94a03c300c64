/* One pair of bodies: candidates from the batch, or from a search of its own, or in steps where there is a budget. */
#include "engine/stream/frontier.h"

#define FRONTIER_ALL UINT32_MAX /* twice: the check of the clearance */

static const float OF_CLEARANCE = -1.0f; /* the bound of what that left open */

typedef struct frontier_walk
{
    frontier_state *state;
    const query_task *task;
    const narrow_search *search;
    batch_decider decider;
} frontier_walk;

/* ---- in steps ---- */

static carom_status open_steps(frontier_state *state)
{
    if (!state->steps.device)
        BASE_TRY(batch_runner_open(&state->steps, COMPUTE_PROCESSOR));
    return CAROM_OK;
}

/* What the front holds, but for the clearance, or the roots. */
static carom_status list_open(frontier_walk *walk)
{
    frontier_state *state = walk->state;
    const narrow_front *front = walk->task->front;
    carom_context *context = state->batch.context;
    batch_items *open = &state->batch.job.open;
    bool from_roots = !front || front->count == 0;
    size_t count = from_roots ? 1 : front->count;
    open->count = state->left.count = 0;
    if (!base_array_reserve(context, open, count) || !base_array_reserve(context, &state->left, count))
        return frontier_out_of_memory(context);
    if (from_roots)
    {
        open->items[open->count++] = (batch_item){0, 0, 0};
        state->left.items[state->left.count++] = (narrow_part_pair){FRONTIER_ALL, FRONTIER_ALL, 0.0f};
    }
    for (size_t i = 0; !from_roots && i < count; i++)
    {
        narrow_part_pair part = front->items[i];
        if (part.bound < 0.0f || part.part_a == FRONTIER_ALL)
            state->left.items[state->left.count++] = part;
        else
            open->items[open->count++] = (batch_item){0, part.part_a, part.part_b};
    }
    return CAROM_OK;
}

static void charge(base_budget *budget, uint64_t work)
{
    if (budget->work_left != UINT64_MAX)
        budget->work_left = budget->work_left > work ? budget->work_left - work : 0;
}

enum
{
    STEP_ITEMS = 256
};

/* One level of some items: their tests, and the decision of what that proposes. */
static carom_status step(frontier_walk *walk)
{
    frontier_state *state = walk->state;
    batch_job *job = &state->batch.job;
    base_budget *budget = walk->task->budget;
    uint64_t take = job->open.count < STEP_ITEMS ? job->open.count : STEP_ITEMS;
    take = take < budget->work_left ? take : budget->work_left;
    if (!base_budget_spend(budget, take > 0 ? (uint32_t)take : 1))
        return CAROM_UNKNOWN;
    uint64_t triangles = job->triangles;
    job->found.count = 0;
    BASE_TRY(frontier_round(job, take > 0 ? (uint32_t)take : 1));
    charge(budget, job->triangles - triangles);
    BASE_TRY(batch_sort_found(&state->batch));
    return batch_decide_sorted(&walk->decider, &state->batch.sorted);
}

static carom_status run_steps(frontier_walk *walk)
{
    frontier_state *state = walk->state;
    batch_job *job = &state->batch.job;
    const batch_list *list = &state->batch.list;
    batch_runner *runner = &state->steps;
    job->runner = runner, job->pairs = list->pairs.items;
    job->levels = 1, job->beam = 0, job->boxes = job->triangles = 0;
    BASE_TRY(compute_begin(runner->device));
    carom_status status = batch_runner_load(runner, list->pairs.items, list->places.items, 1);
    while (status == CAROM_OK && job->open.count > 0)
        status = step(walk);
    compute_end(runner->device);
    walk->task->counters->boxes_tested += job->boxes;
    walk->task->counters->triangles_tested += job->triangles;
    return status;
}

/* What is open goes to the front: items, then what is left of the clearance. */
static carom_status keep_open(frontier_walk *walk)
{
    frontier_state *state = walk->state;
    narrow_front *front = walk->task->front;
    const batch_items *open = &state->batch.job.open;
    if (!front)
        return CAROM_UNKNOWN;
    front->count = 0;
    if (!base_array_reserve(walk->task->context, front, open->count + state->left.count))
        return frontier_out_of_memory(walk->task->context);
    for (size_t i = 0; i < open->count; i++)
        front->items[front->count++] = (narrow_part_pair){open->items[i].a, open->items[i].b, 0.0f};
    for (size_t i = 0; i < state->left.count; i++)
        front->items[front->count++] = state->left.items[i];
    return CAROM_UNKNOWN;
}

/* ---- the clearance ---- */

/* No pair meets, or the clearance would be violated already. */
static bool stop(uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting, void *user)
{
    (void)triangle_a, (void)triangle_b, (void)meeting, (void)user;
    return false;
}

static carom_status ask_trees(frontier_walk *walk, narrow_front *front, const narrow_search *search)
{
    const query_task *task = walk->task;
    tree_task trees = {.context = task->context,
                       .a = &task->a,
                       .b = &task->b,
                       .defect = task->defect,
                       .scratch = &walk->state->batch.scratch,
                       .front = front,
                       .budget = task->budget,
                       .counters = task->counters};
    return tree_collide(&trees, search, &walk->decider.violated);
}

/* Closer than the clearance? The trees decide. */
static carom_status check_clearance(frontier_walk *walk)
{
    frontier_state *state = walk->state;
    narrow_front *left = &state->left;
    if (left->count > 0 && left->items[0].bound == 0.0f)
        left->count = 0; /* from the roots */
    for (size_t i = 0; i < left->count; i++)
        left->items[i].bound = 0.0f;
    narrow_search search = {.clearance = walk->search->clearance, .on_pair = stop};
    carom_status status = ask_trees(walk, left, &search);
    if (status == CAROM_STOPPED)
        return CAROM_OK;
    if (status != CAROM_UNKNOWN)
        return status;
    for (size_t i = 0; i < left->count; i++)
        left->items[i].bound = OF_CLEARANCE;
    /* with nothing left to spend, trees leave nothing: then all of it is open */
    if (left->count == 0 && !base_array_reserve(state->batch.context, left, 1))
        return frontier_out_of_memory(state->batch.context);
    if (left->count == 0)
        left->items[left->count++] = (narrow_part_pair){FRONTIER_ALL, FRONTIER_ALL, 0.0f};
    return CAROM_UNKNOWN;
}

/* ---- the method's function ---- */

/* With a budget, in steps. */
static carom_status search_in_steps(frontier_walk *walk)
{
    batch_verdict verdict;
    BASE_TRY(batch_list_task(&walk->state->batch, walk->task, &verdict));
    if (verdict != BATCH_SEARCH)
        return CAROM_OK;
    BASE_TRY(open_steps(walk->state));
    return run_steps(walk);
}

carom_status frontier_collide(void *object, const query_task *task, const narrow_search *search, bool *violated)
{
    frontier_state *state = object;
    batch_decider decider = {
        .task = task, .search = search, .violated = *violated, .seconds = &state->batch.exact_seconds};
    frontier_walk walk = {.state = state, .task = task, .search = search, .decider = decider};
    if (task->a.mesh->triangle_count == 0 || task->b.mesh->triangle_count == 0)
        return CAROM_OK;
    float place[BATCH_PLACE];
    batch_pair pair = batch_pair_of(task);
    if (batch_place_pair(&pair, place) == BATCH_UNCERTAIN)
        return query_tree_method.collide(state, task, search, violated);
    bool limited = !base_budget_is_unlimited(task->budget) || (task->front && task->front->count > 0);
    BASE_TRY(list_open(&walk));
    carom_status status = limited ? search_in_steps(&walk) : batch_decide_pair(&walk.decider, &state->batch);
    if (status == CAROM_OK)
        state->batch.job.open.count = 0;
    if (status == CAROM_OK && search->clearance > 0.0 && !walk.decider.violated)
        status = check_clearance(&walk);
    task->counters->exact_fallbacks += walk.decider.counts.exact_fallbacks;
    *violated = walk.decider.violated;
    if (status == CAROM_UNKNOWN)
        return keep_open(&walk);
    if (!carom_failed(status) && task->front)
        task->front->count = 0;
    return status;
}
