/* Boxes as rows of floats: rounding, and tests of one box against eight others. */
#include "base/simd.h"
#include "broad/rows.h"

/* Rounded outwards by two units in the last place: one for the conversion, one for what is done with it. */
static f8 outwards(f8 value, f8 sign)
{
    f8 step = f8_add(f8_mul(f8_abs(value), f8_set1(0x1p-22f)), f8_set1(1e-30f));
    return f8_add(value, f8_mul(sign, step));
}

static void round_eight(float *low, float *high)
{
    f8 largest = f8_set1(1e38f);
    f8_storeu(low, outwards(f8_min(f8_loadu(low), largest), f8_set1(-1.0f)));
    f8_storeu(high, outwards(f8_max(f8_loadu(high), f8_neg(largest)), f8_set1(1.0f)));
}

void BASE_ISA(broad_rows_round)(broad_rows *rows, uint32_t first, uint32_t last)
{
    for (size_t axis = 0; axis < 3; axis++)
    {
        float *low = rows->bounds.items + axis * rows->stride, *high = low + 3 * rows->stride;
        uint32_t i = first;
        for (; last - i >= BROAD_LANES; i += BROAD_LANES)
            round_eight(low + i, high + i);
        float rest_low[BROAD_LANES] = {0}, rest_high[BROAD_LANES] = {0};
        memcpy(rest_low, low + i, (last - i) * sizeof *low);
        memcpy(rest_high, high + i, (last - i) * sizeof *high);
        round_eight(rest_low, rest_high);
        memcpy(low + i, rest_low, (last - i) * sizeof *low);
        memcpy(high + i, rest_high, (last - i) * sizeof *high);
    }
}

/* ---- runs ---- */

/* A box in all lanes. */
typedef struct box8
{
    f8 low[3], high[3];
} box8;

/* The box at a position, grown by the margin. */
static BASE_ALWAYS_INLINE box8 box_at(const broad_rows *rows, uint32_t position)
{
    const float *bound = rows->bounds.items + position;
    box8 box;
    for (size_t axis = 0; axis < 3; axis++)
    {
        box.low[axis] = f8_set1(bound[axis * rows->stride] - rows->margin);
        box.high[axis] = f8_set1(bound[(axis + 3) * rows->stride] + rows->margin);
    }
    return box;
}

/* A box that is smaller by more than boxes and margin may have been rounded by. Where it is near the largest floats,
 * which stand for larger numbers, too, it meets nothing. */
static BASE_ALWAYS_INLINE box8 shrink(const box8 *box, float margin)
{
    f8 unit = f8_set1(0x1p-19f), least = f8_set1(0x1p-19f * margin + 1e-29f), large = f8_set1(1e37f),
       none = f8_set1(NAN);
    box8 inner;
    for (int axis = 0; axis < 3; axis++)
    {
        f8 low_size = f8_abs(box->low[axis]), high_size = f8_abs(box->high[axis]);
        f8 low = f8_add(box->low[axis], f8_add(f8_mul(low_size, unit), least));
        f8 high = f8_sub(box->high[axis], f8_add(f8_mul(high_size, unit), least));
        inner.low[axis] = f8_select(f8_gt(low_size, large), none, low);
        inner.high[axis] = f8_select(f8_gt(high_size, large), none, high);
    }
    return inner;
}

/* Which of eight boxes meet a box. */
static BASE_ALWAYS_INLINE uint32_t meet(const float *bound, size_t stride, const box8 *box)
{
    f8 x = f8_and(f8_le(f8_loadu(bound), box->high[0]), f8_ge(f8_loadu(bound + 3 * stride), box->low[0]));
    f8 y = f8_and(f8_le(f8_loadu(bound + stride), box->high[1]), f8_ge(f8_loadu(bound + 4 * stride), box->low[1]));
    f8 z = f8_and(f8_le(f8_loadu(bound + 2 * stride), box->high[2]), f8_ge(f8_loadu(bound + 5 * stride), box->low[2]));
    return f8_bits(f8_and(f8_and(x, y), z));
}

static BASE_ALWAYS_INLINE void add_candidates(broad_search *search, uint32_t box, uint32_t first, uint32_t mask)
{
    simd_store_same(search->box + search->found, box);
    simd_store_set_lanes(search->other + search->found, first, mask);
    search->found += (uint32_t)__builtin_popcount(mask);
}

/* Eight boxes of which some meet another. */
typedef struct block
{
    uint32_t own, at, meeting;
} block;

/* What meets the shrunk box is within the margin for sure. */
static void add_blocks(broad_search *search, const block *blocks, uint32_t count)
{
    const broad_rows *rows = search->rows;
    for (uint32_t i = 0; i < count; i++)
    {
        block b = blocks[i];
        box8 box = box_at(rows, b.own), inner = shrink(&box, rows->margin);
        uint32_t sure = meet(rows->bounds.items + b.at, rows->stride, &inner) & b.meeting;
        if (search->found + 2 * BROAD_LANES > BROAD_MAX_FOUND)
            broad_search_take(search);
        add_candidates(search, b.own, b.at, sure);
        if (BASE_UNLIKELY(sure != b.meeting))
            add_candidates(search, b.own | BROAD_UNSURE, b.at, b.meeting & ~sure);
    }
}

/* Whether boxes meet is unpredictable, so no branch depends on it: each block is written, and kept if any of it meets.
 */
void BASE_ISA(broad_search_runs)(broad_search *search)
{
    enum
    {
        MAX_BLOCKS = 256
    };
    const broad_rows *rows = search->rows;
    bool is_sorted = search->axis < BROAD_NO_AXIS;
    size_t stride = rows->stride;
    const float *bounds = rows->bounds.items, *sorted = bounds + (is_sorted ? search->axis : 0) * stride;
    block blocks[MAX_BLOCKS];
    uint32_t count = 0;
    for (uint32_t i = 0; i < search->run_count; i++)
    {
        broad_run run = search->runs[i];
        box8 box = box_at(rows, run.box);
        float end = is_sorted ? sorted[run.box + 3 * stride] + rows->margin : INFINITY;
        for (uint32_t at = run.first; at < run.last && !(sorted[at] > end); at += BROAD_LANES)
        {
            uint32_t left = run.last - at, counting = 0xffu >> (left < BROAD_LANES ? BROAD_LANES - left : 0);
            uint32_t meeting = meet(bounds + at, stride, &box) & counting;
            blocks[count] = (block){run.box, at, meeting};
            count += meeting != 0;
            search->tested++;
            if (count == MAX_BLOCKS)
                add_blocks(search, blocks, count), count = 0;
        }
    }
    add_blocks(search, blocks, count);
}
