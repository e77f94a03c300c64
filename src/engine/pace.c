/* How a frame keeps its deadline. The time budget covers all of a call: checks, proxies, broad phase, examination and
 * commit. Examination can stop at any moment; the rest can't, so what it will take is predicted from what it took
 * before:
 *
 *   - Where the steps before the examination and a report as the last one was are expected to take longer than the
 *     budget, the frame is skipped. Nothing is known before the first frame: then a careful guess stands for
 *     measurements.
 *   - What the commit will take is set aside while pairs are examined, and grows with what they find, and with the
 *     memory that it will be the first to use.
 *   - A step that can't be cut short (building a tree, sorting and listing what a pair found) is postponed if it does
 *     not fit into the time that is left. A step that fits into no frame is made late, once the frames that it waited
 *     for have had several times the time that it takes, so that every search comes to an end.
 *
 * Nothing here influences an answer, only which pairs are left undecided. */
#include "engine/engine.h"

enum
{
    FEW_BODIES = 16,     /* what a frame takes however few bodies it has, in bodies */
    FIRST_RETRY = 4,     /* skipped frames before one is tried all the same if the fastest of the latest would fit; */
    RETRY_FACTOR = 4,    /* then times as many, again and again, which makes misses rare, */
    FRESH = 4,           /* but not before so many have begun, as memory was new for the first ones; */
    MOST_SKIPPED = 2048, /* otherwise so many: a machine that was busy for a while must not count as slow for ever */
    PATIENCE = 8,        /* a step is made late after frames that together had as many times its time; */
    LONG_PATIENCE = 1024 /* if it would fit into one of them, it will be the first of a frame sooner or later */
};

/* Seconds per body of a first frame, with memory that is new, and of the fastest of later ones: as on a slow and a fast
 * machine. */
static const double FIRST_RATE = 2e-6, FASTEST_RATE = 2e-7;

void engine_pace_create(engine_pace *pace, bool alone)
{
    *pace = (engine_pace){.alone = alone,
                          .commit_factor = 2.0,
                          .usual_factor = 1.0,
                          .build_rate = 4e-7,
                          .extra_rate = 4e-6,
                          .preparations = {{.max_skipped = FIRST_RETRY}, {.max_skipped = FIRST_RETRY}}};
}

/* A frame aims to be done a little early: any step may be interrupted for some ten microseconds. */
static double margin(double seconds) { return 0.04 * seconds + 20e-6; }

void engine_pace_begin(engine_pace *pace, const carom_budget *budget, double start)
{
    pace->start = start;
    pace->thread_start = pace->alone ? base_thread_now() : 0.0;
    pace->seconds = budget && isfinite(budget->seconds) ? budget->seconds : 0.0;
    pace->deadline = pace->seconds > 0.0 ? start + pace->seconds - margin(pace->seconds) : 0.0;
    if (pace->deadline > 0.0)
        pace->largest = fmax(0.99 * pace->largest, pace->seconds);
    pace->reserve = pace->building = pace->preparing = 0.0;
    pace->many_moved = pace->retrying[0] = pace->retrying[1] = false;
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
static double tolerance(const engine_pace *pace) { return 0.02 * pace->seconds + 20e-6; }

/* ---- before the examination ---- */

typedef struct prediction
{
    double usual;   /* the second largest of the latest measurements: a thread that had to wait for its processor once
                       does not disturb it */
    double fastest; /* of them */
} prediction;

static prediction predict(const engine_pace *pace, bool many_moved, uint32_t body_count)
{
    const engine_preparation *preparation = &pace->preparations[many_moved];
    uint32_t count = preparation->count < ENGINE_PACE_KEPT ? preparation->count : ENGINE_PACE_KEPT;
    double sorted[ENGINE_PACE_KEPT], bodies = (double)body_count + FEW_BODIES;
    if (count == 0 && pace->preparations[!many_moved].count == 0)
        return (prediction){FIRST_RATE * bodies, FASTEST_RATE * bodies};
    if (count == 0)
        return (prediction){predict(pace, !many_moved, body_count).usual, FASTEST_RATE * bodies};
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t at = i;
        for (; at > 0 && sorted[at - 1] > preparation->seconds[i]; at--)
            sorted[at] = sorted[at - 1];
        sorted[at] = preparation->seconds[i];
    }
    double fastest = count < ENGINE_PACE_KEPT ? FASTEST_RATE : sorted[0]; /* the first ones had memory that was new */
    return (prediction){sorted[count > 1 ? count - 2 : 0] * bodies, fastest * bodies};
}

static double commit_seconds(const engine_load *load, double factor)
{
    double seconds = 1.5e-7 * (double)load->undecided + 1.1e-7 * (double)load->listed + 4e-8 * (double)load->open +
                     3e-9 * (double)load->pairs + 1.4e-8 * (double)load->contacts + 3e-9 * (double)load->points;
    return ENGINE_COMMIT_SECONDS + factor * seconds + ENGINE_NEW_MEMORY * (double)load->growth;
}

/* With a report as the last one was: without time for that, what comes before is of no use. */
static bool is_enough(const engine_pace *pace, double preparation)
{
    return preparation + commit_seconds(&pace->last_load, pace->usual_factor) <= pace->seconds + tolerance(pace);
}

static bool fits(const engine_pace *pace, bool many_moved, uint32_t body_count)
{
    return is_enough(pace, predict(pace, many_moved, body_count).usual);
}

