/* What the thesis's programs as printed say, compared with the exact answer. */
#include "engine/stream/stream.h"

typedef struct exact_list
{
    carom_context *context;
    edge_proposed *pairs;
    bool full; /* no memory for another pair */
} exact_list;

static bool note_pair(uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting, void *user)
{
    exact_list *list = user;
    (void)meeting;
    if (!base_array_reserve(list->context, &list->pairs->pairs, 1))
        return list->full = true, false;
    list->pairs->pairs.items[list->pairs->pairs.count++] = (uint64_t)triangle_a << 32 | triangle_b;
    return true;
}

/* All pairs that meet, sorted. */
static carom_status find_exact(stream_walk *walk)
{
    stream_state *state = walk->state;
    exact_list list = {state->context, &state->exact_pairs, false};
    narrow_search all = {.every_pair = true, .on_pair = note_pair, .user = &list};
    carom_counters counters = {0};
    query_task task = *walk->task;
    bool violated = false;
    task.counters = &counters, task.front = NULL, task.memory = NULL;
    state->exact_pairs.pairs.count = 0;
    BASE_TRY(query_tree_method.collide(state, &task, &all, &violated));
    if (list.full || !edge_sort_proposed(state->context, &state->exact_pairs) ||
        !edge_sort_proposed(state->context, &state->printed_pairs))
        return stream_out_of_memory(state->context);
    return CAROM_OK;
}

/* How many of the first, sorted, are not among the others. */
static uint64_t count_lacking(const edge_proposed *some, const edge_proposed *others)
{
    uint64_t lacking = 0;
    size_t at = 0;
    for (size_t i = 0; i < some->pairs.count; i++)
    {
        while (at < others->pairs.count && others->pairs.items[at] < some->pairs.items[i])
            at++;
        lacking += at == others->pairs.count || others->pairs.items[at] != some->pairs.items[i];
    }
    return lacking;
}

/* The longest diagonal of what two boxes have in common; 0: nothing. */
static double common_size(const stream_body *a, const stream_body *b)
{
    carom_aabb one = math_world_box(a->placed->pose, &a->placed->mesh->info.bounds);
    carom_aabb other = math_world_box(b->placed->pose, &b->placed->mesh->info.bounds);
    carom_vec3 size = vec3_sub(vec3_min(one.max, other.max), vec3_max(one.min, other.min));
    return vec3_length(vec3_max(size, vec3(0.0, 0.0, 0.0)));
}

carom_status stream_judge_printed(stream_walk *walk)
{
    stream_state *state = walk->state;
    carom_engine_stats *stats = &state->stats;
    BASE_TRY(find_exact(walk));
    size_t meeting = state->exact_pairs.pairs.count, said = state->printed_pairs.pairs.count;
    stats->printed_searches++;
    stats->printed_missed += meeting > 0 && said == 0, stats->printed_wrong += meeting == 0 && said > 0;
    if (walk->search->every_pair)
    {
        stats->printed_pairs += said;
        stats->printed_pairs_missed += count_lacking(&state->exact_pairs, &state->printed_pairs);
        stats->printed_pairs_wrong += count_lacking(&state->printed_pairs, &state->exact_pairs);
    }
    carom_counters *counters = walk->task->counters;
    counters->sampled_size = fmax(counters->sampled_size, common_size(&walk->body[0], &walk->body[1]));
    return CAROM_OK;
}
