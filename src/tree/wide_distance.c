/* Distance over wide trees: everything around the traversal. It leaves candidates whose bounds overlap; here the
 * canonical distance in double decides between them. */
#include "tree/binary_walk.h"
#include "tree/wide.h"

/* World length to normalised units of a, rounded up so far that no pair as near is lost. */
static float reach_for(const wide_pair *pair, double distance)
{
    double scaled = distance * pair->tree_a->scale * (1.0 + 0x1p-40);
    return math_float_up(scaled) * (1.0f + 0x1p-20f) + 2.0f * pair->b_to_a.pad;
}

static void consider(const tree_task *task, uint32_t triangle_a, uint32_t triangle_b, narrow_closest *closest)
{
    narrow_counts counts = {0};
    narrow_triangle a = tree_world_triangle(task->a, triangle_a), b = tree_world_triangle(task->b, triangle_b);
    narrow_offer(closest, &a, &b, (carom_pair){triangle_a, triangle_b, 0}, &counts);
    task->counters->exact_fallbacks += counts.exact_fallbacks;
}

static bool is_within_limit(wide_nearest *search, uint32_t triangle_a, uint32_t triangle_b)
{
    const tree_task *task = search->pair->task;
    narrow_counts counts = {0};
    if (narrow_is_screened(&search->pair->clearance.beyond, (carom_pair){triangle_a, triangle_b, 0}))
        return false;
    narrow_triangle a = tree_world_triangle(task->a, triangle_a), b = tree_world_triangle(task->b, triangle_b);
    bool within = narrow_is_within(&search->pair->clearance, &a, &b, (carom_pair){triangle_a, triangle_b, 0}, &counts);
    task->counters->exact_fallbacks += counts.exact_fallbacks;
    return within;
}

/* Offers a pair, and learns from it how near is near enough. */
static void measure_pair(wide_nearest *search, uint32_t triangle_a, uint32_t triangle_b)
{
    narrow_closest *closest = search->closest;
    if (narrow_is_screened(closest, (carom_pair){triangle_a, triangle_b, 0}))
        return;
    double known = closest->distance;
    consider(search->pair->task, triangle_a, triangle_b, closest);
    if (closest->distance < known)
        search->best = fminf(search->best, reach_for(search->pair, closest->distance));
}

bool wide_nearest_found(wide_nearest *search, uint32_t triangle_a, uint32_t triangle_b)
{
    search->pair->task->counters->filter_undecided++;
    if (!search->closest)
        return !(search->stopped = is_within_limit(search, triangle_a, triangle_b));
    if (((uint64_t)triangle_a << 32 | triangle_b) != search->seed)
        measure_pair(search, triangle_a, triangle_b);
    return !(search->stopped = search->closest->distance == 0.0);
}

static void settle(const tree_task *task, narrow_closest *closest)
{
    narrow_counts counts = {0};
    narrow_closest_settle(closest, &counts);
    task->counters->exact_fallbacks += counts.exact_fallbacks;
}

/* Candidates are two words each: ids, and the bits of a lower bound. */
static float low_of(const uint64_t *candidate)
{
    uint32_t bits = (uint32_t)candidate[1];
    float low;
    memcpy(&low, &bits, sizeof low);
    return low;
}

/* The pair with the lowest bound is probably the closest: the others are then farther away or tie with it. */
static size_t find_lowest(const uint64_t *candidates, size_t count)
{
    size_t lowest = 0;
    for (size_t i = 2; i < count; i += 2)
        lowest = low_of(candidates + i) < low_of(candidates + lowest) ? i : lowest;
    return lowest;
}

static void decide_pair(wide_nearest *search, size_t at)
{
    const uint64_t *candidate = search->pair->task->scratch->words.items + at;
    if (!(low_of(candidate) <= search->best) || candidate[0] == search->seed)
        return;
    narrow_closest_sharpen(search->closest);
    measure_pair(search, (uint32_t)(candidate[0] >> 32), (uint32_t)candidate[0]);
}

void wide_nearest_decide(wide_nearest *search)
{
    const tree_task *task = search->pair->task;
    narrow_closest *closest = search->closest;
    size_t count = closest ? task->scratch->words.count : 0, first = find_lowest(task->scratch->words.items, count);
    if (count > 0)
        decide_pair(search, first);
    for (size_t i = 0; i < count; i += 2)
        if (i != first)
            decide_pair(search, i);
    task->scratch->words.count = 0;
}

static bool keep_smallest(uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting, void *user)
{
    uint64_t *smallest = user, ids = (uint64_t)triangle_a << 32 | triangle_b;
    (void)meeting;
    *smallest = ids < *smallest ? ids : *smallest;
    return true;
}

static uint64_t ids_of(const narrow_closest *closest)
{
    return (uint64_t)closest->triangle_a << 32 | closest->triangle_b;
}

/* The smallest ids among meeting pairs, of which one is known. */
static carom_status closest_of_meeting(const tree_task *task, narrow_closest *closest)
{
    uint64_t smallest = ids_of(closest);
    narrow_search options = {.on_pair = keep_smallest, .user = &smallest, .smallest = &smallest};
    bool violated = true;
    carom_status status = wide_collide(task, &options, &violated);
    if (smallest != ids_of(closest))
        consider(task, (uint32_t)(smallest >> 32), (uint32_t)smallest, closest);
    settle(task, closest);
    closest->lower_bound = 0.0;
    tree_memory_remember(task, (tree_pair){closest->triangle_a, closest->triangle_b});
    return status;
}

