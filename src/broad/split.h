/* split: pairs of boxes that are long and thin, whose groups meet most other groups whatever their order.
 *
 * Boxes are divided into classes by the axes along which they are long. For each two classes, boxes are sorted along
 * the axis on which the fewest overlap, along which both are thin as a rule, and swept; where that leaves too many to
 * compare, space is halved across the other axes first, boxes on both sides being copied. Nothing is kept from earlier
 * calls. */
#ifndef BROAD_SPLIT_H
#define BROAD_SPLIT_H

#include "broad/join.h"

enum
{
    BROAD_SPLIT_APART = 1 << 3, /* mark: two boxes that have it are no pair */
    BROAD_SPLIT_CLASSES = 16,   /* a bit per axis along which a box is long, and that mark */
    BROAD_COLUMNS = 9
};

/* A box in floats, rounded outwards; high with the margin. marks: bit i: the copy beyond a split of axis i of a box
 * that is on the near side, too. Two boxes with a common mark are together elsewhere, and are no pair here. */
typedef struct broad_split_box
{
    _Alignas(32) float low[3], high[3];
    uint32_t slot, marks;
} broad_split_box;

/* Boxes as numbers of one kind one after the other: low, high, their marks of the two axes behind the one that is swept
 * along (all bits or none), slots. Behind the last box there are eight that meet nothing. */
typedef struct broad_columns
{
    float *first; /* null: none yet */
    size_t stride;
} broad_columns;

/* Boxes that are sorted along an axis against others that are. */
typedef struct broad_pass
{
    const broad_split_box *boxes;
    broad_columns others;
    uint32_t count, other_count;
    int axis;
    bool self;   /* the others are the same: each with those behind it; otherwise with those that begin within it... */
    bool behind; /* ... but not where it begins */
    bool marked; /* space was halved */
} broad_pass;

typedef struct broad_split broad_split;
/* Has a sweep done for all its boxes, by broad_split_sweep for any ranges of them. */
typedef void broad_pass_fn(broad_split *split, const broad_pass *sweep);

struct broad_split
{
    carom_context *context;
    BASE_ARRAY(broad_split_box) boxes;  /* as added, then by class, then a stack of copies */
    BASE_ARRAY(uint64_t) keys, sorted;  /* for sorting a class */
    BASE_ARRAY(float) columns, scratch; /* of whole classes; of copies */
    broad_pass_fn *sweep;
    void *user;
};

/* Adds the boxes of groups, except for free lanes. False when out of memory. */
bool broad_split_add(broad_split *split, const broad_groups *groups, uint32_t marks);
/* Pairs of all boxes that were added, which are forgotten. False when out of memory. */
bool broad_split_join(broad_split *split);
void broad_split_free(broad_split *split);

/* The boxes in a range of a sweep against all others. */
BASE_DECLARE_ISA(void, broad_split_sweep, (broad_join * join, const broad_pass *sweep, uint32_t first, uint32_t last));
/* Columns of some boxes; there is room. */
BASE_DECLARE_ISA(void, broad_split_fill,
                 (const broad_columns *columns, const broad_split_box *boxes, size_t count, int axis));

#endif
