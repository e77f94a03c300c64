/* The queue of tasks, LIVESET in the thesis: level by level, in batches that run on one worker or on all. */
#include "engine/edge/edge.h"

/* ---- one batch ---- */

static void run_tasks(uint32_t first, uint32_t last, uint32_t worker, void *data)
{
    edge_walk *walk = data;
    edge_lane *lane = &walk->state->lanes[worker];
    uint64_t start = walk->shared ? base_watch_start(&walk->state->watch) : 0;
    for (uint32_t i = first; i < last && !base_cancel_is_set(&walk->cancel); i++)
    {
        lane->tasks++;
        carom_status status = walk->run_task(walk, lane, walk->batch[i]);
        if (status != CAROM_OK)
        {
            lane->status = status;
            lane->proposed.pairs.count = 0;
        }
        if (status != CAROM_OK || (lane->found.count > 0 && !walk->search->every_pair))
            base_cancel_set(&walk->cancel);
    }
    if (walk->shared)
        lane->busy_seconds += base_watch_read(&walk->state->watch, start);
}

static uint32_t lanes_in_use(const edge_walk *walk) { return walk->shared ? walk->state->lane_count : 1; }

/* An error, CAROM_UNKNOWN, or CAROM_OK. */
static carom_status lanes_status(const edge_walk *walk)
{
    carom_status status = CAROM_OK;
    for (uint32_t i = 0; i < lanes_in_use(walk); i++)
        if (!carom_failed(status) && walk->state->lanes[i].status != CAROM_OK)
            status = walk->state->lanes[i].status;
    return status;
}

/* Reports the pairs that were found. False if the search should end. */
static bool report_found(const edge_walk *walk, bool *violated)
{
    bool go_on = true;
    for (uint32_t i = 0; i < lanes_in_use(walk) && go_on; i++)
    {
        edge_lane *lane = &walk->state->lanes[i];
        *violated = *violated || lane->found.count > 0;
        for (size_t k = 0; k < lane->found.count && go_on; k++)
        {
            const edge_found *found = &lane->found.items[k];
            go_on = walk->search->on_pair(found->triangle_a, found->triangle_b, found->meeting, walk->search->user);
        }
    }
    return go_on;
}

static bool add_tasks(carom_context *context, edge_queue *queue, const narrow_part_pair *tasks, size_t count)
{
    if (!base_array_reserve(context, queue, count))
        return false;
    if (count > 0)
        memcpy(queue->items + queue->count, tasks, count * sizeof *tasks);
    queue->count += count;
    return true;
}

/* Adds the children of the batch to the next level, unless the batch has to be done again. */
static carom_status gather(edge_walk *walk, carom_status status, bool *violated)
{
    edge_state *state = walk->state;
    if (!carom_failed(status) && !report_found(walk, violated))
        status = CAROM_STOPPED;
    for (uint32_t i = 0; i < lanes_in_use(walk); i++)
    {
        edge_lane *lane = &state->lanes[i];
        if (status == CAROM_OK && !add_tasks(state->context, &state->next, lane->children.items, lane->children.count))
            status = edge_out_of_memory(state->context);
        lane->children.count = lane->found.count = 0;
    }
    return status;
}

/* Large enough to be worth handing over, small enough that workers end together. */
static uint32_t range_of(const edge_state *state, uint32_t count)
{
    uint32_t even = count / (8 * state->lane_count);
    return even < state->rules->min_range   ? state->rules->min_range
           : even > state->rules->max_range ? state->rules->max_range
                                            : even;
}

static carom_status run_batch(edge_walk *walk, const narrow_part_pair *tasks, uint32_t count, bool *violated)
{
    const uint32_t few = 4; /* fewer are done before another worker has begun */
    edge_state *state = walk->state;
    uint64_t start = walk->shared ? base_watch_start(&state->watch) : 0;
    walk->batch = tasks;
    if (walk->shared && count >= few)
        base_parallel_for(state->context, count, range_of(state, count), run_tasks, walk);
    else
        run_tasks(0, count, 0, walk);
    if (walk->shared)
        state->stats.worker_seconds += state->lane_count * base_watch_read(&state->watch, start);
    return gather(walk, lanes_status(walk), violated);
}

/* ---- levels ---- */

/* The number of tasks between two checks of what they found. On one worker they come one by one if a budget may end
 * them in between; otherwise a level at a time, which a hit ends as well. Several workers take a level at a time too if
 * they are no more than K: then never more than K tasks run at once, and there are fewer ends to wait for. A deadline
 * has its batch done again, which is kept small. */
