/* A batch of passes over a set of edges: drawn, or computed by the twin. */
#include "engine/stream/stream.h"

/* ---- on the processor ---- */

static carom_status compute(stream_state *state, const stream_batch *batch, stream_set set)
{
    if (batch->want_hits && !base_array_reserve(state->context, &state->hits, set.count))
        return stream_out_of_memory(state->context);
    for (uint32_t i = 0; i < set.count; i++)
    {
        uint32_t edge = set.list ? set.list[i] : i, records = 0;
        float depth;
        for (uint32_t k = 0; k < batch->count; k++)
        {
            bool hit =
                stream_test(batch->kind, &state->edges.items[edge], &batch->records[k], batch->depth_scale, &depth);
            state->counts[k] += hit, records |= (uint32_t)hit << k;
        }
        if (records && batch->want_hits)
            state->hits.items[state->hits.count++] = (stream_hit){edge, records};
    }
    state->stats.passes_computed += batch->count;
    return CAROM_OK;
}

/* ---- on the GPU ---- */

static carom_status gather_hits(stream_state *state, const stream_square *square, stream_set set)
{
    size_t texels = (size_t)square->side * square->side;
    state->stencil.count = 0;
    if (!base_array_reserve(state->context, &state->stencil, texels) ||
        !base_array_reserve(state->context, &state->hits, square->count))
        return stream_out_of_memory(state->context);
    BASE_TRY(stream_pass_read(&state->pass, square, state->stencil.items));
    for (uint32_t i = 0; i < square->count; i++)
        if (state->stencil.items[i])
        {
            uint32_t edge = square->first + i;
            state->hits.items[state->hits.count++] =
                (stream_hit){set.list ? set.list[edge] : edge, state->stencil.items[i]};
        }
    return CAROM_OK;
}

static carom_status draw_on(stream_state *state, stream_textures *textures, const stream_batch *batch, stream_set set)
{
    for (uint32_t i = 0; i < textures->square_count; i++)
    {
        uint64_t counts[STREAM_BATCH], sum = 0;
        BASE_TRY(stream_pass_draw(&state->pass, &textures->squares[i], batch, counts));
        for (uint32_t k = 0; k < batch->count; k++)
            state->counts[k] += counts[k], sum += counts[k];
        if (sum > 0 && batch->want_hits)
            BASE_TRY(gather_hits(state, &textures->squares[i], set));
    }
    return CAROM_OK;
}

/* A texture of the set's edges alone. */
static carom_status draw_packed(stream_walk *walk, const stream_batch *batch, stream_set set)
{
    stream_state *state = walk->state;
    stream_textures textures;
    state->packed.count = 0;
    if (!base_array_reserve(state->context, &state->packed, set.count))
        return stream_out_of_memory(state->context);
    for (uint32_t i = 0; i < set.count; i++)
        state->packed.items[i] = state->edges.items[set.list[i]];
    stream_source source = {state->packed.items, set.count, state->method == STREAM_TRIANGLE_PAIRS,
                            (float)walk->frame.depth_scale};
    BASE_TRY(stream_textures_create(&state->pass, &source, &textures));
    state->stats.packed_textures++;
    carom_status status = draw_on(state, &textures, batch, set);
    stream_textures_destroy(&state->pass, &textures);
    return status;
}

static carom_status draw(stream_walk *walk, const stream_batch *batch, stream_set set)
{
    stream_state *state = walk->state;
    BASE_TRY(stream_begin_device(state));
    if (set.list)
        return draw_packed(walk, batch, set);
    stream_source source = {state->edges.items, (uint32_t)state->edges.count, state->method == STREAM_TRIANGLE_PAIRS,
                            (float)walk->frame.depth_scale};
    if (state->full.square_count == 0)
        BASE_TRY(stream_textures_create(&state->pass, &source, &state->full));
    return draw_on(state, &state->full, batch, set);
}

/* ---- either ---- */

static void count_tests(stream_walk *walk, const stream_batch *batch, stream_set set)
{
    uint64_t tests = (uint64_t)batch->count * set.count;
    if (batch->kind == STREAM_BOXES || batch->kind == STREAM_PRINTED_BOXES || batch->kind == STREAM_PAIR_BOXES)
        walk->task->counters->boxes_tested += tests, walk->state->stats.edge_box_tests += tests;
    else
        walk->state->stats.edge_tests += tests;
}

carom_status stream_run(stream_walk *walk, const stream_batch *batch, stream_set set)
{
    stream_state *state = walk->state;
    memset(state->counts, 0, sizeof state->counts);
    state->hits.count = 0;
    if (set.count == 0 || batch->count == 0)
        return CAROM_OK;
    bool drawn = stream_choose(state, batch->count, set);
    bool first = drawn && !set.list && state->full.square_count == 0;
    count_tests(walk, batch, set);
    double start = base_now();
    BASE_TRY(drawn ? draw(walk, batch, set) : compute(state, batch, set));
    if (!first) /* making the textures of all edges is not what a batch takes */
        stream_note_seconds(state, drawn, batch->count, set, base_now() - start);
    return CAROM_OK;
}
