/* Long thin boxes: where space is halved before two classes are swept. Boxes in a part of space are listed on a stack
 * that holds one path of parts at a time. */
#include "broad/split.h"

enum
{
    MAX_DEPTH = 48,
    CUT_SAMPLES = 24 /* of each side: where it would be halved, and what is gained by it */
};
#define INDEX_MASK ((1u << BROAD_MARK_SHIFT) - 1)
/* Costs of a step for one box, in comparisons with eight others. */
#define COST_SWEPT  2.0
#define COST_COPIED 2.0

/* ---- sides ---- */

/* Boxes in parts of space; two in a word. */
static uint32_t *stack_of(const broad_split *split) { return (uint32_t *)(void *)split->keys->items; }

static bool reserve_stack(broad_split *split, size_t extra)
{
    split->keys->count = split->top / 2;
    return base_array_reserve(split->context, split->keys, extra / 2 + 2);
}

static int side_count(const broad_sides *s) { return s->self ? 1 : 2; }

/* The ends of a side's boxes along an axis. */
typedef struct ends
{
    const float *low, *high; /* of the whole class */
    const uint32_t *list;    /* null: all of it */
    size_t count;
} ends;

static ends ends_of(const broad_split *split, const broad_sides *s, int k, int axis)
{
    const broad_side *side = &s->side[s->self ? 0 : k];
    const float *low = side->columns.first + (size_t)axis * side->columns.stride;
    const uint32_t *list = s->listed ? stack_of(split) + side->first : NULL;
    return (ends){low, low + 3 * side->columns.stride, list, side->count};
}

static size_t index_of(const ends *e, size_t i) { return e->list ? e->list[i] & INDEX_MASK : i; }

/* ---- cuts ---- */

