/* Groups of eight boxes: loading and bounds. */
#include "broad/groups_lanes.h"

#include <float.h>

/* ---- boxes ---- */

/* Rounded outwards by two units in the last place: one for the conversion, one for what is done with it. Bounds are
 * finite, so that free lanes meet nothing. */
static BASE_ALWAYS_INLINE f8 lower(f8 low)
{
    low = f8_min(low, f8_set1(1e38f));
    f8 step = f8_add(f8_mul(f8_abs(low), f8_set1(0x1p-22f)), f8_set1(1e-30f));
    return f8_max(f8_sub(low, step), f8_set1(-FLT_MAX));
}

static BASE_ALWAYS_INLINE f8 higher(f8 high, f8 margin)
{
    high = f8_add(f8_max(high, f8_set1(-1e38f)), margin);
    f8 step = f8_add(f8_mul(f8_abs(high), f8_set1(0x1p-22f)), f8_set1(1e-30f));
    return f8_min(f8_add(high, step), f8_set1(FLT_MAX));
}

/* Clears those of some lanes that have no box, or an empty one; returns how many are empty. */
static BASE_RARE uint32_t clear_lanes(broad_group *group, uint32_t lanes, const broad_input *input)
{
    uint32_t empty = 0;
    for (; lanes; lanes &= lanes - 1)
    {
        uint32_t lane = (uint32_t)__builtin_ctz(lanes), slot = group->slot[lane];
        bool has_slot = slot != BROAD_NO_SLOT;
        if (has_slot && !broad_is_empty(&input->boxes[slot]))
            continue;
        broad_group_clear(group, lane);
        empty += has_slot;
    }
    return empty;
}

/* What is taken from the two halves of each box, and added to high ends. */
typedef struct frame
{
    d4 first, second; /* origin x, y, z, x; z, x, y, z */
    f8 margin;
} frame;

static frame make_frame(carom_vec3 origin, double margin)
{
    const double first[4] = {origin.x, origin.y, origin.z, origin.x};
    const double second[4] = {origin.z, origin.x, origin.y, origin.z};
    return (frame){d4_loadu(first), d4_loadu(second), f8_set1((float)margin * (1.0f + 0x1p-20f))};
}

