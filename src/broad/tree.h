/* tree: what the files of the broad phase `tree` share.
 *
 * Boxes that move are in one part, which is refitted while its order is good and sorted again when it has decayed. What
 * is static, or has not moved for a while, is in another one; its own pairs are kept. */
#ifndef BROAD_TREE_H
#define BROAD_TREE_H

#include "broad/join.h"
#include "broad/order.h"
#include "broad/places.h"
#include "broad/split.h"

enum
{
    TREE_PARENT = BROAD_LANES * BROAD_LANES, /* lanes below a group of level 1 */
    TREE_REST = 8                            /* calls without a change after which a box counts as still */
};
#define TREE_STILL (1u << 29) /* in a place: a lane of the still boxes */

/* Groups that are filled from their end. */
typedef struct tree_part
{
    broad_groups groups;
    uint32_t next;         /* the lane for the next box */
    uint32_t changed;      /* boxes that came or went since they were sorted */
    uint32_t used;         /* boxes */
    uint32_t age;          /* calls since they were sorted */
    double sorted_extents; /* of the groups, then */
    bool crowded;          /* groups met too many others, then */
    bool has_empty;        /* boxes that have become empty since, as far as they were loaded */
    bool hurried;          /* they had decayed by the call after they were sorted */
    uint32_t skipped;      /* calls since in which they were sorted without asking */
    uint64_t classes;      /* of all boxes, and of some that are gone: a bit each */
    uint32_t classed;      /* in which call the classes of its groups were set; 0: in none */
} tree_part;

typedef struct tree_state tree_state;

/* One worker's search and its pairs. */
typedef struct tree_worker
{
    broad_join join; /* first: what it finds is for this worker */
    const tree_state *state;
    const broad_input *input;
    broad_pairs pairs;
    bool plain; /* any two boxes of the search may pair */
    bool has_empty;
    bool out_of_memory;
} tree_worker;

struct tree_state
{
    carom_context *context;
    tree_part moving, still;
    broad_order order;
    BASE_ARRAY(uint32_t) places;  /* by slot: a lane, with TREE_STILL; BROAD_NO_SLOT: none */
    BASE_ARRAY(uint32_t) changed; /* by slot: in which call */
    BASE_ARRAY(uint8_t) class_of; /* by slot */
    broad_classes classes;
    broad_partners partners; /* set together with the classes of groups */
    broad_pairs kept;        /* of still boxes */
    double margin;
    uint32_t call;
    uint32_t kept_changed; /* in which call kept pairs were added */
    uint32_t woken;        /* still boxes that changed in this call */
    broad_split *split;    /* null until it is needed */
    bool is_current;       /* holds the boxes of the last call, which succeeded */
    tree_worker *workers[];
};

/* ---- parts (tree_part.c) ---- */

/* But for whether it was in a hurry. */
void tree_part_clear(tree_part *part);
/* Takes over the changed slots, in free lanes where they are new. False when out of memory, like all that follow. */
bool tree_update_slots(tree_state *tree, const broad_input *input);
/* New still boxes begin below a group of level 1 of their own, at the lane that is returned. */
bool tree_begin_still(tree_state *tree, uint32_t *first);
/* The boxes of the groups from `first` on, and all levels above. */
void tree_load(tree_state *tree, tree_part *part, const broad_input *input, uint32_t first);
/* Sorts a part's boxes and loads them. Of those that move, the ones at rest go to the still ones. */
bool tree_sort(tree_state *tree, tree_part *part, const broad_input *input);
/* Sum of the extents of all groups of boxes. */
double tree_extents(const tree_part *part);

/* ---- pairs (tree_join.c) ---- */

typedef struct tree_task
{
    tree_state *tree;
    tree_part *a, *b;
    const broad_input *input;
    bool self;                /* each box of a with those behind it */
    bool by_box;              /* without self, each box of a by itself */
    bool filters;             /* groups whose boxes may not pair are left out; set by tree_join */
    uint32_t first;           /* group of level 1 of a; 0 by box */
    uint32_t b_first, b_last; /* groups of b; without self */
} tree_task;

/* What is found from here on is added to `pairs`, which is empty until the end. */
void tree_begin_pairs(tree_state *tree, broad_pairs *pairs);
/* False if memory was short before or is now; `pairs` has its memory back all the same. */
bool tree_end_pairs(tree_state *tree, broad_pairs *pairs, uint64_t *boxes_tested);
/* Pairs of the groups of a from `first` on. */
void tree_join(tree_task task);
/* Is it faster to halve space, for pairs of a part's boxes, and with those of another one, if it is not null? */
bool tree_must_split(tree_state *tree, tree_part *part, tree_part *other);
/* Pairs of a part's boxes, and with those of another one, if it is not null, by halving space. */
void tree_join_by_split(tree_state *tree, const broad_input *input, const tree_part *part, const tree_part *other);

#endif