/* Is it time to try what is expected to take too long? */
static bool is_due(engine_pace *pace, bool many_moved, uint32_t body_count)
{
    const double careful = 1.15;
    engine_preparation *preparation = &pace->preparations[many_moved];
    bool measured = pace->preparations[0].count + pace->preparations[1].count > 0;
    if (!measured && (pace->waited_first += pace->seconds) < 2 * PATIENCE * FIRST_RATE * body_count) /* both ask */
        return false;
    bool may_fit = !measured || is_enough(pace, careful * predict(pace, many_moved, body_count).fastest);
    if (measured && preparation->skipped++ < (may_fit ? preparation->max_skipped : MOST_SKIPPED))
        return false;
    preparation->skipped = 0;
    if (preparation->max_skipped < MOST_SKIPPED && preparation->count >= FRESH)
        preparation->max_skipped *= RETRY_FACTOR;
    return pace->retrying[many_moved] = true;
}

bool engine_pace_skips(engine_pace *pace, uint32_t body_count)
{
    if (pace->deadline == 0.0 || fits(pace, false, body_count) || fits(pace, true, body_count))
        return false;
    bool few = is_due(pace, false, body_count), many = is_due(pace, true, body_count);
    if (!few && !many)
        engine_pace_not_committed(pace);
    return !few && !many;
}

bool engine_pace_skips_moved(engine_pace *pace, uint32_t body_count, size_t moved_count)
{
    bool many = moved_count > body_count / 4, other_fits = fits(pace, !many, body_count);
    pace->many_moved = many;
    if (pace->deadline == 0.0 || pace->retrying[many] || fits(pace, many, body_count))
        return false;
    return !other_fits || !is_due(pace, many, body_count); /* otherwise this frame has been counted before */
}

void engine_pace_prepared(engine_pace *pace, uint32_t body_count)
{
    engine_preparation *preparation = &pace->preparations[pace->many_moved];
    double taken = (pace->alone ? base_thread_now() - pace->thread_start : base_now() - pace->start) - pace->building;
    pace->preparing = taken;
    preparation->seconds[preparation->count++ % ENGINE_PACE_KEPT] = taken / ((double)body_count + FEW_BODIES);
    if (preparation->count >= 2 * ENGINE_PACE_KEPT)
        preparation->count -= ENGINE_PACE_KEPT; /* it only counts round and round */
    if (pace->deadline > 0.0 && taken <= pace->seconds)
        preparation->skipped = 0, preparation->max_skipped = FIRST_RETRY;
}

bool engine_pace_fits_nothing(const engine_pace *pace, double commit)
{
    return pace->deadline > 0.0 && pace->preparing + commit > pace->seconds + tolerance(pace);
}

/* ---- the commit ---- */

double engine_pace_cost(const engine_pace *pace, const engine_load *load)
{
    return commit_seconds(load, pace->commit_factor);
}

double engine_pace_careful(double seconds) { return 1.3 * seconds + 1e-5; }

double engine_pace_extra_cost(const engine_pace *pace, uint64_t extras)
{
    return fmin(pace->extra_rate * (double)extras, pace->seconds / 8.0);
}

/* Comes to where one measurement in fifty is above it, however far above: many of those that are were interrupted. */
double engine_pace_learn(double rate, double measured) { return rate * (measured > rate ? 1.2 : 0.996); }

void engine_pace_added_extras(engine_pace *pace, double seconds, uint64_t count)
{
    if (count > 0)
        pace->extra_rate = fmax(engine_pace_learn(pace->extra_rate, seconds / (double)count), 1e-7);
}

void engine_pace_committed(engine_pace *pace, double expected, double taken)
{
    double factor = engine_pace_learn(pace->commit_factor, pace->commit_factor * taken / expected);
    double usual = pace->usual_factor * (pace->commit_factor * taken > pace->usual_factor * expected ? 1.05 : 0.95);
    pace->commit_factor = fmin(fmax(factor, 0.1), 10.0);
    pace->usual_factor = fmin(fmax(usual, 0.1), pace->commit_factor);
}

/* Nothing was measured, so nothing would ever correct a prediction that was too high: it fades, so slowly that a commit
 * that is really too long is tried about once in a thousand frames. */
void engine_pace_not_committed(engine_pace *pace)
{
    pace->commit_factor = fmax(pace->commit_factor * (1.0 - 0x1p-12), 0.1);
    pace->usual_factor = fmin(pace->usual_factor, pace->commit_factor);
}

/* ---- steps that can't be cut short ---- */

engine_leave engine_pace_allows(engine_pace *pace, double seconds, double reserve)
{
    if (pace->deadline == 0.0 || base_now() + seconds <= pace->deadline - reserve)
        return ENGINE_LEAVE_IN_TIME;
    bool fits_none = seconds > 0.75 * pace->largest;
    if (pace->waited >= (fits_none ? PATIENCE : LONG_PATIENCE) * seconds && !atomic_exchange(&pace->late, true))
        return ENGINE_LEAVE_LATE;
    atomic_store(&pace->postponed, true);
    return ENGINE_LEAVE_NONE;
}

/* Upwards faster than downwards: to set too much time aside does less harm than too little. */
static double follow(double rate, double measured) { return fmin(fmax(measured, 0.97 * rate), 1.5 * rate); }

double engine_pace_build_cost(const engine_pace *pace, uint32_t triangles)
{
    return 1e-5 + pace->build_rate * (double)triangles;
}

void engine_pace_built(engine_pace *pace, uint32_t triangles, double taken)
{
    pace->building += taken;
    pace->build_rate = fmax(follow(pace->build_rate, taken / ((double)triangles + 64.0)), 1e-9);
}