static uint32_t batch_limit(const edge_walk *walk)
{
    const edge_state *state = walk->state;
    bool unlimited = base_budget_is_unlimited(walk->task->budget);
    uint32_t batch = state->rules->batch > 0 ? state->rules->batch : state->tasks_at_once;
    if (!walk->shared)
        return unlimited ? UINT32_MAX : 1;
    return unlimited && state->lane_count <= batch ? UINT32_MAX : batch;
}

static carom_status run_level(edge_walk *walk, bool *violated)
{
    edge_state *state = walk->state;
    uint32_t limit = batch_limit(walk);
    state->next.count = 0;
    for (size_t at = 0; at < state->current.count;)
    {
        size_t left = state->current.count - at;
        uint32_t count = left < limit ? (uint32_t)left : limit;
        carom_status status = run_batch(walk, state->current.items + at, count, violated);
        if (status == CAROM_UNKNOWN && !(add_tasks(state->context, &state->open, state->current.items + at, left) &&
                                         add_tasks(state->context, &state->open, state->next.items, state->next.count)))
            return edge_out_of_memory(state->context);
        if (status != CAROM_OK)
            return status;
        at += count;
    }
    return CAROM_OK;
}

static carom_status run_levels(edge_walk *walk, bool *violated)
{
    edge_state *state = walk->state;
    carom_status status = CAROM_OK;
    uint32_t depth = 0;
    for (; state->current.count > 0 && status == CAROM_OK; depth++)
    {
        status = run_level(walk, violated);
        edge_queue done = state->current;
        state->current = state->next, state->next = done;
    }
    state->stats.depth = depth > state->stats.depth ? depth : state->stats.depth;
    return status;
}

/* ---- stages: pairs; or the edges of a, then those of b; then the clearance ---- */

typedef enum edge_stage
{
    STAGE_PAIRS,
    STAGE_EDGES_OF_A,
    STAGE_EDGES_OF_B,
    STAGE_CLEARANCE,
    STAGE_COUNT
} edge_stage;

static const float OF_CLEARANCE = -1.0f; /* the bound of what the check of the clearance left open */

static edge_stage stage_of(narrow_part_pair task)
{
    if (task.bound < 0.0f)
        return STAGE_CLEARANCE;
    bool all_a = task.part_a == EDGE_ALL, all_b = task.part_b == EDGE_ALL;
    return all_a && all_b ? STAGE_CLEARANCE : all_a ? STAGE_EDGES_OF_A : all_b ? STAGE_EDGES_OF_B : STAGE_PAIRS;
}

/* What the front holds, or the roots. */
static carom_status list_open(edge_walk *walk)
{
    static const narrow_part_pair PAIRS[] = {{0, 0, 0.0f}, {EDGE_ALL, EDGE_ALL, 0.0f}};
    static const narrow_part_pair EDGES[] = {{EDGE_ALL, 0, 0.0f}, {0, EDGE_ALL, 0.0f}, {EDGE_ALL, EDGE_ALL, 0.0f}};
    edge_state *state = walk->state;
    const narrow_front *front = walk->task->front;
    bool by_edges = state->rules->by_edges, fits;
    state->open.count = 0;
    if (front && front->count > 0)
        fits = add_tasks(state->context, &state->open, front->items, front->count);
    else
        fits = add_tasks(state->context, &state->open, by_edges ? EDGES : PAIRS, by_edges ? 3 : 2);
    return fits ? CAROM_OK : edge_out_of_memory(state->context);
}

/* Moves the open tasks of a stage to LIVESET. */
static carom_status take_stage(edge_state *state, edge_stage stage)
{
    size_t kept = 0;
    state->current.count = state->next.count = 0;
    if (!base_array_reserve(state->context, &state->current, state->open.count))
        return edge_out_of_memory(state->context);
    for (size_t i = 0; i < state->open.count; i++)
        if (stage_of(state->open.items[i]) == stage)
            state->current.items[state->current.count++] = state->open.items[i];
        else
            state->open.items[kept++] = state->open.items[i];
    state->open.count = kept;
    return CAROM_OK;
}

/* Closer than the clearance? The thesis does not treat this: a plain traversal of the trees decides. */
static carom_status check_clearance(edge_walk *walk, bool *violated)
{
    edge_state *state = walk->state;
    const query_task *task = walk->task;
    if (!(walk->search->clearance > 0.0) || *violated)
        return CAROM_OK;
    narrow_front front = {0}; /* empty: from the roots */
    bool resumed = state->current.items[0].bound < 0.0f;
    if (!base_array_reserve(task->context, &front, state->current.count))
        return edge_out_of_memory(task->context);
    for (size_t i = 0; resumed && i < state->current.count; i++)
        front.items[front.count++] =
            (narrow_part_pair){state->current.items[i].part_a, state->current.items[i].part_b, 0.0f};
    tree_task trees = {.context = task->context,
                       .a = &walk->body[0].placed,
                       .b = &walk->body[1].placed,
                       .defect = task->defect,
                       .scratch = &state->scratch,
                       .front = &front,
                       .budget = &state->lanes[0].budget,
                       .counters = task->counters};
    carom_status status = tree_within(&trees, walk->search->clearance, true, violated);
    for (size_t i = 0; i < front.count; i++)
        front.items[i].bound = OF_CLEARANCE;
    if (status == CAROM_UNKNOWN && !add_tasks(state->context, &state->open, front.items, front.count))
        status = edge_out_of_memory(state->context);
    base_array_free(task->context, &front);
    return status;
}

