/* Groups of eight boxes: loading, bounds and joins. */
#include "base/simd.h"
#include "broad/groups.h"

#include <float.h>

/* ---- boxes and bounds ---- */

/* Rounded outwards by two units in the last place: one for the conversion, one for what is done with it. Bounds are
 * finite, so that free lanes meet nothing; where they had to be made finite, nothing is sure. */
static void round_outwards(broad_group *group, float margin)
{
    f8 unit = f8_set1(0x1p-22f), least = f8_set1(1e-30f), largest = f8_set1(1e38f), all = f8_set1(margin);
    for (int axis = 0; axis < 3; axis++)
    {
        f8 low = f8_min(f8_load(group->low[axis]), largest);
        f8 high = f8_add(f8_max(f8_load(group->high[axis]), f8_neg(largest)), f8_set1(margin));
        f8_store(group->low[axis],
                 f8_max(f8_sub(low, f8_add(f8_mul(f8_abs(low), unit), least)), f8_neg(f8_set1(FLT_MAX))));
        f8_store(group->high[axis], f8_min(f8_add(high, f8_add(f8_mul(f8_abs(high), unit), least)), f8_set1(FLT_MAX)));
        all = f8_max(all, f8_max(f8_abs(low), f8_abs(high)));
    }
    f8 slack = f8_add(f8_mul(all, f8_set1(0x1p-18f)), f8_set1(1e-29f));
    f8_store(group->slack, f8_select(f8_gt(all, f8_set1(1e37f)), f8_set1(INFINITY), slack));
}

static void put(broad_group *group, int lane, const carom_aabb *box)
{
    group->low[0][lane] = (float)box->min.x, group->high[0][lane] = (float)box->max.x;
    group->low[1][lane] = (float)box->min.y, group->high[1][lane] = (float)box->max.y;
    group->low[2][lane] = (float)box->min.z, group->high[2][lane] = (float)box->max.z;
}

static void empty(broad_group *group, int lane)
{
    for (int axis = 0; axis < 3; axis++)
        group->low[axis][lane] = INFINITY, group->high[axis][lane] = -INFINITY;
    group->slack[lane] = 0.0f;
}

void BASE_ISA(broad_groups_load)(broad_groups *groups, uint32_t first, uint32_t last, const broad_input *input)
{
    float margin = (float)input->margin * (1.0f + 0x1p-20f);
    for (uint32_t g = first; g < last; g++)
    {
        broad_group *group = &groups->levels[0].items[g];
        uint32_t free_lanes = 0;
        for (int i = 0; i < BROAD_LANES; i++)
            if (group->slot[i] != BROAD_NO_SLOT)
                put(group, i, &input->boxes[group->slot[i]]);
            else
                free_lanes |= 1u << i, empty(group, i);
        round_outwards(group, margin);
        for (int i = 0; free_lanes >> i; i++)
            if (free_lanes >> i & 1)
                empty(group, i);
    }
}

static float highest_lane(f8 a) { return -f8_min_lane(f8_neg(a)); }

void BASE_ISA(broad_groups_bound)(broad_groups *groups, uint32_t level, uint32_t first, uint32_t last)
{
    const broad_group *below = groups->levels[level - 1].items;
    uint32_t below_count = (uint32_t)groups->levels[level - 1].count;
    for (uint32_t g = first; g < last; g++)
    {
        broad_group *group = &groups->levels[level].items[g];
        for (int i = 0; i < BROAD_LANES; i++)
        {
            uint32_t child = g * BROAD_LANES + (uint32_t)i;
            if (child >= below_count)
            {
                empty(group, i);
                continue;
            }
            for (int axis = 0; axis < 3; axis++)
            {
                group->low[axis][i] = f8_min_lane(f8_load(below[child].low[axis]));
                group->high[axis][i] = highest_lane(f8_load(below[child].high[axis]));
            }
        }
    }
}

