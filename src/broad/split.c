/* Long thin boxes: their classes, and along which axis two classes are sorted and swept. */
#include "broad/split.h"

enum
{
    RANGE_SAMPLES = 31, /* whose quartiles say how far boxes are spread */
    EXTENT_SAMPLES = 2048,
    PAIR_SAMPLES = 48 /* of each class; which share of their pairs overlaps along each axis */
};
#define BIMODAL                                                                                                        \
    0.6 /* if the mean extent of those below the mean is less than this share of it, they are two classes              \
         */

void broad_split_free(broad_split *split)
{
    base_array_free(split->context, &split->lanes);
    base_array_free(split->context, &split->columns);
}

/* ---- boxes ---- */

/* All boxes: a word each, a lane in the lower half and a class in the upper one. */
typedef struct box_list
{
    const broad_group *groups[2]; /* the others are apart */
    uint64_t *words;
    size_t count;
} box_list;

/* A box's numbers are eight floats from each other: low, high. */
static const float *box_in(const broad_group *groups, uint32_t lane)
{
    return (const float *)(const void *)&groups[lane / BROAD_LANES] + lane % BROAD_LANES;
}
static const float *box_at(const box_list *list, size_t i)
{
    return box_in(list->groups[list->words[i] >> 32 & BROAD_SPLIT_APART ? 1 : 0], (uint32_t)list->words[i]);
}
static float low_of(const float *box, int axis) { return box[BROAD_LANES * axis]; }
static float high_of(const float *box, int axis) { return box[BROAD_LANES * (axis + 3)]; }

/* Lists the used lanes of groups; there is room. */
static void list_boxes(box_list *list, const broad_groups *groups, uint64_t class)
{
    uint64_t *to = list->words + list->count;
    for (size_t g = 0; g < groups->levels[0].count; g++)
    {
        const broad_group *group = &groups->levels[0].items[g];
        for (size_t i = 0; i < BROAD_LANES; i++)
        {
            *to = class << 32 | (g * BROAD_LANES + i);
            to += group->low[0][i] <= group->high[0][i]; /* not if the lane is free */
        }
    }
    list->groups[class ? 1 : 0] = groups->levels[0].items;
    list->count = (size_t)(to - list->words);
}

/* ---- classes ---- */

void broad_split_sort(float *values, int count)
{
    for (int i = 1; i < count; i++)
        for (int k = i; k > 0 && values[k] < values[k - 1]; k--)
        {
            float value = values[k];
            values[k] = values[k - 1], values[k - 1] = value;
        }
}

/* How far boxes are spread along an axis, as far as some of them tell. */
static float range_along(const box_list *list, int axis)
{
    float centres[RANGE_SAMPLES];
    for (size_t i = 0; i < RANGE_SAMPLES; i++)
    {
        const float *box = box_at(list, i * list->count / RANGE_SAMPLES);
        centres[i] = 0.5f * low_of(box, axis) + 0.5f * high_of(box, axis);
    }
    broad_split_sort(centres, RANGE_SAMPLES);
    return 2.0f * (centres[3 * RANGE_SAMPLES / 4] - centres[RANGE_SAMPLES / 4]);
}

static float extent_at(const box_list *list, size_t i, int axis)
{
    const float *box = box_at(list, i);
    return high_of(box, axis) - low_of(box, axis);
}

/* The extent beyond which a box is long along an axis, as far as some of them tell; infinite if boxes are not of two
 * kinds. What is longer than the range of all counts as that long. */
static float long_extent(const box_list *list, int axis)
{
    float range = range_along(list, axis);
    size_t count = list->count, step = count / EXTENT_SAMPLES + 1, samples = (count + step - 1) / step, short_count = 0;
    double sum = 0.0, short_sum = 0.0;
    for (size_t i = 0; i < count; i += step)
        sum += (double)fminf(extent_at(list, i, axis), range);
    double mean = sum / (double)samples;
    for (size_t i = 0; i < count; i += step)
    {
        double extent = (double)extent_at(list, i, axis);
        bool is_short = extent <= mean;
        short_sum += is_short ? extent : 0.0, short_count += is_short;
    }
    return short_count > 0 && short_sum / (double)short_count < BIMODAL * mean ? (float)mean : INFINITY;
}

/* A class of boxes: where its lanes begin, and its columns while it is sorted along an axis. */
typedef struct box_class
{
    const broad_group *groups;
    const uint32_t *lanes;
    size_t count;
    broad_columns columns;
} box_class;

/* Puts the lanes of each class together. */
static void divide(const box_list *list, uint32_t *lanes, box_class classes[BROAD_SPLIT_CLASSES])
{
    size_t next[BROAD_SPLIT_CLASSES] = {0}, sum = 0;
    float longer[3];
    for (int axis = 0; axis < 3; axis++)
        longer[axis] = long_extent(list, axis);
    for (size_t i = 0; i < list->count; i++)
    {
        const float *box = box_at(list, i);
        for (int axis = 0; axis < 3; axis++)
            list->words[i] |= (uint64_t)(high_of(box, axis) - low_of(box, axis) > longer[axis]) << (32 + axis);
        next[list->words[i] >> 32]++;
    }
    for (size_t i = 0; i < BROAD_SPLIT_CLASSES; i++)
    {
        classes[i] = (box_class){list->groups[i & BROAD_SPLIT_APART ? 1 : 0], lanes + sum, next[i], {NULL, 0}};
        next[i] = sum, sum += classes[i].count;
    }
    for (size_t i = 0; i < list->count; i++)
        lanes[next[list->words[i] >> 32]++] = (uint32_t)list->words[i];
}

