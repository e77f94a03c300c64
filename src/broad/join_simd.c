/* Joins of groups of eight boxes.
 *
 * Whether boxes meet is unpredictable, so no branch depends on it: each step writes all eight lanes behind a list and
 * advances by as many as count. Groups below eight bounds that meet, then boxes that meet the bounds of a group, then
 * boxes that meet. */
#include "broad/join_lanes.h"

/* ---- boxes ---- */

/* Eight boxes in registers. */
typedef struct boxes8
{
    f8 low[3], high[3];
} boxes8;

static BASE_ALWAYS_INLINE boxes8 load_boxes(const broad_group *group)
{
    boxes8 boxes;
    for (int axis = 0; axis < 3; axis++)
        boxes.low[axis] = f8_load(group->low[axis]), boxes.high[axis] = f8_load(group->high[axis]);
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

/* ---- groups ----
 *
 * The eight groups below one of a's level 1 are joined together, so that loops are long. A list's items are what they
 * are about in b, in the lower bits, and which of the eight groups of a in the upper three. */

enum
{
    A_SHIFT = 29,
    AHEAD = 8 /* pairs of groups for which memory is asked in advance */
};
#define B_MASK ((1u << A_SHIFT) - 1)

/* What is joined: the groups of a, the bounds of each, and how much must overlap for floats to be sure. */
typedef struct side_a
{
    const broad_group *groups, *bounds;
    f8 slack;
    uint32_t partners[BROAD_LANES]; /* of each group; where filters matter */
} side_a;

/* Boxes of b against a group of a. */
static void test_boxes_of_b(broad_join *join, const side_a *a, const uint32_t *queue, uint32_t count)
{
    const broad_group *all = join->b->levels[0].items;
    f8 slack = a->slack;
    make_room(join, count);
    target to = begin_target(join);
    for (uint32_t i = 0; i < count; i++)
    {
        const broad_group *group = &a->groups[queue[i] >> A_SHIFT], *b = &all[(queue[i] & B_MASK) / BROAD_LANES];
        uint32_t lane = queue[i] % BROAD_LANES;
        boxes8 boxes = load_boxes(group);
        add_pairs(&to, depth(&boxes, b, lane), slack, group->slot, b->slot[lane]);
    }
    end_target(join, &to);
    join->tested += count;
}

/* Boxes of a, whose lanes are in the queue, against a group of b. */
static void test_boxes_of_a(broad_join *join, const side_a *a, const uint32_t *queue, uint32_t count)
{
    const broad_group *all = join->b->levels[0].items;
    f8 slack = a->slack;
    make_room(join, count);
    target to = begin_target(join);
    for (uint32_t i = 0; i < count; i++)
    {
        const broad_group *group = &a->groups[queue[i] >> A_SHIFT], *b = &all[(queue[i] & B_MASK) / BROAD_LANES];
        uint32_t lane = queue[i] % BROAD_LANES;
        boxes8 boxes = load_boxes(b);
        add_pairs(&to, depth(&boxes, group, lane), slack, b->slot, group->slot[lane]);
    }
    end_target(join, &to);
    join->tested += count;
}

/* Groups of b may not have been looked at in this call. */
static BASE_ALWAYS_INLINE void prefetch_group(const broad_group *group)
{
    for (size_t at = 0; at < sizeof *group; at += BASE_CACHE_LINE)
        __builtin_prefetch((const char *)group + at);
}

/* Groups whose bounds meet. Of each pair, the boxes of one that meet the other's bounds are tested: of the one that has
 * fewer. */
static void join_groups(broad_join *join, const side_a *a, const uint32_t *pairs, uint32_t count)
{
    const broad_group *b = join->b->levels[0].items, *up_b = join->b->levels[1].items;
    uint32_t *queue = join->queue, of_b = 0, of_a = BROAD_QUEUE; /* ends of its two halves */
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t k = pairs[i] >> A_SHIFT, group = pairs[i] & B_MASK;
        prefetch_group(&b[pairs[i + AHEAD < count ? i + AHEAD : i] & B_MASK]);
        box8 bounds_a = lane_box(a->bounds, k), bounds_b = lane_box(&up_b[group / BROAD_LANES], group % BROAD_LANES);
        uint32_t mask_b = meet(&b[group], &bounds_a), mask_a = meet(&a->groups[k], &bounds_b);
        uint32_t count_b = popcount(mask_b), count_a = popcount(mask_a);
        uint32_t fewer_a = 0u - (count_a < count_b); /* all bits or none, for compilers like to branch */
        uint32_t end = of_b ^ ((of_a ^ of_b) & fewer_a), mask = mask_b ^ ((mask_a ^ mask_b) & fewer_a);
        simd_store_set_lanes(queue + end, k << A_SHIFT | group * BROAD_LANES, mask);
        of_a += count_a & fewer_a;
        of_b += count_b & ~fewer_a;
    }
    for (uint32_t at = 0; at < of_b; at += BROAD_TESTS)
        test_boxes_of_b(join, a, queue + at, of_b - at < BROAD_TESTS ? of_b - at : BROAD_TESTS);
    for (uint32_t at = BROAD_QUEUE; at < of_a; at += BROAD_TESTS)
        test_boxes_of_a(join, a, queue + at, of_a - at < BROAD_TESTS ? of_a - at : BROAD_TESTS);
}

