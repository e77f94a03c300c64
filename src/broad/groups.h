/* groups: boxes in groups of eight, in an order in which neighbours are close to each other, below levels of eight
 * bounds per group that are implicit in the order. They are floats, rounded outwards: whatever they find is checked. */
#ifndef BROAD_GROUPS_H
#define BROAD_GROUPS_H

#include "broad/broad.h"

enum
{
    BROAD_LANES = 8,
    BROAD_LEVELS = 11, /* 8^11 > 2^32 */
    BROAD_CLASSES = 64
};

#define BROAD_NO_SLOT UINT32_MAX

/* Eight boxes, or bounds of eight groups. high is larger by the margin: two boxes are within it if each low is at most
 * the other's high. A free lane has low = inf, high = -inf. */
typedef struct broad_group
{
    _Alignas(32) float low[3][BROAD_LANES];
    float high[3][BROAD_LANES];
    /* Of boxes alone: */
    float slack[BROAD_LANES];   /* more than what rounding has added to any two of them that are about there */
    uint32_t slot[BROAD_LANES]; /* BROAD_NO_SLOT: free */
} broad_group;

typedef struct broad_lane
{
    uint32_t owner;
    uint32_t class; /* of its traits */
} broad_lane;

typedef struct broad_groups
{
    carom_context *context;
    BASE_ARRAY(broad_group) levels[BROAD_LEVELS]; /* [0]: the boxes; the highest is one group */
    uint32_t level_count;                         /* at least 2 */
    BASE_ARRAY(broad_lane) lanes;                 /* of level 0, eight per group */
} broad_groups;

static inline uint32_t *broad_slot_of(const broad_groups *groups, uint32_t lane)
{
    return &groups->levels[0].items[lane / BROAD_LANES].slot[lane % BROAD_LANES];
}

void broad_groups_free(broad_groups *groups);

/* ---- order ---- */

/* Hilbert's curve through a cube, two of its levels at a time. By state and by two bits of each coordinate: the
 * position among 64 cells, and 64 times the state there. */
enum
{
    BROAD_CURVE_STATES = 24
};
typedef struct broad_curve
{
    uint16_t step[BROAD_CURVE_STATES][64];
} broad_curve;

void broad_curve_fill(broad_curve *curve);
/* Where a cell of 1024^3 is on the curve: 30 bits. */
uint32_t broad_curve_code(const broad_curve *curve, uint32_t x, uint32_t y, uint32_t z);

typedef struct broad_order
{
    broad_curve curve;                  /* filled in advance */
    BASE_ARRAY(uint64_t) items, sorted; /* a code in the upper half, a slot in the lower */
} broad_order;

/* Sorts the slots in the lower halves of order->items along a curve through their boxes' centres; the result is in
 * order->sorted, which has room. */
void broad_order_sort(carom_context *context, broad_order *order, const carom_aabb *boxes);

/* ---- contents ---- */

/* Adds eight free lanes. False when out of memory. */
bool broad_groups_add(broad_groups *groups);

/* Boxes of all used lanes of some groups of level 0. */
BASE_DECLARE_ISA(void, broad_groups_load,
                 (broad_groups * groups, uint32_t first, uint32_t last, const broad_input *input));
/* Bounds of all groups of a level below. */
BASE_DECLARE_ISA(void, broad_groups_bound, (broad_groups * groups, uint32_t level, uint32_t first, uint32_t last));

/* How many other groups meet the bounds of one, on average over some of them. */
BASE_DECLARE_ISA(double, broad_groups_crowd, (const broad_groups *groups));

/* ---- joins ---- */

enum
{
    BROAD_CANDIDATES = 5120,
    BROAD_PAIRS = BROAD_CANDIDATES, /* and eight more, which are written and do not count */
    BROAD_QUEUE = 512
};

typedef struct broad_join broad_join;
/* Takes join->found candidates, and makes room for BROAD_PAIRS pairs. */
typedef void broad_take_fn(broad_join *join);

#define BROAD_UNSURE (1u << 31) /* on lane_a of a candidate: floats can't tell */

/* Pairs of lanes of two trees whose boxes may be within the margin. */
struct broad_join
{
    const broad_groups *a, *b;
    bool self;                /* a and b are the same: each pair once */
    bool plain;               /* any two boxes are a pair: those that surely meet need no candidates */
    uint32_t b_first, b_last; /* groups of level 0 of b that count; without self */
    uint64_t *pairs;          /* room for BROAD_PAIRS, if plain */
    uint32_t pair_count;
    broad_take_fn *take; /* called when there is no room for more */
    uint32_t found;
    uint64_t tested; /* pairs of a box with eight others */
    uint32_t lane_a[BROAD_CANDIDATES + BROAD_LANES], lane_b[BROAD_CANDIDATES + BROAD_LANES];
    uint32_t queue[BROAD_QUEUE + BROAD_LANES]; /* lanes of b that are to be tested against a group of a */
};

/* For the groups of level 0 of a in a range, box by box: if those are few and far between. Without self. */
BASE_DECLARE_ISA(void, broad_join_boxes, (broad_join * join, uint32_t first, uint32_t last));
/* For the groups of level 1 of a in a range. */
BASE_DECLARE_ISA(void, broad_join_range, (broad_join * join, uint32_t first, uint32_t last));

#endif
