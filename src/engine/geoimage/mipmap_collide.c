/* One pair of bodies: candidates from the batch, or from a search of its own, decided exactly. What has a budget, and
 * bodies that are no grids, are left to the default trees. */
#include "engine/geoimage/mipmap.h"

static carom_status search_alone(mipmap_state *state, frontier_decider *decider)
{
    const query_task *task = decider->task;
    state->pairs.count = state->places.count = 0;
    if (!base_array_reserve(state->context, &state->pairs, 1) ||
        !base_array_reserve(state->context, &state->places, FRONTIER_PLACE))
        return mipmap_out_of_memory(state->context);
    state->pairs.items[0] = (mipmap_pair){task->asset_a, task->asset_b, task->a, task->b};
    if (mipmap_place_pair(&state->pairs.items[0], state->places.items) == FRONTIER_FAR)
        return CAROM_OK;
    state->pairs.count = 1, state->places.count = FRONTIER_PLACE;
    BASE_TRY(mipmap_search(state, false));
    task->counters->boxes_tested += state->job.boxes, task->counters->triangles_tested += state->job.triangles;
    return frontier_decide_all(decider, state->sorted.keys.items, state->sorted.keys.count);
}

/* ---- what is left to the trees ---- */

static bool is_for_trees(const query_task *task)
{
    const mipmap_asset *a = task->asset_a, *b = task->asset_b;
    float place[FRONTIER_PLACE];
    mipmap_pair pair = {a, b, task->a, task->b};
    if (!mipmap_is_searched(a) || !mipmap_is_searched(b))
        return true;
    return !base_budget_is_unlimited(task->budget) || (task->front && task->front->count > 0) ||
           mipmap_place_pair(&pair, place) == FRONTIER_UNCERTAIN;
}

/* No pair meets, or the clearance would be violated already. */
static bool stop(uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting, void *user)
{
    (void)triangle_a, (void)triangle_b, (void)meeting, (void)user;
    return false;
}

/* Closer than the clearance? The trees decide. */
static carom_status check_clearance(mipmap_state *state, frontier_decider *decider)
{
    narrow_search search = {.clearance = decider->search->clearance, .on_pair = stop};
    carom_status status = query_tree_method.collide(state, decider->task, &search, &decider->violated);
    return status == CAROM_STOPPED ? CAROM_OK : status;
}

carom_status mipmap_collide(void *object, const query_task *task, const narrow_search *search, bool *violated)
{
    mipmap_state *state = object;
    frontier_decider decider = {
        .task = task, .search = search, .violated = *violated, .seconds = &state->exact_seconds};
    const mipmap_asset *a = task->asset_a, *b = task->asset_b;
    if (task->a.mesh->triangle_count == 0 || task->b.mesh->triangle_count == 0)
        return CAROM_OK;
    if (is_for_trees(task))
    {
        state->pairs_by_trees++;
        return query_tree_method.collide(state, task, search, violated);
    }
    carom_status status = frontier_decide_batch(&decider, state->shared_batch, a->serial, b->serial);
    if (status == CAROM_UNKNOWN)
        status = search_alone(state, &decider);
    if (status == CAROM_OK && search->clearance > 0.0 && !decider.violated)
        status = check_clearance(state, &decider);
    task->counters->exact_fallbacks += decider.counts.exact_fallbacks;
    *violated = decider.violated;
    return status;
}