/* Where the sorted boxes begin that begin behind a place. */
static size_t find_behind(const ends *boxes, float at)
{
    size_t first = 0, last = boxes->count;
    while (first < last)
    {
        size_t middle = first + (last - first) / 2;
        if (boxes->low[index_of(boxes, middle)] <= at)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* About how many comparisons with eight others a sweep needs. */
static double guess_tests(const broad_split *split, const broad_sides *s)
{
    double sum = 0.0;
    for (int k = 0; k < side_count(s); k++)
    {
        ends own = ends_of(split, s, k, s->axis), others = ends_of(split, s, 1 - k, s->axis);
        size_t samples = own.count < CUT_SAMPLES ? own.count : CUT_SAMPLES, found = 0;
        for (size_t i = 0; i < samples; i++)
        {
            size_t box = index_of(&own, i * own.count / samples);
            found += find_behind(&others, own.high[box]) - find_behind(&others, own.low[box]);
        }
        sum += (double)found * (double)own.count / (double)samples / BROAD_LANES;
    }
    return sum;
}

typedef struct cut
{
    int axis; /* -1: none is worth it */
    float at;
    size_t before[2], beyond[2]; /* boxes of each side */
} cut;

/* What is left to do after a cut, if that leaves so much of the tests. */
static double cost_after(const broad_sides *s, const cut *c, double tests)
{
    double left = 0.0, copies = (double)(c->before[0] + c->beyond[0]), count = (double)s->side[0].count;
    double before = (double)c->before[0] / count, beyond = (double)c->beyond[0] / count;
    if (s->self)
        left = before * before + beyond * beyond;
    else
    {
        double others = (double)s->side[1].count;
        left = before * ((double)c->before[1] / others) + beyond * ((double)c->beyond[1] / others);
        copies += (double)(c->before[1] + c->beyond[1]);
    }
    return left * tests + copies * (COST_SWEPT + COST_COPIED);
}

static double box_count(const broad_sides *s) { return (double)(s->side[0].count + (s->self ? 0 : s->side[1].count)); }

/* Counts some boxes of each side, every `step` of them, that are before a cut and beyond it. */
static void count_sides(const broad_split *split, const broad_sides *s, const size_t step[2], cut *c)
{
    for (int k = 0; k < side_count(s); k++)
    {
        ends own = ends_of(split, s, k, c->axis);
        size_t before = 0, beyond = 0;
        for (size_t i = 0; i < own.count; i += step[k])
        {
            size_t box = index_of(&own, i);
            before += own.low[box] <= c->at, beyond += own.high[box] >= c->at;
        }
        c->before[k] = before * step[k], c->beyond[k] = beyond * step[k];
    }
}

/* Halves the centres of samples along an axis. */
static float middle_along(const broad_split *split, const broad_sides *s, int axis)
{
    float centres[2 * CUT_SAMPLES];
    int n = 0;
    for (int k = 0; k < side_count(s); k++)
    {
        ends own = ends_of(split, s, k, axis);
        for (size_t i = 0; i < CUT_SAMPLES; i++)
        {
            size_t box = index_of(&own, i * own.count / CUT_SAMPLES);
            centres[n++] = 0.5f * own.low[box] + 0.5f * own.high[box];
        }
    }
    broad_split_sort(centres, n);
    return centres[n / 2];
}

/* Across which of the axes that are not swept along space is halved, if that makes it cheaper. What copies cost is less
 * than what is saved, so that all cuts together cost less than a sweep without them, as far as samples tell. */
static cut choose_cut(const broad_split *split, const broad_sides *s)
{
    cut best = {.axis = -1};
    const size_t every[2] = {1, 1};
    size_t step[2];
    for (int k = 0; k < 2; k++)
        step[k] = s->side[k].count / CUT_SAMPLES + 1;
    double tests = guess_tests(split, s), without = tests + COST_SWEPT * box_count(s), lowest = without;
    if (tests < COST_COPIED * box_count(s)) /* it can't be */
        return best;
    for (int i = 1; i < 3; i++)
    {
        cut c = {.axis = (s->axis + i) % 3};
        c.at = middle_along(split, s, c.axis);
        count_sides(split, s, step, &c);
        double cost = cost_after(s, &c, tests);
        if (cost < lowest)
            lowest = cost, best = c;
    }
    if (best.axis < 0)
        return best;
    count_sides(split, s, every, &best);
    if (cost_after(s, &best, tests) >= without)
        best.axis = -1;
    return best;
}

/* ---- recursion ---- */

/* Columns of the boxes that are listed; those of a whole class exist. */
static bool fill_columns(broad_split *split, const broad_sides *s, broad_columns columns[2])
{
    size_t room[2] = {s->side[0].count + BROAD_LANES, s->self ? 0 : s->side[1].count + BROAD_LANES};
    for (int k = 0; k < 2; k++)
        columns[k] = s->side[k].columns;
    if (!s->listed)
        return true;
    if (!broad_split_renew(split->context, split->sorted, (BROAD_MARKED_COLUMNS * (room[0] + room[1]) + 1) / 2))
        return false;
    float *floats = (float *)(void *)split->sorted->items; /* two in a word */
    for (int k = 0; k < side_count(s); k++)
    {
        const broad_side *side = &s->side[k];
        columns[k] = (broad_columns){floats + (k ? BROAD_MARKED_COLUMNS * room[0] : 0), room[k]};
        BASE_PICK_ISA(split->context, broad_split_pick)
        (&columns[k], &side->columns, stack_of(split) + side->first, side->count);
    }
    return true;
}

static bool sweep(broad_split *split, const broad_sides *s)
{
    broad_columns columns[2];
    if (!fill_columns(split, s, columns))
        return false;
    for (int k = 0; k < side_count(s); k++)
    {
        int other = s->self ? 0 : 1 - k;
        broad_pass one = {.boxes = columns[k],
                          .others = columns[other],
                          .count = (uint32_t)s->side[k].count,
                          .other_count = (uint32_t)s->side[other].count,
                          .axis = s->axis,
                          .self = s->self,
                          .behind = k == 1,
                          .marked = s->listed};
        split->sweep(split, &one);
    }
    return true;
}

/* Lists those of a side's boxes that are on one side of a cut at the end of the stack, where there is room. */
static void list_half(broad_split *split, const ends *boxes, const cut *c, bool beyond, uint32_t mark)
{
    uint32_t *to = stack_of(split) + split->top;
    for (size_t i = 0; i < boxes->count; i++)
    {
        uint32_t entry = boxes->list ? boxes->list[i] : (uint32_t)i, box = entry & INDEX_MASK;
        bool is_before = boxes->low[box] <= c->at, is_beyond = boxes->high[box] >= c->at;
        *to = entry | (beyond && is_before ? mark : 0);
        to += beyond ? is_beyond : is_before;
    }
    split->top = (size_t)(to - stack_of(split));
}

/* The half of two sides that is before a cut, or beyond it. False when out of memory. */
static bool list_sides(broad_split *split, const broad_sides *s, const cut *c, bool beyond, broad_sides *part)
{
    const size_t *counts = beyond ? c->beyond : c->before;
    *part = (broad_sides){.axis = s->axis, .self = s->self, .listed = true};
    if (!reserve_stack(split, counts[0] + counts[1]))
        return false;
    for (int k = 0; k < side_count(s); k++)
    {
        ends boxes = ends_of(split, s, k, c->axis);
        part->side[k] = (broad_side){s->side[k].columns, 0, split->top};
        list_half(split, &boxes, c, beyond, 1u << (BROAD_MARK_SHIFT + (c->axis - s->axis + 2) % 3));
        part->side[k].count = split->top - part->side[k].first;
    }
    return true;
}

static bool join_sides(broad_split *split, const broad_sides *s, int depth)
{
    if (s->side[0].count == 0 || (!s->self && s->side[1].count == 0))
        return true;
    cut c = {.axis = -1};
    if (depth < MAX_DEPTH)
        c = choose_cut(split, s);
    if (c.axis < 0)
        return sweep(split, s);
    size_t top = split->top;
    split->cut_count++;
    for (int half = 0; half < 2; half++)
    {
        broad_sides part;
        if (!list_sides(split, s, &c, half, &part) || !join_sides(split, &part, depth + 1))
            return false;
        split->top = top;
    }
    return true;
}

bool broad_split_sides(broad_split *split, const broad_sides *sides)
{
    split->top = 0;
    return join_sides(split, sides, 0);
}
