/* split: pairs of boxes that are long and thin, whose groups meet most other groups whatever their order.
 *
 * Boxes are divided into classes by the axes along which they are long. For each two classes, boxes are sorted along
 * the axis on which the fewest overlap, along which both are thin as a rule, and swept; where that leaves too many to
 * compare, space is halved across the other axes first, boxes on both sides being listed in both. Nothing is kept from
 * earlier calls. Boxes are not copied but for one sorted copy of each class at a time: all else are lanes and indices.
 */
#ifndef BROAD_SPLIT_H
#define BROAD_SPLIT_H

#include "broad/join.h"
#include "broad/order.h"

enum
{
    BROAD_SPLIT_APART = 1 << 3, /* class of boxes of which two are no pair */
    BROAD_SPLIT_CLASSES = 16,   /* a bit per axis along which a box is long, and that one */
    BROAD_COLUMNS = 7,
    BROAD_MARKED_COLUMNS = BROAD_COLUMNS + 2
};

/* Boxes as numbers of one kind one after the other: low, high, slots; and if space was halved, marks (all bits or none)
 * for the two axes behind the one that is swept along. A box is marked beyond a cut across an axis if it is on the near
 * side, too: two boxes with a common mark are together elsewhere, and are no pair here. Boxes are floats, rounded
 * outwards; high with the margin. Behind the last box there are eight that meet nothing. */
typedef struct broad_columns
{
    float *first; /* null: none yet */
    size_t stride;
} broad_columns;

/* Boxes that are sorted along an axis against others that are. */
typedef struct broad_pass
{
    broad_columns boxes, others;
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
    broad_words *keys, *sorted; /* scratch that the caller lends, for sorting; between sorts, keys hold the stack ... */
    size_t top;                 /* ... of so many boxes in the parts of space: indices into columns, with marks */
    size_t cut_count;           /* how often space was halved in the last call */
    BASE_ARRAY(uint32_t) lanes; /* of the boxes, by class */
    BASE_ARRAY(float) columns;  /* of whole classes */
    broad_pass_fn *sweep;
    void *user;
};

/* Pairs of all boxes of groups, and with those of `apart`, of which two are no pair, if it is not null. False when out
 * of memory. */
bool broad_split_join(broad_split *split, const broad_groups *groups, const broad_groups *apart);
void broad_split_free(broad_split *split);

/* Room in an array whose items are of no use any more, so that there are never two of them. */
#define broad_split_renew(context, array, room)                                                                        \
    ((array)->count = 0, (array)->capacity >= (room) ||                                                                \
                             (base_array_free((context), (array)), base_array_reserve((context), (array), (room))))

/* Boxes of a class, or those that are listed. */
typedef struct broad_side
{
    broad_columns columns; /* of the whole class */
    size_t count, first;   /* first: on the stack, if only some are listed there */
} broad_side;

/* Boxes of two sides that are sorted along an axis; with self, of one with each other. */
typedef struct broad_sides
{
    broad_side side[2];
    int axis;
    bool self, listed;
} broad_sides;

enum
{
    BROAD_MARK_SHIFT = 30 /* on the stack, marks are above the index */
};

/* Of a few samples. */
void broad_split_sort(float *values, int count);
/* Sweeps, and halves space before where it pays off (split_halve.c). False when out of memory. */
bool broad_split_sides(broad_split *split, const broad_sides *sides);

/* The boxes in a range of a sweep against all others. */
BASE_DECLARE_ISA(void, broad_split_sweep, (broad_join * join, const broad_pass *sweep, uint32_t first, uint32_t last));
/* Columns of the boxes in the lanes that are the lower halves of sorted keys; there is room, as in the next. */
BASE_DECLARE_ISA(void, broad_split_fill,
                 (const broad_columns *columns, const broad_group *groups, const uint64_t *keys, size_t count));
/* Marked columns of those boxes of others that are on the stack. */
BASE_DECLARE_ISA(void, broad_split_pick,
                 (const broad_columns *columns, const broad_columns *from, const uint32_t *stack, size_t count));

#endif