/* ---- joins ----
 *
 * Whether boxes meet is unpredictable, so no branch depends on it: each step writes all eight lanes behind a list and
 * advances by as many as count. Groups below eight bounds that meet, then boxes that meet the bounds of a group, then
 * boxes that meet. */

/* A box in all lanes. */
typedef struct box8
{
    f8 low[3], high[3];
} box8;

static BASE_ALWAYS_INLINE box8 lane_box(const broad_group *group, uint32_t lane)
{
    box8 box;
    for (int axis = 0; axis < 3; axis++)
    {
        box.low[axis] = f8_set1(group->low[axis][lane]);
        box.high[axis] = f8_set1(group->high[axis][lane]);
    }
    return box;
}

static BASE_ALWAYS_INLINE uint32_t meet(const broad_group *group, const box8 *box)
{
    f8 x = f8_and(f8_le(f8_load(group->low[0]), box->high[0]), f8_ge(f8_load(group->high[0]), box->low[0]));
    f8 y = f8_and(f8_le(f8_load(group->low[1]), box->high[1]), f8_ge(f8_load(group->high[1]), box->low[1]));
    f8 z = f8_and(f8_le(f8_load(group->low[2]), box->high[2]), f8_ge(f8_load(group->high[2]), box->low[2]));
    return f8_bits(f8_and(f8_and(x, y), z));
}

static BASE_ALWAYS_INLINE uint32_t popcount(uint32_t mask) { return (uint32_t)__builtin_popcount(mask); }

/* Eight boxes in registers. */
typedef struct boxes8
{
    f8 low[3], high[3], slack;
} boxes8;

static BASE_ALWAYS_INLINE boxes8 load_boxes(const broad_group *group)
{
    boxes8 boxes;
    for (int axis = 0; axis < 3; axis++)
        boxes.low[axis] = f8_load(group->low[axis]), boxes.high[axis] = f8_load(group->high[axis]);
    boxes.slack = f8_load(group->slack);
    return boxes;
}

/* By how much each low is below the other's high at least. */
static BASE_ALWAYS_INLINE f8 depth(const boxes8 *boxes, const broad_group *group, uint32_t lane)
{
    f8 least = f8_sub(boxes->high[0], f8_set1(group->low[0][lane]));
    least = f8_min(f8_sub(f8_set1(group->high[0][lane]), boxes->low[0]), least);
    for (int axis = 1; axis < 3; axis++)
    {
        least = f8_min(f8_sub(boxes->high[axis], f8_set1(group->low[axis][lane])), least);
        least = f8_min(f8_sub(f8_set1(group->high[axis][lane]), boxes->low[axis]), least);
    }
    return least;
}

/* Where what is found goes; copies of a join's fields, which stores through them would otherwise hide from the
 * compiler. */
typedef struct target
{
    uint64_t *pairs;
    uint32_t *lane_a, *lane_b;
} target;

static BASE_ALWAYS_INLINE target begin_target(broad_join *join)
{
    return (target){join->pairs + join->pair_count, join->lane_a + join->found, join->lane_b + join->found};
}

static BASE_ALWAYS_INLINE void end_target(broad_join *join, const target *to)
{
    join->pair_count = (uint32_t)(to->pairs - join->pairs);
    join->found = (uint32_t)(to->lane_a - join->lane_a);
}

/* Seldom: floats cannot decide whether these are within the margin. */
static BASE_RARE void add_unsure(target *to, uint32_t ga, uint32_t lane, uint32_t mask)
{
    for (; mask; mask &= mask - 1)
    {
        *to->lane_a++ = (ga * BROAD_LANES + (uint32_t)__builtin_ctz(mask)) | BROAD_UNSURE;
        *to->lane_b++ = lane;
    }
}

/* One box of b against those of a group of a in `counting`. Lanes that meet it by more than rounding may be responsible
 * for are sure. The other box's rounding need not be known, for where two coordinates differ by less than the slack
 * they are about as large. */
