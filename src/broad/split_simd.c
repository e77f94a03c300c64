/* Halving space: copies to both sides, and comparisons of all boxes of a range. */
#include "base/simd.h"
#include "broad/split.h"

broad_split_sides BASE_ISA(broad_split_range)(const broad_split_box *boxes, size_t count, int axis, float at,
                                              broad_split_box *room)
{
    broad_split_box *before = room, *beyond = room + count;
    for (size_t i = 0; i < count; i++)
    {
        const broad_split_box *box = &boxes[i];
        bool is_before = box->low[axis] <= at, is_beyond = box->high[axis] >= at;
        *before = *beyond = *box;
        beyond->marks |= (uint32_t)is_before << axis;
        before += is_before, beyond += is_beyond;
    }
    return (broad_split_sides){(size_t)(before - room), (size_t)(beyond - room) - count};
}

/* Eight boxes, one after the other in each array. */
typedef struct lanes
{
    _Alignas(32) float low[3][8], high[3][8];
    uint32_t marks[8], slot[8], used; /* used: a bit per box */
} lanes;

static void fill(lanes *to, const broad_split_box *boxes, size_t count)
{
    for (size_t i = 0; i < 8; i++)
        for (int axis = 0; axis < 3; axis++)
        {
            to->low[axis][i] = i < count ? boxes[i].low[axis] : INFINITY;
            to->high[axis][i] = i < count ? boxes[i].high[axis] : -INFINITY;
        }
    for (size_t i = 0; i < 8; i++)
        to->marks[i] = i < count ? boxes[i].marks : ~0u, to->slot[i] = i < count ? boxes[i].slot : 0;
    to->used = 0xffu >> (8 - count); /* a box without end meets the others, too */
}

static BASE_ALWAYS_INLINE uint32_t meet(const lanes *others, const broad_split_box *box)
{
    f8 all = f8_le(f8_load(others->low[0]), f8_set1(box->high[0]));
    all = f8_and(all, f8_ge(f8_load(others->high[0]), f8_set1(box->low[0])));
    for (int axis = 1; axis < 3; axis++)
    {
        all = f8_and(all, f8_le(f8_load(others->low[axis]), f8_set1(box->high[axis])));
        all = f8_and(all, f8_ge(f8_load(others->high[axis]), f8_set1(box->low[axis])));
    }
    return f8_bits(all) & others->used;
}

/* The boxes of one range against eight later ones. */
static bool test(broad_split *split, const broad_split_box *boxes, size_t count, const lanes *others)
{
    for (size_t i = 0; i < count; i++)
    {
        for (uint32_t mask = meet(others, &boxes[i]); mask; mask &= mask - 1)
        {
            int k = __builtin_ctz(mask);
            split->slot_a[split->found] = boxes[i].slot, split->slot_b[split->found] = others->slot[k];
            split->found += !(boxes[i].marks & others->marks[k]);
        }
        if (split->found > BROAD_SPLIT_CANDIDATES - 64)
        {
            if (!split->take(split))
                return false;
            split->found = 0;
        }
    }
    split->tested += count;
    return true;
}

bool BASE_ISA(broad_split_leaf)(broad_split *split, size_t first, size_t count)
{
    const broad_split_box *boxes = split->boxes.items + first;
    for (size_t begin = 0; begin < count; begin += 8)
    {
        lanes others;
        size_t n = count - begin < 8 ? count - begin : 8;
        fill(&others, boxes + begin, n);
        if (!test(split, boxes, begin, &others))
            return false;
        for (size_t i = 0; i < n; i++) /* with each other */
            for (size_t k = i + 1; k < n; k++)
            {
                bool near = !(boxes[begin + i].marks & boxes[begin + k].marks);
                for (int axis = 0; axis < 3; axis++)
                    near &= boxes[begin + i].low[axis] <= boxes[begin + k].high[axis] &&
                            boxes[begin + k].low[axis] <= boxes[begin + i].high[axis];
                split->slot_a[split->found] = boxes[begin + i].slot,
                split->slot_b[split->found] = boxes[begin + k].slot;
                split->found += near;
            }
        if (split->found > BROAD_SPLIT_CANDIDATES - 64)
        {
            if (!split->take(split))
                return false;
            split->found = 0;
        }
    }
    return true;
}