/* A lower bound of all pairs that are still open, in world units. */
static double open_bound(const wide_nearest *search, double found)
{
    const tree_scratch *scratch = search->pair->task->scratch;
    float low = INFINITY;
    for (size_t i = 0; i < scratch->stack.count; i++)
        low = scratch->stack.items[i].key < low ? scratch->stack.items[i].key : low;
    double bound = (double)low / search->pair->tree_a->scale * (1.0 - 0x1p-20);
    return bound < found ? bound : found;
}

/* The direction between the points of a pair that is known already. */
static void start_direction(wide_nearest *search, const narrow_closest *closest)
{
    const double *r = search->pair->task->a->pose->rotation;
    carom_vec3 d = vec3_sub(closest->point_b, closest->point_a);
    double length = vec3_length(d); /* not the distance: rounded points of a near pair may be farther apart */
    if (!(length > 1e-140) || !(length < 1e140))
        return;
    d = vec3_scale(d, (1.0 - 0x1p-20) / length);
    search->along[0] = (float)(r[0] * d.x + r[3] * d.y + r[6] * d.z);
    search->along[1] = (float)(r[1] * d.x + r[4] * d.y + r[7] * d.z);
    search->along[2] = (float)(r[2] * d.x + r[5] * d.y + r[8] * d.z);
}

/* What the budget left open, nearest first. */
static carom_status leave_front(const tree_task *task, carom_status status)
{
    narrow_front *front = task->front;
    if (!front)
        return CAROM_OK;
    front->count = 0;
    size_t open = status == CAROM_UNKNOWN ? task->scratch->stack.count : 0;
    if (!base_array_reserve(task->context, front, open))
        return base_fail(task->context, CAROM_OUT_OF_MEMORY, "distance: out of memory");
    while (open-- > 0)
    {
        const tree_stack_entry *entry = &task->scratch->stack.items[open];
        front->items[front->count++] = (narrow_part_pair){entry->node_a, entry->node_b, entry->key};
    }
    return CAROM_OK;
}

/* Two meshes of one triangle: nothing to search. */
static carom_status measure_only_pair(const tree_task *task, narrow_closest *closest)
{
    closest->lower_bound = 0.0;
    if (!base_budget_spend(task->budget, 1))
        return CAROM_UNKNOWN;
    task->counters->triangles_tested++;
    consider(task, 0, 0, closest);
    settle(task, closest);
    closest->lower_bound = narrow_closest_bound(closest);
    return CAROM_OK;
}

carom_status wide_distance(const tree_task *task, narrow_closest *closest)
{
    closest->lower_bound = closest->distance;
    if (task->a->mesh->triangle_count == 0 || task->b->mesh->triangle_count == 0)
        return CAROM_OK;
    if (task->a->mesh->triangle_count == 1 && task->b->mesh->triangle_count == 1 && !task->front)
        return measure_only_pair(task, closest);
    wide_pair pair;
    if (!wide_pair_begin(&pair, task))
        return binary_distance(task, closest);
    wide_nearest search = {.pair = &pair, .closest = closest, .seed = UINT64_MAX, .best = INFINITY};
    tree_pair last;
    bool resumed = task->front && task->front->count > 0; /* then `closest` holds what is known */
    if (!resumed && tree_memory_last(task, &last) && base_budget_spend(task->budget, 1))
    {
        task->counters->triangles_tested++;
        consider(task, last.a, last.b, closest);
        search.seed = (uint64_t)last.a << 32 | last.b;
        start_direction(&search, closest);
    }
    if (closest->distance < INFINITY)
        search.best = reach_for(&pair, closest->distance);
    if (closest->distance == 0.0)
        return closest_of_meeting(task, closest);

    carom_status status = BASE_PICK_ISA(task->context, wide_distance_walk)(&search);
    if (status == CAROM_OUT_OF_MEMORY)
        return base_fail(task->context, status, "distance: out of memory");
    if (search.stopped)
    {
        if (task->front)
            task->front->count = 0; /* from here on another traversal, from the roots */
        return closest_of_meeting(task, closest);
    }
    wide_nearest_decide(&search);
    settle(task, closest);
    closest->lower_bound =
        status == CAROM_UNKNOWN ? open_bound(&search, narrow_closest_bound(closest)) : narrow_closest_bound(closest);
    BASE_TRY(leave_front(task, status));
    if (closest->triangle_a != CAROM_NO_TRIANGLE)
        tree_memory_remember(task, (tree_pair){closest->triangle_a, closest->triangle_b});
    return status;
}

carom_status wide_within(const tree_task *task, double limit, bool strictly, bool *within)
{
    *within = false;
    if (task->a->mesh->triangle_count == 0 || task->b->mesh->triangle_count == 0)
        return CAROM_OK;
    wide_pair pair;
    if (!wide_pair_begin(&pair, task))
        return binary_within(task, limit, strictly, within);
    float reach = reach_for(&pair, limit);
    wide_nearest search = {.pair = &pair, .best = reach, .doubtful = reach};
    narrow_threshold_begin(&pair.clearance, limit, strictly);
    carom_status status = BASE_PICK_ISA(task->context, wide_distance_walk)(&search);
    if (status == CAROM_OUT_OF_MEMORY)
        return base_fail(task->context, status, "within: out of memory");
    *within = search.stopped;
    return search.stopped ? CAROM_OK : status;
}