/* Boxes of a group with others of it: all against those one, two, three and four lanes behind. */
static BASE_ALWAYS_INLINE void test_within(target *to, const broad_group *group, f8 slack)
{
    boxes8 boxes = load_boxes(group);
    for (int by = 1; by <= BROAD_LANES / 2; by++)
    {
        f8 least = f8_set1(INFINITY);
        for (int axis = 0; axis < 3; axis++)
        {
            least = f8_min(f8_sub(boxes.high[axis], f8_turn(boxes.low[axis], by)), least);
            least = f8_min(f8_sub(f8_turn(boxes.high[axis], by), boxes.low[axis]), least);
        }
        uint32_t counting = by == BROAD_LANES / 2 ? 0xf : 0xff; /* four lanes behind, each pair comes twice */
        uint32_t sure = f8_bits(f8_gt(least, slack)) & counting, possible = f8_bits(f8_ge(least, f8_zero())) & counting;
        simd_store_turned_pairs(to->pairs, group->slot, by, sure);
        to->pairs += popcount(sure);
        for (uint32_t rest = possible & ~sure; BASE_UNLIKELY(rest); rest &= rest - 1)
        {
            uint32_t lane = (uint32_t)__builtin_ctz(rest);
            *to->unsure++ = broad_pack(group->slot[lane], group->slot[(lane + (uint32_t)by) % BROAD_LANES]);
        }
    }
}

static void join_within(broad_join *join, const side_a *a, uint32_t count)
{
    uint32_t tests = count * BROAD_LANES / 2;
    make_room(join, tests);
    target to = begin_target(join);
    for (uint32_t i = 0; i < count; i++)
        test_within(&to, &a->groups[i], a->slack);
    end_target(join, &to);
    join->tested += tests;
}

/* ---- levels above ---- */

static box8 bounds_of(const broad_group *group)
{
    box8 box;
    for (int axis = 0; axis < 3; axis++)
    {
        box.low[axis] = f8_set1(f8_min_lane(f8_load(group->low[axis])));
        box.high[axis] = f8_set1(-f8_min_lane(f8_neg(f8_load(group->high[axis]))));
    }
    return box;
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
    MAX_PARENTS = 32,
    MAX_HALVES = MAX_PARENTS * BROAD_LANES,
    MAX_GROUPS = BROAD_QUEUE / BROAD_LANES - 1 /* eight lanes are written behind those that count */
};

