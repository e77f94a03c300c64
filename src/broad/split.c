/* Long thin boxes: their classes, along which axis two classes are swept, and where space is halved before. */
#include "broad/split.h"

#include <float.h>

enum
{
    MAX_DEPTH = 48,
    RANGE_SAMPLES = 31, /* whose quartiles say how far boxes are spread */
    EXTENT_SAMPLES = 2048,
    PAIR_SAMPLES = 48, /* of each class; which share of their pairs overlaps along each axis */
    CUT_SAMPLES = 24   /* of each side: where it would be halved, and what is gained by it */
};
#define BIMODAL                                                                                                        \
    0.6 /* if the mean extent of those below the mean is less than this share of it, they are two classes              \
         */
/* Costs of a step for one box, in comparisons with eight others. */
#define COST_SWEPT  2.0
#define COST_COPIED 2.0

void broad_split_free(broad_split *split)
{
    base_array_free(split->context, &split->boxes);
    base_array_free(split->context, &split->keys);
    base_array_free(split->context, &split->sorted);
    base_array_free(split->context, &split->columns);
    base_array_free(split->context, &split->scratch);
}

bool broad_split_add(broad_split *split, const broad_groups *groups, uint32_t marks)
{
    size_t count = groups->levels[0].count;
    if (!base_array_reserve(split->context, &split->boxes, count * BROAD_LANES))
        return false;
    broad_split_box *to = split->boxes.items + split->boxes.count;
    for (size_t g = 0; g < count; g++)
    {
        const broad_group *group = &groups->levels[0].items[g];
        for (int i = 0; i < BROAD_LANES; i++)
        {
            *to = (broad_split_box){{group->low[0][i], group->low[1][i], group->low[2][i]},
                                    {group->high[0][i], group->high[1][i], group->high[2][i]},
                                    group->slot[i],
                                    marks};
            to += group->low[0][i] <= group->high[0][i]; /* not if the lane is free */
        }
    }
    split->boxes.count = (size_t)(to - split->boxes.items);
    return true;
}

/* ---- classes ---- */

static void sort_floats(float *values, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && values[k] < values[k - 1]; k--)
        {
            float value = values[k];
            values[k] = values[k - 1], values[k - 1] = value;
        }
}

static float centre(const broad_split_box *box, int axis) { return 0.5f * box->low[axis] + 0.5f * box->high[axis]; }

/* How far boxes are spread along an axis, as far as some of them tell. */
static float range_along(const broad_split_box *boxes, size_t count, int axis)
{
    float centres[RANGE_SAMPLES];
    for (size_t i = 0; i < RANGE_SAMPLES; i++)
        centres[i] = centre(&boxes[i * count / RANGE_SAMPLES], axis);
    sort_floats(centres, RANGE_SAMPLES);
    return 2.0f * (centres[3 * RANGE_SAMPLES / 4] - centres[RANGE_SAMPLES / 4]);
}

/* The extent beyond which a box is long along an axis, as far as some of them tell; infinite if boxes are not of two
 * kinds. What is longer than the range of all counts as that long. */
static float long_extent(const broad_split_box *boxes, size_t count, int axis)
{
    float range = range_along(boxes, count, axis);
    size_t step = count / EXTENT_SAMPLES + 1, samples = (count + step - 1) / step, short_count = 0;
    double sum = 0.0, short_sum = 0.0;
    for (size_t i = 0; i < count; i += step)
        sum += (double)fminf(boxes[i].high[axis] - boxes[i].low[axis], range);
    double mean = sum / (double)samples;
    for (size_t i = 0; i < count; i += step)
    {
        double extent = (double)(boxes[i].high[axis] - boxes[i].low[axis]);
        bool is_short = extent <= mean;
        short_sum += is_short ? extent : 0.0, short_count += is_short;
    }
    return short_count > 0 && short_sum / (double)short_count < BIMODAL * mean ? (float)mean : INFINITY;
}

/* A class of boxes: where they are, and their columns. */
typedef struct box_class
{
    size_t first, count;
    broad_columns columns;
} box_class;

static uint32_t class_of(const broad_split_box *box, const float longer[3])
{
    uint32_t class = box->marks;
    for (int axis = 0; axis < 3; axis++)
        class |= (uint32_t)(box->high[axis] - box->low[axis] > longer[axis]) << axis;
    return class;
}

