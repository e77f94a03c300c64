/* Halving space: where, and when to stop. */
#include "broad/split.h"

enum
{
    MAX_DEPTH = 48,
    SAMPLES = 24,
    CENTRES = 9 /* whose median is taken */
};

static float rounded_down(double value)
{
    float f = value < -1e38 ? -INFINITY : (float)fmin(value, 1e38);
    return f - (fabsf(f) * 0x1p-22f + 1e-30f);
}

void broad_split_add(broad_split *split, const carom_aabb *box, double margin, uint32_t slot, uint32_t marks)
{
    broad_split_box *item = &split->boxes.items[split->boxes.count++];
    const double *low = &box->min.x, *high = &box->max.x;
    for (int axis = 0; axis < 3; axis++)
    {
        item->low[axis] = rounded_down(low[axis]);
        item->high[axis] = -rounded_down(-(high[axis] + margin));
    }
    item->slot = slot, item->marks = marks;
}

static void sort_floats(float *values, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && values[k] < values[k - 1]; k--)
        {
            float value = values[k];
            values[k] = values[k - 1], values[k - 1] = value;
        }
}

typedef struct cut
{
    int axis; /* -1: none is worth it */
    float at;
} cut;

/* Halves the centres along the axis on which the fewest of some samples are on both sides, if that saves anything: half
 * of the pairs on each side, but those on both sides count on each. */
static cut choose_cut(const broad_split_box *boxes, size_t count)
{
    cut best = {-1, 0.0f};
    int fewest = SAMPLES * 2 / 5;
    size_t step = count / SAMPLES;
    for (int axis = 0; axis < 3; axis++)
    {
        float centres[CENTRES];
        for (size_t i = 0; i < CENTRES; i++)
        {
            const broad_split_box *box = &boxes[i * count / CENTRES];
            centres[i] = 0.5f * box->low[axis] + 0.5f * box->high[axis];
        }
        sort_floats(centres, CENTRES);
        float at = centres[CENTRES / 2];
        int both = 0, before = 0, beyond = 0;
        for (size_t i = 0; i < SAMPLES; i++)
        {
            bool is_before = boxes[i * step].low[axis] <= at, is_beyond = boxes[i * step].high[axis] >= at;
            both += is_before && is_beyond, before += is_before, beyond += is_beyond;
        }
        int waste = both + (before > beyond ? before - beyond : beyond - before) / 2;
        if (waste < fewest && before < SAMPLES && beyond < SAMPLES && at - at == 0.0f)
            fewest = waste, best = (cut){axis, at};
    }
    return best;
}

/* Pairs of the boxes at the end of the stack, from `first` on; takes them off. */
static bool join_range(broad_split *split, size_t first, int depth)
{
    size_t count = split->boxes.count - first;
    cut at = {-1, 0.0f};
    if (count > BROAD_SPLIT_LEAF && depth < MAX_DEPTH)
        at = choose_cut(split->boxes.items + first, count);
    if (at.axis < 0)
    {
        bool enough = BASE_PICK_ISA(split->context, broad_split_leaf)(split, first, count);
        split->boxes.count = first;
        return enough;
    }
    if (!base_array_reserve(split->context, &split->boxes, 2 * count + 1))
        return false;
    broad_split_box *items = split->boxes.items + first;
    broad_split_sides sides =
        BASE_PICK_ISA(split->context, broad_split_range)(items, count, at.axis, at.at, items + count);
    /* Of the whole range only its copies are needed: the far ones first, the near ones behind them. */
    memmove(items, items + 2 * count, sides.beyond * sizeof *items);
    if (sides.beyond != count)
        memmove(items + sides.beyond, items + count, sides.before * sizeof *items);
    split->boxes.count = first + sides.beyond + sides.before;
    return join_range(split, first + sides.beyond, depth + 1) && join_range(split, first, depth + 1);
}

bool broad_split_join(broad_split *split)
{
    split->found = 0;
    bool enough = join_range(split, 0, 0) && split->take(split);
    split->boxes.count = split->found = 0;
    return enough;
}
