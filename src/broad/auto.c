/* `auto` looks at a sample of the boxes and gives them to the broad phase that suits them, `tree` nearly always: see
 * docs/broad.md for the measurements behind the rules. It looks at counts and coordinates only, never at a clock, so a
 * scene is treated alike on every machine. */
#include "broad/broad.h"

#include <stdio.h>

enum
{
    SAMPLES = 64,
    REVIEW_CALLS = 16, /* decides after so many calls, by how the samples moved in the last one */
    FEW_BOXES = 300,   /* `tree` sorts anew when boxes jump; up to here `sweep` is faster */
    MANY_JUMPS = 4     /* of 256 */
};

/* A box as it was in the last call. */
typedef struct auto_sample
{
    uint32_t slot;
    carom_aabb box;
} auto_sample;

typedef struct auto_state
{
    carom_context *context;
    const broad_kind *kind;
    void *inner; /* the state of `kind`; null: none yet */
    auto_sample samples[SAMPLES];
    uint32_t sample_count;
    uint32_t calls;        /* since the last decision */
    uint32_t decided_for;  /* the number of slots then */
    uint32_t jumps_in_256; /* on average over the last decisions, weights falling by a quarter */
    char reason[BROAD_REASON_SIZE];
} auto_state;

static carom_status create(carom_context *context, void **out)
{
    auto_state *automatic = base_allocate(context, 1, sizeof *automatic, BASE_CACHE_LINE);
    *out = automatic;
    if (!automatic)
        return base_fail(context, CAROM_OUT_OF_MEMORY, "broad phase auto: no memory");
    memset(automatic, 0, sizeof *automatic);
    automatic->context = context;
    return CAROM_OK;
}

static void destroy(void *state)
{
    auto_state *automatic = state;
    if (automatic->inner)
        automatic->kind->destroy(automatic->inner);
    base_release(automatic->context, automatic, 1, sizeof *automatic);
}

/* ---- statistics ---- */

static double longest(carom_vec3 v) { return fmax(fabs(v.x), fmax(fabs(v.y), fabs(v.z))); }

/* A box that leaves its own place behind within one call is nowhere near where a sorted order has it. */
static bool has_jumped(const carom_aabb *before, const carom_aabb *now)
{
    double way = longest(vec3_sub(now->min, before->min));
    return way > longest(vec3_sub(before->max, before->min));
}

static void note_jumps(auto_state *automatic, const broad_input *input)
{
    uint32_t seen = 0, jumps = 0;
    for (uint32_t i = 0; i < automatic->sample_count; i++)
    {
        const auto_sample *sample = &automatic->samples[i];
        if (sample->slot >= input->slot_count || broad_is_empty(&input->boxes[sample->slot]))
            continue;
        seen++;
        jumps += has_jumped(&sample->box, &input->boxes[sample->slot]);
    }
    if (seen > 0)
        automatic->jumps_in_256 = automatic->jumps_in_256 * 3 / 4 + jumps * 64 / seen;
}

/* Samples at equal distances. */
static void take_samples(auto_state *automatic, const broad_input *input)
{
    uint32_t count = input->slot_count < SAMPLES ? input->slot_count : SAMPLES;
    automatic->sample_count = 0;
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t slot = (uint32_t)((uint64_t)i * input->slot_count / count);
        if (!broad_is_empty(&input->boxes[slot]))
            automatic->samples[automatic->sample_count++] = (auto_sample){slot, input->boxes[slot]};
    }
}

/* ---- the decision ---- */

static uint32_t count_boxes(const broad_input *input)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < input->slot_count; i++)
        count += !broad_is_empty(&input->boxes[i]);
    return count;
}

static bool is_jumping(const auto_state *automatic) { return automatic->jumps_in_256 > MANY_JUMPS; }

static const broad_kind *choose(const auto_state *automatic, uint32_t box_count)
{
    return is_jumping(automatic) && box_count <= FEW_BOXES ? &broad_sweep : &broad_tree;
}

static void explain(auto_state *automatic, uint32_t box_count)
{
    const char *why = automatic->kind == &broad_sweep ? "few boxes that jump are sorted fastest along one axis"
                      : is_jumping(automatic) ? "so many boxes that jump need a tree, even one that is sorted anew"
                                              : "nothing is faster for boxes that rest or move a little";
    snprintf(automatic->reason, sizeof automatic->reason, "%u boxes, %u of 256 jump per call: %s", box_count,
             automatic->jumps_in_256, why);
}

/* Gives the boxes to another broad phase, which sees all of them as new. */
static carom_status change_kind(auto_state *automatic, const broad_kind *kind)
{
    void *inner;
    BASE_TRY(kind->create(automatic->context, &inner));
    if (automatic->inner)
        automatic->kind->destroy(automatic->inner);
    automatic->kind = kind;
    automatic->inner = inner;
    return CAROM_OK;
}

/* At the first call, then every REVIEW_CALLS calls, and whenever a quarter of the boxes came or went. */
static bool must_decide(const auto_state *automatic, uint32_t slot_count)
{
    uint32_t before = automatic->decided_for;
    uint32_t difference = slot_count > before ? slot_count - before : before - slot_count;
    return !automatic->inner || automatic->calls >= REVIEW_CALLS || difference > before / 4;
}

static carom_status decide(auto_state *automatic, const broad_input *input)
{
    note_jumps(automatic, input);
    uint32_t box_count = count_boxes(input);
    const broad_kind *kind = choose(automatic, box_count);
    if (kind != automatic->kind)
        BASE_TRY(change_kind(automatic, kind));
    automatic->calls = automatic->sample_count = 0;
    automatic->decided_for = input->slot_count;
    explain(automatic, box_count);
    return CAROM_OK;
}

static carom_status find_pairs(void *state, const broad_input *input, broad_pairs *out, uint64_t *boxes_tested)
{
    auto_state *automatic = state;
    automatic->calls++;
    if (must_decide(automatic, input->slot_count))
        BASE_TRY(decide(automatic, input));
    else if (automatic->calls == REVIEW_CALLS - 1)
        take_samples(automatic, input);
    return automatic->kind->find_pairs(automatic->inner, input, out, boxes_tested);
}

const broad_kind broad_auto = {{"auto", "chooses one of the others by what the boxes do"}, create, find_pairs, destroy};

carom_broad_choice broad_choice(const broad_kind *kind, const void *state)
{
    if (kind != &broad_auto)
        return (carom_broad_choice){kind->info.name, "as the engine's definition says"};
    const auto_state *automatic = state;
    if (!automatic->inner)
        return (carom_broad_choice){kind->info.name, "nothing has been run yet"};
    return (carom_broad_choice){automatic->kind->info.name, automatic->reason};
}