static carom_status run_stage(edge_walk *walk, edge_stage stage, bool *violated)
{
    BASE_TRY(take_stage(walk->state, stage));
    if (walk->state->current.count == 0)
        return CAROM_OK;
    switch (stage)
    {
    case STAGE_PAIRS:
        walk->run_task = edge_run_pair;
        tree_relate(&walk->body[0].placed, &walk->body[1].placed, &walk->frame);
        return run_levels(walk, violated);
    case STAGE_EDGES_OF_A:
    case STAGE_EDGES_OF_B:
        walk->run_task = edge_run_set;
        BASE_TRY(edge_begin_set(walk, stage == STAGE_EDGES_OF_B));
        return run_levels(walk, violated);
    default: return check_clearance(walk, violated);
    }
}

/* ---- the search ---- */

/* A work budget is spent on one worker, so that the search always stops at the same point; a deadline applies to each.
 */
static carom_status begin_lanes(edge_walk *walk)
{
    edge_state *state = walk->state;
    walk->shared = state->rules->shared && walk->task->budget->work_left == UINT64_MAX;
    if (!state->lanes)
    {
        uint32_t count = state->rules->shared ? base_worker_count(state->context) : 1;
        state->lanes = base_allocate(state->context, count, sizeof *state->lanes, BASE_CACHE_LINE);
        if (!state->lanes)
            return edge_out_of_memory(state->context);
        memset(state->lanes, 0, count * sizeof *state->lanes);
        state->lane_count = count;
    }
    for (uint32_t i = 0; i < state->lane_count; i++)
    {
        edge_lane *lane = &state->lanes[i];
        lane->status = CAROM_OK;
        lane->budget = *walk->task->budget;
        lane->children.count = lane->found.count = lane->proposed.pairs.count = 0;
    }
    return CAROM_OK;
}

/* Adds what the lanes counted. */
static void end_lanes(edge_walk *walk)
{
    edge_state *state = walk->state;
    for (uint32_t i = 0; i < state->lane_count; i++)
    {
        edge_lane *lane = &state->lanes[i];
        lane->counters.exact_fallbacks = lane->counts.exact_fallbacks;
        query_count(walk->task->counters, &lane->counters);
        state->stats.tasks += lane->tasks, state->stats.edge_tests += lane->edge_tests;
        state->stats.busy_seconds += lane->busy_seconds;
        lane->counters = (carom_counters){0}, lane->counts = (narrow_counts){0};
        lane->tasks = lane->edge_tests = 0, lane->busy_seconds = 0.0;
        walk->task->budget->exhausted |= lane->budget.exhausted;
    }
    if (!walk->shared)
        *walk->task->budget = state->lanes[0].budget;
}

static carom_status leave_front(const edge_walk *walk, carom_status status)
{
    narrow_front *front = walk->task->front;
    if (!front || carom_failed(status))
        return status;
    front->count = 0;
    if (status != CAROM_UNKNOWN)
        return status;
    const edge_queue *open = &walk->state->open;
    if (!base_array_reserve(walk->task->context, front, open->count))
        return edge_out_of_memory(walk->task->context);
    memcpy(front->items, open->items, open->count * sizeof *open->items);
    front->count = open->count;
    return status;
}

static edge_body place_body(const void *asset, const mesh_placed *placed)
{
    const edge_asset *edges = asset;
    return (edge_body){edges, {placed->mesh, edges->tree, placed->pose}};
}

carom_status edge_collide(void *state, const query_task *task, const narrow_search *search, bool *violated)
{
    edge_walk walk = {.state = state, .task = task, .search = search};
    if (task->a.mesh->triangle_count == 0 || task->b.mesh->triangle_count == 0)
        return CAROM_OK;
    walk.body[0] = place_body(task->asset_a, &task->a), walk.body[1] = place_body(task->asset_b, &task->b);
    BASE_TRY(begin_lanes(&walk));
    BASE_TRY(list_open(&walk));
    carom_status status = CAROM_OK;
    for (int stage = 0; stage < STAGE_COUNT && status == CAROM_OK; stage++)
        status = run_stage(&walk, (edge_stage)stage, violated);
    end_lanes(&walk);
    return leave_front(&walk, status);
}
