/* The searches: all triangles (3.3), or those below the boxes of a tree that edges meet (3.5). */
#include "engine/stream/stream.h"

static stream_set all_edges(const stream_state *state) { return (stream_set){NULL, (uint32_t)state->edges.count}; }

/* ---- triangles ---- */

static carom_status report_pair(stream_walk *walk, uint64_t pair)
{
    edge_judge judge = {walk->body[0].placed, walk->body[1].placed, walk->search->need_meeting};
    walk->task->counters->triangles_tested++;
    uint32_t meeting = edge_meet(&judge, pair, &walk->counts);
    if (meeting == CAROM_MEET_NONE)
        return CAROM_OK;
    walk->violated = true;
    bool go_on = walk->search->on_pair((uint32_t)(pair >> 32), (uint32_t)pair, meeting, walk->search->user);
    return go_on ? CAROM_OK : CAROM_STOPPED;
}

static carom_status note_printed(stream_walk *walk)
{
    stream_state *state = walk->state;
    edge_proposed *noted = &state->printed_pairs;
    size_t count = state->proposed.pairs.count;
    if (!base_array_reserve(state->context, &noted->pairs, count))
        return stream_out_of_memory(state->context);
    memcpy(noted->pairs.items + noted->pairs.count, state->proposed.pairs.items, count * sizeof *noted->pairs.items);
    noted->pairs.count += count;
    return CAROM_OK;
}

/* The exact narrow phase decides what the passes leave. The printed code stops at the first that it leaves. */
static carom_status certify(stream_walk *walk)
{
    stream_state *state = walk->state;
    if (!edge_sort_proposed(state->context, &state->proposed))
        return stream_out_of_memory(state->context);
    double start = base_now();
    carom_status status = state->printed ? note_printed(walk) : CAROM_OK;
    for (size_t i = 0; i < state->proposed.pairs.count && status == CAROM_OK; i++)
        status = report_pair(walk, state->proposed.pairs.items[i]);
    state->stats.exact_seconds += base_now() - start;
    bool enough = state->printed && !walk->search->every_pair && state->proposed.pairs.count > 0;
    return status == CAROM_OK && enough ? CAROM_STOPPED : status;
}

/* The pairs that an edge of the stream and a triangle stand for; a triangle of the stream is one of a pair. */
static bool propose(stream_walk *walk, uint32_t item, uint32_t triangle)
{
    stream_state *state = walk->state;
    if (state->method != STREAM_TRIANGLE_PAIRS)
        return edge_propose_users(state->context, &state->proposed, &walk->body[walk->edges_of].asset->list,
                                  walk->edges_of, edge_with_triangle(item, triangle));
    if (!base_array_reserve(state->context, &state->proposed.pairs, 1))
        return false;
    state->proposed.pairs.items[state->proposed.pairs.count++] = (uint64_t)item << 32 | triangle;
    return true;
}

static stream_kind triangles_kind(const stream_state *state)
{
    return state->printed                           ? STREAM_PRINTED_TRIANGLES
           : state->method == STREAM_TRIANGLE_PAIRS ? STREAM_PAIRS
                                                    : STREAM_TRIANGLES;
}

static stream_kind boxes_kind(const stream_state *state)
{
    return state->printed                           ? STREAM_PRINTED_BOXES
           : state->method == STREAM_TRIANGLE_PAIRS ? STREAM_PAIR_BOXES
                                                    : STREAM_BOXES;
}

static bool keeps_lists(const stream_state *state)
{
    return state->method == STREAM_SCD2 || state->method == STREAM_TRIANGLE_PAIRS;
}

