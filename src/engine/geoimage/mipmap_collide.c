/* One pair of bodies: candidates, decided exactly. What has a budget, and
 * bodies that are no grids, are left to the default trees. */
#include "engine/geoimage/mipmap.h"

/* Is it left to the trees? */
static bool is_for_trees(const query_task *task)
{
    batch_pair pair = batch_pair_of(task);
    float place[BATCH_PLACE];
    if (pair.a->levels == 0 || pair.b->levels == 0)
        return true;
    return !base_budget_is_unlimited(task->budget) || (task->front && task->front->count > 0) ||
           batch_place_pair(&pair, place) == BATCH_UNCERTAIN;
}

/* No pair meets, or the clearance would be violated already. */
static bool stop(uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting, void *user)
{
    (void)triangle_a, (void)triangle_b, (void)meeting, (void)user;
    return false;
}

/* Closer than the clearance? The trees decide. */
static carom_status check_clearance(mipmap_state *state, batch_decider *decider)
{
    narrow_search search = {.clearance = decider->search->clearance, .on_pair = stop};
    carom_status status = query_tree_method.collide(state, decider->task, &search, &decider->violated);
    return status == CAROM_STOPPED ? CAROM_OK : status;
}

carom_status mipmap_collide(void *object, const query_task *task, const narrow_search *search, bool *violated)
{
    mipmap_state *state = object;
    batch_decider decider = {
        .task = task, .search = search, .violated = *violated, .seconds = &state->batch.exact_seconds};
    if (task->a.mesh->triangle_count == 0 || task->b.mesh->triangle_count == 0)
        return CAROM_OK;
    if (is_for_trees(task))
    {
        state->pairs_by_trees++;
        return query_tree_method.collide(state, task, search, violated);
    }
    carom_status status = batch_decide_pair(&decider, &state->batch);
    if (status == CAROM_OK && search->clearance > 0.0 && !decider.violated)
        status = check_clearance(state, &decider);
    task->counters->exact_fallbacks += decider.counts.exact_fallbacks;
    *violated = decider.violated;
    return status;
}
