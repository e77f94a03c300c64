/* How a frame keeps its deadline. The time budget covers all of a call: checks, proxies, broad phase, examination and
 * commit. Examination can stop at any moment; the rest can't, so what it will take is predicted from what it took
 * before:
 *
 *   - Where the steps before the examination alone are expected to take longer than the budget, the frame is skipped.
 *   - What the commit will take is set aside while pairs are examined, and grows with what they find.
 *   - A step that can't be cut short (building a tree, sorting and listing what a pair found) is postponed if it does
 *     not fit into the time that is left. A step that fits into no frame is made late, once the frames that it waited
 *     for have had several times the time that it takes, so that every search comes to an end.
 *
 * Nothing here influences an answer, only which pairs are left undecided. */
#include "engine/engine.h"

enum
{
    FEW_BODIES = 16,     /* what a frame takes however few bodies it has, in bodies */
    FIRST_RETRY = 4,     /* skipped frames before one is tried all the same: the prediction may be wrong; then */
    RETRY_FACTOR = 4,    /* times as many, again and again, which makes misses rare */
    MOST_SKIPPED = 1024, /* but a machine that was busy for a while must not count as slow for ever */
    PATIENCE = 8         /* a step is made late after frames that together had as many times its time */
};

void engine_pace_create(engine_pace *pace)
{
    *pace = (engine_pace){.commit_factor = 3.0, /* at first, memory is new */
                          .build_rate = 4e-7,
                          .preparations = {{.max_skipped = FIRST_RETRY}, {.max_skipped = FIRST_RETRY}}};
}

void engine_pace_begin(engine_pace *pace, const carom_budget *budget, double start)
{
    pace->start = start;
    pace->seconds = budget && isfinite(budget->seconds) ? budget->seconds : 0.0;
    pace->deadline = pace->seconds > 0.0 ? start + pace->seconds : 0.0;
    pace->reserve = pace->building = 0.0;
    pace->many_moved = pace->retrying = false;
    atomic_store(&pace->postponed, false);
    atomic_store(&pace->late, false);
}

void engine_pace_end(engine_pace *pace)
{
    if (atomic_load(&pace->late))
        pace->waited = 0.0;
    else if (atomic_load(&pace->postponed))
        pace->waited += pace->seconds;
}

/* What may be missed without being worth a frame. */
static double tolerance(const engine_pace *pace) { return 0.02 * pace->seconds + 50e-6; }

/* ---- before the examination ---- */

/* The second largest of the latest measurements, which a thread that had to wait for its processor once does not
 * disturb; 0: none yet. */
static double predict(const engine_preparation *preparation, uint32_t body_count)
{
    double sorted[ENGINE_PACE_KEPT];
    uint32_t count = preparation->count < ENGINE_PACE_KEPT ? preparation->count : ENGINE_PACE_KEPT;
    if (count == 0)
        return 0.0;
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t at = i;
        for (; at > 0 && sorted[at - 1] > preparation->seconds[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = preparation->seconds[i];
    }
    return sorted[count > 1 ? count - 2 : 0] * ((double)body_count + FEW_BODIES);
}

static bool skips(engine_pace *pace, engine_preparation *preparation, uint32_t body_count)
{
    if (pace->deadline == 0.0 || predict(preparation, body_count) <= pace->seconds + tolerance(pace))
        return false;
    if (preparation->skipped++ < preparation->max_skipped)
        return true;
    preparation->skipped = 0;
    if (preparation->max_skipped < MOST_SKIPPED)
        preparation->max_skipped *= RETRY_FACTOR;
    return pace->retrying = true, false;
}

bool engine_pace_skips(engine_pace *pace, uint32_t body_count)
{
    double few = predict(&pace->preparations[0], body_count), many = predict(&pace->preparations[1], body_count);
    return skips(pace, &pace->preparations[few <= many ? 0 : 1], body_count);
}

bool engine_pace_skips_moved(engine_pace *pace, uint32_t body_count, size_t moved_count)
{
    pace->many_moved = moved_count > body_count / 4;
    return !pace->retrying && skips(pace, &pace->preparations[pace->many_moved], body_count);
}

void engine_pace_prepared(engine_pace *pace, uint32_t body_count)
{
    engine_preparation *preparation = &pace->preparations[pace->many_moved];
    double taken = base_now() - pace->start - pace->building;
    preparation->seconds[preparation->count++ % ENGINE_PACE_KEPT] = taken / ((double)body_count + FEW_BODIES);
    if (preparation->count >= 2 * ENGINE_PACE_KEPT)
        preparation->count -= ENGINE_PACE_KEPT; /* it only counts round and round */
    if (pace->deadline > 0.0 && taken <= pace->seconds)
        preparation->skipped = 0, preparation->max_skipped = FIRST_RETRY;
}

bool engine_pace_fits_nothing(const engine_pace *pace, uint32_t body_count, double commit)
{
    if (pace->deadline == 0.0)
        return false;
    double prepared = pace->continued ? 0.0 : predict(&pace->preparations[pace->many_moved], body_count);
    return prepared + commit > pace->seconds + tolerance(pace);
}

/* ---- the commit ---- */

double engine_pace_cost(const engine_pace *pace, const engine_load *load)
{
    double seconds = 5e-8 * (double)load->undecided + 6e-8 * (double)load->listed + 4e-8 * (double)load->open +
                     3e-9 * (double)load->pairs + 2e-8 * (double)load->contacts + 3e-9 * (double)load->points +
                     3.5e-7 * (double)load->estimates;
    return pace->commit_factor * seconds;
}

/* Follows measurements, no single one far, and upwards faster than downwards: to set too much time aside does less harm
 * than too little. */
static double follow(double rate, double measured) { return fmin(fmax(measured, 0.97 * rate), 1.5 * rate); }

void engine_pace_committed(engine_pace *pace, double expected, double taken)
{
    double factor = follow(pace->commit_factor, pace->commit_factor * taken / expected);
    if (base_now() > pace->deadline) /* then it has left out what it could */
        factor = fmax(factor, pace->commit_factor);
    pace->commit_factor = fmin(fmax(factor, 0.5), 10.0);
}

/* Nothing was measured, so nothing would ever correct a prediction that was too high: it fades, so slowly that a commit
 * that is really too long is tried about once in a thousand frames. */
void engine_pace_not_committed(engine_pace *pace)
{
    pace->commit_factor = fmax(pace->commit_factor * (1.0 - 0x1p-12), 0.5);
}

/* ---- steps that can't be cut short ---- */

engine_leave engine_pace_allows(engine_pace *pace, double seconds, double reserve)
{
    if (pace->deadline == 0.0 || base_now() + seconds <= pace->deadline - reserve)
        return ENGINE_LEAVE_IN_TIME;
    if (pace->waited >= PATIENCE * seconds && !atomic_exchange(&pace->late, true))
        return ENGINE_LEAVE_LATE;
    atomic_store(&pace->postponed, true);
    return ENGINE_LEAVE_NONE;
}

double engine_pace_build_cost(const engine_pace *pace, uint32_t triangles)
{
    return 1e-5 + pace->build_rate * (double)triangles;
}

void engine_pace_built(engine_pace *pace, uint32_t triangles, double taken)
{
    pace->building += taken;
    pace->build_rate = fmax(follow(pace->build_rate, taken / ((double)triangles + 64.0)), 1e-9);
}
