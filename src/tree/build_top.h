/* How builders share their work: the top of a tree is split level by level, all workers on each level; what is left are
 * subtrees, one task each. Nodes get the numbers that a depth-first walk on one thread would give them, and a method's
 * splits do not depend on the blocks, so the tree is bit-identical for any number of workers.
 *
 * build_top.c deals with ranges of records of any kind; a build_method does the rest. */
#ifndef TREE_BUILD_TOP_H
#define TREE_BUILD_TOP_H

#include "base/base.h"

enum
{
    BUILD_MAX_BRANCHES = 512
};

/* A range of records that is split here, or grown into a subtree by one task. */
typedef struct build_branch
{
    uint32_t first, count, depth;
    bool in_spare;                    /* which of the method's two buffers holds it */
    uint32_t left;                    /* branch of its left part, the right one follows; 0: a subtree */
    uint32_t first_block, last_block; /* while its level is split */
    uint32_t node;                    /* its number */
    uint32_t below;                   /* the number of the first node below it; its descendants are in a row */
    uint32_t node_count;              /* of a subtree, itself included */
} build_branch;

/* A part of a branch: records [first, last), counted from the branch's first. */
typedef struct build_block
{
    uint32_t branch, first, last;
    uint32_t left_count;  /* of its own records, how many go left; set by choose */
    uint32_t left_before; /* in the blocks before it in its branch */
} build_block;

typedef struct build_top build_top;

/* What a builder does with branches and blocks. Each function touches only what belongs to its own branch or block, as
 * several run at the same time. */
typedef struct build_method
{
    /* Before a branch is split, its blocks are examined in passes, with prepare before each. False: leave it whole. */
    uint32_t pass_count;
    bool (*prepare)(build_top *top, uint32_t branch, uint32_t pass); /* null: nothing to do */
    void (*look)(build_top *top, uint32_t block, uint32_t pass);
    /* How many records go left; 0: leave it whole. With passes: sets left_count of the blocks too. */
    uint32_t (*choose)(build_top *top, uint32_t branch);
    void (*move)(build_top *top, uint32_t block);   /* to the other buffer; null: choose has sorted them in place */
    void (*adopt)(build_top *top, uint32_t branch); /* its parts are known now; null: nothing to do */
    /* The subtree of a branch that is not split, numbered from 0 at its root; returns its node count. */
    uint32_t (*grow)(build_top *top, uint32_t branch);
    /* Writes a branch's node, and all of its subtree, to where they belong. */
    void (*place)(build_top *top, uint32_t branch);
} build_method;

struct build_top
{
    carom_context *context;
    const build_method *method;
    void *builder; /* the method's own */
    uint32_t grain;
    uint32_t branch_count, branch_capacity; /* capacities say how much a method needs of its own arrays */
    uint32_t block_count, block_capacity;
    uint32_t block_size, level_first, pass;
    build_branch *branches;
    build_block *blocks;
};

/* False: out of memory. Call build_top_end in either case. */
bool build_top_begin(carom_context *context, uint32_t count, const build_method *method, build_top *out);
/* Splits and grows; afterwards all branches have their numbers. Returns the number of nodes. */
uint32_t build_top_grow(build_top *top);
void build_top_place(build_top *top);
void build_top_end(build_top *top);

#endif
