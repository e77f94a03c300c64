/* Sweeps along an axis. Boxes that begin where another one is, on that axis, are next to each other: eight of them are
 * compared with it at a time. */
#include "broad/join_lanes.h"
#include "broad/split.h"

/* Eight boxes behind the last one that meet nothing. */
static void end_columns(const broad_columns *columns, size_t count, size_t column_count)
{
    for (size_t k = 0; k < column_count; k++)
        for (size_t i = 0; i < BROAD_LANES; i++)
            columns->first[k * columns->stride + count + i] = k < 3 ? INFINITY : k < 6 ? -INFINITY : 0.0f;
}

void BASE_ISA(broad_split_fill)(const broad_columns *columns, const broad_group *groups, const uint64_t *keys,
                                size_t count)
{
    enum
    {
        AHEAD = 12 /* boxes for which memory is asked in advance */
    };
    _Static_assert(offsetof(broad_group, slot) == 6 * BROAD_LANES * sizeof(float), "rows in the order of columns");
    size_t stride = columns->stride;
    float *to = columns->first;
    for (size_t i = 0; i < count; i++, to++)
    {
        const broad_group *later = &groups[(uint32_t)keys[i + AHEAD < count ? i + AHEAD : i] / BROAD_LANES];
        for (size_t at = 0; at < sizeof *later; at += BASE_CACHE_LINE)
            __builtin_prefetch((const char *)later + at);
        uint32_t lane = (uint32_t)keys[i];
        const float *box = (const float *)(const void *)&groups[lane / BROAD_LANES] + lane % BROAD_LANES;
        for (size_t k = 0; k < BROAD_COLUMNS; k++)
            memcpy(&to[k * stride], &box[k * BROAD_LANES], sizeof *to);
    }
    end_columns(columns, count, BROAD_COLUMNS);
}

void BASE_ISA(broad_split_pick)(const broad_columns *columns, const broad_columns *from, const uint32_t *stack,
                                size_t count)
{
    const uint32_t mask = (1u << BROAD_MARK_SHIFT) - 1;
    for (size_t k = 0; k < BROAD_COLUMNS; k++)
    {
        float *to = columns->first + k * columns->stride;
        const float *box = from->first + k * from->stride;
        for (size_t i = 0; i < count; i++)
            memcpy(&to[i], &box[stack[i] & mask], sizeof *to);
    }
    for (size_t k = 0; k < 2; k++)
    {
        float *to = columns->first + (BROAD_COLUMNS + k) * columns->stride;
        for (size_t i = 0; i < count; i++)
            to[i] = as_float(0u - (stack[i] >> (BROAD_MARK_SHIFT + k) & 1));
    }
    end_columns(columns, count, BROAD_MARKED_COLUMNS);
}

/* A box in all lanes, and its marks. */
typedef struct probe
{
    box8 box;
    f8 marks[2];
} probe;

static BASE_ALWAYS_INLINE probe make_probe(const float *box, size_t stride, bool marked)
{
    probe p;
    for (size_t k = 0; k < 3; k++)
        p.box.low[k] = f8_set1(box[k * stride]), p.box.high[k] = f8_set1(box[(k + 3) * stride]);
    for (size_t k = 0; k < 2; k++)
        p.marks[k] = marked ? f8_set1(box[(BROAD_COLUMNS + k) * stride]) : f8_zero();
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
    f8 one = f8_and(f8_loadu(others + 7 * stride), p->marks[0]);
    return f8_or(least, f8_or(one, f8_and(f8_loadu(others + 8 * stride), p->marks[1])));
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

static const uint32_t *slots_of(const broad_columns *columns)
{
    return (const uint32_t *)(const void *)(columns->first + 6 * columns->stride);
}

static BASE_ALWAYS_INLINE void sweep_range(broad_join *join, const broad_pass *sweep, uint32_t first, uint32_t last,
                                           bool marked)
{
    size_t stride = sweep->others.stride, own_stride = sweep->boxes.stride, axis = (size_t)sweep->axis;
    const float *others = sweep->others.first, *lows = others + axis * stride;
    const float *boxes = sweep->boxes.first, *own_lows = boxes + axis * own_stride,
                *own_highs = own_lows + 3 * own_stride;
    const uint32_t *own_slots = slots_of(&sweep->boxes), *slots = slots_of(&sweep->others);
    uint32_t start = sweep->self ? 0 : find_start(lows, sweep->other_count, own_lows[first], sweep->behind);
    make_room(join, 1);
    target to = begin_target(join);
    uint64_t tested = 0;
    for (uint32_t i = first; i < last; i++)
    {
        float low = own_lows[i], high = own_highs[i];
        if (sweep->self)
            start = i + 1;
        else /* behind the last one they are infinite, which is not less */
            while (lows[start] < low || (sweep->behind && lows[start] == low))
                start++;
        probe p = make_probe(boxes + i, own_stride, marked);
        f8 slack = slack_of(&p.box, join->margin);
        for (uint32_t k = start; lows[k] <= high; k += BROAD_LANES, tested++)
        {
            if (BASE_UNLIKELY(to.pairs > join->pairs + BROAD_PAIRS - BROAD_LANES ||
                              to.unsure > join->unsure + BROAD_PAIRS - BROAD_LANES))
                end_target(join, &to), make_room(join, 1), to = begin_target(join);
            add_pairs(&to, depth(&p, others + k, stride, marked), slack, slots + k, own_slots[i]);
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