/* Copies the boxes so that those of the same class are together, and leaves their old places as scratch. */
static bool divide(broad_split *split, box_class classes[BROAD_SPLIT_CLASSES])
{
    size_t count = split->boxes.count, next[BROAD_SPLIT_CLASSES] = {0}, sum = count;
    if (!base_array_reserve(split->context, &split->boxes, count))
        return false;
    broad_split_box *boxes = split->boxes.items;
    float longer[3];
    for (int axis = 0; axis < 3; axis++)
        longer[axis] = long_extent(boxes, count, axis);
    for (size_t i = 0; i < count; i++)
    {
        boxes[i].marks = class_of(&boxes[i], longer);
        next[boxes[i].marks]++;
    }
    for (int i = 0; i < BROAD_SPLIT_CLASSES; i++)
    {
        classes[i] = (box_class){sum, next[i], {NULL, 0}};
        next[i] = sum, sum += classes[i].count;
    }
    for (size_t i = 0; i < count; i++)
    {
        broad_split_box *to = &boxes[next[boxes[i].marks]++];
        *to = boxes[i], to->marks = 0;
    }
    split->boxes.count = 2 * count;
    return true;
}

/* ---- sorting along an axis ---- */

/* Numbers in the order of floats, of 30 bits: floats are rounded down for it. */
static uint32_t to_code(float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return (bits >> 31 ? ~bits : bits | 1u << 31) >> 2;
}

