/* A batch is drawn, or computed by the twin, whichever is expected to be faster by what batches took lately: balance
 * between processor and GPU, which the thesis names as future work (3.7). */
#include "engine/stream/stream.h"

/* Seconds for x; 0: not known. Neither a batch nor a pixel costs less than nothing. */
static double predict(const stream_line *line, double x)
{
    if (line->weight < 1.0)
        return 0.0;
    double variance = line->weight * line->xx - line->x * line->x;
    double slope = variance > 1e-9 * line->weight * line->xx ? (line->weight * line->xy - line->x * line->y) / variance
                                                             : line->y / line->x;
    slope = fmax(slope, 0.0);
    double offset = fmax((line->y - slope * line->x) / line->weight, 0.0);
    if (offset == 0.0)
        slope = line->y / line->x;
    return offset + slope * x;
}

/* What is much slower than expected is likely to have been interrupted, and is believed in part only. What is much
 * faster shows that what was measured before was disturbed, by other work or by a program that had to be compiled: that
 * is forgotten. A way that is wrongly taken for the faster one is corrected by its use. */
static void learn(stream_line *line, double x, double y)
{
    const double memory = 0.97; /* of older measurements */
    double expected = predict(line, x);
    if (y < 0.25 * expected)
        *line = (stream_line){0};
    else if (line->weight > 4.0)
        y = fmin(y, 8.0 * expected);
    const double more[5] = {1.0, x, y, x * x, x * y};
    double *sums[5] = {&line->weight, &line->x, &line->y, &line->xx, &line->xy};
    for (int i = 0; i < 5; i++)
        *sums[i] = memory * *sums[i] + more[i];
}

/* What was not measured is tried where it can't take long, and the slower way again as soon as that is expected to take
 * a small part of the time since the last trial. */
bool stream_choose(stream_state *state, uint32_t records, stream_set set)
{
    enum
    {
        FEW = 2048, /* edges: tried on the processor */
        PART = 64
    };
    stream_balance *balance = &state->balance;
    if (state->always || state->processor)
        return !state->processor;
    double tests = (double)records * set.count;
    double drawn = predict(&balance->drawn[set.list != NULL], tests), computed = predict(&balance->computed, tests);
    if (computed == 0.0)
        return set.count > FEW;
    if (drawn == 0.0)
        return set.count > FEW / 4;
    bool trial = PART * fmax(drawn, computed) < balance->seconds;
    balance->seconds = trial ? 0.0 : balance->seconds;
    return trial ? computed <= drawn : drawn < computed;
}

void stream_note_seconds(stream_state *state, bool drawn, uint32_t records, stream_set set, double seconds)
{
    stream_balance *balance = &state->balance;
    balance->seconds += seconds;
    learn(drawn ? &balance->drawn[set.list != NULL] : &balance->computed, (double)records * set.count, seconds);
}
