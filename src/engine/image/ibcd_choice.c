/* Images or trees? The thesis's 5.2 wants processor and graphics hardware in balance: images are drawn where they are
 * measured to be faster than the exact test that they save.
 *
 * Every pair of bodies remembers what both ways took of late, and is searched in the faster one. The slower one is
 * tried again after 2, 4, 8 ... 1,024 searches. Where images are tried, trees take over when the time has passed that
 * these would have taken: so the worst search takes about twice as long as with trees, and few do. Both answers are
 * exact. */
#include "engine/image/ibcd.h"

enum
{
    TREES = 0,
    IMAGES = 1,
    MIN_WAIT = 2,
    MAX_WAIT = 1024
};

/* The first search of a worker, which knows nothing yet, draws for so long to find out. */
static const double FIRST_SECONDS = 0.01;

/* No pass takes less, as long as none was measured. */
static const double LEAST_PASS_SECONDS = 1e-4;

static query_choice *choice_of(const image_walk *walk)
{
    query_memory *memory = walk->task->memory;
    return memory ? &memory->choice[walk->search->every_pair] : NULL;
}

/* Makes programs and targets, which take longer than a search. What fails will fail again when it is needed. */
static bool begin_first(image_walk *walk)
{
    if (carom_failed(image_begin_device(walk->state)))
        image_close_device(walk->state);
    walk->deadline = base_now() + FIRST_SECONDS;
    return true;
}

bool image_is_chosen(image_walk *walk)
{
    const image_state *state = walk->state;
    query_choice *choice = choice_of(walk);
    if (state->sampled || state->always)
        return true;
    if (state->balance.searches == 1)
        return begin_first(walk);
    if (!choice || choice->seconds[TREES] == 0.0f)
        return false;
    double trees = choice->seconds[TREES], images = choice->seconds[IMAGES];
    bool faster = images < trees; /* or they were not tried yet */
    if (images > 0.0 && choice->wait == 0)
        faster = !faster;
    else if (images > 0.0)
        choice->wait--;
    walk->deadline = base_now() + trees;
    double pass = state->balance.pass_seconds;
    return faster && trees > (pass > 0.0 ? pass : LEAST_PASS_SECONDS);
}

void image_note_seconds(const image_walk *walk, bool images, double seconds)
{
    query_choice *choice = choice_of(walk);
    bool first = images && walk->state->balance.searches == 1; /* says what the driver takes to begin */
    if (!choice || first || walk->state->sampled || walk->state->always)
        return;
    float *own = &choice->seconds[images ? IMAGES : TREES], other = choice->seconds[images ? TREES : IMAGES];
    bool was_faster = *own > 0.0f && *own < other;
    /* a search that was interrupted says little */
    *own = *own > 0.0f ? fminf((float)seconds, 2.0f * *own) : (float)seconds;
    if (other == 0.0f || (was_faster && *own < other))
        return;
    uint32_t longer = choice->patience < MAX_WAIT ? 2 * choice->patience : MAX_WAIT;
    choice->patience = *own < other || longer < MIN_WAIT ? MIN_WAIT : longer;
    choice->wait = choice->patience;
}

void image_note_pass(image_walk *walk, double seconds, size_t images)
{
    image_balance *balance = &walk->state->balance;
    if (!balance->warm)
    {
        balance->warm = true;
        if (walk->deadline > 0.0 && balance->searches == 1)
            walk->deadline = base_now() + FIRST_SECONDS;
        return;
    }
    image_learn(&balance->tile_seconds, seconds / (double)images, balance->tile_seconds > 0.0);
    double longer = 1.02 * balance->pass_seconds; /* what was fast once need not be so for ever */
    balance->pass_seconds = longer > 0.0 && longer < seconds ? longer : seconds;
}

carom_status image_check_deadline(image_walk *walk)
{
    walk->late = walk->deadline > 0.0 && base_now() >= walk->deadline;
    return walk->late ? CAROM_STOPPED : CAROM_OK;
}

/* ---- one level ---- */

/* All, if they save more below than they cost, or none. Now and then some are drawn to find out. No more than there is
 * time for. */
size_t image_count_worth(const image_walk *walk, const image_level *level)
{
    enum
    {
        TRIAL = 64,        /* searches from one to the next */
        TRIAL_IMAGES = 32, /* of a trial, */
        TRIAL_SHARE = 8    /* for which that part of the time is used: there are many levels */
    };
    const image_balance *balance = &walk->state->balance;
    if (walk->state->always)
        return SIZE_MAX;
    double left = walk->deadline > 0.0 ? walk->deadline - base_now() : INFINITY;
    if (left < balance->pass_seconds)
        return 0;
    double fit = balance->tile_seconds > 0.0 ? left / balance->tile_seconds : INFINITY;
    size_t room = fit < 0x1p31 ? (size_t)fit : SIZE_MAX;
    if (level->known && level->rejected * level->below > balance->tile_seconds)
        return room;
    if (level->known && balance->searches % TRIAL != 0)
        return 0;
    return room / TRIAL_SHARE < TRIAL_IMAGES ? room / TRIAL_SHARE : TRIAL_IMAGES;
}
