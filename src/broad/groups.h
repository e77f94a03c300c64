/* groups: boxes in groups of eight, in an order in which neighbours are close to each other, below levels of eight
 * bounds per group that are implicit in the order. They are floats, rounded outwards: whatever they find is checked. */
#ifndef BROAD_GROUPS_H
#define BROAD_GROUPS_H

#include "broad/broad.h"

enum
{
    BROAD_LANES = 8,
    BROAD_LEVELS = 11 /* 8^11 > 2^32 */
};

#define BROAD_NO_SLOT UINT32_MAX

/* Eight boxes, or bounds of eight groups. high is larger by the margin: two boxes are within it if each low is at most
 * the other's high. A free lane, and that of an empty box, has low = inf, high = -inf. */
typedef struct broad_group
{
    _Alignas(32) float low[3][BROAD_LANES];
    float high[3][BROAD_LANES];
    union
    {
        uint32_t slot[BROAD_LANES];    /* of boxes; BROAD_NO_SLOT: free */
        uint32_t classes[BROAD_LANES]; /* of bounds, where filters matter: what is below each, a bit per class or two */
    };
} broad_group;

typedef struct broad_groups
{
    carom_context *context;
    BASE_ARRAY(broad_group) levels[BROAD_LEVELS]; /* [0]: the boxes; the highest is one group */
    uint32_t level_count;                         /* at least 2 */
    size_t room;                                  /* groups of level 0 for which all levels have memory */
    carom_vec3 origin;                            /* of the floats, so that boxes far from zero but close differ */
} broad_groups;

static inline uint32_t *broad_slot_of(const broad_groups *groups, uint32_t lane)
{
    return &groups->levels[0].items[lane / BROAD_LANES].slot[lane % BROAD_LANES];
}

static inline uint32_t broad_lane_count(const broad_groups *groups)
{
    return (uint32_t)groups->levels[0].count * BROAD_LANES;
}

static inline void broad_group_clear(broad_group *group, uint32_t lane)
{
    for (int axis = 0; axis < 3; axis++)
        group->low[axis][lane] = INFINITY, group->high[axis][lane] = -INFINITY;
}

void broad_groups_free(broad_groups *groups);
/* Room for so many lanes and all levels above. False when out of memory. */
bool broad_groups_reserve(broad_groups *groups, size_t lanes);
/* Adds eight free lanes. False when out of memory. */
bool broad_groups_add(broad_groups *groups);

/* Boxes of all used lanes below some groups of level 1, and the bounds in those. Returns how many boxes are empty. */
BASE_DECLARE_ISA(uint32_t, broad_groups_load,
                 (broad_groups * groups, uint32_t first, uint32_t last, const broad_input *input));
/* Bounds in some groups of a level above. */
BASE_DECLARE_ISA(void, broad_groups_bound, (broad_groups * groups, uint32_t level, uint32_t first, uint32_t last));

enum
{
    BROAD_CLASS_BITS = 32 /* of a group's classes; class modulo that */
};

/* What classes may pair with, by bit, as bits. */
typedef struct broad_partners
{
    uint32_t of[BROAD_CLASS_BITS];
} broad_partners;

static inline uint32_t broad_partners_of(const broad_partners *partners, uint32_t classes)
{
    uint32_t all = 0;
    for (; classes; classes &= classes - 1)
        all |= partners->of[__builtin_ctz(classes)];
    return all;
}

/* The lanes below which there are some of these classes. */
static inline uint32_t broad_lanes_with(const broad_group *bounds, uint32_t classes)
{
    uint32_t lanes = 0;
    for (int i = 0; i < BROAD_LANES; i++)
        lanes |= (uint32_t)((bounds->classes[i] & classes) != 0) << i;
    return lanes;
}

/* Which groups to count: those of b that meet one of a and, unless partners is null, have boxes that may pair. */
typedef struct broad_crowd
{
    const broad_groups *a, *b;
    const broad_partners *partners;
    uint32_t samples; /* of a */
} broad_crowd;

/* How many there are, on average over some groups of a. */
BASE_DECLARE_ISA(double, broad_groups_crowd, (const broad_crowd *crowd));

#endif
