/* join: pairs of boxes of two trees of groups, or of one with itself. Each has fewer than 2^29 lanes. */
#ifndef BROAD_JOIN_H
#define BROAD_JOIN_H

#include "broad/groups.h"

enum
{
    BROAD_QUEUE = 1024,
    BROAD_TESTS = 128,                      /* in a row */
    BROAD_PAIRS = BROAD_TESTS * BROAD_LANES /* that they may find; eight more are written and do not count */
};

typedef struct broad_join broad_join;
/* Takes join->pair_count and join->unsure_count pairs, and makes room for BROAD_PAIRS of the former. */
typedef void broad_take_fn(broad_join *join);

/* Pairs of slots whose boxes are within the margin; whether they may pair is not asked. */
struct broad_join
{
    const broad_groups *a, *b;
    const broad_partners *partners; /* null: any two boxes; or the classes of bounds are set, and groups are left out
                                       that have no boxes which may pair */
    bool self;                      /* a and b are the same: each pair once */
    uint32_t b_first, b_last;       /* groups of level 0 of b that count; without self */
    float margin;
    broad_take_fn *take; /* called when there is no room for more */
    uint64_t *pairs;     /* room for BROAD_PAIRS */
    uint32_t pair_count;
    uint32_t unsure_count;
    uint64_t tested;                 /* pairs of a box with eight others */
    uint64_t unsure[BROAD_PAIRS];    /* pairs of which floats can't tell */
    uint32_t queue[2 * BROAD_QUEUE]; /* boxes to be tested: of b, and of a */
};

/* For the groups of level 0 of a in a range, box by box: if those are few and far between. Without self. */
BASE_DECLARE_ISA(void, broad_join_boxes, (broad_join * join, uint32_t first, uint32_t last));
/* For the groups of level 1 of a in a range. */
BASE_DECLARE_ISA(void, broad_join_range, (broad_join * join, uint32_t first, uint32_t last));

#endif