/* Groups of b's level 1 to be joined with those below one of a's. */
typedef struct parents
{
    uint32_t count, index[MAX_PARENTS], counting[MAX_PARENTS];
    uint32_t own; /* of this one, only later groups; or none */
} parents;

/* Which groups of a meet the bounds of each of b's level 1: items as above, of indices in `found`. */
static uint32_t pair_parents(const broad_join *join, const side_a *a, const parents *found, uint32_t *out)
{
    const broad_group *up_b = join->b->levels[1].items, *above = join->b->levels[2].items;
    uint32_t n = 0;
    bool has_above = join->b->level_count > 2;
    for (uint32_t p = 0; p < found->count; p++)
    {
        uint32_t parent = found->index[p];
        box8 bounds = has_above ? lane_box(&above[parent / BROAD_LANES], parent % BROAD_LANES) : bounds_of(&up_b[0]);
        uint32_t mask = meet(a->bounds, &bounds);
        simd_store_set_lanes(out + n, p * BROAD_LANES, mask);
        n += popcount(mask);
    }
    return n;
}

/* All groups below one of a's level 1 against those below some of b's level 1. */
static BASE_ALWAYS_INLINE void join_found(broad_join *join, const side_a *a, parents *found, bool filters)
{
    const broad_group *up_b = join->b->levels[1].items;
    uint32_t halves[MAX_HALVES + BROAD_LANES], groups[MAX_GROUPS + BROAD_LANES], n = 0;
    uint32_t count = pair_parents(join, a, found, halves);
    for (uint32_t i = 0; i < count; i++)
    {
        uint32_t p = halves[i] / BROAD_LANES, k = halves[i] % BROAD_LANES, parent = found->index[p];
        box8 bounds = lane_box(a->bounds, k);
        uint32_t mask = meet(&up_b[parent], &bounds) & found->counting[p];
        mask &= parent == found->own ? 0xfeu << k : ~0u;
        if (filters)
            mask &= broad_lanes_with(&up_b[parent], a->partners[k]);
        simd_store_set_lanes(groups + n, k << A_SHIFT | parent * BROAD_LANES, mask);
        n += popcount(mask);
        if (n > MAX_GROUPS - BROAD_LANES)
            join_groups(join, a, groups, n), n = 0;
    }
    join_groups(join, a, groups, n);
    found->count = 0;
}

static void join_parents(broad_join *join, const side_a *a, parents *found) { join_found(join, a, found, false); }
static void join_filtered(broad_join *join, const side_a *a, parents *found) { join_found(join, a, found, true); }

/* The partners of each group below one of a's level 1; returns those of all. */
static uint32_t set_partners(const broad_join *join, side_a *a)
{
    uint32_t all = 0;
    for (int i = 0; i < BROAD_LANES; i++)
        all |= a->partners[i] = broad_partners_of(join->partners, a->bounds->classes[i]);
    return all;
}

/* Does a group of a level of b hold any group of level 0 that counts? */
static bool holds_any(const broad_join *join, uint32_t level, uint64_t index, uint32_t own)
{
    uint64_t first = index << (3 * level), last = (index + 1) << (3 * level);
    return join->self ? last > (uint64_t)own * BROAD_LANES : first < join->b_last && last > join->b_first;
}

