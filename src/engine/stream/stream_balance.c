/* A batch is drawn, or computed by the twin, whichever is expected to be faster by what batches took lately: balance
 * between processor and GPU, which the thesis names as future work (3.7). */
#include "engine/stream/stream.h"

/* Seconds for x; 0: not known. Neither a batch nor a pixel costs less than nothing. What is larger than anything that
 * was measured is not said to take longer, so that it is tried. */
static double predict(const stream_line *line, double x)
{
    if (line->weight == 0.0)
        return 0.0;
    x = fmin(x, line->largest);
    double variance = line->weight * line->xx - line->x * line->x;
    if (variance <= 1e-9 * line->weight * line->xx) /* one size */
        return line->y / line->x * x;
    double slope = fmax((line->weight * line->xy - line->x * line->y) / variance, 0.0);
    double offset = fmax((line->y - slope * line->x) / line->weight, 0.0);
    if (offset == 0.0)
        slope = line->y / line->x;
    return offset + slope * x;
}

/* The errors of batches of all sizes count in proportion to what these take. What takes far longer than expected is
 * likely to have been interrupted, and is believed in part. */
static void learn(stream_line *line, double x, double y)
{
    line->largest = fmax(line->largest, x);
    const double memory = 0.97; /* of older measurements */
    double expected = predict(line, x);
    expected = expected > 0.0 ? expected : y;
    y = fmin(y, 4.0 * expected);
    const double weight = 1.0 / (expected * expected);
    const double more[5] = {weight, weight * x, weight * y, weight * x * x, weight * x * y};
    double *sums[5] = {&line->weight, &line->x, &line->y, &line->xx, &line->xy};
    for (int i = 0; i < 5; i++)
        *sums[i] = memory * *sums[i] + more[i];
}

enum
{
    FEW = 2048, /* edges: what was not measured is tried on the processor */
    PART = 32   /* of the time goes to trials of the slower way */
};

/* By size, or else the slower way would be tried where that is cheapest, and nowhere else. */
static double *seconds_since(stream_balance *balance, double tests)
{
    int size = ilogb(tests) / 2;
    return &balance->seconds[size < STREAM_SIZES ? size : STREAM_SIZES - 1];
}

bool stream_choose(stream_state *state, uint32_t records, stream_set set)
{
    stream_balance *balance = &state->balance;
    if (state->always || state->processor)
        return !state->processor;
    double tests = (double)records * set.count;
    double drawn = predict(&balance->drawn[set.list != NULL], tests), computed = predict(&balance->computed, tests);
    if (computed == 0.0)
        return set.count > FEW;
    if (drawn == 0.0)
        return set.count > FEW / 4;
    double *since = seconds_since(balance, tests);
    bool trial = PART * fmax(drawn, computed) < *since;
    *since = trial ? 0.0 : *since;
    return trial ? computed <= drawn : drawn < computed;
}

void stream_note_seconds(stream_state *state, bool drawn, uint32_t records, stream_set set, double seconds)
{
    stream_balance *balance = &state->balance;
    stream_line *lines[2] = {&balance->computed, &balance->drawn[set.list != NULL]};
    double tests = (double)records * set.count, expected = predict(lines[drawn], tests);
    double otherwise = predict(lines[!drawn], tests);
    bool trial = otherwise > 0.0 && expected > otherwise;
    *seconds_since(balance, tests) += trial ? -PART * seconds : seconds;
    if (!lines[drawn]->begun) /* a program may have been compiled */
    {
        lines[drawn]->begun = true;
        return;
    }
    seconds = fmax(seconds, 1e-8); /* clocks have steps */
    learn(lines[drawn], tests, seconds);
}
