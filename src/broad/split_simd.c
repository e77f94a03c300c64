/* Sweeps along an axis. Boxes that begin where another one is, on that axis, are next to each other: eight of them are
 * compared with it at a time. */
#include "broad/join_lanes.h"
#include "broad/split.h"

void BASE_ISA(broad_split_fill)(const broad_columns *columns, const broad_split_box *boxes, size_t count, int axis)
{
    size_t stride = columns->stride;
    int next = (axis + 1) % 3, last = (axis + 2) % 3;
    float *to = columns->first;
    for (size_t i = 0; i < count; i++, to++)
    {
        const broad_split_box *box = &boxes[i];
        for (int k = 0; k < 3; k++)
            to[(size_t)k * stride] = box->low[k], to[(size_t)(k + 3) * stride] = box->high[k];
        to[6 * stride] = as_float(0u - (box->marks >> next & 1));
        to[7 * stride] = as_float(0u - (box->marks >> last & 1));
        memcpy(&to[8 * stride], &box->slot, sizeof box->slot);
    }
    for (size_t i = 0; i < BROAD_LANES; i++, to++)
        for (size_t k = 0; k < BROAD_COLUMNS; k++)
            to[k * stride] = k < 3 ? INFINITY : k < 6 ? -INFINITY : 0.0f;
}

/* A box in all lanes, and its marks. */
typedef struct probe
{
    box8 box;
    f8 marks[2];
} probe;

static BASE_ALWAYS_INLINE probe make_probe(const broad_split_box *box, int axis)
{
    probe p;
    for (int k = 0; k < 3; k++)
        p.box.low[k] = f8_set1(box->low[k]), p.box.high[k] = f8_set1(box->high[k]);
    for (int k = 0; k < 2; k++)
        p.marks[k] = f8_set1(as_float(0u - (box->marks >> (axis + 1 + k) % 3 & 1)));
    return p;
}

/* By how much eight boxes meet one; not a number where they have a common mark. */
static BASE_ALWAYS_INLINE f8 depth(const probe *p, const float *others, size_t stride, bool marked)
{
    f8 least = f8_set1(INFINITY);
    for (size_t k = 0; k < 3; k++)
    {
        least = f8_min(f8_sub(f8_loadu(others + (k + 3) * stride), p->box.low[k]), least);
        least = f8_min(f8_sub(p->box.high[k], f8_loadu(others + k * stride)), least);
    }
    if (!marked)
        return least;
    f8 one = f8_and(f8_loadu(others + 6 * stride), p->marks[0]);
    return f8_or(least, f8_or(one, f8_and(f8_loadu(others + 7 * stride), p->marks[1])));
}

/* The first of the sorted others that counts for a box. */
static uint32_t find_start(const float *lows, uint32_t count, float low, bool behind)
{
    uint32_t first = 0, last = count;
    while (first < last)
    {
        uint32_t middle = first + (last - first) / 2;
        if (lows[middle] < low || (behind && lows[middle] == low))
            first = middle + 1;
        else
            last = middle;
    }
    return first;
}

static BASE_ALWAYS_INLINE void sweep_range(broad_join *join, const broad_pass *sweep, uint32_t first, uint32_t last,
                                           bool marked)
{
    size_t stride = sweep->others.stride;
    const float *others = sweep->others.first, *lows = others + (size_t)sweep->axis * stride;
    const broad_split_box *boxes = sweep->boxes;
    int axis = sweep->axis;
    uint32_t start = sweep->self ? 0 : find_start(lows, sweep->other_count, boxes[first].low[axis], sweep->behind);
    make_room(join, 1);
    target to = begin_target(join);
    uint64_t tested = 0;
    for (uint32_t i = first; i < last; i++)
    {
        float low = boxes[i].low[axis], high = boxes[i].high[axis];
        if (sweep->self)
            start = i + 1;
        else /* behind the last one they are infinite, which is not less */
            while (lows[start] < low || (sweep->behind && lows[start] == low))
                start++;
        probe p = make_probe(&boxes[i], axis);
        f8 slack = slack_of(&p.box, join->margin);
        for (uint32_t k = start; lows[k] <= high; k += BROAD_LANES, tested++)
        {
            if (BASE_UNLIKELY(to.pairs > join->pairs + BROAD_PAIRS - BROAD_LANES ||
                              to.unsure > join->unsure + BROAD_PAIRS - BROAD_LANES))
                end_target(join, &to), make_room(join, 1), to = begin_target(join);
            const uint32_t *slots = (const uint32_t *)(const void *)(others + 8 * stride + k);
            add_pairs(&to, depth(&p, others + k, stride, marked), slack, slots, boxes[i].slot);
        }
    }
    end_target(join, &to);
    join->tested += tested;
}

void BASE_ISA(broad_split_sweep)(broad_join *join, const broad_pass *sweep, uint32_t first, uint32_t last)
{
    if (sweep->marked)
        sweep_range(join, sweep, first, last, true);
    else
        sweep_range(join, sweep, first, last, false);
}
