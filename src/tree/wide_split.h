/* The collision layout's own splits: what wide_split.c and its kernels share. */
#ifndef TREE_WIDE_SPLIT_H
#define TREE_WIDE_SPLIT_H

#include "tree/build_top.h"
#include "tree/wide_build.h"

enum
{
    SPLIT_MAX_BINS = 16
};

/* The frames that a range may be split in. */
enum
{
    OWN,       /* the tree's axes */
    PRINCIPAL, /* those of the range's surface */
    FRAME_COUNT
};

/* Bounds of boxes, and of twice their centres. */
typedef struct split_extent
{
    split_box bounds, centres;
} split_extent;

typedef struct split_bins
{
    split_box box[3][SPLIT_MAX_BINS];
    uint32_t count[3][SPLIT_MAX_BINS];
} split_bins;

typedef struct split_choice
{
    float cost; /* infinite: none */
    int frame, axis;
    uint32_t bin; /* first bin of the right side */
} split_choice;

/* How a range is split: filled in step by step. */
typedef struct split_plan
{
    int frame_count;
    float axis[3][3]; /* of the principal frame */
    split_extent extent[FRAME_COUNT];
    uint32_t bin_count;
    float low[FRAME_COUNT][4], scale[FRAME_COUNT][4]; /* bin = (twice the centre - low) * scale */
    float area;
    split_choice choice;
} split_plan;

typedef struct split_block
{
    split_extent extent[FRAME_COUNT];
    split_bins bins[FRAME_COUNT];
} split_block;

/* The builder of wide_split_method. */
typedef struct split_work
{
    wide_build *build; /* boxes hold the records at first; order and nodes are the result */
    split_box *spare;
    split_box *local;    /* boxes along a range's principal axes */
    split_plan *plans;   /* per branch */
    split_block *blocks; /* per block */
    split_node *grown;   /* subtrees; a branch's begin at twice its first record */
} split_work;

BASE_DECLARE_ISA(const build_method *, wide_split_method, (void));

#endif