/* Some triangles of the other body, up to a batch, against a set of edges. */
static carom_status test_triangles(stream_walk *walk, const uint32_t *triangles, uint32_t count, stream_set set)
{
    stream_state *state = walk->state;
    stream_batch batch = {.kind = triangles_kind(state),
                          .count = count,
                          .want_hits = true,
                          .depth_scale = (float)walk->frame.depth_scale};
    for (uint32_t i = 0; i < count; i++)
        batch.records[i] = stream_place_triangle(walk, triangles[i]);
    BASE_TRY(stream_run(walk, &batch, set));
    state->proposed.pairs.count = 0;
    for (size_t i = 0; i < state->hits.count; i++)
        for (uint32_t records = state->hits.items[i].records; records; records &= records - 1)
        {
            if (!propose(walk, state->hits.items[i].edge, triangles[__builtin_ctz(records)]))
                return stream_out_of_memory(state->context);
        }
    return state->hits.count > 0 ? certify(walk) : CAROM_OK;
}

/* ---- scd0 ---- */

static carom_status search_all(stream_walk *walk)
{
    uint32_t count = walk->body[!walk->edges_of].placed->mesh->triangle_count, triangles[STREAM_BATCH];
    for (uint32_t first = 0; first < count; first += STREAM_BATCH)
    {
        uint32_t part = count - first < STREAM_BATCH ? count - first : STREAM_BATCH;
        for (uint32_t i = 0; i < part; i++)
            triangles[i] = first + i;
        STREAM_GO_ON(test_triangles(walk, triangles, part, all_edges(walk->state)));
    }
    return CAROM_OK;
}

/* ---- scd1, scd2 ---- */

static carom_status push(stream_state *state, uint32_t node, uint32_t count)
{
    if (!base_array_reserve(state->context, &state->open, 1))
        return stream_out_of_memory(state->context);
    state->open.items[state->open.count++] = (stream_open){node, count, state->lists.count};
    return CAROM_OK;
}

/* Opens a node later: with the edges that met its box, if those are kept. */
static carom_status push_met(stream_state *state, uint32_t node, uint32_t record)
{
    uint32_t count = (uint32_t)state->counts[record];
    BASE_TRY(push(state, node, count));
    if (!keeps_lists(state))
        return CAROM_OK;
    if (!base_array_reserve(state->context, &state->lists, count))
        return stream_out_of_memory(state->context);
    for (size_t i = 0; i < state->hits.count; i++)
        if (state->hits.items[i].records >> record & 1)
            state->lists.items[state->lists.count++] = state->hits.items[i].edge;
    return CAROM_OK;
}

/* Tests the boxes of nodes; those that are met wait, the one with the most edges on top. */
static carom_status test_boxes(stream_walk *walk, uint32_t first, uint32_t count, stream_set set)
{
    stream_state *state = walk->state;
    stream_batch batch = {.kind = boxes_kind(state),
                          .count = count,
                          .want_hits = keeps_lists(state),
                          .depth_scale = (float)walk->frame.depth_scale};
    for (uint32_t i = 0; i < count; i++)
        batch.records[i] = stream_place_box(walk, first + i);
    BASE_TRY(stream_run(walk, &batch, set));
    bool swapped = count == 2 && state->counts[0] > state->counts[1];
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t record = swapped ? 1 - i : i;
        if (state->counts[record] > 0)
            BASE_TRY(push_met(state, first + record, record));
        else if (state->printed && state->method == STREAM_SCD2)
            walk->given_up = true; /* as printed: a box that no edge meets ends it */
    }
    return CAROM_OK;
}

/* The edges of a node: few of them are packed, many are tested with all the others. */
static stream_set edges_of(const stream_state *state, const stream_open *node)
{
    if (!keeps_lists(state) || node->count > state->edges.count / 2)
        return all_edges(state);
    return (stream_set){state->lists.items + node->first, node->count};
}

static carom_status open_node(stream_walk *walk, stream_open open)
{
    stream_state *state = walk->state;
    const carom_tree *tree = walk->body[!walk->edges_of].asset->tree;
    tree_node node = tree->nodes[open.node];
    state->lists.count = open.first + (keeps_lists(state) ? open.count : 0); /* what came later is done */
    if (node.count == 0)
        return test_boxes(walk, node.first, 2, edges_of(state, &open));
    for (uint32_t first = 0; first < node.count; first += STREAM_BATCH)
    {
        uint32_t part = node.count - first < STREAM_BATCH ? node.count - first : STREAM_BATCH;
        STREAM_GO_ON(test_triangles(walk, tree->order + node.first + first, part, edges_of(state, &open)));
    }
    return CAROM_OK;
}

