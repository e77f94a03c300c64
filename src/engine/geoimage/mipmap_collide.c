/* One pair of bodies: candidates from the batch, or from a search of its own, decided exactly. What has a budget, and
 * bodies that are no grids, are left to the default trees. */
#include "engine/geoimage/mipmap.h"

typedef struct mipmap_walk
{
    mipmap_state *state;
    const query_task *task;
    const narrow_search *search;
    bool violated;
    bool reported; /* a pair from an incomplete result was */
    uint64_t reported_key;
    narrow_counts counts;
} mipmap_walk;

/* CAROM_STOPPED: the caller has enough. */
static carom_status decide(mipmap_walk *walk, uint64_t key)
{
    uint32_t id_a = (uint32_t)(key >> 32), id_b = (uint32_t)key;
    if (walk->reported && key == walk->reported_key)
        return CAROM_OK;
    narrow_triangle a = tree_world_triangle(&walk->task->a, id_a), b = tree_world_triangle(&walk->task->b, id_b);
    uint32_t meeting = narrow_meet(&a, &b, &walk->counts);
    if (meeting == CAROM_MEET_NONE)
        return CAROM_OK;
    walk->violated = true;
    return walk->search->on_pair(id_a, id_b, meeting, walk->search->user) ? CAROM_OK : CAROM_STOPPED;
}

static carom_status decide_all(mipmap_walk *walk, const uint64_t *keys, size_t count)
{
    double start = base_now();
    carom_status status = CAROM_OK;
    for (size_t i = 0; i < count && status == CAROM_OK; i++)
        status = decide(walk, keys[i]);
    walk->state->exact_seconds += base_now() - start;
    return status;
}

/* CAROM_UNKNOWN: there is nothing in the batch, or it was not enough. */
static carom_status take_from_batch(mipmap_walk *walk)
{
    const mipmap_asset *a = walk->task->asset_a, *b = walk->task->asset_b;
    const frontier_result *result = frontier_find_result(walk->state->shared_batch, walk->task, a->serial, b->serial);
    if (!result || (!result->complete && walk->search->every_pair))
        return CAROM_UNKNOWN;
    const uint64_t *keys = walk->state->shared_batch->keys.items + result->first;
    walk->task->counters->boxes_tested += result->boxes;
    walk->task->counters->triangles_tested += result->triangles;
    carom_status status = decide_all(walk, keys, result->count);
    if (status != CAROM_OK || result->complete)
        return status;
    walk->reported = result->count > 0, walk->reported_key = result->count > 0 ? keys[0] : 0;
    return CAROM_UNKNOWN;
}

static carom_status search_alone(mipmap_walk *walk)
{
    mipmap_state *state = walk->state;
    const query_task *task = walk->task;
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
    return decide_all(walk, state->sorted.keys.items, state->sorted.keys.count);
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
static carom_status check_clearance(mipmap_walk *walk)
{
    narrow_search search = {.clearance = walk->search->clearance, .on_pair = stop};
    carom_status status = query_tree_method.collide(walk->state, walk->task, &search, &walk->violated);
    return status == CAROM_STOPPED ? CAROM_OK : status;
}

carom_status mipmap_collide(void *object, const query_task *task, const narrow_search *search, bool *violated)
{
    mipmap_state *state = object;
    mipmap_walk walk = {.state = state, .task = task, .search = search, .violated = *violated};
    if (task->a.mesh->triangle_count == 0 || task->b.mesh->triangle_count == 0)
        return CAROM_OK;
    if (is_for_trees(task))
    {
        state->pairs_by_trees++;
        return query_tree_method.collide(state, task, search, violated);
    }
    carom_status status = take_from_batch(&walk);
    if (status == CAROM_UNKNOWN)
        status = search_alone(&walk);
    if (status == CAROM_OK && search->clearance > 0.0 && !walk.violated)
        status = check_clearance(&walk);
    task->counters->exact_fallbacks += walk.counts.exact_fallbacks;
    *violated = walk.violated;
    return status;
}