static BASE_ALWAYS_INLINE uint32_t load_group(broad_group *group, const broad_input *input, const frame *in)
{
    static const carom_aabb none = {{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    const carom_aabb *box[BROAD_LANES];
    for (int i = 0; i < BROAD_LANES; i++)
        box[i] = group->slot[i] != BROAD_NO_SLOT ? &input->boxes[group->slot[i]] : &none;
    f8 first[4], second[4]; /* low x, y, z, high x; low z, high x, y, z */
    for (int i = 0; i < 4; i++)
    {
        const carom_aabb *one = box[i], *other = box[i + 4];
        first[i] = f8_from_d4(d4_sub(d4_loadu((const double *)one), in->first),
                              d4_sub(d4_loadu((const double *)other), in->first));
        second[i] = f8_from_d4(d4_sub(d4_loadu((const double *)one + 2), in->second),
                               d4_sub(d4_loadu((const double *)other + 2), in->second));
    }
    f8_transpose(first);
    f8_transpose(second);
    /* Rounding is monotonic: these are not empty for sure. */
    f8 has_box = f8_and(f8_and(f8_lt(first[0], first[3]), f8_lt(first[1], second[2])), f8_lt(first[2], second[3]));
    for (int axis = 0; axis < 3; axis++)
    {
        f8_store(group->low[axis], lower(first[axis]));
        f8_store(group->high[axis], higher(second[axis + 1], in->margin));
    }
    uint32_t unsure = ~f8_bits(has_box) & 0xff;
    return BASE_UNLIKELY(unsure) ? clear_lanes(group, unsure, input) : 0;
}

/* ---- bounds ---- */

/* The smallest number of each of eight rows. */
static BASE_ALWAYS_INLINE f8 lowest(f8 rows[8])
{
    f8_transpose(rows);
    f8_transpose(rows + 4);
    f8 a = f8_min(f8_min(rows[0], rows[1]), f8_min(rows[2], rows[3]));
    f8 b = f8_min(f8_min(rows[4], rows[5]), f8_min(rows[6], rows[7]));
    return f8_min(f8_lower_halves(a, b), f8_upper_halves(a, b));
}

static BASE_ALWAYS_INLINE f8 highest(f8 rows[8])
{
    f8_transpose(rows);
    f8_transpose(rows + 4);
    f8 a = f8_max(f8_max(rows[0], rows[1]), f8_max(rows[2], rows[3]));
    f8 b = f8_max(f8_max(rows[4], rows[5]), f8_max(rows[6], rows[7]));
    return f8_max(f8_lower_halves(a, b), f8_upper_halves(a, b));
}

static BASE_ALWAYS_INLINE void bound_some(broad_group *group, const broad_group *below, size_t count)
{
    f8 rows[8];
    for (int axis = 0; axis < 3; axis++)
    {
        for (size_t i = 0; i < BROAD_LANES; i++)
            rows[i] = i < count ? f8_load(below[i].low[axis]) : f8_set1(INFINITY);
        f8_store(group->low[axis], lowest(rows));
        for (size_t i = 0; i < BROAD_LANES; i++)
            rows[i] = i < count ? f8_load(below[i].high[axis]) : f8_set1(-INFINITY);
        f8_store(group->high[axis], highest(rows));
    }
}

/* The bounds of up to eight groups, as a rule of eight. */
static void bound(broad_group *group, const broad_group *below, size_t count)
{
    if (count >= BROAD_LANES)
        bound_some(group, below, BROAD_LANES);
    else
        bound_some(group, below, count);
}

void BASE_ISA(broad_groups_bound)(broad_groups *groups, uint32_t level, uint32_t first, uint32_t last)
{
    const broad_group *below = groups->levels[level - 1].items;
    size_t below_count = groups->levels[level - 1].count;
    for (size_t g = first; g < last; g++)
        bound(&groups->levels[level].items[g], below + g * BROAD_LANES, below_count - g * BROAD_LANES);
}

/* Boxes are anywhere in memory: those of a group that is loaded soon are asked for in advance, into the second cache
 * where many requests can wait, and then into the first. */
#define PREFETCH_BOXES(group, input, locality)                                                                         \
    for (int i = 0; i < BROAD_LANES; i++)                                                                              \
        if ((group)->slot[i] != BROAD_NO_SLOT)                                                                         \
        {                                                                                                              \
            __builtin_prefetch(&(input)->boxes[(group)->slot[i]].min.x, 0, locality);                                  \
            __builtin_prefetch(&(input)->boxes[(group)->slot[i]].max.z, 0, locality);                                  \
        }

static BASE_ALWAYS_INLINE void prefetch_near(const broad_group *group, const broad_input *input)
{
    PREFETCH_BOXES(group, input, 3)
}

static BASE_ALWAYS_INLINE void prefetch_far(const broad_group *group,
                                            const broad_input *input){PREFETCH_BOXES(group, input, 2)}

uint32_t BASE_ISA(broad_groups_load)(broad_groups *groups, uint32_t first, uint32_t last, const broad_input *input)
{
    enum
    {
        AHEAD = 2, /* groups */
        FAR_AHEAD = 16
    };
    frame in = make_frame(groups->origin, input->margin);
    broad_group *items = groups->levels[0].items;
    size_t count = groups->levels[0].count;
    uint32_t empty = 0;
    for (size_t parent = first; parent < last; parent++)
    {
        size_t begin = parent * BROAD_LANES, end = begin + BROAD_LANES < count ? begin + BROAD_LANES : count;
        for (size_t g = begin; g < end; g++)
        {
            if (g + FAR_AHEAD < count)
                prefetch_far(&items[g + FAR_AHEAD], input);
            if (g + AHEAD < count)
                prefetch_near(&items[g + AHEAD], input);
            empty += load_group(&items[g], input, &in);
        }
        bound(&groups->levels[1].items[parent], items + begin, end - begin);
    }
    return empty;
}

/* ---- crowds ---- */

/* How many groups of level 0 meet a box and have any of these classes, unless all count. */
static uint32_t count_groups(const broad_crowd *crowd, const box8 *box, uint32_t classes)
{
    const broad_groups *groups = crowd->b;
    group_visit stack[BROAD_LEVELS * BROAD_LANES];
    uint32_t depth = 0, count = 0;
    stack[depth++] = (group_visit){groups->level_count - 1, 0};
    while (depth > 0)
    {
        group_visit visit = stack[--depth];
        const broad_group *bounds = &groups->levels[visit.level].items[visit.index];
        uint32_t mask = meet(bounds, box) & (crowd->partners ? broad_lanes_with(bounds, classes) : 0xff);
        count += visit.level == 1 ? popcount(mask) : 0;
        for (; visit.level > 1 && mask; mask &= mask - 1)
            stack[depth++] = (group_visit){visit.level - 1, visit.index * BROAD_LANES + (uint32_t)__builtin_ctz(mask)};
    }
    return count;
}

double BASE_ISA(broad_groups_crowd)(const broad_crowd *crowd)
{
    uint32_t count = (uint32_t)crowd->a->levels[0].count, samples = count < crowd->samples ? count : crowd->samples;
    double sum = 0.0;
    for (uint32_t i = 0; i < samples && crowd->b->levels[0].count > 0; i++)
    {
        uint32_t group = (uint32_t)((uint64_t)count * i / samples);
        const broad_group *bounds = &crowd->a->levels[1].items[group / BROAD_LANES];
        box8 box = lane_box(bounds, group % BROAD_LANES);
        uint32_t own = crowd->partners ? bounds->classes[group % BROAD_LANES] : 0;
        sum += (double)count_groups(crowd, &box, crowd->partners ? broad_partners_of(crowd->partners, own) : 0);
    }
    return samples ? sum / samples : 0.0;
}