static BASE_ALWAYS_INLINE void test_box(target *to, bool plain, uint32_t ga, const uint32_t *slots, const boxes8 *boxes,
                                        const broad_group *b, uint32_t lane, uint32_t counting)
{
    const broad_group *group = &b[lane / BROAD_LANES];
    f8 by = depth(boxes, group, lane % BROAD_LANES);
    uint32_t sure = f8_bits(f8_gt(by, boxes->slack)) & counting, possible = f8_bits(f8_ge(by, f8_zero())) & counting;
    if (plain)
    {
        simd_store_pairs(to->pairs, slots, group->slot[lane % BROAD_LANES], sure);
        to->pairs += popcount(sure);
    }
    else
    {
        simd_store_set_lanes(to->lane_a, ga * BROAD_LANES, sure);
        simd_store_same(to->lane_b, lane);
        to->lane_a += popcount(sure), to->lane_b += popcount(sure);
    }
    if (BASE_UNLIKELY(sure != possible))
    {
        target rest = *to;
        add_unsure(&rest, ga, lane, possible & ~sure);
        *to = rest;
    }
}

/* Boxes of b against a group of a. */
static BASE_ALWAYS_INLINE void test_boxes(broad_join *join, bool plain, uint32_t ga, uint32_t count)
{
    const broad_group *b = join->b->levels[0].items, *a = &join->a->levels[0].items[ga];
    const uint32_t *queue = join->queue;
    boxes8 boxes = load_boxes(a);
    target to = begin_target(join);
    for (uint32_t i = 0; i < count; i++)
        test_box(&to, plain, ga, a->slot, &boxes, b, queue[i], 0xff);
    end_target(join, &to);
    join->tested += count;
}

/* Boxes of a group with earlier ones of it. */
static BASE_ALWAYS_INLINE void test_own(broad_join *join, bool plain, uint32_t ga)
{
    const broad_group *all = join->a->levels[0].items, *a = &all[ga];
    boxes8 boxes = load_boxes(a);
    target to = begin_target(join);
    for (uint32_t i = 1; i < BROAD_LANES; i++)
        test_box(&to, plain, ga, a->slot, &boxes, all, ga * BROAD_LANES + i, (1u << i) - 1);
    end_target(join, &to);
    join->tested += BROAD_LANES - 1;
}

static void test_queue(broad_join *join, uint32_t ga, uint32_t count)
{
    if (join->plain)
        test_boxes(join, true, ga, count);
    else
        test_boxes(join, false, ga, count);
}

/* Room for all that some tests may find. */
static BASE_ALWAYS_INLINE void make_room(broad_join *join, uint32_t tests)
{
    uint32_t most = tests * BROAD_LANES;
    if (join->found + most > BROAD_CANDIDATES || join->pair_count + most > BROAD_PAIRS)
    {
        join->take(join);
        join->found = join->pair_count = 0;
    }
}

/* One group of a, whose bounds are given, against some of b. */
static void join_groups(broad_join *join, uint32_t ga, const box8 *bounds_a, const uint32_t *groups_b, uint32_t count)
{
    const broad_group *b = join->b->levels[0].items;
    uint32_t queued, *queue = join->queue;
    for (uint32_t first = 0, last; first < count; first = last)
    {
        last = count - first < BROAD_QUEUE / BROAD_LANES ? count : first + BROAD_QUEUE / BROAD_LANES;
        queued = 0;
        for (uint32_t i = first; i < last; i++)
        {
            uint32_t mask = meet(&b[groups_b[i]], bounds_a);
            simd_store_set_lanes(queue + queued, groups_b[i] * BROAD_LANES, mask);
            queued += popcount(mask);
        }
        make_room(join, queued);
        test_queue(join, ga, queued);
    }
}

static void join_within(broad_join *join, uint32_t ga)
{
    make_room(join, BROAD_LANES);
    if (join->plain)
        test_own(join, true, ga);
    else
        test_own(join, false, ga);
}