static carom_status search_tree(stream_walk *walk)
{
    stream_state *state = walk->state;
    state->open.count = state->lists.count = 0;
    walk->given_up = false;
    BASE_TRY(test_boxes(walk, 0, 1, all_edges(state)));
    bool missed = state->open.count == 0;
    while (state->open.count > 0 && !(state->printed && walk->given_up))
        STREAM_GO_ON(open_node(walk, state->open.items[--state->open.count]));
    walk->given_up = missed; /* the root: then the printed code does not exchange the bodies */
    return CAROM_OK;
}

/* ---- both directions ---- */

static carom_status search_edges(stream_walk *walk, int edges_of_body)
{
    stream_state *state = walk->state;
    BASE_TRY(stream_place_edges(walk, edges_of_body));
    carom_status status = state->method == STREAM_SCD0 ? search_all(walk) : search_tree(walk);
    if (state->full.squares) /* also if the device is lost: for the memory */
        stream_textures_destroy(&state->pass, &state->full);
    return status;
}

static carom_status search(stream_walk *walk)
{
    BASE_TRY(stream_place(walk));
    STREAM_GO_ON(search_edges(walk, 0));
    if (walk->state->printed && walk->given_up && walk->state->method == STREAM_SCD2)
        return CAROM_OK;
    if (walk->state->method == STREAM_TRIANGLE_PAIRS)
        return CAROM_OK; /* all pairs were looked at */
    return search_edges(walk, 1);
}

/* No pair meets, or the clearance would be violated already. */
static bool stop(uint32_t triangle_a, uint32_t triangle_b, uint32_t meeting, void *user)
{
    (void)triangle_a, (void)triangle_b, (void)meeting, (void)user;
    return false;
}

/* Closer than the clearance? The thesis does not treat this: trees decide. */
static carom_status check_clearance(stream_walk *walk)
{
    narrow_search close = {.clearance = walk->search->clearance, .on_pair = stop};
    carom_status status = query_tree_method.collide(walk->state, walk->task, &close, &walk->violated);
    return status == CAROM_STOPPED ? CAROM_OK : status;
}

/* A pass can't be cut short, so a search within a budget is left to the trees, and so is what it leaves. */
static bool is_for_trees(const query_task *task)
{
    return !base_budget_is_unlimited(task->budget) || (task->front && task->front->count > 0);
}

static stream_body place_body(const void *asset, const mesh_placed *placed)
{
    return (stream_body){asset, placed, NULL};
}

carom_status stream_collide(void *object, const query_task *task, const narrow_search *search_for, bool *violated)
{
    stream_state *state = object;
    stream_walk walk = {.state = state, .task = task, .search = search_for, .violated = *violated};
    if (task->a.mesh->triangle_count == 0 || task->b.mesh->triangle_count == 0)
        return CAROM_OK;
    if (is_for_trees(task))
        return query_tree_method.collide(state, task, search_for, violated);
    walk.body[0] = place_body(task->asset_a, &task->a), walk.body[1] = place_body(task->asset_b, &task->b);
    state->balance.searches++, state->printed_pairs.pairs.count = 0;
    carom_status status = search(&walk);
    if (carom_failed(status))
        stream_close_device(state);
    if (status == CAROM_UNAVAILABLE && !state->printed) /* the driver lost the context, or is gone: do without */
        return query_tree_method.collide(state, task, search_for, violated);
    if (!carom_failed(status) && state->printed)
        BASE_TRY(stream_judge_printed(&walk));
    if (status == CAROM_OK && search_for->clearance > 0.0 && !walk.violated)
        status = check_clearance(&walk);
    task->counters->exact_fallbacks += walk.counts.exact_fallbacks;
    *violated = walk.violated;
    carom_status ended = stream_end_device(state);
    return carom_failed(ended) ? ended : status;
}
