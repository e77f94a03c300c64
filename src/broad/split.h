/* split: pairs of boxes by halving space again and again, without memory of earlier calls. For long thin boxes, whose
 * groups meet most other groups whatever their order. */
#ifndef BROAD_SPLIT_H
#define BROAD_SPLIT_H

#include "broad/broad.h"

enum
{
    BROAD_SPLIT_LEAF = 64,      /* boxes that are compared with each other */
    BROAD_SPLIT_APART = 1 << 3, /* mark: two boxes that have it are no pair */
    BROAD_SPLIT_CANDIDATES = 2048
};

/* A box in floats, rounded outwards; high with the margin. marks: bit i: the copy beyond a split of axis i of a box
 * that is on the near side, too. Two boxes with a common mark are together elsewhere, and are no pair here. */
typedef struct broad_split_box
{
    _Alignas(32) float low[3], high[3];
    uint32_t slot, marks;
} broad_split_box;

typedef struct broad_split broad_split;
/* Takes `found` candidates. False when out of memory: the search ends. */
typedef bool broad_split_take_fn(broad_split *split);

struct broad_split
{
    carom_context *context;
    BASE_ARRAY(broad_split_box) boxes; /* a stack of ranges, the whole first */
    broad_split_take_fn *take;
    void *user;
    uint32_t found;
    uint64_t tested; /* pairs of a box with eight others */
    uint32_t slot_a[BROAD_SPLIT_CANDIDATES + 8], slot_b[BROAD_SPLIT_CANDIDATES + 8];
};

/* Adds a box that is not empty; there is room. */
void broad_split_add(broad_split *split, const carom_aabb *box, double margin, uint32_t slot, uint32_t marks);
/* Pairs of all boxes that were added, and forgets them. False when out of memory. */
bool broad_split_join(broad_split *split);

/* Compares the boxes of a range with each other. */
BASE_DECLARE_ISA(bool, broad_split_leaf, (broad_split * split, size_t first, size_t count));
/* Copies the boxes of a range behind it, those before a split and then those beyond it, each into its own half of the
 * room, which has 2 count. Returns how many there are of each. */
typedef struct broad_split_sides
{
    size_t before, beyond;
} broad_split_sides;
BASE_DECLARE_ISA(broad_split_sides, broad_split_range,
                 (const broad_split_box *boxes, size_t count, int axis, float at, broad_split_box *room));

#endif