/* Lanes of a group of b's level 1 that hold groups which count. */
static uint32_t counting_lanes(const broad_join *join, uint32_t parent)
{
    int64_t begin = (int64_t)parent * BROAD_LANES, first = join->b_first - begin, last = join->b_last - begin;
    uint32_t skipped = first <= 0 ? 0 : first >= BROAD_LANES ? 0xff : 0xffu >> (BROAD_LANES - first);
    uint32_t before_last = last >= BROAD_LANES ? 0xff : last <= 0 ? 0 : 0xffu >> (BROAD_LANES - last);
    return before_last & ~skipped;
}

enum
{
    MAX_PARENTS = 256,
    MAX_GROUPS = 8 * MAX_PARENTS
};

typedef struct parents
{
    uint32_t count, index[MAX_PARENTS], counting[MAX_PARENTS];
} parents;

/* All groups below one of a's level 1 against those below some of b's level 1. */
static void join_parents(broad_join *join, uint32_t parent_a, parents *found)
{
    const broad_group *up_a = &join->a->levels[1].items[parent_a], *up_b = join->b->levels[1].items;
    uint32_t groups_a = (uint32_t)join->a->levels[0].count - parent_a * BROAD_LANES, groups[MAX_GROUPS + BROAD_LANES];
    uint32_t own = join->self ? parent_a : UINT32_MAX; /* of this one, only later groups */
    for (uint32_t k = 0; k < (groups_a < BROAD_LANES ? groups_a : BROAD_LANES); k++)
    {
        uint32_t n = 0;
        box8 bounds_a = lane_box(up_a, k);
        for (uint32_t p = 0; p < found->count; p++)
        {
            uint32_t parent = found->index[p], mask = meet(&up_b[parent], &bounds_a) & found->counting[p];
            mask &= parent == own ? 0xfeu << k : ~0u;
            simd_store_set_lanes(groups + n, parent * BROAD_LANES, mask);
            n += popcount(mask);
        }
        join_groups(join, parent_a * BROAD_LANES + k, &bounds_a, groups, n);
    }
    found->count = 0;
}

static box8 bounds_of(const broad_group *group)
{
    box8 box;
    for (int axis = 0; axis < 3; axis++)
    {
        box.low[axis] = f8_set1(f8_min_lane(f8_load(group->low[axis])));
        box.high[axis] = f8_set1(highest_lane(f8_load(group->high[axis])));
    }
    return box;
}

/* How many groups of level 0 meet a box. */
static uint32_t count_groups(const broad_groups *groups, const box8 *box)
{
    struct
    {
        uint32_t level, index;
    } stack[BROAD_LEVELS * BROAD_LANES];
    uint32_t depth = 0, count = 0;
    stack[depth].level = groups->level_count - 1, stack[depth++].index = 0;
    while (depth > 0)
    {
        uint32_t level = stack[--depth].level, index = stack[depth].index;
        uint32_t mask = meet(&groups->levels[level].items[index], box);
        count += level == 1 ? popcount(mask) : 0;
        for (; level > 1 && mask; mask &= mask - 1)
            stack[depth].level = level - 1, stack[depth++].index = index * BROAD_LANES + (uint32_t)__builtin_ctz(mask);
    }
    return count;
}

double BASE_ISA(broad_groups_crowd)(const broad_groups *groups)
{
    enum
    {
        SAMPLES = 64
    };
    uint32_t count = (uint32_t)groups->levels[0].count, samples = count < SAMPLES ? count : SAMPLES;
    double sum = 0.0;
    for (uint32_t i = 0; i < samples; i++)
    {
        uint32_t group = (uint32_t)((uint64_t)count * i / samples);
        box8 box = lane_box(&groups->levels[1].items[group / BROAD_LANES], group % BROAD_LANES);
        sum += (double)count_groups(groups, &box);
    }
    return samples ? sum / samples : 0.0;
}

/* Does a group of a level of b hold any group of level 0 that counts? */
static bool holds_any(const broad_join *join, uint32_t level, uint64_t index, uint32_t own)
{
    uint64_t first = index << (3 * level), last = (index + 1) << (3 * level);
    return join->self ? last > (uint64_t)own * BROAD_LANES : first < join->b_last && last > join->b_first;
}