static float from_code(uint32_t code)
{
    uint32_t bits = code << 2;
    bits = bits >> 31 ? bits & ~(1u << 31) : ~bits;
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

/* Sorts a class along an axis by where boxes begin, which is rounded for it, and fills its columns. */
static bool sort_class(broad_split *split, box_class *class, int axis)
{
    size_t count = class->count, room_for = count + BROAD_LANES;
    split->keys.count = split->sorted.count = 0;
    if (!base_array_reserve(split->context, &split->keys, count) ||
        !base_array_reserve(split->context, &split->sorted, count))
        return false;
    broad_split_box *room = split->boxes.items, *boxes = room + class->first;
    for (size_t i = 0; i < count; i++)
        split->keys.items[i] = (uint64_t)to_code(boxes[i].low[axis]) << 32 | i;
    base_sort_codes(split->context, split->keys.items, split->sorted.items, (uint32_t)count);
    for (size_t i = 0; i < count; i++)
    {
        uint64_t key = split->sorted.items[i];
        room[i] = boxes[(uint32_t)key];
        room[i].low[axis] = from_code((uint32_t)(key >> 32));
    }
    memcpy(boxes, room, count * sizeof *boxes);
    class->columns = (broad_columns){split->columns.items + split->columns.count, room_for};
    split->columns.count += BROAD_COLUMNS * room_for;
    BASE_PICK_ISA(split->context, broad_split_fill)(&class->columns, boxes, count, axis);
    return true;
}

/* ---- two sets of boxes ---- */

/* Boxes of two sides that are sorted along an axis; with self, of one with each other. */
typedef struct sides
{
    size_t first[2], count[2]; /* on the stack */
    broad_columns columns[2];
    int axis;
    bool self, marked;
} sides;

/* Where the sorted boxes begin that begin behind a place. */
static size_t find_behind(const broad_split_box *boxes, size_t count, int axis, float at)
{
    size_t first = 0, last = count;
    while (first < last)
    {
        size_t middle = first + (last - first) / 2;
        if (boxes[middle].low[axis] <= at)
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

/* About how many comparisons with eight others a sweep needs. */
static double guess_tests(const broad_split_box *boxes, const sides *s)
{
    double sum = 0.0;
    for (int k = 0; k < (s->self ? 1 : 2); k++)
    {
        const broad_split_box *own = boxes + s->first[k], *others = boxes + s->first[s->self ? 0 : 1 - k];
        size_t count = s->count[k], other_count = s->count[s->self ? 0 : 1 - k];
        size_t samples = count < CUT_SAMPLES ? count : CUT_SAMPLES, found = 0;
        for (size_t i = 0; i < samples; i++)
        {
            const broad_split_box *box = &own[i * count / samples];
            found += find_behind(others, other_count, s->axis, box->high[s->axis]) -
                     find_behind(others, other_count, s->axis, box->low[s->axis]);
        }
        sum += (double)found * (double)count / (double)samples / BROAD_LANES;
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
static double cost_after(const sides *s, const cut *c, double tests)
{
    double left = 0.0, copies = (double)(c->before[0] + c->beyond[0]);
    double before = (double)c->before[0] / (double)s->count[0], beyond = (double)c->beyond[0] / (double)s->count[0];
    if (s->self)
        left = before * before + beyond * beyond;
    else
    {
        left = before * ((double)c->before[1] / (double)s->count[1]) +
               beyond * ((double)c->beyond[1] / (double)s->count[1]);
        copies += (double)(c->before[1] + c->beyond[1]);
    }
    return left * tests + copies * (COST_SWEPT + COST_COPIED);
}

static double box_count(const sides *s) { return (double)(s->count[0] + (s->self ? 0 : s->count[1])); }

/* Counts some boxes of each side, every `step` of them, that are before a cut and beyond it. */
static void count_sides(const broad_split_box *boxes, const sides *s, const size_t step[2], cut *c)
{
    for (int k = 0; k < (s->self ? 1 : 2); k++)
    {
        const broad_split_box *own = boxes + s->first[k];
        size_t before = 0, beyond = 0;
        for (size_t i = 0; i < s->count[k]; i += step[k])
            before += own[i].low[c->axis] <= c->at, beyond += own[i].high[c->axis] >= c->at;
        c->before[k] = before * step[k], c->beyond[k] = beyond * step[k];
    }
}

/* Halves the centres of samples along an axis. */
static float middle_along(const broad_split_box *boxes, const sides *s, int axis)
{
    float centres[2 * CUT_SAMPLES];
    int n = 0;
    for (int k = 0; k < (s->self ? 1 : 2); k++)
        for (size_t i = 0; i < CUT_SAMPLES; i++)
            centres[n++] = centre(&boxes[s->first[k] + i * s->count[k] / CUT_SAMPLES], axis);
    sort_floats(centres, n);
    return centres[n / 2];
}

/* Across which of the axes that are not swept along space is halved, if that makes it cheaper. What copies cost is less
 * than what is saved, so that all cuts together cost less than a sweep without them, as far as samples tell. */
static cut choose_cut(const broad_split_box *boxes, const sides *s)
{
    cut best = {.axis = -1};
    const size_t every[2] = {1, 1};
    size_t step[2];
    for (int k = 0; k < 2; k++)
        step[k] = s->count[k] / CUT_SAMPLES + 1;
    double tests = guess_tests(boxes, s), without = tests + COST_SWEPT * box_count(s), lowest = without;
    if (tests < COST_COPIED * box_count(s)) /* it can't be */
        return best;
    for (int i = 1; i < 3; i++)
    {
        cut c = {.axis = (s->axis + i) % 3};
        c.at = middle_along(boxes, s, c.axis);
        count_sides(boxes, s, step, &c);
        double cost = cost_after(s, &c, tests);
        if (cost < lowest)
            lowest = cost, best = c;
    }
    if (best.axis < 0)
        return best;
    count_sides(boxes, s, every, &best);
    if (cost_after(s, &best, tests) >= without)
        best.axis = -1;
    return best;
}

/* ---- recursion ---- */

static void sweep(broad_split *split, const sides *s)
{
    const broad_split_box *boxes = split->boxes.items;
    for (int k = 0; k < (s->self ? 1 : 2); k++)
    {
        int other = s->self ? 0 : 1 - k;
        broad_pass one = {.boxes = boxes + s->first[k],
                          .others = s->columns[other],
                          .count = (uint32_t)s->count[k],
                          .other_count = (uint32_t)s->count[other],
                          .axis = s->axis,
                          .self = s->self,
                          .behind = k == 1,
                          .marked = s->marked};
        split->sweep(split, &one);
    }
}

/* Columns of copies. */
static bool fill_columns(broad_split *split, sides *s)
{
    size_t room[2] = {s->count[0] + BROAD_LANES, s->self ? 0 : s->count[1] + BROAD_LANES};
    split->scratch.count = 0;
    if (!base_array_reserve(split->context, &split->scratch, BROAD_COLUMNS * (room[0] + room[1])))
        return false;
    for (int k = 0; k < (s->self ? 1 : 2); k++)
    {
        s->columns[k] = (broad_columns){split->scratch.items + (k ? BROAD_COLUMNS * room[0] : 0), room[k]};
        BASE_PICK_ISA(split->context, broad_split_fill)
        (&s->columns[k], split->boxes.items + s->first[k], s->count[k], s->axis);
    }
    return true;
}

/* Copies those of some boxes that are on one side of a cut to the end of the stack, where there is room. */
static void copy_half(broad_split *split, size_t first, size_t count, const cut *c, bool beyond)
{
    const broad_split_box *from = split->boxes.items + first;
    broad_split_box *to = split->boxes.items + split->boxes.count;
    int axis = c->axis;
    for (size_t i = 0; i < count; i++)
    {
        bool is_before = from[i].low[axis] <= c->at, is_beyond = from[i].high[axis] >= c->at;
        *to = from[i];
        to->marks |= (uint32_t)(beyond && is_before) << axis;
        to += beyond ? is_beyond : is_before;
    }
    split->boxes.count = (size_t)(to - split->boxes.items);
}

static bool join_sides(broad_split *split, sides *s, int depth)
{
    if (s->count[0] == 0 || (!s->self && s->count[1] == 0))
        return true;
    cut c = {.axis = -1};
    if (depth < MAX_DEPTH)
        c = choose_cut(split->boxes.items, s);
    if (c.axis < 0)
    {
        if (!s->columns[0].first && !fill_columns(split, s))
            return false;
        sweep(split, s);
        return true;
    }
    size_t top = split->boxes.count;
    for (int half = 0; half < 2; half++)
    {
        sides part = {.axis = s->axis, .self = s->self, .marked = true};
        const size_t *counts = half ? c.beyond : c.before;
        if (!base_array_reserve(split->context, &split->boxes, counts[0] + counts[1] + 1))
            return false;
        for (int k = 0; k < (s->self ? 1 : 2); k++)
        {
            part.first[k] = split->boxes.count;
            copy_half(split, s->first[k], s->count[k], &c, half);
            part.count[k] = split->boxes.count - part.first[k];
        }
        if (!join_sides(split, &part, depth + 1))
            return false;
        split->boxes.count = top;
    }
    return true;
}

/* ---- all classes ---- */

/* Along which axis the fewest pairs of boxes of two classes overlap, as far as some of them tell. */
static int best_axis(const broad_split_box *boxes, const box_class *a, const box_class *b)
{
    size_t overlaps[3] = {0, 0, 0};
    for (size_t i = 0; i < PAIR_SAMPLES; i++)
        for (size_t k = 0; k < PAIR_SAMPLES; k++)
        {
            const broad_split_box *one = &boxes[a->first + i * a->count / PAIR_SAMPLES];
            const broad_split_box *other = &boxes[b->first + k * b->count / PAIR_SAMPLES];
            for (int axis = 0; axis < 3; axis++)
                overlaps[axis] += one->low[axis] <= other->high[axis] && other->low[axis] <= one->high[axis];
        }
    int best = 0;
    for (int axis = 1; axis < 3; axis++)
        best = overlaps[axis] < overlaps[best] ? axis : best;
    return best;
}

/* Two classes that are swept along an axis. */
typedef struct class_pair
{
    box_class *a, *b;
    int axis;
} class_pair;

enum
{
    MAX_PAIRS = BROAD_SPLIT_CLASSES * BROAD_SPLIT_CLASSES
};

static size_t list_pairs(const broad_split *split, box_class *classes, class_pair *pairs)
{
    size_t n = 0;
    for (uint32_t i = 0; i < BROAD_SPLIT_CLASSES; i++)
        for (uint32_t k = i; k < BROAD_SPLIT_CLASSES; k++)
            if (classes[i].count > 0 && classes[k].count > 0 && !(i & k & BROAD_SPLIT_APART))
            {
                box_class *a = &classes[i], *b = &classes[k];
                pairs[n++] = (class_pair){a, b, best_axis(split->boxes.items, a, b)};
            }
    return n;
}

static bool join_along(broad_split *split, const class_pair *pairs, size_t count, int axis)
{
    split->columns.count = 0;
    for (size_t i = 0; i < count; i++)
        pairs[i].a->columns.first = pairs[i].b->columns.first = NULL;
    for (size_t i = 0; i < count; i++)
    {
        box_class *a = pairs[i].a, *b = pairs[i].b;
        if (pairs[i].axis != axis)
            continue;
        if ((!a->columns.first && !sort_class(split, a, axis)) || (!b->columns.first && !sort_class(split, b, axis)))
            return false;
        sides s = {{a->first, b->first}, {a->count, b->count}, {a->columns, b->columns}, axis, a == b, false};
        if (!join_sides(split, &s, 0))
            return false;
    }
    return true;
}

bool broad_split_join(broad_split *split)
{
    box_class classes[BROAD_SPLIT_CLASSES];
    class_pair pairs[MAX_PAIRS];
    size_t room = BROAD_COLUMNS * (split->boxes.count + BROAD_LANES * BROAD_SPLIT_CLASSES);
    bool enough = true;
    split->columns.count = 0;
    if (split->boxes.count > 0)
    {
        enough = base_array_reserve(split->context, &split->columns, room) && divide(split, classes);
        size_t count = enough ? list_pairs(split, classes, pairs) : 0;
        for (int axis = 0; axis < 3 && enough; axis++)
            enough = join_along(split, pairs, count, axis);
    }
    split->boxes.count = 0;
    return enough;
}