static BASE_ALWAYS_INLINE void join_parent(broad_join *join, uint32_t parent, bool filters)
{
    group_visit stack[BROAD_LEVELS * BROAD_LANES];
    uint32_t depth_of_stack = 0, groups = (uint32_t)join->a->levels[0].count - parent * BROAD_LANES;
    side_a a;
    a.groups = &join->a->levels[0].items[parent * BROAD_LANES], a.bounds = &join->a->levels[1].items[parent];
    box8 bounds = bounds_of(a.bounds);
    parents found = {.own = join->self ? parent : UINT32_MAX};
    a.slack = slack_of(&bounds, join->margin);
    uint32_t partners = filters ? set_partners(join, &a) : 0;
    stack[depth_of_stack++] = (group_visit){join->b->level_count - 1, 0};
    while (depth_of_stack > 0)
    {
        group_visit visit = stack[--depth_of_stack];
        if (visit.level == 1)
        {
            found.counting[found.count] = join->self ? 0xff : counting_lanes(join, visit.index);
            found.index[found.count++] = visit.index;
            if (found.count == MAX_PARENTS)
                filters ? join_filtered(join, &a, &found) : join_parents(join, &a, &found);
            continue;
        }
        const broad_group *above = &join->b->levels[visit.level].items[visit.index];
        uint32_t mask = meet(above, &bounds);
        if (filters)
            mask &= broad_lanes_with(above, partners);
        for (; mask; mask &= mask - 1)
        {
            uint32_t child = visit.index * BROAD_LANES + (uint32_t)__builtin_ctz(mask);
            if (holds_any(join, visit.level - 1, child, parent))
            {
                stack[depth_of_stack++] = (group_visit){visit.level - 1, child};
                prefetch_group(&join->b->levels[visit.level - 1].items[child]);
            }
        }
    }
    filters ? join_filtered(join, &a, &found) : join_parents(join, &a, &found);
    if (join->self)
        join_within(join, &a, groups < BROAD_LANES ? groups : BROAD_LANES);
}

void BASE_ISA(broad_join_range)(broad_join *join, uint32_t first, uint32_t last)
{
    if (join->partners)
        for (uint32_t parent = first; parent < last; parent++)
            join_parent(join, parent, true);
    else
        for (uint32_t parent = first; parent < last; parent++)
            join_parent(join, parent, false);
    join->take(join);
    join->pair_count = join->unsure_count = 0;
}

/* ---- few boxes against many ---- */

/* One box of a against all of b that counts and may have something to pair with. */
static void join_box(broad_join *join, const broad_group *own, uint32_t lane, uint32_t partners)
{
    group_visit stack[BROAD_LEVELS * BROAD_LANES];
    uint32_t depth_of_stack = 0;
    box8 box = lane_box(own, lane);
    f8 slack = slack_of(&box, join->margin);
    stack[depth_of_stack++] = (group_visit){join->b->level_count - 1, 0};
    while (depth_of_stack > 0)
    {
        group_visit visit = stack[--depth_of_stack];
        const broad_group *group = &join->b->levels[visit.level].items[visit.index];
        if (visit.level > 0)
        {
            uint32_t mask = meet(group, &box);
            if (BASE_UNLIKELY(join->partners != NULL))
                mask &= broad_lanes_with(group, partners);
            for (; mask; mask &= mask - 1)
            {
                uint32_t child = visit.index * BROAD_LANES + (uint32_t)__builtin_ctz(mask);
                if (holds_any(join, visit.level - 1, child, 0))
                    stack[depth_of_stack++] = (group_visit){visit.level - 1, child};
            }
            continue;
        }
        make_room(join, 1);
        target to = begin_target(join);
        boxes8 boxes = load_boxes(group);
        add_pairs(&to, depth(&boxes, own, lane), slack, group->slot, own->slot[lane]);
        end_target(join, &to);
        join->tested++;
    }
}

void BASE_ISA(broad_join_boxes)(broad_join *join, uint32_t first, uint32_t last)
{
    for (uint32_t g = first; g < last; g++)
    {
        const broad_group *own = &join->a->levels[0].items[g], *bounds = &join->a->levels[1].items[g / BROAD_LANES];
        uint32_t partners = join->partners ? broad_partners_of(join->partners, bounds->classes[g % BROAD_LANES]) : 0;
        for (uint32_t lane = 0; lane < BROAD_LANES; lane++)
            if (own->slot[lane] != BROAD_NO_SLOT)
                join_box(join, own, lane, partners);
    }
    join->take(join);
    join->pair_count = join->unsure_count = 0;
}