static void join_parent(broad_join *join, uint32_t parent)
{
    struct
    {
        uint32_t level, index;
    } stack[BROAD_LEVELS * BROAD_LANES];
    uint32_t depth = 0;
    parents found;
    found.count = 0;
    box8 bounds = bounds_of(&join->a->levels[1].items[parent]);
    stack[depth].level = join->b->level_count - 1, stack[depth++].index = 0;
    while (depth > 0)
    {
        uint32_t level = stack[--depth].level, index = stack[depth].index;
        if (level == 1)
        {
            found.counting[found.count] = join->self ? 0xff : counting_lanes(join, index);
            found.index[found.count++] = index;
            if (found.count == MAX_PARENTS)
                join_parents(join, parent, &found);
            continue;
        }
        uint32_t mask = meet(&join->b->levels[level].items[index], &bounds);
        for (; mask; mask &= mask - 1)
        {
            uint32_t child = index * BROAD_LANES + (uint32_t)__builtin_ctz(mask);
            if (holds_any(join, level - 1, child, parent))
                stack[depth].level = level - 1, stack[depth++].index = child;
        }
    }
    join_parents(join, parent, &found);
}

void BASE_ISA(broad_join_range)(broad_join *join, uint32_t first, uint32_t last)
{
    uint32_t groups = (uint32_t)join->a->levels[0].count;
    for (uint32_t parent = first; parent < last; parent++)
    {
        join_parent(join, parent);
        for (uint32_t g = parent * BROAD_LANES; join->self && g < (parent + 1) * BROAD_LANES && g < groups; g++)
            join_within(join, g);
    }
    join->take(join);
    join->found = join->pair_count = 0;
}

/* One box of a against all of b that counts. */
static void join_box(broad_join *join, uint32_t lane)
{
    struct
    {
        uint32_t level, index;
    } stack[BROAD_LEVELS * BROAD_LANES];
    uint32_t depth_of_stack = 0;
    const broad_group *own = &join->a->levels[0].items[lane / BROAD_LANES];
    box8 box = lane_box(own, lane % BROAD_LANES);
    f8 slack = f8_set1(own->slack[lane % BROAD_LANES]);
    stack[depth_of_stack].level = join->b->level_count - 1, stack[depth_of_stack++].index = 0;
    while (depth_of_stack > 0)
    {
        uint32_t level = stack[--depth_of_stack].level, index = stack[depth_of_stack].index;
        const broad_group *group = &join->b->levels[level].items[index];
        if (level > 0)
        {
            for (uint32_t mask = meet(group, &box); mask; mask &= mask - 1)
            {
                uint32_t child = index * BROAD_LANES + (uint32_t)__builtin_ctz(mask);
                if (holds_any(join, level - 1, child, 0))
                    stack[depth_of_stack].level = level - 1, stack[depth_of_stack++].index = child;
            }
            continue;
        }
        make_room(join, 1);
        boxes8 boxes = load_boxes(group);
        f8 by = depth(&boxes, own, lane % BROAD_LANES);
        for (uint32_t mask = f8_bits(f8_ge(by, f8_zero())), sure = f8_bits(f8_gt(by, slack)); mask; mask &= mask - 1)
        {
            uint32_t i = (uint32_t)__builtin_ctz(mask);
            join->lane_a[join->found] = lane | (sure >> i & 1 ? 0 : BROAD_UNSURE);
            join->lane_b[join->found++] = index * BROAD_LANES + i;
        }
        join->tested++;
    }
}

void BASE_ISA(broad_join_boxes)(broad_join *join, uint32_t first, uint32_t last)
{
    for (uint32_t lane = first * BROAD_LANES; lane < last * BROAD_LANES; lane++)
        if (*broad_slot_of(join->a, lane) != BROAD_NO_SLOT)
            join_box(join, lane);
    join->take(join);
    join->found = join->pair_count = 0;
}