/* False when out of memory. */
static bool make_classes(broad_split *split, const broad_groups *groups, const broad_groups *apart, box_class *classes)
{
    size_t room = groups->levels[0].count + (apart ? apart->levels[0].count : 0);
    if (!broad_split_renew(split->context, split->keys, BROAD_LANES * room + 1))
        return false;
    box_list list = {{NULL, NULL}, split->keys->items, 0};
    list_boxes(&list, groups, 0);
    if (apart)
        list_boxes(&list, apart, BROAD_SPLIT_APART);
    if (!broad_split_renew(split->context, &split->lanes, list.count))
        return false;
    if (list.count > 0)
        divide(&list, split->lanes.items, classes);
    split->lanes.count = list.count;
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

/* Sorts a class along an axis by where boxes begin, which is rounded for it, and fills its columns. There is room. */
static void sort_class(broad_split *split, box_class *class, int axis)
{
    size_t count = class->count, room_for = count + BROAD_LANES;
    uint64_t *keys = split->keys->items, *sorted = split->sorted->items;
    for (size_t i = 0; i < count; i++)
        keys[i] = (uint64_t)to_code(low_of(box_in(class->groups, class->lanes[i]), axis)) << 32 | class->lanes[i];
    base_sort_codes(split->context, keys, sorted, (uint32_t)count);
    class->columns = (broad_columns){split->columns.items + split->columns.count, room_for};
    split->columns.count += BROAD_COLUMNS * room_for;
    BASE_PICK_ISA(split->context, broad_split_fill)(&class->columns, class->groups, sorted, count);
    float *lows = class->columns.first + (size_t)axis * room_for;
    for (size_t i = 0; i < count; i++)
        lows[i] = from_code((uint32_t)(sorted[i] >> 32));
}

/* ---- all classes ---- */

/* Along which axis the fewest pairs of boxes of two classes overlap, as far as some of them tell. */
static int best_axis(const box_class *a, const box_class *b)
{
    size_t overlaps[3] = {0, 0, 0};
    for (size_t i = 0; i < PAIR_SAMPLES; i++)
        for (size_t k = 0; k < PAIR_SAMPLES; k++)
        {
            const float *one = box_in(a->groups, a->lanes[i * a->count / PAIR_SAMPLES]);
            const float *other = box_in(b->groups, b->lanes[k * b->count / PAIR_SAMPLES]);
            for (int axis = 0; axis < 3; axis++)
                overlaps[axis] +=
                    low_of(one, axis) <= high_of(other, axis) && low_of(other, axis) <= high_of(one, axis);
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

/* Which classes are swept along each axis. */
typedef struct sweep_plan
{
    class_pair pairs[MAX_PAIRS];
    size_t pair_count;
    uint32_t swept[3]; /* a bit per class */
} sweep_plan;

/* Memory for the axis that needs most, at once, which takes less of it than growing. */
static bool reserve_columns(broad_split *split, const box_class *classes, const sweep_plan *plan)
{
    size_t max_room = 0, max_count = 0;
    for (int axis = 0; axis < 3; axis++)
    {
        size_t room = 0;
        for (uint32_t i = 0; i < BROAD_SPLIT_CLASSES; i++)
            if (plan->swept[axis] >> i & 1)
            {
                room += BROAD_COLUMNS * (classes[i].count + BROAD_LANES);
                max_count = classes[i].count > max_count ? classes[i].count : max_count;
            }
        max_room = room > max_room ? room : max_room;
    }
    return broad_split_renew(split->context, &split->columns, max_room) &&
           broad_split_renew(split->context, split->sorted, max_count);
}

static void plan_sweeps(box_class *classes, sweep_plan *plan)
{
    *plan = (sweep_plan){.pair_count = 0};
    for (uint32_t i = 0; i < BROAD_SPLIT_CLASSES; i++)
        for (uint32_t k = i; k < BROAD_SPLIT_CLASSES; k++)
            if (classes[i].count > 0 && classes[k].count > 0 && !(i & k & BROAD_SPLIT_APART))
            {
                int axis = best_axis(&classes[i], &classes[k]);
                plan->pairs[plan->pair_count++] = (class_pair){&classes[i], &classes[k], axis};
                plan->swept[axis] |= 1u << i | 1u << k;
            }
}

static bool sweep_along(broad_split *split, box_class *classes, const sweep_plan *plan, int axis)
{
    split->columns.count = 0;
    for (uint32_t i = 0; i < BROAD_SPLIT_CLASSES; i++)
        if (plan->swept[axis] >> i & 1)
            sort_class(split, &classes[i], axis);
    for (size_t i = 0; i < plan->pair_count; i++)
    {
        const box_class *a = plan->pairs[i].a, *b = plan->pairs[i].b;
        broad_sides sides = {{{a->columns, a->count, 0}, {b->columns, b->count, 0}}, axis, a == b, false};
        if (plan->pairs[i].axis == axis && !broad_split_sides(split, &sides))
            return false;
    }
    return true;
}

bool broad_split_join(broad_split *split, const broad_groups *groups, const broad_groups *apart)
{
    box_class classes[BROAD_SPLIT_CLASSES];
    sweep_plan plan;
    if (!make_classes(split, groups, apart, classes))
        return false;
    split->cut_count = 0;
    if (split->lanes.count == 0)
        return true;
    plan_sweeps(classes, &plan);
    bool enough = reserve_columns(split, classes, &plan);
    for (int axis = 0; axis < 3 && enough; axis++)
        enough = sweep_along(split, classes, &plan, axis);
    return enough;
}
